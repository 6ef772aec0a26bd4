// The loops over categories, each compiled for several instruction sets and chosen at run time.
//
// Kernels know nothing of algorithms: they see a store of weights and one complement-coded
// sample, and give overlaps |x ∧ w|, activations and selections. Plain pointers only: this header
// is included by files built for wide registers, which must not instantiate library templates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "power.hpp"

namespace resonart {

// How many categories are looked at side by side.
constexpr std::size_t kLanes = 8;

// Weights of `size` categories of `width` = 2d entries, feature by feature within blocks of
// kLanes categories: entry f of category j is w[(j / kLanes * width + f) * kLanes + j % kLanes].
// `w` is aligned to 64 bytes; lanes past `size` hold zeros in `w` and in `norm`.
struct StoreView {
    const double* w;
    const double* norm;  // |w_j|
    std::size_t size;
    std::size_t width;
    double alpha;
};

constexpr std::int64_t kNone = -1;

struct Best {
    std::int64_t index = kNone;
    double ratio = -1.0;  // |x ∧ w| / (α + |w|)
};

struct Kernels {
    const char* name;

    // overlap[j] = |x ∧ w_j|, features in order. `overlap` holds whole blocks.
    void (*overlaps)(const double* x, const StoreView& s, double* overlap);

    // The category of highest |x ∧ w|/(α+|w|) among those with |x ∧ w| >= threshold; ties go to
    // the lowest index. Every category competes when the threshold is negative.
    Best (*best_passing)(const double* x, const StoreView& s, double threshold);

    // As `overlaps`, and the category of highest ratio of all; ties go to the lowest owner, then
    // to the lowest index.
    Best (*overlaps_and_best)(const double* x, const StoreView& s, const std::uint32_t* owner,
                              double* overlap);

    // Indices with overlap >= ratio * (α + |w|), ascending; returns how many.
    std::size_t (*select)(const double* overlap, const StoreView& s, double ratio,
                          std::uint32_t* chosen);

    // T_j = (overlap_j/(α+|w_j|))^γ and its match before division by d^γ*, |w_j|^γ*·T_j.
    void (*respond)(const double* overlap, const StoreView& s, const Power& gamma,
                    const Power& gamma_ref, double* activation, double* match);
};

// The kernels in use. The first call picks the widest the machine can run, or what the
// environment variable RESONART_SIMD names.
const Kernels& kernels();

// Names of those this machine can run, narrowest first; `use_kernels` switches (false: unknown).
std::size_t available_kernels(const char** names, std::size_t most);
bool use_kernels(const char* name);

}  // namespace resonart
