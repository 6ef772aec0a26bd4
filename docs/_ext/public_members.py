"""Public classes on their pages: which members they show, and where short names lead."""

from __future__ import annotations

import importlib
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def skip_member(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what comes from elsewhere, and attributes: the class docstring lists them."""
    if what not in ("class", "exception"):
        return None
    if not callable(obj) or isinstance(obj, property):
        return True
    module = str(getattr(getattr(obj, "__func__", obj), "__module__", ""))
    return None if module.startswith("resonart.") else True


def find_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.TextElement
) -> nodes.Node | None:
    """Resolve a name that a docstring of another module gives without ``resonart.``.

    Attributes that the class docstring lists have no entry of their own, so that a link to one of
    them stays plain text. A name that exists nowhere stays an error.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    domain = env.domains.python_domain
    name = f"resonart.{target}"
    if name in domain.objects:
        kind = node["reftype"]
        return domain.resolve_xref(env, node["refdoc"], app.builder, kind, name, node, contnode)
    owner = node.get("py:class")
    if owner and "." not in target:
        module = importlib.import_module(node.get("py:module") or "resonart")
        if hasattr(getattr(module, owner.rpartition(".")[2], None), target):
            return contnode
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the filter and the resolver."""
    app.connect("autodoc-skip-member", skip_member)
    app.connect("missing-reference", find_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
