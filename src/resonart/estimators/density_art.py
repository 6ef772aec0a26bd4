"""DensityART: clusters of any shape and density, without a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._engine import _core
from .._engine.durations import Duration, in_units, is_duration
from .._engine.parameters import check_clusters, check_size, engine_fields
from .._engine.state import Content, DensitySnapshot, Params
from .._shared.labels import LabelMap
from .._shared.progress import progress_bars
from .._shared.words import unique_names
from ..reports.choice import ReadingCandidate, ReadingChoice
from ..reports.condensed_tree import CondensedTree
from ..reports.describe import names_of_features
from ..reports.doubts import warn_of_doubts
from ..reports.events import ClusterEvents
from ..reports.history import frame_of, history_columns
from ..reports.learned import Learned
from ..reports.readings import place_of
from ..rows.checks import ParameterError, Rows, check_flag, check_jobs
from ..rows.time import check_moment, check_time
from ..vigilance.choice import LearnedRun
from .base import BaseART, Labels
from .learning import SEQUENCES, EngineReport, StreamCall
from .renaming import RenamingMixin

Floats = NDArray[np.float64]


class DensityART(RenamingMixin, BaseART):
    """DensityART: clusters of any shape and density, and noise, with nothing to choose.

    Every distinct row is a category of its own, as long as there are at most ``max_categories``.
    Beyond that, categories are a sample of the rows, and each other row counts for the nearest of
    them. A density tree is built over the categories, and its branches are the clusters. How they
    are read from the tree (the scaling of the features, the size of clusters, where branches
    are cut) is chosen from the rows, unless it is given.

    Parameters
    ----------
    n_clusters : int, tuple (least, most) or None, default=None
        How many clusters are wanted, >= 1, or at least and at most how many: the best reading with
        that many is chosen. If there is none, it is the one whose number is nearest, and a
        :class:`ReadingWarning` says so. With None, any number is possible.
    min_cluster_size : int, float or "auto", default="auto"
        A floor: the minimum number of rows of a cluster, >= 2, or their share of all rows in
        (0, 1). Smaller groups are noise. Larger sizes are tried, too, unless everything else is
        given; see Notes. ``"auto"`` sets no floor.
    min_samples : int, float or "auto", default="auto"
        Number of nearest rows from which the density at a row is estimated, the row itself
        included, or their share of all rows in (0, 1). ``"auto"`` chooses it.
    scaling : {"auto", "given", "range", "standard", "rank", "pca"}, default="auto"
        How features are made comparable before densities are estimated: not at all (values as they
        are given), by range, by standard deviation, by rank, or by principal components. ``"auto"``
        chooses.
    cluster_selection_method : {"auto", "eom", "leaf"}, default="auto"
        How clusters are taken from the tree: by excess of mass, or as its leaves. ``"auto"``
        chooses among these and cuts.
    noise : {"label", "nearest"}, default="label"
        What becomes of rows that the reading puts into no cluster: they get the label -1, or that
        of the nearest cluster. A row that is far from everything learned gets -1 in both cases.
    alpha : float, default=1e-3
        Choice parameter, > 0: small values prefer the smallest box that holds a row.
    n_jobs : int or None, default=-1
        Number of threads used to read the clusters. -1 uses one for each processor, and None means
        1. Results do not depend on it.
    verbose : bool, int or "auto", default=False
        Whether ``fit`` and ``update_clusters`` show progress bars, for the rows learned and for the
        reading of the clusters. ``"auto"`` shows them after two seconds if the output is a terminal
        or a notebook. The bars need tqdm.
    bounds : tuple (low, high) or None, default=None
        Feature ranges that are scaled to [0, 1]. By default they are learned from the rows.
    out_of_bounds : {"expand", "clip", "error"}, default="expand"
        What happens to a row outside the ranges; see :class:`FuzzyART`. With ``"expand"``, rows
        that are few and far away from all others do not widen them; see Notes.
    max_categories : int, default=10_000
        Maximum number of categories, >= 1, which limits memory and time. No row is ever refused. If
        there are more distinct rows, some are drawn as categories; see Notes.
    half_life : float, str, timedelta or None, default=None
        Time after which a row counts half: a number of rows or, if times are given, a number in
        their units (seconds, if they are dates). If they are dates, it may also be a duration: text
        such as ``"14D"``, ``"36h"``, ``"90min"``, ``"30s"`` or ``"500ms"``, or a timedelta of
        Python, NumPy or pandas. Categories are removed when nearly nothing is left of their rows.
        With None, nothing is forgotten. See Notes.
    window : float, str, timedelta or None, default=None
        Time for which a row counts at all, given in the same way. Only one of ``window`` and
        ``half_life`` may be given.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters of the rows of the last ``fit`` or ``partial_fit``; -1 for noise. After ``fit``
        they are 0, 1, ... by the first category of each cluster.
    probabilities_ : ndarray of shape (n_samples,)
        How firmly each of these rows belongs to its cluster, in [0, 1]; 0 for noise.
    outlier_scores_ : ndarray of shape (n_samples,)
        How much of an outlier each of these rows is, in [0, 1]: 0.1 for the median row, and 0.5 at
        the upper fence of a box plot; see Notes.
    n_clusters_, n_categories_ : int
        Number of clusters and of categories.
    condensed_tree_ : CondensedTree
        The tree from which clusters were last read.
    choice_ : ReadingChoice
        How they were read, and why, with the runners-up.
    cluster_labels_ : ndarray of shape (n_clusters,)
        Labels of the clusters, in ascending order. They have gaps if clusters have died.
    label_map_ : dict of int to int
        The labels that the last call has changed, with their new ones; see Notes.
    weights_, counts_, category_labels_ : ndarray
        Complement-coded weights, rows and labels (-1: noise) of the categories, in order of
        creation.
    faded_counts_ : ndarray of shape (n_categories,)
        Weight of each category's rows as they count now; ``counts_`` if nothing is forgotten.
    means_ : ndarray of shape (n_categories, n_features)
        The row that each category stands for.
    boxes_ : Boxes
        Corners ``(lower, upper)`` of each category in the user's units: both are its row.
    sample_share_ : float
        Share of the rows that are drawn as categories: a row that occurs once is one with this
        probability. 1 while every distinct row is a category.
    vigilances_ : ndarray of shape (n_clusters,)
        For each cluster, in the order of ``cluster_labels_``, the lowest match with which it takes
        a row.
    n_readings_ : int
        How often clusters have been read.
    events_ : ClusterEvents
        The diary: which clusters were born, merged, split, moved and died, when and where.
        :meth:`history` has their sizes.
    n_events_dropped_ : int
        Number of older events that are no longer in the diary. At least the latest 10,000 are kept.
    n_removed_ : int
        Number of rows that are no longer in the model: removed, forgotten, or too far away.
    bounds_, n_features_in_, feature_names_in_, n_samples_seen_
        As for the other estimators.

    See Also
    --------
    DDVFA : The method of the paper, with two vigilances.
    TopoART : Clusters of any shape as linked categories, with noise removed on the way.
    resonart.plot.condensed_tree : Draw the tree and the clusters read from it.
    resonart.plot.history : Draw the sizes and events of clusters over time.
    merge_models : Merge several models into one.

    Notes
    -----
    Clusters of a stream (``partial_fit``, ``learn_many``, ``learn_one``) are read after 32 rows;
    until then all rows are cluster 0. They are read again each time as many rows have arrived as
    the last reading saw. :meth:`update_clusters` reads at once. Between readings, a row gets the
    label that ``predict`` gives it. It does not matter how rows are cut into calls. A cluster takes
    over the label of the old cluster with which it shares most rows, largest shares first. Other
    clusters get labels that were never used. Labels are not renumbered: if a cluster dies or is
    removed, its label is not used again, and takes neither time nor memory. If most rows of a
    cluster have another label after a call, or none, ``label_map_`` says which: ``{2: 0, 5: -1}``.
    Each change is reported once, so labels that you have stored stay up to date if you apply each
    map to them in turn (:func:`rename_labels`).

    **More rows than categories.** Which rows are drawn follows from their values alone, so models
    of other rows draw in the same way, and can be merged. The more often a row occurs, the more
    likely it is drawn. ``fit`` draws from all rows at once, and then lets each row count for the
    nearest category. A stream draws again when there is no more room; a row that is far from the
    nearest category is one itself in any case.

    ``fit`` does not depend on the order of rows, except for ties. If nothing is forgotten, and
    while every distinct row is a category, a stream does not, either. With up to 4,000 distinct
    rows, neither the order of columns nor their signs change anything. A column that is constant,
    or follows from others as a copy does, adds no dimension. (What is not promised: where rows are
    symmetric, so that turning a column around gives the same rows, ties may be settled on either
    side. Where more than 48 orders of columns are alike, as in a table of many flags that are
    equally frequent, ties may depend on the order given.)

    **Forgetting.** With ``half_life``, a row counts ``2 ** (-age / half_life)``. With ``window``,
    it counts 1 until it reaches that age, and then nothing. Ages are counted in rows, or by the
    ``time`` given with the rows. Clusters are read from rows as they count now, at least every
    quarter of a half-life (every eighth of a window); ``fit`` reads them on the way, as a stream
    does. A category is removed when nearly nothing is left of its rows, so memory depends on what
    still counts. A change has to last before it is believed: a birth for two readings, a split or a
    dissolution for three, and a merger for five. Rows of a cluster that has died keep its label:
    only mergers are in ``label_map_``. ``events_`` lists these changes from the end of
    the first half-life (half a window) on. See ``docs/drift.md`` in the repository.

    **Rows far away.** A row is far away if, in some feature, it lies more than ten times as far
    from the others as these lie apart. If at most one row in a hundred is (at most one in ten, if
    ten thousand times as far), these are noise and leave the model before clusters are read. Rows
    that lie together stay if they are more than one in fifty, or ``min_cluster_size``. A row of a
    stream that lies more than ten ranges outside waits for the next reading before it widens the
    ranges. If rows are forgotten, ranges more than twice as wide as needed shrink. Values inside
    ``bounds`` are never far away. See ``docs/density.md`` in the repository.

    **As HDBSCAN.** If ``min_cluster_size``, ``min_samples``, ``scaling`` and
    ``cluster_selection_method`` are all given, and ``n_clusters`` is not, there is nothing to
    choose. ``min_cluster_size`` is then the size itself, and not a floor. As long as every distinct
    row is a category, clusters are those of HDBSCAN with the same parameters for the rows scaled in
    that way.

    **Outliers.** ``outlier_scores_`` says how sparse the place of a row is: how far it is to the
    nearest ten rows and to the nearest one in fifty, by itself and against the same distance at
    these rows, all in geometric means. Distances are measured in ``scaling``, or by range if that
    is chosen. If categories are a sample of the rows, ten of them count as ten rows; of more than
    4,000 categories, 4,000 are asked. The logarithm is set so that the median row has a score of
    0.1, and the upper fence of a box plot (1.5 times the middle half above it) one of 0.5.
    The number of rows makes no difference. A row that is learned between readings gets the score of
    the nearest category, or a higher one if it is some way off; :meth:`score_samples` asks the same
    about any row.

    ``predict`` asks the most active category. Its cluster takes the row if the match reaches the
    cluster's own vigilance, which is set by the most distant neighbours in the cluster, along the
    spanning tree.

    References
    ----------
    Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density
    estimates", PAKDD 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from resonart import DensityART
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = DensityART().fit(X)
    >>> bool((model.predict(X) == model.labels_).all())
    True
    >>> model.predict([[1e6, 1e6]])
    array([-1])
    >>> model = DensityART().fit(np.vstack([X, [[5.0, 5.0]]]))
    >>> int(model.outlier_scores_.argmax()), bool(model.outlier_scores_.max() > 0.9)
    (200, True)

    A stream of two clusters, one of which stops:

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2)) + np.where(np.arange(3000) % 2, 9, 0)[:, None]
    >>> X[1500:] = rng.normal(size=(1500, 2)) + 9
    >>> model = DensityART(half_life=300).partial_fit(X)
    >>> [event.kind for event in model.events_]
    ['born', 'born', 'died']
    >>> model.events_[-1].row > 1500, len(model.history()) > 20
    (True, True)

    The same rows with dates, one an hour:

    >>> dates = np.datetime64("2026-01-01") + np.arange(3000) * np.timedelta64(1, "h")
    >>> model = DensityART(half_life="12D").partial_fit(X, time=dates)
    >>> model.events_[-1].kind, str(model.events_[-1].time)[:7]
    ('died', '2026-03')
    """

    _engine_type = _core.DensityArt
    _engine: _core.DensityArt

    # Rows are taken once, in the given order, and a row that is far from everything is noise.
    _fixed: ClassVar[Mapping[str, Any]] = {
        "max_epochs": 1,
        "order": "given",
        "random_state": None,
    }

    def _goes_to_nearest(self) -> bool:
        return False  # whatever becomes of noise among the rows that were learned

    # False for models of parts that are to be pooled: clusters are then read from all of them.
    _reads_on_the_way = True

    probabilities_: Floats
    outlier_scores_: Floats
    _row_categories: Labels

    def __init__(
        self,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        min_cluster_size: int | float | str = "auto",
        min_samples: int | float | str = "auto",
        scaling: str = "auto",
        cluster_selection_method: str = "auto",
        noise: str = "label",
        alpha: float = 1e-3,
        n_jobs: int | None = -1,
        verbose: bool | int | str = False,
        bounds: Any = None,
        out_of_bounds: str = "expand",
        max_categories: int = 10_000,
        half_life: Duration | None = None,
        window: Duration | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.scaling = scaling
        self.cluster_selection_method = cluster_selection_method
        self.noise = noise
        self.alpha = alpha
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.bounds = bounds
        self.out_of_bounds = out_of_bounds
        self.max_categories = max_categories
        self.half_life = half_life
        self.window = window

    def fit(self, X: ArrayLike, y: object = None, *, time: ArrayLike | None = None) -> Self:
        """Cluster ``X`` from scratch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; a NumPy array, a pandas or polars frame, or nested lists.
        y : Ignored
            Present for API consistency.
        time : array-like of shape (n_samples,) or None, default=None
            When each row arrived, in ascending order: numbers of your clock, or dates (datetime64,
            datetime, or those of pandas or polars). Dates with a time zone are converted to UTC,
            and those without count as UTC. If rows came with dates, ``events_`` and :meth:`history`
            have dates, too. By default rows are counted.

        Returns
        -------
        self : object
            The fitted estimator. A call that fails leaves it as it was.

        See Also
        --------
        partial_fit : Learn more rows without starting again.
        fit_predict : Fit and return ``labels_``.
        """

        def fit() -> None:
            self._fit(X, None, time)
            warn_of_doubts(self)

        self._all_or_nothing(fit)
        return self

    def partial_fit(self, X: ArrayLike, y: object = None, *, time: ArrayLike | None = None) -> Self:
        """Learn the next rows of a stream, in the given order.

        However rows are split into calls, the model is the same as after one call, as long as the
        feature ranges are given or already known.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream.
        y : Ignored
            Present for API consistency.
        time : array-like of shape (n_samples,) or None, default=None
            When each row arrived; see :meth:`fit`.

        Returns
        -------
        self : object
            The estimator; ``labels_`` has the labels of this call's rows. A call that fails
            leaves it as it was.

        See Also
        --------
        learn_many : The same, with a report on each row.
        learn_one : The same for one row, and faster.
        update_clusters : Read the clusters at once.
        """
        self._all_or_nothing(lambda: self._partial_fit(X, time))
        return self

    def learn_many(self, X: ArrayLike, *, time: ArrayLike | None = None) -> Learned:
        """Learn rows as :meth:`partial_fit` does, and report what happened to each of them.

        The model is the same, to the bit. What is reported for a row does not depend on the rows
        after it, so it does not matter how a stream is cut into calls.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream.
        time : array-like of shape (n_samples,) or None, default=None
            When each row arrived; see :meth:`fit`.

        Returns
        -------
        learned : Learned
            The labels, the matches before learning, which rows started clusters, and which labels
            were changed by readings on the way. A call that fails leaves the estimator as it was.

        See Also
        --------
        partial_fit : The same without a report.
        learn_one : Learn one row.
        """
        return self._all_or_nothing(lambda: self._learn_many(X, time))

    def update_clusters(self, *, choose: bool = True) -> Self:
        """Read the clusters again now, from everything learned so far.

        Parameters
        ----------
        choose : bool, default=True
            Whether the way of reading may change. If False, clusters are read in the same way as
            the last time (``choice_.chosen``): with the same scaling, the same shares of the rows
            as sizes and, if they were cut, at the same height.

        Returns
        -------
        self : object
            The estimator. ``label_map_`` says which labels have changed, and ``labels_`` is already
            renamed.

        Raises
        ------
        ValueError
            If ``choose`` is False and clusters have not been read yet.

        See Also
        --------
        partial_fit : Learn rows; clusters are read again from time to time.
        rename_labels : Rename labels that you have stored by ``label_map_``.

        Examples
        --------
        >>> from resonart import DensityART
        >>> model = DensityART()
        >>> for row in ([0.0, 0.1], [0.1, 0.0], [0.1, 0.1]):
        ...     label = model.learn_one(row)
        >>> model.update_clusters().n_readings_
        1
        >>> model.partial_fit([[5.0, 5.1], [5.1, 5.0]]).update_clusters(choose=False).n_readings_
        2
        """
        self._fitted()
        keeps_way = not check_flag("choose", choose)

        def read() -> None:
            params = self._params()
            if not self._engine.has_dates:
                self._check_has_dates()
            self._keep_params(self._engine, params)
            self._engine.set_threads(check_jobs(self.n_jobs))
            with self._watched(0) as report:
                label_map = self._engine.reread(params, report, keeps_way)
            self._rename_labels(label_map)
            warn_of_doubts(self, was_chosen=choose)

        self._all_or_nothing(read)
        return self

    def with_reading(self, candidate: ReadingCandidate) -> Self:
        """Return a copy of the model whose clusters are those of another reading.

        All readings that were considered are in ``choice_``. Some of them, flat cuts among others,
        are given by no parameters: this is the way to have them.

        Parameters
        ----------
        candidate : ReadingCandidate
            One of ``choice_.runners_up``, or ``choice_.chosen``.

        Returns
        -------
        model : DensityART
            The copy. Its clusters are numbered as after ``fit``, and its diary begins with this
            reading. ``labels_``, ``probabilities_`` and ``outlier_scores_`` are those of the rows
            of the last ``fit`` or ``partial_fit``. (They are empty if categories have gone since
            then: ``predict(X)`` tells the labels.)

        Raises
        ------
        ValueError
            If the candidate is none of ``choice_``, or the model forgets rows (``half_life``,
            ``window``): the clusters of a stream depend on all readings before.

        See Also
        --------
        choice_ : The readings that were considered.

        Notes
        -----
        Number of clusters and noise are those of the candidate, unless rows have been learned since
        the last reading: clusters are read from all rows. When the copy learns more rows and reads
        its clusters again, it chooses again, except by ``update_clusters(choose=False)``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from resonart import DensityART
        >>> X = load_iris().data
        >>> model = DensityART().fit(X)
        >>> other = next(each for each in model.choice_.runners_up if each.n_clusters == 3)
        >>> kept = model.with_reading(other)
        >>> model.n_clusters_, kept.n_clusters_, len(set(kept.labels_) - {-1})
        (2, 3, 3)
        """
        self._fitted()
        found = deepcopy(self)
        place = place_of(found, candidate)
        if self.half_life is not None or self.window is not None:
            raise ValueError(
                "a model that forgets rows keeps no other reading: its clusters depend on all "
                "readings before. Learn the rows with DensityART() instead."
            )
        engine = found._engine
        engine.set_threads(check_jobs(self.n_jobs))
        engine.read_as(place)
        engine.commit()
        found.__dict__.pop("label_maps_", None)
        rows = found._categories_of_rows()
        content = found._content()
        is_there = rows >= 0
        found.labels_ = np.where(is_there, content.labels[rows], -1)
        found.probabilities_ = np.where(is_there, content.strengths[rows], 0.0)
        found.outlier_scores_ = found.outlier_scores_[: len(rows)]  # the same in every reading
        return found

    def _categories_of_rows(self) -> Labels:
        """Return the categories of the rows of the last call, -1 for forgotten ones.

        They are no longer known if categories have gone since then, and those after them moved up.
        """
        with self._own_lock():
            known = self.__dict__.get("_row_categories")
            if known is None or self._engine.has_moved or len(known) != len(self.labels_):
                self._row_categories = np.empty(0, dtype=np.int64)
            return self._row_categories

    def __getstate__(self) -> dict[str, Any]:
        with self._own_lock():
            if "_engine" in self.__dict__:
                self._categories_of_rows()  # forgets what is not known any more
            return super().__getstate__()

    def learn_one(self, row: Any, *, time: Any = None) -> int:
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
        time : float, date or None, default=None
            When the row arrived; see :meth:`fit`.

        Returns
        -------
        label : int
            The cluster that took the row, or -1 if none did.

        See Also
        --------
        learn_many : Learn many rows, with a report on each.
        predict_one : Ask for the label of one row without learning it.
        """
        when = () if time is None else check_moment(time)
        if "_engine" not in self.__dict__:
            if not when or not when.is_date:
                self._check_has_dates(has_times=bool(when))
            return self._learn_first(row, when)
        if type(row) not in SEQUENCES:
            row = self._in_order(row)
        return self._learn_renaming(row, when)

    # ------------------------------------------------------------------ what was learned

    def _content(self) -> DensitySnapshot:
        return DensitySnapshot.of(self._fitted())

    @property
    def condensed_tree_(self) -> CondensedTree:
        """The tree from which clusters were last read."""
        content = self._content()
        height = float(content.candidates[0, 5]) if len(content.candidates) else 0.0
        return CondensedTree.of(content.tree, content.tree_boxes, height)

    @property
    def choice_(self) -> ReadingChoice:
        """How clusters were last read, and why."""
        content = self._content()
        sizes = self._sizes(content)
        rows = float(sizes.sum())
        noise = float(sizes[content.labels < 0].sum()) / rows if rows else 0.0
        return ReadingChoice.of(content.candidates, self.n_clusters_, noise)

    @property
    def faded_counts_(self) -> Floats:
        """Weight of each category's rows as they count now."""
        self._fitted()
        return self._engine.weights_now()

    @property
    def events_(self) -> ClusterEvents:
        """What happened to clusters, with the oldest event first."""
        content = self._content()
        names = unique_names(names_of_features(self))
        return ClusterEvents(
            content.events, names, int(content.diary[0]), has_dates=content.has_dates
        )

    @property
    def n_events_dropped_(self) -> int:
        """Number of older events that are no longer kept."""
        return int(self._content().diary[0])

    def history(self, *, as_frame: bool = True) -> Any:
        """Return the size and the centre of each cluster at each reading.

        Parameters
        ----------
        as_frame : bool, default=True
            If True, return a pandas frame. If False, return a dict of arrays, which does not need
            pandas.

        Returns
        -------
        history : pandas.DataFrame or dict of str to ndarray
            One row for each cluster at each reading, the oldest first, with the columns ``reading``
            (its number), ``row`` (number of rows learned until then), ``time`` (the time of the
            last of them: a date in UTC if dates were given; equal to ``row`` if rows are counted),
            ``label``, ``size`` (in rows, as they counted then) and, for each feature, ``centre_``
            plus its name: the mean of these rows.

        Raises
        ------
        ImportError
            If pandas is not installed and ``as_frame`` is True.

        See Also
        --------
        resonart.plot.history : The same as a picture.
        ClusterEvents : The events in the diary.

        Notes
        -----
        At most about 20,000 rows are kept. If there are more, every second reading is dropped, and
        from then on only every second reading is kept. ``events_`` does not depend on it.

        Examples
        --------
        >>> import numpy as np
        >>> from resonart import DensityART
        >>> model = DensityART().fit(np.random.default_rng(0).normal(size=(100, 2)))
        >>> history = model.history(as_frame=False)
        >>> list(history)
        ['reading', 'row', 'time', 'label', 'size', 'centre_x0', 'centre_x1']
        >>> history["row"].tolist(), history["size"].tolist()
        ([100], [100.0])
        """
        content = self._content()
        columns = history_columns(
            content.moments, names_of_features(self), has_dates=content.has_dates
        )
        return frame_of(columns) if check_flag("as_frame", as_frame) else columns

    @property
    def means_(self) -> Floats:
        """The row that each category stands for."""
        return self._content().means

    @property
    def sample_share_(self) -> float:
        """The share of the rows that are drawn as categories; 1 as long as all are."""
        self._fitted()
        return self._engine.share

    @property
    def vigilances_(self) -> Floats:
        """The lowest match with which each cluster takes a row."""
        self._fitted()
        return self._engine.vigilances()

    @property
    def n_readings_(self) -> int:
        """How often clusters have been read."""
        return self._fitted().counters()[2]

    @property
    def cluster_labels_(self) -> Labels:
        """Labels of the clusters, in ascending order."""
        self._fitted()
        return self._engine.labels()

    def _sizes(self, content: Content) -> NDArray[Any]:
        if not isinstance(content, DensitySnapshot) or not len(content.loads):
            return content.counts
        half_life = self._engine.params().half_life
        weights = content.loads[:, 0]
        if not half_life > 0.0:
            return weights.copy()  # those in the window
        faded: Floats = weights * np.exp2((content.loads[:, 1] - content.clock[1]) / half_life)
        return faded

    def _note_on_sizes(self) -> str:
        params = self._engine.params()
        if params.half_life > 0.0:
            return f"sizes as rows count now: half in {self._length(params.half_life)}"
        if params.window > 0.0:
            return f"sizes as rows count now: for {self._length(params.window)}"
        return ""

    def _length(self, length: float) -> str:
        """Return a length of time in words: a duration if the clock has dates."""
        return in_units(length) if self._engine.has_dates else f"{length:g}"

    # ------------------------------------------------------------------ parameters and calls

    def _own_params(self, n_rows: int | None) -> dict[str, Any]:
        size = check_size("min_cluster_size", self.min_cluster_size, 2)
        samples = check_size("min_samples", self.min_samples, 1)
        least, most = check_clusters(self.n_clusters) or (0, 0)
        if self.max_categories is None:
            raise ParameterError(
                "max_categories must be a whole number >= 1, got None: the memory of DensityART is "
                "always limited."
            )
        if self.half_life is not None and self.window is not None:
            raise ParameterError(
                f"Rows are forgotten either by half_life or by window, got half_life="
                f"{self.half_life!r} and window={self.window!r}. Leave one of them None."
            )
        if n_rows is None:
            self._check_forgets_as_before()
        own = {n: v for n, v in self._values_used().items() if n not in _SIZES}
        return engine_fields(self._engine_type.Params, own) | {
            "min_cluster_size": size if isinstance(size, int) else 0,
            "min_cluster_share": size if isinstance(size, float) else 0.0,
            "min_samples": samples if isinstance(samples, int) else 0,
            "min_samples_share": samples if isinstance(samples, float) else 0.0,
            "least_clusters": least,
            "most_clusters": most,
        }

    def _check_forgets_as_before(self) -> None:
        """Raise an error if rows are to be forgotten in another way: their ages are not known."""
        engine = self._trained_engine()
        if engine is None or not engine.n_categories:
            return
        params = engine.params()
        names = ("half_life", "window")
        was = {name: getattr(params, name) for name in names if getattr(params, name) > 0.0}
        given = {name: value for name in names if (value := getattr(self, name)) is not None}
        if was.keys() == given.keys():
            return
        former = {
            name: repr(in_units(value)) if self._engine.has_dates else f"{value:g}"
            for name, value in was.items()
        }
        before = " and ".join(f"{name}={value}" for name, value in former.items())
        now = " and ".join(f"{name}={value!r}" for name, value in given.items())
        as_before = ", ".join(f"{name}={former.get(name)}" for name in (was | given))
        raise ParameterError(
            f"The model has learned {f'with {before}' if before else 'without forgetting'}, and "
            f"{f'{now} was set' if now else 'that was unset'} since then. It is not known how much "
            "the rows learned so far should count now. To go on as before, call model.set_params("
            f"{as_before}). To learn the rows again, call {type(self).__name__}({now}).fit(X)."
        )

    def _when(self, time: ArrayLike | None, n_rows: int) -> dict[str, Any]:
        if time is None:
            self._check_has_dates(has_times=False)
            return {}
        times = check_time(time, n_rows)
        if not times.are_dates:
            self._check_has_dates()
        return {"time": times.at, "are_dates": times.are_dates}

    def _check_has_dates(self, *, has_times: bool = True) -> None:
        """Raise an error if rows without dates are to be forgotten after a duration."""
        for name in ("half_life", "window"):
            value = getattr(self, name)
            if not is_duration(value):
                continue
            unit = "a number in the units of these times" if has_times else "a number of rows"
            raise ParameterError(
                f"{name}={value!r} is a duration, so the date of each row is needed, and "
                f"{'times were given as numbers' if has_times else 'no times were given'}. Give "
                f"dates as time, or set {name} to {unit}."
            )

    def _new_engine(
        self, n_features: int, params: Params, *, n_first_rows: int | None = None
    ) -> _core.DensityArt:
        engine = super()._new_engine(n_features, params, n_first_rows=n_first_rows)
        assert isinstance(engine, _core.DensityArt)
        engine.set_threads(check_jobs(self.n_jobs))
        return engine

    def _begin_stream(self, X: ArrayLike) -> StreamCall:
        start = super()._begin_stream(X)
        assert isinstance(start.engine, _core.DensityArt)
        start.engine.set_threads(check_jobs(self.n_jobs))
        return start

    @contextmanager
    def _watched(self, n_rows: int) -> Iterator[EngineReport | None]:
        with progress_bars(self.verbose, name="verbose") as show:
            if show is None:
                yield None
                return
            kind = type(self).__name__
            is_learning, last_parts = n_rows > 0, 1

            def report(n_learned: int, n_parts: int, all_parts: int) -> None:
                nonlocal is_learning, last_parts
                if is_learning:
                    show(f"{kind}, rows", n_rows if all_parts else n_learned, n_rows)
                    is_learning = all_parts == 0
                if all_parts:
                    show(f"{kind}, reading", n_parts, all_parts)
                    last_parts = all_parts

            yield report
            report(n_rows, last_parts, last_parts)

    def _minds_outliers(self) -> bool:
        # They are noise, and ranges that may change do not follow those far away.
        return bool(self.out_of_bounds != "expand")

    def _merges_after_fit(self) -> bool:
        return True  # clusters are read once, when all rows are known

    def _merges_within_fit(self) -> bool:
        # If rows are forgotten, clusters depend on what they were before.
        return self.half_life is not None or self.window is not None

    def _merges_on_the_way(self) -> bool:
        return self._reads_on_the_way

    def _accept(self, rows: Rows, run: LearnedRun) -> None:
        super()._accept(rows, run)
        nothing = np.empty(0, dtype=np.float64)
        self.probabilities_ = nothing if run.strengths is None else run.strengths
        self.outlier_scores_ = nothing if run.outliers is None else run.outliers
        none = np.empty(0, dtype=np.int64)
        self._row_categories = none if run.categories is None else run.categories

    def _rename_labels(self, label_map: LabelMap) -> None:
        super()._rename_labels(label_map)
        if self.noise == "label":
            self.probabilities_ = np.where(self.labels_ < 0, 0.0, self.probabilities_)


_SIZES = {"min_cluster_size", "min_samples"}
