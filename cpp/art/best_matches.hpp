// The few clusters that match a sample best, out of the matches of all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"
#include "boxes/kernels.hpp"

namespace resonart {

class BestMatches {
public:
    explicit BestMatches(std::size_t most) : most_(most) {}

    // Room for the matches of so many clusters.
    void prepare(std::size_t n_clusters) {
        all_.resize_uninitialised(n_clusters);
        number_.resize_uninitialised(n_clusters);
    }
    double* all() { return all_.data(); }

    // The best `most`, by falling match, equal ones by number; a match below 0 is that of a cluster
    // which is not there. Places that are left get kNone and 0. Each of both arrays has `most`
    // places.
    void choose(std::int64_t* cluster, double* match) noexcept {
        std::size_t n_there = 0;
        for (std::size_t m = 0; m < all_.size(); ++m) {
            if (all_[m] >= 0.0) number_[n_there++] = static_cast<std::uint32_t>(m);
        }
        const std::size_t n = std::min(most_, n_there);
        std::partial_sort(number_.begin(), number_.begin() + n, number_.begin() + n_there,
                          [&](std::uint32_t a, std::uint32_t b) {
                              return all_[a] > all_[b] || (all_[a] == all_[b] && a < b);
                          });
        for (std::size_t i = 0; i < n; ++i) {
            cluster[i] = number_[i];
            match[i] = all_[number_[i]];
        }
        std::fill(cluster + n, cluster + most_, kNone);
        std::fill(match + n, match + most_, 0.0);
    }

private:
    std::size_t most_;
    Buffer<double> all_;
    Buffer<std::uint32_t> number_;
};

}  // namespace resonart
