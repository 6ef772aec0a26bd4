"""Of clusters without labels: the words, the tables and the picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, grouped, markdown, shape, spread

LABEL_FREE = """\
## Clusters without labels

The 30 data sets, each method without the labels, and the adjusted Rand index to them afterwards.
resonart is `DDVFA(random_state=seed).fit(X)`, nothing else set, the mean of {n_seeds} seeds.
HDBSCAN (scikit-learn) has `min_cluster_size` 5, 10 and 15, on rows as given and with every feature
stretched to [0, 1]. Noise is *kept*, when it counts as one more cluster, or *attached*: each noise
row joins the cluster of the nearest row that has one. DBSCAN has `min_samples` k = 2 x features
(at most the rows less one), and eps where the sorted distances to the k-th neighbour are farthest
below the chord. k-means is told the true number of clusters (`n_init=10`); it is there for scale.

The halves A and B are a seeded draw of 15 data sets each, written down in `data_sets.py`, so that
what is chosen on one can be confirmed on the other. A difference of at most 0.005 is a tie. Wins
are resonart's. Seconds are the median over the data sets, of single calls; scikit-learn's thread
pools are held to one thread, resonart has its default.
"""

LABEL_FREE_EACH = """\
### Each data set

*HDBSCAN's best* is the one setting with the highest mean over all data sets, which takes the labels
to know: {best}. In brackets the lowest and the highest seed. Everything is in
`results/label_free.csv`.

![Adjusted Rand index of resonart and of HDBSCAN's best setting on each data set](label_free.png)
"""

NOTHING = """\
### Rows without clusters

Uniform rows and one Gaussian, {n_seeds} draws of each size. The table shows the median number of
clusters and, in brackets, the fewest and the most; the last column how often the answer was right:
one cluster, or nothing but noise. HDBSCAN by default never answers one cluster, so it is also asked
with `allow_single_cluster=True`; what that costs where there are clusters is in the first table.
"""

GROWTH = """\
### Many rows

Two features: *noisy blobs* are 12 round clusters of different density and 5 % uniform noise, which
counts as a cluster of its own; *rings* are three around each other. Seconds and adjusted Rand
index. A method that took more than two minutes is not asked with more rows. *Power*
is the slope from 5,000 rows on in logarithms, of the worse kind of data: 1 is linear, 2 quadratic.
"""


def section(results: Path) -> list[str]:
    answers = read_lines(results / "label_free.csv")
    scores = read_lines(results / "label_free_scores.csv")
    nothing = read_lines(results / "label_free_nothing.csv")
    growth = read_lines(results / "label_free_growth.csv")
    ours = scores[0]["method"]
    n_seeds = len({line["seed"] for line in answers if line["method"] == ours})
    return [
        LABEL_FREE.format(n_seeds=n_seeds),
        scores_table(scores),
        LABEL_FREE_EACH.format(best=setting_of(best_peer(scores))),
        each_table(answers, scores),
        NOTHING.format(n_seeds=len({line["seed"] for line in nothing})),
        nothing_table(nothing),
        GROWTH,
        growth_table(growth),
    ]


def scores_table(lines: Sequence[Line]) -> str:
    """Return the table of methods; HDBSCAN's best setting is set in bold."""
    header = [
        "method",
        "rows",
        "noise",
        "mean",
        "half A",
        "half B",
        "resonart: wins, ties, losses",
        "seconds a data set",
    ]
    best = best_peer(lines)
    table = []
    for line in lines:
        mean = f"{float(line['mean']):.3f}"
        if line is best:
            mean = f"**{mean}**"
        if line["lowest_seed"]:
            low, high = float(line["lowest_seed"]), float(line["highest_seed"])
            mean += f" (seeds {low:.3f} to {high:.3f})"
        table.append(
            [
                line["method"],
                line["scaling"],
                line["noise"],
                mean,
                f"{float(line['mean_a']):.3f}",
                f"{float(line['mean_b']):.3f}",
                f"{line['wins']}, {line['ties']}, {line['losses']}" if line["wins"] else "",
                digits(line["median_seconds"]),
            ]
        )
    return markdown(header, table)


def each_table(answers: Sequence[Line], scores: Sequence[Line]) -> str:
    """Return the compact table of data sets: ours, HDBSCAN twice, DBSCAN, k-means."""
    chosen = [
        scores[0],
        next(line for line in scores if line["method"].startswith("HDBSCAN")),
        best_peer(scores),
        next(line for line in scores if line["method"] == "DBSCAN"),
        next(line for line in scores if line["method"].startswith("k-means")),
    ]
    header = [
        "data",
        "half",
        "rows x features",
        "clusters: true, resonart's",
        "resonart",
        "HDBSCAN's defaults",
        "HDBSCAN's best",
        "DBSCAN",
        "k-means, true k",
    ]
    table = []
    for lines in grouped(answers, "data"):
        ours = of_setting(lines, scores[0])
        table.append(
            [
                lines[0]["data"],
                lines[0]["half"],
                shape(lines[0]),
                f"{lines[0]['n_true']}, {spread([int(line['n_clusters']) for line in ours])}",
                *(index_of(of_setting(lines, score)) for score in chosen),
            ]
        )
    return markdown(header, table)


def nothing_table(lines: Sequence[Line]) -> str:
    """Return the table of rows without clusters, a line for each method."""
    cases = list(dict.fromkeys((x["data"], x["n_rows"], x["n_features"]) for x in lines))
    header = ["method", *(f"{kind}, {count(n)} x {d}" for kind, n, d in cases), "right"]
    table = []
    for of_method in grouped(lines, "method"):
        cells = []
        for case in cases:
            some = [x for x in of_method if (x["data"], x["n_rows"], x["n_features"]) == case]
            cells.append(spread([int(line["n_clusters"]) for line in some]))
        right = sum(int(line["n_clusters"]) <= 1 for line in of_method)
        table.append([of_method[0]["method"], *cells, f"{right} of {len(of_method)}"])
    return markdown(header, table)


def growth_table(lines: Sequence[Line]) -> str:
    """Return the table of many rows: a line for each number of rows, and one for the power."""
    methods = list(dict.fromkeys(line["method"] for line in lines))
    header = ["data", "rows", *(f"{method}: s, index" for method in methods)]
    table = []
    for of_data in grouped(lines, "data"):
        for some in grouped(of_data, "n_rows"):
            by_method = {line["method"]: line for line in some}
            cells = [growth_cell(by_method[method]) for method in methods]
            table.append([some[0]["data"], count(some[0]["n_rows"]), *cells])
    powers = [next(x["power"] for x in lines if x["method"] == method) for method in methods]
    table.append(["**power**", "", *(f"{float(power):.2f}" if power else "" for power in powers)])
    return markdown(header, table)


def growth_cell(line: Line) -> str:
    if not line["seconds"]:
        return "not asked"
    return f"{digits(line['seconds'])}, {float(line['ari']):.3f}"


def draw(folder: Path) -> None:
    """Draw ours and HDBSCAN's best setting on each data set."""
    from ..picture import draw_label_free, values_by_data  # matplotlib is needed for this alone

    answers = read_lines(folder / "results" / "label_free.csv")
    scores = read_lines(folder / "results" / "label_free_scores.csv")
    best = best_peer(scores)
    ours = values_by_data(of_setting(answers, scores[0]))
    peer = values_by_data(of_setting(answers, best))
    name = f"HDBSCAN's best setting ({setting_of(best)})"
    draw_label_free(
        folder / "label_free.png", ours, {data: each[0] for data, each in peer.items()}, name
    )


def best_peer(scores: Sequence[Line]) -> Line:
    """Return HDBSCAN's setting with the highest mean."""
    peers = [line for line in scores if line["method"].startswith("HDBSCAN")]
    return max(peers, key=lambda line: float(line["mean"]))


def of_setting(lines: Sequence[Line], score: Line) -> list[Line]:
    """Return the answers of one method in one setting."""
    names = ("method", "scaling", "noise")
    return [line for line in lines if all(line[name] == score[name] for name in names)]


def setting_of(score: Line) -> str:
    return f"{score['method']}, rows {score['scaling']}, noise {score['noise']}"


def index_of(lines: Sequence[Line]) -> str:
    """Mean adjusted Rand index, with the lowest and the highest where there are several."""
    values = [float(line["ari"]) for line in lines]
    mean = f"{sum(values) / len(values):.3f}"
    return f"{mean} ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else mean
