"""A shorter soak: memory and checkpoints of a long stream stay flat, with and without a bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import soak

pytest.importorskip("pyarrow")


@pytest.mark.subprocess
def test_a_bounded_stream_stays_as_it_is(tmp_path: Path) -> None:
    n_rows = 600_000
    seen = soak.run(n_rows, 12, 150, tmp_path)
    assert soak.faults(seen, n_rows) == []
    assert seen.n_lines >= n_rows  # and the events of merges
    assert seen.summary["categories"] <= 150
    assert seen.summary["rejected"] == 0
    assert seen.summary["checkpoints"] >= 12


def test_what_is_not_flat_is_told() -> None:
    parts = [soak.Part(n, 1e5, 100.0 + 9 * n, 10.0 + n) for n in range(12)]
    assert len(soak.faults(soak.Soak(parts, 12, {"rows": 12}), 12)) == 2
    assert soak.faults(soak.Soak(parts[:1] * 12, 12, {"rows": 11}), 12) == ["11 rows learned of 12"]
    slower = [soak.Part(n, 1e5 / (n + 1), 1.0, 1.0) for n in range(12)]
    assert soak.slowed_down(soak.Soak(slower, 12, {})) is not None
    assert soak.slowed_down(soak.Soak(parts, 12, {})) is None
