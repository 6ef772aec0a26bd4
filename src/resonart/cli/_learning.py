"""Learning a table: read as a whole if it is small, and in chunks if it is not."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import CommandError
from ._late import clocks, in_blocks, reading
from ._output import Advance

if TYPE_CHECKING:
    from resonart.tables import Chunk


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
        return FirstRows(reading.join_chunks(taken), True, iter(()))
    whole = reading.join_chunks(taken)
    rest = chain([reading.part_of(whole, limit, n_rows)], chunks)
    return FirstRows(reading.part_of(whole, 0, limit), False, rest)


def learn(
    model: Any,
    first: FirstRows,
    advance: Advance,
    *,
    has_times: bool = False,
    has_dates: bool = False,
) -> Learned:
    """Let the model learn all rows.

    A table that is read as a whole is learned by ``fit``, and a larger one block by block.
    """
    seconds = 0.0
    n_first_rows = len(first.chunk.rows)
    if not first.is_all:
        check_goes_in_chunks(model, n_first_rows)
    for chunk in chain([first.chunk], first.rest):
        began = time.perf_counter()
        rows, times = clocks.split_times(chunk.rows, has_times, has_dates=has_dates)
        if times is not None:
            (model.fit if first.is_all else model.partial_fit)(rows, time=times)
        elif first.is_all:
            model.fit(rows)
        else:
            in_blocks.learn_block(model, rows)
        seconds += time.perf_counter() - began
        advance(len(rows))
    if not first.is_all:
        began = time.perf_counter()
        in_blocks.end_blocks(model)
        seconds += time.perf_counter() - began
    return Learned(first.is_all, n_first_rows, seconds)


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
