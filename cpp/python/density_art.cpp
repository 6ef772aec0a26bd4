// DensityART as Python sees it: categories with means, and what the last reading said.
#include <nanobind/nanobind.h>

#include <cmath>
#include <memory>
#include <utility>

#include "model/read_labels.hpp"
#include "python/bind.hpp"
#include "python/forgetting.hpp"
#include "python/learner.hpp"

namespace resonart::bindings {
namespace {

constexpr std::size_t kTreeColumns = 5, kBoxColumns = 3, kCandidateColumns = 10;

// A model, copied while it is held still.
class Copied {
public:
    explicit Copied(const Learner<DensityArt>::State& state)
        : d_(state.art.categories().n_features()),
          weights_(2 * d_),
          means_(d_),
          given_(d_),
          reach_(d_),
          share_(state.art.share()),
          n_labels_(state.art.n_labels()),
          counters_(state),
          map_(state.label_map),
          time_(state.art) {
        copy_categories(state.art);
        for (std::size_t f = 0; f < state.bounds.size(); ++f) {
            low_.add(state.bounds.low(f));
            high_.add(state.bounds.high(f));
        }
        for (std::size_t f = 0; f < state.given.size(); ++f) given_.add(state.given.low(f));
        for (std::size_t f = 0; f < state.given.size(); ++f) given_.add(state.given.high(f));
        reach_.add_all(state.art.reach().data(), state.art.reach().size());
        if (state.art.record()) copy_record(*state.art.record());
    }

    nb::dict named() {
        nb::dict found;
        found["weights"] = weights_.matrix();
        found["counts"] = counts_.vector();
        found["repeats"] = repeats_.vector();
        found["labels"] = labels_.vector();
        found["means"] = means_.matrix();
        found["strengths"] = strengths_.vector();
        found["outliers"] = outliers_.vector();
        found["low"] = low_.vector();
        found["high"] = high_.vector();
        found["given"] = given_.matrix();
        found["reach"] = reach_.matrix();
        found["share"] = share_;
        found["n_labels"] = n_labels_;
        found["n_samples"] = counters_.n_samples;
        found["since_merge"] = counters_.since_update;
        found["n_merges"] = counters_.n_updates;
        found["n_removed"] = counters_.n_removed;
        found["label_map"] = LearnerBinding<DensityArt>::as_pairs(map_);
        found["tree"] = tree_.matrix();
        found["tree_boxes"] = boxes_.matrix();
        found["candidates"] = candidates_.matrix();
        time_.put_into(found);
        return found;
    }

private:
    void copy_categories(const DensityArt& art) {
        const Categories& c = art.categories();
        std::vector<double> weight(2 * d_);
        weights_.reserve(c.size());
        means_.reserve(c.size());
        for (std::size_t j = 0; j < c.size(); ++j) {
            c.copy_weight(j, weight.data());
            weights_.add_all(weight.data(), weight.size());
            means_.add_all(art.rows()[j], d_);
            strengths_.add(art.strength(j));
            outliers_.add(art.outlier(j));
            counts_.add(c.count(j));
            repeats_.add(art.rows().repeats(j));
            labels_.add(shown_label(art.label_of_category(j)));
        }
    }
    void copy_record(const ReadingRecord& read) {
        const CondensedTree& tree = read.tree;
        for (std::size_t c = 0; c < tree.parent.size(); ++c) {
            tree_.add(tree.parent[c], tree.birth[c], tree.size[c], tree.selected[c], read.label[c]);
        }
        const bool has_tree = !tree.cluster.empty();
        for (std::size_t j = 0; j < read.weight.size(); ++j) {
            boxes_.add(has_tree ? tree.cluster[j] : -1, has_tree ? tree.leaves_at[j] : 0.0,
                       read.weight[j]);
        }
        for (const Candidate& c : read.candidates) {
            candidates_.add(c.scaling, c.n_components, c.selection, c.min_cluster_size,
                            c.min_samples, c.height, c.n_clusters, c.noise, c.score, c.of_rows);
        }
    }

    std::size_t d_;
    Table<double> weights_, means_, given_, reach_;
    double share_;
    std::size_t n_labels_;
    Learner<DensityArt>::Counters counters_;
    LabelChanges map_;
    TimeArrays time_;
    Table<double> strengths_, outliers_, low_, high_;
    Table<std::int64_t> counts_, repeats_, labels_;
    Table<double> tree_{kTreeColumns}, boxes_{kBoxColumns}, candidates_{kCandidateColumns};
};

class DensityArtBinding {
public:
    using Engine = Learner<DensityArt>;
    using F = LearnerBinding<DensityArt>;

    // The whole model at one moment, by name: categories in order of creation.
    static nb::dict snapshot(const Engine& engine) {
        return F::held(engine, [](const Engine::State& state) { return Copied(state); }).named();
    }

    // Fills a new model. Everything an array from outside could get wrong is checked.
    static void restore(Engine& engine, const Matrix<double>& weights,
                        const Vector<std::int64_t>& counts, const Vector<std::int64_t>& repeats,
                        const Vector<std::int64_t>& labels, const Matrix<double>& means,
                        const Vector<double>& strengths, const Vector<double>& outliers,
                        const Matrix<double>& given, const Matrix<double>& reach, double share,
                        std::int64_t n_labels, std::int64_t n_samples, std::int64_t since_merge,
                        std::int64_t n_merges, std::int64_t n_removed,
                        const Matrix<std::int64_t>& label_map, const Matrix<double>& tree,
                        const Matrix<double>& tree_boxes, const Matrix<double>& candidates,
                        const Vector<double>& clock, const Matrix<double>& loads,
                        const Matrix<double>& stays, const Vector<double>& kept,
                        const Vector<std::int64_t>& embryos, const Matrix<double>& born_soon,
                        const Vector<std::int64_t>& changes, const Matrix<double>& events,
                        const Matrix<double>& moments, const Matrix<double>& residents,
                        const Vector<std::int64_t>& diary) {
        const std::size_t d = engine.n_features(), n = weights.shape(0);
        for (const std::int64_t counter : {n_samples, since_merge, n_merges}) {
            F::check_counter(counter);
        }
        F::check_removed(n_removed, n_samples);
        if (!(share >= 0.0 && share <= 1.0)) {
            throw nb::value_error("the share of rows must lie between 0 and 1");
        }
        const bool was_read = n_merges > 0;
        if (since_merge > n_samples || n_labels < 0 ||
            n_labels > static_cast<std::int64_t>(DensityArt::kMostLabels) ||
            (!was_read && n_labels != 1)) {
            throw nb::value_error("counters do not fit together");
        }
        const Bounds bounds =
            F::held(engine, [](const Engine::State& state) { return state.bounds; });
        if (!bounds.known()) {
            throw nb::value_error("a model is filled after it has been told its ranges");
        }
        check_given(given, d);
        DensityArt::Content content =
            read_categories(weights, counts, repeats, labels, means, strengths, outliers, bounds,
                            was_read, n_labels);
        const std::size_t n_clusters = DensityArt::distinct(content.categories.owners(), n).size();
        if (reach.shape(0) != (was_read ? n_clusters + 1 : 0) || reach.shape(1) != d) {
            throw nb::value_error("there must be a reach for each cluster");
        }
        content.reach.reserve(reach.shape(0) * d);
        for (std::size_t i = 0; i < reach.shape(0) * d; ++i) {
            const double side = reach.data()[i];
            if (!(side >= 0.0) || !std::isfinite(side)) {
                throw nb::value_error("reaches must be finite, and not negative");
            }
            content.reach.push(side);
        }
        content.share = share;
        content.n_labels = static_cast<std::size_t>(n_labels);
        content.was_read = was_read;
        content.record = read_record(tree, tree_boxes, candidates, n_labels);
        const DensityArtParams params =
            F::held(engine, [](const Engine::State& state) { return state.art.params(); });
        TimeReader(n, d, n_labels, n_samples, params.forgets(), params.window > 0.0)
            .read(clock, loads, stays, kept, embryos, born_soon, changes, events, moments,
                  residents, diary, content);
        LabelChanges map = F::changes_of(label_map, n_labels);
        nb::gil_scoped_release free;
        CheckSignals poll;
        const WriteGuard writing(engine.lock(), poll);
        auto& state = engine.state_to_fill();
        Bounds floor;
        if (given.shape(0)) floor.set(given.data(), given.data() + d, d);
        state.art.adopt(std::move(content), state.bounds);
        state.given = std::move(floor);
        state.n_samples = n_samples;
        state.since_update = since_merge;
        state.n_updates = n_merges;
        state.n_removed = n_removed;
        state.label_map = std::move(map);
    }

    // Label, and the least match, of each cluster.
    static WholeNumbers labels(const Engine& engine) {
        auto found = F::held(engine, [](const Engine::State& state) {
            Table<std::int64_t> each;
            for (std::uint32_t m = 0; m < state.art.n_clusters(); ++m) {
                each.add(shown_label(state.art.label_in(m)));
            }
            return each;
        });
        return found.vector();
    }
    static NewVector<double> vigilances(const Engine& engine) {
        auto found = F::held(engine, [](const Engine::State& state) {
            NewArray<double> each(state.art.n_clusters());
            for (std::size_t m = 0; m < state.art.n_clusters(); ++m) {
                each.data()[m] = state.art.vigilance(m);
            }
            return each;
        });
        return found.vector();
    }

    // Of each row the most active category, and the match with it; below 0 far outside the ranges.
    static std::tuple<WholeNumbers, NewVector<double>> winners(const Engine& engine,
                                                               const AnyRows& array) {
        const Rows data = F::rows(engine, array);
        NewArray<std::int64_t> categories(data.size());
        NewArray<double> matches(data.size());
        try {
            nb::gil_scoped_release free;
            CheckSignals poll;
            engine.winners(data, categories.data(), matches.data(), poll);
        } catch (const OutsideBounds& e) {
            raise_outside(e);
        }
        return {whole_numbers(categories), matches.vector()};
    }

    // Clusters as a candidate of the last reading has them: of the model, and of its categories
    // while the model stays as it is.
    static nb::dict read_as(Engine& engine, std::size_t place) {
        LabelChanges changes;
        {
            nb::gil_scoped_release free;
            CheckSignals poll;
            changes = engine.read_as(place, poll);
        }
        return F::as_dict(changes);
    }
    static WholeNumbers clusters_as(const Engine& engine, std::size_t place) {
        std::vector<std::int32_t> clusters;
        {
            nb::gil_scoped_release free;
            CheckSignals poll;
            clusters = engine.clusters_as(place, poll);
        }
        NewArray<std::int64_t> found(clusters.size());
        std::copy(clusters.begin(), clusters.end(), found.data());
        return whole_numbers(found);
    }

    // What each category weighs now.
    static NewVector<double> weights_now(const Engine& engine) {
        auto found = F::held(engine, [](const Engine::State& state) {
            NewArray<double> each(state.art.categories().size());
            for (std::size_t j = 0; j < state.art.categories().size(); ++j) {
                each.data()[j] = state.art.weight(j);
            }
            return each;
        });
        return found.vector();
    }

    static WholeNumbers pool(Engine& engine) {
        LabelMap goes_to;
        {
            nb::gil_scoped_release free;
            CheckSignals poll;
            goes_to = engine.pool(poll);
        }
        return F::as_array(goes_to);
    }

private:
    static void check_given(const Matrix<double>& given, std::size_t d) {
        if ((given.shape(0) != 0 && given.shape(0) != 2) || given.shape(1) != d) {
            throw nb::value_error("the bounds that were given must be two rows, or none");
        }
        for (std::size_t f = 0; f < given.shape(0) / 2 * d; ++f) {
            const double low = given.data()[f], high = given.data()[d + f];
            if (!usable(low) || !usable(high) || !(low <= high)) {
                throw nb::value_error("bounds must be finite, low <= high");
            }
        }
    }

    static DensityArt::Content read_categories(const Matrix<double>& weights,
                                               const Vector<std::int64_t>& counts,
                                               const Vector<std::int64_t>& repeats,
                                               const Vector<std::int64_t>& labels,
                                               const Matrix<double>& means,
                                               const Vector<double>& strengths,
                                               const Vector<double>& outliers, const Bounds& bounds,
                                               bool was_read, std::int64_t n_labels) {
        const std::size_t n = weights.shape(0), d = bounds.size();
        if (weights.shape(1) != 2 * d || counts.shape(0) != n || labels.shape(0) != n ||
            repeats.shape(0) != n || means.shape(0) != n || means.shape(1) != d ||
            strengths.shape(0) != n || outliers.shape(0) != n) {
            throw nb::value_error("weights, counts, labels and means do not fit together");
        }
        DensityArt::Content content;
        content.categories = Categories(d);
        content.rows = CategoryRows(d);
        content.categories.reserve(n);
        content.rows.reserve(n);
        content.strength.reserve(n);
        content.outlier.reserve(n);
        std::int64_t total = 0;
        for (std::size_t j = 0; j < n; ++j) {
            const double* w = weights.data() + j * 2 * d;
            check_weight(w, 2 * d);
            const std::int64_t count = counts.data()[j], m = labels.data()[j];
            if (count < 1) throw nb::value_error("counts must be positive");
            if (count > kMostRows - total) throw nb::value_error("counts too large");
            total += count;
            const std::int64_t n_equal = repeats.data()[j];
            if (n_equal < 1 || n_equal > count) {
                throw nb::value_error("repeats must be positive, and not more than counts");
            }
            if (m < (was_read ? -1 : 0) || m >= n_labels) {
                throw nb::value_error("a category names a label that is not there");
            }
            check_mean(means.data() + j * d, bounds, waits_outside(w, 2 * d));
            content.categories.append(w, count, label_of(m));
            content.rows.append(means.data() + j * d, n_equal);
            content.strength.push(unit(strengths.data()[j]));
            content.outlier.push(unit(outliers.data()[j]));
        }
        return content;
    }

    static std::uint32_t label_of(std::int64_t m) {
        return m < 0 ? kNoLabel : static_cast<std::uint32_t>(m);
    }
    // A row that is too far away to widen the ranges has a box of zeros.
    static bool waits_outside(const double* weight, std::size_t width) {
        return std::all_of(weight, weight + width, [](double w) { return w == 0.0; });
    }
    // The mean of rows lies in the ranges, but for rounding.
    static void check_mean(const double* mean, const Bounds& bounds, bool may_be_outside) {
        constexpr double kRounding = 1e-9;
        for (std::size_t f = 0; f < bounds.size(); ++f) {
            const double low = bounds.low(f), high = bounds.high(f);
            const double slack = kRounding * std::max(std::fabs(low), std::fabs(high));
            const bool is_inside = mean[f] >= low - slack && mean[f] <= high + slack;
            if (!is_inside && !(may_be_outside && usable(mean[f]))) {
                throw nb::value_error("the means of categories must lie in the ranges");
            }
        }
    }
    static double unit(double value) {
        if (!(value >= 0.0 && value <= 1.0)) {
            throw nb::value_error("strengths and outlier scores must lie between 0 and 1");
        }
        return value;
    }

    // A whole number in [low, high].
    static std::int64_t whole(double value, double low, double high) {
        if (!(value >= low && value <= high) || value != std::floor(value)) {
            throw nb::value_error("the record of the reading is not sound");
        }
        return static_cast<std::int64_t>(value);
    }
    static double not_negative(double value) {
        if (!(value >= 0.0)) throw nb::value_error("the record of the reading is not sound");
        return value;
    }
    // What rows weigh, which is no more than their number, but for rounding.
    static double size(double value) {
        if (!(value > 0.0 && value <= 2.0 * static_cast<double>(kMostRows))) {
            throw nb::value_error("the record of the reading is not sound");
        }
        return value;
    }

    static std::shared_ptr<const ReadingRecord> read_record(const Matrix<double>& tree,
                                                            const Matrix<double>& boxes,
                                                            const Matrix<double>& candidates,
                                                            std::int64_t n_labels) {
        // Files that know nothing of what rows count as have a column less.
        const bool is_former = candidates.shape(1) == kCandidateColumns - 1;
        if (tree.shape(1) != kTreeColumns || boxes.shape(1) != kBoxColumns ||
            (candidates.shape(1) != kCandidateColumns && !is_former)) {
            throw nb::value_error("the record of the reading is not sound");
        }
        auto read = std::make_shared<ReadingRecord>();
        const double most = static_cast<double>(kMostRows);
        const auto n_tree = static_cast<double>(tree.shape(0));
        for (std::size_t c = 0; c < tree.shape(0); ++c) {
            const double* row = tree.data() + c * kTreeColumns;
            const double before = static_cast<double>(c) - 1.0;
            const double first = c == 0 ? -1.0 : 0.0;
            read->tree.parent.push_back(static_cast<std::int32_t>(whole(row[0], first, before)));
            read->tree.birth.push_back(not_negative(row[1]));
            read->tree.size.push_back(size(row[2]));
            read->tree.selected.push_back(static_cast<std::uint8_t>(whole(row[3], 0.0, 1.0)));
            read->label.push_back(static_cast<std::int32_t>(
                whole(row[4], -1.0, static_cast<double>(n_labels) - 1.0)));
        }
        for (std::size_t j = 0; j < boxes.shape(0); ++j) {
            const double* row = boxes.data() + j * kBoxColumns;
            if (tree.shape(0)) {
                const std::int64_t cluster = whole(row[0], 0.0, n_tree - 1.0);
                read->tree.cluster.push_back(static_cast<std::int32_t>(cluster));
                read->tree.leaves_at.push_back(not_negative(row[1]));
            }
            read->weight.push_back(size(row[2]));
        }
        for (std::size_t i = 0; i < candidates.shape(0); ++i) {
            const double* row = candidates.data() + i * candidates.shape(1);
            Candidate each;
            each.scaling = static_cast<Scaling>(whole(row[0], 0.0, 5.0));
            each.n_components = static_cast<std::int32_t>(whole(row[1], 0.0, 2147483647.0));
            each.selection =
                static_cast<Selection>(whole(row[2], 0.0, static_cast<double>(kLastSelection)));
            each.min_cluster_size = whole(row[3], 0.0, most);
            each.min_samples = whole(row[4], 0.0, most);
            each.height = not_negative(row[5]);
            each.n_clusters = whole(row[6], 0.0, most);
            each.noise = unit(row[7]);
            if (!std::isfinite(row[8])) throw nb::value_error("the scores must be finite");
            each.score = row[8];
            if (!is_former) {
                each.of_rows = row[9];
                if (!(row[9] >= 0.0 && row[9] <= kMostInCluster)) {
                    throw nb::value_error("the record of the reading is not sound");
                }
            }
            read->candidates.push_back(each);
        }
        return read;
    }
};

}  // namespace

void bind_density_art(nb::module_& m) {
    using B = DensityArtBinding;
    bind_common<DensityArt>(m, "DensityArt")
        .def("snapshot", &B::snapshot)
        .def("restore", &B::restore, nb::arg("weights"), nb::arg("counts"), nb::arg("repeats"),
             nb::arg("labels"), nb::arg("means"), nb::arg("strengths"), nb::arg("outliers"),
             nb::arg("given"), nb::arg("reach"), nb::arg("share"), nb::arg("n_labels"),
             nb::arg("n_samples"), nb::arg("since_merge"), nb::arg("n_merges"),
             nb::arg("n_removed"), nb::arg("label_map"), nb::arg("tree"), nb::arg("tree_boxes"),
             nb::arg("candidates"), nb::arg("clock"), nb::arg("loads"), nb::arg("stays"),
             nb::arg("kept"), nb::arg("embryos"), nb::arg("born_soon"), nb::arg("changes"),
             nb::arg("events"), nb::arg("moments"), nb::arg("residents"), nb::arg("diary"))
        .def("label_map", &B::F::label_map)
        .def("remove_categories", &B::F::remove_categories, nb::arg("categories"))
        .def(
            "reread",
            [](B::Engine& engine, const DensityArtParams& params, nb::object report,
               bool keeps_way) {
                Watched watched(report);
                LabelChanges changes;
                {
                    nb::gil_scoped_release free;
                    CheckSignals poll(watched);
                    changes = engine.update_clusters(params, poll, keeps_way);
                }
                return B::F::as_dict(changes);
            },
            nb::arg("params"), nb::arg("report") = nb::none(), nb::arg("keeps_way") = false)
        .def("read_as", &B::read_as, nb::arg("place"))
        .def("clusters_as", &B::clusters_as, nb::arg("place"))
        .def_prop_ro("has_moved",
                     [](const B::Engine& e) {
                         return B::F::held(e, [](const auto& s) { return s.has_moved; });
                     })
        .def("pool", &B::pool)
        .def("weights_now", &B::weights_now)
        .def_prop_ro("now",
                     [](const B::Engine& e) {
                         return B::F::held(e, [](const auto& s) { return s.art.now(); });
                     })
        .def(
            "set_threads",
            [](B::Engine& engine, unsigned n) {
                nb::gil_scoped_release free;
                CheckSignals poll;
                engine.set_threads(n, poll);
            },
            nb::arg("n"))
        .def("winners", &B::winners, nb::arg("rows"))
        .def("labels", &B::labels)
        .def("vigilances", &B::vigilances)
        .def_prop_ro("n_labels",
                     [](const B::Engine& e) {
                         return B::F::held(e, [](const auto& s) { return s.art.n_labels(); });
                     })
        .def_prop_ro("has_dates",
                     [](const B::Engine& e) {
                         return B::F::held(e, [](const auto& s) {
                             return s.art.clock_kind() == ClockKind::dates;
                         });
                     })
        .def_prop_ro("share",
                     [](const B::Engine& e) {
                         return B::F::held(e, [](const auto& s) { return s.art.share(); });
                     })
        .def_prop_ro("n_categories", [](const B::Engine& e) {
            return B::F::held(e, [](const auto& s) { return s.art.categories().size(); });
        });
}

}  // namespace resonart::bindings
