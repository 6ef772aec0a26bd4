// The lock of a model: many may read at once, one may write alone.
//
// A writer that waits comes before readers that arrive later, so that a stream is not held up by
// predictions. Whoever waits is asked now and then whether to give up (Ctrl-C).
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace resonart {

class ModelLock {
public:
    // `ask` is called while waiting, and ends it by throwing.
    template <class Ask>
    void lock(Ask& ask) {
        std::unique_lock<std::mutex> guard(state_);
        if (reads_already()) refuse();
        ++waiting_writers_;
        try {
            wait(guard, ask, [&] { return !writing_ && readers_.empty(); });
        } catch (...) {
            --waiting_writers_;
            changed_.notify_all();
            throw;
        }
        --waiting_writers_;
        begin_writing();
    }
    bool try_lock() {
        const std::lock_guard<std::mutex> guard(state_);
        if (writing_ || !readers_.empty()) return false;
        begin_writing();
        return true;
    }
    void unlock() noexcept {
        const std::lock_guard<std::mutex> guard(state_);
        writing_ = false;
        writer_ = std::thread::id();
        changed_.notify_all();
    }

    template <class Ask>
    void lock_shared(Ask& ask) {
        std::unique_lock<std::mutex> guard(state_);
        // Who reads already must not wait for a writer, who waits for it.
        if (!reads_already()) {
            wait(guard, ask, [&] { return !writing_ && waiting_writers_ == 0; });
        }
        readers_.push_back(std::this_thread::get_id());
    }
    void unlock_shared() noexcept {
        const std::lock_guard<std::mutex> guard(state_);
        readers_.erase(std::find(readers_.begin(), readers_.end(), std::this_thread::get_id()));
        if (readers_.empty()) changed_.notify_all();
    }

private:
    void begin_writing() {
        writing_ = true;
        writer_ = std::this_thread::get_id();
    }

    bool reads_already() const {
        return std::find(readers_.begin(), readers_.end(), std::this_thread::get_id()) !=
               readers_.end();
    }

    // A signal handler runs inside the call that it interrupts, and would wait for it for ever.
    [[noreturn]] static void refuse() {
        throw std::runtime_error(
            "the model cannot be changed from within a call that is using it, nor used from within "
            "one that is training it, as from a signal handler");
    }

    template <class Ask, class Free>
    void wait(std::unique_lock<std::mutex>& guard, Ask& ask, Free&& free) {
        while (!free()) {
            if (writing_ && writer_ == std::this_thread::get_id()) refuse();
            if (changed_.wait_for(guard, std::chrono::milliseconds(50)) ==
                std::cv_status::timeout) {
                guard.unlock();
                try {
                    ask();
                } catch (...) {
                    guard.lock();
                    throw;
                }
                guard.lock();
            }
        }
    }

    std::mutex state_;
    std::condition_variable changed_;
    std::vector<std::thread::id> readers_;
    int waiting_writers_ = 0;
    bool writing_ = false;
    std::thread::id writer_;
};

// Holds the lock while it lives.
class Writing {
public:
    template <class Ask>
    Writing(ModelLock& lock, Ask& ask) : lock_(lock) {
        lock_.lock(ask);
    }
    ~Writing() { lock_.unlock(); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

private:
    ModelLock& lock_;
};

class Reading {
public:
    template <class Ask>
    Reading(ModelLock& lock, Ask& ask) : lock_(lock) {
        lock_.lock_shared(ask);
    }
    ~Reading() { lock_.unlock_shared(); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

private:
    ModelLock& lock_;
};

}  // namespace resonart
