"""``"auto"`` as a vigilance: chosen from the rows when learning begins."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .. import _core
from .._estimators.base import BaseART, Labels
from .._estimators.parameters import AUTO
from .._models.snapshot import Engine, Params
from .._reading.learned import Learned
from .._rows.checks import ParameterError, Rows, check_jobs, check_real, warn_user
from .._shared.progress import progress_bar
from .choice import FEWEST_ROWS, STEP, VigilanceChoice, are_equal, choose
from .sweep import Report, common_bounds, make_orders

# Of more rows, a random sample of so many makes the choice ...
MOST_SAMPLED = 1000
# ... with up to so many features. With more, what the choice costs rises with their number and the
# square of the rows: fewer rows are taken, so that it costs no more, down to as many as clusters
# can still be seen in.
MOST_FEATURES_FOR_THOSE = 64
FEWEST_SAMPLED = 100
# What an example shows.
_USUAL = {"rho": 0.9, "rho_lb": 0.85, "rho_ub": 0.95}


class AutoVigilance(BaseART):
    """Base of the estimators whose vigilances may be ``"auto"``."""

    _swept: ClassVar[tuple[str, ...]]

    n_orders: Any
    n_jobs: Any
    verbose: Any
    _choice: VigilanceChoice | None

    @property
    def vigilance_choice_(self) -> VigilanceChoice | None:
        """Why the vigilances are what they are; None where they were given."""
        self._fitted()
        return self._own_choice()

    def _own_choice(self) -> VigilanceChoice | None:
        """Return the choice that the model was trained with, unless others were given since."""
        choice: VigilanceChoice | None = self.__dict__.get("_choice")
        is_used = choice is not None and all(
            self._used(name) == value for name, value in choice.params.items()
        )
        return choice if is_used else None

    def _used(self, name: str) -> float:
        """Return a vigilance as the model has it."""
        value: float = getattr(self._fitted().params(), name)
        return value

    def _vigilance(self, name: str) -> Any:
        """Return a vigilance as given, as just chosen, or as the model has it already."""
        given = getattr(self, name)
        if not _is_auto(given):
            return given
        choice = self.__dict__.get("_choice")
        if choice is not None:
            return choice.params[name]
        return self._used(name) if self.__sklearn_is_fitted__() else given

    def _values_used(self) -> dict[str, Any]:
        return super()._values_used() | {name: self._vigilance(name) for name in self._swept}

    def _chooses(self) -> bool:
        return any(_is_auto(getattr(self, name)) for name in self._swept)

    def _settle(self, rows: Rows, *, is_stream: bool) -> None:
        self._choice = None
        if not self._chooses():
            return
        names = " and ".join(self._swept)
        if is_stream and (len(rows) < FEWEST_ROWS or are_equal(rows)):
            lacking = "too few" if len(rows) < FEWEST_ROWS else "all of them equal,"
            raise ParameterError(
                f"The first batch has {len(rows)} rows, {lacking} to choose a vigilance from: at "
                f"least {FEWEST_ROWS} that differ are needed, and hundreds are better. Begin with "
                f"a larger batch, or give {names}."
            )
        with progress_bar(self.verbose, type(self).__name__, name="verbose") as report:
            self._choice = self._choose(rows, is_stream=is_stream, report=report)
        no_structure = self._choice.has_structure is False
        if is_stream:
            chosen = ", ".join(f"{name}={value:g}" for name, value in self._choice.params.items())
            lacking = " They show no structure and are one cluster." if no_structure else ""
            warn_user(
                f"{type(self).__name__} chose {chosen} from its first {len(rows)} rows and keeps "
                f"it.{lacking} Give {names} to decide for yourself."
            )
        elif no_structure:
            warn_user(f"{self._choice.reason} Give {names} to decide for yourself.")

    def _train(
        self,
        engine: Engine,
        rows: Rows,
        params: Params,
        order: NDArray[np.int64] | None,
    ) -> tuple[Labels, int]:
        if self._choice is None or order is not None:
            return super()._train(engine, rows, params, order)
        return self._train_chosen(engine, rows, params, self._choice)

    def _train_first(self, engine: Engine, rows: Rows, params: Params) -> tuple[Labels, int]:
        if self._choice is None:
            return super()._train_first(engine, rows, params)
        return self._train_chosen(engine, rows, params, self._choice)

    def _tell_first(self, engine: Engine, rows: Rows, params: Params) -> Learned:
        if self._choice is None:
            return super()._tell_first(engine, rows, params)
        labels, _ = self._train_chosen(engine, rows, params, self._choice)
        founded = np.zeros(len(rows), dtype=np.bool_)
        clusters, first_rows = np.unique(labels, return_index=True)
        founded[first_rows[clusters >= 0]] = True
        return Learned(labels, engine.score(rows), founded, [])

    def _train_chosen(
        self, engine: Engine, rows: Rows, params: Params, choice: VigilanceChoice
    ) -> tuple[Labels, int]:
        """Make the chosen run, and let all other rows find their place in its clusters."""
        engine.set_bounds(*common_bounds(self, rows))
        labels = np.empty(len(rows), dtype=np.int64)
        labels[choice.order], n_epochs = engine.train(
            np.ascontiguousarray(rows[choice.order]),
            params,
            None,
            self._most_epochs(),
            merge_at_end=self._merges_after_fit(),
            merge_on_the_way=False,
            can_be_undone=False,
        )
        if isinstance(engine, _core.Ddvfa):
            # With more rows the gaps between clusters fill. What merging would join over the few
            # rows there, the choice has told apart.
            engine.keep_apart()
        if choice.n_rows_used < choice.n_rows:
            rest = np.setdiff1d(np.arange(len(rows)), choice.order)
            rest = check_random_state(self.random_state).permutation(rest)
            labels[rest], _ = engine.train(
                np.ascontiguousarray(rows[rest]),
                params,
                None,
                1,
                merge_at_end=False,
                merge_on_the_way=False,
                can_be_undone=False,
                may_merge=False,
            )
        return labels, n_epochs

    def _choose(
        self,
        rows: Rows,
        *,
        is_stream: bool = False,
        n_threads: int | None = None,
        report: Report | None = None,
    ) -> VigilanceChoice:
        grid = {name: self._values(name) for name in self._swept}
        random = check_random_state(self.random_state)
        used = np.arange(len(rows))
        n_used = most_rows(rows.shape[1])
        if len(rows) > n_used:
            used = np.sort(random.choice(len(rows), n_used, replace=False))
        sample = np.ascontiguousarray(rows[used])
        bounds = common_bounds(self, rows)
        found = choose(
            self,
            sample,
            bounds,
            grid=grid,
            orders=make_orders(self, sample, bounds, int(self.n_orders), random),
            n_threads=n_threads or self._threads(),
            more_to_come=is_stream or len(used) < len(rows),
            report=report,
        )
        if len(used) == len(rows):
            return found
        return replace(
            found,
            order=used[found.order],
            n_rows=len(rows),
            reason=f"{found.reason} (Chosen on a sample of {len(used):,} of {len(rows):,} rows.)",
        )

    def _threads(self) -> int:
        """Return how many threads ``n_jobs`` asks for; -1 means as many as OpenMP would use.

        Programs that run many processes side by side, as joblib does, limit each of them by that.
        """
        n_threads = check_jobs(self.n_jobs)
        limit = os.environ.get("OMP_NUM_THREADS", "")
        if self.n_jobs == -1 and limit.isdigit() and int(limit) > 0:
            return min(n_threads, int(limit))
        return n_threads

    def _values(self, name: str) -> NDArray[np.float64]:
        """Return the values to try: all on the grid, or the one that was given."""
        given = getattr(self, name)
        if _is_auto(given):
            return np.arange(round(1 / STEP) + 1) / round(1 / STEP)
        return np.array([check_real(name, given, low=0.0, high=1.0)])

    def _begin_with(self, row: Any) -> int:
        if self._chooses() and self._trained_engine() is None:
            kind = type(self).__name__
            given = ", ".join(f"{name}={_USUAL[name]}" for name in self._swept)
            ranges = ", bounds=(low, high)" if self.bounds is None else ""
            raise ParameterError(
                f"One row is not enough to choose a vigilance. Give {' and '.join(self._swept)}, "
                f"for instance {kind}({given}{ranges}); or begin with many rows, which choose: "
                f"model = {kind}().fit(X), and then go on with model.learn_one(row). "
                "resonart.tuning.vigilance_for(distance, ...) finds the vigilance with which rows "
                "so far apart are joined."
            )
        return super()._begin_with(row)


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == AUTO


def most_rows(n_features: int) -> int:
    """Return of how many rows at most vigilances are chosen.

    Examples
    --------
    >>> most_rows(2), most_rows(64), most_rows(784), most_rows(100_000)
    (1000, 1000, 285, 100)
    """
    share = math.sqrt(MOST_FEATURES_FOR_THOSE / n_features)
    return max(FEWEST_SAMPLED, min(MOST_SAMPLED, int(MOST_SAMPLED * share)))
