// Undo without a copy: what a call is about to change is noted first, and put back if it fails.
//
// Each part of a model that rows change bit by bit (categories, modules, edges) keeps a journal of
// its own, in which a thing's old value is noted before the first change that a call makes to it.
// What the call adds needs no note: it is cut off again. So a call of one row notes a category or
// two, and the longest one never notes more than the part had when it began, which is what a copy
// would cost. To undo is to give the part its old size and to put the notes back, in any order.
//
// Such a part has three members:
//   note_changes()    from now on changes are noted. May fail, having changed nothing.
//   undo_changes()    takes back all changes since, if they were noted. It needs no memory where
//                     they were made; a copy may have to grow to the old size, and may fail.
//   forget_changes()  notes no more.
// and makes room for the notes of a row where it makes room for the row itself. Whoever removes
// things or gives them new numbers notes all that this touches, from the first to the last, as
// topoART does at the end of a cycle. What is replaced as a whole, as by merging, wider ranges or
// the removal of clusters, is copied beforehand instead, and nothing is noted (learner.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"

namespace resonart {

// Old values of numbered things.
template <class Value>
class Journal {
public:
    bool is_kept() const { return is_kept_; }
    std::size_t size_before() const { return n_before_; }  // things there were when it began

    void begin(std::size_t n) {
        if (n > call_of_.size()) {
            call_of_.reserve(n);
            call_of_.append(std::uint32_t{0}, n - call_of_.size());
        }
        if (++call_ == 0) {  // all numbers have been used
            std::fill(call_of_.begin(), call_of_.end(), 0u);
            call_ = 1;
        }
        n_before_ = n;
        is_kept_ = true;
    }
    void end() noexcept {
        is_kept_ = false;
        clear_notes(which_);
        clear_notes(values_);
    }

    // Room for so many more notes, where any are taken; throws std::bad_alloc, changing nothing.
    void reserve_more(std::size_t n) {
        if (!is_kept_) return;
        which_.reserve(which_.size() + n);
        values_.reserve(values_.size() + n);
    }

    // Whether `note` would note thing j: it was there before, and has no note yet.
    bool wants(std::size_t j) const noexcept {
        return is_kept_ && j < n_before_ && call_of_[j] != call_;
    }
    // Before thing j is changed. Needs the room reserved before.
    void note(std::size_t j, const Value& value) noexcept {
        if (!wants(j)) return;
        call_of_[j] = call_;
        which_.push(static_cast<std::uint32_t>(j));
        values_.push(value);
    }

    std::size_t size() const { return which_.size(); }  // notes
    std::size_t which(std::size_t i) const { return which_[i]; }
    const Value& value(std::size_t i) const { return values_[i]; }

    // Forgets notes, and gives back the memory of many.
    template <class T>
    static void clear_notes(Buffer<T>& notes) noexcept {
        if (notes.size() * sizeof(T) > kMostIdle) notes = Buffer<T>();
        notes.clear();
    }

private:
    static constexpr std::size_t kMostIdle = std::size_t{1} << 16;  // bytes

    bool is_kept_ = false;
    std::size_t n_before_ = 0;
    std::uint32_t call_ = 0;         // the number of this use of the journal
    Buffer<std::uint32_t> call_of_;  // of each thing: in which it was last noted
    Buffer<std::uint32_t> which_;
    Buffer<Value> values_;
};

// A few plain numbers that are noted all at once.
template <class Values>
class Undoable {
public:
    Values& operator*() { return now_; }
    const Values& operator*() const { return now_; }
    Values* operator->() { return &now_; }
    const Values* operator->() const { return &now_; }

    void note_changes() noexcept {
        before_ = now_;
        is_noted_ = true;
    }
    void undo_changes() noexcept {
        if (is_noted_) now_ = before_;
        is_noted_ = false;
    }
    void forget_changes() noexcept { is_noted_ = false; }

private:
    Values now_{}, before_{};
    bool is_noted_ = false;
};

}  // namespace resonart
