// What searching has cost so far: through the index, or by a look at every box. It tells which way
// to go, and when the index had better be packed afresh or dropped.
//
// The clock decides, for no count of boxes or nodes foretells what a processor's caches make of
// them. A round is what one sample asks for. Most go the way that was cheaper so far; now and then
// some in a row try the other, the more seldom the worse it was, so that less than a hundredth of
// the time goes into trying. In a row, since the first of them find nothing of theirs in the
// caches, and don't count.
//
// Only time depends on it. The clock itself is elsewhere: this only keeps what it is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace resonart {

// What to do about an index.
enum class Advice { none, pack, drop };

class SearchCosts {
public:
    // A round begins, with so many blocks to look at if all are; a node of the index may be
    // expected to cost about as much as so many. Whether to go through the index.
    bool begin(double n_blocks, double blocks_of_node) noexcept {
        end();
        n_blocks_ = n_blocks;
        blocks_of_node_ = blocks_of_node;
        if (!tries_ && --until_trial_ <= 0) {
            tries_ = true;
            trial_ = Trial();
        }
        by_tree_ = prefers_tree_ != tries_;
        is_timed_ = tries_ ? trial_.counts(by_tree_) : until_trial_ % kTimed == 0;
        is_open_ = true;
        return by_tree_;
    }

    // Whether searches go through the index, as far as is known. Beside the rounds: for those who
    // ask now and then, and would teach the wrong thing.
    bool prefers_index() const { return prefers_tree_ || all_.n == 0; }

    // Whether this round's time is asked for, and what its searches took.
    bool is_timed() const { return is_timed_; }
    void spend(double nanoseconds) noexcept { spent_ += nanoseconds; }

    // A search of the index took so many nodes, and was given up where nothing is `found`: every
    // box is looked at after all.
    void visit(std::size_t n_nodes, bool found) noexcept {
        n_nodes_ += static_cast<double>(n_nodes);
        gave_up_ |= !found;
    }

    // A search through more nodes than this has cost as much as a look at every box.
    double most_nodes() const {
        const bool is_known = all_.mean > 0.0 && node_.mean > 0.0;
        return n_blocks_ / (is_known ? node_.mean / all_.mean : blocks_of_node_);
    }

    // What the rounds so far have shown, if packing the index takes so long.
    Advice advice(double nanoseconds_to_pack) const noexcept {
        if (n_lost_ > 0 && fresh_tree_would_win()) return Advice::pack;
        if (n_lost_ >= kPatience) return Advice::drop;
        // Rent or buy: wear has cost by now what a fresh tree would.
        if (excess_ * node_.mean > nanoseconds_to_pack) return Advice::pack;
        return Advice::none;
    }

    // The index is another one from now on. What a look at all costs is still true.
    void restart() noexcept {
        const Estimate all = all_;
        *this = SearchCosts();
        all_ = all;
    }

private:
    static constexpr int kTimed = 32;                   // one round of so many, beside trials
    static constexpr double kBetween = 32.0;            // times a trial's length, until the next
    static constexpr std::int64_t kSeldom = 1ll << 20;  // rounds, at most
    static constexpr int kPatience = 2, kLongest = 16;  // trials lost
    static constexpr int kFirstRounds = 512;            // tell what a fresh tree costs
    static constexpr double kTolerance = 1.125;
    // Where it is close, all boxes are looked at: done without a break, that was found to be
    // faster than in trials.
    static constexpr double kMargin = 0.875;

    // Some rounds in a row. What a look at all boxes needs is in the caches after the first. What a
    // search of the index needs, no other may have needed: they count when there were many, or
    // when they were long.
    struct Trial {
        int n_rounds = 0, n_counted = 0;
        double n_nodes = 0.0, nodes_counted = 0.0;

        bool counts(bool by_tree) const {
            return by_tree ? n_rounds >= 32 || n_nodes >= 512.0 : n_rounds >= 1;
        }
        bool is_over(bool by_tree) const {
            if (!by_tree) return n_counted >= 3;
            return n_counted >= 32 || (n_counted >= 8 && nodes_counted >= 1024.0);
        }
        void add(double nodes, bool counted) noexcept {
            ++n_rounds;
            n_nodes += nodes;
            if (!counted) return;
            ++n_counted;
            nodes_counted += nodes;
        }
    };

    // A mean that forgets. What else the machine did in the meantime must not count for much.
    struct Estimate {
        static constexpr int kMemory = 32;
        double mean = 0.0;
        int n = 0;

        void add(double value) noexcept {
            if (n >= 3) value = std::min(value, 4.0 * mean);
            if (n < kMemory) ++n;
            mean += (value - mean) / n;
        }
    };

    void end() noexcept {
        if (!is_open_) return;
        is_open_ = false;
        if (by_tree_) watch_wear();
        if (is_timed_) note_costs();
        if (tries_) {
            trial_.add(n_nodes_, is_timed_);
            if (trial_.is_over(by_tree_)) judge();
        } else if (is_timed_) {
            until_trial_ = std::min(until_trial_, pause());
        }
        spent_ = n_nodes_ = 0.0;
        gave_up_ = false;
    }

    void note_costs() noexcept {
        if (!by_tree_) {
            all_.add(spent_ / n_blocks_);
            return;
        }
        tree_.add(spent_);
        nodes_.add(n_nodes_);
        if (!gave_up_ && n_nodes_ > 0.0) node_.add(spent_ / n_nodes_);
    }

    void judge() noexcept {
        tries_ = false;
        if (by_tree_) tree_trial_ = trial_.n_rounds;
        prefers_tree_ = all_.n == 0 || tree_.mean < kMargin * cost_of_all();
        n_lost_ = prefers_tree_ ? 0 : n_lost_ + 1;
        until_trial_ = pause();
    }

    double cost_of_all() const { return all_.mean * n_blocks_; }

    // Rounds until the other way is tried. Where that takes r times as long, a trial of n rounds
    // every c·n·r² costs (r-1)/(c·r²) of the time, which is most, 1/4c, at r = 2.
    std::int64_t pause() const {
        if (all_.n == 0) {  // was never tried: what may be expected?
            const double ratio = n_blocks_ / (nodes_.mean * blocks_of_node_ + 1.0);
            const double beyond = std::max(0.0, ratio - 2.0);
            return limited(8.0 * beyond * beyond);
        }
        const double by_tree = tree_.mean, all = cost_of_all();
        const double ratio = std::max(by_tree, all) / (std::min(by_tree, all) + 1.0);
        const int rounds = prefers_tree_ ? 4 : tree_trial_ * std::min(n_lost_, kLongest);
        return limited(kBetween * ratio * ratio * rounds);
    }
    static std::int64_t limited(double rounds) {
        return static_cast<std::int64_t>(
            std::min(std::max(rounds, 1.0), static_cast<double>(kSeldom)));
    }

    // Nodes beyond those that searches of the fresh tree took, with some tolerance, add up; fewer
    // make up for it.
    void watch_wear() noexcept {
        const double nodes = gave_up_ ? 2.0 * n_nodes_ : n_nodes_;
        if (n_first_ < kFirstRounds) {
            nodes_at_first_ += nodes / kFirstRounds;
            ++n_first_;
        } else {
            excess_ = std::max(0.0, excess_ + nodes - kTolerance * nodes_at_first_);
        }
    }
    bool fresh_tree_would_win() const {
        return n_first_ == kFirstRounds &&
               tree_.mean * nodes_at_first_ < kMargin * cost_of_all() * nodes_.mean;
    }

    Estimate tree_;   // nanoseconds of a round
    Estimate nodes_;  // of a round
    Estimate node_;   // nanoseconds of a node
    Estimate all_;    // nanoseconds of a block

    // It begins with a trial of the index.
    bool prefers_tree_ = false, tries_ = true;
    Trial trial_;
    int tree_trial_ = 0;  // how many rounds the last of them took
    int n_lost_ = 0;      // trials, one after the other, that the index has lost
    std::int64_t until_trial_ = 0;

    double nodes_at_first_ = 0.0;
    int n_first_ = 0;
    double excess_ = 0.0;  // nodes

    // The round.
    bool is_open_ = false, is_timed_ = false, by_tree_ = false, gave_up_ = false;
    double n_blocks_ = 1.0, blocks_of_node_ = 1.0;
    double spent_ = 0.0, n_nodes_ = 0.0;
};

}  // namespace resonart
