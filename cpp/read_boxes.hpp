// From boxes to clusters: trees, their readings, the choice.
#pragma once

#include "reading.hpp"

namespace resonart {

template <class Poll>
Reading read_boxes(const Boxes& boxes, const ReadingParams& params, Poll& poll) {
    (void)params;
    (void)poll;
    Reading reading;
    const std::size_t n = boxes.size;
    reading.n_clusters = n ? 1 : 0;
    reading.cluster.assign(n, 0);
    reading.nearest.assign(n, 0);
    reading.strength.assign(n, 1.0);
    reading.outlier.assign(n, 0.0);
    for (std::size_t i = 1; i < n; ++i) {
        reading.edge_from.push_back(static_cast<std::uint32_t>(i - 1));
        reading.edge_to.push_back(static_cast<std::uint32_t>(i));
        reading.edge_height.push_back(0.0);
    }
    return reading;
}

}  // namespace resonart
