#include "density/read_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "density/box_order.hpp"
#include "density/candidates.hpp"
#include "density/choice_model.hpp"
#include "density/fill_reading.hpp"
#include "density/outliers.hpp"
#include "density/sampled_boxes.hpp"

namespace resonart {
namespace {

Candidate summary(const Considered& c, const View& view, double of_rows, double score) {
    Candidate candidate;
    candidate.scaling = view.scaling;
    candidate.n_components = view.n_components;
    candidate.selection = c.selection;
    candidate.min_cluster_size = c.min_cluster_size;
    candidate.min_samples = c.min_samples;
    candidate.of_rows = of_rows;
    candidate.height = c.height;
    candidate.n_clusters = static_cast<std::int64_t>(c.clusters.k);
    candidate.noise = c.noise;
    candidate.score = score;
    return candidate;
}

// Scores by which "one cluster", the last, can be compared with the other candidates: how far each
// is expected to be below the best possible reading, in terms of the adjusted Rand index. With the
// probability P there is structure. Then the others are as far below as their own scores say, and
// one cluster is 1 below the best of them. Otherwise one cluster is right, and the others are 1
// below it. So one cluster has the highest score exactly where P is at most a half: where log odds
// are at most 0.
void score_beside_one(std::vector<double>& score, double best, double log_odds) {
    const double p = 1.0 / (1.0 + std::exp(-log_odds));
    const std::size_t one = score.size() - 1;
    for (std::size_t c = 0; c < one; ++c) score[c] = p * score[c] - (1.0 - p);
    score[one] = p * (best - 1.0);
    // (And not where rounding says otherwise.)
    const double first = p * best - (1.0 - p);
    score[one] = log_odds > 0.0 ? std::min(score[one], first) : std::max(score[one], first);
}

// One tree alone, in one scaling.
Grown grow_alone(const Boxes& boxes, const FeatureScales& scales, const ViewKind& kind,
                 const Counting& counting, std::int64_t min_samples, unsigned n_threads,
                 Poll& poll) {
    Points points = view_points(boxes, scales, kind, poll);
    std::vector<double> core(boxes.size, 0.0);
    if (min_samples > 1) {
        const std::size_t n_near = counting.of_rows > 0.0 ? kMostKept : neighbours_for(min_samples);
        const Neighbours near = find_neighbours(points, n_near, n_threads, poll);
        const std::vector<Gathered> asked{
            {counting.weight.data(), static_cast<double>(min_samples)}};
        core = std::move(core_squares(points, near, asked, n_threads, poll)[0]);
    }
    Tree tree = grow_tree(points, {0, min_samples}, counting, core, poll);
    return {std::move(points), std::move(tree)};
}

// What came of the reading, said of the candidate that it is: to the bit what the candidate says of
// the same boxes.
void describe_first(Reading& reading, const Counting& counting) {
    double noise = 0.0;
    for (std::size_t i = 0; i < reading.cluster.size(); ++i) {
        if (reading.cluster[i] < 0) noise += counting.weight[i];
    }
    reading.candidates[0].n_clusters = static_cast<std::int64_t>(reading.n_clusters);
    reading.candidates[0].noise = noise / counting.rows;
}

// Where there were clusters before, or one, that there is structure, or none, is by this much more
// likely, in terms of log odds. Several clusters dissolve less easily than one falls apart.
constexpr double kLoyalToSeveral = 2.0, kLoyalToOne = 1.0;

// How many clusters there were before; 0: nothing was read.
std::size_t count_before(const Boxes& boxes) {
    std::vector<std::int32_t> seen;
    for (std::size_t i = 0; boxes.before && i < boxes.size; ++i) {
        if (boxes.before[i] >= 0) seen.push_back(boxes.before[i]);
    }
    std::sort(seen.begin(), seen.end());
    return static_cast<std::size_t>(std::unique(seen.begin(), seen.end()) - seen.begin());
}

// What is thought of candidates: how far each is below the best possible reading; the best of them,
// and the log odds that there is structure. The last candidate is "one cluster", which is said
// where the best of the others looks as it does in rows without structure, or there is none.
struct Judged {
    std::vector<double> score;
    std::size_t best = 0;
    double structure = 0.0;
};

Judged judge(const Candidates& candidates, const Boxes& boxes, double loyalty, Poll& poll) {
    Judged judged;
    const std::vector<double> features = candidates.features(poll);
    std::vector<double>& score = judged.score;
    score = choice_scores(features);
    const std::size_t n_before = count_before(boxes);
    if (n_before > 0) {
        const std::vector<double> agreement = candidates.agreement_with_before();
        for (std::size_t c = 0; c < score.size(); ++c) score[c] += loyalty * (agreement[c] - 1.0);
    }
    if (score.size() < 2) return judged;
    const auto best = std::max_element(score.begin(), score.end() - 1) - score.begin();
    judged.best = static_cast<std::size_t>(best);
    const auto seen = features.begin() + best * static_cast<std::ptrdiff_t>(kNumFeatures);
    judged.structure = structure_odds({seen, seen + kNumFeatures});
    if (n_before > 0) judged.structure += n_before > 1 ? kLoyalToSeveral : -kLoyalToOne;
    return judged;
}

// The tree read as a candidate was before.
Reading read_as_before(const Boxes& boxes, const FeatureScales& scales, const ReadingParams& params,
                       Poll& poll) {
    const Candidate& kept = *params.kept;
    Reading reading;
    Considered chosen;
    chosen.selection = kept.selection;
    chosen.min_cluster_size = kept.min_cluster_size;
    chosen.min_samples = kept.min_samples;
    chosen.height = kept.height;
    if (kept.selection == Selection::fixed) {  // as many as are wanted, where these are known
        std::int64_t k = kept.n_clusters;
        if (params.wants_clusters()) {
            k = std::min(std::max(k, params.least_clusters), params.most_clusters);
        }
        chosen.clusters.k = static_cast<std::size_t>(std::max<std::int64_t>(k, 1));
    }
    const Counting counting(boxes, sum_of_weights(boxes), kept.of_rows);
    Grown grown = grow_alone(boxes, scales, {kept.scaling, kept.n_components}, counting,
                             kept.min_samples, params.n_threads, poll);
    std::vector<std::int32_t> cluster;
    if (kept.selection == Selection::cut) {
        chosen.clusters.k =
            label_cut(grown.tree.edges, counting.weight.data(), boxes.size, kept.height,
                      static_cast<double>(kept.min_cluster_size), cluster);
    }
    if (kept.selection == Selection::automatic || (!cluster.empty() && chosen.clusters.k == 0)) {
        cluster.assign(boxes.size, 0);
        chosen.clusters.k = 1;
    }
    fill_reading(reading, chosen, std::move(grown), counting, boxes.weight, std::move(cluster),
                 params.n_threads, poll);
    reading.candidates.push_back(kept);
    describe_first(reading, counting);
    return reading;
}

Reading read_at_most_one(const Boxes& boxes) {
    Reading reading;
    const std::size_t n = boxes.size;
    reading.n_clusters = n;
    reading.cluster.assign(n, 0);
    reading.nearest.assign(n, 0);
    reading.strength.assign(n, 1.0);
    if (n) {
        reading.tree = {{-1}, {0.0}, {boxes.weight[0]}, {0}, {HUGE_VAL}, {1}};
        Candidate one;
        one.selection = Selection::automatic;
        one.n_clusters = 1;
        reading.candidates.push_back(one);
    }
    return reading;
}

// Where there is nothing to choose in one scaling.
Reading read_as_asked(const Boxes& boxes, const FeatureScales& scales, const ViewKind& kind,
                      const ReadingParams& params, Poll& poll) {
    Reading reading;
    Considered chosen;
    chosen.min_cluster_size = params.min_cluster_size;
    chosen.min_samples = params.min_samples;
    chosen.selection = params.selection;
    const Counting counting(boxes, sum_of_weights(boxes), 0.0);
    fill_reading(
        reading, chosen,
        grow_alone(boxes, scales, kind, counting, chosen.min_samples, params.n_threads, poll),
        counting, boxes.weight, {}, params.n_threads, poll);
    Candidate candidate;
    candidate.scaling = kind.scaling;
    candidate.n_components = kind.n_components;
    candidate.selection = chosen.selection;
    candidate.min_cluster_size = chosen.min_cluster_size;
    candidate.min_samples = chosen.min_samples;
    reading.candidates.push_back(candidate);
    describe_first(reading, counting);
    return reading;
}

// Of all candidates the one that is expected to be the best.
Reading read_by_choice(const Boxes& boxes, const FeatureScales& scales, const ReadingParams& params,
                       Poll& poll) {
    Reading reading;
    Candidates candidates(boxes, scales, params, poll);
    Judged judged = judge(candidates, boxes, params.loyalty, poll);
    std::vector<double>& score = judged.score;
    const std::size_t one = score.size() - 1;
    std::vector<std::size_t> order(one);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (one == 0) {
        score[one] = 0.0;
        order.push_back(one);
    } else if (candidates.may_be_one()) {
        if (params.wants_clusters()) {
            // Whether there is structure does not depend on how many clusters are wanted.
            ReadingParams any = params;
            any.least_clusters = any.most_clusters = 0;
            judged.structure =
                judge({boxes, scales, any, poll}, boxes, params.loyalty, poll).structure;
        }
        reading.structure = judged.structure;
        score_beside_one(score, score[judged.best], judged.structure);
        order.insert(judged.structure > 0.0 ? order.end() : order.begin(), one);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
    std::set<std::vector<std::int32_t>> answers;
    for (const std::size_t c : order) {
        const Considered& each = candidates.all()[c];
        if (params.attaches_noise) {
            std::vector<std::int32_t> answer = each.clusters.attached;
            number_by_first(answer, each.clusters.k);
            if (!answers.insert(std::move(answer)).second) continue;
        }
        reading.candidates.push_back(summary(each, candidates.views()[each.view],
                                             candidates.counting_of(each).of_rows, score[c]));
    }
    Considered chosen = candidates.take(order[0]);
    const Counting& counting = candidates.counting_of(chosen);
    fill_reading(
        reading, chosen,
        {candidates.views()[chosen.view].points, candidates.take_tree(chosen.view, chosen.tree)},
        counting, boxes.weight, std::move(chosen.clusters.labels), params.n_threads, poll);
    return reading;
}

// Of boxes in their order, which ties and groups depend on.
Reading read_in_order(const Boxes& boxes, const ReadingParams& params, Poll& poll) {
    if (boxes.size < 2) return read_at_most_one(boxes);
    if (Progress* const progress = poll.progress()) {
        progress->n_parts = 0;
        progress->all_parts = 1;  // the tree that is kept
    }
    const FeatureScales scales(boxes);
    if (params.kept) return read_as_before(boxes, scales, params, poll);
    const std::vector<ViewKind> kinds = view_kinds(params.scaling, scales);
    if (params.is_settled() && kinds.size() == 1) {
        return read_as_asked(boxes, scales, kinds[0], params, poll);
    }
    return read_by_choice(boxes, scales, params, poll);
}

// Some of the boxes are read, and each of the others is what the one is that it counts for.
Reading read_some(const Boxes& boxes, const SampledBoxes& some, const ReadingParams& params,
                  Poll& poll) {
    const std::size_t n = boxes.size;
    Reading reading = read_in_order(some.boxes(boxes.n_features), params, poll);
    const auto spread_out = [&](auto& values) {
        const auto of_groups = values;
        values.resize(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = of_groups[some.group[i]];
    };
    spread_out(reading.cluster);
    spread_out(reading.nearest);
    spread_out(reading.strength);
    spread_out(reading.tree.cluster);
    spread_out(reading.tree.leaves_at);
    for (std::vector<std::uint32_t>* each : {&reading.edge_from, &reading.edge_to}) {
        for (std::uint32_t& g : *each) g = some.drawn[g];
    }
    return reading;
}

}  // namespace

Reading read_boxes(const Boxes& boxes, const ReadingParams& params, Poll& poll) {
    const SortedBoxes sorted(boxes);
    const std::size_t most = params.most_boxes ? params.most_boxes : kMostInChoice;
    std::optional<SampledBoxes> some;
    if (most > 1 && boxes.size > most) {
        some.emplace(sorted.boxes(), FeatureScales(sorted.boxes()), most, params.n_threads, poll);
    }
    const bool are_all_read = !some || (params.is_given() && params.most_boxes == 0);
    Reading reading = are_all_read ? read_in_order(sorted.boxes(), params, poll)
                                   : read_some(sorted.boxes(), *some, params, poll);
    reading.outlier = outlier_scores(sorted.boxes(), some ? &*some : nullptr, params.scaling,
                                     params.n_threads, poll);
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
