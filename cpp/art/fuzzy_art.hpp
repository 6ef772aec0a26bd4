// Fuzzy ART (section 2.1 of the paper): a category is a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "art/list_art.hpp"
#include "art/params.hpp"

namespace resonart {

class FuzzyArt : public ListArt<FuzzyArtParams> {
public:
    static constexpr bool kCategoryIsCluster = true;

    FuzzyArt() = default;
    FuzzyArt(std::size_t n_features, const Params& params) : ListArt(n_features) {
        configure(params);
    }
    void configure(const Params& params) {
        params_ = params;
        threshold_ = threshold_ub(params.rho);
    }
    std::size_t n_clusters() const { return categories_.size(); }

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
    static bool creates(const Choice& choice) { return choice.category == kNone; }

    // `match` receives what `recognise` says of the sample, where it is wanted; the model is then
    // not empty.
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

    // As Categories::remove; owners are clusters.
    template <class Goes>
    void remove(Goes&& goes, LabelMap& map) noexcept {
        categories_.remove(goes, map);
    }
    void adopt(Categories&& categories, std::size_t) { ListArt::adopt(std::move(categories)); }
};

}  // namespace resonart
