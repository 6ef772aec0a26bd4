"""One pass over a table: read whole where it is small, in chunks where it is not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import resonart
from resonart._estimators.in_blocks import end_blocks, learn_block
from resonart.io import Chunk
from resonart.io._read import join_chunks, part_of

from ._cluster_ids import ClusterIds, Integers
from ._errors import CommandError
from ._output import Tick


class Head(NamedTuple):
    """The first rows of a table, and whether they are all."""

    chunk: Chunk
    is_all: bool
    rest: Iterator[Chunk]


class Learned(NamedTuple):
    """What one pass has come to."""

    in_memory: bool  # all rows were learned by one fit
    n_head_rows: int  # learned at first; a vigilance was chosen from them
    seconds: float  # spent learning, reading not counted
    labels: Integers  # of every id


Keep = Callable[[Chunk, Integers], None]


def read_head(chunks: Iterable[Chunk], limit: int, tick: Tick) -> Head:
    """Read up to so many rows; what comes after them stays unread."""
    chunks = iter(chunks)
    taken: list[Chunk] = []
    n_rows = 0
    for chunk in chunks:
        tick(len(chunk.rows))
        taken.append(chunk)
        n_rows += len(chunk.rows)
        if n_rows > limit:
            break
    else:
        return Head(join_chunks(taken), True, iter(()))
    whole = join_chunks(taken)
    return Head(part_of(whole, 0, limit), False, chain([part_of(whole, limit, n_rows)], chunks))


def learn(model: Any, head: Head, keep: Keep, tick: Tick) -> Learned:
    """Let the model learn all rows, and hand every chunk on with the ids of its clusters.

    A table that is read whole is learned by ``fit``, a larger one block by block.
    """
    names = ClusterIds()
    clock = Clock()
    n_head_rows = len(head.chunk.rows)
    if not head.is_all:
        check_goes_in_chunks(model, n_head_rows)
    with clock:
        labels = (
            model.fit(head.chunk.rows).labels_
            if head.is_all
            else learn_block(model, head.chunk.rows)
        )
    tracker = Tracker(model, names)
    tracker.follow()
    keep(head.chunk, names.of(labels))
    for chunk in head.rest:
        with clock:
            labels = learn_block(model, chunk.rows)
        tracker.follow()
        keep(chunk, names.of(labels))
        tick(len(chunk.rows))
    if not head.is_all:
        with clock:
            label_map = end_blocks(model)
        if label_map is not None:
            names.follow(model.n_clusters_, label_map)
    return Learned(head.is_all, n_head_rows, clock.seconds, names.labels())


def check_goes_in_chunks(model: Any, n_head_rows: int) -> None:
    """Say what was asked for that only rows read whole can have."""
    params = model.get_params()
    cure = f"Give --in-memory-rows a larger number than {n_head_rows:,}, or leave it out."
    if params["order"] != "given":
        raise CommandError(
            f"--order {params['order']} needs all rows in memory, and the table has more than "
            f"{n_head_rows:,}. {cure}"
        )
    if params["max_epochs"] != 1:
        raise CommandError(
            f"--epochs {params['max_epochs']} needs all rows in memory, and the table has more "
            f"than {n_head_rows:,}. {cure}"
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
