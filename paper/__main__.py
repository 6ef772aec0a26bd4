"""The command: ``python -m paper run | status | collect | report``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from paper import parts, runner
from paper.data_sets import MissingDataError
from paper.progress import spoken
from paper.protocol import FULL, QUICK, Protocol
from paper.store import InUseError, Store, default_folder

STOPPED = 130  # what shells call a program that was interrupted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    given = _parser().parse_args(arguments)
    protocol = QUICK if given.quick else FULL
    kept = Store(given.folder or default_folder(protocol))
    if given.command == "report":
        # Statistics and drawing are needed for the report alone.
        report = importlib.import_module("paper.report")
        where = {} if given.folder is None else {"folder": given.folder}
        return int(report.main(quick=given.quick, **where) or 0)
    try:
        if given.command == "status":
            return _status(kept, protocol, given.only)
        if given.command == "collect":
            return _collect(kept, protocol)
        return _run(kept, protocol, given.only, given.jobs, given.by_set, given.missing)
    except (InUseError, MissingDataError) as error:
        _say(str(error))
        return 1
    except KeyboardInterrupt:
        _say("Stopped. All finished tasks are kept: run again to go on.")
        return STOPPED


def _run(
    kept: Store,
    protocol: Protocol,
    only: Sequence[str],
    n_jobs: int | None,
    by_set: bool,
    missing: bool,
) -> int:
    failures = runner.run(
        kept, protocol, only=only, n_jobs=n_jobs, by_set=by_set, missing=missing, say=_say
    )
    _collect(kept, protocol)
    for failure in failures:
        _say(f"FAILED {failure.task.key}: {failure.reason.strip().splitlines()[-1]}")
    return 1 if failures else 0


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of processes is needed, got {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m paper", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in {
        "run": "do the experiments that are not done yet, and write the tables",
        "status": "say what is done",
        "collect": "write the tables from the results there are",
        "report": "write the page and its pictures from the tables",
    }.items():
        command = commands.add_parser(name, help=what)
        command.add_argument("--quick", action="store_true", help="a small run on made data")
        command.add_argument("--folder", type=Path, help="where results are kept")
        if name in ("run", "status"):
            command.add_argument(
                "--only", nargs="+", choices=list(parts.PARTS), default=[], metavar="PART",
                help=f"some parts: {', '.join(parts.PARTS)}",
            )  # fmt: skip
        if name == "run":
            command.add_argument("--jobs", type=_count, help="processes; one a core by default")
            command.add_argument(
                "--by-set",
                action="store_true",
                help="finish one data set after the other, the cheapest first",
            )
            command.add_argument(
                "--missing",
                action="store_true",
                help="only what the tables have no row of, as a clone needs that goes on",
            )
    return parser


def _status(kept: Store, protocol: Protocol, only: Sequence[str]) -> int:
    planned = runner.plan(protocol, only)
    todo, done = runner.split(kept, planned)
    estimate = runner.learned(kept, done)
    missing = {job.task.key for job in todo}
    for part, jobs in planned.items():
        left = [(job.task.kind, job.cost) for job in jobs if job.task.key in missing]
        soon = spoken(estimate.left(left, runner.n_cores()))
        time_left = f", about {soon} left" if left else ""
        print(f"{part}: {len(jobs) - len(left)} of {len(jobs)} tasks done{time_left}")
    soon = spoken(estimate.left([(job.task.kind, job.cost) for job in todo], runner.n_cores()))
    print(f"all: {len(done)} of {len(todo) + len(done)} tasks done, about {soon} left")
    return 0


def _collect(kept: Store, protocol: Protocol) -> int:
    for path in runner.collect(kept, protocol):
        _say(f"written: {path}")
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
