// Activation and match of the higher-order kind (Eqs. T2 and M2), and what wins by them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "art/params.hpp"
#include "boxes/categories.hpp"
#include "boxes/finder.hpp"
#include "boxes/widening.hpp"

namespace resonart {

// The most active of those whose match reaches the threshold; ties go to the first offered.
class Winner {
public:
    explicit Winner(double threshold) : threshold_(threshold) {}

    void offer(std::size_t index, double activation, double match) noexcept {
        if (match >= threshold_ && (index_ == kNone || activation > activation_)) {
            index_ = static_cast<std::int64_t>(index);
            activation_ = activation;
            match_ = match;
        }
    }
    std::int64_t index() const { return index_; }  // kNone: nothing passed
    double match() const { return match_; }

private:
    double threshold_;
    std::int64_t index_ = kNone;
    double activation_ = 0.0, match_ = 0.0;
};

// T = (|x ∧ w|/(α+|w|))^γ, and its match before division by d^γ*: |w|^γ*·T.
class Resonance {
public:
    Resonance() = default;
    Resonance(const DdvfaParams& params, std::size_t n_features)
        : alpha_(params.alpha),
          gamma_(params.gamma),
          gamma_ref_(params.gamma_ref),
          scale_(gamma_ref_(static_cast<double>(n_features))) {}

    const Power& gamma_ref() const { return gamma_ref_; }

    // A match reaches ρ if |w|^γ*·T >= ρ·d^γ*: the right-hand side.
    double threshold(double rho) const { return rho * scale_; }
    double scale() const { return scale_; }

    double activation(double ratio) const noexcept { return gamma_(ratio); }
    double match(double norm, double activation) const noexcept {
        return gamma_ref_(norm) * activation;
    }
    double activation_of(const Categories& c, std::size_t j, const double* x) const noexcept {
        return gamma_(c.overlap(j, x) / (alpha_ + c.norm(j)));
    }

    // Both of one category.
    struct Response {
        double activation, match;
    };
    Response response_of(const Categories& c, std::size_t j, const Sample& x) const noexcept {
        const OverlapAndNorm met = overlap_and_norm(c, j, x);
        const double t = gamma_(met.overlap / (alpha_ + met.norm));
        return {t, match(met.norm, t)};
    }

    // Whether the box of highest ratio is also known to have the highest activation.
    bool orders(const Best& best) const noexcept {
        return gamma_.keeps_order() && best.index != kNone &&
               gamma_(best.ratio) > kPowerKeepsOrderAbove;
    }

    // A match of at least ρ needs T >= ρ, as |w| <= d; so a box whose ratio is below the γ-th
    // root neither passes nor is the most active of a module that does. A hair lower, to be
    // safe from rounding: what is selected is then computed exactly.
    double least_ratio(double rho) const { return root(rho, gamma_.exponent); }

    // The γ-th root, a hair lower; 0 where it tells nothing.
    static double root(double rho, double gamma) {
        if (gamma < 1e-3 || rho < 1e-300) return 0.0;
        return std::pow(rho, 1.0 / gamma) * (1.0 - 1e-9);
    }

    // The most active box that passes, of those for which belongs(j), where `finder` has found
    // `best` to be the most active of them all. No box of a ratio below `least` passes.
    template <class Belongs>
    Winner find_quickly(const Sample& x, const Categories& c, double threshold, double least,
                        const Best& best, Finder& finder, Belongs&& belongs) const noexcept {
        Winner winner(threshold);
        if (orders(best)) {
            // The most active of all is the most active of these, if it belongs to them.
            const auto j = static_cast<std::size_t>(best.index);
            const double t = activation(best.ratio);
            if (belongs(j)) winner.offer(j, t, match(norm_of(c, j, x), t));
            if (winner.index() != kNone) return winner;
        }
        const std::size_t n = finder.select(c, x, alpha_, least);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t j = finder.chosen()[i];
            if (!belongs(j)) continue;
            const Response its = response_of(c, j, x);
            winner.offer(j, its.activation, its.match);
        }
        return winner;
    }

    // Activation and match of every category.
    void respond(const Sample& x, const Categories& c, double* overlap, double* activation,
                 double* match) const noexcept {
        for_each_part(c, x, alpha_, [&](std::size_t first, const StoreView& part) {
            respond(x.x, part, overlap + first, activation + first, match + first);
        });
    }
    void respond(const double* x, const StoreView& view, double* overlap, double* activation,
                 double* match) const noexcept {
        kernels().overlaps(x, view, overlap);
        kernels().respond(overlap, view, gamma_, gamma_ref_, activation, match);
    }

private:
    double alpha_ = 1e-3;
    Power gamma_, gamma_ref_;
    double scale_ = 1.0;  // d^γ*
};

}  // namespace resonart
