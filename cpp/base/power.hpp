// The kernel width: x to the power gamma (Eq. T2 of the paper), with the same bits everywhere.
//
// The mathematical library's `pow` differs by a last bit between systems and is slow. Whole and
// half exponents, which cover the paper's experiments, are therefore repeated multiplication and
// one exactly rounded square root. Every other exponent is left to `std::pow`.
//
// For a whole exponent the rounded power keeps every order: x < y gives power(x) < power(y).
// (Let p < q be doubles and x < y their next factors. The products of the mantissas differ by at
// least (m_p + m_x)·2^-52, which is more than 1.4 units in the last place inside a binade and 2 at
// its edge, where the spacing doubles: they cannot round to one value.) It holds above the
// underflow range only; see `kPowerKeepsOrderAbove`.
#pragma once

#include <cmath>

namespace resonart {

struct Power {
    double exponent = 1.0;
    int whole = 1;           // how many factors
    bool half = false;       // and one square root
    bool by_product = true;  // false: std::pow

    Power() = default;
    explicit Power(double e) : exponent(e) {
        const double doubled = 2.0 * e;
        by_product = e >= 0.0 && e <= 32.0 && doubled == std::floor(doubled);
        whole = by_product ? static_cast<int>(std::floor(e)) : 0;
        half = by_product && static_cast<double>(whole) != e;
    }

    double operator()(double base) const {
        if (!by_product) return std::pow(base, exponent);
        double result = 1.0;
        for (int i = 0; i < whole; ++i) result *= base;
        return half ? result * std::sqrt(base) : result;
    }

    // Whether comparing bases decides the comparison of powers, ties included.
    bool keeps_order() const { return by_product && !half && whole >= 1; }
};

// Results below this may have lost bits to underflow on the way.
constexpr double kPowerKeepsOrderAbove = 1e-280;

}  // namespace resonart
