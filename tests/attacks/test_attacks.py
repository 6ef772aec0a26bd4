"""A short run of every attack in ``tests/attacks``, and what runs them."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from attacks import ATTACKS, runner

# So long each in `make test-all` (`make attacks` takes an hour); less where tests are to be quick.
SECONDS = 5.0 if os.environ.get("RESONART_TEST_PROFILE") == "quick" else 20.0


@pytest.mark.attacks
@pytest.mark.long
@pytest.mark.subprocess
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_promise_is_broken(attack: str) -> None:
    progress = runner.Progress()
    runner.run_for(attack, 0, SECONDS, progress)
    assert progress.next_trial > 0
    assert sum(progress.outcomes.values()) == progress.next_trial


def test_trials_are_decided_by_seed_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = SimpleNamespace(trial=lambda random, folder: str(random.integers(1 << 30)))
    monkeypatch.setattr(runner, "import_module", lambda name: drawn)
    assert runner.run_trial("x", 0, 3) == runner.run_trial("x", 0, 3)
    of_others = {
        runner.run_trial("x", 0, 4),
        runner.run_trial("x", 1, 3),
        runner.run_trial("y", 0, 3),
    }
    assert len(of_others | {runner.run_trial("x", 0, 3)}) == 4


def test_a_failure_is_named_and_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def trial(random: Any, folder: Path) -> str:
        assert folder.is_dir()
        assert folder.name.startswith("attacks-x-")
        raise AssertionError("a row was lost")

    monkeypatch.setattr(runner, "import_module", lambda name: SimpleNamespace(trial=trial))
    progress = {"x": runner.Progress(next_trial=7)}
    with pytest.raises(runner.BrokenPromiseError, match=r"x, trial 7 of seed 5.*a row was lost"):
        runner.run_for("x", 5, 0.0, progress["x"])
    assert progress["x"].failed == [7]
    runner.save(tmp_path / "seed.json", progress)
    assert runner.load(tmp_path / "seed.json") == progress  # and so goes on with trial 8
    assert runner.load(tmp_path / "seed.json")["x"].next_trial == 8
