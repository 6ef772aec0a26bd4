"""Question: how long until a new process has imported a library and fitted its first 150 rows?"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..contenders import BY_NAME
from ..contenders.resonart import TWO_THOUSAND_NAME
from ..first_fit import measure
from ..processes import ROOT, Limits
from ..question import Case, Goal, Question, Size, Table, Tables, grid, summed, verdict
from ..results import Line, grouped, with_value
from ..words import filled, markdown, or_ended, spread

OURS = "resonart DDVFA"
NOTHING_SET = "resonart DDVFA, nothing set"
PEERS = "scikit-learn"
GOAL = 1.5
N_PROFILED = 8
SECONDS = "seconds import_seconds fit_seconds"


def figures(runs: Sequence[Case]) -> Case:
    """Sum up the repeats; the first round is told apart: whatever is compiled is compiled then."""
    cold, *warm = runs
    if not warm:
        return {}
    ways = {"spread": "seconds", "median": "import_seconds fit_seconds"}
    return summed(ways, warm, SECONDS.split()) | {
        "cold_seconds": cold["seconds"],
        "repeats": len(warm),
    }


def finish(lines: list[Line]) -> None:
    """Name what is asked here of a contender that is tuned elsewhere."""
    for line in lines:
        if line["contender"] == TWO_THOUSAND_NAME:
            line["contender"] = NOTHING_SET


def goals(tables: Tables) -> list[Goal]:
    """Judge ours against the quickest of scikit-learn's: the hardest to keep up with."""
    done = {x["contender"]: x for x in with_value(tables["suite_first_use"], "seconds")}
    peers = [line for name, line in done.items() if name.startswith(PEERS)]
    if OURS not in done or not peers:
        return []
    ours = done[OURS]["seconds"]
    peer = min(peers, key=lambda line: line["seconds"])
    ratio = ours / peer["seconds"]
    return [
        Goal(
            f"first use, import and fit of 150 rows, within {GOAL:g} times of scikit-learn's",
            verdict(ratio <= GOAL),
            f"{ratio:.2f} times: {ours:.2f} s, {peer['contender']} {peer['seconds']:.2f} s",
        )
    ]


# ---------------------------------------------------------------------- the import


def imports(size: Size) -> list[Case]:
    """A case for each of the packages that cost the most, of each import."""
    return [each for module in size["imported"] for each in dearest(module, import_times(module))]


def import_times(module: str) -> str:
    """Let Python say what an import takes along."""
    command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stderr


def dearest(module: str, text: str) -> list[Case]:
    """Read the table of ``-X importtime``: whole packages, their own files added up."""
    own: dict[str, float] = {}
    whole: dict[str, float] = {}
    for line in text.splitlines():
        match = re.match(r"import time:\s+(\d+) \|\s+(\d+) \|\s+(\S+)", line)
        if match:
            package = match[3].partition(".")[0]
            own[package] = own.get(package, 0.0) + int(match[1]) / 1e3
            whole[package] = max(whole.get(package, 0.0), int(match[2]) / 1e3)
    names = sorted(own, key=lambda package: own[package], reverse=True)[:N_PROFILED]
    return [
        {
            "imported": module,
            "package": name,
            "milliseconds": whole[name],
            "own_milliseconds": own[name],
        }
        for name in names
    ]


# ---------------------------------------------------------------------- the page


COLUMNS = {
    "contender": "{contender}",
    "seconds": or_ended(spread("seconds")),
    "import, s": "{import_seconds:digits}",
    "fit, s": "{fit_seconds:digits}",
    "cold, s": "{cold_seconds:digits}",
}


def show(tables: Tables) -> dict[str, Any]:
    """Return what each import takes along, in a row."""
    rows = []
    for some in grouped(tables["suite_first_use_imports"], "imported"):
        packages = (filled("{package} {own_milliseconds:.0f}", line) for line in some)
        rows.append([some[0]["imported"], ", ".join(packages)])
    return {"imports": markdown(["import", "packages, ms"], rows)}


def draw(folder: Path, tables: Tables) -> None:
    """Import and fit end to end; the spread is that of the sum."""
    from dataclasses import replace

    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from ..look import GREY, bar_of, draw_bars, new_figure, save

    bars = {}
    for line in tables["suite_first_use"]:
        bar, fit = bar_of(line, "seconds", line["contender"]), line["fit_seconds"]
        if fit is not None:  # medians, so that their sum is not quite that of the whole
            bar = replace(bar, value=line["import_seconds"] + fit, paler=fit)
        bars[line["contender"]] = bar
    figure = new_figure(6.6, 1.2 + 0.24 * len(bars))
    axes = figure.subplots()
    draw_bars(axes, bars)
    axes.set_xlabel("seconds", fontsize=9)
    handles = [
        Patch(color=GREY, label="import"),
        Patch(color=GREY, alpha=0.45, label="first fit of 150 rows"),
        Line2D([], [], color="black", linewidth=1.0, label="spread of the sum"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    save(figure, folder / "images" / "first_use.png")


QUESTION = Question(
    "first_use",
    tables=[
        Table(
            "suite_first_use",
            "contender status repeats seconds seconds_min seconds_max cold_seconds "
            "import_seconds fit_seconds words",
            measure,
            grid("contender"),
            figures=figures,
            rounds="rounds",
            limits=(Limits(240.0), Limits(20.0)),
            environment={"NUMBA_CACHE_DIR": "{folder}"},  # of this run alone
            finish=finish,
            columns=COLUMNS,
            note="{seconds:.3g} s, {fit_seconds:.3g} s of it the fit",
        ),
        Table(
            "suite_first_use_imports",
            "imported package milliseconds own_milliseconds",
            None,
            imports,
        ),
    ],
    goals=goals,
    show=show,
    draw=draw,
    sizes={
        "contender": (tuple(BY_NAME), ("resonart DDVFA", "scikit-learn Birch")),
        "rounds": (4, 2),
        "imported": (("resonart", "sklearn.cluster"), ("resonart", "sklearn.cluster")),
    },
)
