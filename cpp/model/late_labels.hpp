// Models whose clusters are known only when it is asked for them: topoART's are the components of
// a graph that every row may change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/direct_labels.hpp"

namespace resonart {

template <class Art>
class LateLabels : public DirectLabels<Art> {
public:
    using DirectLabels<Art>::DirectLabels;

protected:
    using Corridor<Art>::state_;
    using Corridor<Art>::workspace_;
    using typename DirectLabels<Art>::Call;

    void begin_call() { state_.art.prepare(workspace_); }

    // It looks for itself, and says -1 where it has dropped all that it had.
    bool is_known() const noexcept { return true; }
    bool can_recognise() const noexcept { return true; }

    template <class MakeRoom, class CodeAgain>
    std::uint32_t learn_coded(const Sample& x, MakeRoom&&, CodeAgain&&, double* match) {
        if (!state_.art.is_full()) return state_.art.learn(x, workspace_, match);
        if (!state_.art.learn_if_room(x, workspace_, match)) ++state_.n_refused;
        return 0;
    }

    std::int64_t label_of_last(std::uint32_t) noexcept {
        state_.art.find_components(workspace_);
        return state_.art.cluster_of(this->coded_.last(), true, workspace_);
    }
    std::size_t count_clusters() noexcept { return state_.art.find_components(workspace_); }
    std::size_t begin_recognition(typename Art::Workspace& workspace) const noexcept {
        state_.art.recall_components(workspace_, workspace);
        return state_.art.find_components(workspace);
    }

    std::int64_t n_encoded() const noexcept {
        return this->sum_of_counts(state_.art.b().categories());
    }
    Marks marked_clusters(const std::int64_t* clusters, std::size_t n) {
        return this->marked("cluster", clusters, n, count_clusters());
    }
    LabelChanges remove_marked_clusters(const Marks& goes) {
        LabelMap map;
        map.resize_uninitialised(goes.size());
        std::uint32_t left = 0;
        for (std::size_t m = 0; m < goes.size(); ++m) map[m] = goes[m] ? kNoLabel : left++;
        state_.art.remove_clusters(goes, workspace_);
        return LabelChanges::of(map);
    }
};

}  // namespace resonart
