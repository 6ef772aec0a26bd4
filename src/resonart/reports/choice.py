"""Why the clusters are what they are: the reading that was chosen, and the runners-up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine import _core
from .._shared.show import card, heading, line, summary, table
from .._shared.words import count_of, size_in_words

_SCALINGS = tuple(_core.Scaling.__members__)
# What the engine leaves open is one cluster, for which nothing is selected.
_SELECTIONS = ("one", *tuple(_core.Selection.__members__)[1:])
# Up to these expected losses (``-score``) the confidence is high or medium, and beyond them low.
_LOSSES = ((0.1, "high"), (0.2, "medium"), (np.inf, "low"))


class ReadingWarning(UserWarning):
    """The clusters that were read may not be what you want, and there is a cure.

    It says what is the matter and what to do: there is no reading with as many clusters as
    ``n_clusters`` asks for, no reading stands out from the others, or there are too few categories
    for clusters as small as ``min_cluster_size``. Only ``fit`` and ``update_clusters`` warn.
    ``warnings.simplefilter("ignore", resonart.ReadingWarning)`` silences the warning.

    See Also
    --------
    ReadingChoice : The reading that was chosen, and the runners-up.
    DensityART.with_reading : Take another one.

    Examples
    --------
    >>> import warnings
    >>> from resonart import DensityART, ReadingWarning
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", ReadingWarning)
    ...     model = DensityART(n_clusters=3).fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> print(str(caught[0].message).split(".")[0])
    n_clusters=3, and no reading of these rows has that many clusters: the nearest has 1
    """


class ReadingCandidate(NamedTuple):
    """A reading that was considered.

    Attributes
    ----------
    scaling : str
        How features were made comparable.
    n_components : int
        Number of principal components used; 0 if none.
    selection : {"eom", "leaf", "cut", "fixed", "one"}
        How clusters were taken from the tree: by excess of mass, as its leaves, by one cut, as many
        as ``n_clusters`` asks for with the greatest excess of mass, or the whole tree as one
        cluster.
    min_cluster_size : float or int
        The least size of a cluster: a share of the rows, or a number of rows if ``min_samples`` was
        given as one. 0 for one cluster.
    min_samples : float or int
        How many of the nearest rows a density is estimated from, likewise. 1 means that distances
        alone are used.
    of_rows : float
        What all rows count as. Sizes are whole numbers of these: ``share * of_rows``. It is the
        number of rows if they are few, and 2,000 if they are many. 0 if sizes are given in rows.
    height : float
        Height of the cut; 0 if there is none.
    n_clusters : int
        Number of clusters.
    noise : float
        Share of the rows that are in no cluster.
    score : float
        How far it is expected to be from the best possible reading, as a difference of adjusted
        Rand indices: 0 is the best, and lower is worse. See Notes.
    confidence : {"high", "medium", "low"} or None
        The score in words: high down to -0.1, medium down to -0.2.

    See Also
    --------
    ReadingChoice : The reading that was chosen, and the runners-up.

    Notes
    -----
    The candidate with the highest score is chosen. If the rows have structure, which has a
    probability ``P``, a candidate is expected to be ``d`` below the best possible reading, and one
    cluster is 1 below the best of the candidates, which is ``b`` below. If they have none, one
    cluster is right, and every other reading is 1 below it. So scores are ``-P * d - (1 - P)``, and
    ``-P * (b + 1)`` for one cluster, which is chosen if ``P`` is at most 0.5. If ``n_clusters``
    does not allow one cluster, ``P`` is 1.
    """

    scaling: str
    n_components: int
    selection: str
    min_cluster_size: float
    min_samples: float
    of_rows: float
    height: float
    n_clusters: int
    noise: float
    score: float

    @classmethod
    def of(cls, row: NDArray[np.float64]) -> ReadingCandidate:
        """Return a candidate from the engine's table."""
        scaling, components, selection, size, samples, height, k, noise, score, of_rows = (
            row.tolist()
        )

        def named_size(rows: float, least: int) -> float:
            """Return a size as a share of the rows, unless it is a least size or a count."""
            return rows / of_rows if of_rows > 0.0 and rows > least else int(rows)

        return cls(
            _SCALINGS[int(scaling)],
            int(components),
            _SELECTIONS[int(selection)],
            named_size(size, 0),
            named_size(samples, 1),
            of_rows,
            height,
            int(k),
            noise,
            score,
        )

    @property
    def confidence(self) -> str | None:
        """High, medium or low, by the score; None if it has no score."""
        if np.isnan(self.score):
            return None
        return next(name for most, name in _LOSSES if -self.score <= most)

    def __repr__(self) -> str:
        return summary(self, **self._asdict())

    def _repr_html_(self) -> str:
        return card(_candidates_table([self]))


def _candidates_table(
    candidates: Sequence[ReadingCandidate], more: Mapping[str, Sequence[object]] | None = None
) -> str:
    """Return a table of candidates, with more columns in front."""
    front = more or {}
    columns = ["clusters", "noise", "score", "scaling", "selection"]
    columns += ["min_cluster_size", "min_samples"]
    rows = [
        (
            *(column[k] for column in front.values()),
            each.n_clusters,
            f"{100.0 * each.noise:.1f} %",
            each.score,
            _scaling_in_words(each),
            each.selection,
            size_in_words(each.min_cluster_size),
            size_in_words(each.min_samples),
        )
        for k, each in enumerate(candidates)
    ]
    return table([*front, *columns], rows)


def _scaling_in_words(each: ReadingCandidate) -> str:
    return f"{each.scaling} ({each.n_components})" if each.n_components else each.scaling


@dataclass(frozen=True, eq=False, repr=False)
class ReadingChoice:
    """How the clusters of a :class:`DensityART` were read, and why: ``model.choice_``.

    Attributes
    ----------
    chosen : ReadingCandidate
        The reading that was chosen. Its attributes are attributes of this object, too.
    runners_up : tuple of ReadingCandidate
        The other readings that were considered, the best first.
    reason : str
        The choice in one line.
    confidence : {"high", "medium", "low"} or None
        How far the reading is to be trusted: high if its adjusted Rand index is expected to be at
        most 0.1 below that of the best possible reading (``score``), and medium up to 0.2. None if
        there was no alternative.
    alternatives : tuple of ReadingCandidate
        Of the runners-up, the best one for each other number of clusters.

    See Also
    --------
    DensityART : Has this as ``choice_``.
    ReadingCandidate : A reading that was considered.
    CondensedTree : The tree from which the clusters were read.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from resonart import DensityART
    >>> choice = DensityART().fit(load_iris().data).choice_
    >>> print(choice)
    2 clusters, 0.0 % noise. Confidence: high; the runner-up of 91 alternatives also has 2 clusters.
    >>> sorted(each.n_clusters for each in choice.alternatives)[:3]
    [1, 3, 4]
    """

    chosen: ReadingCandidate
    runners_up: tuple[ReadingCandidate, ...]

    @classmethod
    def of(cls, candidates: NDArray[np.float64], n_clusters: int, noise: float) -> ReadingChoice:
        """Return the choice from the engine's table.

        ``n_clusters`` and ``noise`` are those of the reading, if there was nothing to choose.
        """
        found = [ReadingCandidate.of(row) for row in candidates]
        if not found:
            found = [ReadingCandidate("given", 0, "cut", 0, 0, 0.0, 0.0, n_clusters, noise, np.nan)]
        return cls(found[0], tuple(found[1:]))

    @property
    def scaling(self) -> str:
        """How features were made comparable."""
        return self.chosen.scaling

    @property
    def n_components(self) -> int:
        """Number of principal components used; 0 if none."""
        return self.chosen.n_components

    @property
    def selection(self) -> str:
        """How clusters were taken from the tree."""
        return self.chosen.selection

    @property
    def min_cluster_size(self) -> float:
        """The least size of a cluster: a share of the rows, or a number of them."""
        return self.chosen.min_cluster_size

    @property
    def min_samples(self) -> float:
        """How many of the nearest rows a density is estimated from: a share, or a number."""
        return self.chosen.min_samples

    @property
    def of_rows(self) -> float:
        """What all rows count as; 0 if sizes are given in rows."""
        return self.chosen.of_rows

    @property
    def height(self) -> float:
        """Height of the cut; 0 if there is none."""
        return self.chosen.height

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.chosen.n_clusters

    @property
    def noise(self) -> float:
        """Share of the rows that are in no cluster."""
        return self.chosen.noise

    @property
    def score(self) -> float:
        """How far it is expected to be from the best possible reading: 0 is the best."""
        return self.chosen.score

    @property
    def confidence(self) -> str | None:
        """How far the reading is to be trusted; None where there is nothing to compare it with."""
        return self.chosen.confidence if self.runners_up else None

    @property
    def alternatives(self) -> tuple[ReadingCandidate, ...]:
        """Of the runners-up, the best one for each other number of clusters."""
        best: dict[int, ReadingCandidate] = {}
        for each in self.runners_up:
            best.setdefault(each.n_clusters, each)
        best.pop(self.n_clusters, None)
        return tuple(best.values())

    @property
    def reason(self) -> str:
        """The choice in one line."""
        n_others = count_of(len(self.runners_up), "alternative")
        second = self.runners_up[0] if self.runners_up else None
        if self.selection == "one":
            if second is None:
                return "1 cluster. There is no alternative."
            return (
                "1 cluster: the rows look like rows without structure. Confidence: "
                f"{self.confidence}; the best of {n_others} has "
                f"{count_of(second.n_clusters, 'cluster')}."
            )
        text = f"{count_of(self.n_clusters, 'cluster')}, {100.0 * self.noise:.1f} % noise."
        if second is None or self.confidence is None:
            return text
        also = "also " if second.n_clusters == self.n_clusters else ""
        which = (
            "the only alternative" if len(self.runners_up) == 1 else f"the runner-up of {n_others}"
        )
        return (
            f"{text} Confidence: {self.confidence}; {which} {also}has "
            f"{count_of(second.n_clusters, 'cluster')}."
        )

    def __str__(self) -> str:
        return self.reason

    def __repr__(self) -> str:
        best = self.chosen
        return summary(
            self,
            scaling=best.scaling,
            selection=best.selection,
            min_cluster_size=best.min_cluster_size,
            min_samples=best.min_samples,
            n_clusters=best.n_clusters,
            noise=best.noise,
            score=best.score,
            confidence=self.confidence,
            n_runners_up=len(self.runners_up),
        )

    def _repr_html_(self) -> str:
        parts = [heading(self.reason), _candidates_table([self.chosen])]
        others = self.alternatives
        if others:
            n_alike = Counter(each.n_clusters for each in self.runners_up)
            places = {
                "runners_up[...]": [self.runners_up.index(each) for each in others],
                "best of": [n_alike[each.n_clusters] for each in others],
            }
            parts += [
                line("The best runner-up for each other number of clusters:"),
                _candidates_table(others, places),
            ]
        return card(*parts)
