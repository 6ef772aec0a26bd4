// How much weight things have in common: labels before and labels now, or clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/label_maps.hpp"

namespace resonart {

struct Shared {
    std::uint32_t from, to;
    double weight;
};

// One entry for each pair, ascending, kNoLabel last. Weights are summed in the order given.
std::vector<Shared> add_up(std::vector<Shared> each);

// Of pairs that are added up: of each `from`, ascending, the heaviest, of equal ones the first.
std::vector<Shared> heaviest(const std::vector<Shared>& pairs);

// For each label in `from`, the label that half of its weight or more has in `to`; or kNoLabel.
std::map<std::uint32_t, std::uint32_t> majorities(const std::uint32_t* from,
                                                  const std::uint32_t* to, const double* weight,
                                                  std::size_t n);

}  // namespace resonart
