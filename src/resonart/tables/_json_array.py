"""A JSON array of rows, as lines of NDJSON: each element of the array is a line."""

from __future__ import annotations

import codecs
import io
import json
import re

from ._errors import TableError
from ._source import Source

PORTION = 2**20
LONGEST = 8 * 2**20  # of an element, as of a line
LOOK = 4096

# An array that begins with an object or an array: in NDJSON, a line of plain values would follow.
_IS_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*[\[{]")
_BLANK = re.compile(r"[ \t\r\n]*")
_LINE_END = re.compile(r"[\r\n]")


class _ElementLines(io.RawIOBase):
    """The elements of an array, one a line."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._text = ""  # not yet given
        self._n_given = 0
        self._is_open = False  # after the bracket
        self._is_done = False  # after its end
        self._has_all = False  # of the source

    def read(self, size: int = -1) -> bytes:
        """Return some lines, more or fewer bytes than requested; none at the end."""
        while not self._is_done:
            lines = self._lines()
            if lines:
                return "".join(lines).encode("utf-8", "surrogateescape")
            self._read_on()
        return b""

    def _read_on(self) -> None:
        if self._has_all:
            raise self._broken("the array is not closed after it")
        if len(self._text) > LONGEST:
            raise self._broken(f"it is longer than {LONGEST // 2**20} MiB")
        data = self._source.read(max(PORTION, len(self._text)))
        self._has_all = not data
        self._text += self._decoder.decode(data, final=self._has_all)

    def _lines(self) -> list[str]:
        """Return the lines of all elements that are whole."""
        text, place, lines = self._text, 0, []
        if not self._is_open and (place := _after_blanks(text, 0)) < len(text):
            place += 1
            self._is_open = True
        while self._is_open:
            begin = _after_blanks(text, place)
            if text[begin : begin + 1] == "]" and not self._n_given:
                self._end(text, begin)
                break
            try:
                _, end = _decode(text, begin)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or self._has_all:
                    raise self._broken(getattr(error, "msg", "it is too deep")) from error
                break
            after = _after_blanks(text, end)
            if after == len(text):
                break  # a number may go on
            lines.append(_LINE_END.sub(" ", text[begin:end]) + "\n")
            self._n_given += 1
            if text[after] == "]":
                self._end(text, after)
                break
            if text[after] != ",":
                raise self._broken("no comma is before it")
            place = after + 1
        self._text = "" if self._is_done else text[place:]
        return lines

    def _end(self, text: str, bracket: int) -> None:
        """Check that nothing follows the array."""
        rest = text[bracket + 1 :] + self._source.read(LOOK).decode("utf-8", "replace")
        if rest.strip():
            raise TableError(
                f"{self._source.title} goes on after the end of its JSON array",
                "Write one array, or a row in each line without an array around them",
            )
        self._is_done = True

    def _broken(self, why: str) -> TableError:
        return TableError(
            f"{self._source.title}, element {self._n_given + 1} of its JSON array cannot be read: "
            f"{why[:1].lower()}{why[1:]}",
            "Check that the file is whole, an array of objects or of arrays",
        )


_decode = json.JSONDecoder().raw_decode


def _after_blanks(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    assert found is not None
    return found.end()


def array_as_lines(source: Source) -> Source:
    """Return a source of lines if this is a JSON array of rows, and otherwise the source itself."""
    if _IS_ARRAY.match(source.peek(LOOK)) is None:
        return source
    return Source(_ElementLines(source), f"{source.title} as NDJSON")  # type: ignore[arg-type]
