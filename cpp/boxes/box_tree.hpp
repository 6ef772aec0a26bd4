// An index over boxes: which of thousands can be near a sample, without looking at all of them.
//
// A shallow tree. A node holds up to sixteen entries side by side, so that one look compares a
// sample with all of them: in a leaf these are categories, above they are nodes below, each entry
// being the elementwise minimum of the weights under it (their bounding box, for complement-coded
// weights) and the largest of their norms. All numbers are floats; searches leave room for their
// rounding and compute whatever may matter exactly, so no result depends on the tree.
//
// With gap(x, w) = Σ max(0, w - x), the L1 distance from x to the box, |x ∧ w| = |w| - gap. Below
// an entry no gap is smaller than its own and no norm larger than its top, so |x ∧ w| <= top - gap
// and |x ∧ w|/(α+|w|) <= (top - gap)/(α+top).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/buffer.hpp"
#include "boxes/kernels.hpp"

namespace resonart {

class BoxTree {
public:
    static constexpr std::size_t kEntries = kRoughLanes;

    BoxTree() = default;
    explicit BoxTree(std::size_t width) : width_(width) {}

    std::size_t size() const { return place_.size(); }  // boxes in it
    std::size_t width() const { return width_; }
    std::size_t height() const { return height_; }  // levels above the leaves
    std::uint32_t root() const { return root_; }

    // Number f of the node's entries lies at node(n) + f * kEntries; their tops come last.
    const float* node(std::size_t n) const { return boxes_.data() + n * stride(); }
    std::size_t n_entries(std::size_t n) const { return n_entries_[n]; }
    // A node below; in a leaf, a category.
    std::uint32_t child(std::size_t n, std::size_t slot) const {
        return child_[n * kEntries + slot];
    }

    void prefetch_children(std::size_t n) const { prefetch(child_.data() + n * kEntries); }

    // Room for so many more boxes; throws std::bad_alloc, changing nothing that can be seen. A
    // split leaves eight entries at least on each side, but what is full already splits at once.
    void reserve_more(std::size_t n) {
        const std::size_t full = n < n_nodes() ? n : n_nodes();
        const std::size_t splits = n / (kEntries / 2) + full;
        const std::size_t nodes = n_nodes() + splits + splits / 4 + height_ + 4;
        reserve_nodes(nodes);
        place_.reserve(place_.size() + n);
        scratch_.resize_uninitialised(width_ + 1);
    }

    // The box of the next category, size(), whose numbers are entry(f). Needs room.
    template <class Entry>
    void append(Entry&& entry, double norm) noexcept {
        const auto j = static_cast<std::uint32_t>(size());
        place_.push(0);
        if (n_nodes() == 0) root_ = add_node();
        float* box = scratch_.data();
        for (std::size_t f = 0; f < width_; ++f) box[f] = static_cast<float>(entry(f));
        box[width_] = static_cast<float>(norm);
        // Downwards, into whatever has to grow least.
        std::uint32_t n = root_;
        for (std::size_t level = height_; level > 0; --level) {
            const std::size_t slot = nearest(n, box);
            cover(slot_of(n, slot), kEntries, box, 1);
            n = child(n, slot);
        }
        insert(n, 0, j);
    }

    // Category j has become another box.
    template <class Entry>
    void update(std::size_t j, Entry&& entry, double norm) noexcept {
        std::uint32_t at = place_[j];
        const float* from = write(at, entry, norm);
        // Upwards, until nothing gets wider.
        while (at / kEntries != root_) {
            at = parent_[at / kEntries];
            float* to = slot_of(at);
            if (!cover(to, kEntries, from, kEntries)) return;
            from = to;
        }
    }

    // Every category has: its numbers are entry(j, f), its norm is norm(j).
    template <class Entry, class Norm>
    void refresh(Entry&& entry, Norm&& norm) noexcept {
        for (std::size_t j = 0; j < size(); ++j) {
            write(place_[j], [&](std::size_t f) { return entry(j, f); }, norm(j));
        }
        if (size()) tighten(root_, height_);
    }

    // How full nodes are packed: with room for some more, or none.
    static constexpr std::size_t kLoose = 12, kTight = kEntries;

    // A tree of n boxes, packed afresh.
    template <class Entry, class Norm>
    static BoxTree of(std::size_t width, std::size_t n, std::size_t fill, Entry&& entry,
                      Norm&& norm) {
        BoxTree tree(width);
        Buffer<std::uint32_t> order;
        order.reserve(n);
        for (std::size_t j = 0; j < n; ++j) order.push(static_cast<std::uint32_t>(j));
        tree.place_.resize_uninitialised(n);
        std::size_t room = fill;
        while (room < n) {
            room *= fill;
            ++tree.height_;
        }
        if (n) tree.root_ = tree.pack(order.begin(), order.end(), tree.height_, fill, entry, norm);
        return tree;
    }

    // Category j goes; others keep their numbers until `renumber`.
    void remove(std::size_t j) noexcept {
        std::uint32_t at = place_[j];
        for (std::size_t level = 0;; ++level) {
            const std::uint32_t n = at / kEntries;
            const std::size_t last = --n_entries_[n];
            if (at % kEntries != last) move_entry(n, last, n, at % kEntries, level);
            leave(n, last);
            if (last > 0) return;
            if (n == root_) {  // nothing is left
                height_ = 0;
                return;
            }
            at = parent_[n];
            free_.push(n);
        }
    }
    // Category `from` is now called `to`, a number that is free.
    void renumber(std::size_t from, std::size_t to) noexcept {
        place_[to] = place_[from];
        child_[place_[to]] = static_cast<std::uint32_t>(to);
    }
    // Numbers from n on are out of use.
    void shrink(std::size_t n) noexcept { place_.shrink(n); }

private:
    // Entries out of use lie beyond all samples, so that none is the most promising of its node.
    static constexpr float kNowhere = 4.0f;

    std::size_t n_nodes() const { return n_entries_.size(); }
    std::size_t stride() const { return (width_ + 1) * kEntries; }
    float* slot_of(std::size_t n, std::size_t slot) { return boxes_.data() + n * stride() + slot; }
    float* slot_of(std::uint32_t at) { return slot_of(at / kEntries, at % kEntries); }

    void reserve_nodes(std::size_t nodes) {
        boxes_.reserve(nodes * stride());
        child_.reserve(nodes * kEntries);
        n_entries_.reserve(nodes);
        parent_.reserve(nodes);
        free_.reserve(nodes);
    }

    std::uint32_t add_node() noexcept {
        if (free_.size()) {
            const std::uint32_t n = free_[free_.size() - 1];
            free_.shrink(free_.size() - 1);
            return n;
        }
        const auto n = static_cast<std::uint32_t>(n_nodes());
        boxes_.append(kNowhere, width_ * kEntries);
        boxes_.append(0.0f, kEntries);
        child_.append(std::uint32_t{0}, kEntries);
        n_entries_.push(0);
        parent_.push(0);
        return n;
    }

    template <class Entry>
    const float* write(std::uint32_t at, Entry&& entry, double norm) noexcept {
        float* to = slot_of(at);
        for (std::size_t f = 0; f < width_; ++f) to[f * kEntries] = static_cast<float>(entry(f));
        to[width_ * kEntries] = static_cast<float>(norm);
        return to;
    }

    // `to` becomes wide enough to hold `from`; numbers lie so far apart. Whether it was not.
    bool cover(float* to, std::size_t step, const float* from, std::size_t from_step) noexcept {
        bool wider = false;
        for (std::size_t f = 0; f < width_; ++f, to += step, from += from_step) {
            if (*from < *to) {
                *to = *from;
                wider = true;
            }
        }
        if (*from > *to) {
            *to = *from;
            wider = true;
        }
        return wider;
    }

    // What holds all entries of a node.
    void bounding(std::uint32_t n, float* to, std::size_t step) noexcept {
        const float* from = node(n);
        for (std::size_t f = 0; f <= width_; ++f, to += step, from += kEntries) {
            float limit = from[0];
            for (std::size_t slot = 1; slot < n_entries_[n]; ++slot) {
                limit = f < width_ ? std::min(limit, from[slot]) : std::max(limit, from[slot]);
            }
            *to = limit;
        }
    }
    void tighten(std::uint32_t n, std::size_t level) noexcept {
        if (level == 0) return;
        for (std::size_t slot = 0; slot < n_entries_[n]; ++slot) {
            tighten(child(n, slot), level - 1);
            bounding(child(n, slot), slot_of(n, slot), kEntries);
        }
    }

    std::size_t nearest(std::uint32_t n, const float* box) const noexcept {
        alignas(64) float nearness[kEntries];
        return kernels().near_gap(box, node(n), width_, HUGE_VALF, nearness).best;
    }

    // Whoever is below must know where it hangs.
    void set_child(std::uint32_t n, std::size_t slot, std::uint32_t what,
                   std::size_t level) noexcept {
        const auto at = static_cast<std::uint32_t>(n * kEntries + slot);
        child_[at] = what;
        (level == 0 ? place_ : parent_)[what] = at;
    }
    void move_entry(std::uint32_t from, std::size_t from_slot, std::uint32_t to,
                    std::size_t to_slot, std::size_t level) noexcept {
        const float* a = slot_of(from, from_slot);
        float* b = slot_of(to, to_slot);
        for (std::size_t f = 0; f <= width_; ++f) b[f * kEntries] = a[f * kEntries];
        set_child(to, to_slot, child(from, from_slot), level);
    }
    void leave(std::uint32_t n, std::size_t slot) noexcept {
        float* to = slot_of(n, slot);
        for (std::size_t f = 0; f < width_; ++f) to[f * kEntries] = kNowhere;
        to[width_ * kEntries] = 0.0f;
    }
    // The box in `scratch_`.
    void add_entry(std::uint32_t n, std::uint32_t what, std::size_t level) noexcept {
        const std::size_t slot = n_entries_[n]++;
        float* to = slot_of(n, slot);
        for (std::size_t f = 0; f <= width_; ++f) to[f * kEntries] = scratch_[f];
        set_child(n, slot, what, level);
    }

    // `what`, whose box is in `scratch_`, becomes an entry of node n; if that is full, it and
    // perhaps those above split.
    void insert(std::uint32_t n, std::size_t level, std::uint32_t what) noexcept {
        while (n_entries_[n] == kEntries) {
            const std::uint32_t fresh = split(n, what, level);
            if (n == root_) {
                root_ = add_node();
                n_entries_[root_] = 1;
                set_child(root_, 0, n, ++height_);
            }
            const std::uint32_t at = parent_[n];
            bounding(n, slot_of(at), kEntries);
            bounding(fresh, scratch_.data(), 1);
            n = at / kEntries;
            what = fresh;
            ++level;
        }
        add_entry(n, what, level);
    }

    // Half of a full node's entries and `what`, halved along the feature in which their centres
    // are farthest apart, move to a fresh one.
    std::uint32_t split(std::uint32_t n, std::uint32_t what, std::size_t level) noexcept {
        const std::size_t d = width_ / 2;
        const auto centre = [&](std::size_t i, std::size_t f) {
            const float* from = i < kEntries ? node(n) + i : scratch_.data();
            const std::size_t step = i < kEntries ? kEntries : 1;
            return from[f * step] - from[(f + d) * step];
        };
        std::size_t widest = 0;
        float most = -1.0f;
        for (std::size_t f = 0; f < d; ++f) {
            float low = centre(0, f), high = low;
            for (std::size_t i = 1; i <= kEntries; ++i) {
                low = std::min(low, centre(i, f));
                high = std::max(high, centre(i, f));
            }
            if (high - low > most) {
                most = high - low;
                widest = f;
            }
        }
        float key[kEntries + 1];
        std::uint8_t order[kEntries + 1];
        for (std::size_t i = 0; i <= kEntries; ++i) {
            key[i] = centre(i, widest);
            order[i] = static_cast<std::uint8_t>(i);
        }
        std::sort(order, order + kEntries + 1,
                  [&](std::uint8_t a, std::uint8_t b) { return key[a] < key[b]; });
        bool goes[kEntries + 1] = {};
        for (std::size_t i = kEntries / 2 + 1; i <= kEntries; ++i) goes[order[i]] = true;

        const std::uint32_t fresh = add_node();
        n_entries_[fresh] = 0;
        std::size_t kept = 0;
        for (std::size_t slot = 0; slot < kEntries; ++slot) {
            if (goes[slot]) {
                move_entry(n, slot, fresh, n_entries_[fresh]++, level);
            } else {
                if (kept != slot) move_entry(n, slot, n, kept, level);
                ++kept;
            }
        }
        n_entries_[n] = static_cast<std::uint8_t>(kept);
        for (std::size_t slot = kept; slot < kEntries; ++slot) leave(n, slot);
        add_entry(goes[kEntries] ? fresh : n, what, level);
        return fresh;
    }

    // A node over [first, last) with so many levels below it.
    template <class Entry, class Norm>
    std::uint32_t pack(std::uint32_t* first, std::uint32_t* last, std::size_t level,
                       std::size_t fill, Entry& entry, Norm& norm) {
        std::size_t room = 1;  // of what each entry stands for
        for (std::size_t l = 0; l < level; ++l) room *= fill;
        const std::size_t parts = (static_cast<std::size_t>(last - first) + room - 1) / room;
        std::uint32_t children[kEntries];
        std::size_t n_children = 0;
        const auto add = [&](std::uint32_t* begin, std::uint32_t* end) {
            children[n_children++] =
                level == 0 ? *begin : pack(begin, end, level - 1, fill, entry, norm);
        };
        divide(first, last, parts, entry, add);
        reserve_nodes(n_nodes() + 1);
        const std::uint32_t n = add_node();
        n_entries_[n] = static_cast<std::uint8_t>(n_children);
        for (std::size_t slot = 0; slot < n_children; ++slot) {
            const std::uint32_t what = children[slot];
            set_child(n, slot, what, level);
            if (level == 0) {
                write(place_[what], [&](std::size_t f) { return entry(what, f); }, norm(what));
            } else {
                bounding(what, slot_of(n, slot), kEntries);
            }
        }
        return n;
    }

    // Cuts into `parts` of like size, each time across the feature of the widest spread.
    template <class Entry, class Add>
    void divide(std::uint32_t* first, std::uint32_t* last, std::size_t parts, Entry& entry,
                Add& add) {
        if (parts <= 1) {
            add(first, last);
            return;
        }
        const std::size_t d = width_ / 2;
        const auto centre = [&](std::uint32_t j, std::size_t f) {
            return entry(j, f) - entry(j, f + d);
        };
        std::size_t widest = 0;
        double most = -1.0;
        for (std::size_t f = 0; f < d; ++f) {
            double low = centre(*first, f), high = low;
            for (const std::uint32_t* j = first + 1; j < last; ++j) {
                low = std::min(low, centre(*j, f));
                high = std::max(high, centre(*j, f));
            }
            if (high - low > most) {
                most = high - low;
                widest = f;
            }
        }
        const std::size_t left = parts / 2;
        std::uint32_t* cut = first + static_cast<std::size_t>(last - first) * left / parts;
        std::nth_element(first, cut, last, [&](std::uint32_t a, std::uint32_t b) {
            return centre(a, widest) < centre(b, widest);
        });
        divide(first, cut, left, entry, add);
        divide(cut, last, parts - left, entry, add);
    }

    std::size_t width_ = 0;
    std::size_t height_ = 0;
    std::uint32_t root_ = 0;
    Buffer<float> boxes_;             // of nodes, stride() each
    Buffer<std::uint32_t> child_;     // of nodes, kEntries each
    Buffer<std::uint8_t> n_entries_;  // of nodes
    Buffer<std::uint32_t> parent_;    // of nodes: parent * kEntries + slot
    Buffer<std::uint32_t> place_;     // of categories: leaf * kEntries + slot
    Buffer<std::uint32_t> free_;      // nodes out of use
    Buffer<float> scratch_;           // one box
};

}  // namespace resonart
