#include "density/sampled_boxes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/threads.hpp"

namespace resonart {
namespace {

// The boxes that are looked at, ascending: with lots, those whose lots are the lowest, of equal
// ones the first. Without, the sorted boxes are cut into runs of equal length, and one of each is
// drawn.
std::vector<std::uint32_t> draw_boxes(const Boxes& boxes, std::size_t most) {
    const std::size_t n = boxes.size;
    std::vector<std::uint32_t> drawn;
    if (boxes.lot) {
        drawn.resize(n);
        std::iota(drawn.begin(), drawn.end(), 0u);
        const auto end = drawn.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(drawn.begin(), end, drawn.end(), [&](std::uint32_t a, std::uint32_t b) {
            return boxes.lot[a] != boxes.lot[b] ? boxes.lot[a] < boxes.lot[b] : a < b;
        });
        drawn.resize(most);
        std::sort(drawn.begin(), drawn.end());
        return drawn;
    }
    std::uint64_t state = 0x2545f4914f6cdd1du;
    for (std::size_t run = 0; run < most; ++run) {
        const std::size_t first = run * n / most, length = (run + 1) * n / most - first;
        state = state * 6364136223846793005u + 1442695040888963407u;
        drawn.push_back(static_cast<std::uint32_t>(first + (state >> 33) % length));
    }
    return drawn;
}

}  // namespace

SampledBoxes::SampledBoxes(const Boxes& boxes, const FeatureScales& scales, std::size_t most,
                           unsigned n_threads, Poll& poll)
    : drawn(draw_boxes(boxes, most)), group(boxes.size) {
    const std::size_t n = boxes.size, d = boxes.n_features, v = scales.size();
    const Points all = range_points(boxes, scales);
    Points some(most, v);
    for (std::size_t g = 0; g < most; ++g) {
        for (std::size_t f = 0; f < v; ++f) some.at(g, f) = all.at(drawn[g], f);
    }
    constexpr std::size_t kChunk = 64;
    in_parallel_tasks((n + kChunk - 1) / kChunk, n_threads, poll, [&](std::size_t t, Poll& asked) {
        std::vector<double> q(v);
        Buffer<double> squares;
        squares.resize_uninitialised(whole_lanes(most));
        for (std::size_t i = t * kChunk; i < std::min((t + 1) * kChunk, n); ++i) {
            all.copy(i, q.data());
            kernels().squared_distances(q.data(), some.view(), squares.data());
            double* const end = squares.data() + most;
            group[i] =
                static_cast<std::uint32_t>(std::min_element(squares.data(), end) - squares.data());
            asked.work(most * v);
        }
    });
    // Equal boxes may have been drawn: each counts for itself.
    for (std::uint32_t g = 0; g < most; ++g) group[drawn[g]] = g;
    weight.assign(most, 0.0);
    for (std::size_t i = 0; i < n; ++i) weight[group[i]] += boxes.weight[i];
    for (const std::uint32_t i : drawn) {
        mean.insert(mean.end(), boxes.mean + i * d, boxes.mean + (i + 1) * d);
        if (boxes.before) before.push_back(boxes.before[i]);
    }
}

}  // namespace resonart
