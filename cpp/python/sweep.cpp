// A sweep over vigilances as Python sees it, and the partitions it leaves.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <tuple>
#include <vector>

#include "art/ddvfa.hpp"
#include "art/dvfa.hpp"
#include "art/fuzzy_art.hpp"
#include "art/topo_art.hpp"
#include "model/learner.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/interrupt.hpp"
#include "python/sweep.hpp"
#include "tuning/quality.hpp"
#include "tuning/sweep.hpp"

namespace resonart::bindings {
namespace {

// Looks for signals, and now and then tells Python how much is done.
class CheckSignalsAndReport final : public CheckSignals {
public:
    CheckSignalsAndReport(nb::handle report, const std::atomic<std::size_t>& done,
                          std::size_t total)
        : report_(report), done_(done), total_(total) {}
    void ask() override {
        CheckSignals::ask();
        const auto now = Clock::now();
        if (report_.is_none() || now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        nb::gil_scoped_acquire gil;
        report_(done_.load(), total_);
    }

private:
    using Clock = std::chrono::steady_clock;
    nb::handle report_;
    const std::atomic<std::size_t>& done_;
    std::size_t total_;
    Clock::time_point last_ = Clock::now();
};

template <class Art>
struct SweepBinding {
    using Outcome = std::tuple<WholeNumbers, WholeNumbers, WholeNumbers,
                               std::unique_ptr<Partitions>, std::size_t, std::size_t, nb::object>;

    static Outcome sweep(const AnyRows& array, const Vector<double>& low,
                         const Vector<double>& high, const typename Art::Params& params,
                         const Vector<double>& lb, const Vector<double>& ub, bool paired,
                         const Matrix<std::int64_t>& orders, int max_epochs, bool merge,
                         bool keep_unmerged, bool nearest, bool share, std::size_t max_categories,
                         unsigned n_threads, nb::object report) {
        const Rows rows = as_rows(array);
        const std::size_t n = rows.size();
        params.check();
        if (n == 0 || rows.n_features() == 0) throw nb::value_error("a sweep needs rows");
        if (n >= std::numeric_limits<std::uint32_t>::max() / 2) throw std::bad_alloc();
        if (low.shape(0) != rows.n_features() || high.shape(0) != rows.n_features()) {
            throw nb::value_error("bounds must have one entry for each feature");
        }
        params.check_features(rows.n_features());
        check_axis(lb);
        check_axis(ub);
        if (paired && lb.shape(0) != ub.shape(0)) {
            throw nb::value_error("paired vigilances must be as many");
        }
        if (paired && merge) throw nb::value_error("paired vigilances cannot be merged by");
        if (keep_unmerged && !(merge && Art::kMerges)) {
            throw nb::value_error("nothing is merged");
        }
        check_orders(orders, n);
        if (max_epochs < 1) throw nb::value_error("at least one epoch is needed");
        const Grid grid(lb.data(), lb.shape(0), ub.data(), ub.shape(0), paired);
        SweepPlan plan;
        plan.orders = orders.data();
        plan.n_orders = orders.shape(0);
        plan.max_epochs = max_epochs;
        plan.merge = merge;
        plan.nearest = nearest;
        plan.share = share;
        plan.max_categories = max_categories;
        plan.n_threads = n_threads ? n_threads : 1;
        const std::size_t n_results = grid.n_cells() * plan.n_orders;
        NewArray<std::int64_t> n_clusters(n_results), n_categories(n_results), partition(n_results);
        const std::size_t n_before = keep_unmerged ? n_results : 0;
        NewArray<std::int64_t> clusters_before(n_before), categories_before(n_before),
            partition_before(n_before);
        SweepResult unmerged;
        if (keep_unmerged) {
            unmerged = {clusters_before.data(), categories_before.data(), partition_before.data()};
        }
        auto partitions = std::make_unique<Partitions>(n);
        std::size_t n_runs = 0, n_unmerged = 0, n_presentations = 0;
        {
            nb::gil_scoped_release free;
            Bounds bounds;
            bounds.set(low.data(), high.data(), rows.n_features());
            const CodedRows coded(rows, bounds);
            Sweep<Art> work(coded, params, grid, plan,
                            {n_clusters.data(), n_categories.data(), partition.data()}, unmerged,
                            *partitions);
            CheckSignalsAndReport poll(report, work.n_done(), n_results);
            work.run(poll);
            n_runs = work.n_runs();
            n_unmerged = work.n_unmerged();
            n_presentations = work.n_presentations();
        }
        const std::size_t cells = grid.n_cells(), columns = plan.n_orders;
        nb::object before = nb::none();
        if (keep_unmerged) {
            before = nb::make_tuple(whole_matrix(clusters_before, cells, columns),
                                    whole_matrix(categories_before, cells, columns),
                                    whole_matrix(partition_before, cells, columns), n_unmerged);
        }
        return {whole_matrix(n_clusters, cells, columns),
                whole_matrix(n_categories, cells, columns),
                whole_matrix(partition, cells, columns),
                std::move(partitions),
                n_runs,
                n_presentations,
                std::move(before)};
    }

private:
    static void check_axis(const Vector<double>& values) {
        double before = 0.0;
        for (std::size_t i = 0; i < values.shape(0); ++i) {
            const double value = values.data()[i];
            if (!(value >= before && value <= 1.0)) {
                throw nb::value_error("vigilances must lie in [0, 1] and ascend");
            }
            before = value;
        }
    }

    static void check_orders(const Matrix<std::int64_t>& orders, std::size_t n) {
        if (orders.shape(1) != n)
            throw nb::value_error("an order must have one entry for each row");
        Buffer<std::uint8_t> seen;
        for (std::size_t o = 0; o < orders.shape(0); ++o) {
            seen.assign(n, 0);
            for (std::size_t i = 0; i < n; ++i) {
                const std::int64_t r = orders.data()[o * n + i];
                if (r < 0 || static_cast<std::size_t>(r) >= n ||
                    seen[static_cast<std::size_t>(r)]) {
                    throw nb::value_error("an order must hold every row once");
                }
                seen[static_cast<std::size_t>(r)] = 1;
            }
        }
    }
};

// Ids of partitions, each checked.
void check_ids(const Partitions& partitions, const std::int64_t* ids, std::size_t n,
               bool none_allowed) {
    const auto size = static_cast<std::int64_t>(partitions.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (ids[i] >= size || (ids[i] < 0 && !none_allowed)) {
            throw nb::index_error("no such partition");
        }
    }
}

// Silhouette, modularity, kappa, share of rows in small clusters and number of others, for each
// partition.
NewMatrix<double> measure_quality(const Partitions& p, const Vector<std::int64_t>& order,
                                  const Vector<double>& height,
                                  const Matrix<std::int64_t>& neighbours, std::size_t small,
                                  std::size_t most_clusters, unsigned n_threads) {
    const std::size_t n = p.n_rows(), k = neighbours.shape(1);
    if (order.shape(0) != n || height.shape(0) != n || neighbours.shape(0) != n || k == 0) {
        throw nb::value_error("there must be an order, a height and neighbours for each row");
    }
    const auto is_row = [&](std::int64_t r) { return r >= 0 && static_cast<std::size_t>(r) < n; };
    if (!std::all_of(order.data(), order.data() + n, is_row) ||
        !std::all_of(neighbours.data(), neighbours.data() + n * k, is_row)) {
        throw nb::index_error("no such row");
    }
    NewArray<double> out(p.size() * 5);
    {
        nb::gil_scoped_release free;
        const RowGraphs rows(order.data(), height.data(), n, neighbours.data(), k);
        std::vector<Quality> found(p.size());
        CheckSignals poll;
        measure_all(p, rows, small, most_clusters, n_threads ? n_threads : 1, found.data(), poll);
        for (std::size_t i = 0; i < p.size(); ++i) {
            double* row = out.data() + 5 * i;
            row[0] = found[i].silhouette;
            row[1] = found[i].modularity;
            row[2] = found[i].kappa;
            row[3] = found[i].small_share;
            row[4] = static_cast<double>(found[i].n_large);
        }
    }
    return out.matrix(p.size(), 5);
}

// Ids of partitions given by their labels, one in each row; those that are known are not added.
WholeNumbers add_partitions(Partitions& p, const Matrix<std::uint32_t>& labels) {
    const std::size_t n = p.n_rows(), n_given = labels.shape(0);
    if (labels.shape(1) != n) throw nb::value_error("labels must be as many as the rows");
    for (std::size_t i = 0; i < n_given * n; ++i) {
        if (labels.data()[i] >= n) throw nb::value_error("labels must be numbered from 0");
    }
    NewArray<std::int64_t> ids(n_given);
    Buffer<std::uint32_t> mine, scratch;
    mine.resize_uninitialised(n);
    for (std::size_t i = 0; i < n_given; ++i) {
        std::copy_n(labels.data() + i * n, n, mine.data());
        ids.data()[i] = p.add(mine, scratch);
    }
    return whole_numbers(ids);
}

}  // namespace

template <class Art>
void bind_sweep(nb::class_<Learner<Art>>& c) {
    c.def_static("sweep", &SweepBinding<Art>::sweep, nb::arg("rows"), nb::arg("low"),
                 nb::arg("high"), nb::arg("params"), nb::arg("lb"), nb::arg("ub"), nb::kw_only(),
                 nb::arg("paired"), nb::arg("orders"), nb::arg("max_epochs"), nb::arg("merge"),
                 nb::arg("keep_unmerged"), nb::arg("nearest"), nb::arg("share"),
                 nb::arg("max_categories"), nb::arg("n_threads"), nb::arg("report").none());
}

template void bind_sweep<FuzzyArt>(nb::class_<Learner<FuzzyArt>>&);
template void bind_sweep<Dvfa>(nb::class_<Learner<Dvfa>>&);
template void bind_sweep<Ddvfa>(nb::class_<Learner<Ddvfa>>&);
template void bind_sweep<TopoArt>(nb::class_<Learner<TopoArt>>&);

void bind_partitions(nb::module_& m) {
    nb::class_<Partitions>(m, "Partitions")
        .def(nb::init<std::size_t>(), nb::arg("n_rows"))
        .def("__len__", &Partitions::size)
        .def("add", &add_partitions, nb::arg("labels"))
        .def(
            "labels",
            [](const Partitions& p, const Vector<std::int64_t>& ids) {
                check_ids(p, ids.data(), ids.shape(0), false);
                NewArray<std::int64_t> out(ids.shape(0) * p.n_rows());
                for (std::size_t i = 0; i < ids.shape(0); ++i) {
                    p[static_cast<std::size_t>(ids.data()[i])].copy_labels(out.data() +
                                                                           i * p.n_rows());
                }
                return whole_matrix(out, ids.shape(0), p.n_rows());
            },
            nb::arg("ids"))
        .def(
            "agreement_with",
            [](const Partitions& p, const Vector<std::int64_t>& labels, unsigned n_threads) {
                if (labels.shape(0) != p.n_rows()) {
                    throw nb::value_error("labels must be as many as the rows");
                }
                Buffer<std::uint32_t> mine, scratch;
                mine.resize_uninitialised(p.n_rows());
                for (std::size_t r = 0; r < p.n_rows(); ++r) {
                    if (labels.data()[r] < 0 ||
                        labels.data()[r] >= static_cast<std::int64_t>(p.n_rows())) {
                        throw nb::value_error("labels must be numbered from 0");
                    }
                    mine[r] = static_cast<std::uint32_t>(labels.data()[r]);
                }
                const std::size_t n = p.size();
                NewArray<double> out(n);
                {
                    nb::gil_scoped_release free;
                    const Partition given(mine, scratch);
                    CheckSignals poll;
                    agreements_with(p, given, n_threads ? n_threads : 1, out.data(), poll);
                }
                return out.vector();
            },
            nb::arg("labels"), nb::arg("n_threads"))
        .def("quality", &measure_quality, nb::arg("order"), nb::arg("height"),
             nb::arg("neighbours"), nb::arg("small"), nb::arg("most_clusters"),
             nb::arg("n_threads"))
        .def(
            "agreements",
            [](const Partitions& p, const Matrix<std::int64_t>& ids, unsigned n_threads) {
                const std::size_t cells = ids.shape(0), orders = ids.shape(1);
                check_ids(p, ids.data(), cells * orders, true);
                NewArray<double> out(cells * orders);
                {
                    nb::gil_scoped_release free;
                    CheckSignals poll;
                    agreements(p, ids.data(), cells, orders, n_threads ? n_threads : 1, out.data(),
                               poll);
                }
                return out.matrix(cells, orders);
            },
            nb::arg("ids"), nb::arg("n_threads"));
}

}  // namespace resonart::bindings
