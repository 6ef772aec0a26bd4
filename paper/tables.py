"""Ours beside theirs: the results of the runs set against what the paper prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paper import published, statistics
from paper.parts import LINKAGES, SYSTEMS

# The part of the experiments that has DDVFA at the paper's gamma, by how modules are searched.
SEARCHES = {"activation": "ddvfa", "index": "index"}

# Columns of Table 7: method, order, and whether modules are merged.
ART_COLUMNS = tuple(
    (method, order, (1 if order == "random" else 0) if method == "ddvfa" else -1)
    for order in ("random", "vat")
    for method in ("fuzzy_art", "dvfa", "topoart_b", "ddvfa")
)
OTHER_COLUMNS = tuple(
    (method, "", -1) for method in ("sl_hac", "dbscan", "kmeans", "affinity_propagation")
)
KEY = ["method", "order", "merge", "data_set"]


def read_runs(folder: Path) -> pd.DataFrame:
    """Return ``results/runs.csv``; ``merge`` is -1, and text empty, where they do not apply."""
    text = ["part", "method", "of", "order", "linkage", "search", "learning", "labels"]
    text += ["data_set", "params"]
    runs = pd.read_csv(
        folder / "results" / "runs.csv",
        dtype=dict.fromkeys(text, str),
        keep_default_na=False,
        na_values=dict.fromkeys(
            ["merge", "gamma", "ari_std", "n_clusters_std", "n_categories_mean",
             "n_categories_std", "fresh_ari_mean", "fresh_ari_std"], "",
        ),
    )  # fmt: skip
    runs["merge"] = runs["merge"].fillna(-1).astype(int)
    return runs


def system_of(runs: pd.DataFrame) -> pd.Series:
    """Return which of the three systems each row of DDVFA is: vat, plain or merge."""
    names = {(str(of["order"]), int(of["merge"])): name for name, of in SYSTEMS.items()}
    return pd.Series(
        [names.get(key, "") for key in zip(runs["order"], runs["merge"], strict=True)],
        index=runs.index,
    )


def select(runs: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Return the rows that have these values."""
    keep = np.ones(len(runs), dtype=bool)
    for name, value in where.items():
        keep &= (runs[name] == value).to_numpy()
    return runs[keep]


def linkage_scores(runs: pd.DataFrame, part: str, system: str, value: str) -> pd.DataFrame:
    """Return data sets by linkages, for one system."""
    of = SYSTEMS[system]
    rows = select(runs, part=part, method="ddvfa", order=of["order"], merge=of["merge"])
    return _pivot(rows, "linkage", value, LINKAGES)


def system_scores(runs: pd.DataFrame, part: str, linkage: str, value: str) -> pd.DataFrame:
    """Return data sets by systems, for one linkage."""
    rows = select(runs, part=part, method="ddvfa", linkage=linkage)
    return _pivot(rows.assign(system=system_of(rows)), "system", value, tuple(SYSTEMS))


def art_scores(runs: pd.DataFrame, part: str, order: str, value: str) -> pd.DataFrame:
    """Return data sets by ART methods; those with one category a cluster have no compactness."""
    others = select(runs, part="table", order=order)
    merge = 1 if order == "random" else 0
    ddvfa = select(runs, part=part, method="ddvfa", order=order, merge=merge, linkage="single")
    names: tuple[str, ...] = ("dvfa", "topoart_b", "ddvfa")
    if value == "ari_mean":
        names = ("fuzzy_art", *names)
    return _pivot(pd.concat([others, ddvfa]), "method", value, names)


def other_scores(runs: pd.DataFrame, part: str, system: str) -> pd.DataFrame:
    """Return data sets by DDVFA and the methods that are no ART."""
    of = SYSTEMS[system]
    names = ("ddvfa", *(method for method, _, _ in OTHER_COLUMNS))
    rows = runs[(runs["part"] == "table") & runs["method"].isin(names)]
    ddvfa = select(
        runs, part=part, method="ddvfa", order=of["order"], merge=of["merge"], linkage="single"
    )
    return _pivot(pd.concat([rows, ddvfa]), "method", "ari_mean", names)


def _pivot(rows: pd.DataFrame, columns: str, value: str, names: tuple[str, ...]) -> pd.DataFrame:
    """Return a full table: data sets that lack a value are left out, so are absent columns."""
    table = rows.pivot_table(index="data_set", columns=columns, values=value)
    table.columns.name = None
    present = [name for name in names if name in table]
    return table[present].dropna()


def is_whole(scores: pd.DataFrame, runs: pd.DataFrame) -> bool:
    """Tell whether several methods have been run on all data sets: no test judges by a part."""
    n_data_sets = int(runs["data_set"].nunique())
    return len(scores) == n_data_sets > 1 and scores.shape[1] > 1


def compare_strict(runs: pd.DataFrame) -> pd.DataFrame:
    """Return topoART's columns of Table 7 by both readings of its labels."""
    strict = select(runs, part="strict").assign(part="table", method="topoart_b")
    usual = select(runs, part="table", method="topoart_b")
    index = ["order", "data_set"]
    found = {}
    for name, rows in (("permanent", usual), ("strict", strict)):
        compared = select(_compare(rows), method="topoart_b").set_index(index)
        found[name] = compared.rename(
            columns={
                "ari_mean": f"{name}_mean",
                "ari_std": f"{name}_std",
                "agrees": f"{name}_agrees",
            }
        )
    columns = ["permanent_mean", "permanent_std", "permanent_agrees", "paper_mean", "paper_std"]
    return (
        found["permanent"][columns]
        .join(found["strict"][["strict_mean", "strict_std", "strict_agrees"]], how="inner")
        .reset_index()
    )


def compare_table(runs: pd.DataFrame, search: str = "activation") -> pd.DataFrame:
    """Return every cell of Table 7 that was run, ours beside theirs.

    Returns
    -------
    frame : DataFrame
        ``method``, ``order``, ``merge``, ``data_set``; ``ari_mean``, ``ari_std``,
        ``fresh_ari_mean``, ``fresh_ari_std`` of ours; ``paper_mean``, ``paper_std``;
        ``apart``, in standard errors of the difference, and whether it ``agrees``.
    """
    table = runs[(runs["part"] == "table")]
    ddvfa = select(runs, part=SEARCHES[search], method="ddvfa", linkage="single")
    return _compare(pd.concat([table, ddvfa]))


def _compare(ours: pd.DataFrame) -> pd.DataFrame:
    # Methods of a single run have no order in the paper's table.
    ours = ours.assign(order=ours["order"].where(ours["n_orders"] > 1, ""))
    theirs = published.results().rename(columns={"ari_mean": "paper_mean", "ari_std": "paper_std"})
    both = theirs.drop(columns="linkage").merge(
        ours[[*KEY, "n_orders", "params", "ari_mean", "ari_std", "fresh_ari_mean",
              "fresh_ari_std", "n_categories_mean"]], on=KEY,
    )  # fmt: skip
    judged = [
        (
            _judge(statistics.standard_errors_apart, row),
            _judge(statistics.agrees, row),
        )
        for row in both.to_dict("records")
    ]
    both["apart"] = [apart for apart, _ in judged]
    both["agrees"] = [agrees for _, agrees in judged]
    return both


def _judge(rule: Any, row: Mapping[str, Any]) -> Any:
    return rule(
        row["ari_mean"],
        _none(row["ari_std"]),
        int(row["n_orders"]),
        row["paper_mean"],
        _none(row["paper_std"]),
        decimals=int(row["decimals"]),
    )


def _none(value: float) -> float | None:
    return None if np.isnan(value) else value


def study_scores(
    runs: pd.DataFrame, study: Mapping[str, Any], search: str = "activation"
) -> pd.DataFrame:
    """Return the table that a p-value or a conclusion of the paper is about."""
    part = SEARCHES[search]
    value = "ari_mean" if study["quantity"] == "performance" else "n_categories_mean"
    if study["study"] == "linkages":
        return linkage_scores(runs, part, _system(study), value)
    if study["study"] == "systems":
        return system_scores(runs, part, str(study["linkage"]), value)
    if study["study"] == "art_methods":
        return art_scores(runs, part, str(study["order"]), value)
    if study["study"] == "other_methods":
        return other_scores(runs, part, _system(study))
    raise ValueError(f"Unknown study {study['study']!r}.")


def _system(study: Mapping[str, Any]) -> str:
    of = {"order": study["order"], "merge": int(study["merge"])}
    (name,) = (name for name, settings in SYSTEMS.items() if settings == of)
    return name


def gamma_pair(runs: pd.DataFrame, study: Mapping[str, Any]) -> pd.DataFrame:
    """Return data sets by gamma 1 and 3, for one system and linkage."""
    value = "ari_mean" if study["quantity"] == "performance" else "n_categories_mean"
    linkage, system = str(study["linkage"]), _system(study)
    columns = {
        gamma: linkage_scores(runs, part, system, value).get(linkage)
        for gamma, part in ((1, "gamma1"), (3, "ddvfa"))
    }
    if any(column is None for column in columns.values()):
        return pd.DataFrame(columns=[1, 3])
    return pd.DataFrame(columns).dropna()


def compare_p_values(runs: pd.DataFrame) -> pd.DataFrame:
    """Return every p-value of the paper beside ours, by both ways to search for a module."""
    rows = []
    for study in published.p_values().to_dict("records"):
        row = dict(study)
        for search in SEARCHES:
            if study["test"] == "wilcoxon":
                row[search] = _wilcoxon(runs, study) if search == "activation" else np.nan
            else:
                row[search] = _iman_davenport(runs, study, search)
        rows.append(row)
    return pd.DataFrame(rows)


def _wilcoxon(runs: pd.DataFrame, study: Mapping[str, Any]) -> float:
    pair = gamma_pair(runs, study)
    if not is_whole(pair, runs):
        return float("nan")
    return statistics.wilcoxon(pair[1], pair[3]).p_value


def _iman_davenport(runs: pd.DataFrame, study: Mapping[str, Any], search: str) -> float:
    scores = study_scores(runs, study, search)
    if not _has_all(scores, runs, study):
        return float("nan")
    better = study["quantity"] == "performance"
    return statistics.iman_davenport(scores, higher_is_better=better).p_value


def _has_all(scores: pd.DataFrame, runs: pd.DataFrame, study: Mapping[str, Any]) -> bool:
    """Tell whether all methods of a study have been run on all data sets."""
    expected = {
        "linkages": len(LINKAGES),
        "systems": len(SYSTEMS),
        "art_methods": 4 if study["quantity"] == "performance" else 3,
        "other_methods": 1 + len(OTHER_COLUMNS),
    }[str(study["study"])]
    return is_whole(scores, runs) and scores.shape[1] == expected


def compare_conclusions(runs: pd.DataFrame) -> pd.DataFrame:
    """Return every claim of the paper about ranks, and whether it holds for our runs."""
    rows = []
    for study in published.conclusions().to_dict("records"):
        row = dict(study)
        for search in SEARCHES:
            scores = study_scores(runs, study, search)
            row[search] = _holds(scores, study) if _has_all(scores, runs, study) else None
        rows.append(row)
    return pd.DataFrame(rows)


def _holds(scores: pd.DataFrame, study: Mapping[str, Any]) -> bool:
    better = study["quantity"] == "performance"
    ranks = statistics.average_ranks(scores, higher_is_better=better)
    difference = statistics.critical_difference(scores.shape[1], len(scores))
    return statistics.holds(
        study["kind"], study["members"], study["others"], ranks=ranks, difference=difference
    )


def compare_searches(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the DDVFA columns of Table 7 by both searches beside the paper's."""
    found = {search: compare_table(runs, search) for search in SEARCHES}
    index = ["order", "merge", "data_set"]
    frames = []
    for search, frame in found.items():
        columns = select(frame, method="ddvfa").set_index(index)
        frames.append(columns[["ari_mean", "ari_std", "agrees", "apart"]].add_prefix(f"{search}_"))
    paper = select(found["activation"], method="ddvfa").set_index(index)
    return paper[["paper_mean", "paper_std"]].join(frames).reset_index()


def seconds_of_parts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the time that each part took; what two parts share counts for the first."""
    key = ["method", "order", "merge", "linkage", "gamma", "search", "data_set", "n_orders"]
    key += [name for name in ("of", "learning", "labels") if name in runs]
    once = runs.drop_duplicates(key)
    return once.groupby("part", sort=False).agg(
        n_results=("seconds", "size"),
        seconds=("seconds", "sum"),
        cpu_seconds=("cpu_seconds", "sum"),
    )
