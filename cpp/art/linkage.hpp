// The ways a module speaks for its categories (the paper's tables of activation and match functions
// for DDVFA and Merge ART). One struct for each, and one list of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace resonart {

// The list: another linkage is another line here, and its struct below.
#define RESONART_LINKAGES(EACH) \
    EACH(single, Single)        \
    EACH(complete, Complete)    \
    EACH(median, Median)        \
    EACH(average, Average)      \
    EACH(weighted, Weighted)    \
    EACH(centroid, Centroid)

#define RESONART_ENUMERATOR(name, Rule) name,
enum class Linkage { RESONART_LINKAGES(RESONART_ENUMERATOR) };
#undef RESONART_ENUMERATOR

// How the value of a module comes about, and so what is looked at.
enum class LinkedBy {
    nearest,     // the highest value: only the boxes near a sample matter
    each_value,  // value by value, all categories having a say: start, add, finish
    all_values,  // all of them at once: of_all, of_all_if_needed
    centroid,    // the box around all of them, kept by the module
};

namespace linkages {

// What most linkages share. `share` is a value's a priori probability, where kByShares asks for it.
struct ByValue {
    static constexpr LinkedBy kLinkedBy = LinkedBy::each_value;
    static constexpr bool kByShares = false;
    static double start() { return 0.0; }
    static double add(double so_far, double value, double = 0.0) { return so_far + value; }
    static double finish(double so_far, std::size_t) { return so_far; }
    // How many of a module's n values must reach a bar, at least, if what they come to does. (A
    // mean does not exceed the highest of its values but for rounding, for which bars leave room.)
    static std::size_t least_passing(std::size_t) { return 1; }
};

struct Single : ByValue {
    static constexpr LinkedBy kLinkedBy = LinkedBy::nearest;
    static double start() { return -std::numeric_limits<double>::infinity(); }
    static double add(double so_far, double value, double = 0.0) {
        return value > so_far ? value : so_far;
    }
};

struct Complete : ByValue {
    static double start() { return std::numeric_limits<double>::infinity(); }
    static double add(double so_far, double value, double = 0.0) {
        return value < so_far ? value : so_far;
    }
    static std::size_t least_passing(std::size_t n) { return n; }
};

struct Average : ByValue {
    static double finish(double so_far, std::size_t n) { return so_far / static_cast<double>(n); }
};

struct Weighted : ByValue {
    static constexpr bool kByShares = true;
    static double add(double so_far, double value, double share) { return so_far + share * value; }
};

struct Median {
    static constexpr LinkedBy kLinkedBy = LinkedBy::all_values;
    static std::size_t least_passing(std::size_t n) { return (n + 1) / 2; }

    // The ordinary median; the mean of the two middle values of an even number. Reorders `values`.
    static double of_all(double* values, std::size_t n) {
        double* const middle = values + n / 2;
        std::nth_element(values, middle, values + n);
        if (n % 2) return *middle;
        const double below = *std::max_element(values, middle);
        return (below + *middle) / 2.0;
    }

    // The same where it reaches `bar` but is less than `enough`. Otherwise something below the bar,
    // or something that is enough: counting can tell. (Of an even number exactly half of which
    // reach a bar, only the two in the middle know whether their mean does.)
    static double of_all_if_needed(double* values, std::size_t n, double bar, double enough) {
        std::size_t passing = 0, plenty = 0;
        for (std::size_t i = 0; i < n; ++i) {
            passing += values[i] >= bar;
            plenty += values[i] >= enough;
        }
        if (2 * passing < n) return -std::numeric_limits<double>::infinity();
        if (2 * passing > n && 2 * plenty > n) return enough > bar ? enough : bar;
        return of_all(values, n);
    }
};

struct Centroid {
    static constexpr LinkedBy kLinkedBy = LinkedBy::centroid;
    static std::size_t least_passing(std::size_t) { return 1; }
};

}  // namespace linkages

// Calls f with the rule of a linkage.
template <class F>
decltype(auto) with_linkage(Linkage which, F&& f) {
#define RESONART_CASE(name, Rule) \
    case Linkage::name:           \
        return f(linkages::Rule());
    switch (which) { RESONART_LINKAGES(RESONART_CASE) }
#undef RESONART_CASE
    std::abort();  // there is no other
}

// Calls f(name, linkage) for each of them.
template <class F>
void each_linkage(F&& f) {
#define RESONART_CALL(name, Rule) f(#name, Linkage::name);
    RESONART_LINKAGES(RESONART_CALL)
#undef RESONART_CALL
}
#undef RESONART_LINKAGES

inline LinkedBy linked_by(Linkage which) {
    return with_linkage(which, [](auto rule) { return decltype(rule)::kLinkedBy; });
}
inline std::size_t least_passing(Linkage which, std::size_t n) {
    return with_linkage(which, [&](auto rule) { return rule.least_passing(n); });
}

// What n values come to, one after the other.
template <class Rule, class Value, class Share>
inline double gathered(std::size_t n, Value&& value, Share&& share) {
    double so_far = Rule::start();
    for (std::size_t i = 0; i < n; ++i) {
        so_far = Rule::add(so_far, value(i), Rule::kByShares ? share(i) : 0.0);
    }
    return Rule::finish(so_far, n);
}

// Means of more values than this may be off by more than bars leave room for.
constexpr std::size_t kMostInMean = std::size_t{1} << 20;

}  // namespace resonart
