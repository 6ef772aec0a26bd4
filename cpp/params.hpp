// The parameters of one model, under the paper's names, checked where they enter the engine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "linkage.hpp"
#include "power.hpp"

namespace resonart {

enum class Search { activation, index };
enum class OutOfBounds { expand, clip, error };

// Of a choice that no vigilance test took part in: it holds at every higher vigilance.
constexpr double kAnyVigilance = std::numeric_limits<double>::infinity();
// Asks for no more than whether something passes.
constexpr double kAnyMatch = -std::numeric_limits<double>::infinity();

struct Params {
    double rho_lb = 0.0;
    double rho_ub = 0.0;
    double alpha = 1e-3;
    double beta = 1.0;
    double gamma = 1.0;
    double gamma_ref = 1.0;
    Linkage linkage = Linkage::single;
    Search search = Search::activation;
    std::int64_t merge_every = 0;  // 0: only when asked
    OutOfBounds out_of_bounds = OutOfBounds::expand;
    std::int64_t max_categories = 0;  // 0: no bound
    bool merge_when_full = true;      // false: DDVFA then only compresses its modules
    // topoART's own; its ρ_a is rho_lb and its ρ_b is rho_ub.
    double beta_sbm = 0.5;
    std::int64_t phi = 2;
    std::int64_t tau = 100;

    // Python words these for people; here they only keep the engine safe from a bad state.
    void check() const {
        const bool fine = rho_lb >= 0.0 && rho_lb <= rho_ub && rho_ub <= 1.0 && alpha > 0.0 &&
                          std::isfinite(alpha) && beta > 0.0 && beta <= 1.0 && gamma >= 0.0 &&
                          std::isfinite(gamma) && gamma_ref >= 0.0 && std::isfinite(gamma_ref) &&
                          merge_every >= 0 && max_categories >= 0 && beta_sbm >= 0.0 &&
                          beta_sbm <= 1.0 && phi >= 1 && tau >= 1;
        if (!fine) throw std::invalid_argument("parameters out of range");
    }

    // Whether a store of so many categories must not grow.
    bool is_full(std::size_t n_categories) const {
        return max_categories > 0 && n_categories >= static_cast<std::size_t>(max_categories);
    }

    bool operator==(const Params& o) const {
        return rho_lb == o.rho_lb && rho_ub == o.rho_ub && alpha == o.alpha && beta == o.beta &&
               gamma == o.gamma && gamma_ref == o.gamma_ref && linkage == o.linkage &&
               search == o.search && merge_every == o.merge_every &&
               out_of_bounds == o.out_of_bounds && max_categories == o.max_categories &&
               merge_when_full == o.merge_when_full && beta_sbm == o.beta_sbm && phi == o.phi &&
               tau == o.tau;
    }
};

// d^γ* stands in every vigilance test of DDVFA, and means of up to a million such numbers are
// taken.
constexpr double kMostScale = 1e300;
inline void check_kernel(const Params& params, std::size_t n_features) {
    if (!(Power(params.gamma_ref)(static_cast<double>(n_features)) <= kMostScale)) {
        throw std::invalid_argument(
            "gamma_ref is too large: the number of features to the power of gamma_ref overflows. "
            "Use a smaller gamma_ref");
    }
}

}  // namespace resonart
