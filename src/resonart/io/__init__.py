"""Tables in chunks, from files or standard input, and back: ``pip install "resonart[cli]"``."""

from __future__ import annotations

from ._convert import Conversion, convert
from ._errors import TableError
from ._formats import FORMATS, guess_format
from ._read import Chunk, TableReader, open_table
from ._values import MISSING
from ._write import TableWriter, write_table

__all__ = [
    "FORMATS",
    "MISSING",
    "Chunk",
    "Conversion",
    "TableError",
    "TableReader",
    "TableWriter",
    "convert",
    "guess_format",
    "open_table",
    "write_table",
]
