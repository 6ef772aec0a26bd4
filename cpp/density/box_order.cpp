#include "density/box_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace resonart {
namespace {

// One feature by itself: the weight at each of its distinct values, then the gaps between them as
// shares of the range, from the lowest value up, and the range. It runs backwards where that is the
// smaller list.
struct FeatureProfile {
    std::vector<double> key;
    std::vector<std::uint32_t> rank;  // of each box: the place of its value among distinct ones
    bool runs_back = false;
    bool is_symmetric = false;  // both ways give the same list

    std::size_t n_distinct() const { return key.size() / 2; }
    std::uint32_t rank_of(std::size_t box, bool back) const {
        return back ? static_cast<std::uint32_t>(n_distinct() - 1) - rank[box] : rank[box];
    }
    // Features of many values come first: boxes far apart in the first need not be compared.
    friend bool operator<(const FeatureProfile& a, const FeatureProfile& b) {
        return a.key.size() != b.key.size() ? a.key.size() > b.key.size() : a.key < b.key;
    }
};

FeatureProfile profile_feature(const Boxes& boxes, std::size_t f) {
    const std::size_t n = boxes.size, d = boxes.n_features;
    const auto value = [&](std::uint32_t i) { return boxes.mean[i * d + f]; };
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    // Equal values by weight, so that sums of weights do not depend on the order of boxes.
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
        return value(i) != value(j) ? value(i) < value(j) : boxes.weight[i] < boxes.weight[j];
    });
    FeatureProfile profile;
    profile.rank.resize(n);
    std::vector<double> weight, gap;
    // The difference of the largest numbers is finite only if both are halved.
    const double low = value(order[0]), high = value(order[n - 1]);
    const double unit = std::isfinite(high - low) ? 1.0 : 0.5;
    const double range = high * unit - low * unit;
    for (std::size_t p = 0; p < n; ++p) {
        const std::uint32_t i = order[p];
        if (p == 0 || value(i) != value(order[p - 1])) {
            if (p > 0) gap.push_back((value(i) * unit - value(order[p - 1]) * unit) / range);
            weight.push_back(0.0);
        }
        weight.back() += boxes.weight[i];
        profile.rank[i] = static_cast<std::uint32_t>(weight.size() - 1);
    }
    const auto joined = [&](auto first, auto last, auto more, auto end) {
        std::vector<double> key(first, last);
        key.insert(key.end(), more, end);
        key.push_back(range);
        return key;
    };
    profile.key = joined(weight.begin(), weight.end(), gap.begin(), gap.end());
    std::vector<double> back = joined(weight.rbegin(), weight.rend(), gap.rbegin(), gap.rend());
    profile.is_symmetric = back == profile.key;
    profile.runs_back = back < profile.key;
    if (profile.runs_back) profile.key = std::move(back);
    return profile;
}

// The order of features, and of each in that order whether it runs backwards.
struct FeatureOrder {
    std::vector<std::size_t> feature;
    std::vector<std::uint8_t> runs_back;
};

// Features that are alike by themselves may come in any order, and symmetric ones may run either
// way. All such orders are tried, and that whose list of sorted boxes is the smallest is taken.
// Where there are more orders than kMostTried, what is left open stays as it is given.
class OrderedFeatures {
public:
    static constexpr std::size_t kMostTried = 48;  // three features alike, all symmetric

    explicit OrderedFeatures(const Boxes& boxes) : boxes_(boxes) {
        const std::size_t d = boxes.n_features;
        for (std::size_t f = 0; f < d; ++f) profiles_.push_back(profile_feature(boxes, f));
        best_.feature.resize(d);
        std::iota(best_.feature.begin(), best_.feature.end(), std::size_t{0});
        std::stable_sort(best_.feature.begin(), best_.feature.end(),
                         [&](std::size_t a, std::size_t b) { return profiles_[a] < profiles_[b]; });
        for (const std::size_t f : best_.feature) best_.runs_back.push_back(profiles_[f].runs_back);
        if (n_orders() > 1 && n_orders() <= kMostTried) try_orders(best_, 0);
    }
    FeatureOrder take() { return std::move(best_); }

private:
    const FeatureProfile& at(const FeatureOrder& order, std::size_t place) const {
        return profiles_[order.feature[place]];
    }
    bool is_alike(const FeatureOrder& order, std::size_t a, std::size_t b) const {
        return at(order, a).key == at(order, b).key;
    }
    bool varies(const FeatureOrder& order, std::size_t place) const {
        return at(order, place).n_distinct() > 1;
    }

    std::size_t n_orders() const {
        std::size_t n = 1, n_alike = 1;
        for (std::size_t p = 0; p < best_.feature.size() && n <= kMostTried; ++p) {
            if (!varies(best_, p)) break;  // such features come last, and tell nothing
            n_alike = p > 0 && is_alike(best_, p - 1, p) ? n_alike + 1 : 1;
            n *= n_alike * (at(best_, p).is_symmetric ? 2 : 1);
        }
        return n;
    }

    // All orders of the features from a place on.
    void try_orders(FeatureOrder order, std::size_t place) {
        if (place == order.feature.size() || !varies(order, place)) {
            std::vector<double> list = sorted_boxes(order);
            if (!list_.empty() && !(list < list_)) return;
            list_ = std::move(list);
            best_ = std::move(order);
            return;
        }
        for (std::size_t p = place; p < order.feature.size() && is_alike(order, place, p); ++p) {
            FeatureOrder other(order);
            std::swap(other.feature[place], other.feature[p]);
            std::swap(other.runs_back[place], other.runs_back[p]);
            try_orders(other, place + 1);
            if (!at(other, place).is_symmetric) continue;
            other.runs_back[place] = !other.runs_back[place];
            try_orders(std::move(other), place + 1);
        }
    }

    // Ranks, weights and sides of the boxes, in the order that they have then.
    std::vector<double> sorted_boxes(const FeatureOrder& order) const {
        const std::size_t n = boxes_.size, d = order.feature.size();
        std::vector<std::vector<double>> lines(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t p = 0; p < d; ++p) {
                lines[i].push_back(at(order, p).rank_of(i, order.runs_back[p] != 0));
            }
            lines[i].push_back(boxes_.weight[i]);
        }
        std::sort(lines.begin(), lines.end());
        std::vector<double> list;
        for (const std::vector<double>& line : lines) {
            list.insert(list.end(), line.begin(), line.end());
        }
        return list;
    }

    const Boxes& boxes_;
    std::vector<FeatureProfile> profiles_;
    FeatureOrder best_;
    std::vector<double> list_;
};

}  // namespace

SortedBoxes::SortedBoxes(const Boxes& boxes) : order_(boxes.size) {
    const std::size_t n = boxes.size, d = boxes.n_features;
    const FeatureOrder features = n > 0 ? OrderedFeatures(boxes).take() : FeatureOrder();
    std::vector<double> mean(n * d);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t f = 0; f < d; ++f) {
            const double value = boxes.mean[i * d + features.feature[f]];
            mean[i * d + f] = features.runs_back[f] ? -value : value;
        }
    }
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const double* const first = mean.data() + a * d;
        const auto [one, other] = std::mismatch(first, first + d, mean.data() + b * d);
        return one == first + d ? boxes.weight[a] < boxes.weight[b] : *one < *other;
    });
    mean_.resize(n * d);
    weight_.resize(n);
    if (boxes.before) before_.resize(n);
    if (boxes.lot) lot_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t from = order_[i];
        std::copy_n(mean.data() + from * d, d, mean_.data() + i * d);
        weight_[i] = boxes.weight[from];
        if (boxes.before) before_[i] = boxes.before[from];
        if (boxes.lot) lot_[i] = boxes.lot[from];
    }
    boxes_ = {n,
              d,
              mean_.data(),
              weight_.data(),
              boxes.before ? before_.data() : nullptr,
              boxes.lot ? lot_.data() : nullptr};
}

}  // namespace resonart
