"""The engine's typed face (_core.pyi) names what the engine has, argument by argument."""

from __future__ import annotations

import ast
import enum
import re
from pathlib import Path
from typing import Any

import pytest

from resonart import _core

STUB = ast.parse((Path(__file__).parents[2] / "src/resonart/_core.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
VARIABLES = {
    node.target.id: node
    for node in STUB.body
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}


def members(name: str) -> dict[str, ast.stmt]:
    """What the stub gives a class, its base included."""
    node = CLASSES[name]
    found: dict[str, ast.stmt] = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in CLASSES:
            found |= members(base.id)
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            found[item.name] = item
        elif isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
            found[item.targets[0].id] = item
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[item.target.id] = item
    return found


def is_property(node: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def stub_arguments(node: ast.FunctionDef) -> list[str]:
    names = [a.arg for a in node.args.args + node.args.kwonlyargs]
    return [*names, f"**{node.args.kwarg.arg}"] if node.args.kwarg else names


def engine_arguments(function: Any) -> list[str]:
    signature = function.__nb_signature__[0][0]
    inside = signature[signature.index("(") + 1 : signature.rindex(") -> ")]
    # Types hold commas inside brackets only: take those away, the innermost first.
    flat, found = inside, 1
    while found:
        flat, found = re.subn(r"\[[^\[\]()]*\]|\([^\[\]()]*\)", "", flat)
    names = [part.split(":")[0].split("=")[0].strip() for part in flat.split(",")]
    return [name for name in names if name and name not in {"/", "*"}]


def test_the_same_names() -> None:
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public == {n for n in CLASSES | FUNCTIONS | VARIABLES if not n.startswith("_")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    assert engine_arguments(getattr(_core, name)) == stub_arguments(FUNCTIONS[name])


@pytest.mark.parametrize("name", [n for n in CLASSES if not n.startswith("_")])
def test_classes(name: str) -> None:
    engine = getattr(_core, name)
    stub = members(name)
    # A struct of parameters lists its fields itself.
    fields = {field.name for field in getattr(engine, "fields", ())}
    assert bool(fields) == bool(stub.pop("__getattr__", None))
    of_enum = {"name", "value"} if issubclass(engine, enum.Enum) else set()
    assert {n for n in dir(engine) if not n.startswith("_")} - of_enum == fields | {
        n for n in stub if not n.startswith("_")
    }
    for member, node in stub.items():
        if isinstance(node, ast.FunctionDef) and not is_property(node):
            assert engine_arguments(getattr(engine, member)) == stub_arguments(node), member
