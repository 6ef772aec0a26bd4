#include "density/density_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace resonart {
namespace {

// Points in rising order of their first feature, equal ones by their number.
class PointsInLine {
public:
    explicit PointsInLine(const Points& points)
        : name_(points.size()), points_(points.size(), points.width()) {
        std::iota(name_.begin(), name_.end(), 0u);
        std::stable_sort(name_.begin(), name_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return points.at(a, 0) < points.at(b, 0);
        });
        for (std::size_t i = 0; i < name_.size(); ++i) {
            for (std::size_t f = 0; f < points.width(); ++f) {
                points_.at(i, f) = points.at(name_[i], f);
            }
        }
    }
    std::uint32_t name(std::size_t place) const { return name_[place]; }
    // The nearest others of the point at a place, as Kernels::nearest_points.
    void nearest(std::size_t place, std::size_t most, double* square, std::uint32_t* index) const {
        kernels().nearest_points(points_.view(), place, name_.data(), most, square, index);
    }

private:
    std::vector<std::uint32_t> name_;
    Points points_;
};

// How far from a box one must go until so many rows are gathered, its own included; squared. Others
// come nearest first. Several trees are asked for at once.
class CoreWalk {
public:
    explicit CoreWalk(const std::vector<Gathered>& asked)
        : asked_(asked), sum_(asked.size()), core_(asked.size()) {}
    // Goes to box i. Returns whether anything is left to gather.
    bool begin(std::size_t i) {
        bool any_left = false;
        for (std::size_t t = 0; t < asked_.size(); ++t) {
            sum_[t] = asked_[t].weight[i];
            core_[t] = 0.0;
            any_left |= !is_enough(t);
        }
        return any_left;
    }
    // Takes the next nearest box. Returns whether anything is left to gather.
    bool take(std::size_t j, double square) {
        bool any_left = false;
        for (std::size_t t = 0; t < asked_.size(); ++t) {
            if (is_enough(t)) continue;
            sum_[t] += asked_[t].weight[j];
            core_[t] = square;
            any_left |= !is_enough(t);
        }
        return any_left;
    }
    double core(std::size_t t) const { return core_[t]; }

private:
    bool is_enough(std::size_t t) const { return sum_[t] >= asked_[t].rows; }

    const std::vector<Gathered>& asked_;
    std::vector<double> sum_, core_;
};

}  // namespace

Neighbours find_neighbours(const Points& points, std::size_t k, unsigned n_threads, Poll& poll) {
    const std::size_t n = points.size();
    Neighbours found;
    found.k = std::min(k, n - 1);
    found.index.resize(n * found.k);
    found.square.resize(n * found.k);
    if (found.k == 0) return found;
    const PointsInLine line(points);
    constexpr std::size_t kChunk = 256;
    in_parallel_tasks((n + kChunk - 1) / kChunk, n_threads, poll, [&](std::size_t t, Poll& asked) {
        for (std::size_t i = t * kChunk; i < std::min((t + 1) * kChunk, n); ++i) {
            const std::size_t first = line.name(i) * found.k;
            line.nearest(i, found.k, found.square.data() + first, found.index.data() + first);
            asked.work(n * points.width());
        }
    });
    return found;
}

std::vector<std::vector<double>> core_squares(const Points& points, const Neighbours& neighbours,
                                              const std::vector<Gathered>& asked,
                                              unsigned n_threads, Poll& poll) {
    const std::size_t n = points.size();
    std::vector<std::vector<double>> core(asked.size(), std::vector<double>(n, 0.0));
    if (asked.empty()) return core;
    constexpr std::size_t kChunk = 64;
    in_parallel_tasks((n + kChunk - 1) / kChunk, n_threads, poll, [&](std::size_t c, Poll& own) {
        CoreWalk walk(asked);
        Buffer<double> squares;
        std::vector<double> q(points.width());
        std::vector<std::pair<double, std::uint32_t>> others;
        for (std::size_t i = c * kChunk; i < std::min((c + 1) * kChunk, n); ++i) {
            bool any_left = walk.begin(i);
            const std::size_t first = i * neighbours.k;
            for (std::size_t a = first; any_left && a < first + neighbours.k; ++a) {
                any_left = walk.take(neighbours.index[a], neighbours.square[a]);
            }
            if (any_left && neighbours.k + 1 < n) {
                squares.resize_uninitialised(whole_lanes(n));
                others.resize(n - 1);
                points.copy(i, q.data());
                kernels().squared_distances(q.data(), points.view(), squares.data());
                for (std::size_t j = 0, at = 0; j < n; ++j) {
                    if (j != i) others[at++] = {squares[j], static_cast<std::uint32_t>(j)};
                }
                // Sorted as far as it takes, twice as many each time.
                walk.begin(i);
                std::size_t n_sorted = 0, next = 4 * kMostKept;
                while (any_left && n_sorted < others.size()) {
                    next = std::min(std::max(next, 2 * n_sorted), others.size());
                    const auto from = others.begin() + static_cast<std::ptrdiff_t>(n_sorted);
                    const auto end = others.begin() + static_cast<std::ptrdiff_t>(next);
                    if (next < others.size()) std::nth_element(from, end, others.end());
                    std::sort(from, end);
                    for (; any_left && n_sorted < next; ++n_sorted) {
                        any_left = walk.take(others[n_sorted].second, others[n_sorted].first);
                    }
                }
                own.work(n * points.width() + 16 * n);
            }
            for (std::size_t t = 0; t < asked.size(); ++t) core[t][i] = walk.core(t);
        }
    });
    return core;
}

SpanningTree span(const Points& points, const std::vector<double>& core, Poll& poll) {
    const std::size_t n = points.size(), d = points.width();
    constexpr double kFar = std::numeric_limits<double>::infinity();
    constexpr std::uint32_t kJoined = std::numeric_limits<std::uint32_t>::max();
    SpanningTree grown;
    if (n < 2) return grown;
    std::vector<std::uint32_t> from(n - 1), to(n - 1);
    std::vector<double> height(n - 1);
    Buffer<double> x, cores, best;
    std::size_t left = n;
    const std::size_t padded = whole_lanes(n);
    x.resize_uninitialised(padded * d);
    std::copy(points.view().x, points.view().x + padded * d, x.data());
    cores.assign(padded, kFar);
    std::copy(core.begin(), core.end(), cores.data());
    best.assign(padded, kFar);
    std::vector<std::uint32_t> through(padded, 0), name(n);
    std::iota(name.begin(), name.end(), 0u);
    std::vector<double> q(d);
    std::size_t newest = 0, n_gone = 0;
    for (std::size_t e = 0; e + 1 < n; ++e) {
        for (std::size_t f = 0; f < d; ++f) {
            q[f] = x[(newest / kLanes * d + f) * kLanes + newest % kLanes];
        }
        const double own = cores[newest];
        const std::uint32_t joined = name[newest];
        name[newest] = kJoined;
        cores[newest] = best[newest] = kFar;
        ++n_gone;
        if (n_gone * 2 > left && left > 64) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < left; ++i) {
                if (name[i] == kJoined) continue;
                for (std::size_t f = 0; f < d; ++f) {
                    x[(kept / kLanes * d + f) * kLanes + kept % kLanes] =
                        x[(i / kLanes * d + f) * kLanes + i % kLanes];
                }
                cores[kept] = cores[i];
                best[kept] = best[i];
                through[kept] = through[i];
                name[kept] = name[i];
                ++kept;
            }
            left = kept;
            n_gone = 0;
            for (std::size_t i = left; i < whole_lanes(left); ++i) {
                cores[i] = best[i] = kFar;
            }
        }
        newest = kernels().join_nearest(q.data(), joined, own, {x.data(), left, d}, cores.data(),
                                        best.data(), through.data());
        if (newest == left) {  // nothing is at a finite distance: any will do
            newest = 0;
            while (name[newest] == kJoined) ++newest;
            through[newest] = joined;
        }
        from[e] = through[newest];
        to[e] = name[newest];
        height[e] = best[newest];
        poll.work(left * d);
    }
    std::vector<std::uint32_t> order(n - 1);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return height[a] < height[b]; });
    grown.from.resize(n - 1);
    grown.to.resize(n - 1);
    grown.height.resize(n - 1);
    for (std::size_t e = 0; e + 1 < n; ++e) {
        grown.from[e] = from[order[e]];
        grown.to[e] = to[order[e]];
        grown.height[e] = std::sqrt(height[order[e]]);
    }
    return grown;
}

MergeTree merge_tree(const SpanningTree& edges, const double* weight, std::size_t n) {
    MergeTree tree;
    tree.left.resize(n - 1);
    tree.right.resize(n - 1);
    tree.height = edges.height;
    tree.size.resize(2 * n - 1);
    std::copy(weight, weight + n, tree.size.begin());
    Sets sets(n);
    std::vector<std::uint32_t> node(n);
    std::iota(node.begin(), node.end(), 0u);
    for (std::size_t e = 0; e + 1 < n; ++e) {
        const std::uint32_t a = sets.find(edges.from[e]), b = sets.find(edges.to[e]);
        tree.left[e] = node[a];
        tree.right[e] = node[b];
        tree.size[n + e] = tree.size[node[a]] + tree.size[node[b]];
        sets.join(a, b);
        node[a] = static_cast<std::uint32_t>(n + e);
    }
    return tree;
}

CondensedTree condense(const MergeTree& tree, double m) {
    const std::size_t n = tree.n();
    CondensedTree condensed;
    condensed.cluster.assign(n, 0);
    condensed.leaves_at.assign(n, std::numeric_limits<double>::infinity());
    condensed.parent.push_back(-1);
    condensed.birth.push_back(0.0);
    condensed.size.push_back(tree.size[2 * n - 2]);
    struct Visit {
        std::uint32_t node;
        std::int32_t cluster;
    };
    std::vector<Visit> waiting;
    std::vector<std::uint32_t> falling;
    waiting.push_back({static_cast<std::uint32_t>(2 * n - 2), 0});
    while (!waiting.empty()) {
        const Visit visit = waiting.back();
        waiting.pop_back();
        if (visit.node < n) {
            condensed.cluster[visit.node] = visit.cluster;
            continue;
        }
        const std::size_t e = visit.node - n;
        const double lambda = 1.0 / tree.height[e];
        const std::uint32_t parts[2] = {tree.left[e], tree.right[e]};
        const bool split = tree.size[parts[0]] >= m && tree.size[parts[1]] >= m;
        for (const std::uint32_t part : parts) {
            if (split) {
                waiting.push_back({part, static_cast<std::int32_t>(condensed.parent.size())});
                condensed.parent.push_back(visit.cluster);
                condensed.birth.push_back(lambda);
                condensed.size.push_back(tree.size[part]);
            } else if (tree.size[part] >= m) {
                waiting.push_back({part, visit.cluster});
            } else {
                falling.push_back(part);
                while (!falling.empty()) {
                    const std::uint32_t node = falling.back();
                    falling.pop_back();
                    if (node < n) {
                        condensed.cluster[node] = visit.cluster;
                        condensed.leaves_at[node] = lambda;
                    } else {
                        falling.push_back(tree.left[node - n]);
                        falling.push_back(tree.right[node - n]);
                    }
                }
            }
        }
    }
    condensed.selected.assign(condensed.parent.size(), 0);
    return condensed;
}

}  // namespace resonart
