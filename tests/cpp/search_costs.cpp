// SearchCosts of what searching costs, told of costs that a real clock would not repeat.
#include "boxes/search_costs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

using resonart::Advice;
using resonart::SearchCosts;

constexpr double kBlocks = 1000.0, kBlocksOfNode = 4.0;

int failures = 0;

void expect(bool holds, const char* what, double figure) {
    if (holds) return;
    ++failures;
    std::printf("failed: %s (%g)\n", what, figure);
}

// What rounds cost: nanoseconds and nodes through the index, nanoseconds of a look at all boxes.
struct Costs {
    std::function<double(int)> nodes;
    double of_node, of_all;
};

struct Outcome {
    int n_by_tree = 0;
    double spent = 0.0;
};

Outcome keep(SearchCosts& costs_so_far, int n_rounds, const Costs& costs) {
    Outcome outcome;
    for (int i = 0; i < n_rounds; ++i) {
        double spent = 0.0;
        if (costs_so_far.begin(kBlocks, kBlocksOfNode)) {
            ++outcome.n_by_tree;
            const double needed = costs.nodes(i), most = costs_so_far.most_nodes();
            const bool found = needed <= most;
            const double nodes = found ? needed : most;
            costs_so_far.visit(static_cast<std::size_t>(nodes), found);
            spent = nodes * costs.of_node + (found ? 0.0 : costs.of_all);
        } else {
            spent = costs.of_all;
        }
        if (costs_so_far.is_timed()) costs_so_far.spend(spent);
        outcome.spent += spent;
    }
    return outcome;
}

// Of queries that differ as they do: some take four times as many nodes as most.
std::function<double(int)> about(double mean) {
    return [mean](int i) { return mean * (i % 5 == 0 ? 2.5 : 0.625); };
}

void it_takes_what_is_cheaper() {
    for (const double ratio : {0.02, 0.3, 0.7, 1.3, 2.0, 8.0}) {
        const double of_all = 10000.0, of_node = 50.0;
        const Costs costs{about(ratio * of_all / of_node), of_node, of_all};
        SearchCosts costs_so_far;
        const int n = 200000;
        const double spent = keep(costs_so_far, n, costs).spent / n;
        // A fifth of the searches costs more than a look at all would, is given up at that point,
        // and has cost twice as much in the end.
        const double by_tree =
            2.5 * ratio < 1.0 ? ratio : 0.8 * std::min(0.625 * ratio, 2.0) + 0.2 * 2.0;
        const double best = std::min(by_tree, 1.0) * of_all;
        expect(spent < 1.03 * best, "no more than three parts in a hundred are lost", spent / best);
        const bool drops = costs_so_far.advice(1e9) == Advice::drop;
        expect(drops == (ratio > 1.0), "an index that loses is dropped", ratio);
    }
}

void few_rounds_cost_little() {
    const Costs costs{[](int) { return 400.0; }, 300.0, 30000.0};
    SearchCosts costs_so_far;
    const int n = 500;
    const double spent = keep(costs_so_far, n, costs).spent / n / costs.of_all;
    expect(spent < 1.1, "an index that is hopeless is seen to be after a few rounds", spent);
}

void a_far_dearer_way_is_hardly_tried() {
    const Costs costs{[](int) { return 5.0; }, 50.0, 50000.0};
    SearchCosts costs_so_far;
    const int n = 100000;
    expect(n - keep(costs_so_far, n, costs).n_by_tree <= 4, "tried once", n);
    SearchCosts few;
    expect(keep(few, 1000, costs).n_by_tree == 1000, "and not among the first", 1000);
}

void it_changes_its_mind() {
    const Costs good{about(20.0), 50.0, 5000.0}, bad{about(90.0), 100.0, 5000.0};
    SearchCosts costs_so_far;
    keep(costs_so_far, 20000, good);
    const int n = 20000;
    expect(keep(costs_so_far, n, bad).n_by_tree < n / 10, "from the index to all boxes", n);
    keep(costs_so_far, 50000, good);
    expect(keep(costs_so_far, n, good).n_by_tree > 9 * n / 10, "and back", n);
}

void what_else_the_machine_did_hardly_counts() {
    SearchCosts costs_so_far;
    const Costs costs{about(20.0), 50.0, 2000.0};
    for (int i = 0; i < 50; ++i) {
        keep(costs_so_far, 1000, costs);
        // A round in which the process had to wait for a millisecond.
        costs_so_far.begin(kBlocks, kBlocksOfNode);
        costs_so_far.spend(1e6);
    }
    const int n = 20000;
    expect(keep(costs_so_far, n, costs).n_by_tree > 19 * n / 20, "the index is still used", n);
}

void wear_is_paid_once() {
    SearchCosts costs_so_far;
    const double to_pack = 2e6;
    const Costs fresh{about(20.0), 50.0, 20000.0}, worn{about(40.0), 50.0, 20000.0};
    keep(costs_so_far, 100000, fresh);
    expect(costs_so_far.advice(to_pack) == Advice::none, "a fresh tree is left as it is", 0);
    // Each round costs 1,000 more, of which an eighth of the first 1,000 is tolerated.
    keep(costs_so_far, 1000, worn);
    expect(costs_so_far.advice(to_pack) == Advice::none, "wear that cost little is left alone", 0);
    keep(costs_so_far, 2000, worn);
    expect(costs_so_far.advice(to_pack) == Advice::pack, "wear that cost as much as packing is not",
           0);
    costs_so_far.restart();
    keep(costs_so_far, 100000, worn);
    expect(costs_so_far.advice(to_pack) == Advice::none, "what packing does not mend is not wear",
           0);
}

void a_worn_tree_is_mended_before_it_is_dropped() {
    SearchCosts costs_so_far;
    keep(costs_so_far, 5000, {about(20.0), 50.0, 2000.0});
    Advice advice = Advice::none;
    for (int i = 0; i < 100 && advice == Advice::none; ++i) {
        keep(costs_so_far, 1000, {about(60.0), 50.0, 2000.0});
        advice = costs_so_far.advice(1e12);
    }
    expect(advice == Advice::pack, "packing is advised first", static_cast<int>(advice));
}

}  // namespace

int main() {
    it_takes_what_is_cheaper();
    few_rounds_cost_little();
    a_far_dearer_way_is_hardly_tried();
    it_changes_its_mind();
    what_else_the_machine_did_hardly_counts();
    wear_is_paid_once();
    a_worn_tree_is_mended_before_it_is_dropped();
    std::printf("%d failures\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
