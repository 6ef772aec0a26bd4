// Lets every single allocation of a call fail, one after the other, and every thread it starts, and
// checks that a call which fails leaves the model exactly as it was, and that one which goes on
// with fewer threads finds the same. Prints how many failures were survived.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "art/ddvfa.hpp"
#include "art/dvfa.hpp"
#include "art/fuzzy_art.hpp"
#include "art/topo_art.hpp"
#include "base/rows.hpp"
#include "model/learner.hpp"
#include "model/read_labels.hpp"
#include "tuning/quality.hpp"
#include "tuning/sweep.hpp"
#include "tuning/vat.hpp"

namespace {

// Allocations until one fails, and all after it or, `once`, it alone; negative: none does.
std::atomic<long> countdown{-1};
std::atomic<bool> once{false}, any_failed{false};

// Threads to start by number, from 0: bit t tells that the t-th cannot be started.
std::atomic<unsigned long> no_thread{0};
std::atomic<int> n_asked{0}, n_denied{0};

void* allocate(std::size_t bytes, std::size_t alignment) {
    const long left = countdown;
    if (left == 0) {
        if (once) countdown = -1;
        any_failed = true;
        throw std::bad_alloc();
    }
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

// Stands before the system's own.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*begin)(void*), void* argument) noexcept {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    const int number = n_asked++;
    if (number < 64 && (no_thread >> number & 1)) {
        ++n_denied;
        return EAGAIN;
    }
    return create(thread, attributes, begin, argument);
}

namespace {

using namespace resonart;

constexpr std::size_t kFeatures = 3;
constexpr std::size_t kBefore = 40, kRows = 40;  // learned before a call, and by it

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

void add(std::vector<double>& all, const Categories& c) {
    all.push_back(double(c.size()));
    for (std::size_t j = 0; j < c.size(); ++j) {
        for (std::size_t f = 0; f < c.width(); ++f) all.push_back(c.weight(j, f));
        all.push_back(c.norm(j));
        all.push_back(double(c.count(j)));
        all.push_back(double(c.owner(j)));
    }
}

// What an algorithm keeps besides its categories.
template <class Art>
void add_rest(std::vector<double>&, const Art&) {}
void add_rest(std::vector<double>& all, const Ddvfa& art) {
    const Modules& modules = art.modules();
    add(all, modules.centroids());
    for (std::size_t m = 0; m < modules.size(); ++m) {
        all.push_back(double(modules.module_size(m)));
        all.push_back(double(modules.module_samples(m)));
        if (art.params().linkage == Linkage::single) continue;
        const std::uint32_t* members = modules.members(m);
        all.insert(all.end(), members, members + modules.module_size(m));
    }
}
void add_rest(std::vector<double>& all, const TopoArt& art) {
    add(all, art.b().categories());
    for (const TopoModule* module : {&art.a(), &art.b()}) {
        all.push_back(double(module->steps()));
        for (std::size_t e = 0; e < module->edges().size(); ++e) {
            all.push_back(module->edges().first(e));
            all.push_back(module->edges().second(e));
        }
    }
}

// What is known of time: the clock, what fades, what is expected, and the diary.
void add_time(std::vector<double>& all, const DensityArt& art) {
    const Fading& fading = art.fading();
    for (double v : {double(art.clock_kind()), art.now(), art.read_at(), fading.sum(),
                     fading.squares(), double(art.kept().is_known), art.kept().candidate.of_rows,
                     art.kept().noise, art.kept().chosen_at, art.kept().candidate.height,
                     double(art.kept().is_settled), art.begun_at()}) {
        all.push_back(v);
    }
    for (std::size_t j = 0; j < fading.size(); ++j) {
        for (double v : {fading.load(j).weight, fading.load(j).at, fading.load(j).most}) {
            all.push_back(v);
        }
    }
    for (std::size_t i = 0; i < fading.n_stays(); ++i) {
        all.push_back(fading.stay(i).time);
        all.push_back(fading.stay(i).category);
    }
    const Expectations& expected = art.expected();
    all.insert(all.end(), expected.embryo.begin(), expected.embryo.end());
    for (const Embryo& each : expected.embryos) {
        all.push_back(each.n_seen);
        all.push_back(each.first_size);
    }
    for (const PendingChange& each : expected.changes) {
        all.insert(all.end(), each.labels.begin(), each.labels.end());
        all.push_back(each.n_clusters);
        all.push_back(each.n_seen);
    }
    const DiaryPage page = art.diary().all();
    for (const Event& e : page.events) {
        for (double v : {double(e.change), double(e.label), double(e.other), e.row, e.time, e.size,
                         e.distance}) {
            all.push_back(v);
        }
    }
    for (const Moment& m : page.moments) {
        for (double v : {m.reading, m.row, m.time, m.label, m.size}) all.push_back(v);
    }
    for (const Buffer<double>* places : {&page.event_places, &page.moment_places}) {
        all.insert(all.end(), places->begin(), places->end());
    }
    for (const Resident& each : art.diary().residents()) {
        all.push_back(each.label);
        all.push_back(each.size);
        all.push_back(each.radius2);
        all.insert(all.end(), each.shown_at.begin(), each.shown_at.end());
        all.insert(all.end(), each.centre.begin(), each.centre.end());
    }
    all.push_back(double(art.diary().n_forgotten()));
    all.push_back(double(art.diary().stride()));
}

void add_rest(std::vector<double>& all, const DensityArt& art) {
    const std::size_t n = art.categories().size();
    all.insert(all.end(), art.rows().data(), art.rows().data() + n * kFeatures);
    for (std::size_t j = 0; j < n; ++j) {
        all.push_back(art.strength(j));
        all.push_back(art.outlier(j));
        all.push_back(double(art.rows().repeats(j)));
        all.push_back(double(art.rows().find(art.rows()[j])));
    }
    all.insert(all.end(), art.reach().begin(), art.reach().end());
    all.push_back(art.share());
    all.push_back(double(art.n_labels()));
    for (std::uint32_t m = 0; m < art.n_clusters(); ++m) {
        all.push_back(art.label_in(m));
        all.push_back(art.vigilance(m));
    }
    add_time(all, art);
    if (!art.record()) return;
    all.insert(all.end(), art.record()->weight.begin(), art.record()->weight.end());
    all.insert(all.end(), art.record()->label.begin(), art.record()->label.end());
}

// A parameter that is changed by `changed`.
template <class Params>
double looked_at(const Params& params) {
    return params.lower_vigilance();
}
double looked_at(const DensityArtParams& params) { return double(params.noise); }
template <class Params>
Params changed(Params params) {
    params.set_vigilances(params.lower_vigilance() / 2, 0.95);
    return params;
}
DensityArtParams changed(DensityArtParams params) {
    params.noise = Noise::nearest;
    return params;
}

// Every number that makes up a model.
template <class Art>
std::vector<double> content(const Learner<Art>& learner) {
    const auto& state = learner.state();
    std::vector<double> all = {
        double(state.art.n_clusters()), double(state.n_samples), double(state.since_update),
        double(state.n_updates),        double(state.n_refused), double(state.room_sought_at),
        double(state.n_removed),        double(state.n_apart),   looked_at(state.art.params())};
    add(all, state.art.categories());
    add_rest(all, state.art);
    for (std::size_t f = 0; f < state.bounds.size(); ++f) {
        all.push_back(state.bounds.low(f));
        all.push_back(state.bounds.high(f));
    }
    for (const auto& change : state.label_map) {
        all.push_back(change.from);
        all.push_back(change.to);
    }
    return all;
}

Poll never;  // asks nobody

// Whether models begin with clusters that were read, where these are.
bool reads_first = false;

// A model that has learned the first rows: once, however many copies of it are tried.
template <class Art>
class Begun {
public:
    using Params = typename Art::Params;

    explicit Begun(const Params& params, std::size_t n_rows = kBefore) : params_(params) {
        Learner<Art> learner(kFeatures, params);
        std::vector<std::int64_t> labels(n_rows);
        Plan plan;
        plan.update_at_end = Art::kRereads && reads_first;
        learner.train(view(random_rows(n_rows, 1.0, 1)), params, plan, labels.data(), never);
        learner.commit(never);
        state_ = learner.state();
    }

    const typename Learner<Art>::State& state() const { return state_; }

    // Another one like it. What it is has no room to spare, and work space it has none: whatever a
    // call needs, it asks for.
    std::unique_ptr<Learner<Art>> copy() const {
        auto learner = std::make_unique<Learner<Art>>(kFeatures, params_);
        learner->state_to_fill() = state_;
        learner->refresh_clusters();
        return learner;
    }

private:
    Params params_;
    typename Learner<Art>::State state_;
};

// Calls `change` on a model of its own again and again, each time with a later allocation failing,
// until it gets through. Returns how often it failed.
template <class Art, class Change>
long survive(const char* name, const Begun<Art>& begun, Change&& change) {
    std::vector<double> expected;  // of a call that does not fail
    std::vector<std::int64_t> labels(kRows * 3);
    const std::vector<double> before = content(*begun.copy());
    for (long k = -1;; ++k) {
        const auto copied = begun.copy();
        Learner<Art>& learner = *copied;
        countdown = k;
        bool failed = false;
        try {
            change(learner, labels.data());
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        countdown = -1;
        if (k < 0) {
            expected = content(learner);
            continue;
        }
        if (!failed) return k;
        if (content(learner) != before) {
            std::printf("%s: the model changed when allocation %ld failed\n", name, k);
            std::exit(1);
        }
        // And it still works.
        change(learner, labels.data());
        if (content(learner) != expected) {
            std::printf("%s: another model after allocation %ld failed\n", name, k);
            std::exit(1);
        }
    }
}

template <class Art, class Change>
long survive(const char* name, const typename Art::Params& params, Change&& change) {
    return survive<Art>(name, Begun<Art>(params), change);
}

template <class Art>
void update(Learner<Art>& learner, const typename Art::Params& params) {
    if constexpr (Art::kMerges) {
        learner.merge(params, never);
    } else {
        learner.update_clusters(params, never);
    }
}

template <class Art>
long survive_all(const char* name, typename Art::Params params) {
    using Params = typename Art::Params;
    const std::vector<double> inside = random_rows(kRows, 1.0, 2);
    const std::vector<double> outside = random_rows(kRows, 3.0, 3);
    const std::vector<double> one = random_rows(1, 0.1, 4);
    const std::vector<double> far = random_rows(1, 9.0, 5);
    long failures = 0;
    const auto train = [&](const std::vector<double>& rows, const Params& with, bool merging) {
        failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
            Plan plan;
            plan.update_on_the_way = merging;
            learner.train(view(rows), with, plan, labels, never);
        });
    };
    const auto tell = [&](const std::vector<double>& rows, const Params& with) {
        failures += survive<Art>(name, with, [&](auto& learner, std::int64_t* labels) {
            double matches[kRows];
            std::uint8_t founded[kRows];
            std::int64_t now[kRows];
            StreamReport told{labels, matches, founded, now};
            learner.train_and_report(view(rows), with, told, never);
        });
    };
    Params merging = params;
    if constexpr (Art::kMerges) merging.merge_every = 25;
    const Params stricter = changed(params);
    train(inside, params, false);
    train(outside, params, false);
    train(outside, merging, true);
    train(one, params, false);
    train(far, params, false);
    train(one, stricter, false);
    tell(inside, params);
    tell(outside, merging);
    tell(one, params);
    for (const auto* row : {&one, &far}) {
        failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
            learner.learn_one(row->data(), never);
        });
    }
    if constexpr (Art::kMerges) params.merge_every = 41;  // the row after the first batch merges
    failures += survive<Art>(
        name, params, [&](auto& learner, std::int64_t*) { learner.learn_one(one.data(), never); });
    if constexpr (Learner<Art>::kRenames) {
        failures += survive<Art>(name, params,
                                 [&](auto& learner, std::int64_t*) { update(learner, stricter); });
    }
    // The first goes, and then what is now the first. (A reading may find one cluster alone.)
    if constexpr (!Learner<Art>::kRereads) {
        failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
            const std::int64_t first[] = {0, 0};
            learner.remove_clusters(first, 2, never);
        });
    }
    if constexpr (!Learner<Art>::kLabelsLater) {
        failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
            const std::int64_t some[] = {1, 0};
            learner.remove_categories(some, 2, never);
        });
    }
    failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
        learner.predict(view(outside), true, labels, never);
    });
    failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
        std::vector<double> table;
        const auto room = [&](std::size_t k) {
            table.resize(kRows * k);
            return table.data();
        };
        learner.matches(view(outside), room, never);
    });
    failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
        double matches[kRows * 3];
        learner.nearest_clusters(view(outside), 3, labels, matches, never);
    });
    return failures;
}

// The same of a model that the rows before have just filled: room has not been sought yet.
template <class Art>
long survive_full(const char* name, typename Art::Params params) {
    params.max_categories = std::int64_t(Begun<Art>(params).state().art.categories().size());
    const std::vector<double> inside = random_rows(kRows, 1.0, 2);
    const std::vector<double> outside = random_rows(1, 9.0, 5), far = random_rows(1, 1e9, 5);
    long failures = 0;
    for (bool merges : {true, false}) {
        if constexpr (Art::kMerges) params.merge_when_full = merges;
        for (std::int64_t merge_every : {0, 41}) {
            if (merge_every && !merges) continue;
            if constexpr (Art::kMerges) params.merge_every = merge_every;
            failures += survive<Art>(name, params, [&](auto& learner, std::int64_t* labels) {
                Plan plan;
                plan.update_on_the_way = true;
                learner.train(view(inside), params, plan, labels, never);
            });
            for (std::size_t r = 0; r < 4; ++r) {
                failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
                    learner.learn_one(inside.data() + r * kFeatures, never);
                });
            }
            for (const std::vector<double>* row : {&outside, &far}) {
                failures += survive<Art>(name, params, [&](auto& learner, std::int64_t*) {
                    learner.learn_one(row->data(), never);
                });
            }
        }
    }
    return failures;
}

// Every kind of reading, by one call that does nothing else: what else a call may do does not
// depend on how the clusters are read.
long survive_readings() {
    long failures = 0;
    const auto read = [&](const DensityArtParams& params, std::size_t n_rows) {
        failures += survive<DensityArt>(
            "a reading", Begun<DensityArt>(params, n_rows),
            [&](auto& learner, std::int64_t*) { update(learner, changed(params)); });
    };
    DensityArtParams params;
    for (bool reads : {false, true}) {
        reads_first = reads;
        read(params, 40);
    }
    reads_first = false;
    DensityArtParams boxes = params;
    boxes.max_categories = 40;
    read(boxes, 60);
    params.min_cluster_size = 4;
    read(params, 40);
    params.scaling = Scaling::pca;
    read(params, 40);
    params.scaling = Scaling::given;
    for (Selection selection : {Selection::eom, Selection::leaf, Selection::cut}) {
        params.cluster_selection_method = selection;
        read(params, 40);
    }
    params.min_samples = 40;  // more than the neighbours that are kept
    read(params, 60);
    return failures;
}

// All rows of a new model at once, of which some are drawn, and one is far away.
long survive_fit(const char* name, std::int64_t max_categories) {
    DensityArtParams params;
    params.max_categories = max_categories;
    params.min_cluster_size = 4;
    params.min_samples = 2;
    params.scaling = Scaling::range;
    params.cluster_selection_method = Selection::eom;
    std::vector<double> rows = random_rows(40, 1.0, 3);
    rows[2 * kFeatures] = 1e9;
    std::copy_n(rows.begin(), kFeatures, rows.end() - kFeatures);  // the first row again
    return survive<DensityArt>(name, Begun<DensityArt>(params, 0),
                               [&](auto& learner, std::int64_t* labels) {
                                   Plan plan;
                                   plan.update_at_end = true;
                                   learner.train(view(rows), params, plan, labels, never);
                               });
}

// A model that forgets, is nearly full and reads often, and therefore without a choice.
long survive_forgetting(const char* name, double half_life, double window) {
    DensityArtParams params;
    params.half_life = half_life;
    params.window = window;
    params.max_categories = 25;
    params.min_cluster_size = 3;
    params.scaling = Scaling::range;
    const Begun<DensityArt> begun(params);
    std::vector<double> rows = random_rows(20, 1.2, 2);
    rows[2 * kFeatures] = 1e9;  // waits outside, and goes when clusters are read
    long failures = survive<DensityArt>(name, begun, [&](auto& learner, std::int64_t* labels) {
        Plan plan;
        plan.update_on_the_way = true;
        learner.train(view(rows), params, plan, labels, never);
    });
    for (std::size_t r = 0; r < 4; ++r) {
        failures += survive<DensityArt>(name, begun, [&](auto& learner, std::int64_t*) {
            learner.learn_one(rows.data() + r * kFeatures, never);
        });
    }
    return failures;
}

// Denies `work` threads, one set of them after the other; `work` returns what it found, which must
// always be the same. Returns how many threads were denied.
template <class Work>
long without_threads(const char* name, Work&& work) {
    no_thread = 0;
    n_asked = 0;
    const auto expected = work();
    // No call asks for more threads because it was denied one: sets that differ beyond are one.
    const unsigned long asked = n_asked < 64 ? (1ul << n_asked) - 1 : ~0ul;
    std::set<unsigned long> tried = {0};
    long denied = 0;
    // Calls have several parallel parts, each of which asks anew until it is first denied.
    std::vector<unsigned long> sets = {~0ul};
    for (unsigned long few = 1; few < 64; ++few) sets.push_back(few);
    for (int t = 6; t < 24; ++t) sets.push_back(1ul << t);
    for (const unsigned long set : sets) {
        if (!tried.insert(set & asked).second) continue;
        n_asked = n_denied = 0;
        no_thread = set;
        const auto found = work();
        no_thread = 0;
        if (found != expected) {
            std::printf("%s: another result without the threads %lx\n", name, set);
            std::exit(1);
        }
        denied += n_denied;
    }
    return denied;
}

// `work` with a later and later allocation failing, it alone or all after it, too, until it gets
// through: it fails, or finds the same, and leaves nothing waiting. Returns how often it was tried.
template <class Work>
long without_memory(const char* name, long stride, Work&& work) {
    const auto expected = work();
    long failures = 0;
    for (bool alone : {false, true}) {
        once = alone;
        for (long k = 0;; k += stride, ++failures) {
            any_failed = false;
            countdown = k;
            try {
                const auto found = work();
                countdown = -1;
                if (found != expected) {
                    std::printf("%s: another result when allocation %ld failed\n", name, k);
                    std::exit(1);
                }
                if (!any_failed) break;
            } catch (const std::exception&) {  // std::thread says it in its own way
                countdown = -1;
            }
        }
    }
    once = false;
    return failures;
}

// A reading by several threads. Returns how often something failed.
long survive_reading(const char* name, const DensityArtParams& params, unsigned n_threads,
                     long stride) {
    const Begun<DensityArt> begun(params, 400);
    const std::vector<double> before = content(*begun.copy());
    const auto read = [&] {
        const long left = countdown.exchange(-1);
        const auto learner = begun.copy();
        learner->set_threads(n_threads, never);
        countdown = left;
        try {
            update(*learner, params);
        } catch (const std::exception&) {
            countdown = -1;
            if (content(*learner) == before) throw;
            std::printf("%s: the model changed when a reading failed\n", name);
            std::exit(1);
        }
        countdown = -1;
        return content(*learner);
    };
    return without_threads(name, read) + without_memory(name, stride, read);
}

// VAT. Returns how often something failed.
long survive_vat(Metric metric, const char* name, std::size_t n, bool by_tree, unsigned n_threads) {
    const std::vector<double> rows = random_rows(n, 1.0, 7);
    const auto order = [&] {
        Poll poll;
        const VatOrder found =
            by_tree ? vat_by_tree(metric, rows.data(), n, kFeatures, n_threads, poll)
                    : vat_by_rows(metric, rows.data(), n, kFeatures, n_threads, poll);
        return std::make_pair(found.order, found.height);
    };
    return without_threads(name, order) + without_memory(name, 1, order);
}

// A whole sweep and the judging of its partitions. Returns all that was found.
template <class Art>
class WholeSweep {
public:
    using Params = typename Art::Params;

    WholeSweep(const Params& params, bool paired, unsigned n_threads)
        : params_(params), paired_(paired), n_threads_(n_threads) {
        for (std::size_t i = 0; i < n; ++i) orders_.push_back(std::int64_t(i));
        for (std::size_t i = n; i-- > 0;) orders_.push_back(std::int64_t(i));
        for (std::size_t i = 0; i < n; ++i) neighbours_.push_back(std::int64_t((i + 1) % n));
    }

    std::vector<double> operator()() {
        Poll poll;
        const double low[kFeatures] = {0, 0, 0}, high[kFeatures] = {1, 1, 1};
        Bounds bounds;
        bounds.set(low, high, kFeatures);
        const CodedRows coded(view(rows_), bounds);
        const Grid grid(kValues, n_values, kValues, n_values, paired_);
        SweepPlan plan;
        plan.orders = orders_.data();
        plan.n_orders = n_orders;
        plan.merge = Art::kMerges;
        plan.n_threads = n_threads_;
        const std::size_t m = grid.n_cells() * n_orders;
        Partitions partitions(n);
        Sweep<Art> sweep(coded, params_, grid, plan,
                         {numbers_.data(), numbers_.data() + m, numbers_.data() + 2 * m},
                         {before_.data(), before_.data() + m, before_.data() + 2 * m}, partitions);
        sweep.run(poll);
        const std::int64_t* ids = numbers_.data() + 2 * m;
        agreements(partitions, ids, grid.n_cells(), n_orders, n_threads_, agreement_.data(), poll);
        const RowGraphs around(orders_.data(), height_.data(), n, neighbours_.data(), 1);
        measure_all(partitions, around, 2, 9, n_threads_, quality_.data(), poll);
        Buffer<std::uint32_t> labels, scratch;
        labels.assign(n, 0);
        for (std::size_t r = 0; r < n; ++r) labels[r] = std::uint32_t(r % 2);
        const Partition given(labels, scratch);
        agreements_with(partitions, given, n_threads_, with_given_.data(), poll);
        // Partitions are numbered as they come, which threads may change; all else is the same.
        std::vector<double> found;
        for (std::size_t i = 0; i < m; ++i) {
            const auto id = static_cast<std::size_t>(ids[i]);
            found.push_back(double(numbers_[i]));
            found.push_back(double(numbers_[m + i]));
            found.push_back(agreement_[i]);
            found.push_back(with_given_[id]);
            found.push_back(quality_[id].modularity);
            found.push_back(quality_[id].small_share);
            partitions[id].copy_labels(of_rows_.data());
            found.insert(found.end(), of_rows_.begin(), of_rows_.end());
        }
        return found;
    }

private:
    static constexpr std::size_t n = 14, n_orders = 2, n_values = 5;
    static constexpr double kValues[n_values] = {0.0, 0.5, 0.8, 0.9, 0.97};
    static constexpr std::size_t kMostRuns = n_values * n_values * n_orders;

    Params params_;
    bool paired_;
    unsigned n_threads_;
    std::vector<double> rows_ = random_rows(n, 1.0, 6);
    std::vector<std::int64_t> orders_, neighbours_;
    std::vector<double> height_ = std::vector<double>(n, 0.5);
    std::vector<std::int64_t> numbers_ = std::vector<std::int64_t>(3 * kMostRuns, -1);
    std::vector<std::int64_t> before_ = numbers_;
    std::vector<double> agreement_ = std::vector<double>(kMostRuns);
    std::vector<double> with_given_ = std::vector<double>(1000);
    std::vector<Quality> quality_ = std::vector<Quality>(1000);
    std::vector<double> of_rows_ = std::vector<double>(n);
};

// Returns how often something failed.
template <class Art>
long survive_sweep(const char* name, const typename Art::Params& params, bool paired,
                   unsigned n_threads, long stride) {
    WholeSweep<Art> sweep(params, paired, n_threads);
    const long denied = n_threads > 1 ? without_threads(name, sweep) : 0;
    return denied + without_memory(name, stride, sweep);
}

long survive_models() {
    FuzzyArtParams fuzzy_art;
    fuzzy_art.set_vigilances(0.95, 0.95);
    DvfaParams dvfa;
    dvfa.set_vigilances(0.7, 0.95);
    TopoArtParams topo_art;
    topo_art.set_vigilances(0.7, 0.95);
    topo_art.tau = 17;
    DdvfaParams ddvfa;
    ddvfa.set_vigilances(0.7, 0.95);
    ddvfa.gamma = 3.0;
    DensityArtParams density_art;  // the choice among readings is a test of its own
    density_art.min_cluster_size = 4;
    density_art.scaling = Scaling::range;
    long failures = survive_all<FuzzyArt>("FuzzyArt", fuzzy_art);
    failures += survive_all<Dvfa>("Dvfa", dvfa);
    failures += survive_full<FuzzyArt>("full FuzzyArt", fuzzy_art);
    failures += survive_full<Dvfa>("full Dvfa", dvfa);
    failures += survive_all<TopoArt>("TopoArt", topo_art);
    failures += survive_full<TopoArt>("full TopoArt", topo_art);
    for (bool reads : {false, true}) {
        reads_first = reads;
        failures += survive_all<DensityArt>("DensityArt", density_art);
        failures += survive_full<DensityArt>("full DensityArt", density_art);
        failures += survive_forgetting("DensityArt, fading", 6.0, 0.0);
        failures += survive_forgetting("DensityArt in a window", 0.0, 15.0);
    }
    reads_first = false;
    for (std::int64_t most : {1, 10, 100}) failures += survive_fit("all rows at once", most);
    failures += survive_readings();
    failures += survive_reading("DensityArt, four threads", density_art, 4, 1);
    failures += survive_reading("DensityArt's choice, four threads", DensityArtParams(), 4, 7);
    each_linkage([&](const char*, Linkage linkage) {
        ddvfa.linkage = linkage;
        failures += survive_all<Ddvfa>("Ddvfa", ddvfa);
        failures += survive_full<Ddvfa>("full Ddvfa", ddvfa);
        failures += survive_sweep<Ddvfa>("Ddvfa", ddvfa, false, 1, 29);
    });
    ddvfa.linkage = Linkage::single;
    failures += survive_sweep<Ddvfa>("Ddvfa", ddvfa, false, 2, 5);
    failures += survive_sweep<Dvfa>("Dvfa", dvfa, false, 1, 1);
    failures += survive_sweep<FuzzyArt>("FuzzyArt", fuzzy_art, true, 1, 1);
    failures += survive_sweep<TopoArt>("TopoArt", topo_art, true, 2, 3);
    failures += survive_sweep<Ddvfa>("Ddvfa, four threads", ddvfa, false, 4, 37);
    return failures;
}

long survive_vat() {
    long failures = 0;
    for (bool by_tree : {false, true}) {
        for (unsigned n_threads : {2u, 4u}) {
            failures += survive_vat(Metric::euclidean, "vat", 60, by_tree, n_threads);
            // By rows: enough for several blocks, and, once, for a layout that is thinned out.
            const std::size_t many = by_tree ? 3000 : n_threads == 2 ? 1100 : 300;
            failures += survive_vat(Metric::manhattan, "vat", many, by_tree, n_threads);
        }
    }
    return failures;
}

}  // namespace

// What is to be tried: "models", with the index or without it, or "vat", which has none.
int main(int n_arguments, char** arguments) {
    const std::string part = n_arguments == 2 ? arguments[1] : "";
    if (part != "models" && part != "vat") {
        std::fprintf(stderr, "needs one argument: models or vat\n");
        return 2;
    }
    const long failures = part == "vat" ? survive_vat() : survive_models();
    std::printf("%ld failures survived\n", failures);
    return 0;
}
