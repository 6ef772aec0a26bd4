#include "drift/succession.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "drift/shared_weight.hpp"

namespace resonart {
std::vector<std::uint8_t> taken_from_afar(const std::uint32_t* before, const std::int32_t* now,
                                          const double* weight, const double* mean, std::size_t n,
                                          std::size_t d, std::size_t n_clusters) {
    // Two parts of each cluster: with a label, without one.
    std::vector<double> size(2 * n_clusters, 0.0), centre(2 * n_clusters * d, 0.0), spread(centre);
    const auto for_each = [&](auto&& visit) {
        for (std::size_t j = 0; j < n; ++j) {
            if (now[j] >= 0) {
                visit(2 * static_cast<std::size_t>(now[j]) + (before[j] == kNoLabel), j);
            }
        }
    };
    for_each([&](std::size_t part, std::size_t j) {
        size[part] += weight[j];
        for (std::size_t f = 0; f < d; ++f) centre[part * d + f] += weight[j] * mean[j * d + f];
    });
    for (std::size_t i = 0; i < centre.size(); ++i) {
        if (size[i / d] > 0.0) centre[i] /= size[i / d];
    }
    for_each([&](std::size_t part, std::size_t j) {
        for (std::size_t f = 0; f < d; ++f) {
            const double off = mean[j * d + f] - centre[part * d + f];
            spread[part * d + f] += weight[j] * (off * off);
        }
    });
    std::vector<std::uint8_t> is_far(n_clusters, 0);
    for (std::size_t c = 0; c < n_clusters; ++c) {
        const std::size_t a = 2 * c, b = a + 1;
        if (!(size[a] > 0.0) || size[b] < kTakenIn * (size[a] + size[b])) continue;
        for (std::size_t f = 0; f < d; ++f) {
            const double off = centre[b * d + f] - centre[a * d + f];
            const double most = std::max(spread[a * d + f] / size[a], spread[b * d + f] / size[b]);
            if (off * off > kApart * kApart * most) is_far[c] = 1;
        }
    }
    return is_far;
}

namespace {

// Labels in use, embryos and clusters are parties, numbered in this order. Labels and clusters that
// have to do with each other make a group, which is decided by itself.
class Successor {
public:
    Successor(const LabelledCategories& categories, std::size_t n_labels, std::size_t n_clusters,
              double least_new, const std::vector<std::uint8_t>& comes_from_afar,
              const Expectations& expected)
        : all_(categories),
          n_clusters_(n_clusters),
          least_new_(least_new),
          comes_from_afar_(comes_from_afar),
          expected_(expected) {
        next_.n_labels = n_labels;
        next_.expected.embryo.assign(all_.n, kNoLabel);
        label_.assign(n_clusters, kNoLabel);
        embryo_.assign(n_clusters, kNoLabel);
        number_parties();
        share_weights();
        make_groups();
    }

    Succession decide() {
        for (std::size_t g = 0; g < group_.size(); ++g) {
            if (!group_[g].empty()) decide_group(g);
        }
        label_categories();
        next_.of_cluster = std::move(label_);
        return std::move(next_);
    }

private:
    bool is_label(std::size_t party) const { return party < used_.size(); }
    std::size_t party_of(std::uint32_t label) const {
        const auto at = std::lower_bound(used_.begin(), used_.end(), label);
        return static_cast<std::size_t>(at - used_.begin());
    }
    std::size_t party_of_category(std::size_t j) const {
        if (all_.before[j] != kNoLabel) return party_of(all_.before[j]);
        const std::uint32_t e = j < expected_.embryo.size() ? expected_.embryo[j] : kNoLabel;
        return e >= kUnread ? n_before_ : used_.size() + e;
    }
    double size_of_cluster(std::size_t c) const { return size_[n_before_ + c]; }

    void number_parties() {
        for (std::size_t j = 0; j < all_.n; ++j) {
            if (all_.before[j] != kNoLabel) used_.push_back(all_.before[j]);
        }
        std::sort(used_.begin(), used_.end());
        used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
        n_before_ = used_.size() + expected_.embryos.size();
        size_.assign(n_before_ + n_clusters_, 0.0);
        is_open_.assign(size_.size(), 0);
    }

    void share_weights() {
        std::vector<Shared> each;
        party_.resize(all_.n);
        for (std::size_t j = 0; j < all_.n; ++j) {
            party_[j] = party_of_category(j);
            const bool is_known = party_[j] < n_before_;
            if (is_known) size_[party_[j]] += all_.weight[j];
            if (all_.now[j] < 0) continue;
            const auto c = static_cast<std::uint32_t>(all_.now[j]);
            size_[n_before_ + c] += all_.weight[j];
            if (is_known) {
                each.push_back({static_cast<std::uint32_t>(party_[j]), c, all_.weight[j]});
            }
        }
        shared_ = add_up(std::move(each));
        by_weight_ = shared_;
        std::stable_sort(by_weight_.begin(), by_weight_.end(),
                         [](const Shared& a, const Shared& b) { return a.weight > b.weight; });
    }
    bool matters(const Shared& each) const {
        return each.weight >= kSharedOfLabel * size_[each.from] ||
               each.weight >= kSharedOfCluster * size_of_cluster(each.to);
    }

    std::size_t find(std::size_t p) {
        while (above_[p] != p) p = above_[p] = above_[above_[p]];
        return p;
    }
    void make_groups() {
        above_.resize(size_.size());
        std::iota(above_.begin(), above_.end(), std::size_t{0});
        for (const Shared& each : shared_) {
            if (!is_label(each.from) || !matters(each)) continue;
            const std::size_t a = find(each.from), b = find(n_before_ + each.to);
            above_[std::max(a, b)] = std::min(a, b);
        }
        group_.resize(size_.size());
        for (std::size_t p = 0; p < group_.size(); ++p) {
            if (is_label(p) || p >= n_before_) group_[find(p)].push_back(p);
        }
    }

    void decide_group(std::size_t g) {
        PendingChange change;
        std::vector<std::size_t> clusters;
        for (const std::size_t p : group_[g]) {
            if (is_label(p)) {
                change.labels.push_back(used_[p]);
            } else {
                clusters.push_back(p - n_before_);
            }
        }
        change.n_clusters = static_cast<std::uint32_t>(clusters.size());
        const bool is_heir = change.labels.size() == 1 && clusters.size() == 1;
        if (change.labels.empty()) {
            bear(clusters[0]);
        } else if (is_heir && !comes_from_afar_[clusters[0]]) {
            label_[clusters[0]] = change.labels[0];
        } else if (is_seen_often(change)) {
            next_.is_believed = true;
            hand_over(g, change.labels, clusters);
        } else {
            for (const std::size_t p : group_[g]) is_open_[p] = 1;
            next_.expected.changes.push_back(std::move(change));
        }
    }

    // One cluster, and new: it has a label, or is an embryo.
    void bear(std::size_t c) {
        Embryo mine{0, size_of_cluster(c)};
        for (const Shared& each : shared_) {
            if (each.to != c || is_label(each.from) || !matters(each)) continue;
            const Embryo& known = expected_.embryos[each.from - used_.size()];
            if (known.n_seen > mine.n_seen) mine = known;
        }
        // Rows of noise that happen to lie together fade: a cluster has others come.
        const bool has_grown = size_of_cluster(c) >= std::max(mine.first_size, least_new_);
        mine.n_seen = std::min(mine.n_seen + 1, kBirthSeen);
        if (mine.n_seen >= kBirthSeen && has_grown) {
            label_[c] = static_cast<std::uint32_t>(next_.n_labels++);
            next_.is_believed = true;
        } else {
            Buffer<Embryo>& embryos = next_.expected.embryos;
            embryo_[c] = static_cast<std::uint32_t>(embryos.size());
            embryos.reserve(embryos.size() + 1);
            embryos.push(mine);
        }
    }

    // Counts the readings in a row in which the change was seen. Returns whether they are enough.
    bool is_seen_often(PendingChange& change) const {
        for (const PendingChange& known : expected_.changes) {
            if (known.labels == change.labels && known.n_clusters == change.n_clusters) {
                change.n_seen = known.n_seen;
            }
        }
        const bool is_merger = change.n_clusters > 0 && change.n_clusters < change.labels.size();
        return ++change.n_seen >= (is_merger ? kMergerSeen : kChangeSeen);
    }

    // Clusters take over the labels of a group, those that share most first; others get new ones.
    void hand_over(std::size_t g, const std::vector<std::uint32_t>& labels,
                   const std::vector<std::size_t>& clusters) {
        std::vector<std::uint8_t> is_taken(labels.size(), 0);
        for (const Shared& each : by_weight_) {
            if (!is_label(each.from) || find(each.from) != g) continue;
            const auto at = std::lower_bound(labels.begin(), labels.end(), used_[each.from]);
            std::uint8_t& mine = is_taken[static_cast<std::size_t>(at - labels.begin())];
            if (mine || label_[each.to] != kNoLabel || find(n_before_ + each.to) != g) continue;
            label_[each.to] = used_[each.from];
            mine = 1;
        }
        for (const std::size_t c : clusters) {
            if (label_[c] != kNoLabel || size_of_cluster(c) < least_new_) continue;
            label_[c] = static_cast<std::uint32_t>(next_.n_labels++);
        }
    }

    // Until a change is believed labels stay, also those of categories that no reading has seen.
    bool stays(std::size_t j) const {
        if (all_.before[j] != kNoLabel) return is_open_[party_[j]] != 0;
        const std::uint32_t label = all_.before_unread[j];
        if (label == kNoLabel) return false;
        const std::size_t p = party_of(label);
        return is_label(p) && used_[p] == label && is_open_[p] != 0 &&
               (all_.now[j] < 0 ||
                is_open_[n_before_ + static_cast<std::size_t>(all_.now[j])] != 0);
    }
    void label_categories() {
        next_.label.assign(all_.n, kNoLabel);
        for (std::size_t j = 0; j < all_.n; ++j) {
            if (stays(j)) {
                next_.label[j] = all_.before_unread[j];
            } else if (all_.now[j] >= 0) {
                const auto c = static_cast<std::size_t>(all_.now[j]);
                next_.label[j] = is_open_[n_before_ + c] ? all_.before[j] : label_[c];
                next_.expected.embryo[j] = embryo_[c];
            }
        }
    }

    const LabelledCategories& all_;
    std::size_t n_clusters_;
    double least_new_;
    const std::vector<std::uint8_t>& comes_from_afar_;
    const Expectations& expected_;
    Succession next_;
    std::vector<std::uint32_t> used_;         // labels, ascending
    std::size_t n_before_ = 0;                // parties that were there before: labels and embryos
    std::vector<double> size_;                // of each party
    std::vector<std::size_t> party_;          // of each category
    std::vector<Shared> shared_, by_weight_;  // of parties before and clusters
    std::vector<std::size_t> above_;          // joins parties to groups
    std::vector<std::vector<std::size_t>> group_;  // by its first party
    std::vector<std::uint8_t> is_open_;            // of each party, whether its change is pending
    // Of clusters that have a label now, and of those that may have one soon.
    std::vector<std::uint32_t> label_, embryo_;
};

}  // namespace

Succession succeed(const LabelledCategories& categories, std::size_t n_labels,
                   std::size_t n_clusters, double least_new,
                   const std::vector<std::uint8_t>& comes_from_afar, const Expectations& expected) {
    return Successor(categories, n_labels, n_clusters, least_new, comes_from_afar, expected)
        .decide();
}

}  // namespace resonart
