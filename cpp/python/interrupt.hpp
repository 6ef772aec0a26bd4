// Ctrl-C while the engine works.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "base/poll.hpp"

namespace resonart::bindings {

// A call that tells Python how far it has come: report(n_rows, n_parts, all_parts).
class Watched {
public:
    explicit Watched(nanobind::handle report) : report_(report) {}
    Watched(const Watched&) = delete;  // the engine writes into it

    // Null where nobody watches.
    Progress* progress() { return report_.is_none() ? nullptr : &progress_; }
    // Needs the interpreter's lock.
    void report() const {
        if (report_.is_none()) return;
        report_(progress_.n_rows.load(), progress_.n_parts.load(), progress_.all_parts.load());
    }

private:
    nanobind::handle report_;
    Progress progress_;
};

// Asks Python now and then whether a signal has come, and tells it how far a call has come that is
// watched; its exception then unwinds the engine.
class CheckSignals : public Poll {
public:
    CheckSignals() = default;
    explicit CheckSignals(Watched& watched) : Poll(watched.progress()), watched_(&watched) {}
    void ask() override {
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        if (watched_) watched_->report();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_{};  // long ago: creating one costs nothing
    const Watched* watched_ = nullptr;
};

}  // namespace resonart::bindings
