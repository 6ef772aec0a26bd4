"""The two models: which candidate is the best, and whether there is any structure at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingClassifier

from .records import FEATURES, SCORE_BELOW_BEST, Floats, Record, Seen
from .tables import Tree, tree_nodes

# As kHandShare in cpp/choice_model.hpp: the trees correct the score rather than replace it.
SCORE_SHARE = 0.2
PRIOR_ODDS = 2.0  # logarithm of the odds of structure before a look at the rows: kPriorOdds
N_TREES = 100
GROWN_WEIGHT = 1.0  # of all sets together that are grown from one, beside that one
GENERATED_WEIGHT = 0.05  # of a made set beside one that was not, when choosing is learned
N_GENERATED = 100  # made sets that choosing is learned from, at the most
GOOD_ENOUGH = 0.6  # a made set on which even the best candidate is worse teaches nothing
FOUND = 0.5  # best index from which the structure of a made set counts as there to be found
N_ROUNDS, RATE = 60, 0.12
# Numbers of a scaling and of a way to read have no order.
NOT_FOR_STRUCTURE = [FEATURES.index("selection"), FEATURES.index("scaling")]

Model = Callable[[Seen], Floats]


@dataclass(frozen=True)
class Choice:
    """Trees, and what they say of candidates."""

    trees: list[Tree]
    model: Model

    def scores(self, record: Record) -> Floats:
        """What the engine adds up for each candidate."""
        return self.model(record.seen) + SCORE_SHARE * record.seen[:, SCORE_BELOW_BEST]

    def best(self, record: Record) -> int:
        return int(self.scores(record).argmax())

    def best_seen(self, records: Sequence[Record]) -> Seen:
        """What is seen of the best candidate of each set; sets without candidates are left out.

        All at once: asking a forest costs more than its answers.
        """
        records = [r for r in records if len(r.index)]
        if not records:
            return np.empty((0, len(FEATURES)), dtype=np.float32)
        seen = np.concatenate([r.seen for r in records])
        scores = self.model(seen) + SCORE_SHARE * seen[:, SCORE_BELOW_BEST]
        ends = np.cumsum([len(r.index) for r in records])
        parts = np.split(scores, ends[:-1])
        return np.array([r.seen[part.argmax()] for r, part in zip(records, parts, strict=True)])


def fit_choice(
    real: Sequence[Record],
    generated: Sequence[Record] = (),
    generated_weight: float = GENERATED_WEIGHT,
    n_trees: int = N_TREES,
    seed: int = 0,
) -> Choice:
    """Learn how far below the best candidate of its set each one is.

    Every set weighs the same, however many candidates it has and however often it was grown.
    """
    real = [r for r in real if r.is_labelled]
    generated = [r for r in generated if r.is_labelled and r.best > GOOD_ENOUGH]
    weights = [*set_weights(real), *[generated_weight] * len(generated)]
    sets = [*real, *generated]
    if not sets:
        raise ValueError("There is no labelled set to learn from: make more sets (--sets).")
    forest = ExtraTreesRegressor(
        n_trees, min_samples_leaf=5, max_features=0.5, max_leaf_nodes=32, random_state=seed
    )
    forest.fit(
        np.concatenate([r.seen for r in sets]),
        np.concatenate([r.index - r.best for r in sets]),
        np.concatenate(
            [np.full(len(r.index), w / len(r.index)) for r, w in zip(sets, weights, strict=True)]
        ),
    )
    trees = [tree_nodes(each.tree_, 1.0 / n_trees) for each in forest.estimators_]
    return Choice(trees, forest.predict)


def set_weights(records: Sequence[Record]) -> list[float]:
    """Return 1 for each set; those that are grown from one share the weight of one."""
    n_grown = Counter(r.outline for r in records if r.is_grown)
    return [GROWN_WEIGHT / n_grown[r.outline] if r.is_grown else 1.0 for r in records]


@dataclass(frozen=True)
class Structure:
    """Trees, and by how much they change the logarithm of the odds."""

    trees: list[Tree]
    model: Model

    def odds(self, records: Sequence[Record], choice: Choice) -> Floats:
        """Tell of each set what a look at its best candidate adds to the odds of structure."""
        found = np.full(len(records), -np.inf)
        some = np.array([len(r.index) > 0 for r in records], dtype=bool)
        if some.any():
            found[some] = self.model(as_told(choice.best_seen(records)))
        return found


def fit_structure(
    choice: Choice,
    without: Sequence[Record],
    having: Sequence[Record],
    n_rounds: int = N_ROUNDS,
    seed: int = 0,
) -> Structure:
    """Learn to tell the best candidates of sets with structure from those of sets without.

    Both sides weigh the same. A made set counts only if one of its candidates finds its clusters.
    """
    both = [
        [r for r in without if len(r.index)],
        [r for r in having if r.n_true > 1 and r.best > FOUND],
    ]
    if not all(both):
        raise ValueError(
            "Structure is learned from sets that have some and sets that have none, and one side "
            "has no candidates: make more sets (--sets, --nothing)."
        )
    truth = np.repeat([0, 1], [len(side) for side in both])
    weights = [np.array(set_weights(side)) for side in both]
    weights = [len(truth) / 2 * each / each.sum() for each in weights]
    boosted = GradientBoostingClassifier(
        init="zero",  # so that the trees are all there is
        n_estimators=n_rounds,
        learning_rate=RATE,
        max_leaf_nodes=12,
        max_depth=None,
        min_samples_leaf=20,
        max_features=0.5,
        random_state=seed,
    )
    seen = np.concatenate([choice.best_seen(side) for side in both])
    boosted.fit(as_told(seen), truth, np.concatenate(weights))
    trees = [tree_nodes(each.tree_, RATE) for each in boosted.estimators_[:, 0]]
    return Structure(trees, boosted.decision_function)


def as_told(seen: Seen) -> NDArray[np.float32]:
    """Features with those that structure is not told by left out."""
    told = seen.copy()
    told[:, NOT_FOR_STRUCTURE] = 0.0
    return told
