"""Dual vigilance fuzzy ART (paper Sec. 2.3, decisions section 3)."""

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
    told_match,
    updated,
)
from .gaps import GapKeeper


class DVFAReference:
    """One list of categories under two vigilances, and a map from category to cluster."""

    def __init__(
        self, *, rho_lb: float, rho_ub: float, alpha: float = 1e-3, beta: float = 1.0
    ) -> None:
        self.rho_lb = rho_lb
        self.rho_ub = rho_ub
        self.alpha = alpha
        self.beta = beta
        self.weights: list[Array] = []
        self.counts: list[int] = []
        self.clusters: list[int] = []
        self._gaps = GapKeeper()

    @property
    def n_clusters(self) -> int:
        """The number of clusters, which are numbered in order of creation."""
        return len(set(self.clusters))

    @property
    def smallest_gap(self) -> float:
        """The smallest relative gap of all comparisons so far, inf when there was none."""
        return self._gaps.smallest

    def _activations(self, x: Array) -> list[float]:
        """Return T_j of every category, in order of creation."""
        return [plain_activation(x, weight, self.alpha) for weight in self.weights]

    def _commit(self, x: Array, cluster: int) -> int:
        """Append a category that is a copy of the sample, and return its cluster."""
        self.weights.append(x.copy())
        self.counts.append(1)
        self.clusters.append(cluster)
        return cluster

    def learn(self, scaled_row: Vector) -> int:
        """Present one sample, learn it, and return the index of its cluster."""
        x = complement_code(scaled_row)
        d = len(scaled_row)
        upper = self.rho_ub * d
        lower = self.rho_lb * d

        activations = self._activations(x)
        active = descending(activations)
        while active:
            winner = active[0]
            s = fuzzy_and_norm(x, self.weights[winner])

            # First test, rho_UB: the category itself learns, as in fuzzy ART.
            self._gaps.note(s, upper)
            if s >= upper:
                self._gaps.note_winner(activations[winner], (activations[j] for j in active[1:]))
                self.weights[winner] = updated(self.weights[winner], x, self.beta)
                self.counts[winner] += 1
                return self.clusters[winner]

            # Second test, rho_LB: a new category in the same cluster. Categories of lower
            # activation are not looked at any more, even if they would satisfy rho_UB.
            self._gaps.note(s, lower)
            if s >= lower:
                self._gaps.note_winner(activations[winner], (activations[j] for j in active[1:]))
                return self._commit(x, self.clusters[winner])

            active.pop(0)  # reset

        # None left: new category, new cluster.
        return self._commit(x, self.n_clusters)

    def remove(self, gone: set[tuple[int, int]]) -> list[int]:
        """Remove categories, given as (cluster, place in it), and return the map old -> new label.

        Clusters without categories go (-1); the others are numbered anew, in order.
        """
        kept: list[int] = []
        places = [0] * self.n_clusters
        for j, cluster in enumerate(self.clusters):
            if (cluster, places[cluster]) not in gone:
                kept.append(j)
            places[cluster] += 1
        label_map = [-1] * len(places)
        for new, old in enumerate(sorted({self.clusters[j] for j in kept})):
            label_map[old] = new
        self.weights = [self.weights[j] for j in kept]
        self.counts = [self.counts[j] for j in kept]
        self.clusters = [label_map[self.clusters[j]] for j in kept]
        return label_map

    def train(self, X: Array, max_epochs: int = 1) -> tuple[npt.NDArray[np.int64], int]:
        """Present all rows in order, epoch by epoch, until the weights stay as they were."""
        labels = np.zeros(len(X), dtype=np.int64)
        n_epochs = 0
        while n_epochs < max_epochs:
            before = [weight.copy() for weight in self.weights]
            for index, row in enumerate(X):
                labels[index] = self.learn(row)
            n_epochs += 1
            if same_weights(before, self.weights):
                break
        return labels, n_epochs

    def predict(self, scaled_row: Vector) -> tuple[int, bool, float]:
        """Return cluster, resonance and match of a sample without learning it (decisions 4.6)."""
        if not self.weights:
            raise ValueError("nothing has been learned yet")
        x = complement_code(scaled_row)
        d = len(scaled_row)
        lower = self.rho_lb * d

        activations = self._activations(x)
        active = descending(activations)
        highest = active[0]
        while active:
            winner = active[0]
            s = fuzzy_and_norm(x, self.weights[winner])
            self._gaps.note(s, lower)
            if s >= lower:
                self._gaps.note_winner(activations[winner], (activations[j] for j in active[1:]))
                return self.clusters[winner], True, told_match(s / d)
            active.pop(0)  # reset

        # None passed: the category of highest activation answers.
        rivals = (t for j, t in enumerate(activations) if j != highest)
        self._gaps.note_winner(activations[highest], rivals)
        match = fuzzy_and_norm(x, self.weights[highest]) / d
        return self.clusters[highest], False, told_match(match)
