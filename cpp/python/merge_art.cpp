// Merge ART by itself, as Python sees it.
#include "art/merge_art.hpp"

#include <optional>
#include <tuple>

#include "art/ddvfa.hpp"
#include "python/bind.hpp"
#include "python/learner.hpp"

namespace resonart::bindings {
namespace {

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
        CheckSignals poll;
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

}  // namespace

void bind_merge_art(nb::module_& m) {
    m.def("merge_modules", &merge_modules, nb::arg("weights"), nb::arg("counts"), nb::arg("labels"),
          nb::arg("params"), nb::arg("max_passes").none(), nb::arg("compress"));
}

}  // namespace resonart::bindings
