#include "density/candidate_features.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "density/candidates.hpp"

namespace resonart {
namespace {

const char* seen_name(std::size_t which) {
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

}  // namespace

std::string feature_name(std::size_t which) {
    if (which < kSeen) return seen_name(which);
    which -= kSeen;
    if (which < 2 * kNumRelative) {
        return std::string(seen_name(kRelative[which / 2])) +
               (which % 2 ? ", rank" : ", below the best");
    }
    return std::string(seen_name(kBestOf[which - 2 * kNumRelative])) + ", best of all";
}

std::vector<double> Candidates::features(Poll& poll) const {
    const std::size_t n = all_.size();
    std::vector<double> own(n * kSeen, 0.0);
    constexpr std::size_t kChunk = 8;
    in_tasks((n + kChunk - 1) / kChunk, n_trees_, poll, [&](std::size_t i, Poll& asked) {
        MinimaxSilhouette silhouette;
        for (std::size_t c = i * kChunk; c < std::min((i + 1) * kChunk, n); ++c) {
            look_at(all_[c], silhouette, own.data() + c * kSeen);
            asked.work(boxes_.size * (4 * all_[c].clusters.k + 64));
        }
    });
    compare(own, poll);
    return relate(own);
}

void Candidates::look_at(const Considered& c, MinimaxSilhouette& silhouette, double* seen) const {
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
    const PeakEvidence peaks = view.peaks.of(p, view.trees.back().edges, view.trees.back().merges);
    seen[kPeakLeast] = peaks.least;
    seen[kPeakSecond] = peaks.second;
    seen[kPeakMean] = peaks.mean;
    seen[kPeakWithin] = peaks.within;
    seen[kPeakSingle] = peaks.single;
    seen[kPeakCount] = peaks.n_single;
    seen[kHand] = 2.0 * std::max(seen[kSilhouette], 0.0) + 3.0 * seen[kModularity] + seen[kKappa];
}

void Candidates::compare(std::vector<double>& own, Poll& poll) const {
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
        std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(quarter - 1),
                         sorted.end(), [](double a, double b) { return a > b; });
        std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(quarter));
        double near = 0.0;
        for (std::size_t i = 0; i < quarter; ++i) near += sorted[i];
        seen[kNearAgreement] = near / static_cast<double>(quarter);
        seen[kHandAgreement] = seen[kHand] * seen[kNearAgreement];
    }
}

std::vector<double> Candidates::relate(const std::vector<double>& own) const {
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

}  // namespace resonart
