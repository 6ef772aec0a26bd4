// The mean of each category's rows, in the user's units; and, while every category stands for equal
// rows, a table that finds the category of a row without a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "buffer.hpp"
#include "journal.hpp"
#include "kernels.hpp"

namespace resonart {

class RowMeans {
public:
    RowMeans() = default;
    explicit RowMeans(std::size_t n_features) : width_(n_features) {}

    std::size_t size() const { return width_ ? mean_.size() / width_ : 0; }
    const double* data() const { return mean_.data(); }
    const double* operator[](std::size_t j) const { return mean_.data() + j * width_; }

    // Whether rows can be found. From `stop_finding` on they cannot.
    bool can_find() const { return finds_; }
    void stop_finding() noexcept {
        finds_ = false;
        head_ = Buffer<std::uint32_t>();
        next_ = Buffer<std::uint32_t>();
    }

    // The category whose rows all equal this one, or kNone.
    std::int64_t find(const double* row) const noexcept {
        if (!head_.size()) return kNone;
        for (std::uint32_t j = head_[bucket(row)]; j != kEnd; j = next_[j]) {
            if (equals(j, row)) return j;
        }
        return kNone;
    }

    // Room for so many in all, and for the notes of one row; throws std::bad_alloc, changing
    // nothing that can be seen.
    void reserve(std::size_t n) {
        mean_.reserve(n * width_);
        if (journal_.is_kept()) {
            journal_.reserve_more(1);
            noted_.reserve(noted_.size() + width_);
        }
        if (!finds_) return;
        next_.reserve(n);
        if (n > head_.size()) hash_anew(n);
    }

    // The next three need room reserved before.
    void append(const double* row) noexcept {
        const auto j = static_cast<std::uint32_t>(size());
        mean_.append(row, width_);
        if (!finds_) return;
        std::uint32_t& head = head_[bucket(row)];
        next_.push(head);
        head = j;
    }
    // One row more; the category weighs so much then.
    void learn(std::size_t j, const double* row, double weight) noexcept {
        join(j, row, weight - 1.0, 1.0);
    }
    // The mean of `before` rows becomes that of these and of `more` others, of a mean of their own.
    // A mean of equal rows stays the row itself.
    void join(std::size_t j, const double* other, double before, double more) noexcept {
        note(j);
        const double share = more / (before + more);
        double* mean = mean_.data() + j * width_;
        for (std::size_t f = 0; f < width_; ++f) mean[f] += (other[f] - mean[f]) * share;
    }

    // Keeps those for which keep(j) holds, in order.
    template <class Keep>
    void keep_if(Keep&& keep) noexcept {
        std::size_t kept = 0;
        for (std::size_t j = 0; j < size(); ++j) {
            if (!keep(j)) continue;
            if (kept != j) {
                std::memcpy(mean_.data() + kept * width_, (*this)[j], width_ * sizeof(double));
            }
            ++kept;
        }
        mean_.shrink(kept * width_);
        if (finds_) list_all();
    }

    // Undo, as journal.hpp says.
    void note_changes() { journal_.begin(size()); }
    void forget_changes() noexcept {
        journal_.end();
        journal_.clear_notes(noted_);
    }
    void undo_changes() noexcept {
        if (!journal_.is_kept()) return;
        const std::size_t n = journal_.size_before();
        // Each is the first in its list when those after it are gone.
        for (std::size_t j = size(); finds_ && j-- > n;) head_[bucket((*this)[j])] = next_[j];
        if (finds_) next_.shrink(n);
        mean_.shrink(n * width_);
        for (std::size_t i = 0; i < journal_.size(); ++i) {
            std::memcpy(mean_.data() + journal_.which(i) * width_, noted_.data() + i * width_,
                        width_ * sizeof(double));
        }
        forget_changes();
    }

private:
    static constexpr std::uint32_t kEnd = 0xffffffffu;

    bool equals(std::size_t j, const double* row) const noexcept {
        const double* mean = (*this)[j];
        for (std::size_t f = 0; f < width_; ++f) {
            if (mean[f] != row[f]) return false;
        }
        return true;
    }

    std::size_t bucket(const double* row) const noexcept {
        std::uint64_t hash = 0x9e3779b97f4a7c15u;
        for (std::size_t f = 0; f < width_; ++f) {
            const double value = row[f] + 0.0;  // both zeros are one number
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
            hash ^= hash >> 32;
        }
        return static_cast<std::size_t>(hash) & (head_.size() - 1);
    }

    void hash_anew(std::size_t n) {
        std::size_t n_buckets = 64;
        while (n_buckets < 2 * n) n_buckets *= 2;
        Buffer<std::uint32_t> head;
        head.assign(n_buckets, kEnd);
        head_ = std::move(head);
        list_all();
    }
    // In order, as if each had just come.
    void list_all() noexcept {
        for (std::uint32_t& head : head_) head = kEnd;
        next_.clear();
        for (std::size_t j = 0; j < size(); ++j) {
            std::uint32_t& head = head_[bucket((*this)[j])];
            next_.push(head);
            head = static_cast<std::uint32_t>(j);
        }
    }

    // Before mean j is changed.
    void note(std::size_t j) noexcept {
        if (!journal_.wants(j)) return;
        journal_.note(j, 0);
        noted_.append((*this)[j], width_);
    }

    std::size_t width_ = 0;
    Buffer<double> mean_;
    bool finds_ = true;
    Buffer<std::uint32_t> head_;  // of each list, the last that came
    Buffer<std::uint32_t> next_;  // of each category, the one before it in its list
    Journal<std::uint8_t> journal_;
    Buffer<double> noted_;  // of each note, one mean after the other
};

}  // namespace resonart
