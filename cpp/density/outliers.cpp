#include "density/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "density/candidates.hpp"
#include "density/views.hpp"

namespace resonart {
namespace {

// The few rows, in units of the mean box that is looked at, and the share of all rows.
constexpr double kFewRows = 10.0, kManyRows = 1.0 / 50.0;

// The score of the median row. That of a row at the upper fence of a box plot is 1/2.
constexpr double kUsualOutlier = 0.1;

// The fence is at least this far from the median, as a logarithm: rows on a grid are all alike.
constexpr double kLeastFence = 0.1;

// What is around boxes: those that are looked at, with the rows of all.
class Surroundings {
public:
    // `some`: the boxes that are looked at; null: all.
    Surroundings(const Boxes& boxes, const SampledBoxes* some, Scaling scaling, Poll& poll)
        : all_(0, 0), looked_at_(0, 0), sample_(0, 0), own_(boxes.size), left_(boxes.size) {
        const std::size_t n = boxes.size;
        std::vector<std::uint32_t> each(n);
        std::iota(each.begin(), each.end(), 0u);
        drawn_ = some ? some->drawn : each;
        group_ = some ? some->group : each;
        const std::size_t m = drawn_.size();
        const double* const rows = some ? some->weight.data() : boxes.weight;
        const double total = sum_of_weights(boxes), size = static_cast<double>(m);
        many_ = std::max(kFewRows, kManyRows * size);
        std::vector<double> share(n);
        for (std::size_t i = 0; i < n; ++i) {
            share[i] = boxes.weight[i] * size / total;
            own_[i] = in_steps(share[i]);
            left_[i] = in_steps((rows[group_[i]] - boxes.weight[i]) * size / total);
        }
        for (std::size_t g = 0; g < m; ++g) weight_.push_back(in_steps(rows[g] * size / total));
        Boxes counted = boxes;
        counted.weight = share.data();
        const FeatureScales scales(counted);
        all_ = view_points(counted, scales, view_kinds(scaling, scales)[0], poll);
        looked_at_ = every(1);
        sample_ = every(std::max<std::size_t>(m / kSampled, 1));
        for (std::size_t g = 1; g < m; ++g) {
            is_in_line_ &= looked_at_.at(g - 1, 0) <= looked_at_.at(g, 0);
        }
    }
    const std::vector<std::uint32_t>& drawn() const { return drawn_; }
    bool is_drawn(std::size_t i) const { return drawn_[group_[i]] == i; }
    const std::vector<double>& weights() const { return own_; }
    std::size_t width() const { return all_.width(); }

    struct Workspace {
        std::vector<double> q;
        Buffer<double> squares;
        std::size_t n_near = 0;
        std::vector<std::uint32_t> near;
        std::vector<double> square, weight;  // of those near
        std::vector<std::pair<double, double>> level;
    };

    // How far one must go from a box; 0 where its own rows are enough. `around` are the boxes that
    // are gathered on the way.
    double gather(std::size_t i, std::vector<std::uint32_t>& around, Workspace& ws) const {
        around.clear();
        if (own_[i] >= kFewRows) return 0.0;
        ws.q.resize(width());
        all_.copy(i, ws.q.data());
        // Nearly always those are enough among which a sample promises half as much again.
        double share = 1.5 * many_ / static_cast<double>(drawn_.size());
        while (!list_within(sampled_square(share, ws), i, ws)) share *= 2.0;
        const auto [near, wide] = squares_that_hold(own_[i], ws);
        around.resize(ws.n_near);
        std::size_t n_around = 0;
        for (std::size_t a = 0; a < ws.n_near; ++a) {
            around[n_around] = ws.near[a];
            n_around += ws.square[a] <= wide ? 1 : 0;
        }
        around.resize(n_around);
        return std::sqrt(std::sqrt(near) * std::sqrt(wide));
    }

    // How sparse the place of a box is, as a logarithm, from how far one must go from it and from
    // those around it; -infinite where its own rows are enough.
    double sparsity(std::size_t i, double far_here, const std::vector<std::uint32_t>& around,
                    const std::vector<double>& far) const {
        double sum = own_[i] * far_here, rows = own_[i];
        for (const std::uint32_t g : around) {
            sum += weight_for(i, g) * far[g];
            rows += weight_for(i, g);
        }
        const double mean = sum / rows;
        return mean > 0.0 ? std::log(far_here / std::sqrt(mean)) : -HUGE_VAL;
    }

private:
    static constexpr std::size_t kSampled = 64;

    // Weights in steps as small as a millionth, so that their sums are exact, in any order.
    static double in_steps(double weight) { return std::floor(weight * 0x1p20 + 0.5) * 0x1p-20; }

    // What a box that is looked at weighs for box i, whose own rows are not there.
    double weight_for(std::size_t i, std::uint32_t g) const {
        return g == group_[i] ? left_[i] : weight_[g];
    }

    Points every(std::size_t step) const {
        Points some((drawn_.size() + step - 1) / step, all_.width());
        for (std::size_t g = 0; g < some.size(); ++g) {
            for (std::size_t f = 0; f < all_.width(); ++f) {
                some.at(g, f) = all_.at(drawn_[g * step], f);
            }
        }
        return some;
    }

    // What about this share of the squared distances do not exceed, and one more.
    double sampled_square(double share, Workspace& ws) const {
        const std::size_t n = sample_.size();
        const double place = share * static_cast<double>(n) + 1.0;
        if (!(place < static_cast<double>(n))) return HUGE_VAL;
        ws.squares.resize_uninitialised(whole_lanes(n));
        kernels().squared_distances(ws.q.data(), sample_.view(), ws.squares.data());
        double* const end = ws.squares.data() + static_cast<std::size_t>(place) + 1;
        std::partial_sort(ws.squares.data(), end, ws.squares.data() + n);
        return end[-1];
    }

    // The boxes within a squared distance of box i, ascending. Those that are beyond it in the
    // first coordinate alone are not looked at. Returns whether they are enough, or all.
    bool list_within(double most, std::size_t i, Workspace& ws) const {
        const std::size_t m = drawn_.size(), d = width();
        std::size_t begin = 0, end = m;
        if (is_in_line_ && most < HUGE_VAL) {
            const auto first_place = [&](auto&& is_before) {  // for which that does not hold
                std::size_t low = 0, high = m;
                while (low < high) {
                    const std::size_t middle = low + (high - low) / 2;
                    const double off = looked_at_.at(middle, 0) - ws.q[0];
                    (is_before(off) ? low : high) = is_before(off) ? middle + 1 : middle;
                }
                return low;
            };
            begin = first_place([&](double off) { return off < 0.0 && off * off > most; });
            end = first_place([&](double off) { return off < 0.0 || off * off <= most; });
        }
        begin = begin / kLanes * kLanes;
        ws.squares.resize_uninitialised(whole_lanes(m));
        ws.near.resize(m);
        ws.square.resize(m);
        ws.weight.resize(m);
        const PointsView window{looked_at_.view().x + begin * d, end - begin, d};
        kernels().squared_distances(ws.q.data(), window, ws.squares.data() + begin);
        std::size_t n_near = 0;
        for (std::size_t g = begin; g < end; ++g) {
            ws.near[n_near] = static_cast<std::uint32_t>(g);
            n_near += ws.squares[g] <= most ? 1 : 0;
        }
        double rows = own_[i];
        for (std::size_t a = 0; a < n_near; ++a) {
            ws.square[a] = ws.squares[ws.near[a]];
            ws.weight[a] = weight_for(i, ws.near[a]);
            rows += ws.weight[a];
        }
        ws.n_near = n_near;
        return rows >= many_ || most == HUGE_VAL;
    }

    // The least squared distances within which there are few rows, and many, with a box's own; the
    // greatest where there are never as many.
    std::pair<double, double> squares_that_hold(double own, Workspace& ws) const {
        // Weights by levels of the distance; only within those that matter are they sorted.
        constexpr std::size_t kLevels = 64;
        double greatest = 0.0, at_level[kLevels] = {};
        for (std::size_t a = 0; a < ws.n_near; ++a) greatest = std::max(greatest, ws.square[a]);
        const double scale = greatest > 1e-300 ? static_cast<double>(kLevels) / greatest : 0.0;
        const auto level_of = [&](double square) {
            return std::min(static_cast<std::size_t>(square * scale), kLevels - 1);
        };
        for (std::size_t a = 0; a < ws.n_near; ++a) {
            at_level[level_of(ws.square[a])] += ws.weight[a];
        }
        std::size_t level = 0;
        const auto find = [&](double wanted) {
            while (level < kLevels && own + at_level[level] < wanted) own += at_level[level++];
            if (level == kLevels) return greatest;
            ws.level.clear();
            for (std::size_t a = 0; a < ws.n_near; ++a) {
                if (level_of(ws.square[a]) != level) continue;
                ws.level.emplace_back(ws.square[a], ws.weight[a]);
            }
            std::sort(ws.level.begin(), ws.level.end());
            std::size_t place = 0;
            for (double rows = own; (rows += ws.level[place].second) < wanted;) ++place;
            return ws.level[place].first;
        };
        const double near = find(kFewRows);
        return {near, find(many_)};
    }

    Points all_, looked_at_, sample_;
    bool is_in_line_ = true;  // those that are looked at, by their first coordinate
    std::vector<std::uint32_t> drawn_, group_;
    // In units of the mean box that is looked at: of each box, and what its group has besides; of
    // each box that is looked at, with all that it counts for.
    std::vector<double> own_, left_, weight_;
    double many_ = kFewRows;
};

// Of each box from 0 (as dense as can be) to 1, from how sparse it is as a logarithm.
std::vector<double> scores_of_sparsities(const std::vector<double>& sparsity,
                                         const std::vector<double>& weight) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < sparsity.size(); ++i) {
        if (std::isfinite(sparsity[i])) order.push_back(i);
    }
    std::vector<double> score(sparsity.size(), 0.0);
    if (order.empty()) return score;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sparsity[a] < sparsity[b]; });
    double total = 0.0;
    for (const std::uint32_t i : order) total += weight[i];
    const auto quantile = [&](double share) {
        double below = 0.0;
        for (const std::uint32_t i : order) {
            below += weight[i];
            if (below >= share * total) return sparsity[i];
        }
        return sparsity[order.back()];
    };
    const double low = quantile(0.25), median = quantile(0.5), high = quantile(0.75);
    const double fence = std::max(high + 1.5 * (high - low) - median, kLeastFence);
    for (const std::uint32_t i : order) {
        const double beyond = (sparsity[i] - median) / fence;
        score[i] = 1.0 / (1.0 + std::pow(1.0 / kUsualOutlier - 1.0, 1.0 - beyond));
    }
    return score;
}

}  // namespace

std::vector<double> outlier_scores(const Boxes& boxes, const SampledBoxes* some, Scaling scaling,
                                   unsigned n_threads, Poll& poll) {
    const std::size_t n = boxes.size;
    if (n < 2) return std::vector<double>(n, 0.0);
    const Surroundings surroundings(boxes, some, scaling, poll);
    const std::vector<std::uint32_t>& drawn = surroundings.drawn();
    const std::size_t m = drawn.size();
    const auto for_each = [&](std::size_t count, auto&& look) {
        constexpr std::size_t kChunk = 64;
        // Threads are not worthwhile for a millisecond's work.
        const unsigned most = count < 1000 ? 1 : n_threads;
        in_parallel_tasks(
            (count + kChunk - 1) / kChunk, most, poll, [&](std::size_t t, Poll& asked) {
                Surroundings::Workspace ws;
                for (std::size_t i = t * kChunk; i < std::min((t + 1) * kChunk, count); ++i) {
                    look(i, ws);
                    asked.work(m * (surroundings.width() + 4));
                }
            });
    };
    // First how far one must go from each box that is looked at, then what that says of it and of
    // the others.
    std::vector<double> far(m), sparsity(n);
    std::vector<std::vector<std::uint32_t>> around(m);
    for_each(m, [&](std::size_t g, Surroundings::Workspace& ws) {
        far[g] = surroundings.gather(drawn[g], around[g], ws);
    });
    for (std::size_t g = 0; g < m; ++g) {
        sparsity[drawn[g]] = surroundings.sparsity(drawn[g], far[g], around[g], far);
    }
    if (some) {
        for_each(n, [&](std::size_t i, Surroundings::Workspace& ws) {
            if (surroundings.is_drawn(i)) return;
            std::vector<std::uint32_t> own;
            const double here = surroundings.gather(i, own, ws);
            sparsity[i] = surroundings.sparsity(i, here, own, far);
        });
    }
    return scores_of_sparsities(sparsity, surroundings.weights());
}

}  // namespace resonart
