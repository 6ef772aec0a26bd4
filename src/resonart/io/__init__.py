"""Rows in and out."""

from __future__ import annotations

from ._lines import Block, LineReader
from ._live_rows import BadLineError, CsvParser, LineParser, LiveRows, NdjsonParser, Reject

__all__ = [
    "BadLineError",
    "Block",
    "CsvParser",
    "LineParser",
    "LineReader",
    "LiveRows",
    "NdjsonParser",
    "Reject",
]
