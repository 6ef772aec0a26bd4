"""Bytes of text: byte order marks, bytes that are not text, and encodings other than UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO

from ._errors import TableError
from ._formats import BOM, COMPRESSED, binary_format
from ._source import Source
from ._values import BadLine


def without_byte_order_mark(line: bytes) -> bytes:
    """Return a line without byte order marks before it: files that were joined have some inside."""
    while line.startswith(BOM):
        line = line[len(BOM) :]
    return line


def why_not_text(data: bytes, line: int = 0, encoding: str = "utf-8") -> BadLine | None:
    """Return why a line is not text; None if it is."""
    if data.startswith(COMPRESSED):
        return BadLine(line, None, "is compressed", "Unpack the file first")
    if b"\0" in data:
        return BadLine(
            line, None, "holds a zero byte: this is not a text table", "Check the format"
        )
    if data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        byte = f"UTF-8: it holds the byte 0x{data[error.start]:02x}"
        return BadLine(
            line,
            None,
            f"is not {byte if encoding == 'utf-8' else encoding}",
            'Give its encoding, for instance encoding="cp1252", or save it as UTF-8',
        )
    return None


def _mark_undecodable(error: UnicodeError) -> tuple[str, int]:
    """Stand in for bytes that are no text: becomes 0xff, which is no UTF-8 either."""
    assert isinstance(error, UnicodeDecodeError)
    return "\udcff", error.end


codecs.register_error("resonart.mark", _mark_undecodable)


def as_utf8(data: bytes, encoding: str) -> bytes:
    """Return whole lines in UTF-8; lines that are no text stay none."""
    if encoding == "utf-8":
        return data
    return data.decode(encoding, "resonart.mark").encode("utf-8", "surrogateescape")


class _Transcoded(io.RawIOBase):
    """A source as UTF-8."""

    def __init__(self, source: Source, encoding: str) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder(encoding)("resonart.mark")
        self._is_done = False

    def read(self, size: int = -1) -> bytes:
        """Return some bytes, more or fewer than requested; none at the end."""
        while not self._is_done:
            data = self._source.read(size)
            self._is_done = not data
            text = self._decoder.decode(data, final=self._is_done)
            if text:
                return text.encode("utf-8", "surrogateescape")
        return b""


def in_utf8(source: Source, encoding: str) -> Source:
    """Return a source that gives UTF-8."""
    name = codecs.lookup(encoding).name
    first = source.peek(8)
    binary = binary_format(first)
    if binary is not None and name in ("utf-8", "utf-8-sig", "ascii"):
        raise TableError(
            f"{source.title} is not text: it contains {binary}", f"Give format={binary!r}"
        )
    if name in ("utf-8", "utf-8-sig"):
        if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise TableError(f"{source.title} is UTF-16, not UTF-8", 'Give encoding="utf-16"')
        return source
    below: BinaryIO = _Transcoded(source, encoding)  # type: ignore[assignment]
    return Source(below, source.title)
