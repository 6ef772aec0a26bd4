// One learner as Python sees it: the same face for every algorithm.
//
// The interpreter lock is released before the model's own lock is waited for, always in that order,
// so that two threads never wait for each other. (`learn_one` tries without waiting first.)
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/learner.hpp"
#include "python/arrays.hpp"
#include "python/interrupt.hpp"
#include "python/one_row.hpp"

namespace resonart::bindings {

using OptionalOrder = std::optional<Vector<std::int64_t>>;
using OptionalTime = std::optional<Vector<double>>;

[[noreturn]] inline void raise_outside(const OutsideBounds& e) {
    const std::string where = (e.row >= 0 ? "row " + std::to_string(e.row) + ", " : std::string()) +
                              "column " + std::to_string(e.feature);
    throw nb::value_error(("Input X has the value " + number(e.value) + " in " + where +
                           ", outside the model's bounds [" + number(e.low) + ", " +
                           number(e.high) +
                           "]. Use out_of_bounds='expand' to widen them or 'clip' to cut values "
                           "off, or give wider bounds.")
                              .c_str());
}

inline void check_weight(const double* w, std::size_t width) {
    for (std::size_t f = 0; f < width; ++f) {
        if (!(w[f] >= 0.0 && w[f] <= 1.0)) {
            throw nb::value_error("weights must lie between 0 and 1");
        }
    }
    for (std::size_t f = 0; f < width / 2; ++f) {
        if (!(w[f] + w[width / 2 + f] <= 1.0 + 1e-9)) throw nb::value_error("weights are no boxes");
    }
}

template <class Art>
class LearnerBinding {
public:
    using Engine = Learner<Art>;
    using Params = typename Art::Params;

    static Rows rows(const Engine& engine, const AnyRows& array) {
        const Rows rows = as_rows(array);
        if (rows.n_features() != engine.n_features()) {
            throw nb::value_error("wrong number of features");
        }
        return rows;
    }

    // When rows came, where that is given.
    static Times time_of(const OptionalTime& time, bool are_dates, std::size_t n) {
        if (!time) return {};
        if (!Engine::kRereads) throw nb::value_error("this estimator knows no time");
        if (time->shape(0) != n) throw nb::value_error("there must be a time for each row");
        return {time->data(), are_dates};
    }

    // Labels and epochs; and, where clusters are read again, how strongly each row belongs to its
    // cluster, its outlier score, and its category.
    static nb::tuple train(Engine& engine, const AnyRows& array, const Params& params,
                           const OptionalOrder& order, int max_epochs, bool merge_at_end,
                           bool merge_on_the_way, bool can_be_undone, bool may_merge,
                           const OptionalTime& time, bool are_dates, nb::object report) {
        const Rows data = rows(engine, array);
        Plan plan;
        plan.time = time_of(time, are_dates, data.size());
        if (order) {
            if (order->shape(0) != data.size()) throw nb::value_error("order of wrong length");
            for (std::size_t i = 0; i < data.size(); ++i) {
                const std::int64_t r = order->data()[i];
                if (r < 0 || static_cast<std::size_t>(r) >= data.size()) {
                    throw nb::index_error("order names a row that is not there");
                }
            }
            plan.order = order->data();
        }
        plan.max_epochs = max_epochs;
        plan.update_at_end = merge_at_end && Engine::kRenames;
        plan.update_on_the_way = merge_on_the_way && Engine::kRenames;
        plan.can_be_undone = can_be_undone;
        plan.may_merge = may_merge;
        Watched watched(report);
        NewArray<std::int64_t> labels(data.size());
        NewArray<double> strength(Engine::kRereads ? data.size() : 0);
        NewArray<double> outlier(Engine::kRereads ? data.size() : 0);
        NewArray<std::int64_t> category(Engine::kRereads ? data.size() : 0);
        const Memberships beside = {strength.data(), outlier.data(), category.data()};
        int epochs = 0;
        try {
            nb::gil_scoped_release free;
            CheckSignals poll(watched);
            epochs = engine.train(data, params, plan, labels.data(), poll, &beside);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        if constexpr (Engine::kRereads) {
            return nb::make_tuple(whole_numbers(labels), epochs, strength.vector(),
                                  outlier.vector(), whole_numbers(category));
        } else {
            return nb::make_tuple(whole_numbers(labels), epochs);
        }
    }

    // Labels, matches, whether rows founded clusters; and each renaming: after how many rows, and
    // which labels changed. Where clusters are read again, then what `train` says.
    static nb::tuple train_and_report(Engine& engine, const AnyRows& array, const Params& params,
                                      const OptionalTime& time, bool are_dates) {
        const Rows data = rows(engine, array);
        const Times when = time_of(time, are_dates, data.size());
        const std::size_t n = data.size();
        NewArray<std::int64_t> labels(n);
        NewArray<double> matches(n);
        NewArray<std::uint8_t> founded(n);
        NewArray<std::int64_t> now(Engine::kRereads ? n : 0);
        NewArray<double> strength(Engine::kRereads ? n : 0), outlier(Engine::kRereads ? n : 0);
        NewArray<std::int64_t> category(Engine::kRereads ? data.size() : 0);
        const Memberships beside = {strength.data(), outlier.data(), category.data()};
        StreamReport report{labels.data(), matches.data(), founded.data(), now.data()};
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            engine.train_and_report(data, params, report, poll, &beside, when);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        nb::list renamings;
        for (std::size_t i = 0; i < report.renamings.size(); ++i) {
            renamings.append(
                nb::make_tuple(report.renamings.end(i), as_dict(report.renamings.changes(i))));
        }
        if constexpr (Engine::kRereads) {
            return nb::make_tuple(whole_numbers(labels), matches.vector(), founded.vector(),
                                  renamings, whole_numbers(now), strength.vector(),
                                  outlier.vector(), whole_numbers(category));
        } else {
            return nb::make_tuple(whole_numbers(labels), matches.vector(), founded.vector(),
                                  renamings);
        }
    }

    static std::int64_t learn_one(Engine& engine, nb::handle object, std::optional<double> time,
                                  bool are_dates) {
        const OneRow row(object, engine.n_features());
        const Times when = {time ? &*time : nullptr, are_dates};
        try {
            if (const auto label = learn_if_short(engine, row, when)) return *label;
            nb::gil_scoped_release free;
            CheckSignals poll;
            const WriteGuard writing(engine.lock(), poll);
            return engine.learn_one(row.data(), poll, when);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
    }

    // The same, and which labels have changed.
    static std::tuple<std::int64_t, nb::dict> learn_one_renaming(Engine& engine, nb::handle object,
                                                                 std::optional<double> time,
                                                                 bool are_dates) {
        const OneRow row(object, engine.n_features());
        const Times when = {time ? &*time : nullptr, are_dates};
        std::int64_t label = kNone;
        LabelChanges changes;
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            const WriteGuard writing(engine.lock(), poll);
            label = engine.learn_one(row.data(), poll, when);
            changes = engine.state().label_map;
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return {label, as_dict(changes)};
    }

    // Learns a row after which no cluster can get another label, and no other.
    static std::optional<std::int64_t> learn_one_quickly(Engine& engine, nb::handle object,
                                                         std::optional<double> time,
                                                         bool are_dates) {
        const OneRow row(object, engine.n_features());
        try {
            return learn_if_short(engine, row, {time ? &*time : nullptr, are_dates});
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
    }

    // A short search is over before giving up the interpreter would pay.
    static std::optional<std::int64_t> learn_if_short(Engine& engine, const OneRow& row,
                                                      Times time) {
        if (!engine.lock().try_lock()) return std::nullopt;
        const UnlockGuard held{engine.lock()};
        if (!is_short(engine, time)) return std::nullopt;
        CheckSignals poll;
        return engine.learn_one(row.data(), poll, time);
    }

    // The label of a row that is a list or tuple of plain numbers; nothing of any other: `predict`
    // then says what is to be said of it.
    static std::optional<std::int64_t> predict_one(const Engine& engine, nb::handle object,
                                                   bool nearest) {
        const PlainRow row(object, engine.n_features());
        if (!row.size()) return std::nullopt;
        std::int64_t cluster = kNone;
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            engine.predict(row, nearest, &cluster, poll);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return cluster;
    }

    static WholeNumbers predict(const Engine& engine, const AnyRows& array, bool nearest) {
        const Rows data = rows(engine, array);
        NewArray<std::int64_t> clusters(data.size());
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            engine.predict(data, nearest, clusters.data(), poll);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return whole_numbers(clusters);
    }

    static NewVector<double> score(const Engine& engine, const AnyRows& array) {
        const Rows data = rows(engine, array);
        NewArray<double> matches(data.size());
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            engine.score(data, matches.data(), poll);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return matches.vector();
    }

    // Match of each row with each cluster.
    static NewMatrix<double> matches(const Engine& engine, const AnyRows& array) {
        const Rows data = rows(engine, array);
        std::optional<NewArray<double>> table;
        std::size_t k = 0;
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            // How many clusters there are is known only while the model is held still.
            engine.matches(
                data,
                [&](std::size_t n_clusters) {
                    k = n_clusters;
                    table.emplace(product(data.size(), k));
                    return table->data();
                },
                poll);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return table->matrix(data.size(), k);
    }

    // Of each row the `most` clusters of highest match, and their matches.
    static std::tuple<WholeNumbers, NewMatrix<double>> nearest_clusters(const Engine& engine,
                                                                        const AnyRows& array,
                                                                        std::size_t most) {
        const Rows data = rows(engine, array);
        const std::size_t n = product(data.size(), most);
        NewArray<std::int64_t> clusters(n);
        NewArray<double> matches(n);
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            engine.nearest_clusters(data, most, clusters.data(), matches.data(), poll);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return {whole_matrix(clusters, data.size(), most), matches.matrix(data.size(), most)};
    }

    static std::size_t product(std::size_t a, std::size_t b) {
        if (b && a > std::numeric_limits<std::size_t>::max() / sizeof(double) / b) {
            throw std::bad_alloc();
        }
        return a * b;
    }

    // `read(engine)` with the model held still.
    template <class Read>
    static auto held(const Engine& engine, Read&& read) {
        nb::gil_scoped_release free;
        CheckSignals poll;
        const ReadGuard reading(engine.lock(), poll);
        return read(engine.state());
    }

    // The whole model at one moment: weights, counts and clusters of the categories (in order of
    // creation, or cluster by cluster), lower and upper bounds, the seven counters, label map (old
    // and new label of those that changed).
    static std::tuple<NewMatrix<double>, WholeNumbers, WholeNumbers, NewVector<double>,
                      NewVector<double>, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                      std::int64_t, std::int64_t, std::int64_t, WholeNumbers>
    snapshot(const Engine& engine, bool grouped) {
        // Copied with the model held still, handed to Python afterwards.
        struct Copied {
            std::size_t n, width;
            NewArray<double> weights, low, high;
            NewArray<std::int64_t> counts, labels;
            LabelChanges map;
            std::int64_t n_samples, since_merge, n_merges, n_refused, room_sought_at, n_apart,
                n_removed;
        };
        Copied all = held(engine, [&](const auto& state) {
            const Categories& c = state.art.categories();
            const Bounds& b = state.bounds;
            Copied out{c.size(),
                       c.width(),
                       NewArray<double>(c.size() * c.width()),
                       NewArray<double>(b.size()),
                       NewArray<double>(b.size()),
                       NewArray<std::int64_t>(c.size()),
                       NewArray<std::int64_t>(c.size()),
                       state.label_map,
                       state.n_samples,
                       state.since_update,
                       state.n_updates,
                       state.n_refused,
                       state.room_sought_at,
                       static_cast<std::int64_t>(state.n_apart),
                       state.n_removed};
            // Where each cluster's next category goes; one place for all when not grouped.
            std::vector<std::size_t> next(state.art.n_clusters() + 1, 0);
            for (std::size_t j = 0; grouped && j < c.size(); ++j) ++next[c.owner(j) + 1];
            for (std::size_t m = 1; m < next.size(); ++m) next[m] += next[m - 1];
            for (std::size_t j = 0; j < c.size(); ++j) {
                const std::size_t to = next[grouped ? c.owner(j) : 0]++;
                c.copy_weight(j, out.weights.data() + to * c.width());
                out.counts.data()[to] = c.count(j);
                out.labels.data()[to] = c.owner(j);
            }
            for (std::size_t f = 0; f < b.size(); ++f) {
                out.low.data()[f] = b.low(f);
                out.high.data()[f] = b.high(f);
            }
            return out;
        });
        return {all.weights.matrix(all.n, all.width),
                whole_numbers(all.counts),
                whole_numbers(all.labels),
                all.low.vector(),
                all.high.vector(),
                all.n_samples,
                all.since_merge,
                all.n_merges,
                all.n_refused,
                all.room_sought_at,
                all.n_apart,
                all.n_removed,
                as_pairs(all.map)};
    }

    static std::tuple<NewVector<double>, NewVector<double>> bounds(const Engine& engine) {
        Bounds b = held(engine, [](const auto& state) { return state.bounds; });
        NewArray<double> low(b.size()), high(b.size());
        for (std::size_t f = 0; f < b.size(); ++f) {
            low.data()[f] = b.low(f);
            high.data()[f] = b.high(f);
        }
        return {low.vector(), high.vector()};
    }

    static void set_bounds(Engine& engine, const Vector<double>& low, const Vector<double>& high) {
        const std::size_t d = engine.n_features();
        if (low.shape(0) != d || high.shape(0) != d)
            throw nb::value_error("bounds of wrong length");
        for (std::size_t f = 0; f < d; ++f) {
            if (!(usable(low.data()[f]) && usable(high.data()[f]) &&
                  low.data()[f] <= high.data()[f])) {
                throw nb::value_error(("bounds must lie between " + number(-kLargest) + " and " +
                                       number(kLargest) + ", low <= high")
                                          .c_str());
            }
        }
        nb::gil_scoped_release free;
        CheckSignals poll;
        const WriteGuard writing(engine.lock(), poll);
        if (engine.state().art.categories().size() != 0) {
            throw std::invalid_argument("bounds of a trained model are moved by training only");
        }
        engine.state_to_fill().bounds.set(low.data(), high.data(), d);
        if constexpr (Engine::kRereads) {
            engine.state_to_fill().given.set(low.data(), high.data(), d);
        }
    }

    static nb::dict label_map(const Engine& engine) {
        return as_dict(held(engine, [](const auto& state) { return state.label_map; }));
    }

    // Labels that have changed, in a label map as Python sees it; -1 stands for none.
    static nb::dict as_dict(const LabelChanges& changes) {
        nb::dict map;
        for (const auto& each : changes) map[nb::int_(each.from)] = nb::int_(shown_label(each.to));
        return map;
    }
    // The same as an array of pairs, and back.
    static WholeNumbers as_pairs(const LabelChanges& changes) {
        NewArray<std::int64_t> pairs(2 * changes.size());
        std::int64_t* to = pairs.data();
        for (const auto& each : changes) {
            *to++ = each.from;
            *to++ = shown_label(each.to);
        }
        return whole_matrix(pairs, changes.size(), 2);
    }
    static LabelChanges changes_of(const Matrix<std::int64_t>& pairs, std::int64_t n_labels) {
        if (pairs.shape(1) != 2)
            throw nb::value_error("a label map must have an old and a new label");
        LabelChanges changes;
        std::int64_t last = -1;
        for (std::size_t i = 0; i < pairs.shape(0); ++i) {
            const std::int64_t from = pairs.data()[2 * i], to = pairs.data()[2 * i + 1];
            if (from <= last || from >= static_cast<std::int64_t>(kNoLabel)) {
                throw nb::value_error(
                    "a label map must have each old label once, in ascending order");
            }
            if (to < -1 || to >= n_labels) {
                throw nb::value_error("label map names a cluster that is not there");
            }
            last = from;
            changes.add(static_cast<std::uint32_t>(from),
                        to < 0 ? kNoLabel : static_cast<std::uint32_t>(to));
        }
        return changes;
    }
    // A map as Python sees it.
    static WholeNumbers as_array(const LabelMap& map) {
        NewArray<std::int64_t> out(map.size());
        for (std::size_t i = 0; i < map.size(); ++i) out.data()[i] = shown_label(map[i]);
        return whole_numbers(out);
    }

    // Both return the label map, in which -1 stands for a cluster that has gone.
    static nb::dict remove_clusters(Engine& engine, const Vector<std::int64_t>& clusters) {
        LabelChanges changes;
        {
            nb::gil_scoped_release free;
            CheckSignals poll;
            changes = engine.remove_clusters(clusters.data(), clusters.shape(0), poll);
        }
        return as_dict(changes);
    }
    static nb::dict remove_categories(Engine& engine, const Vector<std::int64_t>& categories) {
        LabelChanges changes;
        {
            nb::gil_scoped_release free;
            CheckSignals poll;
            changes = engine.remove_categories(categories.data(), categories.shape(0), poll);
        }
        return as_dict(changes);
    }

    static std::tuple<std::int64_t, std::int64_t, std::int64_t> counters(const Engine& engine) {
        return held(engine, [](const auto& state) {
            return std::make_tuple(state.n_samples, state.since_update, state.n_updates);
        });
    }

    static Params params(const Engine& engine) {
        return held(engine, [](const auto& state) { return state.art.params(); });
    }

    // Fills a new model with categories in order of creation, and its counters.
    static void restore(Engine& engine, const Matrix<double>& weights,
                        const Vector<std::int64_t>& counts, const Vector<std::int64_t>& labels,
                        std::int64_t n_samples, std::int64_t since_merge, std::int64_t n_merges,
                        std::int64_t n_refused, std::int64_t room_sought_at, std::int64_t n_apart,
                        std::int64_t n_removed, const Matrix<std::int64_t>& label_map) {
        Categories fresh(engine.n_features());
        const std::size_t n_clusters = read_categories(weights, counts, labels, fresh);
        if (Art::kCategoryIsCluster && n_clusters != fresh.size()) {
            throw nb::value_error("fuzzy ART has one category a cluster");
        }
        for (const std::int64_t counter : {n_samples, since_merge, n_merges})
            check_counter(counter);
        check_room(n_refused, room_sought_at, n_samples);
        check_removed(n_removed, n_samples);
        if (n_apart < 0 || n_apart > static_cast<std::int64_t>(n_clusters)) {
            throw nb::value_error("more clusters are kept apart than there are");
        }
        LabelChanges map = changes_of(label_map, static_cast<std::int64_t>(n_clusters));
        nb::gil_scoped_release free;
        CheckSignals poll;
        const WriteGuard writing(engine.lock(), poll);
        auto& state = engine.state_to_fill();
        state.art.adopt(std::move(fresh), n_clusters);
        state.n_samples = n_samples;
        state.since_update = since_merge;
        state.n_updates = n_merges;
        state.n_refused = n_refused;
        state.room_sought_at = room_sought_at;
        state.n_apart = static_cast<std::size_t>(n_apart);
        state.n_removed = n_removed;
        state.label_map = std::move(map);
    }

    static void check_counter(std::int64_t counter) {
        if (counter < 0 || counter > kMostRows) {
            throw nb::value_error("counters must lie between 0 and 2^53");
        }
    }

    static void check_room(std::int64_t n_refused, std::int64_t room_sought_at,
                           std::int64_t n_samples) {
        if (n_refused < 0 || n_refused > n_samples || room_sought_at < 0 ||
            room_sought_at > n_samples) {
            throw nb::value_error("counters must not be negative, nor beyond the rows presented");
        }
    }

    static void check_removed(std::int64_t n_removed, std::int64_t most) {
        if (n_removed < 0 || n_removed > most) {
            throw nb::value_error("more rows were removed than were presented");
        }
    }

    // Checks everything an array from outside could get wrong. Returns the number of clusters.
    static std::size_t read_categories(const Matrix<double>& weights,
                                       const Vector<std::int64_t>& counts,
                                       const Vector<std::int64_t>& labels, Categories& out) {
        const std::size_t k = weights.shape(0);
        if (weights.shape(1) != out.width() || counts.shape(0) != k || labels.shape(0) != k) {
            throw nb::value_error("weights, counts and labels do not fit together");
        }
        out.reserve(k);
        std::size_t n_clusters = 0;
        std::int64_t total = 0;
        std::vector<bool> used(k, false);
        for (std::size_t j = 0; j < k; ++j) {
            const double* w = weights.data() + j * out.width();
            check_weight(w, out.width());
            const std::int64_t m = labels.data()[j];
            if (m < 0 || m >= static_cast<std::int64_t>(k)) {
                throw nb::value_error("category labels must be 0, 1, ... without gaps");
            }
            if (counts.data()[j] < 1) throw nb::value_error("counts must be positive");
            if (counts.data()[j] > kMostRows - total) throw nb::value_error("counts too large");
            total += counts.data()[j];
            used[static_cast<std::size_t>(m)] = true;
            if (static_cast<std::size_t>(m) + 1 > n_clusters) {
                n_clusters = static_cast<std::size_t>(m) + 1;
            }
            out.append(w, counts.data()[j], static_cast<std::uint32_t>(m));
        }
        for (std::size_t m = 0; m < n_clusters; ++m) {
            if (!used[m]) throw nb::value_error("category labels must be 0, 1, ... without gaps");
        }
        return n_clusters;
    }

    // Gives a lock taken by `try_lock` back.
    struct UnlockGuard {
        ModelLock& lock;
        ~UnlockGuard() { lock.unlock(); }
    };

    static void undo(Engine& engine) {
        nb::gil_scoped_release free;
        Poll poll;
        engine.undo(poll);
    }
    static void commit(Engine& engine) {
        nb::gil_scoped_release free;
        Poll poll;
        engine.commit(poll);
    }

    static bool is_short(const Engine& engine, Times time) {
        const Categories& c = engine.state().art.categories();
        return c.size() * c.width() < 65536 && !engine.may_take_long(time);
    }
};

// What every engine has.
template <class Art>
nb::class_<Learner<Art>> bind_common(nb::module_& m, const char* name) {
    using F = LearnerBinding<Art>;
    using Engine = typename F::Engine;
    nb::class_<Engine> c(m, name);
    c.attr("Params") = nb::type<typename Art::Params>();
    c.attr("merges") = Art::kMerges;
    c.attr("labels_later") = Art::kLabelsLater;
    c.attr("rereads") = Art::kRereads;
    return c
        .def(nb::init<std::size_t, const typename Art::Params&>(), nb::arg("n_features"),
             nb::arg("params"))
        .def("train", &F::train, nb::arg("rows"), nb::arg("params"), nb::arg("order").none(),
             nb::arg("max_epochs"), nb::arg("merge_at_end"), nb::arg("merge_on_the_way"),
             nb::arg("can_be_undone"), nb::arg("may_merge") = true, nb::arg("time") = nb::none(),
             nb::arg("are_dates") = false, nb::arg("report") = nb::none())
        .def("train_and_report", &F::train_and_report, nb::arg("rows"), nb::arg("params"),
             nb::arg("time") = nb::none(), nb::arg("are_dates") = false)
        .def("undo", &F::undo)
        .def("commit", &F::commit)
        .def("remove_clusters", &F::remove_clusters, nb::arg("clusters"))
        .def("learn_one", &F::learn_one, nb::arg("row").none(), nb::arg("time") = nb::none(),
             nb::arg("are_dates") = false)
        .def("learn_one_quickly", &F::learn_one_quickly, nb::arg("row").none(),
             nb::arg("time") = nb::none(), nb::arg("are_dates") = false)
        .def("learn_one_renaming", &F::learn_one_renaming, nb::arg("row").none(),
             nb::arg("time") = nb::none(), nb::arg("are_dates") = false)
        .def("predict_one", &F::predict_one, nb::arg("row").none(), nb::arg("nearest"))
        .def("predict", &F::predict, nb::arg("rows"), nb::arg("nearest"))
        .def("score", &F::score, nb::arg("rows"))
        .def("matches", &F::matches, nb::arg("rows"))
        .def("nearest_clusters", &F::nearest_clusters, nb::arg("rows"), nb::arg("most"))
        .def("bounds", &F::bounds)
        .def("set_bounds", &F::set_bounds, nb::arg("low"), nb::arg("high"))
        .def("counters", &F::counters)
        .def("params", &F::params)
        .def_prop_ro("n_features", [](const Engine& e) { return e.n_features(); })
        .def_prop_ro(
            "n_removed",
            [](const Engine& e) { return F::held(e, [](const auto& s) { return s.n_removed; }); })
        .def_prop_ro(
            "n_refused",
            [](const Engine& e) { return F::held(e, [](const auto& s) { return s.n_refused; }); })
        .def_prop_ro("n_clusters", [](const Engine& e) {
            return F::held(e, [](const auto& s) { return s.art.n_clusters(); });
        });
}

// And those whose categories lie in one store.
template <class Art>
nb::class_<Learner<Art>> bind_learner(nb::module_& m, const char* name) {
    using F = LearnerBinding<Art>;
    using Engine = typename F::Engine;
    return bind_common<Art>(m, name)
        .def("snapshot", &F::snapshot, nb::arg("grouped"))
        .def("label_map", &F::label_map)
        .def("remove_categories", &F::remove_categories, nb::arg("categories"))
        .def("restore", &F::restore, nb::arg("weights"), nb::arg("counts"), nb::arg("labels"),
             nb::arg("n_samples"), nb::arg("since_merge"), nb::arg("n_merges"),
             nb::arg("n_refused"), nb::arg("room_sought_at"), nb::arg("n_apart"),
             nb::arg("n_removed"), nb::arg("label_map"))
        .def_prop_ro("n_categories", [](const Engine& e) {
            return F::held(e, [](const auto& s) { return s.art.categories().size(); });
        });
}

}  // namespace resonart::bindings
