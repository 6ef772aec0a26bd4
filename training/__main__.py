"""Train DensityART's choice again: ``python -m training [--pool FOLDER] [--out FOLDER]``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from .check import check
from .fit import fit_choice, fit_structure
from .generate import LabelledSet, labelled_set, structureless_set
from .records import made_records, paper_sets, pool_sets, real_records
from .tables import CHOICE_TABLE, STRUCTURE_TABLE, write_tables
from .validate import compare_choices, judge_together, together_table, write_validation


def main(arguments: Sequence[str] | None = None) -> None:
    """Make and read sets, judge the choice on sets kept apart, fit it to all, write the tables."""
    options = parse(arguments)
    if options.check:
        print("The tables of the engine, trained on these sets among others:\n")
        print(check(real_sets(options.pool)))
        return
    kept = options.out / "records"
    nothing = made_records(structureless_set, options.nothing, kept, options.jobs)
    generated = made_records(labelled_set, options.sets, kept, options.jobs)
    real = [r for r in real_records(real_sets(options.pool), kept, options.jobs) if r.n_true > 1]
    if options.validate:
        note("cross-validation")
        print(compare_choices(real, generated), flush=True)
        together, errors = judge_together(real, generated, nothing)
        print(together_table(together), flush=True)
        print(errors, flush=True)
        write_validation(options.out / "validation.csv", together)
    note("final fit")
    choice = fit_choice(real, generated)
    without = [*nothing, *(r for r in generated if r.n_true == 1)]
    structure = fit_structure(choice, without, [*real, *generated])
    write_tables(options.out, choice.trees, structure.trees)
    note(
        f"Written: {options.out / CHOICE_TABLE} and {options.out / STRUCTURE_TABLE}. To ship them, "
        "copy both to cpp/density/ and validation.csv to training/, build again, and run "
        "`python -m training --check`."
    )


def real_sets(pool: Path | None) -> chain[LabelledSet]:
    return chain(pool_sets(pool) if pool else (), paper_sets())


def note(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    pool = os.environ.get("RESONART_POOL")
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--sets", type=int, default=1_200, help="labelled sets to make")
    parser.add_argument("--nothing", type=int, default=2_400, help="sets without structure to make")
    parser.add_argument(
        "--pool",
        type=Path,
        default=Path(pool) if pool else None,
        help="folder of labelled *.npz files with `x` and `y` (default: $RESONART_POOL)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("build/training"),
        help="folder of the tables, and of what was made so far (default: %(default)s)",
    )
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all processors)")
    parser.add_argument(
        "--no-validate", dest="validate", action="store_false", help="only fit and write"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="train nothing: compare what DensityART has now with the plain score",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
