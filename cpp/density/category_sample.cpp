// Which rows are categories, where a budget does not let all of them be.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "boxes/finder.hpp"
#include "density/density_art.hpp"
#include "drift/heirs.hpp"

namespace resonart {
DensityArt::Thinned DensityArt::thin(Bounds& bounds, const Bounds& given, Poll& poll) {
    const std::size_t most = most_categories();
    const std::size_t enough = most - std::max<std::size_t>(1, most / 4);
    Thinned done{identity(categories_.size()), {}};
    if (forgets()) {
        drop_stale(done.goes_to);
        if (categories_.size() <= enough && !is_full()) return done;
    }
    const LabelChanges gone = settle(bounds, given, done.goes_to).changes;
    const std::vector<std::uint32_t> before = labels_of_categories();
    std::vector<double> weights(before.size());
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = weight(j);
    LabelMap joined = identity(before.size());
    draw(enough, joined, poll);
    for (std::uint32_t& j : done.goes_to) j = renamed(j, joined.data());
    // A cluster whose categories have all gone to those of others is a part of these.
    LabelMap now;
    now.resize_uninitialised(before.size());
    for (std::size_t j = 0; j < before.size(); ++j) now[j] = label_of_category(joined[j]);
    LabelChanges joined_now;
    for (const auto& each :
         where_labels_went(before.data(), now.data(), weights.data(), now.size())) {
        if (slot_of(each.from) == kNoLabel && is_shown(each)) {
            joined_now.add(each.from, each.to);
        }
    }
    done.labels = gone.then(joined_now);
    return done;
}

std::int64_t DensityArt::drop_stale(LabelMap& map) {
    std::vector<std::uint8_t> is_stale(categories_.size());
    for (std::size_t j = 0; j < is_stale.size(); ++j) is_stale[j] = fading_.is_stale(j);
    return drop(is_stale, map).n_rows;
}

LabelMap DensityArt::join(Bounds& bounds, const Bounds& given, Poll& poll) {
    LabelMap map = identity(categories_.size());
    settle(bounds, given, map);
    join_equal_rows(map, poll);
    draw(most_categories(), map, poll);
    return map;
}

std::vector<DensityArt::Drawn> DensityArt::draw_rows(const std::vector<std::uint64_t>& hashes) {
    const auto each_distinct = [&](auto&& see) {
        for (std::size_t i = 0, first = 0; i < hashes.size(); first = i) {
            while (i < hashes.size() && hashes[i] == hashes[first]) ++i;
            see(Drawn{hashes[first], static_cast<std::int64_t>(i - first)});
        }
    };
    std::vector<double> ranks;
    each_distinct([&](const Drawn& each) { ranks.push_back(each.rank()); });
    const double lowest = *std::min_element(ranks.begin(), ranks.end());
    share_ = lowered_share(std::move(ranks), most_categories());
    std::vector<Drawn> drawn;
    each_distinct([&](const Drawn& each) {
        const double rank = each.rank();
        if (rank < share_ || (drawn.empty() && rank == lowest)) drawn.push_back(each);
    });
    if (is_drawn()) categories_.do_with_index();  // in which others are searched for
    return drawn;
}

void DensityArt::set_counts(const std::vector<std::int64_t>& counts) noexcept {
    for (std::size_t j = 0; j < counts.size(); ++j) {
        categories_.add_count(j, counts[j] - categories_.count(j));
    }
}

std::vector<double> DensityArt::ranks() const {
    std::vector<double> each(categories_.size());
    for (std::size_t j = 0; j < each.size(); ++j) each[j] = rank(j);
    return each;
}

double DensityArt::lowered_share(std::vector<double>&& ranks, std::size_t most) const {
    if (ranks.size() <= most) return share_;
    if (most_categories() == 1) return 0.0;
    const auto last = ranks.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(ranks.begin(), last, ranks.end());
    return std::min(share_, *last);
}

bool DensityArt::has_repeats() const noexcept {
    for (std::size_t j = 1; j < categories_.size(); ++j) {
        if (rows_.repeats(j) != rows_.repeats(0)) return true;
    }
    return false;
}

void DensityArt::draw(std::size_t most, LabelMap& map, Poll& poll) {
    const std::vector<double> lots = ranks();
    share_ = lowered_share(std::vector<double>(lots), most);
    const std::vector<std::uint8_t> stays = who_stays(lots);
    std::vector<std::size_t> chosen;
    LabelMap goes_to;
    goes_to.assign(lots.size(), kNoLabel);
    for (std::size_t j = 0; j < lots.size(); ++j) {
        if (!stays[j]) continue;
        goes_to[j] = static_cast<std::uint32_t>(chosen.size());
        chosen.push_back(j);
    }
    if (chosen.size() < lots.size()) regroup(chosen, goes_to, map, poll);
}

void DensityArt::join_equal_rows(LabelMap& map, Poll& poll) {
    const std::size_t n = categories_.size();
    CategoryRows rows(categories_.n_features());
    std::vector<std::size_t> chosen;
    LabelMap goes_to;
    goes_to.resize_uninitialised(n);
    for (std::size_t j = 0; j < n; ++j) {
        const std::int64_t equal = rows.find(rows_[j]);
        const auto to = equal == kNone ? chosen.size() : static_cast<std::size_t>(equal);
        goes_to[j] = static_cast<std::uint32_t>(to);
        if (equal == kNone) {
            rows.reserve(to + 1);
            rows.append(rows_[j], 1);
            chosen.push_back(j);
        } else if (weight(j) > weight(chosen[to])) {
            chosen[to] = j;
        }
    }
    if (chosen.size() < n) regroup(chosen, goes_to, map, poll);
}

void DensityArt::regroup(const std::vector<std::size_t>& stay, LabelMap& goes_to, LabelMap& map,
                         Poll& poll) {
    const std::size_t n = categories_.size(), d = categories_.n_features();
    Categories fresh(d);  // with an index, where it pays: from now on rows are searched for
    CategoryRows rows(d);
    Buffer<double> strength, outlier, weight;
    Buffer<float> rough;
    Buffer<std::uint32_t> embryo;
    fresh.reserve(stay.size());
    rows.reserve(stay.size());
    for (Buffer<double>* each : {&strength, &outlier}) each->reserve(stay.size());
    embryo.reserve(stay.size());
    weight.resize_uninitialised(2 * d);
    rough.resize_uninitialised(2 * d);
    for (const std::size_t j : stay) {
        categories_.copy_weight(j, weight.data());
        fresh.append(weight.data(), 0, categories_.owner(j));
        rows.append(rows_[j], 0);
        strength.push(strength_[j]);
        outlier.push(outlier_[j]);
        if (forgets()) embryo.push(expected_.embryo[j]);
    }
    Finder finder;
    for (std::size_t j = 0; j < n; ++j) {
        if (goes_to[j] == kNoLabel) {
            fresh.follow_advice(finder.advice(fresh));
            finder.prepare(fresh);
            categories_.copy_weight(j, weight.data());
            for (std::size_t f = 0; f < 2 * d; ++f) rough[f] = static_cast<float>(weight[f]);
            const Sample v = {weight.data(), rough.data()};
            goes_to[j] = static_cast<std::uint32_t>(
                finder.best_passing(fresh, v, params_.alpha, -1.0, nullptr).index);
        }
        const std::size_t to = goes_to[j];
        fresh.add_count(to, categories_.count(j));
        if (rows.equals(to, rows_[j])) rows.add_repeats(to, rows_.repeats(j));
        poll.work(finder.take_work() + 4 * d);
    }
    if (forgets()) fading_.move(goes_to, fresh.size());
    for (std::uint32_t& j : map) j = renamed(j, goes_to.data());
    expected_.embryo = std::move(embryo);
    categories_ = std::move(fresh);
    rows_ = std::move(rows);
    strength_ = std::move(strength);
    outlier_ = std::move(outlier);
    drop_empty_slots();
}

std::vector<std::uint8_t> DensityArt::who_stays(const std::vector<double>& lot) const {
    constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
    const std::size_t n = lot.size();
    const std::size_t room = most_categories() - std::max<std::size_t>(1, most_categories() / 8);
    std::vector<std::uint8_t> stays(n, 0);
    std::vector<std::size_t> first(was_read_ ? n_clusters() : 1, kAny);
    std::size_t n_stay = 0;
    for (std::size_t j = 0; j < n; ++j) {
        stays[j] = lot[j] < share_;
        n_stay += stays[j];
        const std::uint32_t slot = was_read_ ? categories_.owner(j) : 0;
        if (slot == kNoLabel) continue;
        if (first[slot] == kAny || lot[j] < lot[first[slot]]) first[slot] = j;
    }
    std::size_t lowest = 0;
    for (std::size_t j = 1; j < n; ++j) {
        if (lot[j] < lot[lowest]) lowest = j;
    }
    if (n_stay == 0) n_stay = stays[lowest] = 1;
    for (const std::size_t j : first) {
        if (j == kAny || stays[j] || n_stay >= room) continue;
        stays[j] = 1;
        ++n_stay;
    }
    return stays;
}

}  // namespace resonart
