// How far clusters reach, by which rows are in them or not.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/density_art.hpp"

namespace resonart {
void DensityArt::set_ranges(const Bounds& bounds) noexcept {
    const std::size_t d = categories_.n_features();
    for (std::size_t m = 0; m < least_.size(); ++m) {
        double size = 0.0;
        for (std::size_t f = 0; f < d; ++f) {
            const double range = bounds.high(f) - bounds.low(f);
            if (range > 0.0) size += reach_[m * d + f] / range;
        }
        if (forgets()) size *= kSlack;
        // (Finite, however much wider than the ranges a cluster is said to reach.)
        least_[m] = static_cast<double>(d) * (1.0 - kRounding) - std::min(size, kLargest);
    }
}

std::vector<std::uint32_t> DensityArt::measured_owners(std::size_t n_clusters) const {
    const std::size_t n = categories_.size();
    std::vector<std::uint32_t> owner(categories_.owners(), categories_.owners() + n);
    if (!forgets() || params_.noise != Noise::nearest) return owner;
    std::vector<std::uint8_t> has_own(n_clusters, 0);
    for (std::size_t j = 0; j < n; ++j) {
        if (owner[j] != kNoLabel && strength_[j] > 0.0) has_own[owner[j]] = 1;
    }
    for (std::size_t j = 0; j < n; ++j) {
        if (owner[j] != kNoLabel && has_own[owner[j]] && !(strength_[j] > 0.0)) {
            owner[j] = kNoLabel;
        }
    }
    return owner;
}

void DensityArt::measure_reach(const Reading& reading, const Bounds& bounds, std::size_t n_clusters,
                               Buffer<double>& reach) const {
    const std::size_t d = categories_.n_features();
    std::vector<Pair> inner(n_clusters + 1), outer(n_clusters);
    const std::vector<std::uint32_t> owner = measured_owners(n_clusters);
    for (std::size_t e = 0; e < reading.edge_from.size(); ++e) {
        const std::size_t i = reading.edge_from[e], j = reading.edge_to[e];
        const double apart = distance(i, j, bounds);
        const std::uint32_t a = owner[i], b = owner[j];
        inner[n_clusters].offer(i, j, apart, true);
        if (a == b && a != kNoLabel) inner[a].offer(i, j, apart, true);
        if (a != b && a != kNoLabel) outer[a].offer(i, j, apart, false);
        if (a != b && b != kNoLabel) outer[b].offer(i, j, apart, false);
    }
    for (std::size_t m = 0; m <= n_clusters; ++m) {
        const bool is_alone = m < n_clusters && inner[m].distance < 0.0;
        const Pair& found = is_alone ? outer[m] : inner[m];
        if (found.distance < 0.0) continue;
        for (std::size_t f = 0; f < d; ++f) {
            reach[m * d + f] = gap(found.i, found.j, f) / (is_alone ? 2.0 : 1.0);
        }
    }
}

}  // namespace resonart
