// The hyperboxes: complement-coded weights w = (u, 1-v), their norms, instance counts and owners.
//
// Weights are stored feature by feature within blocks of kLanes categories (see kernels.hpp), so
// that a sample is compared with eight categories at once and appending never moves old ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "buffer.hpp"
#include "kernels.hpp"

namespace resonart {

inline std::size_t whole_blocks(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

class Categories {
public:
    Categories() = default;
    explicit Categories(std::size_t n_features) : width_(2 * n_features) {}

    std::size_t size() const { return count_.size(); }
    std::size_t width() const { return width_; }
    std::size_t n_features() const { return width_ / 2; }

    double norm(std::size_t j) const { return norm_[j]; }
    std::int64_t count(std::size_t j) const { return count_[j]; }
    std::uint32_t owner(std::size_t j) const { return owner_[j]; }
    const std::uint32_t* owners() const { return owner_.data(); }
    const std::int64_t* counts() const { return count_.data(); }
    double weight(std::size_t j, std::size_t f) const { return column(j)[f * kLanes]; }

    StoreView view(double alpha) const {
        return {weights_.data(), norm_.data(), size(), width_, alpha};
    }

    void copy_weight(std::size_t j, double* out) const {
        const double* w = column(j);
        for (std::size_t f = 0; f < width_; ++f) out[f] = w[f * kLanes];
    }

    // |x ∧ w_j|, as the kernels sum it.
    double overlap(std::size_t j, const double* x) const {
        const double* w = column(j);
        double sum = 0.0;
        for (std::size_t f = 0; f < width_; ++f) {
            const double wf = w[f * kLanes];
            sum += x[f] < wf ? x[f] : wf;
        }
        return sum;
    }

    // Room for `n` categories in all. Throws std::bad_alloc, changing nothing that can be seen.
    void reserve(std::size_t n) {
        if (n > std::numeric_limits<std::uint32_t>::max() - 1) throw std::bad_alloc();
        const std::size_t padded = whole_blocks(n);
        if (width_ && padded > std::numeric_limits<std::size_t>::max() / width_) {
            throw std::bad_alloc();
        }
        weights_.reserve(padded * width_);
        norm_.reserve(padded);
        count_.reserve(n);
        owner_.reserve(n);
    }

    // Needs room reserved before.
    void append(const double* w, std::int64_t count, std::uint32_t owner) noexcept {
        const std::size_t j = size();
        if (j % kLanes == 0) {
            weights_.append(0.0, width_ * kLanes);
            norm_.append(0.0, kLanes);
        }
        count_.push(count);
        owner_.push(owner);
        set_weight(j, w);
    }

    void set_weight(std::size_t j, const double* w) noexcept {
        double* mine = column(j);
        double sum = 0.0;
        for (std::size_t f = 0; f < width_; ++f) {
            mine[f * kLanes] = w[f];
            sum += w[f];
        }
        norm_[j] = sum;
    }

    // w <- (1-β) w + β (x ∧ w), Eq. (4); the category has then encoded `samples` more.
    void learn(std::size_t j, const double* x, double beta, std::int64_t samples) noexcept {
        double* w = column(j);
        double sum = 0.0;
        const double keep = 1.0 - beta;
        for (std::size_t f = 0; f < width_; ++f) {
            const double old = w[f * kLanes];
            const double met = x[f] < old ? x[f] : old;
            const double now = keep * old + beta * met;
            w[f * kLanes] = now;
            sum += now;
        }
        norm_[j] = sum;
        count_[j] += samples;
    }

    // w_j <- w_j ∧ (category i of another store), elementwise.
    void meet(std::size_t j, const Categories& other, std::size_t i) noexcept {
        double* w = column(j);
        const double* v = other.column(i);
        double sum = 0.0;
        for (std::size_t f = 0; f < width_; ++f) {
            const double vf = v[f * kLanes];
            if (vf < w[f * kLanes]) w[f * kLanes] = vf;
            sum += w[f * kLanes];
        }
        norm_[j] = sum;
    }
    void fill_weight(std::size_t j, double value) noexcept {
        for (std::size_t f = 0; f < width_; ++f) column(j)[f * kLanes] = value;
    }

    // Every weight entry w(j, f) becomes change(f, w); norms follow.
    template <class Change>
    void transform(Change&& change) noexcept {
        for (std::size_t j = 0; j < size(); ++j) {
            double* w = column(j);
            double sum = 0.0;
            for (std::size_t f = 0; f < width_; ++f) {
                w[f * kLanes] = change(f, w[f * kLanes]);
                sum += w[f * kLanes];
            }
            norm_[j] = sum;
        }
    }

    bool same_weights(const Categories& other) const {
        if (size() != other.size() || weights_.size() != other.weights_.size()) return false;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            if (weights_[i] != other.weights_[i]) return false;
        }
        return true;
    }

    void clear() noexcept {
        weights_.clear();
        norm_.clear();
        count_.clear();
        owner_.clear();
    }

private:
    double* column(std::size_t j) {
        return weights_.data() + j / kLanes * kLanes * width_ + j % kLanes;
    }
    const double* column(std::size_t j) const {
        return weights_.data() + j / kLanes * kLanes * width_ + j % kLanes;
    }

    std::size_t width_ = 0;
    Buffer<double> weights_;
    Buffer<double> norm_;
    Buffer<std::int64_t> count_;
    Buffer<std::uint32_t> owner_;
};

}  // namespace resonart
