"""Reading what a model has learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._engine.bounds import Bounds, Boxes
from .._engine.state import Content, DensitySnapshot
from .._shared.show import SHOWN_COLUMNS, card, heading, line
from .._shared.words import count_of
from ..reports.describe import Description, check_names, describe_model
from .holder import EngineHolder, Labels


class ReadingMixin(EngineHolder):
    """``describe``, and the attributes that a fitted model has."""

    def _sizes(self, content: Content) -> NDArray[Any]:
        """Return how many rows of each category count: all that it has encoded."""
        return content.counts

    def _note_on_sizes(self) -> str:
        """Return a note on these sizes, if they are not simply numbers of rows."""
        return ""

    def describe(self, *, feature_names: Sequence[str] | None = None) -> Description:
        """Describe the clusters: their sizes, ranges and categories.

        ``print(model.describe())`` writes them as text; :func:`export_text` has options for that.
        For :class:`DensityART` it says of each cluster which features set it apart from the others.

        Parameters
        ----------
        feature_names : sequence of str or None, default=None
            Names of the features. By default, those of the rows that were learned, or ``x0``,
            ``x1``, ...

        Returns
        -------
        description : Description
            The clusters, the largest first, with their categories in descending order of rows.
            ``to_dict()`` returns plain values.

        See Also
        --------
        export_text : The same as text, with options.
        explain : Why a row is in its cluster.
        resonart.plot.categories : Draw the boxes.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30], [10, 30]])
        >>> print(model.describe(feature_names=["age", "weight"]))
        FuzzyART: 2 clusters in 2 categories, 5 rows
        <BLANKLINE>
        cluster 1: 3 rows (60.0 %), 1 category
          9 <= age <= 10 and 28 <= weight <= 30   (3 rows, 100 %)
        <BLANKLINE>
        cluster 0: 2 rows (40.0 %), 1 category
          0 <= age <= 1 and 10 <= weight <= 12   (2 rows, 100 %)
        """
        self._fitted()
        return describe_model(self, feature_names)

    def name_features(self, names: Sequence[str] | None) -> Self:
        """Set the feature names of a fitted model, as fitting a frame would.

        Parameters
        ----------
        names : sequence of str or None
            One name for each feature; None removes the names.

        Returns
        -------
        self : object
            The estimator, with ``feature_names_in_``.

        See Also
        --------
        describe : Describe the clusters with these names.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model.name_features(["age", "weight"]).predict_one({"weight": 29, "age": 8})
        1
        """
        self._fitted()
        checked = None if names is None else check_names(names, self.n_features_in_)

        def change() -> None:
            if checked is None:
                self.__dict__.pop("feature_names_in_", None)
            else:
                self.feature_names_in_ = np.array(checked, dtype=object)

        self._all_or_nothing(change)
        return self

    @property
    def n_clusters_(self) -> int:
        """Number of clusters."""
        return self._fitted().n_clusters

    @property
    def n_categories_(self) -> int:
        """Number of categories of all clusters."""
        return self._fitted().n_categories

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows presented so far, in all epochs."""
        return self._fitted().counters()[0]

    @property
    def n_refused_(self) -> int:
        """Number of rows that were not learned because the model was full, in all epochs."""
        return self._fitted().n_refused

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Complement-coded weights ``(u, 1 - v)`` in [0, 1], cluster by cluster."""
        return self._snapshot().weights

    @property
    def counts_(self) -> NDArray[np.int64]:
        """Number of rows encoded by each category."""
        return self._snapshot().counts

    @property
    def category_labels_(self) -> Labels:
        """Cluster of each category."""
        return self._snapshot().labels

    @property
    def bounds_(self) -> Bounds:
        """Feature ranges ``(low, high)`` that map to [0, 1]."""
        return Bounds(*self._fitted().bounds()).named(self._names())

    @property
    def boxes_(self) -> Boxes:
        """Corners ``(lower, upper)`` of each category's box, in the user's units."""
        return self._snapshot().boxes.named(self._names())

    def _names(self) -> NDArray[np.object_] | None:
        return getattr(self, "feature_names_in_", None)

    # ------------------------------------------------------------------ in a notebook

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()
        return self._card() + diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._card() + bundle["text/html"]
        return bundle

    def _card(self) -> str:
        """Return what a fitted model has found, to be shown above scikit-learn's diagram of it."""
        if self._trained_engine() is None:
            return ""
        content = self._snapshot()
        rows = self._sizes(content)
        outside = count_of(rows[content.labels < 0].sum().item(), "row")
        found = [
            count_of(self.n_clusters_, "cluster"),
            *([f"{outside} of noise"] if isinstance(content, DensitySnapshot) else []),
            f"{count_of(content.n_samples, 'row')} learned",
        ]
        features = count_of(self.n_features_in_, "input feature")
        names = self._names()
        if names is not None:
            left = len(names) - SHOWN_COLUMNS
            features += f": {', '.join(map(str, names[:SHOWN_COLUMNS]))}"
            features += f" and {left:,} more" if left > 0 else ""
        return card(heading(", ".join(found)), line(features))
