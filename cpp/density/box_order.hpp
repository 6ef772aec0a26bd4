// Boxes in an order that depends on their values alone, and on neither the order of rows, nor that
// of columns, nor which way a column runs. Ties between boxes are settled by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/reading.hpp"

namespace resonart {

// Boxes in the order of their means, feature by feature, with features as OrderedFeatures has them.
class SortedBoxes {
public:
    explicit SortedBoxes(const Boxes& boxes);
    SortedBoxes(const SortedBoxes&) = delete;  // the boxes lie in it

    const Boxes& boxes() const { return boxes_; }
    // Values of sorted boxes, as the boxes were given.
    template <class T>
    void put_back(std::vector<T>& values) const {
        const std::vector<T> sorted(values);
        for (std::size_t i = 0; i < sorted.size(); ++i) values[order_[i]] = sorted[i];
    }
    void name_as_given(std::vector<std::uint32_t>& boxes) const {
        for (std::uint32_t& box : boxes) box = order_[box];
    }

private:
    std::vector<std::uint32_t> order_;
    std::vector<double> mean_, weight_, lot_;
    std::vector<std::int32_t> before_;
    Boxes boxes_;
};

}  // namespace resonart
