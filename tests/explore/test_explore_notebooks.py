"""The explorer in real notebooks, JupyterLab and marimo, each in a browser.

VS Code and Colab cannot be run here; they show the same widget through anywidget.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import Watched, running_browser
from resonart import DensityART

pytestmark = [pytest.mark.notebook, pytest.mark.xdist_group("browser"), pytest.mark.subprocess]

NAMES = ["a", "b", "c"]
CELL = """\
import numpy as np
from resonart import DensityART
X = np.load("rows.npy")
explorer = DensityART().fit(X).explore(X, feature_names=["a", "b", "c"])
explorer"""
LATER = 'print("noise is", explorer.model.noise)'
WAIT = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        yield found


def groups(n: int = 80) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(n, 3)) + centre for centre in ([0, 0, 0], [9, 0, 3], [0, 9, -3])]
    return np.concatenate([*parts, rng.uniform(-6, 15, (n // 4, 3))])


@contextmanager
def served(folder: Path, *command: str, **more: str) -> Iterator[str]:
    """Start a notebook server on a free port of 127.0.0.1, and stop it in the end."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # Nobody's settings are read or written.
    homes = {"HOME": "home", "IPYTHONDIR": "home/ipython", "XDG_CONFIG_HOME": "home/config"}
    homes |= {"XDG_CACHE_HOME": "home/cache", "XDG_STATE_HOME": "home/state"}
    homes |= {f"JUPYTER_{kind}_DIR": f"home/{kind}" for kind in ("CONFIG", "DATA", "RUNTIME")}
    (folder / "home").mkdir()
    work = folder / "work"
    environment = {**os.environ, **{k: str(folder / v) for k, v in homes.items()}, **more}
    words = [word.format(port=port, work=work) for word in command]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=work, env=environment, stdout=log, stderr=log
        )
    try:
        ends = time.monotonic() + WAIT / 1000
        while True:
            assert process.poll() is None, (folder / "log").read_text("utf-8")[-2000:]
            assert time.monotonic() < ends, "the notebook server does not answer"
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def opened(browser: Any, base: str, path: str) -> Iterator[Watched]:
    """Open a page of the server; in the end it may have asked nobody else."""
    page = browser.new_page(viewport={"width": 1400, "height": 1100})
    page.set_default_timeout(WAIT)
    watched = Watched(page)
    try:
        page.goto(base + path)
        yield watched
    finally:
        page.close()
    assert any(url.startswith("ws://127.0.0.1:") for url in watched.asked)
    assert watched.asked_elsewhere(base, base.replace("http", "ws")) == []
    # (What the notebook itself does not find on its own server is not ours.)
    ours = [text for text in watched.complaints if "Failed to load resource" not in text]
    assert ours == []


def check_round_trips(page: Any) -> None:
    """See, point, click and change a parameter, and compare it with what Python says."""
    page.wait_for_selector(".rx[data-painted]")
    page.locator(".rx-canvas").scroll_into_view_if_needed()
    X = groups()
    model = DensityART().fit(X)
    # (A notebook may show the widget in a shadow tree, in which only locators find it.)
    root = page.locator(".rx")

    def labels() -> list[int]:
        found: list[int] = root.evaluate("(root) => Array.from(root.resonart.plot.labels)")
        return found

    assert labels() == model.labels_.tolist()
    drawn = page.locator(".rx-canvas").evaluate(
        "(c) => { const found = new Set();"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " for (let i = 0; i < d.length; i += 4) found.add(d[i] * 65536 + d[i+1] * 256 + d[i+2]);"
        " return [c.width, c.height, found.size]; }"
    )
    assert min(drawn[:2]) > 200
    assert drawn[2] > model.n_clusters_  # and not one ground alone
    # Pointing at a row: the kernel explains it.
    row = int(np.flatnonzero(model.labels_ == 1)[0])
    at = root.evaluate(
        "(root, row) => { const { plot } = root.resonart;"
        " const box = plot.canvas.getBoundingClientRect();"
        " const [x, y] = plot.placeOf(row).map((v) => v / plot.view.ratio);"
        " return [box.x + x, box.y + y]; }",
        row,
    )
    page.mouse.move(*at)
    page.wait_for_selector(".rx-tip .rx-lines")
    pointed = root.evaluate("(root) => root.resonart.plot.hovered")
    told = page.locator(".rx-tip .rx-lines > div").all_inner_texts()
    expected = str(model.explain(X[pointed], feature_names=NAMES)).split("\n")
    assert [line.strip() for line in told] == [line.strip() for line in expected]
    # Clicking it: the kernel gives the rules of its cluster.
    page.mouse.click(*at)
    page.wait_for_selector(".rx-rules .rx-lines")
    rules = page.locator(".rx-rules .rx-lines > div").all_inner_texts()
    assert rules[0].startswith(f"cluster {model.labels_[pointed]}:")
    text = str(model.describe(feature_names=NAMES))
    assert all(line.strip() in text for line in rules)
    # A parameter: the kernel fits.
    page.get_by_role("tab", name="Parameters").click()
    page.get_by_label("noise", exact=True).select_option("nearest")
    page.wait_for_selector(".rx[data-fitted]")
    assert labels() == DensityART(noise="nearest").fit(X).labels_.tolist()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    np.save(tmp_path / "work" / "rows.npy", groups())
    return tmp_path


@pytest.mark.long
def test_in_jupyterlab(browser: Any, folder: Path) -> None:
    for name in ("jupyterlab", "anywidget", "ipykernel"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install {name}")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "outputs": [], "source": code}
        | {"execution_count": None}
        for name, code in (("first", CELL), ("later", LATER))
    ]
    notebook = {"metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "work" / "try.ipynb").write_text(json.dumps(notebook | {"cells": cells}), "utf-8")
    command = ("jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port={port}")
    command += ("--ServerApp.port_retries=0", "--IdentityProvider.token=secret")
    command += ("--ServerApp.root_dir={work}", "--LabApp.extension_manager=readonly")
    with (
        served(folder, *command, JUPYTER_PATH=widgets_folder()) as base,
        opened(browser, base, "lab/tree/try.ipynb?token=secret") as watched,
    ):
        page = watched.page
        first, later = (page.locator(".jp-CodeCell").nth(k) for k in range(2))
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        run_cell(page, first)
        check_round_trips(page)
        # Keys are the explorer's, and not the notebook's, where b is a new cell.
        page.locator(".rx-canvas").focus()
        page.keyboard.press("b")
        page.wait_for_selector(".rx-tools button[aria-pressed=true]:has-text('Boxes')")
        assert page.locator(".jp-CodeCell").count() == 2
        # What was changed on the page is what the notebook has.
        run_cell(page, later)
        page.wait_for_selector(".jp-OutputArea-output:has-text('noise is nearest')")
    assert {path.name for path in (folder / "work").iterdir()} <= {
        *("rows.npy", "try.ipynb", ".ipynb_checkpoints", ".virtual_documents")
    }


def run_cell(page: Any, cell: Any) -> None:
    """Run a cell; one that was asked before its kernel listened is asked again."""
    prompt = cell.locator(".jp-InputPrompt")
    for _ in range(5):
        cell.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        ends = time.monotonic() + 3
        while time.monotonic() < ends:
            if prompt.inner_text().strip("[]: \n"):  # a star, then a number
                return
            page.wait_for_timeout(50)
    raise AssertionError("JupyterLab does not run the cell")


def widgets_folder() -> str:
    """Where the extension of JupyterLab is that shows widgets, wherever packages are installed."""
    for file in importlib.metadata.files("jupyterlab_widgets") or []:
        for parent in Path(str(file.locate())).resolve().parents:
            if parent.name == "jupyter" and "labextensions" in file.parts:
                return str(parent)
    pytest.skip("jupyterlab_widgets has no extension of JupyterLab here")


@pytest.mark.long
def test_in_marimo(browser: Any, folder: Path) -> None:
    for name in ("marimo", "anywidget"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install {name}")
    body = "\n".join(f"    {line}" for line in CELL.split("\n"))
    code = f"import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n{body}\n    return\n"
    (folder / "work" / "page.py").write_text(code, "utf-8")
    command = ("marimo", "-y", "run", "page.py", "--headless", "--no-token")
    command += ("--host", "127.0.0.1", "--port", "{port}")
    with (
        served(folder, *command, MARIMO_SKIP_UPDATE_CHECK="1") as base,
        opened(browser, base, "") as watched,
    ):
        check_round_trips(watched.page)
