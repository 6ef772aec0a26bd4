#include "density/tree_readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace resonart {
double last_to_leave(const CondensedTree& tree) {
    double last = 0.0;
    for (const std::vector<double>* lambdas : {&tree.leaves_at, &tree.birth}) {
        for (const double lambda : *lambdas) {
            if (std::isfinite(lambda) && lambda > last) last = lambda;
        }
    }
    return last;
}

namespace {

// How much mass each cluster has beyond its birth: the sum over its rows of how much longer they
// stay than it was born. Rows that never leave stay as long as the last that does.
std::vector<double> excess_of_mass(const CondensedTree& tree, const double* weight) {
    const double last = last_to_leave(tree);
    std::vector<double> mass(tree.parent.size(), 0.0);
    for (std::size_t i = 0; i < tree.cluster.size(); ++i) {
        const auto c = static_cast<std::size_t>(tree.cluster[i]);
        mass[c] += (std::min(tree.leaves_at[i], last) - std::min(tree.birth[c], last)) * weight[i];
    }
    for (std::size_t c = 1; c < tree.parent.size(); ++c) {
        const auto p = static_cast<std::size_t>(tree.parent[c]);
        mass[p] += (std::min(tree.birth[c], last) - std::min(tree.birth[p], last)) * tree.size[c];
    }
    return mass;
}

}  // namespace

void select_by_mass(CondensedTree& tree, const double* weight) {
    const std::vector<double> mass = excess_of_mass(tree, weight);
    const std::size_t n = tree.parent.size();
    std::vector<double> below(n, 0.0);
    std::vector<std::uint8_t> has_children(n, 0);
    for (std::size_t c = n; c-- > 0;) {
        const bool split = c == 0 || (has_children[c] && below[c] > mass[c]);
        tree.selected[c] = !split;
        if (c > 0) {
            const auto p = static_cast<std::size_t>(tree.parent[c]);
            below[p] += split ? below[c] : mass[c];
            has_children[p] = 1;
        }
    }
    std::vector<std::uint8_t> covered(n, 0);
    for (std::size_t c = 1; c < n; ++c) {
        const auto p = static_cast<std::size_t>(tree.parent[c]);
        covered[c] = covered[p] || tree.selected[p];
        if (covered[c]) tree.selected[c] = 0;
    }
}

void select_leaves(CondensedTree& tree) {
    const std::size_t n = tree.parent.size();
    for (std::size_t c = 0; c < n; ++c) tree.selected[c] = c > 0;
    for (std::size_t c = 1; c < n; ++c) tree.selected[static_cast<std::size_t>(tree.parent[c])] = 0;
}

MassTable::MassTable(const CondensedTree& tree, const double* weight, std::size_t most)
    : best_(tree.parent.size(), {0.0}), given_(best_.size()), is_whole_(best_.size(), 0) {
    const std::vector<double> mass = excess_of_mass(tree, weight);
    std::vector<double> both;
    for (std::size_t c = best_.size(); c-- > 1;) {
        // What lies below it is known. A cluster that is worth as much as its best part stays
        // whole.
        std::vector<double>& own = best_[c];
        is_whole_[c] = own.size() < 2 || mass[c] >= own[1];
        if (own.size() < 2) own.push_back(0.0);
        if (is_whole_[c]) own[1] = mass[c];
        // Shared out between this one and those after it: of equal ways, that which gives this
        // one the least.
        std::vector<double>& rest = best_[static_cast<std::size_t>(tree.parent[c])];
        const std::size_t n = std::min(own.size() + rest.size() - 2, most);
        both.assign(n + 1, 0.0);
        given_[c].assign(n + 1, 0);
        for (std::size_t k = 1; k <= n; ++k) {
            bool is_known = false;
            for (std::size_t i = 0; i < own.size() && i <= k; ++i) {
                if (k - i >= rest.size()) continue;
                const double sum = rest[k - i] + own[i];
                if (is_known && !(sum > both[k])) continue;
                both[k] = sum;
                given_[c][k] = static_cast<std::uint32_t>(i);
                is_known = true;
            }
        }
        rest.swap(both);
    }
}

void MassTable::select(CondensedTree& tree, std::size_t k) const {
    std::vector<std::size_t> left(best_.size(), 0);
    left[0] = k;
    tree.selected.assign(best_.size(), 0);
    for (std::size_t c = 1; c < best_.size(); ++c) {
        std::size_t& above = left[static_cast<std::size_t>(tree.parent[c])];
        if (above == 0) continue;
        const std::size_t mine = given_[c][above];
        above -= mine;
        tree.selected[c] = mine == 1 && is_whole_[c];
        left[c] = tree.selected[c] ? 0 : mine;
    }
}

void select_fixed(CondensedTree& tree, const double* weight, std::size_t k) {
    const MassTable table(tree, weight, k);
    table.select(tree, table.n_clusters());
}

std::size_t number_by_first(std::vector<std::int32_t>& labels, std::size_t most) {
    std::vector<std::int32_t> name(most, -1);
    std::int32_t k = 0;
    for (std::int32_t& label : labels) {
        if (label < 0) continue;
        std::int32_t& mine = name[static_cast<std::size_t>(label)];
        if (mine < 0) mine = k++;
        label = mine;
    }
    return static_cast<std::size_t>(k);
}

std::size_t label_selected(const CondensedTree& tree, std::vector<std::int32_t>& labels) {
    const std::size_t n = tree.parent.size();
    std::vector<std::int32_t> of(n, -1);
    for (std::size_t c = 0; c < n; ++c) {
        if (tree.selected[c]) {
            of[c] = static_cast<std::int32_t>(c);
        } else if (c > 0) {
            of[c] = of[static_cast<std::size_t>(tree.parent[c])];
        }
    }
    labels.resize(tree.cluster.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = of[static_cast<std::size_t>(tree.cluster[i])];
    }
    return number_by_first(labels, n);
}

std::size_t label_cut(const SpanningTree& edges, const double* weight, std::size_t n, double height,
                      double m, std::vector<std::int32_t>& labels) {
    Sets sets(n);
    std::vector<double> size(weight, weight + n);
    for (std::size_t e = 0; e + 1 < n && edges.height[e] <= height; ++e) {
        const std::uint32_t a = sets.find(edges.from[e]), b = sets.find(edges.to[e]);
        sets.join(a, b);
        size[a] += size[b];
    }
    labels.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t root = sets.find(static_cast<std::uint32_t>(i));
        labels[i] = size[root] >= m ? static_cast<std::int32_t>(root) : -1;
    }
    return number_by_first(labels, n);
}

void attach_noise(const SpanningTree& edges, std::vector<std::int32_t>& labels) {
    const std::size_t n = labels.size();
    if (std::find(labels.begin(), labels.end(), -1) == labels.end()) return;
    Sets sets(n);
    // Of each set without a cluster: its boxes, as a chain.
    constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> next(n, kEnd), last(n);
    std::vector<std::int32_t> cluster(labels);  // of each set
    for (std::uint32_t i = 0; i < n; ++i) last[i] = i;
    const auto give = [&](std::uint32_t root, std::int32_t label) {
        for (std::uint32_t i = root; i != kEnd; i = next[i]) labels[i] = label;
    };
    for (std::size_t e = 0; e + 1 < n; ++e) {
        const std::uint32_t a = sets.find(edges.from[e]), b = sets.find(edges.to[e]);
        if (cluster[a] < 0 && cluster[b] < 0) {
            next[last[a]] = b;
            last[a] = last[b];
        } else if (cluster[a] < 0) {
            cluster[a] = labels[edges.to[e]];
            give(a, cluster[a]);
        } else if (cluster[b] < 0) {
            cluster[b] = labels[edges.from[e]];
            give(b, cluster[b]);
        }
        sets.join(a, b);
    }
}

std::vector<double> cut_heights(const SpanningTree& edges, std::size_t most) {
    const std::size_t n = edges.height.size();
    const std::size_t upper = std::min(n, std::max<std::size_t>(20, (n + 1) / 4));
    struct Step {
        double ratio, below;
    };
    std::vector<Step> steps;
    for (std::size_t i = n - upper; i + 1 < n; ++i) {
        const double low = edges.height[i], high = edges.height[i + 1];
        if (high > low) steps.push_back({low > 0.0 ? high / low : HUGE_VAL, low});
    }
    // The higher of two equal steps first.
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
        return a.ratio > b.ratio || (a.ratio == b.ratio && a.below > b.below);
    });
    std::vector<double> heights;
    for (std::size_t i = 0; i < steps.size() && i < most; ++i) heights.push_back(steps[i].below);
    return heights;
}

std::vector<double> heights_for(const SpanningTree& edges, const double* weight, std::size_t n,
                                double m, const std::vector<std::size_t>& numbers) {
    std::vector<double> found(numbers.size(), -1.0), steepest(numbers.size(), 0.0);
    Sets sets(n);
    std::vector<double> size(weight, weight + n);
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i) k += size[i] >= m;
    for (std::size_t e = 0; e + 1 < n; ++e) {
        const std::uint32_t a = sets.find(edges.from[e]), b = sets.find(edges.to[e]);
        k -= (size[a] >= m) + (size[b] >= m);
        sets.join(a, b);
        size[a] += size[b];
        k += size[a] >= m;
        const double low = edges.height[e];
        const double high = e + 2 < n ? edges.height[e + 1] : low;
        const auto at = std::lower_bound(numbers.begin(), numbers.end(), k) - numbers.begin();
        const auto place = static_cast<std::size_t>(at);
        if (!(high > low) || place == numbers.size() || numbers[place] != k) continue;
        const double ratio = low > 0.0 ? high / low : HUGE_VAL;
        if (ratio < steepest[place]) continue;
        steepest[place] = ratio;
        found[place] = low;
    }
    return found;
}

}  // namespace resonart
