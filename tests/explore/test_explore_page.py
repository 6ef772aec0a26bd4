"""The explorer in a real browser: what the page shows is what Python says."""

from __future__ import annotations

import base64
import csv
import importlib.metadata
import io
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import resonart.explore._file as file_module
from benchmarks import explorer as explorer_benchmark
from browser import Watched, opened, running_browser
from command_line import run
from resonart import DDVFA, DensityART, FuzzyART, TopoART, load
from resonart.explore import Explorer
from resonart.explore._messages import frame
from resonart.explore._server import Server

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
IRIS = load_iris()
AXES = ("Horizontal", "Vertical")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        yield found


def groups(n: int = 80) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(0)
    centres = ([0, 0, 0], [9, 0, 3], [0, 9, -3])
    parts = [rng.normal(size=(n, 3)) + centre for centre in centres]
    return np.concatenate([*parts, rng.uniform(-6, 15, (n // 4, 3))])


def density(**options: Any) -> Explorer:
    X = groups()
    found: Explorer = DensityART().fit(X).explore(X, feature_names=["a", "b", "c"], **options)
    return found


def place(page: Any, row: int) -> tuple[float, float]:
    """Where a row is drawn, found by going to it from the table."""
    box = page.locator(".rx-canvas").bounding_box()
    at = page.evaluate(
        "([row]) => { const { plot } = document.querySelector('.rx').resonart;"
        " return plot.placeOf(row).map((v) => v / plot.view.ratio); }",
        [row],
    )
    return box["x"] + at[0], box["y"] + at[1]


def lasso(page: Any, rows: Any) -> None:
    """Draw a lasso around the rows."""
    corners = [place(page, int(i)) for i in rows]
    left, right = min(c[0] for c in corners) - 2, max(c[0] for c in corners) + 2
    top, bottom = min(c[1] for c in corners) - 2, max(c[1] for c in corners) + 2
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(x, y, steps=3)
    page.mouse.up()
    page.wait_for_selector(".rx-fence:not([hidden])")


def labels_drawn(page: Any) -> list[int]:
    found: list[int] = page.evaluate(
        "Array.from(document.querySelector('.rx').resonart.plot.labels)"
    )
    return found


def download(page: Any, button: str) -> bytes:
    with page.expect_download() as told:
        page.get_by_role("button", name=button).click()
    return Path(told.value.path()).read_bytes()


def pixels(page: Any) -> dict[str, int]:
    """How often each colour is drawn."""
    found: dict[str, int] = page.evaluate(
        """() => { const c = document.querySelector('.rx-canvas'); const counts = {};
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        for (let i = 0; i < d.length; i += 4) {
          const k = [d[i], d[i+1], d[i+2]].join(','); counts[k] = (counts[k] || 0) + 1; }
        return counts; }"""
    )
    return found


# ---------------------------------------------------------------------- rows and boxes


def test_rows_clusters_rules_and_explanations(browser: Any) -> None:
    explorer = density()
    model, X = explorer.model, groups()
    with opened(browser, explorer) as watched:
        page = watched.page
        assert labels_drawn(page) == model.labels_.tolist()
        listed = page.locator(".rx-clusters li").all_inner_texts()
        sizes = {int(k): int((model.labels_ == k).sum()) for k in np.unique(model.labels_)}
        for text in listed:
            name, rows = text.split("\n")[-2:]
            label = -1 if name == "noise" else int(name.removeprefix("cluster "))
            assert rows.startswith(f"{sizes.pop(label)} rows")
        assert not sizes
        # A row that is pointed at is explained as Python does it.
        row = int(np.flatnonzero(model.labels_ == 1)[0])
        page.mouse.move(*place(page, row))
        page.wait_for_selector(".rx-tip .rx-lines")
        told = [line.inner_text() for line in page.locator(".rx-tip .rx-lines > div").all()]
        at = page.evaluate("document.querySelector('.rx').resonart.plot.hovered")
        expected = str(model.explain(X[at], feature_names=["a", "b", "c"])).split("\n")
        assert [text.strip() for text in told] == [text.strip() for text in expected]
        # A cluster that is clicked shows its rules.
        page.mouse.click(*place(page, row))
        page.wait_for_selector(".rx-rules .rx-lines")
        rules = page.locator(".rx-rules .rx-lines > div").all_inner_texts()
        text = str(model.describe(feature_names=["a", "b", "c"]))
        assert all(line.strip() in text for line in rules)
        chosen = page.locator(".rx-clusters li[aria-selected=true]").get_attribute("data-label")
        assert rules[0].startswith(f"cluster {chosen}:")
        page.keyboard.press("Escape")
        assert page.locator(".rx-clusters li[aria-selected=true]").count() == 0


def test_axes_zoom_pan_and_boxes(browser: Any) -> None:
    X = IRIS.data
    model = DDVFA(rho_lb=0.7, rho_ub=0.85).fit(X)
    explorer = model.explore(X, feature_names=IRIS.feature_names)
    with opened(browser, explorer) as watched:
        page = watched.page
        axes = page.get_by_label("Horizontal axis").locator("option").all_inner_texts()
        assert axes[:4] == list(IRIS.feature_names)
        assert axes[4].startswith("component 1 (")
        page.get_by_label("Horizontal axis").select_option("2")
        page.get_by_label("Vertical axis").select_option("3")
        before = page.evaluate("({...document.querySelector('.rx').resonart.plot.view})")
        box = page.locator(".rx-canvas").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 200)
        page.mouse.wheel(0, -300)
        page.mouse.down()
        page.mouse.move(box["x"] + 350, box["y"] + 230, steps=3)
        page.mouse.up()
        after = page.evaluate("({...document.querySelector('.rx').resonart.plot.view})")
        assert after["xs"] > 1.3 * before["xs"]
        page.keyboard.press("0")
        home = page.evaluate("({...document.querySelector('.rx').resonart.plot.view})")
        assert home["xs"] == pytest.approx(before["xs"])
        # Boxes: their shadows on two features are their corners there.
        page.get_by_role("button", name="Boxes").click()
        shadows = page.evaluate("document.querySelector('.rx').resonart.plot.shadows()")
        low, high = X.min(axis=0), X.max(axis=0)
        for corners, lower, upper in zip(shadows, *model.boxes_, strict=True):
            found = np.array(corners) * (high - low)[2:] + low[2:]
            np.testing.assert_allclose(found.min(axis=0), lower[2:], atol=1e-4)
            np.testing.assert_allclose(found.max(axis=0), upper[2:], atol=1e-4)
        # On principal components they hold all corners of the box.
        page.get_by_label("Horizontal axis").select_option("4")
        page.get_by_label("Vertical axis").select_option("5")
        found = page.evaluate(
            "(() => { const p = document.querySelector('.rx').resonart.plot; return [p.shadows(),"
            " p.axes.map((a) => a.weights)]; })()"
        )
        shadows, weights = found
        loadings = np.zeros((2, 4))
        for k, axis in enumerate(weights):
            for f, w in axis:
                loadings[k, int(f)] = w
        corners_of_box = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
        for corners, lower, upper in zip(shadows, *model.boxes_, strict=True):
            scaled = [(side - low) / (high - low) for side in (lower, upper)]
            points = np.where(corners_of_box, scaled[1], scaled[0]) @ loadings.T
            polygon = np.array(corners)
            np.testing.assert_allclose(polygon.min(axis=0), points.min(axis=0), atol=1e-4)
            np.testing.assert_allclose(polygon.max(axis=0), points.max(axis=0), atol=1e-4)


def test_above_two_features_the_axes_are_components(browser: Any) -> None:
    for n_features, expected in ((2, ["a", "b"]), (3, ["component 1", "component 2"])):
        X = groups()[:, :n_features]
        explorer = DensityART().fit(X).explore(X, feature_names=["a", "b", "c"][:n_features])
        with opened(browser, explorer) as watched:
            page = watched.page
            axes = page.evaluate(
                "document.querySelector('.rx').resonart.plot.axes.map((a) => a.name)"
            )
            assert [name.split(" (")[0] for name in axes] == expected
            chosen = [page.get_by_label(f"{name} axis") for name in AXES]
            drawn = [each.locator("option:checked").inner_text() for each in chosen]
            assert drawn == axes


def test_a_row_is_shown_with_its_values_and_texts(browser: Any, tmp_path: Path) -> None:
    X = groups()
    table = tmp_path / "table.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "name", "a", "b", "c", "when"])
        for k, row in enumerate(X.tolist()):
            values = ["", *row[1:]] if k == 3 else row  # one row is dropped
            writer.writerow([1000 + k, f"<b>N{k}</b>", *values, f"2026-01-{1 + k % 28:02d}"])
    path = tmp_path / "page.html"
    run("explore", table, "--exclude", "id", "--missing", "drop", "--html", path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    for row, k in ((0, 0), (3, 4), (200, 201)):
        page.evaluate("(row) => document.querySelector('.rx').resonart.point(row)", row)
        page.wait_for_selector(f".rx-tip:has-text('row {row}') .rx-lines")
        told = page.locator(".rx-tip .rx-values dt, .rx-tip .rx-values dd").all_inner_texts()
        pairs = dict(zip(told[::2], told[1::2], strict=True))
        assert list(pairs) == ["name", "when", "id", "a", "b", "c"]
        assert (pairs["name"], pairs["id"]) == (f"<b>N{k}</b>", str(1000 + k))
        assert pairs["when"] == f"2026-01-{1 + k % 28:02d}"
        values = [float(pairs[name]) for name in "abc"]
        np.testing.assert_allclose(values, X[k], rtol=1e-4, atol=1e-5)
        # All of it can be seen.
        box = page.locator(".rx-tip").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= page.viewport_size["height"]
    page.close()


def test_rows_beyond_those_explained_have_their_texts(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_module, "MOST_EXPLAINED", 5)
    X = groups()
    path = tmp_path / "page.html"
    DensityART().fit(X).explore(X, texts={"name": [f"N{k}" for k in range(len(X))]}).save_html(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    page.evaluate("document.querySelector('.rx').resonart.point(77)")
    page.wait_for_selector(".rx-values dd:has-text('N77')")
    page.close()


def test_grid_lines_lie_under_the_rows(browser: Any) -> None:
    # Rows on a grid of whole numbers, where the lines are.
    X = np.array([[i, j] for i in range(9) for j in range(9)], dtype=np.float64)
    with opened(browser, FuzzyART(rho=0.1).fit(X).explore(X)) as watched:
        found = watched.page.evaluate(
            """() => { const { plot } = document.querySelector('.rx').resonart;
            const context = plot.canvas.getContext('2d');
            return Array.from(plot.labels, (_, i) => { const [x, y] = plot.placeOf(i);
              return context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data.join(); }); }"""
        )
        # (Rows are not quite opaque.)
        colours = np.array([text.split(",") for text in found], dtype=int)
        labels = np.array(labels_drawn(watched.page))
        for label in np.unique(labels):
            assert np.ptp(colours[labels == label], axis=0).max() < 8
        assert "238,238,238" in pixels(watched.page)  # the lines


def test_the_lasso_exports_the_rows_inside(browser: Any) -> None:
    explorer = density()
    X = groups()
    with opened(browser, explorer) as watched:
        page = watched.page
        page.locator(".rx-canvas").focus()
        page.keyboard.press("l")
        members = np.flatnonzero(np.abs(X[:, :2] - [9, 0]).max(axis=1) < 2.0)
        lasso(page, members)
        lines = list(csv.reader(io.StringIO(download(page, "Export rows").decode())))
        assert lines[0] == ["row", "label", "a", "b", "c"]
        rows = [int(line[0]) for line in lines[1:]]
        assert set(members.tolist()) <= set(rows)
        assert len(rows) < len(members) + 10
        assert [int(line[1]) for line in lines[1:]] == explorer.labels[rows].tolist()
        values = np.array([[float(v) for v in line[2:]] for line in lines[1:]])
        np.testing.assert_allclose(values, X[rows], rtol=1e-4, atol=1e-4)


def test_many_clusters_are_told_apart(browser: Any) -> None:
    X = np.array(
        [[i % 6 + dx, i // 6 + dy] for i in range(30) for dx in (0, 0.1) for dy in (0, 0.1)]
    )
    model = FuzzyART(rho=0.95).fit(X)
    assert model.n_clusters_ == 30
    with opened(browser, model.explore(X)) as watched:
        looks = watched.page.evaluate(
            "Array.from(document.querySelectorAll('.rx-clusters li'), (li) => {"
            " const m = li.querySelector('.rx-mark'); return m.textContent + m.style.color; })"
        )
        assert len(set(looks)) == 30


# ---------------------------------------------------------------------- everybody


def test_keyboard_table_dark_and_labels(browser: Any) -> None:
    explorer = density()
    with opened(browser, explorer, color_scheme="dark") as watched:
        page = watched.page
        assert page.locator(".rx").get_attribute("data-theme") == "dark"
        assert "22,24,28" in pixels(page)
        page.locator(".rx-canvas").focus()
        page.keyboard.press("d")
        assert page.locator(".rx").get_attribute("data-theme") == "light"
        page.locator(".rx-canvas").focus()
        page.keyboard.press("n")
        page.wait_for_selector(".rx-status:has-text('row 0: cluster')")
        page.keyboard.press("Enter")
        page.wait_for_selector(".rx-rules .rx-lines")
        page.keyboard.press("Escape")
        page.keyboard.press("t")
        shown = page.locator(".rx-table tbody tr").first.locator("td").all_inner_texts()
        np.testing.assert_allclose([float(v) for v in shown[1:]], groups()[0], rtol=1e-4)
        # Whatever can be used has a name, and the picture says what it is.
        nameless = page.evaluate(
            "Array.from(document.querySelectorAll('.rx button, .rx select, .rx input'))"
            ".filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label')"
            " || e.labels?.length)).length"
        )
        assert nameless == 0
        assert "3 clusters" in page.locator(".rx-canvas").get_attribute("aria-label")


def test_keys_need_no_click(browser: Any, tmp_path: Path) -> None:
    explorer = density()
    explorer.save_html(tmp_path / "page.html")
    with Server(explorer._session) as server:
        for address in (server.address, (tmp_path / "page.html").as_uri()):
            page = browser.new_page()
            page.goto(address)
            page.wait_for_selector("[data-painted]")
            before = view_of(page)
            page.keyboard.press("+")
            page.keyboard.press("ArrowLeft")
            assert view_of(page)["xs"] == pytest.approx(1.25 * before["xs"])
            page.keyboard.press("b")
            assert button(page, "Boxes") == "true"
            page.keyboard.press("n")
            page.keyboard.press("Enter")
            page.wait_for_selector(".rx-rules .rx-lines")
            # Nor do they need another one after a button was used, which Enter belongs to.
            page.get_by_role("button", name="Boxes").click()
            page.keyboard.press("0")
            page.keyboard.press("Enter")
            assert (button(page, "Boxes"), view_of(page)["xs"]) == ("true", before["xs"])
            page.keyboard.press("Escape")
            assert page.locator(".rx-clusters li[aria-selected=true]").count() == 0
            # A list and a field have keys of their own.
            page.locator(".rx-panel").focus()
            now = view_of(page)
            page.keyboard.press("ArrowDown")
            assert view_of(page) == now
            page.close()


def view_of(page: Any) -> dict[str, float]:
    found: dict[str, float] = page.evaluate(
        "({...document.querySelector('.rx').resonart.plot.view})"
    )
    return found


def button(page: Any, name: str) -> str:
    found: str = page.get_by_role("button", name=name).get_attribute("aria-pressed")
    return found


def test_without_rows_the_table_has_the_boxes(browser: Any) -> None:
    model = FuzzyART(rho=0.8).fit(IRIS.data)
    with opened(browser, model.explore(feature_names=IRIS.feature_names)) as watched:
        page = watched.page
        page.get_by_role("button", name="Table").click()
        lines = page.locator(".rx-table tbody tr")
        assert lines.count() == model.n_categories_
        head = page.locator(".rx-table thead th").all_inner_texts()
        assert head == ["box", "cluster", "rows", *IRIS.feature_names]
        for box, line in enumerate(lines.all()):
            cells = line.locator("td").all_inner_texts()
            assert cells[0].endswith(f"cluster {model.category_labels_[box]}")
            assert float(cells[1]) == model.counts_[box]
            found = np.array([[float(v) for v in cell.split(" to ")] for cell in cells[2:]])
            np.testing.assert_allclose(found[:, 0], model.boxes_.lower[box], rtol=1e-3)
            np.testing.assert_allclose(found[:, 1], model.boxes_.upper[box], rtol=1e-3)
        lines.nth(1).click()
        page.wait_for_selector(".rx-rules .rx-lines")
        assert "boxes 1 to 1 of 1" in page.locator(".rx-table [role=status]").inner_text()


def test_markup_is_shown_as_text(browser: Any, tmp_path: Path) -> None:
    name = "<img src=x onerror=\"document.title='run'\">"
    title = f"{name}</title><script>"
    X = groups()
    names = [name, "</script><b>b</b>", "{{c}}"]
    explorer = DensityART().fit(X).explore(X, feature_names=names, title=title)
    with opened(browser, explorer) as watched:
        check_text(watched.page, name, title)
    # The same from a table, with markup among its cells as well, in a file.
    table = tmp_path / "<b>data.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "class"])
        writer.writerows([*row, f"<i>{k % 3}</i>"] for k, row in enumerate(X.tolist()))
    path = tmp_path / "page.html"
    run("explore", table, "--label", "class", "--html", path)
    page = browser.new_page()
    watched = Watched(page)
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    check_text(page, name, "<b>data.csv")
    assert watched.asked_elsewhere(path.as_uri()) == []
    assert watched.complaints == []
    page.close()


def check_text(page: Any, name: str, title: str) -> None:
    assert page.locator("h1").inner_text() == title
    assert page.title() == title
    page.locator(".rx-clusters li").first.click()
    page.wait_for_selector(".rx-rules .rx-lines")
    assert name in page.locator(".rx-rules").inner_text()
    page.get_by_role("button", name="Table").click()
    assert page.locator(".rx-table thead th").nth(2).inner_text() == name
    assert page.locator(".rx img, .rx b, .rx i, .rx script").count() == 0
    assert page.title() == title


# ---------------------------------------------------------------------- the choice


def test_the_tree_and_its_runners_up(browser: Any) -> None:
    explorer = density()
    told = explorer._session.answer({"kind": "readings"})
    with opened(browser, explorer) as watched:
        page = watched.page
        page.get_by_role("tab", name="Choice").click()
        page.wait_for_selector(".rx-multiple")
        assert page.locator(".rx-multiple").count() == len(told["readings"])
        assert explorer.model.choice_.reason in page.locator(".rx-panel").inner_text()
        page.locator(".rx-multiple").nth(1).click()
        page.wait_for_selector(".rx-banner:not([hidden])")
        assert labels_drawn(page) == told["labels"][1][told["categories"]].tolist()
        page.get_by_role("button", name="Back to the model").click()
        assert labels_drawn(page) == explorer.labels.tolist()
        tree = page.locator(".rx-tree").get_attribute("aria-label")
        assert tree.startswith(f"A tree of {told['tree']['n_nodes']} branches")


def test_a_flat_cut_is_kept_with_a_click(browser: Any, tmp_path: Path) -> None:
    X = IRIS.data
    explorer = DensityART().fit(X).explore(X, command_of=lambda model: "resonart cluster x")
    told = explorer._session.answer({"kind": "readings"})
    place = next(k for k, each in enumerate(told["readings"]) if each["n_clusters"] == 3)
    assert told["readings"][place]["selection"] == "cut"
    with opened(browser, explorer) as watched:
        page = watched.page
        page.get_by_role("tab", name="Choice").click()
        page.wait_for_selector(".rx-multiple")
        panel = page.locator(".rx-panel")
        page.locator(".rx-multiple").nth(place).scroll_into_view_if_needed()
        before = panel.evaluate("(panel) => panel.scrollTop")
        page.locator(".rx-multiple").nth(place).click()
        page.wait_for_selector(f".rx-multiple[data-reading='{place}'][aria-pressed=true]")
        # The panel stays where it was, and the description is there to read.
        assert panel.evaluate("(panel) => panel.scrollTop") == before > 0
        assert "one cut through the tree" in page.locator(".rx-reading").inner_text()
        shown = labels_drawn(page)
        page.get_by_role("button", name="Keep").click()
        page.wait_for_selector(".rx-summary:has-text('3 clusters')")
        assert explorer.model.n_clusters_ == 3
        assert labels_drawn(page) == explorer.model.predict(X).tolist()
        assert adjusted_rand_score(labels_drawn(page), shown) == 1.0
        page.wait_for_selector(".rx-multiple:has-text('kept: 3 clusters')")
        page.get_by_role("tab", name="Export").click()
        [code] = page.locator(".rx-take pre").all_inner_texts()  # there is no command
        assert "resonart predict" in page.locator(".rx-take").inner_text()
        space: dict[str, Any] = {"X": X}
        exec(code, space)
        assert space["labels"].tolist() == labels_drawn(page)
        (tmp_path / "m.resonart").write_bytes(download(page, "Model"))
        assert load(tmp_path / "m.resonart").predict(X).tolist() == labels_drawn(page)


def test_the_plane_of_topo_art(browser: Any) -> None:
    X = IRIS.data
    explorer = TopoART(rho_a=0.9, tau=50).fit(X).explore(X)
    with opened(browser, explorer) as watched:
        page = watched.page
        page.get_by_role("tab", name="Choice").click()
        page.wait_for_selector(".rx-plane[aria-label]")
        box = page.locator(".rx-plane").bounding_box()
        at = (box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"])
        page.mouse.move(*at)
        page.wait_for_selector(".rx-banner:not([hidden])")
        said = page.locator(".rx-cell").inner_text()
        found = re.match(r"rho_a ([\d.]+), beta_sbm ([\d.]+): .*clusters (\d+)", said)
        assert found is not None, said
        params = {"rho_a": float(found[1]), "beta_sbm": float(found[2])}
        labels = TopoART(tau=50, **params).fit(X).labels_
        assert int(found[3]) == labels.max() + 1
        assert adjusted_rand_score(labels_drawn(page), labels) == 1.0
        page.mouse.click(*at)
        page.wait_for_selector("[data-fitted]")
        assert labels_drawn(page) == labels.tolist()


def test_the_choice_by_keyboard(browser: Any) -> None:
    X = IRIS.data
    explorer = DDVFA(rho_lb=0.7, rho_ub=0.85).fit(X).explore(X)
    with opened(browser, explorer) as watched:
        page = watched.page
        page.get_by_role("tab", name="Clusters").focus()
        page.keyboard.press("ArrowRight")  # from tab to tab
        page.wait_for_selector(".rx-plane[aria-label]")
        page.locator(".rx-plane").focus()
        before = page.locator(".rx-cell").inner_text()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        said = page.locator(".rx-cell").inner_text()
        assert said != before
        # What is read out is what is shown.
        assert said in page.locator(".rx-plane").get_attribute("aria-label")
        found = re.match(r"rho_lb ([\d.]+), rho_ub ([\d.]+)", said)
        assert found is not None, said
        labels = DDVFA(rho_lb=float(found[1]), rho_ub=float(found[2])).fit(X).labels_
        assert adjusted_rand_score(labels_drawn(page), labels) == 1.0
        page.keyboard.press("Escape")
        assert labels_drawn(page) == explorer.labels.tolist()
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-fitted]")
        assert explorer.model.rho_ub == float(found[2])
    explorer = density()
    told = explorer._session.answer({"kind": "readings"})
    with opened(browser, explorer) as watched:
        page = watched.page
        page.get_by_role("tab", name="Choice").click()
        page.wait_for_selector(".rx-multiple")
        page.locator(".rx-multiple").nth(1).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".rx-multiple[data-reading='1'][aria-pressed=true]")
        # The focus stays where it was, on the picture that was drawn again.
        page.wait_for_function("document.activeElement.dataset.reading === '1'")
        assert labels_drawn(page) == told["labels"][1][told["categories"]].tolist()


def test_the_plane_of_vigilances(browser: Any) -> None:
    X = IRIS.data
    explorer = DDVFA(rho_lb=0.7, rho_ub=0.85).fit(X).explore(X, y=IRIS.target)
    with opened(browser, explorer) as watched:
        page = watched.page
        page.get_by_role("tab", name="Choice").click()
        page.wait_for_selector(".rx-plane[aria-label]")
        box = page.locator(".rx-plane").bounding_box()
        at = (box["x"] + 0.8 * box["width"], box["y"] + 0.05 * box["height"])
        page.mouse.move(*at)
        page.wait_for_selector(".rx-banner:not([hidden])")
        said = page.locator(".rx-cell").inner_text()
        found = re.match(r"rho_lb ([\d.]+), rho_ub ([\d.]+): .*clusters (\d+)", said)
        assert found is not None, said
        params = {"rho_lb": float(found[1]), "rho_ub": float(found[2])}
        labels = DDVFA(**params).fit(X).labels_
        assert int(found[3]) == labels.max() + 1
        assert adjusted_rand_score(labels_drawn(page), labels) == 1.0
        page.mouse.click(*at)
        page.wait_for_selector("[data-fitted]")
        assert explorer.model.get_params()["rho_lb"] == params["rho_lb"]
        assert labels_drawn(page) == labels.tolist()


# ---------------------------------------------------------------------- parameters, taking away


def test_parameters_and_what_is_taken_away(browser: Any, tmp_path: Path) -> None:
    explorer = density(command_of=lambda model: f"resonart cluster x --noise {model.noise}")
    X = groups()
    with opened(browser, explorer) as watched:
        page = watched.page
        other = browser.new_page()
        other.goto(page.url)
        other.wait_for_selector("[data-painted]")
        before = labels_drawn(other)
        page.get_by_role("tab", name="Parameters").click()
        page.get_by_label("noise", exact=True).select_option("nearest")
        page.wait_for_selector("[data-fitted]")
        expected = DensityART(noise="nearest").fit(X)
        assert labels_drawn(page) == expected.labels_.tolist()
        # Who looks at the same in another window sees it, too.
        assert min(before) == -1
        other.locator(".rx-summary", has_not_text="of noise").wait_for()
        assert labels_drawn(other) == expected.labels_.tolist()
        other.close()
        page.get_by_label("min_samples", exact=True).fill("nonsense")
        page.get_by_label("min_samples", exact=True).press("Enter")
        page.wait_for_selector(".rx-status.rx-error")
        assert "min_samples must be" in page.locator(".rx-status").inner_text()
        assert explorer.model.min_samples == "auto"
        page.get_by_role("tab", name="Export").click()
        code, command = page.locator(".rx-take pre").all_inner_texts()
        space: dict[str, Any] = {"X": X}
        exec(code, space)
        np.testing.assert_array_equal(space["labels"], expected.labels_)
        assert command == "resonart cluster x --noise nearest"
        lines = download(page, "Labels (CSV)").decode().split()
        assert lines == ["row,label", *(f"{i},{k}" for i, k in enumerate(expected.labels_))]
        (tmp_path / "m.resonart").write_bytes(download(page, "Model"))
        np.testing.assert_array_equal(load(tmp_path / "m.resonart").predict(X), expected.predict(X))
        assert download(page, "Picture (PNG)").startswith(b"\x89PNG")
        picture = download(page, "Picture (SVG)").decode()
        assert picture.startswith("<svg")
        assert picture.count("<title>cluster") == expected.n_clusters_


def test_a_change_is_seen_in_a_fifth_of_a_second_or_soon(browser: Any) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (5_000, 2)) for c in (0, 8, 16, 24)])
    explorer = DDVFA(rho_lb=0.9, rho_ub=0.95).fit(X).explore(X)
    with opened(browser, explorer) as watched:
        page = watched.page
        page.get_by_role("tab", name="Parameters").click()
        page.get_by_label("rho_lb", exact=True).fill("0.8")
        page.get_by_label("rho_lb", exact=True).press("Enter")
        page.wait_for_selector("[data-fitted]")
        # (Measured in benchmarks/explorer.py; other tests run beside this one.)
        assert int(page.locator(".rx").get_attribute("data-fitted")) < 2_000
        assert explorer.model.rho_lb == 0.8


def test_a_million_rows_do_not_freeze_the_page(browser: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 2)) + 8 * rng.integers(3, size=(1_000_000, 1))
    explorer = FuzzyART(rho=0.6).fit(X).explore(X)
    with opened(browser, explorer) as watched:
        page = watched.page
        note = page.locator(".rx-note").first
        assert "A random sample of 200,000 of 1,000,000 rows is shown." in note.inner_text()
        # (Frames are measured in benchmarks/explorer.py; here nothing may stand still.)
        longest = page.evaluate(
            """async () => { const { plot } = document.querySelector('.rx').resonart;
            let longest = 0; let last = performance.now();
            for (let k = 0; k < 30; k++) {
              plot.pan(3, 2); plot.zoom(1.01); await new Promise(requestAnimationFrame);
              longest = Math.max(longest, performance.now() - last); last = performance.now(); }
            return longest; }"""
        )
        assert longest < 1_000
        page.get_by_role("tab", name="Parameters").click()
        page.get_by_label("rho", exact=True).fill("0.8")
        page.get_by_label("rho", exact=True).press("Enter")
        page.wait_for_selector("[data-fitted]")
        assert "a random sample of 20,000 of 1,000,000 rows" in note.inner_text()
        page.get_by_role("button", name="Fit all rows").click()
        page.wait_for_selector(".rx-all", state="detached")
        page.get_by_role("tab", name="Export").click()
        lines = download(page, "Labels (CSV)").decode().splitlines()
        assert lines[0] == "row,label"
        assert len(lines) == 1_000_001
        expected = FuzzyART(rho=0.8).fit(X).labels_
        assert lines[123_457] == f"123456,{expected[123_456]}"


# ---------------------------------------------------------------------- other homes


def test_what_a_file_can_do(browser: Any, tmp_path: Path) -> None:
    explorer = density(command_of=lambda model: "resonart cluster x.csv")
    told = explorer._session.answer({"kind": "readings"})
    X, labels = groups(), explorer.labels
    path = tmp_path / "page.html"
    explorer.save_html(path)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    watched = Watched(page)
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    # It says what it is, and that parameters are fixed.
    assert "parameters are read-only" in page.locator(".rx-offline").inner_text()
    page.get_by_role("tab", name="Parameters").click()
    assert "Parameters cannot be changed here" in page.locator(".rx-panel").inner_text()
    fields = page.locator(".rx-parameters").locator("input, select")
    assert fields.count() > 5
    assert all(field.is_disabled() for field in fields.all())
    # A row, its cluster's rules, its boxes.
    row = int(np.flatnonzero(labels == 2)[0])
    page.mouse.click(*place(page, row))
    page.wait_for_selector(".rx-rules .rx-lines")
    assert page.locator(".rx-rules").inner_text().startswith("cluster 2:")
    page.keyboard.press("Escape")
    before = sum(pixels(page).values()) - pixels(page)["255,255,255"]
    page.get_by_role("button", name="Boxes").click()
    page.wait_for_timeout(100)
    assert sum(pixels(page).values()) - pixels(page)["255,255,255"] > before
    # A runner-up is shown, and its labels can be exported; it cannot be kept.
    page.get_by_role("tab", name="Choice").click()
    page.locator(".rx-multiple").nth(1).click()
    other = told["labels"][1][told["categories"]].tolist()
    assert labels_drawn(page) == other
    assert page.get_by_role("button", name="Keep").count() == 0
    page.get_by_role("tab", name="Export").click()
    assert (
        "Labels and picture are those of what is shown now" in page.locator(".rx-take").inner_text()
    )
    lines = download(page, "Labels (CSV)").decode().split()
    assert lines == ["row,label", *(f"{i},{k}" for i, k in enumerate(other))]
    page.get_by_role("button", name="Back to the model").click()
    assert labels_drawn(page) == labels.tolist()
    assert download(page, "Picture (PNG)").startswith(b"\x89PNG")
    assert download(page, "Picture (SVG)").startswith(b"<svg")
    code, command = page.locator(".rx-take pre").all_inner_texts()
    assert "DensityART().fit(X)" in code
    assert command == "resonart cluster x.csv"
    # Some rows.
    page.get_by_role("button", name="Lasso").click()
    members = np.flatnonzero(np.abs(X[:, :2] - [9, 0]).max(axis=1) < 2.0)
    lasso(page, members)
    lines = list(csv.reader(io.StringIO(download(page, "Export rows").decode())))
    assert {int(line[0]) for line in lines[1:]} >= set(members.tolist())
    page.get_by_role("button", name="Table").click()
    assert "selected" in page.locator(".rx-table [role=status]").inner_text()
    assert watched.asked_elsewhere(path.as_uri()) == []
    assert watched.complaints == []
    page.close()
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_a_model_too_large_for_a_file(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_module, "MOST_MODEL_BYTES", 10)
    monkeypatch.setattr(file_module, "MOST_EXPLAINED", 3)
    path = tmp_path / "page.html"
    explorer = density()
    explorer.save_html(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    page.get_by_role("tab", name="Export").click()
    page.get_by_role("button", name="Model").click()
    page.wait_for_selector(".rx-status.rx-error:has-text('The model file was too large')")
    # Rows that are not explained in full are told from the boxes.
    page.mouse.move(*place(page, int(np.flatnonzero(explorer.labels == 1)[0])))
    page.wait_for_selector(".rx-tip .rx-lines:has-text('inside a box of its cluster')")
    page.close()


def test_cells_of_a_plane_in_a_file(browser: Any, tmp_path: Path) -> None:
    X = IRIS.data
    path = tmp_path / "page.html"
    DDVFA(rho_lb=0.7, rho_ub=0.85).fit(X).explore(X, y=IRIS.target).save_html(path)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    watched = Watched(page)
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    before = labels_drawn(page)
    page.get_by_role("tab", name="Choice").click()
    page.wait_for_selector(".rx-plane[aria-label]")
    box = page.locator(".rx-plane").bounding_box()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.03 * box["height"])
    page.wait_for_selector(".rx-banner:not([hidden])")
    pointed = labels_drawn(page)
    assert pointed != before
    page.mouse.move(5, 5)  # away: the model is shown again
    assert labels_drawn(page) == before
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.03 * box["height"])
    page.mouse.move(5, 5)
    assert labels_drawn(page) == pointed  # a click holds it
    said = page.locator(".rx-cell").inner_text()
    found = re.match(r"rho_lb ([\d.]+), rho_ub ([\d.]+)", said)
    assert found is not None, said
    expected = DDVFA(rho_lb=float(found[1]), rho_ub=float(found[2])).fit(X).labels_
    page.get_by_role("tab", name="Export").click()
    lines = download(page, "Labels (CSV)").decode().split()[1:]
    assert adjusted_rand_score([int(line.split(",")[1]) for line in lines], expected) == 1.0
    page.get_by_role("button", name="Back to the model").click()
    assert labels_drawn(page) == before
    assert watched.asked_elsewhere(path.as_uri()) == []
    assert watched.complaints == []
    page.close()


def test_a_file_does_without_python(browser: Any, tmp_path: Path) -> None:
    explorer = density()
    path = tmp_path / "page.html"
    explorer.save_html(path)
    page = browser.new_page(viewport={"width": 1100, "height": 700})
    watched = Watched(page)
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    assert labels_drawn(page) == explorer.labels.tolist()
    page.mouse.move(*place(page, 5))
    page.wait_for_selector(".rx-tip .rx-lines")
    at = page.evaluate("document.querySelector('.rx').resonart.plot.hovered")
    first = str(explorer.model.explain(groups()[at], feature_names=["a", "b", "c"])).split("\n")[0]
    assert first in page.locator(".rx-tip").inner_text()
    page.get_by_role("tab", name="Choice").click()
    page.wait_for_selector(".rx-multiple")
    page.get_by_role("tab", name="Parameters").click()
    assert page.get_by_label("noise", exact=True).is_disabled()
    page.get_by_role("tab", name="Export").click()
    (tmp_path / "m.resonart").write_bytes(download(page, "Model"))
    assert load(tmp_path / "m.resonart").n_clusters_ == explorer.model.n_clusters_
    # What was not explained is told from the boxes.
    text = page.evaluate("document.querySelector('.rx').resonart.fromBoxes(5)")
    assert text == ["inside a box of its cluster"]
    assert watched.asked_elsewhere(path.as_uri()) == []
    assert watched.complaints == []
    page.close()


def test_a_stream_is_followed_paused_and_stepped(browser: Any) -> None:
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(100, 2)) + (9 if k % 2 else 0) for k in range(8)]
    model = DensityART(half_life=150).partial_fit(np.concatenate(batches[:2]))
    first = np.concatenate(batches[:2])
    explorer = model.explore(first, feature_names=["a", "b"]).follow(batches[2:], paused=True)
    with opened(browser, explorer) as watched:
        page = watched.page
        page.wait_for_selector(".rx-pause")
        assert model.n_samples_seen_ == 200
        page.locator(".rx-step").click()
        page.wait_for_selector(".rx-panel:has-text('300 rows learned')")
        assert model.n_samples_seen_ == 300
        assert len(labels_drawn(page)) == 300
        page.get_by_role("button", name="Resume").click()
        page.wait_for_selector(".rx-panel:has-text('the input has ended')")
        assert page.locator(".rx-pause").is_disabled()
        assert page.locator(".rx-step").is_disabled()
        assert model.n_samples_seen_ == 800
        told = page.locator(".rx-diary li span:last-child").all_inner_texts()
        model.name_features(["a", "b"])  # as they are called on the page
        assert told == [str(event) for event in reversed(list(model.events_))]
        assert "a=" in told[0]


def test_what_is_pushed_before_the_page_is_built_does_no_harm(browser: Any) -> None:
    """As a notebook may get it that shows one widget twice: its messages go to both."""
    X = groups()[:, :2]
    explorer = DensityART().fit(X).explore(X, feature_names=["a", "b"])

    def push_first(line: Any) -> None:
        server = line.connect_to_server()

        def ask(question: str) -> None:
            line.send(frame(explorer._session.scene()))
            server.send(question)

        line.on_message(ask)
        server.on_message(line.send)

    with Server(explorer._session) as server:
        page = browser.new_page()
        watched = Watched(page)
        page.route_web_socket(re.compile("socket$"), push_first)
        page.goto(server.address)
        page.wait_for_selector("[data-painted]")
        chosen = [page.get_by_label(f"{name} axis").input_value() for name in AXES]
        drawn = page.evaluate("document.querySelector('.rx').resonart.plot.axes.map((a) => a.name)")
        assert (chosen, drawn) == (["0", "1"], ["a", "b"])
        assert labels_drawn(page) == explorer.labels.tolist()
        page.close()
    assert watched.complaints == []


# The other end of anywidget's line, as a notebook has it: messages to Python and back.
NOTEBOOK = """
const { default: widget } = await import(URL.createObjectURL(
  new Blob([source], { type: "text/javascript" })));
const heard = [];
const model = {
  on: (kind, hear) => heard.push(hear), off: () => {}, get: () => null,
  send: async (content) => {
    const [reply, buffers] = await window.askPython(content);
    const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const views = buffers.map((text) => new DataView(bytes(text).buffer));
    heard.forEach((hear) => hear(reply, views));
  },
};
const el = document.getElementById("cell");
await widget.initialize?.({ model });
window.leave = await widget.render({ model, el });
"""


CELL = """
import numpy as np
from resonart import DensityART
X = np.array({rows})
model = DensityART().fit(X)
model.explore(X)
"""


class Kernel:
    """The kernel of a notebook, and the line to the widget that a cell has shown."""

    def __init__(self) -> None:
        manager = pytest.importorskip("jupyter_client.manager")
        pytest.importorskip("ipykernel")
        self._manager, self._client = manager.start_new_kernel(kernel_name="python3")
        self.state: dict[str, Any] = {}
        self.shown: dict[str, Any] = {}

    def run(self, code: str) -> None:
        asked = self._client.execute(code)
        for message in self._messages(asked):
            content = message["content"]
            assert message["msg_type"] != "error", content
            if message["msg_type"] == "comm_open" and "_esm" in content["data"]["state"]:
                self._comm, self.state = content["comm_id"], content["data"]["state"]
            if message["msg_type"] == "execute_result":
                self.shown = content["data"]

    def ask(self, content: Any) -> Any:
        data = {"method": "custom", "content": content}
        message = self._client.session.msg("comm_msg", {"comm_id": self._comm, "data": data})
        self._client.shell_channel.send(message)
        for told in self._messages(message["header"]["msg_id"]):
            if told["msg_type"] == "comm_msg":
                found = told["content"]["data"]["content"]
                buffers = [base64.b64encode(bytes(each)).decode() for each in told["buffers"]]
        return found, buffers

    def _messages(self, asked: str) -> Iterator[dict[str, Any]]:
        while True:
            message = self._client.get_iopub_msg(timeout=30)
            if message["parent_header"].get("msg_id") != asked:
                continue
            if message["content"].get("execution_state") == "idle":
                return
            yield message

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@pytest.mark.subprocess
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own
def test_the_widget_in_a_notebook(browser: Any) -> None:
    pytest.importorskip("anywidget")
    kernel = Kernel()
    try:
        kernel.run(CELL.format(rows=groups().tolist()))
        assert "application/vnd.jupyter.widget-view+json" in kernel.shown
        assert kernel.shown["text/plain"].startswith("Explorer(model='DensityART'")
        assert base64.b64decode(kernel.shown["image/png"]).startswith(b"\x89PNG")
        page = browser.new_page()
        watched = Watched(page)
        page.expose_function("askPython", kernel.ask)
        # A notebook in dark colours, whatever those of the computer are.
        page.set_content('<body data-jp-theme-light="false"><div id="cell"></div></body>')
        page.add_style_tag(content=kernel.state["_css"])
        page.evaluate(f"(source) => (async () => {{ {NOTEBOOK} }})()", kernel.state["_esm"])
        page.wait_for_selector("[data-painted]", timeout=10_000)
        assert page.locator(".rx-still").count() == 0
        expected = DensityART().fit(groups())
        assert labels_drawn(page) == expected.labels_.tolist()
        assert page.locator(".rx").get_attribute("data-theme") == "dark"
        page.locator(".rx-clusters li").first.click()
        page.wait_for_selector(".rx-rules .rx-lines")
        assert page.locator(".rx-rules").inner_text().split(":")[0] in str(expected.describe())
        check_wheel(page)
        assert watched.asked_elsewhere() == []
        assert watched.complaints == []
        page.evaluate("window.leave()")
        page.close()
    finally:
        kernel.close()


def test_an_exported_notebook_has_a_picture(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("anywidget")
    nbformat = pytest.importorskip("nbformat")
    exporters = pytest.importorskip("nbconvert").exporters
    data, more = density(title="a $ and b $")._repr_mimebundle_()
    new = nbformat.v4
    output = new.new_output("execute_result", data=data, metadata=more, execution_count=1)
    cell = new.new_code_cell("explorer", outputs=[output], execution_count=1)
    monkeypatch.setenv("JUPYTER_PATH", folder_of_jupyter())
    html, _ = exporters.HTMLExporter().from_notebook_node(new.new_notebook(cells=[cell]))
    (tmp_path / "page.html").write_text(html, "utf-8")
    page = browser.new_page(java_script_enabled=False)
    page.route("http*://**", lambda route: route.abort())
    page.goto((tmp_path / "page.html").as_uri())
    box = page.locator(".jp-OutputArea-output img").bounding_box()
    assert min(box["width"], box["height"]) > 300
    page.close()


def folder_of_jupyter() -> str:
    """Return where nbconvert has its templates, wherever packages are installed."""
    for file in importlib.metadata.files("nbconvert") or []:
        if file.match("nbconvert/templates/lab/index.html.j2"):
            return str(Path(str(file.locate())).resolve().parents[3])
    pytest.skip("nbconvert has no templates here")


def test_where_python_does_not_answer_there_is_a_picture(browser: Any) -> None:
    pytest.importorskip("anywidget")
    widget = density().widget()
    page = browser.new_page()
    watched = Watched(page)
    page.set_content('<body><div id="cell"></div></body>')
    page.add_style_tag(content=widget._css)
    page.evaluate(
        "([source, still]) => (async () => { const { default: widget } = await import("
        "URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));"
        "const model = { on() {}, off() {}, send() {}, get: (name) => ({ still })[name] };"
        "widget.render({ model, el: document.getElementById('cell') }); })()",
        [widget._esm, widget.still],
    )
    page.wait_for_function("document.querySelector('.rx-still')?.naturalWidth > 300")
    page.wait_for_selector(".rx-wait:has-text('Python does not answer')")
    assert watched.complaints == []
    page.close()


def check_wheel(page: Any) -> None:
    """The wheel scrolls the notebook, and says how to zoom; with a key it zooms."""
    page.evaluate("document.getElementById('cell').style.marginBottom = '3000px'")
    box = page.locator(".rx-canvas").bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    before = view_of(page)
    page.mouse.wheel(0, 60)
    page.wait_for_function("window.scrollY > 30")
    page.wait_for_selector(".rx-hint:has-text('Ctrl'):not([hidden])")
    assert view_of(page) == before
    scrolled = page.evaluate("window.scrollY")
    for key in ("Control", "Shift"):
        now = view_of(page)
        page.keyboard.down(key)
        page.mouse.wheel(0, -100)
        page.wait_for_function(
            "(xs) => document.querySelector('.rx').resonart.plot.view.xs > xs", arg=now["xs"]
        )
        page.keyboard.up(key)
    assert page.evaluate("window.scrollY") == scrolled
    page.wait_for_selector(".rx-hint", state="hidden")


def test_what_is_measured(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer_benchmark, "REPEATS", 1)
    monkeypatch.setattr(explorer_benchmark, "MOVING_SECONDS", 0.2)
    lines = list(explorer_benchmark.measure(browser, 2_000, 1_500))
    assert [line["rows"] for line in lines] == [2_000, 2_000, 1_500, 1_500]
    assert all(line["lowest"] > 0 for line in lines)


# ---------------------------------------------------------------------- the command


@pytest.mark.subprocess
def test_the_command_opens_a_page_and_ends_with_it(browser: Any, tmp_path: Path) -> None:
    table = tmp_path / "data.csv"
    np.savetxt(table, groups(), delimiter=",", header="a,b,c", comments="")
    command = [sys.executable, "-m", "resonart", "explore", "data.csv", "--no-open"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    closed, stopped = (subprocess.Popen(command, cwd=tmp_path, **pipes) for _ in range(2))
    pages = []
    for process in (closed, stopped):
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        pages.append(browser.new_page())
        pages[-1].goto(found[0])
        pages[-1].wait_for_selector("[data-painted]")
    began = time.monotonic()
    pages[0].close()
    stopped.send_signal(signal.SIGINT)
    pages[1].wait_for_selector(".rx-status.rx-error")  # it says that Python has gone
    pages[1].close()
    for process in (closed, stopped):
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0, err
        assert "3 clusters" in out
    assert time.monotonic() - began < 12
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]
