"""The report of a fit over partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from resonart import Bounds
from resonart._shared.show import bullets, card, heading, summary
from resonart._shared.words import count_of

MB = 1e6


@dataclass(frozen=True, repr=False)
class FitReport:
    """What was learned, with which ranges and vigilances, and at what cost: ``print(report)``.

    Attributes
    ----------
    n_rows, n_partitions : int
        Number of rows learned in this call, and of partitions.
    n_sample_rows : int
        Number of rows in the sample that was learned first; 0 if there was none.
    bounds : Bounds
        Feature ranges of the model.
    bounds_given : bool
        Whether they were given; otherwise they were found in the first pass.
    rho_lb, rho_ub : float or None
        The vigilances; None for DensityART, which has none.
    vigilance_choice : VigilanceChoice or None
        How they were chosen on the sample; None if they were given.
    n_clusters, n_categories : int
        Number of clusters and of categories of the model now.
    n_models : int
        Number of models that were learned separately.
    models_bytes : int
        Size of all models that may have been sent between workers, merged ones included.
    survey_seconds, fit_seconds : float
        Elapsed time of the first pass and of the second.
    learn_seconds, merge_seconds : float
        Time that workers spent learning and merging, summed over all of them.
    reading_choice : ReadingChoice or None
        How DensityART's clusters were read; None for DDVFA.

    See Also
    --------
    fit : Returns this if ``with_report=True``.
    update : Returns this if ``with_report=True``.
    """

    n_rows: int
    n_partitions: int
    n_sample_rows: int
    bounds: Bounds
    bounds_given: bool
    rho_lb: float | None
    rho_ub: float | None
    vigilance_choice: Any
    n_clusters: int
    n_categories: int
    n_models: int
    models_bytes: int
    survey_seconds: float
    fit_seconds: float
    learn_seconds: float
    merge_seconds: float
    reading_choice: Any = None

    def __str__(self) -> str:
        first = f", {self.n_sample_rows:,} of them first, as a sample" if self.n_sample_rows else ""
        spent = self.learn_seconds + self.merge_seconds
        share = self.merge_seconds / spent if spent > 0 else 0.0
        return "\n".join(
            [
                f"{count_of(self.n_rows, 'row')} in "
                f"{count_of(self.n_partitions, 'partition')}{first}",
                f"{count_of(self.n_clusters, 'cluster')} in "
                f"{count_of(self.n_categories, 'category')}",
                f"ranges: {'given' if self.bounds_given else 'found in a first pass'}",
                self._choice_in_words(),
                f"{count_of(self.n_models, 'model')} learned separately; with those merged on the "
                f"way they take {self.models_bytes / MB:.2f} MB",
                f"first pass {self.survey_seconds:.2f} s, second {self.fit_seconds:.2f} s; "
                f"{100 * share:.1f} % of the work was merging",
            ]
        )

    def _choice_in_words(self) -> str:
        if self.rho_lb is None or self.rho_ub is None:
            return f"reading: {self.reason}"
        vigilances = f"rho_lb={self.rho_lb:g}, rho_ub={self.rho_ub:g}"
        how = "given" if self.vigilance_choice is None else f"chosen on the sample: {self.reason}"
        return f"vigilances: {vigilances}, {how}"

    def __repr__(self) -> str:
        vigilances = {"rho_lb": self.rho_lb, "rho_ub": self.rho_ub}
        return summary(
            self,
            n_rows=self.n_rows,
            n_partitions=self.n_partitions,
            **{name: value for name, value in vigilances.items() if value is not None},
            n_clusters=self.n_clusters,
            n_categories=self.n_categories,
        )

    def _repr_html_(self) -> str:
        first, *others = str(self).splitlines()
        return card(heading(first), bullets(others))

    @property
    def reason(self) -> str:
        """Why the reading or the vigilances were chosen; empty if vigilances were given."""
        choice = self.vigilance_choice if self.reading_choice is None else self.reading_choice
        return "" if choice is None else str(choice.reason)
