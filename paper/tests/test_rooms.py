"""Who may know whom in paper/: methods, runner, results, statistics and drawing are apart."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PAPER = Path(__file__).parents[2] / "paper"
FILES = sorted(set(PAPER.rglob("*.py")) - set(PAPER.glob("tests/*")))

# What each room must not import from paper.
APART = {
    "methods": {"runner", "store", "statistics", "figures", "report", "published", "parts"},
    "data_sets": {"runner", "store", "statistics", "figures", "report", "published", "methods"},
    "runner": {"statistics", "figures", "report", "published", "tables"},
    "store": {"runner", "statistics", "figures", "report", "published", "tables"},
    "statistics": {"runner", "store", "figures", "report", "methods", "data_sets", "parts"},
    "figures": {"runner", "store", "report", "methods", "data_sets", "parts", "published"},
    "published": {"runner", "store", "statistics", "figures", "report", "methods", "parts"},
}


def imports(path: Path) -> set[str]:
    """Absolute names of all that a file imports, names in packages included."""
    package = ["paper", *path.relative_to(PAPER).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            found |= {name} | {f"{name}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PAPER)))
def test_rooms_are_apart(path: Path) -> None:
    room = path.relative_to(PAPER).parts[0].removesuffix(".py")
    known = {name.split(".")[1] for name in imports(path) if name.startswith("paper.")}
    assert not known & APART.get(room, set())


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PAPER)))
def test_the_paper_uses_the_public_face_only(path: Path) -> None:
    for name in imports(path):
        if name.startswith("resonart"):
            assert not any(part.startswith("_") for part in name.split("."))
