// Which run is best: what its partition is worth, times how well the other orders agree with it at
// vigilances nearby.
//
// At the very same vigilances another order may have needed a little more or less to find the same
// clusters, so each order speaks by the run nearby that agrees best.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "partitions.hpp"
#include "poll.hpp"

namespace resonart {

// All runs of a sweep: partition of each cell and order (negative: none), and the place of each
// cell in the grid.
struct RunsOfSweep {
    const std::int64_t* partition;
    const std::int64_t* row;
    const std::int64_t* column;
    std::size_t n_cells, n_orders, n_rows, n_columns;
};

struct JudgedRun {
    std::size_t cell = 0, order = 0;
    double stability = 0.0, score = 0.0;
};

class BestRun {
public:
    BestRun(const Partitions& partitions, const RunsOfSweep& runs, const double* worth,
            const double* agreement, std::size_t reach)
        : partitions_(partitions),
          runs_(runs),
          worth_(worth),
          agreement_(agreement),
          reach_(static_cast<std::int64_t>(reach)),
          cell_at_(runs.n_rows * runs.n_columns, -1),
          known_(partitions.size(), 0.0),
          known_for_(partitions.size(), -1) {
        for (std::size_t c = 0; c < runs.n_cells; ++c) {
            cell_at_[static_cast<std::size_t>(runs.row[c]) * runs.n_columns +
                     static_cast<std::size_t>(runs.column[c])] = static_cast<std::int64_t>(c);
        }
    }

    // The best runs, `most` at most, best first; of equal ones the first that was looked at. All
    // others were left as soon as it was certain that they are not among these.
    template <class Ask>
    std::vector<JudgedRun> search(std::size_t most, Ask& ask) {
        Poll<Ask&> poll(ask);
        std::vector<JudgedRun> judged;
        judged.reserve(most + 1);
        double best = 0.0;  // the least score that is worth having
        for (const std::size_t run : in_order_of_promise()) {
            const auto mine = static_cast<std::size_t>(runs_.partition[run]);
            if (worth_[mine] <= best) continue;
            const std::size_t cell = run / runs_.n_orders, order = run % runs_.n_orders;
            const double others = static_cast<double>(runs_.n_orders) - 1.0;
            double sum = 0.0, left = others;
            for (std::size_t o = 0;
                 o < runs_.n_orders && worth_[mine] * (sum + left) > best * others; ++o) {
                if (o == order) continue;
                sum += agreement_nearby(mine, cell, o, poll);
                left -= 1.0;
            }
            if (left > 0.0) continue;
            const double stability = others > 0.0 ? sum / others : 1.0;
            const double score = worth_[mine] * stability;
            if (!(score > best)) continue;
            const auto at = std::find_if(judged.begin(), judged.end(),
                                         [&](const JudgedRun& run) { return run.score < score; });
            judged.insert(at, {cell, order, stability, score});
            if (judged.size() > most) judged.pop_back();
            if (judged.size() == most) best = judged.back().score;
        }
        return judged;
    }

private:
    // One run of each partition that is worth anything, the one that agrees best with the other
    // orders in its own cell; those likely to win come first.
    std::vector<std::size_t> in_order_of_promise() const {
        constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
        std::vector<std::size_t> speaker(partitions_.size(), kNobody);
        for (std::size_t run = 0; run < runs_.n_cells * runs_.n_orders; ++run) {
            if (runs_.partition[run] < 0) continue;
            const auto p = static_cast<std::size_t>(runs_.partition[run]);
            if (!(worth_[p] > 0.0)) continue;
            if (speaker[p] == kNobody || agreement_[run] > agreement_[speaker[p]]) speaker[p] = run;
        }
        speaker.erase(std::remove(speaker.begin(), speaker.end(), kNobody), speaker.end());
        std::sort(speaker.begin(), speaker.end(), [&](std::size_t i, std::size_t j) {
            const double a = promise(i), b = promise(j);
            return a > b || (a == b && i < j);
        });
        return speaker;
    }
    double promise(std::size_t run) const {
        const double agreed = agreement_[run] > 0.02 ? std::min(agreement_[run], 1.0) : 0.02;
        return worth_[static_cast<std::size_t>(runs_.partition[run])] * std::sqrt(agreed);
    }

    template <class P>
    double agreement_nearby(std::size_t mine, std::size_t cell, std::size_t order, P& poll) {
        double best = 0.0;
        const std::int64_t row = runs_.row[cell], column = runs_.column[cell];
        const auto n_rows = static_cast<std::int64_t>(runs_.n_rows);
        const auto n_columns = static_cast<std::int64_t>(runs_.n_columns);
        for (std::int64_t r = std::max<std::int64_t>(0, row - reach_);
             r <= std::min(n_rows - 1, row + reach_); ++r) {
            for (std::int64_t c = std::max<std::int64_t>(0, column - reach_);
                 c <= std::min(n_columns - 1, column + reach_); ++c) {
                const std::int64_t there = cell_at_[static_cast<std::size_t>(r * n_columns + c)];
                if (there < 0) continue;
                const std::int64_t other =
                    runs_.partition[static_cast<std::size_t>(there) * runs_.n_orders + order];
                if (other >= 0) best = std::max(best, agreement(mine, other, poll));
                if (best == 1.0) return best;
            }
        }
        return best;
    }

    template <class P>
    double agreement(std::size_t mine, std::int64_t other, P& poll) {
        const auto o = static_cast<std::size_t>(other);
        if (o == mine) return 1.0;
        if (known_for_[o] != static_cast<std::int64_t>(mine)) {
            known_for_[o] = static_cast<std::int64_t>(mine);
            known_[o] = partitions_[mine].agreement(partitions_[o], scratch_);
            poll.work(4 * partitions_.n_rows());
        }
        return known_[o];
    }

    const Partitions& partitions_;
    const RunsOfSweep& runs_;
    const double* worth_;
    const double* agreement_;
    std::int64_t reach_;
    std::vector<std::int64_t> cell_at_;    // by place in the grid
    std::vector<double> known_;            // agreement of each partition with ...
    std::vector<std::int64_t> known_for_;  // ... this one
    Buffer<std::uint32_t> scratch_;
};

}  // namespace resonart
