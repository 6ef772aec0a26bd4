// Whether a store of boxes keeps an index (box_tree.hpp), and the boxes in it up to date.
//
// It is not part of what a model is: copies go without and make their own when it would pay.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "boxes/box_tree.hpp"
#include "boxes/search_costs.hpp"

namespace resonart {

// `automatic` builds an index where it is expected to pay, and drops it where it doesn't; `always`
// and `never` serve tests and measurements.
enum class Indexing { automatic, always, never };
Indexing indexing();  // set by the environment variable RESONART_INDEX: auto, on or off
void use_indexing(Indexing choice);

// A number that no packing of an index had before.
std::uint32_t number_of_packing();

class Index {
public:
    // A look at fewer boxes is as fast, the more so the more features they have.
    static constexpr std::size_t kFewestByWidth = 128;

    Index() = default;
    explicit Index(std::size_t width) : tree_(width) {}
    Index(const Index& other) : tree_(other.tree_.width()), wanted_(other.wanted_) {}
    Index(Index&&) noexcept = default;
    Index& operator=(const Index& other) {
        *this = Index(other);
        return *this;
    }
    Index& operator=(Index&&) noexcept = default;

    bool is_kept() const { return kept_; }
    bool is_wanted() const { return wanted_; }
    const BoxTree& tree() const { return tree_; }

    // Models that live for a moment have no use for one.
    void do_without() noexcept {
        drop(0);
        wanted_ = false;
    }

    // Boxes are searched from now on; packed when room is next made.
    void do_with() noexcept { wanted_ = true; }

    // Of the tree as it was last packed, and how long that took.
    std::uint32_t packing() const { return packing_; }
    double nanoseconds_to_pack() const { return nanoseconds_to_pack_; }

    // What searches have shown.
    void follow_advice(Advice advice, std::size_t n_boxes) noexcept {
        if (advice == Advice::drop) drop(n_boxes);
        if (advice == Advice::pack) is_worn_ = true;
    }

    // It has not paid. Another try when there are twice as many boxes.
    void drop(std::size_t n_boxes) noexcept {
        tree_ = BoxTree(tree_.width());
        kept_ = false;
        next_try_ = 2 * n_boxes;
    }

    // Before n boxes more: packs those there are if it is time, and makes room. Throws
    // std::bad_alloc, changing nothing that can be seen.
    template <class Entry, class Norm>
    void reserve_more(std::size_t n, std::size_t n_boxes, Entry&& entry, Norm&& norm) {
        if (!kept_ && !is_due(n_boxes)) return;
        const bool settled = kept_ && has_settled(n_boxes);
        if (!kept_ || is_worn_ || outgrown(n_boxes) || (settled && !is_tight_)) {
            // Room is for those to come, and makes all searches longer.
            const bool tight = n == 0 || settled || (kept_ && !grew(n_boxes, n_packed_));
            const auto start = std::chrono::steady_clock::now();
            tree_ = BoxTree::of(tree_.width(), n_boxes, tight ? BoxTree::kTight : BoxTree::kLoose,
                                entry, norm);
            const std::chrono::duration<double, std::nano> spent =
                std::chrono::steady_clock::now() - start;
            kept_ = true;
            is_worn_ = false;
            is_tight_ = tight;
            n_packed_ = n_then_ = n_boxes;
            n_calls_ = 0;
            packing_ = number_of_packing();
            nanoseconds_to_pack_ = spent.count();
        }
        tree_.reserve_more(n);
    }

    template <class Entry>
    void append(Entry&& entry, double norm) noexcept {
        if (kept_) tree_.append(entry, norm);
    }
    template <class Entry>
    void update(std::size_t j, Entry&& entry, double norm) noexcept {
        if (kept_) tree_.update(j, entry, norm);
    }
    template <class Entry, class Norm>
    void refresh(Entry&& entry, Norm&& norm) noexcept {
        if (kept_) tree_.refresh(entry, norm);
    }
    void remove(std::size_t j) noexcept {
        if (kept_) tree_.remove(j);
    }
    void renumber(std::size_t from, std::size_t to) noexcept {
        if (kept_) tree_.renumber(from, to);
    }
    void shrink(std::size_t n) noexcept {
        if (!kept_) return;
        tree_.shrink(n);
        // Nodes are half empty then, and as wide as what they held: packed again when boxes come.
        if (n < n_packed_ / 2) is_worn_ = true;
    }
    void clear() noexcept { drop(0); }

private:
    bool is_due(std::size_t n_boxes) const {
        switch (indexing()) {
            case Indexing::always:
                return true;
            case Indexing::never:
                return false;
            default:
                return wanted_ && n_boxes >= kFewestByWidth * tree_.width() && n_boxes >= next_try_;
        }
    }

    static bool grew(std::size_t n_boxes, std::size_t before) {
        return n_boxes > before + before / 64;
    }
    // There were hardly any new boxes for so long that packing costs little next to it. Looked at
    // now and then, once for each sample.
    bool has_settled(std::size_t n_boxes) noexcept {
        if (++n_calls_ < 8 * n_boxes) return false;
        const bool settled = !grew(n_boxes, n_then_);
        n_calls_ = 0;
        n_then_ = n_boxes;
        return settled;
    }
    // Where costs are not kept, a rule has to do.
    bool outgrown(std::size_t n_boxes) const {
        return indexing() == Indexing::always && n_boxes > n_packed_ + n_packed_ / 3 + 64;
    }

    BoxTree tree_;
    std::size_t n_packed_ = 0;
    std::uint32_t packing_ = 0;
    double nanoseconds_to_pack_ = 0.0;
    bool is_worn_ = false;
    bool is_tight_ = false;
    std::size_t n_then_ = 0, n_calls_ = 0;  // boxes, and how often more were asked for since
    bool kept_ = false;
    bool wanted_ = true;
    std::size_t next_try_ = 0;
};

}  // namespace resonart
