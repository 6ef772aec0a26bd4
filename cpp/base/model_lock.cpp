#include "base/model_lock.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace resonart {
namespace {

// How often the process has come out of a fork as the child, and who looks after its locks then.
class Forks {
public:
    static unsigned count() {
#ifndef _WIN32
        static const int registered = pthread_atfork(nullptr, nullptr, [] {
            ++count_;
            settling_.clear();
        });
        (void)registered;
#endif
        return count_;
    }
    // One at a time; for moments only.
    static void begin_settling() noexcept {
        while (settling_.test_and_set()) std::this_thread::yield();
    }
    static void end_settling() noexcept { settling_.clear(); }

private:
    static inline std::atomic<unsigned> count_{0};
    static inline std::atomic_flag settling_ = ATOMIC_FLAG_INIT;
};

}  // namespace

ModelLock::ModelLock() : forks_(Forks::count()) {}

template <class Free>
void ModelLock::wait(std::unique_lock<std::mutex>& guard, Poll& poll, Free&& free) {
    check_whole();
    while (!free()) {
        if (writing_ && writer_ == std::this_thread::get_id()) refuse();
        if (changed_.wait_for(guard, std::chrono::milliseconds(50)) == std::cv_status::timeout) {
            guard.unlock();
            try {
                poll.ask();
            } catch (...) {
                guard.lock();
                throw;
            }
            guard.lock();
        }
    }
}

void ModelLock::lock(Poll& poll) {
    settle();
    std::unique_lock<std::mutex> guard(state_);
    if (reads_already()) refuse();
    ++waiting_writers_;
    try {
        wait(guard, poll, [&] { return !writing_ && readers_.empty(); });
    } catch (...) {
        stop_waiting();
        changed_.notify_all();
        throw;
    }
    stop_waiting();
    begin_writing();
}

bool ModelLock::try_lock() {
    settle();
    const std::lock_guard<std::mutex> guard(state_);
    if (torn_ || writing_ || !readers_.empty()) return false;
    begin_writing();
    return true;
}

void ModelLock::unlock() noexcept {
    settle();
    const std::lock_guard<std::mutex> guard(state_);
    writing_ = false;
    writer_ = std::thread::id();
    changed_.notify_all();
}

void ModelLock::lock_shared(Poll& poll) {
    settle();
    std::unique_lock<std::mutex> guard(state_);
    check_whole();
    // Who reads already must not wait for a writer, who waits for it.
    if (!reads_already()) {
        wait(guard, poll, [&] { return !writing_ && waiting_writers_ == 0; });
    }
    readers_.push_back(std::this_thread::get_id());
}

void ModelLock::unlock_shared() noexcept {
    settle();
    const std::lock_guard<std::mutex> guard(state_);
    const auto mine = std::find(readers_.begin(), readers_.end(), std::this_thread::get_id());
    if (mine != readers_.end()) readers_.erase(mine);
    if (readers_.empty()) changed_.notify_all();
}

void ModelLock::begin_writing() {
    writing_ = true;
    writer_ = std::this_thread::get_id();
}

void ModelLock::stop_waiting() {
    if (waiting_writers_ > 0) --waiting_writers_;
}

void ModelLock::settle() noexcept {
    if (forks_ == Forks::count()) return;
    Forks::begin_settling();
    if (forks_ != Forks::count()) {
        const bool is_whole = state_.try_lock();  // no thread was about to change the lock
        const auto self = std::this_thread::get_id();
        torn_ = torn_ || (writing_ && writer_ != self);
        writing_ = writing_ && writer_ == self;
        waiting_writers_ = 0;
        if (is_whole) {
            readers_.erase(
                std::remove_if(readers_.begin(), readers_.end(),
                               [&](const std::thread::id& reader) { return reader != self; }),
                readers_.end());
            state_.unlock();
        } else {
            new (&state_) std::mutex();
            new (&readers_) std::vector<std::thread::id>();
        }
        new (&changed_) std::condition_variable();
        forks_ = Forks::count();
    }
    Forks::end_settling();
}

bool ModelLock::reads_already() const {
    return std::find(readers_.begin(), readers_.end(), std::this_thread::get_id()) !=
           readers_.end();
}

void ModelLock::refuse() {
    throw std::runtime_error(
        "the model cannot be changed from within a call that is using it, nor used from within "
        "one that is training it, as from a signal handler");
}

void ModelLock::check_whole() const {
    if (!torn_) return;
    throw std::runtime_error(
        "another thread was training the model when this process was forked, and so its copy "
        "here is neither the old nor the new model. Fork before training begins or after it "
        "has ended, start processes by 'spawn', or load the model from a file");
}

}  // namespace resonart
