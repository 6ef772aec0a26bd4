"""Links between the pages of the finished site: one that leads nowhere is a warning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def broken_links(site: Path) -> Iterator[str]:
    """Yield what is wrong with links to files and anchors of the site, page by page."""
    anchors: dict[Path, set[str]] = {}
    pages = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    for page in pages:
        links = re.findall(r'(?:href|src)="([^"]*)"', page.read_text())
        for link in dict.fromkeys(links):
            target = unquote(unescape(link))
            if re.match(r"[a-z]+:|//", target):
                continue  # elsewhere
            path, _, anchor = target.partition("#")
            path = path.partition("?")[0]
            goal = (page.parent / path).resolve() if path else page.resolve()
            if not goal.exists():
                yield f"{page.relative_to(site)} links to {target}, which is not there"
            elif anchor and goal.suffix == ".html":
                if goal not in anchors:
                    anchors[goal] = set(re.findall(r'\bid="([^"]*)"', goal.read_text()))
                if unescape(anchor) not in anchors[goal]:
                    yield f"{page.relative_to(site)} links to {target}, which has no such place"


def check(app: Sphinx, exception: Exception | None) -> None:
    """Warn of links that lead nowhere; with ``--fail-on-warning`` the build fails."""
    if exception is None and app.builder.format == "html":
        for problem in broken_links(Path(app.outdir).resolve()):
            logger.warning(problem)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the check, after all other files are written."""
    app.connect("build-finished", check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
