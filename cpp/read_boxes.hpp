// From boxes to clusters: trees, their readings, the choice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "box_order.hpp"
#include "candidates.hpp"
#include "choice_model.hpp"
#include "coarse_boxes.hpp"
#include "poll.hpp"
#include "reading.hpp"

namespace resonart {

// The choice looks at no more boxes than these: groups stand for them where there are more.
constexpr std::size_t kMostInChoice = 4000;

// How strongly each box belongs to its cluster, and how much sparser it lies than what it fell out
// of: both as HDBSCAN has them, from when boxes leave the condensed tree.
inline void rate_boxes(Reading& reading) {
    const CondensedTree& tree = reading.tree;
    const std::size_t n = reading.cluster.size(), n_nodes = tree.parent.size();
    // A box of many rows never leaves. It counts as leaving when the last of the others does, so
    // that these are not measured by infinity.
    const double latest = last_to_leave(tree);
    const auto leaves_at = [&](std::size_t i) { return std::min(tree.leaves_at[i], latest); };
    // When the last box leaves a node of the tree, or it splits; and when the last leaves what
    // comes of it.
    std::vector<double> ends(n_nodes, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        double& end = ends[static_cast<std::size_t>(tree.cluster[i])];
        end = std::max(end, leaves_at(i));
    }
    std::vector<double> last(ends);
    for (std::size_t c = n_nodes; c-- > 1;) {
        const auto above = static_cast<std::size_t>(tree.parent[c]);
        ends[above] = std::max(ends[above], std::min(tree.birth[c], latest));
        last[above] = std::max(last[above], last[c]);
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
    reading.outlier.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const double leaves = leaves_at(i);
        if (reading.cluster[i] >= 0) {
            reading.strength[i] = share(leaves, full[static_cast<std::size_t>(reading.cluster[i])]);
        }
        reading.outlier[i] = 1.0 - share(leaves, last[static_cast<std::size_t>(tree.cluster[i])]);
    }
}

inline Candidate summary(const Considered& c, const View& view, double score) {
    Candidate told;
    told.scaling = view.scaling;
    told.n_components = view.n_components;
    told.selection = c.selection;
    told.min_cluster_size = c.min_cluster_size;
    told.min_samples = c.min_samples;
    told.height = c.height;
    told.n_clusters = static_cast<std::int64_t>(c.clusters.k);
    told.noise = c.noise;
    told.score = score;
    return told;
}

// A tree, and the points over which it was grown.
struct Grown {
    Points points;
    Tree tree;
};

// Noise goes to the cluster of the nearest box that has one, ties to the lowest box.
template <class Poll>
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
        (noise.size() + kChunk - 1) / kChunk, n_threads, poll, [&](std::size_t t, auto& asked) {
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

// The tree behind a reading, and its clusters where they are not known yet (`cluster` is empty).
template <class Poll>
void fill_reading(Reading& reading, const Considered& chosen, Grown&& grown, const double* weight,
                  std::vector<std::int32_t>&& cluster, unsigned n_threads, Poll& poll) {
    Tree& tree = grown.tree;
    const std::int64_t m = std::max<std::int64_t>(chosen.min_cluster_size, 2);
    reading.tree = condense(tree.merges, static_cast<double>(m));
    if (chosen.selection == Selection::eom) select_by_mass(reading.tree, weight);
    if (chosen.selection == Selection::leaf) select_leaves(reading.tree);
    reading.n_clusters = chosen.clusters.k;
    if (cluster.empty()) {
        reading.n_clusters = label_selected(reading.tree, cluster);
        if (reading.n_clusters == 0) {  // nothing splits: all is one cluster
            reading.n_clusters = 1;
            cluster.assign(tree.merges.n(), 0);
        }
    }
    if (reading.n_clusters == 1) reading.tree.selected[0] = 1;
    reading.cluster = std::move(cluster);
    reading.nearest = attach_to_nearest(grown.points, reading.cluster, n_threads, poll);
    reading.edge_from = std::move(tree.edges.from);
    reading.edge_to = std::move(tree.edges.to);
    reading.edge_height = std::move(tree.edges.height);
    rate_boxes(reading);
}

// One tree alone, in one scaling.
template <class Poll>
Grown grow_alone(const Boxes& boxes, const FeatureScales& scales, const ViewKind& kind,
                 std::int64_t min_samples, unsigned n_threads, Poll& poll) {
    View view{kind.scaling, kind.n_components, view_points(boxes, scales, kind, poll), {}, {}};
    view.neighbours = find_neighbours(view.points, neighbours_for(min_samples), n_threads, poll);
    Tree tree = grow_tree(view, boxes.weight, min_samples, n_threads, poll);
    return {std::move(view.points), std::move(tree)};
}

// What came of the reading, said of the candidate that it is.
inline void tell_first(Reading& reading, const Boxes& boxes) {
    double rows = 0.0, noise = 0.0;
    for (std::size_t i = 0; i < boxes.size; ++i) {
        rows += boxes.weight[i];
        if (reading.cluster[i] < 0) noise += boxes.weight[i];
    }
    reading.candidates[0].n_clusters = static_cast<std::int64_t>(reading.n_clusters);
    reading.candidates[0].noise = noise / rows;
}

// The boxes that the choice looks at: all, or groups of them.
class LookedAt {
public:
    template <class Poll>
    LookedAt(const Boxes& boxes, Poll& poll, std::size_t most = kMostInChoice)
        : boxes_(boxes), scales_(boxes) {
        if (boxes.size <= most) return;
        coarse_ = coarsen_boxes(boxes, scales_, most, poll);
        boxes_ = coarse_.boxes();
        if (boxes.before) remember_heaviest(boxes);
        scales_ = FeatureScales(boxes_);
    }
    LookedAt(const LookedAt&) = delete;  // the boxes lie in it

    const Boxes& boxes() const { return boxes_; }
    const FeatureScales& scales() const { return scales_; }
    bool is_all() const { return coarse_.group.empty(); }
    std::size_t group(std::size_t box) const { return is_all() ? box : coarse_.group[box]; }

private:
    // A group was in the cluster of its heaviest box, of equal ones the first.
    void remember_heaviest(const Boxes& boxes) {
        std::vector<double> heaviest(boxes_.size, -1.0);
        before_.assign(boxes_.size, -1);
        for (std::size_t i = 0; i < boxes.size; ++i) {
            if (boxes.weight[i] <= heaviest[group(i)]) continue;
            heaviest[group(i)] = boxes.weight[i];
            before_[group(i)] = boxes.before[i];
        }
        boxes_.before = before_.data();
    }

    Boxes boxes_;
    FeatureScales scales_;
    CoarseBoxes coarse_;
    std::vector<std::int32_t> before_;
};

// Clusters that were there before are better than new ones by this much of the adjusted Rand index,
// if all of them are kept ...
constexpr double kLoyalty = 0.3;
// ... and that there is structure, or none, is by this much more likely, in terms of log odds.
constexpr double kLoyalOdds = 1.0;

// How many clusters there were before; 0: nothing was read.
inline std::size_t count_before(const Boxes& boxes) {
    std::vector<std::int32_t> seen;
    for (std::size_t i = 0; boxes.before && i < boxes.size; ++i) {
        if (boxes.before[i] >= 0) seen.push_back(boxes.before[i]);
    }
    std::sort(seen.begin(), seen.end());
    return static_cast<std::size_t>(std::unique(seen.begin(), seen.end()) - seen.begin());
}

// The tree read as a candidate was before.
template <class Poll>
Reading read_as_before(const Boxes& boxes, const FeatureScales& scales, const ReadingParams& params,
                       Poll& poll) {
    const Candidate& kept = *params.kept;
    Reading reading;
    Considered chosen;
    chosen.selection = kept.selection;
    chosen.min_cluster_size = kept.min_cluster_size;
    chosen.min_samples = kept.min_samples;
    chosen.height = kept.height;
    Grown grown = grow_alone(boxes, scales, {kept.scaling, kept.n_components}, kept.min_samples,
                             params.n_threads, poll);
    std::vector<std::int32_t> cluster;
    if (kept.selection == Selection::cut) {
        chosen.clusters.k = label_cut(grown.tree.edges, boxes.weight, boxes.size, kept.height,
                                      static_cast<double>(kept.min_cluster_size), cluster);
    }
    if (kept.selection == Selection::automatic || (!cluster.empty() && chosen.clusters.k == 0)) {
        cluster.assign(boxes.size, 0);
        chosen.clusters.k = 1;
    }
    fill_reading(reading, chosen, std::move(grown), boxes.weight, std::move(cluster),
                 params.n_threads, poll);
    reading.candidates.push_back(kept);
    tell_first(reading, boxes);
    return reading;
}

// Of boxes in their order, which ties and groups depend on.
template <class Poll>
Reading read_in_order(const Boxes& boxes, const ReadingParams& params, Poll& poll) {
    Reading reading;
    const std::size_t n = boxes.size;
    if (n < 2) {
        reading.n_clusters = n;
        reading.cluster.assign(n, 0);
        reading.nearest.assign(n, 0);
        reading.strength.assign(n, 1.0);
        reading.outlier.assign(n, 0.0);
        if (n) {
            reading.tree = {{-1}, {0.0}, {boxes.weight[0]}, {0}, {HUGE_VAL}, {1}};
            Candidate one;
            one.selection = Selection::automatic;
            one.n_clusters = 1;
            reading.candidates.push_back(one);
        }
        return reading;
    }
    if (Progress* const told = poll.progress()) {
        told->n_parts = 0;
        told->all_parts = 1;  // the tree that is kept
    }
    const FeatureScales scales(boxes);
    if (params.kept) return read_as_before(boxes, scales, params, poll);
    const std::vector<ViewKind> kinds = view_kinds(params.scaling, scales);
    if (params.min_cluster_size > 0 && kinds.size() == 1) {
        Considered chosen;
        chosen.min_cluster_size = params.min_cluster_size;
        chosen.min_samples = params.min_samples > 0 ? params.min_samples : params.min_cluster_size;
        chosen.selection =
            params.selection == Selection::automatic ? Selection::eom : params.selection;
        fill_reading(
            reading, chosen,
            grow_alone(boxes, scales, kinds[0], chosen.min_samples, params.n_threads, poll),
            boxes.weight, {}, params.n_threads, poll);
        Candidate told;
        told.scaling = kinds[0].scaling;
        told.n_components = kinds[0].n_components;
        told.selection = chosen.selection;
        told.min_cluster_size = chosen.min_cluster_size;
        told.min_samples = chosen.min_samples;
        reading.candidates.push_back(told);
        tell_first(reading, boxes);
        return reading;
    }

    const LookedAt looked(boxes, poll);
    Candidates candidates(looked.boxes(), looked.scales(), params, poll);
    const std::vector<double> features = candidates.features(poll);
    std::vector<double> score = choice_scores(features);
    const std::size_t n_before = count_before(boxes);
    if (n_before > 0) {
        const std::vector<double> agreement = candidates.agreement_with_before();
        for (std::size_t c = 0; c < score.size(); ++c) score[c] += kLoyalty * agreement[c];
    }
    // The last candidate is "one cluster", which is not compared with the others: it is said where
    // the best of these looks as it does in rows without structure, or there is none.
    const std::size_t one = score.size() - 1;
    std::vector<std::size_t> order(one);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
    bool has_structure = one > 0;
    if (one > 0) {
        const auto best = features.begin() + static_cast<std::ptrdiff_t>(order[0] * kNumFeatures);
        reading.structure = structure_odds({best, best + kNumFeatures});
        if (n_before > 0) reading.structure += n_before > 1 ? kLoyalOdds : -kLoyalOdds;
        // With a size given, clusters of that size are what is asked for.
        has_structure = reading.structure > 0.0 || params.min_cluster_size > 0;
    }
    order.insert(has_structure ? order.end() : order.begin(), one);
    for (const std::size_t c : order) {
        const Considered& each = candidates.all()[c];
        reading.candidates.push_back(
            summary(each, candidates.views()[each.view], c == one ? 0.0 : score[c]));
    }
    Considered chosen = candidates.take(order[0]);
    const View& view = candidates.views()[chosen.view];
    if (looked.is_all()) {
        fill_reading(reading, chosen, {view.points, candidates.take_tree(chosen.view, chosen.tree)},
                     boxes.weight, std::move(chosen.clusters.labels), params.n_threads, poll);
        return reading;
    }
    // The tree is that of the boxes themselves. A cut was found between groups, and holds for them.
    std::vector<std::int32_t> cluster;
    if (chosen.selection != Selection::eom && chosen.selection != Selection::leaf) {
        cluster.resize(n);
        for (std::size_t i = 0; i < n; ++i) cluster[i] = chosen.clusters.labels[looked.group(i)];
    }
    fill_reading(reading, chosen,
                 grow_alone(boxes, scales, {view.scaling, view.n_components}, chosen.min_samples,
                            params.n_threads, poll),
                 boxes.weight, std::move(cluster), params.n_threads, poll);
    tell_first(reading, boxes);
    return reading;
}

// Groups of boxes are read, and each box is what its group is. Edges lead between the first boxes
// of groups.
template <class Poll>
Reading read_in_groups(const Boxes& boxes, const ReadingParams& params, Poll& poll) {
    const std::size_t n = boxes.size;
    const LookedAt looked(boxes, poll, params.most_boxes);
    Reading reading = read_in_order(looked.boxes(), params, poll);
    std::vector<std::uint32_t> first(looked.boxes().size, static_cast<std::uint32_t>(n));
    for (std::uint32_t i = 0; i < n; ++i) {
        std::uint32_t& mine = first[looked.group(i)];
        mine = std::min(mine, i);
    }
    const auto spread_out = [&](auto& values) {
        const auto of_groups = values;
        values.resize(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = of_groups[looked.group(i)];
    };
    spread_out(reading.cluster);
    spread_out(reading.nearest);
    spread_out(reading.strength);
    spread_out(reading.outlier);
    spread_out(reading.tree.cluster);
    spread_out(reading.tree.leaves_at);
    for (std::vector<std::uint32_t>* each : {&reading.edge_from, &reading.edge_to}) {
        for (std::uint32_t& g : *each) g = first[g];
    }
    return reading;
}

template <class Poll>
Reading read_boxes(const Boxes& boxes, const ReadingParams& params, Poll& poll) {
    const SortedBoxes sorted(boxes);
    const bool in_groups = params.most_boxes > 1 && boxes.size > params.most_boxes;
    Reading reading = in_groups ? read_in_groups(sorted.boxes(), params, poll)
                                : read_in_order(sorted.boxes(), params, poll);
    for (std::vector<std::int32_t>* each :
         {&reading.cluster, &reading.nearest, &reading.tree.cluster}) {
        sorted.put_back(*each);
    }
    for (std::vector<double>* each :
         {&reading.strength, &reading.outlier, &reading.tree.leaves_at}) {
        sorted.put_back(*each);
    }
    sorted.name_as_given(reading.edge_from);
    sorted.name_as_given(reading.edge_to);
    // Every cluster has a box that is not noise.
    std::vector<std::int32_t> name(reading.n_clusters, -1);
    std::int32_t k = 0;
    for (const std::int32_t cluster : reading.cluster) {
        if (cluster >= 0 && name[static_cast<std::size_t>(cluster)] < 0) {
            name[static_cast<std::size_t>(cluster)] = k++;
        }
    }
    for (std::vector<std::int32_t>* each : {&reading.cluster, &reading.nearest}) {
        for (std::int32_t& cluster : *each) {
            if (cluster >= 0) cluster = name[static_cast<std::size_t>(cluster)];
        }
    }
    return reading;
}

}  // namespace resonart
