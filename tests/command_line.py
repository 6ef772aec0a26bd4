"""Running the command line inside a test, and a folder of files to run it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from resonart import DDVFA, tables
from resonart.cli._app import app

N_ROWS = 60


def run(*arguments: object, stdin: bytes | None = None, code: int = 0) -> Result:
    """Run ``resonart`` with these arguments, and check how it ends."""
    words = [str(part) for part in arguments]
    result = CliRunner().invoke(app, words, input=stdin, prog_name="resonart")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def run_json(*arguments: object, stdin: bytes | None = None) -> dict[str, Any]:
    """Run with ``--json``; stdout has to be one object and nothing else."""
    result = run(*arguments, "--json", stdin=stdin)
    assert result.stdout.count("\n") == 1
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["command"] == arguments[0]
    return found


def error_of(*arguments: object, stdin: bytes | None = None, code: int = 1) -> str:
    """Run what has to fail; return the one line that it says."""
    result = run(*arguments, stdin=stdin, code=code)
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith(WARNING)]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("resonart: error: ")
    return lines[0].removeprefix("resonart: error: ")


WARNING = "resonart: warning: "


def blobs(n_rows: int = N_ROWS, seed: int = 0) -> tuple[NDArray[np.float64], list[str]]:
    """Return rows of two clusters far apart, and their names; the first two span the ranges."""
    rng = np.random.default_rng(seed)
    corners = np.array([[0.0, 0.0], [10.0, 20.0]])
    names = ["north", *rng.choice(["south", "north"], n_rows - 2).tolist()]
    names.insert(1, "south")
    centre = np.array([[1.0, 2.0] if name == "north" else [9.0, 18.0] for name in names])
    rows = centre + rng.uniform(-1.0, 1.0, centre.shape) * [0.5, 1.0]
    rows[:2] = corners
    return rows, names


def columns_of(rows: NDArray[np.float64], names: list[str]) -> dict[str, Any]:
    return {"width": rows[:, 0], "height": rows[:, 1], "class": np.array(names, dtype=object)}


def fill_folder(folder: Path) -> Path:
    """Write every file that the examples of the help texts name."""
    rows, names = blobs()
    table = columns_of(rows, names)
    tables.write_table(folder / "data.csv", table)
    tables.write_table(folder / "data.parquet", table)
    new, new_names = blobs(20, seed=1)
    tables.write_table(folder / "new.csv", columns_of(new, new_names))
    save(folder / "model.resonart", rows)
    save(folder / "a.resonart", rows[:30])
    save(folder / "b.resonart", rows[30:])
    return folder


def save(path: Path, rows: NDArray[np.float64]) -> None:
    model = DDVFA(rho_lb=0.6, rho_ub=0.8, bounds=([0, 0], [10, 20])).fit(rows)
    model.feature_names_in_ = np.array(["width", "height"], dtype=object)
    model.save(path, metadata={"made_by": "a test"})


def read(path: Path | str, *, label: str | None = None) -> dict[str, NDArray[Any]]:
    """Read a table of numbers back, by name of column."""
    with tables.open_table(path, label=label) as reader:
        chunk = reader.read_all()
    return dict(zip(reader.feature_names, chunk.rows.T, strict=True))
