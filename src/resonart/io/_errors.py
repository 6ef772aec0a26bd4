"""What is said when a table cannot be read or written."""

from __future__ import annotations

from resonart._shared.escape import escaped


class TableError(ValueError):
    """A table that cannot be read or written; one line that says where, what and how to fix it.

    Attributes
    ----------
    problem : str
        Where it is and what is wrong, without a full stop.
    cure : str
        What to do about it; empty where there is nothing to say.

    Examples
    --------
    >>> print(TableError("data.csv is empty", "Give a table with rows"))
    data.csv is empty. Give a table with rows.
    """

    def __init__(self, problem: str, cure: str = "") -> None:
        super().__init__(problem, cure)
        self.problem = problem
        self.cure = cure

    def __str__(self) -> str:
        text = f"{self.problem}. {self.cure}." if self.cure else f"{self.problem}."
        # One line, whatever a foreign message or the name of a file brought along.
        return escaped(" ".join(text.split()))


def shown(value: object) -> str:
    """Return a value as it is shown in a message: quoted if text, and never long."""
    text = value if isinstance(value, str) else str(value)
    short = text if len(text) <= 40 else text[:37] + "..."
    return repr(short) if isinstance(value, str) else short


def counted(n: int, what: str) -> str:
    """Return a number with what is counted, as ``1 column`` and ``2 columns``."""
    return f"{n} {what}{'s' * (n != 1)}"


def reason(error: BaseException) -> str:
    """Return what a foreign error says, in short: its first line, without the full stop."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    text = lines[0].rstrip(". ") if lines else type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."


class EmptyTableError(TableError):
    """A table without rows, or without any that are left when rows that lack a value are dropped.

    Examples
    --------
    >>> print(EmptyTableError("data.csv has no rows", "Give a table with rows"))
    data.csv has no rows. Give a table with rows.
    """
