"""Fuzzy topoART (paper Sec. 2.2, decisions section 7)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .arithmetic import (
    Array,
    Vector,
    complement_code,
    descending,
    fuzzy_and_norm,
    plain_activation,
    same_weights,
    updated,
)
from .gaps import GapKeeper


def size_independent_activation(x: Array, weight: Array, d: int) -> float:
    """Return A = 1 - |(x ^ w) - w| / d, summed left to right (decisions 7.4)."""
    total = 0.0
    for p, q in zip(x, weight, strict=True):
        # The minimum is never larger than w: this is the absolute value, without its sign.
        total = total + (float(q) - min(float(p), float(q)))
    return 1.0 - total / d


class TopoModule:
    """One module of topoART: fuzzy ART with a second winner, edges and noise removal."""

    # A category is known by its present index. An edge is a pair (i, j) of them with i < j.

    def __init__(self, *, rho: float, beta_sbm: float, phi: int, tau: int, alpha: float) -> None:
        self.rho = rho
        self.beta_sbm = beta_sbm
        self.phi = phi
        self.tau = tau
        self.alpha = alpha
        self.weights: list[Array] = []
        self.counts: list[int] = []
        self.edges: set[tuple[int, int]] = set()
        self.steps = 0
        self._gaps = GapKeeper()

    @property
    def smallest_gap(self) -> float:
        """The smallest relative gap of all comparisons while learning, inf when there was none."""
        return self._gaps.smallest

    def is_permanent(self, category: int) -> bool:
        """Tell whether a category is permanent, and no longer a candidate (decisions 7.2)."""
        return self.counts[category] >= self.phi

    def _winners(self, x: Array, d: int) -> tuple[int | None, int | None]:
        """Return bm and sbm, the two highest ranked categories that pass (decisions 7.1)."""
        threshold = self.rho * d  # decisions 0.12: S >= rho * d, without dividing
        activations = [plain_activation(x, weight, self.alpha) for weight in self.weights]
        active = descending(activations)
        bm: int | None = None
        while active:
            visited = active.pop(0)
            s = fuzzy_and_norm(x, self.weights[visited])
            self._gaps.note(s, threshold)
            if s >= threshold:  # vigilance check, paper Eq. nu
                self._gaps.note_winner(activations[visited], (activations[j] for j in active))
                if bm is None:
                    bm = visited
                else:
                    return bm, visited
        return bm, None

    def learn(self, x: Array) -> bool:
        """Learn one coded sample, and tell whether the category that took it is permanent."""
        d = len(x) // 2
        # Both winners are chosen by the weights as they were when the sample arrived.
        bm, sbm = self._winners(x, d)
        if bm is None:
            # No category passes: new category, no edge, no second winner.
            self.weights.append(x.copy())
            self.counts.append(1)
            taken = len(self.weights) - 1
        else:
            taken = bm
            self.weights[bm] = updated(self.weights[bm], x, 1.0)
            self.counts[bm] += 1
            if sbm is not None:
                # Counted also with beta_sbm = 0, where the formula leaves the weight as it is.
                self.weights[sbm] = updated(self.weights[sbm], x, self.beta_sbm)
                self.counts[sbm] += 1
                # The edge comes after both updates.
                self.edges.add((min(bm, sbm), max(bm, sbm)))

        # Asked before the removal, which renumbers; the removal keeps permanent categories.
        permanent = self.is_permanent(taken)

        # Decisions 7.2: this module's own counter, the removal after the learning.
        self.steps += 1
        if self.steps % self.tau == 0:
            self._remove_candidates()
        return permanent

    def _remove_candidates(self) -> None:
        """Remove the candidates and their edges, and renumber the rest in order."""
        self._keep([j for j in range(len(self.weights)) if self.is_permanent(j)])

    def remove_components(self, gone: set[int]) -> list[int]:
        """Remove whole components, and return the map old -> new label, -1: gone."""
        components = self.components()
        self._keep([j for j in range(len(self.weights)) if components[j] not in gone])
        return [
            -1 if label in gone else label - sum(g < label for g in gone)
            for label in range(max([-1, *components]) + 1)
        ]

    def _keep(self, kept: list[int]) -> None:
        """Remove all but these categories, and the others' edges; renumber the rest in order."""
        new_index: dict[int, int] = {}
        for old in kept:
            new_index[old] = len(new_index)
        edges: set[tuple[int, int]] = set()
        for i, j in self.edges:
            if i in new_index and j in new_index:
                edges.add((new_index[i], new_index[j]))
        self.edges = edges
        self.weights = [self.weights[j] for j in kept]
        self.counts = [self.counts[j] for j in kept]

    def components(self) -> list[int]:
        """Return every category's cluster, -1 for a candidate (decisions 7.4)."""
        labels = [-1] * len(self.weights)
        n_components = 0
        # Ascending starts number the components by the lowest category index they contain.
        for start in range(len(self.weights)):
            if not self.is_permanent(start) or labels[start] != -1:
                continue
            labels[start] = n_components
            reached = [start]
            while reached:
                here = reached.pop(0)
                for there in range(len(self.weights)):
                    # Edges through candidates do not connect.
                    if not self.is_permanent(there) or labels[there] != -1:
                        continue
                    if (min(here, there), max(here, there)) in self.edges:
                        labels[there] = n_components
                        reached.append(there)
            n_components += 1
        return labels

    def most_active(self, scaled_row: Vector, categories: list[int]) -> int | None:
        """Return which of these categories has the highest A, None if there are none."""
        x = complement_code(scaled_row)
        d = len(scaled_row)
        best: int | None = None
        highest = 0.0
        for j in sorted(categories):
            a = size_independent_activation(x, self.weights[j], d)
            if best is None or a > highest:  # not >=, so ties go to the lowest index
                best = j
                highest = a
        return best


class TopoARTReference:
    """TopoART with its two modules; A decides which samples reach B (decisions 7.3)."""

    def __init__(
        self,
        *,
        rho_a: float,
        beta_sbm: float = 0.5,
        phi: int = 2,
        tau: int = 100,
        alpha: float = 1e-3,
    ) -> None:
        rho_b = (rho_a + 1.0) / 2.0
        self.a = TopoModule(rho=rho_a, beta_sbm=beta_sbm, phi=phi, tau=tau, alpha=alpha)
        self.b = TopoModule(rho=rho_b, beta_sbm=beta_sbm, phi=phi, tau=tau, alpha=alpha)

    @property
    def smallest_gap(self) -> float:
        """The smallest relative gap of both modules while learning, inf when there was none."""
        return min(self.a.smallest_gap, self.b.smallest_gap)

    def learn(self, scaled_row: Vector) -> None:
        """Present one sample to module A, and to module B if a permanent category took it."""
        x = complement_code(scaled_row)
        if self.a.learn(x):
            self.b.learn(x)  # the same x: filtered, not coded again

    def train(self, X: Array, max_epochs: int = 1) -> int:
        """Present all rows in order until the weights stay; return the number of epochs."""
        n_epochs = 0
        while n_epochs < max_epochs:
            before_a = [weight.copy() for weight in self.a.weights]
            before_b = [weight.copy() for weight in self.b.weights]
            for row in X:
                self.learn(row)
            n_epochs += 1
            # Decisions section 2, "Epochs", for both modules together.
            if same_weights(before_a, self.a.weights) and same_weights(before_b, self.b.weights):
                break
        return n_epochs

    def _module(self, name: str) -> TopoModule:
        """Return module A or B by its lower-case letter."""
        if name == "a":
            return self.a
        if name == "b":
            return self.b
        raise ValueError(f"module must be 'a' or 'b', not {name!r}")

    def components(self, module: str = "b") -> list[int]:
        """Return the cluster of every category of a module, -1 for a candidate."""
        return self._module(module).components()

    def labels(self, X: Array, module: str = "b") -> npt.NDArray[np.int64]:
        """Return the cluster of the most active permanent category for every row."""
        chosen = self._module(module)
        clusters = chosen.components()
        permanent = [j for j in range(len(chosen.weights)) if chosen.is_permanent(j)]
        labels = np.zeros(len(X), dtype=np.int64)
        for index, row in enumerate(X):
            winner = chosen.most_active(row, permanent)
            labels[index] = -1 if winner is None else clusters[winner]
        return labels

    def strict_labels(self, X: Array, module: str = "b") -> npt.NDArray[np.int64]:
        """Return the cluster of the most active category of all, -1 if that is a candidate."""
        chosen = self._module(module)
        clusters = chosen.components()  # -1 for candidates already
        everyone = list(range(len(chosen.weights)))
        labels = np.zeros(len(X), dtype=np.int64)
        for index, row in enumerate(X):
            winner = chosen.most_active(row, everyone)
            labels[index] = -1 if winner is None else clusters[winner]
        return labels
