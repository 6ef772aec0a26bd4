"""A Chromium that was found on the machine, and a page of the explorer in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from resonart.explore import Explorer
from resonart.explore._server import Server

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def find_browser() -> str | None:
    """Return the program, as RESONART_BROWSER says or as it is found."""
    named = os.environ.get("RESONART_BROWSER")
    if named:
        return named
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def running_browser() -> Iterator[Any]:
    """Start a browser; skip where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium-headless-shell")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page, and all that it asked for and complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "console",
            lambda said: self.complaints.append(said.text) if said.type == "error" else None,
        )

    def asked_elsewhere(self, *own: str) -> list[str]:
        return [url for url in self.asked if not url.startswith((*own, "data:", "blob:", "about:"))]


@contextmanager
def opened(browser: Any, explorer: Explorer, **options: Any) -> Iterator[Watched]:
    """Serve an explorer and open it; in the end nothing may have gone elsewhere, or wrong."""
    options = {"viewport": {"width": 1200, "height": 760}, **options}
    with Server(explorer._session) as server:
        page = browser.new_page(**options)
        watched = Watched(page)
        try:
            page.goto(server.address)
            page.wait_for_selector("[data-painted]", timeout=10_000)
            yield watched
        finally:
            page.close()
        assert watched.asked_elsewhere(server.address, server.address.replace("http", "ws")) == []
        assert watched.complaints == []
