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
// again, ranges are settled: such rows are still few, and go, or they are not, and the ranges widen
// for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "art/params.hpp"
#include "art/recognition.hpp"
#include "base/bounds.hpp"
#include "base/poll.hpp"
#include "base/rows.hpp"
#include "base/times.hpp"
#include "boxes/categories.hpp"
#include "density/category_rows.hpp"
#include "density/reading.hpp"
#include "drift/diary.hpp"
#include "drift/fading.hpp"
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

    void configure(const Params& params);
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
    struct Verdict {
        std::uint32_t label;
        double strength, outlier, score;
    };
    struct Workspace : FinderSpace {
        // Of the row at hand, where ranges have widened for it since it was judged.
        std::optional<Verdict> verdict;
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
    void undo_changes();
    void forget_changes() noexcept {
        categories_.forget_changes();
        rows_.forget_changes();
        clock_.forget_changes();
        fading_.forget_changes();
    }

    // The category that takes a row, or kNone where it founds one, and what that one is then said
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
        const Verdict verdict = ws.verdict ? *ws.verdict : judge(x, ws);
        if (match) *match = verdict.score;
        // What was said before room was made may be of a cluster that has died of that.
        const std::uint32_t slot = slot_of(verdict.label);
        if (founds && was_read_ && (verdict.label == kNoLabel || slot != kNoLabel)) {
            choice = {kNone, slot, verdict.strength, verdict.outlier};
        }
        return choice;
    }

    // What is said of a row; a category that it founds takes it over.
    Verdict judge(const Sample& x, Workspace& ws) const noexcept { return judge(see(x, ws)); }
    Verdict judge(const Seen& seen) const noexcept {
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

    // `match` is what is said of a row: 1/2 or more where a cluster takes it, and a third at most
    // elsewhere; in both cases the less, the more of an outlier it is.
    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        const Seen seen = see(x, ws);
        const std::uint32_t slot = slot_of(seen);
        return {label_in(slot), slot != kNoLabel, score_of(seen)};
    }

    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        const Seen seen = see(x, ws);
        return shown_label(label_in(nearest ? categories_.owner(seen.category) : slot_of(seen)));
    }

    // Score of each cluster, by slot, as if it were the only one. Needs `prepare_matches`.
    void prepare_matches(Workspace& ws) const {
        ws.overlap.resize_uninitialised(whole_blocks(categories_.size()));
        ws.ratio.resize_uninitialised(n_clusters());
        ws.most_active.resize_uninitialised(n_clusters());
    }
    void matches(const Sample& x, Workspace& ws, double* match) const noexcept;

    // The ranges are these from now on: what is far apart in them.
    void set_ranges(const Bounds& bounds) noexcept;

    // Whether a row after `n_rows` others is too far outside the ranges to widen them by itself.
    bool stays_outside(const double* row, const Bounds& bounds, std::int64_t n_rows) const noexcept;

    // Ranges that suit what is there. Rows that are few and far from all others go; then the ranges
    // hold all that is left and what was `given`, and shrink to that if they are more than twice as
    // wide for what has gone. `map` follows where categories go. May fail halfway.
    struct Settled {
        std::int64_t n_gone = 0;  // rows that had gone into what went
        LabelChanges changes;     // of labels whose clusters went, unless they are just forgotten
    };
    Settled settle(Bounds& bounds, const Bounds& given, LabelMap& map);

    // Categories under other ranges: each is its row, coded; all zeros where that lies outside.
    void recode(const Bounds& bounds);

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
    Thinned thin(Bounds& bounds, const Bounds& given, Poll& poll);

    static LabelMap identity(std::size_t n);

    // Whether nothing is left of what was learned: its clusters have been removed, for instance.
    bool is_all_stale() const noexcept;

    // Categories that have lost nearly all their weight go. `map` follows where categories go.
    // Returns how many rows had gone into them.
    std::int64_t drop_stale(LabelMap& map);

    // Categories that came together from several models: equal rows become one, and of others those
    // stay whose lots are low enough in every model. Returns where each has gone.
    LabelMap join(Bounds& bounds, const Bounds& given, Poll& poll);

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
    std::vector<Drawn> draw_rows(const std::vector<std::uint64_t>& hashes);
    // A category that was drawn from all rows: so many are equal to it. Needs `reserve_one`.
    void found(const Sample& x, std::int64_t repeats) noexcept {
        take(x, {});
        rows_.add_repeats(taken_, repeats - 1);
    }
    // So many rows count for each category.
    void set_counts(const std::vector<std::int64_t>& counts) noexcept;

    // Threads that a reading may use: no part of what the model is.
    void set_threads(unsigned n) noexcept { n_threads_ = n ? n : 1; }
    unsigned n_threads() const { return n_threads_; }

    // Reads the clusters again, under these ranges, when so many rows have come: chosen again where
    // that is due or, with `kept`, as that candidate was. Returns which labels have changed. May
    // fail halfway.
    LabelChanges read(const Bounds& bounds, std::int64_t n_rows, std::int64_t n_readings,
                      const Candidate* kept, Poll& poll);

    // The way in which clusters were last read, to be kept to. Sizes that are given follow the rows
    // there are now.
    Candidate last_way() const;

    // The cluster of each category, -1: none, if they were read as a candidate of the last reading.
    std::vector<std::int32_t> clusters_as(std::size_t place, Poll& poll) const;

    // Clusters become those of a candidate of the last reading, as if it had been the first one: it
    // had been chosen, and nothing read before. Rows must not be forgotten. Returns where labels
    // have gone. May fail halfway.
    LabelChanges read_as(std::size_t place, const Bounds& bounds, std::int64_t n_rows,
                         std::int64_t n_readings, Poll& poll);

    // Marked categories go, and with them the clusters that have no others; the rest keep their
    // labels. Returns the labels that are gone. What was expected of clusters is forgotten. May
    // fail halfway.
    LabelChanges remove(const std::vector<std::uint8_t>& goes);

    // The labels among these, ascending.
    static Buffer<std::uint32_t> distinct(const std::uint32_t* labels, std::size_t n);

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
    void adopt(Content&& content, const Bounds& bounds);

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
    // Half-lives after which a choice is made again; of one cluster; and how much more than then
    // may be in no cluster.
    static constexpr double kDoubt = 4.0, kDoubtOne = 1.0, kSurprise = 0.2, kSurpriseInOne = 0.1;

    std::size_t most_categories() const { return static_cast<std::size_t>(params_.max_categories); }

    // Categories as a reading sees them.
    struct BoxesNow {
        std::vector<double> weight, lot;
        double total = 0.0;
        Boxes boxes;
    };
    BoxesNow boxes_now() const;
    // What is asked of a reading of these.
    ReadingParams reading_of(const BoxesNow& now) const;
    const Candidate& candidate_at(std::size_t place) const;

    std::vector<std::uint32_t> labels_of_categories() const;

    // Whether categories are a sample of the rows, rather than all.
    bool is_drawn() const noexcept { return share_ < 1.0; }

    // The rows that the last reading saw.
    double rows_read() const noexcept;

    // The lower, the sooner a row is drawn: its lot, the lower the more often it came.
    static double rank(double lot, double repeats) noexcept { return lot / repeats; }
    double rank(std::size_t j) const noexcept {
        auto repeats = static_cast<double>(rows_.repeats(j));
        if (forgets()) repeats = std::max(1.0, std::min(repeats, fading_.weight(j)));
        return rank(rows_.lot(rows_[j]), repeats);
    }
    std::vector<double> ranks() const;
    // The share below which so many of these lie. With room for one category alone, that one takes
    // everything.
    double lowered_share(std::vector<double>&& ranks, std::size_t most) const;
    // Whether some categories came more often than others.
    bool has_repeats() const noexcept;

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
    Bounds suitable_ranges(const Bounds& bounds, const Bounds& given, bool may_shrink) const;

    // What has gone: rows, and labels whose clusters have no category left.
    struct Gone {
        std::int64_t n_rows = 0;
        std::vector<std::uint32_t> labels;
    };
    // Marked categories go. `map` follows where categories go.
    Gone drop(const std::vector<std::uint8_t>& goes, LabelMap& map);

    // What a reading comes to: the label of each category, and old label to new.
    struct Found {
        Reading reading;
        Buffer<std::uint32_t> label;
        std::size_t n_labels = 0;
        LabelChanges changes;
        std::vector<std::uint32_t> own;  // labels before, without noise that was attached
    };

    LabelChanges finish(std::shared_ptr<ReadingRecord>&& record, Found&& found);

    const std::vector<std::int32_t>& clusters_of(const Reading& reading) const {
        return params_.noise == Noise::nearest ? reading.nearest : reading.cluster;
    }

    // All clusters as they are seen. Those that many rows were read for are kept to, unless others
    // are clearly better.
    Found read_first(BoxesNow& seen, const std::vector<std::uint32_t>& before,
                     const Candidate* kept, Poll& poll);

    // The next of many readings: chosen again now and then, and before a change is believed; with
    // `kept`, never.
    Found read_on(const BoxesNow& seen, const std::vector<std::uint32_t>& before,
                  const Candidate* kept, Poll& poll);

    // What has no label gets that of the nearest cluster; where that has none yet, it keeps its
    // own.
    static void attach(Succession& next, const Reading& reading,
                       const std::vector<std::uint32_t>& before) noexcept;

    // Whether a reading is to be chosen again: now and then, and where much is in no cluster that
    // was when it was chosen. One cluster alone is doubted sooner.
    bool choice_due(double unlabelled) const noexcept;
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

    void keep_reading(const Reading& reading);

    // What is left of a cluster that ends in noise says nothing of its rows that were forgotten:
    // these keep the label.
    bool is_shown(const LabelChanges::Change& change) const noexcept {
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
    void draw(std::size_t most, LabelMap& map, Poll& poll);

    // Equal rows become one, which is what the heaviest of them was, of equally heavy ones the
    // first.
    void join_equal_rows(LabelMap& map, Poll& poll);

    // These categories stay, in this order. All give their rows to the one that `goes_to` names:
    // its place among those that stay, or none, which means the nearest.
    void regroup(const std::vector<std::size_t>& stay, LabelMap& goes_to, LabelMap& map,
                 Poll& poll);

    // The categories whose lots are below the share. All together keep the one with the lowest lot,
    // where none is; and so does each cluster, as long as an eighth of the places stays free.
    std::vector<std::uint8_t> who_stays(const std::vector<double>& lot) const;

    // Clusters without a category are gone, and the others close up. Returns their labels.
    std::vector<std::uint32_t> drop_empty_slots();

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
    std::vector<std::uint32_t> measured_owners(std::size_t n_clusters) const;

    // Fills in how far apart neighbours in the spanning tree lie, cluster by cluster, after the
    // categories have their labels. A cluster of one category reaches half as far as its nearest
    // neighbour is.
    void measure_reach(const Reading& reading, const Bounds& bounds, std::size_t n_clusters,
                       Buffer<double>& reach) const;

    // The label of each cluster of the tree that was selected: that of a box below it.
    std::vector<std::int32_t> labels_in_tree(const CondensedTree& tree) const;

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
