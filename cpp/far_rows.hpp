// Rows that are few and far away from all others: sensor glitches, say. They would take up nearly
// all of a feature's range, and all other rows would look alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bounds.hpp"

namespace resonart {

// A row is far if it lies so many times farther away than the others lie apart ...
constexpr double kFar = 10.0;
// ... the others being all but a few at either end: one row in so many, or one row. ...
constexpr double kFewIn = 100.0;
// ... Of fewer rows than these, any may look far.
constexpr double kLeastToTell = 32.0;

// Whether a row is far from all that lies within these ranges.
inline bool is_far(const double* row, const Bounds& bounds) noexcept {
    for (std::size_t f = 0; f < bounds.size(); ++f) {
        const double reach = kFar * (bounds.high(f) - bounds.low(f));
        if (!(reach > 0.0)) continue;  // there is nothing that could look alike
        if (row[f] < bounds.low(f) - reach || row[f] > bounds.high(f) + reach) return true;
    }
    return false;
}

// Of n rows, or means of rows, value(j, f) and weight(j): which are far in a feature, outside of
// the range that was given for it, if any was. Empty where none is, or where together they are not
// few.
template <class Value, class Weight>
std::vector<std::uint8_t> far_rows(std::size_t n, std::size_t d, Value&& value, Weight&& weight,
                                   const Bounds& given) {
    std::vector<std::uint8_t> far;
    double total = 0.0;
    for (std::size_t j = 0; j < n; ++j) total += weight(j);
    if (!(total >= kLeastToTell)) return far;
    const double few = std::max(1.0, total / kFewIn);
    // Where some are far, few are left in the first or last quarter of the range. Nearly always
    // this is enough to see that none is.
    std::vector<double> low(d), high(d), first(d, 0.0), last(d, 0.0);
    for (std::size_t f = 0; f < d; ++f) low[f] = high[f] = value(0, f);
    for (std::size_t j = 1; j < n; ++j) {
        for (std::size_t f = 0; f < d; ++f) {
            low[f] = std::min(low[f], value(j, f));
            high[f] = std::max(high[f], value(j, f));
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t f = 0; f < d; ++f) {
            const double quarter = high[f] / 4.0 - low[f] / 4.0;
            if (value(j, f) <= low[f] + quarter) first[f] += weight(j);
            if (value(j, f) >= high[f] - quarter) last[f] += weight(j);
        }
    }
    std::vector<std::pair<double, double>> sorted;  // values with weights
    for (std::size_t f = 0; f < d; ++f) {
        if (given.known() && given.inside(f, low[f]) && given.inside(f, high[f])) continue;
        // (A little more than few, for sums are rounded.)
        if (std::min(first[f], last[f]) > 1.001 * few) continue;
        sorted.clear();
        for (std::size_t j = 0; j < n; ++j) sorted.emplace_back(value(j, f), weight(j));
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::size_t from = 0, to = n - 1;
        for (double sum = sorted[0].second; sum <= few && from + 1 < n;
             sum += sorted[from].second) {
            ++from;
        }
        for (double sum = sorted[to].second; sum <= few && to > 0; sum += sorted[to].second) --to;
        const double lowest = sorted[from].first, highest = sorted[to].first;
        const double reach = kFar * (highest - lowest);
        if (!(reach > 0.0)) continue;
        const double least =
            given.known() ? std::min(lowest - reach, given.low(f)) : lowest - reach;
        const double most =
            given.known() ? std::max(highest + reach, given.high(f)) : highest + reach;
        for (std::size_t j = 0; j < n; ++j) {
            if (value(j, f) >= least && value(j, f) <= most) continue;
            far.resize(n, 0);
            far[j] = 1;
        }
    }
    double weight_of_far = 0.0;
    for (std::size_t j = 0; j < far.size(); ++j) {
        if (far[j]) weight_of_far += weight(j);
    }
    if (weight_of_far > few) far.clear();
    return far;
}

}  // namespace resonart
