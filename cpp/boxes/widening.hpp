// Categories as they would be in wider feature ranges: for a row outside the ranges of a model that
// must stay as it is.
//
// Widening moves every weight entry by one shift and one factor a feature. So no copy of the model
// is made: single categories are moved when they are compared, all of them part by part through a
// small work space, and the rough look and the index see them through the factors. What is compared
// are the bits that `Bounds::move_entry` gives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/bounds.hpp"
#include "base/buffer.hpp"
#include "boxes/categories.hpp"
#include "boxes/kernels.hpp"

namespace resonart {

class Widening {
public:
    // Room for rows of so many features.
    void prepare(std::size_t n_features) {
        if (scale_.size()) return;
        for (Buffer<double>* each : {&low_, &range_, &wider_low_, &wider_range_}) {
            each->resize_uninitialised(n_features);
        }
        is_same_.resize_uninitialised(n_features);
        node_.resize_uninitialised((2 * n_features + 1) * kRoughLanes);
        part_ = whole_blocks(kNumbers / (2 * n_features) + 1);
        weights_.resize_uninitialised(2 * n_features * part_);
        norms_.resize_uninitialised(part_);
        scale_.resize_uninitialised(2 * n_features);
    }

    // The ranges that hold the row, too. Asks for memory the first time.
    const Bounds& include(const Bounds& bounds, const double* row) {
        from_ = &bounds;
        wider_ = bounds;
        wider_.include(row);
        return wider_;
    }

    // The coded row, to be compared with categories in the ranges before. Needs `prepare`.
    Sample see(Sample x) noexcept {
        const std::size_t d = from_->size();
        const auto width = static_cast<double>(2 * d);
        added_ = 0.0;
        steepest_ = top_ = 0.0f;
        double lost = 4.0 * kEpsilon * width * width;  // sums of doubles
        for (std::size_t f = 0; f < d; ++f) {
            is_same_[f] = from_->is_same(f, wider_);
            scale_[f] = scale_[d + f] = 1.0f;
            if (!is_same_[f]) {
                low_[f] = from_->low(f);
                range_[f] = from_->high(f) - low_[f];
                wider_low_[f] = wider_.low(f);
                wider_range_[f] = wider_.high(f) - wider_low_[f];
                scale_[f] = scale_[d + f] = static_cast<float>(range_[f] / wider_range_[f]);
                // The row has widened the range on one side. The corner on this side is where it
                // was, seen from the row; of the other, the row has nothing.
                added_ += 1.0 - range_[f] / wider_range_[f];
                // Values as large as these are rounded on the way; two entries, some operations.
                const double most = std::max(std::fabs(wider_low_[f]), std::fabs(wider_.high(f)));
                lost += 32.0 * kEpsilon * (most / wider_range_[f] + 1.0);
            }
            steepest_ = std::max(steepest_, scale_[f] * 1.001f);
            top_ += scale_[f];  // of both entries: one corner is not below the other
        }
        lost_ = static_cast<float>(lost * 1.001);
        top_ = top_ * (1.0f + 1e-7f * static_cast<float>(width)) + lost_;
        x.wider = this;
        return x;
    }

    RoughChange rough() const noexcept { return {scale_.data(), steepest_, top_}; }
    // Of all norms and, since the row has nothing of it, of all gaps: what floats do not see.
    double added() const noexcept { return added_; }
    // How far floats may be off, given how far they may be with numbers up to 1.
    float slack(float slack) const noexcept { return slack * steepest_ + lost_; }
    // Adds to the denominator of a ratio what floats do not see, at least.
    float alpha(double alpha) const noexcept {
        return static_cast<float>(alpha + std::max(0.0, added_ * (1.0 - 1e-6) - lost_));
    }
    const float* node(const float* node, std::size_t width) noexcept {
        kernels().widen_node(node, width, rough(), node_.data());
        return node_.data();
    }

    double entry(const Categories& c, std::size_t j, std::size_t f) const noexcept {
        return from_->move_entry(f, c.weight(j, f), wider_);
    }

    // What a category has in common with a row outside the ranges, measured in the ranges as they
    // are: without end below 0 the farther the row is. Where a range is a point, any other value
    // is one range away.
    double overlap_before(const Categories& c, std::size_t j, const double* row) const noexcept {
        const std::size_t d = from_->size();
        double common = c.norm(j);
        for (std::size_t f = 0; f < d; ++f) {
            const double low = from_->low(f), range = from_->high(f) - low;
            const double lower = c.weight(j, f), upper = 1.0 - c.weight(j, d + f);
            const double at = range > 0.0    ? (row[f] - low) / range
                              : row[f] < low ? -1.0
                              : row[f] > low ? 1.0
                                             : 0.0;
            if (at < lower) common -= lower - at;
            if (at > upper) common -= at - upper;
        }
        return common;
    }

    // Calls see(first, view) for all categories, some at a time; views are good until it returns.
    template <class See>
    void for_each_part(const Categories& c, double alpha, See&& see) noexcept {
        const StoreView all = c.view(alpha);
        const RangeChange change = {is_same_.data(), low_.data(), range_.data(), wider_low_.data(),
                                    wider_range_.data()};
        StoreView part = all;
        part.w = weights_.data();
        part.norm = norms_.data();
        part.rough = part.rough_norm = nullptr;
        for (std::size_t first = 0; first < all.size; first += part_) {
            part.size = std::min(part_, all.size - first);
            kernels().widen(all.w + first * all.width, (part.size + kLanes - 1) / kLanes, all.width,
                            change, weights_.data(), norms_.data());
            see(first, static_cast<const StoreView&>(part));
        }
    }

private:
    static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    // Of a part: they fit into the fastest cache, together with those they are made of.
    static constexpr std::size_t kNumbers = 1024;

    const Bounds* from_ = nullptr;
    Bounds wider_;
    Buffer<bool> is_same_;
    Buffer<double> low_, range_, wider_low_, wider_range_;  // of features
    Buffer<float> scale_;                                   // of entries
    Buffer<float> node_;                                    // of the index
    float steepest_ = 0.0f, top_ = 0.0f, lost_ = 0.0f;
    double added_ = 0.0;
    std::size_t part_ = 0;
    Buffer<double> weights_, norms_;  // of one part
};

// Calls see(first, view) for all categories, as the sample is to see them: at once, or part by
// part.
template <class See>
void for_each_part(const Categories& c, const Sample& x, double alpha, See&& see) noexcept {
    if (x.wider) {
        x.wider->for_each_part(c, alpha, see);
    } else {
        see(std::size_t{0}, c.view(alpha));
    }
}

// What a sample and category j have in common, and what the category has.
struct OverlapAndNorm {
    double overlap, norm;
};
inline OverlapAndNorm overlap_and_norm(const Categories& c, std::size_t j,
                                       const Sample& x) noexcept {
    if (!x.wider) return {c.overlap(j, x.x), c.norm(j)};
    OverlapAndNorm met = {0.0, 0.0};
    for (std::size_t f = 0; f < c.width(); ++f) {
        const double w = x.wider->entry(c, j, f);
        met.overlap += x.x[f] < w ? x.x[f] : w;
        met.norm += w;
    }
    return met;
}
inline double norm_of(const Categories& c, std::size_t j, const Sample& x) noexcept {
    return x.wider ? overlap_and_norm(c, j, x).norm : c.norm(j);
}
inline double gap_of(const Categories& c, std::size_t j, const Sample& x) noexcept {
    if (!x.wider) return c.gap(j, x.x);
    double sum = 0.0;
    for (std::size_t f = 0; f < c.width(); ++f) {
        const double w = x.wider->entry(c, j, f);
        sum += w - (x.x[f] < w ? x.x[f] : w);
    }
    return sum;
}

}  // namespace resonart
