// Which labels clusters have after they were read again: those of the clusters before with which
// they share most rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/label_maps.hpp"

namespace resonart {

struct Heirs {
    Buffer<std::uint32_t> label;  // of each cluster
    std::size_t n_labels = 0;     // used so far
    // Old label -> that of the cluster most of its rows went to; none where they are noise, unless
    // the label lives on in the others.
    LabelChanges changes;
};

// `before` and `now`: of each category the label it had (kNoLabel: none) and the cluster it is in
// (-1: none); `count`: its rows. Pairs that share most rows come first, of equal ones that of the
// lower label, then of the lower cluster. A cluster takes the label if both are still free, and a
// label never used before if it has got none. A first reading has nothing to inherit: its clusters
// keep their numbers.
Heirs inherit_labels(const std::uint32_t* before, const std::int32_t* now,
                     const std::int64_t* count, std::size_t n, std::size_t n_labels,
                     std::size_t n_clusters, bool is_first);

// Of each label, the one that most of its weight has now, where that is another.
LabelChanges where_labels_went(const std::uint32_t* before, const std::uint32_t* now,
                               const double* weight, std::size_t n);

}  // namespace resonart
