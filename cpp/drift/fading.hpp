// How much categories weigh where rows are forgotten: their rows, each fading by half in every
// half-life, or none that is older than a window.
//
// A faded weight is reckoned when it is looked at, from what it was when the category last took a
// row: no sweep over all categories, and the same bits however rows are cut into calls. Of a window
// the rows that are in it are kept, by time and category: their counts are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/buffer.hpp"
#include "base/journal.hpp"
#include "base/label_maps.hpp"

namespace resonart {

class Fading {
public:
    // What a category weighed when it last took a row, when that was, and the most it ever weighed.
    struct Load {
        double weight, at, most;
    };
    // A row in the window.
    struct Stay {
        double time;
        std::uint32_t category;
    };

    void configure(double half_life, double window) noexcept {
        half_life_ = half_life;
        window_ = window;
    }
    bool is_on() const { return half_life_ > 0.0 || window_ > 0.0; }
    bool has_window() const { return window_ > 0.0; }

    // In the clock's units: how much time a reading stays good for. By then a quarter of a
    // half-life has gone, or an eighth of a window.
    double step() const { return has_window() ? window_ / 8.0 : half_life_ / 4.0; }
    // As long as half of what is known takes to be forgotten.
    double half_life() const { return has_window() ? window_ / 2.0 : half_life_; }

    double now() const { return clock_->now; }
    std::size_t size() const { return loads_.size(); }
    const Load& load(std::size_t j) const { return loads_[j]; }
    std::size_t n_stays() const { return stays_.size() - clock_->head; }
    const Stay& stay(std::size_t i) const { return stays_[clock_->head + i]; }
    double sum() const { return clock_->sum; }
    double squares() const { return clock_->squares; }

    double weight(std::size_t j) const noexcept {
        const Load& load = loads_[j];
        return has_window() ? load.weight : load.weight * faded(load.at);
    }
    // A category below this has lost nearly all it had, and goes.
    double floor(std::size_t j) const noexcept {
        return std::max(has_window() ? 1.0 : kLeast, loads_[j].most * kLeastShare);
    }
    bool is_stale(std::size_t j) const noexcept { return weight(j) < floor(j); }

    // Rows that fade count less than others, and tell nearly as much as these: weights are to be
    // multiplied by this, so that they add up to the number of unfaded rows that would tell as much
    // (Kish's effective sample size).
    double scale() const {
        return has_window() || !(clock_->squares > 0.0) ? 1.0 : clock_->sum / clock_->squares;
    }

    // Room for one category more, and for what a row at that time changes; throws std::bad_alloc,
    // changing nothing that can be seen.
    void reserve(double time) {
        loads_.reserve(loads_.size() + 1);
        std::size_t n_changes = 1;
        if (has_window()) {
            stays_.reserve(stays_.size() + 1);
            for (std::size_t i = clock_->head; i < stays_.size() && has_left(i, time); ++i) {
                ++n_changes;
            }
        }
        journal_.reserve_more(n_changes);
    }

    // The next four need that room. Time goes on, for a row that is then taken.
    void advance(double time) noexcept {
        if (has_window()) {
            std::size_t& head = clock_->head;
            for (; head < stays_.size() && has_left(head, time); ++head) {
                const std::size_t j = stays_[head].category;
                note(j);
                loads_[j].weight -= 1.0;
            }
        } else if (clock_->sum > 0.0) {  // before the first row there is no time to compare with
            const double left = std::exp2((clock_->now - time) / half_life_);
            clock_->sum *= left;
            clock_->squares *= left * left;
        }
        clock_->now = time;
    }
    void append() noexcept {
        loads_.push({0.0, clock_->now, 0.0});
        take(loads_.size() - 1);
    }
    // A row more. Returns what the category weighs with it.
    double take(std::size_t j) noexcept {
        note(j);
        Load& load = loads_[j];
        // One that had lost nearly all begins again.
        if (is_stale(j)) load.most = 0.0;
        load.weight = weight(j) + 1.0;
        load.at = clock_->now;
        load.most = std::max(load.most, load.weight);
        clock_->sum += 1.0;
        clock_->squares += 1.0;
        if (has_window()) stays_.push({clock_->now, static_cast<std::uint32_t>(j)});
        return load.weight;
    }

    // Categories go to others, or away (kNoLabel): `goes_to` has a place for each, and there are
    // `n` of them then. Not noted. May fail.
    void move(const LabelMap& goes_to, std::size_t n) {
        Buffer<Load> loads;
        loads.assign(n, {0.0, clock_->now, 0.0});
        for (std::size_t j = 0; j < loads_.size(); ++j) {
            if (goes_to[j] == kNoLabel) continue;
            Load& load = loads[goes_to[j]];
            load.weight += weight(j);
            load.most = std::max({load.most, loads_[j].most, load.weight});
        }
        loads_ = std::move(loads);
        std::size_t kept = 0;
        for (std::size_t i = clock_->head; i < stays_.size(); ++i) {
            const Stay stay = stays_[i];
            if (goes_to[stay.category] == kNoLabel) continue;
            stays_[kept++] = {stay.time, goes_to[stay.category]};
        }
        stays_.shrink(kept);
        clock_->head = 0;
    }

    // Undo, as journal.hpp says.
    void note_changes() {
        if (clock_->head > kMostGone && clock_->head > stays_.size() / 2) drop_gone();
        journal_.begin(loads_.size());
        clock_.note_changes();
        n_stays_before_ = stays_.size();
    }
    void undo_changes() noexcept {
        if (journal_.is_kept()) {
            loads_.shrink(journal_.size_before());
            for (std::size_t i = 0; i < journal_.size(); ++i) {
                loads_[journal_.which(i)] = journal_.value(i);
            }
            stays_.shrink(n_stays_before_);
        }
        clock_.undo_changes();
        forget_changes();
    }
    void forget_changes() noexcept {
        journal_.end();
        clock_.forget_changes();
    }

    // What is known, to be filled in from elsewhere.
    void adopt(Buffer<Load>&& loads, Buffer<Stay>&& stays, double now, double sum,
               double squares) noexcept {
        loads_ = std::move(loads);
        stays_ = std::move(stays);
        *clock_ = {now, sum, squares, 0};
    }

private:
    static constexpr double kLeast = 0.25;         // what is left of a row after two half-lives
    static constexpr double kLeastShare = 0.0625;  // of a category after four
    static constexpr std::size_t kMostGone = 4096;

    double faded(double at) const noexcept { return std::exp2((at - clock_->now) / half_life_); }
    // By its age, which is exact where times are close to each other, however late they are.
    bool has_left(std::size_t i, double time) const noexcept {
        return time - stays_[i].time >= window_;
    }
    void note(std::size_t j) noexcept { journal_.note(j, loads_[j]); }
    void drop_gone() noexcept {
        const std::size_t n = n_stays();
        std::copy_n(stays_.begin() + clock_->head, n, stays_.begin());
        stays_.shrink(n);
        clock_->head = 0;
    }

    struct Clock {
        double now = 0.0;      // when the last row came
        double sum = 0.0;      // of the weights of all rows that ever came ...
        double squares = 0.0;  // ... and of their squares
        std::size_t head = 0;  // the first row that has not left the window
    };
    double half_life_ = 0.0, window_ = 0.0;
    Undoable<Clock> clock_;
    Buffer<Load> loads_;
    Buffer<Stay> stays_;
    Journal<Load> journal_;
    std::size_t n_stays_before_ = 0;
};

}  // namespace resonart
