// What became of clusters: which were born, merged, split, moved and died, and how large they were
// at each reading.
//
// Bounded: of events the latest are kept, and of readings every second one goes when there are too
// many. What is old lies on a page that copies of the model share; new entries are added to it now
// and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/label_maps.hpp"

namespace resonart {

enum class Change { born, merged, split, moved, died };

struct Event {
    Change change;
    std::uint32_t
        label;  // whom it befell: the new one of a split, the one that is gone of a merger
    std::uint32_t other;  // what it split from or merged into; kNoLabel
    double row, time;     // rows learned until then, and the clock
    double size;          // rows, faded
    double distance;      // of `moved`: in the user's units
};
// A cluster at a reading.
struct Moment {
    double reading, row, time, label, size;
};

// Entries, one after the other; and where each was: n_features numbers.
struct DiaryPage {
    Buffer<Event> events;
    Buffer<double> event_places;
    Buffer<Moment> moments;
    Buffer<double> moment_places;

    void append(const DiaryPage& other) {
        append_to(events, other.events);
        append_to(event_places, other.event_places);
        append_to(moments, other.moments);
        append_to(moment_places, other.moment_places);
    }

private:
    template <class T>
    static void append_to(Buffer<T>& to, const Buffer<T>& from) {
        to.reserve(to.size() + from.size());
        to.append(from.data(), from.size());
    }
};

// A living cluster: where it was when that was last recorded, and where it is.
struct Resident {
    std::uint32_t label;
    double size;
    std::vector<double> shown_at, centre;
    double radius2 = 0.0;  // how far its rows lie from the centre, in shares of the ranges; squared
};

class Diary {
public:
    static constexpr std::size_t kMostEvents = 10'000, kMostMoments = 20'000;
    // Events that are no longer kept are counted up to here.
    static constexpr std::int64_t kMostForgotten = std::int64_t{1} << 53;

    const std::vector<Resident>& residents() const { return residents_; }
    std::int64_t n_forgotten() const { return n_forgotten_; }
    std::int64_t stride() const { return stride_; }

    // All of it, in order.
    DiaryPage all() const;

    // After a reading: of each category the label it had and the label it has, its weight and the
    // mean of its rows. `n_readings` counts this one, `n_rows` what was learned. May fail halfway.
    void record(const std::uint32_t* before, const std::uint32_t* now, const double* weight,
                const double* mean, const double* range, std::size_t n, std::size_t d,
                double n_readings, double n_rows, double time);

    // Clusters that were removed are gone without a word.
    template <class IsThere>
    void keep_if(IsThere&& is_there) {
        std::vector<Resident> left;
        for (Resident& each : residents_) {
            if (is_there(each.label)) left.push_back(std::move(each));
        }
        residents_ = std::move(left);
    }

    // To be filled in from elsewhere.
    void adopt(DiaryPage&& page, std::vector<Resident>&& residents, std::int64_t n_forgotten,
               std::int64_t stride);

private:
    static constexpr std::size_t kMostFresh = 512;
    static constexpr double kFar = 1.0;  // a centre moved: farther than its rows lie from it

    template <class Add>
    static void leave(const Resident& who, std::uint32_t into, Add&& add) {
        const bool is_merged = into != kNoLabel && into != who.label;
        add(is_merged ? Change::merged : Change::died, who, is_merged ? into : kNoLabel, 0.0);
    }

    static std::vector<Resident> see(const std::uint32_t* label, const double* weight,
                                     const double* mean, const double* range, std::size_t n,
                                     std::size_t d);

    std::size_t n_events() const { return (old_ ? old_->events.size() : 0) + fresh_.events.size(); }
    std::size_t n_moments() const {
        return (old_ ? old_->moments.size() : 0) + fresh_.moments.size();
    }

    void turn_page();

    void thin_out(std::size_t d);

    std::shared_ptr<const DiaryPage> old_;
    DiaryPage fresh_;
    std::vector<Resident> residents_;  // by label
    std::int64_t n_forgotten_ = 0;     // events that are no longer kept
    std::int64_t stride_ = 1;          // every so many readings are kept
};

}  // namespace resonart
