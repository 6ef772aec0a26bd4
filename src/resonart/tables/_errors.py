"""Errors of tables that cannot be read or written."""

from __future__ import annotations

from resonart._shared.escape import escaped


class TableError(ValueError):
    """A table cannot be read or written; one line says where, what is wrong and how to fix it.

    Attributes
    ----------
    problem : str
        Where it is and what is wrong, without a full stop.
    cure : str
        How to fix it; empty if there is nothing to say.

    See Also
    --------
    EmptyTableError : The error for a table without rows.
    open_table : Raises this for tables that cannot be read.
    write_table : Raises this for tables that cannot be written.

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
        # One line, even if a foreign message or a file name has several.
        return escaped(" ".join(text.split()))


def shown(value: object) -> str:
    """Return a value as it is shown in a message: quoted if text, and never long."""
    text = value if isinstance(value, str) else str(value)
    short = text if len(text) <= 40 else text[:37] + "..."
    return repr(short) if isinstance(value, str) else short


def reason(error: BaseException) -> str:
    """Return the message of a foreign error in short: its first line, without the full stop."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    text = lines[0].rstrip(". ") if lines else type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."


class EmptyTableError(TableError):
    """A table has no rows, or none are left after rows with missing values are dropped.

    See Also
    --------
    TableError : The base class: any table that cannot be read or written.

    Examples
    --------
    >>> print(EmptyTableError("data.csv has no rows", "Give a table with rows"))
    data.csv has no rows. Give a table with rows.
    """
