"""Text from files as it is shown: control characters and invisible ones are spelled out.

Names of features and files come from whoever made the data. Escape sequences in them could change a
terminal, and direction marks could make a line read as another.
"""

from __future__ import annotations

import re

# Control characters (C0, delete, C1), marks of direction, breaks of line and paragraph, characters
# without width that join nothing, and halves of characters, which cannot even be printed.
_UNSHOWN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""Return a text with invisible characters as Python would write them.

    Examples
    --------
    >>> print(escaped("size\x1b[31m\n"), escaped("größe \N{SNOWMAN}"), escaped("a\u202eb"))
    size\x1b[31m\n größe ☃ a\u202eb
    """
    return text if text.isprintable() else _UNSHOWN.sub(_spelled, text)


def escaped_lines(text: str) -> str:
    r"""Return a text of several lines, each of them escaped.

    Examples
    --------
    >>> print(escaped_lines("one\ntwo\x07"))
    one
    two\x07
    """
    return text if text.isprintable() else "\n".join(map(escaped, text.split("\n")))


def escaped_json(text: str) -> str:
    r"""Return the same JSON, with invisible characters as JSON's own escapes.

    Examples
    --------
    >>> print(escaped_json('{"a\x9b": 1}'))
    {"a\u009b": 1}
    """
    return text if text.isprintable() else _UNSHOWN.sub(_spelled_in_json, text)


def _spelled(found: re.Match[str]) -> str:
    return repr(found.group())[1:-1]


def _spelled_in_json(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
