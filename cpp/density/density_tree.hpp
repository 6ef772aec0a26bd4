// The density tree over boxes: core distances, the spanning tree under mutual reachability
// (Campello, Moulavi and Sander, 2013), the tree of merges, and what is left of it when groups of
// few rows do not count as clusters.
//
// Distances are compared as squares, each a sum in the order of features; ties go to the lowest
// box. Nothing needs memory for pairs of boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/buffer.hpp"
#include "base/poll.hpp"
#include "boxes/kernels.hpp"
#include "density/reading.hpp"

namespace resonart {

// Rounded up to whole blocks of points.
inline std::size_t whole_lanes(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Boxes as points of one scaling of the features, with what else a tree asks of them.
class Points {
public:
    Points(std::size_t size, std::size_t width) : size_(size), width_(width) {
        x_.assign(whole_lanes(size) * width, 0.0);
    }
    std::size_t size() const { return size_; }
    std::size_t width() const { return width_; }
    double& at(std::size_t i, std::size_t f) {
        return x_[(i / kLanes * width_ + f) * kLanes + i % kLanes];
    }
    double at(std::size_t i, std::size_t f) const {
        return x_[(i / kLanes * width_ + f) * kLanes + i % kLanes];
    }
    void copy(std::size_t i, double* out) const {
        for (std::size_t f = 0; f < width_; ++f) out[f] = at(i, f);
    }
    PointsView view() const { return {x_.data(), size_, width_}; }

private:
    std::size_t size_, width_;
    Buffer<double> x_;
};

// The nearest others of each point, nearest first.
struct Neighbours {
    std::size_t k = 0;
    std::vector<std::uint32_t> index;  // n x k
    std::vector<double> square;
};

Neighbours find_neighbours(const Points& points, std::size_t k, unsigned n_threads, Poll& poll);

// How many rows a tree gathers around each box, and what each box counts for.
struct Gathered {
    const double* weight;
    double rows;
};

// Neighbours that are kept sorted at the most: more are looked for box by box, and forgotten.
constexpr std::size_t kMostKept = 32;

// The core distances of all boxes, one list for each tree that asks. Where the neighbours that are
// known weigh too little, all boxes are looked at.
std::vector<std::vector<double>> core_squares(const Points& points, const Neighbours& neighbours,
                                              const std::vector<Gathered>& asked,
                                              unsigned n_threads, Poll& poll);

struct SpanningTree {
    std::vector<std::uint32_t> from, to;
    std::vector<double> height;  // ascending
};

// Prim's algorithm from box 0, one step a box. Boxes in the tree have no name any more, and are
// dropped from the work space whenever they are half of it.
SpanningTree span(const Points& points, const std::vector<double>& core, Poll& poll);

// Sets that are joined one by one.
class Sets {
public:
    explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
    std::uint32_t find(std::uint32_t i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }
    // `root` keeps its name; both are names that `find` gave.
    void join(std::uint32_t root, std::uint32_t other) { parent_[other] = root; }

private:
    std::vector<std::uint32_t> parent_;
};

// The tree of merges: node i < n is box i, node n + e is what edge e of the spanning tree joins.
struct MergeTree {
    std::vector<std::uint32_t> left, right;  // of node n + e
    std::vector<double> height;              // of node n + e, ascending
    std::vector<double> size;                // rows of every node
    std::size_t n() const { return left.size() + 1; }
};

MergeTree merge_tree(const SpanningTree& edges, const double* weight, std::size_t n);

// Where both parts of a node have `m` rows or more, two clusters are born; where one has, the
// other's rows fall out of the cluster; where none has, all do.
CondensedTree condense(const MergeTree& tree, double m);

}  // namespace resonart
