// The corridor a row walks: read, scaled, coded, learned or recognised. Everything an estimator
// needs besides its algorithm, the same for all; how labels come about is LabelsOf<Art>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "art/best_matches.hpp"
#include "art/params.hpp"
#include "art/recognition.hpp"
#include "model/labels_of.hpp"

namespace resonart {

template <class Art>
class Learner : public LabelsOf<Art>::type {
    using Labels = typename LabelsOf<Art>::type;
    using Call = typename Labels::Call;
    using Labels::coded_, Labels::n_features_, Labels::row_, Labels::state_, Labels::widening_,
        Labels::workspace_;

public:
    using typename Labels::Params;
    static constexpr bool kMerges = Art::kMerges;
    static constexpr bool kLabelsLater = Art::kLabelsLater;
    static constexpr bool kRereads = Art::kRereads;
    static constexpr bool kRenames = kMerges || kRereads;

    using Labels::Labels;

    // Learns rows in order. labels[r] receives the cluster of row r. Returns the epochs run.
    int train(const Rows& rows, const Params& params, const Plan& plan, std::int64_t* labels,
              Poll& poll, const Memberships* memberships = nullptr) {
        params.check();
        const WriteGuard writing(this->lock_, poll);
        const auto work = [&] {
            return train_unguarded(rows, params, {rows.size(), plan, labels, nullptr, memberships},
                                   poll);
        };
        if (!plan.can_be_undone) {
            this->forget();
            return work();
        }
        return this->undoable(work);
    }

    // As `train` with the rows as given, once, and says what each of them did as it came.
    void train_and_report(const Rows& rows, const Params& params, StreamReport& report, Poll& poll,
                          const Memberships* memberships = nullptr, Times time = {}) {
        params.check();
        const WriteGuard writing(this->lock_, poll);
        Presented presented{rows.size(), {}, nullptr, &report, memberships};
        presented.plan.time = time;
        presented.plan.update_on_the_way = true;
        this->undoable([&] { train_unguarded(rows, params, presented, poll); });
    }

    // The lean path: one row of n_features doubles, parameters as they were last set. The caller
    // holds the lock.
    std::int64_t learn_one(const double* row, Poll& poll, Times time = {}) {
        this->forget();  // what came before this row is no longer to be had
        const Params& params = state_.art.params();
        this->check_times(time, 1);
        this->expect(time, 0);
        // Ranges change before the row is known to need room.
        const bool changes_first =
            this->seeks_room_first() ||
            (this->seeks_room() && params.out_of_bounds == OutOfBounds::expand &&
             !state_.bounds.contains(row));
        if (!state_.bounds.known() || this->is_update_due_with_next(params, time) ||
            changes_first) {
            const auto label = this->undoable([&] { return learn_slowly(row, time, poll); });
            this->forget();
            return label;
        }
        // Here nothing has changed when room is to be made, and nothing can fail afterwards.
        LabelChanges changes;
        const std::uint32_t label = learn_row(row, kNone, may_leave_bounds(params), [&] {
            if (!this->seeks_room()) return false;
            this->undoable([&] { changes = this->make_room_for_one(poll); });
            this->forget();
            return true;
        });
        state_.label_map = std::move(changes);
        return this->label_of_last(label);
    }

    // Whether the next row, which comes at that time if one is given, may take long: it is followed
    // by a merge or reading, or may have room made for it. The caller holds the lock.
    bool may_take_long(Times time) const {
        return this->is_update_due_with_next(state_.art.params(), time) || this->seeks_room();
    }

    // cluster[r] of each row, kNone where nothing resonates and the nearest is not wanted.
    template <class AnyRows>
    void predict(const AnyRows& rows, bool nearest, std::int64_t* clusters, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            clusters[r] = state_.art.cluster_of(x, nearest, ws);
        });
    }

    // As `predict`, by topoART's module A.
    void predict_a(const Rows& rows, bool nearest, std::int64_t* clusters, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            clusters[r] = state_.art.cluster_in_a(x, nearest, ws);
        });
    }

    void score(const Rows& rows, double* matches, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            matches[r] = clamped_match(state_.art.recognise(x, ws).match);
        });
    }

    // Of each row the most active category, and its match with that, in the ranges as they are.
    void winners(const Rows& rows, std::int64_t* categories, double* matches, Poll& poll) const {
        recognise_rows(rows, poll, [&](std::size_t r, const Sample& x, auto& ws) {
            const auto seen = state_.art.see(x, ws);
            categories[r] = static_cast<std::int64_t>(seen.category);
            matches[r] = seen.overlap / static_cast<double>(n_features_);
        });
    }

    // Match of each row with each cluster, row by row. `room(k)` is called once, with the number of
    // clusters, and gives the place for rows × k of them.
    template <class Room>
    void matches(const Rows& rows, Room&& room, Poll& poll) const {
        double* table = nullptr;
        std::size_t k = 0;
        recognise_rows(
            rows, poll,
            [&](std::size_t r, const Sample& x, auto& ws) {
                write_matches(x, ws, table + r * k, k);
            },
            [&](std::size_t n_clusters, auto& ws) {
                state_.art.prepare_matches(ws);
                k = n_clusters;
                table = room(k);
            });
    }

    // The `m` clusters that match each row best, and their matches: m places a row, as
    // `BestMatches` fills them.
    void nearest_clusters(const Rows& rows, std::size_t m, std::int64_t* clusters, double* matches,
                          Poll& poll) const {
        BestMatches few(m);
        std::size_t k = 0;
        recognise_rows(
            rows, poll,
            [&](std::size_t r, const Sample& x, auto& ws) {
                write_matches(x, ws, few.all(), k);
                few.choose(clusters + r * m, matches + r * m);
                for (std::size_t i = 0; i < m; ++i) {
                    std::int64_t& cluster = clusters[r * m + i];
                    if (cluster != kNone) cluster = this->label_in(cluster);
                }
            },
            [&](std::size_t n_clusters, auto& ws) {
                state_.art.prepare_matches(ws);
                k = n_clusters;
                few.prepare(k);
            });
    }

    // Clusters go, with all their categories; labels without holes close up in order. Returns which
    // labels have changed, as state().label_map then does.
    LabelChanges remove_clusters(const std::int64_t* clusters, std::size_t n, Poll& poll) {
        const WriteGuard writing(this->lock_, poll);
        state_.art.prepare(workspace_);
        const Marks goes = this->marked_clusters(clusters, n);
        return removing([&] { return this->remove_marked_clusters(goes); });
    }

    // The same of categories, by their order of creation; clusters go that have no others.
    LabelChanges remove_categories(const std::int64_t* categories, std::size_t n, Poll& poll) {
        static_assert(!kLabelsLater, "a cluster may fall apart when one of its categories goes");
        const WriteGuard writing(this->lock_, poll);
        const Marks goes = this->marked("category", categories, n, state_.art.categories().size());
        return removing([&] { return this->remove_marked(goes); });
    }

    // After the state was filled from elsewhere. The caller holds the lock.
    void refresh_clusters() {
        state_.art.prepare(workspace_);
        this->count_clusters();
    }

private:
    // Lets `remove` drop what it will; it returns which labels have changed.
    template <class Remove>
    LabelChanges removing(Remove&& remove) {
        return this->undoable([&] {
            this->copy_before();
            const std::int64_t n_before = this->n_encoded();
            const LabelChanges changes = remove();
            state_.n_removed += n_before - this->n_encoded();
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

    // Whether rows have to be compared with the ranges before they are learned.
    static bool may_leave_bounds(const Params& params) {
        return params.out_of_bounds != OutOfBounds::clip;  // which coding does by itself
    }

    // Before the first of some rows. Returns whether any of them may have left the ranges. If these
    // are all rows, `far` receives which of them are few and far from all others.
    bool begin(const Rows& rows, const Params& params, Far* far) {
        if (!(params == state_.art.params())) {
            this->copy_before();
            state_.art.configure(params);
        }
        row_.resize_uninitialised(n_features_);
        this->begin_call();
        if (!state_.bounds.known() || (far && params.out_of_bounds == OutOfBounds::expand)) {
            this->copy_before();
            return this->find_ranges(rows, params, far);
        }
        if (params.out_of_bounds == OutOfBounds::error) {
            this->refuse_outside(rows);
            return false;
        }
        return may_leave_bounds(params);
    }

    int train_unguarded(const Rows& rows, const Params& params, const Presented& presented,
                        Poll& poll) {
        const Plan& plan = presented.plan;
        this->check_times(plan.time, presented.n);
        const bool at_once = this->learns_at_once(plan, params, presented.n);
        Far far;
        const bool may_leave = begin(rows, params, at_once ? &far : nullptr);
        Call call(*this, presented);
        int epoch = 0;
        if (at_once) {
            this->learn_at_once(rows, far, call, poll);
            epoch = plan.max_epochs;
        }
        for (bool settled = false; epoch < plan.max_epochs && !settled; ++epoch) {
            const Art before = plan.max_epochs > 1 ? state_.art : Art();
            call.begin_epoch();
            present(rows, presented, may_leave, call, poll);
            settled = plan.max_epochs > 1 && state_.art.same_weights(before);
        }
        if (plan.update_at_end) call.update(presented.n, poll);
        state_.label_map = call.finish();
        state_.has_moved = false;
        this->count_clusters();  // whoever asks the model next need not
        return epoch;
    }

    // Each row once.
    void present(const Rows& rows, const Presented& presented, bool may_leave, Call& call,
                 Poll& poll) {
        StreamReport* const report = presented.report;
        for (std::size_t i = 0; i < presented.n; ++i) {
            const std::size_t r = presented.row(i);
            rows.read(r, row_.data());
            this->expect(presented.plan.time, r);
            std::size_t n_before = report ? this->count_clusters() : 0;
            const auto make_room = [&] {
                if (!this->seeks_room()) return false;
                call.make_room(i, poll);
                if (report) n_before = this->count_clusters();
                return true;
            };
            const std::uint32_t label =
                learn_row(row_.data(), static_cast<std::int64_t>(r), may_leave, make_room,
                          report ? &report->matches[r] : nullptr);
            call.learned(r, report ? this->label_of_last(label) : shown_label(label));
            if (report) report->founded[r] = this->count_clusters() > n_before;
            if (poll.progress()) ++poll.progress()->n_rows;
            poll.work(workspace_.take_work() + n_features_);
            if (presented.plan.update_on_the_way && this->is_update_due(state_.art.params())) {
                call.update(i + 1, poll);
            }
        }
    }

    // One row that changes the ranges, has room made for it, or is followed by a merge or reading.
    std::int64_t learn_slowly(const double* row, Times time, Poll& poll) {
        if (!state_.bounds.known()) {
            this->copy_before();
            state_.bounds.set(row, row, n_features_);
        }
        std::int64_t label = kNone;
        Presented presented{1, {}, &label, nullptr, nullptr, true};
        presented.plan.time = time;
        Call call(*this, presented);
        const auto make_room = [&] {
            if (!this->seeks_room()) return false;
            call.make_room(0, poll);
            return true;
        };
        const Params& params = state_.art.params();
        call.learned(
            0, this->label_of_last(learn_row(row, kNone, may_leave_bounds(params), make_room)));
        if (this->is_update_due(params)) call.update(1, poll);
        state_.label_map = call.finish();
        return label;
    }

    // One presentation. What can fail comes before anything changes, but for `make_room`: it is
    // called where a row needs room, has the last word, and says whether it was made. `match`
    // receives what the row's match was before it was learned.
    template <class MakeRoom>
    std::uint32_t learn_row(const double* row, std::int64_t index, bool may_leave,
                            MakeRoom&& make_room, double* match = nullptr) {
        if (state_.n_samples >= kMostRows) {
            throw std::invalid_argument(
                "the model has been presented 2^53 rows, and cannot count more; train a new one");
        }
        coded_.prepare(n_features_);
        this->reserve_one();
        const auto coded = [&] { return admit(row, index, may_leave); };
        const Sample x = coded();
        if (match) *match = 0.0;
        double* const asked = match && this->is_known() ? match : nullptr;
        const std::uint32_t label = this->learn_coded(x, make_room, coded, asked);
        if (asked) *match = clamped_match(*match);
        ++state_.n_samples;
        ++state_.since_update;
        return label;
    }

    // The row, coded; ranges widen for it where they may, and it is not too far outside for that.
    Sample admit(const double* row, std::int64_t index, bool may_leave) {
        if (may_leave && !state_.bounds.contains(row)) {
            if (this->stays_outside(row)) return coded_.code_outside(row);
            if (state_.art.params().out_of_bounds == OutOfBounds::error) this->refuse(row, index);
            Bounds wider = state_.bounds;
            wider.include(row);
            this->copy_before();
            this->change_ranges(wider);
        }
        return coded_.code(row, state_.bounds);
    }

    void write_matches(const Sample& x, typename Art::Workspace& ws, double* match,
                       std::size_t n_clusters) const noexcept {
        state_.art.matches(x, ws, match);
        for (std::size_t m = 0; m < n_clusters; ++m) match[m] = clamped_match(match[m]);
    }

    // Calls see(r, x, workspace) for each row, after begin(n_clusters, workspace), which may ask
    // for memory. A row outside the ranges sees the model as it would be had they been widened to
    // hold this row.
    template <class AnyRows, class See>
    void recognise_rows(const AnyRows& rows, Poll& poll, See&& see) const {
        recognise_rows(rows, poll, see, [](std::size_t, auto&) {});
    }
    template <class AnyRows, class See, class Begin>
    void recognise_rows(const AnyRows& rows, Poll& poll, See&& see, Begin&& begin) const {
        const ReadGuard reading(this->lock_, poll);
        if (!this->can_recognise()) throw std::invalid_argument("the model is empty");
        Buffer<double> row;
        typename Labels::CodedRow x;
        row.resize_uninitialised(n_features_);
        x.prepare(n_features_);
        typename Art::Workspace workspace;
        state_.art.prepare(workspace);
        this->search_history_.copy_to(workspace);
        begin(this->begin_recognition(workspace), workspace);
        Widening widening;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows.read(r, row.data());
            const OutOfBounds policy = state_.art.params().out_of_bounds;
            const bool inside = policy == OutOfBounds::clip || state_.bounds.contains(row.data());
            if (!inside && policy == OutOfBounds::error) {
                this->refuse(row.data(), static_cast<std::int64_t>(r));
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
        this->search_history_.update_from(workspace);
    }
};

}  // namespace resonart
