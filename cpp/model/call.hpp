// What a call that learns rows is given, and fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/label_maps.hpp"
#include "base/times.hpp"

namespace resonart {

// Up to here whole numbers are exact as doubles, too; a model counts no further, and a file holds
// no more.
constexpr std::int64_t kMostRows = std::int64_t{1} << 53;

struct Plan {
    Times time;                           // when each row came
    const std::int64_t* order = nullptr;  // null: rows as given
    int max_epochs = 1;
    bool update_at_end = false;      // clusters are merged or read again, as the algorithm does
    bool update_on_the_way = false;  // whenever it is due
    bool may_merge = true;           // when there is no room; false: only compress
    bool can_be_undone = true;       // false: the caller throws the model away when it fails
};

// What is known of rows after a call, besides their labels, where clusters are read from
// categories: also the category of each, -1 where it has been forgotten.
struct Memberships {
    double *strength, *outlier;
    std::int64_t* category;
};

// The rows of a call, as they are presented, and where their labels go.
struct Presented {
    std::size_t n;
    Plan plan;
    std::int64_t* labels;            // those after the call, unless there is a report
    StreamReport* report = nullptr;  // of each row as it comes
    const Memberships* memberships = nullptr;
    bool keeps_labels = false;  // of rows whose category goes before the call ends

    std::size_t row(std::size_t i) const {
        return plan.order ? static_cast<std::size_t>(plan.order[i]) : i;
    }
};

// Whether each row is far from all others; empty if none is.
using Far = std::vector<std::uint8_t>;

// Whether each of so many things is meant.
using Marks = std::vector<std::uint8_t>;

}  // namespace resonart
