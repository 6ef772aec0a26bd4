"""Tables that have to be in memory as a whole."""

from __future__ import annotations

from resonart import io

from ._errors import CommandError, know_features, warn_of_doubtful
from ._learning import read_head
from ._options import TableOptions, row_limit
from ._output import Output


def read_whole(
    table: TableOptions, data: str, in_memory_rows: int | None, output: Output
) -> tuple[io.Chunk, io.TableReader]:
    """Read all rows, or say that there are too many."""
    with table.open(data) as reader, output.progress("Reading") as tick:
        limit = row_limit(in_memory_rows, len(reader.feature_names))
        head = read_head(reader, limit, tick)
    if not head.is_all:
        raise CommandError(
            f"{data} has more than {limit:,} rows, and all are needed in memory. If there is room "
            "for them, give a larger --in-memory-rows."
        )
    warn_of_doubtful(data, reader.doubtful)
    know_features(reader.feature_names)
    return head.chunk, reader
