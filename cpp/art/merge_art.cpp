#include "art/merge_art.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace resonart {
template <class Rule>
Winner MergeArt::find_by_value(Rule, const Modules& input, std::size_t l, const Modules& merged,
                               Poll& poll) {
    const Categories& c = merged.categories();
    const PassingModules near = look_for_passing(input, l, merged, poll);
    for (std::size_t n = 0; n < near.n_modules; ++n) {
        module_activation_[near_[n]] = module_match_[near_[n]] = Rule::start();
    }
    respond_passing(input, l, merged, near, poll, [&](std::size_t j) {
        const double norm = input.categories().norm(j);
        const double share_j = Rule::kByShares ? input.share(j) : 0.0;
        for (std::size_t n = 0; n < near.n_modules; ++n) {
            const std::uint32_t k = near_[n];
            const std::uint32_t* members = merged.members(k);
            double activation = module_activation_[k], match = module_match_[k];
            for (std::size_t p = 0; p < merged.module_size(k); ++p) {
                const std::size_t i = members[p];
                const double share = Rule::kByShares ? merged.share(i) * share_j : 0.0;
                const double t = activation_[i];
                activation = Rule::add(activation, t, share);
                match = Rule::add(match, match_between(c.norm(i), norm, t), share);
            }
            module_activation_[k] = activation;
            module_match_[k] = match;
        }
    });
    Winner winner(params_.rho_lb);
    const std::size_t columns = begin_[l + 1] - begin_[l];
    for (std::size_t n = 0; n < near.n_modules; ++n) {
        const std::uint32_t k = near_[n];
        if (!may_take(k)) continue;
        const std::size_t entries = merged.module_size(k) * columns;
        winner.offer(k, Rule::finish(module_activation_[k], entries),
                     Rule::finish(module_match_[k], entries));
    }
    return winner;
}

template <class Rule>
Winner MergeArt::find_by_all(Rule, const Modules& input, std::size_t l, const Modules& merged,
                             Poll& poll) {
    const Categories& c = merged.categories();
    const PassingModules all = look_for_passing(input, l, merged, poll);
    const std::size_t columns = begin_[l + 1] - begin_[l];
    // A match beyond these tells a sweep no more.
    const double enough = enough_lb_ < headroom_.lb ? enough_lb_ : headroom_.lb;
    Winner winner(params_.rho_lb);
    for (std::size_t first = 0, last = 0; first < all.n_modules; first = last) {
        PassingModules near;
        while (last < all.n_modules) {
            const std::size_t boxes = near.n_boxes + merged.module_size(near_[last]);
            if (near.n_modules && boxes * columns > kMostEntries) break;
            near.n_boxes = boxes;
            ++near.n_modules;
            ++last;
        }
        all_activations_.resize_uninitialised(near.n_boxes * columns);
        all_matches_.resize_uninitialised(near.n_boxes * columns);
        std::size_t column = 0;
        const std::uint32_t* const some = near_.data() + first;
        respond_passing(
            input, l, merged, near, poll,
            [&](std::size_t j) {
                const double norm = input.categories().norm(j);
                std::size_t begin = 0;
                for (std::size_t n = 0; n < near.n_modules; ++n) {
                    const std::size_t rows = merged.module_size(some[n]);
                    const std::uint32_t* members = merged.members(some[n]);
                    const std::size_t at = begin * columns + column * rows;
                    for (std::size_t p = 0; p < rows; ++p) {
                        const double t = activation_[members[p]];
                        all_activations_[at + p] = t;
                        all_matches_[at + p] = match_between(c.norm(members[p]), norm, t);
                    }
                    begin += rows;
                }
                ++column;
            },
            some);
        std::size_t begin = 0;
        for (std::size_t n = 0; n < near.n_modules; ++n) {
            const std::size_t entries = merged.module_size(some[n]) * columns;
            const double match = Rule::of_all_if_needed(all_matches_.data() + begin, entries,
                                                        params_.rho_lb, enough);
            if (match >= params_.rho_lb && may_take(some[n])) {
                winner.offer(some[n], Rule::of_all(all_activations_.data() + begin, entries),
                             match);
            }
            begin += entries;
        }
    }
    return winner;
}

template <class See>
void MergeArt::respond_passing(const Modules& input, std::size_t l, const Modules& merged,
                               const PassingModules& near, Poll& poll, See&& see,
                               const std::uint32_t* modules) {
    if (near.n_modules == 0) return;
    if (!modules) modules = near_.data();
    const Categories& c = merged.categories();
    const bool few = few_are_near(near.n_boxes, c.size());
    activation_.resize_uninitialised(whole_blocks(c.size()));
    for (std::uint32_t p = begin_[l]; p < begin_[l + 1]; ++p) {
        const std::size_t j = order_[p];
        input.categories().copy_weight(j, weight_.data());
        if (few) {
            for (std::size_t n = 0; n < near.n_modules; ++n) {
                const std::uint32_t* members = merged.members(modules[n]);
                for (std::size_t q = 0; q < merged.module_size(modules[n]); ++q) {
                    activation_[members[q]] =
                        resonance_.activation_of(c, members[q], weight_.data());
                }
            }
        } else {
            respond_to_weight(c);
        }
        see(j);
        poll.work((few ? near.n_boxes : c.size()) * (c.width() + 8));
    }
}

MergeArt::MergeArt(const Params& params, std::size_t n_features, double enough_lb)
    : params_(params), resonance_(params, n_features), enough_lb_(enough_lb) {
    // |v ∧ w| is at most |v|, so m <= ratio^(γ-γ*): a box whose ratio is below that root of
    // ρ_LB neither passes nor is the most active of a module that does.
    ratio_lb_ = Resonance::root(params.rho_lb, params.gamma - params.gamma_ref);
    ratio_ub_ = resonance_.least_ratio(params.rho_ub);
}

Merged MergeArt::merge(const Modules& input, std::size_t max_passes, std::size_t n_apart,
                       Poll& poll) {
    Merged result;
    result.map.reserve(input.size());
    for (std::size_t l = 0; l < input.size(); ++l) {
        result.map.push(static_cast<std::uint32_t>(l));
    }
    result.modules = input;
    result.modules.serve(params_.linkage);
    Buffer<std::uint32_t> map;
    while (result.passes < max_passes) {
        Modules next = pass(result.modules, n_apart, map, poll);
        ++result.passes;
        const bool settled = next.size() == result.modules.size();
        result.modules = std::move(next);
        for (std::uint32_t& m : result.map) m = map[m];
        if (settled) break;
    }
    result.modules.serve(params_.linkage);
    return result;
}

Modules MergeArt::pass(const Modules& input, std::size_t n_apart, Buffer<std::uint32_t>& map,
                       Poll& poll) {
    Modules merged(input.n_features());
    if (!input.categories().wants_index()) merged.do_without_index();
    merged.serve(params_.linkage);
    if (!merged.categories().view(params_.alpha).can_be_rough()) merged.keep_members(true);
    const auto reserve_rest = [&] {
        merged.reserve_more(input.categories().size() - merged.categories().size(),
                            input.size() - merged.size());
    };
    reserve_rest();
    input.group(begin_, order_);
    weight_.resize_uninitialised(input.categories().width());
    map.resize_uninitialised(input.size());
    is_near_.assign(input.size(), false);
    passing_.assign(input.size(), 0);
    near_.resize_uninitialised(input.size());
    module_activation_.resize_uninitialised(input.size());
    module_match_.resize_uninitialised(input.size());
    is_taken_.assign(n_apart ? input.size() : 0, false);
    for (std::size_t l = 0; l < input.size(); ++l) {
        merged.follow_advice(finder_.advice(merged.categories()));
        reserve_rest();
        stays_apart_ = n_apart && (l < n_apart || input.module_samples(l) >= kSmallModule);
        const Winner won =
            l < n_apart ? Winner(params_.rho_lb) : find_module(input, l, merged, poll);
        const std::int64_t k = won.index();
        if (k != kNone && won.match() < headroom_.lb) headroom_.lb = won.match();
        map[l] =
            static_cast<std::uint32_t>(k == kNone ? static_cast<std::int64_t>(merged.size()) : k);
        if (stays_apart_) is_taken_[map[l]] = true;
        // Resonance or not, weights are taken over as they are, after those already there.
        for (std::uint32_t p = begin_[l]; p < begin_[l + 1]; ++p) {
            const std::size_t j = order_[p];
            input.categories().copy_weight(j, weight_.data());
            const std::int64_t count = input.categories().count(j);
            if (map[l] == merged.size()) {
                merged.add_module(weight_.data(), count);
            } else {
                merged.add_category(map[l], weight_.data(), count);
            }
        }
    }
    return merged;
}

Modules MergeArt::compress(const Modules& input, Poll& poll) {
    const Categories& old = input.categories();
    Categories fresh(input.n_features());
    Categories local(input.n_features());
    if (!old.wants_index()) {
        fresh.do_without_index();
        local.do_without_index();
    }
    fresh.reserve(old.size());
    input.group(begin_, order_);
    weight_.resize_uninitialised(old.width());
    for (std::size_t m = 0; m < input.size(); ++m) {
        local.clear();
        for (std::uint32_t p = begin_[m]; p < begin_[m + 1]; ++p) {
            const std::size_t j = order_[p];
            old.copy_weight(j, weight_.data());
            const Winner best = most_alike(local);
            if (best.index() != kNone) {
                if (best.match() < headroom_.ub) headroom_.ub = best.match();
                local.learn(static_cast<std::size_t>(best.index()), weight_.data(), params_.beta,
                            old.count(j));
            } else {
                local.reserve(local.size() + 1);
                local.append(weight_.data(), old.count(j), static_cast<std::uint32_t>(m));
            }
            poll.work(local.size() * local.width());
        }
        for (std::size_t i = 0; i < local.size(); ++i) {
            local.copy_weight(i, weight_.data());
            fresh.append(weight_.data(), local.count(i), local.owner(i));
        }
    }
    Modules result(input.n_features());
    result.serve(params_.linkage);
    result.adopt(std::move(fresh), input.size());
    return result;
}

void MergeArt::respond_to_weight(const Categories& store) {
    const std::size_t padded = whole_blocks(store.size());
    overlap_.resize_uninitialised(padded);
    activation_.resize_uninitialised(padded);
    match_.resize_uninitialised(padded);
    const StoreView view = store.view(params_.alpha);
    resonance_.respond(weight_.data(), view, overlap_.data(), activation_.data(), match_.data());
}

Sample MergeArt::look_at(const Categories& store) {
    finder_.prepare(store);
    rough_weight_.resize_uninitialised(weight_.size());
    for (std::size_t f = 0; f < weight_.size(); ++f) {
        rough_weight_[f] = static_cast<float>(weight_[f]);
    }
    return {weight_.data(), rough_weight_.data()};
}

Winner MergeArt::most_alike(const Categories& store) {
    const double threshold = resonance_.threshold(params_.rho_ub);
    const StoreView view = store.view(params_.alpha);
    if (view.can_be_rough()) {
        const Sample v = look_at(store);
        const Best best =
            finder_.best_passing(store, v, params_.alpha, -1.0, store.owners(), ratio_ub_);
        return resonance_.find_quickly(v, store, threshold, ratio_ub_, best, finder_,
                                       [](std::size_t) { return true; });
    }
    Winner winner(threshold);
    respond_to_weight(store);
    for (std::size_t i = 0; i < store.size(); ++i) winner.offer(i, activation_[i], match_[i]);
    return winner;
}

double MergeArt::match_between(double norm_i, double norm_j, double t) const {
    if (t == 0.0) return 0.0;
    return resonance_.gamma_ref()(norm_i == norm_j ? 1.0 : norm_i / norm_j) * t;
}

Winner MergeArt::find_module(const Modules& input, std::size_t l, const Modules& merged,
                             Poll& poll) {
    return with_linkage(params_.linkage, [&](auto rule) {
        if constexpr (rule.kLinkedBy == LinkedBy::centroid) {
            return find_by_centroid(input, l, merged, poll);
        } else if constexpr (rule.kLinkedBy == LinkedBy::all_values) {
            return find_by_all(rule, input, l, merged, poll);
        } else {
            if (rule.kLinkedBy == LinkedBy::nearest &&
                merged.categories().view(params_.alpha).can_be_rough()) {
                return nearest_module(input, l, merged, poll);
            }
            return find_by_value(rule, input, l, merged, poll);
        }
    });
}

Winner MergeArt::find_by_centroid(const Modules& input, std::size_t l, const Modules& merged,
                                  Poll& poll) {
    const Categories& c = merged.centroids();
    input.centroids().copy_weight(l, weight_.data());
    respond_to_weight(c);
    Winner winner(params_.rho_lb);
    for (std::size_t k = 0; k < c.size(); ++k) {
        if (!may_take(k)) continue;
        winner.offer(k, activation_[k],
                     match_between(c.norm(k), input.centroids().norm(l), activation_[k]));
    }
    poll.work(c.size() * c.width());
    return winner;
}

bool MergeArt::surely_fails(double norm) const {
    constexpr double kLeastNormal = std::numeric_limits<double>::min();
    const double most = 2.0 * static_cast<double>(weight_.size());
    return norm == 0.0 || resonance_.gamma_ref()(most / norm) * kLeastNormal < params_.rho_lb;
}

bool MergeArt::surely_fails(const Modules& input, std::size_t l) const {
    for (std::uint32_t p = begin_[l]; p < begin_[l + 1]; ++p) {
        if (!surely_fails(input.categories().norm(order_[p]))) return false;
    }
    return true;
}

PassingModules MergeArt::look_for_passing(const Modules& input, std::size_t l,
                                          const Modules& merged, Poll& poll) {
    const Categories& c = merged.categories();
    const StoreView view = c.view(params_.alpha);
    const std::size_t columns = begin_[l + 1] - begin_[l];
    PassingModules near;
    if (!can_leave_out(ratio_lb_, view) || columns > kMostInMean / (c.size() + 1) ||
        !surely_fails(input, l)) {
        for (std::size_t k = 0; k < merged.size(); ++k) {
            near_[k] = static_cast<std::uint32_t>(k);
        }
        near.n_modules = merged.size();
        near.n_boxes = c.size();
        return near;
    }
    std::size_t n_seen = 0;
    for (std::uint32_t p = begin_[l]; p < begin_[l + 1]; ++p) {
        input.categories().copy_weight(order_[p], weight_.data());
        const Sample v = look_at(c);
        finder_.look_again();
        const std::size_t n = finder_.select(c, v, params_.alpha, ratio_lb_);
        count_passing(c.owners(), finder_.chosen(), n, passing_.data(), near_.data(), n_seen);
        poll.work(c.size() * c.width() / 4);
    }
    near = keep_passing(params_.linkage, merged, columns, passing_.data(), near_.data(), n_seen);
    std::sort(near_.begin(), near_.begin() + near.n_modules);
    return near;
}

Winner MergeArt::nearest_module(const Modules& input, std::size_t l, const Modules& merged,
                                Poll& poll) {
    const Categories& c = merged.categories();
    // Often the most active pair of boxes settles it: if it passes, its module has won. How
    // well the whole module matches matters only if it narrows the headroom.
    const Pair pair = most_active_pair(input, l, merged, poll);
    Winner quick(params_.rho_lb);
    if (pair.known && may_take(c.owner(pair.box)))
        quick.offer(c.owner(pair.box), pair.activation, pair.match);
    if (quick.index() != kNone && (pair.match >= enough_lb_ || pair.match >= headroom_.lb)) {
        return quick;
    }
    std::size_t n_near = 0;
    const std::size_t n_boxes = begin_[l + 1] - begin_[l];
    for (std::uint32_t p = begin_[l]; p < begin_[l + 1]; ++p) {
        const std::size_t j = order_[p];
        const double norm = input.categories().norm(j);
        input.categories().copy_weight(j, weight_.data());
        const Sample v = look_at(c);
        if (n_boxes > 1) finder_.look_again();
        const std::size_t n =
            finder_.select(c, v, params_.alpha, surely_fails(norm) ? ratio_lb_ : 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t box = finder_.chosen()[i];
            const std::uint32_t k = c.owner(box);
            if (quick.index() != kNone && k != quick.index()) continue;  // has lost already
            if (!is_near_[k]) {
                is_near_[k] = true;
                near_[n_near++] = k;
                module_activation_[k] = module_match_[k] = linkages::Single::start();
            }
            const double t = resonance_.activation_of(c, box, weight_.data());
            module_activation_[k] = linkages::Single::add(module_activation_[k], t);
            module_match_[k] =
                linkages::Single::add(module_match_[k], match_between(c.norm(box), norm, t));
        }
        poll.work(n * (c.width() + 8));
    }
    std::sort(near_.begin(), near_.begin() + n_near);
    Winner winner(params_.rho_lb);
    for (std::size_t i = 0; i < n_near; ++i) {
        const std::uint32_t k = near_[i];
        if (may_take(k)) winner.offer(k, module_activation_[k], module_match_[k]);
        is_near_[k] = false;
    }
    return winner;
}

MergeArt::Pair MergeArt::most_active_pair(const Modules& input, std::size_t l,
                                          const Modules& merged, Poll& poll) {
    const Categories& c = merged.categories();
    Pair pair;
    for (std::uint32_t p = begin_[l]; p < begin_[l + 1]; ++p) {
        const std::size_t j = order_[p];
        const Best best = look_from(input.categories(), j, c, poll);
        if (!resonance_.orders(best)) return Pair();
        const auto box = static_cast<std::size_t>(best.index);
        const bool ahead = best.ratio > pair.ratio ||
                           (best.ratio == pair.ratio && c.owner(box) < c.owner(pair.box));
        if (pair.known && !ahead) continue;
        pair.known = true;
        pair.box = box;
        pair.ratio = best.ratio;
        pair.activation = resonance_.activation(best.ratio);
        pair.match = match_between(c.norm(box), input.categories().norm(j), pair.activation);
    }
    return pair;
}

Best MergeArt::look_from(const Categories& input, std::size_t j, const Categories& store,
                         Poll& poll) {
    input.copy_weight(j, weight_.data());
    const Sample v = look_at(store);
    poll.work(store.size() * store.width() / 4);
    return finder_.best_passing(store, v, params_.alpha, -1.0, store.owners());
}

Merged merge_art(const Modules& input, const DdvfaParams& params, std::size_t max_passes,
                 bool compress, std::size_t n_apart, Poll& poll) {
    MergeArt art(params, input.n_features());
    Merged result = art.merge(input, max_passes, n_apart, poll);
    if (compress) result.modules = art.compress(result.modules, poll);
    return result;
}

}  // namespace resonart
