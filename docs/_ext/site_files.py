"""Files beside the pages: llms.txt for language models, and the list of versions."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# Public modules, whose names llms.txt lists with the first line of their docstrings.
MODULES = [
    "resonart",
    "resonart.tuning",
    "resonart.plot",
    "resonart.explore",
    "resonart.stream",
    "resonart.tables",
    "resonart.datasets",
    "resonart.river",
    "resonart.dask",
]


def write_files(app: Sphinx, exception: Exception | None) -> None:
    """Write llms.txt, llms-full.txt and switcher.json when all pages are there."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    pages = [name for name in pages_in_order(app) if not name.startswith("generated/")]
    (out / "llms.txt").write_text(index_of(app, pages))
    (out / "llms-full.txt").write_text(
        "\n\n".join(markdown_of(app, name) for name in pages if not name.startswith("gallery/"))
    )
    url = app.config.site_url
    (out / "switcher.json").write_text(
        json.dumps(
            [
                {
                    "name": "development" if version == "dev" else version,
                    "version": version,
                    "url": f"{url}/{version}/" if url else "/",
                }
                for version in app.config.site_versions
            ],
            indent=2,
        )
    )


def pages_in_order(app: Sphinx) -> list[str]:
    """Return all pages as the table of contents has them."""
    found: list[str] = []

    def visit(name: str) -> None:
        if name not in found:
            found.append(name)
            for child in app.env.toctree_includes.get(name, []):
                visit(child)

    visit(app.config.root_doc)
    return found


def markdown_of(app: Sphinx, name: str) -> str:
    """Return the source of a page, without what only Sphinx reads."""
    text = Path(app.env.doc2path(name)).read_text()
    return re.sub(r"^```\{toctree\}.*?^```\n", "", text, flags=re.DOTALL | re.MULTILINE).strip()


def index_of(app: Sphinx, pages: list[str]) -> str:
    """Return llms.txt: what resonart is, its pages with their first sentences, its names."""
    base = app.config.html_baseurl
    lines = [
        "# resonart",
        "",
        "> Online clustering with adaptive resonance theory for Python: clusters of any shape and "
        "noise from a stream, in one pass, with scikit-learn's interface.",
    ]
    for title, wanted in (
        ("Documentation", lambda name: not name.startswith(("gallery/", "repository/"))),
        ("Examples", lambda name: name.startswith("gallery/plot_")),
        ("Project", lambda name: name.startswith("repository/")),
    ):
        lines += ["", f"## {title}", ""]
        for name in pages:
            if wanted(name):
                suffix = Path(app.env.doc2path(name)).suffix
                lines.append(
                    f"- [{app.env.titles[name].astext()}]({base}_sources/{name}{suffix}.txt)"
                    f": {first_sentence(app, name)}"
                )
    lines += ["", "## Public names", ""]
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value):  # and no constant, whose docstring is that of its type
                summary = (value.__doc__ or "").strip().split("\n")[0]
                page = f"{base}generated/{module_name}.{name}.html"
                lines.append(f"- [{module_name}.{name}]({page}): {summary}")
    return "\n".join(lines) + "\n"


def first_sentence(app: Sphinx, name: str) -> str:
    """Return the first sentence of a page's text."""
    for paragraph in app.env.get_doctree(name).findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        is_text = isinstance(paragraph.parent, nodes.section)
        if is_text and not text.startswith("Go to the end"):
            return re.split(r"(?<=[.!?:]) ", text)[0].rstrip(":")
    return ""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is written when the pages are there."""
    app.add_config_value("site_url", "", "html")
    app.add_config_value("site_versions", [], "html")
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
