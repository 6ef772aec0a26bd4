// Dates, which a clock holds as seconds since 1970 (UTC).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace resonart {

// Dates are exact to a microsecond, of which 64 bits hold this many seconds.
constexpr double kLatestDate = 9.2e12;

// A date in ISO 8601, as Python writes it: no more digits than it needs.
inline std::string date_in_words(double seconds) {
    constexpr std::int64_t kTicks = 1'000'000, kDay = 86'400;
    const auto ticks = static_cast<std::int64_t>(std::nearbyint(seconds * 1e6));
    std::int64_t day = ticks / (kDay * kTicks), rest = ticks % (kDay * kTicks);
    if (rest < 0) {
        rest += kDay * kTicks;
        --day;
    }
    // The calendar repeats itself after 400 years; from there, year by year and month by month.
    constexpr std::int64_t kCycle = 146'097;
    std::int64_t cycle = day / kCycle;
    if (day % kCycle < 0) --cycle;
    day -= cycle * kCycle;
    std::int64_t year = 1970 + 400 * cycle;
    const auto is_leap = [&] { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; };
    for (; day >= (is_leap() ? 366 : 365); ++year) day -= is_leap() ? 366 : 365;
    const int lengths[12] = {31, is_leap() ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int month = 0;
    for (; day >= lengths[month]; ++month) day -= lengths[month];
    const auto second = static_cast<int>(rest / kTicks), micro = static_cast<int>(rest % kTicks);
    char text[64];
    std::snprintf(text, sizeof text, "%04lld-%02d-%02dT%02d:%02d:%02d",
                  static_cast<long long>(year), month + 1, static_cast<int>(day) + 1, second / 3600,
                  second / 60 % 60, second % 60);
    std::string found = text;
    if (micro) {
        std::snprintf(text, sizeof text, ".%06d", micro);
        found += text;
        found.erase(found.find_last_not_of('0') + 1);
    }
    return found;
}

}  // namespace resonart
