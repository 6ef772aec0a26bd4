"""Ask every question, keep the answers: ``python -m benchmarks.run [--quick] [--out FOLDER]``.

``--only NAME ...`` asks some of them again and leaves the other answers as they are; ``--resume``
goes on where a run was stopped.
"""

from __future__ import annotations

import argparse
import fcntl
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from . import report
from .data_sets import MissingDataError, folder
from .machine import describe_run
from .question import Question
from .report import QUESTIONS
from .results import read_text, write_lines
from .runner import ask_question, note


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then write ``results/*.csv``, ``README.md`` and the pictures in it."""
    options = parse(arguments)
    results: Path = options.out / "results"
    asked = {name: question for name, question in QUESTIONS.items() if name in options.only}
    check_needs(asked, options.quick)
    with alone(options.quick):
        for name, question in asked.items():
            note(f"{name}:")
            run = describe_run("quick" if options.quick else "full")
            ask_question(question, options.quick, results, options.resume)
            keep_run(results / "run.csv", {"question": name, **run})
    report.main(options.out)
    note(f"Written: {options.out / 'README.md'} and {results}/*.csv")


@contextmanager
def alone(quick: bool) -> Iterator[None]:
    """Let nobody else measure meanwhile; figures of a quick run say nothing anyway."""
    with (Path(tempfile.gettempdir()) / "resonart-benchmarks.lock").open("w") as lock:
        if not quick:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                sys.exit("Another benchmark is running on this machine: wait until it has ended.")
        yield


def check_needs(asked: dict[str, Question], quick: bool) -> None:
    """Leave before anything is measured if something is missing, and say how to get it."""
    peers = dict.fromkeys(peer for question in asked.values() for peer in question.peers)
    if any(question.draw for question in asked.values()):
        peers["matplotlib"] = None
    missing = [peer for peer in peers if find_spec(peer) is None]
    if missing:
        sys.exit(
            f"The benchmarks use {', '.join(peers)}; not installed: {', '.join(missing)}. "
            f"Try: pip install {' '.join(peers)}"
        )
    if not quick and any(question.needs_data for question in asked.values()):
        try:
            folder()
        except MissingDataError as error:
            sys.exit(str(error))


def keep_run(path: Path, run: dict[str, str]) -> None:
    """Say of one question where it was asked last, and leave what is said of others."""
    before = read_text(path) if path.exists() else []
    runs = {line["question"]: line for line in before} | {run["question"]: run}
    write_lines(path, [runs[name] for name in QUESTIONS if name in runs])


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny inputs; needs --out")
    parser.add_argument(
        "--out", type=Path, help="folder for README.md and results/ (default: benchmarks/)"
    )
    parser.add_argument(
        "--only", nargs="+", choices=QUESTIONS, default=list(QUESTIONS), help="questions to ask"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with a question that was stopped"
    )
    options = parser.parse_args(arguments)
    if options.quick and options.out is None:
        parser.error("--quick needs --out FOLDER, so that the kept results are not overwritten")
    options.out = options.out or report.HERE
    return options


if __name__ == "__main__":
    main()
