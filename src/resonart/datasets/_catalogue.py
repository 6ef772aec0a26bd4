"""What each data set is: ``catalogue.toml``, read."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from resonart._shared.show import card, facts, heading, summary

from ._origins import origins

# What is known about the terms of the place that a data set's values were taken from.
LICENCES = {
    "gagolews/clustering-data-v1": (
        'AGPL v3 for the collection, which adds "solely for research purposes, unless stated '
        'otherwise"'
    ),
    "nejci/Pepelka": "GPL v3 for the toolbox that holds it",
    "haifengl/smile": "kept there as test data; the terms of the UCI repository apply",
    "jbrownlee/Datasets": "no licence given there; the terms of the UCI repository apply",
    "deric/clustering-benchmark": "no licence given there; the terms of the UCI repository apply",
}


@dataclass(frozen=True, repr=False)
class DataSetInfo:
    """What is known about a data set.

    Attributes
    ----------
    name : str
        Name for :func:`load`.
    title : str
        Name in the paper.
    n_samples, n_features, n_clusters : int
        Its size, as in the paper.
    kind : {"real", "artificial"}
        What the paper calls it.
    features : str
        What the columns of ``X`` are; empty for points in the plane or in space.
    labels : str
        What the labels 0, 1, ... stand for, in this order; empty if they are only numbers.
    remarks : str
        What to know before you use it; empty if there is nothing.
    citation : str
        Whom to cite.
    licence : str
        What is known about the terms of use. resonart contains no data.
    urls : tuple of str
        Where the values come from.

    See Also
    --------
    describe : Returns this for a data set.
    load : Load a data set, together with this.
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    n_clusters: int
    kind: str
    features: str
    labels: str
    remarks: str
    citation: str
    licence: str
    urls: tuple[str, ...]

    def __repr__(self) -> str:
        return summary(
            self,
            name=self.name,
            n_samples=self.n_samples,
            n_features=self.n_features,
            n_clusters=self.n_clusters,
            kind=self.kind,
        )

    def _repr_html_(self) -> str:
        told = {
            "name": self.name,
            "rows": self.n_samples,
            "features": f"{self.n_features}: {self.features}" if self.features else self.n_features,
            "clusters": f"{self.n_clusters}: {self.labels}" if self.labels else self.n_clusters,
            "kind": self.kind,
            "remarks": self.remarks,
            "citation": self.citation,
            "licence": self.licence,
            "from": list(self.urls),
        }
        known = {name: value for name, value in told.items() if value}
        return card(heading(self.title), facts(known))


@dataclass(frozen=True)
class Entry:
    """A data set's info and the sha256 of its values."""

    info: DataSetInfo
    values: str


@cache
def catalogue() -> dict[str, Entry]:
    """Return all data sets, sorted by name."""
    sets = tomllib.loads(files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8"))
    found = {}
    for name in sorted(sets):
        fields = {"features": "", "labels": "", "remarks": ""} | sets[name]
        values = fields.pop("values")
        first = origins()[name][0]
        fields["licence"] = LICENCES[first.files[0].repository]
        fields["urls"] = tuple(file.url for file in first.files)
        found[name] = Entry(DataSetInfo(name=name, **fields), values)
    return found
