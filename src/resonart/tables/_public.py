"""The public names of ``resonart.tables``, each from its home."""

from __future__ import annotations

from ._errors import EmptyTableError as EmptyTableError
from ._errors import TableError as TableError
from ._formats import FORMATS as FORMATS
from ._formats import guess_format as guess_format
from ._read import Chunk as Chunk
from ._read import TableReader as TableReader
from ._read import open_table as open_table
from ._values import MISSING as MISSING
from ._write import TableWriter as TableWriter
from ._write import write_table as write_table
