// Categories grouped into modules: the F2 nodes of DDVFA and of Merge ART, each a local fuzzy ART.
//
// All categories lie in one store, in order of creation, each with the index of its module; the
// order within a module is thus its own order of creation. Nothing is nested, so growing by one
// needs only room reserved at the ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "art/linkage.hpp"
#include "base/journal.hpp"
#include "boxes/categories.hpp"

namespace resonart {

class Modules {
public:
    Modules() = default;
    explicit Modules(std::size_t n_features) : categories_(n_features), centroids_(n_features) {}

    const Categories& categories() const { return categories_; }
    const Categories& centroids() const { return centroids_; }
    std::size_t size() const { return sizes_.size(); }
    std::size_t n_features() const { return categories_.n_features(); }
    std::size_t module_size(std::size_t m) const { return sizes_[m]; }
    std::int64_t module_samples(std::size_t m) const { return totals_[m]; }

    // Categories of module m in stored order, `module_size(m)` of them; see `keep_members`.
    const std::uint32_t* members(std::size_t m) const { return members_.data() + begin_[m]; }

    // A category's share of its module's samples, an a priori probability (weighted linkage).
    double share(std::size_t j) const {
        return static_cast<double>(categories_.count(j)) /
               static_cast<double>(totals_[categories_.owner(j)]);
    }

    // Room for so many more categories and modules; throws std::bad_alloc, changing nothing.
    void reserve_more(std::size_t n_categories, std::size_t n_modules) {
        categories_.reserve(categories_.size() + n_categories);
        sizes_.reserve(sizes_.size() + n_modules);
        totals_.reserve(totals_.size() + n_modules);
        journal_.reserve_more(1);
        if (keeps_centroids_) centroids_.reserve(centroids_.size() + n_modules);
        if (keeps_members_) {
            members_.reserve(members_.size() + n_categories);
            begin_.reserve(begin_.size() + n_modules);
        }
    }

    // Undo, as journal.hpp says.
    void note_changes() {
        categories_.note_changes();
        centroids_.note_changes();
        journal_.begin(size());
    }
    void forget_changes() noexcept {
        categories_.forget_changes();
        centroids_.forget_changes();
        journal_.end();
    }
    void undo_changes() {
        if (!journal_.is_kept()) return;
        categories_.undo_changes();
        centroids_.undo_changes();
        sizes_.resize_uninitialised(journal_.size_before());
        totals_.resize_uninitialised(journal_.size_before());
        for (std::size_t i = 0; i < journal_.size(); ++i) {
            sizes_[journal_.which(i)] = journal_.value(i).size;
            totals_[journal_.which(i)] = journal_.value(i).total;
        }
        if (keeps_members_) group(begin_, members_);
        journal_.end();
    }

    // The next three need the room reserved before.
    void add_module(const double* w, std::int64_t count) noexcept {
        const auto m = static_cast<std::uint32_t>(size());
        sizes_.push(1);
        totals_.push(count);
        categories_.append(w, count, m);
        if (keeps_centroids_) centroids_.append(w, count, m);
        if (keeps_members_) {
            members_.push(static_cast<std::uint32_t>(categories_.size() - 1));
            begin_.push(static_cast<std::uint32_t>(members_.size()));
        }
    }
    void add_category(std::uint32_t m, const double* w, std::int64_t count) noexcept {
        note(m);
        sizes_[m] += 1;
        totals_[m] += count;
        categories_.append(w, count, m);
        // With β = 1, learning the centroid is taking the elementwise minimum.
        if (keeps_centroids_) centroids_.learn(m, w, 1.0, count);
        if (keeps_members_) {
            members_.insert(begin_[m + 1], static_cast<std::uint32_t>(categories_.size() - 1));
            for (std::size_t k = m + 1; k < begin_.size(); ++k) begin_[k] += 1;
        }
    }
    void learn(std::size_t j, const double* x, double beta, std::int64_t samples) noexcept {
        const std::uint32_t m = categories_.owner(j);
        note(m);
        totals_[m] += samples;
        categories_.learn(j, x, beta, samples);
        if (!keeps_centroids_) return;
        // With β = 1 weights only fall, and the minimum follows from the new one alone. Otherwise
        // rounding of (1-β)w + βw may lift w by a last bit: the minimum is taken again.
        if (beta == 1.0) {
            centroids_.meet(m, categories_, j);
        } else {
            recompute_centroid(m);
        }
    }

    void follow_advice(Advice advice) noexcept { categories_.follow_advice(advice); }
    void do_without_index() noexcept { categories_.do_without_index(); }

    // What a linkage asks of modules besides their categories.
    void serve(Linkage linkage) {
        const LinkedBy linked = linked_by(linkage);
        keep_centroids(linked == LinkedBy::centroid);
        keep_members(linked != LinkedBy::nearest);
        if (linked == LinkedBy::centroid) do_without_index();  // boxes are not searched
    }

    // Centroids cost memory and time, and only one linkage looks at them.
    void keep_centroids(bool keep) {
        if (keep == keeps_centroids_) return;
        Categories fresh(n_features());
        fresh.do_without_index();
        if (keep) {
            fresh.reserve(size());
            Buffer<double> ones;
            ones.assign(categories_.width(), 1.0);
            for (std::size_t m = 0; m < size(); ++m) {
                fresh.append(ones.data(), totals_[m], static_cast<std::uint32_t>(m));
            }
        }
        centroids_ = std::move(fresh);
        keeps_centroids_ = keep;
        for (std::size_t j = 0; keep && j < categories_.size(); ++j) {
            centroids_.meet(categories_.owner(j), categories_, j);
        }
    }

    // So do lists of each module's categories, which single linkage can do without.
    void keep_members(bool keep) {
        if (keep == keeps_members_) return;
        Buffer<std::uint32_t> begin, members;
        if (keep) group(begin, members);
        begin_ = std::move(begin);
        members_ = std::move(members);
        keeps_members_ = keep;
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        categories_.transform(change);
        // `change` rises with w for every feature, so the minimum moves with the weights.
        centroids_.transform(change);
    }

    // Whether both have the same modules, with the same weights in their own order of creation.
    bool same_weights(const Modules& other) const {
        if (size() != other.size()) return false;
        for (std::size_t m = 0; m < size(); ++m) {
            if (sizes_[m] != other.sizes_[m]) return false;
        }
        Buffer<std::uint32_t> begin, mine, theirs;  // compression groups what it stores by module
        group(begin, mine);
        other.group(begin, theirs);
        for (std::size_t p = 0; p < mine.size(); ++p) {
            for (std::size_t f = 0; f < categories_.width(); ++f) {
                if (categories_.weight(mine[p], f) != other.categories_.weight(theirs[p], f)) {
                    return false;
                }
            }
        }
        return true;
    }

    // Takes over categories whose owners are below n_modules.
    void adopt(Categories&& categories, std::size_t n_modules) {
        Buffer<std::uint32_t> sizes;
        Buffer<std::int64_t> totals;
        sizes.assign(n_modules, 0);
        totals.assign(n_modules, 0);
        for (std::size_t j = 0; j < categories.size(); ++j) {
            sizes[categories.owner(j)] += 1;
            totals[categories.owner(j)] += categories.count(j);
        }
        categories.reserve(categories.size());  // and an index, where it pays
        Modules fresh(categories.n_features());
        fresh.categories_ = std::move(categories);
        fresh.sizes_ = std::move(sizes);
        fresh.totals_ = std::move(totals);
        fresh.keep_centroids(keeps_centroids_);
        fresh.keep_members(keeps_members_);
        *this = std::move(fresh);
    }

    // Categories for which goes(j) holds go, and with them the modules that have no others; those
    // left close up in order. `map`, given with a place for each module, is then old-to-new.
    template <class Goes>
    void remove(Goes&& goes, LabelMap& map) noexcept {
        const std::size_t left = categories_.remove(goes, map);
        if (keeps_centroids_) {
            centroids_.keep_if(0, [&](std::size_t m) { return map[m] != kNoLabel; });
            centroids_.renumber_owners(map);
            for (std::size_t m = 0; m < left; ++m) centroids_.fill_weight(m, 1.0);
        }
        sizes_.assign(left, 0);  // all of which have room enough
        totals_.assign(left, 0);
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            const std::uint32_t m = categories_.owner(j);
            sizes_[m] += 1;
            totals_[m] += categories_.count(j);
            if (keeps_centroids_) centroids_.meet(m, categories_, j);
        }
        if (keeps_members_) group(begin_, members_);
    }

    // Categories of module m are listed in [begin[m], begin[m + 1]) of `order`, in stored order.
    void group(Buffer<std::uint32_t>& begin, Buffer<std::uint32_t>& order) const {
        begin.assign(size() + 1, 0);
        order.resize_uninitialised(categories_.size());
        for (std::size_t m = 0; m < size(); ++m) begin[m + 1] = begin[m] + sizes_[m];
        // Walks each module's start forward, then restores it.
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            order[begin[categories_.owner(j)]++] = static_cast<std::uint32_t>(j);
        }
        for (std::size_t m = size(); m > 0; --m) begin[m] = begin[m - 1];
        begin[0] = 0;
    }

private:
    struct Noted {
        std::uint32_t size;
        std::int64_t total;
    };
    // Before module m is changed.
    void note(std::size_t m) noexcept { journal_.note(m, {sizes_[m], totals_[m]}); }

    void recompute_centroid(std::uint32_t m) noexcept {
        centroids_.fill_weight(m, 1.0);
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            if (categories_.owner(j) == m) centroids_.meet(m, categories_, j);
        }
    }

    Categories categories_;
    Buffer<std::uint32_t> sizes_;  // categories of each module
    Buffer<std::int64_t> totals_;  // samples of each module
    Categories centroids_;         // elementwise minimum of each module's weights
    bool keeps_centroids_ = false;
    Buffer<std::uint32_t> members_, begin_;  // module m's: members_[begin_[m]] to [begin_[m + 1]]
    bool keeps_members_ = false;
    Journal<Noted> journal_;
};

}  // namespace resonart
