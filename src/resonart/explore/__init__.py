"""Explore a model: its rows, boxes, rules and choice, in a browser, a notebook or one HTML file.

Start with ``model.explore(X)``. Browser and notebook need packages of the extra ``explore``
(starlette, uvicorn, websockets; anywidget, and matplotlib for the picture that an exported
notebook shows); the HTML file needs none.
"""

from __future__ import annotations

from ._explorer import Explorer

__all__ = ["Explorer"]
