// Distributed dual vigilance fuzzy ART (Algorithm 1): a global ART whose nodes are local ARTs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "art/linkage.hpp"
#include "art/merge_art.hpp"
#include "art/modules.hpp"
#include "art/params.hpp"
#include "art/passing_modules.hpp"
#include "art/recognition.hpp"
#include "art/resonance.hpp"

namespace resonart {

class Ddvfa {
public:
    using Params = DdvfaParams;
    static constexpr bool kMerges = true;
    static constexpr bool kLabelsLater = false;
    static constexpr bool kRereads = false;
    static constexpr bool kCategoryIsCluster = false;

    Ddvfa() = default;
    Ddvfa(std::size_t n_features, const Params& params) : modules_(n_features) {
        configure(params);
    }

    void configure(const Params& params) {
        params.check_features(modules_.n_features());
        modules_.serve(params.linkage);
        params_ = params;
        linked_by_ = linked_by(params.linkage);
        resonance_ = Resonance(params, modules_.n_features());
        threshold_lb_ = resonance_.threshold(params.rho_lb);
        threshold_ub_ = resonance_.threshold(params.rho_ub);
        ratio_lb_ = resonance_.least_ratio(params.rho_lb);
        ratio_ub_ = resonance_.least_ratio(params.rho_ub);
    }
    const Params& params() const { return params_; }

    const Modules& modules() const { return modules_; }
    const Categories& categories() const { return modules_.categories(); }
    std::size_t n_clusters() const { return modules_.size(); }

    struct Workspace : FinderSpace {
        Buffer<double> overlap, activation, match;  // of categories
        Buffer<double> module_activation, module_match;
        Buffer<double> values;        // of one module's categories
        Buffer<std::uint32_t> near;   // modules that may pass
        Buffer<std::size_t> passing;  // of each module's categories; 0 between samples
        unsigned n_blind = 0;         // samples for which a rough look is not expected to pay
    };
    void prepare(Workspace& ws) const {
        const std::size_t k = whole_blocks(categories().size());
        const std::size_t m = whole_blocks(modules_.size());
        ws.finder.prepare(categories());
        ws.overlap.resize_uninitialised(k > m ? k : m);
        ws.activation.resize_uninitialised(k);
        ws.match.resize_uninitialised(k);
        ws.module_activation.resize_uninitialised(m);
        ws.module_match.resize_uninitialised(m);
        if (linked_by_ == LinkedBy::nearest) return;
        ws.values.resize_uninitialised(k);
        ws.near.resize_uninitialised(m);
        if (ws.passing.size() < m) {
            ws.passing.reserve(m);
            ws.passing.append(std::size_t{0}, m - ws.passing.size());
        }
    }
    void reserve_one() { modules_.reserve_more(1, 1); }

    // Undo, as journal.hpp says.
    void note_changes() { modules_.note_changes(); }
    void undo_changes() { modules_.undo_changes(); }
    void forget_changes() noexcept { modules_.forget_changes(); }
    void do_without_index() noexcept { modules_.do_without_index(); }

    // What a sample does: the module and category that take it, or kNone where it founds one.
    struct Choice {
        std::int64_t module = kNone, category = kNone;
        // The matches that resonated, to be compared with thresholds: at every higher vigilance
        // up to these the choice is the same. (All that came before failed already.)
        double match_lb = kAnyVigilance, match_ub = kAnyVigilance;
    };
    double threshold_lb(double rho) const { return resonance_.threshold(rho); }
    double threshold_ub(double rho) const { return resonance_.threshold(rho); }

    // Needs `prepare` before. A module's match that is found to be `enough_lb` at least need not be
    // known more exactly. `match` receives what `recognise` says of the sample, where it is wanted;
    // the model is then not empty.
    Choice choose(const Sample& x, double enough_lb, Workspace& ws,
                  double* match = nullptr) const noexcept {
        Choice choice;
        const Found found = find_module(x, enough_lb, match != nullptr, ws);
        if (match) *match = recognise(x, found, ws).match;
        if (found.module == kNone) return choice;
        choice.module = found.module;
        choice.match_lb = found.match;
        const Winner local =
            find_category(x, static_cast<std::uint32_t>(found.module), found.best, ws);
        choice.category = local.index();
        if (local.index() != kNone) choice.match_ub = local.match();
        return choice;
    }

    // Needs `reserve_one` before; then it cannot fail. Returns the sample's module.
    std::uint32_t take(const Sample& x, const Choice& choice) noexcept {
        if (choice.module == kNone) {
            modules_.add_module(x.x, 1);
            return static_cast<std::uint32_t>(modules_.size() - 1);
        }
        const auto m = static_cast<std::uint32_t>(choice.module);
        if (choice.category != kNone) {
            modules_.learn(static_cast<std::size_t>(choice.category), x.x, params_.beta, 1);
        } else {
            modules_.add_category(m, x.x, 1);
        }
        return m;
    }

    // One presentation. Needs `reserve_one` and `prepare` before; then it cannot fail.
    std::uint32_t learn(const Sample& x, Workspace& ws, double* match = nullptr) noexcept {
        follow_advice(ws);
        return take(x, choose(x, kAnyMatch, ws, match));
    }
    // Before a sample: what the searches so far have shown.
    void follow_advice(Workspace& ws) noexcept {
        modules_.follow_advice(ws.finder.advice(categories()));
    }

    bool is_full() const { return params_.is_full(categories().size()); }
    static bool creates(const Choice& choice) { return choice.category == kNone; }

    // The model is not empty. Needs `prepare`.
    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        return recognise(x, find_module(x, kAnyMatch, true, ws), ws);
    }

    // The cluster alone: not every module need be looked at for it.
    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        const Found found = find_module(x, kAnyMatch, nearest, ws);
        if (found.module != kNone || !nearest) return found.module;
        if (is_quick()) {
            if (resonance_.orders(found.best)) {
                return categories().owner(static_cast<std::size_t>(found.best.index));
            }
        }
        if (params_.linkage != Linkage::centroid) gather(x, ws);  // or it has been done
        return most_active(ws, -1.0);
    }

    // Match of each cluster: that of its module.
    void prepare_matches(Workspace&) const noexcept {}
    void matches(const Sample& x, Workspace& ws, double* match) const noexcept {
        gather(x, ws);
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            match[m] = ws.module_match[m] / resonance_.scale();
        }
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        modules_.transform(change);
    }

    bool same_weights(const Ddvfa& other) const { return modules_.same_weights(other.modules_); }

    void adopt(Categories&& categories, std::size_t n_modules) {
        modules_.adopt(std::move(categories), n_modules);
    }

    // As Modules::remove; modules are clusters.
    template <class Goes>
    void remove(Goes&& goes, LabelMap& map) noexcept {
        modules_.remove(goes, map);
    }

    // Merge ART over the modules (layer 2), which then replace them; `n_apart` as in
    // MergeArt::merge. Returns old-to-new.
    Buffer<std::uint32_t> merge(std::size_t n_apart, Poll& poll) {
        Merged merged = merge_art(modules_, params_, kNoCap, true, n_apart, poll);
        modules_ = std::move(merged.modules);
        return std::move(merged.map);
    }

    // Its last step alone, within the modules as they are: fewer categories, the same clusters.
    void compress(Poll& poll) { modules_ = merge_art(modules_, params_, 0, true, 0, poll).modules; }

private:
    struct Found {
        std::int64_t module = kNone;
        double match = 0.0;  // of the module; exact where it is less than was said to be enough
        Best best;           // the box of highest activation of all, where it was looked for
        bool all = false;    // every category has responded
    };

    // Given what `find_module` has found, the nearest being wanted.
    Recognition recognise(const Sample& x, Found found, Workspace& ws) const noexcept {
        Recognition seen;
        seen.resonated = found.module != kNone;
        if (is_quick() && (seen.resonated || resonance_.orders(found.best))) {
            if (!seen.resonated) {
                const auto j = static_cast<std::size_t>(found.best.index);
                found.module = categories().owner(j);
                found.match = match_of(found.best, x);
            }
            // Only boxes at least so active can match better.
            const double least = resonance_.least_ratio(found.match / resonance_.scale());
            const std::size_t n = ws.finder.select(categories(), x, params_.alpha, least);
            seen.cluster = static_cast<std::uint32_t>(found.module);
            seen.match = match_of_module(found, x, n, ws) / resonance_.scale();
            return seen;
        }
        if (has_members() && seen.resonated) {  // its categories have been looked at, for certain
            seen.cluster = static_cast<std::uint32_t>(found.module);
            seen.match = link(seen.cluster, ws.match, ws) / resonance_.scale();
            return seen;
        }
        if (has_members() || is_quick()) {  // else it has been done
            if (!found.all) respond(x, ws);
            gather_modules(ws);
        }
        seen.cluster =
            static_cast<std::uint32_t>(seen.resonated ? found.module : most_active(ws, -1.0));
        seen.match = ws.module_match[seen.cluster] / resonance_.scale();
        return seen;
    }

    double match_of(const Best& best, const Sample& x) const noexcept {
        const double norm = norm_of(categories(), static_cast<std::size_t>(best.index), x);
        return resonance_.match(norm, resonance_.activation(best.ratio));
    }
    Resonance::Response response_of(std::size_t j, const Sample& x) const noexcept {
        return resonance_.response_of(categories(), j, x);
    }

    // Single linkage: the boxes that matter are few, and can be found without computing all.
    bool is_quick() const noexcept {
        return linked_by_ == LinkedBy::nearest && categories().view(params_.alpha).can_be_rough();
    }

    using Single = linkages::Single;

    // Lines 2 to 8 of Algorithm 1.
    Found find_module(const Sample& x, double enough, bool nearest, Workspace& ws) const noexcept {
        if (is_quick()) return find_quickly(x, enough, nearest, ws);
        if (has_members()) return find_near(x, enough, ws);
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
        if (found.module != kNone) {
            found.match = ws.module_match[static_cast<std::size_t>(found.module)];
        }
        return found;
    }

    // Linkages in which all categories of a module have a say.
    bool has_members() const noexcept {
        return linked_by_ == LinkedBy::each_value || linked_by_ == LinkedBy::all_values;
    }

    // The same for those, where only modules that may pass are looked at.
    Found find_near(const Sample& x, double enough, Workspace& ws) const noexcept {
        Found found;
        const std::size_t n = respond_passing(x, found.all, ws);
        bool active_known = false;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t m = ws.near[i];
            if (params_.search == Search::index && found.module != kNone && m >= found.module) {
                continue;
            }
            const double match = near_match(m, enough, ws);
            if (match < threshold_lb_) continue;
            if (params_.search == Search::activation && found.module != kNone) {
                // Only now that several pass, it matters how active they are.
                const auto best = static_cast<std::size_t>(found.module);
                if (!active_known) ws.module_activation[best] = link(best, ws.activation, ws);
                active_known = true;
                ws.module_activation[m] = link(m, ws.activation, ws);
                if (!is_ahead(m, found.module, ws)) continue;
            }
            found.module = m;
            found.match = match;
        }
        return found;
    }

    // Lists modules that may pass ρ_LB in `ws.near`, and finds activation and match of all of their
    // categories, or of `all` there are. Returns how many modules there are.
    std::size_t respond_passing(const Sample& x, bool& all, Workspace& ws) const noexcept {
        const Categories& c = categories();
        const StoreView view = c.view(params_.alpha);
        if (ws.n_blind > 0 || !can_leave_out(ratio_lb_, view)) {
            if (ws.n_blind > 0) --ws.n_blind;
            respond(x, ws);
            all = true;
            for (std::size_t m = 0; m < modules_.size(); ++m) {
                ws.near[m] = static_cast<std::uint32_t>(m);
            }
            return modules_.size();
        }
        ws.finder.look_again();
        const std::size_t n = ws.finder.select(c, x, params_.alpha, ratio_lb_);
        std::size_t n_seen = 0;
        count_passing(c.owners(), ws.finder.chosen(), n, ws.passing.data(), ws.near.data(), n_seen);
        const PassingModules near =
            keep_passing(params_.linkage, modules_, 1, ws.passing.data(), ws.near.data(), n_seen);
        if (few_are_near(near.n_boxes, c.size())) {
            for (std::size_t i = 0; i < near.n_modules; ++i) respond_of(ws.near[i], x, ws);
        } else {
            respond(x, ws);
            all = true;
            if (2 * near.n_boxes > c.size()) ws.n_blind = 8;
        }
        return near.n_modules;
    }

    // Activation and match of one module's categories.
    void respond_of(std::size_t m, const Sample& x, Workspace& ws) const noexcept {
        const std::uint32_t* members = modules_.members(m);
        for (std::size_t i = 0; i < modules_.module_size(m); ++i) {
            const std::size_t j = members[i];
            const Resonance::Response its = response_of(j, x);
            ws.activation[j] = its.activation;
            ws.match[j] = its.match;
        }
    }

    // A module's match: exact where it passes and is less than enough; otherwise no more than
    // whether it passes, or is enough, must be right.
    double near_match(std::size_t m, double enough, Workspace& ws) const noexcept {
        return with_linkage(params_.linkage, [&](auto rule) {
            if constexpr (rule.kLinkedBy == LinkedBy::all_values) {
                collect(m, ws.match, ws);
                const std::size_t n = modules_.module_size(m);
                return rule.of_all_if_needed(ws.values.data(), n, threshold_lb_, enough);
            } else {
                return link_by(rule, m, ws.match, ws);
            }
        });
    }

    // What the values of a module's categories come to.
    double link(std::size_t m, const Buffer<double>& of_category, Workspace& ws) const noexcept {
        return with_linkage(params_.linkage,
                            [&](auto rule) { return link_by(rule, m, of_category, ws); });
    }
    template <class Rule>
    double link_by(Rule, std::size_t m, const Buffer<double>& of_category,
                   Workspace& ws) const noexcept {
        const std::size_t n = modules_.module_size(m);
        const std::uint32_t* members = modules_.members(m);
        if constexpr (Rule::kLinkedBy == LinkedBy::each_value) {
            return gathered<Rule>(
                n, [&](std::size_t i) { return of_category[members[i]]; },
                [&](std::size_t i) { return modules_.share(members[i]); });
        } else if constexpr (Rule::kLinkedBy == LinkedBy::all_values) {
            collect(m, of_category, ws);
            return Rule::of_all(ws.values.data(), n);
        } else {
            std::abort();  // such modules are not linked by their members
        }
    }

    void collect(std::size_t m, const Buffer<double>& of_category, Workspace& ws) const noexcept {
        const std::uint32_t* members = modules_.members(m);
        for (std::size_t i = 0; i < modules_.module_size(m); ++i) {
            ws.values[i] = of_category[members[i]];
        }
    }

    // Often the most active box of all settles it. Otherwise the few that may pass are looked at.
    // Where the `nearest` is wanted, that box is found even if it cannot pass.
    Found find_quickly(const Sample& x, double enough, bool nearest, Workspace& ws) const noexcept {
        const Categories& c = categories();
        Found found;
        found.best = ws.finder.best_passing(c, x, params_.alpha, -1.0, c.owners(),
                                            nearest ? -1.0 : ratio_lb_);
        const auto select = [&] { return ws.finder.select(c, x, params_.alpha, ratio_lb_); };
        const std::uint32_t* const chosen = ws.finder.chosen();
        if (params_.search == Search::activation && resonance_.orders(found.best)) {
            // If it passes by itself, its module has won.
            const auto j = static_cast<std::size_t>(found.best.index);
            found.match = match_of(found.best, x);
            if (found.match >= threshold_lb_) {
                found.module = c.owner(j);
                if (found.match < enough) found.match = match_of_module(found, x, select(), ws);
                return found;
            }
        }
        const std::size_t n = select();
        if (params_.search == Search::index) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t j = chosen[i];
                const std::int64_t m = c.owner(j);
                if (found.module != kNone && m >= found.module) continue;
                const double match = response_of(j, x).match;
                if (match < threshold_lb_) continue;
                found.module = m;
                found.match = match;
            }
            if (found.module != kNone && found.match < enough) {
                found.match = match_of_module(found, x, n, ws);
            }
            return found;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t m = c.owner(chosen[i]);
            ws.module_activation[m] = Single::start();
            ws.module_match[m] = Single::start();
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t j = chosen[i];
            const std::uint32_t m = c.owner(j);
            const Resonance::Response its = response_of(j, x);
            ws.module_activation[m] = Single::add(ws.module_activation[m], its.activation);
            ws.module_match[m] = Single::add(ws.module_match[m], its.match);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t m = c.owner(chosen[i]);
            if (ws.module_match[m] < threshold_lb_) continue;
            if (found.module == kNone || is_ahead(m, found.module, ws)) found.module = m;
        }
        if (found.module != kNone) {
            found.match = ws.module_match[static_cast<std::size_t>(found.module)];
        }
        return found;
    }

    // Single linkage: the highest match of the module found, given the n boxes that may pass.
    double match_of_module(const Found& found, const Sample& x, std::size_t n,
                           const Workspace& ws) const noexcept {
        double match = found.match;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t j = ws.finder.chosen()[i];
            if (categories().owner(j) != found.module) continue;
            match = Single::add(match, response_of(j, x).match);
        }
        return match;
    }

    // Whether the search by activation visits module m before module `other`.
    static bool is_ahead(std::uint32_t m, std::int64_t other, const Workspace& ws) noexcept {
        const double mine = ws.module_activation[m];
        const double its = ws.module_activation[static_cast<std::size_t>(other)];
        return mine > its || (mine == its && static_cast<std::int64_t>(m) < other);
    }

    // The first module of highest activation among those whose match reaches the threshold.
    std::int64_t most_active(const Workspace& ws, double threshold) const noexcept {
        Winner winner(threshold);
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            winner.offer(m, ws.module_activation[m], ws.module_match[m]);
        }
        return winner.index();
    }

    // Activation and match of every category.
    void respond(const Sample& x, Workspace& ws) const noexcept {
        ws.finder.add_work(categories());
        resonance_.respond(x, categories(), ws.overlap.data(), ws.activation.data(),
                           ws.match.data());
    }

    // Activation and match of every module; unless they are centroids', of every category, too.
    void gather(const Sample& x, Workspace& ws) const noexcept {
        if (linked_by_ == LinkedBy::centroid) {
            ws.finder.add_work(modules_.centroids());
            resonance_.respond(x, modules_.centroids(), ws.overlap.data(),
                               ws.module_activation.data(), ws.module_match.data());
            return;
        }
        respond(x, ws);
        gather_modules(ws);
    }
    // Of every module, given those of every category.
    void gather_modules(Workspace& ws) const noexcept {
        if (has_members()) {
            for (std::size_t m = 0; m < modules_.size(); ++m) {
                ws.module_activation[m] = link(m, ws.activation, ws);
                ws.module_match[m] = link(m, ws.match, ws);
            }
            return;
        }
        const Categories& c = categories();
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            ws.module_activation[m] = ws.module_match[m] = Single::start();
        }
        for (std::size_t j = 0; j < c.size(); ++j) {
            const std::uint32_t m = c.owner(j);
            ws.module_activation[m] = Single::add(ws.module_activation[m], ws.activation[j]);
            ws.module_match[m] = Single::add(ws.module_match[m], ws.match[j]);
        }
    }

    // Lines 9 to 14: the most active category of the module that passes ρ_UB.
    Winner find_category(const Sample& x, std::uint32_t m, const Best& best,
                         Workspace& ws) const noexcept {
        const Categories& c = categories();
        if (is_quick()) {
            return resonance_.find_quickly(x, c, threshold_ub_, ratio_ub_, best, ws.finder,
                                           [&](std::size_t j) { return c.owner(j) == m; });
        }
        Winner winner(threshold_ub_);
        if (linked_by_ == LinkedBy::nearest) {
            for (std::size_t j = 0; j < c.size(); ++j) {
                if (c.owner(j) == m) winner.offer(j, ws.activation[j], ws.match[j]);
            }
            return winner;
        }
        const std::size_t n = modules_.module_size(m);
        if (linked_by_ == LinkedBy::centroid) {
            if (few_are_near(n, c.size())) {
                respond_of(m, x, ws);
            } else {
                respond(x, ws);
            }
        }
        const std::uint32_t* members = modules_.members(m);
        for (std::size_t i = 0; i < n; ++i) {
            winner.offer(members[i], ws.activation[members[i]], ws.match[members[i]]);
        }
        return winner;
    }

    Modules modules_;
    Params params_;
    LinkedBy linked_by_ = linked_by(Params().linkage);
    Resonance resonance_;
    double threshold_lb_ = 0.0, threshold_ub_ = 0.0;
    double ratio_lb_ = 0.0, ratio_ub_ = 0.0;
};

}  // namespace resonart
