// VAT: visual assessment of cluster tendency. The order in which Prim's algorithm visits samples,
// from one end of the farthest pair, without a distance matrix.
//
// Two ways give the same permutation, ties included: every step compared with every sample left
// (any number of features, quadratic time), and nearest neighbours found through a k-d tree (few
// features, close to linear). A tie is a tie of rounded distances, as in a stored matrix: ordering
// compares (distance, sample), never squares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/poll.hpp"

namespace resonart {

enum class Metric { euclidean, manhattan, chebyshev };

struct VatOrder {
    std::vector<std::int64_t> order;
    std::vector<double> height;  // distance at which each joined those before it; 0 for the first
};

// Few features: each visited sample knows its nearest unvisited one, found again only when that one
// has been visited and the sample's turn comes.
VatOrder vat_by_tree(Metric metric, const double* x, std::size_t n, std::size_t d,
                     unsigned most_threads, Poll& poll);

// Any number of features: every unvisited sample's distance to those visited, kept and lowered
// step by step.
VatOrder vat_by_rows(Metric metric, const double* x, std::size_t n, std::size_t d,
                     unsigned most_threads, Poll& poll);

}  // namespace resonart
