"""Distributed dual vigilance fuzzy ART (paper Algorithm 1, decisions section 4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .arithmetic import (
    Array,
    Vector,
    activation,
    centroid,
    complement_code,
    descending,
    linkage_value,
    power,
    raw_match,
    same_weights,
    told_match,
    updated,
)
from .gaps import GapKeeper
from .merge_art import merge_art
from .node import Node

__all__ = ["DDVFAReference", "Node"]


class DDVFAReference:
    """A global ART whose F2 nodes are local fuzzy ARTs; the index of a node is the label."""

    # All matches are kept in the form |w| ** gamma_ref * T and compared with
    # rho * d ** gamma_ref (decisions 0.12): "raw match" below is the paper's match times
    # d ** gamma_ref.

    def __init__(
        self,
        *,
        rho_lb: float,
        rho_ub: float,
        gamma: float = 3.0,
        gamma_ref: float = 1.0,
        linkage: str = "single",
        search: str = "activation",
        alpha: float = 1e-3,
        beta: float = 1.0,
    ) -> None:
        if search not in ("activation", "index"):
            raise ValueError(f"search must be 'activation' or 'index', not {search!r}")
        self.rho_lb = rho_lb
        self.rho_ub = rho_ub
        self.gamma = gamma
        self.gamma_ref = gamma_ref
        self.linkage = linkage
        self.search = search
        self.alpha = alpha
        self.beta = beta
        self.nodes: list[Node] = []
        self._gaps = GapKeeper()

    @property
    def smallest_gap(self) -> float:
        """The smallest relative gap of all comparisons so far, inf when there was none."""
        return self._gaps.smallest

    def _category_activations(self, x: Array, node: Node) -> list[float]:
        """Return T_j of every category of a node (Eq. T2)."""
        return [activation(x, weight, self.alpha, self.gamma) for weight in node.weights]

    def _category_raw_matches(self, x: Array, node: Node) -> list[float]:
        """Return the raw match of every category of a node (Eq. M3 times d ** gamma_ref)."""
        return [
            raw_match(x, weight, self.alpha, self.gamma, self.gamma_ref) for weight in node.weights
        ]

    def _node_activation(self, x: Array, node: Node) -> float:
        """Return the activation of a node (Eq. T1 with the paper's linkage table)."""
        if self.linkage == "centroid":
            return activation(x, centroid(node.weights), self.alpha, self.gamma)
        return linkage_value(self.linkage, self._category_activations(x, node), node.counts)

    def _node_raw_match(self, x: Array, node: Node) -> float:
        """Return the raw match of a node (Eq. M1 with the paper's linkage table)."""
        if self.linkage == "centroid":
            # The normalised form with gamma_ref, not the one printed in the table (decisions 4.2).
            center = centroid(node.weights)
            return raw_match(x, center, self.alpha, self.gamma, self.gamma_ref)
        return linkage_value(self.linkage, self._category_raw_matches(x, node), node.counts)

    def _visiting_order(self, activations: list[float]) -> list[int]:
        """Return the order in which the global search visits the nodes (decisions 4.3)."""
        if self.search == "index":
            return list(range(len(activations)))
        return descending(activations)

    def _note_node_winner(self, activations: list[float], active: list[int]) -> None:
        """Note that the first active node was preferred to the others by its activation."""
        if self.search == "activation":
            self._gaps.note_winner(activations[active[0]], (activations[i] for i in active[1:]))

    def learn(self, scaled_row: Vector) -> int:
        """Present one sample, learn it, and return the index of its node (Algorithm 1)."""
        # Line 1.
        x = complement_code(scaled_row)
        d = len(scaled_row)
        threshold = self.rho_lb * power(float(d), self.gamma_ref)
        # Lines 2 and 3.
        activations = [self._node_activation(x, node) for node in self.nodes]
        active = self._visiting_order(activations)
        while active:
            # Line 4.
            winner = active[0]
            # Lines 5 and 6.
            match = self._node_raw_match(x, self.nodes[winner])
            # Lines 7 and 8.
            self._gaps.note(match, threshold)
            if match >= threshold:
                self._note_node_winner(activations, active)
                # Lines 9 to 14. The sample stays in this node whatever happens there.
                self._learn_locally(x, d, self.nodes[winner])
                return winner
            # Lines 15 and 16: reset, next node.
            active.pop(0)
        # Line 16, no node left: new node by fast commit.
        self.nodes.append(Node([x.copy()], [1]))
        return len(self.nodes) - 1

    def _learn_locally(self, x: Array, d: int, node: Node) -> None:
        """Let one node learn the sample (Algorithm 1, lines 9 to 14; decisions 4.4)."""
        threshold = self.rho_ub * power(float(d), self.gamma_ref)
        activations = self._category_activations(x, node)
        active = descending(activations)
        while active:
            # Line 9.
            winner = active[0]
            # Lines 10 and 11.
            match = raw_match(x, node.weights[winner], self.alpha, self.gamma, self.gamma_ref)
            self._gaps.note(match, threshold)
            if match >= threshold:
                self._gaps.note_winner(activations[winner], (activations[j] for j in active[1:]))
                # Line 12.
                node.weights[winner] = updated(node.weights[winner], x, self.beta)
                node.counts[winner] += 1
                return
            # Lines 13 and 14: reset, next category.
            active.pop(0)
        # Line 14, no category left: new category by fast commit.
        node.weights.append(x.copy())
        node.counts.append(1)

    def train(self, X: Array, max_epochs: int = 1) -> tuple[npt.NDArray[np.int64], int]:
        """Present all rows in order, epoch by epoch, until the weights stay as they were."""
        labels = np.zeros(len(X), dtype=np.int64)
        n_epochs = 0
        while n_epochs < max_epochs:
            before = [node.copy() for node in self.nodes]
            for index, row in enumerate(X):
                labels[index] = self.learn(row)
            n_epochs += 1
            if self._unchanged_since(before):  # decisions 4.5, "Epochs > 1"
                break
        return labels, n_epochs

    def _unchanged_since(self, before: list[Node]) -> bool:
        """Tell whether the nodes have the same number of weights, with the same values."""
        if len(before) != len(self.nodes):
            return False
        for old, new in zip(before, self.nodes, strict=True):
            if not same_weights(old.weights, new.weights):
                return False
        return True

    def predict(self, scaled_row: Vector) -> tuple[int, bool, float]:
        """Return node, resonance and match of a sample without learning it (decisions 4.6)."""
        if not self.nodes:
            raise ValueError("nothing has been learned yet")
        x = complement_code(scaled_row)
        d = len(scaled_row)
        scale = power(float(d), self.gamma_ref)
        threshold = self.rho_lb * scale

        activations = [self._node_activation(x, node) for node in self.nodes]
        active = self._visiting_order(activations)
        while active:
            winner = active[0]
            match = self._node_raw_match(x, self.nodes[winner])
            self._gaps.note(match, threshold)
            if match >= threshold:
                self._note_node_winner(activations, active)
                return winner, True, told_match(match / scale)
            active.pop(0)  # reset

        # None passed: the node of highest activation answers, in either search order.
        highest = descending(activations)[0]
        rivals = (t for i, t in enumerate(activations) if i != highest)
        self._gaps.note_winner(activations[highest], rivals)
        match = self._node_raw_match(x, self.nodes[highest])
        return highest, False, told_match(match / scale)

    def remove(self, gone: set[tuple[int, int]]) -> list[int]:
        """Remove categories, given as (node, place in it), and return the map old -> new label.

        Nodes without categories go (-1); the others are numbered anew, in order.
        """
        label_map: list[int] = []
        nodes: list[Node] = []
        for i, node in enumerate(self.nodes):
            kept = [j for j in range(len(node.weights)) if (i, j) not in gone]
            label_map.append(len(nodes) if kept else -1)
            if kept:
                nodes.append(Node([node.weights[j] for j in kept], [node.counts[j] for j in kept]))
        self.nodes = nodes
        return label_map

    def merge(self, max_passes: int | None = None) -> list[int]:
        """Replace the nodes by Merge ART's, compressed, and return the map old -> new label."""
        if not self.nodes:
            return []
        self.nodes, label_map, _ = merge_art(
            self.nodes,
            rho_lb=self.rho_lb,
            rho_ub=self.rho_ub,
            gamma=self.gamma,
            gamma_ref=self.gamma_ref,
            linkage=self.linkage,
            alpha=self.alpha,
            beta=self.beta,
            n_features=len(self.nodes[0].weights[0]) // 2,
            max_passes=max_passes,
            gaps=self._gaps,
        )
        return label_map
