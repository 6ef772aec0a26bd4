#include "density/reading_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace resonart {
double MinimaxSilhouette::operator()(const MergeTree& tree, const double* weight,
                                     const BoxClusters& p) {
    const std::size_t n = tree.n(), k = p.k;
    constexpr std::size_t kPad = 8;
    const std::size_t width = (k + kPad - 1) / kPad * kPad;
    count_.resize(2 * n * width);
    sum_.resize(2 * n * width);
    total_.assign(width, 0.0f);
    std::fill(count_.begin(), count_.begin() + static_cast<std::ptrdiff_t>(n * width), 0.0f);
    double rows = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        rows += weight[i];
        if (p.labels[i] < 0) continue;
        const auto c = static_cast<std::size_t>(p.labels[i]);
        count_[i * width + c] = static_cast<float>(weight[i]);
        total_[c] += static_cast<float>(weight[i]);
    }
    for (std::size_t e = 0; e + 1 < n; ++e) {
        const float* const left = count_.data() + tree.left[e] * width;
        const float* const right = count_.data() + tree.right[e] * width;
        float* const both = count_.data() + (n + e) * width;
        for (std::size_t c = 0; c < width; ++c) both[c] = left[c] + right[c];
    }
    std::fill(sum_.begin() + static_cast<std::ptrdiff_t>((2 * n - 2) * width),
              sum_.begin() + static_cast<std::ptrdiff_t>((2 * n - 1) * width), 0.0f);
    for (std::size_t e = n - 1; e-- > 0;) {
        const auto height = static_cast<float>(tree.height[e]);
        const float* const above = sum_.data() + (n + e) * width;
        const std::size_t l = tree.left[e] * width, r = tree.right[e] * width;
        for (std::size_t c = 0; c < width; ++c) {
            sum_[l + c] = above[c] + height * count_[r + c];
        }
        for (std::size_t c = 0; c < width; ++c) {
            sum_[r + c] = above[c] + height * count_[l + c];
        }
    }
    double all = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        if (p.labels[i] < 0) continue;
        const auto own = static_cast<std::size_t>(p.labels[i]);
        if (total_[own] < 2.0f) continue;
        const float* const sum = sum_.data() + i * width;
        const float inside = sum[own] / (total_[own] - 1.0f);
        float nearest = std::numeric_limits<float>::infinity();
        for (std::size_t c = 0; c < k; ++c) {
            if (c == own) continue;
            const float mean = sum[c] / total_[c];
            if (mean < nearest) nearest = mean;
        }
        const float most = inside > nearest ? inside : nearest;
        if (most > 0.0f && k > 1) {
            all += weight[i] * static_cast<double>((nearest - inside) / most);
        }
    }
    return all / rows;
}

std::pair<GraphQuality, GraphQuality> graph_quality(const Neighbours& neighbours, std::size_t few,
                                                    std::size_t k, const double* weight,
                                                    const BoxClusters& p) {
    struct Arcs {
        std::vector<double> in;
        double inside = 0.0;
    };
    k = std::min(k, neighbours.k);
    few = std::min(few, k);
    std::vector<double> rows(p.k, 0.0);
    Arcs near{std::vector<double>(p.k, 0.0)}, rest{std::vector<double>(p.k, 0.0)};
    double all = 0.0;
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
        const std::int32_t own = p.labels[i];
        const double w = weight[i];
        all += w;
        if (own >= 0) rows[static_cast<std::size_t>(own)] += w;
        const std::uint32_t* const next = neighbours.index.data() + i * neighbours.k;
        const auto count = [&](Arcs& arcs, std::size_t a) {
            const std::int32_t other = p.labels[next[a]];
            if (other < 0) return;
            arcs.in[static_cast<std::size_t>(other)] += w;
            if (other == own) arcs.inside += w;
        };
        for (std::size_t a = 0; a < few; ++a) count(near, a);
        for (std::size_t a = few; a < k; ++a) count(rest, a);
    }
    const auto quality = [&](const Arcs& arcs, std::size_t n_arcs) {
        GraphQuality found;
        const double out = all * static_cast<double>(n_arcs);
        if (!(out > 0.0)) return found;
        double chance = 0.0;
        for (std::size_t c = 0; c < p.k; ++c) {
            chance += rows[c] * static_cast<double>(n_arcs) * arcs.in[c];
        }
        chance /= out * out;
        found.modularity = arcs.inside / out - chance;
        if (chance < 1.0) found.kappa = found.modularity / (1.0 - chance);
        return found;
    };
    const GraphQuality narrow = quality(near, few);
    for (std::size_t c = 0; c < p.k; ++c) rest.in[c] += near.in[c];
    rest.inside += near.inside;
    return {narrow, quality(rest, k)};
}

Separation separation(const SpanningTree& edges, const double* weight, const BoxClusters& p) {
    struct Cluster {
        double lowest_out = std::numeric_limits<double>::infinity();
        double median = 0.0, ninth = 0.0, highest = 0.0, rows = 0.0;
        std::size_t n_edges = 0, n_seen = 0;
    };
    std::vector<Cluster> clusters(p.k);
    const std::vector<std::int32_t>& label = p.attached;
    for (std::size_t i = 0; i < label.size(); ++i) {
        clusters[static_cast<std::size_t>(label[i])].rows += weight[i];
    }
    for (std::size_t e = 0; e < edges.height.size(); ++e) {
        const auto a = static_cast<std::size_t>(label[edges.from[e]]);
        const auto b = static_cast<std::size_t>(label[edges.to[e]]);
        if (a == b) {
            ++clusters[a].n_edges;
        } else {
            clusters[a].lowest_out = std::min(clusters[a].lowest_out, edges.height[e]);
            clusters[b].lowest_out = std::min(clusters[b].lowest_out, edges.height[e]);
        }
    }
    for (std::size_t e = 0; e < edges.height.size(); ++e) {
        const auto a = static_cast<std::size_t>(label[edges.from[e]]);
        if (a != static_cast<std::size_t>(label[edges.to[e]])) continue;
        Cluster& c = clusters[a];
        if (c.n_seen == c.n_edges / 2) c.median = edges.height[e];
        if (c.n_seen == c.n_edges * 9 / 10) c.ninth = edges.height[e];
        c.highest = edges.height[e];
        ++c.n_seen;
    }
    Separation found;
    found.worst_gap = 1.0;
    double rows = 0.0;
    constexpr double kMost = 100.0;
    for (const Cluster& c : clusters) {
        if (!std::isfinite(c.lowest_out)) continue;
        const double out = c.lowest_out;
        const auto over = [&](double height) {
            return out > 0.0 ? std::min(height / out, kMost) : height > 0.0 ? kMost : 1.0;
        };
        const double most = std::max(out, c.highest);
        const double gap = most > 0.0 ? (out - c.highest) / most : 0.0;
        found.median += c.rows * over(c.median);
        found.ninth += c.rows * over(c.ninth);
        found.gap += c.rows * gap;
        found.worst_median = std::max(found.worst_median, over(c.median));
        found.worst_ninth = std::max(found.worst_ninth, over(c.ninth));
        found.worst_gap = std::min(found.worst_gap, gap);
        rows += c.rows;
    }
    if (rows > 0.0) {
        found.median /= rows;
        found.ninth /= rows;
        found.gap /= rows;
    }
    return found;
}

double explained_spread(const Points& points, const double* weight, const BoxClusters& p) {
    const std::size_t n = points.size(), d = points.width();
    std::vector<double> sum(p.k * d, 0.0), centre(d, 0.0), rows(p.k, 0.0);
    double all = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::size_t>(p.attached[i]);
        rows[c] += weight[i];
        all += weight[i];
        for (std::size_t f = 0; f < d; ++f) sum[c * d + f] += weight[i] * points.at(i, f);
    }
    for (std::size_t f = 0; f < d; ++f) {
        for (std::size_t c = 0; c < p.k; ++c) centre[f] += sum[c * d + f];
        centre[f] /= all;
    }
    for (std::size_t c = 0; c < p.k; ++c) {
        for (std::size_t f = 0; f < d; ++f) sum[c * d + f] /= rows[c];
    }
    double total = 0.0, within = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::size_t>(p.attached[i]);
        for (std::size_t f = 0; f < d; ++f) {
            const double x = points.at(i, f), off = x - centre[f], own = x - sum[c * d + f];
            total += weight[i] * (off * off);
            within += weight[i] * (own * own);
        }
    }
    return total > 0.0 ? 1.0 - within / total : 0.0;
}

PairSample::PairSample(const double* weight, std::size_t n) {
    std::vector<double> upto(n);
    double rows = 0.0;
    for (std::size_t i = 0; i < n; ++i) upto[i] = rows += weight[i];
    std::uint64_t state = 0x853c49e6748fea9bu;
    const auto draw = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double at = static_cast<double>(state >> 11) * 0x1p-53 * rows;
        const auto i = std::upper_bound(upto.begin(), upto.end(), at) - upto.begin();
        return static_cast<std::uint32_t>(
            std::min<std::ptrdiff_t>(i, static_cast<std::ptrdiff_t>(n) - 1));
    };
    for (std::size_t i = 0; i < kPairs; ++i) {
        first_[i] = draw();
        second_[i] = draw();
    }
}

PairSample::Bits PairSample::of(const std::vector<std::int32_t>& labels) const {
    Bits bits;
    for (std::size_t w = 0; w < kWords; ++w) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::uint64_t same = labels[first_[w * 64 + i]] == labels[second_[w * 64 + i]];
            word |= same << i;
        }
        bits.word[w] = word;
        bits.n_set += count_bits(word);
    }
    return bits;
}

}  // namespace resonart
