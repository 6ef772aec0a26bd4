// When rows came, by the clock of a model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace resonart {

// Whose clock the times of rows are: that of none yet, of the rows themselves, or the caller's, who
// gives numbers, or dates as seconds since 1970.
enum class ClockKind : std::uint8_t { none, rows, given, dates };

// When the rows of a call came; null: rows are counted.
struct Times {
    const double* at = nullptr;
    bool are_dates = false;

    explicit operator bool() const noexcept { return at != nullptr; }
    double operator[](std::size_t i) const noexcept { return at[i]; }
    ClockKind kind() const noexcept {
        return !at ? ClockKind::rows : are_dates ? ClockKind::dates : ClockKind::given;
    }
};

// Throws unless these `n` times are finite, ascending, and of the clock that the model has had so
// far, where `last` is its latest.
void check_times(Times times, std::size_t n, ClockKind had, double last);

}  // namespace resonart
