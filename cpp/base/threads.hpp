// Work shared by several threads, whose failures come out in the one that asked for it. The one
// place where the engine starts threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "base/poll.hpp"

namespace resonart {

// Thrown in a thread that sees that another has failed; never leaves `in_parallel`.
struct Stopped {};

// Calls work(t, n) for t = 0 ... n-1, each in a thread of its own, the caller's among them (t = 0),
// and waits for all. `n` is how many threads there really are: `most_threads`, or fewer where the
// system gives no more, or no memory for them. No work begins before it is known, so that work may
// be divided by it. The first failure sets `stop`, which the others look at, and is thrown here.
template <class Work>
void in_parallel(unsigned most_threads, std::atomic<bool>& stop, Work&& work) {
    std::vector<std::exception_ptr> failed(most_threads);
    const auto guarded = [&](unsigned t, unsigned n) {
        try {
            work(t, n);
        } catch (const Stopped&) {
        } catch (...) {
            failed[t] = std::current_exception();
            stop = true;
        }
    };
    std::atomic<unsigned> ready{0};
    std::atomic<unsigned> n_threads{0};  // 0: not known yet
    std::vector<std::thread> others;
    others.reserve(most_threads);
    try {
        for (unsigned t = 1; t < most_threads; ++t) {
            others.emplace_back([&, t] {
                // A thread's first exception needs memory of its own, which must not be asked for
                // when there is none: that would end the process.
                try {
                    throw Stopped();
                } catch (const Stopped&) {
                    ++ready;
                }
                unsigned n;
                while (!(n = n_threads)) std::this_thread::yield();
                guarded(t, n);
            });
        }
    } catch (...) {  // no more threads, or no memory for them
    }
    while (ready < others.size()) std::this_thread::yield();
    n_threads = static_cast<unsigned>(others.size()) + 1;
    guarded(0, n_threads);
    for (std::thread& thread : others) thread.join();
    for (const std::exception_ptr& e : failed) {
        if (e) std::rethrow_exception(e);
    }
}

// Asked by one of several threads: the first asks `poll`, the others only whether to stop.
class ThreadPoll final : public Poll {
public:
    ThreadPoll(unsigned thread, const std::atomic<bool>& stop, Poll& poll)
        : poll_(thread == 0 ? &poll : nullptr), stop_(&stop) {}
    void ask() override {
        if (*stop_) throw Stopped();
        if (poll_) poll_->ask();
    }

private:
    Poll* poll_;
    const std::atomic<bool>* stop_;
};

// Calls do_task(i, poll) for i = 0 ... n-1, in any order, in up to `most_threads` threads. The
// first of them polls `poll`, which may throw.
template <class DoTask>
void in_parallel_tasks(std::size_t n, unsigned most_threads, Poll& poll, DoTask&& do_task) {
    const auto wanted = static_cast<unsigned>(n < most_threads ? n : most_threads);
    if (wanted < 2) {
        for (std::size_t i = 0; i < n; ++i) do_task(i, poll);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    in_parallel(wanted, stop, [&](unsigned t, unsigned) {
        ThreadPoll own(t, stop, poll);
        for (std::size_t i; !stop && (i = next.fetch_add(1)) < n;) do_task(i, own);
    });
}

// How many of `most` threads can be had at this moment, the caller's among them.
inline unsigned threads_to_be_had(unsigned most) {
    std::atomic<bool> stop{false};
    unsigned found = 1;
    in_parallel(most, stop, [&](unsigned t, unsigned n) {
        if (t == 0) found = n;
    });
    return found;
}

}  // namespace resonart
