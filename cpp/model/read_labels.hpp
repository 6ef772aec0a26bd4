// Models whose clusters are read from their categories now and then, all of them together:
// DensityART. The label of a row is that of its category, which is what a call keeps track of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "density/density_art.hpp"
#include "model/corridor.hpp"
#include "model/labels_of.hpp"

namespace resonart {

class ReadLabels : public Corridor<DensityArt, true> {
public:
    using Corridor::Corridor;

    // Clusters are read now: chosen again or, with `keeps_way`, in the same way as the last.
    // Returns which labels have changed, as state().label_map then does.
    LabelChanges update_clusters(const Params& params, Poll& poll, bool keeps_way = false);
    // Clusters become those of another candidate of the last reading.
    LabelChanges read_as(std::size_t place, Poll& poll);
    // What the clusters of categories would be in such a reading.
    std::vector<std::int32_t> clusters_as(std::size_t place, Poll& poll) const;
    // Categories of several models have come together in this one: those that are the same become
    // one, and the clusters are read. Returns where each category has gone.
    LabelMap pool(Poll& poll);
    // Threads that readings may use from now on.
    void set_threads(unsigned n, Poll& poll);

protected:
    class Call {
    public:
        Call(ReadLabels& model, const Presented& rows);
        void begin_epoch() noexcept;
        void make_room(std::size_t i, Poll& poll);
        void learned(std::size_t r, std::int64_t label) noexcept;
        void update(std::size_t end, Poll& poll);
        LabelChanges finish();

    private:
        friend class ReadLabels;
        void follow(std::size_t end, const LabelChanges& changes);
        Renamings& renamings() { return rows_.report ? rows_.report->renamings : own_; }

        ReadLabels& model_;
        Presented rows_;
        std::int64_t* category_;        // of each row; its label in the end
        Buffer<std::int64_t> as_said_;  // labels of rows whose category may go
        Buffer<double> overlaps_;       // of rows with their categories, where all are drawn
        LabelMaps moves_;               // of categories, in this epoch
        Renamings own_;
        CallMap all_;
    };

    void check_times(Times time, std::size_t n) const {
        resonart::check_times(time, n, state_.art.clock_kind(), state_.art.now());
    }
    // The next row is the i-th of a call.
    void expect(Times time, std::size_t i) noexcept {
        workspace_.verdict.reset();
        state_.art.expect(next_time(time, i), time.kind());
    }
    // Clusters are read when as many rows have come as the last reading saw: so all readings
    // together cost a row no more than one.
    bool is_update_due(const Params&) const noexcept { return is_due_after(0, state_.art.now()); }
    bool is_update_due_with_next(const Params&, Times time) const noexcept {
        return is_due_after(1, next_time(time, 0));
    }
    // Some room is always found. Time passes before it is made, or ranges change after it.
    bool seeks_room() const noexcept { return state_.art.is_full(); }
    bool seeks_room_first() const noexcept { return seeks_room(); }
    LabelChanges make_room_for_one(Poll& poll) { return thin(poll).labels; }

    // A model is made of these rows alone, and forgets none.
    bool learns_at_once(const Plan& plan, const Params& params, std::size_t n) const noexcept {
        return n && plan.update_at_end && !plan.update_on_the_way && state_.n_samples == 0 &&
               !params.forgets();
    }
    // Some rows are drawn, and each counts for the nearest of those. What comes of it does not
    // depend on their order. Rows that are few and far from all others count for none (kNone).
    void learn_at_once(const Rows& rows, const Far& far, Call& call, Poll& poll);
    // Rows that are few and far from all others do not widen the ranges.
    bool find_ranges(const Rows& rows, const Params& params, Far* far);
    void begin_call() noexcept {}
    bool stays_outside(const double* row);
    void change_ranges(const Bounds& wider) {
        state_.art.recode(wider);
        state_.bounds = wider;
    }

    bool is_known() const noexcept { return state_.art.categories().size() != 0; }
    bool can_recognise() const noexcept { return is_known(); }

    // Where nothing is forgotten, making room may fail, and then no time must have passed.
    template <class MakeRoom, class CodeAgain>
    std::uint32_t learn_coded(const Sample& x, MakeRoom&& make_room, CodeAgain&& coded,
                              double* match) {
        const bool forgets = state_.art.forgets();
        if (forgets) state_.art.advance();
        const std::uint32_t label = learn_making_room(x, make_room, coded, match);
        if (!forgets) state_.art.advance();
        return label;
    }

    std::int64_t label_of_last(std::uint32_t label) const noexcept { return shown_label(label); }
    std::int64_t label_in(std::int64_t place) const noexcept {
        return shown_label(state_.art.label_in(static_cast<std::uint32_t>(place)));
    }
    std::size_t n_labels() const noexcept { return state_.art.n_labels(); }
    std::size_t count_clusters() const noexcept { return state_.art.n_clusters(); }
    std::size_t begin_recognition(DensityArt::Workspace&) const noexcept {
        return state_.art.n_clusters();
    }

    std::int64_t n_encoded() const noexcept { return sum_of_counts(state_.art.categories()); }
    // Whether the cluster in each slot is meant, of those with these labels.
    Marks marked_clusters(const std::int64_t* clusters, std::size_t n) const;
    LabelChanges remove_marked_clusters(const Marks& goes) {
        return remove_marked(categories_of(goes));
    }
    LabelChanges remove_marked(const Marks& goes) { return state_.art.remove(goes); }

private:
    double next_time(Times time, std::size_t i) const noexcept {
        return time ? time[i] : static_cast<double>(state_.n_samples + 1);
    }
    bool is_due_after(std::int64_t rows, double time) const noexcept {
        return state_.art.reading_due(state_.since_update + rows,
                                      state_.n_samples - state_.since_update, time);
    }
    // Fewer categories for the sake of the next row. After it the row can be learned, which then
    // cannot fail.
    DensityArt::Thinned thin(Poll& poll);
    bool drop_stale(LabelMap& map);
    struct Update {
        LabelChanges labels;
        LabelMap goes_to;        // of categories
        bool has_moved = false;  // whether some were forgotten, or too far away
    };
    // `settles`: whether ranges are to be settled before the reading.
    Update read_now(Poll& poll, bool settles = true, bool keeps_way = false);
    void share_out(const Rows& rows, const Far& far, std::int64_t* categories, double* overlaps,
                   Poll& poll);
    // From the categories of rows to their labels and what else is known of them.
    void label_rows(Call& call);
};

template <>
struct LabelsOf<DensityArt> {
    using type = ReadLabels;
};

}  // namespace resonart
