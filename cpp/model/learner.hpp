// The corridor a row walks: read, scaled, coded, learned or recognised. Everything an estimator
// needs besides its algorithm: feature ranges, epochs, automatic merging, a bound on memory,
// locking, and the promise that a call which fails leaves the model as it was.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "art/best_matches.hpp"
#include "art/ddvfa.hpp"
#include "art/dvfa.hpp"
#include "art/fuzzy_art.hpp"
#include "art/params.hpp"
#include "art/recognition.hpp"
#include "art/topo_art.hpp"
#include "base/bounds.hpp"
#include "base/dates.hpp"
#include "base/label_maps.hpp"
#include "base/model_lock.hpp"
#include "base/poll.hpp"
#include "base/threads.hpp"
#include "boxes/far_rows.hpp"
#include "boxes/widening.hpp"
#include "density/density_art.hpp"

namespace resonart {

// A row left the feature ranges of a model that does not allow it.
struct OutsideBounds {
    std::int64_t row;
    std::size_t feature;
    double value, low, high;
};

// Up to here whole numbers are exact as doubles, too; a model counts no further, and a file holds
// no more.
constexpr std::int64_t kMostRows = std::int64_t{1} << 53;

struct Plan {
    Times time;                           // when each row came
    const std::int64_t* order = nullptr;  // null: rows as given
    int max_epochs = 1;
    bool merge_at_end = false;      // or read the clusters anew, as the algorithm does
    bool merge_on_the_way = false;  // whenever it is due
    bool may_merge = true;          // when there is no room; false: only compress
    bool can_be_undone = true;      // false: the caller throws the model away when it fails
};

// What is told of rows after a call, besides their labels, where clusters are read from categories:
// also the category of each, -1 where it has been forgotten.
struct Memberships {
    double *strength, *outlier;
    std::int64_t* category;
};

// Room for one complement-coded row; and, where the algorithm asks for it, for the row itself.
template <bool KeepsRow>
class Coded {
public:
    void prepare(std::size_t n_features) {
        exact_.resize_uninitialised(2 * n_features);
        rough_.resize_uninitialised(2 * n_features);
        if (KeepsRow) clipped_.resize_uninitialised(n_features);
    }
    Sample code(const double* row, const Bounds& bounds) noexcept {
        bounds.code(row, exact_.data());
        for (std::size_t f = 0; f < exact_.size(); ++f) rough_[f] = static_cast<float>(exact_[f]);
        row_ = row;
        if (KeepsRow && !bounds.contains(row)) {  // a row is what it counts as
            for (std::size_t f = 0; f < clipped_.size(); ++f) {
                clipped_[f] = std::min(std::max(row[f], bounds.low(f)), bounds.high(f));
            }
            row_ = clipped_.data();
        }
        return last();
    }
    // A row that lies outside: nothing is near it.
    Sample code_outside(const double* row) noexcept {
        for (std::size_t f = 0; f < exact_.size(); ++f) exact_[f] = rough_[f] = 0.0f;
        row_ = row;
        return last();
    }
    Sample last() const noexcept { return {exact_.data(), rough_.data(), nullptr, row_}; }

private:
    Buffer<double> exact_, clipped_;
    Buffer<float> rough_;
    const double* row_ = nullptr;
};

template <class Art>
class Learner {
public:
    using Params = typename Art::Params;
    static constexpr bool kMerges = Art::kMerges;
    // topoART's clusters are not known while it learns: a row's label is asked for afterwards.
    static constexpr bool kLabelsLater = Art::kLabelsLater;
    // DensityART's clusters are read from its categories now and then, all of them anew. The label
    // of a row is that of its category, which is what a call keeps track of.
    static constexpr bool kRereads = Art::kRereads;
    static constexpr bool kRenames = kMerges || kRereads;
    // What a merge or reading says of labels: all of them, or those that changed, as they have
    // holes.
    using Renamed = std::conditional_t<kRereads, LabelChanges, LabelMap>;
    static LabelChanges changes_of(const LabelMap& map) { return LabelChanges::of(map); }
    static const LabelChanges& changes_of(const LabelChanges& changes) { return changes; }
    // Far more than memory holds, and small enough that no size of one row overflows.
    static constexpr std::size_t kMostFeatures = std::numeric_limits<std::size_t>::max() / 1024;

    Learner(std::size_t n_features, const Params& params) : n_features_(n_features) {
        params.check();
        if (n_features == 0) throw std::invalid_argument("a model needs at least one feature");
        if (n_features > kMostFeatures) throw std::bad_alloc();
        state_.art = Art(n_features, params);
    }

    std::size_t n_features() const { return n_features_; }

    // Learns rows in order. labels[r] receives the cluster of row r. Returns the epochs run.
    template <class Rows>
    int train(const Rows& rows, const Params& params, const Plan& plan, std::int64_t* labels,
              Poll& poll, const Memberships* memberships = nullptr) {
        params.check();
        const WriteGuard writing(lock_, poll);
        const auto work = [&] {
            return train_unguarded(rows, params, plan, labels, memberships, poll);
        };
        if (!plan.can_be_undone) {
            forget();
            return work();
        }
        return undoable(work);
    }

    // The caller of `train` or `merge` may still fail after they have succeeded (an interrupt on
    // the way back): until `commit`, the model before the call can be had back.
    void undo(Poll& poll) {
        const WriteGuard writing(lock_, poll);
        roll_back();
    }
    void commit(Poll& poll) {
        const WriteGuard writing(lock_, poll);
        forget();
    }

    // The lean path: one row of n_features doubles, parameters as they were last set. The caller
    // holds the lock.
    std::int64_t learn_one(const double* row, Poll& poll, Times time = {}) {
        forget();  // what came before this row is no longer to be had
        const Params& params = state_.art.params();
        bool changes_first = false;
        if constexpr (kRereads) {
            check_clock(time, 1);
            expect(time, 0);
            // Time passes before room is made, or ranges change after it.
            changes_first = seeks_room();
        }
        // The ranges then change before the row is known to need room.
        changes_first |= seeks_room() && params.out_of_bounds == OutOfBounds::expand &&
                         !state_.bounds.contains(row);
        if (!state_.bounds.known() || due_with_next(params, time) || changes_first) {
            const std::int64_t label = undoable([&] { return learn_or_merge(row, poll); });
            forget();
            return label;
        }
        // Here nothing has changed when room is to be made, and nothing can fail afterwards.
        LabelChanges changes;
        const std::uint32_t label = learn_row(row, kNone, may_leave_bounds(params), [&] {
            undoable([&] { changes = make_room_for_one(poll); });
            forget();
        });
        state_.label_map = std::move(changes);
        return labelled(label);
    }

    // As `train` with the rows as given, once, and tells what each of them did as it came.
    template <class Rows>
    void train_and_report(const Rows& rows, const Params& params, StreamReport& told, Poll& poll,
                          const Memberships* memberships = nullptr, Times time = {}) {
        params.check();
        const WriteGuard writing(lock_, poll);
        undoable([&] { report_unguarded(rows, params, told, memberships, time, poll); });
    }

    // Whether the next row, which comes at that time if one is given, may take long: it is followed
    // by a merge or reading, or may have room made for it. The caller holds the lock.
    bool may_take_long(Times time) const {
        return due_with_next(state_.art.params(), time) || seeks_room();
    }

    // cluster[r] of each row, kNone where nothing resonates and the nearest is not wanted.
    template <class Rows>
    void predict(const Rows& rows, bool nearest, std::int64_t* clusters, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            clusters[r] = state_.art.cluster_of(x, nearest, ws);
        });
    }

    // As `predict`, by topoART's module A.
    template <class Rows>
    void predict_a(const Rows& rows, bool nearest, std::int64_t* clusters, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            clusters[r] = state_.art.cluster_in_a(x, nearest, ws);
        });
    }

    template <class Rows>
    void score(const Rows& rows, double* matches, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            matches[r] = clamped_match(state_.art.recognise(x, ws).match);
        });
    }

    // Of each row the most active category, and its match with that, in the ranges as they are.
    template <class Rows>
    void winners(const Rows& rows, std::int64_t* categories, double* matches, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            const auto seen = state_.art.see(x, ws);
            categories[r] = static_cast<std::int64_t>(seen.category);
            matches[r] = seen.overlap / static_cast<double>(n_features_);
        });
    }

    // Match of each row with each cluster, row by row. `room(k)` is called once, with the number of
    // clusters, and gives the place for rows × k of them.
    template <class Rows, class Room>
    void matches(const Rows& rows, Room&& room, Poll& poll) const {
        double* table = nullptr;
        std::size_t k = 0;
        recognise_rows(
            rows, poll,
            [&](std::size_t n_clusters, auto& ws) {
                state_.art.prepare_matches(ws);
                k = n_clusters;
                table = room(k);
            },
            [&](std::size_t r, const Sample& x, auto& ws) {
                write_matches(x, ws, table + r * k, k);
            });
    }

    // The `m` clusters that match each row best, and their matches: m places a row, as
    // `BestMatches` fills them.
    template <class Rows>
    void nearest_clusters(const Rows& rows, std::size_t m, std::int64_t* clusters, double* matches,
                          Poll& poll) const {
        BestMatches few(m);
        std::size_t k = 0;
        recognise_rows(
            rows, poll,
            [&](std::size_t n_clusters, auto& ws) {
                state_.art.prepare_matches(ws);
                k = n_clusters;
                few.prepare(k);
            },
            [&](std::size_t r, const Sample& x, auto& ws) {
                write_matches(x, ws, few.all(), k);
                few.choose(clusters + r * m, matches + r * m);
                for (std::size_t i = 0; kRereads && i < m; ++i) {
                    std::int64_t& cluster = clusters[r * m + i];
                    if (cluster != kNone) cluster = label_in(cluster);
                }
            });
    }

    // Merge ART, or a reading, now: a reading chosen anew or, with `keeps_way`, in the same way as
    // the last. Returns which labels have changed, as state().label_map then does.
    LabelChanges merge(const Params& params, Poll& poll, bool keeps_way = false) {
        params.check();
        const WriteGuard writing(lock_, poll);
        return undoable([&] {
            copy_before();
            state_.art.configure(params);
            state_.label_map = changes_of(merge_now(poll, MovedNowhere(), true, keeps_way));
            return state_.label_map;
        });
    }

    // Clusters become those of another candidate of the last reading. Returns where labels have
    // gone.
    LabelChanges read_as(std::size_t place, Poll& poll) {
        static_assert(kRereads, "clusters are read from categories");
        const WriteGuard writing(lock_, poll);
        return undoable([&] {
            copy_before();
            state_.label_map =
                state_.art.read_as(place, state_.bounds, state_.n_samples, state_.n_merges, poll);
            state_.since_merge = 0;
            state_.art.reserve_one();
            state_.art.prepare(workspace_);
            return state_.label_map;
        });
    }

    // What the clusters of categories would be in such a reading.
    std::vector<std::int32_t> clusters_as(std::size_t place, Poll& poll) const {
        static_assert(kRereads, "clusters are read from categories");
        const ReadGuard reading(lock_, poll);
        return state_.art.clusters_as(place, poll);
    }

    // Threads that readings may use from now on.
    void set_threads(unsigned n, Poll& poll) {
        static_assert(kRereads, "clusters are read from categories");
        const WriteGuard writing(lock_, poll);
        forget();
        state_.art.set_threads(n);
    }

    // Categories of several models have come together in this one: those that are the same become
    // one, and the clusters are read. Returns where each category has gone.
    LabelMap pool(Poll& poll) {
        static_assert(kRereads, "clusters are read from categories");
        const WriteGuard writing(lock_, poll);
        return undoable([&] {
            copy_before();
            // First those that are forgotten: the rest can be joined by what it weighs.
            LabelMap goes_to = Art::identity(state_.art.categories().size());
            if (state_.art.forgets()) drop_stale_now(goes_to);
            const std::int64_t n_before = n_encoded();
            const LabelMap joined = state_.art.join(state_.bounds, state_.given, poll);
            state_.n_removed += n_before - n_encoded();
            const auto follow = [&](const LabelMap& map) {
                for (std::uint32_t& j : goes_to) j = renamed(j, map.data());
            };
            follow(joined);
            merge_now(poll, follow);
            return goes_to;
        });
    }

    // Clusters go, with all their categories; labels without holes close up in order. Returns which
    // labels have changed, as state().label_map then does.
    LabelChanges remove_clusters(const std::int64_t* clusters, std::size_t n, Poll& poll) {
        const WriteGuard writing(lock_, poll);
        state_.art.prepare(workspace_);
        const Marks goes = marked_clusters(clusters, n);
        return removing([&] {
            if constexpr (kLabelsLater) {
                LabelMap map;
                map.resize_uninitialised(goes.size());
                std::uint32_t left = 0;
                for (std::size_t m = 0; m < goes.size(); ++m) map[m] = goes[m] ? kNoLabel : left++;
                state_.art.remove_clusters(goes, workspace_);
                return LabelChanges::of(map);
            } else {
                const Categories& c = state_.art.categories();
                return remove_if(
                    [&](std::size_t j) { return c.owner(j) != kNoLabel && goes[c.owner(j)] != 0; });
            }
        });
    }

    // The same of categories, by their order of creation; clusters go that have no others.
    LabelChanges remove_categories(const std::int64_t* categories, std::size_t n, Poll& poll) {
        static_assert(!kLabelsLater, "a cluster may fall apart when one of its categories goes");
        const WriteGuard writing(lock_, poll);
        const Marks goes = marked("category", categories, n, state_.art.categories().size());
        return removing([&] { return remove_if([&](std::size_t j) { return goes[j] != 0; }); });
    }

    // The clusters there are were told apart by a choice of vigilances, which merging respects.
    void keep_apart(Poll& poll) {
        const WriteGuard writing(lock_, poll);
        forget();
        state_.n_apart = state_.art.n_clusters();
    }

    struct Counters {
        std::int64_t n_samples = 0;       // presentations, epochs counted
        std::int64_t since_merge = 0;     // presentations since the last merge or reading
        std::int64_t n_merges = 0;        // merges or readings
        std::int64_t n_refused = 0;       // presentations for which there was no room
        std::int64_t room_sought_at = 0;  // the presentation for which it was last sought
        std::int64_t n_removed = 0;       // presentations that removed categories had encoded
        std::size_t n_apart = 0;          // the first clusters are those of a choice: see merge_art
        bool has_moved = false;           // whether categories have, since a call learned rows
    };
    // What the model is. Callers hold `lock()` while they look or change.
    struct State : Counters {
        Art art;
        Bounds bounds;
        Bounds given;  // bounds from the caller, where they are needed later; rows only widen these
        LabelChanges label_map;  // of the last call
    };
    ModelLock& lock() const { return lock_; }
    const State& state() const { return state_; }
    // To be filled from elsewhere: what the model was before can no longer be had back.
    State& state_to_fill() noexcept {
        forget();
        return state_;
    }

    // After the state was filled from elsewhere. The caller holds the lock.
    void refresh_clusters() {
        state_.art.prepare(workspace_);
        count_clusters();
    }

private:
    // Does `work`. Where it fails, the model is what it was; where it succeeds, what it was can
    // still be had back.
    template <class Work>
    auto undoable(Work&& work) -> decltype(work()) {
        forget();
        before_.counters = state_;
        before_.label_map = std::move(state_.label_map);
        state_.label_map = LabelChanges();
        before_.is_known = true;
        try {
            state_.art.note_changes();
            return work();
        } catch (...) {
            roll_back();
            throw;
        }
    }

    // Before everything is rewritten, or anything that is not noted: ranges, parameters.
    // From here on the model before the call is a copy, and nothing more need be noted.
    void copy_before() {
        if (!before_.is_known || before_.copy) return;
        auto copy = std::make_unique<State>(state_);
        copy->art.undo_changes();
        static_cast<Counters&>(*copy) = before_.counters;
        before_.copy = std::move(copy);
        state_.art.forget_changes();
    }

    void roll_back() noexcept {
        if (!before_.is_known) return;
        if (before_.copy) {
            std::swap(state_, *before_.copy);
        } else {
            state_.art.undo_changes();
            static_cast<Counters&>(state_) = before_.counters;
        }
        state_.label_map = std::move(before_.label_map);
        forget();
    }

    void forget() noexcept {
        if (!before_.is_known) return;
        before_.is_known = false;
        before_.label_map = LabelChanges();
        before_.copy.reset();
        state_.art.forget_changes();
    }

    // Whether each row is far from all others; empty if none is.
    using Far = std::vector<std::uint8_t>;

    // Whether each of so many things is meant.
    using Marks = Buffer<std::uint8_t>;
    static Marks marked(const char* what, const std::int64_t* chosen, std::size_t n,
                        std::size_t n_there) {
        Marks marks;
        marks.assign(n_there, 0);
        std::size_t n_marked = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (chosen[i] < 0 || static_cast<std::size_t>(chosen[i]) >= n_there) {
                throw std::invalid_argument("there is no " + std::string(what) + " " +
                                            std::to_string(chosen[i]) + ": the model has " +
                                            std::to_string(n_there) + ", numbered from 0");
            }
            std::uint8_t& mark = marks[static_cast<std::size_t>(chosen[i])];
            n_marked += !mark;
            mark = 1;
        }
        if (n_marked && n_marked == n_there) {
            throw std::invalid_argument("a model needs at least one " + std::string(what) +
                                        ", and all of its " + std::to_string(n_there) +
                                        " were to be removed");
        }
        return marks;
    }

    // Whether the cluster in each place is meant, of those with these labels.
    Marks marked_clusters(const std::int64_t* clusters, std::size_t n) {
        const std::size_t n_there = count_clusters();
        if constexpr (!kRereads) {
            return marked("cluster", clusters, n, n_there);
        } else {
            Buffer<std::int64_t> slots;
            slots.resize_uninitialised(n);
            for (std::size_t i = 0; i < n; ++i) {
                const std::int64_t label = clusters[i];
                const bool was_used = label >= 0 && label < kMostRows &&
                                      static_cast<std::size_t>(label) < state_.art.n_labels();
                const std::uint32_t slot =
                    was_used ? state_.art.slot_of(static_cast<std::uint32_t>(label)) : kNoLabel;
                if (slot == kNoLabel) {
                    throw std::invalid_argument(
                        "there is no cluster " + std::to_string(label) +
                        (was_used
                             ? " any more: its label has died"
                             : ": the model has " + std::to_string(n_there) +
                                   ", with labels below " + std::to_string(state_.art.n_labels())));
                }
                slots[i] = slot;
            }
            return marked("cluster", slots.data(), n, n_there);
        }
    }

    // Lets `remove` drop what it will; it returns which labels have changed.
    template <class Remove>
    LabelChanges removing(Remove&& remove) {
        return undoable([&] {
            copy_before();
            const std::int64_t n_before = n_encoded();
            const LabelChanges changes = remove();
            state_.n_removed += n_before - n_encoded();
            state_.has_moved = true;
            std::size_t n_gone = 0;  // of those that are kept apart
            for (const auto& each : changes) {
                n_gone += each.from < state_.n_apart && each.to == kNoLabel;
            }
            state_.n_apart -= n_gone;
            state_.label_map = changes;
            refresh_clusters();
            return changes;
        });
    }

    // Removes the categories for which goes(j) holds.
    template <class Goes>
    LabelChanges remove_if(Goes&& goes) {
        if constexpr (kRereads) {
            std::vector<std::uint8_t> marks(state_.art.categories().size());
            for (std::size_t j = 0; j < marks.size(); ++j) marks[j] = goes(j);
            return state_.art.remove(marks);
        } else {
            LabelMap map;
            map.resize_uninitialised(state_.art.n_clusters());
            state_.art.remove(goes, map);
            return LabelChanges::of(map);
        }
    }

    // Presentations that the categories behind clusters have encoded.
    std::int64_t n_encoded() const noexcept {
        const Categories* c;
        if constexpr (kLabelsLater) {
            c = &state_.art.b().categories();
        } else {
            c = &state_.art.categories();
        }
        std::int64_t total = 0;
        for (std::size_t j = 0; j < c->size(); ++j) total += c->count(j);
        return total;
    }

    // Whether clusters are to be merged or read now; and after the next row, which comes at that
    // time if one is given. They are read when as many rows have come as the last reading saw: so
    // all readings together cost a row no more than one.
    bool due(const Params& params) const {
        if constexpr (kRereads) {
            return due_after(params, 0, state_.art.now());
        } else {
            return due_after(params, 0, 0.0);
        }
    }
    bool due_with_next(const Params& params, Times time) const {
        return due_after(params, 1, next_time(time, 0));
    }
    bool due_after(const Params& params, std::int64_t rows, double time) const {
        const std::int64_t since = state_.since_merge + rows;
        if constexpr (kMerges) {
            (void)time;
            return params.merge_every > 0 && since >= params.merge_every;
        } else if constexpr (kRereads) {
            (void)params;
            return state_.art.reading_due(since, state_.n_samples - state_.since_merge, time);
        } else {
            (void)params, (void)since, (void)time;
            return false;
        }
    }

    // A time in words: a date, or as many digits as tell it from others.
    static std::string in_words(double time, ClockKind kind) {
        if (kind == ClockKind::dates) return date_in_words(time);
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", time);
        return text;
    }

    // Why rows of one clock cannot be learned by a model of another.
    static const char* other_clock(ClockKind had, ClockKind given) {
        if (had == ClockKind::rows) {
            return "time was given, but the model has counted rows so far; give it from the first "
                   "row on, or never";
        }
        if (given == ClockKind::rows) {
            return "the model goes by the time that was given with its rows; give time with these, "
                   "too";
        }
        return had == ClockKind::dates
                   ? "time was given as numbers, but the model has learned rows with dates so far; "
                     "give dates, for instance as datetime64"
                   : "time was given as dates, but the model has learned rows with numbers as "
                     "times "
                     "so far; give numbers of the same clock";
    }

    // Times go on, by the clock that the model has had so far.
    void check_clock(Times time, std::size_t n) const {
        const Art& art = state_.art;
        const ClockKind had = art.clock_kind(), kind = time.kind();
        if (n && had != ClockKind::none && had != kind) {
            throw std::invalid_argument(other_clock(had, kind));
        }
        if (!time) return;
        double last = had == ClockKind::none ? -std::numeric_limits<double>::infinity() : art.now();
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = [i] { return "row " + std::to_string(i); };
            if (!std::isfinite(time[i])) {
                throw std::invalid_argument(kind == ClockKind::dates
                                                ? "time must be a date for each row, and " + row() +
                                                      " has none (NaT)"
                                                : "time must be finite numbers, got " +
                                                      in_words(time[i], kind) + " for " + row());
            }
            if (time[i] < last) {
                throw std::invalid_argument("time runs backwards: " + row() + " is at " +
                                            in_words(time[i], kind) + ", after one at " +
                                            in_words(last, kind) +
                                            "; sort the rows by time, or leave late ones out");
            }
            last = time[i];
        }
    }
    // The next row is the i-th of a call.
    void expect(Times time, std::size_t i) noexcept {
        state_.art.expect(next_time(time, i), time.kind());
    }
    double next_time(Times time, std::size_t i) const noexcept {
        return time ? time[i] : static_cast<double>(state_.n_samples + 1);
    }

    // Whether room is sought if the next row needs some. Not for every row: as many must have come
    // since the last time as there may be categories. (Before the first time they have.)
    // DensityART always finds some.
    bool seeks_room() const {
        if (kRereads) return state_.art.is_full();
        return kMerges && state_.art.is_full() &&
               state_.n_samples + 1 - state_.room_sought_at >= state_.art.params().max_categories;
    }

    // Whether rows have to be compared with the ranges before they are learned.
    static bool may_leave_bounds(const Params& params) {
        return params.out_of_bounds != OutOfBounds::clip;  // which coding does by itself
    }

    // Before the first of some rows. Returns whether any of them may have left the ranges. If these
    // are all rows, `far` receives which of them are few and far from all others.
    template <class Rows>
    bool begin(const Rows& rows, const Params& params, Far* far = nullptr) {
        if (!(params == state_.art.params())) {
            copy_before();
            state_.art.configure(params);
        }
        row_.resize_uninitialised(n_features_);
        if constexpr (kLabelsLater) state_.art.prepare(workspace_);
        if (!state_.bounds.known() || (far && params.out_of_bounds == OutOfBounds::expand)) {
            copy_before();
            Far found = learn_bounds(rows, params);
            if (far) *far = std::move(found);
            return kRereads && params.out_of_bounds == OutOfBounds::expand;
        }
        if (params.out_of_bounds == OutOfBounds::error) {
            refuse_outside(rows);
            return false;
        }
        return may_leave_bounds(params);
    }

    template <class Rows>
    int train_unguarded(const Rows& rows, const Params& params, const Plan& plan,
                        std::int64_t* labels, const Memberships* memberships, Poll& poll) {
        const std::size_t n = rows.size();
        bool are_all = false;  // that the model is made of, and none is forgotten
        Far far;
        if constexpr (kRereads) {
            check_clock(plan.time, n);
            are_all = n && plan.merge_at_end && !plan.merge_on_the_way && state_.n_samples == 0 &&
                      !params.forgets();
        }
        const bool may_leave = begin(rows, params, are_all ? &far : nullptr);
        // Labels of rows whose category may be forgotten before the call ends.
        Buffer<std::int64_t> as_told;
        if constexpr (kRereads) as_told.resize_uninitialised(state_.art.forgets() ? n : 0);
        CallMap call_map(kRenames ? n_labels() : 0);
        LabelMaps maps;  // of this epoch: of labels, or of the categories that stand for them
        ToldChanges told_changes;  // of as_told
        const auto row_at = [&](std::size_t i) {
            return plan.order ? static_cast<std::size_t>(plan.order[i]) : i;
        };
        const auto follow = [&](std::size_t i, Renamed&& renamed_now) {
            call_map.follow(changes_of(renamed_now));
            if constexpr (kRereads) {
                told_changes.add(i, renamed_now);
            } else {
                maps.add(i, std::move(renamed_now));
            }
        };
        const auto moved_after = [&](std::size_t i) {
            return [&maps, i](LabelMap&& map) { maps.add(i, std::move(map)); };
        };

        int epoch = 0;
        Buffer<double> overlaps;  // of rows with their categories
        if constexpr (kRereads) {
            if (are_all) {
                overlaps.resize_uninitialised(n);
                learn_all(rows, row_at, far, plan, labels, overlaps.data(), poll);
                epoch = plan.max_epochs;
            }
        }
        for (bool settled = false; epoch < plan.max_epochs && !settled; ++epoch) {
            const Art before = plan.max_epochs > 1 ? state_.art : Art();
            maps.clear();  // every row gets a new label
            told_changes.clear();
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t r = row_at(i);
                rows.read(r, row_.data());
                const auto make_room_first = [&] {
                    if constexpr (kRereads) {
                        auto thinned = thin_now(poll);
                        maps.add(i, std::move(thinned.goes_to));
                        follow(i, std::move(thinned.labels));
                    } else {
                        LabelMap map = make_room(plan.may_merge, poll);
                        if (map.size()) follow(i, std::move(map));
                    }
                };
                if constexpr (kRereads) expect(plan.time, r);
                labels[r] = told_label(learn_row(row_.data(), static_cast<std::int64_t>(r),
                                                 may_leave, make_room_first));
                if constexpr (kRereads) {
                    if (as_told.size()) as_told[r] = labels[r];
                    labels[r] = state_.art.taken();
                }
                if (poll.progress()) ++poll.progress()->n_rows;
                poll.work(workspace_.take_work() + n_features_);
                if (plan.merge_on_the_way && due(params)) {
                    follow(i + 1, merge_now(poll, moved_after(i + 1)));
                }
            }
            settled = plan.max_epochs > 1 && state_.art.same_weights(before);
        }
        if (plan.merge_at_end) follow(n, merge_now(poll, moved_after(n), !are_all));
        maps.apply(n, [&](std::size_t i) -> std::int64_t& { return labels[row_at(i)]; });
        if constexpr (kRereads) {
            if (as_told.size()) {
                told_changes.apply(
                    n, [&](std::size_t i) -> std::int64_t& { return as_told[row_at(i)]; });
            }
            tell_memberships(labels, n, memberships, as_told.size() ? as_told.data() : nullptr,
                             overlaps.size() ? overlaps.data() : nullptr);
            state_.has_moved = false;
        }
        state_.label_map = call_map.take();
        count_clusters();  // whoever asks the model next need not
        return epoch;
    }

    template <class Rows>
    void report_unguarded(const Rows& rows, const Params& params, StreamReport& told,
                          const Memberships* memberships, Times time, Poll& poll) {
        if constexpr (kRereads) check_clock(time, rows.size());
        const bool may_leave = begin(rows, params);
        CallMap call_map(kRenames ? n_labels() : 0);
        LabelMaps maps;  // of the categories in told.now
        const auto follow = [&](std::size_t n_rows, const LabelChanges& changes) {
            call_map.follow(changes);
            told.renamings.add(n_rows, changes);
        };
        std::size_t n_before = count_clusters();
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows.read(r, row_.data());
            const auto make_room_first = [&] {
                if constexpr (kRereads) {
                    auto thinned = thin_now(poll);
                    maps.add(r, std::move(thinned.goes_to));
                    follow(r, thinned.labels);
                } else {
                    const LabelMap map = make_room(true, poll);
                    if (map.size()) follow(r, LabelChanges::of(map));
                }
                n_before = count_clusters();
            };
            if constexpr (kRereads) {
                expect(time, r);
            } else {
                (void)time;
            }
            told.labels[r] = labelled(learn_row(row_.data(), static_cast<std::int64_t>(r),
                                                may_leave, make_room_first, &told.matches[r]));
            if constexpr (kRereads) told.now[r] = state_.art.taken();
            const std::size_t n_after = count_clusters();
            told.founded[r] = n_after > n_before;
            n_before = n_after;
            poll.work(workspace_.take_work() + n_features_);
            if (due(params)) {
                const auto moved = [&](LabelMap&& map) { maps.add(r + 1, std::move(map)); };
                follow(r + 1, changes_of(merge_now(poll, moved)));
                n_before = count_clusters();
            }
        }
        if constexpr (kRereads) {
            maps.apply(rows.size(), [&](std::size_t i) -> std::int64_t& { return told.now[i]; });
            Buffer<std::int64_t> as_told;
            as_told.reserve(rows.size());
            as_told.append(told.labels, rows.size());
            told.renamings.apply(rows.size(),
                                 [&](std::size_t i) -> std::int64_t& { return as_told[i]; });
            tell_memberships(told.now, rows.size(), memberships, as_told.data());
            state_.has_moved = false;
        }
        state_.label_map = call_map.take();
    }

    // All rows of a new model, none of which is forgotten: some are drawn, and each counts for the
    // nearest of those, whose categories they are told. What comes of it does not depend on their
    // order. Rows that are few and far from all others count for none (kNone).
    template <class Rows, class RowAt>
    void learn_all(const Rows& rows, RowAt&& row_at, const Far& far, const Plan& plan,
                   std::int64_t* categories, double* overlaps, Poll& poll) {
        copy_before();
        Art& art = state_.art;
        const std::size_t n = rows.size();
        coded_.prepare(n_features_);
        const auto each_near = [&](auto&& see) {
            for (std::size_t i = 0; i < n; ++i) {
                poll.work(n_features_);
                if (!far.empty() && far[row_at(i)]) continue;
                rows.read(row_at(i), row_.data());
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
            expect(plan.time, row_at(i));
            art.advance();
        }
        state_.n_samples = state_.since_merge = static_cast<std::int64_t>(n);
        if (poll.progress()) poll.progress()->n_rows += n;
        share_out(rows, far, categories, overlaps, poll);
    }

    // Each row counts for the nearest category, and those that are far for none.
    template <class Rows>
    void share_out(const Rows& rows, const Far& far, std::int64_t* categories, double* overlaps,
                   Poll& poll) {
        const Art& art = state_.art;
        constexpr std::size_t kChunk = 4096;
        in_parallel_tasks(
            (rows.size() + kChunk - 1) / kChunk, art.n_threads(), poll,
            [&](std::size_t t, Poll& asked) {
                Buffer<double> row;
                Coded<kRereads> x;
                typename Art::Workspace workspace;
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

    // From the categories of rows to their labels and what else is known of them. One whose
    // category was forgotten keeps the label it was told, as it has been renamed since; null: none
    // was, and what went was noise. With `overlaps`, rows may be too far from their categories to
    // be what these are, unless noise is attached to clusters.
    void tell_memberships(std::int64_t* labels, std::size_t n, const Memberships* memberships,
                          const std::int64_t* as_told, const double* overlaps = nullptr) {
        for (std::size_t i = 0; i < n; ++i) {
            if (memberships) memberships->category[i] = labels[i] < 0 ? -1 : labels[i];
            if (labels[i] < 0) {
                labels[i] = as_told ? as_told[i] : -1;
                if (!memberships) continue;
                memberships->strength[i] = labels[i] < 0 ? 0.0 : 1.0;
                memberships->outlier[i] = labels[i] < 0 ? 1.0 : 0.0;
                continue;
            }
            const auto j = static_cast<std::size_t>(labels[i]);
            const bool may_be_far = overlaps && state_.art.params().noise == Noise::label;
            const auto known = static_cast<double>(n_features_);
            const auto told = state_.art.tell({j, may_be_far ? overlaps[i] : known});
            labels[i] = told_label(told.label);
            if (!memberships) continue;
            // A row beyond its category's cluster is of no category, in other readings as well.
            if (labels[i] < 0 && state_.art.label_of_category(j) != kNoLabel) {
                memberships->category[i] = -1;
            }
            memberships->strength[i] = told.strength;
            memberships->outlier[i] = told.outlier;
        }
    }

    // The label of the cluster in a place.
    std::int64_t label_in(std::int64_t place) const noexcept {
        if constexpr (kRereads) {
            return told_label(state_.art.label_in(static_cast<std::uint32_t>(place)));
        } else {
            return place;
        }
    }

    // Above all labels that rows may have.
    std::size_t n_labels() const noexcept {
        if constexpr (kRereads) {
            return state_.art.n_labels();
        } else {
            return state_.art.n_clusters();
        }
    }

    // How many clusters there are, from row to row.
    std::size_t count_clusters() noexcept {
        if constexpr (kLabelsLater) {
            return state_.art.find_components(workspace_);
        } else {
            return state_.art.n_clusters();
        }
    }

    std::int64_t learn_or_merge(const double* row, Poll& poll) {
        if (!state_.bounds.known()) {
            copy_before();
            state_.bounds.set(row, row, n_features_);
        }
        CallMap call_map(kRenames ? n_labels() : 0);
        const bool may_leave = may_leave_bounds(state_.art.params());
        std::int64_t label = labelled(
            learn_row(row, kNone, may_leave, [&] { call_map.follow(make_room_for_one(poll)); }));
        if (due(state_.art.params())) {
            std::uint32_t category = 0;
            if constexpr (kRereads) category = state_.art.taken();
            const Renamed now = merge_now(
                poll, [&](LabelMap&& goes_to) { category = renamed(category, goes_to.data()); });
            if constexpr (kRereads) {
                if (category != kNoLabel) {
                    label = told_label(state_.art.label_of_category(category));
                }
            } else {
                label = renamed(label, now.data());
            }
            call_map.follow(changes_of(now));
        }
        state_.label_map = call_map.take();
        return label;
    }

    // One presentation. What can fail comes before anything changes, but for `make_room`: it is
    // called where room has to be made, and has the last word. `match` receives what the row's
    // match was before it was learned.
    template <class MakeRoom>
    std::uint32_t learn_row(const double* row, std::int64_t index, bool may_leave,
                            MakeRoom&& make_room, double* match = nullptr) {
        if (state_.n_samples >= kMostRows) {
            throw std::invalid_argument(
                "the model has been presented 2^53 rows, and cannot count more; train a new one");
        }
        coded_.prepare(n_features_);
        state_.art.reserve_one();
        state_.art.prepare(workspace_);
        if constexpr (kRereads) workspace_.told.reset();
        const auto admitted = [&] { return admit(row, index, may_leave); };
        const Sample x = admitted();
        // Where nothing is forgotten, making room may fail, and no time have passed.
        if constexpr (kRereads) {
            if (state_.art.forgets()) state_.art.advance();
        }
        if (match) *match = 0.0;
        double* const asked = match && known() ? match : nullptr;
        const std::uint32_t label = state_.art.is_full()
                                        ? learn_when_full(x, make_room, admitted, asked)
                                        : state_.art.learn(x, workspace_, asked);
        if (asked) *match = clamped_match(*match);
        if constexpr (kRereads) {
            if (!state_.art.forgets()) state_.art.advance();
        }
        ++state_.n_samples;
        ++state_.since_merge;
        return label;
    }

    void write_matches(const Sample& x, typename Art::Workspace& ws, double* match,
                       std::size_t n_clusters) const noexcept {
        state_.art.matches(x, ws, match);
        for (std::size_t m = 0; m < n_clusters; ++m) match[m] = clamped_match(match[m]);
    }

    // Whether there is anything to match.
    bool known() const noexcept {
        if constexpr (kLabelsLater) {
            return true;  // topoART looks for itself
        } else {
            return state_.art.categories().size() != 0;
        }
    }

    // A row that would make a category has room made for it now and then. Where that does not help,
    // it gets the label that `predict` would give it, and leaves no trace.
    // `admitted` codes the row again, since making room may change the ranges.
    template <class MakeRoom, class Admitted>
    std::uint32_t learn_when_full(Sample x, MakeRoom&& make_room, Admitted&& admitted,
                                  double* match) {
        Art& art = state_.art;
        if constexpr (kLabelsLater) {
            (void)make_room, (void)admitted;
            if (!art.learn_if_room(x, workspace_, match)) ++state_.n_refused;
            return 0;
        } else {
            art.follow_advice(workspace_);
            auto choice = art.choose(x, kAnyMatch, workspace_, match);
            if (Art::creates(choice) && seeks_room()) {
                make_room();
                x = admitted();
                choice = art.choose(x, kAnyMatch, workspace_);
            }
            if (!Art::creates(choice) || !art.is_full()) return art.take(x, choice);
            ++state_.n_refused;
            return static_cast<std::uint32_t>(art.cluster_of(x, true, workspace_));  // never -1
        }
    }

    // Merge ART for the sake of the next row, or only its compression. Returns old-to-new where
    // clusters were merged. After it the row can be learned, which then cannot fail.
    LabelMap make_room(bool may_merge, Poll& poll) {
        LabelMap map;
        copy_before();
        if constexpr (kMerges) {
            if (may_merge && state_.art.params().merge_when_full) {
                map = merge_now(poll);
            } else {
                state_.art.compress(poll);
            }
        }
        state_.room_sought_at = state_.n_samples + 1;
        state_.art.reserve_one();
        state_.art.prepare(workspace_);
        return map;
    }

    // Fewer categories for the sake of the next row. After it the row can be learned, which then
    // cannot fail.
    auto thin_now(Poll& poll) {
        copy_before();
        const std::int64_t n_before = n_encoded();
        auto thinned = state_.art.thin(state_.bounds, state_.given, poll);
        state_.has_moved = true;
        state_.n_removed += n_before - n_encoded();  // what was forgotten
        state_.art.reserve_one();
        state_.art.prepare(workspace_);
        return thinned;
    }

    // Either of both, for a row that is learned by itself. Returns which labels have changed.
    LabelChanges make_room_for_one(Poll& poll) {
        if constexpr (kRereads) {
            return thin_now(poll).labels;
        } else {
            return LabelChanges::of(make_room(true, poll));
        }
    }

    // The label of the row just learned, which still lies coded.
    std::int64_t labelled(std::uint32_t label) noexcept {
        if constexpr (kLabelsLater) {
            state_.art.find_components(workspace_);
            return state_.art.cluster_of(coded_.last(), true, workspace_);
        } else {
            return told_label(label);
        }
    }

    // The row, coded; ranges widen for it where they may, and it is not too far outside for that.
    Sample admit(const double* row, std::int64_t index, bool may_leave) {
        if (may_leave && !state_.bounds.contains(row)) {
            if constexpr (kRereads) {
                if (!workspace_.told) tell_before(row);
                if (state_.art.stays_outside(row, state_.bounds, state_.n_samples)) {
                    return coded_.code_outside(row);
                }
            }
            leave_bounds(row, index);
        }
        return coded_.code(row, state_.bounds);
    }

    // What is said of a row outside the ranges before they widen for it.
    void tell_before(const double* row) {
        if (state_.art.params().out_of_bounds != OutOfBounds::expand || !known()) return;
        widening_.prepare(n_features_);
        const Bounds& wider = widening_.include(state_.bounds, row);
        const Sample x = widening_.see(coded_.code(row, wider));
        workspace_.told = state_.art.tell(x, workspace_);
    }

    void leave_bounds(const double* row, std::int64_t index) {
        if (state_.art.params().out_of_bounds == OutOfBounds::error) refuse(row, index);
        Bounds wider = state_.bounds;
        wider.include(row);
        copy_before();
        if constexpr (kRereads) {
            state_.art.code_anew(wider);
        } else {
            state_.art.transform([&](std::size_t entry, double w) {
                return state_.bounds.move_entry(entry, w, wider);
            });
        }
        state_.bounds = std::move(wider);
    }

    void refuse(const double* row, std::int64_t index) const {
        for (std::size_t f = 0; f < n_features_; ++f) {
            if (!state_.bounds.inside(f, row[f])) {
                throw OutsideBounds{index, f, row[f], state_.bounds.low(f), state_.bounds.high(f)};
            }
        }
    }

    template <class Rows>
    void refuse_outside(const Rows& rows) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows.read(r, row_.data());
            refuse(row_.data(), static_cast<std::int64_t>(r));
        }
    }

    // From all rows, and what was given. DensityART leaves out those that are few and far from all
    // others; returned is whether each is, or nothing if none is.
    template <class Rows>
    Far learn_bounds(const Rows& rows, const Params& params) {
        Far far;
        if constexpr (kRereads) {
            FarRows all(
                rows.size(), n_features_,
                [&](std::size_t r, std::size_t f) { return rows.at(r, f); },
                [](std::size_t) { return 1.0; }, state_.given);
            if (params.out_of_bounds == OutOfBounds::expand) {
                far = all.find(params.cluster_size(all.total()), [](std::size_t) { return false; });
            }
        } else {
            (void)params;
        }
        Bounds fresh = state_.given;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (!far.empty() && far[r]) continue;
            rows.read(r, row_.data());
            if (!fresh.known()) fresh.set(row_.data(), row_.data(), n_features_);
            fresh.include(row_.data());
        }
        state_.bounds = std::move(fresh);
        return far;
    }

    // Categories that have lost nearly all their weight go, before a reading. Returns whether any
    // did; `map` follows where they went.
    bool drop_stale_now(LabelMap& map) {
        if (state_.art.is_all_stale()) {
            throw std::invalid_argument(
                "nothing is left to be read: all that the model learned has been forgotten or "
                "removed; learn rows first");
        }
        const std::int64_t n_gone = state_.art.drop_stale(map);
        state_.n_removed += n_gone;
        return n_gone > 0;
    }

    struct MovedNowhere {
        void operator()(LabelMap&&) const noexcept {}
    };
    // `moved(map)` is told where categories have gone, if some were forgotten or too far away.
    // `settles`: whether ranges are to be settled before a reading.
    template <class Moved = MovedNowhere>
    Renamed merge_now(Poll& poll, Moved&& moved = Moved(), bool settles = true,
                      bool keeps_way = false) {
        if constexpr (kRenames) {
            if (state_.n_merges >= kMostRows) {
                throw std::invalid_argument(
                    "the model has been merged 2^53 times, and cannot count more; train a new one");
            }
            copy_before();
            (void)moved, (void)settles, (void)keeps_way;
            Renamed now;
            if constexpr (kRereads) {
                LabelMap goes_to = Art::identity(state_.art.categories().size());
                bool any_gone = state_.art.forgets() && drop_stale_now(goes_to);
                const auto settled = settles
                                         ? state_.art.settle(state_.bounds, state_.given, goes_to)
                                         : typename Art::Settled();
                state_.n_removed += settled.n_gone;
                any_gone |= settled.n_gone > 0;
                if (any_gone) {
                    state_.has_moved = true;
                    moved(std::move(goes_to));
                }
                Candidate way;
                if (keeps_way) way = state_.art.last_way();
                now = settled.changes.then(state_.art.read(state_.bounds, state_.n_samples,
                                                           state_.n_merges + 1,
                                                           keeps_way ? &way : nullptr, poll));
                state_.art.reserve_one();
                state_.art.prepare(workspace_);
            } else {
                now = state_.art.merge(state_.n_apart, poll);
            }
            state_.since_merge = 0;
            ++state_.n_merges;
            return now;
        } else {
            (void)poll;
            return Renamed();
        }
    }

    // Calls see(r, x, workspace) for each row; one outside the ranges sees the model as it would be
    // had they been widened to hold this row.
    template <class Rows, class See>
    void recognise_rows(const Rows& rows, Poll& poll, See&& see) const {
        recognise_rows(rows, poll, [](std::size_t, auto&) {}, see);
    }

    // The same after begin(n_clusters, workspace), which may ask for memory.
    template <class Rows, class Begin, class See>
    void recognise_rows(const Rows& rows, Poll& poll, Begin&& begin, See&& see) const {
        const ReadGuard reading(lock_, poll);
        // topoART may have dropped all it had, and then says -1.
        if (!kLabelsLater && state_.art.categories().size() == 0) {
            throw std::invalid_argument("the model is empty");
        }
        Buffer<double> row;
        Coded<kRereads> x;
        row.resize_uninitialised(n_features_);
        x.prepare(n_features_);
        typename Art::Workspace workspace;
        state_.art.prepare(workspace);
        search_history_.copy_to(workspace);
        if constexpr (kLabelsLater) {
            state_.art.recall_components(workspace_, workspace);
            begin(state_.art.find_components(workspace), workspace);
        } else {
            begin(state_.art.n_clusters(), workspace);
        }
        Widening widening;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows.read(r, row.data());
            const OutOfBounds policy = state_.art.params().out_of_bounds;
            const bool inside = policy == OutOfBounds::clip || state_.bounds.contains(row.data());
            if (!inside && policy == OutOfBounds::error) {
                refuse(row.data(), static_cast<std::int64_t>(r));
            }
            if (inside) {
                see(r, x.code(row.data(), state_.bounds), workspace);
            } else {
                widening.prepare(n_features_);
                const Bounds& wider = widening.include(state_.bounds, row.data());
                see(r, widening.see(x.code(row.data(), wider)), workspace);
            }
            poll.work(workspace.take_work() + n_features_);
        }
        search_history_.update_from(workspace);
    }

    // What those who ask, many at once perhaps, have found out about searching, for the next one.
    // Nobody waits for it: a thread that held it when the process was forked never gives it back.
    class SharedHistory {
    public:
        void copy_to(typename Art::Workspace& workspace) {
            const std::unique_lock<std::mutex> guard(mutex_, std::try_to_lock);
            if (guard) workspace.set_search_history(known_);
        }
        void update_from(const typename Art::Workspace& workspace) {
            const std::unique_lock<std::mutex> guard(mutex_, std::try_to_lock);
            if (guard) known_ = workspace.search_history();
        }

    private:
        std::mutex mutex_;
        typename Art::Workspace::SearchHistory known_;
    };

    std::size_t n_features_;
    State state_;
    // Work space of training, kept from row to row; not part of the model.
    Buffer<double> row_;
    Coded<kRereads> coded_;
    Widening widening_;
    typename Art::Workspace workspace_;
    // The model before the last call, until it is kept: what its parts have noted and its counters,
    // or a copy.
    struct Before {
        bool is_known = false;
        Counters counters;
        LabelChanges label_map;
        std::unique_ptr<State> copy;
    };
    Before before_;
    mutable SharedHistory search_history_;
    mutable ModelLock lock_;
};

}  // namespace resonart
