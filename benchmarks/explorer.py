"""The explorer in a browser: how soon it is seen, how smoothly it moves, how fast it follows.

First paint is from the call that opens the page until the picture is there. Frames are counted
while the picture is moved and enlarged without a rest. A change is from the moment a parameter is
sent until the new clusters are drawn: of DDVFA all at once, of DensityART at first through fewer
boxes.

    python -m benchmarks.explorer [--browser PATH] [--rows N] [--live-rows N] [--out FILE]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart import DDVFA, DensityART
from resonart.explore import Explorer
from resonart.explore._server import Server

from .results import write_lines

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
REPEATS = 5
MOVING_SECONDS = 3.0
# What is asked: seconds until the first paint, frames a second, seconds until a change is seen.
FIRST_PAINT, FRAMES, CHANGE = 2.0, 30.0, 0.2

MOVE = """async (seconds) => {
  const { plot } = document.querySelector(".rx").resonart;
  const [from, frames] = [performance.now(), plot.frames];
  while (performance.now() - from < 1000 * seconds) {
    const t = performance.now() / 300;
    plot.pan(4 * Math.sin(t), 4 * Math.cos(t));
    plot.zoom(1 + 0.02 * Math.sin(t / 2));
    await new Promise(requestAnimationFrame);
  }
  return (1000 * (plot.frames - frames)) / (performance.now() - from);
}"""
FIT = """async (params) => {
  const app = document.querySelector(".rx").resonart;
  const from = performance.now();
  const told = await app.line.ask("fit", { params, quick: true });
  app.takeModel(told.model);
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return (performance.now() - from) / 1000;
}"""


def rows_of(n: int) -> NDArray[np.float64]:
    """Return rows of twelve clusters of several sizes in four features, with some noise."""
    rng = np.random.default_rng(0)
    centres = rng.uniform(0, 40, (12, 4))
    which = rng.integers(12, size=n)
    rows = centres[which] + rng.normal(size=(n, 4)) * rng.uniform(0.5, 2.0, 12)[which, None]
    noise = rng.random(n) < 0.02
    rows[noise] = rng.uniform(-5, 45, (int(noise.sum()), 4))
    return rows


@contextmanager
def page_of(browser: Any, explorer: Explorer) -> Iterator[tuple[Any, float]]:
    """Open a page; tell how long it took until the picture was there."""
    with Server(explorer._session) as server:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        began = time.perf_counter()
        page.goto(server.address)
        page.wait_for_selector("[data-painted]", timeout=60_000)
        yield page, time.perf_counter() - began
        page.close()


def measure(browser: Any, n_rows: int, n_live: int) -> Iterator[dict[str, Any]]:
    """Give a line for each figure."""
    X = rows_of(n_rows)
    explorer = DensityART().fit(X).explore(X)
    paints, frames = [], []
    for _ in range(REPEATS):
        with page_of(browser, explorer) as (page, seconds):
            paints.append(seconds)
            frames.append(page.evaluate(MOVE, MOVING_SECONDS))
    yield line("first paint, seconds", n_rows, paints, FIRST_PAINT, most=True)
    yield line("frames a second", n_rows, frames, FRAMES, most=False)
    X = rows_of(n_live)
    changes: dict[str, tuple[Any, list[dict[str, Any]]]] = {
        "DDVFA": (
            DDVFA(rho_lb=0.8, rho_ub=0.9),
            [{"rho_lb": value} for value in (0.75, 0.78, 0.82, 0.85, 0.88)],
        ),
        "DensityART": (
            DensityART(),
            [{"min_cluster_size": value} for value in (10, 20, 40, 80, 160)],
        ),
    }
    for name, (model, params) in changes.items():
        with page_of(browser, model.fit(X).explore(X)) as (page, _):
            seconds = [page.evaluate(FIT, each) for each in params]
        yield line(f"a change of {name}, seconds", n_live, seconds, CHANGE, most=True)


def line(what: str, n_rows: int, values: list[float], goal: float, *, most: bool) -> dict[str, Any]:
    """Return what was measured, and whether that is enough."""
    middle = statistics.median(values)
    return {
        "what": what,
        "rows": n_rows,
        "median": round(middle, 4),
        "lowest": round(min(values), 4),
        "highest": round(max(values), 4),
        "goal": goal,
        "reached": middle <= goal if most else middle >= goal,
    }


def main() -> None:
    """Measure, print, and write where that is asked for."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    parser.add_argument("--browser", default=found)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--live-rows", type=int, default=20_000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.browser is None:
        parser.error("no Chromium was found. Name one with --browser.")
    lines = []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=given.browser, args=FLAGS)
        for each in measure(browser, given.rows, given.live_rows):
            lines.append(each)
            print(each)
        browser.close()
    if given.out is not None:
        write_lines(given.out, lines)


if __name__ == "__main__":
    main()
