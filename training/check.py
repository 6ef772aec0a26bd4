"""What the tables that the engine was compiled with make of labelled sets, through DensityART."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from resonart import DensityART

from .generate import LabelledSet
from .records import PAPER, SCORE, adjusted_rand, record
from .validate import MARGIN, markdown


def check(sets: Iterable[LabelledSet]) -> str:
    """Return the table of DensityART beside the plain score and the ceiling."""
    found = []
    for data in sets:
        labels = DensityART(noise="nearest", n_jobs=None).fit(data.rows).labels_
        seen = record(data)
        plain = float(seen.index[seen.seen[:, SCORE].argmax()]) if len(seen.index) else 0.0
        ours = adjusted_rand(labels.astype(np.int32), data.labels)
        found.append((data.kind == PAPER, ours, plain, seen.best, labels.max() == 0))
    lines = []
    for name, paper in (("pool", True), ("paper's 30", False)):
        some = np.array([each[1:] for each in found if each[0] != paper])
        if len(some):
            ours, plain, best, one = some.T
            ahead = ours - plain
            lines.append(
                [
                    name,
                    *(f"{column.mean():.3f}" for column in (ours, plain, best)),
                    f"{int((ahead > MARGIN).sum())}, {int((ahead < -MARGIN).sum())}",
                    f"{int(one.sum())} of {len(some)}",
                ]
            )
    heads = ["sets", "DensityART", "plain score", "ceiling", "wins, losses", "called one cluster"]
    return markdown(heads, lines)
