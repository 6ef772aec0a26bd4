"""How good the choice is on sets, and on kinds of sets, that it was not trained on.

Folds are made of whole sets or of whole kinds, never of candidates: those of one set have too much
in common. Sets that may be the same rows under two names go together.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from .fit import N_GENERATED, N_TREES, Choice, fit_choice, fit_structure
from .records import FEATURES, PAPER, SCORE, Floats, Record

N_FOLDS, N_REPEATS = 6, 3
MARGIN = 0.005  # an index closer than this is a tie
MANY_ROWS, FEW_FEATURES = 1_200, 3
SCORE_TIMES_AGREEMENT = FEATURES.index("score times agreement")

Group = Callable[[Record], str]
Pick = Callable[[Record], int]


def of_set(record: Record) -> str:
    return record.outline


def of_kind(record: Record) -> str:
    return record.kind


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
    generated: Sequence[Record],
    made: Sequence[Record],
    n_folds: int = N_FOLDS,
    n_repeats: int = N_REPEATS,
    n_trees: int = N_TREES,
) -> str:
    """Return the table of ways to choose, from the plain score to the ceiling.

    ``generated`` are the few sets that help the others, ``made`` those that are to do it alone.
    """
    plain = chosen(real, lambda r: int(r.seen[:, SCORE].argmax()))
    table = [("plain score", plain)]
    by_agreement: Pick = lambda r: int(r.seen[:, SCORE_TIMES_AGREEMENT].argmax())  # noqa: E731
    table.append(("score times agreement", chosen(real, by_agreement)))
    if any(r.is_labelled for r in made):
        choice = fit_choice([], made, generated_weight=1.0, n_trees=n_trees)
        for name, pick in (("alone", by_trees_alone(choice)), ("and score", choice.best)):
            table.append((f"trees {name}, from made sets only", chosen(real, pick)))
    for apart, group in GROUPS.items():
        found = [
            held_out(real, generated, group, n_folds, seed, n_trees) for seed in range(n_repeats)
        ]
        both = np.mean(found, axis=0)
        for name, mean in zip(("trees alone", "trees and score"), both, strict=True):
            table.append((f"{name}, {apart} apart", mean))
    table.append(("ceiling, by the labels", chosen(real, lambda r: int(r.index.argmax()))))
    return choices_table(real, table, plain)


def chosen(records: Sequence[Record], pick: Pick) -> Floats:
    """Return index and F1 of noise of what is picked for each set."""
    places = [pick(r) for r in records]
    return np.array(
        [(r.index[i], r.noise_f1[i]) for r, i in zip(records, places, strict=True)]
    ).reshape(-1, 2)


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
    some = {
        "pool": np.array([r.kind != PAPER for r in real]),
        "paper's 30": np.array([r.kind == PAPER for r in real]),
        f"more than {FEW_FEATURES} features": np.array([r.n_columns > FEW_FEATURES for r in real]),
        f"more than {MANY_ROWS:,} rows": np.array([r.n_rows > MANY_ROWS for r in real]),
    }
    heads = [f"{name} ({int(which.sum())})" for name, which in some.items()]
    lines = []
    for name, found in table:
        ahead = found[:, 0] - plain[:, 0]
        means = [f"{found[which, 0].mean():.3f}" if which.any() else "" for which in some.values()]
        f1 = found[~np.isnan(found[:, 1]), 1]
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

    apart: str  # sets, kinds, or collections: then made sets are all that was learned from
    pool: float | None  # mean index; one cluster has 0
    thirty: float | None
    nothing_called_one: float  # share
    labelled_called_one: float
    n_made: int  # sets trained on
    n_nothing: int


def judge_together(
    real: Sequence[Record],
    generated: Sequence[Record],
    nothing: Sequence[Record],
    n_folds: int = N_FOLDS,
    n_trees: int = N_TREES,
) -> list[HeldOut]:
    """Choose, and tell structure from none, for sets, kinds and collections kept apart."""
    generated = [r for r in generated if r.n_true > 1]
    found = []
    for apart, group in (*GROUPS.items(), ("collections", of_set)):
        called, index = structure_held_out(
            real, generated, nothing, group, n_folds, n_trees, made_only=apart == "collections"
        )
        of_paper = np.array([r.kind == PAPER for r in real])
        without, having = np.split(called, [len(nothing)])
        found.append(
            HeldOut(
                apart,
                pool=mean_of(index[~of_paper]),
                thirty=mean_of(index[of_paper]),
                nothing_called_one=float((~without).mean()),
                labelled_called_one=float((~having).mean()),
                n_made=len(generated),
                n_nothing=len(nothing),
            )
        )
    return found


def mean_of(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def together_table(found: Sequence[HeldOut]) -> str:
    """Return the table of both models together."""
    header = ["trained without the same", "pool", "paper's 30"]
    header += ["no structure, called one cluster", "labelled, called one cluster"]
    return markdown(
        header,
        [
            [
                one.apart,
                *("" if mean is None else f"{mean:.3f}" for mean in (one.pool, one.thirty)),
                f"{100 * one.nothing_called_one:.1f} %",
                f"{100 * one.labelled_called_one:.1f} %",
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
    made_only: bool = False,
) -> tuple[NDArray[np.bool_], Floats]:
    """Return where structure is seen, first in sets without it, and the index of real sets.

    Both models are fitted anew without each fold. One cluster has the index 0.
    """
    called = np.zeros(len(nothing) + len(real), dtype=bool)
    index = np.zeros(len(real))
    real_folds, made_folds, no_folds = (
        folds(some, group, n_folds, seed=0) for some in (real, generated, nothing)
    )
    for k in range(n_folds):
        rest = [
            [r for r, own in zip(some, fold, strict=True) if own != k]
            for some, fold in (
                (real, real_folds),
                (generated, made_folds),
                (nothing, no_folds),
            )
        ]
        if made_only:
            rest[0] = []
            choice = fit_choice([], rest[1], generated_weight=1.0, n_trees=n_trees)
        else:
            choice = fit_choice(rest[0], rest[1][:N_GENERATED], n_trees=n_trees)
        structure = fit_structure(choice, rest[2], [*rest[0], *rest[1]])
        inside = np.flatnonzero(no_folds == k)
        called[inside] = structure.is_found([nothing[i] for i in inside.tolist()], choice)
        inside = np.flatnonzero(real_folds == k)
        held = [real[i] for i in inside.tolist()]
        called[len(nothing) + inside] = found = structure.is_found(held, choice)
        index[inside] = chosen(held, choice.best)[:, 0] * found
    return called, index


def markdown(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *table]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
