// Long loops say how much work they have done; now and then somebody is asked whether to stop.
#pragma once

#include <atomic>
#include <cstddef>

namespace resonart {

// How far a long call has come, for whoever watches.
struct Progress {
    std::atomic<std::size_t> n_rows{0};                 // presented
    std::atomic<std::size_t> n_parts{0}, all_parts{0};  // of a reading; 0: none has begun
};

// This one asks nobody; those that ask derive from it.
class Poll {
public:
    Poll() = default;
    explicit Poll(Progress* progress) : progress_(progress) {}
    virtual ~Poll() = default;
    Poll(const Poll&) = delete;
    Poll& operator=(const Poll&) = delete;

    // `steps`: additions or the like, a rough measure.
    void work(std::size_t steps) {
        done_ += steps + 32;
        if (done_ < kBetween) return;
        done_ = 0;
        ask();
    }
    // Called about every few milliseconds of work. Stops the call by throwing.
    virtual void ask() {}

    // Null: nobody watches.
    Progress* progress() const { return progress_; }

private:
    static constexpr std::size_t kBetween = std::size_t{1} << 22;
    Progress* progress_ = nullptr;
    std::size_t done_ = 0;
};

}  // namespace resonart
