"""The two models: which candidate is the best, and whether there is any structure at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingClassifier

from .records import FEATURES, SCORE_BELOW_BEST, Floats, Record, Seen
from .tables import Tree, tree_nodes

# As kHandShare in cpp/density/choice_model.hpp: the trees correct the score rather than replace it.
SCORE_SHARE = 0.2
# As kByChance, kBeyondDoubt and kOneByChance there: evidence for peaks, as log(1 + evidence), and
# what one cluster by chance costs.
BY_CHANCE, BEYOND_DOUBT, ONE_BY_CHANCE = 1.0, 4.0, 0.005
PEAKS_LEAST, PEAKS_MEAN = (FEATURES.index(f"peaks, {name}") for name in ("least", "mean"))
GAP = FEATURES.index("gap")
# As kFewPeaks, kPeakShare and kMostPeakShare there.
FEW_PEAKS, PEAK_SHARE, MOST_PEAK_SHARE = 10, 1 / 60, 0.3
SINGLE_PEAKS, N_SINGLE = (FEATURES.index(f"{of}single peaks") for of in ("", "number of "))
PRIOR_ODDS = 1.5  # logarithm of the odds of structure before a look at the rows: kPriorOdds
N_TREES = 100
GROWN_WEIGHT = 1.0  # of all sets together that are grown from one, beside that one
GENERATED_WEIGHT = 0.3  # of a made set beside one that was not, when choosing is learned
GOOD_ENOUGH = 0.6  # a made set on which even the best candidate is worse teaches nothing
FOUND = 0.5  # best index from which the structure of a made set counts as there to be found
N_ROUNDS, RATE = 150, 0.08
# Numbers of a scaling and of a way to read have no order.
NOT_FOR_STRUCTURE = [*map(FEATURES.index, ("selection", "scaling")), SINGLE_PEAKS, N_SINGLE]
# Which candidate is the best does not depend on how many rows there are.
NOT_FOR_CHOICE = [FEATURES.index("rows"), SINGLE_PEAKS, N_SINGLE]

Model = Callable[[Seen], Floats]


@dataclass(frozen=True)
class Choice:
    """Trees, and what they say of candidates."""

    trees: list[Tree]
    model: Model

    def scores(self, record: Record) -> Floats:
        """What the engine adds up for each candidate."""
        return added_up(self.model(record.seen), record.seen)

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
        ends = np.cumsum([len(r.index) for r in records])
        parts = np.split(self.model(seen), ends[:-1])
        best = [added_up(part, r.seen).argmax() for r, part in zip(records, parts, strict=True)]
        return np.array([r.seen[i] for r, i in zip(records, best, strict=True)])


def added_up(by_trees: Floats, seen: Seen) -> Floats:
    """Return what the engine makes of what the trees say of the candidates of one set.

    Where others are peaks beyond doubt, clusters that are peaks by chance are not chosen, and one
    such cluster costs a little, unless clusters lie apart by a gap: a group of very few rows is no
    peak. Beyond a few single peaks, each adds to what they count for.
    """
    scores = by_trees + SCORE_SHARE * seen[:, SCORE_BELOW_BEST]
    if seen[:, PEAKS_LEAST].max() >= BEYOND_DOUBT:
        scores = scores - (seen[:, PEAKS_MEAN] < BY_CHANCE)
        any_by_chance = (seen[:, PEAKS_LEAST] < BY_CHANCE) & (seen[:, GAP] < 0.0)
        scores = scores - ONE_BY_CHANCE * any_by_chance
    more = max(float(seen[:, N_SINGLE].max()) - FEW_PEAKS, 0.0)
    below_most = seen[:, SINGLE_PEAKS] - seen[:, SINGLE_PEAKS].max()
    with_peaks: Floats = scores + min(PEAK_SHARE * more, MOST_PEAK_SHARE) * below_most
    return with_peaks


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
        hiding(np.concatenate([r.seen for r in sets]), NOT_FOR_CHOICE),
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
            found[some] = self.model(choice.best_seen(records))
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
    boosted.fit(hiding(seen, NOT_FOR_STRUCTURE), truth, np.concatenate(weights))
    trees = [tree_nodes(each.tree_, RATE) for each in boosted.estimators_[:, 0]]
    return Structure(trees, boosted.decision_function)


def hiding(seen: Seen, hidden: list[int]) -> Seen:
    """Return a copy in which some features are the same for all, so that no tree asks for them."""
    told = seen.copy()
    told[:, hidden] = 0.0
    return told
