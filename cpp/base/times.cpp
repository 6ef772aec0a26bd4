#include "base/times.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/dates.hpp"

namespace resonart {
namespace {

// A date, or as many digits as are needed to tell a number from others.
std::string in_words(double time, ClockKind kind) {
    if (kind == ClockKind::dates) return date_in_words(time);
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", time);
    return text;
}

// Why rows of one clock cannot be learned by a model of another.
const char* other_clock(ClockKind had, ClockKind given) {
    if (had == ClockKind::rows) {
        return "time was given, but the model has counted rows so far; give it from the first row "
               "on, or never";
    }
    if (given == ClockKind::rows) {
        return "the model goes by the time that was given with its rows; give time with these, too";
    }
    return had == ClockKind::dates
               ? "time was given as numbers, but the model has learned rows with dates so far; "
                 "give dates, for instance as datetime64"
               : "time was given as dates, but the model has learned rows with numbers as times "
                 "so far; give numbers of the same clock";
}

}  // namespace

void check_times(Times times, std::size_t n, ClockKind had, double last) {
    const ClockKind kind = times.kind();
    if (n && had != ClockKind::none && had != kind) {
        throw std::invalid_argument(other_clock(had, kind));
    }
    if (!times) return;
    if (had == ClockKind::none) last = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = [i] { return "row " + std::to_string(i); };
        if (!std::isfinite(times[i])) {
            throw std::invalid_argument(kind == ClockKind::dates
                                            ? "time must be a date for each row, and " + row() +
                                                  " has none (NaT)"
                                            : "time must be finite numbers, got " +
                                                  in_words(times[i], kind) + " for " + row());
        }
        if (times[i] < last) {
            throw std::invalid_argument("time runs backwards: " + row() + " is at " +
                                        in_words(times[i], kind) + ", after one at " +
                                        in_words(last, kind) +
                                        "; sort the rows by time, or leave late ones out");
        }
        last = times[i];
    }
}

}  // namespace resonart
