"""Running tasks on whatever scheduler there is, and leaving nothing behind."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ._errors import PartitionError, is_noted
from ._partitions import Partition
from ._require import require_dask

T = TypeVar("T")
_NOTHING = object()


def run(task: Any, client: Any) -> Any:
    """Compute a task; one that fails or is interrupted is cancelled with all that it waits for."""
    client = active_client(client)
    if client is None:
        return task.compute()
    future = client.compute(task)
    try:
        return future.result()
    except BaseException:
        future.cancel(force=True)
        raise


def active_client(client: Any) -> Any:
    """Return the client given, or the one that dask would use now; None for local schedulers."""
    if client is not None:
        return client
    if require_dask().config.get("scheduler", None) not in ("dask.distributed", "distributed"):
        return None
    return require_dask("distributed").default_client()


def run_over(task: Any, partitions: Sequence[Partition], client: Any) -> Any:
    """Compute a task that needs all partitions; name the one that cannot even be read.

    Dask makes blocks by tasks of its own, whose errors say nothing of a place. Only then are the
    blocks asked for one by one.
    """
    try:
        return run(task, client)
    except PartitionError:
        raise
    except Exception as failure:
        if is_noted(failure):
            raise
        if type(failure).__module__.partition(".")[0] == "distributed":
            # The cluster's own trouble; but whose rows were at hand when workers died?
            place = _place_of(getattr(failure, "task", None), partitions)
            if place is None:
                raise
            problem = (
                f"{type(failure).__name__}: workers died while they had it in hand, maybe for want "
                "of memory. Smaller partitions, or chunk_rows, need less."
            )
            raise PartitionError(place, problem) from failure
        delayed = require_dask().delayed
        for partition in partitions:
            if isinstance(partition.content, str):
                continue
            try:
                run(delayed(_touch, pure=False)(partition.content), client)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
                raise PartitionError(partition.place, problem) from error
        raise


def _place_of(key: object, partitions: Sequence[Partition]) -> str | None:
    """Return which partition a task is about: it makes the block, or is named by its number."""
    for partition in partitions:
        if getattr(partition.content, "key", _NOTHING) == key:
            return partition.place
    found = re.fullmatch(r"resonart-(?:survey|survey_limited|learn)-[0-9a-f]+-(\d+)", str(key))
    return None if found is None else partitions[int(found[1])].place


def _touch(content: Any) -> None:
    """Need a block, and do nothing with it."""


def join_in_a_tree(parts: Sequence[T], join: Callable[[T, T, str], T]) -> T:
    """Join neighbours, then neighbours of these: the shape depends on their number alone."""
    level = 0
    parts = list(parts)
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [
            join(pair[0], pair[1], f"{level}-{i}") if len(pair) == 2 else pair[0]
            for i, pair in enumerate(pairs)
        ]
        level += 1
    return parts[0]
