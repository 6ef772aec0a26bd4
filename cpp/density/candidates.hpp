// Every reading that is considered: scalings × trees × ways to read them, and what is seen of each.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/poll.hpp"
#include "density/peaks.hpp"
#include "density/reading_features.hpp"
#include "density/tree_readings.hpp"
#include "density/views.hpp"

namespace resonart {

// Sizes below which a group is no cluster; as far as four such clusters have room.
constexpr std::int64_t kSizes[] = {5,   8,   12,  18,  27,  40,   60,   90,
                                   135, 200, 300, 450, 675, 1000, 1500, 2250};
// And smaller ones, where so many clusters are wanted.
constexpr std::int64_t kSmallSizes[] = {2, 3};
constexpr std::int64_t kMinSamples[] = {5, 10};
// Up to so many rows, sizes are numbers of rows ...
constexpr double kMostInRows = 8000.0;
// ... and beyond so many, also numbers of what rows count as if all together were so many: a size
// is the same share of the rows, however many there are.
constexpr double kCountedAs = 2000.0;
constexpr std::size_t kMostClusters = 250;
constexpr double kMostNoise = 0.7;
constexpr std::size_t kCuts = 8;
constexpr std::size_t kNeighbours = 10, kFewNeighbours = 5;

// What rows count as: each as it weighs, or a share of the rows times `of_rows`. The shares are the
// same bits however often every row is repeated.
struct Counting {
    double of_rows = 0.0;  // what all count as together; 0: as many as they weigh
    double rows = 0.0;     // the same, or the sum of the weights
    std::vector<double> weight;

    Counting(const Boxes& boxes, double all_rows, double counted_as)
        : of_rows(counted_as),
          rows(counted_as > 0.0 ? counted_as : all_rows),
          weight(boxes.weight, boxes.weight + boxes.size) {
        if (rows == all_rows) return;
        for (double& w : weight) w = w / all_rows * counted_as;
    }
    // So many rows as they weigh, rounded up.
    std::int64_t counted(std::int64_t n, double all_rows) const {
        if (rows == all_rows) return n;
        return static_cast<std::int64_t>(std::ceil(static_cast<double>(n) / all_rows * rows));
    }
};
inline double sum_of_weights(const Boxes& boxes) {
    double rows = 0.0;
    for (std::size_t i = 0; i < boxes.size; ++i) rows += boxes.weight[i];
    return rows;
}

// Which core distances a tree is grown with.
struct TreeKind {
    std::size_t counting = 0;
    std::int64_t min_samples = 1;
};
struct Tree {
    TreeKind kind;
    SpanningTree edges;
    MergeTree merges;
};
struct View {
    Scaling scaling;
    std::int32_t n_components;
    Points points;
    Neighbours neighbours;
    std::vector<Tree> trees;
    Peaks peaks;  // in the last of the trees, the smoothest
};

template <class Poll>
Tree grow_tree(const Points& points, const TreeKind& kind, const Counting& counting,
               const std::vector<double>& core, Poll& poll) {
    SpanningTree edges = span(points, core, poll);
    MergeTree merges = merge_tree(edges, counting.weight.data(), points.size());
    return {kind, std::move(edges), std::move(merges)};
}
// How many neighbours to keep for a tree with `min_samples`: as many as it asks for, or none where
// that is too many.
inline std::size_t neighbours_for(std::int64_t min_samples) {
    const auto k = static_cast<std::size_t>(std::max<std::int64_t>(min_samples, 1) - 1);
    return k <= kMostKept ? k : 0;
}

// The scalings to be considered for so many features and dimensions.
struct ViewKind {
    Scaling scaling;
    std::int32_t n_components;
};
inline std::vector<ViewKind> view_kinds(Scaling wanted, const FeatureScales& scales) {
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

template <class Poll>
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

// One partition, the readings that gave it, and what is seen of it.
struct Considered {
    std::size_t view = 0, tree = 0;
    Selection selection = Selection::eom;
    std::int64_t min_cluster_size = 0, min_samples = 0;
    double height = 0.0;
    std::size_t n_readings = 1;  // that say the same
    double noise = 0.0;          // share of rows
    BoxClusters clusters;
};

// Features of a candidate by itself.
enum Seen : std::size_t {
    kRows,
    kFeatures,
    kClusters,
    kNoiseShare,
    kSizeShare,
    kSamples,
    kKind,
    kScaling,
    kLeastShare,
    kMostShare,
    kSumOfSquares,
    kSmallShare,
    kSilhouette,
    kModularity,
    kKappa,
    kModularity5,
    kKappa5,
    kMedian,
    kNinth,
    kGap,
    kWorstMedian,
    kWorstNinth,
    kWorstGap,
    kPlainMedian,
    kPlainGap,
    kExplained,
    kPeakLeast,
    kPeakSecond,
    kPeakMean,
    kPeakWithin,
    kPeakSingle,
    kPeakCount,
    kReadings,
    kHand,
    // Beside the others of the same rows:
    kAgreement,        // mean agreement with all
    kNearAgreement,    // with the quarter that agrees most
    kGoodAgreement,    // weighted by the others' scores
    kKindAgreement,    // the best with another way of reading
    kViewAgreement,    // the best with another scaling
    kSampleAgreement,  // the four best with another min_samples
    kHandAgreement,    // score times near agreement
    kSeen
};
// Of these it also matters how far below the best of all candidates they are, and at which rank.
constexpr std::size_t kRelative[] = {kSilhouette,    kModularity,    kKappa,         kKappa5,
                                     kMedian,        kGap,           kPlainMedian,   kPlainGap,
                                     kExplained,     kPeakLeast,     kPeakMean,      kPeakWithin,
                                     kAgreement,     kNearAgreement, kGoodAgreement, kHand,
                                     kHandAgreement, kNoiseShare,    kClusters};
constexpr std::size_t kBestOf[] = {kSilhouette, kModularity,    kHand,   kHandAgreement,
                                   kGap,        kNearAgreement, kMedian, kPlainGap};
constexpr std::size_t kNumRelative = sizeof(kRelative) / sizeof(kRelative[0]);
constexpr std::size_t kNumBest = sizeof(kBestOf) / sizeof(kBestOf[0]);
constexpr std::size_t kNumFeatures = kSeen + 2 * kNumRelative + kNumBest;
constexpr std::size_t below_best(std::size_t which) {
    for (std::size_t i = 0; i < kNumRelative; ++i) {
        if (kRelative[i] == which) return kSeen + 2 * i;
    }
    return kNumFeatures;
}
constexpr std::size_t kHandBelowBest = below_best(kHand);
static_assert(kHandBelowBest < kNumFeatures, "the score is one of the relative features");

inline const char* seen_name(std::size_t which) {
    static constexpr const char* kNames[kSeen] = {"rows",
                                                  "features",
                                                  "clusters",
                                                  "noise",
                                                  "min_cluster_size / rows",
                                                  "min_samples",
                                                  "selection",
                                                  "scaling",
                                                  "least share",
                                                  "most share",
                                                  "sum of squared shares",
                                                  "share in small clusters",
                                                  "silhouette",
                                                  "modularity",
                                                  "kappa",
                                                  "modularity, nearest 5",
                                                  "kappa, nearest 5",
                                                  "median height over separation",
                                                  "ninth decile over separation",
                                                  "gap",
                                                  "worst median",
                                                  "worst ninth decile",
                                                  "worst gap",
                                                  "plain median",
                                                  "plain gap",
                                                  "explained spread",
                                                  "peaks, least",
                                                  "peaks, second",
                                                  "peaks, mean",
                                                  "peaks within clusters",
                                                  "single peaks",
                                                  "number of single peaks",
                                                  "readings that agree exactly",
                                                  "score",
                                                  "agreement",
                                                  "agreement with the nearest quarter",
                                                  "agreement weighted by score",
                                                  "agreement with another selection",
                                                  "agreement with another scaling",
                                                  "agreement with another min_samples",
                                                  "score times agreement"};
    return kNames[which];
}
inline std::string feature_name(std::size_t which) {
    if (which < kSeen) return seen_name(which);
    which -= kSeen;
    if (which < 2 * kNumRelative) {
        return std::string(seen_name(kRelative[which / 2])) +
               (which % 2 ? ", rank" : ", below the best");
    }
    return std::string(seen_name(kBestOf[which - 2 * kNumRelative])) + ", best of all";
}

class Candidates {
public:
    // `boxes` has two at least.
    template <class Poll>
    Candidates(const Boxes& boxes, const FeatureScales& scales, const ReadingParams& params,
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
        if (Progress* const told = poll.progress()) told->all_parts += kinds.size() + 2 * n_trees_;
        in_tasks(kinds.size(), kinds.size(), poll, [&](std::size_t v, auto& asked) {
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
        in_tasks(n_trees_, n_trees_, poll, [&](std::size_t i, auto& polled) {
            const std::size_t v = i / trees.size(), t = i % trees.size();
            views_[v].trees[t] = grow_tree(views_[v].points, trees[t],
                                           countings_[trees[t].counting], core[i], polled);
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
        // Of other numbers of clusters than are wanted only the nearest matter, where there are no
        // others; and so it is with clusters of very few rows. (One cluster is always there.)
        const auto off = [&](const Considered& c) {
            const bool is_small = c.min_cluster_size < kSizes[0];
            return std::make_pair(params.clusters_off(c.clusters.k),
                                  params.wants_clusters() && is_small);
        };
        auto least_off = std::make_pair(params.clusters_off(1), true);
        for (const std::vector<Considered>& readings : read) {
            for (const Considered& each : readings) least_off = std::min(least_off, off(each));
        }
        for (std::vector<Considered>& readings : read) {
            for (Considered& reading : readings) {
                if (off(reading) == least_off) offer(std::move(reading));
            }
        }
        may_be_one_ = all_.empty() || params.clusters_off(1) == 0;
        add_one_cluster();
        together_.reserve(all_.size());
        for (const Considered& each : all_) together_.push_back(pairs_.of(each.clusters.attached));
    }

    const std::vector<Considered>& all() const { return all_; }
    // Whether the last of them, "one cluster", may be chosen.
    bool may_be_one() const { return may_be_one_; }
    const std::vector<View>& views() const { return views_; }
    const Counting& counting_of(const Considered& c) const {
        return countings_[views_[c.view].trees[c.tree].kind.counting];
    }
    // The candidate, or the tree, which is then no longer here.
    Considered take(std::size_t c) { return std::move(all_[c]); }
    Tree take_tree(std::size_t view, std::size_t tree) {
        return std::move(views_[view].trees[tree]);
    }

    // What is seen of each, one after the other: kNumFeatures numbers.
    template <class Poll>
    std::vector<double> features(Poll& poll) const {
        const std::size_t n = all_.size();
        std::vector<double> own(n * kSeen, 0.0);
        constexpr std::size_t kChunk = 8;
        in_tasks((n + kChunk - 1) / kChunk, n_trees_, poll, [&](std::size_t i, auto& asked) {
            MinimaxSilhouette silhouette;
            for (std::size_t c = i * kChunk; c < std::min((i + 1) * kChunk, n); ++c) {
                look_at(all_[c], silhouette, own.data() + c * kSeen);
                asked.work(boxes_.size * (4 * all_[c].clusters.k + 64));
            }
        });
        compare(own, poll);
        return relate(own);
    }

    // How well each agrees with the clusters there were before.
    std::vector<double> agreement_with_before() const {
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

private:
    // The trees of every view, and what rows count as in them.
    std::vector<TreeKind> tree_kinds() {
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
    // Sizes of clusters that are tried, in what rows count as.
    std::vector<std::int64_t> sizes(const TreeKind& kind) const {
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
    bool reads(Selection selection) const {
        return params_.selection == Selection::automatic || params_.selection == selection;
    }
    std::size_t most_clusters() const {
        return std::max(kMostClusters, static_cast<std::size_t>(params_.most_clusters));
    }

    // Tasks that are so many parts of a reading, for those who watch.
    template <class Poll, class DoTask>
    void in_tasks(std::size_t n, std::size_t n_parts, Poll& poll, DoTask&& do_task) const {
        // Threads are not worthwhile for a millisecond's work.
        const unsigned most = boxes_.size < 300 ? 1 : params_.n_threads;
        Progress* const told = poll.progress();
        std::atomic<std::size_t> n_done{0};
        in_parallel_tasks(n, most, poll, [&](std::size_t i, auto& asked) {
            do_task(i, asked);
            if (!told) return;
            const std::size_t before = n_done++;
            told->n_parts += n_parts * (before + 1) / n - n_parts * before / n;
        });
    }

    template <class Poll>
    void read_tree(std::size_t v, std::size_t t, std::vector<Considered>& read, Poll& poll) const {
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
        const std::int64_t few =
            std::max(kSizes[0], counting.counted(params_.min_cluster_size, rows_));
        const auto fiftieth = static_cast<std::int64_t>(counting.rows / 50.0);
        const auto cut = [&](double height, std::int64_t m) {
            found.height = height;
            found.min_cluster_size = m;
            found.clusters.k = label_cut(tree.edges, weight, n, height, static_cast<double>(m),
                                         found.clusters.labels);
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

    // Keeps a reading, or counts it where another says the same.
    void offer(Considered&& found) {
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

    void add_one_cluster() {
        Considered one;
        one.selection = Selection::automatic;
        one.min_samples = views_[0].trees[0].kind.min_samples;
        one.clusters.k = 1;
        one.clusters.labels.assign(boxes_.size, 0);
        one.clusters.attached = one.clusters.labels;
        all_.push_back(std::move(one));
    }

    void look_at(const Considered& c, MinimaxSilhouette& silhouette, double* seen) const {
        const BoxClusters& p = c.clusters;
        const View& view = views_[c.view];
        const Tree& tree = view.trees[c.tree];
        const Counting& counting = counting_of(c);
        const double* const w = counting.weight.data();
        const double all = counting.rows;
        seen[kRows] = std::min(rows_, kCountedAs);
        seen[kFeatures] = static_cast<double>(dimension_);
        seen[kClusters] = static_cast<double>(p.k);
        seen[kNoiseShare] = c.noise;
        seen[kSizeShare] = static_cast<double>(c.min_cluster_size) / all;
        seen[kSamples] = static_cast<double>(c.min_samples);
        const bool is_by_mass = c.selection == Selection::fixed;  // as by excess of mass
        seen[kKind] = static_cast<double>(is_by_mass ? Selection::eom : c.selection);
        seen[kScaling] = static_cast<double>(view.scaling) * 10.0 + view.n_components;
        seen[kReadings] = static_cast<double>(c.n_readings);
        std::vector<double> size(p.k, 0.0);
        for (std::size_t i = 0; i < p.attached.size(); ++i) {
            size[static_cast<std::size_t>(p.attached[i])] += w[i];
        }
        seen[kLeastShare] = 1.0;
        const double small = std::max(5.0, all / 100.0);
        for (const double rows : size) {
            const double share = rows / all;
            seen[kLeastShare] = std::min(seen[kLeastShare], share);
            seen[kMostShare] = std::max(seen[kMostShare], share);
            seen[kSumOfSquares] += share * share;
            if (rows < small) seen[kSmallShare] += share;
        }
        if (p.k < 2) {
            seen[kScaling] = seen[kKind] = 0.0;
            return;
        }
        const std::size_t k =
            std::max<std::size_t>(1, std::min<std::size_t>(kNeighbours, boxes_.size / 6));
        const std::size_t few = std::min(k, kFewNeighbours);
        if (p.k <= kMostClusters) seen[kSilhouette] = silhouette(view.trees[0].merges, w, p);
        const auto [narrow, wide] = graph_quality(view.neighbours, few, k, w, p);
        seen[kModularity] = wide.modularity;
        seen[kKappa] = wide.kappa;
        seen[kModularity5] = narrow.modularity;
        seen[kKappa5] = narrow.kappa;
        const Separation apart = separation(tree.edges, w, p);
        seen[kMedian] = apart.median;
        seen[kNinth] = apart.ninth;
        seen[kGap] = apart.gap;
        seen[kWorstMedian] = apart.worst_median;
        seen[kWorstNinth] = apart.worst_ninth;
        seen[kWorstGap] = apart.worst_gap;
        const Separation plain = separation(view.trees[0].edges, w, p);
        seen[kPlainMedian] = plain.median;
        seen[kPlainGap] = plain.gap;
        seen[kExplained] = explained_spread(view.points, w, p);
        const PeakEvidence peaks =
            view.peaks.of(p, view.trees.back().edges, view.trees.back().merges);
        seen[kPeakLeast] = peaks.least;
        seen[kPeakSecond] = peaks.second;
        seen[kPeakMean] = peaks.mean;
        seen[kPeakWithin] = peaks.within;
        seen[kPeakSingle] = peaks.single;
        seen[kPeakCount] = peaks.n_single;
        seen[kHand] =
            2.0 * std::max(seen[kSilhouette], 0.0) + 3.0 * seen[kModularity] + seen[kKappa];
    }

    // Agreement with the others. The last candidate is "one cluster", which agrees with none.
    template <class Poll>
    void compare(std::vector<double>& own, Poll& poll) const {
        const std::size_t n = all_.size() - 1;
        if (n < 2) return;
        std::vector<double> agreement(n * n, 0.0);
        for (std::size_t c = 0; c < n; ++c) {
            for (std::size_t b = 0; b < c; ++b) {
                agreement[c * n + b] = agreement[b * n + c] =
                    PairSample::agreement(together_[c], together_[b]);
            }
            poll.work(c * PairSample::kWords * 8);
        }
        double all_hand = 0.0, all_readings = 0.0;
        for (std::size_t c = 0; c < n; ++c) {
            const double hand = std::max(own[c * kSeen + kHand], 0.0);
            all_hand += hand * hand;
            all_readings += own[c * kSeen + kReadings];
        }
        std::vector<double> sorted;
        for (std::size_t c = 0; c < n; ++c) {
            const double* const row = agreement.data() + c * n;
            double* const seen = own.data() + c * kSeen;
            double mean = seen[kReadings] - 1.0, good = 0.0, kind = 0.0, scaling = 0.0;
            double few[4] = {0.0, 0.0, 0.0, 0.0};
            for (std::size_t b = 0; b < n; ++b) {
                if (b == c) continue;
                const double* const other = own.data() + b * kSeen;
                mean += other[kReadings] * row[b];
                const double hand = std::max(other[kHand], 0.0);
                good += hand * hand * row[b];
                if (other[kKind] != seen[kKind]) kind = std::max(kind, row[b]);
                if (other[kScaling] != seen[kScaling]) scaling = std::max(scaling, row[b]);
                if (other[kSamples] != seen[kSamples] && row[b] > few[3]) {
                    std::size_t at = 3;
                    for (; at > 0 && few[at - 1] < row[b]; --at) few[at] = few[at - 1];
                    few[at] = row[b];
                }
            }
            seen[kAgreement] = mean / std::max(all_readings - 1.0, 1.0);
            seen[kGoodAgreement] = all_hand > 0.0 ? good / all_hand : 0.0;
            seen[kKindAgreement] = kind;
            seen[kViewAgreement] = scaling;
            seen[kSampleAgreement] = (few[0] + few[1] + few[2] + few[3]) / 4.0;
            sorted.assign(row, row + n);
            const std::size_t quarter = std::max<std::size_t>(1, n / 4);
            std::nth_element(sorted.begin(),
                             sorted.begin() + static_cast<std::ptrdiff_t>(quarter - 1),
                             sorted.end(), [](double a, double b) { return a > b; });
            std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(quarter));
            double near = 0.0;
            for (std::size_t i = 0; i < quarter; ++i) near += sorted[i];
            seen[kNearAgreement] = near / static_cast<double>(quarter);
            seen[kHandAgreement] = seen[kHand] * seen[kNearAgreement];
        }
    }

    std::vector<double> relate(const std::vector<double>& own) const {
        const std::size_t n = all_.size();
        const std::size_t n_real = n > 1 ? n - 1 : n;
        std::vector<double> table(n * kNumFeatures, 0.0), sorted;
        for (std::size_t c = 0; c < n; ++c) {
            std::copy(own.begin() + static_cast<std::ptrdiff_t>(c * kSeen),
                      own.begin() + static_cast<std::ptrdiff_t>((c + 1) * kSeen),
                      table.begin() + static_cast<std::ptrdiff_t>(c * kNumFeatures));
        }
        std::size_t at = kSeen;
        for (const std::size_t which : kRelative) {
            sorted.clear();
            for (std::size_t c = 0; c < n_real; ++c) sorted.push_back(own[c * kSeen + which]);
            std::sort(sorted.begin(), sorted.end());
            for (std::size_t c = 0; c < n; ++c) {
                const double value = own[c * kSeen + which];
                table[c * kNumFeatures + at] = value - sorted.back();
                const auto below = std::lower_bound(sorted.begin(), sorted.end(), value);
                table[c * kNumFeatures + at + 1] =
                    static_cast<double>(below - sorted.begin()) / static_cast<double>(n_real);
            }
            at += 2;
        }
        for (const std::size_t which : kBestOf) {
            double best = own[which];
            for (std::size_t c = 0; c < n_real; ++c) best = std::max(best, own[c * kSeen + which]);
            for (std::size_t c = 0; c < n; ++c) table[c * kNumFeatures + at] = best;
            ++at;
        }
        return table;
    }

    Boxes boxes_;
    ReadingParams params_;
    std::size_t dimension_ = 1;
    double rows_ = 0.0;
    std::vector<Counting> countings_;
    std::size_t n_trees_ = 0;
    std::vector<View> views_;
    std::vector<Considered> all_;
    bool may_be_one_ = true;
    std::map<std::uint64_t, std::size_t> seen_;
    PairSample pairs_;
    std::vector<PairSample::Bits> together_;  // of each candidate, which pairs are in one cluster
};

}  // namespace resonart
