#include "drift/heirs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace resonart {
Heirs inherit_labels(const std::uint32_t* before, const std::int32_t* now,
                     const std::int64_t* count, std::size_t n, std::size_t n_labels,
                     std::size_t n_clusters, bool is_first) {
    struct Pair {
        std::uint32_t label;
        std::int32_t cluster;
        std::int64_t rows;
    };
    Buffer<Pair> pairs;
    pairs.reserve(n);
    for (std::size_t j = 0; j < n; ++j) {
        if (before[j] != kNoLabel) pairs.push({before[j], now[j], count[j]});
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return a.label != b.label ? a.label < b.label : a.cluster < b.cluster;
    });
    std::size_t n_pairs = 0;
    for (const Pair& each : pairs) {
        Pair* last = n_pairs ? &pairs[n_pairs - 1] : nullptr;
        if (last && last->label == each.label && last->cluster == each.cluster) {
            last->rows += each.rows;
        } else {
            pairs[n_pairs++] = each;
        }
    }
    pairs.shrink(n_pairs);
    std::vector<std::uint32_t> used;  // labels, ascending
    for (const Pair& each : pairs) {
        if (used.empty() || used.back() != each.label) used.push_back(each.label);
    }
    const auto used_at = [&](std::uint32_t label) {
        return static_cast<std::size_t>(std::lower_bound(used.begin(), used.end(), label) -
                                        used.begin());
    };
    // Noise is the last to be taken for where rows went.
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        if (a.rows != b.rows) return a.rows > b.rows;
        if (a.label != b.label) return a.label < b.label;
        return static_cast<std::uint32_t>(a.cluster) < static_cast<std::uint32_t>(b.cluster);
    });

    Heirs heirs;
    heirs.label.assign(n_clusters, kNoLabel);
    heirs.n_labels = is_first ? 0 : n_labels;
    std::vector<std::uint8_t> is_taken(used.size(), 0);
    if (!is_first) {
        for (const Pair& each : pairs) {
            std::uint8_t& is_mine_taken = is_taken[used_at(each.label)];
            if (each.cluster < 0 || is_mine_taken) continue;
            std::uint32_t& label = heirs.label[static_cast<std::size_t>(each.cluster)];
            if (label != kNoLabel) continue;
            label = each.label;
            is_mine_taken = 1;
        }
    }
    for (std::uint32_t& label : heirs.label) {
        if (label == kNoLabel) label = static_cast<std::uint32_t>(heirs.n_labels++);
    }
    std::vector<const Pair*> most(used.size(), nullptr);
    for (const Pair& each : pairs) {
        const Pair*& mine = most[used_at(each.label)];
        if (!mine) mine = &each;
    }
    for (std::size_t u = 0; u < used.size(); ++u) {
        const std::int32_t cluster = most[u]->cluster;
        if (cluster < 0 && is_taken[u]) continue;
        const std::uint32_t to =
            cluster < 0 ? kNoLabel : heirs.label[static_cast<std::size_t>(cluster)];
        if (to != used[u]) heirs.changes.add(used[u], to);
    }
    return heirs;
}

}  // namespace resonart
