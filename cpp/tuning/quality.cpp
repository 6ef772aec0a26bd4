#include "tuning/quality.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/threads.hpp"

namespace resonart {
RowGraphs::RowGraphs(const std::int64_t* order, const double* height, std::size_t n,
                     const std::int64_t* neighbours, std::size_t k)
    : order_(order, order + n),
      height_(height, height + n),
      next_higher_(n, n),
      last_higher_(n, 0),
      neighbours_(neighbours, neighbours + n * k),
      in_degree_(n, 0),
      k_(k) {
    for (const std::int64_t r : neighbours_) ++in_degree_[static_cast<std::size_t>(r)];
    std::vector<std::size_t> rising;
    for (std::size_t i = 1; i < n; ++i) {
        while (!rising.empty() && height_[rising.back()] <= height_[i]) rising.pop_back();
        last_higher_[i] = rising.empty() ? 0 : rising.back();
        rising.push_back(i);
    }
    rising.clear();
    for (std::size_t i = n; i-- > 1;) {
        while (!rising.empty() && height_[rising.back()] <= height_[i]) rising.pop_back();
        next_higher_[i] = rising.empty() ? n : rising.back();
        rising.push_back(i);
    }
}

namespace {

class QualityMeter {
public:
    QualityMeter(const RowGraphs& rows, std::size_t small, std::size_t most_clusters)
        : rows_(rows), small_(small), most_(most_clusters) {}

    Quality measure(const Partition& partition, Poll& poll) {
        const std::size_t n = rows_.size();
        labels_.resize_uninitialised(n);
        partition.copy_labels(labels_.data());
        sizes_.assign(partition.n_clusters(), 0);
        arriving_.assign(partition.n_clusters(), 0);
        std::size_t inside = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const std::uint32_t mine = labels_[r];
            ++sizes_[mine];
            arriving_[mine] += rows_.in_degree(r);
            const std::int64_t* near = rows_.neighbours(r);
            for (std::size_t i = 0; i < rows_.k(); ++i) {
                inside += labels_[static_cast<std::size_t>(near[i])] == mine;
            }
            poll.work(rows_.k());
        }
        Quality quality;
        const double arcs = static_cast<double>(n * rows_.k());
        double chance = 0.0;
        std::size_t n_small = 0;
        column_.resize_uninitialised(sizes_.size());
        large_.clear();
        large_.reserve(sizes_.size());
        for (std::size_t c = 0; c < sizes_.size(); ++c) {
            chance += static_cast<double>(sizes_[c]) / static_cast<double>(n) *
                      (static_cast<double>(arriving_[c]) / arcs);
            column_[c] = kNoColumn;
            if (sizes_[c] < small_) {
                n_small += sizes_[c];
            } else {
                column_[c] = static_cast<std::uint32_t>(large_.size());
                large_.push(static_cast<double>(sizes_[c]));
            }
        }
        quality.modularity = static_cast<double>(inside) / arcs - chance;
        quality.kappa = sizes_.size() > 1 ? quality.modularity / (1.0 - chance) : 0.0;
        quality.small_share = static_cast<double>(n_small) / static_cast<double>(n);
        quality.n_large = large_.size();
        quality.silhouette = large_.size() > most_ ? std::numeric_limits<double>::quiet_NaN()
                             : large_.size() < 2   ? 0.0
                                                   : silhouette(poll);
        return quality;
    }

private:
    static constexpr std::uint32_t kNoColumn = 0xffffffffu;

    // Mean over rows of (b - a)/max(a, b): a is a row's mean minimax distance to the others of its
    // cluster, b the least of those to another large cluster. Rows of small clusters count 0.
    //
    // Sums of distances to all clusters follow along Prim's order: to the rows after place i, up to
    // the first that was reached higher than i + 1, the distance is the height of i + 1; beyond
    // that, what it is from there. Likewise to the rows before.
    double silhouette(Poll& poll) {
        const std::size_t n = rows_.size(), m = large_.size();
        before_.assign((n + 1) * m, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const double* last = before_.data() + i * m;
            double* now = before_.data() + (i + 1) * m;
            for (std::size_t c = 0; c < m; ++c) now[c] = last[c];
            const std::uint32_t mine = column_[labels_[rows_.row(i)]];
            if (mine != kNoColumn) now[mine] += 1.0;
            poll.work(m);
        }
        after_.assign(n * m, 0.0);
        for (std::size_t i = n - 1; i-- > 0;) {
            const double height = rows_.height(i + 1);
            const std::size_t end = rows_.next_higher(i + 1);
            const double* counted = before_.data() + (i + 1) * m;
            const double* counted_to = before_.data() + end * m;
            const double* beyond = after_.data() + (end - 1) * m;
            double* sum = after_.data() + i * m;
            for (std::size_t c = 0; c < m; ++c) {
                sum[c] = height * (counted_to[c] - counted[c]) + beyond[c];
            }
            poll.work(m);
        }
        earlier_.assign(n * m, 0.0);
        double total = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            poll.work(2 * m);
            double* sum = earlier_.data() + i * m;
            if (i > 0) {
                const double height = rows_.height(i);
                const std::size_t begin = rows_.last_higher(i);
                const double* counted = before_.data() + begin * m;
                const double* counted_to = before_.data() + i * m;
                const double* beyond = earlier_.data() + begin * m;
                for (std::size_t c = 0; c < m; ++c) {
                    sum[c] = height * (counted_to[c] - counted[c]) + beyond[c];
                }
            }
            const std::uint32_t mine = column_[labels_[rows_.row(i)]];
            if (mine == kNoColumn) continue;
            const double* later = after_.data() + i * m;
            double a = 0.0, b = std::numeric_limits<double>::infinity();
            for (std::size_t c = 0; c < m; ++c) {
                if (c == mine) {
                    a = large_[c] > 1.0 ? (sum[c] + later[c]) / (large_[c] - 1.0) : 0.0;
                } else {
                    b = std::min(b, (sum[c] + later[c]) / large_[c]);
                }
            }
            const double larger = std::max(a, b);
            if (larger > 0.0) total += (b - a) / larger;
        }
        return total / static_cast<double>(n);
    }

    const RowGraphs& rows_;
    std::size_t small_, most_;
    Buffer<std::uint32_t> labels_, column_;
    Buffer<std::size_t> sizes_, arriving_;
    Buffer<double> large_;                     // sizes of the clusters that are not small
    Buffer<double> before_, after_, earlier_;  // by place and large cluster
};

}  // namespace

void measure_all(const Partitions& partitions, const RowGraphs& rows, std::size_t small,
                 std::size_t most_clusters, unsigned n_threads, Quality* out, Poll& poll) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    in_parallel(n_threads, stop, [&](unsigned t, unsigned) {
        ThreadPoll own(t, stop, poll);
        QualityMeter meter(rows, small, most_clusters);
        for (std::size_t id; (id = next.fetch_add(1)) < partitions.size();) {
            out[id] = meter.measure(partitions[id], own);
        }
    });
}

}  // namespace resonart
