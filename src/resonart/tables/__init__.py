"""Reading and writing tables in chunks: pyarrow, for some formats, comes with the extra ``cli``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resonart._shared.late import late_names

if TYPE_CHECKING:
    from ._public import *

__all__ = [
    "FORMATS",
    "MISSING",
    "Chunk",
    "EmptyTableError",
    "TableError",
    "TableReader",
    "TableWriter",
    "guess_format",
    "open_table",
    "write_table",
]

if not TYPE_CHECKING:
    # At first use, as those of resonart.
    __getattr__, __dir__ = late_names(__name__, __all__)
