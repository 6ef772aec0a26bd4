// From boxes to clusters: trees, their readings, the choice.
#pragma once

#include <cstddef>

#include "base/poll.hpp"
#include "density/reading.hpp"

namespace resonart {

// A choice looks at no more boxes than these.
constexpr std::size_t kMostInChoice = 4000;

Reading read_boxes(const Boxes& boxes, const ReadingParams& params, Poll& poll);

}  // namespace resonart
