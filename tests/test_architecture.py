"""The house rules: one-way dependencies, a small public surface, few requirements."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

import resonart
from resonart import io

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "resonart"

# A room may use those to its right; the core is everything at the top of the package.
LAYERS = ["cli", "explore", "dask", "river", "io", "tuning", "plot", "datasets", "core"]


def layer(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    if first == "__main__.py":
        return "cli"  # python -m resonart is the command line
    return first if first in LAYERS else "core"


def imports(path: Path) -> list[str]:
    """Absolute names of all modules a file imports, wherever in the file."""
    package = ["resonart", *path.relative_to(PACKAGE).parts[:-1]]
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            found.append(".".join([*base, *([node.module] if node.module else [])]))
            if node.level and not node.module:
                found += [".".join([*base, alias.name]) for alias in node.names]
    return found


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_dependencies_point_one_way(path: Path) -> None:
    mine = LAYERS.index(layer(path))
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "resonart" and len(parts) > 1 and parts[1] in LAYERS:
            assert LAYERS.index(parts[1]) >= mine, f"{path.name} must not import {name}"


# Doors that the core opens for rooms above it; everything else they take from the public list.
DOORS = {
    "dask": {"resonart.estimators.in_blocks", "resonart.rows.outliers"},
    "tuning": {
        "resonart._engine.bounds",
        "resonart.rows.checks",
        "resonart.vigilance.auto",
        "resonart.vigilance.choice",
        "resonart.tuning._distance",
        "resonart.vigilance.sweep",
    },
    "cli": {
        "resonart.reports.standing",
        "resonart.estimators.in_blocks",
        "resonart._engine.parameters",
        "resonart._engine.durations",
    },
    "explore": {
        "resonart.reports.condensed_tree",
        "resonart.reports.readings",
        "resonart.reports.standing",
        "resonart._engine.parameters",
        "resonart.rows.checks",
        "resonart._engine.durations",
    },
    "plot": {"resonart.reports.condensed_tree", "resonart.rows.checks"},
    "river": {"resonart._engine.parameters"},
}
# Tools that know nothing of clustering are there for everybody, and so are facts about the build.
SHARED = ("resonart._shared.", "resonart._engine.build")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_core_reaches_the_engine(path: Path) -> None:
    if layer(path) != "core":
        private = {n for n in imports(path) if n.startswith("resonart._")}
        doors = DOORS.get(layer(path), set())
        assert {n for n in private if not n.startswith(SHARED)} <= doors


# What namedtuples call so, to have no names in the way of fields.
OF_NAMEDTUPLES = {"_asdict", "_fields", "_make", "_replace"}


def private_of_others(path: Path) -> list[str]:
    """Private attributes a file asks of anything but itself: what it does not define is not its."""
    tree = ast.parse(path.read_text())
    asked = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in OF_NAMEDTUPLES
    ]
    is_own = {
        node: isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        for node in asked
    }
    own = {node.attr for node in asked if is_own[node] and isinstance(node.ctx, ast.Store)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in asked
        if not is_own[node] and node.attr not in own
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_core_knows_what_is_private_to_it(path: Path) -> None:
    if layer(path) != "core":
        assert private_of_others(path) == []


def test_what_is_private_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text("model._settle(1)\nself._own = model._replace(a=model._x)\n")
    assert private_of_others(path) == ["line 1: model._settle", "line 2: model._x"]


def test_the_core_needs_numpy_scipy_and_scikit_learn_only() -> None:
    # scikit-learn has its threads, and so depends on threadpoolctl.
    allowed = {"numpy", "scipy", "sklearn", "threadpoolctl", "resonart"}
    allowed |= set(sys.stdlib_module_names)
    for path in FILES:
        if layer(path) == "core":
            used = {n.split(".")[0] for n in imports(path)}
            assert used <= allowed
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[<>=\[ ]", d)[0] for d in project["dependencies"]}
    assert names == {"numpy", "scipy", "scikit-learn"}


@pytest.mark.subprocess
def test_importing_is_lean() -> None:
    """Nothing is loaded besides what the dependencies load by themselves."""
    code = (
        "import sys, numpy, sklearn.base, sklearn.utils.validation; "
        "before = set(sys.modules); "
        "import resonart; resonart.DensityART; "
        "print({m.split('.')[0] for m in set(sys.modules) - before} "
        "- set(sys.stdlib_module_names))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "{'resonart'}"


@pytest.mark.subprocess
def test_names_are_imported_when_they_are_used() -> None:
    code = (
        "import sys, resonart, resonart.io\n"
        "assert {*resonart.__all__, '__file__'} <= set(dir(resonart))\n"
        "assert set(resonart.io.__all__) <= set(dir(resonart.io))\n"
        "assert not {'numpy', 'resonart._public', 'resonart.io._public'} & {*sys.modules}\n"
        "from resonart import io\n"
        "assert io.open_table.__module__ == 'resonart.io._read'\n"
        "assert 'sklearn' not in sys.modules\n"
        "from resonart import *\n"
        "assert DDVFA is resonart.DDVFA and resonart.load is load\n"
        "assert 'DDVFA' in vars(resonart)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_that_does_not_exist_is_said_as_python_says_it() -> None:
    with pytest.raises(AttributeError, match=r"^module 'resonart' has no attribute 'DVVFA'$"):
        resonart.DVVFA  # noqa: B018
    with pytest.raises(ImportError, match="DVVFA"):
        from resonart import DVVFA  # noqa: F401
    assert not hasattr(resonart, "__wrapped__")


@pytest.mark.parametrize("package", [resonart, io], ids=lambda package: package.__name__)
def test_the_public_names_are_those_that_are_imported(package: ModuleType) -> None:
    public = importlib.import_module(f"{package.__name__}._public")
    there = {name for name in vars(public) if not name.startswith("__")} - {"annotations"}
    assert there == set(package.__all__) - {"__version__"}


def test_public_names_exist_and_are_documented() -> None:
    for name in resonart.__all__:
        assert getattr(resonart, name) is not None
        if name != "__version__":
            assert getattr(resonart, name).__doc__


def test_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert resonart.__version__ == project["version"] == metadata.version("resonart")
    assert f"## {resonart.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_engine_knows_no_python() -> None:
    for path in (ROOT / "cpp").rglob("*.?pp"):
        if path.parent.name == "python":
            continue
        text = path.read_text()
        assert "Python.h" not in text
        assert "nanobind" not in text
        assert "python/" not in text


def test_kernels_leak_nothing_built_for_wide_registers() -> None:
    """Files built for AVX may not instantiate templates that other files could pick up."""
    allowed = {"cmath", "cstddef", "cstdint", "immintrin.h", "emmintrin.h"}
    for name in ["boxes/kernels.cpp", "boxes/kernels.hpp", "boxes/lanes.hpp", "base/power.hpp"]:
        text = (ROOT / "cpp" / name).read_text()
        assert set(re.findall(r"#include <(.+)>", text)) <= allowed
