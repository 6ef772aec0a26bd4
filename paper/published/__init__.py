"""What the paper prints: its table of results, its p-values, and what it says of its diagrams.

``table_ar.csv`` is Table 7. ``p_values.csv`` has every p-value of Tables 5, 6 and 8 and of the
text; those that read 1.1102e-16 are the least that one minus a distribution function can give in
double precision, and say no more than "below that". ``conclusions.csv`` has what the text says of
the critical difference diagrams, whose drawings hold no numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent

# The least p-value the paper could print: 2**-53.
FLOOR = 1.1102e-16


def table_ar() -> pd.DataFrame:
    """Return Table 7 as it stands: a row for each data set, means and deviations in columns."""
    return pd.read_csv(FOLDER / "table_ar.csv", index_col="data_set")


def results() -> pd.DataFrame:
    """Return Table 7 one result a row, keyed as in the results of our own runs.

    Returns
    -------
    frame : DataFrame
        ``method``, ``order``, ``merge``, ``linkage`` and ``data_set`` as in ``results/runs.csv``
        (empty strings and -1 where they do not apply), ``ari_mean``, ``ari_std`` (NaN for the
        methods of a single run), and ``decimals``, to how many the paper prints the mean.
    """
    printed = pd.read_csv(FOLDER / "table_ar.csv", dtype=str)
    rows: list[dict[str, Any]] = []
    for column in printed.columns[1:]:
        if column.endswith("_std"):
            continue
        deviations = printed.get(column.removesuffix("_mean") + "_std")
        key = _key(column)
        for i, (name, mean) in enumerate(zip(printed["data_set"], printed[column], strict=True)):
            rows.append(
                {
                    **key,
                    "data_set": name,
                    "ari_mean": float(mean),
                    "ari_std": np.nan if deviations is None else float(deviations[i]),
                    "decimals": len(mean.partition(".")[2]),
                }
            )
    return pd.DataFrame(rows)


def p_values() -> pd.DataFrame:
    """Return the p-values: test, study, quantity, order, merge, linkage, p_value, source.

    ``study`` tells what is compared: ``"linkages"`` of one system, the three ``"systems"`` of one
    linkage, the ``"art_methods"`` of one order, DDVFA with the ``"other_methods"``, or gamma at
    ``"gamma_1_and_3"``. ``merge`` is -1, and text is empty, where they do not apply.
    """
    return _read("p_values.csv")


def conclusions() -> pd.DataFrame:
    """Return what the paper says of its diagrams, one claim a row.

    Columns are those of `p_values` up to ``linkage``, then ``kind``, ``members``, ``others`` (both
    tuples) and ``source``. `paper.statistics.holds` tells what each kind means, and whether a claim
    holds for given ranks. Systems are called ``"plain"``, ``"vat"`` and ``"merge"``.
    """
    frame = _read("conclusions.csv")
    for column in ("members", "others"):
        frame[column] = frame[column].str.split().map(tuple)
    return frame


def _read(name: str) -> pd.DataFrame:
    frame = pd.read_csv(FOLDER / name, keep_default_na=False)
    frame["merge"] = frame["merge"].replace("", "-1").astype(int)
    return frame


def _key(column: str) -> dict[str, Any]:
    """Return method, order, merge and linkage of a column of means.

    Examples
    --------
    >>> _key("random_ddvfa_merge_mean")
    {'method': 'ddvfa', 'order': 'random', 'merge': 1, 'linkage': 'single'}
    >>> _key("kmeans")
    {'method': 'kmeans', 'order': '', 'merge': -1, 'linkage': ''}
    """
    name = column.removesuffix("_mean")
    order, _, rest = name.partition("_")
    if order not in ("random", "vat"):
        return {"method": name, "order": "", "merge": -1, "linkage": ""}
    method = rest.removesuffix("_merge")
    is_ddvfa = method == "ddvfa"
    return {
        "method": method,
        "order": order,
        "merge": int(rest != method) if is_ddvfa else -1,
        "linkage": "single" if is_ddvfa else "",
    }
