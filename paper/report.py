"""The page: every table and figure of the paper in its order, ours beside theirs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paper import data_sets, figures, pictures, published, tables
from paper.parts import LINKAGES, READING, SYSTEMS
from paper.protocol import FULL, QUICK, Protocol
from paper.store import default_folder, write_whole

# Passages written by hand, by name; the page is whole without them.
TEXT = Path(__file__).parent / "text"

TIMES = {"seconds": "minutes of one process", "cpu_seconds": "of which computing"}

SEARCH_NAMES = ("by activation (Algorithm 1)", "by index (published program)")

PARTS = {
    "ddvfa": "DDVFA: 3 systems x 6 linkages, gamma 3, search by activation",
    "table": "fuzzy ART, DVFA, topoART B (random and VAT order), and the four other methods",
    "gamma": "gamma from 0 to 5: 3 systems, 6 sets, 10 orders",
    "heat": "heat maps (gamma 5; the others are included above)",
    "gamma1": "DDVFA as above, gamma 1",
    "index": "DDVFA as above, gamma 3, search by index",
    "index1": "DDVFA as above, gamma 1, search by index",
    "strict": "topoART B again, with rows nearest to a candidate left out",
    "ends": "VAT order by order: fuzzy ART, DVFA, DDVFA, and topoART by many readings",
    "vat_linkages": "VAT order by order: DDVFA by index, all linkages, gamma 1 and 3",
    "reading": "topoART B as the paper read it, random order",
    "readings": "topoART in random order by many readings, 10 orders",
    "looks": "k-means by seed, affinity propagation by variant, VAT order where ties are many",
}


def main(*, quick: bool = False, folder: Path | None = None) -> int:
    """Write the page, its pictures and the tables of comparison; return the exit status."""
    protocol = QUICK if quick else FULL
    where = folder or default_folder(protocol)
    if not (where / "results" / "runs.csv").exists():
        print(
            f"There are no results in {where / 'results'}. Run the experiments first: "
            f"python -m paper run{' --quick' if quick else ''}",
            file=sys.stderr,
        )
        return 1
    drawn = pictures.draw_all(where, where / "images", protocol)
    runs = tables.read_runs(where)
    write_comparisons(runs, where / "results")
    page = where / "README.md"
    write_whole(page, make_page(runs, drawn, where, protocol))
    if len(tables.compare_table(runs)):  # of made data sets the paper says nothing
        write_whole(where / "SUMMARY.md", make_one_page(runs))
    print(f"written: {page}", file=sys.stderr)
    return 0


def write_comparisons(runs: pd.DataFrame, folder: Path) -> None:
    """Write the comparisons as CSV, for further work."""
    for name, frame in {
        "table7": tables.compare_table(runs),
        "searches": tables.compare_searches(runs),
        "p_values": tables.compare_p_values(runs),
        "ends": tables.compare_ends(runs).assign(
            splits=lambda f: [" ".join(map(str, splits)) for splits in f["splits"]]
        ),
        "readings": tables.compare_readings(runs),
        "looks": tables.compare_looks(runs),
        "conclusions": tables.compare_conclusions(runs).assign(
            members=lambda f: f["members"].map(" ".join), others=lambda f: f["others"].map(" ".join)
        ),
    }.items():
        write_whole(folder / f"{name}.csv", frame.to_csv(index=False, float_format="%.6g"))


def make_page(runs: pd.DataFrame, drawn: dict[str, Path], folder: Path, protocol: Protocol) -> str:
    """Return the page as Markdown."""
    table7 = tables.compare_table(runs)
    p_values = tables.compare_p_values(runs)
    conclusions = tables.compare_conclusions(runs)

    def image(name: str, caption: str) -> str:
        if name not in drawn:
            return f"*Not drawn: {caption} Its runs are missing.*"
        return f"![{caption}]({drawn[name].relative_to(folder)})"

    def by_both(name: str, caption: str) -> str:
        """The picture by the search as printed, and by index if that is run on all data sets."""
        shown = image(name, f"{caption}.")
        if f"{name}_index" in drawn:
            shown += "\n\nBy index:\n\n" + image(f"{name}_index", f"{caption}, search by index.")
        return shown

    sections: list[str] = [
        passage("top"),
        "## Summary\n\n" + summary(table7, p_values, conclusions) + passage("summary"),
        "## What was run" + passage("run") + "\n\n" + show_index_sets(runs) + "\n\n" + times(runs),
        "## Section 3: the method\n\n### Figure 3: match functions\n\n"
        + image("match_surfaces", "Normalised match function for gamma 1 and 10."),
        "## Section 4: the data\n\n### Table 4 and Figure 5: data sets\n\n"
        + describe_data(protocol)
        + "\n\n"
        + image("data_sets", "The data sets; those with more than three features by PCA."),
        "## Section 5.1: DDVFA, VAT and Merge ART\n\n### Figure 6: six linkages, three systems\n\n"
        + by_both("radar", "Peak average ARI by linkage and system")
        + "\n\n"
        + linkage_means(runs)
        + passage("figure6"),
        "### Figure 7: before and after Merge ART\n\n"
        + image("merge_examples", "Partitions before (above) and after (below) Merge ART."),
        "### Table 5 and Figure 8: do linkages differ?\n\n"
        + show_p_values(p_values, "linkages")
        + "\n\n"
        + by_both("cd_linkages", "Critical differences of linkages, by system")
        + "\n\n"
        + show_conclusions(conclusions, "linkages")
        + passage("table5"),
        "### Table 6 and Figure 9: do systems differ?\n\n"
        + show_p_values(p_values, "systems")
        + "\n\n"
        + by_both("cd_systems", "Critical differences of systems, by linkage")
        + "\n\n"
        + show_conclusions(conclusions, "systems")
        + passage("table6"),
        "## Sections 5.2 and 5.3: against other methods\n\n### Table 7: all results\n\n"
        + show_table7(table7)
        + passage("table7"),
        "### Which search made the paper's table?\n\n"
        + show_searches(tables.compare_searches(runs))
        + passage("searches"),
        "### VAT order, to the digit\n\n"
        + show_ends(tables.compare_ends(runs))
        + passage("ends")
        + "\n\n"
        + show_reciprocal(tables.compare_reciprocal(runs)),
        "### How did the paper label topoART's rows?\n\n"
        + show_strict(tables.compare_strict(runs))
        + passage("strict")
        + "\n\n"
        + show_readings(tables.compare_ends(runs), tables.compare_readings(runs))
        + passage("readings"),
        "### One more look at cells that differ\n\n"
        + show_looks(tables.compare_looks(runs))
        + passage("looks"),
        "### How much of a peak is luck?\n\n" + show_fresh(runs) + passage("fresh"),
        "### Figures 10 and 11: ART methods, performance and compactness\n\n"
        + show_p_values(p_values, "art_methods")
        + "\n\n"
        + image("cd_art", "Critical differences of ART methods: performance.")
        + "\n\n"
        + image("cd_compactness", "Critical differences of ART methods: number of categories.")
        + "\n\n"
        + show_conclusions(conclusions, "art_methods")
        + show_reading_conclusions(tables.compare_reading_conclusions(runs))
        + passage("figure10"),
        "### Figure 12: methods other than ART\n\n"
        + show_p_values(p_values, "other_methods")
        + "\n\n"
        + image("cd_others", "Critical differences of DDVFA and other methods.")
        + "\n\n"
        + show_conclusions(conclusions, "other_methods")
        + passage("figure12"),
        "## Section 5.4: the kernel width\n\n### Table 8: gamma 1 against gamma 3\n\n"
        + show_wilcoxon(p_values)
        + passage("table8"),
        "### Figures 13 to 15: gamma from 0 to 5\n\n"
        + "\n\n".join(
            image(f"gamma_{system}", f"{figures.shown_name(system)}: ARI, clusters, categories.")
            for system in SYSTEMS
        )
        + passage("figure13"),
        "### Figure 16: vigilances held fixed\n\n"
        + image("gamma_fixed", "The best vigilances for gamma 1, at every gamma.")
        + passage("figure16"),
        "### Figure 17: the most compact of the best partitions\n\n"
        + image("compact", "Boxes, titled (gamma, number of categories).")
        + passage("figure17"),
        "### Figure 18: heat maps\n\n"
        + image("heat_maps", "Mean ARI over the vigilance plane.")
        + passage("figure18"),
    ]
    return "\n\n".join(section.strip() for section in sections if section.strip()) + "\n"


def make_one_page(runs: pd.DataFrame) -> str:
    """Return the short page; its numbers are counted here."""
    table7 = tables.compare_table(runs)
    searches = tables.compare_searches(runs)
    p_values = tables.compare_p_values(runs)
    conclusions = tables.compare_conclusions(runs)
    ends = tables.compare_ends(runs)
    other = table7[table7["order"] == ""]
    rejected, n_tests = same_answers(p_values, "iman_davenport", "activation")
    widths_same, n_widths = same_answers(p_values, "wilcoxon", "activation")
    claims = {search: conclusions[search].dropna() for search in tables.SEARCHES}
    by_index = searches.dropna(subset=["index_ari_mean"])
    means = {
        name: tables.select(table7, method=method, order=order, merge=merge)
        for name, method, order, merge in (
            *(("merge", "ddvfa", "random", 1), ("vat", "ddvfa", "vat", 0)),
            ("topo", "topoart_b", "random", -1),
        )
    }
    numbers: dict[str, Any] = {
        "agree": int(table7["agrees"].sum()),
        "cells": len(table7),
        "other_agree": int(other["agrees"].sum()),
        "other_cells": len(other),
        "rejected": rejected,
        "tests": n_tests,
        "held": int(claims["activation"].sum()),
        "claims": len(claims["activation"]),
        "held_index": int(claims["index"].sum()),
        "claims_index": len(claims["index"]),
        "index_agree": int(by_index["index_agrees"].sum()),
        "index_cells": len(by_index),
        "activation_agree": int(by_index["activation_agrees"].sum()),
        "widths": n_widths,
        "widths_same": widths_same,
        "widths_index": same_answers(p_values, "wilcoxon", "index")[0],
        "luck": (means["merge"]["ari_mean"] - means["merge"]["fresh_ari_mean"]).mean(),
        "open_sets": "" if is_by_index_whole(runs) else show_index_sets(runs) + "\n\n",
    }
    for name, part in means.items():
        numbers |= {name: part["ari_mean"].mean(), f"{name}_paper": part["paper_mean"].mean()}
    for name, where in {
        "fuzzy": {"of": "fuzzy_art"},
        "dvfa": {"of": "dvfa"},
        "index": {"of": "ddvfa", "search": "index"},
        "activation": {"of": "ddvfa", "search": "activation"},
        "topo": {"of": "topoart_b", **READING},
    }.items():
        part = tables.select(ends, **where)
        numbers |= {f"{name}_n": len(part), f"{name}_ends": int(part["fits"].sum())}
    by_split = [same_answers(p_values, test, "split") for test in ("iman_davenport", "wilcoxon")]
    numbers |= {
        "split_same": sum(same for same, _ in by_split),
        "split_n": sum(n for _, n in by_split),
        "kmeans_hit": _n_reproduced(tables.compare_looks(runs), "kmeans"),
    }
    return passage("one_page").strip().format(**numbers) + "\n"


def same_answers(p_values: pd.DataFrame, test: str, column: str) -> tuple[int, int]:
    """Return how many tests give the paper's answer at the level of 0.05, and of how many."""
    found = tables.select(p_values, test=test).dropna(subset=[column])
    same = (found["p_value"] < 0.05) == (found[column] < 0.05)
    return int(same.sum()), len(found)


def _n_reproduced(looks: pd.DataFrame, method: str) -> int:
    """Return on how many data sets a seed or change gives the paper's digits."""
    if looks.empty:
        return 0
    return int((tables.select(looks, method=method).groupby("data_set")["hits"].max() > 0).sum())


def passage(name: str) -> str:
    """Return the text that was written by hand for this place of the page."""
    path = TEXT / f"{name}.md"
    return "\n\n" + path.read_text(encoding="utf-8").strip() if path.exists() else ""


# ---------------------------------------------------------------------- tables in Markdown


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; the first column is text, the others are aligned to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def mean_and_deviation(mean: float, deviation: float | None) -> str:
    """Return a mean as the paper prints it; nothing where there is none.

    Examples
    --------
    >>> mean_and_deviation(0.5, 0.25), mean_and_deviation(1.0, float("nan"))
    ('0.5000 ± 0.2500', '1.0000')
    """
    if np.isnan(mean):
        return ""
    if deviation is None or np.isnan(deviation):
        return f"{mean:.4f}"
    return f"{mean:.4f} ± {deviation:.4f}"


def p_value(value: float) -> str:
    """Return a p-value in short, in bold where it is significant.

    Examples
    --------
    >>> p_value(0.2), p_value(1.5e-7), p_value(float("nan"))
    ('0.20', '**1.5e-07**', 'not run')
    """
    if np.isnan(value):
        return "not run"
    shown = f"{value:.2f}" if value >= 0.1 else f"{value:.1e}"
    return f"**{shown}**" if value < 0.05 else shown


def column_name(method: str, order: str, merge: int) -> str:
    """Return what Table 7 calls a column."""
    if method == "ddvfa":
        return "DDVFA + Merge ART" if merge == 1 else "VAT + DDVFA"
    name = figures.shown_name(method)
    return f"VAT + {name}" if order == "vat" else name


def of_column(table: pd.DataFrame, column: tuple[str, str, int]) -> pd.DataFrame:
    """Return one column of Table 7."""
    method, order, merge = column
    return tables.select(table, method=method, order=order, merge=merge)


def present(
    table: pd.DataFrame, columns: Sequence[tuple[str, str, int]]
) -> list[tuple[str, str, int]]:
    """Return the columns that were run."""
    return [column for column in columns if not of_column(table, column).empty]


def summary(table7: pd.DataFrame, p_values: pd.DataFrame, conclusions: pd.DataFrame) -> str:
    """Return the sentences that matter most, counted from the tables."""
    if table7.empty:
        return "None of the paper's data sets were run."
    lines = [
        f"- **Table 7: {int(table7['agrees'].sum())} of the {len(table7)} cells that were run "
        "agree with the paper**: within two standard errors of the difference of both means, and "
        "to the last printed digit if the paper's deviation is 0 or it prints none."
    ]
    for columns, what in (
        (tables.ART_COLUMNS, "ART methods, cells that depend on chance"),
        (tables.ART_COLUMNS, "ART methods, cells in which the paper's deviation is 0"),
        (tables.OTHER_COLUMNS, "other methods, to the digit"),
    ):
        part = pd.concat([of_column(table7, column) for column in columns])
        if "chance" in what:
            part = part[part["paper_std"] > 0]
        elif "deviation" in what:
            part = part[part["paper_std"] == 0]
        lines.append(f"  - {what}: {int(part['agrees'].sum())} of {len(part)}.")
    for search in tables.SEARCHES:
        same, n_tests = same_answers(p_values, "iman_davenport", search)
        lines.append(
            f"- **Tests whether methods differ (Iman-Davenport, search by {search}): {same} of "
            f"{n_tests} give the paper's answer** at the level of 0.05."
        )
    for search in tables.SEARCHES:
        same, n_tests = same_answers(p_values, "wilcoxon", search)
        answer = f"{same} of {n_tests} do" if n_tests else "not run yet"
        lines.append(f"- Gamma 1 against gamma 3 (Wilcoxon, search by {search}): {answer}.")
    for search in tables.SEARCHES:
        known = conclusions[conclusions[search].notna()]
        lines.append(
            f"- Statements about which method is better or equal (search by {search}): "
            f"{int(known[search].astype(bool).sum())} of {len(known)} hold."
        )
    return "\n".join(lines)


def times(runs: pd.DataFrame) -> str:
    """Return how long each part took."""
    taken = tables.seconds_of_parts(runs)
    rows = [
        [PARTS[str(part)], f"{row['n_results']:.0f}", *(f"{row[c] / 60:.1f}" for c in TIMES)]
        for part, row in taken.iterrows()
    ]
    return markdown(["part", "results", *TIMES.values()], rows)


def describe_data(protocol: Protocol) -> str:
    """Return the table of data sets."""
    rows = []
    for name in data_sets.names(protocol.data_sets):
        X, y = data_sets.load(name)
        sizes = [f"{X.shape[0]}", f"{X.shape[1]}", f"{len(np.unique(y))}"]
        rows.append([figures.shown_name(name), *sizes])
    half = -(-len(rows) // 2)
    paired = [
        left + (rows[half + i] if half + i < len(rows) else [""] * 4)
        for i, left in enumerate(rows[:half])
    ]
    return markdown(["data set", "samples", "features", "clusters"] * 2, paired)


def linkage_means(runs: pd.DataFrame) -> str:
    """Return the mean over data sets by linkage and system, for both searches."""
    names = tables.sets_by_index(runs)
    parts = []
    for which in (None, names):
        rows = []
        for search, part in tables.SEARCHES.items():
            for system in SYSTEMS:
                scores = tables.linkage_scores(runs, part, system, "ari_mean")
                if which is None and not tables.is_whole(scores, runs):
                    continue
                if which is None and scores.shape[1] != len(LINKAGES):
                    continue
                means = (scores if which is None else scores.loc[which]).mean()
                rows.append(
                    [f"{figures.shown_name(system)}, search by {search}"]
                    + [f"{means[name]:.3f}" if name in means else "" for name in LINKAGES]
                )
        if not rows:
            continue
        title = "Mean over the data sets"
        if which is not None:
            title = f"Mean over the {len(names)} data sets run by both searches"
        parts.append(f"{title}:\n\n" + markdown(["system", *LINKAGES], rows))
        if not names or len(names) == runs["data_set"].nunique():
            break
    return "\n\n".join(parts)


def show_table7(table7: pd.DataFrame) -> str:
    """Return the table of results, ours above theirs; what does not agree is marked."""
    if table7.empty:
        return "None of the paper's data sets were run."
    parts = []
    for columns in (tables.ART_COLUMNS[:4], tables.ART_COLUMNS[4:], tables.OTHER_COLUMNS):
        shown = present(table7, columns)
        if not shown:
            continue
        rows = []
        by_column = {column: of_column(table7, column).set_index("data_set") for column in shown}
        for name in published.table_ar().index:
            ours, theirs = [f"**{figures.shown_name(name)}**"], ["*paper*"]
            for column in shown:
                cells = by_column[column]
                if name not in cells.index:
                    ours.append("")
                    theirs.append("")
                    continue
                cell = cells.loc[name]
                mark = "" if cell["agrees"] else " ✗"
                ours.append(mean_and_deviation(cell["ari_mean"], cell["ari_std"]) + mark)
                theirs.append(f"*{mean_and_deviation(cell['paper_mean'], cell['paper_std'])}*")
            rows += [ours, theirs]
        counts = ["agree"]
        means = ["mean, ours / paper"]
        for column in shown:
            cells = by_column[column]
            counts.append(f"{int(cells['agrees'].sum())} of {len(cells)}")
            means.append(f"{cells['ari_mean'].mean():.4f} / {cells['paper_mean'].mean():.4f}")
        header = ["", *(column_name(*column) for column in shown)]
        parts.append(markdown(header, [*rows, counts, means]))
    return "\n\n".join(parts) + "\n\n✗: does not agree with the paper's value, which is below it."


def show_searches(found: pd.DataFrame) -> str:
    """Return the DDVFA columns by both searches."""
    if found.empty or found["index_ari_mean"].isna().all():
        return "*The search by index was not run.*"
    parts = []
    for (order, merge), cells in found.dropna(subset=["index_ari_mean"]).groupby(
        ["order", "merge"]
    ):
        rows = [
            [
                figures.shown_name(cell["data_set"]),
                mean_and_deviation(cell["paper_mean"], cell["paper_std"]),
                *(_by_search(cell, search) for search in tables.SEARCHES),
            ]
            for cell in cells.to_dict("records")
        ]
        agree = [cells[f"{search}_agrees"].sum() for search in tables.SEARCHES]
        rows.append(["agree", "", *(f"{int(n)} of {len(cells)}" for n in agree)])
        columns = ("paper_mean", *(f"{search}_ari_mean" for search in tables.SEARCHES))
        rows.append(["mean", *(f"{cells[column].mean():.4f}" for column in columns)])
        parts.append(
            f"{column_name('ddvfa', str(order), int(merge))}, single linkage:\n\n"
            + markdown(
                [
                    "data set",
                    "paper",
                    "by activation (Algorithm 1)",
                    "by index (published program)",
                ],
                rows,
            )
        )
    return "\n\n".join(parts)


STRICT = {
    "permanent": "nearest permanent category",
    "strict": "strict: candidates are noise",
    "reading": "as the paper read it",
}


def show_strict(found: pd.DataFrame) -> str:
    """Return topoART's columns by three readings of its labels."""
    if found.empty:
        return "*The strict reading was not run.*"
    parts = []
    for order, cells in found.groupby("order", sort=False):
        names = [name for name in STRICT if cells[f"{name}_mean"].notna().any()]
        rows = [
            [
                figures.shown_name(cell["data_set"]),
                mean_and_deviation(cell["paper_mean"], cell["paper_std"]),
                *(
                    mean_and_deviation(cell[f"{name}_mean"], cell[f"{name}_std"])
                    + (" ✗" if cell[f"{name}_agrees"] is False else "")
                    for name in names
                ),
            ]
            for cell in cells.to_dict("records")
        ]
        agree = [cells[f"{name}_agrees"].dropna() for name in names]
        rows.append(["agree", "", *(f"{int(n.sum())} of {len(n)}" for n in agree)])
        shown = "VAT" if order == "vat" else order
        title = f"topoART B, {shown} order, data sets of up to 400 rows"
        header = ["data set", "paper", *(STRICT[name] for name in names)]
        parts.append(f"{title}:\n\n" + markdown(header, rows))
    return "\n\n".join(parts)


def _by_search(cell: dict[str, Any], search: str) -> str:
    shown = mean_and_deviation(cell[f"{search}_ari_mean"], cell[f"{search}_ari_std"])
    return shown + ("" if cell[f"{search}_agrees"] else " ✗")


def show_fresh(runs: pd.DataFrame) -> str:
    """Return the results of the chosen cells on fresh orders, averaged over the data sets."""
    rows = []
    table = runs[runs["part"].isin(["table", "ddvfa", "index"])].dropna(subset=["fresh_ari_mean"])
    table = table[table["linkage"].isin(["", "single"])]
    groups = table.groupby(["part", "method", "order", "merge"], sort=False)
    for (part, method, order, merge), cells in groups:
        name = column_name(str(method), str(order), int(merge))
        if method == "ddvfa":
            system = tables.system_of(cells).iloc[0]
            name = figures.shown_name(system) + (", search by index" if part == "index" else "")
        drop = cells["ari_mean"] - cells["fresh_ari_mean"]
        worst = cells.loc[drop.idxmax()]
        rows.append(
            [
                name,
                f"{cells['ari_mean'].mean():.4f}",
                f"{cells['fresh_ari_mean'].mean():.4f}",
                f"{drop.mean():.4f}",
                f"{drop.max():.3f} ({figures.shown_name(worst['data_set'])})",
            ]
        )
    if not rows:
        return "*Not run.*"
    header = ["method", "peak, 30 orders", "same cell, 30 fresh orders", "luck", "most"]
    return markdown(header, rows)


def show_p_values(p_values: pd.DataFrame, study: str) -> str:
    """Return the p-values of one study beside the paper's."""
    found = tables.select(p_values, study=study)
    rows = [
        [
            _what(row),
            f"{row['p_value']:.1e}" if row["p_value"] > published.FLOOR else "(floor) 1.1e-16",
            p_value(row["activation"]),
            _so_far(row, p_value),
        ]
        for row in found.to_dict("records")
    ]
    return markdown(["p-value of", "paper", "ours, by activation", "ours, by index"], rows)


def _so_far(row: Mapping[str, Any], show: Callable[[Any], str]) -> str:
    """Return what the search by index says, and of how many data sets if not of all."""
    if not pd.isna(row["index"]):
        if pd.isna(row["split"]):
            return show(row["index"])
        return f"{show(row['index'])}; split as in the paper: {show(row['split'])}"
    n_sets = row["n_sets"]
    if n_sets == 0:
        return "not run"
    if pd.isna(row["index_so_far"]):
        return f"{n_sets} sets run, too few"
    same = show(row["activation_so_far"])
    return f"{show(row['index_so_far'])} ({n_sets} sets; by activation {same})"


def _what(row: dict[str, object]) -> str:
    if row["study"] == "systems":
        return str(row["linkage"])
    if row["study"] == "art_methods":
        order = "VAT order" if row["order"] == "vat" else "random order"
        return f"{row['quantity']}, {order}"
    of = {"order": row["order"], "merge": row["merge"]}
    (system,) = (name for name, settings in SYSTEMS.items() if settings == of)
    return figures.shown_name(system)


CLAIMS: dict[str, Callable[[str, str], str]] = {
    "best_group": lambda a, _: f"best group: {a}",
    "worst_group": lambda a, _: f"worst group: {a}",
    "first": lambda a, _: f"{a} has the best rank",
    "second": lambda a, _: f"{a} has the second rank",
    "equivalent": lambda a, _: f"equivalent: {a}",
    "better": lambda a, b: f"{a} significantly better than {b}",
    "better_rank": lambda a, b: f"{a} of better rank than {b}",
}


def _claim(row: dict[str, Any]) -> str:
    """Return a claim of the paper in words."""
    members, others = (
        ", ".join(figures.shown_name(name) for name in row[key]) for key in ("members", "others")
    )
    return f"{_what(row)}: {CLAIMS[row['kind']](members, others)}"


def show_conclusions(conclusions: pd.DataFrame, study: str) -> str:
    """Return what the paper says of a study, and whether it holds."""
    rows = [
        [_claim(row), _verdict(row["activation"]), _so_far(row, _verdict)]
        for row in tables.select(conclusions, study=study).to_dict("records")
    ]
    return markdown(["the paper says", "by activation", "by index"], rows)


def show_reading_conclusions(found: pd.DataFrame) -> str:
    """Return whether claims hold with topoART as the paper read it; nothing if that is not run."""
    if found.empty:
        return ""
    rows = [[_claim(row), _verdict(row["holds"])] for row in found.to_dict("records")]
    header = ["the paper says", "by index, topoART as the paper read it"]
    return "\n\nWith topoART as the paper read it, too:\n\n" + markdown(header, rows)


def _verdict(value: object) -> str:
    if value is None or pd.isna(value):
        return "not run"
    return "holds" if value else "**does not hold**"


def show_wilcoxon(p_values: pd.DataFrame) -> str:
    """Return the p-values of gamma 1 against gamma 3, ours above the paper's."""
    found = tables.select(p_values, test="wilcoxon")
    rows = []
    for quantity in ("performance", "compactness"):
        for system, of in SYSTEMS.items():
            cells = tables.select(found, quantity=quantity, **of).set_index("linkage")
            rows.append(
                [f"{figures.shown_name(system)}, {quantity}"]
                + [p_value(cells.loc[name, "activation"]) for name in LINKAGES]
            )
            if (cells["n_sets"] >= tables.ENOUGH_SETS).any():
                by_index = [
                    _so_far({**cells.loc[name], "split": np.nan}, p_value) for name in LINKAGES
                ]
                rows.append(["by index", *by_index])
            if cells["split"].notna().any():
                by_split = [p_value(cells.loc[name, "split"]) for name in LINKAGES]
                rows.append(["by index, split as in the paper", *by_split])
            rows.append(["*paper*", *(p_value(cells.loc[name, "p_value"]) for name in LINKAGES)])
    return markdown(["", *LINKAGES], rows)


def is_by_index_whole(runs: pd.DataFrame) -> bool:
    """Tell whether the search by index is run with all linkages on all data sets."""
    return len(tables.sets_by_index(runs)) == int(runs["data_set"].nunique())


def show_index_sets(runs: pd.DataFrame) -> str:
    """Return on which data sets the search by index is run with all linkages."""
    names = tables.sets_by_index(runs)
    n_all = int(runs["data_set"].nunique())
    single = tables.system_scores(runs, "index", "single", "ari_mean")
    if is_by_index_whole(runs):
        return "The search by index was run with all linkages and both gammas on all data sets."
    which = ", ".join(figures.shown_name(name) for name in names) or "none"
    more = (
        "To add the others: `python -m paper run --only index index1 --by-set --missing`, and then "
        "`python -m paper report`."
    )
    return (
        f"The search by index was run with single linkage and gamma 3 on {len(single)} data sets, "
        f"and with all linkages and both gammas on {len(names)} of {n_all}: {which}. Tests need "
        f"{tables.ENOUGH_SETS} data sets or more. {more}"
    )


ENDS: tuple[tuple[dict[str, str], str], ...] = (
    ({"of": "fuzzy_art"}, "fuzzy ART"),
    ({"of": "dvfa"}, "DVFA"),
    ({"of": "ddvfa", "search": "index"}, "DDVFA, by index"),
    ({"of": "topoart_b", **READING}, "topoART B, as the paper read it"),
    ({"of": "ddvfa", "search": "activation"}, "DDVFA, by activation"),
)


def show_ends(found: pd.DataFrame) -> str:
    """Return by which split of the runs each column in VAT order is the paper's."""
    if found.empty:
        return "*Not run.*"
    header = ["data set"]
    columns = []
    for where, title in ENDS:
        part = tables.select(found, **where).set_index("data_set")
        if len(part):
            header.append(title)
            columns.append(part)
    names = [name for name in published.table_ar().index if any(name in c.index for c in columns)]
    rows = [
        [
            figures.shown_name(name),
            *(
                _splits(*c.loc[name, ["splits", "n_orders"]]) if name in c.index else ""
                for c in columns
            ),
        ]
        for name in names
    ]
    same = ["to the digit", *(f"{int(c['fits'].sum())} of {len(c)}" for c in columns)]
    # Where all orders come to the same, no split is told.
    telling = [c[c["n_orders"] > 1] for c in columns]
    of_these = ["where orders differ", *(f"{int(c['fits'].sum())} of {len(c)}" for c in telling)]
    return markdown(header, [*rows, same, of_these])


def show_reciprocal(found: pd.DataFrame) -> str:
    """Return the cells that depend on too many ties, with rows scaled as the paper scaled them."""
    rows = [
        [
            f"{column_name(row['method'], row['order'], row['merge'])}"
            f"{', by index' if row['method'] == 'ddvfa' else ''}",
            figures.shown_name(row["data_set"]),
            mean_and_deviation(row["paper_mean"], row["paper_std"]),
            mean_and_deviation(row["ari_mean"], row["ari_std"]) + ("" if row["agrees"] else " ✗"),
        ]
        for row in found.to_dict("records")
    ]
    if not rows:
        return ""
    return "Data sets with more VAT orders, rows scaled in the same way:\n\n" + markdown(
        ["column", "data set", "paper", "ours"], rows
    )


def _splits(splits: tuple[int, ...], n_orders: int) -> str:
    """Return splits in short.

    Examples
    --------
    >>> _splits((13,), 2), _splits((0, 1, 2, 5), 3), _splits((), 2), _splits((0, 1, 2), 1)
    ('13', '0-2, 5', '**none**', 'any')
    """
    if n_orders == 1 and splits:
        return "any"
    runs: list[list[int]] = []
    for k in splits:
        if runs and k == runs[-1][-1] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    shown = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    return shown or "**none**"


def show_readings(ends: pd.DataFrame, random: pd.DataFrame) -> str:
    """Return in how many cells each reading of topoART agrees with the paper, in both orders."""
    parts = []
    topo = tables.select(ends, of="topoart_b")
    # Readings are compared on the data sets that more than one of them was tried on.
    topo = topo[topo.groupby("data_set")["learning"].transform("nunique") > 1]
    if len(topo):
        parts.append(
            "VAT order: data sets of up to 400 rows on which the paper's mean and deviation come "
            "out to the last digit, by a split that is also fuzzy ART's:\n\n"
            + _counts(topo.assign(agrees=topo["fits"]))
        )
    if len(random):
        parts.append(
            "Random order: data sets that agree within two standard errors, 10 orders, every "
            "second vigilance:\n\n" + _counts(random)
        )
    return "\n\n".join(parts) or "*Other readings were not run.*"


def _counts(found: pd.DataFrame) -> str:
    labellings = list(dict.fromkeys(found["labels"]))
    rows = []
    for learning, part in found.groupby("learning", sort=False):
        cells = part.groupby("labels")["agrees"]
        sums, sizes = cells.sum(), cells.size()
        rows.append(
            [
                str(learning).replace("_", " "),
                *(f"{int(sums.get(name, 0))} of {sizes.get(name, 0)}" for name in labellings),
            ]
        )
    return markdown(["learning", *(name.replace("_", " ") for name in labellings)], rows)


def show_looks(found: pd.DataFrame) -> str:
    """Return how far seeds and settings change the results of methods other than ART."""
    if found.empty:
        return "*Not run.*"
    rows = [
        [
            f"{figures.shown_name(row['method'])}, {figures.shown_name(row['data_set'])}",
            row["of"],
            f"{row['paper_mean']:.4f}",
            f"{row['usual_mean']:.4f}",
            f"{row['lowest']:.4f}"
            + (f" to {row['highest']:.4f}" if row["highest"] > row["lowest"] else ""),
            f"{row['hits']} of {row['n']}",
        ]
        for row in found.sort_values(["method", "data_set"], kind="stable").to_dict("records")
    ]
    header = ["cell", "seed or change", "paper", "table above", "came out", "paper's digits"]
    return markdown(header, rows)
