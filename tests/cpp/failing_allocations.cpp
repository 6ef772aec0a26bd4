// Lets every single allocation of a call fail, one after the other, and checks that the model is
// then exactly what it was. Prints how many failures were survived.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>
#include <vector>

#include "../../cpp/learner.hpp"
#include "../../cpp/nearby.hpp"
#include "../../cpp/quality.hpp"
#include "../../cpp/rows.hpp"
#include "../../cpp/sweep.hpp"

namespace {

// Allocations until one fails; negative: none does.
std::atomic<long> countdown{-1};

void* allocate(std::size_t bytes, std::size_t alignment) {
    const long left = countdown;
    if (left == 0) throw std::bad_alloc();
    if (left > 0) countdown = left - 1;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* p = std::aligned_alloc(alignment, rounded ? rounded : alignment);
    if (!p) throw std::bad_alloc();
    return p;
}

}  // namespace

void* operator new(std::size_t n) { return allocate(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) {
    return allocate(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

using namespace resonart;

constexpr std::size_t kFeatures = 3;

std::vector<double> random_rows(std::size_t n, double spread, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(0.5 - spread / 2, 0.5 + spread / 2);
    std::vector<double> rows(n * kFeatures);
    for (double& v : rows) v = uniform(generator);
    return rows;
}

Rows view(const std::vector<double>& rows) {
    return Rows::of<double>(rows.data(), rows.size() / kFeatures, kFeatures,
                            kFeatures * sizeof(double), sizeof(double));
}

// Every number that makes up a model.
template <class Art>
std::vector<double> content(const Learner<Art>& learner) {
    const auto& state = learner.state();
    const Categories& c = state.art.categories();
    std::vector<double> all = {double(c.size()),        double(state.art.n_clusters()),
                               double(state.n_samples), double(state.since_merge),
                               double(state.n_merges),  state.art.params().rho_lb,
                               double(state.n_refused), double(state.room_sought_at)};
    for (std::size_t j = 0; j < c.size(); ++j) {
        for (std::size_t f = 0; f < c.width(); ++f) all.push_back(c.weight(j, f));
        all.push_back(c.norm(j));
        all.push_back(double(c.count(j)));
        all.push_back(double(c.owner(j)));
    }
    for (std::size_t f = 0; f < state.bounds.size(); ++f) {
        all.push_back(state.bounds.low(f));
        all.push_back(state.bounds.high(f));
    }
    for (std::uint32_t m : state.label_map) all.push_back(m);
    return all;
}

struct Never {
    void operator()() const {}
};

// Calls `change` on a model of its own again and again, each time with a later allocation failing,
// until it gets through. Returns how often it failed.
template <class Art, class Change>
long survive(const char* name, const Params& params, Change&& change) {
    const std::vector<double> before_rows = random_rows(40, 1.0, 1);
    for (long k = 0;; ++k) {
        Learner<Art> learner(kFeatures, params);
        std::vector<std::int64_t> labels(2000);
        learner.train(view(before_rows), params, Plan(), labels.data(), Never());
        const std::vector<double> before = content(learner);
        countdown = k;
        bool failed = false;
        try {
            change(learner, labels.data());
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        countdown = -1;
        if (!failed) return k;
        if (content(learner) != before) {
            std::printf("%s: the model changed when allocation %ld failed\n", name, k);
            std::exit(1);
        }
        // And it still works.
        change(learner, labels.data());
    }
}

template <class Art>
long survive_all(const char* name, Params params) {
    const std::vector<double> inside = random_rows(60, 1.0, 2);
    const std::vector<double> outside = random_rows(60, 3.0, 3);
    const std::vector<double> one = random_rows(1, 0.1, 4);
    const std::vector<double> far = random_rows(1, 9.0, 5);
    long failures = 0;
    const auto train = [&](const std::vector<double>& rows, const Params& with, bool merging) {
        failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
            Plan plan;
            plan.merge_on_the_way = merging;
            learner.train(view(rows), with, plan, labels, Never());
        });
    };
    Params merging = params;
    merging.merge_every = 25;
    Params stricter = params;
    stricter.rho_lb = params.rho_lb / 2;
    train(inside, params, false);
    train(outside, params, false);
    train(outside, merging, true);
    train(one, params, false);
    train(far, params, false);
    train(one, stricter, false);
    for (const auto* row : {&one, &far}) {
        failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
            learner.learn_one(row->data(), Never());
        });
    }
    params.merge_every = 41;  // the row after the first batch merges
    failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
        learner.learn_one(one.data(), Never());
    });
    if constexpr (Learner<Art>::kMerges) {
        failures += survive<Art>(
            name, params, [&](auto& learner, std::int64_t*) { learner.merge(stricter, Never()); });
    }
    failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
        learner.predict(view(outside), true, labels, Never());
    });
    failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
        std::vector<double> table;
        const auto room = [&](std::size_t k) {
            table.resize(60 * k);
            return table.data();
        };
        learner.matches(view(outside), room, Never());
    });
    failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
        double matches[60 * 3];
        learner.nearest_clusters(view(outside), 3, labels, matches, Never());
    });
    return failures;
}

// The same of a model that the rows before have just filled: room has not been sought yet.
template <class Art>
long survive_full(const char* name, Params params) {
    {
        Learner<Art> learner(kFeatures, params);
        std::vector<std::int64_t> labels(2000);
        learner.train(view(random_rows(40, 1.0, 1)), params, Plan(), labels.data(), Never());
        params.max_categories = std::int64_t(learner.state().art.categories().size());
    }
    const std::vector<double> inside = random_rows(60, 1.0, 2);
    const std::vector<double> far = random_rows(1, 9.0, 5);
    long failures = 0;
    for (bool merges : {true, false}) {
        params.merge_when_full = merges;
        for (std::int64_t merge_every : {0, 41}) {
            if (merge_every && !merges) continue;
            params.merge_every = merge_every;
            failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
                Plan plan;
                plan.merge_on_the_way = true;
                learner.train(view(inside), params, plan, labels, Never());
            });
            for (std::size_t r = 0; r < 4; ++r) {
                failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
                    learner.learn_one(inside.data() + r * kFeatures, Never());
                });
            }
            failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
                learner.learn_one(far.data(), Never());
            });
        }
    }
    return failures;
}

// A whole sweep, and the judging of its partitions, with a later and later allocation failing until
// it gets through: it ends each time, and leaves nothing waiting. Returns how often it failed.
template <class Art>
long survive_sweep(const char* name, Params params, bool paired, unsigned n_threads, long stride) {
    constexpr std::size_t n = 14, n_orders = 2, n_values = 5;
    const std::vector<double> rows = random_rows(n, 1.0, 6);
    const double values[n_values] = {0.0, 0.5, 0.8, 0.9, 0.97};
    const double low[kFeatures] = {0, 0, 0}, high[kFeatures] = {1, 1, 1};
    std::vector<std::int64_t> orders, neighbours;
    for (std::size_t i = 0; i < n; ++i) orders.push_back(std::int64_t(i));
    for (std::size_t i = n; i-- > 0;) orders.push_back(std::int64_t(i));
    for (std::size_t i = 0; i < n; ++i) neighbours.push_back(std::int64_t((i + 1) % n));
    const std::vector<double> height(n, 0.5);
    std::vector<std::int64_t> numbers(3 * n_values * n_values * n_orders, -1);
    std::vector<std::int64_t> before(3 * n_values * n_values * n_orders, -1);
    std::vector<double> agreement(n_values * n_values * n_orders), worth(1000, 1.0);
    std::vector<std::int64_t> place(n_values * n_values, 0);
    for (std::size_t c = 0; c < place.size(); ++c) place[c] = std::int64_t(c);
    const std::vector<std::int64_t> zero(place.size(), 0);
    std::vector<Quality> quality(1000);
    for (long k = 0;; k += stride) {
        Never ask;
        countdown = k;
        try {
            Bounds bounds;
            bounds.set(low, high, kFeatures);
            const CodedRows coded(view(rows), bounds);
            const Grid grid(values, n_values, values, n_values, paired);
            SweepPlan plan;
            plan.orders = orders.data();
            plan.n_orders = n_orders;
            plan.merge = std::is_same<Art, Ddvfa>::value;
            plan.n_threads = n_threads;
            const std::size_t m = grid.n_cells() * n_orders;
            Partitions partitions(n);
            Sweep<Art> sweep(coded, params, grid, plan,
                             {numbers.data(), numbers.data() + m, numbers.data() + 2 * m},
                             {before.data(), before.data() + m, before.data() + 2 * m}, partitions);
            sweep.run(ask);
            const std::int64_t* ids = numbers.data() + 2 * m;
            agreements(partitions, ids, grid.n_cells(), n_orders, n_threads, agreement.data(), ask);
            const Surroundings around(orders.data(), height.data(), n, neighbours.data(), 1);
            measure_all(partitions, around, 2, 9, n_threads, quality.data(), ask);
            const RunsOfSweep runs{ids,      zero.data(), place.data(),  grid.n_cells(),
                                   n_orders, 1,           grid.n_cells()};
            BestRun best(partitions, runs, worth.data(), agreement.data(), 2);
            const bool found = !best.search(3, ask).empty();
            countdown = -1;
            if (!found) {
                std::printf("%s: no run was judged\n", name);
                std::exit(1);
            }
            return k / stride;
        } catch (const std::exception&) {  // std::thread says it in its own way
            countdown = -1;
        }
    }
}

}  // namespace

int main() {
    Params params;
    params.rho_lb = 0.7;
    params.rho_ub = 0.95;
    long failures = survive_all<FuzzyArt>("FuzzyArt", params);
    failures += survive_all<Dvfa>("Dvfa", params);
    failures += survive_full<FuzzyArt>("full FuzzyArt", params);
    failures += survive_full<Dvfa>("full Dvfa", params);
    params.tau = 17;
    failures += survive_all<TopoArt>("TopoArt", params);
    failures += survive_full<TopoArt>("full TopoArt", params);
    params.gamma = 3.0;
    for (Linkage linkage : {Linkage::single, Linkage::complete, Linkage::median, Linkage::average,
                            Linkage::weighted, Linkage::centroid}) {
        params.linkage = linkage;
        failures += survive_all<Ddvfa>("Ddvfa", params);
        failures += survive_full<Ddvfa>("full Ddvfa", params);
        failures += survive_sweep<Ddvfa>("Ddvfa", params, false, 1, 29);
    }
    params.linkage = Linkage::single;
    failures += survive_sweep<Ddvfa>("Ddvfa", params, false, 2, 5);
    failures += survive_sweep<Dvfa>("Dvfa", params, false, 1, 1);
    failures += survive_sweep<FuzzyArt>("FuzzyArt", params, true, 1, 1);
    failures += survive_sweep<TopoArt>("TopoArt", params, true, 2, 3);
    std::printf("%ld failures survived\n", failures);
    return 0;
}
