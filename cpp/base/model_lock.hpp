// The lock of a model: many may read at once, one may write alone.
//
// A writer that waits comes before readers that arrive later, so that a stream is not held up by
// predictions. Whoever waits is asked now and then whether to give up (Ctrl-C).
//
// A forked process has one thread, the one that forked. Others that were reading are gone, and the
// model is as it was; of one that was writing, it is neither old nor new, and is refused.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/poll.hpp"

namespace resonart {

class ModelLock {
public:
    ModelLock();
    // `poll` asks while waiting, and ends it by throwing.
    void lock(Poll& poll);
    bool try_lock();
    void unlock() noexcept;

    void lock_shared(Poll& poll);
    void unlock_shared() noexcept;

private:
    void begin_writing();
    // (After a fork, nobody was waiting.)
    void stop_waiting();

    // In a forked process, before anything else: forgets the threads that are gone. Whatever one of
    // them held is made again; what it was is left where it lies.
    void settle() noexcept;

    bool reads_already() const;

    // A signal handler runs inside the call that it interrupts, and would wait for it for ever.
    [[noreturn]] static void refuse();

    // A model that is torn stays so.
    void check_whole() const;

    template <class Free>
    void wait(std::unique_lock<std::mutex>& guard, Poll& poll, Free&& free);

    std::mutex state_;
    std::condition_variable changed_;
    std::vector<std::thread::id> readers_;
    int waiting_writers_ = 0;
    bool writing_ = false;
    std::thread::id writer_;
    bool torn_ = false;
    std::atomic<unsigned> forks_;  // that this process had come out of when the lock was last used
};

// Holds the lock while it lives.
class WriteGuard {
public:
    WriteGuard(ModelLock& lock, Poll& poll) : lock_(lock) { lock_.lock(poll); }
    ~WriteGuard() { lock_.unlock(); }
    WriteGuard(const WriteGuard&) = delete;
    WriteGuard& operator=(const WriteGuard&) = delete;

private:
    ModelLock& lock_;
};

class ReadGuard {
public:
    ReadGuard(ModelLock& lock, Poll& poll) : lock_(lock) { lock_.lock_shared(poll); }
    ~ReadGuard() { lock_.unlock_shared(); }
    ReadGuard(const ReadGuard&) = delete;
    ReadGuard& operator=(const ReadGuard&) = delete;

private:
    ModelLock& lock_;
};

}  // namespace resonart
