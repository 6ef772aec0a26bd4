// Ctrl-C while the engine works.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace resonart::bindings {

// Asks Python now and then whether a signal has come; its exception then unwinds the engine.
class CheckSignals {
public:
    void operator()() {
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_{};  // long ago: creating one costs nothing
};

// Asks nobody.
struct Never {
    void operator()() const {}
};

}  // namespace resonart::bindings
