// The parameters of one model, under the paper's names, checked where they enter the engine.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "linkage.hpp"
#include "power.hpp"

namespace resonart {

enum class Search { activation, index };
enum class OutOfBounds { expand, clip, error };

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

    // Python words these for people; here they only keep the engine safe from a bad state.
    void check() const {
        const bool fine = rho_lb >= 0.0 && rho_lb <= rho_ub && rho_ub <= 1.0 && alpha > 0.0 &&
                          std::isfinite(alpha) && beta > 0.0 && beta <= 1.0 && gamma >= 0.0 &&
                          std::isfinite(gamma) && gamma_ref >= 0.0 && std::isfinite(gamma_ref) &&
                          merge_every >= 0;
        if (!fine) throw std::invalid_argument("parameters out of range");
    }
};

}  // namespace resonart
