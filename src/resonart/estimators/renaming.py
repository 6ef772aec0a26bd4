"""Labels that change while a model learns: by a merge, or by a reading."""

from __future__ import annotations

from typing import Any

from .._engine import _core
from .._shared.labels import LabelMap, labels_then
from ..rows.checks import Rows
from ..rows.time import Moment
from .holder import Labels
from .learning import LearningMixin
from .removal import RemovalMixin


class RenamingMixin(LearningMixin, RemovalMixin):
    """``label_map_``, and labels that are renamed by it."""

    _engine: _core.Ddvfa | _core.DensityArt
    label_maps_: list[LabelMap]  # of models that were merged into this one

    @property
    def label_map_(self) -> LabelMap:
        """The labels that the last call has changed: ``{old: new}``."""
        self._fitted()
        return self._engine.label_map()

    def _learn_renaming(self, row: Any, when: Moment | tuple[()] = ()) -> int:
        """Learn a row after which clusters may have other labels.

        Labels are renamed together with the model, even if other threads learn, too. Most rows
        rename none, and the engine knows beforehand: these rows need only the engine's own lock.
        """
        quick = self._engine.learn_one_quickly(row, *when)
        if quick is not None:
            return quick
        with self._own_lock():
            engine = self._engine  # another thread may have called fit meanwhile
            label, label_map = engine.learn_one_renaming(row, *when)
            if label_map:
                self._rename_labels(label_map)
        return label

    def _set_labels(self, rows: Rows, labels: Labels) -> None:
        super()._set_labels(rows, labels)
        self.__dict__.pop("label_maps_", None)

    def _rename_labels(self, label_map: LabelMap) -> None:
        super()._rename_labels(label_map)
        if "label_maps_" in self.__dict__:
            self.label_maps_ = [labels_then(part, label_map) for part in self.label_maps_]
