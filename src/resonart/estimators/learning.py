"""Learning: from all rows at once, or from a stream in calls of many rows or of one."""

from __future__ import annotations

import functools
import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from .._engine.bounds import Bounds, check_bounds, ranges_of, scale_rows
from .._engine.parameters import parameters_of
from .._engine.state import Engine, Params
from .._shared.progress import listener
from ..reports.learned import Learned, Renaming
from ..rows.checks import (
    ParameterError,
    Rows,
    check_one_row,
    check_rows,
    is_by_name,
    names_and_values,
)
from ..rows.outliers import warn_of_outliers, warn_of_widening
from ..rows.time import Moment
from ..rows.vat import order_rows
from ..vigilance.auto import learn_choosing, one_row_is_not_enough
from ..vigilance.choice import LearnedRun, VigilanceChoice
from .holder import EngineHolder, Labels

# Rows of these types have no names, and the engine reads them as they are.
SEQUENCES = frozenset({list, tuple, np.ndarray})
# Called with the number of rows learned, and of parts of the current reading: done, and in all.
EngineReport = Callable[[int, int, int], None]


class StreamCall(NamedTuple):
    """Rows of a stream, and the model that learns them.

    Attributes
    ----------
    bounds : Bounds or None
        The model's ranges before the call; None for a new model.
    chosen : LearnedRun or None
        The result if the rows were already learned while vigilances were chosen from them.
    """

    engine: Engine
    rows: Rows
    params: Params
    bounds: Bounds | None
    chosen: LearnedRun | None


class _Checked(NamedTuple):
    """Parameters of a stream as they were given, and as the engine takes them."""

    engine: Engine
    given: tuple[object, ...]
    params: Params


@functools.cache
def _parameter_getter(kind: type[EngineHolder]) -> Callable[[EngineHolder], tuple[object, ...]]:
    """Return a function that reads all parameters of an estimator, as they are given."""
    return operator.attrgetter(*parameters_of(kind))


class LearningMixin(EngineHolder):
    """``fit``, ``partial_fit``, ``learn_many`` and ``learn_one``."""

    _choice: VigilanceChoice | None = None

    # ------------------------------------------------------------------ what a subclass says

    @abstractmethod
    def _check_common(self) -> None:
        """Check the parameters that can be checked without the rows."""

    def _set_labels(self, rows: Rows, labels: Labels) -> None:
        self.labels_ = labels

    def _vigilances_to_choose(self) -> tuple[str, ...]:
        """Return the names of the vigilances that are to be chosen from the first rows."""
        return ()

    def _minds_outliers(self) -> bool:
        """Return whether a few rows that take most of a range spoil the result."""
        return True

    def _merges_after_fit(self) -> bool:
        return False

    def _merges_within_fit(self) -> bool:
        return False

    def _merges_on_the_way(self) -> bool:
        return False

    def _when(self, time: ArrayLike | None, n_rows: int) -> dict[str, Any]:
        """Return the times of rows as arguments for the engine; most estimators know no time."""
        return {}

    def _watched(self, n_rows: int) -> AbstractContextManager[EngineReport | None]:
        """Give the callback for the engine's progress, if somebody wants to know it."""
        tell, what = listener(), f"{type(self).__name__}, rows"
        if tell is None:
            return nullcontext()
        return nullcontext(lambda n_learned, n_parts, all_parts: tell(what, n_learned, n_rows))

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
            The fitted estimator. A call that fails leaves it as it was, and also a ``RandomState``
            given as ``random_state``.

        See Also
        --------
        partial_fit : Learn more rows without starting again.
        fit_predict : Fit and return ``labels_``.
        """
        self._all_or_nothing(lambda: self._fit(X, None))
        return self

    def _fit_first(self, X: ArrayLike) -> None:
        """Fit rows as :meth:`fit` does, for a model that will learn more rows later."""
        self._all_or_nothing(lambda: self._fit(X, None, more_to_come=True))

    def _fit(
        self,
        X: ArrayLike,
        order: NDArray[np.int64] | None,
        time: ArrayLike | None = None,
        *,
        more_to_come: bool = False,
    ) -> None:
        rows = check_rows(self, X, reset=True)
        self._check_common()
        self._forget_choice()
        # If the order is known, rows and vigilances were checked before.
        ranges = self._first_ranges(rows) if order is None else None
        if ranges is not None and self._vigilances_to_choose():
            self._choice, run = learn_choosing(
                self, rows, ranges, is_stream=False, more_to_come=more_to_come
            )
            self._accept(rows, run)
            return
        params = self._params(n_rows=rows.shape[0])
        engine = self._new_engine(rows.shape[1], params)
        with self._watched(rows.shape[0]) as report:
            trained = engine.train(
                rows,
                params,
                self._presentation(rows) if order is None else order,
                self._most_epochs(),
                merge_at_end=self._merges_after_fit(),
                merge_on_the_way=self._merges_within_fit(),
                can_be_undone=False,
                report=report,
                **self._when(time, len(rows)),
            )
        self._accept(rows, LearnedRun(engine, *trained))

    def _forget_choice(self) -> None:
        self.__dict__.pop("_choice", None)

    def _accept(self, rows: Rows, run: LearnedRun) -> None:
        """Keep what was learned from the rows of a call."""
        self._engine = run.engine
        last: _Checked | None = self.__dict__.get("_checked")
        if last is not None and last.engine is not run.engine:
            del self._checked  # it holds a model that is no longer used
        self._set_labels(rows, run.labels)
        self.n_epochs_ = run.n_epochs

    # ------------------------------------------------------------------ a stream

    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn the next rows of a stream, each presented once, in the given order.

        However rows are split into calls, the model is the same as after one call, as long as the
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
            The estimator; ``labels_`` has the labels of this call's rows. A call that fails
            leaves it as it was.

        See Also
        --------
        learn_many : The same, with a report on each row.
        learn_one : The same for one row, and faster.
        """
        self._all_or_nothing(lambda: self._partial_fit(X))
        return self

    def _partial_fit(self, X: ArrayLike, time: ArrayLike | None = None) -> None:
        start = self._begin_stream(X)
        if start.chosen is not None:
            labels, n_epochs, beside = start.chosen.labels, start.chosen.n_epochs, []
        else:
            labels, n_epochs, *beside = start.engine.train(
                start.rows,
                start.params,
                None,
                1,
                merge_at_end=False,
                merge_on_the_way=self._merges_on_the_way(),
                can_be_undone=start.bounds is not None,
                **self._when(time, len(start.rows)),
            )
        self._end_call(start, labels, n_epochs, beside)

    def _begin_stream(self, X: ArrayLike) -> StreamCall:
        """Check the rows, and return them with the new or existing model that learns them."""
        engine = self._trained_engine()
        params = None if engine is None else self._same_params(engine)
        if params is None:
            self._check_common()
            if self._setting("order") == "vat":
                raise ParameterError(
                    "order='vat' needs all rows at once, and a stream has only some of them. Use "
                    "fit, or order='given' or 'random', which take the rows in the given order."
                )
        rows = check_rows(self, X, reset=engine is None)
        if engine is not None:
            if params is None:
                params = self._params()
                self._keep_params(engine, params)
            return StreamCall(engine, rows, params, Bounds(*engine.bounds()), None)
        self._forget_choice()
        ranges = self._first_ranges(rows)
        if self._vigilances_to_choose():
            self._choice, chosen = learn_choosing(self, rows, ranges, is_stream=True)
            return StreamCall(chosen.engine, rows, chosen.engine.params(), None, chosen)
        params = self._params()
        engine = self._new_engine(rows.shape[1], params, n_first_rows=rows.shape[0])
        self._keep_params(engine, params)
        return StreamCall(engine, rows, params, None, None)

    def _keep_params(self, engine: Engine, params: Params) -> None:
        self._checked = _Checked(engine, _parameter_getter(type(self))(self), params)

    def _same_params(self, engine: Engine) -> Params | None:
        """Return the parameters of the stream's last call, if none has changed since then.

        Checking and passing on twenty of them takes as long as learning several rows.
        """
        last: _Checked | None = self.__dict__.get("_checked")
        if last is None or last.engine is not engine:
            return None
        is_same = all(map(operator.is_, _parameter_getter(type(self))(self), last.given))
        return last.params if is_same else None

    def _end_call(
        self, start: StreamCall, labels: Labels, n_epochs: int, beside: Sequence[Any]
    ) -> None:
        """Warn if a few of the rows have widened ranges much, and keep what was learned.

        ``beside`` is what an engine that reads its clusters returns for the rows besides labels.
        """
        engine, rows = start.engine, start.rows
        if start.bounds is not None and self.out_of_bounds == "expand" and self._minds_outliers():
            after = Bounds(*engine.bounds())
            if after.low.tobytes() != start.bounds.low.tobytes() or (
                after.high.tobytes() != start.bounds.high.tobytes()
            ):
                warn_of_widening(self, rows, start.bounds, after, engine.counters()[0])
        self._accept(rows, LearnedRun(engine, labels, n_epochs, *beside))

    def learn_many(self, X: ArrayLike) -> Learned:
        """Learn rows as :meth:`partial_fit` does, and report what happened to each of them.

        The model is the same, to the bit. What is reported for a row does not depend on the rows
        after it, so it does not matter how a stream is cut into calls.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream.

        Returns
        -------
        learned : Learned
            The labels, the matches before learning, which rows started clusters, and which labels
            were changed by merging on the way. A call that fails leaves the estimator as it was.
            There is one exception: rows from which vigilances are chosen are learned together, as
            by :meth:`fit`. Their labels and matches are those after learning.

        See Also
        --------
        partial_fit : The same without a report.
        learn_one : Learn one row.
        """
        return self._all_or_nothing(lambda: self._learn_many(X))

    def _learn_many(self, X: ArrayLike, time: ArrayLike | None = None) -> Learned:
        start = self._begin_stream(X)
        now: list[Any] = []
        if start.chosen is not None:
            labels = start.chosen.labels
            founded = np.zeros(len(labels), dtype=np.bool_)
            clusters, first_rows = np.unique(labels, return_index=True)
            founded[first_rows[clusters >= 0]] = True
            learned = Learned(labels, start.engine.score(start.rows), founded, [])
        else:
            # (An engine that reads its clusters returns the labels after the call itself.)
            labels, matches, flags, renamings, *now = start.engine.train_and_report(
                start.rows, start.params, **self._when(time, len(start.rows))
            )
            learned = Learned(
                labels, matches, flags.view(np.bool_), [Renaming(*each) for each in renamings]
            )
        self._end_call(start, now[0] if now else learned.labels_now(), 1, now[1:])
        return learned

    def learn_one(self, row: Any) -> int:
        """Learn one row and return its label: the fastest way to learn a stream row by row.

        Parameters are those of the last ``fit`` or ``partial_fit``, and ``labels_`` stays as that
        call left it. A new model learns the feature ranges as rows arrive, unless ``bounds`` is
        given, which is better for a stream.

        Parameters
        ----------
        row : sequence of float, mapping or table of one row
            One value for each feature: a list, a tuple or a 1-D array, which are fastest; or a dict
            or a row of a frame, by the names of the features in any order. Those of the first row
            become ``feature_names_in_``.

        Returns
        -------
        label : int
            The cluster that took the row.

        See Also
        --------
        learn_many : Learn many rows, with a report on each.
        predict_one : Ask for the label of one row without learning it.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> model = FuzzyART(rho=0.7, bounds=(0, 10))
        >>> model.learn_one({"age": 1, "weight": 2}), model.learn_one({"weight": 9, "age": 8})
        (0, 1)
        """
        engine: Engine | None = self.__dict__.get("_engine")
        if engine is None:
            return self._learn_first(row)
        return engine.learn_one(row if type(row) in SEQUENCES else self._in_order(row))

    def _in_order(self, row: Any) -> Any:
        """Return a row with names as numbers in the order of the features; any other as it is."""
        return check_one_row(self, row)[0] if is_by_name(row) else row

    def _learn_first(self, row: Any, when: Moment | tuple[()] = ()) -> int:
        return self._all_or_nothing(lambda: self._learn_first_unguarded(row, when))

    def _learn_first_unguarded(self, row: Any, when: Moment | tuple[()]) -> int:
        engine = self._trained_engine()
        if engine is not None:  # another thread came first
            return engine.learn_one(self._in_order(row), *when)
        if self._vigilances_to_choose():
            raise one_row_is_not_enough(self)
        params = self._params()
        names, row = names_and_values(row)
        try:
            n_features = len(row)
        except TypeError:
            raise TypeError(
                f"learn_one takes one row: a sequence of numbers, got {row!r}."
            ) from None
        if n_features == 0:
            raise ValueError("the row has 0 features; at least 1 is needed.")
        engine = self._new_engine(n_features, params, n_first_rows=1)
        label = engine.learn_one(row, *when)
        self.n_features_in_ = n_features
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        no_labels = np.empty(0, dtype=np.int64)
        self._accept(np.empty((0, n_features)), LearnedRun(engine, no_labels, 1))
        return label

    # ------------------------------------------------------------------ before and after

    def _most_epochs(self) -> int:
        return min(int(self._setting("max_epochs")), 2**31 - 1)

    def _new_engine(
        self, n_features: int, params: Params, *, n_first_rows: int | None = None
    ) -> Engine:
        """Return an empty model; ``n_first_rows`` is given if a stream begins."""
        engine = self._engine_type(n_features, params)
        bounds = check_bounds(self.bounds, n_features)
        if bounds is not None:
            engine.set_bounds(bounds.low, bounds.high)
        elif n_first_rows == 1 and self.out_of_bounds != "expand":
            raise ParameterError(
                "Feature ranges cannot be learned from one row, and cannot grow later with "
                f"out_of_bounds={self.out_of_bounds!r}. Give bounds=(low, high), start with a "
                "larger batch, or use out_of_bounds='expand'."
            )
        return engine

    def _first_ranges(self, rows: Rows) -> Bounds:
        """Return the ranges of the first rows; warn if a few rows take up most of them."""
        ranges = ranges_of(rows)
        if self._minds_outliers():
            warn_of_outliers(self, rows, ranges)
        return ranges

    def _presentation(self, rows: Rows) -> NDArray[np.int64] | None:
        order = self._setting("order")
        if order == "given":
            return None
        if order == "vat":
            given = check_bounds(self.bounds, rows.shape[1])
            values = np.ascontiguousarray(rows, dtype=np.float64)
            low, high = values.min(axis=0), values.max(axis=0)
            if given is not None and self.out_of_bounds == "expand":
                low, high = np.minimum(low, given.low), np.maximum(high, given.high)
            elif given is not None:
                low, high = given
            return order_rows(scale_rows(values, low, high))
        random = check_random_state(self._setting("random_state"))
        return np.asarray(random.permutation(rows.shape[0]), dtype=np.int64)
