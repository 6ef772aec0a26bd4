"""Row numbers and cluster ids, kept in a file until the labels are known."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Self

from ._errors import naming
from ._late import Integers, np

# Which row, and the id of its cluster.
ENTRY = [("row", "i8"), ("cluster", "i4")]
ENTRY_BYTES = 12
MOST_IN_MEMORY = 2**24
AT_ONCE = 2**16


class TemporaryIds:
    """Keep entries in a temporary file, and read them again in the same order.

    Examples
    --------
    >>> with TemporaryIds() as ids:
    ...     ids.add(np.array([1, 2, 4]), np.array([0, 1, 0]))
    ...     for rows, clusters in ids.batches():
    ...         print(rows, clusters)
    [1 2 4] [0 1 0]
    """

    def __init__(self) -> None:
        # Gone when closed, and when the process is killed.
        self._file = tempfile.SpooledTemporaryFile(max_size=MOST_IN_MEMORY)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, rows: Integers, clusters: Integers) -> None:
        """Keep these."""
        entries = np.empty(len(rows), dtype=ENTRY)
        entries["row"], entries["cluster"] = rows, clusters
        folder = tempfile.gettempdir()
        with naming(f"{folder}, the folder of temporary files (TMPDIR names another)"):
            self._file.write(entries.tobytes())

    def batches(self, n_rows: int = AT_ONCE) -> Iterator[tuple[Integers, Integers]]:
        """Return everything from the beginning, some rows at a time."""
        self.rewind()
        while len((entries := self.take(n_rows))[0]):
            yield entries

    def rewind(self) -> None:
        """Go back to the beginning, to read."""
        self._file.seek(0)

    def take(self, n_rows: int) -> tuple[Integers, Integers]:
        """Return the next rows, fewer only at the end."""
        entries = np.frombuffer(self._file.read(n_rows * ENTRY_BYTES), dtype=ENTRY)
        return entries["row"].astype(np.int64), entries["cluster"].astype(np.int64)
