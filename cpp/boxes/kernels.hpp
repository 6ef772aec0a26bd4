// The loops over categories, each compiled for several instruction sets and chosen at run time.
//
// Kernels know nothing of algorithms: they see a store of weights and one complement-coded
// sample, and give overlaps |x ∧ w|, activations and selections. Plain pointers only: this header
// is included by files built for wide registers, which must not instantiate library templates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/power.hpp"

namespace resonart {

// How many categories are looked at side by side, exactly and roughly.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kRoughLanes = 16;

// How many floats a rough look at so many blocks of kRoughLanes categories needs room for: their
// overlaps, and three numbers for each block that may hold the winner.
constexpr std::size_t rough_room(std::size_t blocks) { return blocks * (kRoughLanes + 4); }

// Weights of `size` categories of `width` = 2d entries, feature by feature within blocks of
// kLanes categories: entry f of category j is w[(j / kLanes * width + f) * kLanes + j % kLanes].
// Arrays are aligned to 64 bytes; lanes past `size` hold zeros.
//
// `rough` and `rough_norm` are the same numbers as floats, in blocks of kRoughLanes. They cost half
// the memory traffic and tell, with a margin for their rounding, which categories cannot win; all
// that remain are computed exactly. No result depends on a float.
struct StoreView {
    const double* w;
    const double* norm;  // |w_j|
    const float* rough;
    const float* rough_norm;
    std::size_t size;
    std::size_t width;
    double alpha;

    // There are floats, far from where they overflow or vanish.
    bool can_be_rough() const { return rough && alpha >= 1e-20 && alpha <= 1e6; }
};

// Points in the layout of a store: feature f of point i is x[(i / kLanes * width + f) * kLanes +
// i % kLanes].
struct PointsView {
    const double* x;
    std::size_t size;
    std::size_t width;
};

class Widening;

// A complement-coded sample, and the same as floats. Where it was coded in wider ranges than the
// categories, `wider` says how they are to be seen (widening.hpp). `row`: the row itself, in the
// user's units, for those who keep means of rows. Kernels ask for neither.
struct Sample {
    const double* x;
    const float* rough;
    Widening* wider = nullptr;
    const double* row = nullptr;
};

// How ranges change, feature by feature; `is_same` where one does not.
struct RangeChange {
    const bool* is_same;
    const double *low, *range;  // before
    const double *wider_low, *wider_range;
};

// The same as floats see it: entry f becomes scale[f]·w, and something that is added to all alike.
struct RoughChange {
    const float* scale;
    float steepest;  // the highest of them
    float top;       // no norm is higher, but for what is added
};

constexpr std::int64_t kNone = -1;

// What the boxes of a node (see box_tree.hpp) are asked for: an overlap of `overlap` and a ratio of
// `ratio` at least. `slack` is what rounding may take from top - gap.
struct Reach {
    float alpha, slack, overlap, ratio;
};

// What a look at a node's boxes tells: a bit for each within reach, and which box promises most,
// within reach or not.
struct NodeScan {
    unsigned within, best;
};

struct Best {
    std::int64_t index = kNone;
    double ratio = -1.0;   // |x ∧ w| / (α + |w|)
    double overlap = 0.0;  // |x ∧ w|
};

// `p` will be read soon: it may be on its way from memory meanwhile.
static inline void prefetch(const void* p) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

// The lowest bit that is set; there must be one.
static inline unsigned first_of(unsigned bits) {
#if defined(__GNUC__) || defined(__clang__)
    return static_cast<unsigned>(__builtin_ctz(bits));
#else
    unsigned n = 0;
    while (!(bits & 1u)) {
        bits >>= 1;
        ++n;
    }
    return n;
#endif
}

struct Kernels {
    const char* name;

    // overlap[j] = |x ∧ w_j|, features in order. `overlap` holds whole blocks.
    void (*overlaps)(const double* x, const StoreView& s, double* overlap);

    // gap[j] = |w_j - (x ∧ w_j)|, likewise.
    void (*gaps)(const double* x, const StoreView& s, double* gap);

    // The category of highest |x ∧ w|/(α+|w|) among those with |x ∧ w| >= threshold; every
    // category competes when the threshold is negative. Ties go to the lowest owner, if owners
    // are given, then to the lowest index. `rough` has room as `rough_room` says; with owners and
    // where `can_be_rough`, it is left with each category's overlap, for `select`.
    Best (*best_passing)(const Sample& x, const StoreView& s, double threshold,
                         const std::uint32_t* owner, float* rough);

    // The two best of those that pass, as `best_passing` without owners ranks them.
    void (*two_best_passing)(const Sample& x, const StoreView& s, double threshold, float* rough,
                             Best two[2]);

    // The category of highest 1 - |w - (x ∧ w)|/d, ties to the lowest index, among those with a
    // component that is not negative, or among all where no components are given. The activation
    // is left in `ratio`.
    Best (*nearest_box)(const double* x, const StoreView& s, const std::int64_t* component);

    // The rough overlap of every category; only where `can_be_rough`.
    void (*look)(const Sample& x, const StoreView& s, float* rough);

    // Every category, and maybe a few more, with a ratio of at least `ratio`, given the rough
    // overlaps: their indices, ascending; returns how many. `chosen` has room for whole blocks.
    std::size_t (*select)(const float* rough, const StoreView& s, double ratio,
                          std::uint32_t* chosen);

    // T_j = (overlap_j/(α+|w_j|))^γ and its match before division by d^γ*, |w_j|^γ*·T_j.
    void (*respond)(const double* overlap, const StoreView& s, const Power& gamma,
                    const Power& gamma_ref, double* activation, double* match);

    // A node of `kRoughLanes` boxes: the highest ratio each may have is left in `bound`.
    NodeScan (*near_ratio)(const float* x, const float* node, std::size_t width, const Reach& reach,
                           float* bound);

    // The same for gaps, of which at most `most` is within reach; `bound` gets their negatives.
    NodeScan (*near_gap)(const float* x, const float* node, std::size_t width, float most,
                         float* bound);

    // What `blocks` blocks of kLanes categories become when ranges change, and their norms.
    void (*widen)(const double* w, std::size_t blocks, std::size_t width, const RangeChange& change,
                  double* wider, double* norm);

    // A node as it is in wider ranges, but for what is added to all entries alike.
    void (*widen_node)(const float* node, std::size_t width, const RoughChange& change,
                       float* wider);

    // As `near_ratio` and `near_gap`, of all categories in wider ranges. They leave all bounds and
    // return the category within reach that promises most, or kNone.
    std::int64_t (*near_wider_ratio)(const float* x, const StoreView& s, const RoughChange& change,
                                     const Reach& reach, float* bound);
    std::int64_t (*near_wider_gap)(const float* x, const StoreView& s, const RoughChange& change,
                                   float* bound);

    // Every category with a bound of at least `least`, ascending; returns how many. `chosen` has
    // room for whole blocks.
    std::size_t (*choose)(const float* bound, std::size_t size, float least, std::uint32_t* chosen);

    // A bit for each of `kRoughLanes` bounds that is at least `least`.
    unsigned (*promising)(const float* bound, float least);

    // square[i] = the squared Euclidean distance of q and point i, features in order. `square`
    // holds whole blocks.
    void (*squared_distances)(const double* q, const PointsView& points, double* square);

    // The `most` points nearest to the point at place `at`, itself left out: their squared
    // distances and names, nearest first, ties to the lowest name. The points lie in rising order
    // of their first feature, so that those beyond the distance found need not be looked at. There
    // are as many other points.
    void (*nearest_points)(const PointsView& points, std::size_t at, const std::uint32_t* name,
                           std::size_t most, double* square, std::uint32_t* index);

    // A step of Prim's algorithm: point i is `best[i]` away from the tree, through `from[i]`. The
    // point `newest`, which lies at q, has just joined the tree. Distances are squared, and at
    // least the core distances of both ends. Points in the tree are kept out of it by an infinite
    // core distance. Returns the nearest point, ties to the lowest; `points.size` where none is at
    // a finite distance.
    std::size_t (*join_nearest)(const double* q, std::uint32_t newest, double core,
                                const PointsView& points, const double* cores, double* best,
                                std::uint32_t* from);
};

// The kernels in use. The first call picks the widest the machine can run, or what the
// environment variable RESONART_SIMD names.
const Kernels& kernels();

// Names of those this machine can run, narrowest first; `use_kernels` switches (false: unknown).
std::size_t available_kernels(const char** names, std::size_t most);
bool use_kernels(const char* name);

}  // namespace resonart
