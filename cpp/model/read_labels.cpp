#include "model/read_labels.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/threads.hpp"
#include "boxes/far_rows.hpp"

namespace resonart {

ReadLabels::Call::Call(ReadLabels& model, const Presented& rows)
    : model_(model),
      rows_(rows),
      category_(rows.report ? rows.report->now : rows.labels),
      all_(model.n_labels()) {
    const bool says = rows.report || rows.keeps_labels || model.state_.art.forgets();
    as_said_.resize_uninitialised(says ? rows.n : 0);
}

void ReadLabels::Call::begin_epoch() noexcept {
    moves_.clear();
    own_.clear();
}

void ReadLabels::Call::make_room(std::size_t i, Poll& poll) {
    auto thinned = model_.thin(poll);
    moves_.add(i, std::move(thinned.goes_to));
    follow(i, thinned.labels);
}

void ReadLabels::Call::learned(std::size_t r, std::int64_t label) noexcept {
    if (rows_.report) rows_.report->labels[r] = label;
    if (as_said_.size()) as_said_[r] = label;
    category_[r] = model_.state_.art.taken();
}

void ReadLabels::Call::update(std::size_t end, Poll& poll) {
    Update update = model_.read_now(poll, overlaps_.size() == 0);
    if (update.has_moved) moves_.add(end, std::move(update.goes_to));
    follow(end, update.labels);
}

void ReadLabels::Call::follow(std::size_t end, const LabelChanges& changes) {
    all_.follow(changes);
    renamings().add(end, changes);
}

LabelChanges ReadLabels::Call::finish() {
    moves_.apply(rows_.n, [&](std::size_t i) -> std::int64_t& { return category_[rows_.row(i)]; });
    if (as_said_.size()) {
        renamings().apply(rows_.n,
                          [&](std::size_t i) -> std::int64_t& { return as_said_[rows_.row(i)]; });
    }
    model_.label_rows(*this);
    return all_.take();
}

// A row whose category was forgotten keeps the label that was said of it, as it has been renamed
// since; where none was, what went was noise. Where all rows were drawn from, they may be too far
// from their categories to be what these are, unless noise is attached to clusters.
void ReadLabels::label_rows(Call& call) {
    const Memberships* const memberships = call.rows_.memberships;
    const bool may_be_far = call.overlaps_.size() && state_.art.params().noise == Noise::label;
    for (std::size_t i = 0; i < call.rows_.n; ++i) {
        std::int64_t& mine = call.category_[i];
        if (memberships) memberships->category[i] = mine < 0 ? -1 : mine;
        if (mine < 0) {
            mine = call.as_said_.size() ? call.as_said_[i] : -1;
            if (!memberships) continue;
            memberships->strength[i] = mine < 0 ? 0.0 : 1.0;
            memberships->outlier[i] = mine < 0 ? 1.0 : 0.0;
            continue;
        }
        const auto j = static_cast<std::size_t>(mine);
        const auto known = static_cast<double>(n_features_);
        const auto verdict = state_.art.judge({j, may_be_far ? call.overlaps_[i] : known});
        mine = shown_label(verdict.label);
        if (!memberships) continue;
        // A row beyond its category's cluster is of no category, in other readings as well.
        if (mine < 0 && state_.art.label_of_category(j) != kNoLabel) memberships->category[i] = -1;
        memberships->strength[i] = verdict.strength;
        memberships->outlier[i] = verdict.outlier;
    }
}

LabelChanges ReadLabels::update_clusters(const Params& params, Poll& poll, bool keeps_way) {
    params.check();
    const WriteGuard writing(lock_, poll);
    return undoable([&] {
        copy_before();
        state_.art.configure(params);
        state_.label_map = read_now(poll, true, keeps_way).labels;
        return state_.label_map;
    });
}

LabelChanges ReadLabels::read_as(std::size_t place, Poll& poll) {
    const WriteGuard writing(lock_, poll);
    return undoable([&] {
        copy_before();
        state_.label_map =
            state_.art.read_as(place, state_.bounds, state_.n_samples, state_.n_updates, poll);
        state_.since_update = 0;
        reserve_one();
        return state_.label_map;
    });
}

std::vector<std::int32_t> ReadLabels::clusters_as(std::size_t place, Poll& poll) const {
    const ReadGuard reading(lock_, poll);
    return state_.art.clusters_as(place, poll);
}

LabelMap ReadLabels::pool(Poll& poll) {
    const WriteGuard writing(lock_, poll);
    return undoable([&] {
        copy_before();
        // First those that are forgotten: the rest can be joined by what it weighs.
        LabelMap goes_to = DensityArt::identity(state_.art.categories().size());
        if (state_.art.forgets()) drop_stale(goes_to);
        const std::int64_t n_before = n_encoded();
        const auto follow = [&](const LabelMap& map) {
            for (std::uint32_t& j : goes_to) j = renamed(j, map.data());
        };
        follow(state_.art.join(state_.bounds, state_.given, poll));
        state_.n_removed += n_before - n_encoded();
        const Update update = read_now(poll);
        if (update.has_moved) follow(update.goes_to);
        return goes_to;
    });
}

void ReadLabels::set_threads(unsigned n, Poll& poll) {
    const WriteGuard writing(lock_, poll);
    forget();
    state_.art.set_threads(n);
}

void ReadLabels::learn_at_once(const Rows& rows, const Far& far, Call& call, Poll& poll) {
    copy_before();
    DensityArt& art = state_.art;
    const std::size_t n = rows.size();
    const Presented& presented = call.rows_;
    coded_.prepare(n_features_);
    const auto each_near = [&](auto&& see) {
        for (std::size_t i = 0; i < n; ++i) {
            poll.work(n_features_);
            const std::size_t r = presented.row(i);
            if (!far.empty() && far[r]) continue;
            rows.read(r, row_.data());
            const Sample x = coded_.code(row_.data(), state_.bounds);
            see(x, art.rows().hash(x.row));
        }
    };
    std::vector<std::uint64_t> hashes;
    hashes.reserve(n);
    each_near([&](const Sample&, std::uint64_t hash) { hashes.push_back(hash); });
    std::sort(hashes.begin(), hashes.end());
    const auto drawn = art.draw_rows(hashes);
    hashes = std::vector<std::uint64_t>();
    each_near([&](const Sample& x, std::uint64_t hash) {
        const auto at = std::lower_bound(
            drawn.begin(), drawn.end(), hash,
            [](const auto& each, std::uint64_t wanted) { return each.hash < wanted; });
        if (at == drawn.end() || at->hash != hash || art.rows().find(x.row) != kNone) return;
        art.reserve_one();
        art.found(x, at->repeats);
    });
    for (const std::size_t i : {std::size_t{0}, n - 1}) {  // the clock begins, and goes on
        state_.n_samples = static_cast<std::int64_t>(i);
        expect(presented.plan.time, presented.row(i));
        art.advance();
    }
    state_.n_samples = state_.since_update = static_cast<std::int64_t>(n);
    if (poll.progress()) poll.progress()->n_rows += n;
    call.overlaps_.resize_uninitialised(n);
    share_out(rows, far, call.category_, call.overlaps_.data(), poll);
}

// Each row counts for the nearest category, and those that are far for none.
void ReadLabels::share_out(const Rows& rows, const Far& far, std::int64_t* categories,
                           double* overlaps, Poll& poll) {
    const DensityArt& art = state_.art;
    constexpr std::size_t kChunk = 4096;
    in_parallel_tasks(
        (rows.size() + kChunk - 1) / kChunk, art.n_threads(), poll,
        [&](std::size_t t, Poll& asked) {
            Buffer<double> row;
            CodedRow x;
            DensityArt::Workspace workspace;
            row.resize_uninitialised(n_features_);
            x.prepare(n_features_);
            art.prepare(workspace);
            for (std::size_t r = t * kChunk; r < std::min((t + 1) * kChunk, rows.size()); ++r) {
                categories[r] = kNone;
                if (!far.empty() && far[r]) continue;
                rows.read(r, row.data());
                const auto seen = art.see(x.code(row.data(), state_.bounds), workspace);
                categories[r] = static_cast<std::int64_t>(seen.category);
                overlaps[r] = seen.overlap;
                asked.work(workspace.take_work() + n_features_);
            }
        });
    std::vector<std::int64_t> counts(art.categories().size(), 0);
    state_.n_removed = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (categories[r] == kNone) {
            ++state_.n_removed;
        } else {
            ++counts[static_cast<std::size_t>(categories[r])];
        }
    }
    state_.art.set_counts(counts);
}

bool ReadLabels::find_ranges(const Rows& rows, const Params& params, Far* far) {
    const bool expands = params.out_of_bounds == OutOfBounds::expand;
    Far found;
    if (expands) {
        FarRows all(
            rows.size(), n_features_, [&](std::size_t r, std::size_t f) { return rows.at(r, f); },
            [](std::size_t) { return 1.0; }, state_.given);
        found = all.find(params.cluster_size(all.total()), [](std::size_t) { return false; });
    }
    learn_ranges(rows, found);
    if (far) *far = std::move(found);
    return expands;
}

// What is said of such a row is said before the ranges widen for it.
bool ReadLabels::stays_outside(const double* row) {
    const bool expands = state_.art.params().out_of_bounds == OutOfBounds::expand;
    if (!workspace_.verdict && expands && is_known()) {
        widening_.prepare(n_features_);
        const Bounds& wider = widening_.include(state_.bounds, row);
        const Sample x = widening_.see(coded_.code(row, wider));
        workspace_.verdict = state_.art.judge(x, workspace_);
    }
    return state_.art.stays_outside(row, state_.bounds, state_.n_samples);
}

Marks ReadLabels::marked_clusters(const std::int64_t* clusters, std::size_t n) const {
    const DensityArt& art = state_.art;
    std::vector<std::int64_t> slots(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t label = clusters[i];
        const bool was_used =
            label >= 0 && label < kMostRows && static_cast<std::size_t>(label) < art.n_labels();
        const std::uint32_t slot =
            was_used ? art.slot_of(static_cast<std::uint32_t>(label)) : kNoLabel;
        if (slot == kNoLabel) {
            throw std::invalid_argument(
                "there is no cluster " + std::to_string(label) +
                (was_used ? " any more: its label has died"
                          : ": the model has " + std::to_string(art.n_clusters()) +
                                ", with labels below " + std::to_string(art.n_labels())));
        }
        slots[i] = slot;
    }
    return marked("cluster", slots.data(), n, art.n_clusters());
}

DensityArt::Thinned ReadLabels::thin(Poll& poll) {
    copy_before();
    const std::int64_t n_before = n_encoded();
    auto thinned = state_.art.thin(state_.bounds, state_.given, poll);
    state_.has_moved = true;
    state_.n_removed += n_before - n_encoded();  // what was forgotten
    reserve_one();
    return thinned;
}

// Categories that have lost nearly all their weight go, before a reading. Returns whether any did;
// `map` follows where they went.
bool ReadLabels::drop_stale(LabelMap& map) {
    if (state_.art.is_all_stale()) {
        throw std::invalid_argument(
            "nothing is left to be read: all that the model learned has been forgotten or removed; "
            "learn rows first");
    }
    const std::int64_t n_gone = state_.art.drop_stale(map);
    state_.n_removed += n_gone;
    return n_gone > 0;
}

ReadLabels::Update ReadLabels::read_now(Poll& poll, bool settles, bool keeps_way) {
    check_can_update();
    copy_before();
    DensityArt& art = state_.art;
    Update update;
    update.goes_to = DensityArt::identity(art.categories().size());
    update.has_moved = art.forgets() && drop_stale(update.goes_to);
    DensityArt::Settled settled;
    if (settles) settled = art.settle(state_.bounds, state_.given, update.goes_to);
    state_.n_removed += settled.n_gone;
    update.has_moved |= settled.n_gone > 0;
    state_.has_moved |= update.has_moved;
    Candidate way;
    if (keeps_way) way = art.last_way();
    update.labels = settled.changes.then(art.read(
        state_.bounds, state_.n_samples, state_.n_updates + 1, keeps_way ? &way : nullptr, poll));
    reserve_one();
    state_.since_update = 0;
    ++state_.n_updates;
    return update;
}

}  // namespace resonart
