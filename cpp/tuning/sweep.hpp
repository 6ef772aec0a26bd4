// Every vigilance at once: the same rows in the same orders, learned at each cell of a grid.
//
// A run is decided by its comparisons alone. All cells begin together. At each sample the cell of
// lowest vigilances decides: whatever was visited before the winner failed there, and so fails at
// every higher vigilance; the winner passes at all vigilances up to its match. Cells up to there go
// on together, and those above it part here, with a copy of the model as it is before the sample.
// So each distinct run is made once, and runs that begin alike share their beginning. Merging and
// compression go on in the same way.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "art/ddvfa.hpp"
#include "art/dvfa.hpp"
#include "art/fuzzy_art.hpp"
#include "art/params.hpp"
#include "art/topo_art.hpp"
#include "base/bounds.hpp"
#include "base/poll.hpp"
#include "base/rows.hpp"
#include "base/threads.hpp"
#include "tuning/partitions.hpp"

namespace resonart {

// All rows, scaled and complement coded once.
class CodedRows {
public:
    CodedRows(const Rows& rows, const Bounds& bounds)
        : n_(rows.size()), width_(2 * rows.n_features()) {
        exact_.resize_uninitialised(n_ * width_);
        rough_.resize_uninitialised(n_ * width_);
        Buffer<double> row;
        row.resize_uninitialised(rows.n_features());
        for (std::size_t r = 0; r < n_; ++r) {
            rows.read(r, row.data());
            bounds.code(row.data(), exact_.data() + r * width_);
        }
        for (std::size_t i = 0; i < exact_.size(); ++i) rough_[i] = static_cast<float>(exact_[i]);
    }
    std::size_t size() const { return n_; }
    std::size_t n_features() const { return width_ / 2; }
    Sample operator[](std::size_t r) const {
        return {exact_.data() + r * width_, rough_.data() + r * width_};
    }

private:
    std::size_t n_, width_;
    Buffer<double> exact_;
    Buffer<float> rough_;
};

// The vigilances to try, ascending: all pairs of lb and ub with lb <= ub, lb by lb; or, `paired`,
// the k-th of each together.
class Grid {
public:
    Grid(const double* lb, std::size_t n_lb, const double* ub, std::size_t n_ub, bool paired)
        : paired_(paired) {
        lb_.reserve(n_lb);
        lb_.append(lb, n_lb);
        ub_.reserve(n_ub);
        ub_.append(ub, n_ub);
        first_ub_.reserve(n_lb);
        offset_.reserve(n_lb + 1);
        std::size_t b = 0;
        offset_.push(0);
        for (std::size_t a = 0; a < n_lb && !paired; ++a) {
            while (b < n_ub && ub[b] < lb[a]) ++b;
            first_ub_.push(b);
            offset_.push(offset_[a] + n_ub - b);
        }
    }

    bool paired() const { return paired_; }
    std::size_t n_lb() const { return lb_.size(); }
    std::size_t n_ub() const { return ub_.size(); }
    std::size_t n_cells() const { return paired_ ? ub_.size() : offset_[lb_.size()]; }
    double lb(std::size_t a) const { return lb_[a]; }
    double ub(std::size_t b) const { return ub_[b]; }
    std::size_t first_ub(std::size_t a) const { return paired_ ? 0 : first_ub_[a]; }
    std::size_t cell(std::size_t a, std::size_t b) const {
        return paired_ ? b : offset_[a] + b - first_ub_[a];
    }

private:
    bool paired_;
    Buffer<double> lb_, ub_;
    Buffer<std::size_t> first_ub_, offset_;
};

// Cells of the grid from (a_low, b_low) up to (a_high, b_high), as far as they are admissible.
// Where vigilances are paired, b alone counts.
struct Region {
    std::size_t a_low = 0, a_high = 0, b_low = 0, b_high = 0;

    // Cuts what holds no cell; false where nothing is left. (a_low, b_low) is then a cell.
    bool tighten(const Grid& grid) {
        if (b_low > b_high || a_low > a_high) return false;
        if (grid.paired()) return true;
        if (b_low < grid.first_ub(a_low)) b_low = grid.first_ub(a_low);
        if (b_low > b_high) return false;
        while (grid.first_ub(a_high) > b_high) --a_high;
        return true;
    }

    template <class See>
    void each_cell(const Grid& grid, See&& see) const {
        for (std::size_t a = a_low; a <= a_high; ++a) {
            const std::size_t first = grid.first_ub(a);
            for (std::size_t b = b_low < first ? first : b_low; b <= b_high; ++b) {
                see(grid.cell(a, b));
            }
        }
    }
};

struct SweepPlan {
    const std::int64_t* orders = nullptr;  // n_orders × n_rows
    std::size_t n_orders = 0;
    int max_epochs = 1;
    bool merge = false;
    bool nearest = true;             // topoART: false leaves rows nearest to candidates out
    bool share = true;               // false: one run from the beginning for each cell, to compare
    std::size_t max_categories = 0;  // runs with more are given up; 0: none are
    unsigned n_threads = 1;
};

// Of each cell and order, cell by cell.
struct SweepResult {
    std::int64_t* n_clusters = nullptr;
    std::int64_t* n_categories = nullptr;
    std::int64_t* partition = nullptr;  // -1: given up
};

template <class Art>
class Sweep {
public:
    using Params = typename Art::Params;

    // With arrays in `unmerged`, these tell what each run was before it was merged.
    Sweep(const CodedRows& rows, const Params& params, const Grid& grid, const SweepPlan& plan,
          const SweepResult& result, const SweepResult& unmerged, Partitions& partitions)
        : rows_(rows),
          params_(params),
          grid_(grid),
          plan_(plan),
          result_(result),
          unmerged_(unmerged),
          partitions_(partitions) {}

    std::size_t n_runs() const { return n_runs_; }
    std::size_t n_unmerged() const { return n_unmerged_; }  // distinct runs before merging
    std::size_t n_presentations() const { return n_presentations_; }
    const std::atomic<std::size_t>& n_done() const { return n_done_; }

    void run(Poll& poll) {
        if (grid_.n_cells() == 0 || plan_.n_orders == 0) return;
        for (std::size_t o = 0; o < plan_.n_orders; ++o) begin_order(o);
        in_parallel(plan_.n_threads, stop_, [&](unsigned t, unsigned) {
            Worker worker(*this, t, poll);
            try {
                worker.work();
            } catch (...) {
                stop_ = true;
                wake_.notify_all();
                throw;
            }
        });
    }

private:
    static constexpr bool kMerges = Art::kMerges;
    static constexpr bool kLabelsLater = Art::kLabelsLater;
    // Models of cells that wait; beyond this such cells begin again.
    static constexpr std::size_t kMostBytesWaiting = std::size_t{256} << 20;

    // A run under way.
    struct State {
        Art art;
        Art epoch_start;               // where there are several epochs
        Buffer<std::uint32_t> labels;  // in order of presentation
        std::size_t position = 0;      // presentations done, epochs counted
        std::size_t bytes() const {
            const std::size_t boxes = art.categories().size() + epoch_start.categories().size();
            // Exact and rough weights; as much again for a second module or centroids.
            return 24 * art.categories().width() * (boxes + 64) + 4 * labels.size();
        }
    };

    // Cells that wait for their turn, and where they parted from others (null: the beginning).
    struct Item {
        std::size_t order = 0;
        Region region;
        std::shared_ptr<const State> from;
    };

    std::shared_ptr<const State> keep(const State& state) {
        const std::size_t bytes = state.bytes();
        auto copy = std::make_unique<const State>(state);
        bytes_waiting_ += bytes;
        std::atomic<std::size_t>& waiting = bytes_waiting_;
        return {copy.release(), [&waiting, bytes](const State* s) {
                    waiting -= bytes;
                    delete s;
                }};
    }

    void begin_order(std::size_t o) {
        Region all;
        all.a_high = grid_.paired() ? 0 : grid_.n_lb() - 1;
        all.b_high = grid_.n_ub() - 1;
        if (plan_.share) {
            if (all.tighten(grid_)) queue_.push_back({o, all, nullptr});
            return;
        }
        for (std::size_t a = all.a_low; a <= all.a_high; ++a) {
            for (std::size_t b = grid_.first_ub(a); b <= all.b_high; ++b) {
                queue_.push_back({o, Region{a, a, b, b}, nullptr});
            }
        }
    }

    class Worker {
    public:
        Worker(Sweep& sweep, unsigned thread, Poll& poll)
            : sweep_(sweep),
              grid_(sweep.grid_),
              plan_(sweep.plan_),
              rows_(sweep.rows_),
              poll_(thread, sweep.stop_, poll) {}

        void work() {
            {
                const std::lock_guard<std::mutex> guard(sweep_.mutex_);
                ++sweep_.busy_;
            }
            Item item;
            while (next(item)) go_on(item);
            sweep_.n_runs_ += n_runs_;
            sweep_.n_unmerged_ += n_unmerged_;
            sweep_.n_presentations_ += n_presentations_;
        }

    private:
        // The last to part goes on first, so that few wait.
        bool next(Item& item) {
            if (!waiting_.empty()) {
                item = std::move(waiting_.back());
                waiting_.pop_back();
                return true;
            }
            std::unique_lock<std::mutex> lock(sweep_.mutex_);
            --sweep_.busy_;
            while (sweep_.queue_.empty()) {
                if (sweep_.busy_ == 0) {
                    sweep_.wake_.notify_all();
                    return false;
                }
                ++sweep_.hungry_;
                sweep_.wake_.wait_for(lock, std::chrono::milliseconds(20));
                --sweep_.hungry_;
                lock.unlock();
                poll_.ask();
                lock.lock();
            }
            ++sweep_.busy_;
            item = std::move(sweep_.queue_.front());
            sweep_.queue_.pop_front();
            return true;
        }

        void wait(Item item) {
            waiting_.push_back(std::move(item));
            if (sweep_.hungry_.load(std::memory_order_relaxed) == 0) return;
            // Somebody has nothing to do, and what parted first is likely to be the most work.
            const std::lock_guard<std::mutex> guard(sweep_.mutex_);
            if (!sweep_.queue_.empty()) return;
            sweep_.queue_.push_back(std::move(waiting_.front()));
            waiting_.pop_front();
            sweep_.wake_.notify_one();
        }

        Params params_at(const Region& region) const {
            Params params = sweep_.params_;
            params.set_vigilances(grid_.lb(grid_.paired() ? region.b_low : region.a_low),
                                  grid_.ub(region.b_low));
            return params;
        }

        void go_on(Item& item) {
            const std::size_t n = rows_.size();
            Region region = item.region;
            if (item.from) {
                state_ = *item.from;
                item.from.reset();
            } else {
                state_.art = Art(rows_.n_features(), params_at(region));
                state_.art.do_without_index();  // copies come and go
                state_.epoch_start = state_.art;
                state_.labels.assign(n, 0);
                state_.position = 0;
            }
            Art& art = state_.art;
            art.configure(params_at(region));
            const std::int64_t* order = plan_.orders + item.order * n;
            const std::size_t end = n * static_cast<std::size_t>(plan_.max_epochs);
            double enough_lb = 0.0, enough_ub = 0.0;
            const auto look_up = [&] {
                enough_lb =
                    art.threshold_lb(grid_.lb(grid_.paired() ? region.b_high : region.a_high));
                enough_ub = art.threshold_ub(grid_.ub(region.b_high));
            };
            look_up();
            while (state_.position < end) {
                const std::size_t i = state_.position % n;
                const Sample x = rows_[static_cast<std::size_t>(order[i])];
                art.reserve_one();
                art.prepare(workspace_);
                const auto choice = art.choose(x, enough_lb, workspace_);
                if (choice.match_lb < enough_lb || choice.match_ub < enough_ub) {
                    part(item.order, region, choice.match_lb, choice.match_ub);
                    look_up();
                }
                state_.labels[i] = take(art, x, choice);
                ++state_.position;
                ++n_presentations_;
                poll_.work(art.categories().size() * 2 * rows_.n_features());
                if (plan_.max_categories && art.categories().size() > plan_.max_categories) {
                    give_up(item.order, region);
                    return;
                }
                if (plan_.max_epochs > 1 && i + 1 == n) {
                    if (art.same_weights(state_.epoch_start)) break;
                    state_.epoch_start = art;
                }
            }
            finish(item.order, region, order);
        }

        template <class Choice>
        std::uint32_t take(Art& art, const Sample& x, const Choice& choice) noexcept {
            if constexpr (kLabelsLater) {
                return art.take(x, choice, workspace_);
            } else {
                return art.take(x, choice);
            }
        }

        // The cells of `region` above these matches wait with the model as it is; the rest remain.
        void part(std::size_t order, Region& region, double match_lb, double match_ub) {
            const Art& art = state_.art;
            std::size_t b = region.b_high;
            while (art.threshold_ub(grid_.ub(b)) > match_ub) --b;
            std::size_t a = region.a_high;
            if (grid_.paired()) {
                while (art.threshold_lb(grid_.lb(b)) > match_lb) --b;
            } else {
                while (art.threshold_lb(grid_.lb(a)) > match_lb) --a;
            }
            std::shared_ptr<const State> here;
            const auto leave = [&](Region strip) {
                if (!strip.tighten(grid_)) return;
                if (!here && sweep_.bytes_waiting_ < kMostBytesWaiting) here = sweep_.keep(state_);
                wait({order, strip, here});
            };
            leave({a + 1, region.a_high, region.b_low, region.b_high});
            leave({region.a_low, a, b + 1, region.b_high});
            region.a_high = a;
            region.b_high = b;
            region.tighten(grid_);
        }

        void give_up(std::size_t order, const Region& region) {
            const std::size_t n_categories = state_.art.categories().size();
            if (keeps_unmerged()) record_unmerged(order, region, 0, n_categories, -1);
            record(order, region, 0, n_categories, -1);
        }

        bool keeps_unmerged() const { return sweep_.unmerged_.partition != nullptr; }

        void finish(std::size_t order, Region region, const std::int64_t* presented) {
            if constexpr (kMerges) {
                if (plan_.merge) {
                    merge(order, region, presented);
                    return;
                }
            }
            labels_.resize_uninitialised(rows_.size());
            std::size_t n_clusters = state_.art.n_clusters();
            std::size_t n_categories = state_.art.categories().size();
            if constexpr (kLabelsLater) {
                // Rows are labelled after learning, by module B.
                Art& art = state_.art;
                n_categories = art.b().categories().size();
                art.prepare(workspace_);
                art.find_components(workspace_);
                for (std::size_t r = 0; r < rows_.size(); ++r) {
                    const std::int64_t label = art.cluster_of(rows_[r], plan_.nearest, workspace_);
                    // Rows left out count as a cluster more.
                    labels_[r] = static_cast<std::uint32_t>(
                        label < 0 ? static_cast<std::int64_t>(n_clusters) : label);
                    poll_.work(n_categories * 2 * rows_.n_features());
                }
            } else {
                for (std::size_t i = 0; i < rows_.size(); ++i) {
                    labels_[static_cast<std::size_t>(presented[i])] = state_.labels[i];
                }
            }
            record(order, region, n_clusters, n_categories, partitions().add(labels_, scratch_));
        }

        // Merge ART at the lowest vigilances, at the lowest of those it parted from, and so on.
        void merge(std::size_t order, Region region, const std::int64_t* presented) {
            if (keeps_unmerged()) {
                labels_.resize_uninitialised(rows_.size());
                for (std::size_t i = 0; i < rows_.size(); ++i) {
                    labels_[static_cast<std::size_t>(presented[i])] = state_.labels[i];
                }
                record_unmerged(order, region, state_.art.n_clusters(),
                                state_.art.categories().size(),
                                partitions().add(labels_, scratch_));
            }
            while (region.tighten(grid_)) {
                MergeArt art(params_at(region), rows_.n_features(), grid_.lb(region.a_high));
                const Merged merged = art.merge(state_.art.modules(), kNoCap, 0, poll_);
                std::size_t a = region.a_high;
                while (grid_.lb(a) > art.headroom().lb) --a;
                labels_.resize_uninitialised(rows_.size());
                for (std::size_t i = 0; i < rows_.size(); ++i) {
                    labels_[static_cast<std::size_t>(presented[i])] = merged.map[state_.labels[i]];
                }
                const std::uint32_t id = partitions().add(labels_, scratch_);
                Region same = region;
                same.a_high = a;
                compress(order, same, merged.modules, id);
                region.a_low = a + 1;
            }
        }

        void compress(std::size_t order, Region region, const Modules& merged, std::uint32_t id) {
            while (region.tighten(grid_)) {
                MergeArt art(params_at(region), rows_.n_features());
                const Modules small = art.compress(merged, poll_);
                std::size_t b = region.b_high;
                while (state_.art.threshold_ub(grid_.ub(b)) > art.headroom().ub) --b;
                Region same = region;
                same.b_high = b;
                record(order, same, small.size(), small.categories().size(), id);
                region.b_low = b + 1;
            }
        }

        // All cells of the region have one and the same run.
        void record(std::size_t order, const Region& region, std::size_t n_clusters,
                    std::size_t n_categories, std::int64_t id) {
            ++n_runs_;
            const std::size_t n =
                write(sweep_.result_, order, region, n_clusters, n_categories, id);
            sweep_.n_done_.fetch_add(n, std::memory_order_relaxed);
        }
        void record_unmerged(std::size_t order, const Region& region, std::size_t n_clusters,
                             std::size_t n_categories, std::int64_t id) {
            ++n_unmerged_;
            write(sweep_.unmerged_, order, region, n_clusters, n_categories, id);
        }
        std::size_t write(const SweepResult& result, std::size_t order, const Region& region,
                          std::size_t n_clusters, std::size_t n_categories, std::int64_t id) {
            std::size_t n = 0;
            region.each_cell(grid_, [&](std::size_t cell) {
                const std::size_t at = cell * plan_.n_orders + order;
                result.n_clusters[at] = static_cast<std::int64_t>(n_clusters);
                result.n_categories[at] = static_cast<std::int64_t>(n_categories);
                result.partition[at] = id;
                ++n;
            });
            return n;
        }

        Partitions& partitions() { return sweep_.partitions_; }

        Sweep& sweep_;
        const Grid& grid_;
        const SweepPlan& plan_;
        const CodedRows& rows_;
        ThreadPoll poll_;
        std::deque<Item> waiting_;
        State state_;
        typename Art::Workspace workspace_;
        Buffer<std::uint32_t> labels_, scratch_;
        std::size_t n_runs_ = 0, n_unmerged_ = 0, n_presentations_ = 0;
    };

    const CodedRows& rows_;
    Params params_;
    const Grid& grid_;
    SweepPlan plan_;
    SweepResult result_, unmerged_;
    Partitions& partitions_;

    std::atomic<std::size_t> bytes_waiting_{0};  // of models; outlives them all
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Item> queue_;
    unsigned busy_ = 0;  // threads at work
    std::atomic<unsigned> hungry_{0};
    std::atomic<bool> stop_{false};
    std::atomic<std::size_t> n_done_{0}, n_runs_{0}, n_unmerged_{0}, n_presentations_{0};
};

}  // namespace resonart
