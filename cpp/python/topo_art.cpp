// topoART as Python sees it: two modules, each with categories and edges.
#include <nanobind/nanobind.h>

#include <tuple>
#include <utility>

#include "art/topo_art.hpp"
#include "python/bind.hpp"
#include "python/learner.hpp"
#include "python/sweep.hpp"

namespace resonart::bindings {
namespace {

class TopoArtBinding {
public:
    using Engine = Learner<TopoArt>;
    using F = LearnerBinding<TopoArt>;

    // Weights, counts, edges and components (-1: candidate) of one module, and its steps.
    using Module =
        std::tuple<NewMatrix<double>, WholeNumbers, nb::object, WholeNumbers, std::int64_t>;

    // Both modules and the bounds at one moment, and the numbers of rows presented, refused and
    // removed.
    static std::tuple<Module, Module, NewVector<double>, NewVector<double>, std::int64_t,
                      std::int64_t, std::int64_t>
    snapshot(const Engine& engine) {
        auto copied = F::held(engine, [](const Engine::State& state) {
            const Bounds& b = state.bounds;
            Copied out{Part(state.art.a(), state.art.params()),
                       Part(state.art.b(), state.art.params()),
                       NewArray<double>(b.size()),
                       NewArray<double>(b.size()),
                       state.n_samples,
                       state.n_refused,
                       state.n_removed};
            for (std::size_t f = 0; f < b.size(); ++f) {
                out.low.data()[f] = b.low(f);
                out.high.data()[f] = b.high(f);
            }
            return out;
        });
        return {copied.a.module(), copied.b.module(), copied.low.vector(), copied.high.vector(),
                copied.n_samples,  copied.n_refused,  copied.n_removed};
    }

    using GivenModule =
        std::tuple<Matrix<double>, Vector<std::int64_t>, Matrix<std::int64_t>, std::int64_t>;

    // Fills a new model. Each module: weights, counts, edges, steps.
    static void restore(Engine& engine, const GivenModule& a, const GivenModule& b,
                        std::int64_t n_samples, std::int64_t n_refused, std::int64_t n_removed) {
        for (const std::int64_t counter : {n_samples, std::get<3>(a), std::get<3>(b)}) {
            F::check_counter(counter);
        }
        F::check_room(n_refused, 0, n_samples);
        F::check_removed(n_removed, 2 * n_samples);  // two categories may learn a row
        TopoModule first = read(engine, a), second = read(engine, b);
        nb::gil_scoped_release free;
        CheckSignals poll;
        const WriteGuard writing(engine.lock(), poll);
        auto& state = engine.state_to_fill();
        state.art.adopt(std::move(first), std::move(second));
        state.n_samples = n_samples;
        state.n_refused = n_refused;
        state.n_removed = n_removed;
        engine.refresh_clusters();
    }

    static WholeNumbers predict_a(const Engine& engine, const AnyRows& array, bool nearest) {
        const Rows data = F::rows(engine, array);
        NewArray<std::int64_t> clusters(data.size());
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            engine.predict_a(data, nearest, clusters.data(), poll);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return whole_numbers(clusters);
    }

private:
    struct Part {
        std::size_t n, width, n_edges;
        NewArray<double> weights;
        NewArray<std::int64_t> counts, edges, components;
        std::int64_t steps;

        Part(const TopoModule& m, const TopoArtParams& params)
            : n(m.categories().size()),
              width(m.categories().width()),
              n_edges(m.edges().size()),
              weights(n * width),
              counts(n),
              edges(2 * n_edges),
              components(n),
              steps(m.steps()) {
            TopoWorkspace ws;
            m.prepare(ws);
            m.find_components(params, ws);
            for (std::size_t j = 0; j < n; ++j) {
                m.categories().copy_weight(j, weights.data() + j * width);
                counts.data()[j] = m.categories().count(j);
                components.data()[j] = ws.component[j];
            }
            for (std::size_t e = 0; e < n_edges; ++e) {
                edges.data()[2 * e] = m.edges().first(e);
                edges.data()[2 * e + 1] = m.edges().second(e);
            }
        }

        Module module() {
            return {weights.matrix(n, width), whole_numbers(counts),
                    whole_matrix(edges, n_edges, 2), whole_numbers(components), steps};
        }
    };
    struct Copied {
        Part a, b;
        NewArray<double> low, high;
        std::int64_t n_samples, n_refused, n_removed;
    };

    static TopoModule read(const Engine& engine, const GivenModule& given) {
        const auto& [weights, counts, edges, steps] = given;
        const std::size_t k = weights.shape(0);
        if (weights.shape(1) != 2 * engine.n_features() || counts.shape(0) != k ||
            edges.shape(1) != 2 || steps < 0) {
            throw nb::value_error("weights, counts and edges do not fit together");
        }
        Categories categories(engine.n_features());
        categories.reserve(k);
        for (std::size_t j = 0; j < k; ++j) {
            const double* w = weights.data() + j * categories.width();
            check_weight(w, categories.width());
            if (counts.data()[j] < 1 || counts.data()[j] > kMostRows) {
                throw nb::value_error("counts must be positive, and not too large");
            }
            categories.append(w, counts.data()[j], 0);
        }
        for (std::size_t e = 0; e < edges.shape(0); ++e) {
            const std::int64_t i = edges.data()[2 * e], j = edges.data()[2 * e + 1];
            if (i < 0 || j <= i || j >= static_cast<std::int64_t>(k)) {
                throw nb::value_error("edges must be pairs i < j of categories");
            }
        }
        TopoModule module(engine.n_features());
        module.adopt(std::move(categories), edges.data(), edges.shape(0), steps);
        return module;
    }
};

}  // namespace

void bind_topo_art(nb::module_& m) {
    nb::class_<Learner<TopoArt>> c = bind_common<TopoArt>(m, "TopoArt");
    c.def("snapshot", &TopoArtBinding::snapshot)
        .def("restore", &TopoArtBinding::restore, nb::arg("a"), nb::arg("b"), nb::arg("n_samples"),
             nb::arg("n_refused"), nb::arg("n_removed"))
        .def("predict_a", &TopoArtBinding::predict_a, nb::arg("rows"), nb::arg("nearest"))
        .def_prop_ro("n_categories", [](const TopoArtBinding::Engine& e) {
            return TopoArtBinding::F::held(
                e, [](const auto& s) { return s.art.b().categories().size(); });
        });
    bind_sweep<TopoArt>(c);
}

}  // namespace resonart::bindings
