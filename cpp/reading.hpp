// What a density tree over boxes is asked for, and what a reading of it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace resonart {

// What the tree knows of boxes: where they lie, how many rows each stands for, how large it is.
struct Boxes {
    std::size_t size = 0, n_features = 0;
    const double* mean = nullptr;    // size x n_features: the mean of a box's rows, user's units
    const double* weight = nullptr;  // size: the rows it stands for, > 0
    const double* side = nullptr;    // size x n_features, user's units; null: all are points
    // The cluster each was in when it was last read, -1: none; null: nothing was read before.
    const std::int32_t* before = nullptr;
};

// How features are made comparable before distances are taken; `automatic`: part of the choice.
enum class Scaling { automatic, given, range, standard, rank, pca };
// How clusters are taken from the condensed tree, or the tree of merges (`cut`).
enum class Selection { automatic, eom, leaf, cut };

// One partition that was considered, and what was chosen by.
struct Candidate {
    Scaling scaling = Scaling::range;
    std::int32_t n_components = 0;  // of pca; 0 elsewhere
    Selection selection = Selection::eom;
    std::int64_t min_cluster_size = 0, min_samples = 0;
    double height = 0.0;  // of a cut
    std::int64_t n_clusters = 0;
    double noise = 0.0;  // share of rows
    double score = 0.0;  // the higher the better: see choice_model.hpp
};

struct ReadingParams {
    std::int64_t min_cluster_size = 0;  // rows; 0: part of the choice
    std::int64_t min_samples = 0;       // rows, itself included; 0: part of the choice
    Scaling scaling = Scaling::automatic;
    Selection selection = Selection::automatic;
    unsigned n_threads = 1;  // changes nothing but the time
    // Not chosen anew: the tree is read as this candidate was, with sizes and heights as it has
    // them.
    const Candidate* kept = nullptr;
    // Of more boxes than these, groups are read instead; 0: never.
    std::size_t most_boxes = 0;
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
    std::vector<double> outlier;        // how much sparser than its surroundings, in [0, 1]
    std::vector<std::uint32_t> edge_from, edge_to;  // spanning tree over the boxes, n - 1 edges
    std::vector<double> edge_height;                // ascending, in the scaling's units
    CondensedTree tree;
    std::vector<Candidate> candidates;  // the chosen one, then the others, best first
    double structure = 0.0;             // log odds that there is any; 0 where nothing was chosen
};

}  // namespace resonart
