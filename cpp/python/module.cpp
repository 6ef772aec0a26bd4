// The private module resonart._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bounds.hpp"
#include "base/threads.hpp"
#include "boxes/index.hpp"
#include "boxes/kernels.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/build_facts.hpp"

namespace resonart::bindings {
namespace {

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
    bind_params(m);
    bind_partitions(m);
    bind_vat(m);
    bind_fuzzy_art(m);
    bind_dvfa(m);
    bind_ddvfa(m);
    bind_merge_art(m);
    bind_topo_art(m);
    bind_density_art(m);
    bind_reading(m);
    m.def("move_weights", &move_weights, nb::arg("weights"), nb::arg("low"), nb::arg("high"),
          nb::arg("wider_low"), nb::arg("wider_high"));
    m.def("first_unusable", &first_unusable, nb::arg("rows"));
    m.def(
        "threads_to_be_had",
        [](unsigned most) {
            nb::gil_scoped_release free;
            return threads_to_be_had(most ? most : 1);
        },
        nb::arg("most"));
    m.def("simd_available", &simd_available);
    m.def("simd_in_use", [] { return std::string(kernels().name); });
    m.def("simd_use", &simd_use, nb::arg("name"));
    m.def("index_in_use", [] { return std::string(kIndexing[static_cast<int>(indexing())]); });
    m.def("index_use", &index_use, nb::arg("choice"));
    m.def("build_facts", &build_facts);
}
