"""What commands need when they run, and neither their help nor completion: imported at first use.

Files of the command line take these modules from here, so that the shell gets its answer at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resonart._shared.late import LateModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    import resonart._engine.durations as durations
    import resonart._shared.dates as dates
    import resonart.estimators.in_blocks as in_blocks
    import resonart.explore as explorers
    import resonart.io._read as tables
    import resonart.io._times as times
    import resonart.io._values as values
    import resonart.reports.standing as standing
    from resonart import plot, tuning
    from resonart._shared.labels import LabelMap as LabelMap

    from . import _streaming as streaming

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]
else:
    np = LateModule("numpy")
    explorers = LateModule("resonart.explore")
    plot = LateModule("resonart.plot")
    tuning = LateModule("resonart.tuning")
    standing = LateModule("resonart.reports.standing")
    in_blocks = LateModule("resonart.estimators.in_blocks")
    durations = LateModule("resonart._engine.durations")
    dates = LateModule("resonart._shared.dates")
    tables = LateModule("resonart.io._read")
    times = LateModule("resonart.io._times")
    values = LateModule("resonart.io._values")
    streaming = LateModule("resonart.cli._streaming")
    NDArray = Integers = Floats = LabelMap = Any

__all__ = [
    "Floats",
    "Integers",
    "LabelMap",
    "NDArray",
    "dates",
    "durations",
    "explorers",
    "in_blocks",
    "np",
    "plot",
    "standing",
    "streaming",
    "tables",
    "times",
    "tuning",
    "values",
]
