"""Rows from anywhere, line by line, each learned once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resonart._shared.late import late_names

if TYPE_CHECKING:
    from ._public import *

__all__ = [
    "Block",
    "LineParser",
    "LineReader",
    "LiveLines",
    "LiveRows",
    "Reject",
    "open_lines",
]

if not TYPE_CHECKING:
    # At first use, as those of resonart.
    __getattr__, __dir__ = late_names(__name__, __all__)
