// Which modules may pass a vigilance test, known from a rough look at their categories.
#pragma once

#include <cstddef>
#include <cstdint>

#include "art/linkage.hpp"
#include "art/modules.hpp"

namespace resonart {

// Whether a rough look can leave out any category below this ratio.
inline bool can_leave_out(double ratio, const StoreView& view) {
    return ratio > 0.0 && view.can_be_rough() && view.size <= kMostInMean;
}

struct PassingModules {
    std::size_t n_modules = 0;
    std::size_t n_boxes = 0;  // in all of them
};

// Counts categories that may pass, module by module.
inline void count_passing(const std::uint32_t* owner, const std::uint32_t* chosen, std::size_t n,
                          std::size_t* passing, std::uint32_t* seen, std::size_t& n_seen) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t m = owner[chosen[i]];
        if (passing[m]++ == 0) seen[n_seen++] = m;
    }
}

// Of the modules seen, keeps those of which enough categories may pass, each compared with
// `times` others; leaves the counts at 0.
inline PassingModules keep_passing(Linkage linkage, const Modules& modules, std::size_t times,
                                   std::size_t* passing, std::uint32_t* seen,
                                   std::size_t n_seen) noexcept {
    PassingModules near;
    for (std::size_t i = 0; i < n_seen; ++i) {
        const std::uint32_t m = seen[i];
        const std::size_t n = modules.module_size(m);
        if (passing[m] >= least_passing(linkage, n * times)) {
            seen[near.n_modules++] = m;
            near.n_boxes += n;
        }
        passing[m] = 0;
    }
    return near;
}

// Computing categories one by one pays if it spares most of them.
inline bool few_are_near(std::size_t n_near, std::size_t n) { return 4 * n_near < n; }

}  // namespace resonart
