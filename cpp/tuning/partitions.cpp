#include "tuning/partitions.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/threads.hpp"

namespace resonart {
namespace {

// The adjusted Rand index of partitions already compared; forgets as it fills.
class AgreementCache {
public:
    explicit AgreementCache(const Partitions& partitions) : partitions_(partitions) {
        const std::size_t pairs = partitions.size() * partitions.size();
        while (bits_ < kMostBits && (std::size_t{1} << bits_) < pairs) ++bits_;
        keys_.assign(std::size_t{1} << bits_, kEmpty);
        values_.resize_uninitialised(std::size_t{1} << bits_);
    }
    double operator()(std::uint32_t i, std::uint32_t j) {
        if (i == j) return 1.0;
        if (i > j) std::swap(i, j);
        const std::uint64_t key = std::uint64_t{i} << 32 | j;
        const auto slot = static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> (64 - bits_));
        if (keys_[slot] != key) {
            values_[slot] = partitions_[i].agreement(partitions_[j], scratch_);
            keys_[slot] = key;
        }
        return values_[slot];
    }

private:
    static constexpr unsigned kMostBits = 20;
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
    const Partitions& partitions_;
    unsigned bits_ = 4;  // slots are a power of two
    Buffer<std::uint64_t> keys_;
    Buffer<double> values_;
    Buffer<std::uint32_t> scratch_;
};

}  // namespace

void agreements(const Partitions& partitions, const std::int64_t* ids, std::size_t n_cells,
                std::size_t n_orders, unsigned n_threads, double* out, Poll& poll) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    in_parallel(n_threads, stop, [&](unsigned t, unsigned) {
        constexpr std::size_t kBlock = 16;
        ThreadPoll own(t, stop, poll);
        AgreementCache agree(partitions);
        for (std::size_t begin; (begin = next.fetch_add(kBlock)) < n_cells;) {
            const std::size_t end = std::min(begin + kBlock, n_cells);
            for (std::size_t cell = begin; cell < end; ++cell) {
                const std::int64_t* mine = ids + cell * n_orders;
                double* sums = out + cell * n_orders;
                std::fill(sums, sums + n_orders, 0.0);
                for (std::size_t o = 0; o < n_orders; ++o) {
                    for (std::size_t p = o + 1; p < n_orders; ++p) {
                        if (mine[o] < 0 || mine[p] < 0) continue;
                        const double a = agree(static_cast<std::uint32_t>(mine[o]),
                                               static_cast<std::uint32_t>(mine[p]));
                        sums[o] += a;
                        sums[p] += a;
                    }
                    own.work(n_orders * partitions.n_rows());
                }
                for (std::size_t o = 0; o < n_orders; ++o) {
                    sums[o] = n_orders > 1 ? sums[o] / static_cast<double>(n_orders - 1)
                                           : std::numeric_limits<double>::quiet_NaN();
                }
            }
        }
    });
}

void agreements_with(const Partitions& partitions, const Partition& given, unsigned n_threads,
                     double* out, Poll& poll) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    in_parallel(n_threads, stop, [&](unsigned t, unsigned) {
        ThreadPoll own(t, stop, poll);
        Buffer<std::uint32_t> scratch;
        for (std::size_t id; (id = next.fetch_add(1)) < partitions.size();) {
            out[id] = partitions[id].agreement(given, scratch);
            own.work(4 * partitions.n_rows());
        }
    });
}

}  // namespace resonart
