"""How good the choice is on sets, and on kinds of sets, that it was not trained on.

Folds are made of whole sets or of whole kinds, never of candidates: those of one set have too much
in common. Sets that may be the same rows under two names go together.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from .fit import N_TREES, PRIOR_ODDS, Choice, fit_choice, fit_structure
from .generate import FEW_ROWS
from .grow import GROWN_ROWS
from .records import FEATURES, PAPER, SCORE, Floats, Record

N_FOLDS, N_REPEATS = 4, 1
MARGIN = 0.005  # an index closer than this is a tie
MANY_ROWS, FEW_FEATURES = 1_200, 3
OTHER_ODDS = (0.0, 1.0, 1.5, 2.0)  # that PRIOR_ODDS may be chosen by
SIZES = (f"up to {FEW_ROWS:,}", "more")  # of sets, in rows
SCORE_TIMES_AGREEMENT = FEATURES.index("score times agreement")

Group = Callable[[Record], str]
Pick = Callable[[Record], int]


def of_set(record: Record) -> str:
    return record.outline


def of_kind(record: Record) -> str:
    return record.kind


def size_of(record: Record) -> str:
    return SIZES[record.n_rows > FEW_ROWS]


GROUPS: dict[str, Group] = {"sets": of_set, "kinds": of_kind}


def folds(records: Sequence[Record], group: Group, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each record: those of one group are in one fold."""
    names = default_rng(seed).permutation(sorted({group(r) for r in records}))
    fold = {name: i % n_folds for i, name in enumerate(names.tolist())}
    return np.array([fold[group(r)] for r in records], dtype=np.int64)


def others(
    records: Sequence[Record], group: Group, n_folds: int, seed: int
) -> Iterator[tuple[list[int], list[Record]]]:
    """Yield for each fold which records are in it, and all others."""
    fold = folds(records, group, n_folds, seed)
    for k in range(n_folds):
        inside = np.flatnonzero(fold == k).tolist()
        if inside:
            yield inside, [r for r, own in zip(records, fold, strict=True) if own != k]


# ---------------------------------------------------------------------- choosing


def compare_choices(
    real: Sequence[Record],
    made: Sequence[Record],
    n_folds: int = N_FOLDS,
    n_repeats: int = N_REPEATS,
    n_trees: int = N_TREES,
) -> str:
    """Return the table of ways to choose, from the plain score to the ceiling."""
    plain = chosen(real, lambda r: int(r.seen[:, SCORE].argmax()))
    table = [("plain score", plain)]
    by_agreement: Pick = lambda r: int(r.seen[:, SCORE_TIMES_AGREEMENT].argmax())  # noqa: E731
    table.append(("score times agreement", chosen(real, by_agreement)))
    if any(r.is_labelled for r in made):
        choice = fit_choice([], made, generated_weight=1.0, n_trees=n_trees)
        for name, pick in (("alone", by_trees_alone(choice)), ("and score", choice.best)):
            table.append((f"trees {name}, from made sets only", chosen(real, pick)))
    for apart, group in GROUPS.items():
        found = [held_out(real, made, group, n_folds, seed, n_trees) for seed in range(n_repeats)]
        both = np.mean(found, axis=0)
        for name, mean in zip(("trees alone", "trees and score"), both, strict=True):
            table.append((f"{name}, {apart} apart", mean))
    table.append(("ceiling, by the labels", chosen(real, lambda r: int(r.index.argmax()))))
    return choices_table(real, table, plain)


def chosen(records: Sequence[Record], pick: Pick) -> Floats:
    """Return index and F1 of noise of what is picked for each set; without candidates it is 0."""
    found = np.zeros((len(records), 2))
    for own, r in zip(found, records, strict=True):
        if len(r.index):
            i = pick(r)
            own[:] = r.index[i], r.noise_f1[i]
    return found


def held_out(
    real: Sequence[Record],
    generated: Sequence[Record],
    group: Group,
    n_folds: int,
    seed: int,
    n_trees: int,
) -> Floats:
    """Return what trees that saw none of its group choose for each set: alone, and with the score.

    Of shape (2, n_sets, 2).
    """
    found = np.zeros((2, len(real), 2))
    for inside, rest in others(real, group, n_folds, seed):
        choice = fit_choice(rest, generated, n_trees=n_trees, seed=seed)
        held = [real[i] for i in inside]
        found[0, inside] = chosen(held, by_trees_alone(choice))
        found[1, inside] = chosen(held, choice.best)
    return found


def by_trees_alone(choice: Choice) -> Pick:
    return lambda record: int(choice.model(record.seen).argmax())


def choices_table(
    real: Sequence[Record], table: Sequence[tuple[str, Floats]], plain: Floats
) -> str:
    """Means over some of the sets, and wins and losses against the plain score."""
    given = np.array([not r.is_grown for r in real])
    of_paper = np.array([r.kind == PAPER for r in real])
    some = {
        "pool": given & ~of_paper,
        "paper's 30": given & of_paper,
        f"more than {FEW_FEATURES} features": given
        & np.array([r.n_columns > FEW_FEATURES for r in real]),
        f"more than {MANY_ROWS:,} rows": given & np.array([r.n_rows > MANY_ROWS for r in real]),
    }
    for n in GROWN_ROWS:
        some[f"grown to {n:,}"] = ~given & np.array([n <= r.n_rows < 2 * n for r in real])
    heads = [f"{name} ({int(which.sum())})" for name, which in some.items()]
    lines = []
    for name, found in table:
        ahead = found[given, 0] - plain[given, 0]
        means = [f"{found[which, 0].mean():.3f}" if which.any() else "" for which in some.values()]
        f1 = found[given & ~np.isnan(found[:, 1]), 1]
        lines.append(
            [
                name,
                *means,
                f"{f1.mean():.3f}" if len(f1) else "",
                f"{int((ahead > MARGIN).sum())}, {int((ahead < -MARGIN).sum())}",
            ]
        )
    return markdown(["chosen by", *heads, "noise F1", "wins, losses"], lines)


# ---------------------------------------------------------------------- any structure


@dataclass(frozen=True)
class HeldOut:
    """What both models together make of sets that they were not trained on."""

    # Sets, kinds, collections (then made sets are all that was learned from), or sizes: then that
    # was sets of the other size alone, and no set as grown either.
    apart: str
    rows: str  # of the sets that are judged, see SIZES
    pool: float | None  # mean index; one cluster has 0
    thirty: float | None
    nothing_called_one: float | None  # share
    labelled_called_one: float | None
    n_made: int  # sets trained on
    n_nothing: int


def judge_together(
    real: Sequence[Record],
    generated: Sequence[Record],
    nothing: Sequence[Record],
    n_folds: int = N_FOLDS,
    n_trees: int = N_TREES,
) -> tuple[list[HeldOut], str]:
    """Choose, and tell structure from none, for sets, kinds, collections and sizes kept apart.

    Returns what was found, and the table of both errors at other odds before the look.
    """
    generated = [r for r in generated if r.n_true > 1]
    of_paper = np.array([r.kind == PAPER for r in real])
    found, errors = [], []
    for apart, group in (*GROUPS.items(), ("collections", of_set), ("sizes", of_set)):
        odds, index = structure_held_out(real, generated, nothing, group, n_folds, n_trees, apart)
        without, having = np.split(odds, [len(nothing)])
        in_size = {
            size: [np.array([size_of(r) == size for r in some]) for some in (nothing, real)]
            for size in SIZES
        }
        for size, (empty, sized) in in_size.items():
            is_found = having[sized] > -PRIOR_ODDS
            pool, thirty = (
                mean_of((index[sized] * is_found)[of_paper[sized] == paper])
                for paper in (False, True)
            )
            found.append(
                HeldOut(
                    apart,
                    size,
                    pool,
                    thirty,
                    nothing_called_one=mean_of(without[empty] <= -PRIOR_ODDS),
                    labelled_called_one=mean_of(~is_found),
                    n_made=len(generated),
                    n_nothing=len(nothing),
                )
            )
        for prior in OTHER_ODDS:
            shares = [
                share
                for empty, sized in in_size.values()
                for share in (mean_of(without[empty] > -prior), mean_of(having[sized] <= -prior))
            ]
            errors.append([apart, f"{prior:g}", *map(as_percent, shares)])
    header = ["trained without the same", "odds before the look"]
    for size in SIZES:
        header += [f"{size} rows: no structure, called several", "labelled, called one"]
    return found, markdown(header, errors)


def as_percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def mean_of(values: Floats | NDArray[np.bool_]) -> float | None:
    return float(values.mean()) if len(values) else None


def together_table(found: Sequence[HeldOut]) -> str:
    """Return the table of both models together."""
    header = ["trained without the same", "rows", "pool", "paper's 30"]
    header += ["no structure, called one cluster", "labelled, called one cluster"]
    return markdown(
        header,
        [
            [
                *(one.apart, one.rows),
                *("" if mean is None else f"{mean:.3f}" for mean in (one.pool, one.thirty)),
                *map(as_percent, (one.nothing_called_one, one.labelled_called_one)),
            ]
            for one in found
        ],
    )


def write_validation(path: Path, found: Sequence[HeldOut]) -> None:
    """Keep it as a CSV file, which the benchmarks show beside what they measure."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(HeldOut)])
        for one in found:
            values = astuple(one)
            writer.writerow([f"{v:.4f}" if isinstance(v, float) else v for v in values])


def structure_held_out(
    real: Sequence[Record],
    generated: Sequence[Record],
    nothing: Sequence[Record],
    group: Group,
    n_folds: int,
    n_trees: int,
    apart: str,
) -> tuple[Floats, Floats]:
    """Return the odds of structure, first of sets without it, and the index of real sets.

    Both models are fitted anew without each fold. The index is that of several clusters, and the
    odds are what is added to those before the look.
    """
    odds = np.full(len(nothing) + len(real), -np.inf)
    index = np.zeros(len(real))
    every = (real, generated, nothing)
    in_folds = [folds(some, group, n_folds, seed=0) for some in every]
    # Sizes apart: each is judged by what was learned from the other.
    sizes = [{size} for size in SIZES] if apart == "sizes" else [set(SIZES)]
    for k, judged in product(range(n_folds), sizes):
        learned = judged if len(judged) > 1 else set(SIZES) - judged
        mine, made, empty = (
            [r for r, own in zip(some, fold, strict=True) if own != k and size_of(r) in learned]
            for some, fold in zip(every, in_folds, strict=True)
        )
        if apart == "collections":
            mine = []
            choice = fit_choice([], made, generated_weight=1.0, n_trees=n_trees)
        else:
            choice = fit_choice(mine, made, n_trees=n_trees)
        structure = fit_structure(choice, empty, [*mine, *made])
        held, held_empty = (
            [i for i, r in enumerate(some) if fold[i] == k and size_of(r) in judged]
            for some, fold in ((real, in_folds[0]), (nothing, in_folds[2]))
        )
        odds[held_empty] = structure.odds([nothing[i] for i in held_empty], choice)
        odds[[len(nothing) + i for i in held]] = structure.odds([real[i] for i in held], choice)
        index[held] = chosen([real[i] for i in held], choice.best)[:, 0]
    return odds, index


def markdown(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *table]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
