// Dual vigilance fuzzy ART (section 2.3): many categories to a cluster, one list of categories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "art/list_art.hpp"
#include "art/params.hpp"
#include "base/journal.hpp"

namespace resonart {

class Dvfa : public ListArt<DvfaParams> {
public:
    static constexpr bool kCategoryIsCluster = false;

    Dvfa() = default;
    Dvfa(std::size_t n_features, const Params& params) : ListArt(n_features) { configure(params); }
    void configure(const Params& params) {
        params_ = params;
        threshold_ = threshold_lb(params.rho_lb);
        threshold_ub_ = ListArt::threshold_ub(params.rho_ub);
    }
    std::size_t n_clusters() const { return *n_clusters_; }

    // Undo, as journal.hpp says.
    void note_changes() {
        categories_.note_changes();
        n_clusters_.note_changes();
    }
    void undo_changes() {
        categories_.undo_changes();
        n_clusters_.undo_changes();
    }
    void forget_changes() noexcept {
        categories_.forget_changes();
        n_clusters_.forget_changes();
    }

    // The category whose cluster takes a sample, or kNone where it founds one; whether that
    // category itself learns; and the matches that resonated: at all higher vigilances up to them
    // the choice is the same.
    struct Choice {
        std::int64_t category = kNone;
        bool learns = false;
        double match_lb = kAnyVigilance, match_ub = kAnyVigilance;
    };
    static bool creates(const Choice& choice) { return choice.category == kNone || !choice.learns; }

    // The visit ends at the first category, in order of activation, that passes ρ_LB: passing
    // ρ_UB implies it. One of lower activation that would pass ρ_UB is not looked for. `match`
    // receives what `recognise` says of the sample, where it is wanted; the model is then not
    // empty.
    Choice choose(const Sample& x, double, Workspace& ws, double* match = nullptr) const noexcept {
        const Best best = best_passing(x, ws);
        if (match) *match = recognise(x, best, ws).match;
        Choice choice;
        choice.category = best.index;
        if (best.index == kNone) return choice;
        choice.match_lb = best.overlap;
        choice.learns = best.overlap >= threshold_ub_;
        if (choice.learns) choice.match_ub = best.overlap;
        return choice;
    }

    std::uint32_t take(const Sample& x, const Choice& choice) noexcept {
        if (choice.category == kNone) {
            const auto fresh = static_cast<std::uint32_t>((*n_clusters_)++);
            categories_.append(x.x, 1, fresh);
            return fresh;
        }
        const auto j = static_cast<std::size_t>(choice.category);
        const std::uint32_t cluster = categories_.owner(j);
        if (choice.learns) {
            categories_.learn(j, x.x, params_.beta, 1);
        } else {
            categories_.append(x.x, 1, cluster);
        }
        return cluster;
    }

    std::uint32_t learn(const Sample& x, Workspace& ws, double* match = nullptr) noexcept {
        follow_advice(ws);
        return take(x, choose(x, kAnyMatch, ws, match));
    }
    // Match of each cluster: that of the category which would win if there were no other cluster.
    // Needs `prepare_matches`.
    void prepare_matches(Workspace& ws) const {
        ws.overlap.resize_uninitialised(whole_blocks(categories_.size()));
        ws.ratio.resize_uninitialised(n_clusters());
    }
    void matches(const Sample& x, Workspace& ws, double* match) const noexcept {
        const auto d = static_cast<double>(categories_.n_features());
        ws.finder.add_work(categories_);
        for (std::size_t m = 0; m < n_clusters(); ++m) {
            match[m] = ws.ratio[m] = -1.0;  // less than any there is
        }
        for_each_part(categories_, x, params_.alpha, [&](std::size_t first, const StoreView& part) {
            kernels().overlaps(x.x, part, ws.overlap.data());
            for (std::size_t i = 0; i < part.size; ++i) {
                const std::size_t m = categories_.owner(first + i);
                const double overlap = ws.overlap[i];
                const double ratio = overlap / (params_.alpha + part.norm[i]);
                // Those that pass come first; of these, or of the others, the most active, the
                // oldest.
                const bool passes = overlap >= threshold_;
                const bool best_passes = match[m] >= threshold_;
                if (passes == best_passes ? ratio > ws.ratio[m] : passes) {
                    match[m] = overlap;
                    ws.ratio[m] = ratio;
                }
            }
        });
        for (std::size_t m = 0; m < n_clusters(); ++m) match[m] /= d;
    }

    // As Categories::remove; owners are clusters.
    template <class Goes>
    void remove(Goes&& goes, LabelMap& map) noexcept {
        *n_clusters_ = categories_.remove(goes, map);
    }
    void adopt(Categories&& categories, std::size_t n_clusters) {
        ListArt::adopt(std::move(categories));
        *n_clusters_ = n_clusters;
    }

private:
    Undoable<std::size_t> n_clusters_;
    double threshold_ub_ = 0.0;
};

}  // namespace resonart
