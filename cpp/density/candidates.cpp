#include "density/candidates.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace resonart {
Tree grow_tree(const Points& points, const TreeKind& kind, const Counting& counting,
               const std::vector<double>& core, Poll& poll) {
    SpanningTree edges = span(points, core, poll);
    MergeTree merges = merge_tree(edges, counting.weight.data(), points.size());
    return {kind, std::move(edges), std::move(merges)};
}

double sum_of_weights(const Boxes& boxes) {
    double rows = 0.0;
    for (std::size_t i = 0; i < boxes.size; ++i) rows += boxes.weight[i];
    return rows;
}

std::size_t neighbours_for(std::int64_t min_samples) {
    const auto k = static_cast<std::size_t>(std::max<std::int64_t>(min_samples, 1) - 1);
    return k <= kMostKept ? k : 0;
}

Candidates::Candidates(const Boxes& boxes, const FeatureScales& scales, const ReadingParams& params,
                       Poll& poll)
    : boxes_(boxes),
      params_(params),
      dimension_(scales.dimension),
      pairs_(boxes.weight, boxes.size) {
    rows_ = sum_of_weights(boxes);
    const std::vector<ViewKind> kinds = view_kinds(params.scaling, scales);
    const std::vector<TreeKind> trees = tree_kinds();
    std::size_t n_neighbours = kNeighbours;
    for (const TreeKind& kind : trees) {
        const bool is_light = countings_[kind.counting].rows < rows_;
        n_neighbours =
            std::max(n_neighbours, is_light ? kMostKept : neighbours_for(kind.min_samples));
    }
    for (const ViewKind& kind : kinds) {
        views_.push_back({kind.scaling, kind.n_components, Points(0, 0), {}, {}, {}});
        views_.back().trees.resize(trees.size());
    }
    n_trees_ = views_.size() * trees.size();
    // Looking at what the trees hold takes about as long as growing them.
    if (Progress* const progress = poll.progress())
        progress->all_parts += kinds.size() + 2 * n_trees_;
    in_tasks(kinds.size(), kinds.size(), poll, [&](std::size_t v, Poll& asked) {
        views_[v].points = view_points(boxes, scales, kinds[v], asked);
    });
    std::vector<Gathered> asked;
    for (const TreeKind& kind : trees) {
        if (kind.min_samples <= 1) continue;
        asked.push_back(
            {countings_[kind.counting].weight.data(), static_cast<double>(kind.min_samples)});
    }
    std::vector<std::vector<double>> core;
    for (View& view : views_) {
        view.neighbours = find_neighbours(view.points, n_neighbours, params.n_threads, poll);
        auto found = core_squares(view.points, view.neighbours, asked, params.n_threads, poll);
        auto next = found.begin();
        for (const TreeKind& kind : trees) {
            core.push_back(kind.min_samples > 1 ? std::move(*next++)
                                                : std::vector<double>(boxes.size, 0.0));
        }
    }
    std::vector<std::vector<Considered>> read(n_trees_);
    in_tasks(n_trees_, n_trees_, poll, [&](std::size_t i, Poll& polled) {
        const std::size_t v = i / trees.size(), t = i % trees.size();
        views_[v].trees[t] =
            grow_tree(views_[v].points, trees[t], countings_[trees[t].counting], core[i], polled);
        if (t + 1 == trees.size()) {
            const Tree& tree = views_[v].trees[t];
            const Counting& counting = countings_[trees[t].counting];
            views_[v].peaks = {tree.edges,
                               tree.merges,
                               core[i],
                               counting.weight.data(),
                               counting.rows,
                               trees[t].min_samples,
                               std::min(dimension_, views_[v].points.width())};
        }
        read_tree(v, t, read[i], polled);
    });
    offer_best(read);
    may_be_one_ = all_.empty() || params.clusters_off(1) == 0;
    add_one_cluster();
    together_.reserve(all_.size());
    for (const Considered& each : all_) together_.push_back(pairs_.of(each.clusters.attached));
}

std::vector<double> Candidates::agreement_with_before() const {
    std::vector<std::int32_t> before(boxes_.before, boxes_.before + boxes_.size);
    attach_noise(views_[0].trees[0].edges, before);
    const PairSample::Bits known = pairs_.of(before);
    std::vector<double> agreement;
    agreement.reserve(all_.size());
    for (const PairSample::Bits& each : together_) {
        agreement.push_back(PairSample::agreement(each, known));
    }
    return agreement;
}

std::vector<TreeKind> Candidates::tree_kinds() {
    std::vector<TreeKind> kinds;
    if (params_.min_samples > 0) {
        countings_.emplace_back(boxes_, rows_, 0.0);
        return {{0, params_.min_samples}};
    }
    if (rows_ <= kMostInRows) countings_.emplace_back(boxes_, rows_, rows_);
    if (rows_ > kCountedAs) countings_.emplace_back(boxes_, rows_, kCountedAs);
    kinds.push_back({0, 1});
    for (std::size_t c = 0; c < countings_.size(); ++c) {
        for (const std::int64_t m : kMinSamples) {
            if (static_cast<double>(m) <= countings_[c].rows / 4.0) kinds.push_back({c, m});
        }
    }
    return kinds;
}

std::vector<std::int64_t> Candidates::sizes(const TreeKind& kind) const {
    const Counting& counting = countings_[kind.counting];
    const std::int64_t least = counting.counted(params_.min_cluster_size, rows_);
    std::vector<std::int64_t> list;
    if (least > kSizes[0]) list.push_back(least);
    const auto offer = [&](std::int64_t m) {
        if (static_cast<double>(m) <= counting.rows / 4.0 && 2 * m >= kind.min_samples &&
            m >= least && (list.empty() || m > list.back())) {
            list.push_back(m);
        }
    };
    if (params_.wants_clusters()) {
        for (const std::int64_t m : kSmallSizes) offer(m);
    }
    for (const std::int64_t m : kSizes) offer(m);
    return list;
}

void Candidates::read_tree(std::size_t v, std::size_t t, std::vector<Considered>& read,
                           Poll& poll) const {
    const Tree& tree = views_[v].trees[t];
    const std::size_t n = boxes_.size;
    Considered found;
    found.view = v;
    found.tree = t;
    found.min_samples = tree.kind.min_samples;
    const Counting& counting = countings_[tree.kind.counting];
    const double* const weight = counting.weight.data();
    const auto keep = [&](Selection selection) {
        found.selection = selection;
        const BoxClusters& p = found.clusters;
        if (p.k < 2 || p.k > most_clusters()) return;
        double noise = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            if (p.labels[i] < 0) noise += weight[i];
        }
        if (noise > kMostNoise * counting.rows) return;
        found.noise = noise / counting.rows;
        read.push_back(found);
    };
    const bool has_branches = tree.kind.min_samples > 1 || params_.min_samples > 0;
    const std::vector<std::size_t> tried = params_.clusters_tried();
    if (has_branches || !tried.empty()) {
        for (const std::int64_t m : sizes(tree.kind)) {
            found.min_cluster_size = m;
            CondensedTree condensed = condense(tree.merges, static_cast<double>(m));
            if (condensed.parent.size() < 3) break;  // nor will larger sizes split it
            const auto keep_selected = [&](Selection selection) {
                found.clusters.k = label_selected(condensed, found.clusters.labels);
                keep(selection);
            };
            if (has_branches && reads(Selection::eom)) {
                select_by_mass(condensed, weight);
                keep_selected(Selection::eom);
            }
            if (has_branches && reads(Selection::leaf)) {
                select_leaves(condensed);
                keep_selected(Selection::leaf);
            }
            if (!tried.empty() && reads(Selection::eom)) {
                const MassTable table(condensed, weight, tried.back());
                for (const std::size_t k : tried) {
                    table.select(condensed, std::min(k, table.n_clusters()));
                    keep_selected(Selection::fixed);
                    if (k >= table.n_clusters()) break;
                }
            }
            poll.work(n * 32 * (1 + tried.size()));
        }
    }
    if (!reads(Selection::cut)) return;
    const std::int64_t few = std::max(kSizes[0], counting.counted(params_.min_cluster_size, rows_));
    const auto fiftieth = static_cast<std::int64_t>(counting.rows / 50.0);
    const auto cut = [&](double height, std::int64_t m) {
        found.height = height;
        found.min_cluster_size = m;
        found.clusters.k =
            label_cut(tree.edges, weight, n, height, static_cast<double>(m), found.clusters.labels);
        keep(Selection::cut);
        poll.work(n * 16);
    };
    std::vector<std::int64_t> cut_sizes{few};
    if (fiftieth > few) cut_sizes.push_back(fiftieth);
    for (const double height : cut_heights(tree.edges, kCuts)) {
        for (const std::int64_t m : cut_sizes) cut(height, m);
    }
    for (const std::int64_t m : cut_sizes) {
        const auto rows = static_cast<double>(m);
        for (const double height : heights_for(tree.edges, weight, n, rows, tried)) {
            if (height >= 0.0) cut(height, m);
        }
    }
}

void Candidates::offer_best(std::vector<std::vector<Considered>>& read) {
    const auto off = [&](const Considered& c) {
        const bool is_small = c.min_cluster_size < kSizes[0];
        return std::make_pair(params_.clusters_off(c.clusters.k),
                              params_.wants_clusters() && is_small);
    };
    auto least_off = std::make_pair(params_.clusters_off(1), true);
    for (const std::vector<Considered>& readings : read) {
        for (const Considered& each : readings) least_off = std::min(least_off, off(each));
    }
    for (std::vector<Considered>& readings : read) {
        for (Considered& reading : readings) {
            if (off(reading) == least_off) offer(std::move(reading));
        }
    }
}

void Candidates::offer(Considered&& found) {
    const BoxClusters& p = found.clusters;
    std::uint64_t hash = 1469598103934665603u;
    for (const std::int32_t label : p.labels) {
        hash = (hash ^ static_cast<std::uint32_t>(label)) * 1099511628211u;
    }
    const auto known = seen_.find(hash);
    if (known != seen_.end() && all_[known->second].clusters.labels == p.labels) {
        // (One that was made to have so many clusters confirms nothing.)
        if (found.selection != Selection::fixed) ++all_[known->second].n_readings;
        return;
    }
    seen_[hash] = all_.size();
    all_.push_back(std::move(found));
    Considered& kept = all_.back();
    kept.clusters.attached = kept.clusters.labels;
    attach_noise(views_[kept.view].trees[kept.tree].edges, kept.clusters.attached);
}

void Candidates::add_one_cluster() {
    Considered one;
    one.selection = Selection::automatic;
    one.min_samples = views_[0].trees[0].kind.min_samples;
    one.clusters.k = 1;
    one.clusters.labels.assign(boxes_.size, 0);
    one.clusters.attached = one.clusters.labels;
    all_.push_back(std::move(one));
}

}  // namespace resonart
