"""Ask every question, keep the answers: ``python -m benchmarks.run [--quick] [--out FOLDER]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from . import report
from .tables import write_lines, write_results
from .timing import FULL, QUICK, Effort, describe_run, note

PEERS = ("artlib", "river")


@dataclass(frozen=True)
class Size:
    """How many rows each question gets, and how often it is asked."""

    name: str
    fit_rows: int
    stream_rows: int
    memory_rows: int
    memory_widths: tuple[int, ...]
    vat_peer_rows: tuple[int, ...]
    vat_rows: tuple[int, ...]
    vat_wide_rows: int
    effort: Effort


FULL_SIZE = Size(
    "full",
    fit_rows=10_000,
    stream_rows=20_000,
    memory_rows=1_000_000,
    memory_widths=(2, 8),
    vat_peer_rows=(1_000, 2_000),
    vat_rows=(100_000, 1_000_000),
    vat_wide_rows=10_000,
    effort=FULL,
)
QUICK_SIZE = Size(
    "quick",
    fit_rows=300,
    stream_rows=500,
    memory_rows=20_000,
    memory_widths=(2,),
    vat_peer_rows=(200,),
    vat_rows=(2_000,),
    vat_wide_rows=300,
    effort=QUICK,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure everything, then write ``results/*.csv`` and ``README.md``."""
    options = parse(arguments)
    missing = [peer for peer in PEERS if find_spec(peer) is None]
    if missing:
        sys.exit(
            f"The benchmarks compare with {' and '.join(PEERS)}; not installed: "
            f"{', '.join(missing)}. Try: pip install artlib river"
        )
    from . import against_artlib, memory, row_by_row, vat  # these import the peers

    results: Path = options.out / "results"
    size = QUICK_SIZE if options.quick else FULL_SIZE
    run = describe_run(size.name)
    note("Fit against artlib:")
    artlib_results = against_artlib.measure(size.fit_rows, size.effort)
    note("Row by row:")
    stream_results = row_by_row.measure(size.stream_rows, size.effort)
    note("Memory:")
    memory_results = memory.measure(size.memory_rows, size.memory_widths)
    note("VAT:")
    vat_results = vat.measure(size.vat_peer_rows, size.vat_rows, size.vat_wide_rows)
    write_lines(results / "run.csv", [run])
    write_results(results / "against_artlib.csv", artlib_results)
    write_results(results / "row_by_row.csv", stream_results)
    write_results(results / "memory.csv", memory_results)
    write_results(results / "vat.csv", vat_results)
    report.main(options.out)
    note(f"Written: {options.out / 'README.md'} and {results}/*.csv")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny inputs; needs --out")
    parser.add_argument(
        "--out", type=Path, help="folder for README.md and results/ (default: benchmarks/)"
    )
    options = parser.parse_args(arguments)
    if options.quick and options.out is None:
        parser.error("--quick needs --out FOLDER, so that the kept results are not overwritten")
    options.out = options.out or report.HERE
    return options


if __name__ == "__main__":
    main()
