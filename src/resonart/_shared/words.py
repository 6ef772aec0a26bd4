"""Numbers with their nouns."""

from __future__ import annotations


def count_of(n: int, what: str) -> str:
    """Write how many there are of something.

    Examples
    --------
    >>> count_of(1, "box"), count_of(1204, "row"), count_of(2, "box")
    ('1 box', '1,204 rows', '2 boxes')
    """
    return f"{n:,} {what}" + ("" if n == 1 else "es" if what.endswith("x") else "s")
