// What becomes of labels when clusters are merged or removed.
//
// A label map has an entry for each cluster there was: the label it has now, or kNoLabel where it
// is gone. What has no label, told as -1, stays without, whatever is renamed later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "buffer.hpp"

namespace resonart {

using LabelMap = Buffer<std::uint32_t>;
constexpr std::uint32_t kNoLabel = 0xffffffffu;

// A label as it is told.
inline std::int64_t told_label(std::uint32_t label) noexcept {
    return label == kNoLabel ? -1 : static_cast<std::int64_t>(label);
}

// The new name of a label, by a map that starts at `map`.
inline std::uint32_t renamed(std::uint32_t label, const std::uint32_t* map) noexcept {
    return label == kNoLabel ? kNoLabel : map[label];
}
// The same of one that was told.
inline std::int64_t renamed(std::int64_t label, const std::uint32_t* map) noexcept {
    return label < 0 ? -1 : told_label(map[label]);
}

// The renamings within one call.
class LabelMaps {
public:
    // Rows learned before `end` (in order of presentation) carry labels that `map` renames.
    void add(std::size_t end, LabelMap&& map) {
        ends_.reserve(ends_.size() + 1);
        offsets_.reserve(offsets_.size() + 1);
        entries_.reserve(entries_.size() + map.size());
        ends_.push(end);
        offsets_.push(entries_.size());
        entries_.append(map.data(), map.size());
    }
    void clear() noexcept {
        ends_.clear();
        offsets_.clear();
        entries_.clear();
    }

    // Walks the renamings backwards, so that each label is renamed once by all that came after it.
    // label(r) is the label told of row r.
    template <class Label>
    void apply(std::size_t n, Label&& label) {
        for (std::size_t i = ends_.size(); i-- > 0;) {
            if (i + 1 < ends_.size()) {
                const std::uint32_t* later = entries_.data() + offsets_[i + 1];
                const std::size_t stop = offsets_[i + 1];
                for (std::size_t e = offsets_[i]; e < stop; ++e) {
                    entries_[e] = renamed(entries_[e], later);
                }
            }
            const std::size_t first = i == 0 ? 0 : ends_[i - 1];
            const std::size_t last = ends_[i] < n ? ends_[i] : n;
            for (std::size_t r = first; r < last; ++r) {
                std::int64_t& mine = label(r);
                mine = renamed(mine, entries_.data() + offsets_[i]);
            }
        }
    }

private:
    Buffer<std::size_t> ends_, offsets_;
    LabelMap entries_;
};

// What a stream is told: of each row its label, its match with what was known before it, and
// whether it founded a cluster, where the caller wants to have them; and in between, which labels
// have changed.
struct StreamReport {
    std::int64_t* labels;
    double* matches;
    std::uint8_t* founded;
    std::int64_t* now = nullptr;  // their labels after the call, where clusters are read anew

    // From the row after `n_rows` of these on, label i is called map[i].
    void rename(std::size_t n_rows, const LabelMap& map) {
        after.reserve(after.size() + 1);
        sizes.reserve(sizes.size() + 1);
        entries.reserve(entries.size() + map.size());
        after.push(static_cast<std::int64_t>(n_rows));
        sizes.push(static_cast<std::int64_t>(map.size()));
        for (const std::uint32_t entry : map) entries.push(told_label(entry));
    }

    Buffer<std::int64_t> after{}, sizes{}, entries{};  // of the renamings: when, how long, each
};

// Labels before a call -> labels after it, whatever was renamed on the way.
class CallMap {
public:
    explicit CallMap(std::size_t n_clusters) : n_clusters_(n_clusters) {}
    void follow(const LabelMap& map) {
        if (!any_) {
            map_.reserve(n_clusters_);
            for (std::size_t m = 0; m < n_clusters_; ++m) {
                map_.push(static_cast<std::uint32_t>(m));
            }
        }
        any_ = true;
        for (std::uint32_t& m : map_) m = renamed(m, map.data());
    }
    bool any() const { return any_; }
    LabelMap take() noexcept { return std::move(map_); }

private:
    std::size_t n_clusters_;
    bool any_ = false;
    LabelMap map_;
};

}  // namespace resonart
