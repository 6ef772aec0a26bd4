#include "drift/heirs.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "drift/shared_weight.hpp"

namespace resonart {

Heirs inherit_labels(const std::uint32_t* before, const std::int32_t* now,
                     const std::int64_t* count, std::size_t n, std::size_t n_labels,
                     std::size_t n_clusters, bool is_first) {
    std::vector<Shared> each;
    for (std::size_t j = 0; j < n; ++j) {
        if (before[j] == kNoLabel) continue;
        each.push_back({before[j], now[j] < 0 ? kNoLabel : static_cast<std::uint32_t>(now[j]),
                        static_cast<double>(count[j])});
    }
    const std::vector<Shared> shared = add_up(std::move(each));
    std::vector<Shared> by_weight(shared);
    std::stable_sort(by_weight.begin(), by_weight.end(),
                     [](const Shared& a, const Shared& b) { return a.weight > b.weight; });

    Heirs heirs;
    heirs.label.assign(n_clusters, kNoLabel);
    heirs.n_labels = is_first ? 0 : n_labels;
    std::set<std::uint32_t> taken;
    for (const Shared& pair : by_weight) {
        if (is_first || pair.to == kNoLabel || taken.count(pair.from)) continue;
        std::uint32_t& label = heirs.label[pair.to];
        if (label != kNoLabel) continue;
        label = pair.from;
        taken.insert(pair.from);
    }
    for (std::uint32_t& label : heirs.label) {
        if (label == kNoLabel) label = static_cast<std::uint32_t>(heirs.n_labels++);
    }
    for (const Shared& most : heaviest(shared)) {
        if (most.to == kNoLabel && taken.count(most.from)) continue;
        const std::uint32_t to = most.to == kNoLabel ? kNoLabel : heirs.label[most.to];
        if (to != most.from) heirs.changes.add(most.from, to);
    }
    return heirs;
}

LabelChanges where_labels_went(const std::uint32_t* before, const std::uint32_t* now,
                               const double* weight, std::size_t n) {
    std::vector<Shared> each;
    for (std::size_t j = 0; j < n; ++j) {
        if (before[j] != kNoLabel) each.push_back({before[j], now[j], weight[j]});
    }
    LabelChanges changes;
    for (const Shared& most : heaviest(add_up(std::move(each)))) {
        const std::uint32_t to = most.weight > 0.0 ? most.to : kNoLabel;
        if (to != most.from) changes.add(most.from, to);
    }
    return changes;
}

}  // namespace resonart
