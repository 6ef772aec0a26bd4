// Every reading that is considered: scalings × trees × ways to read them, and what is seen of each.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "density/candidate_features.hpp"
#include "density/peaks.hpp"
#include "density/reading_features.hpp"
#include "density/tree_readings.hpp"
#include "density/views.hpp"

namespace resonart {

// Sizes below which a group is no cluster; as far as four such clusters have room.
constexpr std::int64_t kSizes[] = {5,   8,   12,  18,  27,  40,   60,   90,
                                   135, 200, 300, 450, 675, 1000, 1500, 2250};
// And smaller ones, where so many clusters are wanted.
constexpr std::int64_t kSmallSizes[] = {2, 3};
constexpr std::int64_t kMinSamples[] = {5, 10};
// Up to so many rows, sizes are numbers of rows ...
constexpr double kMostInRows = 8000.0;
// ... and beyond so many, also numbers of what rows count as if all together were so many: a size
// is the same share of the rows, however many there are.
constexpr double kCountedAs = 2000.0;
constexpr std::size_t kMostClusters = 250;
constexpr double kMostNoise = 0.7;
constexpr std::size_t kCuts = 8;
constexpr std::size_t kNeighbours = 10, kFewNeighbours = 5;

// What rows count as: each as it weighs, or a share of the rows times `of_rows`. The shares are the
// same bits however often every row is repeated.
struct Counting {
    double of_rows = 0.0;  // what all count as together; 0: as many as they weigh
    double rows = 0.0;     // the same, or the sum of the weights
    std::vector<double> weight;

    Counting(const Boxes& boxes, double all_rows, double counted_as)
        : of_rows(counted_as),
          rows(counted_as > 0.0 ? counted_as : all_rows),
          weight(boxes.weight, boxes.weight + boxes.size) {
        if (rows == all_rows) return;
        for (double& w : weight) w = w / all_rows * counted_as;
    }
    // So many rows as they weigh, rounded up.
    std::int64_t counted(std::int64_t n, double all_rows) const {
        if (rows == all_rows) return n;
        return static_cast<std::int64_t>(std::ceil(static_cast<double>(n) / all_rows * rows));
    }
};
double sum_of_weights(const Boxes& boxes);

// Which core distances a tree is grown with.
struct TreeKind {
    std::size_t counting = 0;
    std::int64_t min_samples = 1;
};
struct Tree {
    TreeKind kind;
    SpanningTree edges;
    MergeTree merges;
};
struct View {
    Scaling scaling;
    std::int32_t n_components;
    Points points;
    Neighbours neighbours;
    std::vector<Tree> trees;
    Peaks peaks;  // in the last of the trees, the smoothest
};

Tree grow_tree(const Points& points, const TreeKind& kind, const Counting& counting,
               const std::vector<double>& core, Poll& poll);
// How many neighbours to keep for a tree with `min_samples`: as many as it asks for, or none where
// that is too many.
std::size_t neighbours_for(std::int64_t min_samples);

// One partition, the readings that gave it, and what is seen of it.
struct Considered {
    std::size_t view = 0, tree = 0;
    Selection selection = Selection::eom;
    std::int64_t min_cluster_size = 0, min_samples = 0;
    double height = 0.0;
    std::size_t n_readings = 1;  // that say the same
    double noise = 0.0;          // share of rows
    BoxClusters clusters;
};

class Candidates {
public:
    // `boxes` has two at least.
    Candidates(const Boxes& boxes, const FeatureScales& scales, const ReadingParams& params,
               Poll& poll);

    const std::vector<Considered>& all() const { return all_; }
    // Whether the last of them, "one cluster", may be chosen.
    bool may_be_one() const { return may_be_one_; }
    const std::vector<View>& views() const { return views_; }
    const Counting& counting_of(const Considered& c) const {
        return countings_[views_[c.view].trees[c.tree].kind.counting];
    }
    // The candidate, or the tree, which is then no longer here.
    Considered take(std::size_t c) { return std::move(all_[c]); }
    Tree take_tree(std::size_t view, std::size_t tree) {
        return std::move(views_[view].trees[tree]);
    }

    // What is seen of each, one after the other: kNumFeatures numbers.
    std::vector<double> features(Poll& poll) const;

    // How well each agrees with the clusters there were before.
    std::vector<double> agreement_with_before() const;

private:
    // The trees of every view, and what rows count as in them.
    std::vector<TreeKind> tree_kinds();
    // Sizes of clusters that are tried, in what rows count as.
    std::vector<std::int64_t> sizes(const TreeKind& kind) const;
    bool reads(Selection selection) const {
        return params_.selection == Selection::automatic || params_.selection == selection;
    }
    std::size_t most_clusters() const {
        return std::max(kMostClusters, static_cast<std::size_t>(params_.most_clusters));
    }

    // Tasks that are so many parts of a reading, for those who watch.
    template <class DoTask>
    void in_tasks(std::size_t n, std::size_t n_parts, Poll& poll, DoTask&& do_task) const {
        // Threads are not worthwhile for a millisecond's work.
        const unsigned most = boxes_.size < 300 ? 1 : params_.n_threads;
        Progress* const progress = poll.progress();
        std::atomic<std::size_t> n_done{0};
        in_parallel_tasks(n, most, poll, [&](std::size_t i, Poll& asked) {
            do_task(i, asked);
            if (!progress) return;
            const std::size_t before = n_done++;
            progress->n_parts += n_parts * (before + 1) / n - n_parts * before / n;
        });
    }

    void read_tree(std::size_t v, std::size_t t, std::vector<Considered>& read, Poll& poll) const;

    // Of other numbers of clusters than are wanted only the nearest matter, where there are no
    // others; and so it is with clusters of very few rows. (One cluster is always there.)
    void offer_best(std::vector<std::vector<Considered>>& read);
    // Keeps a reading, or counts it where another says the same.
    void offer(Considered&& found);

    void add_one_cluster();

    void look_at(const Considered& c, MinimaxSilhouette& silhouette, double* seen) const;

    // Agreement with the others. The last candidate is "one cluster", which agrees with none.
    void compare(std::vector<double>& own, Poll& poll) const;

    std::vector<double> relate(const std::vector<double>& own) const;

    Boxes boxes_;
    ReadingParams params_;
    std::size_t dimension_ = 1;
    double rows_ = 0.0;
    std::vector<Counting> countings_;
    std::size_t n_trees_ = 0;
    std::vector<View> views_;
    std::vector<Considered> all_;
    bool may_be_one_ = true;
    std::map<std::uint64_t, std::size_t> seen_;
    PairSample pairs_;
    std::vector<PairSample::Bits> together_;  // of each candidate, which pairs are in one cluster
};

}  // namespace resonart
