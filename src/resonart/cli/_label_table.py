"""The table of labels that a command writes: which row is in which cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from ._command import gathered, option, target_option
from ._late import Integers, NDArray


@dataclass(frozen=True)
class LabelTable:
    """Where labels are to be written, and whether matches with them."""

    target: str | None
    scores: bool

    def __post_init__(self) -> None:
        if self.scores and self.target is None:
            raise click.UsageError("--scores needs a table of labels: -o FILE.")

    def columns(
        self, numbers: Integers, labels: Integers, model: Any, rows: NDArray[Any]
    ) -> dict[str, NDArray[Any]]:
        """Return the columns for some rows, of which these are the numbers and labels."""
        columns: dict[str, NDArray[Any]] = {"row": numbers, "label": labels}
        if self.scores:
            columns["match"] = model.score_samples(rows)
        return columns


# The command gets this as ``labels``.
label_table_options = gathered(
    "labels",
    LabelTable,
    [
        target_option("Write row numbers and clusters to this table; - is CSV on stdout."),
        option(
            "--scores", is_flag=True, help="Also write each row's match with its cluster (with -o)."
        ),
    ],
    "Options",
)
