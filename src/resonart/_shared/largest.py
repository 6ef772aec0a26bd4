"""The largest number that rows may have: the engine's own limit (``rows.hpp``)."""

from __future__ import annotations

# Ranges are squared, and squares are summed over features and rows.
LARGEST = 1e140
CURE = "Divide that column by a constant, or take its logarithm"
