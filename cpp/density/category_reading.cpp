// Clusters are read from categories, and take their labels over from those before.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "density/candidates.hpp"
#include "density/density_art.hpp"
#include "density/read_boxes.hpp"
#include "drift/heirs.hpp"

namespace resonart {
LabelChanges DensityArt::read(const Bounds& bounds, std::int64_t n_rows, std::int64_t n_readings,
                              const Candidate* kept, Poll& poll) {
    const std::size_t n = categories_.size(), d = categories_.n_features();
    if (forgets() && 4 * n < most_categories()) share_ = std::min(2.0 * share_, 1.0);
    BoxesNow now = boxes_now();
    std::vector<double> faded(n);
    for (std::size_t j = 0; j < n; ++j) faded[j] = weight(j);
    const std::vector<std::uint32_t> before = labels_of_categories();
    // Until the first half-life has gone, what is read is no more than a beginning.
    const bool is_settled = forgets() && kept_.is_settled;
    Found found =
        is_settled ? read_on(now, before, kept, poll) : read_first(now, before, kept, poll);
    Reading& reading = found.reading;
    auto record = std::make_shared<ReadingRecord>();
    record->weight = std::move(now.weight);

    if (found.n_labels > kMostLabels) {
        throw std::invalid_argument(
            "the model has used 2^31 labels, and cannot count more; train a new one");
    }
    if (!was_read_) categories_.do_with_index();
    categories_.reserve(n);  // and an index, where it pays
    const bool was_read_before = was_read_;
    was_read_ = true;
    labels_ = distinct(found.label.data(), n);
    n_labels_ = found.n_labels;
    for (std::size_t j = 0; j < n; ++j) {
        categories_.set_owner(j, slot_of(found.label[j]));
        strength_[j] = reading.strength[j];
        outlier_[j] = reading.outlier[j];
    }
    Buffer<double> reach;
    reach.assign((n_clusters() + 1) * d, 0.0);
    measure_reach(reading, bounds, n_clusters(), reach);
    read_at_ = clock_->now;
    reach_ = std::move(reach);
    least_.assign(n_clusters() + 1, 0.0);
    set_ranges(bounds);

    std::vector<double> range(d);
    for (std::size_t f = 0; f < d; ++f) range[f] = bounds.high(f) - bounds.low(f);
    if (forgets() && !kept_.is_settled) {
        kept_.is_settled = clock_->now - clock_->begun_at >= fading_.half_life();
        if (!kept_.is_settled) return finish(std::move(record), std::move(found));
    }
    const bool is_first = forgets() ? !is_settled : !was_read_before;
    const std::vector<std::uint32_t> nothing(is_first ? n : 0, kNoLabel);
    diary_.record(is_first           ? nothing.data()
                  : found.own.size() ? found.own.data()
                                     : before.data(),
                  found.label.data(), faded.data(), rows_.data(), range.data(), n, d,
                  static_cast<double>(n_readings), static_cast<double>(n_rows), clock_->now);
    return finish(std::move(record), std::move(found));
}

Candidate DensityArt::last_way() const {
    if (!was_read_ || !record_ || record_->candidates.empty()) {
        throw std::invalid_argument(
            "clusters have not been read yet, so there is no way of reading to be kept; read "
            "them with choose=True first");
    }
    Candidate way = forgets() && kept_.is_known ? kept_.candidate : record_->candidates.front();
    if (way.selection == Selection::automatic) return way;
    const BoxesNow now = boxes_now();
    const ReadingParams asked = params_.reading(now.total);
    const std::int64_t least =
        Counting(now.boxes, now.total, way.of_rows).counted(asked.min_cluster_size, now.total);
    way.min_cluster_size = asked.is_settled() ? least : std::max(way.min_cluster_size, least);
    if (asked.min_samples > 0 && !(way.of_rows > 0.0)) way.min_samples = asked.min_samples;
    return way;
}

std::vector<std::int32_t> DensityArt::clusters_as(std::size_t place, Poll& poll) const {
    const Candidate candidate = candidate_at(place);
    const BoxesNow now = boxes_now();
    ReadingParams asked = reading_of(now);
    asked.kept = &candidate;
    return clusters_of(read_boxes(now.boxes, asked, poll));
}

LabelChanges DensityArt::read_as(std::size_t place, const Bounds& bounds, std::int64_t n_rows,
                                 std::int64_t n_readings, Poll& poll) {
    const Candidate candidate = candidate_at(place);
    std::vector<Candidate> others = record_->candidates;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
    const std::vector<std::uint32_t> before = labels_of_categories();
    was_read_ = false;
    diary_ = Diary();
    for (std::size_t j = 0; j < categories_.size(); ++j) categories_.set_owner(j, 0);
    read(bounds, n_rows, n_readings, &candidate, poll);
    auto record = std::make_shared<ReadingRecord>(*record_);
    record->candidates.insert(record->candidates.end(), others.begin(), others.end());
    LabelMap now;
    now.resize_uninitialised(before.size());
    for (std::size_t j = 0; j < before.size(); ++j) now[j] = label_of_category(j);
    LabelChanges changes =
        where_labels_went(before.data(), now.data(), record->weight.data(), before.size());
    record_ = std::move(record);
    return changes;
}

DensityArt::BoxesNow DensityArt::boxes_now() const {
    const std::size_t n = categories_.size();
    BoxesNow now;
    const double scale = forgets() ? fading_.scale() : 1.0;
    now.weight.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
        now.weight[j] = weight(j) * scale;
        now.total += now.weight[j];
    }
    const bool has_lots = is_drawn() || has_repeats();
    if (has_lots) now.lot = ranks();
    now.boxes = {n,       categories_.n_features(),           rows_.data(), now.weight.data(),
                 nullptr, has_lots ? now.lot.data() : nullptr};
    return now;
}

ReadingParams DensityArt::reading_of(const BoxesNow& now) const {
    ReadingParams asked = params_.reading(now.total);
    if (forgets()) {
        asked.most_boxes = kMostInStream;  // for which threads are not worthwhile
    } else {
        asked.n_threads = n_threads_;
    }
    return asked;
}

const Candidate& DensityArt::candidate_at(std::size_t place) const {
    if (!record_ || place >= record_->candidates.size()) {
        throw std::invalid_argument("there is no such candidate in the last reading");
    }
    const Candidate& found = record_->candidates[place];
    // (A file may say anything.)
    const auto d = static_cast<std::int32_t>(categories_.n_features());
    if (found.scaling == Scaling::automatic ||
        (found.scaling == Scaling::pca) != (found.n_components > 0) || found.n_components > d) {
        throw std::invalid_argument("the candidate is not sound");
    }
    return found;
}

std::vector<std::uint32_t> DensityArt::labels_of_categories() const {
    std::vector<std::uint32_t> labels(categories_.size());
    for (std::size_t j = 0; j < labels.size(); ++j) labels[j] = label_of_category(j);
    return labels;
}

double DensityArt::rows_read() const noexcept {
    double rows = 0.0;
    for (const double w : record_->weight) rows += w;
    return rows;
}

LabelChanges DensityArt::finish(std::shared_ptr<ReadingRecord>&& record, Found&& found) {
    record->label = labels_in_tree(found.reading.tree);
    record->tree = std::move(found.reading.tree);
    record->candidates = std::move(found.reading.candidates);
    record_ = std::move(record);
    return std::move(found.changes);
}

DensityArt::Found DensityArt::read_first(BoxesNow& seen, const std::vector<std::uint32_t>& before,
                                         const Candidate* kept, Poll& poll) {
    ReadingParams asked = reading_of(seen);
    asked.kept = kept;
    std::vector<std::int32_t> owners;
    if (was_read_ && !forgets() && record_ && rows_read() >= kLeastToKeep) {
        for (std::size_t j = 0; j < seen.boxes.size; ++j) {
            owners.push_back(static_cast<std::int32_t>(shown_label(categories_.owner(j))));
        }
        seen.boxes.before = owners.data();
        const double firmness = 1.0 + std::log10(rows_read() / kManyToKeep);
        asked.loyalty *= std::min(std::max(firmness, 1.0), 2.0);
    }
    Found found;
    found.reading = read_boxes(seen.boxes, asked, poll);
    const std::size_t n = seen.boxes.size;
    const std::vector<std::int32_t>& now = clusters_of(found.reading);
    std::vector<std::int64_t> rows(n);
    for (std::size_t j = 0; j < n; ++j) rows[j] = categories_.count(j);
    Heirs heirs = inherit_labels(before.data(), now.data(), rows.data(), n, n_labels(),
                                 found.reading.n_clusters, !was_read_);
    found.label.resize_uninitialised(n);
    for (std::size_t j = 0; j < n; ++j) {
        found.label[j] = now[j] < 0 ? kNoLabel : heirs.label[static_cast<std::size_t>(now[j])];
    }
    found.n_labels = heirs.n_labels;
    found.changes = std::move(heirs.changes);
    if (forgets()) {
        if (!kept) keep_reading(found.reading);
        expected_.embryo.assign(n, kNoLabel);
    }
    return found;
}

DensityArt::Found DensityArt::read_on(const BoxesNow& seen,
                                      const std::vector<std::uint32_t>& before,
                                      const Candidate* kept, Poll& poll) {
    Boxes boxes = seen.boxes;
    const double total = seen.total;
    const std::size_t n = boxes.size;
    // Rows of noise that are attached to a cluster are nobody's, and so are those that no
    // reading has seen: they may become one.
    const bool attaches = params_.noise == Noise::nearest;
    std::vector<std::uint32_t> inside(before), own(before);
    std::vector<std::int32_t> labels(n);
    double unlabelled = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
        labels[j] = static_cast<std::int32_t>(shown_label(categories_.owner(j)));
        if (!(strength_[j] > 0.0)) inside[j] = kNoLabel;
        own[j] = expected_.embryo[j] == kUnread ? kNoLabel : inside[j];
        if ((attaches ? inside : before)[j] == kNoLabel) unlabelled += boxes.weight[j];
    }
    boxes.before = labels.data();
    ReadingParams asked = reading_of(seen);
    const bool is_choice = params_.leaves_choice();
    bool is_chosen = !kept && (!is_choice || choice_due(unlabelled / total));
    if (!is_chosen) asked.kept = kept ? kept : &kept_.candidate;
    Found found;
    found.reading = read_boxes(boxes, asked, poll);
    const auto follow = [&] {
        const Reading& reading = found.reading;
        const LabelledCategories categories{n, own.data(), inside.data(), reading.cluster.data(),
                                            boxes.weight};
        return succeed(categories, n_labels(), reading.n_clusters,
                       is_choice ? kLeastNew * total : 0.0,
                       taken_from_afar(inside.data(), reading.cluster.data(), boxes.weight,
                                       boxes.mean, n, boxes.n_features, reading.n_clusters),
                       expected_);
    };
    Succession next = follow();
    // (What was kept to may fit no longer: rows that scale the features are forgotten, too.)
    // Nor may it have as many clusters as are wanted.
    if (!is_chosen && !kept &&
        (next.is_believed || is_surprise(found.reading.candidates[0].noise) ||
         joins_more(found.reading.candidates[0]) ||
         asked.clusters_off(found.reading.n_clusters) > 0)) {
        asked.kept = nullptr;
        is_chosen = true;
        found.reading = read_boxes(boxes, asked, poll);
        next = follow();
    }
    // Nor do rows of a cluster that is yet to be born belong to what they are attached to.
    for (std::size_t j = 0; j < n; ++j) {
        if (next.label[j] == kNoLabel) found.reading.strength[j] = 0.0;
    }
    if (attaches) attach(next, found.reading, before);
    found.own = std::move(own);
    if (is_chosen) keep_reading(found.reading);
    for (const auto& each : where_labels_went(before.data(), next.label.data(), boxes.weight, n)) {
        if (is_shown(each)) found.changes.add(each.from, each.to);
    }
    found.label = std::move(next.label);
    found.n_labels = next.n_labels;
    expected_ = std::move(next.expected);
    return found;
}

void DensityArt::attach(Succession& next, const Reading& reading,
                        const std::vector<std::uint32_t>& before) noexcept {
    for (std::size_t j = 0; j < before.size(); ++j) {
        if (next.label[j] != kNoLabel) continue;
        const std::int32_t c = reading.nearest[j];
        const std::uint32_t near = c < 0 ? kNoLabel : next.of_cluster[static_cast<std::size_t>(c)];
        next.label[j] = near == kNoLabel ? before[j] : near;
    }
}

bool DensityArt::choice_due(double unlabelled) const noexcept {
    const double age = clock_->now - kept_.chosen_at, life = fading_.half_life();
    return !kept_.is_known || age >= (is_one() ? kDoubtOne : kDoubt) * life ||
           is_surprise(unlabelled);
}

void DensityArt::keep_reading(const Reading& reading) {
    kept_.candidate = reading.candidates[0];
    kept_.noise = kept_.candidate.noise;
    kept_.chosen_at = clock_->now;
    kept_.is_known = true;
}

std::vector<std::int32_t> DensityArt::labels_in_tree(const CondensedTree& tree) const {
    std::vector<std::int32_t> label(tree.parent.size(), -1);
    for (std::size_t j = 0; j < tree.cluster.size(); ++j) {
        const std::uint32_t mine = label_of_category(j);
        if (mine == kNoLabel) continue;
        for (std::int32_t c = tree.cluster[j]; c >= 0;
             c = tree.parent[static_cast<std::size_t>(c)]) {
            const auto at = static_cast<std::size_t>(c);
            if (label[at] >= 0) break;
            if (!tree.selected[at]) continue;
            label[at] = static_cast<std::int32_t>(mine);
            break;
        }
    }
    return label;
}

}  // namespace resonart
