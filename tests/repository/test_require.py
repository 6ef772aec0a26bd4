"""How to get what an extra brings: said in one place, and as long as it is true."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from resonart._shared.require import INSTALL, how_to_get, require

ROOT = Path(__file__).parents[2]
WRITTEN = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "examples").glob("*.py"),
    *(ROOT / "paper").glob("*.py"),
]


def test_no_page_names_a_release_before_there_is_one() -> None:
    for path in WRITTEN:
        assert not re.search(r"pip install [\"']?resonart", path.read_text()), path


def test_extras_that_are_named_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for path in WRITTEN:
        text = path.read_text()
        for extras in re.findall(r"pip install [\"']\.\[([\w,]+)\]", text):
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), path
    used = set()
    for path in (ROOT / "src").rglob("*.py"):
        used |= set(re.findall(r"require\([^()]*, \"(\w+)\"[,)]", path.read_text()))
    assert used >= {"cli", "dask", "datasets", "plot", "progress", "river"}
    assert used <= set(project["optional-dependencies"])


def test_only_one_place_says_how_to_install() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        if path.name != "require.py":
            assert "pip install" not in path.read_text().replace("pip install pandas", ""), path
    assert INSTALL.format(extra="cli") in how_to_get("click", "cli")


def test_a_package_that_is_there_but_broken_speaks_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_package.py").write_text("import what_it_lacks")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="what_it_lacks"):
        require("broken_package", "This", "cli")
    monkeypatch.setitem(sys.modules, "broken_package", None)
    with pytest.raises(ImportError, match=r"This needs broken_package, .* Or wait\.$"):
        require("broken_package.part", "This", "cli", instead="Or wait.")
