// The parameters of each algorithm, under the paper's names. A struct lists its fields once, in
// `each`: what checks, compares, binds and stores them goes through that list.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "art/linkage.hpp"
#include "base/power.hpp"
#include "density/reading.hpp"

namespace resonart {

enum class Search { activation, index };
enum class OutOfBounds { expand, clip, error };
// What becomes of categories that a reading puts into no cluster: they say so, or go to the
// nearest.
enum class Noise { label, nearest };

// Of a choice that no vigilance test took part in: it holds at every higher vigilance.
constexpr double kAnyVigilance = std::numeric_limits<double>::infinity();
// Asks for no more than whether something passes.
constexpr double kAnyMatch = -std::numeric_limits<double>::infinity();

// Where the numbers of a field lie. They are finite, whatever it says.
struct Range {
    double low = 0.0;
    double high = std::numeric_limits<double>::infinity();
    bool low_included = true;

    bool holds(double value) const {
        return (low_included ? value >= low : value > low) && value <= high && std::isfinite(value);
    }
};
constexpr Range kNotNegative{};
constexpr Range kPositive{0.0, std::numeric_limits<double>::infinity(), false};
constexpr Range kUnit{0.0, 1.0};
constexpr Range kRate{0.0, 1.0, false};
constexpr Range kAtLeastOne{1.0};
constexpr Range kNoRange{};  // of choices and flags

// What follows from the list of fields that `Own` has.
template <class Own>
struct ParamsOf {
    double alpha = 1e-3;
    OutOfBounds out_of_bounds = OutOfBounds::expand;
    std::int64_t max_categories = 0;  // 0: no bound

    // Calls f(name, pointer to member, range) for every field.
    template <class F>
    static void each_common(F&& f) {
        f("alpha", &Own::alpha, kPositive);
        f("out_of_bounds", &Own::out_of_bounds, kNoRange);
        f("max_categories", &Own::max_categories, kNotNegative);
    }

    // Python words these for people; here they only keep the engine safe from a bad state.
    void check() const {
        bool fine = own().fits();
        Own::each([&](const char*, auto member, const Range& range) {
            const auto value = own().*member;
            if constexpr (std::is_arithmetic<decltype(value)>::value) {
                fine &= range.holds(static_cast<double>(value));
            }
        });
        if (!fine) throw std::invalid_argument("parameters out of range");
    }
    // Whether fields that are in their ranges go together; and with so many features.
    bool fits() const { return true; }
    void check_features(std::size_t) const {}

    friend bool operator==(const Own& one, const Own& other) {
        bool same = true;
        Own::each(
            [&](const char*, auto member, const Range&) { same &= one.*member == other.*member; });
        return same;
    }

    // Whether a store of so many categories must not grow.
    bool is_full(std::size_t n_categories) const {
        return max_categories > 0 && n_categories >= static_cast<std::size_t>(max_categories);
    }

private:
    const Own& own() const { return static_cast<const Own&>(*this); }
};

struct FuzzyArtParams : ParamsOf<FuzzyArtParams> {
    double rho = 0.0;
    double beta = 1.0;

    template <class F>
    static void each(F&& f) {
        f("rho", &FuzzyArtParams::rho, kUnit);
        f("beta", &FuzzyArtParams::beta, kRate);
        each_common(f);
    }
    // A sweep has two axes, of which fuzzy ART knows one.
    void set_vigilances(double, double upper) { rho = upper; }
    double lower_vigilance() const { return rho; }
};

template <class Own>
struct DualVigilanceParams : ParamsOf<Own> {
    double rho_lb = 0.0;
    double rho_ub = 0.0;

    bool fits() const { return rho_lb <= rho_ub; }
    void set_vigilances(double lower, double upper) {
        rho_lb = lower;
        rho_ub = upper;
    }
    double lower_vigilance() const { return rho_lb; }
};

struct DvfaParams : DualVigilanceParams<DvfaParams> {
    double beta = 1.0;

    template <class F>
    static void each(F&& f) {
        f("rho_lb", &DvfaParams::rho_lb, kUnit);
        f("rho_ub", &DvfaParams::rho_ub, kUnit);
        f("beta", &DvfaParams::beta, kRate);
        each_common(f);
    }
};

// DDVFA's and Merge ART's.
struct DdvfaParams : DualVigilanceParams<DdvfaParams> {
    double gamma = 1.0;
    double gamma_ref = 1.0;
    Linkage linkage = Linkage::single;
    Search search = Search::activation;
    std::int64_t merge_every = 0;  // 0: only when asked
    bool merge_when_full = true;   // false: a full model then only compresses its modules
    double beta = 1.0;

    template <class F>
    static void each(F&& f) {
        f("rho_lb", &DdvfaParams::rho_lb, kUnit);
        f("rho_ub", &DdvfaParams::rho_ub, kUnit);
        f("gamma", &DdvfaParams::gamma, kNotNegative);
        f("gamma_ref", &DdvfaParams::gamma_ref, kNotNegative);
        f("linkage", &DdvfaParams::linkage, kNoRange);
        f("search", &DdvfaParams::search, kNoRange);
        f("merge_every", &DdvfaParams::merge_every, kNotNegative);
        f("merge_when_full", &DdvfaParams::merge_when_full, kNoRange);
        f("beta", &DdvfaParams::beta, kRate);
        each_common(f);
    }

    // d^γ* stands in every vigilance test of DDVFA, and means of up to a million such numbers are
    // taken.
    static constexpr double kMostScale = 1e300;
    void check_features(std::size_t n_features) const {
        if (!(Power(gamma_ref)(static_cast<double>(n_features)) <= kMostScale)) {
            throw std::invalid_argument(
                "gamma_ref is too large: the number of features to the power of gamma_ref "
                "overflows. Use a smaller gamma_ref");
        }
    }
};

struct TopoArtParams : ParamsOf<TopoArtParams> {
    double rho_a = 0.0;  // of modules A and B
    double rho_b = 0.0;
    double beta_sbm = 0.5;
    std::int64_t phi = 2;
    std::int64_t tau = 100;

    template <class F>
    static void each(F&& f) {
        f("rho_a", &TopoArtParams::rho_a, kUnit);
        f("rho_b", &TopoArtParams::rho_b, kUnit);
        f("beta_sbm", &TopoArtParams::beta_sbm, kUnit);
        f("phi", &TopoArtParams::phi, kAtLeastOne);
        f("tau", &TopoArtParams::tau, kAtLeastOne);
        each_common(f);
    }
    bool fits() const { return rho_a <= rho_b; }
    void set_vigilances(double lower, double upper) {
        rho_a = lower;
        rho_b = upper;
    }
    double lower_vigilance() const { return rho_a; }
};

// No cluster has to have more rows, whatever a model says that rows weigh: 2^53.
constexpr double kMostInCluster = 9007199254740992.0;

struct DensityArtParams : ParamsOf<DensityArtParams> {
    std::int64_t min_cluster_size = 0;  // rows; 0: chosen, or by the share
    double min_cluster_share = 0.0;     // of the rows that a reading sees; 0: none
    std::int64_t min_samples = 0;       // rows; 0: chosen, or by the share
    double min_samples_share = 0.0;     // likewise
    std::int64_t least_clusters = 0;    // that are wanted; 0: any number
    std::int64_t most_clusters = 0;
    Scaling scaling = Scaling::automatic;
    Selection cluster_selection_method = Selection::automatic;
    Noise noise = Noise::label;
    double half_life = 0.0;  // in the clock's units; 0: rows are not forgotten by it
    double window = 0.0;     // likewise

    DensityArtParams() { max_categories = 10'000; }

    template <class F>
    static void each(F&& f) {
        f("min_cluster_size", &DensityArtParams::min_cluster_size, kNotNegative);
        f("min_cluster_share", &DensityArtParams::min_cluster_share, kUnit);
        f("min_samples", &DensityArtParams::min_samples, kNotNegative);
        f("min_samples_share", &DensityArtParams::min_samples_share, kUnit);
        f("least_clusters", &DensityArtParams::least_clusters, kNotNegative);
        f("most_clusters", &DensityArtParams::most_clusters, kNotNegative);
        f("scaling", &DensityArtParams::scaling, kNoRange);
        f("cluster_selection_method", &DensityArtParams::cluster_selection_method, kNoRange);
        f("noise", &DensityArtParams::noise, kNoRange);
        f("half_life", &DensityArtParams::half_life, kNotNegative);
        f("window", &DensityArtParams::window, kNotNegative);
        each_common(f);
    }
    // Its memory is always bounded. (No more clusters can be wanted than there are labels.)
    bool fits() const {
        return max_categories >= 1 && !(half_life > 0.0 && window > 0.0) &&
               least_clusters <= most_clusters && (least_clusters > 0) == (most_clusters > 0) &&
               most_clusters <= kMostWanted;
    }
    static constexpr std::int64_t kMostWanted = std::int64_t{1} << 31;
    bool forgets() const { return half_life > 0.0 || window > 0.0; }
    // Whether there is anything to choose in a reading.
    bool leaves_choice() const { return !reading(1.0).is_given(); }

    // A share of so many rows, rounded up, as a number of rows in a range that a reading takes; the
    // share that a number is of these rows is that number again, whatever rounding does.
    static double rows_of(double share, double n_rows, double least) {
        constexpr double kRounding = 1e-12;
        const double rows = std::ceil(share * n_rows * (1.0 - kRounding));
        return std::max(least, std::min(rows, kMostInCluster));
    }
    // The rows that a cluster has at least, of so many; 0: that is part of the choice.
    double cluster_size(double n_rows) const {
        if (!(min_cluster_share > 0.0)) return static_cast<double>(min_cluster_size);
        return rows_of(min_cluster_share, n_rows, 2.0);
    }

    // What is asked of a reading of so many rows.
    ReadingParams reading(double n_rows) const {
        ReadingParams asked;
        asked.min_cluster_size = min_cluster_size;
        if (min_cluster_share > 0.0) {
            asked.min_cluster_size = static_cast<std::int64_t>(cluster_size(n_rows));
        }
        asked.min_samples = min_samples;
        if (min_samples_share > 0.0) {
            asked.min_samples = static_cast<std::int64_t>(rows_of(min_samples_share, n_rows, 1.0));
        }
        asked.scaling = scaling;
        asked.selection = cluster_selection_method;
        asked.least_clusters = least_clusters;
        asked.most_clusters = most_clusters;
        asked.attaches_noise = noise == Noise::nearest;
        return asked;
    }
};

}  // namespace resonart
