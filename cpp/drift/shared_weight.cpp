#include "drift/shared_weight.hpp"

#include <algorithm>

namespace resonart {

std::vector<Shared> add_up(std::vector<Shared> each) {
    std::stable_sort(each.begin(), each.end(), [](const Shared& a, const Shared& b) {
        return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    std::size_t n_pairs = 0;
    for (const Shared& next : each) {
        Shared* const last = n_pairs ? &each[n_pairs - 1] : nullptr;
        if (last && last->from == next.from && last->to == next.to) {
            last->weight += next.weight;
        } else {
            each[n_pairs++] = next;
        }
    }
    each.resize(n_pairs);
    return each;
}

std::vector<Shared> heaviest(const std::vector<Shared>& pairs) {
    std::vector<Shared> most;
    for (const Shared& each : pairs) {
        if (most.empty() || most.back().from != each.from) {
            most.push_back(each);
        } else if (each.weight > most.back().weight) {
            most.back() = each;
        }
    }
    return most;
}

std::map<std::uint32_t, std::uint32_t> majorities(const std::uint32_t* from,
                                                  const std::uint32_t* to, const double* weight,
                                                  std::size_t n) {
    std::map<std::uint32_t, double> total;
    std::vector<Shared> each;
    for (std::size_t j = 0; j < n; ++j) {
        if (from[j] == kNoLabel) continue;
        total[from[j]] += weight[j];
        if (to[j] != kNoLabel) each.push_back({from[j], to[j], weight[j]});
    }
    std::map<std::uint32_t, std::uint32_t> found;
    for (const Shared& most : heaviest(add_up(std::move(each)))) {
        const bool is_half = most.weight > 0.0 && most.weight >= total[most.from] / 2.0;
        found[most.from] = is_half ? most.to : kNoLabel;
    }
    return found;
}

}  // namespace resonart
