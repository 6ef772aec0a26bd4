"""Decision trees as the engine is compiled with them: written, read, and evaluated in NumPy.

A table is a text of nodes ``{feature,right,value}``. A candidate goes on to the next node where its
feature is at most the value, and ``right`` places on elsewhere. A leaf has the feature 255 and adds
its value. Trees follow each other; see ``cpp/density/choice_model.hpp``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF = 255
MOST_BYTES = 200_000  # of all tables together
CHOICE_TABLE, STRUCTURE_TABLE = "choice_table.inc", "structure_table.inc"


class Node(NamedTuple):
    """One node of a tree."""

    feature: int
    right: int
    value: float


Tree = list[Node]


def tree_nodes(tree: Any, scale: float) -> Tree:
    """Return the nodes of scikit-learn's ``tree_``, its leaves times ``scale``."""
    nodes: Tree = []

    def add(i: int) -> None:
        if tree.children_left[i] < 0:
            nodes.append(Node(LEAF, 0, float(tree.value[i].ravel()[0]) * scale))
            return
        place = len(nodes)
        nodes.append(Node(LEAF, 0, 0.0))
        add(tree.children_left[i])
        right = len(nodes) - place
        add(tree.children_right[i])
        nodes[place] = Node(int(tree.feature[i]), right, at_most(float(tree.threshold[i])))

    add(0)
    return nodes


def at_most(threshold: float) -> float:
    """Largest number in single precision that is not above: what is compared has no more."""
    near = np.float32(threshold)
    return float(np.nextafter(near, np.float32(-np.inf)) if float(near) > threshold else near)


def table_text(trees: Iterable[Tree]) -> str:
    """Return a table, a line for each tree."""
    return "".join("".join(node_text(node) for node in tree) + "\n" for tree in trees)


def node_text(node: Node) -> str:
    if not (0 <= node.feature <= LEAF and 0 <= node.right <= 255):
        raise ValueError(f"{node} does not fit into bytes: let trees have fewer leaves.")
    value = f"{node.value:.5g}" if node.feature == LEAF else f"{node.value:.9g}"
    if not re.search("[.e]", value):
        value += ".0"  # or it would be no number of C++'s with an f behind it
    return f"{{{node.feature},{node.right},{value}f}},"


def write_tables(folder: Path, choice: Iterable[Tree], structure: Iterable[Tree]) -> None:
    """Write both tables; they must be small enough to be shipped."""
    texts = {CHOICE_TABLE: table_text(choice), STRUCTURE_TABLE: table_text(structure)}
    n_bytes = sum(len(text) for text in texts.values())
    if n_bytes > MOST_BYTES:
        raise ValueError(
            f"The tables have {n_bytes:,} bytes, at most {MOST_BYTES:,} are shipped: let there be "
            "fewer trees or leaves."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="ascii")


# ---------------------------------------------------------------------- as the engine does

_NODE = re.compile(r"\{(\d+),(\d+),([^f{}]+)f\},")


class Trees:
    """What a table says of candidates: the sum of its trees.

    Parameters
    ----------
    text : str
        A table.
    """

    def __init__(self, text: str) -> None:
        nodes = [_NODE.findall(line) for line in text.splitlines()]
        if table_text([[Node(int(f), int(r), float(v)) for f, r, v in line] for line in nodes]) != (
            text
        ):
            raise ValueError("The text is no table: nodes are written {feature,right,value}.")
        every = [node for line in nodes for node in line]
        self.feature = np.array([int(node[0]) for node in every])
        self.right = np.array([int(node[1]) for node in every])
        self.value = np.array([node[2] for node in every]).astype(np.float32)
        self.starts = trees_begin(self.feature)

    @classmethod
    def of_file(cls, path: Path) -> Trees:
        return cls(path.read_text(encoding="ascii"))

    def __call__(self, seen: NDArray[Any]) -> NDArray[np.float64]:
        """Add up the trees for candidates, in their order: the same bits as the engine's."""
        seen = seen.astype(np.float32)
        rows = np.arange(len(seen))
        total = np.zeros(len(seen))
        for start in self.starts:
            node = np.full(len(seen), start)
            while (inner := self.feature[node] != LEAF).any():
                at = node[inner]
                goes_on = seen[rows[inner], self.feature[at]] <= self.value[at]
                node[inner] = at + np.where(goes_on, 1, self.right[at])
            total += self.value[node].astype(np.float64)
        return total


def trees_begin(feature: NDArray[np.int64]) -> list[int]:
    """Return where each tree begins: one of k inner nodes has k + 1 leaves."""
    starts, open_ends = [], 0
    for place, which in enumerate(feature.tolist()):
        if open_ends == 0:
            starts.append(place)
            open_ends = 1
        open_ends += -1 if which == LEAF else 1
    if open_ends:
        raise ValueError("The last tree of the table is not complete.")
    return starts
