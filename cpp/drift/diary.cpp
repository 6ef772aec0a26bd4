#include "drift/diary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "drift/shared_weight.hpp"

namespace resonart {
DiaryPage Diary::all() const {
    DiaryPage page;
    if (old_) page.append(*old_);
    page.append(fresh_);
    return page;
}

void Diary::record(const std::uint32_t* before, const std::uint32_t* now, const double* weight,
                   const double* mean, const double* range, std::size_t n, std::size_t d,
                   double n_readings, double n_rows, double time) {
    std::vector<Resident> next = see(now, weight, mean, range, n, d);
    const auto went_to = majorities(before, now, weight, n);
    const auto came_from = majorities(now, before, weight, n);
    const auto other = [](const std::map<std::uint32_t, std::uint32_t>& found, std::uint32_t one) {
        const auto at = found.find(one);
        return at == found.end() ? kNoLabel : at->second;
    };
    const auto add = [&](Change change, const Resident& who, std::uint32_t other, double distance) {
        fresh_.events.reserve(fresh_.events.size() + 1);
        fresh_.event_places.reserve(fresh_.event_places.size() + d);
        fresh_.events.push({change, who.label, other, n_rows, time, who.size, distance});
        fresh_.event_places.append(who.centre.data(), d);
    };
    std::size_t a = 0;
    for (Resident& each : next) {
        for (; a < residents_.size() && residents_[a].label < each.label; ++a) {
            leave(residents_[a], other(went_to, residents_[a].label), add);
        }
        if (a < residents_.size() && residents_[a].label == each.label) {
            each.shown_at = residents_[a++].shown_at;
            double far = 0.0, way = 0.0;
            for (std::size_t f = 0; f < d; ++f) {
                const double off = each.centre[f] - each.shown_at[f];
                const double share = range[f] > 0.0 ? off / range[f] : 0.0;
                far += share * share;
                way += off * off;
            }
            if (far > kFar * each.radius2 && far > 0.0 && each.radius2 > 0.0) {
                add(Change::moved, each, kNoLabel, std::sqrt(way));
                each.shown_at = each.centre;
            }
            continue;
        }
        const std::uint32_t from = other(came_from, each.label);
        add(from == kNoLabel ? Change::born : Change::split, each, from, 0.0);
    }
    for (; a < residents_.size(); ++a) {
        leave(residents_[a], other(went_to, residents_[a].label), add);
    }
    residents_ = std::move(next);
    if (std::fmod(n_readings, static_cast<double>(stride_)) == 0.0) {
        fresh_.moments.reserve(fresh_.moments.size() + residents_.size());
        fresh_.moment_places.reserve(fresh_.moment_places.size() + residents_.size() * d);
        for (const Resident& each : residents_) {
            fresh_.moments.push(
                {n_readings, n_rows, time, static_cast<double>(each.label), each.size});
            fresh_.moment_places.append(each.centre.data(), d);
        }
    }
    if (fresh_.events.size() + fresh_.moments.size() > kMostFresh) turn_page();
    // By what there is alone, not by which page it is on: a model that comes from a file has
    // the same diary ever after.
    if (n_events() > kMostEvents + kMostFresh || n_moments() > kMostMoments) thin_out(d);
}

void Diary::adopt(DiaryPage&& page, std::vector<Resident>&& residents, std::int64_t n_forgotten,
                  std::int64_t stride) {
    old_ = std::make_shared<const DiaryPage>(std::move(page));
    fresh_ = DiaryPage();
    residents_ = std::move(residents);
    n_forgotten_ = n_forgotten;
    stride_ = stride;
}

std::vector<Resident> Diary::see(const std::uint32_t* label, const double* weight,
                                 const double* mean, const double* range, std::size_t n,
                                 std::size_t d) {
    std::vector<std::uint32_t> there;
    for (std::size_t j = 0; j < n; ++j) {
        if (label[j] != kNoLabel) there.push_back(label[j]);
    }
    std::sort(there.begin(), there.end());
    there.erase(std::unique(there.begin(), there.end()), there.end());
    std::vector<Resident> found;
    found.reserve(there.size());
    for (const std::uint32_t each : there) {
        found.push_back({each, 0.0, {}, std::vector<double>(d, 0.0), 0.0});
    }
    const auto of = [&](std::size_t j) -> Resident& {
        const auto at = std::lower_bound(there.begin(), there.end(), label[j]);
        return found[static_cast<std::size_t>(at - there.begin())];
    };
    for (std::size_t j = 0; j < n; ++j) {
        if (label[j] == kNoLabel) continue;
        Resident& mine = of(j);
        mine.size += weight[j];
        const double share = weight[j] / mine.size;
        for (std::size_t f = 0; f < d; ++f) {
            mine.centre[f] += (mean[j * d + f] - mine.centre[f]) * share;
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        if (label[j] == kNoLabel) continue;
        Resident& mine = of(j);
        double far = 0.0;
        for (std::size_t f = 0; f < d; ++f) {
            if (!(range[f] > 0.0)) continue;
            const double share = (mean[j * d + f] - mine.centre[f]) / range[f];
            far += share * share;
        }
        mine.radius2 += far * (weight[j] / mine.size);
    }
    for (Resident& each : found) each.shown_at = each.centre;
    return found;
}

void Diary::turn_page() {
    auto page = std::make_shared<const DiaryPage>(all());
    old_ = std::move(page);
    fresh_ = DiaryPage();
}

void Diary::thin_out(std::size_t d) {
    auto page = std::make_shared<DiaryPage>(all());
    std::int64_t n_forgotten = n_forgotten_, stride = stride_;
    if (page->events.size() > kMostEvents) {
        const std::size_t n = page->events.size() - kMostEvents;
        std::copy(page->events.begin() + n, page->events.end(), page->events.begin());
        page->events.shrink(kMostEvents);
        std::copy(page->event_places.begin() + n * d, page->event_places.end(),
                  page->event_places.begin());
        page->event_places.shrink(kMostEvents * d);
        n_forgotten = std::min(n_forgotten + static_cast<std::int64_t>(n), kMostForgotten);
    }
    // One reading may be kept however many clusters it had.
    while (page->moments.size() > kMostMoments &&
           page->moments[0].reading < page->moments[page->moments.size() - 1].reading) {
        stride *= 2;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < page->moments.size(); ++i) {
            if (std::fmod(page->moments[i].reading, static_cast<double>(stride)) != 0.0) {
                continue;
            }
            page->moments[kept] = page->moments[i];
            std::copy_n(page->moment_places.begin() + i * d, d,
                        page->moment_places.begin() + kept * d);
            ++kept;
        }
        page->moments.shrink(kept);
        page->moment_places.shrink(kept * d);
    }
    old_ = std::move(page);
    fresh_ = DiaryPage();
    n_forgotten_ = n_forgotten;
    stride_ = stride;
}

}  // namespace resonart
