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
    import resonart.estimators.in_blocks as in_blocks
    import resonart.explore as explorers
    import resonart.stream._clock as clocks
    import resonart.stream._events as histories
    import resonart.stream._output as outputs
    import resonart.stream._streamer as streaming
    import resonart.tables._read as reading
    import resonart.tables._times as times
    from resonart import plot, tuning
    from resonart._shared.labels import LabelMap as LabelMap

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]
else:
    np = LateModule("numpy")
    explorers = LateModule("resonart.explore")
    plot = LateModule("resonart.plot")
    tuning = LateModule("resonart.tuning")
    in_blocks = LateModule("resonart.estimators.in_blocks")
    durations = LateModule("resonart._engine.durations")
    clocks = LateModule("resonart.stream._clock")
    histories = LateModule("resonart.stream._events")
    outputs = LateModule("resonart.stream._output")
    reading = LateModule("resonart.tables._read")
    times = LateModule("resonart.tables._times")
    streaming = LateModule("resonart.stream._streamer")
    NDArray = Integers = Floats = LabelMap = Any

__all__ = [
    "Floats",
    "Integers",
    "LabelMap",
    "NDArray",
    "clocks",
    "durations",
    "explorers",
    "histories",
    "in_blocks",
    "np",
    "outputs",
    "plot",
    "reading",
    "streaming",
    "times",
    "tuning",
]
