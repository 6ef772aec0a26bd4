// What is seen of candidates: the numbers by which one of them is chosen.
#pragma once

#include <cstddef>
#include <string>

namespace resonart {

// Features of a candidate by itself.
enum Seen : std::size_t {
    kRows,
    kFeatures,
    kClusters,
    kNoiseShare,
    kSizeShare,
    kSamples,
    kKind,
    kScaling,
    kLeastShare,
    kMostShare,
    kSumOfSquares,
    kSmallShare,
    kSilhouette,
    kModularity,
    kKappa,
    kModularity5,
    kKappa5,
    kMedian,
    kNinth,
    kGap,
    kWorstMedian,
    kWorstNinth,
    kWorstGap,
    kPlainMedian,
    kPlainGap,
    kExplained,
    kPeakLeast,
    kPeakSecond,
    kPeakMean,
    kPeakWithin,
    kPeakSingle,
    kPeakCount,
    kReadings,
    kHand,
    // Beside the others of the same rows:
    kAgreement,        // mean agreement with all
    kNearAgreement,    // with the quarter that agrees most
    kGoodAgreement,    // weighted by the others' scores
    kKindAgreement,    // the best with another way of reading
    kViewAgreement,    // the best with another scaling
    kSampleAgreement,  // the four best with another min_samples
    kHandAgreement,    // score times near agreement
    kSeen
};
// Of these it also matters how far below the best of all candidates they are, and at which rank.
constexpr std::size_t kRelative[] = {kSilhouette,    kModularity,    kKappa,         kKappa5,
                                     kMedian,        kGap,           kPlainMedian,   kPlainGap,
                                     kExplained,     kPeakLeast,     kPeakMean,      kPeakWithin,
                                     kAgreement,     kNearAgreement, kGoodAgreement, kHand,
                                     kHandAgreement, kNoiseShare,    kClusters};
constexpr std::size_t kBestOf[] = {kSilhouette, kModularity,    kHand,   kHandAgreement,
                                   kGap,        kNearAgreement, kMedian, kPlainGap};
constexpr std::size_t kNumRelative = sizeof(kRelative) / sizeof(kRelative[0]);
constexpr std::size_t kNumBest = sizeof(kBestOf) / sizeof(kBestOf[0]);
constexpr std::size_t kNumFeatures = kSeen + 2 * kNumRelative + kNumBest;
constexpr std::size_t below_best(std::size_t which) {
    for (std::size_t i = 0; i < kNumRelative; ++i) {
        if (kRelative[i] == which) return kSeen + 2 * i;
    }
    return kNumFeatures;
}
constexpr std::size_t kHandBelowBest = below_best(kHand);
static_assert(kHandBelowBest < kNumFeatures, "the score is one of the relative features");

std::string feature_name(std::size_t which);

}  // namespace resonart
