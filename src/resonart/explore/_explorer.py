"""The explorer of a model and its rows: in a browser, a notebook or a file."""

from __future__ import annotations

import base64
import contextlib
import os
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from resonart import DensityART
from resonart._shared.replace_file import replace_file
from resonart._shared.show import summary
from resonart.rows.checks import check_rows

from . import _front
from ._file import file_content
from ._follow import Follower, Pending, file_steps, learn_steps
from ._rows import Integers, shown_rows
from ._session import CommandOf, Held, Session, Texts

# Attributes by which a model tells its categories.
NEEDED = ("boxes_", "category_labels_", "describe", "explain")


class Explorer:
    """An interactive view of a model and its rows: ``model.explore(X)``.

    In a notebook, make it the last line of a cell to see it (with the extra ``explore``). A page
    that is exported from the notebook has a picture in its place.
    Elsewhere :meth:`serve` opens a browser, and :meth:`save_html` writes one file that needs
    neither Python nor a network.

    Parameters
    ----------
    model : DensityART, DDVFA, DVFA, FuzzyART or TopoART
        A fitted model. It is shown as it is now, whatever it learns later; to watch it learn, use
        :meth:`follow`. It is not changed: a parameter changed in the explorer makes a new model,
        which is then the attribute ``model``.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Rows to show. Without them, only the boxes are shown.
    labels : array-like of shape (n_samples,) or None, default=None
        Clusters of the rows, -1 for noise. ``None`` asks ``model.predict(X)``.
    y : array-like of shape (n_samples,) or None, default=None
        Known classes, to compare the clusters with.
    texts : mapping of str to array-like of shape (n_samples,), or None, default=None
        Other columns of the rows, by name, such as names or dates: a dict, or a frame with these
        columns. They are shown with the row that is pointed at.
    feature_names : sequence of str or None, default=None
        Names to show. By default the names that the rows came with, or ``x0``, ``x1``, ...
    title : str, default="resonart"
        Title of the page.
    max_points : int or None, default=None
        Most rows to show; of more, a random sample is shown. By default 200,000, or fewer if
        there are many features.
    of_rows : int or None, default=None
        If ``X`` is a sample: how many rows it was taken from.
    command_of : callable or None, default=None
        Called with a model, returns the command that makes the same model, to be shown on the page.

    Attributes
    ----------
    model : estimator
        The model that is shown now: the one that was given, or a new one made on the page.
    labels : ndarray of shape (n_samples,)
        Its clusters of the rows.

    See Also
    --------
    resonart.plot.categories : A static picture of the boxes.
    resonart.export_text : The clusters as text.

    Examples
    --------
    >>> import numpy as np
    >>> from resonart import DensityART
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> explorer = DensityART().fit(X).explore(X)
    >>> explorer
    Explorer(model='DensityART', n_rows=200, n_shown=200)
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "clusters.html")
    ...     explorer.save_html(path)
    ...     path.read_text("utf-8")[:15]
    '<!DOCTYPE html>'
    """

    def __init__(
        self,
        model: Any,
        X: ArrayLike | None = None,
        *,
        labels: ArrayLike | None = None,
        y: ArrayLike | None = None,
        texts: Mapping[str, ArrayLike] | None = None,
        feature_names: Sequence[str] | None = None,
        title: str = "resonart",
        max_points: int | None = None,
        of_rows: int | None = None,
        command_of: CommandOf | None = None,
    ) -> None:
        if isinstance(model, type) or not all(hasattr(type(model), name) for name in NEEDED):
            raise TypeError(
                f"model must be a fitted estimator of resonart, got {model!r}. Give what fit "
                "returns, for instance DensityART().fit(X)."
            )
        check_is_fitted(model)
        if max_points is not None and (
            not isinstance(max_points, int) or isinstance(max_points, bool) or max_points < 1
        ):
            raise ValueError(f"max_points must be a whole number >= 1 or None, got {max_points!r}.")
        held = Held.of(model)
        rows, found = _labelled(held.own, X, labels)
        names = held.own.describe(feature_names=feature_names).feature_names
        self._session = Session(
            held,
            shown_rows(rows, names, held.own, max_points, of_rows),
            found,
            classes=_classes(y, len(rows)),
            texts=_texts(texts, len(rows)),
            title=title,
            command_of=command_of,
        )
        self._widget: Any = None
        self._follower: Follower | None = None

    @property
    def model(self) -> Any:
        """The model that is shown now."""
        return self._session.held.given

    @property
    def labels(self) -> Integers:
        """Its clusters of the rows."""
        return self._session.labels

    def serve(
        self,
        *,
        port: int = 0,
        open_browser: bool = True,
        on_ready: Callable[[str], None] | None = None,
    ) -> str:
        """Show it in a browser until the page is closed, or until Ctrl-C.

        The page is served on this computer only (127.0.0.1), at an address that contains a secret.
        It requests nothing from any other host.

        Parameters
        ----------
        port : int, default=0
            Port to serve on; 0 takes any free port.
        open_browser : bool, default=True
            Whether to open the page.
        on_ready : callable or None, default=None
            Called with the address when the page is ready. By default the address is printed.

        Returns
        -------
        address : str
            The address of the page.

        Raises
        ------
        ImportError
            Without starlette, uvicorn and websockets, which come with the extra ``explore``.
        """
        from ._server import Server

        with Server(self._session, port=port) as server, contextlib.suppress(KeyboardInterrupt):
            if on_ready is None:
                how = "close the page or press Ctrl-C to stop"
                print(f"The explorer is at {server.address}  ({how})", flush=True)
            else:
                on_ready(server.address)
            if open_browser:
                webbrowser.open(server.address)
            server.wait()
        return server.address

    def follow(
        self,
        batches: Iterable[ArrayLike],
        *,
        times: Iterable[ArrayLike] | None = None,
        paused: bool = False,
    ) -> Self:
        """Let the model learn more rows while you watch: clusters appear, merge and fade.

        Learning starts when a page is open, and runs in the background. The page has buttons to
        pause it and to take one step. The model itself is changed.

        Parameters
        ----------
        batches : iterable of array-like of shape (n_samples, n_features)
            Rows as they come; each batch is one step.
        times : iterable of array-like of shape (n_samples,) or None, default=None
            When the rows of each batch came, one array for each batch: see
            :meth:`DensityART.partial_fit`. By default rows are counted.
        paused : bool, default=False
            Whether to start paused.

        Returns
        -------
        self : Explorer
            The explorer itself.

        Examples
        --------
        >>> import numpy as np
        >>> from resonart import DensityART
        >>> rows = np.random.default_rng(0).normal(size=(10, 100, 2))
        >>> model = DensityART(half_life=200).partial_fit(rows[0])
        >>> explorer = model.explore(rows[0]).follow(rows[1:])
        """
        if times is not None and not isinstance(self.model, DensityART):
            raise ValueError(
                f"times need a DensityART, and the model is a {type(self.model).__name__}. Leave "
                "times out."
            )
        clock = repeat(None) if times is None else times
        # Strictly: a batch without times would count by another clock.
        arrays = (
            (np.asarray(batch, dtype=np.float64), time)
            for batch, time in zip(batches, clock, strict=times is not None)
        )
        recent = self._session.rows.all
        self._follow(learn_steps(self.model, arrays, recent), paused=paused)
        return self

    def follow_file(self, path: str | os.PathLike[str], *, paused: bool = False) -> Self:
        """Show the model of a file, and again whenever ``resonart stream`` or others write it.

        Parameters
        ----------
        path : str or path-like
            The model file.
        paused : bool, default=False
            Whether to start paused.

        Returns
        -------
        self : Explorer
            The explorer itself.
        """
        rows = self._session.rows.all if len(self._session.rows.all) else None
        self._follow(file_steps(os.fspath(path), rows), paused=paused)
        return self

    def _follow(self, steps: Iterator[Pending], *, paused: bool) -> None:
        if self._follower is not None:
            self._follower.stop()
        self._follower = Follower(self._session, steps, paused=paused)
        self._follower.start()

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write one HTML file, which works without Python and without a network.

        Parameters
        ----------
        path : str or path-like
            The file. It is replaced as a whole, or not at all.

        Notes
        -----
        Parameters cannot be changed in the file; everything else works. The first rows are
        explained in full, the others by the boxes they are in. The file contains the rows.
        """
        content, name = self.to_html().encode("utf-8"), os.fspath(path)
        try:
            replace_file(name, lambda: [content])
        except OSError as error:
            text = os.strerror(error.errno) if error.errno else str(error)
            raise OSError(error.errno, f"{text}: the page is not written", name) from error

    def to_html(self) -> str:
        """Return the page that :meth:`save_html` writes."""
        return _front.html_file(self._session.title, file_content(self._session))

    def widget(self) -> Any:
        """Return the widget that notebooks show.

        Raises
        ------
        ImportError
            Without anywidget, which comes with the extra ``explore``.
        """
        if self._widget is None:
            from ._widget import make_widget

            self._widget = make_widget(self._session, self._still())
        return self._widget

    def _still(self) -> str:
        """Return a picture as PNG in base64, for pages without Python; "" without matplotlib."""
        from ._still import still_of

        return base64.b64encode(still_of(self._session) or b"").decode("ascii")

    def _repr_mimebundle_(self, **options: Any) -> Any:
        widget = self.widget()
        found = widget._repr_mimebundle_(**options)
        data, more = found if isinstance(found, tuple) else (found, {})
        # An exported page shows the picture, where it has no widgets.
        still = {"image/png": widget.still} if widget.still else {}
        return {**(data or {}), **still, "text/plain": repr(self)}, more

    def _display_(self) -> Any:
        return self.widget()  # for marimo

    def __repr__(self) -> str:
        return summary(
            self,
            model=type(self.model).__name__,
            n_rows=len(self.labels),
            n_shown=len(self._session.rows.numbers),
        )


def _labelled(
    model: Any, X: ArrayLike | None, labels: ArrayLike | None
) -> tuple[NDArray[np.float64], Integers]:
    if X is None:
        if labels is not None:
            raise ValueError("labels belong to the rows of X, but X was not given. Give X, too.")
        return np.empty((0, model.n_features_in_)), np.empty(0, dtype=np.int64)
    # predict goes first: its error messages about unusable rows are better.
    found = None if labels is not None else np.asarray(model.predict(X), dtype=np.int64)
    rows = np.asarray(check_rows(model, X, reset=False), dtype=np.float64)
    if found is None:
        given = np.asarray(labels)
        if given.shape != (len(rows),) or given.dtype.kind not in "iu" or given.min() < -1:
            raise ValueError(
                f"labels must hold a whole number >= -1 for each of the {len(rows)} rows of X, got "
                f"{given.dtype} of shape {given.shape}."
            )
        found = given.astype(np.int64)
    return rows, found


def _texts(texts: Mapping[str, ArrayLike] | None, n_rows: int) -> Texts:
    found: Texts = {}
    for name, column in ({} if texts is None else dict(texts)).items():
        values = np.asarray(column, dtype=object)
        if values.shape != (n_rows,):
            raise ValueError(
                f"texts must hold a value for each of the {n_rows} rows of X, got an array of "
                f"shape {values.shape} for {name!r}."
            )
        found[str(name)] = values
    return found


def _classes(y: ArrayLike | None, n_rows: int) -> NDArray[Any] | None:
    if y is None:
        return None
    given = np.asarray(y)
    if given.shape != (n_rows,):
        raise ValueError(
            f"y must hold a class for each of the {n_rows} rows of X, got an array of shape "
            f"{given.shape}."
        )
    return np.unique(given.astype(str), return_inverse=True)[1]
