// VAT as Python sees it.
#include "tuning/vat.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <new>
#include <tuple>

#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/interrupt.hpp"

namespace resonart::bindings {
namespace {

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
        CheckSignals poll;
        const unsigned threads = n_threads ? n_threads : 1;
        found = by_tree ? vat_by_tree(metric, rows.data(), n, d, threads, poll)
                        : vat_by_rows(metric, rows.data(), n, d, threads, poll);
    }
    NewArray<std::int64_t> order(n);
    NewArray<double> height(n);
    std::copy(found.order.begin(), found.order.end(), order.data());
    std::copy(found.height.begin(), found.height.end(), height.data());
    return {whole_numbers(order), height.vector()};
}

}  // namespace

void bind_vat(nb::module_& m) {
    nb::enum_<Metric>(m, "Metric")
        .value("euclidean", Metric::euclidean)
        .value("manhattan", Metric::manhattan)
        .value("chebyshev", Metric::chebyshev);
    m.def("vat_order", &vat_order, nb::arg("rows"), nb::arg("metric"), nb::arg("n_threads"),
          nb::arg("by_tree"));
}

}  // namespace resonart::bindings
