"""What the clusterers for river share: a thin shell over one estimator of resonart."""

from __future__ import annotations

import inspect
import pickle
import textwrap
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from river.base import Clusterer

from resonart import DensityART
from resonart._engine.parameters import PARAMETERS, Parameter, parameters_of
from resonart._shared.warn import warn_user

from ._features import (
    ON_MISSING,
    ON_NEW,
    Pick,
    Row,
    check_first,
    check_rule,
    listed,
    make_pick,
    midpoints,
    raise_explained,
    split_bounds,
)
from ._frames import (
    are_text,
    columns_of,
    last_row,
    rows_of,
    series_like,
    values_named,
    with_constants,
)

Features = dict[Hashable, Any]

# Parameters that the estimators do not have, with their defaults, and the help for these and for
# those that mean more here.
_OWN = {"on_missing": "last", "on_new": "ignore"}
_HELP = {
    "bounds": "Feature ranges, which are scaled to [0, 1]: a pair `(low, high)` for all features, "
    "such as `(0, 1)` after a `preprocessing.MinMaxScaler`, or a dict with a pair for each, which "
    "also defines the features. By default ranges grow as rows arrive.",
    "out_of_bounds": 'What happens to a row outside the ranges: `"expand"` widens them and leaves '
    'every box where it is in your units, `"clip"` moves the row to the edge, and `"error"` raises '
    "an error. The last two need `bounds`, or a first frame of `learn_many`.",
    "max_categories": "Maximum number of categories, which limits memory. If the model is full, a "
    "row gets a label, but is not learned (`DensityART` lets boxes grow instead); see the "
    "estimator.",
    "half_life": "Number of rows after which a row counts half: a number > 0 or None, which "
    "forgets nothing.",
    "window": "Number of rows for which a row counts at all: a number > 0 or None. Only one of "
    "`window` and `half_life` may be given.",
    "merge_every": "Number of rows between two merges. Labels change only then. By default "
    "clusters are merged only by `model.estimator.merge()`.",
    "on_missing": 'What happens to a row without one of the features: `"last"` uses the feature\'s '
    "value in the last row learned (or the middle of its range, before the first row) and warns "
    'the first time; `"error"` raises an error.',
    "on_new": "What happens to a row with a feature that the first row (or `bounds`) did not have: "
    '`"ignore"` ignores the feature and warns the first time; `"error"` raises an error.',
}
_ATTRIBUTES = """\
Attributes
----------
estimator
    The `resonart.{name}` that learns. You can use its `save`, `describe`, `explain` and
    other methods, and `from_estimator` makes a clusterer of it again.
n_clusters_
    Number of clusters.
centers
    Centre of each cluster, for metrics.

See Also
--------
resonart.{name} : The same estimator with scikit-learn's interface.
"""


class ARTClusterer(Clusterer):
    """Base of the clusterers. ``estimator`` has what was learned; this class only handles names.

    A clusterer says which estimator it wraps, and its default vigilances, if the estimator would
    choose them. Its signature and the parameters in its docstring follow from that.
    """

    _kind: ClassVar[Any]  # the estimator's class

    def __init_subclass__(cls, estimator: type[Any] | None = None, **vigilances: float) -> None:
        super().__init_subclass__()
        if estimator is None:  # a user's subclass
            return
        signature = _signature_of(estimator, vigilances)

        def init(self: ARTClusterer, **params: Any) -> None:
            given = signature.bind(self, **params)
            given.apply_defaults()
            for name in list(signature.parameters)[1:]:
                setattr(self, name, given.arguments[name])
            self._start()

        init.__name__, init.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
        init.__signature__ = signature  # type: ignore[attr-defined]
        cls.__init__ = init  # type: ignore[method-assign, assignment]
        cls._kind = estimator
        cls.__doc__ = _documented(cls, signature)

    bounds: Any
    on_missing: str
    on_new: str

    estimator: Any
    _features: tuple[Hashable, ...] | None
    _pick: Pick | None  # None until a row has been learned
    _last: Row
    _told: tuple[str, ...]

    # ------------------------------------------------------------------ beginning

    def _start(self) -> None:
        """Make the estimator, when all parameters are set."""
        check_rule("on_missing", self.on_missing, ON_MISSING)
        check_rule("on_new", self.on_new, ON_NEW)
        params = {name: getattr(self, name) for name in _estimator_params(type(self))}
        self._check_settled(params)
        self._features, bounds = split_bounds(self.bounds)
        self._last = () if self._features is None else midpoints(*bounds)
        self.estimator = self._kind(**(params | {"bounds": bounds}))
        self._pick = None
        self._told = ()

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        features: Sequence[Hashable] | None = None,
        on_missing: str = "last",
        on_new: str = "ignore",
    ) -> Self:
        """Continue with a model of resonart that was fitted, merged or loaded from a file.

        Parameters
        ----------
        estimator
            The model. It is not copied: it learns what the clusterer learns. Vigilances that were
            chosen by ``"auto"`` are kept.
        features
            Names of its features, in their order. By default, those it was fitted with; if it has
            none, 0, 1, ..., as in `river.stream.iter_array`.
        on_missing
            See the parameters of the class.
        on_new
            See the parameters of the class.

        Examples
        --------

        >>> import resonart
        >>> from resonart.river import FuzzyART

        >>> known = resonart.FuzzyART(rho=0.7).fit([[0, 10], [1, 12], [9, 28], [10, 30]])
        >>> model = FuzzyART.from_estimator(known, features=["age", "weight"])
        >>> model.predict_one({"weight": 29, "age": 8})
        1

        """
        kind = cls._kind
        if not isinstance(estimator, kind):
            raise TypeError(
                f"{cls.__name__}.from_estimator takes a model of class resonart.{kind.__name__}, "
                f"got {type(estimator).__name__}."
            )
        fitted = estimator.__sklearn_is_fitted__()
        params = estimator.get_params()
        params = {name: params[name] for name in _estimator_params(cls)}
        if fitted:
            params |= {name: getattr(estimator, f"{name}_") for name in cls._unsettled(params)}
        model = cls(**(params | {"on_missing": on_missing, "on_new": on_new}))
        model.estimator = estimator
        if fitted:
            model._set_features(_known_names(estimator, features))
            model._last = midpoints(*(side.tolist() for side in estimator.bounds_))
        elif features is not None:
            raise ValueError(
                "features is for a fitted model; a new model takes the names of its first row."
            )
        return model

    @classmethod
    def _unsettled(cls, params: dict[str, Any]) -> list[str]:
        """Return the parameters whose values can be found only from many rows."""
        known = parameters_of(cls._kind)
        return [name for name, value in params.items() if known[name].needs_rows(value)]

    @classmethod
    def _check_settled(cls, params: dict[str, Any]) -> None:
        unsettled = cls._unsettled(params)
        if unsettled:
            given = " and ".join(f"{name}={params[name]!r}" for name in unsettled)
            raise ValueError(
                f"{given} needs many rows, and a stream begins with one. Give a number, or let a "
                "model of resonart find it in the first rows and continue with that model: "
                f"{cls.__name__}.from_estimator(resonart.{cls.__name__}(...).fit(X))."
            )

    def _set_features(self, features: tuple[Hashable, ...]) -> None:
        self._features = features
        self._pick = make_pick(features)
        self.estimator.name_features(features if are_text(features) else None)

    # ------------------------------------------------------------------ row by row

    def learn_one(self, x: Features) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            A dictionary of features, all numbers. If the call fails, the model stays as it was.

        """
        row = self._first_row(x) if self._pick is None else self._row(x)
        try:
            self.estimator.learn_one(row)
        except (TypeError, ValueError, OverflowError) as error:
            raise_explained(self._features or tuple(x), row, error)
            raise
        if self._pick is None:
            self._set_features(self._features or tuple(x))
        self._last = row

    def predict_one(self, x: Features) -> int:
        """Return the cluster of one row, without learning it.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The cluster's label, or -1 if the row resonates with none and `noise="label"`, or for
        `DensityART` if the row is in no cluster. If there is no cluster yet, 0, as in river's own
        clusterers (-1 with `noise="label"`, and for `DensityART`).

        """
        if self._pick is None:
            return self._without_clusters()
        row = self._row(x)
        try:
            label: int = self.estimator.predict_one(row)
        except (TypeError, ValueError, OverflowError) as error:
            raise_explained(self._features or (), row, error)
            raise
        return label if label >= 0 else self._without_clusters()

    def _without_clusters(self) -> int:
        is_labelled = isinstance(self.estimator, DensityART) or self.estimator.noise == "label"
        return -1 if is_labelled else 0

    # ------------------------------------------------------------------ many rows

    def learn_many(self, X: Any) -> None:
        """Learn the rows of a frame, one after the other.

        If the ranges are given or known, this is the same as `learn_one` for each row. Otherwise
        the ranges are learned from the first frame, which is better than from the first row.

        Parameters
        ----------
        X
            A pandas or polars DataFrame. Missing and new columns are treated like missing and new
            features of a dict. If the call fails, the model stays as it was.

        """
        columns = columns_of(X)
        if len(X) == 0:
            return
        features = self._features or check_first(dict.fromkeys(columns))
        told = self._told
        try:
            X = self._complete(X, columns, features)
            with values_named(X, features):
                self.estimator.partial_fit(rows_of(X, features))
        except BaseException:
            self._told = told
            raise
        if self._pick is None:
            self._set_features(features)
        self._last = last_row(X, features)

    def predict_many(self, X: Any) -> Any:
        """Return the cluster of each row, without learning it.

        Parameters
        ----------
        X
            A pandas or polars DataFrame.

        Returns
        -------
        A series of labels, as from `predict_one`, with the index of the frame.

        """
        columns = columns_of(X)
        if self._pick is None or len(X) == 0:
            return series_like(X, np.full(len(X), self._without_clusters(), dtype=np.int64))
        assert self._features is not None
        X = self._complete(X, columns, self._features)
        with values_named(X, self._features):
            labels = self.estimator.predict(rows_of(X, self._features))
        return series_like(X, np.where(labels >= 0, labels, self._without_clusters()))

    # ------------------------------------------------------------------ what was learned

    @property
    def n_clusters_(self) -> int:
        """Number of clusters found so far."""
        return 0 if self._pick is None else int(self.estimator.n_clusters_)

    @property
    def centers(self) -> dict[int, dict[Hashable, float]]:
        """The centre of each cluster, for metrics that need it, such as `metrics.Silhouette`.

        It is the mean of the centres of the cluster's boxes, weighted by their rows (as they count
        now, if they are forgotten). The centre of a ring lies where there are no rows. Rows in no
        cluster (-1) have no centre, so do not pass them to metrics that need one.
        """
        if self._pick is None or self._features is None:
            return {}
        labels = self.estimator.category_labels_
        counts = getattr(self.estimator, "faded_counts_", self.estimator.counts_)
        lower, upper = self.estimator.boxes_
        found = labels >= 0  # noise and topoART's candidates belong to no cluster
        living, of_box = np.unique(labels[found], return_inverse=True)  # there may be gaps
        counts = counts[found]
        sums = np.zeros((len(living), len(self._features)))
        np.add.at(sums, of_box, (lower + (upper - lower) / 2)[found] * counts[:, None])
        means = sums / np.bincount(of_box, counts, minlength=len(living))[:, None]
        return {
            label: dict(zip(self._features, mean, strict=True))
            for label, mean in zip(living.tolist(), means.tolist(), strict=True)
        }

    @property
    def _raw_memory_usage(self) -> int:
        # Python does not see what the engine holds.
        return super()._raw_memory_usage + len(pickle.dumps(self.estimator))

    # ------------------------------------------------------------------ features

    def _first_row(self, x: Features) -> Row:
        features = check_first(x)
        return tuple(x.values()) if self._features in (None, features) else self._filled(x)

    def _row(self, x: Features) -> Row:
        """Return the values of the features, in their order."""
        assert self._pick is not None
        try:
            row = self._pick(x)
        except KeyError:
            return self._filled(x)
        if len(x) > len(row):
            self._handle_new(x)
        return row

    def _filled(self, x: Mapping[Hashable, Any]) -> Row:
        assert self._features is not None
        missing = [name for name in self._features if name not in x]
        if missing:
            self._handle_missing(missing)
        if len(x) + len(missing) > len(self._features):
            self._handle_new(x)
        return tuple(
            x.get(name, last) for name, last in zip(self._features, self._last, strict=True)
        )

    def _complete(self, X: Any, columns: list[Hashable], features: tuple[Hashable, ...]) -> Any:
        there = set(columns)
        missing = [name for name in features if name not in there]
        if len(columns) + len(missing) > len(features):
            self._handle_new(columns)
        if not missing:
            return X
        self._handle_missing(missing)
        last = dict(zip(features, self._last, strict=True))
        return with_constants(X, {name: last[name] for name in missing})

    def _handle_missing(self, missing: list[Hashable]) -> None:
        what = f"A row without {listed(missing)}"
        if self.on_missing == "error":
            raise ValueError(
                f"{what}: {type(self).__name__} needs the features of its first row, "
                f"{listed(self._features or ())}. Fill the gaps first, or use on_missing='last', "
                "which takes the value of the last row learned."
            )
        self._tell_once(
            "missing",
            f"{what}: {type(self).__name__} takes the value of the last row learned, here and from "
            "now on. Use on_missing='error' to refuse such rows.",
        )

    def _handle_new(self, names: Iterable[Hashable]) -> None:
        known = set(self._features or ())
        new = listed(name for name in names if name not in known)
        what = f"A row with {new}, which was not in the first row of {type(self).__name__}"
        cure = (
            "To use all features, start with a row that has them, or name them: "
            "bounds={name: (low, high), ...}."
        )
        if self.on_new == "error":
            raise ValueError(f"{what}. {cure} To ignore new features, use on_new='ignore'.")
        self._tell_once(
            "new",
            f"{what}: new features are ignored, here and from now on. {cure} Use on_new='error' to "
            "refuse such rows.",
        )

    def _tell_once(self, what: str, message: str) -> None:
        if what not in self._told:
            warn_user(message)
            self._told += (what,)


def _estimator_params(kind: type[ARTClusterer]) -> list[str]:
    """Return the names of the parameters that go to the estimator."""
    return [name for name, each in parameters_of(kind._kind).items() if not each.of_fit]


def _signature_of(estimator: type[Any], vigilances: Mapping[str, float]) -> inspect.Signature:
    """Return the signature of a clusterer's ``__init__``: the parameters a stream needs."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    theirs = inspect.signature(estimator).parameters
    return inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                theirs[name].replace(default=vigilances.get(name, theirs[name].default))
                for name, each in parameters_of(estimator).items()
                if not each.of_fit
            ),
            *(
                inspect.Parameter(name, keyword, default=default, annotation="str")
                for name, default in _OWN.items()
            ),
        ],
        return_annotation=None,
    )


def _documented(kind: type[ARTClusterer], signature: inspect.Signature) -> str | None:
    """Return a class's docstring with the sections that all classes share, before its examples."""
    if kind.__doc__ is None:  # python -OO
        return None
    own, examples = inspect.cleandoc(kind.__doc__).split("Examples\n--------\n")
    lines = ["Parameters", "----------"]
    for name in list(signature.parameters)[1:]:
        told = textwrap.fill(_HELP.get(name) or _told(PARAMETERS[name]), 92)
        lines += [name, textwrap.indent(told, "    ")]
    parts = [own.rstrip(), "\n".join(lines), _ATTRIBUTES.format(name=kind._kind.__name__)]
    doc = "\n\n".join(parts) + "\nExamples\n--------\n" + examples
    return textwrap.indent(doc, "    ").strip() + "\n\n    "


def _told(parameter: Parameter) -> str:
    values = parameter.values
    return f"{parameter.help}: {values}." if values else f"{parameter.help}."


def _known_names(estimator: Any, features: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    """Return the names of a fitted estimator's features."""
    n_features: int = estimator.n_features_in_
    noted: Sequence[Hashable] = getattr(estimator, "feature_names_in_", range(n_features))
    names = tuple(noted if features is None else features)
    if len(names) != n_features or len(set(names)) != n_features:
        raise ValueError(
            f"The model has {n_features} features; as many different names are needed, got "
            f"{listed(names)}."
        )
    return names
