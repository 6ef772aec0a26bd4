// Distributed dual vigilance fuzzy ART (Algorithm 1): a global ART whose nodes are local ARTs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "linkage.hpp"
#include "merge_art.hpp"
#include "modules.hpp"
#include "params.hpp"
#include "recognition.hpp"

namespace resonart {

class Ddvfa {
public:
    Ddvfa() = default;
    Ddvfa(std::size_t n_features, const Params& params) : modules_(n_features) {
        configure(params);
    }

    void configure(const Params& params) {
        check_kernel(params, modules_.n_features());
        modules_.keep_centroids(params.linkage == Linkage::centroid);
        params_ = params;
        gamma_ = Power(params.gamma);
        gamma_ref_ = Power(params.gamma_ref);
        // |w|^γ*·T >= ρ·d^γ*: the right-hand side, once.
        scale_ = gamma_ref_(static_cast<double>(modules_.n_features()));
        threshold_lb_ = params.rho_lb * scale_;
        threshold_ub_ = params.rho_ub * scale_;
        ratio_lb_ = least_ratio(params.rho_lb, params.gamma);
        ratio_ub_ = least_ratio(params.rho_ub, params.gamma);
    }
    const Params& params() const { return params_; }

    const Categories& categories() const { return modules_.categories(); }
    std::size_t n_clusters() const { return modules_.size(); }

    struct Workspace {
        Buffer<float> rough_ratio;  // of categories, as are the next three
        Buffer<double> overlap, activation, match;
        Buffer<double> module_activation, module_match;
        Buffer<double> values;  // categories' values, module by module
        Buffer<std::uint32_t> chosen, begin;
    };
    void prepare(Workspace& ws) const {
        const std::size_t k = whole_blocks(categories().size());
        const std::size_t m = whole_blocks(modules_.size());
        ws.rough_ratio.resize_uninitialised(k);
        ws.overlap.resize_uninitialised(k > m ? k : m);
        ws.activation.resize_uninitialised(k);
        ws.match.resize_uninitialised(k);
        ws.chosen.resize_uninitialised(k);
        ws.module_activation.resize_uninitialised(m);
        ws.module_match.resize_uninitialised(m);
        if (params_.linkage == Linkage::median) {
            ws.values.resize_uninitialised(k);
            ws.begin.resize_uninitialised(m + 1);
        }
    }
    void reserve_one() { modules_.reserve_more(1, 1); }

    // One presentation. Needs `reserve_one` and `prepare` before; then it cannot fail.
    std::uint32_t learn(const Sample& x, Workspace& ws) noexcept {
        const Found found = find_module(x, ws);
        if (found.module == kNone) {
            modules_.add_module(x.x, 1);
            return static_cast<std::uint32_t>(modules_.size() - 1);
        }
        const auto m = static_cast<std::uint32_t>(found.module);
        const std::int64_t j = find_category(x, m, found.best, ws);
        if (j != kNone) {
            modules_.learn(static_cast<std::size_t>(j), x.x, params_.beta, 1);
        } else {
            modules_.add_category(m, x.x, 1);
        }
        return m;
    }

    // The model is not empty. Needs `prepare`.
    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        const Found found = find_module(x, ws);
        Recognition seen;
        seen.resonated = found.module != kNone;
        if (is_quick()) gather(x, ws);
        seen.cluster =
            static_cast<std::uint32_t>(seen.resonated ? found.module : most_active(ws, -1.0));
        seen.match = ws.module_match[seen.cluster] / scale_;
        return seen;
    }

    // The cluster alone: single linkage need not look at every module for it.
    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        const Found found = find_module(x, ws);
        if (found.module != kNone || !nearest) return found.module;
        if (is_quick()) {
            if (orders(found.best)) {
                return categories().owner(static_cast<std::size_t>(found.best.index));
            }
            gather(x, ws);
        }
        return most_active(ws, -1.0);
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        modules_.transform(change);
    }

    bool same_weights(const Ddvfa& other) const {
        // Categories are never reordered by learning, so this equals comparing the
        // concatenation of all modules' weights.
        return categories().same_weights(other.categories());
    }

    void adopt(Categories&& categories, std::size_t n_modules) {
        modules_.adopt(std::move(categories), n_modules);
    }

    // Merge ART over the modules (layer 2), which then replace them. Returns old-to-new.
    template <class Poll>
    Buffer<std::uint32_t> merge(Poll& poll) {
        Merged merged = merge_art(modules_, params_, kNoCap, true, poll);
        modules_ = std::move(merged.modules);
        return std::move(merged.map);
    }

private:
    struct Found {
        std::int64_t module = kNone;
        Best best;  // the box of highest activation of all, where it was looked for
    };

    // A match of at least ρ needs T >= ρ, as |w| <= d; so a box whose ratio is below the γ-th
    // root neither passes nor is the most active of a module that does. A hair lower, to be
    // safe from rounding: what is selected is then computed exactly.
    static double least_ratio(double rho, double gamma) {
        if (gamma < 1e-3 || rho < 1e-300) return 0.0;
        return std::pow(rho, 1.0 / gamma) * (1.0 - 1e-9);
    }

    // Whether the box of highest ratio is also known to have the highest activation.
    bool orders(const Best& best) const noexcept {
        return gamma_.keeps_order() && best.index != kNone &&
               gamma_(best.ratio) > kPowerKeepsOrderAbove;
    }

    double activation_of(std::size_t j, const Sample& x) const noexcept {
        return gamma_(categories().overlap(j, x.x) / (params_.alpha + categories().norm(j)));
    }
    double match_of(std::size_t j, double activation) const noexcept {
        return gamma_ref_(categories().norm(j)) * activation;
    }

    // Single linkage: the boxes that matter are few, and can be found without computing all.
    bool is_quick() const noexcept {
        return params_.linkage == Linkage::single &&
               categories().view(params_.alpha).can_be_rough();
    }

    // Lines 2 to 8 of Algorithm 1.
    Found find_module(const Sample& x, Workspace& ws) const noexcept {
        if (is_quick()) return find_quickly(x, ws);
        gather(x, ws);
        Found found;
        if (params_.search == Search::activation) {
            found.module = most_active(ws, threshold_lb_);
        } else {
            for (std::size_t m = 0; m < modules_.size() && found.module == kNone; ++m) {
                if (ws.module_match[m] >= threshold_lb_)
                    found.module = static_cast<std::int64_t>(m);
            }
        }
        return found;
    }

    // Often the most active box of all settles it. Otherwise the few that may pass are looked at.
    Found find_quickly(const Sample& x, Workspace& ws) const noexcept {
        const Categories& c = categories();
        const StoreView view = c.view(params_.alpha);
        Found found;
        found.best = kernels().best_passing(x, view, -1.0, c.owners(), ws.rough_ratio.data());
        if (params_.search == Search::activation && orders(found.best)) {
            // If it passes by itself, its module has won.
            const auto j = static_cast<std::size_t>(found.best.index);
            if (match_of(j, gamma_(found.best.ratio)) >= threshold_lb_) {
                found.module = c.owner(j);
                return found;
            }
        }
        const std::size_t n =
            kernels().select(ws.rough_ratio.data(), view, ratio_lb_, ws.chosen.data());
        if (params_.search == Search::index) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t j = ws.chosen[i];
                const std::int64_t m = c.owner(j);
                if (found.module != kNone && m >= found.module) continue;
                if (match_of(j, activation_of(j, x)) >= threshold_lb_) found.module = m;
            }
            return found;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t m = c.owner(ws.chosen[i]);
            ws.module_activation[m] = Gathered::start(Linkage::single);
            ws.module_match[m] = Gathered::start(Linkage::single);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t j = ws.chosen[i];
            const std::uint32_t m = c.owner(j);
            const double t = activation_of(j, x);
            ws.module_activation[m] =
                Gathered::add(Linkage::single, ws.module_activation[m], t, 0.0);
            ws.module_match[m] =
                Gathered::add(Linkage::single, ws.module_match[m], match_of(j, t), 0.0);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t m = c.owner(ws.chosen[i]);
            if (ws.module_match[m] < threshold_lb_) continue;
            if (found.module == kNone || is_ahead(m, found.module, ws)) found.module = m;
        }
        return found;
    }

    // Whether the search by activation visits module m before module `other`.
    static bool is_ahead(std::uint32_t m, std::int64_t other, const Workspace& ws) noexcept {
        const double mine = ws.module_activation[m];
        const double its = ws.module_activation[static_cast<std::size_t>(other)];
        return mine > its || (mine == its && static_cast<std::int64_t>(m) < other);
    }

    // The first module of highest activation among those whose match reaches the threshold.
    std::int64_t most_active(const Workspace& ws, double threshold) const noexcept {
        std::int64_t best = kNone;
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            if (!(ws.module_match[m] >= threshold)) continue;
            if (best == kNone ||
                ws.module_activation[m] > ws.module_activation[static_cast<std::size_t>(best)]) {
                best = static_cast<std::int64_t>(m);
            }
        }
        return best;
    }

    // Activation and match of every category.
    void respond(const Sample& x, Workspace& ws) const noexcept {
        const StoreView view = categories().view(params_.alpha);
        kernels().overlaps(x.x, view, ws.overlap.data());
        kernels().respond(ws.overlap.data(), view, gamma_, gamma_ref_, ws.activation.data(),
                          ws.match.data());
    }

    // Activation and match of every module; unless they are centroids', of every category, too.
    void gather(const Sample& x, Workspace& ws) const noexcept {
        const Linkage linkage = params_.linkage;
        if (linkage == Linkage::centroid) {
            const StoreView view = modules_.centroids().view(params_.alpha);
            kernels().overlaps(x.x, view, ws.overlap.data());
            kernels().respond(ws.overlap.data(), view, gamma_, gamma_ref_,
                              ws.module_activation.data(), ws.module_match.data());
            return;
        }
        respond(x, ws);
        const Categories& c = categories();
        if (linkage == Linkage::median) {
            take_medians(ws.activation.data(), ws.module_activation.data(), ws);
            take_medians(ws.match.data(), ws.module_match.data(), ws);
            return;
        }
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            ws.module_activation[m] = ws.module_match[m] = Gathered::start(linkage);
        }
        for (std::size_t j = 0; j < c.size(); ++j) {
            const std::uint32_t m = c.owner(j);
            const double share = linkage == Linkage::weighted ? modules_.share(j) : 0.0;
            ws.module_activation[m] =
                Gathered::add(linkage, ws.module_activation[m], ws.activation[j], share);
            ws.module_match[m] = Gathered::add(linkage, ws.module_match[m], ws.match[j], share);
        }
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            const std::size_t n = modules_.module_size(m);
            ws.module_activation[m] = Gathered::finish(linkage, ws.module_activation[m], n);
            ws.module_match[m] = Gathered::finish(linkage, ws.module_match[m], n);
        }
    }

    void take_medians(const double* of_category, double* of_module, Workspace& ws) const noexcept {
        ws.begin[0] = 0;
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            ws.begin[m + 1] = ws.begin[m] + static_cast<std::uint32_t>(modules_.module_size(m));
        }
        for (std::size_t j = 0; j < categories().size(); ++j) {
            ws.values[ws.begin[categories().owner(j)]++] = of_category[j];
        }
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            const std::size_t n = modules_.module_size(m);
            of_module[m] = median(ws.values.data() + ws.begin[m] - n, n);
        }
    }

    // Lines 9 to 14: the most active category of the module that passes ρ_UB.
    std::int64_t find_category(const Sample& x, std::uint32_t m, const Best& best,
                               Workspace& ws) const noexcept {
        const Categories& c = categories();
        std::int64_t winner = kNone;
        double highest = 0.0;
        const auto consider = [&](std::size_t j, double activation, double match) {
            if (match >= threshold_ub_ && (winner == kNone || activation > highest)) {
                winner = static_cast<std::int64_t>(j);
                highest = activation;
            }
        };
        if (!is_quick()) {
            if (params_.linkage == Linkage::centroid) respond(x, ws);
            for (std::size_t j = 0; j < c.size(); ++j) {
                if (c.owner(j) == m) consider(j, ws.activation[j], ws.match[j]);
            }
            return winner;
        }
        if (orders(best)) {
            // The most active of all is the most active here, if it belongs here.
            const auto j = static_cast<std::size_t>(best.index);
            if (c.owner(j) == m && match_of(j, gamma_(best.ratio)) >= threshold_ub_) {
                return best.index;
            }
        }
        const std::size_t n = kernels().select(ws.rough_ratio.data(), c.view(params_.alpha),
                                               ratio_ub_, ws.chosen.data());
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t j = ws.chosen[i];
            if (c.owner(j) != m) continue;
            const double t = activation_of(j, x);
            consider(j, t, match_of(j, t));
        }
        return winner;
    }

    Modules modules_;
    Params params_;
    Power gamma_, gamma_ref_;
    double scale_ = 1.0;  // d^γ*
    double threshold_lb_ = 0.0, threshold_ub_ = 0.0;
    double ratio_lb_ = 0.0, ratio_ub_ = 0.0;
};

}  // namespace resonart
