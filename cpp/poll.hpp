// Long loops say how much work they have done; now and then somebody is asked whether to stop.
#pragma once

#include <cstddef>

namespace resonart {

// `Ask` is called with no argument about every few milliseconds of work, and stops the loop by
// throwing.
template <class Ask>
class Poll {
public:
    explicit Poll(Ask ask) : ask_(ask) {}
    // `steps`: additions or the like, a rough measure.
    void work(std::size_t steps) {
        done_ += steps + 32;
        if (done_ < kBetween) return;
        done_ = 0;
        ask_();
    }

private:
    static constexpr std::size_t kBetween = std::size_t{1} << 22;
    Ask ask_;
    std::size_t done_ = 0;
};

}  // namespace resonart
