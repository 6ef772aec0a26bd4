"""The explorer in a notebook: the same front end and messages, through anywidget."""

from __future__ import annotations

import threading
from typing import Any

from resonart._shared.require import require

from . import _front
from ._messages import Message, split
from ._session import Session

WHAT = "The explorer in a notebook"


def make_widget(session: Session) -> Any:
    """Return a widget that shows the session."""
    base: Any = require(
        "anywidget",
        WHAT,
        "explore",
        instead="explore(X).serve() opens a browser, explore(X).save_html(path) writes a file.",
    ).AnyWidget

    class ExplorerWidget(base):
        _esm = _front.module()
        _css = _front.sheet()

        def __init__(self) -> None:
            super().__init__()
            self._sending = threading.Lock()
            self.on_msg(self._on_message)
            session.watch(self._tell)

        def _on_message(self, widget: Any, content: Any, buffers: list[bytes]) -> None:
            self._tell(session.answer(content))

        def _tell(self, message: Message) -> None:
            content, buffers = split(message)
            with self._sending:
                self.send(content, buffers)

    return ExplorerWidget()
