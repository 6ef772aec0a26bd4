// What can be seen of a reading without labels: the numbers its choice is made by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "density/density_tree.hpp"

namespace resonart {

// Of one partition; noise is -1 in `labels` and given to clusters in `attached`.
struct BoxClusters {
    std::vector<std::int32_t> labels, attached;
    std::size_t k = 0;
};

// Mean silhouette on the minimax distance, the height at which two rows are joined, without a look
// at pairs: sums over clusters go up the tree of merges and down again. Noise counts as 0.
class MinimaxSilhouette {
public:
    double operator()(const MergeTree& tree, const double* weight, const BoxClusters& p);

private:
    std::vector<float> count_, sum_, total_;
};

// Share of arcs to the nearest that stay inside clusters, less what chance gives (modularity), and
// as a share of what is possible beyond it (kappa).
struct GraphQuality {
    double modularity = 0.0, kappa = 0.0;
};
// Of the graph of the nearest `few`, and of that of the nearest `k`.
std::pair<GraphQuality, GraphQuality> graph_quality(const Neighbours& neighbours, std::size_t few,
                                                    std::size_t k, const double* weight,
                                                    const BoxClusters& p);

// How much lower clusters hold together than they are joined to others: of each cluster the median
// edge, the edge that nine of ten are not above, and the highest, over its lowest edge to others.
// Means over rows, and the worst cluster.
struct Separation {
    double median = 0.0, ninth = 0.0, gap = 0.0;
    double worst_median = 0.0, worst_ninth = 0.0, worst_gap = 0.0;
};
Separation separation(const SpanningTree& edges, const double* weight, const BoxClusters& p);

// Share of the spread that clusters' means explain.
double explained_spread(const Points& points, const double* weight, const BoxClusters& p);

// Which of a fixed set of pairs of rows lie in one cluster, as bits. Two partitions agree as their
// bits do beyond chance: an estimate of the adjusted Rand index that needs no table of both.
class PairSample {
public:
    static constexpr std::size_t kPairs = 2048, kWords = kPairs / 64;
    struct Bits {
        std::array<std::uint64_t, kWords> word{};
        std::size_t n_set = 0;
    };

    // Pairs of boxes, drawn by their rows.
    PairSample(const double* weight, std::size_t n);
    Bits of(const std::vector<std::int32_t>& labels) const;
    static double agreement(const Bits& a, const Bits& b) {
        std::size_t both = 0;
        for (std::size_t w = 0; w < kWords; ++w) both += count_bits(a.word[w] & b.word[w]);
        const auto in_a = static_cast<double>(a.n_set), in_b = static_cast<double>(b.n_set);
        const double chance = in_a * in_b / static_cast<double>(kPairs);
        const double most = (in_a + in_b) / 2.0;
        if (!(most > chance)) return a.n_set == b.n_set ? 1.0 : 0.0;
        return (static_cast<double>(both) - chance) / (most - chance);
    }

private:
    static std::size_t count_bits(std::uint64_t v) {
        v -= (v >> 1) & 0x5555555555555555u;
        v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
        v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return static_cast<std::size_t>(v * 0x0101010101010101u >> 56);
    }
    std::array<std::uint32_t, kPairs> first_, second_;
};

}  // namespace resonart
