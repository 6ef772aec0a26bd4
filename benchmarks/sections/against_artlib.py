"""Of `fit` against artlib: the words and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..tables import Line, read_lines
from ..words import count, digits, grouped, markdown, ratio
from .goals import Goals, lowest, mark, missed

AGAINST_ARTLIB = """\
## `fit` against artlib

Both libraries get the same rows, the same vigilances, `alpha=0.001`, `beta=1` and ranges fixed to
[0, 1]. For artlib only `fit` is timed, on rows that were scaled and complement coded beforehand;
for resonart the whole public `fit` is, checks and scaling included.

Labels are compared in the same run. An adjusted Rand index of 1 with equal counts means the same
clustering, row by row. (A difference would be possible where two categories tie: the two
libraries add numbers in a different order, so the last bit decides.)

The vigilances span what a user would ask for. On blobs, fuzzy ART gets one that gives about as
many boxes as there are clusters or fewer, one that gives about a hundred and one that gives about
five hundred; on uniform data one that gives several hundred. The lower vigilances of dual
vigilance fuzzy ART put most blobs with 16 features into a cluster of their own. All keep artlib's
slowest run below a minute. Uniform rows with 16 features are left out there: dual vigilance makes
nearly every row a category of its own, which nobody would want.

The ratio depends on the number of categories. artlib's time grows with it from the first one.
resonart's has a floor, which weighs when categories are few: checking the call and its rows,
scaling each row, writing its label. It depends on the number of features too: in artlib's Python
classes the interpreter's work for each category outweighs the arithmetic, so more features cost
them little, while here the arithmetic is all there is.

TopoART is compared on module A. artlib's topoART has no other, while resonart's `fit` learns
modules A and B and then labels all rows by both: resonart does more in the time shown. Both take
`tau=100` and learn the second best category at rate 0.5. artlib's labels are categories, not the
clusters that links make of them, so what is compared is what module A learned: weights (to 1e-12)
and counts of its categories. artlib prints a line at every removal; it goes into a buffer.
"""


def section(results: Path) -> list[str]:
    lines = read_lines(results / "against_artlib.csv")
    return [AGAINST_ARTLIB, *(artlib_table(of_peer) for of_peer in grouped(lines, "peer"))]


def goals(artlib: list[Line]) -> Goals:
    table, misses = [], []
    for lines in grouped(artlib, "peer"):
        first = lines[0]
        goal = f"`{first['ours']}.fit` {first['goal']} times as fast as {first['peer']}"
        table.append([goal, mark(lines), lowest(lines)])
        misses += [f"{goal}: {setting(line)}: {ratio(line)}" for line in missed(lines)]
    return table, misses


def agreement(artlib: list[Line]) -> str:
    text = "\nLabels (of topoART: weights and counts) "
    differing = [line for line in artlib if not same(line)]
    if differing:
        return f"{text}differ from artlib's in {len(differing)} of {len(artlib)} lines below.\n"
    return f"{text}equal artlib's in all {len(artlib)} comparisons below.\n"


def same(line: Line) -> bool:
    """Whether the two libraries found the same clustering, or the same weights and counts."""
    if line["same_weights"]:
        return line["same_weights"] == "yes"
    return (
        line["adjusted_rand"] == "1"
        and line["ours_categories"] == line["peer_categories"]
        and line["ours_clusters"] == line["peer_clusters"]
    )


def artlib_table(lines: Sequence[Line]) -> str:
    """Return the table of one peer."""
    first = lines[0]
    by_weights = bool(first["same_weights"])
    agreement = ["clusters: ours, theirs", "adjusted Rand"]
    header = [
        "data",
        "features",
        "vigilance",
        f"categories{' of A' if by_weights else ''}: ours, theirs",
        *(["same weights and counts"] if by_weights else agreement),
        "ours, ms",
        "theirs, ms",
        "times faster",
        f"goal: {first['goal']}",
    ]
    table = [
        [
            line["data"],
            line["n_features"],
            vigilance(line),
            f"{line['ours_categories']}, {line['peer_categories']}",
            *([line["same_weights"]] if by_weights else labels_agree(line)),
            digits(line["ours_ms"]),
            digits(line["peer_ms"]),
            ratio(line),
            line["reached"],
        ]
        for line in lines
    ]
    title = f"### resonart {first['ours']} and {first['peer']}"
    repeats = f"{count(first['n_rows'])} rows, {first['repeats']} repeats."
    return f"{title}\n\n{repeats}\n\n{markdown(header, table)}"


def labels_agree(line: Line) -> list[str]:
    return [f"{line['ours_clusters']}, {line['peer_clusters']}", line["adjusted_rand"]]


def vigilance(line: Line) -> str:
    if line["phi"]:
        return f"{line['rho_ub']}, phi {line['phi']}"
    return f"{line['rho_lb']} and {line['rho_ub']}" if line["rho_lb"] else line["rho_ub"]


def setting(line: Line) -> str:
    return (
        f"{line['data']}, {line['n_features']} features, vigilance {vigilance(line)}, "
        f"{line['ours_categories']} categories"
    )
