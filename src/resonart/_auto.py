"""``"auto"`` as a vigilance: chosen from the rows when learning begins."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from . import _core
from ._base import BaseART, Labels
from ._checks import ParameterError, Rows, check_count, check_jobs, check_real, warn_user
from ._choice import FEWEST_ROWS, STEP, VigilanceChoice, choose
from ._engine import Engine
from ._sweep import Report, common_bounds, make_orders

AUTO = "auto"
# Of more rows, a random sample of so many makes the choice.
MOST_ROWS = 1000
# More would not choose better, and results take memory.
MOST_ORDERS = 1000


class AutoVigilance(BaseART):
    """Base of the estimators whose vigilances may be ``"auto"``."""

    _swept: ClassVar[tuple[str, ...]]
    _engine_names: ClassVar[dict[str, str]] = {"rho": "rho_ub"}

    n_orders: Any
    _choice: VigilanceChoice | None

    @property
    def vigilance_choice_(self) -> VigilanceChoice | None:
        """Why the vigilances are what they are; None where they were given."""
        self._fitted()
        return self.__dict__.get("_choice")

    def _used(self, name: str) -> float:
        """Return a vigilance as the model has it."""
        value: float = getattr(self._fitted().params(), self._engine_names.get(name, name))
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

    def _chooses(self) -> bool:
        return any(_is_auto(getattr(self, name)) for name in self._swept)

    def _settle(self, rows: Rows, *, is_stream: bool) -> None:
        self._choice = None
        if not self._chooses():
            return
        names = " and ".join(self._swept)
        if is_stream and len(rows) < FEWEST_ROWS:
            raise ParameterError(
                f"The first batch has {len(rows)} rows, too few to choose a vigilance from: at "
                f"least {FEWEST_ROWS} are needed, and hundreds are better. Begin with a larger "
                f"batch, or give {names}."
            )
        self._choice = self._choose(rows)
        if is_stream:
            chosen = ", ".join(f"{name}={value:g}" for name, value in self._choice.params.items())
            lacking = " They show no structure." if self._choice.has_structure is False else ""
            warn_user(
                f"{type(self).__name__} chose {chosen} from its first {len(rows)} rows and keeps "
                f"it.{lacking} Give {names} to decide for yourself."
            )

    def _train(
        self,
        engine: Engine,
        rows: Rows,
        params: _core.Params,
        order: NDArray[np.int64] | None,
    ) -> tuple[Labels, int]:
        choice = self._choice
        if choice is None or order is not None:
            return super()._train(engine, rows, params, order)
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
        if choice.n_rows_used < choice.n_rows:
            # The sample has shown the clusters; the others find their place among them. Merging
            # again would join clusters over the few rows that lie between them.
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
        self, rows: Rows, *, n_threads: int | None = None, report: Report | None = None
    ) -> VigilanceChoice:
        n_orders = check_count("n_orders", self.n_orders)
        assert n_orders is not None
        if n_orders > MOST_ORDERS:
            raise ParameterError(f"n_orders must be at most {MOST_ORDERS}, got {n_orders}.")
        grid = {name: self._values(name) for name in self._swept}
        random = check_random_state(self.random_state)
        used = np.arange(len(rows))
        if len(rows) > MOST_ROWS:
            used = np.sort(random.choice(len(rows), MOST_ROWS, replace=False))
        sample = np.ascontiguousarray(rows[used])
        bounds = common_bounds(self, rows)
        found = choose(
            self,
            sample,
            bounds,
            grid=grid,
            orders=make_orders(self, sample, bounds, n_orders, random),
            n_threads=n_threads or _processors(),
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

    def _values(self, name: str) -> NDArray[np.float64]:
        """Return the values to try: all on the grid, or the one that was given."""
        given = getattr(self, name)
        if _is_auto(given):
            return np.arange(round(1 / STEP) + 1) / round(1 / STEP)
        return np.array([check_real(name, given, low=0.0, high=1.0)])

    def _begin_with(self, row: Any) -> int:
        if self._chooses() and self._trained_engine() is None:
            raise ParameterError(
                f"One row is not enough to choose a vigilance. Give {' and '.join(self._swept)}, "
                "or begin with fit or partial_fit of many rows, and then go on with learn_one."
            )
        return super()._begin_with(row)


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == AUTO


def _processors() -> int:
    """Return how many threads to use where nobody says: as many as OpenMP would.

    Programs that run many processes side by side, as joblib does, limit each of them by this.
    """
    limit = os.environ.get("OMP_NUM_THREADS", "")
    available = check_jobs(-1)
    return min(available, int(limit)) if limit.isdigit() and int(limit) > 0 else available
