"""Running tasks on any scheduler, and leaving nothing behind."""

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
    """Compute a task; if it fails or is interrupted, cancel it and all tasks it depends on."""
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
    """Return the given client, or the one that dask would use now; None for local schedulers."""
    if client is not None:
        return client
    if require_dask().config.get("scheduler", None) not in ("dask.distributed", "distributed"):
        return None
    return require_dask("distributed").default_client()


def run_over(task: Any, partitions: Sequence[Partition], client: Any) -> Any:
    """Compute a task that needs all partitions; name the one that cannot even be read.

    Dask makes blocks by its own tasks, whose errors do not name a partition. Only then are the
    blocks computed one by one.
    """
    try:
        return run(task, client)
    except PartitionError:
        raise
    except Exception as failure:
        if is_noted(failure):
            raise
        if type(failure).__module__.partition(".")[0] == "distributed":
            # A problem of the cluster; but which partition was being learned when workers died?
            place = _place_of(getattr(failure, "task", None), partitions)
            if place is None:
                raise
            problem = (
                f"{type(failure).__name__}: workers died while they worked on it, perhaps because "
                "memory ran out. Smaller partitions, or a smaller chunk_rows, need less."
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
    """Return the partition of a task: it makes the block, or its name has the number."""
    for partition in partitions:
        if getattr(partition.content, "key", _NOTHING) == key:
            return partition.place
    found = re.fullmatch(r"resonart-(?:survey|survey_limited|learn)-[0-9a-f]+-(\d+)", str(key))
    return None if found is None else partitions[int(found[1])].place


def _touch(content: Any) -> None:
    """Need a block, and do nothing with it."""


def join_in_a_tree(parts: Sequence[T], join: Callable[[T, T, str], T]) -> T:
    """Join neighbours, then the results: the shape of the tree depends only on their number."""
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
