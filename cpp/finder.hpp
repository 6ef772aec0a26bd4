// Finds boxes for a sample: the best, the nearest, all that may pass. Through the index where the
// store has one and it is getting somewhere, else by a look at every box.
//
// Both ways give the same: what the index leaves out cannot matter, and what it doesn't is computed
// and compared just as the kernels do it. Only the time differs, and books are kept of it: a search
// of the tree that has cost half of a look at everything is given up, and where the tree has lost
// more than it saved it is left alone for a while, ever longer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "buffer.hpp"
#include "categories.hpp"
#include "kernels.hpp"

namespace resonart {

class Finder {
public:
    // Room for what a search leaves. Before the searches of each sample, if categories were added.
    void prepare(const Categories& c) {
        const std::size_t padded = whole_blocks(c.size());
        rough_.resize_uninitialised(rough_room(padded / kRoughLanes));
        chosen_.resize_uninitialised(padded);
    }

    // Said once: the index has not paid for long, and whoever owns the categories had better drop
    // it.
    bool gives_up() noexcept {
        if (pause_ < kLongestPause) return false;
        pause_ = n_paused_ = 0;
        return true;
    }

    // As the kernel of this name. Boxes of a ratio below `least` need not be found.
    Best best_passing(const Categories& c, const Sample& x, double alpha, double threshold,
                      const std::uint32_t* owner, double least = -1.0) noexcept {
        const StoreView view = c.view(alpha);
        looked_ = false;
        if (wants_tree(c, view)) {
            BestOnes<1> best(c, x, alpha, threshold, owner, least);
            if (search(c, best)) return best.found[0];
        }
        looked_ = owner != nullptr && view.can_be_rough();
        add_work(c);
        return kernels().best_passing(x, view, threshold, owner, rough_.data());
    }

    // As the kernel of this name.
    void two_best_passing(const Categories& c, const Sample& x, double alpha, double threshold,
                          Best two[2]) noexcept {
        const StoreView view = c.view(alpha);
        if (wants_tree(c, view)) {
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
        if (wants_tree(c, view)) {
            Nearest nearest(c, x, component);
            if (search(c, nearest)) return nearest.best;
        }
        add_work(c);
        return kernels().nearest_box(x.x, view, component);
    }

    // Every category, and maybe a few more, with a ratio of at least `ratio`, ascending; returns
    // how many `chosen` holds. After `best_passing` for the same sample with owners, or
    // `look_anew`. Only where `can_be_rough`.
    std::size_t select(const Categories& c, const Sample& x, double alpha, double ratio) noexcept {
        const StoreView view = c.view(alpha);
        if (!looked_ && ratio > 0.0 && wants_tree(c, view)) {
            Within within(c, x, alpha, ratio, chosen_.data());
            if (search(c, within)) {
                std::sort(chosen_.begin(), chosen_.begin() + within.n);
                return within.n;
            }
        }
        if (!looked_) {
            add_work(c);
            kernels().look(x, view, rough_.data());
        }
        looked_ = true;
        return kernels().select(rough_.data(), view, ratio, chosen_.data());
    }
    void look_anew() noexcept { looked_ = false; }
    const std::uint32_t* chosen() const { return chosen_.data(); }

    // How many numbers were compared since this was last asked.
    std::size_t take_work() noexcept {
        const std::size_t work = work_;
        work_ = 0;
        return work;
    }
    void add_work(const Categories& c) noexcept { work_ += c.size() * c.width(); }

private:
    static constexpr unsigned kLongestPause = 1024;
    static constexpr std::int64_t kMostCredit = 8;  // looks at everything

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

    static float lowest() { return -std::numeric_limits<float>::infinity(); }

    // The N of highest ratio among those of at least a threshold's overlap. Ties go to the lowest
    // owner, if owners are given, then to the lowest index.
    template <std::size_t N>
    struct BestOnes {
        BestOnes(const Categories& c, const Sample& x, double alpha, double threshold,
                 const std::uint32_t* owner, double least)
            : c_(c), x_(x), alpha_(alpha), threshold_(threshold), owner_(owner) {
            reach_.alpha = static_cast<float>(alpha);
            reach_.slack = slack(c.width());
            reach_.overlap = threshold > 0.0 ? below(threshold) : lowest();
            reach_.ratio = least > 0.0 ? below(least) : lowest();
        }

        Glance look(const float* node, float* bound) const noexcept {
            return kernels().near_ratio(x_.rough, node, c_.width(), reach_, bound);
        }
        unsigned promising(const float* bound) const noexcept {
            return kernels().promising(bound, reach_.ratio);
        }
        bool visit(std::uint32_t j) noexcept {
            c_.prefetch_beside(j);
            const double overlap = c_.overlap(j, x_.x);
            if (!(overlap >= threshold_)) return true;
            Best one;
            one.index = j;
            one.ratio = overlap / (alpha_ + c_.norm(j));
            one.overlap = overlap;
            for (Best& best : found) {
                if (is_better(one, best)) std::swap(one, best);
            }
            const Best& last = found[N - 1];
            if (last.index != kNone && below(last.ratio) > reach_.ratio) {
                reach_.ratio = below(last.ratio);
            }
            return true;
        }

        Best found[N];

    private:
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
        Nearest(const Categories& c, const Sample& x, const std::int64_t* component)
            : c_(c), x_(x), component_(component), slack_(slack(c.width())) {}

        Glance look(const float* node, float* bound) const noexcept {
            return kernels().near_gap(x_.rough, node, c_.width(), most_, bound);
        }
        unsigned promising(const float* bound) const noexcept {
            return kernels().promising(bound, -most_);
        }
        bool visit(std::uint32_t j) noexcept {
            if (component_ && component_[j] < 0) return true;
            const double gap = c_.gap(j, x_.x);
            const double activation = 1.0 - gap / static_cast<double>(c_.n_features());
            const auto index = static_cast<std::int64_t>(j);
            if (best.index == kNone || activation > best.ratio ||
                (activation == best.ratio && index < best.index)) {
                best.index = index;
                best.ratio = activation;
            }
            const float most = static_cast<float>(gap) * (1.0f + 1e-6f) + slack_;
            if (most < most_) most_ = most;
            return true;
        }

        Best best;

    private:
        const Categories& c_;
        const Sample& x_;
        const std::int64_t* component_;
        float slack_;
        float most_ = std::numeric_limits<float>::infinity();
    };

    // All of at least a ratio, unless they are too many.
    struct Within {
        Within(const Categories& c, const Sample& x, double alpha, double ratio,
               std::uint32_t* chosen)
            : c_(c), x_(x), chosen_(chosen), most_(c.size() / 16 + 16) {
            reach_.alpha = static_cast<float>(alpha);
            reach_.slack = slack(c.width());
            reach_.overlap = lowest();
            reach_.ratio = below(ratio);
        }

        Glance look(const float* node, float* bound) const noexcept {
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

    bool wants_tree(const Categories& c, const StoreView& view) noexcept {
        if (!c.tree() || !view.can_be_rough()) return false;
        const Indexing choice = indexing();
        if (choice == Indexing::never) return false;
        if (choice == Indexing::always) {
            left_ = std::numeric_limits<std::size_t>::max();
            return true;
        }
        if (n_paused_ > 0) {
            --n_paused_;
            return false;
        }
        left_ = static_cast<std::size_t>(cost_of_all(c) / cost_of_node(c) / 2) + 4;
        return true;
    }

    // In blocks of a look at everything. A node is read from anywhere in memory, which such a look
    // goes through in order; the more features, the less that matters.
    static std::int64_t cost_of_all(const Categories& c) {
        return static_cast<std::int64_t>(c.size() / kRoughLanes);
    }
    static std::int64_t cost_of_node(const Categories& c) {
        return static_cast<std::int64_t>(4 + 32 / c.width());
    }

    // False where it was given up.
    template <class Query>
    bool search(const Categories& c, Query& query) noexcept {
        const BoxTree& tree = *c.tree();
        const std::size_t before = left_;
        const bool found = tree.size() == 0 || descend(tree, tree.root(), tree.height(), query);
        work_ += (before - left_) * BoxTree::kEntries * c.width();
        if (indexing() == Indexing::always) return found;
        const std::int64_t all = cost_of_all(c);
        const auto cost = static_cast<std::int64_t>(before - left_) * cost_of_node(c);
        balance_ = std::min(balance_ + (found ? all - cost : -cost), kMostCredit * all);
        if (balance_ < 0) {
            pause_ = std::min(2 * pause_ + 1, kLongestPause);
            n_paused_ = pause_;
            balance_ = 0;
        } else if (found) {
            pause_ = 0;
        }
        return found;
    }

    template <class Query>
    bool descend(const BoxTree& tree, std::uint32_t n, std::size_t level, Query& query) noexcept {
        if (left_ == 0) return false;
        --left_;
        alignas(64) float bound[BoxTree::kEntries];
        tree.prefetch_children(n);
        const Glance near = query.look(tree.node(n), bound);
        unsigned entries = near.within & ((1u << tree.n_entries(n)) - 1u);
        if (!entries) return true;
        // The most promising first: what it finds may spare the others, and mostly does.
        unsigned next = entries >> near.best & 1u ? near.best : best_of(entries, bound);
        for (;;) {
            const std::uint32_t below = tree.child(n, next);
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
    std::int64_t balance_ = 0;  // saved, less lost
    unsigned pause_ = 0;        // how many samples the index was last left alone for
    unsigned n_paused_ = 0;     // how many are still to come
};

}  // namespace resonart
