// Which labels clusters have where rows are forgotten and the tree is read again and again: those
// of the clusters before, of which a border case is not to make others with every reading.
//
// A cluster that is the only one to come of another takes its label over at once. What changes more
// (clusters that fall apart, come together, dissolve into noise or take in what lies apart from
// them) has to be seen in several readings in a row; until then categories keep the labels they
// had. So has a cluster that is new, which must have grown meanwhile: until then its categories are
// noise, and known as an embryo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/label_maps.hpp"

namespace resonart {

// A cluster that may be born: how often it was seen in a row, and how large at first.
struct Embryo {
    std::uint32_t n_seen = 0;
    double first_size = 0.0;
};

// A change that was seen, and is not believed yet.
struct PendingChange {
    std::vector<std::uint32_t> labels;  // that take part, ascending
    std::uint32_t n_clusters = 0;       // that come of them
    std::uint32_t n_seen = 0;           // readings in a row
};

// Of a category that was founded since the last reading. The label it was given is that of a
// category near by: no reading has said that it belongs there.
constexpr std::uint32_t kUnread = kNoLabel - 1;

// What is remembered of readings between them.
struct Expectations {
    std::vector<PendingChange> changes;
    Buffer<std::uint32_t> embryo;  // of each category; kNoLabel: of none, and see kUnread
    Buffer<Embryo> embryos;
};

struct Succession {
    Buffer<std::uint32_t> label;            // of each category
    std::vector<std::uint32_t> of_cluster;  // of each cluster; kNoLabel: none yet
    std::size_t n_labels = 0;
    bool is_believed = false;  // some change was seen often enough
    Expectations expected;
};

// Changes are believed when they are seen so many times in a row; mergers later than others, as
// what has come together may part again.
constexpr std::uint32_t kChangeSeen = 3, kMergerSeen = 5, kBirthSeen = 2;
// A cluster has to do with a label where it has so much of what had the label, or so much of it is
// of that.
constexpr double kSharedOfLabel = 0.2, kSharedOfCluster = 0.5;

// What a cluster takes in may be one of its own that is still small: if it is such a share of the
// cluster, and its mean is so many standard deviations off in some feature.
constexpr double kTakenIn = 0.1, kApart = 4.0;

// Of each cluster, whether much of it that had no label lies apart from what had one.
std::vector<std::uint8_t> taken_from_afar(const std::uint32_t* before, const std::int32_t* now,
                                          const double* weight, const double* mean, std::size_t n,
                                          std::size_t d, std::size_t n_clusters);

// Categories at a reading.
struct LabelledCategories {
    std::size_t n;
    const std::uint32_t* before;         // the label each had; kNoLabel: none
    const std::uint32_t* before_unread;  // the same, with labels that no reading has confirmed
    const std::int32_t* now;             // the cluster each is in; -1: none
    const double* weight;
};

// A cluster gets a new label if it weighs `least_new`; `comes_from_afar`: of each cluster, see
// above.
Succession succeed(const LabelledCategories& categories, std::size_t n_labels,
                   std::size_t n_clusters, double least_new,
                   const std::vector<std::uint8_t>& comes_from_afar, const Expectations& expected);

}  // namespace resonart
