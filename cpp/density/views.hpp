// Features made comparable: the scalings of boxes in which trees are grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/density_tree.hpp"

namespace resonart {

// Low, range, mean and deviation of each feature that varies, over the boxes' means.
struct FeatureScales {
    std::vector<std::size_t> feature;  // those that vary, or the first where none does
    std::vector<double> low, range, mean, deviation;
    double widest = 0.0, narrowest = 0.0;  // of the ranges
    std::size_t dimension = 1;

    explicit FeatureScales(const Boxes& boxes);
    std::size_t size() const { return feature.size(); }
    // A value of the a-th feature that varies, as a share of its range.
    double share(std::size_t a, double value) const { return (value - low[a]) / range[a]; }
};

// Boxes with each coordinate value(a, mean).
template <class Value>
Points scaled_points(const Boxes& boxes, const FeatureScales& scales, Value&& value) {
    Points points(boxes.size, scales.size());
    for (std::size_t i = 0; i < boxes.size; ++i) {
        for (std::size_t a = 0; a < scales.size(); ++a) {
            points.at(i, a) = value(a, boxes.mean[i * boxes.n_features + scales.feature[a]]);
        }
    }
    return points;
}
Points range_points(const Boxes& boxes, const FeatureScales& scales);

// Each feature as the share of rows below, those at the same value counted half.
Points rank_points(const Boxes& boxes, const FeatureScales& scales);

Points standard_points(const Boxes& boxes, const FeatureScales& scales);

// The directions in which standardised boxes spread most, by subspace iteration from a fixed start:
// `count` unit vectors, one after the other.
std::vector<double> principal_directions(const Points& points, const double* weight,
                                         std::size_t count, Poll& poll);

Points pca_points(const Points& standard, const double* directions, std::size_t count, Poll& poll);

// The scalings to be considered for so many features and dimensions.
struct ViewKind {
    Scaling scaling;
    std::int32_t n_components;
};
std::vector<ViewKind> view_kinds(Scaling wanted, const FeatureScales& scales);

Points view_points(const Boxes& boxes, const FeatureScales& scales, const ViewKind& kind,
                   Poll& poll);

}  // namespace resonart
