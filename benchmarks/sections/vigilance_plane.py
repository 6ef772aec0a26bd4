"""Of all vigilances at once: the words and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, markdown, ratio, shape, total

PLANE = """\
## The vigilance plane

All pairs `rho_lb <= rho_ub` in steps of {step}: {n_cells} cells. DDVFA with Merge ART, single
linkage, `gamma=3`, unless said otherwise. A run is decided by its comparisons and so known for
every cell in which they end alike: *cells a run* tells how many cells one run answers for. Runs
count as different where learning, merging or compression are. They share their beginnings, so fewer
rows are presented than the runs have.

### Against one run a cell

One random order, one thread, {repeats} repeats in turn: the sweep, the same sweep told to make
every run in the same engine, and `DDVFA(rho_lb, rho_ub).fit` in {fit_cells} cells drawn at random
from the {n_cells}, others in each repeat, its time scaled up to all of them. *Same* says that
clusters and categories were equal in number, in every cell for the engine and in the cells drawn
for `fit`.
"""

PLANE_WHOLE = """\
### The whole plane

`VigilancePlane(DDVFA(...), n_orders={n_orders}, n_jobs={n_threads}, scoring="ari", refit=False)`
with the true labels: {n_cells} pairs x {n_orders} orders, the adjusted Rand index of every run and
the stability of every pair included. One call each. The best index is the mean over orders in the
best pair, chosen by the labels.
"""

PLANE_KINDS = """\
### Other kinds

The same on *{data}* in {n_orders} orders, for everything that has a plane. The grid of TopoART has
its own four parameters.
"""


def section(results: Path) -> list[str]:
    against = read_lines(results / "plane_ratios.csv")
    whole = read_lines(results / "plane_whole.csv")
    kinds = read_lines(results / "plane_kinds.csv")
    first = against[0]
    n_cells = count(first["n_cells"])
    return [
        PLANE.format(
            step=plane_step(first["n_cells"]),
            n_cells=n_cells,
            repeats=first["repeats"],
            fit_cells=first["fit_cells"],
        ),
        plane_ratios_table(against),
        PLANE_WHOLE.format(
            n_orders=whole[0]["n_orders"], n_threads=whole[0]["n_threads"], n_cells=n_cells
        ),
        plane_whole_table(whole),
        PLANE_KINDS.format(data=kinds[0]["data"], n_orders=kinds[0]["n_orders"]),
        plane_kinds_table(kinds),
    ]


def plane_ratios_table(lines: Sequence[Line]) -> str:
    """Return the table of the sweep against one run a cell."""
    header = [
        "data",
        "rows x features",
        "runs made",
        "cells a run",
        "presentations: all cells / made",
        "sweep, s",
        "times faster than the engine, every run made",
        "times faster than `fit` in every cell",
        "same",
    ]
    table = [
        [
            line["data"],
            shape(line),
            count(line["n_runs"]),
            digits(line["cells_per_run"]),
            digits(line["presentations_ratio"]),
            digits(line["sweep_seconds"]),
            ratio(line, "engine_ratio"),
            ratio(line, "fit_ratio"),
            line["same"],
        ]
        for line in lines
    ]
    columns = ("sweep_seconds", "engine_seconds", "fit_seconds")
    swept, engine, fits = (total(lines, column) for column in columns)
    together = (
        f"All together: {digits(str(swept))} s, by the engine with every run made "
        f"{digits(str(engine))} s ({digits(str(engine / swept))} times), by `fit` in every cell "
        f"{digits(str(fits))} s ({digits(str(fits / swept))} times).\n"
    )
    return f"{markdown(header, table)}\n{together}"


def plane_whole_table(lines: Sequence[Line]) -> str:
    """Return the table of the whole plane, its sum at the end."""
    header = ["data", "rows x features", "runs made", "cells a run", "seconds", "best index"]
    table = [
        [
            line["data"],
            shape(line),
            count(line["n_runs"]),
            digits(line["cells_per_run"]),
            digits(line["seconds"]),
            f"{float(line['best_ari']):.3f}",
        ]
        for line in lines
    ]
    flat = [line for line in lines if line["n_features"] == "2"]
    for name, some in ((f"**all {len(lines)}**", lines), (f"**the {len(flat)} in a plane**", flat)):
        n_runs = total(some, "n_runs")
        cells = sum(int(line["n_cells"]) * int(line["n_orders"]) for line in some)
        seconds = digits(str(total(some, "seconds")))
        table.append([name, "", f"{n_runs:,.0f}", digits(str(cells / n_runs)), seconds, ""])
    return markdown(header, table)


def plane_kinds_table(lines: Sequence[Line]) -> str:
    """Return the table of other kinds."""
    header = ["kind", "cells", "runs made", "cells a run", "seconds", "best index"]
    table = [
        [
            line["kind"],
            count(line["n_cells"]),
            count(line["n_runs"]),
            digits(line["cells_per_run"]),
            digits(line["seconds"]),
            f"{float(line['best_ari']):.3f}",
        ]
        for line in lines
    ]
    return markdown(header, table)


def plane_step(n_cells: str) -> str:
    """Step of a triangle of (k + 1)(k + 2) / 2 cells, k steps on a side."""
    n_values = round((2 * int(n_cells) + 0.25) ** 0.5 - 0.5)
    return f"{1 / (n_values - 1):g}"
