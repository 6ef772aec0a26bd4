"""What the paper's parts ask for."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

from paper import parts, progress, splits, task
from paper.methods import affinity_propagation, ap_variants, sl_hac, vat_ends
from paper.methods._topo_readings import LEARNINGS
from paper.progress import Estimate
from paper.protocol import FULL


def test_the_parts_are_as_large_as_the_paper() -> None:
    sizes = {part: len(make(FULL)) for part, make in parts.PARTS.items()}
    # With and without Merge ART is one task.
    assert sizes == {
        "ddvfa": 2 * 6 * 30,
        "table": (3 * 2 + 4) * 30,
        "gamma": 3 * 6,
        "heat": 2 * 3,
        "gamma1": 2 * 6 * 30,
        "index": 2 * 6 * 30,
        "index1": 2 * 6 * 30,
        "strict": 2 * 16,
        "ends": (4 + 1) * 30 + (len(LEARNINGS) - 1) * 16,
        "vat_linkages": 6 * 2 * 30,
        "reading": 30,
        "readings": len(LEARNINGS) * 16,
        "looks": 10 + 6 * 3 + 5 + 3 * 2,
    }


def test_what_two_parts_ask_for_is_one_task() -> None:
    keys = {part: [t.key for t in make(FULL)] for part, make in parts.PARTS.items()}
    assert all(len(found) == len(set(found)) for found in keys.values())
    heat = set(keys["heat"])
    assert len(heat & set(keys["ddvfa"])) == 2  # gamma 3
    assert len(heat & set(keys["gamma1"])) == 2
    shared = {
        part: set(keys[part]) for part in ("ddvfa", "table", "gamma", "gamma1", "index", "index1")
    }
    assert sum(map(len, shared.values())) == len(set.union(*shared.values()))


def test_the_work_begins_with_single_linkage() -> None:
    waves = {t.settings["linkage"]: parts.wave(t) for t in parts.PARTS["index"](FULL)}
    assert waves == {name: int(name != "single") for name in parts.LINKAGES}


@pytest.mark.parametrize(
    "module", [task, progress, splits, affinity_propagation, ap_variants, sl_hac, vat_ends]
)
def test_examples_hold(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_only_the_public_face_of_resonart_is_used() -> None:
    paper = Path(__file__).parents[1]
    for path in set(paper.rglob("*.py")) - set(paper.glob("tests/*")):
        assert not re.search(r"(from|import) resonart(\.\w+)*\._", path.read_text("utf-8")), path


def test_the_estimate_learns_by_kind() -> None:
    estimate = Estimate()
    for _ in range(3):
        estimate.learn("slow", 1.0, 10.0)
        estimate.learn("fast", 1.0, 0.1)
    assert estimate.seconds("slow", 2.0) == pytest.approx(20.0)
    assert estimate.seconds("fast", 2.0) == pytest.approx(0.2)
    assert 0.2 < estimate.seconds("new", 2.0) < 20.0
    assert estimate.left([("slow", 1.0), ("slow", 1.0)], 2) == pytest.approx(10.0)
    assert estimate.left([("slow", 1.0)], 2) == pytest.approx(10.0)
    assert estimate.left([], 2) == 0.0
