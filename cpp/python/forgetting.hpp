// What a DensityART model knows of time, as Python sees it: clock, fading weights, changes that are
// expected, and the diary.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/dates.hpp"
#include "base/rows.hpp"
#include "density/density_art.hpp"
#include "python/arrays.hpp"

namespace resonart::bindings {

// What stands for kUnread, as -1 does for kNoLabel.
constexpr std::int64_t kUnreadInFiles = -2;

// What a model knows of time, copied while it is held still.
class TimeArrays {
public:
    static constexpr std::size_t kClock = 6, kLoad = 3, kStay = 2, kKept = 14;
    static constexpr std::size_t kEvent = 7, kMoment = 5, kResident = 3;

    explicit TimeArrays(const DensityArt& art)
        : d_(art.categories().n_features()),
          events_(kEvent + d_),
          moments_(kMoment + d_),
          residents_(kResident + 2 * d_) {
        copy_fading(art);
        copy_kept(art.kept());
        copy_expected(art.expected());
        copy_diary(art.diary());
    }

    void put_into(nb::dict& found) {
        found["clock"] = clock_.vector();
        found["loads"] = loads_.matrix();
        found["stays"] = stays_.matrix();
        found["kept"] = kept_.vector();
        found["embryos"] = embryos_.vector();
        found["born_soon"] = born_soon_.matrix();
        found["changes"] = changes_.vector();
        found["events"] = events_.matrix();
        found["moments"] = moments_.matrix();
        found["residents"] = residents_.matrix();
        found["diary"] = diary_.vector();
    }

private:
    void copy_fading(const DensityArt& art) {
        const Fading& fading = art.fading();
        clock_.add(art.clock_kind(), art.now(), art.read_at(), fading.sum(), fading.squares(),
                   art.begun_at());
        for (std::size_t j = 0; j < fading.size(); ++j) {
            loads_.add(fading.load(j).weight, fading.load(j).at, fading.load(j).most);
        }
        for (std::size_t i = 0; i < fading.n_stays(); ++i) {
            stays_.add(fading.stay(i).time, fading.stay(i).category);
        }
    }
    void copy_kept(const KeptReading& kept) {
        const Candidate& c = kept.candidate;
        kept_.add(kept.is_known, c.scaling, c.n_components, c.selection, c.min_cluster_size,
                  c.min_samples, c.height, c.n_clusters, c.noise, c.score, c.of_rows, kept.noise,
                  kept.chosen_at, kept.is_settled);
    }
    void copy_expected(const Expectations& expected) {
        for (const std::uint32_t embryo : expected.embryo) {
            embryos_.add(embryo == kUnread ? kUnreadInFiles : shown_label(embryo));
        }
        for (const Embryo& each : expected.embryos) born_soon_.add(each.n_seen, each.first_size);
        for (const PendingChange& each : expected.changes) {
            changes_.add(each.n_seen, each.n_clusters, each.labels.size());
            for (const std::uint32_t label : each.labels) changes_.add(label);
        }
    }
    void copy_diary(const Diary& diary) {
        const DiaryPage page = diary.all();
        for (std::size_t i = 0; i < page.events.size(); ++i) {
            const Event& e = page.events[i];
            events_.add(e.change, e.label, shown_label(e.other), e.row, e.time, e.size, e.distance);
            events_.add_all(page.event_places.data() + i * d_, d_);
        }
        for (std::size_t i = 0; i < page.moments.size(); ++i) {
            const Moment& m = page.moments[i];
            moments_.add(m.reading, m.row, m.time, m.label, m.size);
            moments_.add_all(page.moment_places.data() + i * d_, d_);
        }
        for (const Resident& each : diary.residents()) {
            residents_.add(each.label, each.size, each.radius2);
            residents_.add_all(each.shown_at.data(), d_);
            residents_.add_all(each.centre.data(), d_);
        }
        diary_.add(diary.n_forgotten(), diary.stride());
    }

    std::size_t d_;
    Table<double> clock_, loads_{kLoad}, stays_{kStay}, kept_, born_soon_{2};
    Table<double> events_, moments_, residents_;
    Table<std::int64_t> embryos_, changes_, diary_;
};

// The same from outside: everything that could be wrong is checked.
class TimeReader {
public:
    TimeReader(std::size_t n_categories, std::size_t n_features, std::int64_t n_labels,
               std::int64_t n_rows, bool forgets, bool has_window)
        : n_(n_categories),
          d_(n_features),
          n_labels_(n_labels),
          n_rows_(static_cast<double>(n_rows)),
          forgets_(forgets),
          has_window_(has_window) {}

    void read(const Vector<double>& clock, const Matrix<double>& loads, const Matrix<double>& stays,
              const Vector<double>& kept, const Vector<std::int64_t>& embryos,
              const Matrix<double>& born_soon, const Vector<std::int64_t>& changes,
              const Matrix<double>& events, const Matrix<double>& moments,
              const Matrix<double>& residents, const Vector<std::int64_t>& diary,
              DensityArt::Content& content) const {
        read_clock(clock, content);
        read_fading(clock, loads, stays, content);
        read_kept(kept, content);
        read_expected(embryos, born_soon, changes, content);
        read_diary(events, moments, residents, diary, content);
    }

private:
    static void demand(bool holds) {
        if (!holds) throw nb::value_error("what the model knows of time is not sound");
    }
    static double finite(double value) {
        demand(std::isfinite(value));
        return value;
    }
    static double positive(double value) {
        demand(std::isfinite(value) && value >= 0.0);
        return value;
    }
    // A time by the clock; one that is no date cannot be told as one.
    static double moment(double value, const DensityArt::Content& content) {
        demand(content.clock_kind != ClockKind::dates || std::abs(value) <= kLatestDate);
        return finite(value);
    }
    static double place(double value) {
        demand(usable(value));
        return value;
    }
    static std::int64_t whole(double value, double low, double high) {
        demand(value >= low && value <= high && value == std::floor(value));
        return static_cast<std::int64_t>(value);
    }
    static constexpr double kMost = 9007199254740992.0;  // 2^53

    std::uint32_t label(double value) const {
        const std::int64_t m = whole(value, -1.0, kMostLabel);
        return m < 0 ? kNoLabel : static_cast<std::uint32_t>(m);
    }
    static constexpr double kMostLabel = 2147483647.0;

    void read_clock(const Vector<double>& clock, DensityArt::Content& content) const {
        demand(clock.shape(0) == TimeArrays::kClock);
        const double* c = clock.data();
        content.clock_kind = static_cast<ClockKind>(whole(c[0], 0.0, 3.0));
        content.now = moment(c[1], content);
        // Of the rows that have come, one has set the clock.
        demand((content.clock_kind == ClockKind::none) == (n_rows_ == 0.0));
        demand(content.clock_kind != ClockKind::rows || content.now <= n_rows_);
        content.read_at = moment(c[2], content);
        content.begun_at = moment(c[5], content);
        demand(content.read_at <= content.now || !content.was_read);
    }

    void read_fading(const Vector<double>& clock, const Matrix<double>& loads,
                     const Matrix<double>& stays, DensityArt::Content& content) const {
        demand(loads.shape(0) == (forgets_ ? n_ : 0) && loads.shape(1) == TimeArrays::kLoad);
        demand(stays.shape(1) == TimeArrays::kStay);
        Buffer<Fading::Load> own;
        own.reserve(loads.shape(0));
        for (std::size_t j = 0; j < loads.shape(0); ++j) {
            const double* row = loads.data() + j * TimeArrays::kLoad;
            demand(finite(row[1]) <= content.now);
            own.push({positive(row[0]), row[1], positive(row[2])});
            // A row weighs 1 at most.
            const auto count = static_cast<double>(content.categories.count(j));
            demand(row[0] <= row[2] && row[2] <= count);
        }
        Buffer<Fading::Stay> rows;
        rows.reserve(stays.shape(0));
        demand(has_window_ || stays.shape(0) == 0);
        std::vector<double> n_rows(loads.shape(0), 0.0);  // of each category, in the window
        double last = -HUGE_VAL;
        for (std::size_t i = 0; i < stays.shape(0); ++i) {
            const double* row = stays.data() + i * TimeArrays::kStay;
            demand(finite(row[0]) >= last && row[0] <= content.now && n_ > 0);
            last = row[0];
            const auto j =
                static_cast<std::uint32_t>(whole(row[1], 0.0, static_cast<double>(n_) - 1.0));
            rows.push({row[0], j});
            n_rows[j] += 1.0;
        }
        for (std::size_t j = 0; has_window_ && j < n_rows.size(); ++j) {
            demand(own[j].weight == n_rows[j]);
        }
        // The last row weighs 1, and others have smaller squares. They are worth no more unfaded
        // rows than have come, but for rounding.
        const double sum = positive(clock.data()[3]), squares = positive(clock.data()[4]);
        demand(sum <= kMost && squares <= sum && (squares >= 1.0 || !forgets_));
        demand(sum * sum <= 1.001 * n_rows_ * squares);
        content.fading.adopt(std::move(own), std::move(rows), content.now, sum, squares);
    }

    void read_kept(const Vector<double>& kept, DensityArt::Content& content) const {
        demand(kept.shape(0) == TimeArrays::kKept);
        const double* k = kept.data();
        KeptReading& to = content.kept;
        to.is_known = whole(k[0], 0.0, 1.0) != 0;
        Candidate& c = to.candidate;
        c.scaling = static_cast<Scaling>(whole(k[1], 1.0, 5.0));
        c.n_components = static_cast<std::int32_t>(whole(k[2], 0.0, static_cast<double>(d_)));
        demand((c.scaling == Scaling::pca) == (c.n_components > 0));
        c.selection = static_cast<Selection>(whole(k[3], 0.0, static_cast<double>(kLastSelection)));
        c.min_cluster_size = whole(k[4], 0.0, kMost);
        c.min_samples = whole(k[5], 0.0, kMost);
        c.height = positive(k[6]);
        c.n_clusters = whole(k[7], 0.0, kMost);
        demand(k[8] >= 0.0 && k[8] <= 1.0);
        c.noise = k[8];
        c.score = finite(k[9]);
        c.of_rows = positive(k[10]);
        demand(c.of_rows <= kMost);
        // Former files have the least size of a cluster as a share of the rows.
        if (c.of_rows > 0.0 && c.of_rows < 1.0) {
            c.of_rows = std::min(static_cast<double>(c.min_cluster_size) / c.of_rows, kMost);
        }
        to.noise = positive(k[11]);
        to.chosen_at = finite(k[12]);
        to.is_settled = whole(k[13], 0.0, 1.0) != 0;
    }

    void read_expected(const Vector<std::int64_t>& embryos, const Matrix<double>& born_soon,
                       const Vector<std::int64_t>& changes, DensityArt::Content& content) const {
        Expectations& to = content.expected;
        demand(embryos.shape(0) == (forgets_ ? n_ : 0));
        const auto small = [](std::int64_t value) {
            demand(value >= 0 && value <= 1'000'000);
            return static_cast<std::uint32_t>(value);
        };
        demand(born_soon.shape(1) == 2);
        to.embryos.reserve(born_soon.shape(0));
        for (std::size_t e = 0; e < born_soon.shape(0); ++e) {
            const double* row = born_soon.data() + 2 * e;
            to.embryos.push({small(whole(row[0], 0.0, kMost)), positive(row[1])});
        }
        to.embryo.reserve(embryos.shape(0));
        for (std::size_t j = 0; j < embryos.shape(0); ++j) {
            const std::int64_t e = embryos.data()[j];
            demand(e >= kUnreadInFiles && e < static_cast<std::int64_t>(born_soon.shape(0)));
            to.embryo.push(e == kUnreadInFiles ? kUnread
                           : e < 0             ? kNoLabel
                                               : static_cast<std::uint32_t>(e));
        }
        const std::size_t n = changes.shape(0);
        const std::int64_t* value = changes.data();
        for (std::size_t i = 0; i < n;) {
            demand(n - i >= 3);
            PendingChange change;
            change.n_seen = small(value[i]);
            change.n_clusters = small(value[i + 1]);
            const std::uint32_t k = small(value[i + 2]);
            i += 3;
            demand(n - i >= k);
            for (std::uint32_t a = 0; a < k; ++a, ++i) {
                demand(value[i] >= 0 && value[i] < n_labels_);
                demand(a == 0 || value[i] > value[i - 1]);
                change.labels.push_back(static_cast<std::uint32_t>(value[i]));
            }
            to.changes.push_back(std::move(change));
        }
    }

    void read_diary(const Matrix<double>& events, const Matrix<double>& moments,
                    const Matrix<double>& residents, const Vector<std::int64_t>& diary,
                    DensityArt::Content& content) const {
        demand(events.shape(1) == TimeArrays::kEvent + d_ &&
               moments.shape(1) == TimeArrays::kMoment + d_ &&
               residents.shape(1) == TimeArrays::kResident + 2 * d_ && diary.shape(0) == 2);
        DiaryPage page;
        page.events.reserve(events.shape(0));
        page.event_places.reserve(events.shape(0) * d_);
        for (std::size_t i = 0; i < events.shape(0); ++i) {
            const double* row = events.data() + i * (TimeArrays::kEvent + d_);
            demand(row[1] >= 0.0);
            page.events.push({static_cast<Change>(whole(row[0], 0.0, 4.0)), label(row[1]),
                              label(row[2]), positive(row[3]), moment(row[4], content),
                              positive(row[5]), positive(row[6])});
            for (std::size_t f = 0; f < d_; ++f) {
                page.event_places.push(place(row[TimeArrays::kEvent + f]));
            }
        }
        page.moments.reserve(moments.shape(0));
        page.moment_places.reserve(moments.shape(0) * d_);
        for (std::size_t i = 0; i < moments.shape(0); ++i) {
            const double* row = moments.data() + i * (TimeArrays::kMoment + d_);
            whole(row[0], 0.0, kMost);
            whole(row[3], 0.0, kMostLabel);
            page.moments.push(
                {row[0], positive(row[1]), moment(row[2], content), row[3], positive(row[4])});
            for (std::size_t f = 0; f < d_; ++f) {
                page.moment_places.push(place(row[TimeArrays::kMoment + f]));
            }
        }
        std::vector<Resident> there;
        for (std::size_t i = 0; i < residents.shape(0); ++i) {
            const double* row = residents.data() + i * (TimeArrays::kResident + 2 * d_);
            Resident each;
            each.label = static_cast<std::uint32_t>(
                whole(row[0], 0.0, static_cast<double>(n_labels_) - 1.0));
            demand(there.empty() || there.back().label < each.label);
            each.size = positive(row[1]);
            each.radius2 = positive(row[2]);
            const double* at = row + TimeArrays::kResident;
            for (std::size_t f = 0; f < 2 * d_; ++f) place(at[f]);
            each.shown_at.assign(at, at + d_);
            each.centre.assign(at + d_, at + 2 * d_);
            there.push_back(std::move(each));
        }
        demand(diary.data()[0] >= 0 && diary.data()[0] <= Diary::kMostForgotten);
        demand(diary.data()[1] >= 1 && diary.data()[1] <= (std::int64_t{1} << 41));
        content.diary.adopt(std::move(page), std::move(there), diary.data()[0], diary.data()[1]);
    }

    std::size_t n_, d_;
    std::int64_t n_labels_;
    double n_rows_;
    bool forgets_, has_window_;
};

}  // namespace resonart::bindings
