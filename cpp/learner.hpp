// The corridor a row walks: read, scaled, coded, learned or recognised. Everything an estimator
// needs besides its algorithm: feature ranges, epochs, automatic merging, a bound on memory,
// locking, and the promise that a call which fails leaves the model as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "best_matches.hpp"
#include "bounds.hpp"
#include "ddvfa.hpp"
#include "dvfa.hpp"
#include "fuzzy_art.hpp"
#include "model_lock.hpp"
#include "params.hpp"
#include "poll.hpp"
#include "recognition.hpp"
#include "topo_art.hpp"
#include "widening.hpp"

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
    const std::int64_t* order = nullptr;  // null: rows as given
    int max_epochs = 1;
    bool merge_at_end = false;
    bool merge_on_the_way = false;  // every params.merge_every rows
    bool may_merge = true;          // when there is no room; false: only compress
    bool can_be_undone = true;      // false: the caller throws the model away when it fails
};

// Room for one complement-coded row.
class Coded {
public:
    void prepare(std::size_t n_features) {
        exact_.resize_uninitialised(2 * n_features);
        rough_.resize_uninitialised(2 * n_features);
    }
    Sample code(const double* row, const Bounds& bounds) noexcept {
        bounds.code(row, exact_.data());
        for (std::size_t f = 0; f < exact_.size(); ++f) rough_[f] = static_cast<float>(exact_[f]);
        return last();
    }
    Sample last() const noexcept { return {exact_.data(), rough_.data()}; }

private:
    Buffer<double> exact_;
    Buffer<float> rough_;
};

// Old label -> new label of the merges within one call.
class LabelMaps {
public:
    // Rows learned before `end` (in order of presentation) carry labels that `map` renames.
    void add(std::size_t end, Buffer<std::uint32_t>&& map) {
        ends_.reserve(ends_.size() + 1);
        offsets_.reserve(offsets_.size() + 1);
        entries_.reserve(entries_.size() + map.size());
        ends_.push(end);
        offsets_.push(entries_.size());
        entries_.append(map.data(), map.size());
    }
    void clear() noexcept {
        ends_.clear();
        offsets_.clear();
        entries_.clear();
    }

    // Walks the merges backwards, so that each label is renamed once by all that came after it.
    template <class Label>
    void apply(std::size_t n, Label&& label) {
        for (std::size_t i = ends_.size(); i-- > 0;) {
            if (i + 1 < ends_.size()) {
                const std::uint32_t* later = entries_.data() + offsets_[i + 1];
                const std::size_t stop = offsets_[i + 1];
                for (std::size_t e = offsets_[i]; e < stop; ++e) entries_[e] = later[entries_[e]];
            }
            const std::size_t first = i == 0 ? 0 : ends_[i - 1];
            const std::size_t last = ends_[i] < n ? ends_[i] : n;
            for (std::size_t r = first; r < last; ++r) {
                auto& mine = label(r);
                mine = entries_[offsets_[i] + static_cast<std::size_t>(mine)];
            }
        }
    }

private:
    Buffer<std::size_t> ends_, offsets_;
    Buffer<std::uint32_t> entries_;
};

// What a stream is told: of each row its label, its match with what was known before it, and
// whether it founded a cluster; and in between, which labels merging has changed.
struct StreamReport {
    explicit StreamReport(std::size_t n) {
        labels.resize_uninitialised(n);
        matches.resize_uninitialised(n);
        founded.resize_uninitialised(n);
    }
    // From the row after `n_rows` of these on, label i is called map[i].
    void rename(std::size_t n_rows, const Buffer<std::uint32_t>& map) {
        after.reserve(after.size() + 1);
        sizes.reserve(sizes.size() + 1);
        entries.reserve(entries.size() + map.size());
        after.push(static_cast<std::int64_t>(n_rows));
        sizes.push(static_cast<std::int64_t>(map.size()));
        for (const std::uint32_t entry : map) entries.push(entry);
    }

    Buffer<std::int64_t> labels;
    Buffer<double> matches;
    Buffer<std::uint8_t> founded;
    Buffer<std::int64_t> after, sizes, entries;  // of the renamings: when, how long, one by one
};

// Labels before a call -> labels after it, whatever was merged on the way.
class CallMap {
public:
    explicit CallMap(std::size_t n_clusters) : n_clusters_(n_clusters) {}
    void follow(const Buffer<std::uint32_t>& map) {
        if (!any_) {
            map_.reserve(n_clusters_);
            for (std::size_t m = 0; m < n_clusters_; ++m) {
                map_.push(static_cast<std::uint32_t>(m));
            }
        }
        any_ = true;
        for (std::uint32_t& m : map_) m = map[m];
    }
    bool any() const { return any_; }
    Buffer<std::uint32_t> take() noexcept { return std::move(map_); }

private:
    std::size_t n_clusters_;
    bool any_ = false;
    Buffer<std::uint32_t> map_;
};

template <class Art>
class Learner {
public:
    static constexpr bool kMerges = std::is_same<Art, Ddvfa>::value;
    // topoART's clusters are not known while it learns: a row's label is asked for afterwards.
    static constexpr bool kLabelsLater = std::is_same<Art, TopoArt>::value;
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
    template <class Rows, class Ask>
    int train(const Rows& rows, const Params& params, const Plan& plan, std::int64_t* labels,
              Ask ask) {
        params.check();
        const Writing writing(lock_, ask);
        Poll<Ask> poll(ask);
        if (!plan.can_be_undone) return train_unguarded(rows, params, plan, labels, poll);
        return undoable([&] { return train_unguarded(rows, params, plan, labels, poll); });
    }

    // The caller of `train` or `merge` may still fail after they have succeeded (an interrupt on
    // the way back): until `keep`, the model before the call can be had back.
    template <class Ask>
    void undo(Ask ask) {
        const Writing writing(lock_, ask);
        if (before_) std::swap(state_, *before_);
        before_.reset();
    }
    template <class Ask>
    void keep(Ask ask) {
        const Writing writing(lock_, ask);
        before_.reset();
    }

    // The lean path: one row of n_features doubles, parameters as they were last set. The caller
    // holds the lock.
    template <class Ask>
    std::int64_t learn_one(const double* row, Ask ask) {
        before_.reset();  // what came before this row is no longer to be had
        const Params& params = state_.art.params();
        // The ranges then change before the row is known to need room.
        const bool widens_first = seeks_room() && params.out_of_bounds == OutOfBounds::expand &&
                                  !state_.bounds.contains(row);
        if (!state_.bounds.known() || due_within(params, 1) || widens_first) {
            const std::int64_t label = undoable([&] { return learn_or_merge(row, ask); });
            before_.reset();
            return label;
        }
        // Here nothing has changed when room is to be made, and only then the model is copied.
        return labelled(learn_row(row, kNone, [&] {
            Poll<Ask> poll(ask);
            undoable([&] {
                Buffer<std::uint32_t> map = make_room(true, poll);
                if (map.size()) state_.label_map = std::move(map);
            });
            before_.reset();
        }));
    }

    // As `train` with the rows as given, once, and tells what each of them did as it came.
    template <class Rows, class Ask>
    void train_telling(const Rows& rows, const Params& params, StreamReport& told, Ask ask) {
        params.check();
        const Writing writing(lock_, ask);
        Poll<Ask> poll(ask);
        undoable([&] { tell_unguarded(rows, params, told, poll); });
    }

    // Whether the next row may take long: it is followed by a merge, or may have room made for it.
    // The caller holds the lock.
    bool may_merge_next() const { return due_within(state_.art.params(), 1) || seeks_room(); }

    // cluster[r] of each row, kNone where nothing resonates and the nearest is not wanted.
    template <class Rows, class Ask>
    void predict(const Rows& rows, bool nearest, std::int64_t* clusters, Ask ask) const {
        recognise_rows(rows, ask, [&](std::size_t r, const Sample& x, auto& ws) {
            clusters[r] = state_.art.cluster_of(x, nearest, ws);
        });
    }

    // As `predict`, by topoART's module A.
    template <class Rows, class Ask>
    void predict_a(const Rows& rows, bool nearest, std::int64_t* clusters, Ask ask) const {
        recognise_rows(rows, ask, [&](std::size_t r, const Sample& x, auto& ws) {
            clusters[r] = state_.art.cluster_in_a(x, nearest, ws);
        });
    }

    template <class Rows, class Ask>
    void score(const Rows& rows, double* matches, Ask ask) const {
        recognise_rows(rows, ask, [&](std::size_t r, const Sample& x, auto& ws) {
            matches[r] = clamped_match(state_.art.recognise(x, ws).match);
        });
    }

    // Match of each row with each cluster, row by row. `room(k)` is called once, with the number of
    // clusters, and gives the place for rows × k of them.
    template <class Rows, class Ask, class Room>
    void matches(const Rows& rows, Room&& room, Ask ask) const {
        double* table = nullptr;
        std::size_t k = 0;
        recognise_rows(
            rows, ask,
            [&](std::size_t n_clusters, auto& ws) {
                state_.art.prepare_matches(ws);
                k = n_clusters;
                table = room(k);
            },
            [&](std::size_t r, const Sample& x, auto& ws) {
                tell_matches(x, ws, table + r * k, k);
            });
    }

    // The `m` clusters that match each row best, and their matches: m places a row, as
    // `BestMatches` fills them.
    template <class Rows, class Ask>
    void nearest_clusters(const Rows& rows, std::size_t m, std::int64_t* clusters, double* matches,
                          Ask ask) const {
        BestMatches few(m);
        std::size_t k = 0;
        recognise_rows(
            rows, ask,
            [&](std::size_t n_clusters, auto& ws) {
                state_.art.prepare_matches(ws);
                k = n_clusters;
                few.prepare(k);
            },
            [&](std::size_t r, const Sample& x, auto& ws) {
                tell_matches(x, ws, few.all(), k);
                few.choose(clusters + r * m, matches + r * m);
            });
    }

    // Merge ART now; state().label_map is then old-to-new, one entry for each cluster there was.
    template <class Ask>
    void merge(const Params& params, Ask ask) {
        params.check();
        const Writing writing(lock_, ask);
        Poll<Ask> poll(ask);
        undoable([&] {
            state_.art.configure(params);
            state_.label_map = merge_now(poll);
        });
    }

    // The clusters there are were told apart by a choice of vigilances, which merging respects.
    template <class Ask>
    void keep_apart(Ask ask) {
        const Writing writing(lock_, ask);
        state_.n_apart = state_.art.n_clusters();
    }

    // What the model is. Callers hold `lock()` while they look or change.
    struct State {
        Art art;
        Bounds bounds;
        std::int64_t n_samples = 0;    // presentations, epochs counted
        std::int64_t since_merge = 0;  // presentations since the last merge
        std::int64_t n_merges = 0;
        std::int64_t n_refused = 0;       // presentations for which there was no room
        std::int64_t room_sought_at = 0;  // the presentation for which it was last sought
        std::size_t n_apart = 0;          // the first clusters are those of a choice: see merge_art
        Buffer<std::uint32_t> label_map;  // of the last call that merged
    };
    ModelLock& lock() const { return lock_; }
    State& state() { return state_; }
    const State& state() const { return state_; }

    // After the state was filled from elsewhere. The caller holds the lock.
    void know_clusters() {
        state_.art.prepare(workspace_);
        count_clusters();
    }

private:
    // Does `work`. Where it fails, the model is what it was; where it succeeds, what it was is kept
    // at hand.
    template <class Work>
    auto undoable(Work&& work) -> decltype(work()) {
        before_.reset();
        auto before = std::make_unique<State>(state_);
        try {
            if constexpr (std::is_void<decltype(work())>::value) {
                work();
                before_ = std::move(before);
            } else {
                auto result = work();
                before_ = std::move(before);
                return result;
            }
        } catch (...) {
            std::swap(state_, *before);
            throw;
        }
    }

    bool due_within(const Params& params, std::size_t rows) const {
        return kMerges && params.merge_every > 0 &&
               state_.since_merge + static_cast<std::int64_t>(rows) >= params.merge_every;
    }

    // Whether room is sought if the next row needs some. Not for every row: as many must have come
    // since the last time as there may be categories. (Before the first time they have.)
    bool seeks_room() const {
        return kMerges && state_.art.is_full() &&
               state_.n_samples + 1 - state_.room_sought_at >= state_.art.params().max_categories;
    }

    // Before the first of some rows.
    template <class Rows>
    void begin(const Rows& rows, const Params& params) {
        if (!(params == state_.art.params())) state_.art.configure(params);
        row_.resize_uninitialised(n_features_);
        if (!state_.bounds.known()) learn_bounds(rows);
        if (params.out_of_bounds == OutOfBounds::error) refuse_outside(rows);
        if constexpr (kLabelsLater) state_.art.prepare(workspace_);
    }

    template <class Rows, class Ask>
    int train_unguarded(const Rows& rows, const Params& params, const Plan& plan,
                        std::int64_t* labels, Poll<Ask>& poll) {
        begin(rows, params);
        const std::size_t n = rows.size();
        CallMap call_map(kMerges ? state_.art.n_clusters() : 0);
        LabelMaps maps;  // of this epoch
        const auto row_at = [&](std::size_t i) {
            return plan.order ? static_cast<std::size_t>(plan.order[i]) : i;
        };
        const auto follow = [&](std::size_t i, Buffer<std::uint32_t>&& map) {
            call_map.follow(map);
            maps.add(i, std::move(map));
        };

        int epoch = 0;
        for (bool settled = false; epoch < plan.max_epochs && !settled; ++epoch) {
            const Art before = plan.max_epochs > 1 ? state_.art : Art();
            maps.clear();  // every row gets a new label
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t r = row_at(i);
                rows.read(r, row_.data());
                labels[r] = learn_row(row_.data(), static_cast<std::int64_t>(r), [&] {
                    Buffer<std::uint32_t> map = make_room(plan.may_merge, poll);
                    if (map.size()) follow(i, std::move(map));
                });
                poll.work(workspace_.take_work() + n_features_);
                if (plan.merge_on_the_way && due_within(params, 0)) follow(i + 1, merge_now(poll));
            }
            settled = plan.max_epochs > 1 && state_.art.same_weights(before);
        }
        if (plan.merge_at_end) follow(n, merge_now(poll));
        maps.apply(n, [&](std::size_t i) -> std::int64_t& { return labels[row_at(i)]; });
        if (call_map.any()) state_.label_map = call_map.take();
        count_clusters();  // whoever asks the model next need not
        return epoch;
    }

    template <class Rows, class Ask>
    void tell_unguarded(const Rows& rows, const Params& params, StreamReport& told,
                        Poll<Ask>& poll) {
        begin(rows, params);
        CallMap call_map(kMerges ? state_.art.n_clusters() : 0);
        const auto follow = [&](std::size_t n_rows, const Buffer<std::uint32_t>& map) {
            call_map.follow(map);
            told.rename(n_rows, map);
        };
        std::size_t n_before = count_clusters();
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows.read(r, row_.data());
            const auto make_room_first = [&] {
                const Buffer<std::uint32_t> map = make_room(true, poll);
                if (map.size()) follow(r, map);
                n_before = count_clusters();
            };
            told.labels[r] = labelled(learn_row(row_.data(), static_cast<std::int64_t>(r),
                                                make_room_first, &told.matches[r]));
            const std::size_t n_after = count_clusters();
            told.founded[r] = n_after > n_before;
            n_before = n_after;
            poll.work(workspace_.take_work() + n_features_);
            if (due_within(params, 0)) {
                follow(r + 1, merge_now(poll));
                n_before = count_clusters();
            }
        }
        if (call_map.any()) state_.label_map = call_map.take();
    }

    // How many clusters there are, from row to row.
    std::size_t count_clusters() noexcept {
        if constexpr (kLabelsLater) {
            return state_.art.find_components(workspace_);
        } else {
            return state_.art.n_clusters();
        }
    }

    template <class Ask>
    std::int64_t learn_or_merge(const double* row, Ask ask) {
        if (!state_.bounds.known()) state_.bounds.set(row, row, n_features_);
        Poll<Ask> poll(ask);
        CallMap call_map(kMerges ? state_.art.n_clusters() : 0);
        std::int64_t label = labelled(learn_row(row, kNone, [&] {
            const Buffer<std::uint32_t> map = make_room(true, poll);
            if (map.size()) call_map.follow(map);
        }));
        if (due_within(state_.art.params(), 0)) {
            const Buffer<std::uint32_t> map = merge_now(poll);
            label = map[static_cast<std::size_t>(label)];
            call_map.follow(map);
        }
        if (call_map.any()) state_.label_map = call_map.take();
        return label;
    }

    // One presentation. What can fail comes before anything changes, but for `make_room`: it is
    // called where room has to be made, and has the last word. `match` receives what the row's
    // match was before it was learned.
    template <class MakeRoom>
    std::uint32_t learn_row(const double* row, std::int64_t index, MakeRoom&& make_room,
                            double* match = nullptr) {
        if (state_.n_samples >= kMostRows) {
            throw std::invalid_argument(
                "the model has been presented 2^53 rows, and cannot count more; train a new one");
        }
        coded_.prepare(n_features_);
        state_.art.reserve_one();
        state_.art.prepare(workspace_);
        if (!state_.bounds.contains(row)) leave_bounds(row, index);
        const Sample x = coded_.code(row, state_.bounds);
        if (match)
            *match = known() ? clamped_match(state_.art.recognise(x, workspace_).match) : 0.0;
        const std::uint32_t label =
            state_.art.is_full() ? learn_when_full(x, make_room) : state_.art.learn(x, workspace_);
        ++state_.n_samples;
        ++state_.since_merge;
        return label;
    }

    void tell_matches(const Sample& x, typename Art::Workspace& ws, double* match,
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
    template <class MakeRoom>
    std::uint32_t learn_when_full(const Sample& x, MakeRoom&& make_room) {
        Art& art = state_.art;
        if constexpr (kLabelsLater) {
            (void)make_room;
            if (!art.learn_if_room(x, workspace_)) ++state_.n_refused;
            return 0;
        } else {
            art.follow_advice(workspace_);
            auto choice = art.choose(x, kAnyMatch, workspace_);
            if (Art::creates(choice) && seeks_room()) {
                make_room();
                choice = art.choose(x, kAnyMatch, workspace_);
            }
            if (!Art::creates(choice) || !art.is_full()) return art.take(x, choice);
            ++state_.n_refused;
            return static_cast<std::uint32_t>(art.cluster_of(x, true, workspace_));
        }
    }

    // Merge ART for the sake of the next row, or only its compression. Returns old-to-new where
    // clusters were merged. After it the row can be learned, which then cannot fail.
    template <class Ask>
    Buffer<std::uint32_t> make_room(bool may_merge, Poll<Ask>& poll) {
        Buffer<std::uint32_t> map;
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

    // The label of the row just learned, which still lies coded.
    std::int64_t labelled(std::uint32_t label) noexcept {
        if constexpr (kLabelsLater) {
            state_.art.find_components(workspace_);
            return state_.art.cluster_of(coded_.last(), true, workspace_);
        } else {
            return label;
        }
    }

    void leave_bounds(const double* row, std::int64_t index) {
        switch (state_.art.params().out_of_bounds) {
            case OutOfBounds::clip:
                return;  // `code` does it
            case OutOfBounds::error:
                refuse(row, index);
                return;
            case OutOfBounds::expand:
                break;
        }
        Bounds wider = state_.bounds;
        wider.include(row);
        widen(state_.art, state_.bounds, wider);
        state_.bounds = std::move(wider);
    }

    static void widen(Art& art, const Bounds& from, const Bounds& to) noexcept {
        art.transform([&](std::size_t entry, double w) { return from.move_entry(entry, w, to); });
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

    template <class Rows>
    void learn_bounds(const Rows& rows) {
        Bounds fresh;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows.read(r, row_.data());
            if (r == 0) fresh.set(row_.data(), row_.data(), n_features_);
            fresh.include(row_.data());
        }
        state_.bounds = std::move(fresh);
    }

    template <class Ask>
    Buffer<std::uint32_t> merge_now(Poll<Ask>& poll) {
        if constexpr (kMerges) {
            if (state_.n_merges >= kMostRows) {
                throw std::invalid_argument(
                    "the model has been merged 2^53 times, and cannot count more; train a new one");
            }
            Buffer<std::uint32_t> map = state_.art.merge(state_.n_apart, poll);
            state_.since_merge = 0;
            ++state_.n_merges;
            return map;
        } else {
            (void)poll;
            return Buffer<std::uint32_t>();
        }
    }

    // Calls see(r, x, workspace) for each row; one outside the ranges sees the model as it would be
    // had they been widened to hold this row.
    template <class Rows, class Ask, class See>
    void recognise_rows(const Rows& rows, Ask ask, See&& see) const {
        recognise_rows(rows, ask, [](std::size_t, auto&) {}, see);
    }

    // The same after begin(n_clusters, workspace), which may ask for memory.
    template <class Rows, class Ask, class Begin, class See>
    void recognise_rows(const Rows& rows, Ask ask, Begin&& begin, See&& see) const {
        const Reading reading(lock_, ask);
        // topoART may have dropped all it had, and then says -1.
        if (!kLabelsLater && state_.art.categories().size() == 0) {
            throw std::invalid_argument("the model is empty");
        }
        Poll<Ask> poll(ask);
        Buffer<double> row;
        Coded x;
        row.resize_uninitialised(n_features_);
        x.prepare(n_features_);
        typename Art::Workspace workspace;
        state_.art.prepare(workspace);
        asking_.tell(workspace);
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
        asking_.hear(workspace);
    }

    // What those who ask, many at once perhaps, have found out about searching, for the next one.
    // Nobody waits for it: a thread that held it when the process was forked never gives it back.
    class Asking {
    public:
        void tell(typename Art::Workspace& workspace) {
            const std::unique_lock<std::mutex> guard(mutex_, std::try_to_lock);
            if (guard) workspace.recall(known_);
        }
        void hear(const typename Art::Workspace& workspace) {
            const std::unique_lock<std::mutex> guard(mutex_, std::try_to_lock);
            if (guard) known_ = workspace.experience();
        }

    private:
        std::mutex mutex_;
        typename Art::Workspace::Experience known_;
    };

    std::size_t n_features_;
    State state_;
    // Work space of training, kept from row to row; not part of the model.
    Buffer<double> row_;
    Coded coded_;
    typename Art::Workspace workspace_;
    std::unique_ptr<State> before_;  // the model before the last call, until it is kept
    mutable Asking asking_;
    mutable ModelLock lock_;
};

}  // namespace resonart
