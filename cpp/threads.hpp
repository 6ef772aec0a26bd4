// Work shared by several threads, whose failures come out in the one that asked for it.
#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace resonart {

// Thrown in a thread that sees that another has failed; never leaves `in_parallel`.
struct Stopped {};

// Calls work(t) in each of n threads, the caller's among them (t = 0), and waits for all; in fewer
// where no more can be had. The first failure sets `stop`, which the others look at, and is thrown
// here.
template <class Work>
void in_parallel(unsigned n_threads, std::atomic<bool>& stop, Work&& work) {
    std::vector<std::exception_ptr> failed(n_threads);
    const auto guarded = [&](unsigned t) {
        try {
            work(t);
        } catch (const Stopped&) {
        } catch (...) {
            failed[t] = std::current_exception();
            stop = true;
        }
    };
    std::atomic<unsigned> ready{0};
    std::vector<std::thread> others;
    others.reserve(n_threads);
    try {
        for (unsigned t = 1; t < n_threads; ++t) {
            others.emplace_back([&, t] {
                // A thread's first exception needs memory of its own, which must not be asked for
                // when there is none: that would end the process.
                try {
                    throw Stopped();
                } catch (const Stopped&) {
                    ++ready;
                }
                guarded(t);
            });
        }
    } catch (...) {  // no more threads, or no memory for them
    }
    while (ready < others.size()) std::this_thread::yield();
    guarded(0);
    for (std::thread& thread : others) thread.join();
    for (const std::exception_ptr& e : failed) {
        if (e) std::rethrow_exception(e);
    }
}

// Asks for all threads: the first through `ask`, which may throw; the others only whether to stop.
template <class Ask>
class SharedAsk {
public:
    SharedAsk(unsigned thread, std::atomic<bool>& stop, Ask& ask)
        : ask_(thread == 0 ? &ask : nullptr), stop_(&stop) {}
    void operator()() {
        if (*stop_) throw Stopped();
        if (ask_) (*ask_)();
    }

private:
    Ask* ask_;
    std::atomic<bool>* stop_;
};

}  // namespace resonart
