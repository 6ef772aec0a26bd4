"""What is reported about a stream while it is learned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._shared.labels import LabelMap, rename_labels
from .._shared.show import SHOWN_ROWS, card, facts, heading, line, summary, table
from .._shared.words import count_of


class Renaming(NamedTuple):
    """A change of labels, because clusters were merged, read again or removed.

    Attributes
    ----------
    after : int
        Number of rows of the call before the change. Labels returned for them, and for rows of
        earlier calls, are old labels.
    label_map : dict of int to int
        The new label of each label that has changed; -1 if it is now no cluster.

    See Also
    --------
    Learned : Has these as ``renamings``.
    rename_labels : Rename labels by ``label_map``.
    """

    after: int
    label_map: LabelMap

    def __repr__(self) -> str:
        return summary(self, after=self.after, label_map=self.label_map)

    def _repr_html_(self) -> str:
        rows = list(self.label_map.items())[:SHOWN_ROWS]
        title = heading(
            f"Clusters were {self._what} after {count_of(self.after, 'row')} of the call"
        )
        return card(title, table(["was cluster", "is now"], rows, n_rows=len(self.label_map)))

    @property
    def _what(self) -> str:
        """What happened to clusters."""
        return "merged or removed" if min(self.label_map.values()) < 0 else "merged"


class Learned(NamedTuple):
    """What happened to each row of ``learn_many``.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster that took each row, with its label at that moment; -1 if none did.
    matches : ndarray of shape (n_samples,)
        The match of each row with the model before it was learned, as ``score_samples`` would have
        returned it: the lower, the more novel. 0 if the model was empty.
    founded : ndarray of shape (n_samples,)
        Whether the row started a cluster.
    renamings : list of Renaming
        The changes of labels during the call, each once and in order. (Labels of TopoART also
        change without them, and are valid only at that moment. A cluster of DensityART may split in
        a reading; the part with most rows then keeps the label.)

    See Also
    --------
    DensityART.learn_many : Returns this.
    Renaming : A change of labels.
    """

    labels: NDArray[np.int64]
    matches: NDArray[np.float64]
    founded: NDArray[np.bool_]
    renamings: list[Renaming]

    def __repr__(self) -> str:
        return summary(
            self,
            n_rows=len(self.labels),
            n_founded=int(self.founded.sum()),
            n_renamings=len(self.renamings),
        )

    def _repr_html_(self) -> str:
        n_rows = len(self.labels)
        per_row = zip(
            self.labels[:SHOWN_ROWS].tolist(),
            self.matches[:SHOWN_ROWS].tolist(),
            self.founded[:SHOWN_ROWS].tolist(),
            strict=True,
        )
        rows = [
            (i, label, match, "founded it" if new else "")
            for i, (label, match, new) in enumerate(per_row)
        ]
        sums = {
            "rows learned": n_rows,
            "clusters founded": int(self.founded.sum()),
            "lowest match": float(self.matches.min()) if n_rows else None,
        }
        merges = [
            line(
                f"after {count_of(each.after, 'row')} clusters were {each._what}: "
                f"{count_of(len(each.label_map), 'label')} changed"
            )
            for each in self.renamings[:SHOWN_ROWS]
        ]
        columns = ["row", "cluster", "match before", ""]
        return card(facts(sums), *merges, table(columns, rows, n_rows=n_rows))

    def labels_now(self) -> NDArray[np.int64]:
        """Return the labels as they are after the call.

        For TopoART, whose clusters change by themselves, and for DensityART, whose clusters may
        split, use ``labels_`` instead.
        """
        labels = self.labels.copy()
        for after, label_map in self.renamings:
            labels[:after] = rename_labels(labels[:after], label_map)
        return labels
