"""Look at a model: its rows, boxes, rules and choice, in a browser, a notebook or one HTML file.

``model.explore(X)`` is the way in. What the browser and the notebook need beyond the library
(starlette, uvicorn, websockets, anywidget) comes with the extra ``explore``; the HTML file needs
nothing.
"""

from __future__ import annotations

from ._explorer import Explorer

__all__ = ["Explorer"]
