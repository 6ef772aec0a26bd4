"""Trials by number: what one does follows from the attack's name, the seed and that number."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import numpy as np


@dataclass
class Progress:
    """How far an attack has come."""

    next_trial: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failed: list[int] = field(default_factory=list)


class BrokenPromiseError(AssertionError):
    """A trial that failed, named so that it can be run again."""


def run_trial(attack: str, seed: int, number: int) -> str:
    """Run one trial and return its outcome; a failure says how to repeat it."""
    module = import_module(f"attacks.{attack}")
    random = np.random.default_rng([seed, zlib.crc32(attack.encode()), number])
    folder = Path(tempfile.mkdtemp(prefix=f"attacks-{attack}-{number}-"))
    try:
        outcome: str = module.trial(random, folder)
    except Exception as error:
        raise BrokenPromiseError(
            f"{attack}, trial {number} of seed {seed}: {type(error).__name__}: {error}\n"
            f"Again: PYTHONPATH=tests .venv/bin/python -m attacks --only {attack} "
            f"--seed {seed} --trial {number}\n(its files: {folder})"
        ) from error
    shutil.rmtree(folder, ignore_errors=True)
    return outcome


def run_for(attack: str, seed: int, seconds: float, progress: Progress) -> None:
    """Run trials from where ``progress`` stands until the time is up, at least one.

    The first failure is raised; ``progress`` has moved past it.
    """
    end = time.monotonic() + seconds
    while True:
        number = progress.next_trial
        progress.next_trial += 1
        try:
            progress.outcomes[run_trial(attack, seed, number)] += 1
        except BrokenPromiseError:
            progress.failed.append(number)
            raise
        if time.monotonic() >= end:
            return


def load(path: Path) -> dict[str, Progress]:
    """Return the progress that :func:`save` kept, or nothing."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    return {
        name: Progress(each["next_trial"], Counter(each["outcomes"]), each["failed"])
        for name, each in kept.items()
    }


def save(path: Path, progress: dict[str, Progress]) -> None:
    """Keep progress; the file is replaced as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps({name: vars(each) for name, each in progress.items()}, indent=1))
    fresh.replace(path)
