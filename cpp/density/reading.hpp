// What a density tree over boxes is asked for, and what a reading of it says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace resonart {

// What the tree knows of boxes: where they lie, and how many rows each stands for.
struct Boxes {
    std::size_t size = 0, n_features = 0;
    const double* mean = nullptr;    // size x n_features, user's units
    const double* weight = nullptr;  // size: the rows it stands for, > 0
    // The cluster each was in when it was last read, -1: none; null: nothing was read before.
    const std::int32_t* before = nullptr;
    // size: where only some are looked at, those with the lowest of these; null: any.
    const double* lot = nullptr;
};

// How features are made comparable before distances are taken; `automatic`: part of the choice.
enum class Scaling { automatic, given, range, standard, rank, pca };
// How clusters are taken from the condensed tree, or the tree of merges (`cut`); `fixed`: as many
// as are asked for.
enum class Selection { automatic, eom, leaf, cut, fixed };
constexpr Selection kLastSelection = Selection::fixed;

// One partition that was considered, and what was chosen by.
struct Candidate {
    Scaling scaling = Scaling::range;
    std::int32_t n_components = 0;  // of pca; 0 elsewhere
    Selection selection = Selection::eom;
    // In rows or, with `of_rows`, in what rows count as if all together were so many.
    std::int64_t min_cluster_size = 0, min_samples = 0;
    double of_rows = 0.0;
    double height = 0.0;  // of a cut
    std::int64_t n_clusters = 0;
    double noise = 0.0;  // share of rows
    double score = 0.0;  // the higher the better: see `score_beside_one`
};

struct ReadingParams {
    std::int64_t min_cluster_size = 0;  // rows, at the least; 0: any
    std::int64_t min_samples = 0;       // rows, itself included; 0: part of the choice
    Scaling scaling = Scaling::automatic;
    Selection selection = Selection::automatic;
    unsigned n_threads = 1;  // changes nothing but the time
    // Clusters that were there before are better than others by this much of the adjusted Rand
    // index, if all of them are kept.
    double loyalty = 0.3;
    // Not chosen again: the tree is read as this candidate was, with sizes and heights as it has
    // them, and of as many boxes as the choice looked at.
    const Candidate* kept = nullptr;
    // Of more boxes than these, groups are read instead; 0: never. A choice is made among readings
    // of few boxes in any case.
    std::size_t most_boxes = 0;
    // How many clusters are wanted, from the least to the most; 0: any number.
    std::int64_t least_clusters = 0, most_clusters = 0;
    // Whether noise goes to clusters: readings that differ in noise alone then say the same.
    bool attaches_noise = false;

    // Whether there is nothing to choose in one scaling.
    bool is_settled() const {
        return min_cluster_size > 0 && min_samples > 0 && selection != Selection::automatic &&
               !wants_clusters();
    }
    // Whether there is nothing to choose at all.
    bool is_given() const { return is_settled() && scaling != Scaling::automatic; }

    bool wants_clusters() const { return most_clusters > 0; }
    // How far a number of clusters is from those that are wanted.
    std::int64_t clusters_off(std::size_t n) const {
        if (!wants_clusters()) return 0;
        const auto k = static_cast<std::int64_t>(n);
        return k < least_clusters ? least_clusters - k : k > most_clusters ? k - most_clusters : 0;
    }
    // Numbers of clusters that are tried, ascending: all that are wanted or, of many, some.
    std::vector<std::size_t> clusters_tried() const {
        constexpr std::int64_t kMostTried = 20;
        const std::int64_t least = std::max<std::int64_t>(least_clusters, 2);
        std::vector<std::size_t> tried;
        if (most_clusters < least) return tried;
        const std::int64_t n = std::min(most_clusters - least + 1, kMostTried);
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t on = n > 1 ? (most_clusters - least) / (n - 1) * i +
                                                (most_clusters - least) % (n - 1) * i / (n - 1)
                                          : 0;
            tried.push_back(static_cast<std::size_t>(least + on));
        }
        return tried;
    }
};

// The condensed tree: clusters from the root (0) on, parents before children.
struct CondensedTree {
    std::vector<std::int32_t> parent;    // of each cluster; -1 of the root
    std::vector<double> birth;           // 1 / height at which it split off; 0 of the root
    std::vector<double> size;            // rows at birth
    std::vector<std::int32_t> cluster;   // of each box: the cluster it falls out of ...
    std::vector<double> leaves_at;       // ... and 1 / height at which; infinite for equal boxes
    std::vector<std::uint8_t> selected;  // whether a cluster is one of the reading's
};

// Clusters are numbered from 0, by their first box.
struct Reading {
    std::size_t n_clusters = 0;
    std::vector<std::int32_t> cluster;  // of each box; -1: noise
    std::vector<std::int32_t> nearest;  // the same, noise given to the nearest cluster
    std::vector<double> strength;       // of membership, in [0, 1]; 0 of noise
    std::vector<double> outlier;        // how sparse its place is, in [0, 1]: outliers.hpp
    std::vector<std::uint32_t> edge_from, edge_to;  // spanning tree over the boxes, n - 1 edges
    std::vector<double> edge_height;                // ascending, in the scaling's units
    CondensedTree tree;
    std::vector<Candidate> candidates;  // the chosen one, then the others, best first
    double structure = 0.0;             // log odds that there is any; 0 where nothing was chosen
};

}  // namespace resonart
