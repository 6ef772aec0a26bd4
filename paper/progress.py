"""How far the work is, and how long it will take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

# Tasks of a kind after which it is judged by itself alone rather than with all others.
ENOUGH = 3.0


class Estimate:
    """Seconds that tasks will take: rough formulas, corrected by the tasks that are done.

    Examples
    --------
    >>> estimate = Estimate()
    >>> estimate.seconds("dvfa", 2.0)
    2.0
    >>> estimate.learn("dvfa", 2.0, 6.0)
    >>> estimate.seconds("dvfa", 2.0)
    6.0
    """

    def __init__(self) -> None:
        self._expected: dict[str, float] = defaultdict(float)
        self._taken: dict[str, float] = defaultdict(float)
        self._number: dict[str, int] = defaultdict(int)

    def learn(self, kind: str, expected: float, taken: float) -> None:
        """Take note of a finished task."""
        for name in (kind, ""):
            self._expected[name] += expected
            self._taken[name] += taken
            self._number[name] += 1

    def seconds(self, kind: str, expected: float) -> float:
        """Return what a task of this kind will take."""
        if not self._number[""]:
            return expected
        of_all = self._taken[""] / self._expected[""]
        if not self._number[kind]:
            return expected * of_all
        of_kind = self._taken[kind] / self._expected[kind]
        trust = min(1.0, self._number[kind] / ENOUGH)
        return expected * (trust * of_kind + (1.0 - trust) * of_all)

    def left(self, tasks: Iterable[tuple[str, float]], n_workers: int) -> float:
        """Return the seconds that many workers need for the tasks."""
        seconds = [self.seconds(kind, expected) for kind, expected in tasks]
        return max(sum(seconds) / n_workers, max(seconds, default=0.0))


def spoken(seconds: float) -> str:
    """Return a length of time for people.

    Examples
    --------
    >>> spoken(0.4), spoken(75), spoken(7300)
    ('0 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
