// What became of clusters: which were born, merged, split, moved and died, and how large they were
// at each reading.
//
// Bounded: of events the latest are kept, and of readings every second one goes when there are too
// many. What is old lies on a page that copies of the model share; new entries are added to it now
// and then.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/label_maps.hpp"

namespace resonart {

enum class Change { born, merged, split, moved, died };

struct Event {
    Change change;
    std::uint32_t
        label;  // whom it befell: the new one of a split, the one that is gone of a merger
    std::uint32_t other;  // what it split from or merged into; kNoLabel
    double row, time;     // rows learned until then, and the clock
    double size;          // rows, faded
    double distance;      // of `moved`: in the user's units
};
// A cluster at a reading.
struct Moment {
    double reading, row, time, label, size;
};

// Entries, one after the other; and where each was: n_features numbers.
struct DiaryPage {
    Buffer<Event> events;
    Buffer<double> event_places;
    Buffer<Moment> moments;
    Buffer<double> moment_places;

    void append(const DiaryPage& other) {
        append_to(events, other.events);
        append_to(event_places, other.event_places);
        append_to(moments, other.moments);
        append_to(moment_places, other.moment_places);
    }

private:
    template <class T>
    static void append_to(Buffer<T>& to, const Buffer<T>& from) {
        to.reserve(to.size() + from.size());
        to.append(from.data(), from.size());
    }
};

// A living cluster: where it was when that was last told, and where it is.
struct Resident {
    std::uint32_t label;
    double size;
    std::vector<double> told_at, centre;
    double radius2 = 0.0;  // how far its rows lie from the centre, in shares of the ranges; squared
};

class Diary {
public:
    static constexpr std::size_t kMostEvents = 10'000, kMostMoments = 20'000;
    // Events that are no longer kept are counted up to here.
    static constexpr std::int64_t kMostForgotten = std::int64_t{1} << 53;

    const std::vector<Resident>& residents() const { return residents_; }
    std::int64_t n_forgotten() const { return n_forgotten_; }
    std::int64_t stride() const { return stride_; }

    // All of it, in order.
    DiaryPage all() const {
        DiaryPage page;
        if (old_) page.append(*old_);
        page.append(fresh_);
        return page;
    }

    // After a reading: of each category the label it had and the label it has, its weight and the
    // mean of its rows. `n_readings` counts this one, `n_rows` what was learned. May fail halfway.
    void tell(const std::uint32_t* before, const std::uint32_t* now, const double* weight,
              const double* mean, const double* range, std::size_t n, std::size_t d,
              double n_readings, double n_rows, double time) {
        std::vector<Resident> next = see(now, weight, mean, range, n, d);
        // What each label of before and each of now have in common.
        const auto most_shared = [&](const std::uint32_t* from, const std::uint32_t* to,
                                     std::uint32_t label) {
            std::map<std::uint32_t, double> shared;
            double total = 0.0;
            for (std::size_t j = 0; j < n; ++j) {
                if (from[j] != label) continue;
                total += weight[j];
                if (to[j] != kNoLabel) shared[to[j]] += weight[j];
            }
            std::uint32_t best = kNoLabel;
            double most = 0.0;
            for (const auto& [other, sum] : shared) {
                if (sum > most) {
                    best = other;
                    most = sum;
                }
            }
            return most >= total / 2.0 ? best : kNoLabel;
        };
        const auto add = [&](Change change, const Resident& who, std::uint32_t other,
                             double distance) {
            fresh_.events.reserve(fresh_.events.size() + 1);
            fresh_.event_places.reserve(fresh_.event_places.size() + d);
            fresh_.events.push({change, who.label, other, n_rows, time, who.size, distance});
            fresh_.event_places.append(who.centre.data(), d);
        };
        std::size_t a = 0;
        for (Resident& each : next) {
            for (; a < residents_.size() && residents_[a].label < each.label; ++a) {
                leave(residents_[a], most_shared(before, now, residents_[a].label), add);
            }
            if (a < residents_.size() && residents_[a].label == each.label) {
                each.told_at = residents_[a++].told_at;
                double far = 0.0, way = 0.0;
                for (std::size_t f = 0; f < d; ++f) {
                    const double off = each.centre[f] - each.told_at[f];
                    const double share = range[f] > 0.0 ? off / range[f] : 0.0;
                    far += share * share;
                    way += off * off;
                }
                if (far > kFar * each.radius2 && far > 0.0 && each.radius2 > 0.0) {
                    add(Change::moved, each, kNoLabel, std::sqrt(way));
                    each.told_at = each.centre;
                }
                continue;
            }
            const std::uint32_t from = most_shared(now, before, each.label);
            add(from == kNoLabel ? Change::born : Change::split, each, from, 0.0);
        }
        for (; a < residents_.size(); ++a) {
            leave(residents_[a], most_shared(before, now, residents_[a].label), add);
        }
        residents_ = std::move(next);
        if (std::fmod(n_readings, static_cast<double>(stride_)) == 0.0) {
            fresh_.moments.reserve(fresh_.moments.size() + residents_.size());
            fresh_.moment_places.reserve(fresh_.moment_places.size() + residents_.size() * d);
            for (const Resident& each : residents_) {
                fresh_.moments.push(
                    {n_readings, n_rows, time, static_cast<double>(each.label), each.size});
                fresh_.moment_places.append(each.centre.data(), d);
            }
        }
        if (fresh_.events.size() + fresh_.moments.size() > kMostFresh) turn_page();
        // By what there is alone, not by which page it is on: a model that comes from a file has
        // the same diary ever after.
        if (n_events() > kMostEvents + kMostFresh || n_moments() > kMostMoments) thin_out(d);
    }

    // Clusters that were removed are gone without a word.
    template <class IsThere>
    void keep_if(IsThere&& is_there) {
        std::vector<Resident> left;
        for (Resident& each : residents_) {
            if (is_there(each.label)) left.push_back(std::move(each));
        }
        residents_ = std::move(left);
    }

    // To be filled in from elsewhere.
    void adopt(DiaryPage&& page, std::vector<Resident>&& residents, std::int64_t n_forgotten,
               std::int64_t stride) {
        old_ = std::make_shared<const DiaryPage>(std::move(page));
        fresh_ = DiaryPage();
        residents_ = std::move(residents);
        n_forgotten_ = n_forgotten;
        stride_ = stride;
    }

private:
    static constexpr std::size_t kMostFresh = 512;
    static constexpr double kFar = 1.0;  // a centre moved: farther than its rows lie from it

    template <class Add>
    static void leave(const Resident& who, std::uint32_t into, Add&& add) {
        const bool is_merged = into != kNoLabel && into != who.label;
        add(is_merged ? Change::merged : Change::died, who, is_merged ? into : kNoLabel, 0.0);
    }

    static std::vector<Resident> see(const std::uint32_t* label, const double* weight,
                                     const double* mean, const double* range, std::size_t n,
                                     std::size_t d) {
        std::vector<std::uint32_t> there;
        for (std::size_t j = 0; j < n; ++j) {
            if (label[j] != kNoLabel) there.push_back(label[j]);
        }
        std::sort(there.begin(), there.end());
        there.erase(std::unique(there.begin(), there.end()), there.end());
        std::vector<Resident> found;
        found.reserve(there.size());
        for (const std::uint32_t each : there) {
            found.push_back({each, 0.0, {}, std::vector<double>(d, 0.0), 0.0});
        }
        const auto of = [&](std::size_t j) -> Resident& {
            const auto at = std::lower_bound(there.begin(), there.end(), label[j]);
            return found[static_cast<std::size_t>(at - there.begin())];
        };
        for (std::size_t j = 0; j < n; ++j) {
            if (label[j] == kNoLabel) continue;
            Resident& mine = of(j);
            mine.size += weight[j];
            const double share = weight[j] / mine.size;
            for (std::size_t f = 0; f < d; ++f) {
                mine.centre[f] += (mean[j * d + f] - mine.centre[f]) * share;
            }
        }
        for (std::size_t j = 0; j < n; ++j) {
            if (label[j] == kNoLabel) continue;
            Resident& mine = of(j);
            double far = 0.0;
            for (std::size_t f = 0; f < d; ++f) {
                if (!(range[f] > 0.0)) continue;
                const double share = (mean[j * d + f] - mine.centre[f]) / range[f];
                far += share * share;
            }
            mine.radius2 += far * (weight[j] / mine.size);
        }
        for (Resident& each : found) each.told_at = each.centre;
        return found;
    }

    std::size_t n_events() const { return (old_ ? old_->events.size() : 0) + fresh_.events.size(); }
    std::size_t n_moments() const {
        return (old_ ? old_->moments.size() : 0) + fresh_.moments.size();
    }

    void turn_page() {
        auto page = std::make_shared<const DiaryPage>(all());
        old_ = std::move(page);
        fresh_ = DiaryPage();
    }

    void thin_out(std::size_t d) {
        auto page = std::make_shared<DiaryPage>(all());
        std::int64_t n_forgotten = n_forgotten_, stride = stride_;
        if (page->events.size() > kMostEvents) {
            const std::size_t n = page->events.size() - kMostEvents;
            std::copy(page->events.begin() + n, page->events.end(), page->events.begin());
            page->events.shrink(kMostEvents);
            std::copy(page->event_places.begin() + n * d, page->event_places.end(),
                      page->event_places.begin());
            page->event_places.shrink(kMostEvents * d);
            n_forgotten = std::min(n_forgotten + static_cast<std::int64_t>(n), kMostForgotten);
        }
        // One reading may be kept however many clusters it had.
        while (page->moments.size() > kMostMoments &&
               page->moments[0].reading < page->moments[page->moments.size() - 1].reading) {
            stride *= 2;
            std::size_t kept = 0;
            for (std::size_t i = 0; i < page->moments.size(); ++i) {
                if (std::fmod(page->moments[i].reading, static_cast<double>(stride)) != 0.0) {
                    continue;
                }
                page->moments[kept] = page->moments[i];
                std::copy_n(page->moment_places.begin() + i * d, d,
                            page->moment_places.begin() + kept * d);
                ++kept;
            }
            page->moments.shrink(kept);
            page->moment_places.shrink(kept * d);
        }
        old_ = std::move(page);
        fresh_ = DiaryPage();
        n_forgotten_ = n_forgotten;
        stride_ = stride;
    }

    std::shared_ptr<const DiaryPage> old_;
    DiaryPage fresh_;
    std::vector<Resident> residents_;  // by label
    std::int64_t n_forgotten_ = 0;     // events that are no longer kept
    std::int64_t stride_ = 1;          // every so many readings are kept
};

}  // namespace resonart
