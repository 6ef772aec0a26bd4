"""``"auto"`` as a vigilance: chosen from the rows when learning begins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from . import _core
from ._base import BaseART, Labels
from ._bounds import scale_rows
from ._checks import ParameterError, Rows, check_count, check_jobs, check_real, warn_user
from ._choice import FEWEST_ROWS, STEP, VigilanceChoice, choose
from ._engine import Engine
from ._sweep import Report, fixed_bounds
from ._vat import order_rows

AUTO = "auto"
# Of more rows, a random sample of so many makes the choice.
MOST_ROWS = 1000


class AutoVigilance(BaseART):
    """Base of the estimators whose vigilances may be ``"auto"``."""

    _swept: ClassVar[tuple[str, ...]]

    n_orders: Any
    vigilance_choice_: VigilanceChoice | None

    def _vigilance(self, name: str) -> Any:
        """Return a vigilance as given, or as it was chosen."""
        given = getattr(self, name)
        return self.__dict__.get(f"{name}_", given) if _is_auto(given) else given

    def _chooses(self) -> bool:
        return any(_is_auto(getattr(self, name)) for name in self._swept)

    # ------------------------------------------------------------------ fit

    def _train(self, engine: Engine, rows: Rows, params: _core.Params) -> tuple[Labels, int]:
        choice = self.vigilance_choice_
        if choice is None:
            return super()._train(engine, rows, params)
        low_high = fixed_bounds(self, rows)
        engine.set_bounds(*low_high)
        labels, n_epochs = engine.train(
            np.ascontiguousarray(rows[choice.order]),
            params,
            None,
            self._most_epochs(),
            merge_at_end=self._merges_after_fit(),
            merge_on_the_way=False,
            can_be_undone=False,
        )
        all_labels = np.empty(len(rows), dtype=np.int64)
        all_labels[choice.order] = labels
        if choice.n_rows_used < choice.n_rows:
            # The sample has shown the clusters; the others find their place among them. Merging
            # again would join clusters over the few rows that lie between them.
            rest = np.setdiff1d(np.arange(len(rows)), choice.order)
            rest = check_random_state(self.random_state).permutation(rest)
            all_labels[rest], _ = engine.train(
                np.ascontiguousarray(rows[rest]),
                params,
                None,
                1,
                merge_at_end=False,
                merge_on_the_way=False,
                can_be_undone=False,
            )
        return all_labels, n_epochs

    def _settle(self, rows: Rows, *, is_stream: bool) -> None:
        self.vigilance_choice_ = None
        if self._chooses():
            if is_stream and len(rows) < FEWEST_ROWS:
                raise ParameterError(
                    f"The first batch has {len(rows)} rows, too few to choose a vigilance from: at "
                    f"least {FEWEST_ROWS} are needed, and hundreds are better. Begin with a larger "
                    f"batch, or give {' and '.join(self._swept)}."
                )
            choice = self._choose(rows)
            for name, value in choice.params.items():
                setattr(self, f"{name}_", value)
            self.vigilance_choice_ = choice
            if is_stream:
                warn_user(
                    f"{type(self).__name__} chose its vigilance from the first {len(rows)} rows. "
                    f"{choice.reason} Give {' and '.join(self._swept)} to fix it."
                )
        for name in self._swept:
            setattr(self, f"{name}_", self._vigilance(name))

    def _choose(
        self, rows: Rows, *, n_threads: int | None = None, report: Report | None = None
    ) -> VigilanceChoice:
        n_orders = check_count("n_orders", self.n_orders)
        assert n_orders is not None
        grid = {name: self._values(name) for name in self._swept}
        random = check_random_state(self.random_state)
        used = np.arange(len(rows))
        if len(rows) > MOST_ROWS:
            used = np.sort(random.choice(len(rows), MOST_ROWS, replace=False))
        sample = np.ascontiguousarray(rows[used])
        bounds = fixed_bounds(self, rows)
        orders = self._orders_to_try(sample, n_orders, random, bounds)
        found = choose(
            self,
            sample,
            bounds,
            grid=grid,
            orders=orders,
            n_threads=n_threads or check_jobs(-1),
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

    def _orders_to_try(
        self, rows: Rows, n_orders: int, random: Any, bounds: Any
    ) -> NDArray[np.int64]:
        if self.order == "given" and n_orders == 1:
            return np.arange(len(rows))[np.newaxis]
        orders = np.array([random.permutation(len(rows)) for _ in range(n_orders)], dtype=np.int64)
        if self.order == "vat":
            scaled = scale_rows(np.ascontiguousarray(rows, dtype=np.float64), *bounds)
            orders = np.array([order[order_rows(scaled[order])] for order in orders])
        return orders

    def _begin_with(self, row: Any) -> int:
        if self._chooses() and self._trained_engine() is None:
            raise ParameterError(
                f"One row is not enough to choose a vigilance. Give {' and '.join(self._swept)}, "
                "or begin with fit or partial_fit of many rows, and then go on with learn_one."
            )
        return super()._begin_with(row)


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == AUTO
