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

// What n values come to, one after the other.
template <Linkage linkage, class Value, class Share>
inline double gathered(std::size_t n, Value&& value, Share&& share) {
    double so_far = Gathered::start(linkage);
    for (std::size_t i = 0; i < n; ++i) {
        so_far = Gathered::add(linkage, so_far, value(i), share(i));
    }
    return Gathered::finish(linkage, so_far, n);
}
inline double no_share(std::size_t) { return 0.0; }

// The ordinary median; the mean of the two middle values of an even number. Reorders `values`.
inline double median(double* values, std::size_t n) {
    double* const middle = values + n / 2;
    std::nth_element(values, middle, values + n);
    if (n % 2) return *middle;
    const double below = *std::max_element(values, middle);
    return (below + *middle) / 2.0;
}

// The median where it reaches `bar` but is less than `enough`. Otherwise something below the bar,
// or something that is enough: counting can tell. (Of an even number exactly half of which reach
// a bar, only the two in the middle know whether their mean does.)
inline double median_if_needed(double* values, std::size_t n, double bar, double enough) {
    std::size_t passing = 0, plenty = 0;
    for (std::size_t i = 0; i < n; ++i) {
        passing += values[i] >= bar;
        plenty += values[i] >= enough;
    }
    if (2 * passing < n) return -std::numeric_limits<double>::infinity();
    if (2 * passing > n && 2 * plenty > n) return enough > bar ? enough : bar;
    return median(values, n);
}

// How many of a module's n values must reach a bar, at least, if what they come to does. (A mean
// does not exceed the highest of its values but for rounding, for which bars leave room.)
inline std::size_t least_passing(Linkage linkage, std::size_t n) {
    if (linkage == Linkage::complete) return n;
    if (linkage == Linkage::median) return (n + 1) / 2;
    return 1;
}

// Means of more values than this may be off by more than bars leave room for.
constexpr std::size_t kMostInMean = std::size_t{1} << 20;

}  // namespace resonart
