// Feature ranges: what a row becomes before it is complement coded, and how boxes move when a
// range widens.
#pragma once

#include <cstddef>

#include "base/buffer.hpp"

namespace resonart {

class Bounds {
public:
    bool known() const { return low_.size() != 0; }
    std::size_t size() const { return low_.size(); }
    double low(std::size_t f) const { return low_[f]; }
    double high(std::size_t f) const { return high_[f]; }

    void set(const double* low, const double* high, std::size_t d) {
        low_.reserve(d);
        high_.reserve(d);
        clear();
        low_.append(low, d);
        high_.append(high, d);
    }
    void clear() noexcept {
        low_.clear();
        high_.clear();
    }

    bool is_same(std::size_t f, const Bounds& other) const {
        return low_[f] == other.low_[f] && high_[f] == other.high_[f];
    }
    bool inside(std::size_t f, double value) const { return value >= low_[f] && value <= high_[f]; }
    bool contains(const double* row) const {
        for (std::size_t f = 0; f < size(); ++f) {
            if (!inside(f, row[f])) return false;
        }
        return true;
    }

    void include(const double* row) noexcept {
        for (std::size_t f = 0; f < size(); ++f) {
            if (row[f] < low_[f]) low_[f] = row[f];
            if (row[f] > high_[f]) high_[f] = row[f];
        }
    }

    // x = (s, 1-s), s the row scaled linearly to [0, 1]. A constant feature gives 0, and what
    // lies outside the range is clipped. (No branches: the compiler makes vectors of it.)
    void code(const double* row, double* x) const noexcept {
        const std::size_t d = size();
        const double* low = low_.data();
        const double* high = high_.data();
        for (std::size_t f = 0; f < d; ++f) {
            const double above = row[f] > low[f] ? row[f] : low[f];
            const double value = above < high[f] ? above : high[f];
            const double range = high[f] - low[f];
            x[f] = (value - low[f]) / (range > 0.0 ? range : 1.0);
        }
        for (std::size_t f = 0; f < d; ++f) x[d + f] = 1.0 - x[f];
    }

    // A weight entry under these bounds -> the entry under `wider` ones that keeps the box where
    // it is in the user's units. Entries of features whose range is the same stay bit for bit.
    double move_entry(std::size_t entry, double w, const Bounds& wider) const noexcept {
        const std::size_t d = size();
        const bool complement = entry >= d;
        const std::size_t f = complement ? entry - d : entry;
        if (is_same(f, wider)) return w;
        const double corner = complement ? 1.0 - w : w;
        const double moved = wider.position(f, low_[f] + corner * (high_[f] - low_[f]));
        return complement ? 1.0 - moved : moved;
    }

private:
    double position(std::size_t f, double value) const noexcept {
        const double range = high_[f] - low_[f];
        if (!(range > 0.0) || value <= low_[f]) return 0.0;
        if (value >= high_[f]) return 1.0;
        return (value - low_[f]) / range;
    }

    Buffer<double> low_, high_;
};

}  // namespace resonart
