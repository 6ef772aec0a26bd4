#include "density/peaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace resonart {
Peaks::Peaks(const SpanningTree& edges, const MergeTree& merges, const std::vector<double>& core,
             const double* weight, double rows, std::int64_t min_samples, std::size_t dimension)
    : dimension_(static_cast<double>(dimension)) {
    const std::size_t n = core.size();
    const double highest = edges.height.empty() ? 0.0 : edges.height.back();
    if (min_samples < 2 || !(highest > 0.0) || !std::isfinite(highest)) return;
    const double boxes_a_row = static_cast<double>(n) / rows;
    by_chance_ = 1.0 / std::sqrt(std::max(static_cast<double>(min_samples) * boxes_a_row, 1.0));
    rows_.resize(2 * n - 1);
    sum_.resize(2 * n - 1);
    log_core_.resize(n);
    log_pass_.resize(n - 1);
    for (std::size_t i = 0; i < n; ++i) {
        log_core_[i] = std::log(std::max(std::sqrt(core[i]), kLeastCore * highest));
        rows_[i] = weight[i] * boxes_a_row;
        sum_[i] = rows_[i] * log_core_[i];
    }
    for (std::size_t e = 0; e + 1 < n; ++e) {
        rows_[n + e] = rows_[merges.left[e]] + rows_[merges.right[e]];
        sum_[n + e] = sum_[merges.left[e]] + sum_[merges.right[e]];
        log_pass_[e] = std::log(merges.height[e]);
    }
}

PeakEvidence Peaks::of(const BoxClusters& p, const SpanningTree& edges,
                       const MergeTree& merges) const {
    PeakEvidence found;
    if (log_core_.empty()) return found;  // nothing is known of densities
    const std::size_t n = log_core_.size();
    const std::vector<std::int32_t>& label = p.attached;
    std::vector<double> log_pass(p.k, 0.0), sum(p.k, 0.0), denser(p.k, 0.0), all(p.k, 0.0);
    for (std::size_t e = n - 1; e-- > 0;) {  // the lowest edge comes last
        const auto a = static_cast<std::size_t>(label[edges.from[e]]);
        const auto b = static_cast<std::size_t>(label[edges.to[e]]);
        if (a != b) log_pass[a] = log_pass[b] = log_pass_[e];
    }
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::size_t>(label[i]);
        all[c] += rows_[i];
        if (p.labels[i] < 0 || !(log_core_[i] < log_pass[c])) continue;
        denser[c] += rows_[i];
        sum[c] += rows_[i] * log_core_[i];
    }
    const std::vector<double> split = within(label, p.k, merges);
    double most = 0.0, second = 0.0, least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < p.k; ++c) {
        const double own = denser[c] > 0.0 ? evidence(log_pass[c], denser[c], sum[c]) : 0.0;
        const double peak = std::log1p(own);
        found.mean += all[c] * peak;
        found.single += all[c] * std::max(std::min(peak, kBeyondChance) - split[c], 0.0);
        found.n_single += peak >= kBeyondChance && split[c] < kBeyondChance ? 1.0 : 0.0;
        found.within = std::max(found.within, split[c]);
        least = std::min(least, own);
        second = std::max(second, std::min(own, most));
        most = std::max(most, own);
    }
    found.mean /= rows_.back();
    found.single /= rows_.back();
    found.least = std::log1p(least);
    found.second = std::log1p(second);
    return found;
}

std::vector<double> Peaks::within(const std::vector<std::int32_t>& label, std::size_t k,
                                  const MergeTree& merges) const {
    constexpr std::int32_t kSeveral = -1;
    const std::size_t n = log_core_.size();
    std::vector<std::int32_t> own(label);
    own.resize(2 * n - 1);
    std::vector<double> best(k, 0.0);
    for (std::size_t e = 0; e + 1 < n; ++e) {
        const std::uint32_t left = merges.left[e], right = merges.right[e];
        own[n + e] = own[left] == own[right] ? own[left] : kSeveral;
        if (own[n + e] == kSeveral) continue;
        double& most = best[static_cast<std::size_t>(own[n + e])];
        most = std::max(most, std::min(evidence(log_pass_[e], rows_[left], sum_[left]),
                                       evidence(log_pass_[e], rows_[right], sum_[right])));
    }
    for (double& each : best) each = std::log1p(each);
    return best;
}

}  // namespace resonart
