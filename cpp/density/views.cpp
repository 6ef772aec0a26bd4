#include "density/views.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace resonart {
namespace {

// How many dimensions the boxes have: features that follow from others add none, such as a copy in
// other units. Counted on the ranks of some boxes, which neither units nor outliers change, as a
// pivoted Cholesky decomposition of their correlations: the feature that is least explained by
// those counted so far is the next to count, while a hundredth of its variance is its own.
std::size_t count_dimensions(const Boxes& boxes, const std::vector<std::size_t>& feature) {
    constexpr std::size_t kSampled = 256, kMostCounted = 64;
    constexpr double kOwn = 1e-2;
    const std::size_t n = std::min(boxes.size, kSampled), v = feature.size();
    // Twice the rank, less its mean: whole numbers, so that sums of products are exact.
    std::vector<double> rank(v * n), value(n);
    for (std::size_t a = 0; a < v; ++a) {
        const auto at = [&](std::size_t i) {
            return boxes.mean[i * boxes.size / n * boxes.n_features + feature[a]];
        };
        for (std::size_t i = 0; i < n; ++i) value[i] = at(i);
        std::sort(value.begin(), value.end());
        for (std::size_t i = 0; i < n; ++i) {
            const auto [first, last] = std::equal_range(value.begin(), value.end(), at(i));
            const auto below = first - value.begin(), above = value.end() - last;
            rank[a * n + i] = static_cast<double>(below - above);
        }
    }
    const auto dot = [&](std::size_t a, std::size_t b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += rank[a * n + i] * rank[b * n + i];
        return sum;
    };
    std::vector<double> spread(v), own(v);
    for (std::size_t a = 0; a < v; ++a) {
        spread[a] = std::sqrt(dot(a, a));
        own[a] = spread[a] > 0.0 ? 1.0 : 0.0;
    }
    std::vector<double> explained;  // of each feature by each counted one, one after the other
    std::size_t n_counted = 0;
    for (; n_counted < std::min(v, kMostCounted); ++n_counted) {
        const auto p =
            static_cast<std::size_t>(std::max_element(own.begin(), own.end()) - own.begin());
        if (!(own[p] > kOwn)) break;
        const double root = std::sqrt(own[p]);
        explained.resize((n_counted + 1) * v, 0.0);
        for (std::size_t a = 0; a < v; ++a) {
            if (!(own[a] > kOwn)) continue;
            double left = dot(p, a) / (spread[p] * spread[a]);
            for (std::size_t c = 0; c < n_counted; ++c) {
                left -= explained[c * v + p] * explained[c * v + a];
            }
            explained[n_counted * v + a] = left / root;
        }
        for (std::size_t a = 0; a < v; ++a) {
            const double part = explained[n_counted * v + a];
            own[a] -= part * part;
        }
        own[p] = 0.0;
    }
    return std::max<std::size_t>(n_counted, 1);
}

constexpr double kMostDeviations = 4.0;

}  // namespace

FeatureScales::FeatureScales(const Boxes& boxes) {
    const std::size_t n = boxes.size, d = boxes.n_features;
    double rows = 0.0;
    for (std::size_t i = 0; i < n; ++i) rows += boxes.weight[i];
    for (std::size_t f = 0; f < d; ++f) {
        double lowest = boxes.mean[f], highest = boxes.mean[f];
        for (std::size_t i = 1; i < n; ++i) {
            lowest = std::min(lowest, boxes.mean[i * d + f]);
            highest = std::max(highest, boxes.mean[i * d + f]);
        }
        const double spread = highest - lowest;
        if (!(spread > 0.0)) continue;
        double sum = 0.0, squares = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += boxes.weight[i] * ((boxes.mean[i * d + f] - lowest) / spread);
        }
        const double centre = sum / rows;
        for (std::size_t i = 0; i < n; ++i) {
            const double off = (boxes.mean[i * d + f] - lowest) / spread - centre;
            squares += boxes.weight[i] * (off * off);
        }
        feature.push_back(f);
        low.push_back(lowest);
        range.push_back(spread);
        mean.push_back(centre);
        deviation.push_back(std::sqrt(squares / rows));
        widest = std::max(widest, spread);
        narrowest = feature.size() == 1 ? spread : std::min(narrowest, spread);
    }
    if (feature.empty()) {
        feature.push_back(0);
        low.push_back(boxes.mean[0]);
        range.push_back(1.0);
        mean.push_back(0.0);
        deviation.push_back(1.0);
        widest = narrowest = 1.0;
    }
    dimension = count_dimensions(boxes, feature);
}

Points range_points(const Boxes& boxes, const FeatureScales& scales) {
    return scaled_points(boxes, scales,
                         [&](std::size_t a, double v) { return scales.share(a, v); });
}

Points rank_points(const Boxes& boxes, const FeatureScales& scales) {
    const std::size_t n = boxes.size, d = boxes.n_features;
    double rows = 0.0;
    for (std::size_t i = 0; i < n; ++i) rows += boxes.weight[i];
    Points points(n, scales.size());
    std::vector<std::uint32_t> order(n);
    std::vector<double> value(n), below(n + 1);
    for (std::size_t a = 0; a < scales.size(); ++a) {
        const std::size_t f = scales.feature[a];
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
            return boxes.mean[i * d + f] < boxes.mean[j * d + f];
        });
        below[0] = 0.0;
        for (std::size_t p = 0; p < n; ++p) {
            value[p] = boxes.mean[order[p] * d + f];
            below[p + 1] = below[p] + boxes.weight[order[p]];
        }
        const auto rank = [&](double v) {
            const auto first = std::lower_bound(value.begin(), value.end(), v) - value.begin();
            const auto last = std::upper_bound(value.begin(), value.end(), v) - value.begin();
            return (below[static_cast<std::size_t>(first)] +
                    below[static_cast<std::size_t>(last)]) /
                   2.0 / rows;
        };
        for (std::size_t i = 0; i < n; ++i) {
            points.at(i, a) = rank(boxes.mean[i * d + f]);
        }
    }
    return points;
}

Points standard_points(const Boxes& boxes, const FeatureScales& scales) {
    return scaled_points(boxes, scales, [&](std::size_t a, double v) {
        const double z = (scales.share(a, v) - scales.mean[a]) / scales.deviation[a];
        return std::min(std::max(z, -kMostDeviations), kMostDeviations);
    });
}

std::vector<double> principal_directions(const Points& points, const double* weight,
                                         std::size_t count, Poll& poll) {
    const std::size_t n = points.size(), d = points.width();
    const std::size_t m = std::min(d, count + 4);
    constexpr int kRounds = 12;
    std::vector<double> axes(m * d), image(m * d), along(m);
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    for (double& value : axes) {  // any start will do, as long as it is always the same
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    }
    std::vector<double> row(d);
    const auto orthonormalise = [&] {
        for (std::size_t a = 0; a < m; ++a) {
            double* const v = axes.data() + a * d;
            for (int pass = 0; pass < 2; ++pass) {
                for (std::size_t b = 0; b < a; ++b) {
                    const double* const u = axes.data() + b * d;
                    double dot = 0.0;
                    for (std::size_t f = 0; f < d; ++f) dot += u[f] * v[f];
                    for (std::size_t f = 0; f < d; ++f) v[f] -= dot * u[f];
                }
            }
            double norm = 0.0;
            for (std::size_t f = 0; f < d; ++f) norm += v[f] * v[f];
            norm = std::sqrt(norm);
            if (norm > 1e-100) {
                for (std::size_t f = 0; f < d; ++f) v[f] /= norm;
            } else {
                std::fill(v, v + d, 0.0);
            }
        }
    };
    orthonormalise();
    for (int round = 0; round < kRounds; ++round) {
        std::fill(image.begin(), image.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            points.copy(i, row.data());
            for (std::size_t a = 0; a < m; ++a) {
                const double* const v = axes.data() + a * d;
                double dot = 0.0;
                for (std::size_t f = 0; f < d; ++f) dot += row[f] * v[f];
                dot *= weight[i];
                double* const to = image.data() + a * d;
                for (std::size_t f = 0; f < d; ++f) to[f] += dot * row[f];
            }
            poll.work(m * d);
        }
        axes.swap(image);
        orthonormalise();
    }
    axes.resize(std::min(count, m) * d);
    return axes;
}

Points pca_points(const Points& standard, const double* directions, std::size_t count, Poll& poll) {
    const std::size_t n = standard.size(), d = standard.width();
    Points points(n, count);
    std::vector<double> row(d);
    for (std::size_t i = 0; i < n; ++i) {
        standard.copy(i, row.data());
        for (std::size_t a = 0; a < count; ++a) {
            const double* const v = directions + a * d;
            double dot = 0.0;
            for (std::size_t f = 0; f < d; ++f) dot += row[f] * v[f];
            points.at(i, a) = dot;
        }
        poll.work(count * d);
    }
    return points;
}

std::vector<ViewKind> view_kinds(Scaling wanted, const FeatureScales& scales) {
    const std::size_t d = scales.size();
    const std::int32_t two = 2, four = 4;
    if (wanted == Scaling::pca) {
        return {{Scaling::pca, static_cast<std::int32_t>(std::min<std::size_t>(d, 2))}};
    }
    if (wanted != Scaling::automatic) return {{wanted, 0}};
    std::vector<ViewKind> kinds{{Scaling::range, 0}};
    // In one dimension units change no order of distances.
    if (scales.dimension > 1 && scales.widest > 1.05 * scales.narrowest) {
        kinds.push_back({Scaling::given, 0});
    }
    if (scales.dimension > 3) {
        kinds.push_back({Scaling::rank, 0});
        kinds.push_back({Scaling::pca, two});
        if (scales.dimension > 4) kinds.push_back({Scaling::pca, four});
    }
    return kinds;
}

Points view_points(const Boxes& boxes, const FeatureScales& scales, const ViewKind& kind,
                   Poll& poll) {
    switch (kind.scaling) {
        case Scaling::given:
            return scaled_points(boxes, scales, [&](std::size_t a, double v) {
                return (v - scales.low[a]) / scales.widest;
            });
        case Scaling::standard:
            return standard_points(boxes, scales);
        case Scaling::rank:
            return rank_points(boxes, scales);
        case Scaling::pca: {
            const Points standard = standard_points(boxes, scales);
            // A reading that is kept may have had more features that varied.
            const auto count = std::min(static_cast<std::size_t>(kind.n_components), scales.size());
            const std::vector<double> directions =
                principal_directions(standard, boxes.weight, count, poll);
            return pca_points(standard, directions.data(), count, poll);
        }
        case Scaling::automatic:
        case Scaling::range:
            break;
    }
    return range_points(boxes, scales);
}

}  // namespace resonart
