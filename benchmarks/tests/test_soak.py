"""A shorter soak: memory and checkpoints of a long stream stay flat, bounded or forgetting."""

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


@pytest.mark.subprocess
def test_a_stream_that_forgets_stays_as_it_is(tmp_path: Path) -> None:
    n_rows = 150_000
    seen = soak.run_forgetting(n_rows, 6, 1_000, tmp_path)
    assert soak.faults(seen, n_rows) == []
    last = seen.parts[-1]
    assert seen.n_lines >= n_rows + last.n_events
    assert seen.summary["events"] == last.n_events == last.n_kept_events > 50
    assert 0 < last.n_moments <= soak.MOST_MOMENTS
    assert seen.summary["rejected"] == 0
    assert last.n_categories <= 1_000
    assert 0 < last.diary_kb < last.checkpoint_kb


@pytest.mark.subprocess
def test_clusters_that_are_gone_leave_nothing_behind(tmp_path: Path) -> None:
    n_rows = 100_000
    seen = soak.run_births(n_rows, 5, None, tmp_path)
    assert soak.faults(seen, n_rows) == []
    assert seen.summary["rejected"] == 0
    assert seen.parts[-1].n_labels > 1_500
    assert max(part.n_clusters for part in seen.parts) < 20


def test_what_is_not_flat_is_told() -> None:
    parts = [soak.Part(n, 1e5, 100.0 + 9 * n, 10.0 + n) for n in range(12)]
    assert len(soak.faults(soak.Soak(parts, 12, {"rows": 12}), 12)) == 2
    assert soak.faults(soak.Soak(parts[:1] * 12, 12, {"rows": 11}), 12) == ["11 rows learned of 12"]
    full = [soak.Part(n, 1e5, 100.0, 10.0, n_kept_events=10_600) for n in range(12)]
    [fault] = soak.faults(soak.Soak(full, 12, {"rows": 12}), 12)
    assert "the diary kept 10,600 events" in fault
    diary = [soak.Part(n, 1e5, 100.0, 10.0 + n, diary_kb=1.0 + n) for n in range(12)]
    assert soak.faults(soak.Soak(diary, 12, {"rows": 12}), 12) == []
    slower = [soak.Part(n, 1e5 / (n + 1), 1.0, 1.0) for n in range(12)]
    assert soak.slowed_down(soak.Soak(slower, 12, {})) is not None
    assert soak.slowed_down(soak.Soak(parts, 12, {})) is None
