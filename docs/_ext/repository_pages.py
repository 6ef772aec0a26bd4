"""Pages of the repository that are part of the site, and links between all of them.

README-like files outside of ``docs/`` (changelog, benchmarks, the paper's experiments) are copied
to ``docs/repository/``. Links of all pages are written for a code host: relative to the file. Those
to a file that is on the site, as a page or in the gallery, become links of the site; others lead to
the repository where its address is known, and else stay as plain words. A link to a file that does
not exist is an error.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

# File in the repository, and the page it becomes.
PAGES = {
    "CHANGELOG.md": "repository/changelog.md",
    "CONTRIBUTING.md": "repository/contributing.md",
    "benchmarks/README.md": "repository/benchmarks.md",
    "paper/README.md": "repository/paper.md",
}
# Pages of the repository that have a counterpart on the site.
INSTEAD = {"README.md": "index.md", "examples/gallery": "gallery/index.rst"}

LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)")
FENCE = re.compile(r"(^ *(`{3,}|~{3,}).*?^ *\2[`~]* *$)", re.DOTALL | re.MULTILINE)

logger = logging.getLogger(__name__)


class Links:
    """Rewrites the links of one page."""

    def __init__(self, app: Sphinx, file: str, page: str) -> None:
        self.root = Path(app.config.repository_root)
        self.url: str = app.config.repository_url
        self.source = Path(app.srcdir)
        self.file = file  # in the repository
        self.page = page  # on the site

    def rewrite(self, text: str) -> str:
        """Return the text with links of the site, code blocks as they are."""
        parts = FENCE.split(text)
        # Of each fence, split gives the block and its marks.
        return "".join(
            LINK.sub(self._one, part) if i % 3 == 0 else part if i % 3 == 1 else ""
            for i, part in enumerate(parts)
        )

    def _one(self, match: re.Match[str]) -> str:
        text, target = match["text"], match["target"]
        if re.match(r"[a-z]+:|#|<", target):
            return match[0]
        path, hash_, anchor = target.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self.file), path))
        if match["image"]:
            return f"![{text}]({self._image(name)})"
        page = self._page_of(name)
        if page is not None:
            here = posixpath.dirname(self.page) or "."
            return f"[{text}]({posixpath.relpath(page, here)}{hash_}{anchor})"
        if not (self.root / name).exists():
            raise ExtensionError(f"{self.file} links to {target}, and there is no {name}")
        if self.url:
            return f"[{text}]({self.url}/blob/main/{name}{hash_}{anchor})"
        return text if "`" in text or text != name else f"`{name}`"

    def _page_of(self, name: str) -> str | None:
        if name in PAGES:
            return PAGES[name]
        if name in INSTEAD:
            return INSTEAD[name]
        if re.fullmatch(r"examples/gallery/plot_\w+\.py", name) and (self.root / name).exists():
            return f"gallery/{Path(name).stem}.rst"
        inside = name.removeprefix("docs/")
        is_page = inside != name and Path(name).suffix in (".md", ".rst")
        return inside if is_page else None

    def _image(self, name: str) -> str:
        """Return where an image lies for the page; those outside of docs/ are copied."""
        if name.startswith("docs/"):
            inside = name.removeprefix("docs/")
        else:
            inside = f"repository/{name}"
            goal = self.source / inside
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / name, goal)
        return posixpath.relpath(inside, posixpath.dirname(self.page) or ".")


def copy_pages(app: Sphinx, config: Any) -> None:
    """Write the pages that come from outside of ``docs/``; those that are the same stay."""
    for file, page in PAGES.items():
        text = (Path(config.repository_root) / file).read_text()
        goal = Path(app.srcdir) / page
        goal.parent.mkdir(parents=True, exist_ok=True)
        text = Links(app, file, page).rewrite(text)
        if not goal.exists() or goal.read_text() != text:
            goal.write_text(text)


def rewrite_links(app: Sphinx, docname: str, content: list[str]) -> None:
    """Rewrite the links of a page of ``docs/`` as it is read."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".md" and not docname.startswith("repository/"):
        page = f"{docname}.md"
        content[0] = Links(app, f"docs/{page}", page).rewrite(content[0])
        if docname == "which" and app.config.sphinx_gallery_conf["plot_gallery"]:
            # The picture as this build has drawn it.
            drawn = "gallery/images/sphx_glr_plot_which_estimator_001.png"
            content[0] = content[0].replace("](which.png)", f"]({drawn})")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what copies pages and rewrites links."""
    app.add_config_value("repository_root", "", "env")
    app.add_config_value("repository_url", "", "env")
    app.connect("config-inited", copy_pages)
    app.connect("source-read", rewrite_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
