// Fuzzy topoART (section 2.2): two modules of fuzzy ART whose two best categories learn a sample
// together and are linked; clusters are what the links connect.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "art/linkage.hpp"
#include "art/params.hpp"
#include "art/recognition.hpp"
#include "base/journal.hpp"
#include "boxes/categories.hpp"
#include "boxes/finder.hpp"

namespace resonart {

// Pairs of categories, each once, in order of first appearance; found again through a hash table.
// Adding needs room reserved before.
class Edges {
public:
    std::size_t size() const { return pairs_.size(); }
    std::uint32_t first(std::size_t e) const { return static_cast<std::uint32_t>(pairs_[e] >> 32); }
    std::uint32_t second(std::size_t e) const { return static_cast<std::uint32_t>(pairs_[e]); }

    void reserve_more(std::size_t n) {
        pairs_.reserve(pairs_.size() + n);
        if ((pairs_.size() + n) * 2 <= table_.size()) return;
        std::size_t slots = 64;
        while (slots < (pairs_.size() + n) * 4) slots *= 2;
        Buffer<std::uint64_t> table;
        table.assign(slots, kEmpty);
        table_ = std::move(table);
        for (std::size_t e = 0; e < pairs_.size(); ++e) claim(pairs_[e]);
    }

    // Undo, as journal.hpp says.
    void note_changes() { journal_.begin(size()); }
    void forget_changes() noexcept { journal_.end(); }
    void undo_changes() {
        if (!journal_.is_kept()) return;
        const std::size_t n = journal_.size_before();
        std::size_t first = n;  // those from here on are others now
        for (std::size_t i = 0; i < journal_.size(); ++i) {
            first = std::min(first, journal_.which(i));
        }
        for (std::size_t e = first; e < size(); ++e) release(pairs_[e]);
        pairs_.resize_uninitialised(n);
        for (std::size_t i = 0; i < journal_.size(); ++i) {
            pairs_[journal_.which(i)] = journal_.value(i);
        }
        for (std::size_t e = first; e < n; ++e) claim(pairs_[e]);
        journal_.end();
    }
    // Room for notes of so many; throws std::bad_alloc, changing nothing.
    void reserve_notes(std::size_t n) { journal_.reserve_more(n); }

    // Whether it is new.
    bool add(std::uint32_t i, std::uint32_t j) noexcept {
        const std::uint64_t pair = i < j ? join(i, j) : join(j, i);
        if (!claim(pair)) return false;
        pairs_.push(pair);
        return true;
    }

    // Categories from `from` on get new numbers, or kGone: then their edges go, too. The first
    // `kept` edges are between others. Where changes are noted, needs `reserve_notes` for the rest.
    static constexpr std::uint32_t kGone = 0xffffffffu;
    void renumber(std::size_t kept, std::uint32_t from, const std::uint32_t* number) noexcept {
        const auto now = [&](std::uint32_t j) { return j < from ? j : number[j]; };
        for (std::size_t e = kept; e < pairs_.size(); ++e) journal_.note(e, pairs_[e]);
        for (std::size_t e = kept; e < pairs_.size(); ++e) release(pairs_[e]);
        for (std::size_t e = kept; e < pairs_.size(); ++e) {
            const std::uint32_t i = now(first(e)), j = now(second(e));
            if (i == kGone || j == kGone) continue;
            pairs_[kept] = join(i, j);
            claim(pairs_[kept++]);
        }
        pairs_.shrink(kept);
    }

private:
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

    static std::uint64_t join(std::uint32_t i, std::uint32_t j) {
        return static_cast<std::uint64_t>(i) << 32 | j;
    }
    std::size_t mask() const { return table_.size() - 1; }
    // Salted, so that no file can hold pairs that all have the same place.
    std::size_t home(std::uint64_t pair) const {
        std::uint64_t mixed = (pair ^ salt_) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
        return static_cast<std::size_t>(mixed ^ mixed >> 32) & mask();
    }
    static std::uint64_t salt() {
        static const std::uint64_t once = []() noexcept -> std::uint64_t {
            try {
                std::random_device random;
                return static_cast<std::uint64_t>(random()) << 32 | random();
            } catch (...) {  // a machine without chance
                return 0;
            }
        }();
        return once;
    }
    // Takes the pair's place in the table; false where it is there already.
    bool claim(std::uint64_t pair) noexcept {
        std::size_t slot = home(pair);
        for (; table_[slot] != kEmpty; slot = (slot + 1) & mask()) {
            if (table_[slot] == pair) return false;
        }
        table_[slot] = pair;
        return true;
    }
    // Leaves it; whoever was pushed beyond it by others moves up, to be found again.
    void release(std::uint64_t pair) noexcept {
        std::size_t hole = home(pair);
        while (table_[hole] != pair) hole = (hole + 1) & mask();
        for (std::size_t slot = (hole + 1) & mask(); table_[slot] != kEmpty;
             slot = (slot + 1) & mask()) {
            if (((slot - home(table_[slot])) & mask()) < ((slot - hole) & mask())) continue;
            table_[hole] = table_[slot];
            hole = slot;
        }
        table_[hole] = kEmpty;
    }

    std::uint64_t salt_ = salt();
    Buffer<std::uint64_t> pairs_, table_;
    Journal<std::uint64_t> journal_;
};

// What a module needs room for while it works.
struct TopoWorkspace {
    Finder finder;
    Buffer<double> gap;  // of each category, where all are looked at
    Buffer<std::uint32_t> number;
    Buffer<std::int64_t> component;  // of each category; -1 for candidates
    // Of which links and how many categories the components are known.
    std::uint64_t stamp = 0;
    std::size_t n_known = 0, n_components = 0;
    // Another one that knows them and outlives this one.
    const TopoWorkspace* shared = nullptr;
    const TopoWorkspace& known() const { return shared ? *shared : *this; }
};

// Another number each time: modules of the same stamp have the same components.
inline std::uint64_t new_stamp() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

class TopoModule {
public:
    using Params = TopoArtParams;

    TopoModule() = default;
    explicit TopoModule(std::size_t n_features) : categories_(n_features) {}

    const Categories& categories() const { return categories_; }
    const Edges& edges() const { return edges_; }
    std::int64_t steps() const { return progress_->steps; }
    bool is_permanent(std::size_t j, const Params& params) const {
        return categories_.count(j) >= params.phi;
    }

    void do_without_index() noexcept { categories_.do_without_index(); }
    // Others are permanent when φ changes.
    void forget_components() noexcept { stamp_ = new_stamp(); }
    void reserve_one(const Params& params) {
        categories_.reserve(categories_.size() + 1);
        edges_.reserve_more(1);
        if (!ends_cycle(params) && !is_full(params)) return;
        // Candidates may go, and all that may move up is noted.
        const auto [n_kept, n_kept_edges] = settled(params);
        categories_.reserve_notes(categories_.size() - n_kept + Categories::kMostRewritten);
        edges_.reserve_notes(edges_.size() - n_kept_edges);
    }

    // Undo, as journal.hpp says.
    void note_changes() {
        categories_.note_changes();
        edges_.note_changes();
        progress_.note_changes();
    }
    void undo_changes() {
        categories_.undo_changes();
        edges_.undo_changes();
        progress_.undo_changes();
        stamp_ = new_stamp();
    }
    void forget_changes() noexcept {
        categories_.forget_changes();
        edges_.forget_changes();
        progress_.forget_changes();
    }
    // Room for one category more than there are: one may be made before the room is used.
    void prepare(TopoWorkspace& ws) const {
        const std::size_t k = whole_blocks(categories_.size() + 1);
        ws.finder.prepare(categories_);
        ws.number.resize_uninitialised(k);
        ws.component.resize_uninitialised(k);
    }

    // The two best of those that pass, by the weights as they are when the sample comes.
    struct Choice {
        std::int64_t first = kNone, second = kNone;
        double match = kAnyVigilance;  // the lower of those that resonated
    };
    double threshold(double rho) const {
        return rho * static_cast<double>(categories_.n_features());
    }

    Choice choose(const Sample& x, double rho, const Params& params,
                  TopoWorkspace& ws) const noexcept {
        Best two[2];
        ws.finder.two_best_passing(categories_, x, params.alpha, threshold(rho), two);
        Choice choice;
        choice.first = two[0].index;
        choice.second = two[1].index;
        for (const Best& best : two) {
            if (best.index != kNone && best.overlap < choice.match) choice.match = best.overlap;
        }
        return choice;
    }

    // Whether the category that takes the sample will then be permanent.
    bool makes_permanent(const Choice& choice, const Params& params) const noexcept {
        const std::int64_t before =
            choice.first == kNone ? 0 : categories_.count(static_cast<std::size_t>(choice.first));
        return before + 1 >= params.phi;
    }

    // One step of learning.
    void take(const Sample& x, const Choice& choice, const Params& params,
              TopoWorkspace& ws) noexcept {
        categories_.follow_advice(ws.finder.advice(categories_));
        if (choice.first == kNone) {
            categories_.append(x.x, 1, 0);
        } else {
            const auto best = static_cast<std::size_t>(choice.first);
            learn(best, x, 1.0, params);
            if (choice.second != kNone) {
                const auto other = static_cast<std::size_t>(choice.second);
                learn(other, x, params.beta_sbm, params);
                if (edges_.add(static_cast<std::uint32_t>(best),
                               static_cast<std::uint32_t>(other)) &&
                    may_join(best, other, params, ws)) {
                    stamp_ = new_stamp();
                }
            }
        }
        const bool ends = ends_cycle(params);
        ++progress_->steps;
        if (ends) remove_candidates(params, ws);
    }

    bool is_full(const Params& params) const { return params.is_full(categories_.size()); }

    // Whether the bound lets the module do what it has chosen. Before it refuses a sample, it
    // drops its candidates, as it does every τ steps: those that are left need not be looked at
    // again, so this costs no more than making them did.
    bool makes_room(const Choice& choice, const Params& params, TopoWorkspace& ws) noexcept {
        if (choice.first != kNone || !is_full(params)) return true;
        remove_candidates(params, ws);
        return !is_full(params);
    }

    // Categories of the components that `goes` names go, with all their links; the other components
    // close up in order. Needs `find_components`.
    void remove_components(const std::vector<std::uint8_t>& goes, TopoWorkspace& ws) noexcept {
        remove(0, 0, ws, [&](std::size_t j) {
            return ws.component[j] >= 0 && goes[static_cast<std::size_t>(ws.component[j])];
        });
        progress_->settled = Settled();
    }

    // Connected components of the permanent categories, numbered by the lowest they hold. Returns
    // how many there are.
    std::size_t find_components(const Params& params, TopoWorkspace& ws) const noexcept {
        if (ws.shared) return ws.shared->n_components;
        if (ws.stamp != stamp_ || ws.n_known > categories_.size()) {
            ws.n_components = recompute_components(params, ws);
            ws.stamp = stamp_;
        } else {
            // What came since has no links yet.
            for (std::size_t j = ws.n_known; j < categories_.size(); ++j) {
                ws.component[j] =
                    is_permanent(j, params) ? static_cast<std::int64_t>(ws.n_components++) : -1;
            }
        }
        ws.n_known = categories_.size();
        return ws.n_components;
    }

    // What another workspace knows of the components, if that still holds; nobody may change it,
    // nor the module, as long as `ws` is used.
    void recall_components(const TopoWorkspace& known, TopoWorkspace& ws) const noexcept {
        if (known.stamp == stamp_ && known.n_known == categories_.size()) ws.shared = &known;
    }

    // The component of the category with the highest size-independent activation,
    // 1 - |(x ∧ w) - w| / d, among the permanent ones, or of all; -1 if it is a candidate or there
    // is none. `activation` receives its value. Needs `find_components`.
    std::int64_t cluster_of(const Sample& x, bool permanent_only, double alpha, TopoWorkspace& ws,
                            double& activation) const noexcept {
        const std::int64_t* component = ws.known().component.data();
        const Best best =
            ws.finder.nearest_box(categories_, x, alpha, permanent_only ? component : nullptr);
        activation = best.index == kNone ? 0.0 : best.ratio;
        return best.index == kNone ? -1 : component[best.index];
    }

    // The highest such activation of each component. Needs `find_components`.
    void activations(const Sample& x, double alpha, TopoWorkspace& ws,
                     double* activation) const noexcept {
        const auto d = static_cast<double>(categories_.n_features());
        ws.finder.add_work(categories_);
        for_each_part(categories_, x, alpha, [&](std::size_t first, const StoreView& part) {
            kernels().gaps(x.x, part, ws.gap.data() + first);
        });
        const TopoWorkspace& known = ws.known();
        for (std::size_t m = 0; m < known.n_components; ++m) {
            activation[m] = linkages::Single::start();
        }
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            if (known.component[j] < 0) continue;
            double& highest = activation[known.component[j]];
            highest = linkages::Single::add(highest, 1.0 - ws.gap[j] / d);
        }
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        categories_.transform(change);
    }

    // Takes over what was learned elsewhere; pairs are categories of edges, two by two.
    void adopt(Categories&& categories, const std::int64_t* pairs, std::size_t n_edges,
               std::int64_t steps) {
        Edges edges;
        edges.reserve_more(n_edges);
        for (std::size_t e = 0; e < n_edges; ++e) {
            edges.add(static_cast<std::uint32_t>(pairs[2 * e]),
                      static_cast<std::uint32_t>(pairs[2 * e + 1]));
        }
        categories.reserve(categories.size());  // and an index, where it pays
        categories_ = std::move(categories);
        edges_ = std::move(edges);
        *progress_ = Progress();
        progress_->steps = steps;
        stamp_ = new_stamp();
    }

private:
    // Whether a new link may change the components: not if one side is a candidate, nor if both are
    // known to be of the same one.
    bool may_join(std::size_t i, std::size_t j, const Params& params,
                  const TopoWorkspace& ws) const noexcept {
        if (!is_permanent(i, params) || !is_permanent(j, params)) return false;
        const bool are_known = ws.stamp == stamp_ && i < ws.n_known && j < ws.n_known;
        return !are_known || ws.component[i] != ws.component[j];
    }

    // A category that becomes permanent brings its links into force.
    void learn(std::size_t j, const Sample& x, double beta, const Params& params) noexcept {
        categories_.learn(j, x.x, beta, 1);
        if (categories_.count(j) == params.phi) stamp_ = new_stamp();
    }

    std::size_t recompute_components(const Params& params, TopoWorkspace& ws) const noexcept {
        // Each points at one before it in its component, or at itself.
        std::uint32_t* lead = ws.number.data();
        const auto leader = [&](std::uint32_t j) {
            while (lead[j] != j) j = lead[j] = lead[lead[j]];
            return j;
        };
        for (std::size_t j = 0; j < categories_.size(); ++j)
            lead[j] = static_cast<std::uint32_t>(j);
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const std::uint32_t i = edges_.first(e), j = edges_.second(e);
            if (!is_permanent(i, params) || !is_permanent(j, params)) continue;
            const std::uint32_t a = leader(i), b = leader(j);
            if (a < b) lead[b] = a;
            if (b < a) lead[a] = b;
        }
        std::int64_t n = 0;
        for (std::size_t j = 0; j < categories_.size(); ++j) {
            const std::uint32_t first = leader(static_cast<std::uint32_t>(j));
            ws.component[j] = !is_permanent(j, params) ? -1
                              : first == j             ? n++
                                                       : ws.component[first];
        }
        return static_cast<std::size_t>(n);
    }

    // How many categories and edges the last removal has left. Those that were permanent then still
    // are, unless φ has been raised since.
    struct Settled {
        std::size_t n_categories = 0, n_edges = 0;
    };
    Settled settled(const Params& params) const noexcept {
        return params.phi <= progress_->settled_phi ? progress_->settled : Settled();
    }
    // Whether the next step is the last of τ.
    bool ends_cycle(const Params& params) const noexcept { return (steps() + 1) % params.tau == 0; }

    // Categories from `first` on for which goes(j) holds go, and their links, which are none of the
    // first `first_edge`.
    template <class Goes>
    void remove(std::size_t first, std::size_t first_edge, TopoWorkspace& ws,
                Goes&& goes) noexcept {
        auto next = static_cast<std::uint32_t>(first);
        for (std::size_t j = first; j < categories_.size(); ++j) {
            ws.number[j] = goes(j) ? Edges::kGone : next++;
        }
        if (next == categories_.size()) return;
        edges_.renumber(first_edge, static_cast<std::uint32_t>(first), ws.number.data());
        categories_.keep_if(first, [&](std::size_t j) { return ws.number[j] != Edges::kGone; });
        stamp_ = new_stamp();
    }

    void remove_candidates(const Params& params, TopoWorkspace& ws) noexcept {
        const Settled before = settled(params);
        remove(before.n_categories, before.n_edges, ws,
               [&](std::size_t j) { return !is_permanent(j, params); });
        progress_->settled = {categories_.size(), edges_.size()};
        progress_->settled_phi = params.phi;
    }

    Categories categories_;
    Edges edges_;
    std::uint64_t stamp_ = new_stamp();  // of edges and of who is permanent
    struct Progress {
        std::int64_t steps = 0;
        Settled settled;  // at the last removal, by this φ
        std::int64_t settled_phi = 0;
    };
    Undoable<Progress> progress_;
};

// Module A decides which samples module B sees; B, the stricter, gives the clusters.
class TopoArt {
public:
    using Params = TopoArtParams;
    static constexpr bool kMerges = false;
    static constexpr bool kLabelsLater = true;
    static constexpr bool kRereads = false;
    static constexpr bool kCategoryIsCluster = false;

    TopoArt() = default;
    TopoArt(std::size_t n_features, const Params& params) : a_(n_features), b_(n_features) {
        configure(params);
    }

    void configure(const Params& params) {
        if (params.phi != params_.phi) {
            a_.forget_components();
            b_.forget_components();
        }
        params_ = params;
    }
    const Params& params() const { return params_; }

    const TopoModule& a() const { return a_; }
    const TopoModule& b() const { return b_; }
    const Categories& categories() const { return a_.categories(); }
    std::size_t n_clusters() const {
        TopoWorkspace ws;
        b_.prepare(ws);
        return b_.find_components(params_, ws);
    }

    struct Workspace {
        TopoWorkspace a, b;
        std::size_t take_work() noexcept { return a.finder.take_work() + b.finder.take_work(); }

        struct SearchHistory {
            Finder::SearchHistory a, b;
        };
        SearchHistory search_history() const {
            return {a.finder.search_history(), b.finder.search_history()};
        }
        void set_search_history(const SearchHistory& known) noexcept {
            a.finder.set_search_history(known.a);
            b.finder.set_search_history(known.b);
        }
    };
    void prepare(Workspace& ws) const {
        a_.prepare(ws.a);
        b_.prepare(ws.b);
    }
    void reserve_one() {
        a_.reserve_one(params_);
        b_.reserve_one(params_);
    }

    // Undo, as journal.hpp says.
    void note_changes() {
        a_.note_changes();
        b_.note_changes();
    }
    void undo_changes() {
        a_.undo_changes();
        b_.undo_changes();
    }
    void forget_changes() noexcept {
        a_.forget_changes();
        b_.forget_changes();
    }

    // What both modules do with a sample; the matches are those that resonated in A and in B.
    struct Choice {
        TopoModule::Choice a, b;
        bool reaches_b = false;
        double match_lb = kAnyVigilance, match_ub = kAnyVigilance;
    };
    double threshold_lb(double rho) const { return a_.threshold(rho); }
    double threshold_ub(double rho) const { return b_.threshold(rho); }

    // `match` receives what `recognise` says of the sample, where it is wanted: that knows neither
    // vigilance nor module A, and is a search of its own.
    Choice choose(const Sample& x, double, Workspace& ws, double* match = nullptr) const noexcept {
        if (match) *match = recognise(x, ws).match;
        Choice choice;
        choice.a = a_.choose(x, params_.rho_a, params_, ws.a);
        choice.match_lb = choice.a.match;
        choice.reaches_b = a_.makes_permanent(choice.a, params_);
        if (choice.reaches_b) {
            choice.b = b_.choose(x, params_.rho_b, params_, ws.b);
            choice.match_ub = choice.b.match;
        }
        return choice;
    }

    // The label is asked for afterwards.
    std::uint32_t take(const Sample& x, const Choice& choice, Workspace& ws) noexcept {
        a_.take(x, choice.a, params_, ws.a);
        if (choice.reaches_b) b_.take(x, choice.b, params_, ws.b);
        return 0;
    }

    std::uint32_t learn(const Sample& x, Workspace& ws, double* match = nullptr) noexcept {
        return take(x, choose(x, kAnyMatch, ws, match), ws);
    }

    bool is_full() const { return a_.is_full(params_) || b_.is_full(params_); }

    // The same under the bound, which holds for each module; false if one has refused the sample.
    // What A has not taken B does not see.
    bool learn_if_room(const Sample& x, Workspace& ws, double* match = nullptr) noexcept {
        const Choice choice = choose(x, kAnyMatch, ws, match);
        if (!a_.makes_room(choice.a, params_, ws.a)) return false;
        a_.take(x, choice.a, params_, ws.a);
        if (!choice.reaches_b) return true;
        if (!b_.makes_room(choice.b, params_, ws.b)) return false;
        b_.take(x, choice.b, params_, ws.b);
        return true;
    }

    void do_without_index() noexcept {
        a_.do_without_index();
        b_.do_without_index();
    }

    // Clusters are components of B. A keeps what it has: rows like those of a cluster that has gone
    // still reach B, and may found it again. Needs `find_components`.
    void remove_clusters(const std::vector<std::uint8_t>& goes, Workspace& ws) noexcept {
        b_.remove_components(goes, ws.b);
    }

    // Returns how many there are in B: clusters.
    std::size_t find_components(Workspace& ws) const noexcept {
        a_.find_components(params_, ws.a);
        return b_.find_components(params_, ws.b);
    }

    void recall_components(const Workspace& known, Workspace& ws) const noexcept {
        a_.recall_components(known.a, ws.a);
        b_.recall_components(known.b, ws.b);
    }

    std::int64_t cluster_of(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        double activation;
        return b_.cluster_of(x, nearest, params_.alpha, ws.b, activation);
    }
    std::int64_t cluster_in_a(const Sample& x, bool nearest, Workspace& ws) const noexcept {
        double activation;
        return a_.cluster_of(x, nearest, params_.alpha, ws.a, activation);
    }
    Recognition recognise(const Sample& x, Workspace& ws) const noexcept {
        Recognition seen;
        const std::int64_t cluster = b_.cluster_of(x, true, params_.alpha, ws.b, seen.match);
        seen.resonated = cluster >= 0;
        seen.cluster = static_cast<std::uint32_t>(seen.resonated ? cluster : 0);
        return seen;
    }

    // Match of each cluster: the highest activation in B. Needs `prepare_matches` and
    // `find_components`.
    void prepare_matches(Workspace& ws) const {
        ws.b.gap.resize_uninitialised(whole_blocks(b_.categories().size()));
    }
    void matches(const Sample& x, Workspace& ws, double* match) const noexcept {
        b_.activations(x, params_.alpha, ws.b, match);
    }

    template <class Change>
    void transform(Change&& change) noexcept {
        a_.transform(change);
        b_.transform(change);
    }

    bool same_weights(const TopoArt& other) const {
        return a_.categories().same_weights(other.a_.categories()) &&
               b_.categories().same_weights(other.b_.categories());
    }

    void adopt(TopoModule&& a, TopoModule&& b) noexcept {
        a_ = std::move(a);
        b_ = std::move(b);
    }

private:
    TopoModule a_, b_;
    Params params_;
};

}  // namespace resonart
