"""What a stream is told while it is learned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._shared.labels import rename_labels
from .._shared.show import SHOWN_ROWS, card, facts, heading, line, summary, table
from .._shared.words import count_of


class Renaming(NamedTuple):
    """Clusters were merged, read anew or removed, and labels changed.

    Attributes
    ----------
    after : int
        How many rows of the call had come. Labels told of them, and of rows before the call, are
        those of before.
    label_map : ndarray
        Old label to new label: what was cluster ``i`` is now cluster ``label_map[i]``; -1 where it
        was removed.
    """

    after: int
    label_map: NDArray[np.int64]

    def __repr__(self) -> str:
        return summary(self, after=self.after, label_map=self.label_map)

    def _repr_html_(self) -> str:
        rows = list(enumerate(self.label_map[:SHOWN_ROWS].tolist()))
        title = heading(f"Clusters were {self._what} after {self.after:,} rows of the call")
        return card(title, table(["was cluster", "is now"], rows, n_rows=len(self.label_map)))

    @property
    def _what(self) -> str:
        """What happened to clusters."""
        return "merged or removed" if (self.label_map < 0).any() else "merged"


class Learned(NamedTuple):
    """What each row of ``learn_many`` did as it came.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster that took each row, named as it was then; -1 where none did.
    matches : ndarray of shape (n_samples,)
        The match of each row with what the model knew before it, as ``score_samples`` would have
        said: the lower, the more novel. 0 where the model was empty.
    founded : ndarray of shape (n_samples,)
        Whether the row founded a cluster.
    renamings : list of Renaming
        What changed labels on the way. (TopoART's clusters change without them: a label of its is
        the cluster's name at that moment only. A cluster of DensityART may split where it is read
        anew; its label then goes on with the part that has most rows.)
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
        told = zip(
            self.labels[:SHOWN_ROWS].tolist(),
            self.matches[:SHOWN_ROWS].tolist(),
            self.founded[:SHOWN_ROWS].tolist(),
            strict=True,
        )
        rows = [
            (i, label, match, "founded it" if new else "")
            for i, (label, match, new) in enumerate(told)
        ]
        sums = {
            "rows learned": n_rows,
            "clusters founded": int(self.founded.sum()),
            "lowest match": float(self.matches.min()) if n_rows else None,
        }
        merges = [
            line(
                f"after {count_of(each.after, 'row')} clusters were {each._what}: "
                f"{count_of(len(each.label_map), 'cluster')} became "
                f"{int(each.label_map.max(initial=-1)) + 1:,}"
            )
            for each in self.renamings[:SHOWN_ROWS]
        ]
        columns = ["row", "cluster", "match before", ""]
        return card(facts(sums), *merges, table(columns, rows, n_rows=n_rows))

    def labels_now(self) -> NDArray[np.int64]:
        """Return the labels under the names that clusters have after the call.

        Of TopoART, whose clusters change by themselves, and of DensityART, whose clusters may
        split, ask ``labels_``.
        """
        labels = self.labels.copy()
        for after, label_map in self.renamings:
            labels[:after] = rename_labels(labels[:after], label_map)
        return labels
