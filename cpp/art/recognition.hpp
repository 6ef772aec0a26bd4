// What a model says of a sample without learning it.
#pragma once

#include <cstdint>

#include "boxes/categories.hpp"
#include "boxes/finder.hpp"

namespace resonart {

struct Recognition {
    std::uint32_t cluster = 0;
    bool resonated = false;  // false: nothing passed, `cluster` is the one of highest activation
    double match = 0.0;
};

// A match as users see it: a share. Sums of rounded numbers may leave [0, 1] by a few last digits,
// which is no news to anybody; what resonates is decided by the sums themselves.
inline double clamped_match(double match) noexcept {
    return match > 1.0 ? 1.0 : match < 0.0 ? 0.0 : match;
}

// Fuzzy ART and DVFA: the winning category speaks for its cluster, given the best that passes. The
// model is not empty.
inline Recognition recognise_by_category(const Categories& categories, const Sample& x,
                                         Finder& finder, double alpha, Best best) noexcept {
    const bool resonated = best.index != kNone;
    if (!resonated) best = finder.best_passing(categories, x, alpha, -1.0, nullptr);
    const auto j = static_cast<std::size_t>(best.index);
    return {categories.owner(j), resonated,
            best.overlap / static_cast<double>(categories.n_features())};
}

// The cluster alone; kNone where nothing passes and the nearest is not wanted.
inline std::int64_t cluster_by_category(const Categories& categories, const Sample& x,
                                        Finder& finder, double alpha, double threshold,
                                        bool nearest) noexcept {
    Best best = finder.best_passing(categories, x, alpha, threshold, nullptr);
    if (best.index == kNone && nearest) {
        best = finder.best_passing(categories, x, alpha, -1.0, nullptr);
    }
    if (best.index == kNone) return kNone;
    return categories.owner(static_cast<std::size_t>(best.index));
}

}  // namespace resonart
