// Which of the candidates is expected to be the best, and whether there is any structure at all:
// decision trees over what is seen of candidates, trained on labelled rows by `python -m training`
// (see training/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "candidates.hpp"

namespace resonart {

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
#include "choice_table.inc"
};
// How the logarithm of the odds that rows have any structure changes by a look at the best
// candidate.
constexpr ModelNode kStructureNodes[] = {
#include "structure_table.inc"
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

inline std::vector<double> choice_scores(const std::vector<double>& features) {
    std::vector<double> score = sum_of_trees(kChoiceNodes, features);
    for (std::size_t c = 0; c < score.size(); ++c) {
        score[c] += kHandShare * features[c * kNumFeatures + kHandBelowBest];
    }
    return score;
}

// Before that look: most rows that people cluster have some.
constexpr double kPriorOdds = 2.0;

// Of one candidate's numbers: more than 0 where structure is more likely than none.
inline double structure_odds(const std::vector<double>& features) {
    return kPriorOdds + sum_of_trees(kStructureNodes, features)[0];
}

}  // namespace resonart
