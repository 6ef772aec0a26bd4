#include "drift/succession.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace resonart {
std::vector<std::uint8_t> taken_from_afar(const std::uint32_t* before, const std::int32_t* now,
                                          const double* weight, const double* mean, std::size_t n,
                                          std::size_t d, std::size_t n_clusters) {
    // Two parts of each cluster: with a label, without one.
    std::vector<double> size(2 * n_clusters, 0.0), centre(2 * n_clusters * d, 0.0), spread(centre);
    const auto for_each = [&](auto&& visit) {
        for (std::size_t j = 0; j < n; ++j) {
            if (now[j] >= 0) {
                visit(2 * static_cast<std::size_t>(now[j]) + (before[j] == kNoLabel), j);
            }
        }
    };
    for_each([&](std::size_t part, std::size_t j) {
        size[part] += weight[j];
        for (std::size_t f = 0; f < d; ++f) centre[part * d + f] += weight[j] * mean[j * d + f];
    });
    for (std::size_t i = 0; i < centre.size(); ++i) {
        if (size[i / d] > 0.0) centre[i] /= size[i / d];
    }
    for_each([&](std::size_t part, std::size_t j) {
        for (std::size_t f = 0; f < d; ++f) {
            const double off = mean[j * d + f] - centre[part * d + f];
            spread[part * d + f] += weight[j] * (off * off);
        }
    });
    std::vector<std::uint8_t> is_far(n_clusters, 0);
    for (std::size_t c = 0; c < n_clusters; ++c) {
        const std::size_t a = 2 * c, b = a + 1;
        if (!(size[a] > 0.0) || size[b] < kTakenIn * (size[a] + size[b])) continue;
        for (std::size_t f = 0; f < d; ++f) {
            const double off = centre[b * d + f] - centre[a * d + f];
            const double most = std::max(spread[a * d + f] / size[a], spread[b * d + f] / size[b]);
            if (off * off > kApart * kApart * most) is_far[c] = 1;
        }
    }
    return is_far;
}

Succession succeed(const std::uint32_t* before, const std::uint32_t* told_before,
                   const std::int32_t* now, const double* weight, std::size_t n,
                   std::size_t n_labels, std::size_t n_clusters, double least_new,
                   const std::vector<std::uint8_t>& comes_from_afar, const Expectations& expected) {
    // Parties: labels in use, then embryos, then clusters.
    std::vector<std::uint32_t> used;
    for (std::size_t j = 0; j < n; ++j) {
        if (before[j] != kNoLabel) used.push_back(before[j]);
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    const std::size_t n_used = used.size(), n_embryos = expected.embryos.size();
    const auto party_of = [&](std::uint32_t label) {
        const auto at = std::lower_bound(used.begin(), used.end(), label);
        return static_cast<std::size_t>(at - used.begin());
    };
    const auto party_before = [&](std::size_t j) -> std::size_t {
        if (before[j] != kNoLabel) return party_of(before[j]);
        const std::uint32_t e = j < expected.embryo.size() ? expected.embryo[j] : kNoLabel;
        return e >= kUnread ? n_used + n_embryos : n_used + e;
    };
    const std::size_t n_before = n_used + n_embryos, n_parties = n_before + n_clusters;
    struct Shared {
        std::size_t party, cluster;
        double weight;
    };
    std::vector<Shared> shared;
    std::vector<double> size(n_parties, 0.0);
    std::vector<std::size_t> party(n);
    for (std::size_t j = 0; j < n; ++j) {
        party[j] = party_before(j);
        if (party[j] < n_before) size[party[j]] += weight[j];
        if (now[j] < 0) continue;
        const auto c = static_cast<std::size_t>(now[j]);
        size[n_before + c] += weight[j];
        if (party[j] < n_before) shared.push_back({party[j], c, weight[j]});
    }
    std::stable_sort(shared.begin(), shared.end(), [](const Shared& a, const Shared& b) {
        return a.party != b.party ? a.party < b.party : a.cluster < b.cluster;
    });
    std::size_t n_shared = 0;
    for (const Shared& each : shared) {
        Shared* last = n_shared ? &shared[n_shared - 1] : nullptr;
        if (last && last->party == each.party && last->cluster == each.cluster) {
            last->weight += each.weight;
        } else {
            shared[n_shared++] = each;
        }
    }
    shared.resize(n_shared);
    const auto matters = [&](const Shared& each) {
        return each.weight >= kSharedOfLabel * size[each.party] ||
               each.weight >= kSharedOfCluster * size[n_before + each.cluster];
    };

    // Labels and clusters that have to do with each other make a group.
    std::vector<std::size_t> above(n_parties);
    std::iota(above.begin(), above.end(), std::size_t{0});
    const auto find = [&](std::size_t p) {
        while (above[p] != p) p = above[p] = above[above[p]];
        return p;
    };
    for (const Shared& each : shared) {
        if (each.party >= n_used || !matters(each)) continue;
        const std::size_t a = find(each.party), b = find(n_before + each.cluster);
        above[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::vector<std::size_t>> group(n_parties);  // by its first party
    for (std::size_t p = 0; p < n_parties; ++p) {
        if (p < n_used || p >= n_before) group[find(p)].push_back(p);
    }

    Succession told;
    told.n_labels = n_labels;
    told.label.assign(n, kNoLabel);
    told.expected.embryo.assign(n, kNoLabel);
    std::vector<std::uint32_t> label(n_clusters, kNoLabel);   // of clusters that have one now
    std::vector<std::uint32_t> embryo(n_clusters, kNoLabel);  // of those that may have one soon
    std::vector<std::uint8_t> is_open(n_parties, 0);          // takes part in a pending change
    std::vector<Shared> by_weight(shared);
    std::stable_sort(by_weight.begin(), by_weight.end(),
                     [](const Shared& a, const Shared& b) { return a.weight > b.weight; });
    for (std::size_t g = 0; g < n_parties; ++g) {
        if (group[g].empty()) continue;
        PendingChange change;
        std::vector<std::size_t> clusters;
        for (const std::size_t p : group[g]) {
            if (p < n_used) {
                change.labels.push_back(used[p]);
            } else {
                clusters.push_back(p - n_before);
            }
        }
        change.n_clusters = static_cast<std::uint32_t>(clusters.size());
        if (change.labels.empty()) {  // one cluster, and new
            const std::size_t c = clusters[0];
            Embryo mine{0, size[n_before + c]};
            for (const Shared& each : shared) {
                if (each.cluster != c || each.party < n_used || !matters(each)) continue;
                const Embryo& known = expected.embryos[each.party - n_used];
                if (known.n_seen > mine.n_seen) mine = known;
            }
            // Rows of noise that happen to lie together fade: a cluster has others come.
            const bool has_grown = size[n_before + c] >= std::max(mine.first_size, least_new);
            mine.n_seen = std::min(mine.n_seen + 1, kBirthSeen);
            if (mine.n_seen >= kBirthSeen && has_grown) {
                label[c] = static_cast<std::uint32_t>(told.n_labels++);
                told.is_believed = true;
            } else {
                embryo[c] = static_cast<std::uint32_t>(told.expected.embryos.size());
                told.expected.embryos.reserve(embryo[c] + std::size_t{1});
                told.expected.embryos.push(mine);
            }
            continue;
        }
        const bool is_heir = change.labels.size() == 1 && clusters.size() == 1;
        if (is_heir && !comes_from_afar[clusters[0]]) {
            label[clusters[0]] = change.labels[0];
            continue;
        }
        for (const PendingChange& known : expected.changes) {
            if (known.labels == change.labels && known.n_clusters == change.n_clusters) {
                change.n_seen = known.n_seen;
            }
        }
        const bool is_merger = change.n_clusters > 0 && change.n_clusters < change.labels.size();
        if (++change.n_seen < (is_merger ? kMergerSeen : kChangeSeen)) {
            for (const std::size_t p : group[g]) is_open[p] = 1;
            told.expected.changes.push_back(std::move(change));
            continue;
        }
        told.is_believed = true;
        // Those that share most come first.
        std::vector<std::uint8_t> is_taken(change.labels.size(), 0);
        for (const Shared& each : by_weight) {
            if (each.party >= n_used || find(each.party) != g) continue;
            const auto at =
                std::lower_bound(change.labels.begin(), change.labels.end(), used[each.party]) -
                change.labels.begin();
            if (is_taken[static_cast<std::size_t>(at)] || label[each.cluster] != kNoLabel ||
                find(n_before + each.cluster) != g) {
                continue;
            }
            label[each.cluster] = used[each.party];
            is_taken[static_cast<std::size_t>(at)] = 1;
        }
        for (const std::size_t c : clusters) {
            if (label[c] != kNoLabel || size[n_before + c] < least_new) continue;
            label[c] = static_cast<std::uint32_t>(told.n_labels++);
        }
    }
    // Until a change is believed labels stay, also those of categories that no reading has seen.
    const auto stays = [&](std::size_t j) {
        if (before[j] != kNoLabel) return is_open[party[j]] != 0;
        if (told_before[j] == kNoLabel) return false;
        const std::size_t p = party_of(told_before[j]);
        return p < n_used && used[p] == told_before[j] && is_open[p] != 0 &&
               (now[j] < 0 || is_open[n_before + static_cast<std::size_t>(now[j])] != 0);
    };
    for (std::size_t j = 0; j < n; ++j) {
        if (stays(j)) {
            told.label[j] = told_before[j];
        } else if (now[j] >= 0) {
            const auto c = static_cast<std::size_t>(now[j]);
            told.label[j] = is_open[n_before + c] ? before[j] : label[c];
            told.expected.embryo[j] = embryo[c];
        }
    }
    told.of_cluster = std::move(label);
    return told;
}

}  // namespace resonart
