#include "density/density_art.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "boxes/far_rows.hpp"

namespace resonart {
void DensityArt::configure(const Params& params) {
    if (categories_.size() && params.forgets() != params_.forgets()) {
        throw std::invalid_argument(
            "a model that has learned rows can neither begin nor cease to forget them");
    }
    if (categories_.size() && (params.window > 0.0) != (params_.window > 0.0)) {
        throw std::invalid_argument(
            "a model that has learned rows cannot change between half_life and window");
    }
    params_ = params;
    fading_.configure(params.half_life, params.window);
}

void DensityArt::undo_changes() {
    categories_.undo_changes();
    rows_.undo_changes();
    clock_.undo_changes();
    fading_.undo_changes();
    strength_.shrink(categories_.size());
    outlier_.shrink(categories_.size());
    expected_.embryo.shrink(categories_.size());
}

void DensityArt::matches(const Sample& x, Workspace& ws, double* match) const noexcept {
    ws.finder.add_work(categories_);
    for (std::size_t m = 0; m < n_clusters(); ++m) ws.ratio[m] = -1.0;
    for_each_part(categories_, x, params_.alpha, [&](std::size_t first, const StoreView& part) {
        kernels().overlaps(x.x, part, ws.overlap.data());
        for (std::size_t i = 0; i < part.size; ++i) {
            const std::uint32_t m = categories_.owner(first + i);
            if (m == kNoLabel) continue;
            const double ratio = ws.overlap[i] / (params_.alpha + part.norm[i]);
            if (ratio > ws.ratio[m]) {
                ws.ratio[m] = ratio;
                ws.most_active[m] = static_cast<std::uint32_t>(first + i);
                match[m] = ws.overlap[i];
            }
        }
    });
    for (std::size_t m = 0; m < n_clusters(); ++m) {  // of which each has a category
        const std::size_t j = ws.most_active[m];
        match[m] = score_of({j, x.wider ? overlap_of(x, j, match[m]) : match[m]});
    }
    const std::int64_t known = find(x);
    if (known == kNone) return;
    const auto j = static_cast<std::size_t>(known);
    const std::uint32_t m = categories_.owner(j);
    if (m != kNoLabel) match[m] = score_of({j, static_cast<double>(categories_.n_features())});
}

DensityArt::Settled DensityArt::settle(Bounds& bounds, const Bounds& given, LabelMap& map) {
    Settled settled;
    if (!minds_far_rows() || categories_.size() == 0) return settled;
    FarRows rows(
        categories_.size(), categories_.n_features(),
        [&](std::size_t j, std::size_t f) { return rows_[j][f]; },
        [&](std::size_t j) { return weight(j); }, given);
    const std::vector<std::uint8_t> far =
        rows.find(params_.cluster_size(rows.total()), [&](std::size_t j) {
            return was_read_ && categories_.owner(j) != kNoLabel && strength_[j] > 0.0;
        });
    if (!far.empty()) {
        const Gone gone = drop(far, map);
        settled.n_gone = gone.n_rows;
        for (const std::uint32_t label : gone.labels) {
            if (is_shown({label, kNoLabel})) settled.changes.add(label, kNoLabel);
        }
    }
    Bounds suited = suitable_ranges(bounds, given, forgets() || settled.n_gone > 0);
    bool is_same = true;
    for (std::size_t f = 0; f < suited.size(); ++f) is_same &= suited.is_same(f, bounds);
    if (is_same) return settled;
    recode(suited);
    bounds = std::move(suited);
    return settled;
}

void DensityArt::recode(const Bounds& bounds) {
    Buffer<double> coded;
    coded.resize_uninitialised(categories_.width());
    categories_.transform_each([&](std::size_t j) {
        const bool is_inside = bounds.contains(rows_[j]);
        if (is_inside) bounds.code(rows_[j], coded.data());
        return [&, is_inside](std::size_t entry, double) { return is_inside ? coded[entry] : 0.0; };
    });
    set_ranges(bounds);
}

LabelMap DensityArt::identity(std::size_t n) {
    LabelMap map;
    map.resize_uninitialised(n);
    for (std::size_t j = 0; j < n; ++j) map[j] = static_cast<std::uint32_t>(j);
    return map;
}

bool DensityArt::is_all_stale() const noexcept {
    for (std::size_t j = 0; j < categories_.size(); ++j) {
        if (!fading_.is_stale(j)) return false;
    }
    return true;
}

LabelChanges DensityArt::remove(const std::vector<std::uint8_t>& goes) {
    LabelMap nobody;
    LabelChanges gone;
    for (const std::uint32_t label : drop(goes, nobody).labels) gone.add(label, kNoLabel);
    if (forgets()) {
        expected_ = Expectations();
        expected_.embryo.assign(categories_.size(), kNoLabel);
    }
    const auto is_there = [&](std::uint32_t label) { return slot_of(label) != kNoLabel; };
    diary_.keep_if(is_there);
    if (!record_ || !gone.size()) return gone;
    auto record = std::make_shared<ReadingRecord>(*record_);
    for (std::int32_t& label : record->label) {
        if (label >= 0 && !is_there(static_cast<std::uint32_t>(label))) label = -1;
    }
    record_ = std::move(record);
    return gone;
}

Buffer<std::uint32_t> DensityArt::distinct(const std::uint32_t* labels, std::size_t n) {
    std::vector<std::uint32_t> found;
    for (std::size_t j = 0; j < n; ++j) {
        if (labels[j] != kNoLabel) found.push_back(labels[j]);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    Buffer<std::uint32_t> each;
    each.reserve(found.size());
    each.append(found.data(), found.size());
    return each;
}

void DensityArt::adopt(Content&& content, const Bounds& bounds) {
    const std::size_t n = content.categories.size();
    Buffer<std::uint32_t> labels;
    Buffer<double> least;
    if (content.was_read) {
        labels = distinct(content.categories.owners(), n);
        least.assign(labels.size() + 1, 0.0);
    } else if (content.share == 1.0) {
        content.categories.do_without_index();
    }
    content.categories.reserve(n);  // and an index, where it pays
    categories_ = std::move(content.categories);
    rows_ = std::move(content.rows);
    strength_ = std::move(content.strength);
    outlier_ = std::move(content.outlier);
    reach_ = std::move(content.reach);
    share_ = content.share;
    n_labels_ = content.n_labels;
    labels_ = std::move(labels);
    was_read_ = content.was_read;
    for (std::size_t j = 0; was_read_ && j < n; ++j) {
        categories_.set_owner(j, slot_of(categories_.owner(j)));
    }
    record_ = std::move(content.record);
    fading_ = std::move(content.fading);
    fading_.configure(params_.half_life, params_.window);
    expected_ = std::move(content.expected);
    kept_ = content.kept;
    read_at_ = content.read_at;
    *clock_ = {content.now, content.clock_kind, content.begun_at};
    next_ = *clock_;
    diary_ = std::move(content.diary);
    least_ = std::move(least);
    set_ranges(bounds);
}

Bounds DensityArt::suitable_ranges(const Bounds& bounds, const Bounds& given,
                                   bool may_shrink) const {
    const std::size_t d = categories_.n_features();
    std::vector<double> low(d), high(d);
    for (std::size_t f = 0; f < d; ++f) {
        double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
        if (given.known()) {
            lowest = given.low(f);
            highest = given.high(f);
        }
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            lowest = std::min(lowest, rows_[j][f]);
            highest = std::max(highest, rows_[j][f]);
        }
        low[f] = std::min(lowest, bounds.low(f));
        high[f] = std::max(highest, bounds.high(f));
        if (may_shrink && high[f] / 2.0 - low[f] / 2.0 > highest - lowest) {
            low[f] = lowest;
            high[f] = highest;
        }
    }
    Bounds suited;
    suited.set(low.data(), high.data(), d);
    return suited;
}

DensityArt::Gone DensityArt::drop(const std::vector<std::uint8_t>& goes, LabelMap& map) {
    const std::size_t n = categories_.size();
    LabelMap goes_to;
    goes_to.resize_uninitialised(n);
    std::int64_t n_rows = 0;
    std::uint32_t n_kept = 0;
    for (std::size_t j = 0; j < n; ++j) {
        goes_to[j] = goes[j] ? kNoLabel : n_kept++;
        if (goes[j]) n_rows += categories_.count(j);
    }
    if (n_kept == n) return {};
    if (forgets()) fading_.move(goes_to, n_kept);
    const auto keep = [&](std::size_t j) { return goes_to[j] != kNoLabel; };
    for (std::size_t j = 0; j < n; ++j) {
        if (!keep(j)) continue;
        strength_[goes_to[j]] = strength_[j];
        outlier_[goes_to[j]] = outlier_[j];
        if (forgets()) expected_.embryo[goes_to[j]] = expected_.embryo[j];
    }
    strength_.shrink(n_kept);
    outlier_.shrink(n_kept);
    if (forgets()) expected_.embryo.shrink(n_kept);
    rows_.keep_if(keep);
    categories_.keep_if(0, keep);
    for (std::uint32_t& j : map) j = renamed(j, goes_to.data());
    return {n_rows, drop_empty_slots()};
}

std::vector<std::uint32_t> DensityArt::drop_empty_slots() {
    std::vector<std::uint32_t> gone;
    if (!was_read_) return gone;
    const std::size_t n = n_clusters(), d = categories_.n_features();
    LabelMap moves_to;
    moves_to.assign(n, kNoLabel);
    for (std::size_t j = 0; j < categories_.size(); ++j) {
        if (categories_.owner(j) != kNoLabel) moves_to[categories_.owner(j)] = 0;
    }
    std::uint32_t kept = 0;
    for (std::size_t m = 0; m <= n; ++m) {  // the last is all
        if (m < n && moves_to[m] == kNoLabel) {
            gone.push_back(labels_[m]);
            continue;
        }
        if (m < n) {
            labels_[kept] = labels_[m];
            moves_to[m] = kept;
        }
        least_[kept] = least_[m];
        std::copy_n(reach_.data() + m * d, d, reach_.data() + kept * d);
        ++kept;
    }
    labels_.shrink(n - gone.size());
    least_.shrink(kept);
    reach_.shrink(kept * d);
    if (!gone.empty()) categories_.renumber_owners(moves_to);
    return gone;
}

bool DensityArt::stays_outside(const double* row, const Bounds& bounds,
                               std::int64_t n_rows) const noexcept {
    return minds_far_rows() && static_cast<double>(n_rows) >= kLeastToTell && is_far(row, bounds);
}

}  // namespace resonart
