"""The site builds without a warning (a broken link is one); its examples are sound."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import resonart
from browser import find_browser, running_browser

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
MODULES = [
    "resonart",
    *(f"resonart.{m}" for m in ("tuning", "plot", "stream", "tables", "datasets", "river")),
]
MODULES += ["resonart.dask", "resonart.cli", "resonart.explore"]
# A short one, which is also run as a notebook.
NOTEBOOK = "plot_fuzzy_art_boxes"

PAGES_WITH_CODE = ["start", "online", "noise", "no_data", "features", "merging"]
# What a build of the site in place writes beside the pages.
WRITTEN = shutil.ignore_patterns("gallery", "generated", "repository", "__pycache__")


def build(folder: Path) -> Path:
    """Build the site from a copy of its pages, with no example run; return where it is."""
    shutil.copytree(DOCS, folder / "docs", ignore=WRITTEN)
    out = folder / "html"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            "--fail-on-warning",
            "--keep-going",
            "--builder",
            "html",
            str(folder / "docs"),
            str(out),
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"RESONART_DOCS": "quick", "RESONART_ROOT": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.docs
@pytest.mark.subprocess
@pytest.mark.long
def test_the_site(tmp_path: Path) -> None:
    """One test, since the site is built once for all that is asked of it."""
    for name in ("sphinx", "myst_parser", "numpydoc", "sphinx_gallery", "sphinx_click"):
        pytest.importorskip(name, reason=f"the site needs {name}: the dependency group docs")
    pytest.importorskip("pydata_sphinx_theme", reason="the site needs its theme: the group docs")
    site = build(tmp_path)
    check_public_names(site)
    check_files_for_machines(site)
    check_notebook(site, tmp_path)
    if find_browser() is not None:
        check_in_a_browser(site)


def public_names() -> list[str]:
    names = []
    for module in MODULES:
        if module == "resonart.river":
            pytest.importorskip("river")
        names += [f"{module}.{name}" for name in importlib.import_module(module).__all__]
    return [name for name in names if not name.endswith(".__version__")]


def test_no_public_module_is_left_out() -> None:
    """A room is public if it says what is in it."""
    folder = Path(resonart.__file__).parent
    rooms = {
        f"resonart.{path.parent.name}"
        for path in folder.glob("[!_]*/__init__.py")
        if "__all__" in path.read_text()
    }
    files = {f"resonart.{path.stem}" for path in folder.glob("[!_]*.py")}
    assert rooms | files == set(MODULES) - {"resonart"}


def test_every_extra_is_on_the_start_page() -> None:
    page = (DOCS / "start.md").read_text()
    told = re.findall(r"^\| `(\w+)` \|", page.split("## Ten lines")[0], flags=re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(told) == set(extras["optional-dependencies"])


def check_public_names(site: Path) -> None:
    constants = {"resonart.tables.FORMATS", "resonart.tables.MISSING"}
    api = (site / "api.html").read_text()
    for name in public_names():
        if name in constants:
            assert f'id="{name}"' in api
        else:
            page = (site / "generated" / f"{name}.html").read_text()
            assert "See also" in page, f"the docstring of {name} needs a section See Also"
    # Every command, and an option of one.
    commands = (site / "command_reference.html").read_text()
    for word in ("resonart cluster", "resonart stream", "--half-life", "--checkpoint-every"):
        assert word in commands
    for page in ("index", "start", "which", "guides", "gallery/index", "repository/changelog"):
        assert (site / f"{page}.html").exists()
    assert (site / "searchindex.js").exists()


def check_files_for_machines(site: Path) -> None:
    words = (site / "llms.txt").read_text()
    assert words.startswith("# resonart\n\n> ")
    for target in re.findall(r"\]\(([^)]+)\)", words):
        assert (site / target).exists(), target
    assert "[resonart.DensityART]" in words
    assert "# Streams that change" in (site / "llms-full.txt").read_text()
    versions = json.loads((site / "switcher.json").read_text())
    assert [entry["version"] for entry in versions] == ["dev"]


def check_notebook(site: Path, folder: Path) -> None:
    """An example as it is downloaded: it runs, headless, and shows its pictures."""
    nbclient = pytest.importorskip("nbclient", reason="a notebook needs nbclient: the group docs")
    pytest.importorskip("ipykernel", reason="a notebook needs ipykernel: the group docs")
    import nbformat

    [path] = (site / "_downloads").rglob(f"{NOTEBOOK}.ipynb")
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=where).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    assert len([out for out in outputs if "image/png" in out.get("data", {})]) == 2


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def check_in_a_browser(site: Path) -> None:
    """Pages ask for nothing elsewhere, and nothing that is not there; the search finds names."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    faults = []
    try:
        with running_browser() as browser:
            for scheme in ("light", "dark"):
                page = browser.new_page(color_scheme=scheme)
                page.on("response", lambda r: r.status < 400 or faults.append(r.url))
                page.on("request", lambda r: r.url.startswith(address) or faults.append(r.url))
                page.on("pageerror", lambda error: faults.append(str(error)))
                for name in ("index", "which", "gallery/index", "generated/resonart.DensityART"):
                    page.goto(f"{address}{name}.html", wait_until="networkidle")
                    assert page.locator("html").get_attribute("data-theme") == scheme
                page.goto(f"{address}search.html?q=vigilance_for")
                found = page.locator("#search-results li a")
                found.first.wait_for()
                assert "tuning.vigilance_for" in " ".join(found.all_inner_texts())
                page.close()
    finally:
        server.shutdown()
        server.server_close()
    assert not faults


@pytest.mark.docs
def test_broken_links_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="the site needs sphinx: the dependency group docs")
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    links = importlib.import_module("check_links")
    (tmp_path / "a.html").write_text(
        '<h1 id="top"><a href="b.html#here">good</a> <a href="#top">good</a>'
        '<a href="https://example.org/none">elsewhere</a> <a href="b.html#gone">bad</a>'
        '<img src="none.png">'
    )
    (tmp_path / "b.html").write_text('<p id="here"><a href="a.html?x=1">good</a>')
    assert list(links.broken_links(tmp_path)) == [
        "a.html links to b.html#gone, which has no such place",
        "a.html links to none.png, which is not there",
    ]


def test_there_are_examples_enough() -> None:
    assert len(EXAMPLES) >= 15


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_compiles_and_uses_the_public_interface(path: Path) -> None:
    tree = ast.parse(path.read_text(), path.name)
    assert re.match(r".+\n=+\n\n.+", (ast.get_docstring(tree) or "").strip())
    assert "plt.show()" in path.read_text()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("resonart"):
            public = importlib.import_module(str(node.module)).__all__
            modules = {m.removeprefix("resonart.") for m in MODULES}
            for alias in node.names:
                assert alias.name in public or alias.name in modules, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                assert not alias.name.startswith("resonart") or alias.name in MODULES
        elif isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_"), f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("name", PAGES_WITH_CODE)
def test_the_code_of_a_guide_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a line says in a comment it prints, where that is a plain value."""
    code = "\n".join(
        re.findall(r"```python\n(.*?)```", (DOCS / f"{name}.md").read_text(), flags=re.DOTALL)
    )
    assert code
    exec(compile(code, f"docs/{name}.md", "exec"), {})
    printed = capsys.readouterr().out
    for value in re.findall(r"print\(.*\)  # (\[.*?\]|[\d.]+|\d+ True)(?=$|[,:]| =)", code, re.M):
        assert value in printed, value


@pytest.mark.docs
def test_every_parameter_of_other_libraries_exists() -> None:
    """The tables for newcomers name parameters; those of libraries that are here are looked up."""
    import inspect

    from sklearn.cluster import DBSCAN, HDBSCAN

    river = pytest.importorskip("river.cluster")
    artlib = pytest.importorskip("artlib")
    page = (DOCS / "coming_from.md").read_text()

    def has(section: str, known: Any) -> None:
        text = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
        cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
        parameters = set(inspect.signature(known).parameters)
        name = known.__name__
        if section == "river" or section == "artlib":
            calls = [c for cell in cells for c in re.findall(rf"`{name}\(([^`]*)\)`", cell)]
            words = {w for c in calls for w in re.findall(r"\b([a-z_]+)\b(?=[=,]|$)", c)}
            words -= {"rho", "alpha", "beta"} if name in ("DualVigilanceART", "TopoART") else set()
        else:
            words = {w for cell in cells for w in re.findall(r"`([a-z_]+)=", cell)}
            words -= {"prediction_data"}  # of hdbscan
        assert words, name
        assert words <= parameters, (name, words - parameters)

    has("HDBSCAN", HDBSCAN)
    has("DBSCAN", DBSCAN)
    for known in (river.DBSTREAM, river.DenStream, river.CluStream):
        has("river", known)
    for known in (artlib.FuzzyART, artlib.DualVigilanceART, artlib.TopoART):
        has("artlib", known)
