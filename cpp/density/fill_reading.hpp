// What a reading says of boxes once it is known how its tree is read.
#pragma once

#include <cstdint>
#include <vector>

#include "base/poll.hpp"
#include "density/candidates.hpp"
#include "density/reading.hpp"

namespace resonart {

// A tree, and the points over which it was grown.
struct Grown {
    Points points;
    Tree tree;
};

// The tree behind a reading, and its clusters where they are not known yet (`cluster` is empty).
void fill_reading(Reading& reading, const Considered& chosen, Grown&& grown,
                  const Counting& counting, const double* weight,
                  std::vector<std::int32_t>&& cluster, unsigned n_threads, Poll& poll);

}  // namespace resonart
