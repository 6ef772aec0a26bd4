"""Inside the fresh process of ``first_use``: import a library and fit 150 rows, timed.

Nothing heavy is imported before the clock runs, so rows are made without numpy.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

N_ROWS = 150
N_FEATURES = 4
MODULES = {"river": "river.cluster", "sklearn": "sklearn.cluster"}  # the others are their packages


def measure(contender: str) -> Iterator[dict[str, Any]]:
    """Tell the seconds of the import and those of the first fit."""
    source = random.Random(7)
    lists = [[source.gauss(0.3 * (i % 3), 0.05) for _ in range(N_FEATURES)] for i in range(N_ROWS)]
    yield {}
    started = time.perf_counter()
    from .contenders import BY_NAME  # imports numpy, which everybody does

    chosen = BY_NAME[contender]
    import numpy as np

    __import__(MODULES.get(chosen.package, chosen.package))
    imported = time.perf_counter()
    chosen.fit(np.array(lists), chosen.plain)
    ended = time.perf_counter()
    yield {
        "seconds": ended - started,
        "import_seconds": imported - started,
        "fit_seconds": ended - imported,
    }
