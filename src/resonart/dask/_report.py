"""What a fit over partitions has done, to be printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from resonart import Bounds
from resonart._shared.show import bullets, card, heading, summary

MB = 1e6


@dataclass(frozen=True, repr=False)
class FitReport:
    """What was learned, with which ranges and vigilances, and what it took: ``print(report)``.

    Attributes
    ----------
    n_rows, n_partitions : int
        Rows learned in this call, and partitions given.
    n_sample_rows : int
        Rows of the sample that was learned first; 0 where there was none.
    bounds : Bounds
        Feature ranges of the model.
    bounds_given : bool
        Whether they were given; otherwise they were found in the first pass.
    rho_lb, rho_ub : float
        The vigilances.
    vigilance_choice : VigilanceChoice or None
        How they were chosen on the sample; None where they were given.
    n_clusters, n_categories : int
        What the model has now.
    n_models : int
        Models that were learned apart.
    models_bytes : int
        What all models that may have travelled take together, those of merging included.
    survey_seconds, fit_seconds : float
        Time of the first pass and of the second, by the clock on the wall.
    learn_seconds, merge_seconds : float
        Time that workers spent learning and merging, summed over all of them.
    """

    n_rows: int
    n_partitions: int
    n_sample_rows: int
    bounds: Bounds
    bounds_given: bool
    rho_lb: float
    rho_ub: float
    vigilance_choice: Any
    n_clusters: int
    n_categories: int
    n_models: int
    models_bytes: int
    survey_seconds: float
    fit_seconds: float
    learn_seconds: float
    merge_seconds: float

    def __str__(self) -> str:
        first = f", {self.n_sample_rows:,} of them first, as a sample" if self.n_sample_rows else ""
        vigilances = f"rho_lb={self.rho_lb:g}, rho_ub={self.rho_ub:g}"
        how = "given" if self.vigilance_choice is None else f"chosen on the sample: {self.reason}"
        spent = self.learn_seconds + self.merge_seconds
        share = self.merge_seconds / spent if spent > 0 else 0.0
        return "\n".join(
            [
                f"{self.n_rows:,} rows in {self.n_partitions} partitions{first}",
                f"{self.n_clusters} clusters in {self.n_categories:,} categories",
                f"ranges: {'given' if self.bounds_given else 'found in a first pass'}",
                f"vigilances: {vigilances}, {how}",
                f"{self.n_models} models learned apart; with those merged on the way they take "
                f"{self.models_bytes / MB:.2f} MB",
                f"first pass {self.survey_seconds:.2f} s, second {self.fit_seconds:.2f} s; "
                f"{100 * share:.1f} % of the work was merging",
            ]
        )

    def __repr__(self) -> str:
        return summary(
            self,
            n_rows=self.n_rows,
            n_partitions=self.n_partitions,
            rho_lb=self.rho_lb,
            rho_ub=self.rho_ub,
            n_clusters=self.n_clusters,
            n_categories=self.n_categories,
        )

    def _repr_html_(self) -> str:
        first, *others = str(self).splitlines()
        return card(heading(first), bullets(others))

    @property
    def reason(self) -> str:
        """Why the vigilances were chosen; empty where they were given."""
        return "" if self.vigilance_choice is None else str(self.vigilance_choice.reason)
