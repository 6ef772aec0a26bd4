#include "density/choice_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/candidates.hpp"

namespace resonart {
namespace {

// A node of a tree: a candidate goes on to the next node where its feature is at most `value`, and
// to the node `right` places on elsewhere. A leaf adds `value`.
struct ModelNode {
    std::uint8_t feature;
    std::uint8_t right;
    float value;
};
constexpr std::uint8_t kLeaf = 255;
static_assert(kNumFeatures < kLeaf, "a feature's number fits into a byte");

// How much worse than the best candidate one is expected to be, in terms of the adjusted Rand
// index: the sum of the trees, at most 0.
constexpr ModelNode kChoiceNodes[] = {
#include "density/choice_table.inc"
};
// How the logarithm of the odds that rows have any structure changes by a look at the best
// candidate.
constexpr ModelNode kStructureNodes[] = {
#include "density/structure_table.inc"
};

// What the trees say of `n` candidates of kNumFeatures numbers each. Trees follow each other: the
// next begins where one ends.
template <std::size_t N>
std::vector<double> sum_of_trees(const ModelNode (&nodes)[N], const std::vector<double>& features) {
    const std::size_t n = features.size() / kNumFeatures;
    std::vector<float> seen(features.size());
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = static_cast<float>(features[i]);
    std::vector<double> sum(n, 0.0);
    for (std::size_t first = 0; first < N;) {
        for (std::size_t c = 0; c < n; ++c) {
            const float* const own = seen.data() + c * kNumFeatures;
            const ModelNode* node = nodes + first;
            while (node->feature != kLeaf) {
                node += own[node->feature] <= node->value ? 1 : node->right;
            }
            sum[c] += static_cast<double>(node->value);
        }
        // A tree of k inner nodes has k + 1 leaves.
        for (std::size_t open = 1; open > 0;) {
            if (nodes[first++].feature == kLeaf) {
                --open;
            } else {
                ++open;
            }
        }
    }
    return sum;
}

// The trees were trained on few kinds of rows: they correct the score 2 S + 3 Q + kappa, which was
// not, rather than replace it.
constexpr double kHandShare = 0.2;
// Where some candidate's clusters are all peaks of the density beyond doubt (the least evidence is
// at least kBeyondDoubt), clusters that are peaks by chance (it is below kByChance) are not chosen
// if that is so in the mean. They lose a little if it is so of any, and none lies apart by a gap:
// the index hardly minds a few rows of noise that are called a cluster, but people do.
constexpr double kByChance = 1.0, kBeyondDoubt = 4.0, kOneByChance = 0.005;
// Clusters that are single peaks count for more where some candidate has more than a few: each adds
// a share, up to the most. No accident of a shape has many.
constexpr double kFewPeaks = 10.0, kPeakShare = 1.0 / 60.0, kMostPeakShare = 0.3;

// Before that look: most rows that people cluster have some.
constexpr double kPriorOdds = 1.5;

}  // namespace

std::vector<double> choice_scores(const std::vector<double>& features) {
    std::vector<double> score = sum_of_trees(kChoiceNodes, features);
    const auto seen = [&](std::size_t c, std::size_t f) { return features[c * kNumFeatures + f]; };
    bool any_peaks = false;
    double single = 0.0, n_single = 0.0;  // the most of any
    for (std::size_t c = 0; c < score.size(); ++c) {
        score[c] += kHandShare * seen(c, kHandBelowBest);
        any_peaks |= seen(c, kPeakLeast) >= kBeyondDoubt;
        single = std::max(single, seen(c, kPeakSingle));
        n_single = std::max(n_single, seen(c, kPeakCount));
    }
    const double share = std::min(kPeakShare * std::max(n_single - kFewPeaks, 0.0), kMostPeakShare);
    for (std::size_t c = 0; c < score.size(); ++c) {
        if (any_peaks && seen(c, kPeakMean) < kByChance) score[c] -= 1.0;
        if (any_peaks && seen(c, kPeakLeast) < kByChance && seen(c, kGap) < 0.0) {
            score[c] -= kOneByChance;
        }
        score[c] += share * (seen(c, kPeakSingle) - single);
    }
    return score;
}

double structure_odds(const std::vector<double>& features) {
    return kPriorOdds + sum_of_trees(kStructureNodes, features)[0];
}

}  // namespace resonart
