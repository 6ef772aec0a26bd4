"""From one format to another, in one pass and limited memory."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, NamedTuple

from numpy.typing import NDArray

from resonart._shared.show import card, facts, summary

from ._errors import TableError
from ._read import Chunk, TableReader, open_table
from ._write import TableWriter


class Conversion(NamedTuple):
    """The result of a conversion.

    Attributes
    ----------
    n_rows : int
        Number of rows written.
    n_dropped : int
        Number of rows dropped because a value is missing.
    columns : list of str
        Columns written, the label last.
    left_out : list of str
        Columns left out because they are not numeric.

    See Also
    --------
    convert : Returns this.
    """

    n_rows: int
    n_dropped: int
    columns: list[str]
    left_out: list[str]

    def __repr__(self) -> str:
        return summary(self, **self._asdict())

    def _repr_html_(self) -> str:
        return card(facts(self._asdict()))


def convert(
    source: str | os.PathLike[str] | BinaryIO,
    target: str | os.PathLike[str],
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    **reading: Any,
) -> Conversion:
    """Write a table in another format: its features as doubles, and the label column as text.

    Parameters
    ----------
    source : str, path or binary file
        The table, as in :func:`open_table`.
    target : str or path
        A file, which may be the source itself, or ``"-"`` for standard output.
    from_format, to_format : {"csv", "tsv", "parquet", "arrow", "npy", "ndjson"}, optional
        The formats. By default they follow from the names.
    **reading
        How to read the source: any other parameter of :func:`open_table`.

    Returns
    -------
    conversion : Conversion
        Number of rows written and dropped, and the columns.

    See Also
    --------
    open_table : Read a table in chunks.
    write_table : Write a table.

    Examples
    --------
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.csv"), "w") as file:
    ...     _ = file.write("x,y\\n1,2\\n3,4\\n")
    >>> convert(os.path.join(folder, "a.csv"), os.path.join(folder, "a.parquet"))
    Conversion(n_rows=2, n_dropped=0, columns=['x', 'y'], left_out=[])
    """
    with (
        open_table(source, format=from_format, **reading) as reader,
        TableWriter(target, format=to_format) as writer,
    ):
        if writer.format == "npy" and reader.label_name is not None:
            raise TableError(
                f"{os.fspath(target)}: NPY can only store numbers, and labels are text",
                "Convert without a label, or to another format",
            )
        for chunk in reader:
            writer.write(_named(reader, chunk))
    beside = [name for name in (reader.time_name, reader.label_name) if name is not None]
    names = [*reader.feature_names, *beside]
    return Conversion(reader.n_rows - reader.n_dropped, reader.n_dropped, names, reader.left_out)


def _named(reader: TableReader, chunk: Chunk) -> dict[str, NDArray[Any]]:
    names = [*reader.feature_names, *([] if reader.time_name is None else [reader.time_name])]
    columns: dict[str, NDArray[Any]] = dict(zip(names, chunk.rows.T, strict=True))
    if reader.label_name is not None and chunk.labels is not None:
        columns[reader.label_name] = chunk.labels
    return columns
