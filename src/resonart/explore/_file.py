"""The content of an HTML file: answers to all questions that a page without Python may ask."""

from __future__ import annotations

import time

from ._choice import has_plane, has_tree
from ._messages import Message
from ._session import Session

# Most rows that are explained, and most seconds for that.
MOST_EXPLAINED = 2_000
MOST_SECONDS = 3.0
# Letters of other columns that are written.
MOST_LETTERS = 2_000_000
# A larger model file is left out.
MOST_MODEL_BYTES = 4_000_000


def file_content(session: Session) -> Message:
    """Return the answers by the kind of question."""
    content: Message = {"scene": session.scene()}
    if has_tree(session.model):
        content["readings"] = session.answer({"kind": "readings"})
    elif has_plane(session.model) and len(session.rows.all):
        content["plane"] = session.answer({"kind": "plane"})
    content["rules"] = {str(label): lines for label, lines in session.rules().items()}
    content["explanations"] = _explanations(session)
    if len(content["explanations"]) < len(session.rows.numbers):
        content["texts"] = _texts(session)
    if len(session.rows.numbers) < len(session.rows.all):
        content["labels"] = session.answer({"kind": "labels"})
    kept = session.answer({"kind": "keep"})
    if kept["kind"] == "file" and len(kept["content"]) <= MOST_MODEL_BYTES:
        content["keep"] = kept
    return content


def _texts(session: Session) -> list[list[tuple[str, str]]]:
    """Return what other columns say about the rows, as far as there is room for it."""
    found: list[list[tuple[str, str]]] = []
    n_letters = 0
    for number in session.rows.numbers.tolist() if session.texts else ():
        found.append(session.texts_of(number))
        n_letters += sum(len(name) + len(text) for name, text in found[-1])
        if n_letters > MOST_LETTERS:
            break
    return found


def _explanations(session: Session) -> list[Message]:
    """Explain the first rows, as many as time allows."""
    found: list[Message] = []
    ends = time.perf_counter() + MOST_SECONDS
    for place in range(min(len(session.rows.numbers), MOST_EXPLAINED)):
        if time.perf_counter() > ends:
            break
        told = session.answer({"kind": "explain", "row": place})
        if told["kind"] != "explanation":
            break
        found.append({name: told[name] for name in ("row", "label", "lines", "values", "texts")})
    return found
