// One copy of the kernels. CMake compiles this file once for each instruction set, with
// RESONART_KERNELS naming the table it defines and RESONART_KERNELS_NAME its name for people.
#include "kernels.hpp"

#include "lanes.hpp"

namespace resonart {
namespace {

// How many blocks are summed at once: enough independent additions to hide their latency
// without running out of registers.
#if defined(__AVX512F__) || defined(__AVX2__)
constexpr std::size_t kStep = 4;
#else
constexpr std::size_t kStep = 2;
#endif

// A ratio this much lower than the best can neither beat nor equal it after rounding.
constexpr double kBelow = 1.0 - 1e-14;

template <std::size_t Blocks>
inline void sum_blocks(const double* x, const double* w, std::size_t width, Lanes* sum) {
    const std::size_t stride = width * kLanes;
    for (std::size_t b = 0; b < Blocks; ++b) sum[b] = Lanes::all(0.0);
    for (std::size_t f = 0; f < width; ++f) {
        const Lanes xf = Lanes::all(x[f]);
        for (std::size_t b = 0; b < Blocks; ++b) {
            sum[b] = sum[b] + lower(xf, Lanes::load(w + b * stride + f * kLanes));
        }
    }
}

// Calls visit(block, sums) for every block in order.
template <class Visit>
inline void for_each_block(const double* x, const StoreView& s, Visit&& visit) {
    const std::size_t blocks = (s.size + kLanes - 1) / kLanes;
    const std::size_t stride = s.width * kLanes;
    std::size_t b = 0;
    Lanes sum[kStep];
    for (; b + kStep <= blocks; b += kStep) {
        sum_blocks<kStep>(x, s.w + b * stride, s.width, sum);
        for (std::size_t i = 0; i < kStep; ++i) visit(b + i, sum[i]);
    }
    for (; b < blocks; ++b) {
        sum_blocks<1>(x, s.w + b * stride, s.width, sum);
        visit(b, sum[0]);
    }
}

inline Lanes denominators(const StoreView& s, std::size_t block) {
    return Lanes::all(s.alpha) + Lanes::load(s.norm + block * kLanes);
}

inline unsigned lanes_in_use(const StoreView& s, std::size_t block) {
    const std::size_t left = s.size - block * kLanes;
    return left >= kLanes ? 0xffu : (1u << left) - 1u;
}

// Offers a block's candidate lanes to the best so far. `better(j, ratio)` decides.
template <class Better>
inline void offer(const StoreView& s, std::size_t block, Lanes sum, unsigned lanes, Best& best,
                  Better&& better) {
    alignas(64) double overlap[kLanes];
    sum.store(overlap);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (!(lanes >> lane & 1u)) continue;
        const std::size_t j = block * kLanes + lane;
        const double ratio = overlap[lane] / (s.alpha + s.norm[j]);
        if (better(j, ratio)) {
            best.index = static_cast<std::int64_t>(j);
            best.ratio = ratio;
        }
    }
}

void overlaps(const double* x, const StoreView& s, double* overlap) {
    for_each_block(x, s, [&](std::size_t b, Lanes sum) { sum.store(overlap + b * kLanes); });
}

Best best_passing(const double* x, const StoreView& s, double threshold) {
    Best best;
    const Lanes bar = Lanes::all(threshold);
    // Division is left for the few that may win: ratio > best needs overlap >= best·(α+|w|)
    // up to rounding, which kBelow covers.
    Lanes hurdle = Lanes::all(-1.0);
    for_each_block(x, s, [&](std::size_t b, Lanes sum) {
        unsigned lanes = at_least(sum, bar);
        if (!lanes) return;
        lanes &= at_least(sum, hurdle * denominators(s, b)) & lanes_in_use(s, b);
        if (!lanes) return;
        offer(s, b, sum, lanes, best,
              [&](std::size_t, double ratio) { return ratio > best.ratio; });
        hurdle = Lanes::all(best.ratio * kBelow);
    });
    return best;
}

Best overlaps_and_best(const double* x, const StoreView& s, const std::uint32_t* owner,
                       double* overlap) {
    Best best;
    Lanes hurdle = Lanes::all(-1.0);
    for_each_block(x, s, [&](std::size_t b, Lanes sum) {
        sum.store(overlap + b * kLanes);
        const unsigned lanes = at_least(sum, hurdle * denominators(s, b)) & lanes_in_use(s, b);
        if (!lanes) return;
        offer(s, b, sum, lanes, best, [&](std::size_t j, double ratio) {
            return ratio > best.ratio ||
                   (ratio == best.ratio && owner[j] < owner[static_cast<std::size_t>(best.index)]);
        });
        hurdle = Lanes::all(best.ratio * kBelow);
    });
    return best;
}

std::size_t select(const double* overlap, const StoreView& s, double ratio, std::uint32_t* chosen) {
    const std::size_t blocks = (s.size + kLanes - 1) / kLanes;
    const Lanes bar = Lanes::all(ratio);
    std::size_t count = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const Lanes sum = Lanes::load(overlap + b * kLanes);
        const unsigned lanes = at_least(sum, bar * denominators(s, b)) & lanes_in_use(s, b);
        if (!lanes) continue;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (lanes >> lane & 1u) chosen[count++] = static_cast<std::uint32_t>(b * kLanes + lane);
        }
    }
    return count;
}

inline Lanes raise(Lanes base, const Power& power) {
    if (!power.by_product) {
        alignas(64) double v[kLanes];
        base.store(v);
        // Not Power::operator(): its inline copy built here would serve every processor.
        for (double& a : v) a = std::pow(a, power.exponent);
        return Lanes::load(v);
    }
    Lanes result = Lanes::all(1.0);
    for (int i = 0; i < power.whole; ++i) result = result * base;
    return power.half ? result * root(base) : result;
}

void respond(const double* overlap, const StoreView& s, const Power& gamma, const Power& gamma_ref,
             double* activation, double* match) {
    const std::size_t blocks = (s.size + kLanes - 1) / kLanes;
    for (std::size_t b = 0; b < blocks; ++b) {
        const Lanes ratio = Lanes::load(overlap + b * kLanes) / denominators(s, b);
        const Lanes t = raise(ratio, gamma);
        t.store(activation + b * kLanes);
        const Lanes m = raise(Lanes::load(s.norm + b * kLanes), gamma_ref) * t;
        m.store(match + b * kLanes);
    }
}

}  // namespace

extern const Kernels RESONART_KERNELS;
const Kernels RESONART_KERNELS = {
    RESONART_KERNELS_NAME, overlaps, best_passing, overlaps_and_best, select, respond,
};

}  // namespace resonart
