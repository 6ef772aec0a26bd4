"""Results: a file for each task, written whole or not at all, and the tables made of them."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from paper import data_sets, methods
from paper.methods import Method
from paper.parts import SYSTEMS
from paper.protocol import Protocol
from paper.task import OrderScores, Outcome, Task

HERE = Path(__file__).parent

# Of a name that begins with a dot no reader takes notice.
UNFINISHED = ".unfinished-"

SETTINGS = ("of", "order", "merge", "linkage", "gamma", "search", "learning", "labels")
RUN_COLUMNS = (
    *("part", "method", *SETTINGS, "data_set", "n_orders", "params"),
    *("ari_mean", "ari_std", "n_clusters_mean", "n_clusters_std"),
    *("n_categories_mean", "n_categories_std", "fresh_ari_mean", "fresh_ari_std"),
    *("n_cells", "n_best_cells", "n_runs", "seconds", "cpu_seconds"),
)
ORDER_COLUMNS = (
    *("order", "merge", "data_set", "gamma", "vigilance", "rho_lb", "rho_ub"),
    *("order_index", "ari", "n_clusters", "n_categories"),
)


@dataclass(frozen=True)
class Result:
    """What a task came to.

    Attributes
    ----------
    fingerprint : str
        Of all that decided it.
    outcomes : list of Outcome
        Usually one.
    seconds, cpu_seconds : float
        What it took, by the clock and of the processor.
    """

    fingerprint: str
    outcomes: list[Outcome]
    seconds: float
    cpu_seconds: float


class Store:
    """A folder: ``.runs`` with a file for each task, and ``results`` with the tables.

    Parameters
    ----------
    folder : Path
        Made when something is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / ".runs"
        self.tables = folder / "results"

    def path(self, task: Task) -> Path:
        """Return where the result of a task lies."""
        return self.runs / f"{task.key}.json"

    def read(self, task: Task, fingerprint: str) -> Result | None:
        """Return the result of a task; None if there is none, or one of other circumstances."""
        try:
            found = json.loads(self.path(task).read_text(encoding="utf-8"))
            if found["fingerprint"] != fingerprint:
                return None
            outcomes = [_outcome(fields) for fields in found["outcomes"]]
            return Result(fingerprint, outcomes, found["seconds"], found["cpu_seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, task: Task, result: Result, circumstances: Mapping[str, Any]) -> None:
        """Keep the result of a task."""
        found = {"task": task.key, "circumstances": circumstances, **asdict(result)}
        write_whole(self.path(task), json.dumps(found, indent=1, allow_nan=False) + "\n")

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of the table of runs, which is kept with the code."""
        return read_table(self.tables / "runs.csv")

    def clear_unfinished(self) -> None:
        """Remove what a killed run has left half-written."""
        for path in self.runs.glob(f"{UNFINISHED}*"):
            path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep a second run out of the folder: both would make the same."""
        self.runs.mkdir(parents=True, exist_ok=True)
        with (self.runs / ".lock").open("w") as file:
            try:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:  # Windows: two runs would work twice, and still harm nothing
                pass
            except OSError:
                raise InUseError(
                    f"Another run is at work in {self.folder}. Wait for it, or give another "
                    "--folder."
                ) from None
            yield

    def collect(self, parts: Mapping[str, Sequence[tuple[Task, str]]]) -> list[Path]:
        """Write the tables from the results there are.

        A task that has no result here keeps the rows it has: the tables are kept with the code,
        single results are not.

        Parameters
        ----------
        parts : dict
            Tasks of each part with their fingerprints.

        Returns
        -------
        paths : list of Path
            What was written.
        """
        runs: list[dict[str, str]] = []
        orders: list[dict[str, str]] = []
        written = []
        before = self.rows()
        for part, tasks in parts.items():
            found = [(task, self.read(task, fingerprint)) for task, fingerprint in tasks]
            if all(result is None for _, result in found):
                runs += [row for row in before if row["part"] == part]
                continue
            for task, result in found:
                if result is None:
                    runs += [row for row in before if row["part"] == part and is_of(row, task)]
                    continue
                for outcome in result.outcomes:
                    if outcome.vigilance == "best":
                        runs.append(_run_row(part, outcome, result))
                    if part == "gamma":
                        orders += _order_rows(outcome)
                    if part == "heat" and outcome.plane is not None:
                        written.append(self._write_plane(outcome))
        if runs:
            written.append(write_table(self.tables / "runs.csv", RUN_COLUMNS, runs))
        if orders:
            written.append(write_table(self.tables / "gamma_orders.csv", ORDER_COLUMNS, orders))
        return written

    def _write_plane(self, outcome: Outcome) -> Path:
        assert outcome.plane is not None
        of = {name: outcome.settings[name] for name in ("order", "merge")}
        (system,) = (name for name, settings in SYSTEMS.items() if settings == of)
        name = f"plane_{outcome.data_set}_{system}_gamma{outcome.settings['gamma']:g}.csv"
        lines = (
            ",".join("" if value is None else f"{value:.4f}" for value in row)
            for row in outcome.plane
        )
        path = self.tables / name
        write_whole(path, "\n".join(lines) + "\n")
        return path


class InUseError(RuntimeError):
    """Another run is at work in the folder."""


def default_folder(protocol: Protocol) -> Path:
    """Return where the results of a protocol lie: a quick run's never among the kept ones."""
    return HERE if protocol.name == "full" else HERE.parent / "build" / f"paper-{protocol.name}"


def circumstances(task: Task, method: Method, protocol: Protocol) -> dict[str, Any]:
    """Return everything that decides the result of a task."""
    return {
        "method": method.name,
        "revision": method.revision,
        "settings": dict(task.settings),
        "protocol": {name: getattr(protocol, name) for name in method.uses},
        "data_set": task.data_set,
        "data": data_sets.digest(task.data_set),
        "libraries": {name: version(name) for name in method.libraries},
    }


def fingerprint(found: Mapping[str, Any]) -> str:
    """Return a short name of circumstances that no others have."""
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def write_whole(path: Path, text: str) -> None:
    """Write a file so that no reader, now or after a crash, finds a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{UNFINISHED}{os.getpid()}-{path.name}")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> Path:
    """Write rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue())
    return path


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none if there is no such file."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        return []


def _outcome(fields: dict[str, Any]) -> Outcome:
    orders = fields.pop("orders")
    return Outcome(**fields, orders=None if orders is None else OrderScores(**orders))


def is_of(row: Mapping[str, str], task: Task) -> bool:
    """Tell whether a row of the table came from a task, or one like it.

    A task may have several outcomes, which differ in settings that it leaves open ("both").
    """
    method = methods.find()[task.method]
    return (
        row["method"] == (method.reported_as or method.name)
        and row["data_set"] == task.data_set
        and all(
            value == "both" or row.get(name, "") == _shown(value)
            for name, value in task.settings.items()
            if name in SETTINGS
        )
    )


def _run_row(part: str, outcome: Outcome, result: Result) -> dict[str, str]:
    share = 1.0 / len(result.outcomes)  # of the time of a task that had several
    values = asdict(outcome) | {
        **{name: outcome.settings.get(name) for name in SETTINGS},
        "part": part,
        "params": json.dumps({name: _short(value) for name, value in outcome.params.items()}),
        "seconds": round(share * result.seconds, 3),
        "cpu_seconds": round(share * result.cpu_seconds, 3),
    }
    return {name: _shown(values[name]) for name in RUN_COLUMNS}


def _order_rows(outcome: Outcome) -> list[dict[str, str]]:
    assert outcome.orders is not None
    same = {
        **{name: outcome.settings[name] for name in ("order", "merge", "gamma")},
        "data_set": outcome.data_set,
        "vigilance": outcome.vigilance,
        **outcome.params,
    }
    runs = zip(
        outcome.orders.ari, outcome.orders.n_clusters, outcome.orders.n_categories, strict=True
    )
    return [
        {
            name: _shown(value)
            for name, value in (
                same
                | {"order_index": i, "ari": ari, "n_clusters": clusters, "n_categories": categories}
            ).items()
        }
        for i, (ari, clusters, categories) in enumerate(runs)
    ]


def _short(value: Any) -> Any:
    """Return a parameter as it is, and lists of numbers with six decimals.

    Examples
    --------
    >>> _short(0.1 + 0.2), _short([[0.1 + 0.2, 1], None])
    (0.30000000000000004, [[0.3, 1], None])
    """
    if isinstance(value, list):
        return [round(v, 6) if isinstance(v, float) else _short(v) for v in value]
    return value


def _shown(value: Any) -> str:
    """Return a value as in a table: six decimals, none where it is whole or not there."""
    if value is None:
        return ""
    if isinstance(value, float):
        shown = f"{value:.6f}".rstrip("0").rstrip(".")
        return "0" if shown == "-0" else shown
    return str(value)
