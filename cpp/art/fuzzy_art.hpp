// Fuzzy ART (section 2.1 of the paper): a category is a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "art/params.hpp"
#include "art/recognition.hpp"
#include "boxes/categories.hpp"

namespace resonart {

class FuzzyArt {
public:
    using Params = FuzzyArtParams;
    static constexpr bool kMerges = false;
    static constexpr bool kLabelsLater = false;
    static constexpr bool kRereads = false;
    static constexpr bool kCategoryIsCluster = true;

    FuzzyArt() = default;
    FuzzyArt(std::size_t n_features, const Params& params) : categories_(n_features) {
        configure(params);
    }

    void configure(const Params& params) {
        params_ = params;
        // Vigilance is compared without dividing: |x ∧ w| >= ρ·d.
        threshold_ = threshold_ub(params.rho);
    }
    const Params& params() const { return params_; }

    const Categories& categories() const { return categories_; }
    std::size_t n_clusters() const { return categories_.size(); }

    struct Workspace : FinderSpace {
        Buffer<double> overlap;  // of categories, where all are looked at
    };
    void prepare(Workspace& ws) const { ws.finder.prepare(categories_); }
    void do_without_index() noexcept { categories_.do_without_index(); }
    void reserve_one() { categories_.reserve(categories_.size() + 1); }

    // Undo, as journal.hpp says.
    void note_changes() { categories_.note_changes(); }
    void undo_changes() { categories_.undo_changes(); }
    void forget_changes() noexcept { categories_.forget_changes(); }

    // The category that takes a sample, or kNone where it founds one; and the match that resonated:
    // at every higher vigilance up to it the choice is the same.
    struct Choice {
        std::int64_t category = kNone;
        double match_lb = kAnyVigilance, match_ub = kAnyVigilance;
    };
    double threshold_lb(double rho) const { return threshold_ub(rho); }
    double threshold_ub(double rho) const {
        return rho * static_cast<double>(categories_.n_features());
    }

    // Activation and match stay as they are while one sample is searched, so "the next best
    // until one passes" is the best of those that pass: one pass, no sorting, no reset. `match`
    // receives what `recognise` says of the sample, where it is wanted; the model is then not
    // empty.
    Choice choose(const Sample& x, double, Workspace& ws, double* match = nullptr) const noexcept {
        const Best best = best_passing(x, ws);
        if (match) *match = recognise(x, best, ws).match;
        Choice choice;
        choice.category = best.index;
        if (best.index != kNone) choice.match_ub = best.overlap;
        return choice;
    }

    std::uint32_t take(const Sample& x, const Choice& choice) noexcept {
        if (choice.category != kNone) {
            categories_.learn(static_cast<std::size_t>(choice.category), x.x, params_.beta, 1);
            return static_cast<std::uint32_t>(choice.category);
        }
        const auto fresh = static_cast<std::uint32_t>(categories_.size());
        categories_.append(x.x, 1, fresh);
        return fresh;
    }

    std::uint32_t learn(const Sample& x, Workspace& ws, double* match = nullptr) noexcept {
        follow_advice(ws);
        return take(x, choose(x, kAnyMatch, ws, match));
    }
    // Before a sample: what the searches so far have shown.
    void follow_advice(Workspace& ws) noexcept {
        categories_.follow_advice(ws.finder.advice(categories_));
    }

    bool is_full() const { return params_.is_full(categories_.size()); }
    static bool creates(const Choice& choice) { return choice.category == kNone; }

    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        return recognise(x, best_passing(x, ws), ws);
    }

    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        return cluster_by_category(categories_, x, ws.finder, params_.alpha, threshold_, nearest);
    }

    // Match of each cluster. Needs `prepare_matches`.
    void prepare_matches(Workspace& ws) const {
        ws.overlap.resize_uninitialised(whole_blocks(categories_.size()));
    }
    void matches(const Sample& x, Workspace& ws, double* match) const noexcept {
        const auto d = static_cast<double>(categories_.n_features());
        ws.finder.add_work(categories_);
        for_each_part(categories_, x, params_.alpha, [&](std::size_t first, const StoreView& part) {
            kernels().overlaps(x.x, part, ws.overlap.data() + first);
        });
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            match[categories_.owner(j)] = ws.overlap[j] / d;
        }
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        categories_.transform(change);
    }

    bool same_weights(const FuzzyArt& other) const {
        return categories_.same_weights(other.categories_);
    }

    // As Categories::remove; owners are clusters.
    template <class Goes>
    void remove(Goes&& goes, LabelMap& map) noexcept {
        categories_.remove(goes, map);
    }

    void adopt(Categories&& categories, std::size_t) {
        categories.reserve(categories.size());  // and an index, where it pays
        categories_ = std::move(categories);
    }

private:
    Best best_passing(const Sample& x, Workspace& ws) const noexcept {
        return ws.finder.best_passing(categories_, x, params_.alpha, threshold_, nullptr);
    }
    Recognition recognise(const Sample& x, const Best& best, Workspace& ws) const noexcept {
        return recognise_by_category(categories_, x, ws.finder, params_.alpha, best);
    }

    Categories categories_;
    Params params_;
    double threshold_ = 0.0;
};

}  // namespace resonart
