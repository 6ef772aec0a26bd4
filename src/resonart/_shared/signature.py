"""What a class takes, read from its source: to import the class would take far longer."""

from __future__ import annotations

import ast
import inspect
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def defaults_of(module: str, kind: str) -> dict[str, Any]:
    """Return the parameters of a class that all have a name and a default, in their order.

    The class is imported only if its source is not there, or has defaults that are no literals.

    Examples
    --------
    >>> defaults_of("resonart.estimators.topo_art", "TopoART")["beta_sbm"]
    0.5
    """
    with suppress(LookupError, SyntaxError, ValueError):
        return _from_source(module, kind)
    known = inspect.signature(getattr(import_module(module), kind)).parameters
    return {name: parameter.default for name, parameter in known.items()}


def _from_source(module: str, kind: str) -> dict[str, Any]:
    spec = find_spec(module)
    source = getattr(spec.loader, "get_source", None) if spec is not None else None
    text = None if source is None else source(module)
    if text is None:
        raise LookupError(module)
    classes = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    methods = {node.name: node for node in classes[kind].body if isinstance(node, ast.FunctionDef)}
    given = methods["__init__"].args
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    if len(given.args) > 1 or given.vararg is not None or given.kwarg is not None:
        raise LookupError("has more than keywords")
    return {name.arg: ast.literal_eval(default) for name, default in pairs if default is not None}
