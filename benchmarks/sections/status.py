"""How the suite shows who did not come to an end, and its figures with their spread."""

from __future__ import annotations

from ..processes import CANNOT, DONE, FAILED, NOT_TRIED, OUT_OF_MEMORY, OUT_OF_TIME
from ..tables import Line
from ..words import digits

WORDS = {
    OUT_OF_TIME: "**out of time**",
    OUT_OF_MEMORY: "**out of memory**",
    FAILED: "**failed**",
    NOT_TRIED: "not tried",
    CANNOT: "cannot",
}


def ended(line: Line) -> str:
    """Say in a cell how a contender ended; empty where it was done."""
    status = line["status"]
    if status == DONE:
        return ""
    said = WORDS.get(status, status)
    needs_words = line.get("words") and status not in (OUT_OF_TIME, OUT_OF_MEMORY)
    return f"{said}: {line['words']}" if needs_words else said


def spread_of(line: Line, name: str) -> str:
    """Median, with the smallest and the largest where it was measured more than once."""
    middle = digits(line[name])
    if int(line["repeats"]) < 2:
        return middle
    return f"{middle} ({digits(line[f'{name}_min'])} to {digits(line[f'{name}_max'])})"
