"""The explorer in a notebook: the same front end and messages, through anywidget."""

from __future__ import annotations

from typing import Any

from resonart._shared.require import require

from . import _front
from ._messages import Message, split
from ._session import Session

WHAT = "The explorer in a notebook"


def make_widget(session: Session, still: str) -> Any:
    """Return a widget that shows the session; ``still`` is a picture of it, PNG in base64."""
    base: Any = require(
        "anywidget",
        WHAT,
        "explore",
        instead="explore(X).serve() opens a browser, explore(X).save_html(path) writes a file.",
    ).AnyWidget

    traitlets: Any = require("traitlets", WHAT, "explore")

    class ExplorerWidget(base):
        _esm = _front.module()
        _css = _front.sheet()
        # Shown while there is no answer from Python: for good in a page that was exported.
        still = traitlets.Unicode("").tag(sync=True)

        def __init__(self) -> None:
            super().__init__(still=still)
            self.on_msg(self._on_message)

        def _on_message(self, widget: Any, content: Any, buffers: list[bytes]) -> None:
            session.serve(content, self._tell)

        def _tell(self, message: Message) -> None:
            self.send(*split(message))

    return ExplorerWidget()
