// One copy of the kernels. CMake compiles this file once for each instruction set, with
// RESONART_KERNELS naming the table it defines and RESONART_KERNELS_NAME its name for people.
#include "boxes/kernels.hpp"

#include "boxes/lanes.hpp"

namespace resonart {
namespace {

// How many blocks are summed at once: enough independent additions to hide their latency
// without running out of registers.
constexpr std::size_t kStep = 4;

// A ratio this much lower than the best can neither beat nor equal it after rounding.
constexpr double kBelow = 1.0 - 1e-14;

// What is summed over features: the overlap, or what the weight has beyond it.
struct Overlap {
    template <class L>
    static L term(L x, L w) {
        return lower(x, w);
    }
};
struct SquaredDifference {
    template <class L>
    static L term(L x, L p) {
        const L difference = x - p;
        return difference * difference;
    }
};
struct Gap {
    template <class L>
    static L term(L x, L w) {
        return w - lower(x, w);
    }
};

template <class L, std::size_t Blocks, std::size_t PerBlock, class Summed = Overlap, class T>
inline void sum_blocks(const T* x, const T* w, std::size_t width, L* sum) {
    const std::size_t stride = width * PerBlock;
    for (std::size_t b = 0; b < Blocks; ++b) sum[b] = L::all(T(0));
    for (std::size_t f = 0; f < width; ++f) {
        const L xf = L::all(x[f]);
        for (std::size_t b = 0; b < Blocks; ++b) {
            sum[b] = sum[b] + Summed::term(xf, L::load(w + b * stride + f * PerBlock));
        }
    }
}

// Calls visit(block, sums) for every block in order.
template <class L, std::size_t PerBlock, class Summed, class T, class Visit>
inline void for_each_block(const T* x, const T* w, std::size_t size, std::size_t width,
                           Visit&& visit) {
    const std::size_t blocks = (size + PerBlock - 1) / PerBlock;
    const std::size_t stride = width * PerBlock;
    std::size_t b = 0;
    L sum[kStep];
    for (; b + kStep <= blocks; b += kStep) {
        sum_blocks<L, kStep, PerBlock, Summed>(x, w + b * stride, width, sum);
        for (std::size_t i = 0; i < kStep; ++i) visit(b + i, sum[i]);
    }
    // What is left at once, too: one after the other they would wait for each addition.
    const std::size_t left = blocks - b;
    const T* rest = w + b * stride;
    if (left == 3) sum_blocks<L, 3, PerBlock, Summed>(x, rest, width, sum);
    if (left == 2) sum_blocks<L, 2, PerBlock, Summed>(x, rest, width, sum);
    if (left == 1) sum_blocks<L, 1, PerBlock, Summed>(x, rest, width, sum);
    for (std::size_t i = 0; i < left; ++i) visit(b + i, sum[i]);
}
template <class Visit>
inline void for_each_exact(const double* x, const StoreView& s, Visit&& visit) {
    for_each_block<Lanes, kLanes, Overlap>(x, s.w, s.size, s.width, visit);
}
template <class Visit>
inline void for_each_rough(const float* x, const StoreView& s, Visit&& visit) {
    for_each_block<RoughLanes, kRoughLanes, Overlap>(x, s.rough, s.size, s.width, visit);
}

inline Lanes denominators(const StoreView& s, std::size_t block) {
    return Lanes::all(s.alpha) + Lanes::load(s.norm + block * kLanes);
}
inline RoughLanes rough_denominators(const StoreView& s, std::size_t block) {
    return RoughLanes::all(static_cast<float>(s.alpha)) +
           RoughLanes::load(s.rough_norm + block * kRoughLanes);
}

// A bit for each of the first n lanes, or for all there are.
template <std::size_t PerBlock>
inline unsigned first_lanes(std::size_t n) {
    return n >= PerBlock ? (1u << PerBlock) - 1u : (1u << n) - 1u;
}
// A bit for each lane of a block that holds a category.
template <std::size_t PerBlock>
inline unsigned lanes_in_use(const StoreView& s, std::size_t block) {
    return first_lanes<PerBlock>(s.size - block * PerBlock);
}

// The bit of category j in a block, if it is there.
template <std::size_t PerBlock>
inline unsigned lane_bit(std::int64_t j, std::size_t block) {
    if (j < 0 || static_cast<std::size_t>(j) / PerBlock != block) return 0u;
    return 1u << static_cast<std::size_t>(j) % PerBlock;
}

// How much a rough number may fall short of the exact one. Each of the 2d terms of a float sum is
// off by 2^-24 at most, and so is each addition; the rest of a ratio adds less than 1e-6.
inline double rough_margin(const StoreView& s) {
    const double margin = 1.0 - 1e-6 - 1.2e-7 * static_cast<double>(s.width + 8);
    return margin > 0.0 ? margin : 0.0;
}

// What a rough number must reach at least when the exact one reaches `bar`. Tiny bars, where floats
// lose their relative precision, are let down to zero.
inline float rough_bar(double bar, const StoreView& s) {
    return bar > 1e-30 ? static_cast<float>(bar * rough_margin(s)) : 0.0f;
}

// The same for a ratio: it is the overlap, at least ratio·α, that must not be tiny.
inline float rough_ratio_bar(double ratio, const StoreView& s) {
    return ratio * s.alpha > 1e-30 ? static_cast<float>(ratio * rough_margin(s)) : 0.0f;
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
            best.overlap = overlap[lane];
        }
    }
}

// The best of the categories that pass, looked at exactly: `threshold` bars the overlap, and
// `better` the rest. Division is left for the few that may win: a ratio that beats or equals the
// best needs an overlap >= best·(α+|w|) up to rounding, which kBelow covers.
template <class Better>
class Contest {
public:
    Contest(const StoreView& s, double threshold, Better better)
        : s_(s), bar_(Lanes::all(threshold)), better_(better) {}

    void enter(std::size_t block, Lanes sum, unsigned lanes) {
        lanes &= at_least(sum, bar_);
        if (!lanes) return;
        lanes &= at_least(sum, Lanes::all(hurdle_) * denominators(s_, block));
        if (!lanes) return;
        offer(s_, block, sum, lanes, best,
              [&](std::size_t j, double r) { return better_(best, j, r); });
        hurdle_ = best.ratio * kBelow;
    }
    // `lanes` of a rough block: the exact blocks it stands for are summed where any is left.
    void enter_rough(const double* x, std::size_t block, unsigned lanes) {
        constexpr std::size_t kParts = kRoughLanes / kLanes;
        for (std::size_t part = 0; part < kParts; ++part, lanes >>= kLanes) {
            const unsigned mine = lanes & ((1u << kLanes) - 1u);
            if (!mine) continue;
            const std::size_t exact = block * kParts + part;
            Lanes sum[1];
            sum_blocks<Lanes, 1, kLanes>(x, s_.w + exact * s_.width * kLanes, s_.width, sum);
            enter(exact, sum[0], mine);
        }
    }
    double hurdle() const { return hurdle_; }

    Best best;

private:
    const StoreView& s_;
    Lanes bar_;
    Better better_;
    double hurdle_ = -1.0;
};

void overlaps(const double* x, const StoreView& s, double* overlap) {
    for_each_exact(x, s, [&](std::size_t b, Lanes sum) { sum.store(overlap + b * kLanes); });
}

void gaps(const double* x, const StoreView& s, double* gap) {
    for_each_block<Lanes, kLanes, Gap>(
        x, s.w, s.size, s.width, [&](std::size_t b, Lanes sum) { sum.store(gap + b * kLanes); });
}

bool higher_ratio(const Best& best, std::size_t, double ratio) { return ratio > best.ratio; }

// Every category looked at exactly, but for one.
template <class Better>
Best best_exactly(const Sample& x, const StoreView& s, double threshold, std::int64_t except,
                  Better better) {
    Contest<Better> contest(s, threshold, better);
    for_each_exact(x.x, s, [&](std::size_t b, Lanes sum) {
        contest.enter(b, sum, lanes_in_use<kLanes>(s, b) & ~lane_bit<kLanes>(except, b));
    });
    return contest.best;
}

// A rough look at every category that passes finds the blocks in which the N of highest ratio may
// be. A block is left behind by comparing its overlaps with what the N-th highest so far asks for;
// ratios are computed for those only that rise above it.
template <std::size_t N>
class RoughContest {
public:
    RoughContest(const StoreView& s, double threshold, float* rough)
        : s_(s),
          bar_(RoughLanes::all(rough_bar(threshold, s))),
          likely_(reinterpret_cast<Likely*>(rough + blocks_of(s) * kRoughLanes)) {
        for (float& ratio : highest_) ratio = -1.0f;
    }

    void enter(std::size_t block, RoughLanes sum) {
        const RoughLanes denominator = rough_denominators(s_, block);
        unsigned lanes = at_least(sum, bar_) & at_least(sum, hurdle_ * denominator);
        if (!lanes) return;
        lanes &= lanes_in_use<kRoughLanes>(s_, block);
        alignas(64) float ratio[kRoughLanes];
        (sum / denominator).store(ratio);
        Likely likely = {static_cast<std::uint32_t>(block), lanes, -1.0f};
        for (unsigned lane = 0; lane < kRoughLanes; ++lane) {
            if (!(lanes >> lane & 1u)) continue;
            if (ratio[lane] > likely.ratio) likely.ratio = ratio[lane];
            rise(ratio[lane]);
        }
        if (likely.ratio < 0.0f) return;
        likely_[n_likely_++] = likely;
        hurdle_ = RoughLanes::all(bar_for(N - 1));
    }

    // The best of all, but for one. That which is `rank`-th by rough ratios can at least be
    // expected to have a ratio as high; where the winner hasn't (it may miss the threshold by a
    // hair), everything has to be looked at.
    template <class Better>
    Best best(const Sample& x, double threshold, std::size_t rank, std::int64_t except,
              Better better) const {
        if (n_likely_ == 0) return Best();
        const float bar = bar_for(rank);
        Contest<Better> contest(s_, threshold, better);
        for (std::size_t i = 0; i < n_likely_; ++i) {
            if (likely_[i].ratio < bar) continue;
            const std::size_t block = likely_[i].block;
            contest.enter_rough(x.x, block,
                                likely_[i].lanes & ~lane_bit<kRoughLanes>(except, block));
        }
        if (rough_ratio_bar(contest.hurdle(), s_) >= bar) return contest.best;
        return best_exactly(x, s_, threshold, except, better);
    }

private:
    struct Likely {
        std::uint32_t block;
        unsigned lanes;
        float ratio;  // the highest of the block
    };

    static std::size_t blocks_of(const StoreView& s) {
        return (s.size + kRoughLanes - 1) / kRoughLanes;
    }
    void rise(float ratio) {
        for (float& highest : highest_) {
            if (ratio <= highest) continue;
            const float lower = highest;
            highest = ratio;
            ratio = lower;
        }
    }
    // What the rough ratio of one that may equal the exact `rank`-th must reach.
    float bar_for(std::size_t rank) const {
        const float highest = highest_[rank];
        if (highest < 0.0f) return 0.0f;
        return rough_ratio_bar(static_cast<double>(highest) * rough_margin(s_), s_);
    }

    const StoreView& s_;
    RoughLanes bar_;
    RoughLanes hurdle_ = RoughLanes::all(0.0f);
    float highest_[N];
    Likely* likely_;
    std::size_t n_likely_ = 0;
};

// A rough look at a handful costs more than it saves.
inline bool rough_pays(const StoreView& s) { return s.can_be_rough() && s.size > 2 * kRoughLanes; }

Best best_passing(const Sample& x, const StoreView& s, double threshold, const std::uint32_t* owner,
                  float* rough) {
    const auto higher_ratio_or_older = [owner](const Best& best, std::size_t j, double ratio) {
        return ratio > best.ratio ||
               (ratio == best.ratio && owner[j] < owner[static_cast<std::size_t>(best.index)]);
    };
    if (owner ? !s.can_be_rough() : !rough_pays(s)) {
        return owner ? best_exactly(x, s, threshold, kNone, higher_ratio_or_older)
                     : best_exactly(x, s, threshold, kNone, higher_ratio);
    }
    RoughContest<1> contest(s, threshold, rough);
    if (owner) {
        for_each_rough(x.rough, s, [&](std::size_t b, RoughLanes sum) {
            sum.store(rough + b * kRoughLanes);
            contest.enter(b, sum);
        });
        return contest.best(x, threshold, 0, kNone, higher_ratio_or_older);
    }
    for_each_rough(x.rough, s, [&](std::size_t b, RoughLanes sum) { contest.enter(b, sum); });
    return contest.best(x, threshold, 0, kNone, higher_ratio);
}

void two_best_passing(const Sample& x, const StoreView& s, double threshold, float* rough,
                      Best two[2]) {
    two[1] = Best();
    if (!rough_pays(s)) {
        two[0] = best_exactly(x, s, threshold, kNone, higher_ratio);
        if (two[0].index != kNone) {
            two[1] = best_exactly(x, s, threshold, two[0].index, higher_ratio);
        }
        return;
    }
    RoughContest<2> contest(s, threshold, rough);
    for_each_rough(x.rough, s, [&](std::size_t b, RoughLanes sum) { contest.enter(b, sum); });
    two[0] = contest.best(x, threshold, 0, kNone, higher_ratio);
    if (two[0].index == kNone) return;
    two[1] = contest.best(x, threshold, 1, two[0].index, higher_ratio);
}

Best nearest_box(const double* x, const StoreView& s, const std::int64_t* component) {
    const auto d = static_cast<double>(s.width / 2);
    Best best;
    // A wider gap cannot mean a higher activation; a narrower one may round to the same.
    double narrowest = HUGE_VAL;
    const auto look = [&](std::size_t b, Lanes sum) {
        unsigned lanes = ~at_least(sum, Lanes::all(narrowest)) & lanes_in_use<kLanes>(s, b);
        if (!lanes) return;
        alignas(64) double gap[kLanes];
        sum.store(gap);
        for (std::size_t lane = 0; lanes; ++lane, lanes >>= 1) {
            const std::size_t j = b * kLanes + lane;
            if (!(lanes & 1u) || gap[lane] >= narrowest) continue;
            if (component && component[j] < 0) continue;
            narrowest = gap[lane];
            const double activation = 1.0 - narrowest / d;
            if (best.index == kNone || activation > best.ratio) {
                best.index = static_cast<std::int64_t>(j);
                best.ratio = activation;
            }
        }
    };
    // A few blocks at a time: once a box holds the sample, no later one can do better.
    constexpr std::size_t kPart = kStep * kLanes;
    for (std::size_t begin = 0; begin < s.size && best.ratio < 1.0; begin += kPart) {
        const std::size_t n = s.size - begin < kPart ? s.size - begin : kPart;
        for_each_block<Lanes, kLanes, Gap>(
            x, s.w + begin * s.width, n, s.width,
            [&](std::size_t b, Lanes sum) { look(begin / kLanes + b, sum); });
    }
    return best;
}

void look(const Sample& x, const StoreView& s, float* rough) {
    for_each_rough(x.rough, s,
                   [&](std::size_t b, RoughLanes sum) { sum.store(rough + b * kRoughLanes); });
}

// Every lane is written, and kept if it is chosen: which ones are cannot be foreseen.
inline std::size_t list_lanes(std::size_t block, unsigned lanes, std::uint32_t* chosen,
                              std::size_t count) {
    for (unsigned i = 0; i < kRoughLanes; ++i) {
        chosen[count] = static_cast<std::uint32_t>(block * kRoughLanes + i);
        count += (lanes >> i) & 1u;
    }
    return count;
}

std::size_t select(const float* rough, const StoreView& s, double ratio, std::uint32_t* chosen) {
    const std::size_t blocks = (s.size + kRoughLanes - 1) / kRoughLanes;
    const RoughLanes bar = RoughLanes::all(rough_ratio_bar(ratio, s));
    std::size_t count = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const RoughLanes least = bar * rough_denominators(s, b);
        const unsigned lanes = at_least(RoughLanes::load(rough + b * kRoughLanes), least) &
                               lanes_in_use<kRoughLanes>(s, b);
        if (lanes) count = list_lanes(b, lanes, chosen, count);
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

// Σ max(0, w - x) of a node's boxes: what `Gap` sums, without the minimum that is to be shared.
inline RoughLanes node_gaps(const float* x, const float* node, std::size_t width) {
    const RoughLanes zero = RoughLanes::all(0.0f);
    RoughLanes sum = zero;
    for (std::size_t f = 0; f < width; ++f) {
        sum = sum + higher(RoughLanes::load(node + f * kRoughLanes) - RoughLanes::all(x[f]), zero);
    }
    return sum;
}

NodeScan near_in(RoughLanes bound, unsigned within) {
    const unsigned best = at_least(bound, RoughLanes::all(highest(bound)));
    return {within, first_of(best)};
}

NodeScan near_ratio(const float* x, const float* node, std::size_t width, const Reach& reach,
                    float* bound) {
    const RoughLanes top = RoughLanes::load(node + width * kRoughLanes);
    const RoughLanes overlap = top - node_gaps(x, node, width) + RoughLanes::all(reach.slack);
    const RoughLanes ratio = overlap / (top + RoughLanes::all(reach.alpha));
    ratio.store(bound);
    return near_in(ratio, at_least(overlap, RoughLanes::all(reach.overlap)) &
                              at_least(ratio, RoughLanes::all(reach.ratio)));
}

NodeScan near_gap(const float* x, const float* node, std::size_t width, float most, float* bound) {
    const RoughLanes negative = RoughLanes::all(0.0f) - node_gaps(x, node, width);
    negative.store(bound);
    return near_in(negative, at_least(negative, RoughLanes::all(-most)));
}

unsigned promising(const float* bound, float least) {
    return at_least(RoughLanes::load(bound), RoughLanes::all(least));
}

// As Bounds::move_entry: what lies beyond the wider range is cut off, and a quotient cannot leave
// [0, 1] otherwise.
inline Lanes widen_entry(Lanes w, bool complement, std::size_t f, const RangeChange& change) {
    const Lanes zero = Lanes::all(0.0), one = Lanes::all(1.0);
    const Lanes corner = complement ? one - w : w;
    const Lanes value = Lanes::all(change.low[f]) + corner * Lanes::all(change.range[f]);
    const Lanes share =
        (value - Lanes::all(change.wider_low[f])) / Lanes::all(change.wider_range[f]);
    const Lanes moved = lower(higher(share, zero), one);
    return complement ? one - moved : moved;
}

void widen(const double* w, std::size_t blocks, std::size_t width, const RangeChange& change,
           double* wider, double* norm) {
    const std::size_t d = width / 2;
    for (std::size_t b = 0; b < blocks; ++b, norm += kLanes) {
        Lanes sum = Lanes::all(0.0);
        for (std::size_t f = 0; f < width; ++f, w += kLanes, wider += kLanes) {
            const bool complement = f >= d;
            const std::size_t feature = complement ? f - d : f;
            const Lanes before = Lanes::load(w);
            const Lanes now =
                change.is_same[feature] ? before : widen_entry(before, complement, feature, change);
            now.store(wider);
            sum = sum + now;
        }
        sum.store(norm);
    }
}

// Keeps which of the boxes within reach promises most.
class MostPromising {
public:
    void enter(std::size_t block, RoughLanes bound, unsigned within, const float* stored) {
        for (unsigned lanes = within & at_least(bound, RoughLanes::all(highest_)); lanes;
             lanes &= lanes - 1) {
            const unsigned lane = first_of(lanes);
            if (best != kNone && stored[lane] <= highest_) continue;
            highest_ = stored[lane];
            best = static_cast<std::int64_t>(block * kRoughLanes + lane);
        }
    }
    std::int64_t best = kNone;

private:
    float highest_ = -HUGE_VALF;
};

void widen_node(const float* node, std::size_t width, const RoughChange& change, float* wider) {
    RoughLanes before = RoughLanes::all(0.0f), top = before;
    for (std::size_t f = 0; f < width; ++f, node += kRoughLanes, wider += kRoughLanes) {
        const RoughLanes w = RoughLanes::load(node);
        const RoughLanes now = w * RoughLanes::all(change.scale[f]);
        now.store(wider);
        before = before + w;
        top = top + now;
    }
    // What boxes below may have beyond the least of each entry.
    const RoughLanes beyond = higher(RoughLanes::load(node) - before, RoughLanes::all(0.0f));
    top = top + beyond * RoughLanes::all(change.steepest);
    lower(top, RoughLanes::all(change.top)).store(wider);
}

std::int64_t near_wider_ratio(const float* x, const StoreView& s, const RoughChange& change,
                              const Reach& reach, float* bound) {
    const RoughLanes least = RoughLanes::all(reach.alpha);
    const float* w = s.rough;
    MostPromising most;
    for (std::size_t b = 0; b * kRoughLanes < s.size; ++b, bound += kRoughLanes) {
        RoughLanes overlap = RoughLanes::all(reach.slack), norm = least;
        for (std::size_t f = 0; f < s.width; ++f, w += kRoughLanes) {
            const RoughLanes now = RoughLanes::load(w) * RoughLanes::all(change.scale[f]);
            overlap = overlap + lower(now, RoughLanes::all(x[f]));
            norm = norm + now;
        }
        const RoughLanes ratio = overlap / norm;
        ratio.store(bound);
        most.enter(
            b, ratio,
            at_least(overlap, RoughLanes::all(reach.overlap)) & lanes_in_use<kRoughLanes>(s, b),
            bound);
    }
    return most.best;
}

std::int64_t near_wider_gap(const float* x, const StoreView& s, const RoughChange& change,
                            float* bound) {
    const RoughLanes zero = RoughLanes::all(0.0f);
    const float* w = s.rough;
    MostPromising most;
    for (std::size_t b = 0; b * kRoughLanes < s.size; ++b, bound += kRoughLanes) {
        RoughLanes negative = zero;
        for (std::size_t f = 0; f < s.width; ++f, w += kRoughLanes) {
            const RoughLanes now = RoughLanes::load(w) * RoughLanes::all(change.scale[f]);
            negative = negative - higher(now - RoughLanes::all(x[f]), zero);
        }
        negative.store(bound);
        most.enter(b, negative, lanes_in_use<kRoughLanes>(s, b), bound);
    }
    return most.best;
}

std::size_t choose(const float* bound, std::size_t size, float least, std::uint32_t* chosen) {
    std::size_t count = 0;
    for (std::size_t b = 0; b * kRoughLanes < size; ++b) {
        const unsigned lanes = promising(bound + b * kRoughLanes, least) &
                               first_lanes<kRoughLanes>(size - b * kRoughLanes);
        if (lanes) count = list_lanes(b, lanes, chosen, count);
    }
    return count;
}

void squared_distances(const double* q, const PointsView& points, double* square) {
    for_each_block<Lanes, kLanes, SquaredDifference>(
        q, points.x, points.size, points.width,
        [&](std::size_t block, Lanes sum) { sum.store(square + block * kLanes); });
}

void nearest_points(const PointsView& points, std::size_t at, const std::uint32_t* name,
                    std::size_t most, double* square, std::uint32_t* index) {
    const std::size_t d = points.width, n_blocks = (points.size + kLanes - 1) / kLanes;
    const auto first_feature = [&](std::size_t i) {
        return points.x[i / kLanes * d * kLanes + i % kLanes];
    };
    const double* const own = points.x + at / kLanes * d * kLanes + at % kLanes;
    const double here = own[0];
    std::size_t found = 0;
    double last = HUGE_VAL;
    const auto look = [&](std::size_t block) {
        Lanes sum = Lanes::all(0.0);
        const double* const x = points.x + block * d * kLanes;
        for (std::size_t f = 0; f < d; ++f) {
            sum = sum +
                  SquaredDifference::term(Lanes::all(own[f * kLanes]), Lanes::load(x + f * kLanes));
        }
        unsigned nearer = first_lanes<kLanes>(points.size - block * kLanes);
        if (found == most) nearer &= at_least(Lanes::all(last), sum);
        if (!nearer) return;
        alignas(64) double squares[kLanes];
        sum.store(squares);
        for (; nearer; nearer &= nearer - 1) {
            const std::size_t lane = first_of(nearer), i = block * kLanes + lane;
            const double s = squares[lane];
            if (i == at) continue;
            const auto comes_after = [&](std::size_t place) {
                return square[place] > s || (square[place] == s && index[place] > name[i]);
            };
            if (found == most && !comes_after(most - 1)) continue;
            std::size_t place = found < most ? found++ : most - 1;
            for (; place > 0 && comes_after(place - 1); --place) {
                square[place] = square[place - 1];
                index[place] = index[place - 1];
            }
            square[place] = s;
            index[place] = name[i];
            if (found == most) last = square[most - 1];
        }
    };
    std::size_t left = at / kLanes, right = left + 1;  // what is beyond has not been looked at
    look(left);
    while (true) {
        const double below = left > 0 ? here - first_feature(left * kLanes - 1) : HUGE_VAL;
        const double above = right < n_blocks ? first_feature(right * kLanes) - here : HUGE_VAL;
        const double nearest = below < above ? below : above;
        if (nearest == HUGE_VAL || nearest * nearest > last) return;
        if (below < above) {
            look(--left);
        } else {
            look(right++);
        }
    }
}

std::size_t join_nearest(const double* q, std::uint32_t newest, double core,
                         const PointsView& points, const double* cores, double* best,
                         std::uint32_t* from) {
    constexpr unsigned kAll = (1u << kLanes) - 1u;
    std::size_t nearest = points.size;
    double least = HUGE_VAL;
    for_each_block<Lanes, kLanes, SquaredDifference>(
        q, points.x, points.size, points.width, [&](std::size_t block, Lanes sum) {
            const std::size_t first = block * kLanes;
            const Lanes before = Lanes::load(best + first);
            const Lanes height = higher(higher(sum, Lanes::all(core)), Lanes::load(cores + first));
            unsigned closer = ~at_least(height, before) & kAll;
            const Lanes now = lower(height, before);
            if (closer) {
                now.store(best + first);
                for (; closer; closer &= closer - 1) from[first + first_of(closer)] = newest;
            }
            unsigned nearer = ~at_least(now, Lanes::all(least)) & kAll;
            for (; nearer; nearer &= nearer - 1) {
                const std::size_t i = first + first_of(nearer);
                if (best[i] < least) {
                    least = best[i];
                    nearest = i;
                }
            }
        });
    return nearest;
}

}  // namespace

extern const Kernels RESONART_KERNELS;
const Kernels RESONART_KERNELS = {
    RESONART_KERNELS_NAME,
    overlaps,
    gaps,
    best_passing,
    two_best_passing,
    nearest_box,
    look,
    select,
    respond,
    near_ratio,
    near_gap,
    widen,
    widen_node,
    near_wider_ratio,
    near_wider_gap,
    choose,
    promising,
    squared_distances,
    nearest_points,
    join_nearest,
};

}  // namespace resonart
