"""Learning: from all rows at once, or from a stream in calls of many rows or of one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from .. import _core
from .._models.snapshot import Engine
from .._reading.learned import Learned, Renaming
from .._rows.bounds import Bounds, check_bounds, scale_rows
from .._rows.checks import ParameterError, Rows, check_rows
from .._rows.outliers import warn_of_outliers, warn_of_widening
from .._rows.vat import order_rows
from .holder import EngineHolder, Labels


class LearningMixin(EngineHolder):
    """``fit``, ``partial_fit``, ``learn_many`` and ``learn_one``."""

    # ------------------------------------------------------------------ what a subclass says

    @abstractmethod
    def _check_common(self) -> None:
        """Check the parameters that need no look at the rows."""

    def _set_labels(self, rows: Rows, labels: Labels) -> None:
        self.labels_ = labels

    def _settle(self, rows: Rows, *, is_stream: bool) -> None:
        """Decide from the first rows what the parameters leave open."""

    def _merges_after_fit(self) -> bool:
        return False

    def _merges_on_the_way(self) -> bool:
        return False

    # ------------------------------------------------------------------ all rows

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
        params: _core.Params,
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

    # ------------------------------------------------------------------ a stream

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

    def _train_first(self, engine: Engine, rows: Rows, params: _core.Params) -> tuple[Labels, int]:
        """Let a new model learn the first rows of a stream; return labels and epochs run."""
        return self._train_on(engine, rows, params, can_be_undone=False)

    def _train_on(
        self, engine: Engine, rows: Rows, params: _core.Params, *, can_be_undone: bool = True
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

    def _begin_stream(self, X: ArrayLike) -> tuple[Engine, Rows, _core.Params, bool]:
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

    def _tell_first(self, engine: Engine, rows: Rows, params: _core.Params) -> Learned:
        """Let a new model learn the first rows of a stream, and tell what each of them did."""
        return self._tell_on(engine, rows, params)

    def _tell_on(self, engine: Engine, rows: Rows, params: _core.Params) -> Learned:
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

    # ------------------------------------------------------------------ before and after

    def _most_epochs(self) -> int:
        return min(int(self.max_epochs), 2**31 - 1)

    def _new_engine(
        self, n_features: int, params: _core.Params, *, n_first_rows: int | None = None
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
