// How much of an outlier each box is: how sparse its place is, against its surroundings.
//
// How sparse a place is: how far one must go to gather a few rows, and how far to gather one row in
// fifty, in the geometric mean. Few rows alone would not see that a small group is far from
// everything; many alone would not see single rows among small groups. Half of it counts by itself,
// and half relative to the boxes that were gathered (a geometric mean again): rows outside a dense
// cluster are outliers, and so are rows far away from everything.
//
// Where only some of many boxes are looked at, the rows of all are where those are that they count
// for, but for a box's own. Weights count only as shares of all weight: the number of rows makes no
// difference.
#pragma once

#include <vector>

#include "base/poll.hpp"
#include "density/reading.hpp"
#include "density/sampled_boxes.hpp"

namespace resonart {

// The outlier score of each box, in [0, 1], in the scaling that is given, or by range. The boxes
// are sorted, and measured against some of them, or all (null).
std::vector<double> outlier_scores(const Boxes& boxes, const SampledBoxes* some, Scaling scaling,
                                   unsigned n_threads, Poll& poll);

}  // namespace resonart
