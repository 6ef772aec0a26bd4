// What becomes of labels when clusters are merged, read again or removed.
//
// A label map has an entry for each thing there was, in order: its new number, or kNoLabel where it
// is gone. What has no label, shown as -1, stays without, whatever is renamed later. Where labels
// have holes, and at the border to Python, only those that changed are listed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"

namespace resonart {

using LabelMap = Buffer<std::uint32_t>;
constexpr std::uint32_t kNoLabel = 0xffffffffu;

// A label as users see it.
inline std::int64_t shown_label(std::uint32_t label) noexcept {
    return label == kNoLabel ? -1 : static_cast<std::int64_t>(label);
}

// The new name of a label, by a map that starts at `map`.
inline std::uint32_t renamed(std::uint32_t label, const std::uint32_t* map) noexcept {
    return label == kNoLabel ? kNoLabel : map[label];
}
// The same of one that was shown.
inline std::int64_t renamed(std::int64_t label, const std::uint32_t* map) noexcept {
    return label < 0 ? -1 : shown_label(map[label]);
}

// Labels that have changed, each once and in ascending order, with what they are now; all others
// stay what they are.
class LabelChanges {
public:
    struct Change {
        std::uint32_t from, to;
    };

    // Of a map from 0, 1, ... on.
    static LabelChanges of(const LabelMap& map) {
        LabelChanges changes;
        for (std::size_t m = 0; m < map.size(); ++m) {
            if (map[m] != m) changes.add(static_cast<std::uint32_t>(m), map[m]);
        }
        return changes;
    }

    // Higher than all before.
    void add(std::uint32_t from, std::uint32_t to) {
        each_.reserve(each_.size() + 1);
        each_.push({from, to});
    }
    std::size_t size() const { return each_.size(); }
    const Change* begin() const { return each_.begin(); }
    const Change* end() const { return each_.end(); }

    std::uint32_t operator()(std::uint32_t label) const noexcept {
        const Change* at = std::lower_bound(
            begin(), end(), label, [](const Change& a, std::uint32_t b) { return a.from < b; });
        return at != end() && at->from == label ? at->to : label;
    }

    // These changes and then later ones, of labels below `last`. A label that comes back to what it
    // was stays in the list: the same label may mean another cluster in between.
    LabelChanges then(const LabelChanges& later, std::uint32_t last = kNoLabel) const {
        LabelChanges both;
        both.each_.reserve(size() + later.size());
        const Change* next = later.begin();
        const auto add_until = [&](std::uint32_t label) {
            for (; next != later.end() && next->from < label; ++next) {
                if (next->from < last) both.each_.push(*next);
            }
        };
        for (const Change& mine : each_) {
            add_until(mine.from);
            if (next != later.end() && next->from == mine.from) ++next;
            both.each_.push({mine.from, later(mine.to)});
        }
        add_until(kNoLabel);
        return both;
    }
    // Without those that came back.
    LabelChanges real() const {
        LabelChanges changes;
        for (const Change& mine : each_) {
            if (mine.from != mine.to) changes.add(mine.from, mine.to);
        }
        return changes;
    }

private:
    Buffer<Change> each_;
};

// The renamings within one call, by maps.
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
    // label(r) is the label of row r.
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

// The same by changes, for labels as they were shown.
class Renamings {
public:
    void add(std::size_t end, const LabelChanges& changes) {
        if (!changes.size()) return;
        ends_.push_back(end);
        changes_.push_back(changes);
    }
    void clear() noexcept {
        ends_.clear();
        changes_.clear();
    }
    std::size_t size() const { return ends_.size(); }
    std::size_t end(std::size_t i) const { return ends_[i]; }
    const LabelChanges& changes(std::size_t i) const { return changes_[i]; }
    template <class Label>
    void apply(std::size_t n, Label&& label) {
        LabelChanges later;
        for (std::size_t i = ends_.size(); i-- > 0;) {
            later = changes_[i].then(later);
            const std::size_t first = i == 0 ? 0 : ends_[i - 1];
            for (std::size_t r = first; r < std::min(ends_[i], n); ++r) {
                std::int64_t& mine = label(r);
                if (mine >= 0) mine = shown_label(later(static_cast<std::uint32_t>(mine)));
            }
        }
    }

private:
    std::vector<std::size_t> ends_;
    std::vector<LabelChanges> changes_;
};

// What is reported of a stream: of each row its label, its match with what was known before it, and
// whether it founded a cluster, where the caller wants to have them; and in between, which labels
// have changed.
struct StreamReport {
    std::int64_t* labels;
    double* matches;
    std::uint8_t* founded;
    std::int64_t* now = nullptr;  // their labels after the call, where clusters are read again

    Renamings renamings{};
};

// Labels before a call -> labels after it, whatever was renamed on the way. `last` is above all
// labels there were.
class CallMap {
public:
    explicit CallMap(std::size_t last) : last_(static_cast<std::uint32_t>(last)) {}
    void follow(const LabelChanges& changes) {
        if (changes.size()) all_ = all_.then(changes, last_);
    }
    LabelChanges take() const { return all_.real(); }

private:
    std::uint32_t last_;
    LabelChanges all_;
};

}  // namespace resonart
