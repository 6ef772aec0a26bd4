// How the labels of each algorithm's rows come about.
#pragma once

#include <type_traits>

#include "model/direct_labels.hpp"
#include "model/late_labels.hpp"
#include "model/merging_labels.hpp"

namespace resonart {

// DensityART has its own, in read_labels.hpp.
template <class Art>
struct LabelsOf {
    using type = std::conditional_t<
        Art::kMerges, MergingLabels<Art>,
        std::conditional_t<Art::kLabelsLater, LateLabels<Art>, DirectLabels<Art>>>;
};

}  // namespace resonart
