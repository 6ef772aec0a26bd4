// The density tree over boxes by itself: for the training of the choice, and for tests.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "art/params.hpp"
#include "base/rows.hpp"
#include "density/box_order.hpp"
#include "density/candidates.hpp"
#include "density/outliers.hpp"
#include "density/read_boxes.hpp"
#include "density/sampled_boxes.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/interrupt.hpp"

namespace resonart::bindings {
namespace {

using MaybeVector = std::optional<Vector<double>>;
using MaybeLabels = std::optional<Vector<std::int32_t>>;
// (scaling, n_components, selection, min_cluster_size, min_samples, height, of_rows)
using MaybeKept = std::optional<
    std::tuple<Scaling, std::int32_t, Selection, std::int64_t, std::int64_t, double, double>>;

Boxes as_boxes(const Matrix<double>& mean, const Vector<double>& weight,
               const MaybeVector& lot = {}) {
    const std::size_t n = mean.shape(0), d = mean.shape(1);
    if (n == 0 || d == 0) throw nb::value_error("there must be a box and a feature");
    if (weight.shape(0) != n) throw nb::value_error("there must be a weight for each box");
    for (std::size_t i = 0; i < n * d; ++i) {
        if (!usable(mean.data()[i])) {
            throw nb::value_error(
                "boxes must be finite, and within the largest ranges there may be");
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (!(weight.data()[i] > 0.0 && weight.data()[i] <= kMostInCluster)) {
            throw nb::value_error("weights must be more than 0, and at most 2^53");
        }
    }
    if (lot && lot->shape(0) != n) throw nb::value_error("there must be a lot for each box");
    return {n, d, mean.data(), weight.data(), nullptr, lot ? lot->data() : nullptr};
}

template <class T, class Values>
nb::object vector_of(const Values& values) {
    NewArray<T> copy(values.size());
    std::copy(values.begin(), values.end(), copy.data());
    return nb::cast(copy.vector());
}

ReadingParams reading_params(std::int64_t min_cluster_size, std::int64_t min_samples,
                             Scaling scaling, Selection selection, unsigned n_threads) {
    if (min_cluster_size < 0 || min_cluster_size == 1 || min_samples < 0) {
        throw nb::value_error("min_cluster_size must be 0 or at least 2, min_samples at least 0");
    }
    ReadingParams params;
    params.min_cluster_size = min_cluster_size;
    params.min_samples = min_samples;
    params.scaling = scaling;
    params.selection = selection;
    params.n_threads = n_threads ? n_threads : 1;
    return params;
}

nb::dict read_boxes_alone(const Matrix<double>& mean, const Vector<double>& weight,
                          std::int64_t min_cluster_size, std::int64_t min_samples, Scaling scaling,
                          Selection selection, unsigned n_threads, const MaybeLabels& before,
                          const MaybeKept& kept, const MaybeVector& lot,
                          std::int64_t least_clusters, std::int64_t most_clusters,
                          bool attaches_noise) {
    Boxes boxes = as_boxes(mean, weight, lot);
    if (before) {
        if (before->shape(0) != boxes.size) {
            throw nb::value_error("there must be a label before for each box");
        }
        boxes.before = before->data();
    }
    ReadingParams params =
        reading_params(min_cluster_size, min_samples, scaling, selection, n_threads);
    if (least_clusters < 0 || least_clusters > most_clusters ||
        (least_clusters > 0) != (most_clusters > 0) ||
        most_clusters > DensityArtParams::kMostWanted) {
        throw nb::value_error("numbers of clusters must be both 0, or 1 <= least <= most <= 2^31");
    }
    params.least_clusters = least_clusters;
    params.most_clusters = most_clusters;
    params.attaches_noise = attaches_noise;
    Candidate as_then;
    as_then.n_clusters = most_clusters;
    if (kept) {
        std::tie(as_then.scaling, as_then.n_components, as_then.selection, as_then.min_cluster_size,
                 as_then.min_samples, as_then.height, as_then.of_rows) = *kept;
        const auto d = static_cast<std::int32_t>(boxes.n_features);
        const bool is_sound = as_then.scaling != Scaling::automatic &&
                              (as_then.scaling == Scaling::pca) == (as_then.n_components > 0) &&
                              as_then.n_components <= d && as_then.min_cluster_size >= 0 &&
                              as_then.min_samples >= 0 && as_then.height >= 0.0 &&
                              as_then.of_rows >= 0.0 && as_then.of_rows <= kMostInCluster;
        if (!is_sound) throw nb::value_error("the candidate to be kept is not sound");
        params.kept = &as_then;
    }
    Reading reading;
    {
        nb::gil_scoped_release free;
        CheckSignals poll;
        reading = read_boxes(boxes, params, poll);
    }
    nb::dict found;
    found["n_clusters"] = reading.n_clusters;
    found["cluster"] = vector_of<std::int32_t>(reading.cluster);
    found["nearest"] = vector_of<std::int32_t>(reading.nearest);
    found["strength"] = vector_of<double>(reading.strength);
    found["outlier"] = vector_of<double>(reading.outlier);
    found["edge_from"] = vector_of<std::uint32_t>(reading.edge_from);
    found["edge_to"] = vector_of<std::uint32_t>(reading.edge_to);
    found["edge_height"] = vector_of<double>(reading.edge_height);
    found["tree_parent"] = vector_of<std::int32_t>(reading.tree.parent);
    found["tree_birth"] = vector_of<double>(reading.tree.birth);
    found["tree_size"] = vector_of<double>(reading.tree.size);
    found["tree_cluster"] = vector_of<std::int32_t>(reading.tree.cluster);
    found["tree_leaves_at"] = vector_of<double>(reading.tree.leaves_at);
    found["tree_selected"] = vector_of<std::uint8_t>(reading.tree.selected);
    found["structure"] = reading.structure;
    nb::list candidates;
    for (const Candidate& c : reading.candidates) {
        candidates.append(nb::make_tuple(c.scaling, c.n_components, c.selection, c.min_cluster_size,
                                         c.min_samples, c.height, c.n_clusters, c.noise, c.score,
                                         c.of_rows));
    }
    found["candidates"] = candidates;
    return found;
}

// The outlier score of each box, measured against `most` of them at the most.
nb::object outlier_scores_alone(const Matrix<double>& mean, const Vector<double>& weight,
                                Scaling scaling, std::size_t most, unsigned n_threads,
                                const MaybeVector& lot) {
    const Boxes boxes = as_boxes(mean, weight, lot);
    if (most == 0) throw nb::value_error("boxes must be measured against one at least");
    const unsigned threads = n_threads ? n_threads : 1;
    std::vector<double> scores;
    {
        nb::gil_scoped_release free;
        CheckSignals poll;
        const SortedBoxes sorted(boxes);
        std::optional<SampledBoxes> some;
        if (boxes.size > most) {
            some.emplace(sorted.boxes(), FeatureScales(sorted.boxes()), most, threads, poll);
        }
        scores = outlier_scores(sorted.boxes(), some ? &*some : nullptr, scaling, threads, poll);
        sorted.put_back(scores);
    }
    return vector_of<double>(scores);
}

// What is seen of each candidate for boxes, and its clusters with noise and without; the candidates
// are those of groups of boxes where there are too many, as in a reading. The last is one cluster.
nb::tuple density_candidates(const Matrix<double>& mean, const Vector<double>& weight,
                             unsigned n_threads) {
    const Boxes boxes = as_boxes(mean, weight);
    if (boxes.size < 2) throw nb::value_error("there must be two boxes at least");
    ReadingParams params;
    params.n_threads = n_threads ? n_threads : 1;
    std::vector<double> features;
    std::vector<std::int32_t> cluster, nearest;
    std::size_t n = 0;
    {
        nb::gil_scoped_release free;
        CheckSignals poll;
        const SortedBoxes sorted(boxes);
        const FeatureScales scales(sorted.boxes());
        std::optional<SampledBoxes> some;
        if (boxes.size > kMostInChoice) {
            some.emplace(sorted.boxes(), scales, kMostInChoice, params.n_threads, poll);
        }
        const Boxes looked_at = some ? some->boxes(boxes.n_features) : sorted.boxes();
        const Candidates candidates(looked_at, some ? FeatureScales(looked_at) : scales, params,
                                    poll);
        features = candidates.features(poll);
        n = candidates.all().size();
        for (const Considered& each : candidates.all()) {
            std::vector<std::int32_t> own(boxes.size), attached(boxes.size);
            for (std::size_t i = 0; i < boxes.size; ++i) {
                const std::size_t group = some ? some->group[i] : i;
                own[i] = each.clusters.labels[group];
                attached[i] = each.clusters.attached[group];
            }
            sorted.put_back(own);
            sorted.put_back(attached);
            cluster.insert(cluster.end(), own.begin(), own.end());
            nearest.insert(nearest.end(), attached.begin(), attached.end());
        }
    }
    const auto matrix = [&](auto& values, std::size_t columns) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        NewArray<T> copy(values.size());
        std::copy(values.begin(), values.end(), copy.data());
        return nb::cast(copy.matrix(n, columns));
    };
    return nb::make_tuple(matrix(features, kNumFeatures), matrix(cluster, boxes.size),
                          matrix(nearest, boxes.size));
}

}  // namespace

void bind_reading(nb::module_& m) {
    m.attr("MOST_IN_CHOICE") = kMostInChoice;
    m.def("read_boxes", &read_boxes_alone, nb::arg("mean"), nb::arg("weight"),
          nb::arg("min_cluster_size"), nb::arg("min_samples"), nb::arg("scaling"),
          nb::arg("selection"), nb::arg("n_threads"), nb::arg("before") = nb::none(),
          nb::arg("kept") = nb::none(), nb::arg("lot") = nb::none(), nb::arg("least_clusters") = 0,
          nb::arg("most_clusters") = 0, nb::arg("attaches_noise") = false);
    m.def("outlier_scores", &outlier_scores_alone, nb::arg("mean"), nb::arg("weight"),
          nb::arg("scaling"), nb::arg("most"), nb::arg("n_threads"), nb::arg("lot") = nb::none());
    m.def("density_candidates", &density_candidates, nb::arg("mean"), nb::arg("weight"),
          nb::arg("n_threads"));
    m.def("density_features", [] {
        nb::list names;
        for (std::size_t i = 0; i < kNumFeatures; ++i) names.append(feature_name(i));
        return names;
    });
}

}  // namespace resonart::bindings
