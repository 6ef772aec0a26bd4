// What all models have besides their algorithm: the lock, feature ranges, and the promise that a
// call which fails leaves the model as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "art/params.hpp"
#include "base/bounds.hpp"
#include "base/label_maps.hpp"
#include "base/model_lock.hpp"
#include "base/poll.hpp"
#include "base/rows.hpp"
#include "boxes/widening.hpp"
#include "model/call.hpp"
#include "model/coded_row.hpp"

namespace resonart {

template <class Art, bool KeepsRow = false>
class Corridor {
public:
    using Params = typename Art::Params;
    // Far more than memory holds, and small enough that no size of one row overflows.
    static constexpr std::size_t kMostFeatures = std::numeric_limits<std::size_t>::max() / 1024;

    Corridor(std::size_t n_features, const Params& params) : n_features_(n_features) {
        params.check();
        if (n_features == 0) throw std::invalid_argument("a model needs at least one feature");
        if (n_features > kMostFeatures) throw std::bad_alloc();
        state_.art = Art(n_features, params);
    }

    std::size_t n_features() const { return n_features_; }

    struct Counters {
        std::int64_t n_samples = 0;       // presentations, epochs counted
        std::int64_t since_update = 0;    // presentations since the last merge or reading
        std::int64_t n_updates = 0;       // merges or readings
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

    // The caller of what learns, merges or reads may still fail after that has succeeded (an
    // interrupt on the way back): until `commit`, the model before the call can be had back.
    void undo(Poll& poll) {
        const WriteGuard writing(lock_, poll);
        roll_back();
    }
    void commit(Poll& poll) {
        const WriteGuard writing(lock_, poll);
        forget();
    }

protected:
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

    void check_can_update() const {
        if (state_.n_updates < kMostRows) return;
        throw std::invalid_argument(
            "the model has been merged 2^53 times, and cannot count more; train a new one");
    }

    // Room for the next row, which then can be learned without failing.
    void reserve_one() {
        state_.art.reserve_one();
        state_.art.prepare(workspace_);
    }

    // The next row. `make_room` is called where room has to be made, has the last word, and says
    // whether it was made; `coded` codes the row again, since that may change the ranges. A row
    // that has no room gets the label that `predict` would give it, and leaves no trace.
    template <class MakeRoom, class CodeAgain>
    std::uint32_t learn_making_room(Sample x, MakeRoom&& make_room, CodeAgain&& coded,
                                    double* match) {
        Art& art = state_.art;
        if (!art.is_full()) return art.learn(x, workspace_, match);
        art.follow_advice(workspace_);
        auto choice = art.choose(x, kAnyMatch, workspace_, match);
        if (Art::creates(choice) && make_room()) {
            x = coded();
            choice = art.choose(x, kAnyMatch, workspace_);
        }
        if (!Art::creates(choice) || !art.is_full()) return art.take(x, choice);
        ++state_.n_refused;
        return static_cast<std::uint32_t>(art.cluster_of(x, true, workspace_));  // never -1
    }

    static Marks marked(const char* what, const std::int64_t* chosen, std::size_t n,
                        std::size_t n_there) {
        Marks marks(n_there, 0);
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

    // The categories of marked clusters.
    Marks categories_of(const Marks& clusters) const {
        const Categories& c = state_.art.categories();
        Marks marks(c.size());
        for (std::size_t j = 0; j < c.size(); ++j) {
            marks[j] = c.owner(j) != kNoLabel && clusters[c.owner(j)];
        }
        return marks;
    }

    // Presentations that the categories behind clusters have encoded.
    static std::int64_t sum_of_counts(const Categories& categories) noexcept {
        std::int64_t total = 0;
        for (std::size_t j = 0; j < categories.size(); ++j) total += categories.count(j);
        return total;
    }

    void refuse(const double* row, std::int64_t index) const {
        for (std::size_t f = 0; f < n_features_; ++f) {
            if (!state_.bounds.inside(f, row[f])) {
                throw OutsideBounds{index, f, row[f], state_.bounds.low(f), state_.bounds.high(f)};
            }
        }
    }
    void refuse_outside(const Rows& rows) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows.read(r, row_.data());
            refuse(row_.data(), static_cast<std::int64_t>(r));
        }
    }

    // Ranges from what was given and all rows but those that are far.
    void learn_ranges(const Rows& rows, const Far& far) {
        Bounds fresh = state_.given;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (!far.empty() && far[r]) continue;
            rows.read(r, row_.data());
            if (!fresh.known()) fresh.set(row_.data(), row_.data(), n_features_);
            fresh.include(row_.data());
        }
        state_.bounds = std::move(fresh);
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

    using CodedRow = Coded<KeepsRow>;

    std::size_t n_features_;
    State state_;
    // Work space of training, kept from row to row; not part of the model.
    Buffer<double> row_;
    CodedRow coded_;
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
