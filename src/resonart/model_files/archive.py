"""Arrays in one file: an uncompressed ``.npz``, written and read byte for byte.

A file is a plain zip archive of ``.npy`` members that ``numpy.load`` opens. A file that is read has
to be exactly what would have been written: all fields but names, shapes, lengths and checksums
follow from these, and are compared with what they must be. So nothing in a file is believed before
it is checked, and nothing is decompressed, evaluated or allocated because a file says so.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .strict import ModelFileError

Array = NDArray[Any]

_MAGIC = b"PK\x03\x04"
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
# From here on, a length or a place has 64 bits in a separate field; the usual one is filled.
_LARGE = _FILLER = 0xFFFFFFFF
_NEW_YEAR_1980 = 0x21  # the same bytes whenever a model is saved
_PLAIN, _WIDE = 20, 45  # versions of the zip format: without and with 64 bits

_DTYPES = {"<f8": np.float64, "<i8": np.int64, "|u1": np.uint8}
_NPY = re.compile(
    rb"\{'descr': '(<f8|<i8|\|u1)', 'fortran_order': False, "
    rb"'shape': \((\d{1,18}),(?: (\d{1,18}))?\), \} *\n"
)
_MOST_NPY_HEADER = 256


class _Entry(NamedTuple):
    name: bytes
    crc: int
    size: int
    offset: int


# ---------------------------------------------------------------------- writing


def pack(arrays: Iterable[tuple[str, Array]]) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a file of named arrays of float64, int64 or uint8, piece by piece."""
    entries = []
    offset = 0
    for name, array in arrays:
        descr = array.dtype.newbyteorder("<").str
        data = np.ascontiguousarray(array, dtype=descr)
        header = _npy_header(descr, data.shape)
        content = data.reshape(-1).view(np.uint8).data
        crc = zlib.crc32(content, zlib.crc32(header))
        entry = _Entry(f"{name}.npy".encode(), crc, len(header) + len(content), offset)
        start = _local_header(entry)
        entries.append(entry)
        offset += len(start) + entry.size
        yield start
        yield header
        yield content
    yield _directory(entries, offset)


def _npy_header(descr: str, shape: tuple[int, ...]) -> bytes:
    sides = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides}), }}"
    length = -(-(10 + len(text) + 1) // 64) * 64 - 10
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", length) + f"{text:{length - 1}}\n".encode()


def _narrow(number: int) -> int:
    return number if number < _LARGE else _FILLER


def _local_header(entry: _Entry) -> bytes:
    is_large = entry.size >= _LARGE
    size = _narrow(entry.size)
    extra = struct.pack("<2H2Q", 1, 16, entry.size, entry.size) if is_large else b""
    version = _WIDE if is_large else _PLAIN
    fixed = _LOCAL.pack(
        *(_MAGIC, version, 0, 0, 0, _NEW_YEAR_1980),
        *(entry.crc, size, size, len(entry.name), len(extra)),
    )
    return fixed + entry.name + extra


def _directory(entries: list[_Entry], offset: int) -> bytes:
    """Return what follows the members: the list of them, which begins at ``offset``."""
    listed = b"".join(map(_listing, entries))
    n, size = len(entries), len(listed)
    more = b""
    if offset >= _LARGE:
        where = offset + size
        more = _END_64.pack(b"PK\x06\x06", 44, _WIDE, _WIDE, 0, 0, n, n, size, offset)
        more += _LOCATOR_64.pack(b"PK\x06\x07", 0, where, 1)
    end = _END.pack(b"PK\x05\x06", 0, 0, n, n, size, _narrow(offset), 0)
    return listed + more + end


def _listing(entry: _Entry) -> bytes:
    wide = [entry.size, entry.size] if entry.size >= _LARGE else []
    wide += [entry.offset] if entry.offset >= _LARGE else []
    extra = struct.pack(f"<2H{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
    version = _WIDE if wide else _PLAIN
    size, offset = _narrow(entry.size), _narrow(entry.offset)
    fixed = _CENTRAL.pack(
        *(b"PK\x01\x02", version, version, 0, 0, 0, _NEW_YEAR_1980),
        *(entry.crc, size, size, len(entry.name), len(extra), 0, 0, 0, 0, offset),
    )
    return fixed + entry.name + extra


# ---------------------------------------------------------------------- reading


class Unpacker:
    """Reads the arrays of a file of ``size`` bytes, one after the other, each by its name."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._size = size
        self._offset = 0
        self._entries: list[_Entry] = []

    def read(self, name: str, descr: str, n_dims: int, most_bytes: int | None = None) -> Array:
        """Return the next array, which must have this name, type and number of dimensions."""
        entry, header = self._open(name)
        found = _NPY.fullmatch(header[10:])
        if found is None:
            raise ModelFileError(f"is damaged: {name} is not a plain array")
        kind = found[1].decode()
        shape = tuple(int(side) for side in found.groups()[1:] if side is not None)
        n_bytes = math.prod(shape) * np.dtype(kind).itemsize
        if (
            max(shape) > self._size
            or n_bytes != entry.size - len(header)
            or header != _npy_header(kind, shape)
        ):
            raise ModelFileError(f"is damaged: {name} is not as large as it says")
        if kind != descr or len(shape) != n_dims:
            raise ModelFileError(
                f"is not a sound model: {name} has {len(shape)} dimensions of type {kind}, "
                f"{n_dims} of type {descr} are needed"
            )
        if most_bytes is not None and n_bytes > most_bytes:
            raise ModelFileError(
                f"is not a sound model: {name} has {n_bytes:,} bytes, at most {most_bytes:,} may be"
            )
        array = np.empty(shape, dtype=kind)
        content = array.reshape(-1).view(np.uint8).data
        self._fill(content)
        if zlib.crc32(content, zlib.crc32(header)) != entry.crc:
            raise ModelFileError(f"is damaged: the checksum of {name} is wrong")
        self._entries.append(entry)
        return array.astype(_DTYPES[descr], copy=False)

    def finish(self) -> None:
        """Check what follows the last array."""
        expected = _directory(self._entries, self._offset)
        if self._size - self._offset < len(expected):
            raise ModelFileError("is cut short: its end is missing")
        if self._take(len(expected)) != expected or self._size != self._offset:
            raise ModelFileError("is damaged: something else follows where it should end")

    def _open(self, name: str) -> tuple[_Entry, bytes]:
        """Read up to an array's content, which is then known to be there in full."""
        offset = self._offset
        raw_name = f"{name}.npy".encode()
        start = self._take(_LOCAL.size)
        crc, size, _, name_length, extra_length = _LOCAL.unpack(start)[6:11]
        if start[:4] != _MAGIC or name_length != len(raw_name) or extra_length not in (0, 20):
            raise self._missing(name)
        start += self._take(name_length + extra_length)
        if not start.startswith(raw_name, _LOCAL.size):
            raise self._missing(name)
        if extra_length:
            size = struct.unpack("<Q", start[-8:])[0]
        entry = _Entry(raw_name, crc, size, offset)
        if start != _local_header(entry):
            raise ModelFileError(f"is damaged: {name} does not begin as it must")
        if size > self._size - self._offset:
            raise ModelFileError(
                f"is cut short: {name} has {size:,} bytes, and {self._size - self._offset:,} are "
                "left"
            )
        if size < 10:
            raise ModelFileError(f"is damaged: {name} is not a plain array")
        header = self._take(10)
        length = struct.unpack("<H", header[8:])[0]
        if length > min(_MOST_NPY_HEADER, size - 10):
            raise ModelFileError(f"is damaged: {name} is not a plain array")
        return entry, header + self._take(length)

    def _missing(self, name: str) -> ModelFileError:
        if not self._entries:
            return ModelFileError("is not a resonart model: it does not begin as one")
        return ModelFileError(f"is damaged: {name} is missing")

    def _take(self, n: int) -> bytes:
        if n > self._size - self._offset:
            raise ModelFileError("is cut short" if self._size else "is empty")
        data = bytearray(n)
        self._fill(memoryview(data))
        return bytes(data)

    def _fill(self, target: memoryview) -> None:
        if self._file.readinto(target) != len(target):  # type: ignore[attr-defined]
            raise ModelFileError("is cut short, or was changed while it was read")
        self._offset += len(target)
