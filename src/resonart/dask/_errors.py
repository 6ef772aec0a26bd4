"""Errors of partitions that cannot be learned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class PartitionError(RuntimeError):
    """A partition cannot be read or learned; the message names its file or block.

    Attributes
    ----------
    place : str
        The partition: its number, and its file if there is one.
    problem : str
        The kind of the error, and its message.

    See Also
    --------
    fit : Raises this.
    update : Raises this.

    Examples
    --------
    >>> print(PartitionError("block 3 of 8", "ValueError: Input X contains NaN."))
    block 3 of 8: ValueError: Input X contains NaN.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)  # both, so that it can be pickled
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


NOTE = "In resonart.dask, "


@contextmanager
def errors_note(what: str) -> Iterator[None]:
    """Note on every error what was done with all partitions together: no single one caused it."""
    try:
        yield
    except Exception as error:
        error.add_note(NOTE + what)
        raise


def is_noted(error: BaseException) -> bool:
    """Return whether an error was not caused by a single partition."""
    return any(note.startswith(NOTE) for note in getattr(error, "__notes__", ()))


@contextmanager
def errors_name(place: str) -> Iterator[None]:
    """Add to every error where it happened."""
    try:
        yield
    except PartitionError:
        raise
    except Exception as error:
        raise PartitionError(place, f"{type(error).__name__}: {error}") from error
