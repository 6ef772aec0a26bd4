"""The order of the gallery: what most readers look for comes first."""

from __future__ import annotations

ORDER = [
    "which_estimator",
    "moons_with_noise",
    "live_stream",
    "drift_history",
    "novelty_detection",
    "customer_segments",
    "web_sessions",
    "sensor_windows",
    "text_pipeline",
    "merge_regions",
    "digits",
    "colours_of_a_photo",
    "cluster_features",
    "condensed_tree",
    "fuzzy_art_boxes",
    "vigilance_for",
    "vigilance_plane",
    "order_of_rows",
    "vat_image",
    "bounded_memory",
    "outlier_in_a_range",
]


def sort_key(filename: str) -> tuple[int, str]:
    """Return the place of an example; those that are not listed come last, by name."""
    name = filename.removeprefix("plot_").removesuffix(".py")
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)
