// What fuzzy ART and DVFA share: one list of categories, of which the most active that passes one
// vigilance is looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "art/recognition.hpp"
#include "boxes/categories.hpp"

namespace resonart {

template <class P>
class ListArt {
public:
    using Params = P;
    static constexpr bool kMerges = false;
    static constexpr bool kLabelsLater = false;
    static constexpr bool kRereads = false;

    ListArt() = default;
    explicit ListArt(std::size_t n_features) : categories_(n_features) {}

    const Params& params() const { return params_; }
    const Categories& categories() const { return categories_; }

    struct Workspace : FinderSpace {
        Buffer<double> overlap, ratio;  // of categories and clusters, where all are looked at
    };
    void prepare(Workspace& ws) const { ws.finder.prepare(categories_); }
    void do_without_index() noexcept { categories_.do_without_index(); }
    void reserve_one() { categories_.reserve(categories_.size() + 1); }

    // Vigilance is compared without dividing: |x ∧ w| >= ρ·d.
    double threshold_lb(double rho) const { return threshold_ub(rho); }
    double threshold_ub(double rho) const {
        return rho * static_cast<double>(categories_.n_features());
    }

    // Before a sample: what the searches so far have shown.
    void follow_advice(Workspace& ws) noexcept {
        categories_.follow_advice(ws.finder.advice(categories_));
    }
    bool is_full() const { return params_.is_full(categories_.size()); }

    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        return recognise(x, best_passing(x, ws), ws);
    }
    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        return cluster_by_category(categories_, x, ws.finder, params_.alpha, threshold_, nearest);
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        categories_.transform(change);
    }
    bool same_weights(const ListArt& other) const {
        return categories_.same_weights(other.categories_);
    }

protected:
    // Activation and match stay as they are while one sample is searched, so "the next best until
    // one passes" is the best of those that pass: one pass, no sorting, no reset.
    Best best_passing(const Sample& x, Workspace& ws) const noexcept {
        return ws.finder.best_passing(categories_, x, params_.alpha, threshold_, nullptr);
    }
    Recognition recognise(const Sample& x, const Best& best, Workspace& ws) const noexcept {
        return recognise_by_category(categories_, x, ws.finder, params_.alpha, best);
    }
    void adopt(Categories&& categories) {
        categories.reserve(categories.size());  // and an index, where it pays
        categories_ = std::move(categories);
    }

    Categories categories_;
    Params params_;
    double threshold_ = 0.0;
};

}  // namespace resonart
