"""Fuzzy ART (paper Sec. 2.1, decisions section 2)."""

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


class FuzzyARTReference:
    """Fuzzy ART with fast commit; a category is a cluster, and its index is the label."""

    def __init__(self, *, rho: float, alpha: float = 1e-3, beta: float = 1.0) -> None:
        self.rho = rho
        self.alpha = alpha
        self.beta = beta
        self.weights: list[Array] = []
        self.counts: list[int] = []
        self._gaps = GapKeeper()

    @property
    def smallest_gap(self) -> float:
        """The smallest relative gap of all comparisons so far, inf when there was none."""
        return self._gaps.smallest

    def _activations(self, x: Array) -> list[float]:
        """Return T_j of every category, in order of creation."""
        return [plain_activation(x, weight, self.alpha) for weight in self.weights]

    def learn(self, scaled_row: Vector) -> int:
        """Present one sample, learn it, and return the index of its category."""
        x = complement_code(scaled_row)
        d = len(scaled_row)
        threshold = self.rho * d  # decisions 0.12: S >= rho * d, without dividing

        activations = self._activations(x)
        active = descending(activations)
        while active:
            winner = active[0]
            s = fuzzy_and_norm(x, self.weights[winner])
            self._gaps.note(s, threshold)
            if s >= threshold:  # vigilance check, paper Eq. nu
                self._gaps.note_winner(activations[winner], (activations[j] for j in active[1:]))
                self.weights[winner] = updated(self.weights[winner], x, self.beta)
                self.counts[winner] += 1
                return winner
            active.pop(0)  # reset; the next highest activation takes its turn

        # None left: fast commit, for every beta (decisions 0.4).
        self.weights.append(x.copy())
        self.counts.append(1)
        return len(self.weights) - 1

    def remove(self, gone: set[tuple[int, int]]) -> list[int]:
        """Remove categories, given as (label, 0), and return the map old -> new label, -1: gone."""
        kept = [j for j in range(len(self.weights)) if (j, 0) not in gone]
        self.weights = [self.weights[j] for j in kept]
        label_map = [-1] * len(self.counts)
        self.counts = [self.counts[j] for j in kept]
        for new, old in enumerate(kept):
            label_map[old] = new
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
            if same_weights(before, self.weights):  # decisions section 2, "Epochs"
                break
        return labels, n_epochs

    def predict(self, scaled_row: Vector) -> tuple[int, bool, float]:
        """Return label, resonance and match of a sample without learning it (decisions 4.6)."""
        if not self.weights:
            raise ValueError("nothing has been learned yet")
        x = complement_code(scaled_row)
        d = len(scaled_row)
        threshold = self.rho * d

        activations = self._activations(x)
        active = descending(activations)
        highest = active[0]
        while active:
            winner = active[0]
            s = fuzzy_and_norm(x, self.weights[winner])
            self._gaps.note(s, threshold)
            if s >= threshold:
                self._gaps.note_winner(activations[winner], (activations[j] for j in active[1:]))
                return winner, True, told_match(s / d)
            active.pop(0)  # reset

        # None passed: the category of highest activation answers.
        rivals = (t for j, t in enumerate(activations) if j != highest)
        self._gaps.note_winner(activations[highest], rivals)
        return highest, False, told_match(fuzzy_and_norm(x, self.weights[highest]) / d)
