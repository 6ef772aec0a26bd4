"""Question: does DensityART hold what it has found while a stream that never changes goes on?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from statistics import fmean
from typing import Any

import numpy as np

from ..data_sets import collection
from ..question import Case, Goal, Question, Size, Table, Tables, grid, verdict
from ..results import Line, grouped
from ..streams import made
from ..words import markdown, pivot
from ..workloads import RADII, Labelled, Labels, Rows, Workload
from .density_quality import density, facts
from .label_free import hdbscan, judged, n_clusters

BATCHES, ROW_BY_ROW, MERGED = "in batches", "row by row", "two models merged"
WAYS = (BATCHES, ROW_BY_ROW, MERGED)
DEFAULT_BUDGET = 10_000
PEER_SIZE = 10  # min_cluster_size of HDBSCAN

GOAL_LOSS, GOAL_ROWS = 0.02, 2_000
GOAL_END, GOAL_BUDGETS = 0.02, 0.03
GOAL_AGREEMENT = 0.93

# ---------------------------------------------------------------------- streams


def noisy_rings(n_rows: int) -> Labelled:
    rows, labels = Workload("noisy rings", 2).rows(n_rows)
    return rows, np.where(labels == len(RADII), -1, labels)


def moons(n_rows: int) -> Labelled:
    stream = made("moons", n_rows)
    return stream.rows, stream.labels


STREAMS: dict[str, Callable[[int], Labelled]] = {
    "noisy rings": noisy_rings,
    "blobs": Workload("blobs", 2).rows,
    "moons": moons,
}


@cache
def stream_of(data: str, n_rows: int) -> Labelled:
    return STREAMS[data](n_rows)


def known_index(labels: Labels, truth: Labels) -> float:
    """Adjusted Rand index without rows of true noise."""
    known = truth >= 0
    return float(judged(labels[known], truth[known])["ari"])


# ---------------------------------------------------------------------- from reading to reading


def reading_cases(size: Size) -> list[Case]:
    """In batches to the end, row by row for a shorter time."""
    return [
        {"data": data, "way": way, "n_rows": n_rows}
        for data in STREAMS
        for way, n_rows in ((BATCHES, size["n_batched"]), (ROW_BY_ROW, size["n_one_by_one"]))
    ]


def measure_readings(data: str, way: str, n_rows: int, batch_rows: int) -> Iterator[dict[str, Any]]:
    """Keep every label that was told, rename them all by each map, and judge after a reading."""
    from resonart import rename_labels

    rows, truth = stream_of(data, n_rows)
    yield {}
    stored = np.empty(n_rows, dtype=np.int64)
    readings, before, seen = 0, None, 0
    for model, labels in LEARN[way](rows, batch_rows):
        if model.label_map_:
            stored[:seen] = rename_labels(stored[:seen], model.label_map_)
        stored[seen : seen + len(labels)] = labels
        seen += len(labels)
        if model.n_readings_ > readings or seen == n_rows:
            readings = model.n_readings_
            ari = known_index(stored[:seen], truth[:seen])
            yield {
                "n_seen": seen,
                "n_readings": readings,
                "n_clusters": model.n_clusters_,
                "ari": ari,
                "lost": None if before is None else max(0.0, before - ari),
            }
            before = ari


def in_batches(
    rows: Rows, batch_rows: int, budget: int = DEFAULT_BUDGET
) -> Iterator[tuple[Any, Labels]]:
    """Learn batch after batch; after each, yield the model and the labels of the batch."""
    from resonart import DensityART

    model = DensityART(noise="nearest", max_categories=budget)
    for start in range(0, len(rows), batch_rows):
        model.partial_fit(rows[start : start + batch_rows])
        yield model, model.labels_


def one_by_one(
    rows: Rows, batch_rows: int, budget: int = DEFAULT_BUDGET
) -> Iterator[tuple[Any, Labels]]:
    """Learn row after row; after each, yield the model and the label of the row."""
    from resonart import DensityART

    model = DensityART(noise="nearest", max_categories=budget)
    for row in rows.tolist():
        label = model.learn_one(row)
        yield model, np.array([label])


LEARN = {BATCHES: in_batches, ROW_BY_ROW: one_by_one}

# ---------------------------------------------------------------------- at the end


def measure_end(data: str, budget: int, end_rows: int, batch_rows: int) -> Iterator[dict[str, Any]]:
    """Compare the clusters at the end of a stream, however it came, with those of ``fit``."""
    rows, truth = stream_of(data, end_rows)
    yield {
        name: known_index(density(rows, max_categories=most), truth)
        for name, most in (("fit_ari", DEFAULT_BUDGET), ("own_fit_ari", budget))
    }
    for way in WAYS:
        model = learned(way, rows, batch_rows, budget)
        ari = known_index(model.predict(rows), truth)
        yield {"way": way, "ari": ari, "n_clusters": model.n_clusters_}


def learned(way: str, rows: Rows, batch_rows: int, budget: int) -> Any:
    """Return the model at the end of a stream, or that of two streams of half of the rows each."""
    from resonart import merge_models

    if way == MERGED:
        halves = (rows[0::2], rows[1::2])
        return merge_models([learned(BATCHES, half, batch_rows, budget) for half in halves])
    for model, _ in LEARN[way](rows, batch_rows, budget):
        last = model
    return last


# ---------------------------------------------------------------------- tables


def table_cases(size: Size) -> list[Case]:
    return [{"data": name, "sets": size["tables"]} for name in collection(size["tables"])]


def measure_table(data: str, sets: str, n_batches: int) -> Iterator[dict[str, Any]]:
    """Learn a table in some batches, in random order, and read its clusters after each."""
    from resonart import DensityART

    known = collection(sets)[data]
    yield facts(known)
    order = np.random.default_rng(29).permutation(len(known.rows))
    model = DensityART()
    counts = []
    for part in np.array_split(order, n_batches):
        model.partial_fit(known.rows[part])
        model.update_clusters()
        counts.append(model.n_clusters_)
    yield {"counts": " ".join(map(str, counts)), "n_fit": n_clusters(density(known.rows, "label"))}


def measure_samples(
    data: str, sets: str, n_pairs: int, sample_share: float
) -> Iterator[dict[str, Any]]:
    """Let two random samples answer, and compare what they say of the rows that both have."""
    known = collection(sets)[data]
    yield facts(known)
    random = np.random.default_rng(30)
    size = round(sample_share * len(known.rows))
    pairs = [
        tuple(np.sort(random.permutation(len(known.rows))[:size]) for _ in range(2))
        for _ in range(n_pairs)
    ]
    for seed, (one, two) in enumerate(pairs):
        yield {
            "seed": seed,
            "ours": agreement(lambda rows: density(rows, "label"), known.rows, one, two),
            "peer": agreement(lambda rows: hdbscan(rows, PEER_SIZE), known.rows, one, two),
        }


def agreement(ask: Callable[[Rows], Labels], rows: Rows, one: Labels, two: Labels) -> float:
    """Index between the answers to two samples, on common rows; noise counts as a cluster."""
    _, first, second = np.intersect1d(one, two, assume_unique=True, return_indices=True)
    return float(judged(ask(rows[one])[first], ask(rows[two])[second])["ari"])


# ---------------------------------------------------------------------- goals


def goals(tables: Tables) -> list[Goal]:
    return [
        of_readings(tables["rows_stream"]),
        *of_ends(tables["rows_stream_end"]),
        of_samples(tables["rows_stream_samples"]),
    ]


def of_readings(lines: Sequence[Line]) -> Goal:
    """Judge every reading after the first rows; the streams that lost once too much missed."""
    judged_lines = [x for x in lines if x["lost"] is not None and x["n_seen"] > GOAL_ROWS]
    judged_lines = judged_lines or list(lines)[-1:]  # a quick run is too short
    missed = [x for x in judged_lines if (x["lost"] or 0.0) > GOAL_LOSS]
    streams = grouped(judged_lines, "data", "way")
    worst = max(judged_lines, key=lambda x: x["lost"] or 0.0)
    return Goal(
        f"stored labels of a stream that never changes lose at most {GOAL_LOSS:g} from one reading "
        f"to the next, from {GOAL_ROWS:,} rows on",
        verdict(not missed, in_part=len(grouped(missed, "data", "way")) < len(streams)),
        said(worst),
        misses=[said(x) for x in missed],
    )


def said(line: Line) -> str:
    return (
        f"{line['data']}, {line['way']}, {line['n_seen']:,} rows: {line['lost'] or 0.0:.3f} lost, "
        f"{line['ari']:.3f} left"
    )


def of_ends(lines: Sequence[Line]) -> list[Goal]:
    """Judge the usual bound on categories, and the others."""
    usual = [x for x in lines if x["budget"] == DEFAULT_BUDGET] or lines[:1]
    others = [x for x in lines if x not in usual]
    n_rows = lines[0]["end_rows"]
    least, most = (pick(x["budget"] for x in lines) for pick in (min, max))
    return [
        end_goal(f"the end of a stream of {n_rows:,} rows as good as `fit`", usual, GOAL_END),
        end_goal(
            f"the same with `max_categories` from {least:,} to {most:,}", others, GOAL_BUDGETS
        ),
    ]


def end_goal(what: str, lines: Sequence[Line], allowed: float) -> Goal:
    missed = [x for x in lines if behind(x) > allowed]
    return Goal(
        f"{what}, within {allowed:g}",
        verdict(not missed, in_part=len(missed) < len(lines)),
        said_of_end(max(lines, key=behind)),
        misses=[said_of_end(x) for x in missed],
    )


def behind(line: Line) -> float:
    return float(line["fit_ari"] - line["ari"])


def said_of_end(line: Line) -> str:
    return (
        f"{line['data']}, {line['way']}, {line['budget']:,} categories: {line['ari']:.3f}, "
        f"`fit` {line['fit_ari']:.3f}"
    )


def of_samples(lines: Sequence[Line]) -> Goal:
    ours, peer = (mean_agreement(lines, name) for name in ("ours", "peer"))
    return Goal(
        f"two random samples of a table agree: mean index between them {GOAL_AGREEMENT:g}",
        verdict(ours >= GOAL_AGREEMENT),
        f"{ours:.3f}, HDBSCAN {peer:.3f}",
    )


def mean_agreement(lines: Sequence[Line], name: str) -> float:
    return fmean(fmean(x[name] for x in some) for some in grouped(lines, "data"))


# ---------------------------------------------------------------------- the page


def show(tables: Tables) -> dict[str, Any]:
    lines, ends = tables["rows_stream"], tables["rows_stream_end"]
    batched, samples = tables["rows_stream_tables"], tables["rows_stream_samples"]
    return {
        "n_batches": len(str(batched[0]["counts"]).split()),
        "share": f"{100 * samples[0]['sample_share']:g} %",
        "streams": streams_table(lines),
        "n_end": ends[0]["end_rows"],
        "ends": pivot(
            ends,
            {"stream": "{data}", "how": "{way}"},
            ["data", "way"],
            ["budget"],
            "`max_categories` {budget:,}",
            "{ari:.3f} ({own_fit_ari:.3f})",
            after={"`fit`": lambda some: f"{some[0]['fit_ari']:.3f}"},
        ),
        "n_pairs": len({x["seed"] for x in samples}),
        "samples": samples_table(samples),
    }


def streams_table(lines: Sequence[Line]) -> str:
    """Return a row for each stream: the worst that a reading did, and the end."""

    def row(some: Sequence[Line]) -> list[str]:
        late = [x for x in some if x["lost"] is not None and x["n_seen"] > GOAL_ROWS] or some[-1:]
        worst = max(late, key=lambda x: x["lost"] or 0.0)
        return [
            *(some[0][name] for name in ("data", "way")),
            f"{some[0]['n_rows']:,}",
            str(some[-1]["n_readings"]),
            f"{worst['lost'] or 0.0:.3f} at {worst['n_seen']:,}",
            f"{min(x['ari'] for x in late):.3f}",
            f"{some[-1]['ari']:.3f}",
            str(some[-1]["n_clusters"]),
        ]

    head = ["stream", "how", "rows", "readings", "most lost", "lowest", "at the end", "clusters"]
    return markdown(head, [row(some) for some in grouped(lines, "data", "way")])


def samples_table(lines: Sequence[Line]) -> str:
    def row(some: Sequence[Line]) -> list[str]:
        cells = [
            f"{fmean(x[name] for x in some):.3f} ({min(x[name] for x in some):.3f})"
            for name in ("ours", "peer")
        ]
        return [some[0]["data"], f"{some[0]['n_rows']:,} x {some[0]['n_features']}", *cells]

    every = grouped(lines, "data")
    means = [f"{mean_agreement(lines, name):.3f}" for name in ("ours", "peer")]
    head = ["table", "rows x features", "DensityART", f"HDBSCAN {PEER_SIZE}"]
    return markdown(head, [*map(row, every), ["mean", "", *means]])


QUESTION = Question(
    "rows_stream",
    tables=[
        Table(
            "rows_stream",
            "data way n_rows n_seen n_readings n_clusters ari lost",
            measure_readings,
            reading_cases,
            within="n_seen",
            note="{n_clusters} clusters, index {ari:.3f}",
        ),
        Table(
            "rows_stream_end",
            "data budget way end_rows ari n_clusters fit_ari own_fit_ari",
            measure_end,
            grid("data", "budget"),
            within="way",
            note="index {ari:.3f}, fit {fit_ari:.3f}",
        ),
        Table(
            "rows_stream_tables",
            "data n_rows n_features n_true counts n_fit",
            measure_table,
            table_cases,
            columns={
                "table": "{data}",
                "rows x features": "{n_rows:,} x {n_features}",
                "classes": "{n_true}",
                "clusters after each batch": lambda x: ", ".join(str(x["counts"]).split()),
                "`fit`": "{n_fit}",
            },
            note="{counts} clusters",
        ),
        Table(
            "rows_stream_samples",
            "data seed n_rows n_features n_true sample_share ours peer",
            measure_samples,
            table_cases,
            within="seed",
            note="{ours:.3f}, HDBSCAN {peer:.3f}",
        ),
    ],
    goals=goals,
    show=show,
    sizes={
        "n_batched": (1_000_000, 400),
        "n_one_by_one": (200_000, 200),
        "batch_rows": (1_000, 100),
        "data": (tuple(STREAMS), tuple(STREAMS)[:1]),
        "budget": ((2_000, 5_000, 10_000, 20_000, 40_000), (50, 100)),
        "end_rows": (300_000, 300),
        "tables": ("tables", "tiny tables"),
        "n_batches": (10, 3),
        "n_pairs": (3, 2),
        "sample_share": (0.98, 0.9),
    },
)
