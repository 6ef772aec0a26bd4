"""TopoART by other readings, and VAT order by order."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from paper import published, report, runner, splits, tables
from paper.methods import vat_ends, vat_linkages
from paper.methods._topo_readings import LABELLINGS, Learning, cells, coded_orders, run
from paper.parts import LINKAGES, READING
from paper.plane import make_orders
from paper.protocol import QUICK
from paper.store import Result, Store
from paper.task import Outcome, Task
from reference.arithmetic import complement_code, updated
from reference.topo_art import TopoARTReference, TopoModule
from resonart import DDVFA, FuzzyART


def made(seed: int, n: int = 60) -> tuple[Any, Any]:
    """Rows around three centres, every other time on a grid: full of ties."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    X = np.clip(0.2 + 0.3 * y[:, None] + random.normal(0, 0.12, (n, 2)), 0, 1)
    return (np.round(X * 8) / 8 if seed % 2 else X), y.astype(np.int32)


CELLS = [
    {"rho_a": rho_a, "beta_sbm": beta_sbm, "phi": phi, "tau": tau}
    for rho_a, beta_sbm, phi, tau in (
        *((0.6, 0.0, 1, 6), (0.7, 0.5, 2, 10), (0.8, 0.25, 3, 7)),
        *((0.85, 0.75, 4, 15), (0.9, 0.5, 3, 18), (0.0, 0.5, 2, 9)),
    )
]


class OtherModule(TopoModule):
    """A module that learns by another reading, line by line."""

    learning = Learning()

    def learn(self, x: Any) -> bool:
        bm, sbm = self._winners(x, len(x) // 2)
        if self.learning.removal == 2 and (self.steps + 1) % self.tau == 0:
            self._remove_candidates()
            bm, sbm = self._winners(x, len(x) // 2)
        before = bm is not None and self.is_permanent(bm)
        if bm is None:
            self.weights.append(x.copy())
            self.counts.append(1)
            bm = len(self.weights) - 1
        else:
            self.weights[bm] = updated(self.weights[bm], x, 1.0)
            self.counts[bm] += 1
            if sbm is not None:
                if self.learning.second != 3 and (
                    self.learning.second != 2 or self.is_permanent(sbm)
                ):
                    self.weights[sbm] = updated(self.weights[sbm], x, self.beta_sbm)
                    self.counts[sbm] += self.learning.second != 1
                self.edges.add((min(bm, sbm), max(bm, sbm)))
        after = self.is_permanent(bm)
        self.steps += 1
        if self.learning.removal != 2 and self.steps % self.tau == 0:
            self._remove_candidates()
        return {0: after, 1: before, 2: True}[self.learning.to_b]


def trained(X: Any, learning: Learning, cell: dict[str, Any]) -> TopoARTReference:
    cell = cell | {"phi": cell["phi"] + learning.more_than_phi}
    model = TopoARTReference(**cell, alpha=0.001)
    for module in (model.a, model.b):
        module.__class__ = OtherModule
        module.learning = learning  # type: ignore[attr-defined]
    model.train(X, learning.n_epochs)
    return model


@pytest.mark.parametrize(
    "learning",
    [
        Learning(),
        Learning(removal=2),
        Learning(to_b=1),
        Learning(to_b=2),
        Learning(second=1),
        Learning(second=2),
        Learning(second=3),
        Learning(more_than_phi=1),
        Learning(n_epochs=3),
        Learning(more_than_phi=1, second=2, to_b=1),
    ],
    ids=str,
)
def test_readings_are_the_reference_s(learning: Learning) -> None:
    for seed in range(2):
        X, y = made(seed)
        coded = np.array([complement_code(row) for row in X])
        for cell in CELLS:
            model = trained(X, learning, cell)
            module = model.b
            clusters = np.array(module.components())
            found, n_permanent = run(coded, y, learning, alpha=0.001, **cell)
            by_name = dict(zip(LABELLINGS, found.tolist(), strict=True))
            assert n_permanent == int((clusters >= 0).sum())
            assert by_name["permanent"] == pytest.approx(adjusted_rand_score(y, model.labels(X)))
            strict = model.strict_labels(X)
            assert by_name["strict"] == pytest.approx(adjusted_rand_score(y, strict))
            # By hand: the newest of the most active wins.
            if not len(clusters):
                continue
            outside = np.array(
                [
                    [sum(max(w - v, 0.0) for w, v in zip(weight, x, strict=True)) for x in coded]
                    for weight in module.weights
                ]
            )
            activation = 1.0 - outside / X.shape[1]
            newest = len(clusters) - 1 - activation[::-1].argmax(axis=0)
            labels = clusters[newest]
            assert by_name["strict_newest"] == pytest.approx(adjusted_rand_score(y, labels))
            if (clusters >= 0).any():
                labels[labels < 0] = clusters[clusters >= 0][-1]
                assert by_name["noise_in_newest"] == pytest.approx(adjusted_rand_score(y, labels))


def test_readings_differ() -> None:
    X, y = made(4, 90)
    rows, known = coded_orders(X, y.astype(np.int64), make_orders(X, "random", 2, 0))
    peaks = {
        name: cells(rows, known, learning, step=0.1, alpha=0.001)[1].mean(axis=1).tobytes()
        for name, learning in {
            "here": Learning(tau_cut=0),
            "together": Learning(removal=1),
            "before": Learning(removal=2),
            "edges": Learning(keeps_edges=1),
            "phi": Learning(more_than_phi=1),
        }.items()
    }
    assert len(set(peaks.values())) == len(peaks)


def test_a_share_of_the_rows_is_cut_or_rounded() -> None:
    X, y = made(0, 19)
    rows, known = coded_orders(X, y.astype(np.int64), [np.arange(19)])
    for learning, taus in ((Learning(), {1, 3, 5}), (Learning(tau_cut=0), {2, 4, 6})):
        params, aris, sizes = cells(rows, known, learning, step=0.5, alpha=0.001)
        assert {cell["tau"] for cell in params} == taus
        assert aris.shape == (len(params), 1, len(LABELLINGS))
        assert sizes.shape == (len(params), 1)


# ---------------------------------------------------------------------- order by order


def test_splits_are_means_and_deviations_of_their_runs() -> None:
    random = np.random.default_rng(0)
    aris = random.random((20, 3))
    every = splits.all_splits(6, 3)
    assert len(every) == len(np.unique(every, axis=0)) == 28
    assert (every.sum(axis=1) == 6).all()
    assert (every >= 0).all()
    for split in every:
        runs = np.repeat(aris, split, axis=1)
        best = runs[runs.mean(axis=1).argmax()]
        printed = round(best.mean(), 4), round(best.std(ddof=1), 4)
        found = every[splits.matches(aris, every, *printed)]
        assert (found == split).all(axis=1).any()
        # One unit of the last digit off is off.
        off = splits.matches(aris, every, printed[0] + 1e-4, printed[1])
        assert not (every[off] == split).all(axis=1).any()
        off = splits.matches(aris, every, printed[0], printed[1] + 1e-4)
        assert not (every[off] == split).all(axis=1).any()


def test_what_is_left_out_is_never_a_peak() -> None:
    random = np.random.default_rng(1)
    aris = np.round(random.random((200, 4)), 1)  # full of ties
    kept = splits.undominated(aris)
    assert 1 < len(kept) < 100
    every = splits.all_splits(5, 4)
    peaks = (every @ aris.T).max(axis=1)
    np.testing.assert_array_equal((every @ aris[kept].T).max(axis=1), peaks)


def test_of_equal_cells_the_smallest_at_a_split_is_kept() -> None:
    random = np.random.default_rng(2)
    aris = np.round(random.random((60, 3)), 0)  # hardly more than a handful of different rows
    sizes = random.integers(1, 9, (60, 3))
    kept = splits.undominated(aris, sizes)
    assert len(kept) < 60
    for split in splits.all_splits(7, 3):
        if (split > 0).all():
            whole = splits.peak_at(aris, sizes, split)
            assert splits.peak_at(aris[kept], sizes[kept], split) == pytest.approx(whole)


def test_any_of_equally_good_cells_may_be_the_papers() -> None:
    aris = np.array([[0.6, 0.6], [0.2, 1.0]])
    every = splits.all_splits(2, 2)
    for std in (0.0, 0.5657):
        assert splits.matches(aris, every, 0.6, std).tolist()[1]
    assert splits.all_splits(30, 1).tolist() == [[30]]


def test_orders_of_the_same_rows_are_one() -> None:
    rows = np.array([[0.0], [0.5], [0.5], [1.0]])
    orders = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [3, 2, 1, 0]])
    assert vat_ends.different_orders(rows, np.array([0, 1, 1, 2]), orders) == [0, 2]
    # The clusters of equal rows tell them apart.
    assert vat_ends.different_orders(rows, np.array([0, 1, 2, 2]), orders) == [0, 1, 2]


def ends_of(X: Any, y: Any, **settings: Any) -> list[Outcome]:
    task = Task("vat_ends", "made", {"order": "vat", **settings})
    return vat_ends.METHOD.run(task, X, y, replace(QUICK, n_orders=12))


def test_two_ends_give_two_orders_and_what_each_comes_to() -> None:
    X, y = made(0)
    (found,) = ends_of(X, y, of="fuzzy_art")
    rows, orders, different = vat_ends.vat_orders(X, y, replace(QUICK, n_orders=12))
    assert len(different) == found.n_orders == 2
    assert found.params["starts"] == orders[different, 0].tolist()
    assert found.params["groups"] == [[0], [1]]
    for i, order in enumerate(orders[different]):
        best = []
        for k in range(round(1 / QUICK.step) + 1):
            model = FuzzyART(rho=k * QUICK.step, alpha=QUICK.alpha, bounds=(0.0, 1.0))
            best.append(adjusted_rand_score(y[order], model.fit(rows[order]).labels_))
        assert max(row[i] for row in found.params["aris"]) == pytest.approx(max(best))


def test_linkages_order_by_order_are_those_of_single_fits() -> None:
    X, y = made(0)
    protocol = replace(QUICK, n_orders=12)
    rows, orders, different = vat_ends.vat_orders(X, y, protocol)
    settings = {"order": "vat", "merge": 0, "search": "index", "linkage": "average", "gamma": 3.0}
    task = Task("vat_linkages", "made", settings)
    (found,) = vat_linkages.METHOD.run(task, X, y, protocol)
    split = np.array([5, 7])
    peak = splits.peak_at(np.array(found.params["aris"]), np.array(found.params["sizes"]), split)
    best = (-1.0, 0.0)
    vigilances = [k * QUICK.step for k in range(round(1 / QUICK.step) + 1)]
    for lower, upper in itertools.combinations_with_replacement(vigilances, 2):
        model = DDVFA(rho_lb=lower, rho_ub=upper, gamma=3.0, linkage="average", search="index",
                      auto_merge=False, alpha=QUICK.alpha, bounds=(0.0, 1.0))  # fmt: skip
        fits = [clone(model).fit(rows[order]) for order in orders[different]]
        aris = [
            adjusted_rand_score(y[order], fit.labels_)
            for order, fit in zip(orders[different], fits, strict=True)
        ]
        sizes = [fit.n_categories_ for fit in fits]
        mean, size = (float(np.average(of, weights=split)) for of in (aris, sizes))
        best = max(best, (round(mean, 12), -size))
    assert peak == pytest.approx((best[0], -best[1]))


def test_too_many_orders_tell_nothing() -> None:
    X, y = made(1, 200)  # on a grid, with each row many times
    assert ends_of(X, y, of="topoart_b", learning="tau_cut") == []


def test_rows_are_scaled_by_the_reciprocal() -> None:
    X = np.array([[3.0, 1.0], [52.0, 1.0], [10.0, 1.0]])
    found = vat_ends.scaled_by_reciprocal(X)
    assert found[1, 0] == 49 * (1 / 49) != 1.0
    assert (found[:, 1] == 0.0).all()


def ends_row(of: str, data_set: str, aris: list[list[float]], **more: Any) -> dict[str, Any]:
    settings = {"search": "", "learning": "", "labels": ""} | more
    orders = {"starts": [3, 8], "groups": [[0], [1]]}
    text = json.dumps({"n_runs": 30, "aris": aris, **orders})
    return {"part": "ends", "of": of, "data_set": data_set, "params": text, **settings}


def test_digits_tell_the_split() -> None:
    theirs = published.table_ar().loc["lsun"]

    def values(name: str, n_first: int, off: float = 0.0) -> list[list[float]]:
        """Two indices that give the paper's mean and deviation with so many runs of the first."""
        mean, std = theirs[f"vat_{name}_mean"], theirs[f"vat_{name}_std"]
        apart = std * (29 * 30 / (n_first * (30 - n_first))) ** 0.5
        lower = mean - apart * n_first / 30 + off
        return [[float(lower + apart), float(lower)]]

    runs = pd.DataFrame(
        [
            ends_row("fuzzy_art", "lsun", values("fuzzy_art", 13)),
            ends_row("topoart_b", "lsun", values("topoart_b", 13), learning="a", labels="x"),
            ends_row("topoart_b", "lsun", values("topoart_b", 9), learning="a", labels="y"),
            ends_row("topoart_b", "lsun", values("topoart_b", 13, 2e-4), learning="b", labels="x"),
            ends_row("topoart_b", "lsun", values("topoart_b", 13), learning="b", labels="y"),
        ]
    )
    found = tables.compare_ends(runs)
    assert found["splits"].tolist() == [(13,), (13,), (9,), (), (13,)]
    assert found["fits"].tolist() == [True, True, False, False, True]
    assert "| Lsun | 13 |" in report.show_ends(found)
    page = report.show_readings(found, tables.compare_readings(runs))
    assert "| a | 1 of 1 | 0 of 1 |" in page
    assert "| b | 0 of 1 | 1 of 1 |" in page


def test_what_the_paper_does_not_print_is_known_by_its_splits() -> None:
    theirs = published.table_ar().loc["lsun"]
    mean, std = theirs["vat_fuzzy_art_mean"], theirs["vat_fuzzy_art_std"]
    apart = std * (29 * 30 / (13 * 17)) ** 0.5
    lower = mean - apart * 13 / 30
    runs = pd.DataFrame([ends_row("fuzzy_art", "lsun", [[lower + apart, lower]])])
    assert tables.paper_splits(runs)["lsun"].tolist() == [[13.0, 17.0]]
    more = [
        {"part": "vat_linkages", "data_set": "lsun", "order": "vat", "linkage": linkage,
         "gamma": gamma, "params": json.dumps({"aris": [[1.0, at]], "sizes": [[4, 7]]})}
        for linkage, at in (("single", 0.5), ("average", 0.25))
        for gamma in (1.0, 3.0)
    ] + [
        # As it is where orders are many.
        {"part": part, "data_set": "wisconsin", "order": "vat", "linkage": linkage, "gamma": gamma,
         "ari_mean": 0.75, "n_categories_mean": 5.0}
        for part, gamma in (("index", 3.0), ("index1", 1.0))
        for linkage in ("single", "average")
    ]  # fmt: skip
    found = tables.vat_scores(pd.concat([runs, pd.DataFrame(more)]))
    assert set(found) == {(g, q) for g in (1.0, 3.0) for q in ("performance", "compactness")}
    ours = found[3.0, "performance"].sort_index()[["average", "single"]]
    one = [round((13 + 17 * at) / 30, 6) for at in (0.25, 0.5)]
    assert ours.to_numpy().tolist() == [one, [0.75, 0.75]]
    counted = found[1.0, "compactness"].loc["lsun", "single"]
    assert counted == pytest.approx((13 * 4 + 17 * 7) / 30)
    # Without a split there is nothing to tell.
    assert tables.vat_scores(pd.DataFrame(more)) == {}
    assert tables.vat_scores(runs) == {}


def test_of_many_orders_the_ends_are_known() -> None:
    theirs = published.table_ar().loc["lsun"]
    mean, std = theirs["vat_fuzzy_art_mean"], theirs["vat_fuzzy_art_std"]
    apart = std * (29 * 30 / (13 * 17)) ** 0.5
    lower = mean - apart * 13 / 30
    row = ends_row("fuzzy_art", "lsun", [[lower + apart, lower]])
    orders = {"starts": [3, 8, 8, 8, 3, 8, 8], "groups": [[0, 4], [1, 2, 3, 5, 6]]}
    row["params"] = json.dumps(json.loads(row["params"]) | orders)
    assert tables.paper_splits(pd.DataFrame([row]))["lsun"].tolist() == [
        [6.5, 3.4, 3.4, 3.4, 6.5, 3.4, 3.4]
    ]
    one_end = {"starts": [3] * 7, "groups": [[0, 4], [1, 2, 3, 5, 6]]}
    row["params"] = json.dumps(json.loads(row["params"]) | one_end)
    assert tables.paper_splits(pd.DataFrame([row])) == {}


def test_a_test_at_the_papers_splits_needs_all_linkages() -> None:
    theirs = published.table_ar()
    random = np.random.default_rng(3)
    names = ["lsun", "wave"]
    rows = []
    for name in names:
        mean, std = theirs.loc[name, "vat_fuzzy_art_mean"], theirs.loc[name, "vat_fuzzy_art_std"]
        apart = std * (29 * 30 / (13 * 17)) ** 0.5
        lower = mean - apart * 13 / 30
        rows.append(ends_row("fuzzy_art", name, [[lower + apart, lower]]))
    for linkage in LINKAGES:
        for part, gamma in (("index", 3.0), ("index1", 1.0)):
            for name in names:
                same = {"data_set": name, "order": "vat", "merge": 0, "linkage": linkage,
                        "gamma": gamma, "method": "ddvfa"}  # fmt: skip
                aris = random.random((3, 2)).tolist()
                params = json.dumps({"aris": aris, "sizes": [[1, 2], [2, 3], [4, 5]]})
                rows.append(same | {"part": "vat_linkages", "params": params})
                rows.append(same | {"part": part, "ari_mean": 0.5, "n_categories_mean": 3.0})
    runs = pd.DataFrame(rows)
    found = tables.compare_p_values(runs)
    at_splits = found[found["split"].notna()]
    assert len(at_splits) == 1 + 2 * 6  # Table 5's, and Table 8's, in VAT order
    page = report.show_p_values(found, "linkages")
    assert page.count("split as in the paper") == 1
    # With single linkage alone, as after the first wave of work.
    some = runs[(runs["part"] == "ends") | (runs["linkage"] == "single")]
    alone = tables.compare_p_values(some)
    assert (alone[alone["split"].notna()]["linkage"] == "single").all()


def test_claims_with_topoart_as_the_paper_read_it() -> None:
    names = list(published.table_ar().index)
    settings = {"order": "random", "merge": -1, "linkage": "", "n_categories_mean": 3.0}
    values = {"fuzzy_art": 0.1, "dvfa": 0.5, "topoart_b": 0.95}
    rows = [
        {**settings, "part": "table", "method": method, "data_set": name, "ari_mean": value}
        for method, value in values.items()
        for name in names
    ]
    rows += [
        {**settings, "part": "index", "method": "ddvfa", "merge": 1, "linkage": "single",
         "data_set": name, "ari_mean": 0.9}
        for name in names
    ]  # fmt: skip
    reading = [
        {**settings, "part": "reading", "method": "topoart_b_readings", **READING,
         "data_set": name, "ari_mean": 0.5 if i % 2 else 0.6}
        for i, name in enumerate(names)
    ]  # fmt: skip
    runs = pd.DataFrame(rows + reading)
    found = tables.compare_reading_conclusions(runs)
    assert dict(zip(found["kind"] + " " + found["members"].map(" ".join), found["holds"],
                    strict=True)) == {
        "better ddvfa": True, "equivalent dvfa topoart_b": True, "better dvfa topoart_b": True,
    }  # fmt: skip
    assert report.show_reading_conclusions(found).count("| holds |") == 3
    # With topoART as it is here, it is ahead.
    here = tables.select(tables.compare_conclusions(runs), study="art_methods", order="random")
    (claim,) = here[here["members"] == ("ddvfa",)]["index"]
    assert not claim
    some = pd.DataFrame(rows + reading[:-1])
    assert report.show_reading_conclusions(tables.compare_reading_conclusions(some)) == ""


def test_what_looks_and_scaling_come_to_is_on_the_page() -> None:
    theirs = published.table_ar().loc["wisconsin"]
    same = {"part": "looks", "data_set": "wisconsin", "search": "", "learning": "", "labels": "",
            "fresh_ari_mean": np.nan, "fresh_ari_std": np.nan, "n_categories_mean": 4.0,
            "merge": -1}  # fmt: skip
    near = {"ari_mean": theirs["vat_fuzzy_art_mean"], "ari_std": 0.008, "params": "{}"}
    far = {"ari_mean": theirs["vat_dvfa_mean"] + 0.1, "ari_std": 0.001, "params": "{}"}
    one = {"order": "", "n_orders": 1, "ari_std": np.nan}
    values = {f"{theirs['kmeans']:.4f}": 3, "0.1000": 7}
    runs = pd.DataFrame(
        [
            same | near | {"method": "vat_reciprocal", "of": "fuzzy_art", "order": "vat",
                           "n_orders": 30},
            same | far | {"method": "vat_reciprocal", "of": "dvfa", "order": "vat", "n_orders": 30},
            same | one | {"method": "ap_variants", "of": "rows of five digits", "params": "{}",
                          "ari_mean": 0.3827},
            same | one | {"method": "kmeans_seeds", "of": "random", "ari_mean": 0.5,
                          "params": json.dumps({"values": values})},
        ]
    )  # fmt: skip
    assert tables.compare_reciprocal(runs)["agrees"].tolist() == [True, False]
    page = report.show_reciprocal(tables.compare_reciprocal(runs))
    assert "| VAT + fuzzy ART | Wisconsin |" in page
    assert page.count("✗") == 1
    looks = tables.compare_looks(runs).set_index("method")
    assert looks.loc["affinity_propagation", ["hits", "n"]].tolist() == [1, 1]
    assert looks.loc["kmeans", ["hits", "n"]].tolist() == [3, 10]
    assert "| 3 of 10 |" in report.show_looks(looks.reset_index())
    assert report.show_reciprocal(tables.compare_reciprocal(runs[2:])) == ""


# ---------------------------------------------------------------------- a run in parts


def test_a_task_without_a_result_keeps_its_rows(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    tasks = [
        Task("dvfa", name, {"order": order, "merge": "both"})
        for name in ("small_moons", "small_rings")
        for order in ("vat", "random")
    ]
    for task in tasks:
        outcomes = [
            Outcome("dvfa", task.data_set, {"order": task.settings["order"], "merge": merge}, 2, {},
                    0.5 + 0.1 * merge, 2.0) for merge in (0, 1)
        ]  # fmt: skip
        kept.write(task, Result("print", outcomes, 1.0, 1.0), {})
    part = {"table": [(task, "print") for task in tasks]}
    kept.collect(part)
    before = (kept.tables / "runs.csv").read_bytes()
    assert before.count(b"\n") == 1 + 8
    for task in tasks[:3]:
        kept.path(task).unlink()
    kept.collect(part)
    assert (kept.tables / "runs.csv").read_bytes() == before


def test_one_data_set_is_done_after_the_other() -> None:
    jobs = [
        runner.Job(Task("dvfa", name, {"order": order}), {}, "", cost)
        for name, order, cost in (
            *(("large", "vat", 9.0), ("small", "vat", 1.0), ("middle", "vat", 5.0)),
            *(("large", "random", 1.0), ("small", "random", 2.0), ("middle", "random", 0.5)),
        )
    ]
    found = [(job.task.data_set, job.task.settings["order"]) for job in runner.set_after_set(jobs)]
    assert found == [
        (name, order) for name in ("small", "middle", "large") for order in ("vat", "random")
    ]


def test_a_search_run_in_part_is_judged_on_its_sets_and_says_so() -> None:
    random = np.random.default_rng(0)
    names = published.table_ar().index
    runs = pd.DataFrame(
        [
            {"part": part, "method": "ddvfa", "order": "vat", "merge": 0, "linkage": linkage,
             "data_set": name, "ari_mean": random.random(), "n_categories_mean": random.random()}
            for part, n in (("ddvfa", 30), ("index", 12), ("gamma1", 30), ("index1", 5))
            for linkage in ("average", "centroid", "complete", "median", "single", "weighted")
            for name in names[:n]
        ]
    )  # fmt: skip
    found = tables.compare_p_values(runs)
    (row,) = tables.select(found, study="linkages", order="vat").to_dict("records")
    assert row["n_sets"] == 12
    assert np.isnan(row["index"])
    assert not np.isnan(row["activation"])
    alone = tables.compare_p_values(runs[runs["data_set"].isin(names[:12])])
    (same,) = tables.select(alone, study="linkages", order="vat").to_dict("records")
    assert row["index_so_far"] == same["index"]
    assert row["activation_so_far"] == same["activation"]
    assert f"({row['n_sets']} sets; by activation" in report.show_p_values(found, "linkages")
    widths = tables.select(found, study="gamma_1_and_3", order="vat")
    assert (widths["n_sets"] == 5).all()
    assert widths["index_so_far"].isna().all()
