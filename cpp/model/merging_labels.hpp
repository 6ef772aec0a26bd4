// Models whose clusters are merged now and then, by Merge ART: whenever so many rows have come,
// and for the sake of a row that needs room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/direct_labels.hpp"

namespace resonart {

template <class Art>
class MergingLabels : public DirectLabels<Art> {
public:
    using DirectLabels<Art>::DirectLabels;
    using typename Corridor<Art>::Params;

    // Returns which labels have changed, as state().label_map then does.
    LabelChanges merge(const Params& params, Poll& poll) {
        params.check();
        const WriteGuard writing(this->lock_, poll);
        return this->undoable([&] {
            this->copy_before();
            state_.art.configure(params);
            state_.label_map = LabelChanges::of(merge_now(poll));
            return state_.label_map;
        });
    }

    // The clusters there are were found apart by a choice of vigilances, which merging respects.
    void keep_apart(Poll& poll) {
        const WriteGuard writing(this->lock_, poll);
        this->forget();
        state_.n_apart = state_.art.n_clusters();
    }

protected:
    using Corridor<Art>::state_;

    class Call : public DirectLabels<Art>::Call {
    public:
        Call(MergingLabels& model, const Presented& rows)
            : DirectLabels<Art>::Call(model, rows), model_(model), all_(model.n_labels()) {}
        void begin_epoch() noexcept { maps_.clear(); }  // every row gets a new label
        void make_room(std::size_t i, Poll& poll) {
            follow(i, model_.make_room(this->rows_.plan.may_merge, poll));
        }
        void update(std::size_t end, Poll& poll) { follow(end, model_.merge_now(poll)); }
        LabelChanges finish() {
            maps_.apply(this->rows_.n, [&](std::size_t i) -> std::int64_t& {
                return this->rows_.labels[this->rows_.row(i)];
            });
            return all_.take();
        }

    private:
        // Rows before `end` have labels that the map renames; in a report, as they came.
        void follow(std::size_t end, LabelMap&& map) {
            if (!map.size()) return;
            const LabelChanges changes = LabelChanges::of(map);
            all_.follow(changes);
            if (this->rows_.report) {
                this->rows_.report->renamings.add(end, changes);
            } else {
                maps_.add(end, std::move(map));
            }
        }

        MergingLabels& model_;
        CallMap all_;
        LabelMaps maps_;  // of this epoch
    };

    bool is_update_due(const Params& params) const noexcept { return is_due_after(params, 0); }
    bool is_update_due_with_next(const Params& params, Times) const noexcept {
        return is_due_after(params, 1);
    }
    // Room is not sought for every row: as many must have come since the last time as there may be
    // categories. (Before the first time they have.)
    bool seeks_room() const noexcept {
        return state_.art.is_full() &&
               state_.n_samples + 1 - state_.room_sought_at >= state_.art.params().max_categories;
    }
    LabelChanges make_room_for_one(Poll& poll) { return LabelChanges::of(make_room(true, poll)); }

private:
    bool is_due_after(const Params& params, std::int64_t rows) const noexcept {
        return params.merge_every > 0 && state_.since_update + rows >= params.merge_every;
    }

    // Merge ART for the sake of the next row, or only its compression. Returns old-to-new where
    // clusters were merged. After it the row can be learned, which then cannot fail.
    LabelMap make_room(bool may_merge, Poll& poll) {
        LabelMap map;
        this->copy_before();
        if (may_merge && state_.art.params().merge_when_full) {
            map = merge_now(poll);
        } else {
            state_.art.compress(poll);
        }
        state_.room_sought_at = state_.n_samples + 1;
        this->reserve_one();
        return map;
    }

    LabelMap merge_now(Poll& poll) {
        this->check_can_update();
        this->copy_before();
        LabelMap map = state_.art.merge(state_.n_apart, poll);
        state_.since_update = 0;
        ++state_.n_updates;
        return map;
    }
};

}  // namespace resonart
