// The hyperboxes: complement-coded weights w = (u, 1-v), their norms, instance counts and owners.
//
// Weights are stored feature by feature within blocks of kLanes categories (see kernels.hpp), so
// that a sample is compared with several categories at once and appending never moves old ones.
// A copy as floats serves the rough first look, and an index is kept where it pays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "base/buffer.hpp"
#include "base/journal.hpp"
#include "base/label_maps.hpp"
#include "boxes/index.hpp"
#include "boxes/kernels.hpp"

namespace resonart {

// Rounded up to whole blocks, exact and rough alike.
inline std::size_t whole_blocks(std::size_t n) {
    static_assert(kRoughLanes % kLanes == 0, "a rough block stands for whole exact ones");
    return (n + kRoughLanes - 1) / kRoughLanes * kRoughLanes;
}

class Categories {
public:
    Categories() = default;
    explicit Categories(std::size_t n_features) : width_(2 * n_features), index_(2 * n_features) {}

    std::size_t size() const { return count_.size(); }
    std::size_t width() const { return width_; }
    std::size_t n_features() const { return width_ / 2; }

    double norm(std::size_t j) const { return norm_[j]; }
    std::int64_t count(std::size_t j) const { return count_[j]; }
    std::uint32_t owner(std::size_t j) const { return owner_[j]; }
    const std::uint32_t* owners() const { return owner_.data(); }
    double weight(std::size_t j, std::size_t f) const { return column(j)[f * kLanes]; }

    // The tree over the boxes, or null where there is none.
    const BoxTree* tree() const { return index_.is_kept() ? &index_.tree() : nullptr; }
    std::uint32_t packing() const { return index_.packing(); }
    double nanoseconds_to_pack() const { return index_.nanoseconds_to_pack(); }
    void follow_advice(Advice advice) noexcept { index_.follow_advice(advice, size()); }
    bool wants_index() const { return index_.is_wanted(); }
    void do_without_index() noexcept { index_.do_without(); }
    void do_with_index() noexcept { index_.do_with(); }

    StoreView view(double alpha) const {
        return {weights_.data(), norm_.data(), rough_.data(), rough_norm_.data(),
                size(),          width_,       alpha};
    }

    void copy_weight(std::size_t j, double* out) const {
        const double* w = column(j);
        for (std::size_t f = 0; f < width_; ++f) out[f] = w[f * kLanes];
    }

    // What is asked of a category besides its weight.
    void prefetch_beside(std::size_t j) const {
        prefetch(norm_.data() + j);
        prefetch(owner_.data() + j);
        prefetch(count_.data() + j);
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

    // |w_j - (x ∧ w_j)|, as the kernels sum it.
    double gap(std::size_t j, const double* x) const {
        const double* w = column(j);
        double sum = 0.0;
        for (std::size_t f = 0; f < width_; ++f) {
            const double wf = w[f * kLanes];
            sum += wf - (x[f] < wf ? x[f] : wf);
        }
        return sum;
    }

    // Room for `n` categories in all. Throws std::bad_alloc, changing nothing that can be seen.
    void reserve(std::size_t n) {
        if (n > std::numeric_limits<std::uint32_t>::max() - 1) throw std::bad_alloc();
        reserve_store(n);
        reserve_notes(kMostRewritten);
        index_.reserve_more(
            n > size() ? n - size() : 0, size(),
            [&](std::size_t j, std::size_t f) { return weight(j, f); },
            [&](std::size_t j) { return norm(j); });
    }
    // Categories that one row rewrites at most, whatever the algorithm.
    static constexpr std::size_t kMostRewritten = 2;
    // Room for notes of so many more; throws std::bad_alloc, changing nothing.
    void reserve_notes(std::size_t n) {
        if (!journal_.is_kept()) return;
        journal_.reserve_more(n);
        noted_weights_.reserve(noted_weights_.size() + n * width_);
    }

    // Undo, as journal.hpp says.
    void note_changes() { journal_.begin(size()); }
    void forget_changes() noexcept {
        journal_.end();
        journal_.clear_notes(noted_weights_);
    }
    void undo_changes() {
        if (!journal_.is_kept()) return;
        const std::size_t n = journal_.size_before();
        reserve_store(n);
        if (size() < n) {
            index_.drop(0);  // it may have no room for them
            resize_store(n);
        } else {
            for (std::size_t j = size(); j-- > n;) index_.remove(j);
            cut(n);
        }
        for (std::size_t i = 0; i < journal_.size(); ++i) {
            const std::size_t j = journal_.which(i);
            count_[j] = journal_.value(i).count;
            owner_[j] = journal_.value(i).owner;
            const double* w = noted_weights_.data() + i * width_;
            rewrite(j, [&](std::size_t f, double) { return w[f]; });
        }
        forget_changes();
    }

    // Needs room reserved before.
    void append(const double* w, std::int64_t count, std::uint32_t owner) noexcept {
        const std::size_t j = size();
        resize_store(j + 1);
        count_[j] = count;
        owner_[j] = owner;
        write(j, [&](std::size_t f, double) { return w[f]; });
        index_.append([&](std::size_t f) { return w[f]; }, norm_[j]);
    }

    // w <- (1-β) w + β (x ∧ w), Eq. (4); the category has then encoded `samples` more.
    void learn(std::size_t j, const double* x, double beta, std::int64_t samples) noexcept {
        note(j);
        count_[j] += samples;
        if (beta == 1.0 && holds(j, x)) return;
        const double keep = 1.0 - beta;
        rewrite(j, [&](std::size_t f, double w) {
            const double met = x[f] < w ? x[f] : w;
            return keep * w + beta * met;
        });
    }

    // The category has encoded so many more rows, all of which it held already.
    void add_count(std::size_t j, std::int64_t samples) noexcept {
        note(j);
        count_[j] += samples;
    }
    void set_owner(std::size_t j, std::uint32_t owner) noexcept {
        note(j);
        owner_[j] = owner;
    }

    // Whether the box holds the coded row or weight: x ∧ w = w.
    bool holds(std::size_t j, const double* x) const noexcept {
        const double* w = column(j);
        bool all = true;
        for (std::size_t f = 0; f < width_; ++f) all &= w[f * kLanes] <= x[f];
        return all;
    }

    // w_j <- w_j ∧ (category i of another store), elementwise.
    void meet(std::size_t j, const Categories& other, std::size_t i) noexcept {
        const double* v = other.column(i);
        note(j);
        rewrite(j, [&](std::size_t f, double w) { return v[f * kLanes] < w ? v[f * kLanes] : w; });
    }

    void fill_weight(std::size_t j, double value) noexcept {
        note(j);
        rewrite(j, [&](std::size_t, double) { return value; });
    }

    // Every weight entry w(j, f) becomes change(f, w).
    template <class Change>
    void transform(Change&& change) noexcept {
        transform_each([&](std::size_t) -> Change& { return change; });
    }
    // Every weight entry w(j, f) becomes change_of(j)(f, w), one category after the other.
    template <class ChangeOf>
    void transform_each(ChangeOf&& change_of) noexcept {
        for (std::size_t j = 0; j < size(); ++j) write(j, change_of(j));
        index_.refresh([&](std::size_t j, std::size_t f) { return weight(j, f); },
                       [&](std::size_t j) { return norm(j); });
    }

    bool same_weights(const Categories& other) const {
        if (size() != other.size() || weights_.size() != other.weights_.size()) return false;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            if (weights_[i] != other.weights_[i]) return false;
        }
        return true;
    }

    // Of the categories from `first` on, keeps those for which keep(j) holds, in order; owners stay
    // with them. Where changes are noted, needs `reserve_notes` for all of these.
    template <class Keep>
    void keep_if(std::size_t first, Keep&& keep) noexcept {
        for (std::size_t j = first; j < size(); ++j) note(j);
        std::size_t kept = first;
        for (std::size_t j = first; j < size(); ++j) {
            if (!keep(j)) {
                index_.remove(j);
                continue;
            }
            if (kept != j) {
                const double* from = column(j);
                write(kept, [&](std::size_t f, double) { return from[f * kLanes]; });
                index_.renumber(j, kept);
                count_[kept] = count_[j];
                owner_[kept] = owner_[j];
            }
            ++kept;
        }
        cut(kept);
    }

    // Those for which goes(j) holds go, the others close up in order; and so do the owners that are
    // left with any. `map`, given with a place for each owner, is then old-to-new. Returns how many
    // owners are left. (A category may have none: kNoLabel.)
    template <class Goes>
    std::size_t remove(Goes&& goes, LabelMap& map) noexcept {
        for (std::uint32_t& owner : map) owner = kNoLabel;
        for (std::size_t j = 0; j < size(); ++j) {
            if (!goes(j) && owner_[j] != kNoLabel) map[owner_[j]] = 0;
        }
        std::uint32_t left = 0;
        for (std::uint32_t& owner : map) {
            if (owner != kNoLabel) owner = left++;
        }
        keep_if(0, [&](std::size_t j) { return !goes(j); });
        renumber_owners(map);
        return left;
    }
    void renumber_owners(const LabelMap& map) noexcept {
        for (std::uint32_t& owner : owner_) owner = renamed(owner, map.data());
    }

    void clear() noexcept {
        weights_.clear();
        norm_.clear();
        rough_.clear();
        rough_norm_.clear();
        count_.clear();
        owner_.clear();
        index_.clear();
    }

private:
    struct Noted {
        std::int64_t count;
        std::uint32_t owner;
    };

    // Before category j is changed.
    void note(std::size_t j) noexcept {
        if (!journal_.wants(j)) return;
        journal_.note(j, {count_[j], owner_[j]});
        noted_weights_.append(0.0, width_);
        copy_weight(j, noted_weights_.end() - width_);
    }

    void reserve_store(std::size_t n) {
        const std::size_t padded = whole_blocks(n);
        if (width_ && padded > std::numeric_limits<std::size_t>::max() / width_) {
            throw std::bad_alloc();
        }
        weights_.reserve(padded * width_);
        norm_.reserve(padded);
        rough_.reserve(padded * width_);
        rough_norm_.reserve(padded);
        count_.reserve(n);
        owner_.reserve(n);
    }

    // So many categories; those that come new are all zeros, and need room reserved before.
    void resize_store(std::size_t n) noexcept {
        const std::size_t padded = whole_blocks(n);
        resize_zeroed(weights_, padded * width_);
        resize_zeroed(norm_, padded);
        resize_zeroed(rough_, padded * width_);
        resize_zeroed(rough_norm_, padded);
        resize_zeroed(count_, n);
        resize_zeroed(owner_, n);
    }
    template <class T>
    static void resize_zeroed(Buffer<T>& values, std::size_t n) noexcept {
        if (n > values.size()) values.append(T{0}, n - values.size());
        values.shrink(n);
    }

    // The categories from n on go; the index has lost them already.
    void cut(std::size_t n) noexcept {
        index_.shrink(n);
        resize_store(n);
        // Lanes past the last hold zeros.
        for (std::size_t j = n; j < whole_blocks(n); ++j) {
            write(j, [](std::size_t, double) { return 0.0; });
        }
    }

    // Entry w of feature f becomes change(f, w); what is derived from it follows.
    template <class Change>
    void rewrite(std::size_t j, Change&& change) noexcept {
        write(j, change);
        index_.update(j, [&](std::size_t f) { return weight(j, f); }, norm_[j]);
    }

    // The same without the index. The norm is summed in feature order.
    template <class Change>
    void write(std::size_t j, Change&& change) noexcept {
        double* w = column(j);
        float* rough = rough_.data() + j / kRoughLanes * kRoughLanes * width_ + j % kRoughLanes;
        double sum = 0.0;
        for (std::size_t f = 0; f < width_; ++f) {
            const double now = change(f, w[f * kLanes]);
            w[f * kLanes] = now;
            rough[f * kRoughLanes] = static_cast<float>(now);
            sum += now;
        }
        norm_[j] = sum;
        rough_norm_[j] = static_cast<float>(sum);
    }

    double* column(std::size_t j) {
        return weights_.data() + j / kLanes * kLanes * width_ + j % kLanes;
    }
    const double* column(std::size_t j) const {
        return weights_.data() + j / kLanes * kLanes * width_ + j % kLanes;
    }

    std::size_t width_ = 0;
    Buffer<double> weights_;
    Buffer<double> norm_;
    Buffer<float> rough_, rough_norm_;
    Buffer<std::int64_t> count_;
    Buffer<std::uint32_t> owner_;
    Index index_;
    Journal<Noted> journal_;
    Buffer<double> noted_weights_;  // of each note, one weight after the other
};

}  // namespace resonart
