"""What every estimator shares: a thin scikit-learn shell over one native model."""

from __future__ import annotations

import copy
import os
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._models.snapshot import Content, Engine, Params, content_of, dump, rebuild
from .._reading.describe import Description, describe_model, names_of_features
from .._reading.explain import Explanation, explain_row
from .._reading.learned import Learned, Renaming
from .._rows.bounds import (
    Bounds,
    Boxes,
    boxes_from_weights,
    check_bounds,
    scale_rows,
)
from .._rows.checks import (
    ParameterError,
    Rows,
    check_count,
    check_one_row,
    check_rows,
    was_interrupted,
)
from .._rows.outliers import warn_of_outliers, warn_of_widening
from .._rows.vat import order_rows
from .._shared.change_lock import ChangeLock
from .._shared.random import CallersGenerator
from .parameters import (
    CHOICES_OF_FIELDS,
    PARAMETERS,
    check_parameters,
    engine_fields,
    parameters_of,
)
from .removal import ClusterRemoval

Labels = NDArray[np.int64]
T = TypeVar("T")


class _Before(NamedTuple):
    """What a call that fails has to leave as it was, besides the engine, which sees to itself."""

    attributes: dict[str, Any]
    generator: CallersGenerator


class BaseART(
    ClusterRemoval,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
    ABC,
):
    """Base of the estimators. State lives in ``_engine``; nothing here loops over rows."""

    _engine_type: ClassVar[type[Engine]]
    _engine: Engine
    # What is to be known about counts, where they are more than rows.
    _counts_note: ClassVar[str] = ""

    alpha: Any
    beta: Any
    max_epochs: Any
    order: Any
    random_state: Any
    bounds: Any
    out_of_bounds: Any
    on_mismatch: Any
    max_categories: Any

    labels_: Labels
    n_epochs_: int
    n_features_in_: int

    # ------------------------------------------------------------------ what a subclass says

    def _own_params(self, n_rows: int | None) -> dict[str, Any]:
        """Return what the engine is given, checked, under its names.

        ``n_rows`` is how many rows ``fit`` has; None where rows come as a stream.
        """
        return engine_fields(self._engine_type.Params, self._values_used())

    def _values_used(self) -> dict[str, Any]:
        """Return the parameters; an estimator knows what those stand for that are left open."""
        return {name: getattr(self, name) for name in parameters_of(type(self))}

    def _set_labels(self, rows: Rows, labels: Labels) -> None:
        self.labels_ = labels

    def _settle(self, rows: Rows, *, is_stream: bool) -> None:
        """Decide from the first rows what the parameters leave open."""

    def _merges_after_fit(self) -> bool:
        return False

    def _merges_on_the_way(self) -> bool:
        return False

    # ------------------------------------------------------------------ learning

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster ``X`` from scratch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; a NumPy array, a pandas or polars frame, or nested lists.
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : object
            The fitted estimator. A call that fails leaves it as it was, and a ``RandomState`` given
            as ``random_state``, too.
        """
        self._all_or_nothing(lambda: self._fit(X, None))
        return self

    def _fit_in_order(self, X: ArrayLike, order: NDArray[np.int64]) -> Self:
        """Fit with the rows presented in an order of the caller's."""
        self._all_or_nothing(lambda: self._fit(X, order))
        return self

    def _fit(self, X: ArrayLike, order: NDArray[np.int64] | None) -> None:
        rows = check_rows(self, X, reset=True)
        self._check_common()
        if order is None:  # else whoever has the order has looked at the rows before
            self._warn_of_outliers(rows)
        self._settle(rows, is_stream=False)
        params = self._params(n_rows=rows.shape[0])
        engine = self._new_engine(rows.shape[1], params)
        labels, n_epochs = self._train(engine, rows, params, order)
        self._engine = engine
        self._set_labels(rows, labels)
        self.n_epochs_ = n_epochs

    def _train(
        self,
        engine: Engine,
        rows: Rows,
        params: Params,
        order: NDArray[np.int64] | None,
    ) -> tuple[Labels, int]:
        """Let a new model learn the rows of ``fit``; return their labels and the epochs run."""
        return engine.train(
            rows,
            params,
            self._presentation(rows) if order is None else order,
            self._most_epochs(),
            merge_at_end=self._merges_after_fit(),
            merge_on_the_way=False,
            can_be_undone=False,
        )

    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Go on learning with the rows of ``X``, each presented once, in the order given.

        Splitting rows into calls in any way gives the same model as one call, as long as the
        feature ranges are given or already known.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream.
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : object
            The estimator; ``labels_`` holds the labels of this call's rows. A call that fails
            leaves it as it was.
        """
        self._all_or_nothing(lambda: self._partial_fit(X))
        return self

    def _partial_fit(self, X: ArrayLike) -> None:
        engine, rows, params, is_first = self._begin_stream(X)
        before = None if is_first else Bounds(*engine.bounds())
        labels, n_epochs = (self._train_first if is_first else self._train_on)(engine, rows, params)
        self._warn_of_widening(engine, rows, before)
        self._engine = engine
        self._set_labels(rows, labels)
        self.n_epochs_ = n_epochs

    def _train_first(self, engine: Engine, rows: Rows, params: Params) -> tuple[Labels, int]:
        """Let a new model learn the first rows of a stream; return labels and epochs run."""
        return self._train_on(engine, rows, params, can_be_undone=False)

    def _train_on(
        self, engine: Engine, rows: Rows, params: Params, *, can_be_undone: bool = True
    ) -> tuple[Labels, int]:
        return engine.train(
            rows,
            params,
            None,
            1,
            merge_at_end=False,
            merge_on_the_way=self._merges_on_the_way(),
            can_be_undone=can_be_undone,
        )

    def _begin_stream(self, X: ArrayLike) -> tuple[Engine, Rows, Params, bool]:
        """Return the model, new or known, that goes on with these rows; and whether it is new."""
        self._check_common()
        if self.order == "vat":
            raise ParameterError(
                "order='vat' needs all rows at once, and a stream shows only some. Use fit, or "
                "order='given' or 'random', with which rows are taken as they come."
            )
        engine = self._trained_engine()
        is_first = engine is None
        rows = check_rows(self, X, reset=is_first)
        if is_first:
            self._warn_of_outliers(rows)
            self._settle(rows, is_stream=True)
        params = self._params()
        if engine is None:
            engine = self._new_engine(rows.shape[1], params, n_first_rows=rows.shape[0])
        return engine, rows, params, is_first

    def learn_many(self, X: ArrayLike) -> Learned:
        """Go on learning as :meth:`partial_fit` does, and tell what each row did as it came.

        The model becomes the same, to the bit. What is told of a row does not depend on the rows
        after it, so that a stream cut into calls anywhere is told the same.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream.

        Returns
        -------
        learned : Learned
            Labels, matches before learning, which rows founded clusters, and what merging renamed
            on the way. A call that fails leaves the estimator as it was. The one exception: rows
            that vigilances are chosen from are learned together, as by :meth:`fit`, so of them
            labels and matches are told as they are afterwards.
        """
        return self._all_or_nothing(lambda: self._learn_many(X))

    def _learn_many(self, X: ArrayLike) -> Learned:
        engine, rows, params, is_first = self._begin_stream(X)
        before = None if is_first else Bounds(*engine.bounds())
        learned = (self._tell_first if is_first else self._tell_on)(engine, rows, params)
        self._warn_of_widening(engine, rows, before)
        self._engine = engine
        self._set_labels(rows, learned.labels_now())
        self.n_epochs_ = 1
        return learned

    def _tell_first(self, engine: Engine, rows: Rows, params: Params) -> Learned:
        """Let a new model learn the first rows of a stream, and tell what each of them did."""
        return self._tell_on(engine, rows, params)

    def _tell_on(self, engine: Engine, rows: Rows, params: Params) -> Learned:
        labels, matches, founded, renamings = engine.train_telling(rows, params)
        return Learned(
            labels, matches, founded.view(np.bool_), [Renaming(*each) for each in renamings]
        )

    def learn_one(self, row: Any) -> int:
        """Learn one row and return its label: the quick way in for a stream.

        No array is built and no frame is looked at. Parameters are those of the last ``fit`` or
        ``partial_fit``; ``labels_`` stays what that call made it. A new model learns the feature
        ranges as rows come unless ``bounds`` is given, which is better for a stream.

        Parameters
        ----------
        row : sequence of float
            One value for each feature: a list, a tuple or a 1-D array.

        Returns
        -------
        label : int
            The cluster that took the row.
        """
        engine: Engine | None = self.__dict__.get("_engine")
        if engine is None:
            return self._learn_first(row)
        return engine.learn_one(row)

    def _learn_first(self, row: Any) -> int:
        return self._all_or_nothing(lambda: self._begin_with(row))

    def _begin_with(self, row: Any) -> int:
        engine = self._trained_engine()
        if engine is not None:  # another thread came first
            return engine.learn_one(row)
        params = self._params()
        try:
            n_features = len(row)
        except TypeError:
            raise TypeError(
                f"learn_one takes one row: a sequence of numbers, got {row!r}."
            ) from None
        if n_features == 0:
            raise ValueError("the row has 0 features; at least 1 is needed.")
        engine = self._new_engine(n_features, params, n_first_rows=1)
        label = engine.learn_one(row)
        self._engine = engine
        self.n_features_in_ = n_features
        self._set_labels(np.empty((0, n_features)), np.empty(0, dtype=np.int64))
        self.n_epochs_ = 1
        return label

    # ------------------------------------------------------------------ asking

    def predict(self, X: ArrayLike) -> Labels:
        """Find the cluster of each row, learning nothing.

        A row goes to the first cluster, in the order of the search, whose match reaches the
        vigilance. Where none does, ``on_mismatch`` decides: the most active cluster
        (``"nearest"``) or -1 (``"noise"``). Weights go on moving after a row has been learned, so
        ``predict(X)`` need not equal ``labels_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster of each row.
        """
        check_is_fitted(self)
        nearest = PARAMETERS["on_mismatch"].check(self.on_mismatch) == "nearest"
        return self._engine.predict(check_rows(self, X, reset=False), nearest)

    def predict_one(self, row: Any) -> int:
        """Find the cluster of one row, learning nothing: the quick way to ask in a stream.

        Parameters
        ----------
        row : sequence of float, mapping or table of one row
            As for :meth:`explain`; a tuple or a list is quickest.

        Returns
        -------
        label : int
            What :meth:`predict` says of the row.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model.predict_one([8, 29])
        1
        """
        engine = self._trained_engine()
        if engine is None:
            engine = self._fitted()  # which says what is to be done first
        nearest = PARAMETERS["on_mismatch"].check(self.on_mismatch) == "nearest"
        return int(engine.predict(check_one_row(self, row), nearest)[0])

    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """Match of each row with the cluster ``predict`` finds nearest: a novelty score.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Between 0 and 1; the lower, the more novel. Rows below the (lower) vigilance resonate
            with nothing the model knows.
        """
        check_is_fitted(self)
        return self._engine.score(check_rows(self, X, reset=False))

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Match of each row with each cluster, learning nothing.

        The match with a cluster is what ``score_samples`` would say if the model had that cluster
        alone: of :class:`DDVFA` the match of the module, by its linkage; of :class:`DVFA` that of
        the cluster's most active category among those that reach the lower vigilance, or among all
        where none does; of :class:`TopoART` the highest size-independent activation of module B's
        permanent categories in the cluster. So the entry of the cluster that ``predict`` finds
        nearest is ``score_samples``, to the bit. It need not be the highest: the search goes by
        activation, not by match.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        matches : ndarray of shape (n_samples, n_clusters)
            Between 0 and 1; column ``c`` is cluster ``c``. With ``set_output`` a frame, whose
            columns :meth:`get_feature_names_out` names.

        See Also
        --------
        nearest_clusters : The best few of each row, where the whole table is too large.
        ClusterMatches : The same as a step of a pipeline, with sparse output.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model.transform([[1, 18], [10, 30]])
        array([[0.75, 0.25],
               [0.  , 0.9 ]])
        """
        check_is_fitted(self)
        rows = check_rows(self, X, reset=False)
        try:
            return self._engine.matches(rows)
        except MemoryError as error:
            raise MemoryError(
                f"There is no room for the matches of {len(rows):,} rows with "
                f"{self.n_clusters_:,} clusters. nearest_clusters gives the best few of each row, "
                "ClusterMatches(estimator, top=...) the same as a sparse matrix."
            ) from error

    def nearest_clusters(
        self, X: ArrayLike, n_nearest: int = 1
    ) -> tuple[Labels, NDArray[np.float64]]:
        """Find the clusters that match each row best, learning nothing.

        What :meth:`transform` gives, the best few of each row only: memory depends on these, not on
        the number of clusters. The first need not be what ``predict`` says, which goes by
        activation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_nearest : int, default=1
            How many clusters of each row to tell.

        Returns
        -------
        labels : ndarray of shape (n_samples, n_nearest)
            Clusters by falling match, equal ones by label; -1 where there are no more.
        matches : ndarray of shape (n_samples, n_nearest)
            Their matches; 0 where there are no more.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> labels, matches = model.nearest_clusters([[1, 18], [10, 30]], 2)
        >>> labels
        array([[0, 1],
               [1, 0]])
        >>> matches
        array([[0.75, 0.25],
               [0.9 , 0.  ]])
        """
        check_is_fitted(self)
        most = check_count("n_nearest", n_nearest)
        assert most is not None
        return self._engine.nearest_clusters(check_rows(self, X, reset=False), most)

    # ------------------------------------------------------------------ keeping

    def save(
        self,
        path: str | bytes | os.PathLike[Any],
        *,
        metadata: Mapping[str, Any] | None = None,
        include_labels: bool = True,
    ) -> None:
        """Write the model to a file, from which :func:`load` has it back, to the bit.

        Fitted or not, parameters and all that was learned are kept, so that learning goes on
        where it was. The file is replaced as a whole: if anything fails, or the computer does,
        what was there before is still there. Threads that learn meanwhile may go on.

        Parameters
        ----------
        path : str or path-like
            The file; ``.resonart`` is a good ending.
        metadata : mapping or None, default=None
            Notes of your own to keep with the model: text, numbers, True, False, None, lists and
            mappings, as JSON has them. ``load(path, with_metadata=True)`` returns them.
        include_labels : bool, default=True
            Whether to keep what the last call came to: ``labels_``, a number for each row of it,
            and ``label_map_`` of DDVFA, what it renamed. Without, both are empty after loading, and
            the file does not depend on how a stream was cut into calls.

        Raises
        ------
        OSError
            Where the file cannot be written.

        Examples
        --------
        >>> import os, tempfile
        >>> from resonart import DVFA, load
        >>> model = DVFA(rho_lb=0.7, rho_ub=0.95, bounds=(0, 1))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "stream.resonart")
        ...     model.partial_fit([[0.0, 0.0], [0.2, 0.0]]).save(path)
        ...     model = load(path)
        >>> model.learn_one([0.2, 1.0]), model.n_samples_seen_
        (1, 3)
        """
        from .._models.save import save_model

        save_model(self, path, metadata, include_labels)

    def explain(self, row: Any, *, feature_names: Sequence[str] | None = None) -> Explanation:
        """Tell why a row is where ``predict`` puts it: ``print(model.explain(row))``.

        Label and match are those of ``predict`` and ``score_samples``; the model learns nothing.

        Parameters
        ----------
        row : sequence of float, mapping or table of one row
            One value for each feature: a list, a tuple or a 1-D array; a dict or a frame's row by
            feature names, if the model knows them; or a frame or 2-D array that has one row.
        feature_names : sequence of str or None, default=None
            Names to write. By default those the rows came with, or ``x0``, ``x1``, ...

        Returns
        -------
        explanation : Explanation
            The label, and where the row lies: inside the nearest box of that cluster, or outside
            of it, in which features by how much; the match, what the size of the box and the
            distance leave of it, and how far from the box rows still match as well as the vigilance
            asks, in your units; the runner-up, found by asking the same model without that cluster.
            ``to_dict()`` gives plain values.

        Notes
        -----
        The search goes by activation, which prefers small boxes, and asks the vigilance of the
        match: a runner-up may match better, and the nearest box need not be the one that took the
        row. Where another box decides, it is told, too.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> print(model.explain([1, 18]))
        cluster 0: the row lies outside its box
        its box: 0 <= x0 <= 1 and 10 <= x1 <= 12   (2 rows, 100 %)
          x1 = 18: 6 above the box's upper 12 (30 % of the range)
        match 0.750, and rho asks for 0.7: enough
          0.900 for a row inside: the larger a box, the less it matches; this one spans 10 % of a \
feature's range on average
          0.750 at this distance: 15 % of a feature's range on average
          it takes rows up to 4.0 in x0 or 8.0 in x1 outside, in one feature alone
        without cluster 0: cluster 1, match 0.250, too low
        """
        self._fitted()
        nearest = PARAMETERS["on_mismatch"].check(self.on_mismatch) == "nearest"
        with self._own_lock():
            engine = self._engine
            before = engine.counters()
            rows, names = check_one_row(self, row), names_of_features(self, feature_names)
            found = explain_row(self, rows, nearest, names)
            # Only learn_one does without the lock. A copy stays as it is.
            if engine.counters() != before:
                found = explain_row(copy.copy(self), rows, nearest, names)
        return found

    # ------------------------------------------------------------------ what was learned

    def describe(self, *, feature_names: Sequence[str] | None = None) -> Description:
        """Tell what the model has found: clusters with their sizes, ranges and boxes.

        ``print(model.describe())`` writes it as rules; :func:`export_text` has options for that.

        Parameters
        ----------
        feature_names : sequence of str or None, default=None
            Names of the features. By default those the rows came with, or ``x0``, ``x1``, ...

        Returns
        -------
        description : Description
            The clusters, the largest first, with their boxes by falling number of rows;
            ``to_dict()`` gives plain values.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30], [10, 30]])
        >>> print(model.describe(feature_names=["age", "weight"]))
        FuzzyART: 2 clusters in 2 boxes, 5 rows
        <BLANKLINE>
        cluster 1: 3 rows (60.0 %), 1 box
          9 <= age <= 10 and 28 <= weight <= 30   (3 rows, 100 %)
        <BLANKLINE>
        cluster 0: 2 rows (40.0 %), 1 box
          0 <= age <= 1 and 10 <= weight <= 12   (2 rows, 100 %)
        """
        self._fitted()
        return describe_model(self, feature_names, self._counts_note)

    @property
    def n_clusters_(self) -> int:
        """Number of clusters."""
        return self._fitted().n_clusters

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    @property
    def n_categories_(self) -> int:
        """Number of categories (boxes) of all clusters."""
        return self._fitted().n_categories

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows presented so far, every epoch counted."""
        return self._fitted().counters()[0]

    @property
    def n_refused_(self) -> int:
        """Number of rows that a full model could not learn, every epoch counted."""
        return self._fitted().n_refused

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Complement-coded weights ``(u, 1 - v)`` in [0, 1], cluster by cluster."""
        return self._snapshot().weights

    @property
    def counts_(self) -> NDArray[np.int64]:
        """Number of rows each category has encoded."""
        return self._snapshot().counts

    @property
    def category_labels_(self) -> Labels:
        """Cluster of each category."""
        return self._snapshot().labels

    @property
    def bounds_(self) -> Bounds:
        """Feature ranges ``(low, high)`` that map to [0, 1]."""
        return Bounds(*self._fitted().bounds())

    @property
    def boxes_(self) -> Boxes:
        """Corners ``(lower, upper)`` of each category's box, in the user's units."""
        content = self._snapshot()
        return boxes_from_weights(content.weights, content.bounds)

    # ------------------------------------------------------------------ plumbing

    def _check_common(self) -> None:
        # Those that are looked at before the engine is.
        known = CHOICES_OF_FIELDS[self._engine_type.Params]
        early = ("out_of_bounds", "max_categories")
        own = parameters_of(type(self))
        check_parameters(self, [p for n, p in own.items() if n not in known or n in early])

    def _most_epochs(self) -> int:
        return min(int(self.max_epochs), 2**31 - 1)

    def _params(self, n_rows: int | None = None) -> Params:
        self._check_common()
        return self._engine_type.Params(**self._own_params(n_rows))

    def _new_engine(
        self, n_features: int, params: Params, *, n_first_rows: int | None = None
    ) -> Engine:
        """Return an empty model; ``n_first_rows`` is given where a stream begins."""
        engine = self._engine_type(n_features, params)
        bounds = check_bounds(self.bounds, n_features)
        if bounds is not None:
            engine.set_bounds(bounds.low, bounds.high)
        elif n_first_rows == 1 and self.out_of_bounds != "expand":
            raise ParameterError(
                "One row does not tell the feature ranges, which cannot grow later with "
                f"out_of_bounds={self.out_of_bounds!r}. Give bounds=(low, high), begin with a "
                "larger batch, or use out_of_bounds='expand'."
            )
        return engine

    def _warn_of_outliers(self, rows: Rows, names: Sequence[str] | None = None) -> None:
        """Warn where the ranges that these first rows are to give are those of a few of them."""
        given = check_bounds(self.bounds, rows.shape[1])
        if given is None or self.out_of_bounds == "expand":
            if names is None:
                names = getattr(self, "feature_names_in_", None)
            warn_of_outliers(type(self).__name__, names, rows, given)

    def _warn_of_widening(self, engine: Engine, rows: Rows, before: Bounds | None) -> None:
        """Warn where a few of these rows have widened the ranges of a stream much."""
        if before is not None and self.out_of_bounds == "expand":
            after = Bounds(*engine.bounds())
            names = getattr(self, "feature_names_in_", None)
            n_seen = engine.counters()[0]
            warn_of_widening(type(self).__name__, names, rows, before, after, n_seen)

    def _presentation(self, rows: Rows) -> NDArray[np.int64] | None:
        if self.order == "given":
            return None
        if self.order == "vat":
            given = check_bounds(self.bounds, rows.shape[1])
            values = np.ascontiguousarray(rows, dtype=np.float64)
            low, high = values.min(axis=0), values.max(axis=0)
            if given is not None and self.out_of_bounds == "expand":
                low, high = np.minimum(low, given.low), np.maximum(high, given.high)
            elif given is not None:
                low, high = given
            return order_rows(scale_rows(values, low, high))
        random = check_random_state(self.random_state)
        return np.asarray(random.permutation(rows.shape[0]), dtype=np.int64)

    def _trained_engine(self) -> Engine | None:
        return self.__dict__.get("_engine")

    def _fitted(self) -> Engine:
        check_is_fitted(self)
        return self._engine

    def _snapshot(self) -> Content:
        return content_of(self._fitted(), grouped=True)

    def _all_or_nothing(self, work: Callable[[], T]) -> T:
        """Do one change at a time; one that fails leaves the model and its attributes as they were.

        The engine undoes its own work where it fails, and is told to where something fails after
        it, as an interrupt on the way back. The lock is made on first use because scikit-learn
        allows nothing but parameters to be set in ``__init__``; ``dict.setdefault`` is atomic.
        """
        attributes = self.__dict__
        lock = self._own_lock()
        before: _Before | None = None
        try:
            with lock:
                engine: Engine | None = attributes.get("_engine")
                if engine is not None:
                    engine.keep()
                before = _Before(dict(attributes), CallersGenerator(self.random_state))
                try:
                    return work()
                except BaseException:
                    self._restore(before)
                    before = None
                    raise
        except MemoryError as error:
            raise MemoryError(
                f"{type(self).__name__} has run out of memory and is unchanged. A lower vigilance "
                "makes fewer categories, and max_categories sets a bound to them."
            ) from error
        except BaseException as error:
            if before is not None:  # all was done, and then came an interrupt
                with lock:
                    self._restore(before)
            if isinstance(error, Exception) and was_interrupted(error):
                raise KeyboardInterrupt from error
            raise

    def _own_lock(self) -> ChangeLock:
        lock: ChangeLock | None = self.__dict__.get("_lock")
        if lock is None:
            lock = self.__dict__.setdefault("_lock", ChangeLock())
        return lock

    def _restore(self, before: _Before) -> None:
        if "_engine" in before.attributes:
            before.attributes["_engine"].undo()
        attributes = self.__dict__
        for name in attributes.keys() - before.attributes.keys():
            del attributes[name]
        attributes.update(before.attributes)
        before.generator.give_back()

    def __sklearn_is_fitted__(self) -> bool:
        return "_engine" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        with self._own_lock():  # attributes and engine are of one moment
            state: dict[str, Any] = dict(super().__getstate__())
            state.pop("_lock", None)
            if "_engine" in state:
                state["_engine"] = dump(state["_engine"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_engine" in state:
            state["_engine"] = rebuild(self._engine_type, state["_engine"])
        super().__setstate__(state)
