// Label maps in which clusters have gone, within a call and over it, as maps of all labels and as
// lists of those that changed, against labels that are renamed one by one. Prints how many came out
// otherwise.
#include "base/label_maps.hpp"

#include <cstdio>
#include <random>
#include <vector>

using namespace resonart;

namespace {

// What becomes of n clusters: some go, others join, and the labels left are 0, 1, ...
LabelMap random_map(std::size_t n, std::mt19937& random) {
    LabelMap map;
    map.resize_uninitialised(n);
    std::uint32_t left = 0;
    for (std::size_t m = 0; m < n; ++m) {
        const unsigned fate = random() % 4;
        map[m] = fate == 0 ? kNoLabel : fate == 1 && left ? random() % left : left++;
    }
    return map;
}

}  // namespace

int main() {
    int failures = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::mt19937 random(seed);
        const std::size_t n_at_first = random() % 5, n_rows = random() % 40;
        std::size_t n_clusters = n_at_first;
        std::vector<std::int64_t> labels(n_rows), as_told(n_rows), expected, before;
        for (std::size_t m = 0; m < n_at_first; ++m) before.push_back(std::int64_t(m));
        LabelMaps maps;
        Renamings told_changes;
        CallMap call_map(n_at_first);
        std::vector<std::int64_t> told, reported;
        for (std::size_t r = 0; r < n_rows; ++r) {
            if (random() % 4 == 0) {
                LabelMap map = random_map(n_clusters, random);
                for (auto* some : {&expected, &before}) {
                    for (std::int64_t& label : *some) {
                        if (label >= 0) label = shown_label(map[label]);
                    }
                }
                n_clusters = 0;
                for (std::uint32_t m = 0; m < map.size(); ++m) {
                    const std::uint32_t now = map[m];
                    if (now != kNoLabel && now + 1 > n_clusters) n_clusters = now + 1;
                    if (now == m) continue;
                    for (const std::int64_t each :
                         {std::int64_t(r), std::int64_t(m), shown_label(now)}) {
                        told.push_back(each);
                    }
                }
                const LabelChanges changes = LabelChanges::of(map);
                call_map.follow(changes);
                told_changes.add(r, changes);
                maps.add(r, std::move(map));
            }
            // A row of a new cluster, of one there is, or of none.
            const std::int64_t label = std::int64_t(random() % (n_clusters + 2)) - 1;
            if (label == std::int64_t(n_clusters)) ++n_clusters;
            labels[r] = as_told[r] = label;
            expected.push_back(label);
        }
        maps.apply(n_rows, [&](std::size_t r) -> std::int64_t& { return labels[r]; });
        told_changes.apply(n_rows, [&](std::size_t r) -> std::int64_t& { return as_told[r]; });
        failures += labels != expected;
        failures += as_told != expected;
        for (std::size_t i = 0; i < told_changes.size(); ++i) {
            for (const auto& change : told_changes.changes(i)) {
                for (const std::int64_t each :
                     {std::int64_t(told_changes.end(i)), std::int64_t(change.from),
                      shown_label(change.to)}) {
                    reported.push_back(each);
                }
            }
        }
        failures += reported != told;
        const LabelChanges over_all = call_map.take();
        for (std::size_t m = 0; m < before.size(); ++m) {
            failures += shown_label(over_all(std::uint32_t(m))) != before[m];
        }
        for (const auto& change : over_all) {
            failures += change.from >= before.size() || change.from == change.to;
        }
    }
    std::printf("%d failures\n", failures);
    return 0;
}
