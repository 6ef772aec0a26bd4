#include "tuning/vat.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace resonart {
namespace {

// Distances are taken in two steps: a sum (or maximum) over features in order, cheap to compare
// roughly, and a last step, the square root, which decides.
template <Metric M>
struct Distance {
    static double add(double so_far, double difference) {
        if constexpr (M == Metric::euclidean) return so_far + difference * difference;
        const double size = std::fabs(difference);
        if constexpr (M == Metric::manhattan) return so_far + size;
        return so_far > size ? so_far : size;
    }
    static double finish(double sum) {
        if constexpr (M == Metric::euclidean) return std::sqrt(sum);
        return sum;
    }
    static double between(const double* a, const double* b, std::size_t d) {
        double sum = 0.0;
        for (std::size_t f = 0; f < d; ++f) sum = add(sum, a[f] - b[f]);
        return finish(sum);
    }
};

struct FarthestPair {
    double distance = -1.0;
    std::int64_t smaller = -1, larger = -1;

    // Where the order starts: at the larger index, as the first maximum of a stored matrix gives
    // it; where all samples are equal, that maximum is on the diagonal.
    std::size_t start() const { return distance > 0.0 ? static_cast<std::size_t>(larger) : 0; }

    // Largest distance; among equals the least smaller index, then the least larger one.
    void offer(double d, std::int64_t a, std::int64_t b) {
        const std::int64_t lo = a < b ? a : b, hi = a < b ? b : a;
        if (d > distance || (d == distance && (lo < smaller || (lo == smaller && hi < larger)))) {
            distance = d;
            smaller = lo;
            larger = hi;
        }
    }
};

// Samples in the order of a k-d tree: a node is a range of them with its bounding box.
template <Metric M>
class SampleTree {
public:
    struct Node {
        std::uint32_t begin, end;   // range of places
        std::uint32_t left, right;  // children; 0: none (the root is nobody's child)
        std::uint32_t parent;
        std::uint32_t unvisited;
    };

    SampleTree(const double* x, std::size_t n, std::size_t d) : n_(n), d_(d) {
        sample_.resize(n);
        for (std::size_t i = 0; i < n; ++i) sample_[i] = static_cast<std::uint32_t>(i);
        nodes_.reserve(4 * (n / kLeaf + 1));
        leaf_of_.resize(n);
        build(x, 0, static_cast<std::uint32_t>(n), 0);
        points_.resize(n * d);
        place_.resize(n);
        for (std::size_t p = 0; p < n; ++p) {
            std::copy(x + sample_[p] * d, x + sample_[p] * d + d, points_.data() + p * d);
            place_[sample_[p]] = static_cast<std::uint32_t>(p);
        }
        visited_.assign(n, 0);
    }

    const double* point(std::uint32_t place) const { return points_.data() + place * d_; }
    std::uint32_t sample(std::uint32_t place) const { return sample_[place]; }
    std::uint32_t place(std::uint32_t sample) const { return place_[sample]; }
    bool visited(std::uint32_t place) const { return visited_[place] != 0; }

    void visit(std::uint32_t place) {
        visited_[place] = 1;
        for (std::uint32_t v = leaf_of_[place];; v = nodes_[v].parent) {
            --nodes_[v].unvisited;
            if (v == 0) break;
        }
    }

    // Distance and sample of the nearest unvisited one, ties to the lowest sample.
    struct Neighbour {
        double distance = std::numeric_limits<double>::infinity();
        std::uint32_t sample = std::numeric_limits<std::uint32_t>::max();
        bool operator<(const Neighbour& o) const {
            return distance < o.distance || (distance == o.distance && sample < o.sample);
        }
    };
    Neighbour nearest_unvisited(const double* q) const {
        Neighbour best;
        search(
            0, q, [&](std::uint32_t v) { return nodes_[v].unvisited != 0; },
            [&] { return best.distance; },
            [&](std::uint32_t p, double dist) {
                if (visited_[p]) return;
                const Neighbour other{dist, sample_[p]};
                if (other < best) best = other;
            });
        return best;
    }

    // The k nearest others of the sample at a place, nearest first; `out` holds k, fewer are
    // followed by the largest number.
    void nearest_others(std::uint32_t place, std::size_t k, std::vector<Neighbour>& heap,
                        std::uint32_t* out) const {
        heap.clear();
        search(
            0, point(place), [](std::uint32_t) { return true; },
            [&] {
                return heap.size() < k ? std::numeric_limits<double>::infinity()
                                       : heap.front().distance;
            },
            [&](std::uint32_t p, double dist) {
                if (p == place) return;
                const Neighbour other{dist, sample_[p]};
                if (heap.size() < k) {
                    heap.push_back(other);
                    std::push_heap(heap.begin(), heap.end());
                } else if (other < heap.front()) {
                    std::pop_heap(heap.begin(), heap.end());
                    heap.back() = other;
                    std::push_heap(heap.begin(), heap.end());
                }
            });
        std::sort_heap(heap.begin(), heap.end());
        for (std::size_t i = 0; i < k; ++i) {
            out[i] = i < heap.size() ? heap[i].sample : std::numeric_limits<std::uint32_t>::max();
        }
    }

    // Branch and bound over pairs of nodes, the most promising half first.
    FarthestPair farthest(Poll& poll) const {
        FarthestPair best;
        // A good start: the farthest from the farthest from anybody.
        std::uint32_t a = 0;
        for (int round = 0; round < 3; ++round) {
            std::uint32_t far = a;
            double most = -1.0;
            for (std::uint32_t p = 0; p < n_; ++p) {
                const double dist = Distance<M>::between(point(a), point(p), d_);
                if (dist > most) {
                    most = dist;
                    far = p;
                }
            }
            if (far != a) best.offer(most, sample_[a], sample_[far]);
            a = far;
        }
        farthest_between(0, 0, best, poll);
        return best;
    }

private:
    static constexpr std::uint32_t kLeaf = 16;
    // Bounds are sums in another order than distances: allow for rounding before they cut.
    static constexpr double kSafe = 1.0 - 1e-12;

    std::uint32_t build(const double* x, std::uint32_t begin, std::uint32_t end,
                        std::uint32_t parent) {
        const auto v = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({begin, end, 0, 0, parent, end - begin});
        box_.resize(box_.size() + 2 * d_);
        double* low = box_.data() + 2 * d_ * v;
        double* high = low + d_;
        for (std::size_t f = 0; f < d_; ++f) {
            low[f] = std::numeric_limits<double>::infinity();
            high[f] = -low[f];
        }
        for (std::uint32_t p = begin; p < end; ++p) {
            const double* a = x + sample_[p] * d_;
            for (std::size_t f = 0; f < d_; ++f) {
                low[f] = a[f] < low[f] ? a[f] : low[f];
                high[f] = a[f] > high[f] ? a[f] : high[f];
            }
        }
        if (end - begin <= kLeaf) {
            for (std::uint32_t p = begin; p < end; ++p) leaf_of_[p] = v;
            return v;
        }
        std::size_t widest = 0;
        for (std::size_t f = 1; f < d_; ++f) {
            if (high[f] - low[f] > high[widest] - low[widest]) widest = f;
        }
        const std::uint32_t middle = begin + (end - begin) / 2;
        std::nth_element(sample_.begin() + begin, sample_.begin() + middle, sample_.begin() + end,
                         [&](std::uint32_t i, std::uint32_t j) {
                             return x[i * d_ + widest] < x[j * d_ + widest];
                         });
        const std::uint32_t left = build(x, begin, middle, v);
        const std::uint32_t right = build(x, middle, end, v);
        nodes_[v].left = left;
        nodes_[v].right = right;
        return v;
    }

    double least(std::uint32_t v, const double* q) const {
        const double* low = box_.data() + 2 * d_ * v;
        const double* high = low + d_;
        double sum = 0.0;
        for (std::size_t f = 0; f < d_; ++f) {
            const double below = low[f] - q[f], above = q[f] - high[f];
            const double gap = below > above ? below : above;
            sum = Distance<M>::add(sum, gap > 0.0 ? gap : 0.0);
        }
        return Distance<M>::finish(sum) * kSafe;
    }

    template <class Enter, class Limit, class See>
    void search(std::uint32_t v, const double* q, Enter&& enter, Limit&& limit, See&& see) const {
        const Node& node = nodes_[v];
        if (!node.left) {
            for (std::uint32_t p = node.begin; p < node.end; ++p) {
                see(p, Distance<M>::between(q, point(p), d_));
            }
            return;
        }
        std::uint32_t first = node.left, second = node.right;
        double near = enter(first) ? least(first, q) : std::numeric_limits<double>::infinity();
        double far = enter(second) ? least(second, q) : std::numeric_limits<double>::infinity();
        if (far < near) {
            std::swap(first, second);
            std::swap(near, far);
        }
        // Equal to the limit is entered: a tie may be settled by a lower sample.
        if (near <= limit() && enter(first)) search(first, q, enter, limit, see);
        if (far <= limit() && enter(second)) search(second, q, enter, limit, see);
    }

    double most_between(std::uint32_t v, std::uint32_t w) const {
        const double* a = box_.data() + 2 * d_ * v;
        const double* b = box_.data() + 2 * d_ * w;
        double sum = 0.0;
        for (std::size_t f = 0; f < d_; ++f) {
            const double one = std::fabs(a[d_ + f] - b[f]), other = std::fabs(b[d_ + f] - a[f]);
            sum = Distance<M>::add(sum, one > other ? one : other);
        }
        return Distance<M>::finish(sum) / kSafe;
    }

    void farthest_between(std::uint32_t v, std::uint32_t w, FarthestPair& best, Poll& poll) const {
        if (most_between(v, w) < best.distance) return;
        const Node &a = nodes_[v], &b = nodes_[w];
        if (!a.left && !b.left) {
            for (std::uint32_t p = a.begin; p < a.end; ++p) {
                for (std::uint32_t q = v == w ? p + 1 : b.begin; q < b.end; ++q) {
                    best.offer(Distance<M>::between(point(p), point(q), d_), sample_[p],
                               sample_[q]);
                }
            }
            poll.work((a.end - a.begin) * (b.end - b.begin) * d_);
            return;
        }
        std::pair<std::uint32_t, std::uint32_t> parts[3];
        int n = 0;
        if (v == w) {
            parts[n++] = {a.left, a.right};
            parts[n++] = {a.left, a.left};
            parts[n++] = {a.right, a.right};
        } else if (a.left && (!b.left || a.end - a.begin >= b.end - b.begin)) {
            parts[n++] = {a.left, w};
            parts[n++] = {a.right, w};
        } else {
            parts[n++] = {v, b.left};
            parts[n++] = {v, b.right};
        }
        std::sort(parts, parts + n, [&](const auto& p, const auto& q) {
            return most_between(p.first, p.second) > most_between(q.first, q.second);
        });
        for (int i = 0; i < n; ++i) farthest_between(parts[i].first, parts[i].second, best, poll);
    }

    std::size_t n_, d_;
    std::vector<std::uint32_t> sample_, place_, leaf_of_;
    std::vector<Node> nodes_;
    std::vector<double> box_, points_;
    std::vector<std::uint8_t> visited_;
};

template <Metric M>
VatOrder by_tree(const double* x, std::size_t n, std::size_t d, unsigned most_threads, Poll& poll) {
    using Neighbour = typename SampleTree<M>::Neighbour;
    constexpr std::size_t kKnown = 8;
    constexpr auto kNobody = std::numeric_limits<std::uint32_t>::max();
    SampleTree<M> tree(x, n, d);
    const FarthestPair ends = tree.farthest(poll);

    // The nearest few of everybody, by places: all threads, in blocks.
    std::vector<std::uint32_t> known(n * kKnown);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    in_parallel(most_threads, stop, [&](unsigned t, unsigned) {
        constexpr std::size_t kBlock = 1024;
        std::vector<Neighbour> heap;
        heap.reserve(kKnown + 1);
        for (std::size_t begin; !stop && (begin = next.fetch_add(kBlock)) < n;) {
            const std::size_t end = begin + kBlock < n ? begin + kBlock : n;
            for (std::size_t p = begin; p < end; ++p) {
                tree.nearest_others(static_cast<std::uint32_t>(p), kKnown, heap,
                                    known.data() + p * kKnown);
            }
            if (t == 0) poll.work(kBlock * 512);
        }
    });

    struct Entry {
        Neighbour to;
        std::uint32_t from;                                         // place
        bool operator<(const Entry& o) const { return o.to < to; }  // the nearest on top
    };
    std::vector<std::uint8_t> used(n, 0);  // how many of the known have been looked at
    std::vector<Entry> storage;
    storage.reserve(n + 1);
    std::priority_queue<Entry> waiting(std::less<Entry>(), std::move(storage));
    std::size_t left = n;

    const auto look_on = [&](std::uint32_t place) {
        Neighbour to;
        const double* q = tree.point(place);
        bool found = false;
        while (used[place] < kKnown && !found) {
            const std::uint32_t s = known[place * kKnown + used[place]];
            if (s == kNobody) break;
            if (tree.visited(tree.place(s))) {
                ++used[place];
                continue;
            }
            to = {Distance<M>::between(q, tree.point(tree.place(s)), d), s};
            found = true;
        }
        if (!found) to = tree.nearest_unvisited(q);
        waiting.push({to, place});
    };

    VatOrder result;
    result.order.reserve(n);
    result.height.reserve(n);
    const auto visit = [&](std::uint32_t s, double height) {
        result.order.push_back(s);
        result.height.push_back(height);
        const std::uint32_t place = tree.place(s);
        tree.visit(place);
        if (--left) look_on(place);
    };
    visit(static_cast<std::uint32_t>(ends.start()), 0.0);
    while (left) {
        const Entry top = waiting.top();
        waiting.pop();
        poll.work(1024);
        if (tree.visited(tree.place(top.to.sample))) {
            look_on(top.from);
        } else {
            visit(top.to.sample, top.to.distance);
            if (left) look_on(top.from);
        }
    }
    return result;
}

// Threads that work in step: nobody goes on before all have arrived, or all are to stop.
class StepBarrier {
public:
    explicit StepBarrier(const std::atomic<bool>& stop) : stop_(stop) {}
    // `n`: how many threads there are.
    void wait(unsigned n) {
        const unsigned round = round_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n) {
            arrived_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
            return;
        }
        for (unsigned spins = 0; round_.load(std::memory_order_acquire) == round && !stop_;
             ++spins) {
            if (spins > 2000) std::this_thread::yield();
        }
    }

private:
    const std::atomic<bool>& stop_;
    std::atomic<unsigned> arrived_{0}, round_{0};
};

// The pair of samples that lie farthest apart.
template <Metric M>
FarthestPair farthest_pair(const double* x, std::size_t n, std::size_t d, unsigned most_threads,
                           Poll& poll) {
    std::atomic<bool> stop{false};
    std::vector<FarthestPair> found(most_threads);
    in_parallel(most_threads, stop, [&](unsigned t, unsigned n_threads) {
        for (std::size_t i = t; i < n && !stop; i += n_threads) {
            for (std::size_t j = i + 1; j < n; ++j) {
                const double dist = Distance<M>::between(x + i * d, x + j * d, d);
                if (dist >= found[t].distance) {
                    found[t].offer(dist, static_cast<std::int64_t>(i),
                                   static_cast<std::int64_t>(j));
                }
            }
            if (t == 0) poll.work((n - i) * d);
        }
    });
    FarthestPair ends;
    for (const FarthestPair& f : found) {
        if (f.larger >= 0) ends.offer(f.distance, f.smaller, f.larger);
    }
    return ends;
}

// Unvisited samples, ascending, feature by feature, with the distance of each to those visited;
// thinned out when half are gone. Threads look for the nearest in step.
template <Metric M>
class Unvisited {
public:
    Unvisited(const double* x, std::size_t n, std::size_t d, unsigned most_threads)
        : x_(x),
          d_(d),
          m_(n),
          left_(n),
          sample_(n),
          columns_(n * d),
          sum_(n, kGone),
          gone_(n, 0),
          centre_(d),
          nearest_(most_threads) {
        std::iota(sample_.begin(), sample_.end(), 0u);
        lay_out();
        result_.order.reserve(n);
        result_.height.reserve(n);
    }
    std::size_t size() const { return m_; }
    bool is_empty() const { return left_ == 0; }
    VatOrder take() { return std::move(result_); }

    // One thread's share of a step: lowers the distances, finds the least.
    void look(unsigned t, unsigned n_threads) {
        const std::size_t begin = m_ * t / n_threads, end = m_ * (t + 1) / n_threads;
        double block[kBlock];
        Nearest best;
        double cut = kGone;  // only a smaller sum can mean a smaller distance
        for (std::size_t b = begin; b < end; b += kBlock) {
            const std::size_t k = std::min(end - b, kBlock);
            if (!(lower(b, k, block) < cut)) continue;
            for (std::size_t i = 0; i < k; ++i) {
                if (!(sum_[b + i] < cut)) continue;
                const double dist = Distance<M>::finish(sum_[b + i]);
                if (dist < best.distance || best.at == Nearest().at) {
                    best.distance = dist;
                    best.at = b + i;
                    cut = sum_[b + i];
                }
            }
        }
        nearest_[t].distance = best.distance;
        nearest_[t].at = best.at;
    }

    // The first thread goes on to the nearest that any has found.
    void visit_nearest(unsigned n_threads) {
        Nearest best = nearest_[0];
        for (unsigned t = 1; t < n_threads; ++t) {
            if (nearest_[t].distance < best.distance) best = nearest_[t];
        }
        visit(best.at, best.distance);
    }
    void visit(std::size_t at, double height) {
        result_.order.push_back(sample_[at]);
        result_.height.push_back(height);
        gone_[at] = 1;
        sum_[at] = kGone;
        --left_;
        for (std::size_t f = 0; f < d_; ++f) centre_[f] = columns_[f * m_ + at];
        if (left_ * 2 >= m_ || m_ <= 1024) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < m_; ++i) {
            if (gone_[i]) continue;
            sample_[kept] = sample_[i];
            sum_[kept] = sum_[i];
            ++kept;
        }
        m_ = kept;
        std::fill(gone_.begin(), gone_.begin() + static_cast<std::ptrdiff_t>(m_), 0);
        lay_out();
    }

private:
    static constexpr double kGone = std::numeric_limits<double>::infinity();
    static constexpr std::size_t kBlock = 256;
    struct Nearest {
        double distance = std::numeric_limits<double>::infinity();
        std::size_t at = std::numeric_limits<std::size_t>::max();
        char apart[64];  // each thread writes to a line of its own
    };

    void lay_out() {
        for (std::size_t f = 0; f < d_; ++f) {
            for (std::size_t i = 0; i < m_; ++i) columns_[f * m_ + i] = x_[sample_[i] * d_ + f];
        }
    }

    // Lowers the distances of k samples to that of the newest visited; returns the least.
    double lower(std::size_t b, std::size_t k, double* block) {
        std::fill(block, block + k, 0.0);
        for (std::size_t f = 0; f < d_; ++f) {
            const double c = centre_[f];
            const double* column = columns_.data() + f * m_ + b;
            for (std::size_t i = 0; i < k; ++i) {
                block[i] = Distance<M>::add(block[i], column[i] - c);
            }
        }
        double least = kGone;
        for (std::size_t i = 0; i < k; ++i) {
            const double lowered = block[i] < sum_[b + i] ? block[i] : sum_[b + i];
            const double mine = gone_[b + i] ? kGone : lowered;
            sum_[b + i] = mine;
            least = mine < least ? mine : least;
        }
        return least;
    }

    const double* x_;
    std::size_t d_, m_, left_;  // features; samples in the arrays; samples unvisited
    std::vector<std::uint32_t> sample_;
    std::vector<double> columns_, sum_;
    std::vector<std::uint8_t> gone_;
    std::vector<double> centre_;
    std::vector<Nearest> nearest_;
    VatOrder result_;
};

template <Metric M>
VatOrder by_rows(const double* x, std::size_t n, std::size_t d, unsigned most_threads, Poll& poll) {
    const FarthestPair ends = farthest_pair<M>(x, n, d, most_threads, poll);
    Unvisited<M> rest(x, n, d, most_threads);
    std::atomic<bool> stop{false};
    StepBarrier barrier(stop);
    rest.visit(ends.start(), 0.0);
    in_parallel(most_threads, stop, [&](unsigned t, unsigned n_threads) {
        while (true) {
            barrier.wait(n_threads);
            if (stop || rest.is_empty()) return;
            rest.look(t, n_threads);
            barrier.wait(n_threads);
            if (stop) return;
            if (t != 0) continue;
            rest.visit_nearest(n_threads);
            poll.work(rest.size() * d);
        }
    });
    return rest.take();
}

// Calls run(tag) with the metric as a constant, tag.value.
template <class Run>
VatOrder with(Metric metric, Run&& run) {
    switch (metric) {
        case Metric::euclidean:
            break;
        case Metric::manhattan:
            return run(std::integral_constant<Metric, Metric::manhattan>());
        case Metric::chebyshev:
            return run(std::integral_constant<Metric, Metric::chebyshev>());
    }
    return run(std::integral_constant<Metric, Metric::euclidean>());
}

}  // namespace

VatOrder vat_by_tree(Metric metric, const double* x, std::size_t n, std::size_t d,
                     unsigned most_threads, Poll& poll) {
    return with(metric, [&](auto m) { return by_tree<m.value>(x, n, d, most_threads, poll); });
}

VatOrder vat_by_rows(Metric metric, const double* x, std::size_t n, std::size_t d,
                     unsigned most_threads, Poll& poll) {
    return with(metric, [&](auto m) { return by_rows<m.value>(x, n, d, most_threads, poll); });
}

}  // namespace resonart
