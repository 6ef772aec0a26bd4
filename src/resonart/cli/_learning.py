"""One pass over a table: read whole where it is small, in chunks where it is not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

import resonart
from resonart._estimators.in_blocks import end_blocks, learn_block
from resonart.io import Chunk

from ._cluster_ids import ClusterIds, Integers
from ._errors import CommandError
from ._output import Advance


class FirstRows(NamedTuple):
    """The first rows of a table, and whether they are all."""

    chunk: Chunk
    is_all: bool
    rest: Iterator[Chunk]


class Learned(NamedTuple):
    """What one pass has come to.

    Attributes
    ----------
    in_memory : bool
        Whether all rows were learned by one ``fit``.
    n_first_rows : int
        Rows that were learned at first; a vigilance was chosen from them.
    seconds : float
        Time spent learning, reading not counted.
    labels : ndarray
        The label of every id.
    """

    in_memory: bool
    n_first_rows: int
    seconds: float
    labels: Integers


OnChunk = Callable[[Chunk, Integers], None]


def read_first_rows(chunks: Iterable[Chunk], limit: int, advance: Advance) -> FirstRows:
    """Read up to so many rows; what comes after them stays unread."""
    chunks = iter(chunks)
    taken: list[Chunk] = []
    n_rows = 0
    for chunk in chunks:
        advance(len(chunk.rows))
        taken.append(chunk)
        n_rows += len(chunk.rows)
        if n_rows > limit:
            break
    else:
        return FirstRows(join(taken), True, iter(()))
    whole = join(taken)
    return FirstRows(cut(whole, 0, limit), False, chain([cut(whole, limit, n_rows)], chunks))


def join(chunks: Sequence[Chunk]) -> Chunk:
    """Return one chunk out of several."""
    if len(chunks) == 1:
        return chunks[0]
    classes = [chunk.labels for chunk in chunks if chunk.labels is not None]
    return Chunk(
        np.concatenate([chunk.rows for chunk in chunks]),
        np.concatenate(classes) if classes else None,
        np.concatenate([chunk.numbers for chunk in chunks]),
    )


def cut(chunk: Chunk, begin: int, end: int) -> Chunk:
    """Return some of the rows of a chunk."""
    classes = None if chunk.labels is None else chunk.labels[begin:end]
    return Chunk(chunk.rows[begin:end], classes, chunk.numbers[begin:end])


def learn(model: Any, first: FirstRows, on_chunk: OnChunk, advance: Advance) -> Learned:
    """Let the model learn all rows, and hand every chunk on with the ids of its clusters.

    A table that is read whole is learned by ``fit``, a larger one block by block.
    """
    names = ClusterIds()
    clock = Clock()
    n_first_rows = len(first.chunk.rows)
    if not first.is_all:
        check_goes_in_chunks(model, n_first_rows)
    with clock:
        labels = (
            model.fit(first.chunk.rows).labels_
            if first.is_all
            else learn_block(model, first.chunk.rows)
        )
    tracker = Tracker(model, names)
    tracker.follow()
    on_chunk(first.chunk, names.of(labels))
    for chunk in first.rest:
        with clock:
            labels = learn_block(model, chunk.rows)
        tracker.follow()
        on_chunk(chunk, names.of(labels))
        advance(len(chunk.rows))
    if not first.is_all:
        with clock:
            label_map = end_blocks(model)
        if label_map is not None:
            names.follow(model.n_clusters_, label_map)
    return Learned(first.is_all, n_first_rows, clock.seconds, names.labels())


def check_goes_in_chunks(model: Any, n_first_rows: int) -> None:
    """Say what was asked for that only rows read whole can have."""
    params = model.get_params()
    cure = f"Give --in-memory-rows a larger number than {n_first_rows:,}, or leave it out."
    if params["order"] != "given":
        raise CommandError(
            f"--order {params['order']} needs all rows in memory, and the table has more than "
            f"{n_first_rows:,}. {cure}"
        )
    if params["max_epochs"] != 1:
        raise CommandError(
            f"--epochs {params['max_epochs']} needs all rows in memory, and the table has more "
            f"than {n_first_rows:,}. {cure}"
        )


class Tracker:
    """Follow the labels of a model from call to call."""

    def __init__(self, model: Any, names: ClusterIds) -> None:
        self._model = model
        self._names = names
        # Of the first call no label is older than it.
        self._n_merges = getattr(model, "n_merges_", 0)

    def follow(self) -> None:
        """Note what the last call did to the labels."""
        model = self._model
        if isinstance(model, resonart.TopoART):
            return  # which numbers its clusters anew each time: see labels_are_final
        label_map = None
        n_merges = getattr(model, "n_merges_", 0)
        if n_merges != self._n_merges:
            label_map = model.label_map_
            self._n_merges = n_merges
        self._names.follow(model.n_clusters_, label_map)


def labels_are_final(model: Any, learned: Learned) -> bool:
    """Tell whether labels given on the way can be told now.

    TopoART numbers its clusters by what is linked, anew each time; only all rows asked again, after
    the last is learned, tell their clusters.
    """
    return learned.in_memory or not isinstance(model, resonart.TopoART)


class Clock:
    """Add up the time spent inside it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._begin = 0.0

    def __enter__(self) -> None:
        self._begin = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._begin
