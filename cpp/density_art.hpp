// DensityART: rows become boxes as fine as a budget allows, and clusters are read from a density
// tree over the boxes.
//
// While the budget lasts, every distinct row is a category of its own, found through a table. When
// it is spent, boxes may grow by a step, the categories are presented to a fuzzy ART of that
// vigilance, as Merge ART's compression does, and rows are learned by it from then on. What a
// category knows besides its box are the mean of its rows and what the last reading said of it.
// Labels stay with clusters from reading to reading (heirs.hpp); one that dies leaves a hole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "categories.hpp"
#include "heirs.hpp"
#include "params.hpp"
#include "read_boxes.hpp"
#include "recognition.hpp"
#include "row_means.hpp"

namespace resonart {

// What is kept of a reading for those who want to know: of the boxes as they were then.
struct ReadingRecord {
    CondensedTree tree;
    std::vector<std::int32_t> label;  // of each cluster of the tree that was selected; else -1
    std::vector<double> weight;       // of each box
    std::vector<Candidate> candidates;
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

    DensityArt() = default;
    DensityArt(std::size_t n_features, const Params& params)
        : categories_(n_features), means_(n_features) {
        configure(params);
        categories_.do_without_index();  // nothing is searched until the first reading
    }

    void configure(const Params& params) { params_ = params; }
    const Params& params() const { return params_; }

    const Categories& categories() const { return categories_; }
    const RowMeans& means() const { return means_; }
    double resolution() const { return resolution_; }
    double strength(std::size_t j) const { return strength_[j]; }
    double outlier(std::size_t j) const { return outlier_[j]; }
    bool was_read() const { return was_read_; }
    const ReadingRecord* record() const { return record_.get(); }
    // How far apart neighbours lie in a cluster, feature by feature in the user's units: the sides
    // of the largest box that holds two of them. Behind the last label, those of the whole tree.
    const Buffer<double>& reach() const { return reach_; }

    // Labels used so far, and those of clusters that are there.
    std::size_t n_labels() const { return *n_labels_; }
    std::size_t n_clusters() const {
        std::size_t n = 0;
        for (std::size_t m = 0; m < n_labels(); ++m) n += lives(m);
        return n;
    }
    bool lives(std::size_t label) const { return !was_read_ || least_[label] != kDead; }

    // The least match that takes a row into a cluster.
    double vigilance(std::size_t label) const {
        if (!was_read_) return 0.0;
        return least_[label] / static_cast<double>(categories_.n_features());
    }

    struct Told {
        std::uint32_t label;
        double strength, outlier, score;
    };
    struct Workspace : FinderSpace {
        // Of the row at hand, where ranges have widened for it since it was judged.
        std::optional<Told> told;
        Buffer<double> overlap, ratio;      // of categories and labels, where all are looked at
        Buffer<std::uint32_t> most_active;  // category of each label
    };
    void prepare(Workspace& ws) const { ws.finder.prepare(categories_); }
    void do_without_index() noexcept { categories_.do_without_index(); }
    void reserve_one() {
        const std::size_t n = categories_.size() + 1;
        categories_.reserve(n);
        means_.reserve(n);
        strength_.reserve(n);
        outlier_.reserve(n);
    }

    // Undo, as journal.hpp says.
    void note_changes() {
        categories_.note_changes();
        means_.note_changes();
        n_labels_.note_changes();
    }
    void undo_changes() {
        categories_.undo_changes();
        means_.undo_changes();
        n_labels_.undo_changes();
        strength_.shrink(categories_.size());
        outlier_.shrink(categories_.size());
    }
    void forget_changes() noexcept {
        categories_.forget_changes();
        means_.forget_changes();
        n_labels_.forget_changes();
    }

    // The category that takes a row, or kNone where it founds one, and what that one is then told
    // to be until it is read: what the model says of the row.
    struct Choice {
        std::int64_t category = kNone;
        std::uint32_t label = 0;
        double strength = 1.0, outlier = 0.0;
    };

    Choice choose(const Sample& x, double, Workspace& ws, double* match = nullptr) const noexcept {
        Choice choice;
        if (means_.can_find()) {
            choice.category = means_.find(x.row);
        } else if (categories_.size()) {
            choice.category =
                ws.finder.best_passing(categories_, x, params_.alpha, threshold(), nullptr).index;
        }
        const bool founds = choice.category == kNone;
        if (!founds) choice.label = categories_.owner(static_cast<std::size_t>(choice.category));
        if (!categories_.size() || !(match || (founds && was_read_))) return choice;
        const Told told = ws.told ? *ws.told : tell(x, ws);
        if (match) *match = told.score;
        if (founds && was_read_) {
            choice.label = told.label;
            choice.strength = told.strength;
            choice.outlier = told.outlier;
        }
        return choice;
    }

    // What is said of a row; a category that it founds takes it over.
    Told tell(const Sample& x, Workspace& ws) const noexcept {
        const Seen seen = see(x, ws);
        const std::uint32_t label = label_of(seen);
        const bool is_far = label == kNoLabel && categories_.owner(seen.category) != kNoLabel;
        return {label, is_far ? 0.0 : strength_[seen.category],
                is_far ? 1.0 : outlier_[seen.category], score_of(seen)};
    }

    std::uint32_t take(const Sample& x, const Choice& choice) noexcept {
        if (choice.category == kNone) {
            taken_ = static_cast<std::uint32_t>(categories_.size());
            categories_.append(x.x, 1, choice.label);
            means_.append(x.row);
            strength_.push(choice.strength);
            outlier_.push(choice.outlier);
            if (!was_read_) *n_labels_ = 1;
            return choice.label;
        }
        const auto j = static_cast<std::size_t>(choice.category);
        taken_ = static_cast<std::uint32_t>(j);
        if (means_.can_find()) {
            categories_.add_count(j, 1);  // the row itself, wherever ranges have moved its box
        } else {
            categories_.learn(j, x.x, 1.0, 1);
            means_.learn(j, x.row, categories_.count(j));
        }
        return choice.label;
    }

    std::uint32_t learn(const Sample& x, Workspace& ws, double* match = nullptr) noexcept {
        follow_advice(ws);
        return take(x, choose(x, kAnyMatch, ws, match));
    }
    // Before a sample: what the searches so far have shown.
    void follow_advice(Workspace& ws) noexcept {
        categories_.follow_advice(ws.finder.advice(categories_));
    }
    // The category that took the row last learned.
    std::uint32_t taken() const { return taken_; }

    bool is_full() const { return params_.is_full(categories_.size()); }
    static bool creates(const Choice& choice) { return choice.category == kNone; }

    // The most active category, and what it and the row have in common, in the ranges as they are.
    struct Seen {
        std::size_t category;
        double overlap;
    };
    Seen see(const Sample& x, Workspace& ws) const noexcept {
        const std::int64_t known = find(x);
        if (known != kNone) {
            return {static_cast<std::size_t>(known), static_cast<double>(categories_.n_features())};
        }
        const Best best = ws.finder.best_passing(categories_, x, params_.alpha, -1.0, nullptr);
        const auto j = static_cast<std::size_t>(best.index);
        return {j, overlap_of(x, j, best.overlap)};
    }

    // `match` is what a row is told: 1 for one that is known, 1/2 at the cluster's vigilance, and
    // towards 0 beyond; a third at most where the most active category is noise.
    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        const Seen seen = see(x, ws);
        const std::uint32_t label = label_of(seen);
        return {label, label != kNoLabel, score_of(seen)};
    }

    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        const Seen seen = see(x, ws);
        return told_label(nearest ? categories_.owner(seen.category) : label_of(seen));
    }

    // Score of each label, as if it had the only cluster; below 0 where it has none. Needs
    // `prepare_matches`.
    void prepare_matches(Workspace& ws) const {
        ws.overlap.resize_uninitialised(whole_blocks(categories_.size()));
        ws.ratio.resize_uninitialised(n_labels());
        ws.most_active.resize_uninitialised(n_labels());
    }
    void matches(const Sample& x, Workspace& ws, double* match) const noexcept {
        ws.finder.add_work(categories_);
        for (std::size_t m = 0; m < n_labels(); ++m) match[m] = ws.ratio[m] = -1.0;
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
        for (std::size_t m = 0; m < n_labels(); ++m) {
            if (ws.ratio[m] < 0.0) continue;
            const std::size_t j = ws.most_active[m];
            match[m] = score_of({j, x.wider ? overlap_of(x, j, match[m]) : match[m]});
        }
        const std::int64_t known = find(x);
        if (known == kNone) return;
        const std::uint32_t m = categories_.owner(static_cast<std::size_t>(known));
        if (m != kNoLabel) match[m] = 1.0;
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        categories_.transform(change);
    }
    // The ranges are these from now on: what is far apart in them.
    void set_ranges(const Bounds& bounds) noexcept {
        const std::size_t d = categories_.n_features();
        for (std::size_t m = 0; m < least_.size(); ++m) {
            if (least_[m] == kDead) continue;
            double size = 0.0;
            for (std::size_t f = 0; f < d; ++f) {
                const double range = bounds.high(f) - bounds.low(f);
                if (range > 0.0) size += reach_[m * d + f] / range;
            }
            least_[m] = static_cast<double>(d) * (1.0 - kRounding) - size;
        }
    }

    bool same_weights(const DensityArt& other) const {
        return categories_.same_weights(other.categories_);
    }

    // Boxes may be larger by a step or several, until there are no more than three quarters of what
    // there may be. Returns where each category has gone. May fail halfway.
    template <class Poll>
    LabelMap coarsen(Poll& poll) {
        const auto most = static_cast<std::size_t>(params_.max_categories);
        const std::size_t enough = std::max<std::size_t>(1, most / 4 * 3 + most % 4 * 3 / 4);
        LabelMap map = identity(categories_.size());
        double step = std::max(typical_gap(poll), kLeastStep);
        do {
            step = std::max(step, kStep * resolution_);
            // With room for one category alone, that one takes everything.
            present_again(most == 1 ? 1.0 : std::min(step, 1.0), map, poll);
        } while (categories_.size() > enough);
        return map;
    }

    // Categories that came together from several models: equal rows, or boxes of this resolution,
    // become one. Returns where each has gone.
    template <class Poll>
    LabelMap join_equal(Poll& poll) {
        LabelMap map = identity(categories_.size());
        present_again(resolution_, map, poll);
        if (params_.is_full(categories_.size() - 1)) {
            const LabelMap later = coarsen(poll);
            for (std::uint32_t& j : map) j = later[j];
        }
        return map;
    }

    // Threads that a reading may use: no part of what the model is.
    void set_threads(unsigned n) noexcept { n_threads_ = n ? n : 1; }

    // Reads the clusters anew, under these ranges. Returns old label to new label. May fail
    // halfway.
    template <class Poll>
    LabelMap read(const Bounds& bounds, Poll& poll) {
        const std::size_t n = categories_.size(), d = categories_.n_features();
        auto record = std::make_shared<ReadingRecord>();
        record->weight.resize(n);
        double total = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            record->weight[j] = static_cast<double>(categories_.count(j));
            total += record->weight[j];
        }
        Buffer<double> side;
        if (!means_.can_find()) {
            side.resize_uninitialised(n * d);
            for (std::size_t j = 0; j < n; ++j) joint_sides(j, j, bounds, side.data() + j * d);
        }
        const Boxes boxes = {n, d, means_.data(), record->weight.data(),
                             side.size() ? side.data() : nullptr};
        ReadingParams asked = params_.reading(total);
        asked.n_threads = n_threads_;
        Reading reading = read_boxes(boxes, asked, poll);

        const std::vector<std::int32_t>& now =
            params_.noise == Noise::attach ? reading.nearest : reading.cluster;
        Heirs heirs = inherit_labels(
            categories_.owners(), now.data(), [&](std::size_t j) { return categories_.count(j); },
            n, n_labels(), reading.n_clusters, !was_read_);
        Buffer<double> reach;
        reach.assign((heirs.n_labels + 1) * d, 0.0);
        Buffer<double> least;
        least.assign(heirs.n_labels + 1, kDead);
        if (!was_read_) categories_.do_with_index();
        categories_.reserve(n);  // and an index, where it pays
        for (std::size_t j = 0; j < n; ++j) {
            const std::uint32_t owner =
                now[j] < 0 ? kNoLabel : heirs.label[static_cast<std::size_t>(now[j])];
            categories_.set_owner(j, owner);
            if (owner != kNoLabel) least[owner] = 0.0;
            strength_[j] = reading.strength[j];
            outlier_[j] = reading.outlier[j];
        }
        least[heirs.n_labels] = 0.0;
        measure_reach(reading, bounds, heirs.n_labels, reach);
        was_read_ = true;
        *n_labels_ = heirs.n_labels;
        reach_ = std::move(reach);
        least_ = std::move(least);
        set_ranges(bounds);

        record->label = labels_in_tree(reading.tree);
        record->tree = std::move(reading.tree);
        record->candidates = std::move(reading.candidates);
        record_ = std::move(record);
        return std::move(heirs.map);
    }

    // Categories for which goes(j) holds go, and with them the clusters that have no others; labels
    // left close up in order, holes too. `map`, given with a place for each label, is then
    // old-to-new.
    template <class Goes>
    void remove(Goes&& goes, LabelMap& map) noexcept {
        const std::size_t d = categories_.n_features();
        std::size_t kept = 0;
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            if (goes(j)) continue;
            strength_[kept] = strength_[j];
            outlier_[kept++] = outlier_[j];
        }
        strength_.shrink(kept);
        outlier_.shrink(kept);
        means_.keep_if([&](std::size_t j) { return !goes(j); });
        const std::size_t n_before = n_labels();
        *n_labels_ = categories_.remove(goes, map);
        if (!was_read_) return;
        std::size_t to = 0;
        for (std::size_t m = 0; m <= n_before; ++m) {
            if (m < n_before && map[m] == kNoLabel) continue;
            least_[to] = least_[m];
            std::copy_n(reach_.data() + m * d, d, reach_.data() + to * d);
            ++to;
        }
        least_.shrink(to);
        reach_.shrink(to * d);
    }

    // What a model is, to be filled in from elsewhere.
    struct Content {
        Categories categories;
        RowMeans means;
        Buffer<double> strength, outlier, reach;
        double resolution = 0.0;
        std::size_t n_labels = 0;
        bool was_read = false;
        std::shared_ptr<const ReadingRecord> record;
    };
    void adopt(Content&& content, const Bounds& bounds) {
        Buffer<double> least;
        if (content.was_read) {
            least.assign(content.n_labels + 1, kDead);
            least[content.n_labels] = 0.0;
            for (std::size_t j = 0; j < content.categories.size(); ++j) {
                const std::uint32_t m = content.categories.owner(j);
                if (m != kNoLabel) least[m] = 0.0;
            }
        } else {
            content.categories.do_without_index();
        }
        content.categories.reserve(content.categories.size());  // and an index, where it pays
        if (content.resolution > 0.0) content.means.stop_finding();
        categories_ = std::move(content.categories);
        means_ = std::move(content.means);
        strength_ = std::move(content.strength);
        outlier_ = std::move(content.outlier);
        reach_ = std::move(content.reach);
        resolution_ = content.resolution;
        *n_labels_ = content.n_labels;
        was_read_ = content.was_read;
        record_ = std::move(content.record);
        least_ = std::move(least);
        set_ranges(bounds);
    }

private:
    static constexpr double kDead = std::numeric_limits<double>::infinity();
    static constexpr double kRounding = 1e-12;  // of a match, in which nothing is to be seen
    static constexpr double kStep = 1.4142135623730951;
    static constexpr double kLeastStep = 0x1p-50;
    static constexpr std::size_t kSampled = 256;

    double threshold() const {
        return (1.0 - resolution_) * static_cast<double>(categories_.n_features());
    }

    std::int64_t find(const Sample& x) const noexcept {
        return means_.can_find() && !x.wider ? means_.find(x.row) : kNone;
    }
    double overlap_of(const Sample& x, std::size_t j, double overlap) const noexcept {
        return x.wider ? x.wider->overlap_before(categories_, j, x.row) : overlap;
    }

    std::uint32_t label_of(const Seen& seen) const noexcept {
        const std::uint32_t label = categories_.owner(seen.category);
        if (!was_read_ || label == kNoLabel) return label;
        return seen.overlap >= least_[label] ? label : kNoLabel;
    }

    double score_of(const Seen& seen) const noexcept {
        const auto d = static_cast<double>(categories_.n_features());
        const double far = d - seen.overlap > 0.0 ? d - seen.overlap : 0.0;
        if (!was_read_) return 1.0 / (1.0 + far / d);
        const std::uint32_t label = categories_.owner(seen.category);
        if (label != kNoLabel) return 1.0 / (1.0 + far / (d - least_[label]));
        return (1.0 - outlier_[seen.category]) / (3.0 + far / (d - least_[n_labels()]));
    }

    static LabelMap identity(std::size_t n) {
        LabelMap map;
        map.resize_uninitialised(n);
        for (std::size_t j = 0; j < n; ++j) map[j] = static_cast<std::uint32_t>(j);
        return map;
    }

    // The median, over some of the categories, of how large a box holds one and the nearest other.
    template <class Poll>
    double typical_gap(Poll& poll) const {
        const std::size_t n = categories_.size(), m = std::min(n, kSampled);
        if (n < 2) return 0.0;
        Buffer<double> overlap, weight, gap;
        overlap.resize_uninitialised(whole_blocks(n));
        weight.resize_uninitialised(categories_.width());
        gap.reserve(m);
        for (std::size_t i = 0; i < m; ++i) {
            const std::size_t j = i * n / m;
            categories_.copy_weight(j, weight.data());
            kernels().overlaps(weight.data(), categories_.view(params_.alpha), overlap.data());
            double most = -1.0;
            for (std::size_t k = 0; k < n; ++k) {
                if (k != j && overlap[k] > most) most = overlap[k];
            }
            gap.push(1.0 - most / static_cast<double>(categories_.n_features()));
            poll.work(n * categories_.width());
        }
        std::nth_element(gap.begin(), gap.begin() + m / 2, gap.end());
        return gap[m / 2];
    }

    // Presents the categories in order of creation to a fuzzy ART whose boxes may be so large; with
    // 0, joins those of equal rows. One that is joined from several is what the largest of them
    // was, of equal ones the oldest. `map` follows where categories go.
    template <class Poll>
    void present_again(double resolution, LabelMap& map, Poll& poll) {
        const std::size_t n = categories_.size(), d = categories_.n_features();
        const double least = (1.0 - resolution) * static_cast<double>(d);
        Categories fresh(d);
        if (!categories_.wants_index() && resolution == 0.0) fresh.do_without_index();
        RowMeans means(d);
        if (resolution > 0.0) means.stop_finding();
        Buffer<double> strength, outlier, weight;
        Buffer<float> rough;
        Buffer<std::int64_t> largest;
        Buffer<std::uint32_t> goes_to;
        for (Buffer<double>* each : {&strength, &outlier}) each->reserve(n);
        largest.reserve(n);
        goes_to.resize_uninitialised(n);
        weight.resize_uninitialised(2 * d);
        rough.resize_uninitialised(2 * d);
        Finder finder;
        for (std::size_t j = 0; j < n; ++j) {
            fresh.follow_advice(finder.advice(fresh));
            fresh.reserve(fresh.size() + 1);
            means.reserve(fresh.size() + 1);
            finder.prepare(fresh);
            categories_.copy_weight(j, weight.data());
            for (std::size_t f = 0; f < 2 * d; ++f) rough[f] = static_cast<float>(weight[f]);
            const std::int64_t count = categories_.count(j);
            std::int64_t k = kNone;
            if (resolution == 0.0) {
                k = means.find(means_[j]);
            } else if (fresh.size()) {
                const Sample v = {weight.data(), rough.data()};
                k = finder.best_passing(fresh, v, params_.alpha, least, nullptr).index;
            }
            if (k == kNone) {
                goes_to[j] = static_cast<std::uint32_t>(fresh.size());
                fresh.append(weight.data(), count, categories_.owner(j));
                means.append(means_[j]);
                strength.push(strength_[j]);
                outlier.push(outlier_[j]);
                largest.push(count);
            } else {
                const auto to = static_cast<std::size_t>(k);
                goes_to[j] = static_cast<std::uint32_t>(k);
                if (resolution == 0.0) {
                    fresh.add_count(to, count);
                } else {
                    means.join(to, means_[j], fresh.count(to), count);
                    fresh.learn(to, weight.data(), 1.0, count);
                }
                if (count > largest[to]) {
                    largest[to] = count;
                    fresh.set_owner(to, categories_.owner(j));
                    strength[to] = strength_[j];
                    outlier[to] = outlier_[j];
                }
            }
            poll.work(finder.take_work() + 4 * d);
        }
        for (std::uint32_t& j : map) j = goes_to[j];
        categories_ = std::move(fresh);
        means_ = std::move(means);
        strength_ = std::move(strength);
        outlier_ = std::move(outlier);
        resolution_ = resolution;
        if (was_read_) bury_labels();
    }

    // Labels whose categories have all gone into those of others have died.
    void bury_labels() {
        Buffer<std::uint8_t> is_used;
        is_used.assign(n_labels(), 0);
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            if (categories_.owner(j) != kNoLabel) is_used[categories_.owner(j)] = 1;
        }
        for (std::size_t m = 0; m < is_used.size(); ++m) {
            if (!is_used[m]) least_[m] = kDead;
        }
    }

    // The box that holds both categories: its sides in the user's units, and its size in shares of
    // the ranges.
    void joint_sides(std::size_t i, std::size_t j, const Bounds& bounds, double* side) const {
        const std::size_t d = categories_.n_features();
        for (std::size_t f = 0; f < d; ++f) {
            const double lower = std::min(categories_.weight(i, f), categories_.weight(j, f));
            const double upper =
                1.0 - std::min(categories_.weight(i, d + f), categories_.weight(j, d + f));
            const double range = bounds.high(f) - bounds.low(f);
            side[f] = upper > lower ? (upper - lower) * range : 0.0;
        }
    }
    double joint_size(std::size_t i, std::size_t j) const {
        double common = 0.0;
        for (std::size_t f = 0; f < categories_.width(); ++f) {
            common += std::min(categories_.weight(i, f), categories_.weight(j, f));
        }
        return static_cast<double>(categories_.n_features()) - common;
    }

    // Two categories and the size of the box that holds both.
    struct Joint {
        std::size_t i = 0, j = 0;
        double size = -1.0;  // none
        void offer(std::size_t a, std::size_t b, double s, bool largest) noexcept {
            if (size >= 0.0 && !(largest ? s > size : s < size)) return;
            i = a;
            j = b;
            size = s < 0.0 ? 0.0 : s;
        }
    };

    // Fills in how far apart neighbours in the spanning tree lie, cluster by cluster, after the
    // categories have their labels. A box of the cluster is within reach in any case. A cluster of
    // one box reaches half as far as its nearest neighbour is.
    void measure_reach(const Reading& reading, const Bounds& bounds, std::size_t n_labels,
                       Buffer<double>& reach) const {
        const std::size_t n = categories_.size(), d = categories_.n_features();
        std::vector<Joint> inner(n_labels + 1), outer(n_labels), box(n_labels + 1);
        for (std::size_t e = 0; e < reading.edge_from.size(); ++e) {
            const std::size_t i = reading.edge_from[e], j = reading.edge_to[e];
            const double size = joint_size(i, j);
            const std::uint32_t a = categories_.owner(i), b = categories_.owner(j);
            inner[n_labels].offer(i, j, size, true);
            if (a == b && a != kNoLabel) inner[a].offer(i, j, size, true);
            if (a != b && a != kNoLabel) outer[a].offer(i, j, size, false);
            if (a != b && b != kNoLabel) outer[b].offer(j, i, size, false);
        }
        for (std::size_t j = 0; j < n; ++j) {
            const double size = joint_size(j, j);
            const std::uint32_t a = categories_.owner(j);
            box[n_labels].offer(j, j, size, true);
            if (a != kNoLabel) box[a].offer(j, j, size, true);
        }
        Buffer<double> own;
        own.resize_uninitialised(d);
        for (std::size_t m = 0; m <= n_labels; ++m) {
            double* side = reach.data() + m * d;
            if (box[m].size < 0.0) continue;  // a hole
            if (inner[m].size >= box[m].size) {
                joint_sides(inner[m].i, inner[m].j, bounds, side);
            } else if (inner[m].size >= 0.0) {
                joint_sides(box[m].i, box[m].j, bounds, side);
            } else if (m < n_labels && outer[m].size >= 0.0) {
                joint_sides(outer[m].i, outer[m].j, bounds, side);
                joint_sides(outer[m].i, outer[m].i, bounds, own.data());
                for (std::size_t f = 0; f < d; ++f) side[f] = own[f] + (side[f] - own[f]) / 2.0;
            } else {
                joint_sides(box[m].i, box[m].j, bounds, side);
                for (std::size_t f = 0; f < d; ++f) {
                    side[f] += resolution_ * (bounds.high(f) - bounds.low(f));
                }
            }
        }
    }

    // The label of each cluster of the tree that was selected: that of a box below it.
    std::vector<std::int32_t> labels_in_tree(const CondensedTree& tree) const {
        std::vector<std::int32_t> label(tree.parent.size(), -1);
        for (std::size_t j = 0; j < tree.cluster.size(); ++j) {
            const std::uint32_t owner = categories_.owner(j);
            if (owner == kNoLabel) continue;
            for (std::int32_t c = tree.cluster[j]; c >= 0;
                 c = tree.parent[static_cast<std::size_t>(c)]) {
                const auto at = static_cast<std::size_t>(c);
                if (label[at] >= 0) break;
                if (!tree.selected[at]) continue;
                label[at] = static_cast<std::int32_t>(owner);
                break;
            }
        }
        return label;
    }

    Categories categories_;
    RowMeans means_;
    Buffer<double> strength_, outlier_;
    double resolution_ = 0.0;  // the largest size of a box, in the mean over the features
    Undoable<std::size_t> n_labels_;
    bool was_read_ = false;
    Buffer<double> reach_;  // of labels, then of all
    Buffer<double> least_;  // the least overlap of a row with a cluster; kDead: there is none
    std::shared_ptr<const ReadingRecord> record_;
    std::uint32_t taken_ = 0;
    unsigned n_threads_ = 1;
    Params params_;
};

}  // namespace resonart
