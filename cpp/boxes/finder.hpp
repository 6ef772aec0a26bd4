// Finds boxes for a sample: the best, the nearest, all that may pass. Through the index where the
// store has one and it is getting somewhere, else by a look at every box.
//
// Both ways give the same: what the index leaves out cannot matter, and what it doesn't is computed
// and compared just as the kernels do it. Only the time differs, and it is kept track of
// (search_costs.hpp). A search of the tree that has cost as much as a look at everything is given
// up.
//
// A sample coded in wider ranges sees boxes as they would be in these (widening.hpp). Its searches
// are no measure of others', and their time is not kept.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/buffer.hpp"
#include "boxes/categories.hpp"
#include "boxes/kernels.hpp"
#include "boxes/search_costs.hpp"
#include "boxes/widening.hpp"

namespace resonart {

class Finder {
public:
    // What searches have shown so far. Kept by whoever wants the next ones to know.
    struct SearchHistory {
        SearchCosts costs;
        std::uint32_t packing = 0;  // of the index they are about
    };
    const SearchHistory& search_history() const { return known_; }
    void set_search_history(const SearchHistory& known) noexcept { known_ = known; }

    // Room for what a search leaves. Before the searches of each sample, if categories were added.
    void prepare(const Categories& c) {
        const std::size_t padded = whole_blocks(c.size());
        rough_.resize_uninitialised(rough_room(padded / kRoughLanes));
        chosen_.resize_uninitialised(padded);
    }

    // What the searches so far have shown, to whoever owns the categories.
    Advice advice(const Categories& c) const noexcept {
        const bool is_known = keeps_costs_ && c.tree() && c.packing() == known_.packing;
        return is_known ? known_.costs.advice(c.nanoseconds_to_pack()) : Advice::none;
    }

    // As the kernel of this name. Boxes of a ratio below `least` need not be found.
    Best best_passing(const Categories& c, const Sample& x, double alpha, double threshold,
                      const std::uint32_t* owner, double least = -1.0) noexcept {
        const StoreView view = c.view(alpha);
        looked_ = false;
        begin(c, x, view);
        const Stopwatch stopwatch(*this);
        if (by_tree_ || x.wider) {
            BestOnes<1> best(c, x, alpha, threshold, owner, least);
            if (by_tree_ && search(c, best)) return best.found[0];
            if (x.wider) {
                looked_ = true;
                look_at_all(c, best);
                return best.found[0];
            }
        }
        looked_ = owner != nullptr && view.can_be_rough();
        add_work(c);
        return kernels().best_passing(x, view, threshold, owner, rough_.data());
    }

    // As the kernel of this name.
    void two_best_passing(const Categories& c, const Sample& x, double alpha, double threshold,
                          Best two[2]) noexcept {
        const StoreView view = c.view(alpha);
        begin(c, x, view);
        const Stopwatch stopwatch(*this);
        if (by_tree_) {
            BestOnes<2> best(c, x, alpha, threshold, nullptr, -1.0);
            if (search(c, best)) {
                two[0] = best.found[0];
                two[1] = best.found[1];
                return;
            }
        }
        add_work(c);
        kernels().two_best_passing(x, view, threshold, rough_.data(), two);
    }

    // As the kernel of this name.
    Best nearest_box(const Categories& c, const Sample& x, double alpha,
                     const std::int64_t* component) noexcept {
        const StoreView view = c.view(alpha);
        begin(c, x, view);
        const Stopwatch stopwatch(*this);
        if (by_tree_ || x.wider) {
            Nearest nearest(c, x, alpha, component);
            if (by_tree_ && search(c, nearest)) return nearest.best;
            if (x.wider) {
                look_at_all(c, nearest);
                return nearest.best;
            }
        }
        add_work(c);
        return kernels().nearest_box(x.x, view, component);
    }

    // Every category, and maybe a few more, with a ratio of at least `ratio`, ascending; returns
    // how many `chosen` holds. After `best_passing` for the same sample with owners, or
    // `look_again`. Only where `can_be_rough`.
    std::size_t select(const Categories& c, const Sample& x, double alpha, double ratio) noexcept {
        const StoreView view = c.view(alpha);
        if (is_new_ || (by_tree_ && !c.tree())) begin(c, x, view);
        const Stopwatch stopwatch(*this);
        if (!looked_ && ratio > 0.0 && by_tree_) {
            Within within(c, x, alpha, ratio, chosen_.data());
            if (search(c, within)) {
                std::sort(chosen_.begin(), chosen_.begin() + within.n);
                return within.n;
            }
        }
        if (x.wider) return select_wider(c, x, alpha, ratio);
        if (!looked_) {
            add_work(c);
            kernels().look(x, view, rough_.data());
        }
        looked_ = true;
        return kernels().select(rough_.data(), view, ratio, chosen_.data());
    }
    void look_again() noexcept {
        looked_ = false;
        is_new_ = true;
    }
    const std::uint32_t* chosen() const { return chosen_.data(); }

    // How many numbers were compared since this was last asked.
    std::size_t take_work() noexcept {
        const std::size_t work = work_;
        work_ = 0;
        return work;
    }
    void add_work(const Categories& c) noexcept { work_ += c.size() * c.width(); }

private:
    // What rounding to floats may take from top - gap, where that is not negative: entries are at
    // most 1, so each of the 2d terms is off by less than 2^-23, and so is, in parts of a gap that
    // is at most d, each addition; the rest is for the operations that follow.
    static float slack(std::size_t width) {
        const auto w = static_cast<double>(width);
        return static_cast<float>(1.2e-7 * w * (w + 2.0) + 1e-6 * (w + 1.0));
    }
    // No more than `a`, whatever rounding does.
    static float below(double a) {
        const auto rounded = static_cast<float>(a);
        return rounded - 1e-6f * std::fabs(rounded) - 1e-30f;
    }

    // Everything, for a start.
    static Reach reach_of(const Categories& c, const Sample& x, double alpha) noexcept {
        const float lowest = -std::numeric_limits<float>::infinity();
        Reach reach = {static_cast<float>(alpha), slack(c.width()), lowest, lowest};
        if (x.wider) {
            reach.alpha = x.wider->alpha(alpha);
            reach.slack = x.wider->slack(reach.slack);
        }
        return reach;
    }

    // The N of highest ratio among those of at least a threshold's overlap. Ties go to the lowest
    // owner, if owners are given, then to the lowest index.
    template <std::size_t N>
    struct BestOnes {
        BestOnes(const Categories& c, const Sample& x, double alpha, double threshold,
                 const std::uint32_t* owner, double least)
            : c_(c), x_(x), alpha_(alpha), threshold_(threshold), owner_(owner) {
            reach_ = reach_of(c, x, alpha);
            if (threshold > 0.0) reach_.overlap = below(threshold);
            if (least > 0.0) reach_.ratio = below(least);
        }

        const Sample& sample() const noexcept { return x_; }
        NodeScan look(const float* node, float* bound) const noexcept {
            return kernels().near_ratio(x_.rough, node, c_.width(), reach_, bound);
        }
        std::int64_t look_at_all(float* bound) const noexcept {
            return kernels().near_wider_ratio(x_.rough, c_.view(alpha_), x_.wider->rough(), reach_,
                                              bound);
        }
        float least() const noexcept { return reach_.ratio; }
        unsigned promising(const float* bound) const noexcept {
            return kernels().promising(bound, reach_.ratio);
        }
        bool visit(std::uint32_t j) noexcept {
            c_.prefetch_beside(j);
            const OverlapAndNorm met = overlap_and_norm(c_, j, x_);
            if (!(met.overlap >= threshold_)) return true;
            offer({j, met.overlap / (alpha_ + met.norm), met.overlap});
            return true;
        }
        void visit_part(std::size_t first, const StoreView& part) noexcept {
            const std::uint32_t* owner = owner_ ? owner_ + first : nullptr;
            Best one = kernels().best_passing(x_, part, threshold_, owner, nullptr);
            if (one.index == kNone) return;
            one.index += static_cast<std::int64_t>(first);
            offer(one);
        }
        double alpha() const noexcept { return alpha_; }

        Best found[N];

    private:
        void offer(Best one) noexcept {
            for (Best& best : found) {
                if (is_better(one, best)) std::swap(one, best);
            }
            const Best& last = found[N - 1];
            if (last.index != kNone && below(last.ratio) > reach_.ratio) {
                reach_.ratio = below(last.ratio);
            }
        }
        bool is_better(const Best& a, const Best& b) const noexcept {
            if (a.index == kNone || b.index == kNone) return b.index == kNone;
            if (a.ratio != b.ratio) return a.ratio > b.ratio;
            if (owner_) {
                const std::uint32_t mine = owner_[a.index], other = owner_[b.index];
                if (mine != other) return mine < other;
            }
            return a.index < b.index;
        }

        const Categories& c_;
        const Sample& x_;
        double alpha_, threshold_;
        const std::uint32_t* owner_;
        Reach reach_;
    };

    // The box of highest 1 - |w - (x ∧ w)|/d, ties to the lowest index.
    struct Nearest {
        Nearest(const Categories& c, const Sample& x, double alpha, const std::int64_t* component)
            : c_(c), x_(x), alpha_(alpha), component_(component), slack_(slack(c.width())) {
            if (!x.wider) return;
            slack_ = x.wider->slack(slack_);
            shared_ = x.wider->added();
        }

        const Sample& sample() const noexcept { return x_; }
        double alpha() const noexcept { return alpha_; }
        NodeScan look(const float* node, float* bound) const noexcept {
            return kernels().near_gap(x_.rough, node, c_.width(), most_, bound);
        }
        std::int64_t look_at_all(float* bound) const noexcept {
            return kernels().near_wider_gap(x_.rough, c_.view(alpha_), x_.wider->rough(), bound);
        }
        float least() const noexcept { return -most_; }
        unsigned promising(const float* bound) const noexcept {
            return kernels().promising(bound, -most_);
        }
        bool visit(std::uint32_t j) noexcept {
            if (component_ && component_[j] < 0) return true;
            const double gap = gap_of(c_, j, x_);
            const double activation = 1.0 - gap / static_cast<double>(c_.n_features());
            offer(static_cast<std::int64_t>(j), activation);
            const float most = static_cast<float>(gap - shared_) * (1.0f + 1e-6f) + slack_;
            if (most < most_) most_ = most;
            return true;
        }
        void visit_part(std::size_t first, const StoreView& part) noexcept {
            const std::int64_t* component = component_ ? component_ + first : nullptr;
            const Best one = kernels().nearest_box(x_.x, part, component);
            if (one.index != kNone) offer(one.index + static_cast<std::int64_t>(first), one.ratio);
        }

        Best best;

    private:
        void offer(std::int64_t index, double activation) noexcept {
            if (best.index == kNone || activation > best.ratio ||
                (activation == best.ratio && index < best.index)) {
                best.index = index;
                best.ratio = activation;
            }
        }

        const Categories& c_;
        const Sample& x_;
        double alpha_;
        const std::int64_t* component_;
        float slack_;
        double shared_ = 0.0;
        float most_ = std::numeric_limits<float>::infinity();
    };

    // All of at least a ratio, unless they are too many.
    struct Within {
        Within(const Categories& c, const Sample& x, double alpha, double ratio,
               std::uint32_t* chosen)
            : c_(c), x_(x), chosen_(chosen), most_(c.size() / 16 + 16) {
            reach_ = reach_of(c, x, alpha);
            reach_.ratio = below(ratio);
        }

        const Sample& sample() const noexcept { return x_; }
        NodeScan look(const float* node, float* bound) const noexcept {
            return kernels().near_ratio(x_.rough, node, c_.width(), reach_, bound);
        }
        static unsigned promising(const float*) noexcept { return ~0u; }
        bool visit(std::uint32_t j) noexcept {
            if (n == most_) return false;
            chosen_[n++] = j;
            return true;
        }

        std::size_t n = 0;

    private:
        const Categories& c_;
        const Sample& x_;
        std::uint32_t* chosen_;
        std::size_t most_;
        Reach reach_;
    };

    // The searches for one sample go one way, so that it is known what either costs.
    void begin(const Categories& c, const Sample& x, const StoreView& view) noexcept {
        is_new_ = by_tree_ = keeps_costs_ = false;
        const Indexing choice = indexing();
        if (!c.tree() || !view.can_be_rough() || choice == Indexing::never) return;
        if (choice == Indexing::always) {
            by_tree_ = true;
            return;
        }
        if (x.wider) {
            by_tree_ = known_.packing != c.packing() || known_.costs.prefers_index();
            return;
        }
        if (known_.packing != c.packing()) {
            known_.costs.restart();
            known_.packing = c.packing();
        }
        keeps_costs_ = true;
        by_tree_ = known_.costs.begin(n_blocks(c), blocks_of_node(c));
    }
    static double n_blocks(const Categories& c) noexcept {
        return static_cast<double>(c.size() / kRoughLanes + 1);
    }
    // A node is read from anywhere in memory, which a look at everything goes through in order; the
    // more features, the less that matters.
    static double blocks_of_node(const Categories& c) noexcept {
        return 2.0 + 16.0 / static_cast<double>(c.width());
    }

    // Of a round that is to be timed.
    class Stopwatch {
    public:
        explicit Stopwatch(Finder& finder) noexcept : finder_(finder) {
            if (is_needed()) start_ = std::chrono::steady_clock::now();
        }
        ~Stopwatch() {
            if (!is_needed()) return;
            const std::chrono::duration<double, std::nano> spent =
                std::chrono::steady_clock::now() - start_;
            finder_.known_.costs.spend(spent.count());
        }
        Stopwatch(const Stopwatch&) = delete;
        Stopwatch& operator=(const Stopwatch&) = delete;

    private:
        bool is_needed() const { return finder_.keeps_costs_ && finder_.known_.costs.is_timed(); }

        Finder& finder_;
        std::chrono::steady_clock::time_point start_;
    };

    // False where it was given up.
    template <class Query>
    bool search(const Categories& c, Query& query) noexcept {
        const BoxTree& tree = *c.tree();
        const bool is_limited = indexing() != Indexing::always;
        const double nodes =
            keeps_costs_ ? known_.costs.most_nodes() : n_blocks(c) / blocks_of_node(c);
        const std::size_t most = is_limited ? static_cast<std::size_t>(std::min(nodes, 1e9)) + 4
                                            : std::numeric_limits<std::size_t>::max();
        left_ = most;
        const bool found = tree.size() == 0 || descend(tree, tree.root(), tree.height(), query);
        const std::size_t n_nodes = most - left_;
        work_ += n_nodes * BoxTree::kEntries * c.width();
        if (keeps_costs_) known_.costs.visit(n_nodes, found);
        return found;
    }

    template <class Query>
    bool descend(const BoxTree& tree, std::uint32_t n, std::size_t level, Query& query) noexcept {
        if (left_ == 0) return false;
        --left_;
        alignas(64) float bound[BoxTree::kEntries];
        tree.prefetch_children(n);
        Widening* const wider = query.sample().wider;
        const float* node = wider ? wider->node(tree.node(n), tree.width()) : tree.node(n);
        const NodeScan near = query.look(node, bound);
        unsigned entries = near.within & ((1u << tree.n_entries(n)) - 1u);
        if (!entries) return true;
        // The most promising first: what it finds may spare the others, and mostly does.
        unsigned next = entries >> near.best & 1u ? near.best : best_of(entries, bound);
        for (;;) {
            const std::uint32_t below = tree.child(n, next);
            if (level == 0 && wider) {  // a box costs about as much as a node
                if (left_ == 0) return false;
                --left_;
            }
            if (!(level == 0 ? query.visit(below) : descend(tree, below, level - 1, query))) {
                return false;
            }
            entries &= ~(1u << next);
            if (!entries) return true;
            entries &= query.promising(bound);
            if (!entries) return true;
            next = best_of(entries, bound);
        }
    }

    // Without the index, for a sample that sees boxes in wider ranges: a rough look at each, then
    // an exact one at those that may matter, or at all where these are many. Bounds of the rough
    // look are left in `rough_`.
    template <class Query>
    void look_at_all(const Categories& c, Query& query) noexcept {
        add_work(c);
        const std::int64_t best = query.look_at_all(rough_.data());
        if (best == kNone) return;
        query.visit(static_cast<std::uint32_t>(best));
        const std::size_t n =
            kernels().choose(rough_.data(), c.size(), query.least(), chosen_.data());
        if (n <= c.size() / 32 + 64) {
            for (std::size_t i = 0; i < n; ++i) {
                if (rough_[chosen_[i]] >= query.least()) query.visit(chosen_[i]);
            }
            return;
        }
        add_work(c);
        for_each_part(
            c, query.sample(), query.alpha(),
            [&](std::size_t first, const StoreView& part) { query.visit_part(first, part); });
    }

    // As `select`, from all boxes in wider ranges.
    std::size_t select_wider(const Categories& c, const Sample& x, double alpha,
                             double ratio) noexcept {
        if (!looked_) {
            add_work(c);
            kernels().near_wider_ratio(x.rough, c.view(alpha), x.wider->rough(),
                                       reach_of(c, x, alpha), rough_.data());
        }
        looked_ = true;
        return kernels().choose(rough_.data(), c.size(), below(ratio), chosen_.data());
    }

    static unsigned best_of(unsigned entries, const float* bound) noexcept {
        unsigned best = first_of(entries);
        for (unsigned rest = entries & (entries - 1); rest; rest &= rest - 1) {
            const unsigned other = first_of(rest);
            if (bound[other] > bound[best]) best = other;
        }
        return best;
    }

    Buffer<float> rough_;
    Buffer<std::uint32_t> chosen_;
    bool looked_ = false;   // `rough_` holds overlaps of the sample at hand
    std::size_t left_ = 0;  // nodes until the search is given up
    std::size_t work_ = 0;
    SearchHistory known_;
    bool is_new_ = true;  // the next search is the first for its sample
    bool by_tree_ = false;
    bool keeps_costs_ = false;
};

// Work space of whoever has one store to search.
struct FinderSpace {
    Finder finder;
    std::size_t take_work() noexcept { return finder.take_work(); }

    using SearchHistory = Finder::SearchHistory;
    SearchHistory search_history() const { return finder.search_history(); }
    void set_search_history(const SearchHistory& known) noexcept {
        finder.set_search_history(known);
    }
};

}  // namespace resonart
