// Some boxes in place of many, each with the rows of those nearest to it: what is read where there
// are too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/views.hpp"

namespace resonart {

// Boxes that were drawn, and which of them each box counts for: the nearest in features scaled to
// their ranges, of equally near ones the first.
struct SampledBoxes {
    std::vector<double> mean, weight;
    std::vector<std::int32_t> before;
    std::vector<std::uint32_t> drawn, group;

    SampledBoxes(const Boxes& boxes, const FeatureScales& scales, std::size_t most,
                 unsigned n_threads, Poll& poll);
    Boxes boxes(std::size_t n_features) const {
        return {weight.size(), n_features, mean.data(), weight.data(),
                before.empty() ? nullptr : before.data()};
    }
};

}  // namespace resonart
