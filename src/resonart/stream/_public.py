"""The public names of ``resonart.stream``, each from its home."""

from __future__ import annotations

from ._lines import Block as Block
from ._lines import LineReader as LineReader
from ._lines import open_lines as open_lines
from ._live_rows import LineParser as LineParser
from ._live_rows import LiveLines as LiveLines
from ._live_rows import LiveRows as LiveRows
from ._live_rows import Reject as Reject
