"""Looking at a model in the explorer, a package above the estimators."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from numpy.typing import ArrayLike

from .holder import EngineHolder


class ExploringMixin(EngineHolder):
    """``explore``."""

    def explore(self, X: ArrayLike | None = None, **options: Any) -> Any:
        """Explore the model and rows: in a notebook, a browser, or one HTML file.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            Rows to show. Without them, only the boxes are shown.
        **options
            Options of :class:`resonart.explore.Explorer`: ``labels``, ``y``, ``texts``,
            ``feature_names``, ``title``, ``max_points``.

        Returns
        -------
        explorer : resonart.explore.Explorer
            The explorer. In a notebook, make it the last line of a cell. ``serve()`` opens
            a browser, and ``save_html(path)`` writes a file.

        See Also
        --------
        describe : The clusters as text.
        resonart.plot.categories : A static picture of the boxes.

        Examples
        --------
        >>> from resonart import FuzzyART
        >>> X = [[0, 10], [1, 12], [9, 28], [10, 30]]
        >>> FuzzyART(rho=0.7).fit(X).explore(X)
        Explorer(model='FuzzyART', n_rows=4, n_shown=4)
        """
        self._fitted()
        # By name: the core imports no package above it.
        return import_module("resonart.explore").Explorer(self, X, **options)
