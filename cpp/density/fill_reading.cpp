#include "density/fill_reading.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace resonart {
namespace {

// How strongly each box belongs to its cluster, as HDBSCAN has it: from when boxes leave the
// condensed tree.
void rate_boxes(Reading& reading) {
    const CondensedTree& tree = reading.tree;
    const std::size_t n = reading.cluster.size(), n_nodes = tree.parent.size();
    // A box of many rows never leaves. It counts as leaving when the last of the others does, so
    // that these are not measured by infinity.
    const double latest = last_to_leave(tree);
    const auto leaves_at = [&](std::size_t i) { return std::min(tree.leaves_at[i], latest); };
    // When the last box leaves a node of the tree, or it splits.
    std::vector<double> ends(n_nodes, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        double& end = ends[static_cast<std::size_t>(tree.cluster[i])];
        end = std::max(end, leaves_at(i));
    }
    for (std::size_t c = n_nodes; c-- > 1;) {
        const auto above = static_cast<std::size_t>(tree.parent[c]);
        ends[above] = std::max(ends[above], std::min(tree.birth[c], latest));
    }
    // Of a cluster that is a node of the tree: when that ends. Of another: when its last box
    // leaves.
    std::vector<std::int32_t> node(n_nodes, -1);
    for (std::size_t c = 0; c < n_nodes; ++c) {
        if (tree.selected[c]) {
            node[c] = static_cast<std::int32_t>(c);
        } else if (c > 0) {
            node[c] = node[static_cast<std::size_t>(tree.parent[c])];
        }
    }
    std::vector<double> full(reading.n_clusters, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        if (reading.cluster[i] < 0) continue;
        const std::int32_t own = node[static_cast<std::size_t>(tree.cluster[i])];
        double& mine = full[static_cast<std::size_t>(reading.cluster[i])];
        mine = std::max(mine, own < 0 ? leaves_at(i) : ends[static_cast<std::size_t>(own)]);
    }
    const auto share = [](double lambda, double of) { return lambda >= of ? 1.0 : lambda / of; };
    reading.strength.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        if (reading.cluster[i] < 0) continue;
        reading.strength[i] =
            share(leaves_at(i), full[static_cast<std::size_t>(reading.cluster[i])]);
    }
}

// Noise goes to the cluster of the nearest box that has one, ties to the lowest box.
std::vector<std::int32_t> attach_to_nearest(const Points& points,
                                            const std::vector<std::int32_t>& cluster,
                                            unsigned n_threads, Poll& poll) {
    const std::size_t n = points.size(), d = points.width();
    std::vector<std::uint32_t> noise, members;
    for (std::uint32_t i = 0; i < n; ++i) (cluster[i] < 0 ? noise : members).push_back(i);
    std::vector<std::int32_t> attached(cluster);
    if (noise.empty() || members.empty()) return attached;
    // Each box of noise among those of clusters, one after the other.
    Points clustered(members.size(), d);
    for (std::size_t m = 0; m < members.size(); ++m) {
        for (std::size_t f = 0; f < d; ++f) clustered.at(m, f) = points.at(members[m], f);
    }
    constexpr std::size_t kChunk = 64;
    in_parallel_tasks(
        (noise.size() + kChunk - 1) / kChunk, n_threads, poll, [&](std::size_t t, Poll& asked) {
            std::vector<double> q(d);
            Buffer<double> squares;
            squares.resize_uninitialised(whole_lanes(members.size()));
            for (std::size_t i = t * kChunk; i < std::min((t + 1) * kChunk, noise.size()); ++i) {
                points.copy(noise[i], q.data());
                kernels().squared_distances(q.data(), clustered.view(), squares.data());
                double* const end = squares.data() + members.size();
                const auto nearest = static_cast<std::size_t>(
                    std::min_element(squares.data(), end) - squares.data());
                attached[noise[i]] = cluster[members[nearest]];
                asked.work(members.size() * d);
            }
        });
    return attached;
}

// Clusters of the tree have as many rows as their boxes weigh, whatever these counted as.
void set_sizes(CondensedTree& tree, const double* weight) {
    tree.size.assign(tree.parent.size(), 0.0);
    for (std::size_t i = 0; i < tree.cluster.size(); ++i) {
        tree.size[static_cast<std::size_t>(tree.cluster[i])] += weight[i];
    }
    for (std::size_t c = tree.size.size(); c-- > 1;) {
        tree.size[static_cast<std::size_t>(tree.parent[c])] += tree.size[c];
    }
}

}  // namespace

void fill_reading(Reading& reading, const Considered& chosen, Grown&& grown,
                  const Counting& counting, const double* weight,
                  std::vector<std::int32_t>&& cluster, unsigned n_threads, Poll& poll) {
    Tree& tree = grown.tree;
    const std::int64_t m = std::max<std::int64_t>(chosen.min_cluster_size, 2);
    reading.tree = condense(tree.merges, static_cast<double>(m));
    if (chosen.selection == Selection::eom) select_by_mass(reading.tree, counting.weight.data());
    if (chosen.selection == Selection::leaf) select_leaves(reading.tree);
    if (chosen.selection == Selection::fixed) {
        select_fixed(reading.tree, counting.weight.data(), chosen.clusters.k);
    }
    reading.n_clusters = chosen.clusters.k;
    if (cluster.empty()) {
        reading.n_clusters = label_selected(reading.tree, cluster);
        if (reading.n_clusters == 0) {  // nothing splits: all is one cluster
            reading.n_clusters = 1;
            cluster.assign(tree.merges.n(), 0);
        }
    }
    std::vector<std::uint8_t>& selected = reading.tree.selected;
    if (reading.n_clusters == 1 &&
        std::find(selected.begin(), selected.end(), 1) == selected.end()) {
        selected[0] = 1;
    }
    set_sizes(reading.tree, weight);
    reading.cluster = std::move(cluster);
    reading.nearest = attach_to_nearest(grown.points, reading.cluster, n_threads, poll);
    reading.edge_from = std::move(tree.edges.from);
    reading.edge_to = std::move(tree.edges.to);
    reading.edge_height = std::move(tree.edges.height);
    rate_boxes(reading);
}

}  // namespace resonart
