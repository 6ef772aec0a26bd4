"""Reading and writing tables in chunks, and streams line by line: the extra ``cli``."""

from __future__ import annotations

from ._convert import Conversion, convert
from ._errors import EmptyTableError, TableError
from ._formats import FORMATS, guess_format
from ._lines import Block, LineReader, open_lines
from ._live_rows import LineParser, LiveLines, LiveRows, Reject
from ._read import Chunk, TableReader, open_table
from ._values import MISSING
from ._write import TableWriter, write_table

__all__ = [
    "FORMATS",
    "MISSING",
    "Block",
    "Chunk",
    "Conversion",
    "EmptyTableError",
    "LineParser",
    "LineReader",
    "LiveLines",
    "LiveRows",
    "Reject",
    "TableError",
    "TableReader",
    "TableWriter",
    "convert",
    "guess_format",
    "open_lines",
    "open_table",
    "write_table",
]
