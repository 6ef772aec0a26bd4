"""Ask every question, keep the answers: ``python -m benchmarks.run [--quick] [--out FOLDER]``.

``--only NAME ...`` asks some of them again and leaves the other answers as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from . import distributed, report, suite
from .data_sets import DataSet, MissingDataError, all_thirty, folder, tiny
from .tables import Goal, Line, read_lines, write_lines, write_results
from .timing import FULL, QUICK, Effort, describe_run, note


@dataclass(frozen=True)
class Size:
    """How many rows each question gets, and how often it is asked."""

    name: str
    fit_rows: int
    stream_rows: int
    river_rows: int
    memory_rows: int
    memory_widths: tuple[int, ...]
    vat_peer_rows: tuple[int, ...]
    vat_rows: tuple[int, ...]
    vat_wide_rows: int
    data_sets: Callable[[], list[DataSet]]
    plane_step: float
    plane_orders: int
    plane_kind_orders: int
    plane_fit_cells: int
    label_free_seeds: int
    nothing_rows: tuple[int, ...]
    nothing_widths: tuple[int, ...]
    growth_rows: tuple[int, ...]
    piped_rows: int
    trickled_rows: int
    piped_repeats: int
    distributed: distributed.Size
    effort: Effort
    suite: suite.Suite


FULL_SIZE = Size(
    "full",
    fit_rows=10_000,
    stream_rows=20_000,
    river_rows=5_000,
    memory_rows=1_000_000,
    memory_widths=(2, 8),
    vat_peer_rows=(1_000, 2_000),
    vat_rows=(100_000, 1_000_000),
    vat_wide_rows=10_000,
    data_sets=all_thirty,
    plane_step=0.01,
    plane_orders=30,
    plane_kind_orders=5,
    plane_fit_cells=300,
    label_free_seeds=5,
    nothing_rows=(200, 1_000),
    nothing_widths=(2, 5),
    growth_rows=(1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000),
    piped_rows=1_000_000,
    trickled_rows=1_000,
    piped_repeats=3,
    distributed=distributed.Size(
        n_rows=1_000_000,
        shapes=("blobs", "spirals", "rings", "noisy rings"),
        data_sets=all_thirty,
        n_partitions=(2, 8, 64),
        n_seeds=3,
        n_orders=8,
        sample_rows=distributed.SAMPLE_ROWS,
        cost_rows=1_000_000,
        cost_widths=(2, 8),
        cost_files=16,
        n_workers=(1, 2),
    ),
    effort=FULL,
    suite=suite.FULL,
)
QUICK_SIZE = Size(
    "quick",
    fit_rows=300,
    stream_rows=500,
    river_rows=300,
    memory_rows=20_000,
    memory_widths=(2,),
    vat_peer_rows=(200,),
    vat_rows=(2_000,),
    vat_wide_rows=300,
    data_sets=tiny,
    plane_step=0.1,
    plane_orders=2,
    plane_kind_orders=2,
    plane_fit_cells=5,
    label_free_seeds=2,
    nothing_rows=(100,),
    nothing_widths=(2,),
    growth_rows=(200, 400),
    piped_rows=2_000,
    trickled_rows=20,
    piped_repeats=1,
    distributed=distributed.Size(
        n_rows=600,
        shapes=("blobs",),
        data_sets=tiny,
        n_partitions=(2, 4),
        n_seeds=1,
        n_orders=1,
        sample_rows=100,
        cost_rows=600,
        cost_widths=(2,),
        cost_files=3,
        n_workers=(1, 2),
    ),
    effort=QUICK,
    suite=suite.QUICK,
)


def ask_against_artlib(size: Size, results: Path) -> None:
    """How fast is ``fit`` next to artlib's?"""
    from . import against_artlib  # imports the peer, as do the others below

    found = against_artlib.measure(size.fit_rows, size.effort)
    write_results(results / "against_artlib.csv", found)


def ask_row_by_row(size: Size, results: Path) -> None:
    """How fast is a stream?"""
    from . import row_by_row

    found = row_by_row.measure(size.stream_rows, size.effort)
    write_results(results / "row_by_row.csv", found)


def ask_river_interface(size: Size, results: Path) -> None:
    """How fast is a row through river's interface?"""
    from . import river_interface

    found = river_interface.measure(size.river_rows, size.effort)
    write_results(results / "river_interface.csv", found)


def ask_memory(size: Size, results: Path) -> None:
    """How much memory does ``fit`` need?"""
    from . import memory

    found = memory.measure(size.memory_rows, size.memory_widths)
    write_results(results / "memory.csv", found)


def ask_vat(size: Size, results: Path) -> None:
    """How fast is the VAT order?"""
    from . import vat

    found = vat.measure(size.vat_peer_rows, size.vat_rows, size.vat_wide_rows)
    write_results(results / "vat.csv", found)


def ask_vigilance_plane(size: Size, results: Path) -> None:
    """How cheap are all vigilances at once?"""
    from . import vigilance_plane

    data_sets = size.data_sets()
    step = size.plane_step
    against = vigilance_plane.measure_ratios(data_sets, step, size.plane_fit_cells, size.effort)
    whole = vigilance_plane.measure_whole(data_sets, step, size.plane_orders)
    [target] = [data for data in data_sets if data.name == "target"]
    kinds = vigilance_plane.measure_kinds(target, step, size.plane_kind_orders)
    write_results(results / "plane_ratios.csv", against)
    write_results(results / "plane_whole.csv", whole)
    write_results(results / "plane_kinds.csv", kinds)
    write_results(results / "plane_goals.csv", vigilance_plane.goals(whole))


def ask_label_free(size: Size, results: Path) -> None:
    """How good are clusters found without labels?"""
    from . import label_free

    ours = label_free.automatic
    answers = label_free.measure_answers(size.data_sets(), size.label_free_seeds, ours)
    nothing = label_free.measure_nothing(
        size.nothing_rows, size.nothing_widths, size.label_free_seeds, ours
    )
    growth = label_free.measure_growth(size.growth_rows, size.effort, ours)
    scores = label_free.scores(answers)
    write_results(results / "label_free.csv", answers)
    write_results(results / "label_free_scores.csv", scores)
    write_results(results / "label_free_nothing.csv", nothing)
    write_results(results / "label_free_growth.csv", growth)
    write_results(results / "label_free_goals.csv", label_free.goals(answers, scores, growth))


def ask_command_line(size: Size, results: Path) -> None:
    """How many rows a second go through ``resonart stream``?"""
    from . import command_line

    found = command_line.measure(size.piped_rows, size.trickled_rows, size.piped_repeats)
    write_results(results / "command_line.csv", found)
    write_goals(results / "command_line_goals.csv", command_line.goals(found))


def ask_distributed(size: Size, results: Path) -> None:
    """What do partitions cost, in quality and in time?"""
    quality = distributed.measure_quality(size.distributed)
    write_results(results / "distributed_quality.csv", quality)
    write_results(results / "distributed_cost.csv", distributed.measure_cost(size.distributed))
    write_goals(results / "distributed_goals.csv", distributed.goals(quality))


def ask_one_pass(size: Size, results: Path) -> None:
    """How long, how much memory and how well, from rows to labels?"""
    from . import one_pass

    found = one_pass.measure(size.suite.one_pass, results)
    write_results(results / "suite_one_pass.csv", found)
    write_goals(results / "suite_one_pass_goals.csv", one_pass.goals(found))


def ask_growth(size: Size, results: Path) -> None:
    """What does a row cost as categories grow?"""
    from . import growth

    found = growth.measure(size.suite.growth)
    write_results(results / "suite_growth.csv", found)
    write_goals(results / "suite_growth_goals.csv", growth.goals(found))


def ask_both_ways(size: Size, results: Path) -> None:
    """Does the index ever cost more than it saves?"""
    from . import both_ways

    found = both_ways.measure(size.suite.both_ways, results)
    write_results(results / "suite_both_ways.csv", found)
    write_goals(results / "suite_both_ways_goals.csv", both_ways.goals(found))


def ask_roofline(size: Size, results: Path) -> None:
    """How near is brute force to what memory delivers?"""
    from . import roofline

    write_results(results / "suite_roofline.csv", roofline.measure(size.suite.roofline))


def ask_merging(size: Size, results: Path) -> None:
    """How long does Merge ART take over thousands of modules?"""
    from . import merging

    found = merging.measure(size.suite.merging)
    write_results(results / "suite_merging.csv", found)
    write_goals(results / "suite_merging_goals.csv", merging.goals(found))


def ask_latency(size: Size, results: Path) -> None:
    """Does a row cost more after a million?"""
    from . import latency

    found = latency.measure(size.suite.latency)
    write_results(results / "suite_latency.csv", found)
    write_goals(results / "suite_latency_goals.csv", latency.goals(found))


def ask_predict(size: Size, results: Path) -> None:
    """How many new rows a second?"""
    from . import predict

    write_results(results / "suite_predict.csv", predict.measure(size.suite.predict, results))


def ask_first_use(size: Size, results: Path) -> None:
    """How long until the first fit?"""
    from . import first_use

    found = first_use.measure(size.suite.first_use)
    write_results(results / "suite_first_use.csv", found)
    write_results(results / "suite_first_use_imports.csv", first_use.profile())
    write_goals(results / "suite_first_use_goals.csv", first_use.goals(found))


def ask_threads(size: Size, results: Path) -> None:
    """What does a second thread bring?"""
    from . import threads

    write_results(results / "suite_threads.csv", threads.measure(size.suite.threads))


def write_goals(path: Path, goals: Sequence[Goal]) -> None:
    """Write the goals that could be judged; none are left of an earlier run."""
    path.unlink(missing_ok=True)
    if goals:
        write_results(path, goals)


@dataclass(frozen=True)
class Question:
    """What is asked, and what must be there for it."""

    ask: Callable[[Size, Path], None]
    peers: tuple[str, ...] = ()
    needs_data: bool = False


QUESTIONS = {
    "against_artlib": Question(ask_against_artlib, peers=("artlib",)),
    "row_by_row": Question(ask_row_by_row, peers=("river",)),
    "river_interface": Question(ask_river_interface, peers=("river",)),
    "memory": Question(ask_memory),
    "vat": Question(ask_vat),
    "vigilance_plane": Question(ask_vigilance_plane, needs_data=True),
    "label_free": Question(ask_label_free, peers=("matplotlib",), needs_data=True),
    "command_line": Question(ask_command_line, peers=("click", "pyarrow")),
    "distributed": Question(
        ask_distributed, peers=("dask", "distributed", "pyarrow"), needs_data=True
    ),
    # A contender of the suite that is not installed is a line of its tables, no reason to stop.
    "one_pass": Question(ask_one_pass, peers=("matplotlib",)),
    "growth": Question(ask_growth, peers=("matplotlib",)),
    "both_ways": Question(ask_both_ways),
    "roofline": Question(ask_roofline, peers=("matplotlib",)),
    "merging": Question(ask_merging, peers=("matplotlib",)),
    "latency": Question(ask_latency, peers=("matplotlib",)),
    "predict": Question(ask_predict, peers=("matplotlib",)),
    "first_use": Question(ask_first_use, peers=("matplotlib",)),
    "threads": Question(ask_threads, peers=("matplotlib",)),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then write ``results/*.csv``, ``README.md`` and the pictures in it."""
    options = parse(arguments)
    results: Path = options.out / "results"
    size = QUICK_SIZE if options.quick else FULL_SIZE
    asked = {name: QUESTIONS[name] for name in QUESTIONS if name in options.only}
    check_needs(asked, size)
    for name, question in asked.items():
        note(f"{name}:")
        run = describe_run(size.name)
        question.ask(size, results)
        keep_run(results / "run.csv", {"question": name, **run})
    report.main(options.out)
    note(f"Written: {options.out / 'README.md'} and {results}/*.csv")


def check_needs(asked: dict[str, Question], size: Size) -> None:
    """Leave before anything is measured if something is missing, and say how to get it."""
    peers = list(dict.fromkeys(peer for question in asked.values() for peer in question.peers))
    missing = [peer for peer in peers if find_spec(peer) is None]
    if missing:
        sys.exit(
            f"The benchmarks use {', '.join(peers)}; not installed: {', '.join(missing)}. "
            f"Try: pip install {' '.join(peers)}"
        )
    if size is FULL_SIZE and any(question.needs_data for question in asked.values()):
        try:
            folder()
        except MissingDataError as error:
            sys.exit(str(error))


def keep_run(path: Path, run: Line) -> None:
    """Say of one question where it was asked last, and leave what is said of others."""
    before = read_lines(path) if path.exists() else []
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
    options = parser.parse_args(arguments)
    if options.quick and options.out is None:
        parser.error("--quick needs --out FOLDER, so that the kept results are not overwritten")
    options.out = options.out or report.HERE
    return options


if __name__ == "__main__":
    main()
