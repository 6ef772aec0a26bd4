"""One native model in the hands of an estimator: changed all or nothing, copied and kept."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._models.snapshot import Content, Engine, Params, content_of, dump, rebuild
from .._shared.change_lock import ChangeLock
from .._shared.interrupt import was_interrupted
from .._shared.random import CallersGenerator

# A copy makes its own.
_NOT_COPIED = ("_lock", "_checked")

Labels = NDArray[np.int64]
T = TypeVar("T")


class _SavedState(NamedTuple):
    """What a call that fails has to leave as it was, besides the engine, which sees to itself."""

    attributes: dict[str, Any]
    generator: CallersGenerator


class EngineHolder(BaseEstimator, ABC):
    """What has parameters and, once it has learned, an engine: all state is in ``_engine``."""

    _engine_type: ClassVar[type[Engine]]
    _engine: Engine

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

    @abstractmethod
    def _params(self, n_rows: int | None = None) -> Params:
        """Return all parameters, checked, as the engine takes them.

        ``n_rows`` is how many rows ``fit`` has; None where rows come as a stream.
        """

    # ------------------------------------------------------------------ the engine

    def _trained_engine(self) -> Engine | None:
        return self.__dict__.get("_engine")

    def _fitted(self) -> Engine:
        check_is_fitted(self)
        return self._engine

    def _snapshot(self) -> Content:
        return content_of(self._fitted(), grouped=True)

    # ------------------------------------------------------------------ changing it

    def _all_or_nothing(self, work: Callable[[], T]) -> T:
        """Do one change at a time; one that fails leaves the model and its attributes as they were.

        The engine undoes its own work where it fails, and is told to where something fails after
        it, as an interrupt on the way back. The lock is made on first use because scikit-learn
        allows nothing but parameters to be set in ``__init__``; ``dict.setdefault`` is atomic.
        """
        attributes = self.__dict__
        lock = self._own_lock()
        before: _SavedState | None = None
        try:
            with lock:
                engine: Engine | None = attributes.get("_engine")
                if engine is not None:
                    engine.commit()
                before = _SavedState(dict(attributes), CallersGenerator(self.random_state))
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

    def _restore(self, before: _SavedState) -> None:
        if "_engine" in before.attributes:
            before.attributes["_engine"].undo()
        attributes = self.__dict__
        for name in attributes.keys() - before.attributes.keys():
            del attributes[name]
        attributes.update(before.attributes)
        before.generator.restore()

    def __sklearn_is_fitted__(self) -> bool:
        return "_engine" in self.__dict__

    # ------------------------------------------------------------------ keeping it

    def __getstate__(self) -> dict[str, Any]:
        with self._own_lock():  # attributes and engine are of one moment
            state: dict[str, Any] = dict(super().__getstate__())
            for name in _NOT_COPIED:
                state.pop(name, None)
            if "_engine" in state:
                state["_engine"] = dump(state["_engine"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_engine" in state:
            try:
                state["_engine"] = rebuild(self._engine_type, state["_engine"])
            except (KeyError, TypeError) as error:
                raise ValueError(
                    f"this {type(self).__name__} was pickled by another version of resonart, whose "
                    "pickles this one cannot read. Files written by save can be: load them there, "
                    "and save."
                ) from error
        super().__setstate__(state)

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
            and ``label_map_`` of DDVFA and DensityART, what it renamed. Without, both are empty
            after loading, and the file does not depend on how a stream was cut into calls.

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
