// Merge ART (Algorithm 2): modules are presented to an ART whose nodes are unions of modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "art/linkage.hpp"
#include "art/modules.hpp"
#include "art/params.hpp"
#include "art/passing_modules.hpp"
#include "art/resonance.hpp"
#include "base/poll.hpp"
#include "boxes/finder.hpp"

namespace resonart {

constexpr std::size_t kNoCap = std::numeric_limits<std::size_t>::max();
// Modules of fewer samples are what the order of rows has split off, or outliers.
constexpr std::int64_t kSmallModule = 5;

struct Merged {
    Modules modules;
    Buffer<std::uint32_t> map;  // old module -> new module
    std::size_t passes = 0;
};

// What a sweep over vigilances wants to know: with the same modules, merging gives the same up to
// this ρ_LB, and compression up to this threshold of ρ_UB.
struct Headroom {
    double lb = kAnyVigilance, ub = kAnyVigilance;
};

class MergeArt {
public:
    using Params = DdvfaParams;

    // How far beyond `enough_lb` the headroom reaches need not be known.
    MergeArt(const Params& params, std::size_t n_features, double enough_lb = kAnyMatch);

    const Headroom& headroom() const { return headroom_; }

    // Passes until one returns as many modules as it was given (it is then the identity) or the
    // cap is reached. With `n_apart`, the first so many modules and all that are not small are
    // never joined with each other; so the first stay the first. `input` is left alone.
    Merged merge(const Modules& input, std::size_t max_passes, std::size_t n_apart, Poll& poll);

    // One pass over the modules in order (lines 2 to 11), from an empty Merge ART.
    Modules pass(const Modules& input, std::size_t n_apart, Buffer<std::uint32_t>& map, Poll& poll);

    // Every module's weights through a fresh fuzzy ART with higher-order functions and ρ_UB, one
    // pass in stored order (lines 13 to 15). The match is normalised by d, as for samples.
    Modules compress(const Modules& input, Poll& poll);

private:
    static constexpr std::size_t kMostEntries = std::size_t{1} << 20;

    // Whether node k may take the module at hand.
    bool may_take(std::size_t k) const noexcept { return !stays_apart_ || !is_taken_[k]; }

    // Overlaps, T and |w|^γ*·T of all of `store` for the vector in `weight_`.
    void respond_to_weight(const Categories& store);

    // The vector in `weight_`, with room to look at all of `store` roughly.
    Sample look_at(const Categories& store);

    // Compression: the most active category that reaches ρ_UB for the vector in `weight_`.
    Winner most_alike(const Categories& store);

    // m_ij = (|w_i|/|w_j|)^γ*·t_ij: the norm is that of the incoming weight. An incoming box that
    // covers all of space has norm 0: no activation then means no match, and two such boxes
    // are alike.
    double match_between(double norm_i, double norm_j, double t) const;

    // Highest activation among the modules of `merged` that pass ρ_LB for module l of `input`, ties
    // to the lowest index.
    Winner find_module(const Modules& input, std::size_t l, const Modules& merged, Poll& poll);

    Winner find_by_centroid(const Modules& input, std::size_t l, const Modules& merged, Poll& poll);

    // Linkages whose value can be taken entry by entry.
    template <class Rule>
    Winner find_by_value(Rule, const Modules& input, std::size_t l, const Modules& merged,
                         Poll& poll);

    // A median needs all R×C entries of a pair of modules: of so many pairs at a time as there is
    // room for, and of one at least.
    template <class Rule>
    Winner find_by_all(Rule, const Modules& input, std::size_t l, const Modules& merged,
                       Poll& poll);

    // Whether boxes below the least ratio surely fail for a box of this norm. Not if
    // (|w_i|/|w_j|)^γ* is so large that it overflows, or lifts an activation that has lost bits to
    // underflow.
    bool surely_fails(double norm) const;
    bool surely_fails(const Modules& input, std::size_t l) const;

    // Lists the modules of `merged` that may pass for module l of `input` in `near_`, ascending.
    PassingModules look_for_passing(const Modules& input, std::size_t l, const Modules& merged,
                                    Poll& poll);

    // Calls see(j) for each category j of module l, with the activations of all categories of
    // modules near it in `activation_`.
    template <class See>
    void respond_passing(const Modules& input, std::size_t l, const Modules& merged,
                         const PassingModules& near, Poll& poll, See&& see,
                         const std::uint32_t* modules = nullptr);

    // Single linkage: only boxes near those of module l can have a say.
    Winner nearest_module(const Modules& input, std::size_t l, const Modules& merged, Poll& poll);

    struct Pair {
        bool known = false;  // false: powers may not keep the order of ratios here
        std::size_t box = 0;
        double ratio = -1.0, activation = 0.0, match = 0.0;
    };

    // Of all boxes of `merged` and of module l of `input`, ties to the lowest module of `merged`.
    Pair most_active_pair(const Modules& input, std::size_t l, const Modules& merged, Poll& poll);

    // Category j, now in `weight_`, looks for the most active box of `store`.
    Best look_from(const Categories& input, std::size_t j, const Categories& store, Poll& poll);

    Params params_;
    Resonance resonance_;
    double enough_lb_;
    double ratio_lb_, ratio_ub_;
    Headroom headroom_;
    Buffer<double> weight_, overlap_, activation_, match_;
    Buffer<double> module_activation_, module_match_;
    Buffer<double> all_activations_, all_matches_;
    Buffer<std::uint32_t> begin_, order_;  // categories of each module of the input
    Finder finder_;
    Buffer<float> rough_weight_;
    Buffer<std::uint32_t> near_;
    Buffer<std::size_t> passing_;    // entries of each module that may pass; 0 between modules
    Buffer<std::uint8_t> is_near_;   // whether a module is in `near_`
    bool stays_apart_ = false;       // whether the module at hand is kept apart from its like
    Buffer<std::uint8_t> is_taken_;  // whether a node has such a module already
};

// Merging until nothing changes or the cap is reached; then one compression. `n_apart` as in
// MergeArt::merge. `input` is left alone.
Merged merge_art(const Modules& input, const DdvfaParams& params, std::size_t max_passes,
                 bool compress, std::size_t n_apart, Poll& poll);

}  // namespace resonart
