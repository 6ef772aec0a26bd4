"""How an estimator holds its native model: changes are all or nothing; copies, pickles, files."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._engine.state import Content, Engine, Params, content_of, dump, rebuild
from .._shared.change_lock import ChangeLock
from .._shared.interrupt import was_interrupted
from .._shared.random import CallersGenerator

# A copy makes its own.
_NOT_COPIED = ("_lock", "_checked")

Labels = NDArray[np.int64]
T = TypeVar("T")


class _SavedState(NamedTuple):
    """What a failed call has to restore, besides the engine, which undoes its own changes."""

    attributes: dict[str, Any]
    generator: CallersGenerator


class EngineHolder(BaseEstimator, ABC):
    """Base of estimators with parameters and, once fitted, an engine that has all the state."""

    _engine_type: ClassVar[type[Engine]]
    _engine: Engine

    # Parameters of most estimators that this one does not have, and what it does instead.
    _fixed: ClassVar[Mapping[str, Any]] = {}

    alpha: Any
    bounds: Any
    out_of_bounds: Any
    max_categories: Any

    labels_: Labels
    n_epochs_: int
    n_features_in_: int

    @abstractmethod
    def _params(self, n_rows: int | None = None) -> Params:
        """Return all parameters, checked, as the engine takes them.

        ``n_rows`` is the number of rows of ``fit``, or None if they come as a stream.
        """

    def _setting(self, name: str) -> Any:
        """Return a parameter, or what an estimator without that parameter does."""
        return self._fixed[name] if name in self._fixed else getattr(self, name)

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
        """Do one change at a time. If it fails, model and attributes stay as they were.

        The engine undoes its own work if it fails. If something fails later, such as an interrupt
        on the way back, it is asked to undo. The lock is made on first use because scikit-learn
        allows ``__init__`` to set nothing but parameters; ``dict.setdefault`` is atomic.
        """
        attributes = self.__dict__
        lock = self._own_lock()
        before: _SavedState | None = None
        try:
            with lock:
                engine: Engine | None = attributes.get("_engine")
                if engine is not None:
                    engine.commit()
                generator = CallersGenerator(self._setting("random_state"))
                before = _SavedState(dict(attributes), generator)
                try:
                    return work()
                except BaseException:
                    self._restore(before)
                    before = None
                    raise
        except MemoryError as error:
            raise MemoryError(
                f"{type(self).__name__} has run out of memory and is unchanged. A lower vigilance "
                "makes fewer categories, and max_categories limits their number."
            ) from error
        except BaseException as error:
            if before is not None:  # the work was done, and then an interrupt came
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
        with self._own_lock():  # attributes and engine are from the same moment
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
                    "pickles this version cannot read. It can read files written by save: load the "
                    "pickle with the other version, and call save there."
                ) from error
        super().__setstate__(state)

    def save(
        self,
        path: str | bytes | os.PathLike[Any],
        *,
        metadata: Mapping[str, Any] | None = None,
        include_labels: bool = True,
    ) -> None:
        """Write the model to a file, from which :func:`load` restores it to the bit.

        The file has the parameters and everything that was learned, so learning can continue
        exactly where it stopped. A model that is not fitted can be saved, too. The file is replaced
        as a whole: if anything fails, even the computer, the old file is still there. Other threads
        may go on learning meanwhile.

        Parameters
        ----------
        path : str or path-like
            The file to write, usually with the extension ``.resonart``.
        metadata : mapping or None, default=None
            Your own notes to store with the model: text, numbers, True, False, None, lists and
            mappings, as in JSON. ``load(path, with_metadata=True)`` returns them.
        include_labels : bool, default=True
            Whether to store the results of the last call: ``labels_``, with a number for each of
            its rows, and ``label_map_`` of DDVFA and DensityART. If False, both are empty after
            loading, and the file does not depend on how a stream was cut into calls.

        Raises
        ------
        OSError
            If the file cannot be written.

        See Also
        --------
        load : Read the model from the file.

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
        from .save import save_model

        save_model(self, path, metadata, include_labels)
