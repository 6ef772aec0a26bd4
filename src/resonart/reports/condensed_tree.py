"""The condensed tree: which clusters split off from which, where, and what fell out of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.show import SHOWN_ROWS, card, heading, line, summary, table
from .._shared.words import count_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class CondensedTree:
    """The condensed tree of a reading: ``model.condensed_tree_``.

    Clusters are numbered from the root, which is 0, with parents before children. Densities are
    given as ``lambda``, which is 1 / distance, as in HDBSCAN.

    Attributes
    ----------
    parents : ndarray of shape (n_tree,)
        Parent of each cluster; -1 for the root.
    births : ndarray of shape (n_tree,)
        ``lambda`` at which each cluster split off from its parent; 0 for the root.
    sizes : ndarray of shape (n_tree,)
        Number of rows of each cluster at its birth. (If rows fade by a half-life: the number of
        rows without fading that would say as much.)
    selected : ndarray of bool of shape (n_tree,)
        Which of them are the model's clusters; none if the tree was cut (``cut``).
    labels : ndarray of shape (n_tree,)
        The labels that the reading gave to these; -1 for the others.
    box_clusters : ndarray of shape (n_boxes,)
        The cluster out of which each box falls. Boxes are the categories as they were when the tree
        was read, in order of creation.
    box_lambdas : ndarray of shape (n_boxes,)
        ``lambda`` at which it falls out; infinite for rows that are equal.
    box_sizes : ndarray of shape (n_boxes,)
        Number of rows of each box.
    cut : float or None
        If the clusters were read by one cut through the tree: its ``lambda``. The model's clusters
        are then the boxes that hang together at this density. None if branches were selected.

    See Also
    --------
    DensityART : Has this as ``condensed_tree_``.
    ReadingChoice : How the clusters were read from the tree.
    resonart.plot.condensed_tree : Draw the tree.

    Examples
    --------
    >>> import numpy as np
    >>> from resonart import DensityART
    >>> model = DensityART().fit(np.random.default_rng(0).normal(size=(100, 2)))
    >>> tree = model.condensed_tree_
    >>> int(tree.box_sizes.sum())
    100
    """

    parents: Integers
    births: Floats
    sizes: Floats
    selected: NDArray[np.bool_]
    labels: Integers
    box_clusters: Integers
    box_lambdas: Floats
    box_sizes: Floats
    cut: float | None = None

    @classmethod
    def of(cls, tree: Floats, boxes: Floats, height: float = 0.0) -> CondensedTree:
        """Return the tree from the engine's tables, with the height of a cut if there is one."""
        is_cut = height > 0.0 and not tree[:, 3].any()
        return cls(
            parents=tree[:, 0].astype(np.int64),
            births=tree[:, 1].copy(),
            sizes=tree[:, 2].copy(),
            selected=tree[:, 3] != 0.0,
            labels=tree[:, 4].astype(np.int64),
            box_clusters=boxes[:, 0].astype(np.int64),
            box_lambdas=boxes[:, 1].copy(),
            box_sizes=boxes[:, 2].copy(),
            cut=1.0 / height if is_cut else None,
        )

    def __len__(self) -> int:
        return len(self.parents)

    def to_records(self) -> NDArray[Any]:
        """Return the tree in HDBSCAN's form: one line for everything that falls out of a cluster.

        Returns
        -------
        records : structured ndarray
            An array with the fields ``parent``, ``child``, ``lambda_val`` and ``child_size``.
            Children below ``n_boxes`` are boxes; cluster ``c`` is ``n_boxes + c``.
            ``pandas.DataFrame(records)`` makes a frame of it.
        """
        n_boxes = len(self.box_clusters) if len(self) else 0
        kind = [("parent", "i8"), ("child", "i8"), ("lambda_val", "f8"), ("child_size", "f8")]
        records = np.empty(n_boxes + max(len(self) - 1, 0), dtype=kind)
        boxes, clusters = records[:n_boxes], records[n_boxes:]
        boxes["parent"] = n_boxes + self.box_clusters[:n_boxes]
        boxes["child"] = np.arange(n_boxes)
        boxes["lambda_val"] = self.box_lambdas[:n_boxes]
        boxes["child_size"] = self.box_sizes[:n_boxes]
        clusters["parent"] = n_boxes + self.parents[1:]
        clusters["child"] = n_boxes + np.arange(1, len(self))
        clusters["lambda_val"] = self.births[1:]
        clusters["child_size"] = self.sizes[1:]
        return records[np.argsort(records["parent"], kind="stable")]

    def __repr__(self) -> str:
        chosen = {"n_selected": int(self.selected.sum())} if self.cut is None else {"cut": self.cut}
        return summary(self, n_clusters=len(self), **chosen, n_boxes=len(self.box_clusters))

    def _repr_html_(self) -> str:
        title = (
            f"A tree of {count_of(len(self), 'cluster')} over "
            f"{count_of(len(self.box_clusters), 'box')}, "
        )
        title += (
            f"{self.selected.sum():,} selected" if self.cut is None else f"cut at {self.cut:.4g}"
        )
        if not len(self):
            return card(heading(title), line("It was read in another way."))
        rows: list[tuple[object, ...]] = [
            (
                c,
                None if self.parents[c] < 0 else int(self.parents[c]),
                float(self.births[c]),
                float(self.sizes[c]),
                int(self.labels[c]) if self.selected[c] else None,
            )
            for c in range(min(len(self), SHOWN_ROWS))
        ]
        columns = ["cluster of the tree", "split off from", "at lambda", "rows", "label"]
        parts = [heading(title)]
        if self.cut is not None:
            columns, rows = columns[:-1], [row[:-1] for row in rows]
            parts.append(line("The model's clusters are the boxes that hang together at the cut."))
        return card(*parts, table(columns, rows, n_rows=len(self)))


def leading_labels(tree: CondensedTree, box_labels: Integers) -> tuple[Integers, Floats, Floats]:
    """Find the label that most rows of each cluster, and of all below it, have.

    Parameters
    ----------
    tree : CondensedTree
        The tree.
    box_labels : ndarray of shape (n_boxes,)
        The label of each box, -1 for noise, which is not counted.

    Returns
    -------
    labels : ndarray of shape (n_tree,)
        The label with the most rows, the lowest of several; -1 if there is none.
    rows : ndarray of shape (n_tree,)
        How many rows have it.
    totals : ndarray of shape (n_tree,)
        How many rows have any label.

    Examples
    --------
    >>> import numpy as np
    >>> from resonart import DensityART
    >>> model = DensityART().fit(np.random.default_rng(0).normal(size=(100, 2)))
    >>> labels, rows, totals = leading_labels(model.condensed_tree_, model.category_labels_)
    >>> int(labels[0]), rows[0] == totals[0]
    (0, np.True_)
    """
    n = len(tree)
    labels, rows, totals = np.full(n, -1, dtype=np.int64), np.zeros(n), np.zeros(n)
    # Rows of each label, branch by branch. A table of branches by labels would be far larger
    # than the tree: here there is never more than one number for each box.
    counts: list[dict[int, float]] = [{} for _ in range(n)]

    def add(node: int, label: int, size: float) -> None:
        counts[node][label] = found = counts[node].get(label, 0.0) + size
        if found > rows[node] or (found == rows[node] and label < labels[node]):
            labels[node], rows[node] = label, found

    inside = box_labels >= 0
    np.add.at(totals, tree.box_clusters[inside], tree.box_sizes[inside])
    for node, label, size in zip(
        tree.box_clusters[inside].tolist(),
        box_labels[inside].tolist(),
        tree.box_sizes[inside].tolist(),
        strict=True,
    ):
        add(node, label, size)
    for node in range(n - 1, 0, -1):  # children come after their parents
        parent = int(tree.parents[node])
        totals[parent] += totals[node]
        smaller = counts[node]
        if len(smaller) > len(counts[parent]):  # the smaller goes into the larger
            smaller, counts[parent] = counts[parent], smaller
            # What led in the parent is among those added below.
            labels[parent], rows[parent] = labels[node], rows[node]
        for label, size in smaller.items():
            add(parent, label, size)
        counts[node] = {}
    return labels, rows, totals
