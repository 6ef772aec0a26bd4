// One row at a time, complement-coded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bounds.hpp"
#include "base/buffer.hpp"
#include "boxes/finder.hpp"

namespace resonart {

// A row left the feature ranges of a model that does not allow it.
struct OutsideBounds {
    std::int64_t row;
    std::size_t feature;
    double value, low, high;
};

// Room for one coded row; and, where the algorithm asks for it, for the row itself.
template <bool KeepsRow>
class Coded {
public:
    void prepare(std::size_t n_features) {
        exact_.resize_uninitialised(2 * n_features);
        rough_.resize_uninitialised(2 * n_features);
        if (KeepsRow) clipped_.resize_uninitialised(n_features);
    }
    Sample code(const double* row, const Bounds& bounds) noexcept {
        bounds.code(row, exact_.data());
        for (std::size_t f = 0; f < exact_.size(); ++f) rough_[f] = static_cast<float>(exact_[f]);
        row_ = row;
        if (KeepsRow && !bounds.contains(row)) {  // a row is what it counts as
            for (std::size_t f = 0; f < clipped_.size(); ++f) {
                clipped_[f] = std::min(std::max(row[f], bounds.low(f)), bounds.high(f));
            }
            row_ = clipped_.data();
        }
        return last();
    }
    // A row that lies outside: nothing is near it.
    Sample code_outside(const double* row) noexcept {
        for (std::size_t f = 0; f < exact_.size(); ++f) exact_[f] = rough_[f] = 0.0f;
        row_ = row;
        return last();
    }
    Sample last() const noexcept { return {exact_.data(), rough_.data(), nullptr, row_}; }

private:
    Buffer<double> exact_, clipped_;
    Buffer<float> rough_;
    const double* row_ = nullptr;
};

}  // namespace resonart
