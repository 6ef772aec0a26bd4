// TopoART by several readings of what its articles leave open: an experiment, apart from the engine.
// One call runs one cell (rho_a, beta_sbm, phi, tau) in one order, and tells the adjusted Rand index
// by every way to label rows. Sums run in feature order, as in tests/reference.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

// How rows are learned; _topo_readings.py has the same list, and says what each means.
struct Learning {
    std::int32_t newest_wins;       // ties: the newest category rather than the oldest
    std::int32_t removal;           // 0: after the row, own count; 1: after, A's count; 2: before
    std::int32_t to_b;              // 0: winner permanent after the row; 1: before it; 2: all rows
    std::int32_t second;  // 0: learns and counts; 1: does not count; 2: if permanent; 3: neither
    std::int32_t linked_candidates; // edges through candidates connect
    std::int32_t n_epochs;          // at most; ends when weights stay
    std::int32_t keeps_edges;       // removal joins the neighbours of what goes
};

constexpr int kLabellings = 14;

struct Module {
    std::size_t n_values = 0, room = 0, n = 0;
    std::vector<double> weights;  // [value][category]
    std::vector<double> norms, overlap;
    std::vector<std::int64_t> counts, ids;
    std::vector<std::pair<std::int64_t, std::int64_t>> edges;  // by id
    std::int64_t steps = 0, next_id = 0;
    bool changed = false;

    Module(std::size_t values, std::size_t rows)
        : n_values(values), room(rows + 8), weights(values * room), norms(room), overlap(room),
          counts(room), ids(room) {}

    void look(const double* x) {
        std::fill(overlap.begin(), overlap.begin() + static_cast<std::ptrdiff_t>(n), 0.0);
        for (std::size_t v = 0; v < n_values; ++v) {
            const double* w = &weights[v * room];
            const double here = x[v];
            for (std::size_t j = 0; j < n; ++j) overlap[j] += std::min(here, w[j]);
        }
    }
    // |w - (x ^ w)| of each, into `overlap`.
    void look_outside(const double* x) {
        std::fill(overlap.begin(), overlap.begin() + static_cast<std::ptrdiff_t>(n), 0.0);
        for (std::size_t v = 0; v < n_values; ++v) {
            const double* w = &weights[v * room];
            const double here = x[v];
            for (std::size_t j = 0; j < n; ++j) overlap[j] += w[j] - std::min(here, w[j]);
        }
    }
    void weigh(std::size_t j) {
        double sum = 0.0;
        for (std::size_t v = 0; v < n_values; ++v) sum += weights[v * room + j];
        norms[j] = sum;
    }
    void learn(std::size_t j, const double* x, double beta) {
        if (beta == 0.0) return;
        for (std::size_t v = 0; v < n_values; ++v) {
            double& w = weights[v * room + j];
            const double low = std::min(x[v], w);
            const double now = beta == 1.0 ? low : (1.0 - beta) * w + beta * low;
            if (now != w) changed = true;
            w = now;
        }
        weigh(j);
    }
    void append(const double* x) {
        if (n == room) widen();
        for (std::size_t v = 0; v < n_values; ++v) weights[v * room + n] = x[v];
        counts[n] = 1;
        ids[n] = next_id++;
        weigh(n++);
        changed = true;
    }
    void widen() {  // after several epochs there may be more than rows
        const std::size_t wide = room * 2;
        std::vector<double> other(n_values * wide);
        for (std::size_t v = 0; v < n_values; ++v)
            std::copy_n(&weights[v * room], n, &other[v * wide]);
        weights.swap(other);
        room = wide;
        norms.resize(room), overlap.resize(room), counts.resize(room), ids.resize(room);
    }
    std::size_t place(std::int64_t id) const {
        const auto end = ids.begin() + static_cast<std::ptrdiff_t>(n);
        const auto found = std::lower_bound(ids.begin(), end, id);
        return found != end && *found == id ? static_cast<std::size_t>(found - ids.begin()) : n;
    }
    void remove_candidates(std::int64_t phi, bool keep_edges) {
        std::size_t kept = 0;
        std::vector<std::int64_t> gone;
        for (std::size_t j = 0; j < n; ++j) {
            if (counts[j] < phi) {
                gone.push_back(ids[j]);
                continue;
            }
            if (kept != j) {
                for (std::size_t v = 0; v < n_values; ++v)
                    weights[v * room + kept] = weights[v * room + j];
                norms[kept] = norms[j], counts[kept] = counts[j], ids[kept] = ids[j];
            }
            ++kept;
        }
        if (gone.empty()) return;
        n = kept;
        changed = true;
        const auto is_gone = [&](std::int64_t id) {
            return std::binary_search(gone.begin(), gone.end(), id);
        };
        if (keep_edges) {  // what the lost one has linked stays linked
            for (const std::int64_t lost : gone) {
                std::int64_t first = -1;
                const std::size_t n_edges = edges.size();
                for (std::size_t e = 0; e < n_edges; ++e) {
                    const auto [a, b] = edges[e];
                    if (a != lost && b != lost) continue;
                    const std::int64_t other = a == lost ? b : a;
                    if (first < 0) first = other;
                    else edges.emplace_back(first, other);
                }
                edges.erase(std::remove_if(edges.begin(), edges.end(),
                                           [&](const auto& e) {
                                               return e.first == lost || e.second == lost;
                                           }),
                            edges.end());
            }
        }
        edges.erase(
            std::remove_if(edges.begin(), edges.end(),
                           [&](const auto& e) { return is_gone(e.first) || is_gone(e.second); }),
            edges.end());
    }
};

// Whether the category that took the row is permanent; `taker` gets its id.
bool learn(Module& m, const double* x, double rho, double alpha, double beta_sbm, std::int64_t phi,
           const Learning& how, std::int64_t& taker) {
    const double threshold = rho * static_cast<double>(m.n_values / 2);
    m.look(x);
    std::ptrdiff_t first = -1, second = -1;
    double best = -1.0, other = -1.0;
    const auto n = static_cast<std::ptrdiff_t>(m.n);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const std::ptrdiff_t j = how.newest_wins ? n - 1 - i : i;
        if (!(m.overlap[j] >= threshold)) continue;
        const double t = m.overlap[j] / (alpha + m.norms[j]);
        if (t > best) {
            second = first, other = best;
            first = j, best = t;
        } else if (t > other) {
            second = j, other = t;
        }
    }
    if (first < 0) {
        m.append(x);
        taker = m.ids[m.n - 1];
        return how.to_b == 1 ? false : phi <= 1;
    }
    const auto bm = static_cast<std::size_t>(first);
    const bool before = m.counts[bm] >= phi;
    taker = m.ids[bm];
    m.learn(bm, x, 1.0);
    ++m.counts[bm];
    if (second >= 0) {
        const auto sbm = static_cast<std::size_t>(second);
        if (how.second < 2 || (how.second == 2 && m.counts[sbm] >= phi)) {
            m.learn(sbm, x, beta_sbm);
            if (how.second != 1) ++m.counts[sbm];
        }
        m.edges.emplace_back(std::min(m.ids[bm], m.ids[sbm]), std::max(m.ids[bm], m.ids[sbm]));
    }
    return how.to_b == 1 ? before : m.counts[bm] >= phi;
}

// Component of each category, -1 for candidates.
std::vector<std::int32_t> components(const Module& m, std::int64_t phi, bool linked_candidates) {
    std::vector<std::size_t> root(m.n);
    for (std::size_t j = 0; j < m.n; ++j) root[j] = j;
    const auto find = [&](std::size_t j) {
        while (root[j] != j) j = root[j] = root[root[j]];
        return j;
    };
    for (const auto& [a, b] : m.edges) {
        const std::size_t i = m.place(a), j = m.place(b);
        if (i == m.n || j == m.n) continue;
        if (!linked_candidates && (m.counts[i] < phi || m.counts[j] < phi)) continue;
        const std::size_t p = find(i), q = find(j);
        root[std::max(p, q)] = std::min(p, q);
    }
    std::vector<std::int32_t> labels(m.n);
    for (std::size_t j = 0; j < m.n; ++j) {
        labels[j] = m.counts[j] < phi ? -1 : static_cast<std::int32_t>(find(j));
    }
    return labels;
}

// Adjusted Rand index with the known clusters; equal to scikit-learn's but for rounding.
double rand_index(const std::vector<std::int32_t>& labels, const std::int32_t* known,
                  std::int32_t n_known, std::size_t n_labels) {
    std::vector<std::int64_t> table(n_labels * static_cast<std::size_t>(n_known)), rows(n_labels),
        columns(static_cast<std::size_t>(n_known));
    std::int64_t n = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] < 0) continue;  // not counted at all
        const auto l = static_cast<std::size_t>(labels[i]), k = static_cast<std::size_t>(known[i]);
        ++table[l * static_cast<std::size_t>(n_known) + k], ++rows[l], ++columns[k], ++n;
    }
    const auto pairs = [](const std::vector<std::int64_t>& of) {
        double sum = 0.0;
        for (const std::int64_t c : of) sum += static_cast<double>(c) * static_cast<double>(c);
        return sum;
    };
    const double squares = pairs(table), in_rows = pairs(rows), in_columns = pairs(columns);
    const double all = static_cast<double>(n) * static_cast<double>(n);
    const double tp = squares - static_cast<double>(n), fp = in_rows - squares,
                 fn = in_columns - squares, tn = all - fp - fn - squares;
    if (fp == 0.0 && fn == 0.0) return 1.0;
    return 2.0 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn));
}

struct Winners {
    std::ptrdiff_t permanent_old = -1, permanent_new = -1, any_old = -1, any_new = -1;
};

}  // namespace

extern "C" {

// Rows are coded, in order; `found` gets kLabellings indices, `n_categories` those of module B.
int topo_art_run(const double* rows, std::size_t n_rows, std::size_t n_values,
                 const std::int32_t* known, std::int32_t n_known, double rho_a, double beta_sbm,
                 std::int64_t phi, std::int64_t tau, double alpha, const std::int32_t* switches,
                 double* found, std::int64_t* n_categories) {
    Learning how;
    how.newest_wins = switches[0], how.removal = switches[1], how.to_b = switches[2];
    how.second = switches[3], how.linked_candidates = switches[4], how.n_epochs = switches[5];
    how.keeps_edges = switches[6];
    Module a(n_values, n_rows), b(n_values, n_rows);
    const double rho_b = (rho_a + 1.0) / 2.0;
    std::vector<std::int64_t> takers(n_rows, -1);
    for (std::int32_t epoch = 0; epoch < how.n_epochs; ++epoch) {
        a.changed = b.changed = false;
        for (std::size_t i = 0; i < n_rows; ++i) {
            const double* x = rows + i * n_values;
            std::int64_t taker = -1;
            const auto clean = [&](Module& m) { m.remove_candidates(phi, how.keeps_edges); };
            if (how.removal == 2 && (a.steps + 1) % tau == 0) clean(a);
            const bool goes_on = learn(a, x, rho_a, alpha, beta_sbm, phi, how, taker);
            ++a.steps;
            if (how.removal != 2 && a.steps % tau == 0) clean(a);
            if (goes_on || how.to_b == 2) {
                if (how.removal == 2 && (b.steps + 1) % tau == 0) clean(b);
                learn(b, x, rho_b, alpha, beta_sbm, phi, how, takers[i]);
                ++b.steps;
                if (how.removal == 0 && b.steps % tau == 0) clean(b);
            } else {
                takers[i] = -1;
            }
            if (how.removal == 1 && a.steps % tau == 0) clean(b);
        }
        if (!a.changed && !b.changed) break;
    }

    *n_categories = 0;
    for (std::size_t j = 0; j < b.n; ++j) *n_categories += b.counts[j] >= phi;
    const double d = static_cast<double>(n_values / 2);
    const double threshold = rho_b * d;
    std::vector<std::vector<std::int32_t>> labels(kLabellings, std::vector<std::int32_t>(n_rows));
    const auto comp = components(b, phi, how.linked_candidates != 0);
    const auto comp_a = components(a, phi, how.linked_candidates != 0);
    const auto comp_all = components(b, 0, true);
    // Noise has a number of its own, behind all others.
    const auto noise = static_cast<std::int32_t>(std::max(a.n, b.n));
    std::int32_t newest_cluster = noise;
    for (const std::int32_t c : comp) {
        if (c >= 0) newest_cluster = c;
    }
    const auto label = [&](const std::vector<std::int32_t>& of, std::ptrdiff_t j) {
        return j < 0 || of[static_cast<std::size_t>(j)] < 0 ? noise
                                                             : of[static_cast<std::size_t>(j)];
    };
    const auto winners = [&](Module& m, const double* x) {
        Winners w;
        double permanent = -1.0, any = -1.0;
        m.look_outside(x);
        for (std::size_t j = 0; j < m.n; ++j) {
            const double t = 1.0 - m.overlap[j] / d;
            const auto at = static_cast<std::ptrdiff_t>(j);
            if (t > any) w.any_old = at;
            if (t >= any) w.any_new = at, any = t;
            if (m.counts[j] < phi) continue;
            if (t > permanent) w.permanent_old = at;
            if (t >= permanent) w.permanent_new = at, permanent = t;
        }
        return w;
    };
    for (std::size_t i = 0; i < n_rows; ++i) {
        const double* x = rows + i * n_values;
        const Winners w = winners(b, x);
        labels[0][i] = label(comp, w.permanent_old);
        labels[1][i] = label(comp, w.permanent_new);
        labels[2][i] = label(comp, w.any_old);
        labels[3][i] = label(comp, w.any_new);
        // Ordinary activation: of permanent ones, of all, and of those that pass.
        b.look(x);
        std::ptrdiff_t permanent = -1, any = -1, passing = -1;
        double best_permanent = -1.0, best_any = -1.0, best_passing = -1.0;
        for (std::size_t j = 0; j < b.n; ++j) {
            const double t = b.overlap[j] / (alpha + b.norms[j]);
            const auto at = static_cast<std::ptrdiff_t>(j);
            if (t > best_any) best_any = t, any = at;
            if (b.overlap[j] >= threshold && t > best_passing) best_passing = t, passing = at;
            if (b.counts[j] >= phi && t > best_permanent) best_permanent = t, permanent = at;
        }
        labels[4][i] = label(comp, permanent);
        labels[5][i] = label(comp, any);
        labels[6][i] = label(comp, passing);
        // As it was learned.
        const std::size_t at = takers[i] < 0 ? b.n : b.place(takers[i]);
        labels[7][i] = label(comp, at == b.n ? -1 : static_cast<std::ptrdiff_t>(at));
        // Strict, noise left out of the index.
        labels[8][i] = labels[3][i] == noise ? -1 : labels[3][i];
        labels[9][i] = label(comp_a, winners(a, x).permanent_new);
        // Strict, each row of noise for itself.
        labels[10][i] = labels[3][i] == noise ? noise + 1 + static_cast<std::int32_t>(i) : labels[3][i];
        // Candidates make clusters, too: with what they are linked to, or each for itself.
        labels[11][i] = w.any_new < 0 ? noise : comp_all[static_cast<std::size_t>(w.any_new)];
        labels[12][i] = labels[3][i] == noise && w.any_new >= 0
                            ? noise + 1 + static_cast<std::int32_t>(w.any_new)
                            : labels[3][i];
        // Noise in the cluster that is numbered first where numbers are given from the newest on.
        labels[13][i] = labels[3][i] == noise ? newest_cluster : labels[3][i];
    }
    for (int k = 0; k < kLabellings; ++k) {
        found[k] = rand_index(labels[static_cast<std::size_t>(k)], known, n_known,
                              static_cast<std::size_t>(noise) + 1 + std::max(n_rows, b.n));
    }
    return kLabellings;
}
}
