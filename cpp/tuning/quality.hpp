// How good a partition looks without labels: whether its clusters lie apart, and whether
// neighbours share a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/poll.hpp"
#include "base/threads.hpp"
#include "tuning/partitions.hpp"

namespace resonart {

// How the rows lie to each other: their minimum spanning tree, and the nearest of each.
//
// The tree is given as Prim's algorithm grew it: row order[i] was reached at height[i]. The minimax
// distance of two rows, the longest step on the path between them, is then the greatest height
// after the earlier up to the later of them.
class RowGraphs {
public:
    RowGraphs(const std::int64_t* order, const double* height, std::size_t n,
              const std::int64_t* neighbours, std::size_t k);

    std::size_t size() const { return order_.size(); }
    std::size_t k() const { return k_; }
    std::size_t row(std::size_t i) const { return static_cast<std::size_t>(order_[i]); }
    double height(std::size_t i) const { return height_[i]; }
    // The first place after i, and the last before it, that were reached higher; n or 0 for none.
    std::size_t next_higher(std::size_t i) const { return next_higher_[i]; }
    std::size_t last_higher(std::size_t i) const { return last_higher_[i]; }
    const std::int64_t* neighbours(std::size_t r) const { return neighbours_.data() + r * k_; }
    std::size_t in_degree(std::size_t r) const { return in_degree_[r]; }

private:
    std::vector<std::int64_t> order_;
    std::vector<double> height_;
    std::vector<std::size_t> next_higher_, last_higher_;
    std::vector<std::int64_t> neighbours_;
    std::vector<std::size_t> in_degree_;  // of how many rows a row is a neighbour
    std::size_t k_;
};

struct Quality {
    double silhouette = 0.0;  // on the minimax distance; NaN with too many clusters
    double modularity = 0.0;  // share of arcs to neighbours inside clusters, less what chance gives
    double kappa = 0.0;       // the same, as a share of what is possible beyond chance
    double small_share = 0.0;  // rows in small clusters
    std::size_t n_large = 0;   // clusters that are not small
};

// Of all partitions.
void measure_all(const Partitions& partitions, const RowGraphs& rows, std::size_t small,
                 std::size_t most_clusters, unsigned n_threads, Quality* out, Poll& poll);

}  // namespace resonart
