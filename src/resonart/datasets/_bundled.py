"""Data sets that every user already has, because scikit-learn contains them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._convert import Labels, Rows


def iris() -> tuple[Rows, Labels]:
    """Take scikit-learn's Iris, with the two rows in which UCI's file departs from Fisher's."""
    from sklearn.datasets import load_iris

    X, y = _typed(*load_iris(return_X_y=True))
    X[34, 3] = 0.1
    X[37, 1:3] = 3.1, 1.5
    return X, y


def wine() -> tuple[Rows, Labels]:
    """Take scikit-learn's Wine as it is."""
    from sklearn.datasets import load_wine

    return _typed(*load_wine(return_X_y=True))


def wdbc() -> tuple[Rows, Labels]:
    """Take scikit-learn's breast cancer data as they are."""
    from sklearn.datasets import load_breast_cancer

    return _typed(*load_breast_cancer(return_X_y=True))


def _typed(X: object, y: object) -> tuple[Rows, Labels]:
    return np.array(X, dtype=np.float64, order="C"), np.array(y, dtype=np.int64)


BUNDLED: dict[str, Callable[[], tuple[Rows, Labels]]] = {"iris": iris, "wine": wine, "wdbc": wdbc}
