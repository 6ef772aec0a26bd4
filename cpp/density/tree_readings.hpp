// Readings of a density tree: excess of mass, leaves, so many clusters, flat cuts; and what becomes
// of noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/density_tree.hpp"

namespace resonart {

// When the last of the boxes leaves that leave at all, or a cluster splits; 0 where nothing ever
// happens.
double last_to_leave(const CondensedTree& tree);

// Of each branch, the clusters whose excess of mass is greatest; never the root, which is all.
void select_by_mass(CondensedTree& tree, const double* weight);

// The clusters that do not split.
void select_leaves(CondensedTree& tree);

// Of a condensed tree, for every number of clusters up to `most`: those, none within another and
// never the root, that have the greatest excess of mass together.
class MassTable {
public:
    MassTable(const CondensedTree& tree, const double* weight, std::size_t most);
    // How many clusters there can be, up to `most`.
    std::size_t n_clusters() const { return best_[0].size() - 1; }
    // `k` of them, 1 at least.
    void select(CondensedTree& tree, std::size_t k) const;

private:
    std::vector<std::vector<double>> best_;          // mass, by number of clusters
    std::vector<std::vector<std::uint32_t>> given_;  // how many of so many are here or below
    std::vector<std::uint8_t> is_whole_;             // whether one cluster here is this itself
};

// `k` clusters or, where there are not so many, as many as there are.
void select_fixed(CondensedTree& tree, const double* weight, std::size_t k);

// Clusters, numbered by their first box; noise is -1. Returns how many there are.
std::size_t number_by_first(std::vector<std::int32_t>& labels, std::size_t most);

// The boxes of the selected clusters.
std::size_t label_selected(const CondensedTree& tree, std::vector<std::int32_t>& labels);

// What edges up to a height join, where that is `m` rows or more: Merge ART at one vigilance.
std::size_t label_cut(const SpanningTree& edges, const double* weight, std::size_t n, double height,
                      double m, std::vector<std::int32_t>& labels);

// Noise goes to the cluster that it first joins in the spanning tree.
void attach_noise(const SpanningTree& edges, std::vector<std::int32_t>& labels);

// Heights below which a cut may tell clusters apart: just under the steepest steps between the
// upper heights, steepest first.
std::vector<double> cut_heights(const SpanningTree& edges, std::size_t most);

// For each of some numbers of clusters, ascending: a height up to which edges join so many groups
// of `m` rows or more, just under the steepest step between heights there is, of equal ones the
// higher; below 0 where there is none.
std::vector<double> heights_for(const SpanningTree& edges, const double* weight, std::size_t n,
                                double m, const std::vector<std::size_t>& numbers);

}  // namespace resonart
