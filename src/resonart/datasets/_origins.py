"""Where the data sets come from: ``origins.csv``, read.

A row of that table is one file at a fixed commit of a public repository, with its sha256, its
format (a converter's name) and what the converter has to know about its classes. The values of a
data set were taken from its first origin. The others have the same values, and are used if those
before them cannot be reached.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import groupby

from . import _convert
from ._convert import Labels, Rows

HOST = "https://raw.githubusercontent.com"

# Formats whose file says everything needed, and those that need the order of the classes.
PLAIN: dict[str, Callable[..., tuple[Rows, Labels]]] = {
    "gz_text": _convert.gz_text,
    "matlab": _convert.matlab,
    "matlab_unique": _convert.matlab_unique,
    "blocks_of_100": _convert.blocks_of_100,
}
LABELLED: dict[str, Callable[..., tuple[Rows, Labels]]] = {
    "csv": _convert.text,
    "csv_after_id": partial(_convert.text, skip=1),
    "blanks": partial(_convert.text, separator=None),
    "blanks_after_id": partial(_convert.text, separator=None, skip=1),
    "arff": _convert.arff,
    "arff_by_appearance": _convert.arff_by_appearance,
}


@dataclass(frozen=True)
class RawFile:
    """One file of a public repository."""

    repository: str
    commit: str
    path: str
    sha256: str

    @property
    def url(self) -> str:
        """Where it is downloaded from."""
        return f"{HOST}/{self.repository}/{self.commit}/{self.path}"

    @property
    def cached_as(self) -> str:
        """Name in the cache: that of the content, so that files of two versions never clash."""
        return f"{self.sha256[:12]}-{self.path.rsplit('/', 1)[-1]}"


@dataclass(frozen=True)
class Origin:
    """The files that together hold a data set, and the rule that makes rows and labels of them."""

    files: tuple[RawFile, ...]
    format: str
    labels: tuple[str, ...]

    def convert(self, *contents: bytes) -> tuple[Rows, Labels]:
        """Make rows and labels of what the files hold."""
        if self.format in PLAIN:
            return PLAIN[self.format](*contents)
        return LABELLED[self.format](*contents, labels=self.labels)


@cache
def origins() -> dict[str, tuple[Origin, ...]]:
    """Return the origins of every data set, the one to ask first in front."""
    table = files(__package__).joinpath("origins.csv").read_text(encoding="ascii")
    found: dict[str, tuple[Origin, ...]] = {}
    rows = csv.DictReader(table.splitlines())
    for (name, _, form, labels), group in groupby(
        rows, lambda row: (row["name"], row["origin"], row["format"], row["labels"])
    ):
        parts = tuple(
            RawFile(row["repository"], row["commit"], row["path"], row["sha256"]) for row in group
        )
        found[name] = (*found.get(name, ()), Origin(parts, form, tuple(labels.split())))
    return found
