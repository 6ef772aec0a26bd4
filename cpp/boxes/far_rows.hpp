// Rows that are few and far away from all others: sensor glitches, say. They would take up nearly
// all of a feature's range, and all other rows would look alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bounds.hpp"

namespace resonart {

// A row is far if it lies so many times farther away than the others lie apart. The others are all
// but a few at either end: one row in so many, or one row.
struct FarRule {
    double times, few_in;
    bool spares_known;  // what is in a cluster that was read stays, and what is near that
};
// The farther away rows are, the more of them may be left out, and the less counts what they are
// part of: in ranges stretched that much, nothing else can be told apart.
constexpr FarRule kFarRules[] = {{10.0, 100.0, true}, {10'000.0, 10.0, false}};
// Rows that lie together may be a cluster, if these are more than one in so many, or as many as a
// cluster is to have.
constexpr double kGroupIn = 50.0;
// Of fewer rows than these, any may look far.
constexpr double kLeastToTell = 32.0;

// Whether a row is far from all that lies within these ranges.
inline bool is_far(const double* row, const Bounds& bounds) noexcept {
    for (std::size_t f = 0; f < bounds.size(); ++f) {
        const double reach = kFarRules[0].times * (bounds.high(f) - bounds.low(f));
        if (!(reach > 0.0)) continue;  // there is nothing that could look alike
        if (row[f] < bounds.low(f) - reach || row[f] > bounds.high(f) + reach) return true;
    }
    return false;
}

// Finds those among n rows, or means of rows, value(j, f) and weight(j), that are far in a feature
// and outside of the range that was given for it, if any was.
template <class Value, class Weight>
class FarRows {
public:
    FarRows(std::size_t n, std::size_t d, Value value, Weight weight, const Bounds& given)
        : n_(n), d_(d), value_(value), weight_(weight), given_(given) {
        for (std::size_t j = 0; j < n_; ++j) total_ += weight_(j);
    }
    double total() const { return total_; }

    // Whether each is far; empty where none is. A cluster is to have `asked` rows; 0: any number.
    // `is_known(j)`: whether it is in a cluster.
    template <class IsKnown>
    std::vector<std::uint8_t> find(double asked, IsKnown&& is_known) {
        std::vector<std::uint8_t> found;
        asked_ = asked;
        if (!(total_ >= kLeastToTell)) return found;
        const std::vector<std::size_t> features = suspects();
        for (const FarRule& rule : kFarRules) {
            const double few = std::max(1.0, total_ / rule.few_in);
            std::vector<std::uint8_t> far(n_, 0);
            for (const std::size_t f : features) mark(f, rule, few, is_known, far);
            double together = 0.0;
            for (std::size_t j = 0; j < n_; ++j) together += far[j] ? weight_(j) : 0.0;
            if (!(together > 0.0) || together > few) continue;
            found.resize(n_, 0);
            for (std::size_t j = 0; j < n_; ++j) found[j] |= far[j];
        }
        return found;
    }

private:
    static constexpr std::size_t kParts = 16;

    // Features in which any row can be far: nearly all then lie within less than a tenth of the
    // range, and so in three of its sixteenths.
    std::vector<std::size_t> suspects() const {
        std::vector<double> low(d_), high(d_), parts(d_ * kParts, 0.0);
        for (std::size_t f = 0; f < d_; ++f) low[f] = high[f] = value_(0, f);
        for (std::size_t j = 1; j < n_; ++j) {
            for (std::size_t f = 0; f < d_; ++f) {
                low[f] = std::min(low[f], value_(j, f));
                high[f] = std::max(high[f], value_(j, f));
            }
        }
        for (std::size_t j = 0; j < n_; ++j) {
            for (std::size_t f = 0; f < d_; ++f) {
                if (!(high[f] > low[f])) continue;
                const double share = (value_(j, f) - low[f]) / (high[f] - low[f]);
                const auto part = static_cast<std::size_t>(share * static_cast<double>(kParts));
                parts[f * kParts + std::min(part, kParts - 1)] += weight_(j);
            }
        }
        double few = 1.0;
        for (const FarRule& rule : kFarRules) few = std::max(few, total_ / rule.few_in);
        std::vector<std::size_t> found;
        for (std::size_t f = 0; f < d_; ++f) {
            if (given_.known() && given_.inside(f, low[f]) && given_.inside(f, high[f])) continue;
            double most = 0.0;
            for (std::size_t p = f * kParts; p < (f + 1) * kParts - 2; ++p) {
                most = std::max(most, parts[p] + parts[p + 1] + parts[p + 2]);
            }
            if (most >= (total_ - 2.0 * few) * 0.999) found.push_back(f);  // sums are rounded
        }
        return found;
    }

    template <class IsKnown>
    void mark(std::size_t f, const FarRule& rule, double few, IsKnown&& is_known,
              std::vector<std::uint8_t>& far) {
        sorted_.clear();
        for (std::size_t j = 0; j < n_; ++j) sorted_.emplace_back(value_(j, f), j);
        std::sort(sorted_.begin(), sorted_.end());
        std::size_t from = 0, to = n_ - 1;
        for (double sum = weight_at(0); sum <= few && from + 1 < n_; sum += weight_at(from)) ++from;
        for (double sum = weight_at(to); sum <= few && to > 0; sum += weight_at(to)) --to;
        const double lowest = sorted_[from].first, highest = sorted_[to].first;
        const double reach = rule.times * (highest - lowest);
        if (!(reach > 0.0)) return;  // there is nothing that could look alike
        double least = lowest - reach, most = highest + reach;
        if (given_.known()) {
            least = std::min(least, given_.low(f));
            most = std::max(most, given_.high(f));
        }
        const double near = kFarRules[0].times * (highest - lowest);
        for (std::size_t i = 0; i < n_; ++i) {
            const double v = sorted_[i].first;
            if (v >= least && v <= most) continue;
            double sum = 0.0;
            const auto counts = [&](std::size_t k) {
                const bool is_spared = rule.spares_known && is_known(sorted_[k].second);
                return is_spared ? total_ : weight_at(k);
            };
            for (std::size_t k = i; k < n_ && sorted_[k].first - v <= near; ++k) {
                if (is_group(sum)) break;
                sum += counts(k);
            }
            for (std::size_t k = i; k-- > 0 && v - sorted_[k].first <= near;) {
                if (is_group(sum)) break;
                sum += counts(k);
            }
            if (!is_group(sum)) far[sorted_[i].second] = 1;
        }
    }
    bool is_group(double rows) const {
        return rows > std::max(1.0, total_ / kGroupIn) || (asked_ > 0.0 && rows >= asked_);
    }
    double weight_at(std::size_t i) const { return weight_(sorted_[i].second); }

    std::size_t n_, d_;
    Value value_;
    Weight weight_;
    const Bounds& given_;
    double total_ = 0.0, asked_ = 0.0;
    std::vector<std::pair<double, std::size_t>> sorted_;  // values, with their rows
};

}  // namespace resonart
