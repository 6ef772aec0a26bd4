"""Ours beside theirs: the results of the runs set against what the paper prints."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from paper import published, splits, statistics
from paper.parts import LINKAGES, READING, SYSTEMS

# The part of the experiments that has DDVFA at the paper's gamma, by how modules are searched.
SEARCHES = {"activation": "ddvfa", "index": "index"}
# The same at gamma 1.
SEARCHES_1 = {"activation": "gamma1", "index": "index1"}

# Fewer data sets than these are no ground for a test.
ENOUGH_SETS = 10

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

# Six have 324,632 splits, more than six too many.
MOST_JOINT_ORDERS = 6

# Data sets by linkages, by gamma and quantity.
Scores = dict[tuple[float, str], pd.DataFrame]

QUANTITIES = {"performance": "ari_mean", "compactness": "n_categories_mean"}


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
    """Return topoART's columns of Table 7 by three readings of its labels.

    ``permanent`` is what this library does, ``strict`` has noise, and ``reading`` is what comes
    out as the paper's digits.
    """
    index = ["order", "data_set"]
    parts = {
        "permanent": select(runs, part="table", method="topoart_b"),
        "strict": select(runs, part="strict"),
        "reading": select(runs, part="reading", **READING) if "labels" in runs else runs[:0],
    }
    found = {}
    for name, rows in parts.items():
        compared = select(_compare(rows.assign(method="topoart_b")), method="topoart_b")
        found[name] = compared.set_index(index).rename(
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
        .join(found["reading"][["reading_mean", "reading_std", "reading_agrees"]])
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
    value = QUANTITIES[str(study["quantity"])]
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


def gamma_pair(
    runs: pd.DataFrame, study: Mapping[str, Any], search: str = "activation"
) -> pd.DataFrame:
    """Return data sets by gamma 1 and 3, for one system and linkage."""
    value = QUANTITIES[str(study["quantity"])]
    linkage, system = str(study["linkage"]), _system(study)
    columns = {
        gamma: linkage_scores(runs, part, system, value).get(linkage)
        for gamma, part in ((1, SEARCHES_1[search]), (3, SEARCHES[search]))
    }
    if any(column is None for column in columns.values()):
        return pd.DataFrame(columns=[1, 3])
    return pd.DataFrame(columns).dropna()


def compare_p_values(runs: pd.DataFrame) -> pd.DataFrame:
    """Return every p-value of the paper beside ours, by both ways to search for a module.

    Returns
    -------
    frame : DataFrame
        The paper's, then ``activation`` and ``index`` over all data sets, NaN where some are not
        run; ``n_sets``, how many are run with the search by index; and, where these are enough
        for a test but not all, ``activation_so_far`` and ``index_so_far`` over them alone. In
        VAT order, ``split`` is by index with the runs split as the paper's were (`vat_scores`).
    """
    by_split = vat_scores(runs)
    rows = []
    for study in published.p_values().to_dict("records"):
        judge = _wilcoxon if study["test"] == "wilcoxon" else _iman_davenport
        rows.append(dict(study) | _by_search(runs, study, judge, float("nan"), by_split))
    return pd.DataFrame(rows)


def _by_search(
    runs: pd.DataFrame, study: Mapping[str, Any], judge: Any, none: Any, by_split: Scores
) -> Any:
    """Return what a test says over all data sets, and over those run by both searches."""
    scores = {search: _scores(runs, study, search) for search in SEARCHES}
    found: dict[str, Any] = {
        search: judge(table, study) if _has_all(table, runs, study) else none
        for search, table in (scores | {"split": _split_scores(by_split, study)}).items()
    }
    table = scores["index"]
    there = _has_columns(table, study) and _has_columns(scores["activation"], study)
    both = table.index.intersection(scores["activation"].index) if there else table.index[:0]
    found["n_sets"] = len(both)
    so_far = there and len(both) >= ENOUGH_SETS and not _has_all(table, runs, study)
    for search in SEARCHES:
        found[f"{search}_so_far"] = judge(scores[search].loc[both], study) if so_far else none
    return found


def _scores(runs: pd.DataFrame, study: Mapping[str, Any], search: str) -> pd.DataFrame:
    if study["study"] == "gamma_1_and_3":
        return gamma_pair(runs, study, search)
    return study_scores(runs, study, search)


def _split_scores(by_split: Scores, study: Mapping[str, Any]) -> pd.DataFrame:
    """Return the same with the runs split as the paper's were: DDVFA in VAT order only."""
    tables = {gamma: by_split.get((gamma, str(study["quantity"]))) for gamma in (1.0, 3.0)}
    narrow, wide = tables.values()
    if study["order"] != "vat" or narrow is None or wide is None:
        return pd.DataFrame()
    if study["study"] == "linkages":
        return wide
    if study["study"] == "gamma_1_and_3":
        pair = {1: narrow.get(study["linkage"]), 3: wide.get(study["linkage"])}
        if all(column is not None for column in pair.values()):
            return pd.DataFrame(pair).dropna()
    return pd.DataFrame()


def _wilcoxon(pair: pd.DataFrame, study: Mapping[str, Any]) -> float:
    return statistics.wilcoxon(pair[1], pair[3]).p_value


def _iman_davenport(scores: pd.DataFrame, study: Mapping[str, Any]) -> float:
    better = study["quantity"] == "performance"
    return statistics.iman_davenport(scores, higher_is_better=better).p_value


def _has_all(scores: pd.DataFrame, runs: pd.DataFrame, study: Mapping[str, Any]) -> bool:
    """Tell whether all methods of a study have been run on all data sets."""
    return is_whole(scores, runs) and _has_columns(scores, study)


def _has_columns(scores: pd.DataFrame, study: Mapping[str, Any]) -> bool:
    expected = {
        "linkages": len(LINKAGES),
        "systems": len(SYSTEMS),
        "art_methods": 4 if study["quantity"] == "performance" else 3,
        "other_methods": 1 + len(OTHER_COLUMNS),
        "gamma_1_and_3": 2,
    }[str(study["study"])]
    return bool(scores.shape[1] == expected)


def compare_conclusions(runs: pd.DataFrame) -> pd.DataFrame:
    """Return every claim of the paper about ranks, and whether it holds for our runs.

    The columns of ours are those of :func:`compare_p_values`, with None for NaN.
    """
    by_split = vat_scores(runs)
    return pd.DataFrame(
        [
            dict(study) | _by_search(runs, study, _holds, None, by_split)
            for study in published.conclusions().to_dict("records")
        ]
    )


def _holds(scores: pd.DataFrame, study: Mapping[str, Any]) -> bool:
    better = study["quantity"] == "performance"
    ranks = statistics.average_ranks(scores, higher_is_better=better)
    difference = statistics.critical_difference(scores.shape[1], len(scores))
    return statistics.holds(
        study["kind"], study["members"], study["others"], ranks=ranks, difference=difference
    )


def compare_reading_conclusions(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the claims about ART methods in random order, with topoART as the paper read it.

    DDVFA is by index, as in the paper's program.

    Returns
    -------
    frame : DataFrame
        The claims, and whether each ``holds``; empty if a data set is missing.
    """
    claims = select(published.conclusions(), study="art_methods", quantity="performance")
    claims = select(claims, order="random")
    reading = select(runs, part="reading", **READING) if "labels" in runs else runs[:0]
    scores = art_scores(runs, SEARCHES["index"], "random", QUANTITIES["performance"])
    if not len(scores) or "topoart_b" not in scores:
        return claims[:0].assign(holds=[])
    scores["topoart_b"] = reading.set_index("data_set")["ari_mean"]
    scores = scores.dropna()
    if not all(_has_all(scores, runs, claim) for claim in claims.to_dict("records")):
        return claims[:0].assign(holds=[])
    return claims.assign(holds=[_holds(scores, claim) for claim in claims.to_dict("records")])


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


def sets_by_index(runs: pd.DataFrame) -> list[str]:
    """Return the data sets that have all systems, linkages and both gammas by index."""
    found = [
        set(linkage_scores(runs, part, system, "ari_mean").index)
        for parts in (SEARCHES, SEARCHES_1)
        for part in [parts["index"]]
        for system in SYSTEMS
        if linkage_scores(runs, part, system, "ari_mean").shape[1] == len(LINKAGES)
    ]
    return sorted(set.intersection(*found)) if len(found) == 2 * len(SYSTEMS) else []


def compare_ends(runs: pd.DataFrame) -> pd.DataFrame:
    """Return by which splits of the runs among the VAT orders the paper's digits come out.

    Returns
    -------
    frame : DataFrame
        ``of``, ``search``, ``learning``, ``labels``, ``data_set``; ``paper_mean``, ``paper_std``;
        ``n_orders`` that differ in the result, ``n_splits`` of the runs among them, and how many
        of these give both numbers to the last digit (``n_matching``); ``splits``, a tuple of how
        many runs began at the first end of the data by those; and ``fits``, whether one of them
        is also fuzzy ART's.
    """
    columns = ["of", "search", "learning", "labels", "data_set"]
    counts = ["n_orders", "n_splits", "n_matching", "splits"]
    ours = select(runs, part="ends") if "of" in runs else runs[:0]
    if ours.empty:
        return pd.DataFrame(columns=[*columns, "paper_mean", "paper_std", *counts, "fits"])
    theirs = published.results()
    theirs = theirs[theirs["order"] == "vat"].rename(
        columns={"method": "of", "ari_mean": "paper_mean", "ari_std": "paper_std"}
    )
    both = ours[[*columns, "params"]].merge(
        theirs[["of", "data_set", "paper_mean", "paper_std"]], on=["of", "data_set"]
    )
    found = [
        _splits_of(json.loads(params), mean, std)
        for params, mean, std in zip(
            both["params"], both["paper_mean"], both["paper_std"], strict=True
        )
    ]
    both = both.drop(columns="params").join(pd.DataFrame(found, columns=counts))
    fuzzy = select(both, of="fuzzy_art").set_index("data_set")["splits"]
    both["fits"] = [
        bool(set(here) & set(fuzzy.get(name, here)))
        for name, here in zip(both["data_set"], both["splits"], strict=True)
    ]
    return both


def _splits_of(
    found: Mapping[str, Any], mean: float, std: float
) -> tuple[int, int, int, tuple[int, ...]]:
    aris = np.array(found["aris"])
    every = splits.all_splits(found["n_runs"], aris.shape[1])
    matching = every[splits.matches(aris, every, mean, std)]
    ends = splits.runs_from_first_end(matching, found["groups"], found["starts"])
    return aris.shape[1], len(every), len(matching), ends


def paper_splits(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Return by which splits among all VAT orders of a data set every column is the paper's.

    With more than a few orders, too many splits would have to be tried. There, it is only known
    how many runs began at which end, and the orders of an end share them evenly.
    """
    ours = select(runs, part="ends") if "of" in runs else runs[:0]
    theirs = published.results()
    theirs = theirs[theirs["order"] == "vat"].set_index(["method", "data_set"])
    columns: dict[str, list[tuple[dict[str, Any], float, float]]] = defaultdict(list)
    for row in ours.to_dict("records"):
        key = (row["of"], row["data_set"])
        is_papers = {"ddvfa": row["search"] == "index", "topoart_b": _has(row, READING)}
        if key in theirs.index and is_papers.get(row["of"], True):
            printed = theirs.loc[key, ["ari_mean", "ari_std"]]
            columns[row["data_set"]].append((json.loads(row["params"]), *printed))
    found = {name: _joint_splits(of_set) for name, of_set in columns.items()}
    return {name: known for name, known in found.items() if len(known)}


def _joint_splits(columns: list[tuple[dict[str, Any], float, float]]) -> NDArray[np.float64]:
    """Return the splits that give every column of one data set."""
    starts, n_runs = (columns[0][0][name] for name in ("starts", "n_runs"))
    if len(starts) <= MOST_JOINT_ORDERS:
        every = splits.all_splits(n_runs, len(starts))
        for params, mean, std in columns:
            grouped = splits.in_groups(every, params["groups"])
            every = every[splits.matches(np.array(params["aris"]), grouped, mean, std)]
            if not len(every):
                break
        return every.astype(float)
    ends = set.intersection(*(set(_splits_of(*column)[-1]) for column in columns))
    first = np.array(starts) == min(starts)
    if first.all():
        return np.empty((0, len(starts)))
    shares = [k * first / first.sum() + (n_runs - k) * ~first / (~first).sum() for k in ends]
    return np.array(shares) if len(shares) == 1 else np.empty((0, len(starts)))


def _has(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(row[name] == value for name, value in values.items())


def vat_scores(runs: pd.DataFrame) -> Scores:
    """Return data sets by linkages in VAT order, with the runs split as the paper's were.

    Where several splits give the paper's digits one in the middle is taken: for the index, it
    hardly matters which. Data sets of which no split is known have their runs as they are.

    Returns
    -------
    scores : dict
        By gamma and by "performance" or "compactness".
    """
    known = paper_splits(runs)
    linkages = select(runs, part="vat_linkages")
    linkages = linkages[linkages["data_set"].isin(list(known))]
    if linkages.empty:
        return {}
    values: dict[tuple[float, str], dict[str, dict[str, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for row in linkages.to_dict("records"):
        found = known[row["data_set"]]
        params = json.loads(row["params"])
        peak = splits.peak_at(
            np.array(params["aris"]), np.array(params["sizes"]), found[len(found) // 2]
        )
        for quantity, value in zip(QUANTITIES, peak, strict=True):
            # As many decimals as the table of runs has.
            values[row["gamma"], quantity][row["linkage"]][row["data_set"]] = round(value, 6)
    usual = pd.concat([select(runs, part="index"), select(runs, part="index1")])
    usual = usual[~usual["data_set"].isin(linkages["data_set"])]
    for row in select(usual, order="vat").to_dict("records"):
        for quantity, column in QUANTITIES.items():
            values[row["gamma"], quantity][row["linkage"]][row["data_set"]] = row[column]
    return {key: pd.DataFrame(columns).dropna() for key, columns in values.items()}


def compare_readings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return topoART's cells in random order by every reading, beside the paper's."""
    ours = select(runs, part="readings").assign(method="topoart_b")
    if ours.empty:
        return pd.DataFrame(columns=["learning", "labels", "data_set", "agrees"])
    frames = []
    for (learning, labels), rows in ours.groupby(["learning", "labels"], sort=False):
        frames.append(_compare(rows).assign(learning=learning, labels=labels))
    columns = ["learning", "labels", "data_set", "paper_mean", "paper_std"]
    return pd.concat(frames, ignore_index=True)[[*columns, "ari_mean", "ari_std", "agrees"]]


def compare_looks(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what comes out by other seeds and settings in cells that differ.

    Returns
    -------
    frame : DataFrame
        ``method``, ``of``, ``data_set``; ``paper_mean`` and ``usual_mean``, ours in the table;
        ``lowest``, ``highest``, ``n_values``; and ``hits`` of ``n``, those of the paper's digits.
    """
    methods = {"kmeans_seeds": "kmeans", "ap_variants": "affinity_propagation"}
    ours = select(runs, part="looks") if "of" in runs else runs[:0]
    usual = select(runs, part="table").set_index(["method", "data_set"])["ari_mean"]
    printed = published.results().set_index(["method", "data_set"])[["ari_mean", "decimals"]]
    rows = []
    for row in ours[ours["method"].isin(methods)].to_dict("records"):
        method, name = methods[row["method"]], row["data_set"]
        if (method, name) not in printed.index:
            continue
        values = json.loads(row["params"]).get("values", {f"{row['ari_mean']:.4f}": 1})
        paper, decimals = printed.loc[(method, name)]
        last = 0.5 * 10.0**-decimals
        rows.append(
            {
                **{"method": method, "of": row["of"], "data_set": name, "paper_mean": paper},
                "usual_mean": usual.get((method, name), np.nan),
                "lowest": min(map(float, values)),
                "highest": max(map(float, values)),
                "n_values": len(values),
                "hits": sum(n for value, n in values.items() if abs(float(value) - paper) < last),
                "n": sum(values.values()),
            }
        )
    return pd.DataFrame(rows)


def compare_reciprocal(runs: pd.DataFrame) -> pd.DataFrame:
    """Return cells in VAT order of rows scaled as the paper scaled them, beside the paper's."""
    ours = select(runs, part="looks", method="vat_reciprocal")
    # The authors' program has the search by index, and Merge ART is left out in VAT order.
    return _compare(ours.assign(method=ours["of"], merge=ours["of"].map({"ddvfa": 0}).fillna(-1)))
