// Many partitions of the same rows, each kept once, and how well they agree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/poll.hpp"
#include "base/threads.hpp"

namespace resonart {

// Pairs of rows that lie together in both partitions, in the first and in the second of them.
struct PairCounts {
    double both = 0.0, first = 0.0, second = 0.0;
};

// The adjusted Rand index (Hubert and Arabie) of n rows; 1 where the partitions are the same.
inline double adjusted_rand(const PairCounts& pairs, std::size_t n) {
    const double all = 0.5 * static_cast<double>(n) * (static_cast<double>(n) - 1.0);
    const double tp = pairs.both, fp = pairs.first - tp, fn = pairs.second - tp;
    const double tn = all - tp - fp - fn;
    if (fp == 0.0 && fn == 0.0) return 1.0;
    return 2.0 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn));
}

inline double pairs_of(double n) { return 0.5 * n * (n - 1.0); }

// One partition: labels from 0 by first appearance, each as narrow as it can be.
class Partition {
public:
    // `labels` are any numbers, not much larger than their own number; they are renumbered.
    Partition(Buffer<std::uint32_t>& labels, Buffer<std::uint32_t>& scratch)
        : n_rows_(labels.size()), n_clusters_(renumber(labels, scratch)) {
        if (n_clusters_ <= 0x100) {
            fill(narrow_, labels);
        } else if (n_clusters_ <= 0x10000) {
            fill(middle_, labels);
        } else {
            fill(wide_, labels);
        }
        scratch.assign(n_clusters_, 0);
        for (const std::uint32_t label : labels) ++scratch[label];
        for (const std::uint32_t size : scratch) pairs_ += pairs_of(size);
    }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_clusters() const { return n_clusters_; }
    bool operator==(const Partition& other) const {
        return narrow_ == other.narrow_ && middle_ == other.middle_ && wide_ == other.wide_;
    }

    template <class Label>
    void copy_labels(Label* out) const {
        visit([&](const auto* labels) {
            for (std::size_t r = 0; r < n_rows_; ++r) out[r] = labels[r];
        });
    }

    // The adjusted Rand index.
    double agreement(const Partition& other, Buffer<std::uint32_t>& scratch) const {
        PairCounts pairs;
        pairs.first = pairs_;
        pairs.second = other.pairs_;
        // One cluster holds every pair, so what both hold is what the other holds.
        if (n_clusters_ == 1 || other.n_clusters_ == 1) {
            pairs.both = std::min(pairs.first, pairs.second);
        } else {
            visit([&](const auto* a) {
                other.visit([&](const auto* b) {
                    pairs.both = pairs_in_both(a, n_clusters_, b, other.n_clusters_, scratch);
                });
            });
        }
        return adjusted_rand(pairs, n_rows_);
    }

private:
    // Labels by first appearance; returns how many there are.
    static std::size_t renumber(Buffer<std::uint32_t>& labels, Buffer<std::uint32_t>& number) {
        constexpr std::uint32_t kNew = 0xffffffffu;
        std::uint32_t highest = 0;
        for (const std::uint32_t label : labels) highest = std::max(highest, label);
        number.assign(std::size_t{highest} + 1, kNew);
        std::uint32_t n = 0;
        for (std::uint32_t& label : labels) {
            if (number[label] == kNew) number[label] = n++;
            label = number[label];
        }
        return n;
    }

    template <class Label>
    static void fill(std::vector<Label>& into, const Buffer<std::uint32_t>& labels) {
        into.resize(labels.size());
        for (std::size_t r = 0; r < labels.size(); ++r) into[r] = static_cast<Label>(labels[r]);
    }

    template <class Use>
    void visit(Use&& use) const {
        if (!narrow_.empty()) {
            use(narrow_.data());
        } else if (!middle_.empty()) {
            use(middle_.data());
        } else {
            use(wide_.data());
        }
    }

    template <class A, class B>
    double pairs_in_both(const A* a, std::size_t ka, const B* b, std::size_t kb,
                         Buffer<std::uint32_t>& scratch) const {
        double together = 0.0;
        if (ka * kb <= 8 * n_rows_ + 64) {  // a whole table is small enough to go through
            scratch.assign(ka * kb, 0);
            for (std::size_t r = 0; r < n_rows_; ++r) ++scratch[std::size_t{a[r]} * kb + b[r]];
            for (const std::uint32_t size : scratch) together += pairs_of(size);
            return together;
        }
        // Rows sorted by their first label; then the second labels of each run of equal ones are
        // counted, and the counts taken back.
        scratch.assign(ka + 1 + n_rows_ + kb, 0);
        std::uint32_t* begin = scratch.data();
        std::uint32_t* row = begin + ka + 1;
        std::uint32_t* count = row + n_rows_;
        for (std::size_t r = 0; r < n_rows_; ++r) ++begin[std::size_t{a[r]} + 1];
        for (std::size_t c = 0; c < ka; ++c) begin[c + 1] += begin[c];
        for (std::size_t r = 0; r < n_rows_; ++r) {
            row[begin[a[r]]++] = static_cast<std::uint32_t>(r);
        }
        for (std::size_t c = 0, first = 0; c < ka; first = begin[c++]) {
            for (std::size_t p = first; p < begin[c]; ++p) together += count[b[row[p]]]++;
            for (std::size_t p = first; p < begin[c]; ++p) count[b[row[p]]] = 0;
        }
        return together;
    }

    std::size_t n_rows_, n_clusters_;
    double pairs_ = 0.0;  // of rows that lie together
    std::vector<std::uint8_t> narrow_;
    std::vector<std::uint16_t> middle_;
    std::vector<std::uint32_t> wide_;
};

class Partitions {
public:
    explicit Partitions(std::size_t n_rows) : n_rows_(n_rows) {}

    std::size_t n_rows() const { return n_rows_; }
    std::size_t size() const { return parts_.size(); }
    const Partition& operator[](std::size_t id) const { return *parts_[id]; }

    // Number of the partition that `labels` make; they are renumbered on the way. Threads may call
    // this at the same time, but not look at others meanwhile.
    std::uint32_t add(Buffer<std::uint32_t>& labels, Buffer<std::uint32_t>& scratch) {
        auto part = std::make_unique<const Partition>(labels, scratch);
        std::uint64_t hash = 0xcbf29ce484222325u;
        for (const std::uint32_t label : labels) {
            hash = (hash ^ label) * 0x100000001b3u;
            hash ^= hash >> 29;
        }
        const std::lock_guard<std::mutex> guard(mutex_);
        const auto range = known_.equal_range(hash);
        for (auto it = range.first; it != range.second; ++it) {
            if (*part == *parts_[it->second]) return it->second;
        }
        const auto id = static_cast<std::uint32_t>(parts_.size());
        parts_.push_back(std::move(part));
        known_.emplace(hash, id);
        return id;
    }

private:
    std::size_t n_rows_;
    std::vector<std::unique_ptr<const Partition>> parts_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
    std::mutex mutex_;
};

// For n_cells rows of n_orders partitions each: how well each agrees with the others of its row, on
// average. A negative number is no partition, and agrees with none (0). With one order: NaN.
void agreements(const Partitions& partitions, const std::int64_t* ids, std::size_t n_cells,
                std::size_t n_orders, unsigned n_threads, double* out, Poll& poll);

// How well every partition agrees with one more.
void agreements_with(const Partitions& partitions, const Partition& given, unsigned n_threads,
                     double* out, Poll& poll);

}  // namespace resonart
