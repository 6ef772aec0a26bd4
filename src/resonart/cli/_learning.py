"""One pass over a table: read as a whole if it is small, and in chunks if it is not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import resonart

from ._clock import forgets, split_times
from ._cluster_ids import ClusterIds
from ._errors import CommandError
from ._late import Integers, in_blocks, tables
from ._output import Advance

if TYPE_CHECKING:
    from resonart.io import Chunk

    OnChunk = Callable[[Chunk, Integers], None]


class FirstRows(NamedTuple):
    """The first rows of a table, and whether they are all."""

    chunk: Chunk
    is_all: bool
    rest: Iterator[Chunk]


class Learned(NamedTuple):
    """What one pass has come to."""

    in_memory: bool  # all rows were learned by one fit
    n_first_rows: int  # learned at first; a vigilance was chosen from them
    seconds: float  # spent learning, reading not counted
    labels: Integers  # of every id


def read_first_rows(chunks: Iterable[Chunk], limit: int, advance: Advance) -> FirstRows:
    """Read up to ``limit`` rows; the rest stays unread."""
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
        return FirstRows(tables.join_chunks(taken), True, iter(()))
    whole = tables.join_chunks(taken)
    rest = chain([tables.part_of(whole, limit, n_rows)], chunks)
    return FirstRows(tables.part_of(whole, 0, limit), False, rest)


def learn(
    model: Any,
    first: FirstRows,
    on_chunk: OnChunk,
    advance: Advance,
    *,
    has_times: bool = False,
    has_dates: bool = False,
) -> Learned:
    """Let the model learn all rows, and pass on every chunk with the ids of its clusters.

    A table that is read as a whole is learned by ``fit``, and a larger one block by block.
    """
    ids = ClusterIds()
    seconds = 0.0
    n_first_rows = len(first.chunk.rows)
    if not first.is_all:
        check_goes_in_chunks(model, n_first_rows)
    for chunk in chain([first.chunk], first.rest):
        began = time.perf_counter()
        rows, times = split_times(chunk.rows, has_times, has_dates=has_dates)
        if times is not None:
            labels = (model.fit if first.is_all else model.partial_fit)(rows, time=times).labels_
        else:
            labels = model.fit(rows).labels_ if first.is_all else in_blocks.learn_block(model, rows)
        seconds += time.perf_counter() - began
        if forgets(model):
            on_chunk(chunk, labels)  # which clusters rows were in that are gone stays so
            advance(len(rows))
            continue
        if first.is_all or keeps_labels(model):
            ids.follow(model.n_clusters_, getattr(model, "label_map_", None))
        on_chunk(chunk, ids.of(labels))
        advance(len(chunk.rows))
    if not first.is_all:
        began = time.perf_counter()
        label_map = in_blocks.end_blocks(model)
        seconds += time.perf_counter() - began
        if label_map is not None and keeps_labels(model) and not forgets(model):
            ids.follow(model.n_clusters_, label_map)
    return Learned(first.is_all, n_first_rows, seconds, ids.labels())


def check_goes_in_chunks(model: Any, n_first_rows: int) -> None:
    """Raise an error for options that need all rows in memory."""
    cure = f"Give --in-memory-rows a larger number than {n_first_rows:,}, or leave it out."
    params = model.get_params()
    if params.get("order", "given") != "given":
        raise CommandError(
            f"--order {params['order']} needs all rows in memory, and the table has more than "
            f"{n_first_rows:,}. {cure}"
        )
    if params.get("max_epochs", 1) != 1:
        raise CommandError(
            f"--epochs {params['max_epochs']} needs all rows in memory, and the table has more "
            f"than {n_first_rows:,}. {cure}"
        )


def keeps_labels(model: Any) -> bool:
    """Return whether a row stays in its cluster, but for merging.

    TopoART renumbers its clusters as links change, and DensityART reads them again, so that they
    may split. Their labels are known only if all rows are asked for again after the last one is
    learned. If DensityART forgets, that is not possible: rows keep the label they got on arrival.
    """
    return forgets(model) or not isinstance(model, (resonart.TopoART, resonart.DensityART))


def labels_are_final(model: Any, learned: Learned) -> bool:
    """Return whether labels given on the way are final."""
    return learned.in_memory or keeps_labels(model)
