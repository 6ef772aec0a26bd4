// The row that each category stands for, in the user's units, and how often it came; a table that
// finds the category of a row without a search; and the lots of rows, by which they are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/buffer.hpp"
#include "base/journal.hpp"
#include "boxes/kernels.hpp"

namespace resonart {

class CategoryRows {
public:
    CategoryRows() = default;
    explicit CategoryRows(std::size_t n_features) : width_(n_features) {}

    std::size_t size() const { return width_ ? row_.size() / width_ : 0; }
    const double* data() const { return row_.data(); }
    const double* operator[](std::size_t j) const { return row_.data() + j * width_; }
    // How many rows were equal to it, while it was a category.
    std::int64_t repeats(std::size_t j) const { return repeats_[j]; }

    // A number in [0, 1) that looks drawn at random, and follows from the row's values alone: equal
    // rows have the same lot, in every model.
    double lot(const double* row) const noexcept { return lot(hash(row)); }
    static double lot(std::uint64_t hash) noexcept {
        std::uint64_t mixed = hash + 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53;
    }

    // The category of an equal row, the last that came, or kNone.
    std::int64_t find(const double* row) const noexcept {
        if (!head_.size()) return kNone;
        for (std::uint32_t j = head_[bucket(row)]; j != kEnd; j = next_[j]) {
            if (equals(j, row)) return j;
        }
        return kNone;
    }

    // Room for so many in all; throws std::bad_alloc, changing nothing that can be seen.
    void reserve(std::size_t n) {
        row_.reserve(n * width_);
        repeats_.reserve(n);
        journal_.reserve_more(1);
        next_.reserve(n);
        if (n > head_.size()) rehash(n);
    }

    // These need room reserved before.
    void append(const double* row, std::int64_t repeats) noexcept {
        const auto j = static_cast<std::uint32_t>(size());
        row_.append(row, width_);
        repeats_.push(repeats);
        std::uint32_t& head = head_[bucket(row)];
        next_.push(head);
        head = j;
    }

    void add_repeats(std::size_t j, std::int64_t repeats) noexcept {
        journal_.note(j, repeats_[j]);
        repeats_[j] += repeats;
    }

    // Keeps those for which keep(j) holds, in order.
    template <class Keep>
    void keep_if(Keep&& keep) noexcept {
        std::size_t kept = 0;
        for (std::size_t j = 0; j < size(); ++j) {
            if (!keep(j)) continue;
            if (kept != j) {
                std::memcpy(row_.data() + kept * width_, (*this)[j], width_ * sizeof(double));
                repeats_[kept] = repeats_[j];
            }
            ++kept;
        }
        row_.shrink(kept * width_);
        repeats_.shrink(kept);
        list_all();
    }

    // Undo, as journal.hpp says: rows only ever come, once or again.
    void note_changes() { journal_.begin(size()); }
    void forget_changes() noexcept { journal_.end(); }
    void undo_changes() noexcept {
        if (!journal_.is_kept()) return;
        const std::size_t n = journal_.size_before();
        // Each is the first in its list when those after it are gone.
        for (std::size_t j = size(); j-- > n;) head_[bucket((*this)[j])] = next_[j];
        next_.shrink(n);
        row_.shrink(n * width_);
        repeats_.shrink(n);
        for (std::size_t i = 0; i < journal_.size(); ++i) {
            repeats_[journal_.which(i)] = journal_.value(i);
        }
        forget_changes();
    }

    bool equals(std::size_t j, const double* row) const noexcept {
        const double* own = (*this)[j];
        for (std::size_t f = 0; f < width_; ++f) {
            if (own[f] != row[f]) return false;
        }
        return true;
    }

    // Equal for equal rows, and for hardly any others.
    std::uint64_t hash(const double* row) const noexcept {
        std::uint64_t hash = 0x9e3779b97f4a7c15u;
        for (std::size_t f = 0; f < width_; ++f) {
            const double value = row[f] + 0.0;  // both zeros are one number
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
            hash ^= hash >> 32;
        }
        return hash;
    }

private:
    static constexpr std::uint32_t kEnd = 0xffffffffu;

    std::size_t bucket(const double* row) const noexcept {
        return static_cast<std::size_t>(hash(row)) & (head_.size() - 1);
    }

    void rehash(std::size_t n) {
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

    std::size_t width_ = 0;
    Buffer<double> row_;
    Buffer<std::int64_t> repeats_;
    Buffer<std::uint32_t> head_;  // of each list, the last that came
    Buffer<std::uint32_t> next_;  // of each category, the one before it in its list
    Journal<std::int64_t> journal_;
};

}  // namespace resonart
