"""The methods: each file here has a ``METHOD``, found by looking."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass

from paper.data_sets import Labels, Rows
from paper.discover import modules_in
from paper.protocol import Protocol
from paper.task import Outcome, Setting, Task


@dataclass(frozen=True)
class Method:
    """A clustering method and how it is tuned.

    Attributes
    ----------
    name, title : str
        Name in the results, and as people write it.
    run : callable
        Finds the best parameters for a task on the rows and clusters given.
    uses : tuple of str
        Fields of the protocol that ``run`` looks at. A result is made anew when one changes.
    libraries : tuple of str
        Distributions whose version decides the result.
    cost : callable
        Rough seconds of a task on so many rows and features, for the order of work and the
        estimate of the time left.
    table : tuple of dict
        Settings with which the method is in the paper's table of results.
    revision : int
        To be raised when the file changes what comes out.
    reported_as : str
        Method under which its results stand in the tables, if not its own name.
    """

    name: str
    title: str
    run: Callable[[Task, Rows, Labels, Protocol], list[Outcome]]
    uses: tuple[str, ...]
    libraries: tuple[str, ...]
    cost: Callable[[Task, int, int], float]
    table: tuple[dict[str, Setting], ...] = ()
    revision: int = 1
    reported_as: str = ""


@functools.cache
def find() -> dict[str, Method]:
    """Return all methods by name."""
    found: dict[str, Method] = {}
    for module in modules_in(sys.modules[__name__]):
        method: Method = module.METHOD
        if method.name in found:
            raise ValueError(
                f"Two methods are named {method.name!r}, the second in {module.__name__}. "
                "Rename one."
            )
        found[method.name] = method
    return found
