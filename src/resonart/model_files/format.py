"""What a model file is made of: its number, its limits, and the names and types of its arrays."""

from __future__ import annotations

# Format 1 did not know of clusters that are kept apart, format 2 not of parameters for each
# algorithm, nor of clusters that were removed, format 3 not of vigilances chosen by density. Up to
# format 4 label maps had an entry for every label ever used.
FORMAT = 6
# Parameters of estimators that files of version 0.1 know under another name.
FORMER_PARAMS = {"merge": "auto_merge"}

# A header has a name for each feature and what the caller adds, and takes up to fifty times its
# size in memory while it is read.
MOST_HEADER_BYTES = 16 * 2**20
MOST_DEPTH = 100
MOST_EMPTY_MAPS = 100_000
MOST_EPOCHS = 2**31 - 1

# Up to format 2 all models were trained with the same fields, some of them under other names.
FLAT_PARAMS = {
    *("rho_lb", "rho_ub", "alpha", "beta", "gamma", "gamma_ref", "linkage", "search"),
    *("merge_every", "out_of_bounds", "max_categories", "merge_when_full"),
    *("beta_sbm", "phi", "tau"),
}
FLAT_NAMES = {"rho": "rho_ub", "rho_a": "rho_lb", "rho_b": "rho_ub"}

BOUNDS_ARRAYS = {"low": ("<f8", 1), "high": ("<f8", 1)}
CHOICE_ARRAYS = {"choice_order": ("<i8", 1), "choice_labels": ("<i8", 1)}
MERGED_ARRAYS = {"label_maps": ("<i8", 2)}
MERGED_ARRAYS_BEFORE_5 = {"label_maps": ("<i8", 1)}

CHOICE_FIELDS = {
    *("params", "has_structure", "agreement", "density_reason", "n_clusters", "shortlist"),
    *("n_rows", "n_rows_used", "reason"),
}
# Up to format 3 runs were judged by a score instead.
SCORED_CHOICE_FIELDS = CHOICE_FIELDS - {"agreement", "density_reason"} | {"score", "threshold"}
SCORED_CANDIDATE_REALS = ("silhouette", "modularity", "kappa", "small_share", "stability", "score")
HEADER_FIELDS = {"format", "version", "estimator", "parameters", "fitted", "metadata"}
