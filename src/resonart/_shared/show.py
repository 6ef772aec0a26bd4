"""How results are shown: as one line in Python, and as a small table in a notebook.

Everything that is shown may come from the user's data, above all names: only what is built here is
markup, and everything else is escaped. Colours are left to the page, which may be light or dark.
"""

from __future__ import annotations

import base64
import html
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .escape import escaped
from .words import count_of, in_words

# Longer ones are cut, and say so.
SHOWN_ROWS = 20
SHOWN_COLUMNS = 12
_MOST_VALUES = 6
_MOST_TEXT = 60
_MOST_PIXELS = 256

_LINE = "1px solid rgba(128, 128, 128, 0.5)"


# ------------------------------------------------------------------------------------ one line


def summary(shown: object, /, *words: str, **fields: object) -> str:
    """Return the short form of an object: its class, and its most important values.

    Examples
    --------
    >>> import numpy as np
    >>> summary(3, "a number", low=np.array([0.0, 1.5]), rows=np.zeros((400, 3)), name="n")
    "int(a number, low=[0, 1.5], rows=<array of shape (400, 3)>, name='n')"
    """
    parts = [*words, *(f"{name}={short(value)}" for name, value in fields.items())]
    return f"{type(shown).__name__}({', '.join(parts)})"


def short(value: object) -> str:
    """Write a value in few characters.

    Examples
    --------
    >>> short(0.123456789), short([1, 2, 3]), short(list(range(30))), short("x" * 90)[-5:]
    ('0.123457', '[1, 2, 3]', '[0, 1, 2, ... (30)]', "xx..'")
    """
    if isinstance(value, np.ndarray):
        if value.ndim != 1 or value.size > _MOST_VALUES:
            return f"<array of shape {value.shape}>"
        return f"[{', '.join(map(short, value.tolist()))}]"
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        if len(value) > _MOST_VALUES:
            return f"[{', '.join(map(short, value[:3]))}, ... ({len(value):,})]"
        return f"[{', '.join(map(short, value))}]"
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, str):
        return repr(value if len(value) <= _MOST_TEXT else f"{value[: _MOST_TEXT - 2]}..")
    if isinstance(value, bytes):
        return repr(value) if len(value) <= _MOST_TEXT else f"<{len(value):,} bytes>"
    return repr(value)


# -------------------------------------------------------------------------------- in a notebook


def card(*parts: str) -> str:
    """Return parts of HTML as one piece."""
    return f'<div style="max-width: 70em; overflow-x: auto">{"".join(parts)}</div>'


def heading(text: str) -> str:
    """Return a line that stands out.

    Examples
    --------
    >>> heading("<script>")
    '<div style="margin: 0.3em 0; font-weight: bold">&lt;script&gt;</div>'
    """
    return f'<div style="margin: 0.3em 0; font-weight: bold">{_escaped(text)}</div>'


def line(text: str) -> str:
    """Return a line of text."""
    return f'<div style="margin: 0.3em 0">{_escaped(text)}</div>'


def bullets(texts: Iterable[str]) -> str:
    """Return a list; lines with two more spaces of indentation are below the line before them."""
    items = [
        f'<li style="margin-left: {1.2 * ((len(text) - len(text.lstrip())) // 2)}em">'
        f"{_escaped(text.strip())}</li>"
        for text in texts
    ]
    return f'<ul style="margin: 0.3em 0; padding-left: 1.4em">{"".join(items)}</ul>'


def facts(items: Mapping[str, object]) -> str:
    """Return names and values, one below the other."""
    rows = "".join(
        f"<tr>{_cell('th', name, left=True)}{_cell('td', value, left=True)}</tr>"
        for name, value in items.items()
    )
    return _table(f"<tbody>{rows}</tbody>")


def table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, n_rows: int | None = None
) -> str:
    """Return a table; if it is too long or too wide, its first part and the size of the rest.

    Parameters
    ----------
    columns : sequence of str
        Their names.
    rows : sequence of sequences
        Cells: numbers, text, None for nothing, or a list of texts, one below the other.
    n_rows : int or None, default=None
        How many rows there are, if ``rows`` are not all of them.
    """
    n_rows = len(rows) if n_rows is None else n_rows
    shown = rows[:SHOWN_ROWS]
    width = len(columns) if len(columns) <= SHOWN_COLUMNS else SHOWN_COLUMNS - 1
    left = [all(_is_text(row[k]) for row in shown) for k in range(width)]
    head = "".join(_cell("th", columns[k], left=left[k], rule=True) for k in range(width))
    body = "".join(
        "<tr>" + "".join(_cell("td", row[k], left=left[k]) for k in range(width)) + "</tr>"
        for row in shown
    )
    more = []
    if n_rows > len(shown):
        more.append(count_of(n_rows - len(shown), "more row"))
    if len(columns) > width:
        more.append(count_of(len(columns) - width, "more column"))
    note = line(f"... and {' and '.join(more)}") if more else ""
    return _table(f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>") + note


def picture(values: NDArray[Any], what: str) -> str:
    """Return a square of numbers as a grey picture, the smallest black."""
    step = -(-len(values) // _MOST_PIXELS)
    some = np.asarray(values, dtype=np.float64)[::step, ::step]
    highest = float(some.max(initial=0.0))
    grey = np.zeros(some.shape, np.uint8)
    if highest > 0.0:
        grey = np.rint(255.0 * (some / highest)).astype(np.uint8)
    data = base64.b64encode(_png(grey)).decode()
    size = max(128, len(grey))
    return (
        f'<img alt="{_escaped(what)}" width="{size}" height="{size}" '
        f'style="image-rendering: pixelated" src="data:image/png;base64,{data}">'
    )


def _table(content: str) -> str:
    style = "border-collapse: collapse; margin: 0.3em 0; font-size: inherit"
    return f'<table style="{style}">{content}</table>'


def _is_text(value: object) -> bool:
    """Return whether a value is aligned to the left of its column."""
    return isinstance(value, list) or (isinstance(value, str) and not value.endswith(" %"))


def _cell(tag: str, value: object, *, left: bool, rule: bool = False) -> str:
    texts = value if isinstance(value, list) else [in_words(value, short)]
    content = "<br>".join(map(_escaped, texts))
    styles = [f"text-align: {'left' if left else 'right'}", "vertical-align: top"]
    styles += ["padding: 0.2em 0.7em", *([f"border-bottom: {_LINE}"] if rule else [])]
    if len(content) <= _MOST_TEXT:
        styles.append("white-space: nowrap")
    return f'<{tag} style="{"; ".join(styles)}">{content}</{tag}>'


def _escaped(text: str) -> str:
    """Return text without markup, with invisible characters spelled out."""
    return html.escape(escaped(str(text)), quote=True)


def _png(grey: NDArray[np.uint8]) -> bytes:
    """Return a picture of 8-bit greys as a PNG file."""
    height, width = grey.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    # Each line begins with the number of its filter: none.
    lines = np.concatenate([np.zeros((height, 1), np.uint8), grey], axis=1).tobytes()
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )
