"""How far the memory of this process has risen."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path


def peak_gauge() -> tuple[str, Callable[[], int]]:
    """Return the name of the best gauge there is, reset to now, and how to read it."""
    return ("VmHWM", linux_peak) if peak_was_reset() else ("ru_maxrss", process_peak)


def peak_was_reset() -> bool:
    """Set the process's high-water mark back to what it holds now, where Linux allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def linux_peak() -> int:
    """High-water mark of resident memory since it was last reset, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return 1024 * int(found.group(1))


def process_peak() -> int:
    """High-water mark of resident memory since the process began, in bytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
