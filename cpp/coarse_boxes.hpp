// Fewer boxes in place of many: what the choice among readings looks at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "views.hpp"

namespace resonart {

// Groups of boxes, and which of them each box belongs to.
struct CoarseBoxes {
    std::vector<double> mean, weight, side;
    std::vector<std::uint32_t> group;
    std::size_t n_features = 0;
    Boxes boxes() const {
        return {weight.size(), n_features, mean.data(), weight.data(), side.data()};
    }
};

// The boxes are sorted by their means. A box joins the nearest group whose first box is within a
// distance (of features scaled to their ranges), and founds one elsewhere. Where there are too many
// groups, the distance grows by a tenth, and groups are presented as boxes were, until a tenth of
// the room is free.
template <class Poll>
CoarseBoxes coarsen_boxes(const Boxes& boxes, const FeatureScales& scales, std::size_t most,
                          Poll& poll) {
    const std::size_t n = boxes.size, d = boxes.n_features, v = scales.size();
    const Points all = scaled_points(
        boxes, scales, [&](std::size_t a, double value) { return scales.share(a, value); },
        [](std::size_t, double, double) { return 0.0; });
    Points firsts(most, v);
    std::vector<std::uint32_t> first;  // of each group, the box that founded it
    std::vector<std::uint32_t> group(n, 0);
    Buffer<double> squares;
    squares.resize_uninitialised(whole_lanes(std::max(n, most)));
    std::vector<double> q(v);

    // At first: the usual distance of neighbours.
    std::vector<double> nearest;
    const std::size_t step = std::max<std::size_t>(1, n / 256);
    for (std::size_t i = 0; i < n; i += step) {
        all.copy(i, q.data());
        kernels().squared_distances(q.data(), all.view(), squares.data());
        squares[i] = std::numeric_limits<double>::infinity();
        nearest.push_back(*std::min_element(squares.begin(), squares.begin() + n));
        poll.work(n * v);
    }
    std::sort(nearest.begin(), nearest.end());
    double reach = nearest[nearest.size() / 2];

    // The group for box i, or `first.size()`. Boxes come in rising order of their first feature,
    // and so do groups: those too far behind in it need not be looked at.
    std::size_t behind = 0;  // whole blocks
    const auto find = [&](std::size_t i) {
        all.copy(i, q.data());
        const auto is_behind = [&](std::size_t g) {
            const double gap = q[0] - firsts.at(g, 0);
            return gap * gap > reach;
        };
        while (behind + kLanes <= first.size() && is_behind(behind + kLanes - 1)) behind += kLanes;
        const PointsView near{firsts.view().x + behind * v, first.size() - behind, v};
        kernels().squared_distances(q.data(), near, squares.data() + behind);
        std::size_t best = first.size();
        double least = reach;
        for (std::size_t g = behind; g < first.size(); ++g) {
            if (squares[g] < least || (squares[g] == least && best == first.size())) {
                least = squares[g];
                best = g;
            }
        }
        poll.work((first.size() - behind) * v);
        return best;
    };
    const auto found = [&](std::size_t i) {
        for (std::size_t f = 0; f < v; ++f) firsts.at(first.size(), f) = all.at(i, f);
        first.push_back(static_cast<std::uint32_t>(i));
    };
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t g = find(i);
        if (g == first.size()) {
            if (first.size() == most) {
                std::vector<std::uint32_t> now(most);
                do {
                    reach = std::max(reach * 1.21, std::numeric_limits<double>::min());
                    const std::vector<std::uint32_t> before = first;
                    std::vector<std::uint32_t> joins(before.size());
                    first.clear();
                    behind = 0;
                    for (std::size_t b = 0; b < before.size(); ++b) {
                        const std::size_t to = find(before[b]);
                        if (to == first.size()) found(before[b]);
                        joins[b] = static_cast<std::uint32_t>(to);
                    }
                    for (std::size_t j = 0; j < i; ++j) group[j] = joins[group[j]];
                } while (first.size() * 10 > most * 9);
                g = find(i);
            }
            if (g == first.size()) found(i);
        }
        group[i] = static_cast<std::uint32_t>(g);
    }

    CoarseBoxes coarse;
    const std::size_t k = first.size();
    coarse.n_features = d;
    coarse.mean.assign(k * d, 0.0);
    coarse.weight.assign(k, 0.0);
    coarse.side.assign(k * d, 0.0);
    std::vector<double> low(k * d, std::numeric_limits<double>::infinity()), high(k * d);
    for (double& h : high) h = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t g = group[i];
        const double before = coarse.weight[g];
        coarse.weight[g] += boxes.weight[i];
        const double share = boxes.weight[i] / coarse.weight[g];
        for (std::size_t f = 0; f < d; ++f) {
            const double x = boxes.mean[i * d + f];
            const double half = boxes.side ? boxes.side[i * d + f] / 2.0 : 0.0;
            double& mean = coarse.mean[g * d + f];
            mean = before > 0.0 ? mean + (x - mean) * share : x;
            low[g * d + f] = std::min(low[g * d + f], x - half);
            high[g * d + f] = std::max(high[g * d + f], x + half);
        }
    }
    for (std::size_t i = 0; i < k * d; ++i) coarse.side[i] = high[i] - low[i];
    coarse.group = std::move(group);
    return coarse;
}

}  // namespace resonart
