"""The public names of ``resonart.io``, each from its home."""

from __future__ import annotations

from ._convert import Conversion as Conversion
from ._convert import convert as convert
from ._errors import EmptyTableError as EmptyTableError
from ._errors import TableError as TableError
from ._formats import FORMATS as FORMATS
from ._formats import guess_format as guess_format
from ._lines import Block as Block
from ._lines import LineReader as LineReader
from ._lines import open_lines as open_lines
from ._live_rows import LineParser as LineParser
from ._live_rows import LiveLines as LiveLines
from ._live_rows import LiveRows as LiveRows
from ._live_rows import Reject as Reject
from ._read import Chunk as Chunk
from ._read import TableReader as TableReader
from ._read import open_table as open_table
from ._values import MISSING as MISSING
from ._write import TableWriter as TableWriter
from ._write import write_table as write_table
