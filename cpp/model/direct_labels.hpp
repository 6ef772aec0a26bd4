// Models whose rows have the label that they get as they come: no cluster ever changes. What other
// models do otherwise they say by functions of the same names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/corridor.hpp"

namespace resonart {

template <class Art>
class DirectLabels : public Corridor<Art> {
public:
    using Corridor<Art>::Corridor;
    using typename Corridor<Art>::Params;

protected:
    using Corridor<Art>::state_;
    using Corridor<Art>::workspace_;

    // One call: what becomes of the labels of its rows, and of those before it.
    class Call {
    public:
        Call(DirectLabels&, const Presented& rows) : rows_(rows) {}
        void begin_epoch() noexcept {}
        void make_room(std::size_t, Poll&) noexcept {}
        void learned(std::size_t r, std::int64_t label) noexcept {
            (rows_.report ? rows_.report->labels : rows_.labels)[r] = label;
        }
        void update(std::size_t, Poll&) noexcept {}
        LabelChanges finish() noexcept { return {}; }

    protected:
        Presented rows_;
    };

    // Nothing here knows time, or updates its clusters.
    void check_times(Times, std::size_t) const noexcept {}
    void expect(Times, std::size_t) noexcept {}
    bool is_update_due(const Params&) const noexcept { return false; }
    bool is_update_due_with_next(const Params&, Times) const noexcept { return false; }
    // Whether room is sought if the next row needs some, and whether that has to come first.
    bool seeks_room() const noexcept { return false; }
    bool seeks_room_first() const noexcept { return false; }
    LabelChanges make_room_for_one(Poll&) noexcept { return {}; }

    // Whether all rows of a new model are learned at once, in any order.
    bool learns_at_once(const Plan&, const Params&, std::size_t) const noexcept { return false; }
    void learn_at_once(const Rows&, const Far&, Call&, Poll&) noexcept {}
    // Returns whether rows may leave the ranges that were found in them.
    bool find_ranges(const Rows& rows, const Params&, Far*) {
        this->learn_ranges(rows, {});
        return false;
    }
    void begin_call() noexcept {}
    // Whether a row outside the ranges is learned without widening them.
    bool stays_outside(const double*) noexcept { return false; }
    void change_ranges(const Bounds& wider) {
        state_.art.transform(
            [&](std::size_t entry, double w) { return state_.bounds.move_entry(entry, w, wider); });
        state_.bounds = wider;
    }

    // Whether there is anything to match; and whether a model may be asked.
    bool is_known() const noexcept { return state_.art.categories().size() != 0; }
    bool can_recognise() const noexcept { return is_known(); }

    template <class MakeRoom, class CodeAgain>
    std::uint32_t learn_coded(const Sample& x, MakeRoom&& make_room, CodeAgain&& coded,
                              double* match) {
        return this->learn_making_room(x, make_room, coded, match);
    }

    // The label of the row just learned, which still lies coded.
    std::int64_t label_of_last(std::uint32_t label) noexcept { return shown_label(label); }
    // The label of the cluster in a place; above all labels that rows may have; and how many
    // clusters there are, from row to row.
    std::int64_t label_in(std::int64_t place) const noexcept { return place; }
    std::size_t n_labels() const noexcept { return state_.art.n_clusters(); }
    std::size_t count_clusters() noexcept { return state_.art.n_clusters(); }
    std::size_t begin_recognition(typename Art::Workspace&) const noexcept {
        return state_.art.n_clusters();
    }

    std::int64_t n_encoded() const noexcept { return this->sum_of_counts(state_.art.categories()); }
    Marks marked_clusters(const std::int64_t* clusters, std::size_t n) {
        return this->marked("cluster", clusters, n, count_clusters());
    }
    LabelChanges remove_marked_clusters(const Marks& goes) {
        return remove_marked(this->categories_of(goes));
    }
    LabelChanges remove_marked(const Marks& goes) {
        LabelMap map;
        map.resize_uninitialised(state_.art.n_clusters());
        state_.art.remove([&](std::size_t j) { return goes[j] != 0; }, map);
        return LabelChanges::of(map);
    }
};

}  // namespace resonart
