"""What a model file is made of: its number, its limits, and the names and types of its arrays."""

from __future__ import annotations

FORMAT = 7

# A header has a name for each feature and what the caller adds, and takes up to fifty times its
# size in memory while it is read.
MOST_HEADER_BYTES = 16 * 2**20
MOST_DEPTH = 100
MOST_EMPTY_MAPS = 100_000
MOST_EPOCHS = 2**31 - 1

BOUNDS_ARRAYS = {"low": ("<f8", 1), "high": ("<f8", 1)}
CHOICE_ARRAYS = {"choice_order": ("<i8", 1), "choice_labels": ("<i8", 1)}
MERGED_ARRAYS = {"label_maps": ("<i8", 2)}

CHOICE_FIELDS = {
    *("params", "has_structure", "agreement", "density_reason", "n_clusters", "shortlist"),
    *("n_rows", "n_rows_used", "reason"),
}
HEADER_FIELDS = {"format", "version", "estimator", "parameters", "fitted", "metadata"}
