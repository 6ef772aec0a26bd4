"""Inside the fresh process of ``first_use``: import a library and fit 150 rows, timed.

Nothing heavy is imported before the clock runs, so rows are made without numpy.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

N_ROWS = 150
N_FEATURES = 4


def child(task: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell the seconds of the import and those of the first fit."""
    source = random.Random(7)
    lists = [[source.gauss(0.3 * (i % 3), 0.05) for _ in range(N_FEATURES)] for i in range(N_ROWS)]
    tell({})
    started = time.perf_counter()
    from .contenders import BY_NAME  # imports numpy, which everybody does

    contender = BY_NAME[task["contender"]]
    import numpy as np

    for module in task["modules"]:
        __import__(module)
    imported = time.perf_counter()
    contender.fit(np.array(lists), contender.plain)
    tell(
        {
            "import_seconds": imported - started,
            "fit_seconds": time.perf_counter() - imported,
        }
    )
