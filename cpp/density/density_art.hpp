// DensityART: rows are categories, all of them or a sample as large as a budget allows, and
// clusters are read from a density tree over the categories.
//
// While the budget lasts, every distinct row is a category of its own, found through a table. When
// it is spent, rows are drawn by lot (category_rows.hpp): those whose lots are below a share are
// categories, and every other row counts for the one nearest to it, the most active. The more often
// a row has come, the lower a lot it has. A row that is far from the cluster of the category
// nearest to it is a category, too, whatever its lot. So a model is a sample of the rows that it
// has seen, weighted by all of them; models that are merged are a sample of all their rows. Where
// all rows are known beforehand, they are drawn, and then shared out among those that were: what
// comes of that does not depend on their order.
//
// Besides its row, a category knows what the last reading said of it. Labels stay with clusters
// from reading to reading (heirs.hpp); that of one that dies is not used again. Clusters lie in
// slots, in order of their labels: what is known of them costs by how many live, not by how many
// ever did. Where rows are forgotten, categories weigh what is left of their rows (fading.hpp), go
// when that is little, and clusters change only for good (succession.hpp).
//
// Rows that are few and far away from all others (far_rows.hpp) do not widen the ranges: their box
// is all zeros, which nothing is ever found in. Before clusters are read, or categories are drawn
// anew, ranges are settled: such rows are still few, and go, or they are not, and the ranges widen
// for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "art/params.hpp"
#include "art/recognition.hpp"
#include "base/bounds.hpp"
#include "base/rows.hpp"
#include "boxes/categories.hpp"
#include "boxes/far_rows.hpp"
#include "density/category_rows.hpp"
#include "density/read_boxes.hpp"
#include "drift/diary.hpp"
#include "drift/fading.hpp"
#include "drift/heirs.hpp"
#include "drift/succession.hpp"

namespace resonart {

// What is kept of a reading for those who want to know: of the boxes as they were then.
struct ReadingRecord {
    CondensedTree tree;
    std::vector<std::int32_t> label;  // of each cluster of the tree that was selected; else -1
    std::vector<double> weight;       // of each box
    std::vector<Candidate> candidates;
};

// The reading that is kept to until the next choice, where rows are forgotten.
struct KeptReading {
    Candidate candidate;
    double noise = 0.0;      // share of rows in no cluster when it was chosen
    double chosen_at = 0.0;  // by the clock
    bool is_known = false;
    bool is_settled = false;  // a half-life has gone since the first row
};

// Whose clock the times of rows are: that of none yet, of the rows themselves, or the caller's, who
// gives numbers, or dates as seconds since 1970.
enum class ClockKind : std::uint8_t { none, rows, given, dates };

// When the rows of a call came; null: rows are counted.
struct Times {
    const double* at = nullptr;
    bool are_dates = false;

    explicit operator bool() const noexcept { return at != nullptr; }
    double operator[](std::size_t i) const noexcept { return at[i]; }
    ClockKind kind() const noexcept {
        return !at ? ClockKind::rows : are_dates ? ClockKind::dates : ClockKind::given;
    }
};

class DensityArt {
public:
    using Params = DensityArtParams;
    static constexpr bool kMerges = false;
    static constexpr bool kLabelsLater = false;
    static constexpr bool kRereads = true;
    static constexpr bool kCategoryIsCluster = false;

    // A stream is first read after so many rows; before, all of it is cluster 0.
    static constexpr std::int64_t kFirstReading = 32;
    // And never before so many have come since.
    static constexpr std::int64_t kLeastBetween = 8;
    // Far more clusters than there are categories.
    static constexpr std::size_t kMostLabels = std::size_t{1} << 31;

    DensityArt() = default;
    DensityArt(std::size_t n_features, const Params& params)
        : categories_(n_features), rows_(n_features) {
        configure(params);
        categories_.do_without_index();  // nothing is searched while every row is a category
    }

    void configure(const Params& params) {
        if (categories_.size() && params.forgets() != params_.forgets()) {
            throw std::invalid_argument(
                "a model that has learned rows can neither begin nor cease to forget them");
        }
        if (categories_.size() && (params.window > 0.0) != (params_.window > 0.0)) {
            throw std::invalid_argument(
                "a model that has learned rows cannot change between half_life and window");
        }
        params_ = params;
        fading_.configure(params.half_life, params.window);
    }
    const Params& params() const { return params_; }

    const Categories& categories() const { return categories_; }
    const CategoryRows& rows() const { return rows_; }
    // The lots of rows that are categories are below this: their share of the distinct rows.
    double share() const { return share_; }
    double strength(std::size_t j) const { return strength_[j]; }
    double outlier(std::size_t j) const { return outlier_[j]; }
    bool was_read() const { return was_read_; }
    const ReadingRecord* record() const { return record_.get(); }
    // How far apart the two neighbours of a cluster lie that lie farthest apart, feature by feature
    // in the user's units. Behind the last cluster, those of the whole tree.
    const Buffer<double>& reach() const { return reach_; }

    // Whether rows are forgotten; what a category weighs then, and otherwise.
    bool forgets() const { return fading_.is_on(); }
    const Fading& fading() const { return fading_; }
    double weight(std::size_t j) const noexcept {
        return forgets() ? fading_.weight(j) : static_cast<double>(categories_.count(j));
    }
    const Diary& diary() const { return diary_; }
    const Expectations& expected() const { return expected_; }
    const KeptReading& kept() const { return kept_; }
    double read_at() const { return read_at_; }
    double now() const { return clock_->now; }
    double begun_at() const { return clock_->begun_at; }
    ClockKind clock_kind() const { return clock_->kind; }

    // The next row comes at this time, by this clock. Not part of the model until `advance`.
    void expect(double time, ClockKind kind) noexcept {
        next_.now = time;
        next_.kind = kind;
    }
    void advance() noexcept {
        const bool is_first = clock_->kind == ClockKind::none;
        const double begun_at = is_first ? next_.now : clock_->begun_at;
        *clock_ = next_;
        clock_->begun_at = begun_at;
        if (forgets()) fading_.advance(next_.now);
    }

    // Whether clusters are to be read when so many rows have come since the last time, `seen` of
    // them before it, at that time: when as many have come as the last reading saw; where rows are
    // forgotten, sooner.
    bool reading_due(std::int64_t since, std::int64_t seen, double time) const noexcept {
        if (since >= std::max(seen, kFirstReading)) return true;
        return forgets() && was_read_ && since >= kLeastBetween &&
               time - read_at_ >= fading_.step();
    }

    // Clusters that are there, one in each slot. Until the first reading all rows are one.
    std::size_t n_clusters() const {
        return was_read_ ? labels_.size() : std::min<std::size_t>(categories_.size(), 1);
    }
    // The label of the cluster in a slot, of none (kNoLabel), and of the one a category is in.
    std::uint32_t label_in(std::uint32_t slot) const noexcept {
        return slot == kNoLabel || !was_read_ ? slot : labels_[slot];
    }
    std::uint32_t label_of_category(std::size_t j) const noexcept {
        return label_in(categories_.owner(j));
    }
    // The slot of a label; kNoLabel: no cluster has it, or has it any more.
    std::uint32_t slot_of(std::uint32_t label) const noexcept {
        if (!was_read_) return label < n_clusters() ? label : kNoLabel;
        const std::uint32_t* at = std::lower_bound(labels_.begin(), labels_.end(), label);
        return at != labels_.end() && *at == label
                   ? static_cast<std::uint32_t>(at - labels_.begin())
                   : kNoLabel;
    }
    // The next new cluster gets this label.
    std::size_t n_labels() const { return was_read_ ? n_labels_ : n_clusters(); }

    // The least match that takes a row into a cluster.
    double vigilance(std::size_t slot) const {
        if (!was_read_) return 0.0;
        return least_[slot] / static_cast<double>(categories_.n_features());
    }

    // The most active category, and what it and the row have in common, in the ranges as they are.
    struct Seen {
        std::size_t category;
        double overlap;
    };
    struct Told {
        std::uint32_t label;
        double strength, outlier, score;
    };
    struct Workspace : FinderSpace {
        // Of the row at hand, where ranges have widened for it since it was judged.
        std::optional<Told> told;
        Buffer<double> overlap, ratio;      // of categories and clusters, where all are looked at
        Buffer<std::uint32_t> most_active;  // category of each cluster
    };
    void prepare(Workspace& ws) const { ws.finder.prepare(categories_); }
    void do_without_index() noexcept { categories_.do_without_index(); }
    void reserve_one() {
        const std::size_t n = categories_.size() + 1;
        categories_.reserve(n);
        rows_.reserve(n);
        strength_.reserve(n);
        outlier_.reserve(n);
        if (!forgets()) return;
        fading_.reserve(next_.now);
        expected_.embryo.reserve(n);
    }

    // Undo, as journal.hpp says.
    void note_changes() {
        categories_.note_changes();
        rows_.note_changes();
        clock_.note_changes();
        if (forgets()) fading_.note_changes();
    }
    void undo_changes() {
        categories_.undo_changes();
        rows_.undo_changes();
        clock_.undo_changes();
        fading_.undo_changes();
        strength_.shrink(categories_.size());
        outlier_.shrink(categories_.size());
        expected_.embryo.shrink(categories_.size());
    }
    void forget_changes() noexcept {
        categories_.forget_changes();
        rows_.forget_changes();
        clock_.forget_changes();
        fading_.forget_changes();
    }

    // The category that takes a row, or kNone where it founds one, and what that one is then told
    // to be until it is read: what the model says of the row.
    struct Choice {
        std::int64_t category = kNone;
        std::uint32_t slot = 0;
        double strength = 1.0, outlier = 0.0;
        bool is_equal = false;  // the category is this row
    };

    Choice choose(const Sample& x, double, Workspace& ws, double* match = nullptr) const noexcept {
        Choice choice;
        choice.category = rows_.find(x.row);
        choice.is_equal = choice.category != kNone;
        if (!choice.is_equal && is_drawn() && categories_.size() && !(rows_.lot(x.row) < share_)) {
            const Seen seen = see(x, ws);
            if (!is_apart(seen)) choice.category = static_cast<std::int64_t>(seen.category);
        }
        const bool founds = choice.category == kNone;
        if (!founds) choice.slot = categories_.owner(static_cast<std::size_t>(choice.category));
        if (founds && was_read_) choice = {kNone, kNoLabel, 0.0, 1.0};
        if (!categories_.size() || !(match || (founds && was_read_))) return choice;
        const Told told = ws.told ? *ws.told : tell(x, ws);
        if (match) *match = told.score;
        // What was told before room was made may be of a cluster that has died of that.
        const std::uint32_t slot = slot_of(told.label);
        if (founds && was_read_ && (told.label == kNoLabel || slot != kNoLabel)) {
            choice = {kNone, slot, told.strength, told.outlier};
        }
        return choice;
    }

    // What is said of a row; a category that it founds takes it over.
    Told tell(const Sample& x, Workspace& ws) const noexcept { return tell(see(x, ws)); }
    Told tell(const Seen& seen) const noexcept {
        const std::uint32_t slot = slot_of(seen);
        const bool is_beyond = slot == kNoLabel && categories_.owner(seen.category) != kNoLabel;
        return {label_in(slot), is_beyond ? 0.0 : strength_[seen.category], outlier_of(seen),
                score_of(seen)};
    }

    std::uint32_t take(const Sample& x, const Choice& choice) noexcept {
        if (choice.category == kNone) {
            taken_ = static_cast<std::uint32_t>(categories_.size());
            categories_.append(x.x, 1, choice.slot);
            rows_.append(x.row, 1);
            strength_.push(choice.strength);
            outlier_.push(choice.outlier);
            if (forgets()) {
                fading_.append();
                expected_.embryo.push(kUnread);
            }
            return label_in(choice.slot);
        }
        const auto j = static_cast<std::size_t>(choice.category);
        taken_ = static_cast<std::uint32_t>(j);
        if (forgets()) fading_.take(j);
        categories_.add_count(j, 1);
        if (choice.is_equal) rows_.add_repeats(j, 1);
        return label_in(choice.slot);
    }

    std::uint32_t learn(const Sample& x, Workspace& ws, double* match = nullptr) noexcept {
        follow_advice(ws);
        return take(x, choose(x, kAnyMatch, ws, match));
    }
    // Before a sample: what the searches so far have shown.
    void follow_advice(Workspace& ws) noexcept {
        categories_.follow_advice(ws.finder.advice(categories_));
    }
    // The category that took the row last learned, as long as nothing else has happened since.
    std::uint32_t taken() const { return taken_; }

    bool is_full() const { return params_.is_full(categories_.size()); }
    static bool creates(const Choice& choice) { return choice.category == kNone; }

    Seen see(const Sample& x, Workspace& ws) const noexcept {
        const std::int64_t known = find(x);
        if (known != kNone) {
            return {static_cast<std::size_t>(known), static_cast<double>(categories_.n_features())};
        }
        const Best best = ws.finder.best_passing(categories_, x, params_.alpha, -1.0, nullptr);
        const auto j = static_cast<std::size_t>(best.index);
        return {j, overlap_of(x, j, best.overlap)};
    }

    // `match` is what a row is told: 1/2 or more where a cluster takes it, and a third at most
    // elsewhere; in both cases the less, the more of an outlier it is.
    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        const Seen seen = see(x, ws);
        const std::uint32_t slot = slot_of(seen);
        return {label_in(slot), slot != kNoLabel, score_of(seen)};
    }

    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        const Seen seen = see(x, ws);
        return told_label(label_in(nearest ? categories_.owner(seen.category) : slot_of(seen)));
    }

    // Score of each cluster, by slot, as if it were the only one. Needs `prepare_matches`.
    void prepare_matches(Workspace& ws) const {
        ws.overlap.resize_uninitialised(whole_blocks(categories_.size()));
        ws.ratio.resize_uninitialised(n_clusters());
        ws.most_active.resize_uninitialised(n_clusters());
    }
    void matches(const Sample& x, Workspace& ws, double* match) const noexcept {
        ws.finder.add_work(categories_);
        for (std::size_t m = 0; m < n_clusters(); ++m) ws.ratio[m] = -1.0;
        for_each_part(categories_, x, params_.alpha, [&](std::size_t first, const StoreView& part) {
            kernels().overlaps(x.x, part, ws.overlap.data());
            for (std::size_t i = 0; i < part.size; ++i) {
                const std::uint32_t m = categories_.owner(first + i);
                if (m == kNoLabel) continue;
                const double ratio = ws.overlap[i] / (params_.alpha + part.norm[i]);
                if (ratio > ws.ratio[m]) {
                    ws.ratio[m] = ratio;
                    ws.most_active[m] = static_cast<std::uint32_t>(first + i);
                    match[m] = ws.overlap[i];
                }
            }
        });
        for (std::size_t m = 0; m < n_clusters(); ++m) {  // of which each has a category
            const std::size_t j = ws.most_active[m];
            match[m] = score_of({j, x.wider ? overlap_of(x, j, match[m]) : match[m]});
        }
        const std::int64_t known = find(x);
        if (known == kNone) return;
        const auto j = static_cast<std::size_t>(known);
        const std::uint32_t m = categories_.owner(j);
        if (m != kNoLabel) match[m] = score_of({j, static_cast<double>(categories_.n_features())});
    }

    // The ranges are these from now on: what is far apart in them.
    void set_ranges(const Bounds& bounds) noexcept {
        const std::size_t d = categories_.n_features();
        for (std::size_t m = 0; m < least_.size(); ++m) {
            double size = 0.0;
            for (std::size_t f = 0; f < d; ++f) {
                const double range = bounds.high(f) - bounds.low(f);
                if (range > 0.0) size += reach_[m * d + f] / range;
            }
            if (forgets()) size *= kSlack;
            // (Finite, however much wider than the ranges a cluster is said to reach.)
            least_[m] = static_cast<double>(d) * (1.0 - kRounding) - std::min(size, kLargest);
        }
    }

    // Whether a row after `n_rows` others is too far outside the ranges to widen them by itself.
    bool stays_outside(const double* row, const Bounds& bounds,
                       std::int64_t n_rows) const noexcept {
        return minds_far_rows() && static_cast<double>(n_rows) >= kLeastToTell &&
               is_far(row, bounds);
    }

    // Ranges that suit what is there. Rows that are few and far from all others go; then the ranges
    // hold all that is left and what was `given`, and shrink to that if they are more than twice as
    // wide for what has gone. `map` follows where categories go. May fail halfway.
    struct Settled {
        std::int64_t n_gone = 0;  // rows that had gone into what went
        LabelChanges changes;     // of labels whose clusters went, unless they are just forgotten
    };
    Settled settle(Bounds& bounds, const Bounds& given, LabelMap& map) {
        Settled settled;
        if (!minds_far_rows() || categories_.size() == 0) return settled;
        FarRows rows(
            categories_.size(), categories_.n_features(),
            [&](std::size_t j, std::size_t f) { return rows_[j][f]; },
            [&](std::size_t j) { return weight(j); }, given);
        const std::vector<std::uint8_t> far =
            rows.find(params_.cluster_size(rows.total()), [&](std::size_t j) {
                return was_read_ && categories_.owner(j) != kNoLabel && strength_[j] > 0.0;
            });
        if (!far.empty()) {
            const Gone gone = drop([&](std::size_t j) { return far[j] != 0; }, map);
            settled.n_gone = gone.n_rows;
            for (const std::uint32_t label : gone.labels) {
                if (is_told({label, kNoLabel})) settled.changes.add(label, kNoLabel);
            }
        }
        Bounds suited = suitable_ranges(bounds, given, forgets() || settled.n_gone > 0);
        bool is_same = true;
        for (std::size_t f = 0; f < suited.size(); ++f) is_same &= suited.is_same(f, bounds);
        if (is_same) return settled;
        code_anew(suited);
        bounds = std::move(suited);
        return settled;
    }

    // Categories under other ranges: each is its row, coded; all zeros where that lies outside.
    void code_anew(const Bounds& bounds) {
        Buffer<double> coded;
        coded.resize_uninitialised(categories_.width());
        categories_.transform_each([&](std::size_t j) {
            const bool is_inside = bounds.contains(rows_[j]);
            if (is_inside) bounds.code(rows_[j], coded.data());
            return [&, is_inside](std::size_t entry, double) {
                return is_inside ? coded[entry] : 0.0;
            };
        });
        set_ranges(bounds);
    }

    bool same_weights(const DensityArt& other) const {
        return categories_.same_weights(other.categories_);
    }

    // Where each category has gone, and which labels have changed with that.
    struct Thinned {
        LabelMap goes_to;
        LabelChanges labels;
    };

    // Fewer categories, three quarters of what there may be: those with the lowest lots. Ranges are
    // settled first. May fail halfway.
    template <class Poll>
    Thinned thin(Bounds& bounds, const Bounds& given, Poll& poll) {
        const std::size_t most = most_categories();
        const std::size_t enough = most - std::max<std::size_t>(1, most / 4);
        Thinned done{identity(categories_.size()), {}};
        if (forgets()) {
            drop_stale(done.goes_to);
            if (categories_.size() <= enough && !is_full()) return done;
        }
        const LabelChanges gone = settle(bounds, given, done.goes_to).changes;
        const std::vector<std::uint32_t> before = labels_of_categories();
        std::vector<double> weights(before.size());
        for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = weight(j);
        LabelMap joined = identity(before.size());
        draw(enough, joined, poll);
        for (std::uint32_t& j : done.goes_to) j = renamed(j, joined.data());
        // A cluster whose categories have all gone to those of others is a part of these.
        LabelMap now;
        now.resize_uninitialised(before.size());
        for (std::size_t j = 0; j < before.size(); ++j) now[j] = label_of_category(joined[j]);
        LabelChanges joined_now;
        for (const auto& each : where_labels_went(before, now, weights.data())) {
            if (slot_of(each.from) == kNoLabel && is_told(each)) {
                joined_now.add(each.from, each.to);
            }
        }
        done.labels = gone.then(joined_now);
        return done;
    }

    static LabelMap identity(std::size_t n) {
        LabelMap map;
        map.resize_uninitialised(n);
        for (std::size_t j = 0; j < n; ++j) map[j] = static_cast<std::uint32_t>(j);
        return map;
    }

    // Whether nothing is left of what was learned: its clusters have been removed, for instance.
    bool is_all_stale() const noexcept {
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            if (!fading_.is_stale(j)) return false;
        }
        return true;
    }

    // Categories that have lost nearly all their weight go. `map` follows where categories go.
    // Returns how many rows had gone into them.
    std::int64_t drop_stale(LabelMap& map) {
        return drop([&](std::size_t j) { return fading_.is_stale(j); }, map).n_rows;
    }

    // Categories that came together from several models: equal rows become one, and of others those
    // stay whose lots are low enough in every model. Returns where each has gone.
    template <class Poll>
    LabelMap join(Bounds& bounds, const Bounds& given, Poll& poll) {
        LabelMap map = identity(categories_.size());
        settle(bounds, given, map);
        join_equal_rows(map, poll);
        draw(most_categories(), map, poll);
        return map;
    }

    // A row that is to be a category, and how often it is there.
    struct Drawn {
        std::uint64_t hash;
        std::int64_t repeats;
        double rank() const noexcept {
            return DensityArt::rank(CategoryRows::lot(hash), static_cast<double>(repeats));
        }
    };
    // Draws from all rows there are as many as there may be categories. Rows are given by their
    // hashes, in ascending order, and so are those that are drawn.
    std::vector<Drawn> draw_rows(const std::vector<std::uint64_t>& hashes) {
        const auto each_distinct = [&](auto&& see) {
            for (std::size_t i = 0, first = 0; i < hashes.size(); first = i) {
                while (i < hashes.size() && hashes[i] == hashes[first]) ++i;
                see(Drawn{hashes[first], static_cast<std::int64_t>(i - first)});
            }
        };
        std::vector<double> ranks;
        each_distinct([&](const Drawn& each) { ranks.push_back(each.rank()); });
        const double lowest = *std::min_element(ranks.begin(), ranks.end());
        share_ = lowered_share(std::move(ranks), most_categories());
        std::vector<Drawn> drawn;
        each_distinct([&](const Drawn& each) {
            const double rank = each.rank();
            if (rank < share_ || (drawn.empty() && rank == lowest)) drawn.push_back(each);
        });
        if (is_drawn()) categories_.do_with_index();  // in which others are searched for
        return drawn;
    }
    // A category that was drawn from all rows: so many are equal to it. Needs `reserve_one`.
    void found(const Sample& x, std::int64_t repeats) noexcept {
        take(x, {});
        rows_.add_repeats(taken_, repeats - 1);
    }
    // So many rows count for each category.
    void set_counts(const std::vector<std::int64_t>& counts) noexcept {
        for (std::size_t j = 0; j < counts.size(); ++j) {
            categories_.add_count(j, counts[j] - categories_.count(j));
        }
    }

    // Threads that a reading may use: no part of what the model is.
    void set_threads(unsigned n) noexcept { n_threads_ = n ? n : 1; }
    unsigned n_threads() const { return n_threads_; }

    // Reads the clusters anew, under these ranges, when so many rows have come: chosen anew where
    // that is due or, with `kept`, as that candidate was. Returns which labels have changed. May
    // fail halfway.
    template <class Poll>
    LabelChanges read(const Bounds& bounds, std::int64_t n_rows, std::int64_t n_readings,
                      const Candidate* kept, Poll& poll) {
        const std::size_t n = categories_.size(), d = categories_.n_features();
        if (forgets() && 4 * n < most_categories()) share_ = std::min(2.0 * share_, 1.0);
        BoxesNow now = boxes_now();
        std::vector<double> faded(n);
        for (std::size_t j = 0; j < n; ++j) faded[j] = weight(j);
        const std::vector<std::uint32_t> before = labels_of_categories();
        // Until the first half-life has gone, what is read is no more than a beginning.
        const bool is_settled = forgets() && kept_.is_settled;
        Found found =
            is_settled ? read_on(now, before, kept, poll) : read_first(now, before, kept, poll);
        Reading& reading = found.reading;
        auto record = std::make_shared<ReadingRecord>();
        record->weight = std::move(now.weight);

        if (found.n_labels > kMostLabels) {
            throw std::invalid_argument(
                "the model has used 2^31 labels, and cannot count more; train a new one");
        }
        if (!was_read_) categories_.do_with_index();
        categories_.reserve(n);  // and an index, where it pays
        const bool was_read_before = was_read_;
        was_read_ = true;
        labels_ = distinct(found.label.data(), n);
        n_labels_ = found.n_labels;
        for (std::size_t j = 0; j < n; ++j) {
            categories_.set_owner(j, slot_of(found.label[j]));
            strength_[j] = reading.strength[j];
            outlier_[j] = reading.outlier[j];
        }
        Buffer<double> reach;
        reach.assign((n_clusters() + 1) * d, 0.0);
        measure_reach(reading, bounds, n_clusters(), reach);
        read_at_ = clock_->now;
        reach_ = std::move(reach);
        least_.assign(n_clusters() + 1, 0.0);
        set_ranges(bounds);

        std::vector<double> range(d);
        for (std::size_t f = 0; f < d; ++f) range[f] = bounds.high(f) - bounds.low(f);
        if (forgets() && !kept_.is_settled) {
            kept_.is_settled = clock_->now - clock_->begun_at >= fading_.half_life();
            if (!kept_.is_settled) return finish(std::move(record), std::move(found));
        }
        const bool is_first = forgets() ? !is_settled : !was_read_before;
        const std::vector<std::uint32_t> nothing(is_first ? n : 0, kNoLabel);
        diary_.tell(is_first           ? nothing.data()
                    : found.own.size() ? found.own.data()
                                       : before.data(),
                    found.label.data(), faded.data(), rows_.data(), range.data(), n, d,
                    static_cast<double>(n_readings), static_cast<double>(n_rows), clock_->now);
        return finish(std::move(record), std::move(found));
    }

    // The way in which clusters were last read, to be kept to. Sizes that are given follow the rows
    // there are now.
    Candidate last_way() const {
        if (!was_read_ || !record_ || record_->candidates.empty()) {
            throw std::invalid_argument(
                "clusters have not been read yet, so there is no way of reading to be kept; read "
                "them with choose=True first");
        }
        Candidate way = forgets() && kept_.is_known ? kept_.candidate : record_->candidates.front();
        if (way.selection == Selection::automatic) return way;
        const BoxesNow now = boxes_now();
        const ReadingParams asked = params_.reading(now.total);
        const std::int64_t least =
            Counting(now.boxes, now.total, way.of_rows).counted(asked.min_cluster_size, now.total);
        way.min_cluster_size = asked.is_settled() ? least : std::max(way.min_cluster_size, least);
        if (asked.min_samples > 0 && !(way.of_rows > 0.0)) way.min_samples = asked.min_samples;
        return way;
    }

    // The cluster of each category, -1: none, if they were read as a candidate of the last reading.
    template <class Poll>
    std::vector<std::int32_t> clusters_as(std::size_t place, Poll& poll) const {
        const Candidate candidate = candidate_at(place);
        const BoxesNow now = boxes_now();
        ReadingParams asked = reading_of(now);
        asked.kept = &candidate;
        return clusters_of(read_boxes(now.boxes, asked, poll));
    }

    // Clusters become those of a candidate of the last reading, as if it had been the first one: it
    // had been chosen, and nothing read before. Rows must not be forgotten. Returns where labels
    // have gone. May fail halfway.
    template <class Poll>
    LabelChanges read_as(std::size_t place, const Bounds& bounds, std::int64_t n_rows,
                         std::int64_t n_readings, Poll& poll) {
        const Candidate candidate = candidate_at(place);
        std::vector<Candidate> others = record_->candidates;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
        const std::vector<std::uint32_t> before = labels_of_categories();
        was_read_ = false;
        diary_ = Diary();
        for (std::size_t j = 0; j < categories_.size(); ++j) categories_.set_owner(j, 0);
        read(bounds, n_rows, n_readings, &candidate, poll);
        auto record = std::make_shared<ReadingRecord>(*record_);
        record->candidates.insert(record->candidates.end(), others.begin(), others.end());
        LabelMap now;
        now.resize_uninitialised(before.size());
        for (std::size_t j = 0; j < before.size(); ++j) now[j] = label_of_category(j);
        LabelChanges changes = where_labels_went(before, now, record->weight.data());
        record_ = std::move(record);
        return changes;
    }

    // Categories for which goes(j) holds go, and with them the clusters that have no others; the
    // rest keep their labels. Returns the labels that are gone. What was expected of clusters is
    // forgotten. May fail halfway.
    template <class Goes>
    LabelChanges remove(Goes&& goes) {
        std::size_t kept = 0;
        if (forgets()) {
            LabelMap goes_to;
            goes_to.resize_uninitialised(categories_.size());
            std::uint32_t n_kept = 0;
            for (std::size_t j = 0; j < goes_to.size(); ++j) {
                goes_to[j] = goes(j) ? kNoLabel : n_kept++;
            }
            fading_.move(goes_to, n_kept);
            expected_ = Expectations();
            expected_.embryo.assign(n_kept, kNoLabel);
        }
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            if (goes(j)) continue;
            strength_[kept] = strength_[j];
            outlier_[kept++] = outlier_[j];
        }
        strength_.shrink(kept);
        outlier_.shrink(kept);
        rows_.keep_if([&](std::size_t j) { return !goes(j); });
        categories_.keep_if(0, [&](std::size_t j) { return !goes(j); });
        LabelChanges gone;
        for (const std::uint32_t label : drop_empty_slots()) gone.add(label, kNoLabel);
        const auto is_there = [&](std::uint32_t label) { return slot_of(label) != kNoLabel; };
        diary_.keep_if(is_there);
        if (!record_ || !gone.size()) return gone;
        auto record = std::make_shared<ReadingRecord>(*record_);
        for (std::int32_t& label : record->label) {
            if (label >= 0 && !is_there(static_cast<std::uint32_t>(label))) label = -1;
        }
        record_ = std::move(record);
        return gone;
    }

    // The labels among these, ascending.
    static Buffer<std::uint32_t> distinct(const std::uint32_t* labels, std::size_t n) {
        std::vector<std::uint32_t> found;
        for (std::size_t j = 0; j < n; ++j) {
            if (labels[j] != kNoLabel) found.push_back(labels[j]);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        Buffer<std::uint32_t> each;
        each.reserve(found.size());
        each.append(found.data(), found.size());
        return each;
    }

    // What a model is, to be filled in from elsewhere. The owners of categories are labels here;
    // where clusters were read, `reach` has a line for each of these in order, and one for all.
    struct Content {
        Categories categories;
        CategoryRows rows;
        Buffer<double> strength, outlier, reach;
        double share = 1.0;
        std::size_t n_labels = 0;
        bool was_read = false;
        std::shared_ptr<const ReadingRecord> record;
        // Where rows are forgotten, and of the clock.
        Fading fading;
        Expectations expected;
        KeptReading kept;
        double now = 0.0, read_at = 0.0, begun_at = 0.0;
        ClockKind clock_kind = ClockKind::none;
        Diary diary;
    };
    void adopt(Content&& content, const Bounds& bounds) {
        const std::size_t n = content.categories.size();
        Buffer<std::uint32_t> labels;
        Buffer<double> least;
        if (content.was_read) {
            labels = distinct(content.categories.owners(), n);
            least.assign(labels.size() + 1, 0.0);
        } else if (content.share == 1.0) {
            content.categories.do_without_index();
        }
        content.categories.reserve(n);  // and an index, where it pays
        categories_ = std::move(content.categories);
        rows_ = std::move(content.rows);
        strength_ = std::move(content.strength);
        outlier_ = std::move(content.outlier);
        reach_ = std::move(content.reach);
        share_ = content.share;
        n_labels_ = content.n_labels;
        labels_ = std::move(labels);
        was_read_ = content.was_read;
        for (std::size_t j = 0; was_read_ && j < n; ++j) {
            categories_.set_owner(j, slot_of(categories_.owner(j)));
        }
        record_ = std::move(content.record);
        fading_ = std::move(content.fading);
        fading_.configure(params_.half_life, params_.window);
        expected_ = std::move(content.expected);
        kept_ = content.kept;
        read_at_ = content.read_at;
        *clock_ = {content.now, content.clock_kind, content.begun_at};
        next_ = *clock_;
        diary_ = std::move(content.diary);
        least_ = std::move(least);
        set_ranges(bounds);
    }

private:
    static constexpr double kRounding = 1e-12;  // of a match, in which nothing is to be seen
    // Where rows are forgotten few are left to show how far a cluster reaches: it may be twice
    // that.
    static constexpr double kSlack = 2.0;
    // Clusters are kept to if so many rows were read for them, and the more firmly, the more these
    // are than so many.
    static constexpr double kLeastToKeep = 1000.0, kManyToKeep = 10000.0;
    // Readings that follow each other closely look at no more boxes than these.
    static constexpr std::size_t kMostInStream = 1000;
    // A cluster gets a new label if it has this share of all rows, unless sizes are given.
    static constexpr double kLeastNew = 0.02;
    // Half-lives after which a choice is made anew; of one cluster; and how much more than then may
    // be in no cluster.
    static constexpr double kDoubt = 4.0, kDoubtOne = 1.0, kSurprise = 0.2, kSurpriseInOne = 0.1;

    std::size_t most_categories() const { return static_cast<std::size_t>(params_.max_categories); }

    // Categories as a reading sees them.
    struct BoxesNow {
        std::vector<double> weight, lot;
        double total = 0.0;
        Boxes boxes;
    };
    BoxesNow boxes_now() const {
        const std::size_t n = categories_.size();
        BoxesNow now;
        const double scale = forgets() ? fading_.scale() : 1.0;
        now.weight.resize(n);
        for (std::size_t j = 0; j < n; ++j) {
            now.weight[j] = weight(j) * scale;
            now.total += now.weight[j];
        }
        const bool has_lots = is_drawn() || has_repeats();
        if (has_lots) now.lot = ranks();
        now.boxes = {n,       categories_.n_features(),           rows_.data(), now.weight.data(),
                     nullptr, has_lots ? now.lot.data() : nullptr};
        return now;
    }
    // What is asked of a reading of these.
    ReadingParams reading_of(const BoxesNow& now) const {
        ReadingParams asked = params_.reading(now.total);
        if (forgets()) {
            asked.most_boxes = kMostInStream;  // for which threads are not worthwhile
        } else {
            asked.n_threads = n_threads_;
        }
        return asked;
    }
    const Candidate& candidate_at(std::size_t place) const {
        if (!record_ || place >= record_->candidates.size()) {
            throw std::invalid_argument("there is no such candidate in the last reading");
        }
        const Candidate& found = record_->candidates[place];
        // (A file may say anything.)
        const auto d = static_cast<std::int32_t>(categories_.n_features());
        if (found.scaling == Scaling::automatic ||
            (found.scaling == Scaling::pca) != (found.n_components > 0) || found.n_components > d) {
            throw std::invalid_argument("the candidate is not sound");
        }
        return found;
    }

    std::vector<std::uint32_t> labels_of_categories() const {
        std::vector<std::uint32_t> labels(categories_.size());
        for (std::size_t j = 0; j < labels.size(); ++j) labels[j] = label_of_category(j);
        return labels;
    }

    // Whether categories are a sample of the rows, rather than all.
    bool is_drawn() const noexcept { return share_ < 1.0; }

    // The rows that the last reading saw.
    double rows_read() const noexcept {
        double rows = 0.0;
        for (const double w : record_->weight) rows += w;
        return rows;
    }

    // The lower, the sooner a row is drawn: its lot, the lower the more often it came.
    static double rank(double lot, double repeats) noexcept { return lot / repeats; }
    double rank(std::size_t j) const noexcept {
        auto repeats = static_cast<double>(rows_.repeats(j));
        if (forgets()) repeats = std::max(1.0, std::min(repeats, fading_.weight(j)));
        return rank(rows_.lot(rows_[j]), repeats);
    }
    std::vector<double> ranks() const {
        std::vector<double> each(categories_.size());
        for (std::size_t j = 0; j < each.size(); ++j) each[j] = rank(j);
        return each;
    }
    // The share below which so many of these lie. With room for one category alone, that one takes
    // everything.
    double lowered_share(std::vector<double>&& ranks, std::size_t most) const {
        if (ranks.size() <= most) return share_;
        if (most_categories() == 1) return 0.0;
        const auto last = ranks.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(ranks.begin(), last, ranks.end());
        return std::min(share_, *last);
    }
    // Whether some categories came more often than others.
    bool has_repeats() const noexcept {
        for (std::size_t j = 1; j < categories_.size(); ++j) {
            if (rows_.repeats(j) != rows_.repeats(0)) return true;
        }
        return false;
    }

    // Whether rows can be far: not where one category takes everything.
    bool minds_far_rows() const noexcept {
        return params_.out_of_bounds == OutOfBounds::expand && share_ > 0.0;
    }

    // Whether a row has too little to do with its most active category to count for it.
    bool is_apart(const Seen& seen) const noexcept {
        if (!(share_ > 0.0)) return false;
        const std::uint32_t slot = categories_.owner(seen.category);
        return !(seen.overlap > 0.0) ||
               (was_read_ && seen.overlap < least_[slot == kNoLabel ? n_clusters() : slot]);
    }

    // Ranges that hold all categories, and what was given.
    Bounds suitable_ranges(const Bounds& bounds, const Bounds& given, bool may_shrink) const {
        const std::size_t d = categories_.n_features();
        std::vector<double> low(d), high(d);
        for (std::size_t f = 0; f < d; ++f) {
            double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
            if (given.known()) {
                lowest = given.low(f);
                highest = given.high(f);
            }
            for (std::size_t j = 0; j < categories_.size(); ++j) {
                lowest = std::min(lowest, rows_[j][f]);
                highest = std::max(highest, rows_[j][f]);
            }
            low[f] = std::min(lowest, bounds.low(f));
            high[f] = std::max(highest, bounds.high(f));
            if (may_shrink && high[f] / 2.0 - low[f] / 2.0 > highest - lowest) {
                low[f] = lowest;
                high[f] = highest;
            }
        }
        Bounds suited;
        suited.set(low.data(), high.data(), d);
        return suited;
    }

    // What has gone: rows, and labels whose clusters have no category left.
    struct Gone {
        std::int64_t n_rows = 0;
        std::vector<std::uint32_t> labels;
    };
    // Categories for which goes(j) holds go. `map` follows where categories go.
    template <class Goes>
    Gone drop(Goes&& goes, LabelMap& map) {
        const std::size_t n = categories_.size();
        LabelMap goes_to;
        goes_to.resize_uninitialised(n);
        std::int64_t n_rows = 0;
        std::uint32_t n_kept = 0;
        for (std::size_t j = 0; j < n; ++j) {
            const bool goes_now = goes(j);
            goes_to[j] = goes_now ? kNoLabel : n_kept++;
            if (goes_now) n_rows += categories_.count(j);
        }
        if (n_kept == n) return {};
        if (forgets()) fading_.move(goes_to, n_kept);
        const auto keep = [&](std::size_t j) { return goes_to[j] != kNoLabel; };
        for (std::size_t j = 0; j < n; ++j) {
            if (!keep(j)) continue;
            strength_[goes_to[j]] = strength_[j];
            outlier_[goes_to[j]] = outlier_[j];
            if (forgets()) expected_.embryo[goes_to[j]] = expected_.embryo[j];
        }
        strength_.shrink(n_kept);
        outlier_.shrink(n_kept);
        if (forgets()) expected_.embryo.shrink(n_kept);
        rows_.keep_if(keep);
        categories_.keep_if(0, keep);
        for (std::uint32_t& j : map) j = renamed(j, goes_to.data());
        return {n_rows, drop_empty_slots()};
    }

    // What a reading comes to: the label of each category, and old label to new.
    struct Found {
        Reading reading;
        Buffer<std::uint32_t> label;
        std::size_t n_labels = 0;
        LabelChanges changes;
        std::vector<std::uint32_t> own;  // labels before, without noise that was attached
    };

    LabelChanges finish(std::shared_ptr<ReadingRecord>&& record, Found&& found) {
        record->label = labels_in_tree(found.reading.tree);
        record->tree = std::move(found.reading.tree);
        record->candidates = std::move(found.reading.candidates);
        record_ = std::move(record);
        return std::move(found.changes);
    }

    const std::vector<std::int32_t>& clusters_of(const Reading& reading) const {
        return params_.noise == Noise::attach ? reading.nearest : reading.cluster;
    }

    // All clusters as they are seen. Those that many rows were read for are kept to, unless others
    // are clearly better.
    template <class Poll>
    Found read_first(BoxesNow& seen, const std::vector<std::uint32_t>& before,
                     const Candidate* kept, Poll& poll) {
        ReadingParams asked = reading_of(seen);
        asked.kept = kept;
        std::vector<std::int32_t> owners;
        if (was_read_ && !forgets() && record_ && rows_read() >= kLeastToKeep) {
            for (std::size_t j = 0; j < seen.boxes.size; ++j) {
                owners.push_back(static_cast<std::int32_t>(told_label(categories_.owner(j))));
            }
            seen.boxes.before = owners.data();
            const double firmness = 1.0 + std::log10(rows_read() / kManyToKeep);
            asked.loyalty *= std::min(std::max(firmness, 1.0), 2.0);
        }
        Found found;
        found.reading = read_boxes(seen.boxes, asked, poll);
        const std::size_t n = seen.boxes.size;
        const std::vector<std::int32_t>& now = clusters_of(found.reading);
        Heirs heirs = inherit_labels(
            before.data(), now.data(), [&](std::size_t j) { return categories_.count(j); }, n,
            n_labels(), found.reading.n_clusters, !was_read_);
        found.label.resize_uninitialised(n);
        for (std::size_t j = 0; j < n; ++j) {
            found.label[j] = now[j] < 0 ? kNoLabel : heirs.label[static_cast<std::size_t>(now[j])];
        }
        found.n_labels = heirs.n_labels;
        found.changes = std::move(heirs.changes);
        if (forgets()) {
            if (!kept) keep_reading(found.reading);
            expected_.embryo.assign(n, kNoLabel);
        }
        return found;
    }

    // The next of many readings: chosen anew now and then, and before a change is believed; with
    // `kept`, never.
    template <class Poll>
    Found read_on(const BoxesNow& seen, const std::vector<std::uint32_t>& before,
                  const Candidate* kept, Poll& poll) {
        Boxes boxes = seen.boxes;
        const double total = seen.total;
        const std::size_t n = boxes.size;
        // Rows of noise that are attached to a cluster are nobody's, and so are those that no
        // reading has seen: they may become one.
        const bool attaches = params_.noise == Noise::attach;
        std::vector<std::uint32_t> inside(before), own(before);
        std::vector<std::int32_t> labels(n);
        double unlabelled = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            labels[j] = static_cast<std::int32_t>(told_label(categories_.owner(j)));
            if (!(strength_[j] > 0.0)) inside[j] = kNoLabel;
            own[j] = expected_.embryo[j] == kUnread ? kNoLabel : inside[j];
            if ((attaches ? inside : before)[j] == kNoLabel) unlabelled += boxes.weight[j];
        }
        boxes.before = labels.data();
        ReadingParams asked = reading_of(seen);
        const bool is_choice = params_.leaves_choice();
        bool is_chosen = !kept && (!is_choice || choice_due(unlabelled / total));
        if (!is_chosen) asked.kept = kept ? kept : &kept_.candidate;
        Found found;
        found.reading = read_boxes(boxes, asked, poll);
        const auto follow = [&] {
            const Reading& reading = found.reading;
            return succeed(own.data(), inside.data(), reading.cluster.data(), boxes.weight, n,
                           n_labels(), reading.n_clusters, is_choice ? kLeastNew * total : 0.0,
                           taken_from_afar(inside.data(), reading.cluster.data(), boxes.weight,
                                           boxes.mean, n, boxes.n_features, reading.n_clusters),
                           expected_);
        };
        Succession next = follow();
        // (What was kept to may fit no longer: rows that scale the features are forgotten, too.)
        // Nor may it have as many clusters as are wanted.
        if (!is_chosen && !kept &&
            (next.is_believed || is_surprise(found.reading.candidates[0].noise) ||
             joins_more(found.reading.candidates[0]) ||
             asked.clusters_off(found.reading.n_clusters) > 0)) {
            asked.kept = nullptr;
            is_chosen = true;
            found.reading = read_boxes(boxes, asked, poll);
            next = follow();
        }
        // Nor do rows of a cluster that is yet to be born belong to what they are attached to.
        for (std::size_t j = 0; j < n; ++j) {
            if (next.label[j] == kNoLabel) found.reading.strength[j] = 0.0;
        }
        if (attaches) attach(next, found.reading, before);
        found.own = std::move(own);
        if (is_chosen) keep_reading(found.reading);
        for (const auto& each : where_labels_went(before, next.label, boxes.weight)) {
            if (is_told(each)) found.changes.add(each.from, each.to);
        }
        found.label = std::move(next.label);
        found.n_labels = next.n_labels;
        expected_ = std::move(next.expected);
        return found;
    }

    // What has no label gets that of the nearest cluster; where that has none yet, it keeps its
    // own.
    static void attach(Succession& next, const Reading& reading,
                       const std::vector<std::uint32_t>& before) noexcept {
        for (std::size_t j = 0; j < before.size(); ++j) {
            if (next.label[j] != kNoLabel) continue;
            const std::int32_t c = reading.nearest[j];
            const std::uint32_t near =
                c < 0 ? kNoLabel : next.of_cluster[static_cast<std::size_t>(c)];
            next.label[j] = near == kNoLabel ? before[j] : near;
        }
    }

    // Whether a reading is to be chosen anew: now and then, and where much is in no cluster that
    // was when it was chosen. One cluster alone is doubted sooner.
    bool choice_due(double unlabelled) const noexcept {
        const double age = clock_->now - kept_.chosen_at, life = fading_.half_life();
        return !kept_.is_known || age >= (is_one() ? kDoubtOne : kDoubt) * life ||
               is_surprise(unlabelled);
    }
    bool is_one() const noexcept { return kept_.candidate.selection == Selection::automatic; }
    // Whether this share of the rows in no cluster is much more than when the reading was chosen.
    bool is_surprise(double noise) const noexcept {
        return noise >= kept_.noise + (is_one() ? kSurpriseInOne : kSurprise);
    }

    // Whether a cut at the height that was chosen joins what it kept apart then: clusters came
    // between others.
    bool joins_more(const Candidate& now) const noexcept {
        return kept_.candidate.selection == Selection::cut &&
               now.n_clusters < kept_.candidate.n_clusters;
    }

    void keep_reading(const Reading& reading) {
        kept_.candidate = reading.candidates[0];
        kept_.noise = kept_.candidate.noise;
        kept_.chosen_at = clock_->now;
        kept_.is_known = true;
    }

    // Of each label, the one that most of its weight has now, where that is another.
    static LabelChanges where_labels_went(const std::vector<std::uint32_t>& before,
                                          const Buffer<std::uint32_t>& now, const double* weight) {
        struct Went {
            std::uint32_t from, to;
            double weight;
        };
        std::vector<Went> went;
        for (std::size_t j = 0; j < before.size(); ++j) {
            if (before[j] != kNoLabel) went.push_back({before[j], now[j], weight[j]});
        }
        std::stable_sort(went.begin(), went.end(), [](const Went& a, const Went& b) {
            return a.from != b.from ? a.from < b.from : a.to < b.to;
        });
        LabelChanges changes;
        for (std::size_t i = 0; i < went.size();) {
            const std::uint32_t from = went[i].from;
            std::uint32_t best = kNoLabel;
            double most = 0.0;
            while (i < went.size() && went[i].from == from) {
                const std::uint32_t to = went[i].to;
                double sum = 0.0;
                for (; i < went.size() && went[i].from == from && went[i].to == to; ++i) {
                    sum += went[i].weight;
                }
                if (sum > most) {
                    most = sum;
                    best = to;
                }
            }
            if (best != from) changes.add(from, best);
        }
        return changes;
    }

    // What is left of a cluster that ends in noise says nothing of its rows that were forgotten:
    // these keep the label.
    bool is_told(const LabelChanges::Change& change) const noexcept {
        return !forgets() || change.to != kNoLabel;
    }

    std::int64_t find(const Sample& x) const noexcept {
        return x.wider ? kNone : rows_.find(x.row);
    }
    double overlap_of(const Sample& x, std::size_t j, double overlap) const noexcept {
        return x.wider ? x.wider->overlap_before(categories_, j, x.row) : overlap;
    }

    std::uint32_t slot_of(const Seen& seen) const noexcept {
        const std::uint32_t slot = categories_.owner(seen.category);
        if (!was_read_ || slot == kNoLabel) return slot;
        return seen.overlap >= least_[slot] ? slot : kNoLabel;
    }

    // How far a row lies from its category.
    double distance_of(const Seen& seen) const noexcept {
        const double far = static_cast<double>(categories_.n_features()) - seen.overlap;
        return far > 0.0 ? far : 0.0;
    }

    // The outlier score that a row has where it lies: that of its category, whose odds grow by 1 on
    // the way to where the cluster's vigilance is reached.
    double outlier_of(const Seen& seen) const noexcept {
        const double there = outlier_[seen.category], rest = 1.0 - there;
        if (!was_read_ || rest == 0.0) return there;
        const std::uint32_t slot = categories_.owner(seen.category);
        const double reach = static_cast<double>(categories_.n_features()) -
                             least_[slot == kNoLabel ? n_clusters() : slot];
        return there + rest * (1.0 - 1.0 / (1.0 + rest * (distance_of(seen) / reach)));
    }

    double score_of(const Seen& seen) const noexcept {
        if (!was_read_) {
            const auto d = static_cast<double>(categories_.n_features());
            return 1.0 / (1.0 + distance_of(seen) / d);
        }
        const double normality = 1.0 - outlier_of(seen);
        if (slot_of(seen) != kNoLabel) return 0.5 + normality / 2.0;
        return normality / (1.0 + 2.0 * normality);
    }

    // Draws so many categories by lot, or fewer: of each cluster that was read one at least stays.
    // The others give their rows to the category nearest to them. `map` follows where categories
    // go.
    template <class Poll>
    void draw(std::size_t most, LabelMap& map, Poll& poll) {
        const std::vector<double> lots = ranks();
        share_ = lowered_share(std::vector<double>(lots), most);
        const std::vector<std::uint8_t> stays = who_stays(lots);
        std::vector<std::size_t> chosen;
        LabelMap goes_to;
        goes_to.assign(lots.size(), kNoLabel);
        for (std::size_t j = 0; j < lots.size(); ++j) {
            if (!stays[j]) continue;
            goes_to[j] = static_cast<std::uint32_t>(chosen.size());
            chosen.push_back(j);
        }
        if (chosen.size() < lots.size()) regroup(chosen, goes_to, map, poll);
    }

    // Equal rows become one, which is what the heaviest of them was, of equally heavy ones the
    // first.
    template <class Poll>
    void join_equal_rows(LabelMap& map, Poll& poll) {
        const std::size_t n = categories_.size();
        CategoryRows rows(categories_.n_features());
        std::vector<std::size_t> chosen;
        LabelMap goes_to;
        goes_to.resize_uninitialised(n);
        for (std::size_t j = 0; j < n; ++j) {
            const std::int64_t equal = rows.find(rows_[j]);
            const auto to = equal == kNone ? chosen.size() : static_cast<std::size_t>(equal);
            goes_to[j] = static_cast<std::uint32_t>(to);
            if (equal == kNone) {
                rows.reserve(to + 1);
                rows.append(rows_[j], 1);
                chosen.push_back(j);
            } else if (weight(j) > weight(chosen[to])) {
                chosen[to] = j;
            }
        }
        if (chosen.size() < n) regroup(chosen, goes_to, map, poll);
    }

    // These categories stay, in this order. All give their rows to the one that `goes_to` names:
    // its place among those that stay, or none, which means the nearest.
    template <class Poll>
    void regroup(const std::vector<std::size_t>& stay, LabelMap& goes_to, LabelMap& map,
                 Poll& poll) {
        const std::size_t n = categories_.size(), d = categories_.n_features();
        Categories fresh(d);  // with an index, where it pays: from now on rows are searched for
        CategoryRows rows(d);
        Buffer<double> strength, outlier, weight;
        Buffer<float> rough;
        Buffer<std::uint32_t> embryo;
        fresh.reserve(stay.size());
        rows.reserve(stay.size());
        for (Buffer<double>* each : {&strength, &outlier}) each->reserve(stay.size());
        embryo.reserve(stay.size());
        weight.resize_uninitialised(2 * d);
        rough.resize_uninitialised(2 * d);
        for (const std::size_t j : stay) {
            categories_.copy_weight(j, weight.data());
            fresh.append(weight.data(), 0, categories_.owner(j));
            rows.append(rows_[j], 0);
            strength.push(strength_[j]);
            outlier.push(outlier_[j]);
            if (forgets()) embryo.push(expected_.embryo[j]);
        }
        Finder finder;
        for (std::size_t j = 0; j < n; ++j) {
            if (goes_to[j] == kNoLabel) {
                fresh.follow_advice(finder.advice(fresh));
                finder.prepare(fresh);
                categories_.copy_weight(j, weight.data());
                for (std::size_t f = 0; f < 2 * d; ++f) rough[f] = static_cast<float>(weight[f]);
                const Sample v = {weight.data(), rough.data()};
                goes_to[j] = static_cast<std::uint32_t>(
                    finder.best_passing(fresh, v, params_.alpha, -1.0, nullptr).index);
            }
            const std::size_t to = goes_to[j];
            fresh.add_count(to, categories_.count(j));
            if (rows.equals(to, rows_[j])) rows.add_repeats(to, rows_.repeats(j));
            poll.work(finder.take_work() + 4 * d);
        }
        if (forgets()) fading_.move(goes_to, fresh.size());
        for (std::uint32_t& j : map) j = renamed(j, goes_to.data());
        expected_.embryo = std::move(embryo);
        categories_ = std::move(fresh);
        rows_ = std::move(rows);
        strength_ = std::move(strength);
        outlier_ = std::move(outlier);
        drop_empty_slots();
    }

    // The categories whose lots are below the share. All together keep the one with the lowest lot,
    // where none is; and so does each cluster, as long as an eighth of the places stays free.
    std::vector<std::uint8_t> who_stays(const std::vector<double>& lot) const {
        constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
        const std::size_t n = lot.size();
        const std::size_t room =
            most_categories() - std::max<std::size_t>(1, most_categories() / 8);
        std::vector<std::uint8_t> stays(n, 0);
        std::vector<std::size_t> first(was_read_ ? n_clusters() : 1, kAny);
        std::size_t n_stay = 0;
        for (std::size_t j = 0; j < n; ++j) {
            stays[j] = lot[j] < share_;
            n_stay += stays[j];
            const std::uint32_t slot = was_read_ ? categories_.owner(j) : 0;
            if (slot == kNoLabel) continue;
            if (first[slot] == kAny || lot[j] < lot[first[slot]]) first[slot] = j;
        }
        std::size_t lowest = 0;
        for (std::size_t j = 1; j < n; ++j) {
            if (lot[j] < lot[lowest]) lowest = j;
        }
        if (n_stay == 0) n_stay = stays[lowest] = 1;
        for (const std::size_t j : first) {
            if (j == kAny || stays[j] || n_stay >= room) continue;
            stays[j] = 1;
            ++n_stay;
        }
        return stays;
    }

    // Clusters without a category are gone, and the others close up. Returns their labels.
    std::vector<std::uint32_t> drop_empty_slots() {
        std::vector<std::uint32_t> gone;
        if (!was_read_) return gone;
        const std::size_t n = n_clusters(), d = categories_.n_features();
        LabelMap moves_to;
        moves_to.assign(n, kNoLabel);
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            if (categories_.owner(j) != kNoLabel) moves_to[categories_.owner(j)] = 0;
        }
        std::uint32_t kept = 0;
        for (std::size_t m = 0; m <= n; ++m) {  // the last is all
            if (m < n && moves_to[m] == kNoLabel) {
                gone.push_back(labels_[m]);
                continue;
            }
            if (m < n) {
                labels_[kept] = labels_[m];
                moves_to[m] = kept;
            }
            least_[kept] = least_[m];
            std::copy_n(reach_.data() + m * d, d, reach_.data() + kept * d);
            ++kept;
        }
        labels_.shrink(n - gone.size());
        least_.shrink(kept);
        reach_.shrink(kept * d);
        if (!gone.empty()) categories_.renumber_owners(moves_to);
        return gone;
    }

    // How far apart two categories lie in a feature, in the user's units; and in all of them
    // together, in shares of the ranges.
    double gap(std::size_t i, std::size_t j, std::size_t f) const noexcept {
        return std::fabs(rows_[i][f] - rows_[j][f]);
    }
    double distance(std::size_t i, std::size_t j, const Bounds& bounds) const noexcept {
        double sum = 0.0;
        for (std::size_t f = 0; f < bounds.size(); ++f) {
            const double range = bounds.high(f) - bounds.low(f);
            if (range > 0.0) sum += gap(i, j, f) / range;
        }
        return sum;
    }

    // Two neighbours: of those that were offered the farthest, or nearest; of equal ones the first.
    struct Pair {
        std::size_t i = 0, j = 0;
        double distance = -1.0;  // none
        void offer(std::size_t a, std::size_t b, double apart, bool farthest) noexcept {
            if (distance >= 0.0 && !(farthest ? apart > distance : apart < distance)) return;
            i = a;
            j = b;
            distance = apart;
        }
    };

    // The clusters by which it is measured how far clusters reach. Where rows are forgotten, noise
    // that is attached to a cluster has none, unless the cluster has nothing else: what comes
    // between the cluster and its noise may be another's, and is not to be taken for a part of it.
    std::vector<std::uint32_t> measured_owners(std::size_t n_clusters) const {
        const std::size_t n = categories_.size();
        std::vector<std::uint32_t> owner(categories_.owners(), categories_.owners() + n);
        if (!forgets() || params_.noise != Noise::attach) return owner;
        std::vector<std::uint8_t> has_own(n_clusters, 0);
        for (std::size_t j = 0; j < n; ++j) {
            if (owner[j] != kNoLabel && strength_[j] > 0.0) has_own[owner[j]] = 1;
        }
        for (std::size_t j = 0; j < n; ++j) {
            if (owner[j] != kNoLabel && has_own[owner[j]] && !(strength_[j] > 0.0)) {
                owner[j] = kNoLabel;
            }
        }
        return owner;
    }

    // Fills in how far apart neighbours in the spanning tree lie, cluster by cluster, after the
    // categories have their labels. A cluster of one category reaches half as far as its nearest
    // neighbour is.
    void measure_reach(const Reading& reading, const Bounds& bounds, std::size_t n_clusters,
                       Buffer<double>& reach) const {
        const std::size_t d = categories_.n_features();
        std::vector<Pair> inner(n_clusters + 1), outer(n_clusters);
        const std::vector<std::uint32_t> owner = measured_owners(n_clusters);
        for (std::size_t e = 0; e < reading.edge_from.size(); ++e) {
            const std::size_t i = reading.edge_from[e], j = reading.edge_to[e];
            const double apart = distance(i, j, bounds);
            const std::uint32_t a = owner[i], b = owner[j];
            inner[n_clusters].offer(i, j, apart, true);
            if (a == b && a != kNoLabel) inner[a].offer(i, j, apart, true);
            if (a != b && a != kNoLabel) outer[a].offer(i, j, apart, false);
            if (a != b && b != kNoLabel) outer[b].offer(i, j, apart, false);
        }
        for (std::size_t m = 0; m <= n_clusters; ++m) {
            const bool is_alone = m < n_clusters && inner[m].distance < 0.0;
            const Pair& found = is_alone ? outer[m] : inner[m];
            if (found.distance < 0.0) continue;
            for (std::size_t f = 0; f < d; ++f) {
                reach[m * d + f] = gap(found.i, found.j, f) / (is_alone ? 2.0 : 1.0);
            }
        }
    }

    // The label of each cluster of the tree that was selected: that of a box below it.
    std::vector<std::int32_t> labels_in_tree(const CondensedTree& tree) const {
        std::vector<std::int32_t> label(tree.parent.size(), -1);
        for (std::size_t j = 0; j < tree.cluster.size(); ++j) {
            const std::uint32_t mine = label_of_category(j);
            if (mine == kNoLabel) continue;
            for (std::int32_t c = tree.cluster[j]; c >= 0;
                 c = tree.parent[static_cast<std::size_t>(c)]) {
                const auto at = static_cast<std::size_t>(c);
                if (label[at] >= 0) break;
                if (!tree.selected[at]) continue;
                label[at] = static_cast<std::int32_t>(mine);
                break;
            }
        }
        return label;
    }

    Categories categories_;
    CategoryRows rows_;
    Buffer<double> strength_, outlier_;
    double share_ = 1.0;  // 0: the one category takes everything
    bool was_read_ = false;
    // Of the clusters as they were read, which are the owners of categories: 0, 1, ... in order of
    // their labels, and each with a category.
    Buffer<std::uint32_t> labels_;
    std::size_t n_labels_ = 0;  // used so far
    Buffer<double> reach_;      // of clusters, then of all
    Buffer<double> least_;      // the least overlap of a row with a cluster; the last, of all
    std::shared_ptr<const ReadingRecord> record_;
    struct Clock {
        double now = 0.0;  // when the last row came
        ClockKind kind = ClockKind::none;
        double begun_at = 0.0;  // when the first came
    };
    Undoable<Clock> clock_;
    Clock next_;  // of the row that is about to come
    Fading fading_;
    Expectations expected_;
    KeptReading kept_;
    double read_at_ = 0.0;  // when clusters were last read
    Diary diary_;
    std::uint32_t taken_ = 0;
    unsigned n_threads_ = 1;
    Params params_;
};

}  // namespace resonart
