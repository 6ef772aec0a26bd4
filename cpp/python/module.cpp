// The private module resonart._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "art/merge_art.hpp"
#include "base/threads.hpp"
#include "python/build_facts.hpp"
#include "python/density_art.hpp"
#include "python/learner.hpp"
#include "python/params.hpp"
#include "python/reading.hpp"
#include "python/sweep.hpp"
#include "python/topo_art.hpp"
#include "tuning/vat.hpp"

namespace resonart::bindings {
namespace {

void bind_metric(nb::module_& m) {
    nb::enum_<Metric>(m, "Metric")
        .value("euclidean", Metric::euclidean)
        .value("manhattan", Metric::manhattan)
        .value("chebyshev", Metric::chebyshev);
}

// Merge ART alone, over modules given as arrays. Returns weights, counts and labels cluster by
// cluster, the old-to-new map and the number of passes.
std::tuple<NewMatrix<double>, WholeNumbers, WholeNumbers, WholeNumbers, std::size_t> merge_modules(
    const Matrix<double>& weights, const Vector<std::int64_t>& counts,
    const Vector<std::int64_t>& labels, const DdvfaParams& params,
    std::optional<std::size_t> max_passes, bool compress) {
    if (weights.shape(1) % 2) throw nb::value_error("weights must have an even number of columns");
    Categories fresh(weights.shape(1) / 2);
    const std::size_t n = LearnerBinding<Ddvfa>::read_categories(weights, counts, labels, fresh);
    params.check_features(fresh.n_features());
    Modules modules(fresh.n_features());
    Merged merged;
    {
        nb::gil_scoped_release free;
        modules.adopt(std::move(fresh), n);
        Poll<CheckSignals> poll{CheckSignals()};
        merged = merge_art(modules, params, max_passes.value_or(kNoCap), compress, 0, poll);
    }
    const Categories& c = merged.modules.categories();
    Buffer<std::uint32_t> begin, order;
    merged.modules.group(begin, order);
    NewArray<double> w(c.size() * c.width());
    NewArray<std::int64_t> count(c.size()), label(c.size()), map(n);
    for (std::size_t p = 0; p < c.size(); ++p) {
        const std::size_t j = order[p];
        c.copy_weight(j, w.data() + p * c.width());
        count.data()[p] = c.count(j);
        label.data()[p] = c.owner(j);
    }
    for (std::size_t m = 0; m < n; ++m) map.data()[m] = merged.map[m];
    return {w.matrix(c.size(), c.width()), whole_numbers(count), whole_numbers(label),
            whole_numbers(map), merged.passes};
}

// Weights learned under one pair of bounds, moved to wider ones: boxes stay in place.
NewMatrix<double> move_weights(const Matrix<double>& weights, const Vector<double>& low,
                               const Vector<double>& high, const Vector<double>& wider_low,
                               const Vector<double>& wider_high) {
    const std::size_t d = weights.shape(1) / 2;
    for (const auto* v : {&low, &high, &wider_low, &wider_high}) {
        if (v->shape(0) != d || weights.shape(1) != 2 * d) {
            throw nb::value_error("weights and bounds do not fit together");
        }
    }
    Bounds from, to;
    from.set(low.data(), high.data(), d);
    to.set(wider_low.data(), wider_high.data(), d);
    NewArray<double> out(weights.shape(0) * 2 * d);
    for (std::size_t j = 0; j < weights.shape(0); ++j) {
        for (std::size_t f = 0; f < 2 * d; ++f) {
            out.data()[j * 2 * d + f] = from.move_entry(f, weights.data()[j * 2 * d + f], to);
        }
    }
    return out.matrix(weights.shape(0), 2 * d);
}

// Row and column of the first value that is not a usable number; (-1, -1) where all are.
std::pair<std::int64_t, std::int64_t> first_unusable(const AnyRows& array) {
    const Rows rows = as_rows(array);
    nb::gil_scoped_release free;
    std::vector<double> row(rows.n_features());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        rows.read(r, row.data());
        bool all = true;
        for (double value : row) all &= usable(value);
        if (all) continue;
        for (std::size_t f = 0; f < row.size(); ++f) {
            if (!usable(row[f])) {
                return {static_cast<std::int64_t>(r), static_cast<std::int64_t>(f)};
            }
        }
    }
    return {-1, -1};
}

// Order and heights of VAT; by_tree: nearest neighbours through a k-d tree.
std::tuple<WholeNumbers, NewVector<double>> vat_order(const Matrix<double>& rows, Metric metric,
                                                      unsigned n_threads, bool by_tree) {
    const std::size_t n = rows.shape(0), d = rows.shape(1);
    if (n == 0 || d == 0) throw nb::value_error("VAT needs at least one row and one feature");
    if (n >= std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
    for (std::size_t i = 0; i < n * d; ++i) {
        if (!usable(rows.data()[i])) {
            throw nb::value_error("values too large for VAT without scaling; use scale=True");
        }
    }
    VatOrder found;
    {
        nb::gil_scoped_release free;
        Poll<CheckSignals> poll{CheckSignals()};
        const unsigned threads = n_threads ? n_threads : 1;
        const auto run = [&](auto tag) {
            constexpr Metric m = decltype(tag)::value;
            return by_tree ? vat_by_tree<m>(rows.data(), n, d, threads, poll)
                           : vat_by_rows<m>(rows.data(), n, d, threads, poll);
        };
        switch (metric) {
            case Metric::euclidean:
                found = run(std::integral_constant<Metric, Metric::euclidean>());
                break;
            case Metric::manhattan:
                found = run(std::integral_constant<Metric, Metric::manhattan>());
                break;
            case Metric::chebyshev:
                found = run(std::integral_constant<Metric, Metric::chebyshev>());
                break;
        }
    }
    NewArray<std::int64_t> order(n);
    NewArray<double> height(n);
    std::copy(found.order.begin(), found.order.end(), order.data());
    std::copy(found.height.begin(), found.height.end(), height.data());
    return {whole_numbers(order), height.vector()};
}

std::vector<std::string> simd_available() {
    const char* names[8];
    const std::size_t n = available_kernels(names, 8);
    return std::vector<std::string>(names, names + n);
}

void simd_use(const std::string& name) {
    if (!use_kernels(name.c_str())) {
        throw nb::value_error(("this machine cannot run the kernels '" + name + "'").c_str());
    }
}

constexpr const char* kIndexing[] = {"auto", "on", "off"};  // as `Indexing` counts

void index_use(const std::string& choice) {
    for (int i = 0; i < 3; ++i) {
        if (choice == kIndexing[i]) {
            use_indexing(static_cast<Indexing>(i));
            return;
        }
    }
    throw nb::value_error(("an index is used 'auto', 'on' or 'off', not '" + choice + "'").c_str());
}

}  // namespace
}  // namespace resonart::bindings

NB_MODULE(_core, m) {
    using namespace resonart;
    using namespace resonart::bindings;
#ifndef RESONART_SANITIZE
    // Objects that live until the interpreter ends (in a notebook, a test worker) are no news to a
    // user; the sanitized build still reports them.
    nb::set_leak_warnings(false);
#endif
    bind_all_params(m);
    bind_metric(m);
    bind_partitions(m);
    bind_sweep<FuzzyArt>(bind_learner<FuzzyArt>(m, "FuzzyArt"));
    bind_sweep<Dvfa>(bind_learner<Dvfa>(m, "Dvfa"));
    nb::class_<Learner<Ddvfa>> ddvfa = bind_learner<Ddvfa>(m, "Ddvfa");
    bind_sweep<Ddvfa>(ddvfa);
    ddvfa.def(
        "merge",
        [](Learner<Ddvfa>& engine, const DdvfaParams& params) {
            LabelChanges changes;
            {
                nb::gil_scoped_release free;
                changes = engine.merge(params, CheckSignals());
            }
            return LearnerBinding<Ddvfa>::as_dict(changes);
        },
        nb::arg("params"));
    ddvfa.def("keep_apart", [](Learner<Ddvfa>& engine) {
        nb::gil_scoped_release free;
        engine.keep_apart(CheckSignals());
    });
    bind_topo_art(m);
    bind_density_art(m);
    m.def("merge_modules", &merge_modules, nb::arg("weights"), nb::arg("counts"), nb::arg("labels"),
          nb::arg("params"), nb::arg("max_passes").none(), nb::arg("compress"));
    m.def("move_weights", &move_weights, nb::arg("weights"), nb::arg("low"), nb::arg("high"),
          nb::arg("wider_low"), nb::arg("wider_high"));
    m.def("first_unusable", &first_unusable, nb::arg("rows"));
    m.def("vat_order", &vat_order, nb::arg("rows"), nb::arg("metric"), nb::arg("n_threads"),
          nb::arg("by_tree"));
    m.def(
        "threads_to_be_had",
        [](unsigned most) {
            nb::gil_scoped_release free;
            return threads_to_be_had(most ? most : 1);
        },
        nb::arg("most"));
    bind_reading(m);
    m.def("simd_available", &simd_available);
    m.def("simd_in_use", [] { return std::string(kernels().name); });
    m.def("simd_use", &simd_use, nb::arg("name"));
    m.def("index_in_use", [] { return std::string(kIndexing[static_cast<int>(indexing())]); });
    m.def("index_use", &index_use, nb::arg("choice"));
    m.def("build_facts", &build_facts);
}
