// How much speaks for clusters being peaks of the density apart from each other, and for further
// peaks within them. A cluster that is a peak and holds no further ones is a single peak.
//
// Rows that lie denser than the pass between two peaks speak for their peak: each by the logarithm
// of how much denser its place is than the pass, less what chance makes of so few neighbours. The
// sum is a log likelihood ratio: of the density as it was estimated, against one that is nowhere
// higher than at the pass. Rows count as if there were as many as boxes, since the places of the
// boxes are all that is known of the density.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/density_tree.hpp"
#include "density/reading_features.hpp"

namespace resonart {

struct PeakEvidence {
    double least = 0.0, second = 0.0, mean = 0.0;  // of clusters, as log(1 + evidence)
    double within = 0.0;                           // of the best split of a cluster, likewise
    // By how much more speaks for the cluster of a row than for a split of it, in the mean over
    // rows; beyond kBeyondChance nothing counts. And the number of single peaks.
    double single = 0.0, n_single = 0.0;
};

class Peaks {
public:
    Peaks() = default;
    // Core distances are squared; a tree that gathered `min_samples` of `rows` rows that weigh so.
    Peaks(const SpanningTree& edges, const MergeTree& merges, const std::vector<double>& core,
          const double* weight, double rows, std::int64_t min_samples, std::size_t dimension);

    // Of a partition, with the tree that was given before.
    PeakEvidence of(const BoxClusters& p, const SpanningTree& edges, const MergeTree& merges) const;

private:
    static constexpr double kLeastCore = 1e-3;  // of the highest edge: equal rows have none
    static constexpr double kBeyondChance = 3.0;

    double evidence(double log_pass, double rows, double sum) const {
        return std::max(dimension_ * (log_pass * rows - sum) - by_chance_ * rows, 0.0);
    }

    // How much speaks for the best split of each cluster. Of the two groups that a merge within it
    // joins, the lesser speaks for a split.
    std::vector<double> within(const std::vector<std::int32_t>& label, std::size_t k,
                               const MergeTree& merges) const;

    double dimension_ = 1.0, by_chance_ = 1.0;
    std::vector<double> log_core_;    // of each box
    std::vector<double> log_pass_;    // of each merge: of its height
    std::vector<double> rows_, sum_;  // of each node; the sum of its rows' logarithms
};

}  // namespace resonart
