// The six ways a module speaks for its categories (the paper's tables of activation and match
// functions for DDVFA and Merge ART).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace resonart {

enum class Linkage { single, complete, median, average, weighted, centroid };

// Running value of one module under every linkage that can be taken value by value.
// `median` needs all values at once, `centroid` one vector: neither passes through here.
class Gathered {
public:
    static double start(Linkage linkage) {
        if (linkage == Linkage::single) return -std::numeric_limits<double>::infinity();
        if (linkage == Linkage::complete) return std::numeric_limits<double>::infinity();
        return 0.0;
    }
    // `share` is the value's a priori probability, used by weighted linkage alone.
    static double add(Linkage linkage, double so_far, double value, double share) {
        switch (linkage) {
            case Linkage::single:
                return value > so_far ? value : so_far;
            case Linkage::complete:
                return value < so_far ? value : so_far;
            case Linkage::weighted:
                return so_far + share * value;
            default:
                return so_far + value;
        }
    }
    static double finish(Linkage linkage, double so_far, std::size_t n) {
        return linkage == Linkage::average ? so_far / static_cast<double>(n) : so_far;
    }
};

// The ordinary median; the mean of the two middle values of an even number. Reorders `values`.
inline double median(double* values, std::size_t n) {
    double* const middle = values + n / 2;
    std::nth_element(values, middle, values + n);
    if (n % 2) return *middle;
    const double below = *std::max_element(values, middle);
    return (below + *middle) / 2.0;
}

}  // namespace resonart
