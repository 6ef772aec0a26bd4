// Every algorithm learns the same rows; a line for each tells a digest of what came out.
//
// Built for other systems by cross.py, and run where there is something to run it: the digests must
// be those of this machine. Rows come from whole numbers alone, so that they are the same bits
// everywhere.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "art/ddvfa.hpp"
#include "art/dvfa.hpp"
#include "art/fuzzy_art.hpp"
#include "art/topo_art.hpp"
#include "base/rows.hpp"
#include "model/learner.hpp"
#include "model/read_labels.hpp"
#include "tuning/vat.hpp"

namespace {

using namespace resonart;

constexpr std::size_t kFeatures = 3, kRows = 3000;

std::vector<double> rows_in_two_bands() {
    std::vector<double> rows(kRows * kFeatures);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double uniform = static_cast<double>(state >> 11) / 9007199254740992.0;
        const bool is_first = i % kFeatures == 0, is_upper = i / kFeatures % 2 == 1;
        rows[i] = is_first ? uniform / 8 + (is_upper ? 0.75 : 0.0) : uniform;
    }
    return rows;
}

Rows view(const std::vector<double>& rows) {
    return Rows::of<double>(rows.data(), kRows, kFeatures, kFeatures * sizeof(double),
                            sizeof(double));
}

class Digest {
public:
    template <class T>
    void add(const T& value) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 1099511628211u;
    }
    void show(const char* name, std::size_t n_clusters) const {
        std::printf("%s %zu %016llx\n", name, n_clusters, static_cast<unsigned long long>(hash_));
    }

private:
    std::uint64_t hash_ = 14695981039346656037u;
};

template <class Art>
void learn(const char* name, const typename Art::Params& params) {
    const std::vector<double> rows = rows_in_two_bands();
    Learner<Art> learner(kFeatures, params);
    std::vector<std::int64_t> labels(kRows);
    Plan plan;
    Poll poll;
    plan.update_at_end = Learner<Art>::kRenames;
    learner.train(view(rows), params, plan, labels.data(), poll);
    Digest digest;
    for (const std::int64_t label : labels) digest.add(label);
    learner.predict(view(rows), true, labels.data(), poll);
    for (const std::int64_t label : labels) digest.add(label);
    const Categories& c = learner.state().art.categories();
    for (std::size_t j = 0; j < c.size(); ++j) {
        for (std::size_t f = 0; f < c.width(); ++f) digest.add(c.weight(j, f));
        digest.add(c.count(j));
        digest.add(c.owner(j));
    }
    digest.show(name, learner.state().art.n_clusters());
}

void order_by_vat() {
    const std::vector<double> rows = rows_in_two_bands();
    Poll poll;
    const VatOrder found = vat_by_tree(Metric::euclidean, rows.data(), kRows, kFeatures, 2, poll);
    Digest digest;
    for (const auto row : found.order) digest.add(row);
    for (const double height : found.height) digest.add(height);
    digest.show("VAT", 0);
}

}  // namespace

int main() {
    FuzzyArtParams fuzzy_art;
    fuzzy_art.set_vigilances(0.9, 0.9);
    learn<FuzzyArt>("FuzzyART", fuzzy_art);
    DvfaParams dvfa;
    dvfa.set_vigilances(0.8, 0.95);
    learn<Dvfa>("DVFA", dvfa);
    DdvfaParams ddvfa;
    ddvfa.set_vigilances(0.7, 0.9);
    learn<Ddvfa>("DDVFA", ddvfa);
    ddvfa.linkage = Linkage::average;
    learn<Ddvfa>("DDVFA, average", ddvfa);
    TopoArtParams topo_art;
    topo_art.set_vigilances(0.9, 0.95);
    learn<TopoArt>("topoART", topo_art);
    DensityArtParams density_art;
    learn<DensityArt>("DensityART", density_art);
    density_art.half_life = 500;
    learn<DensityArt>("DensityART, half-life", density_art);
    order_by_vat();
    return 0;
}
