"""Arrays in one file: an uncompressed ``.npz``, as ``numpy.load`` opens it.

The file ends with a digest of all that comes before, as the comment of the zip archive. So no
damage goes unseen; and for files that somebody made to harm, nothing is decompressed, evaluated or
allocated because a file says so.
"""

from __future__ import annotations

import errno
import hashlib
import math
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from .strict import ModelFileError

Array = NDArray[Any]

_MAGIC = b"PK\x03\x04"
_DTYPES = {"<f8": np.float64, "<i8": np.int64, "|u1": np.uint8}
_NEW_YEAR_1980 = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever a model is saved
_LARGE = 2**31  # from here on, zipfile needs to know in advance that a member is large
_CHUNK = 2**18
_DIGEST_LENGTH = 64


class _Pieces:
    """A file that only takes bytes, until they are taken from it."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: Any) -> int:
        self._written.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def take(self) -> list[bytes]:
        taken, self._written = self._written, []
        return taken


def pack(arrays: Iterable[tuple[str, Array]]) -> Iterator[bytes]:
    """Yield the bytes of a file of named arrays of float64, int64 or uint8, piece by piece."""
    digest = hashlib.sha256()
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w") as archive:  # type: ignore[call-overload]
        archive.comment = bytes(_DIGEST_LENGTH)
        for name, array in arrays:
            plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            flat = plain.reshape(-1).view(np.uint8)
            member = zipfile.ZipInfo(f"{name}.npy", _NEW_YEAR_1980)
            with archive.open(member, "w", force_zip64=flat.nbytes >= _LARGE) as file:
                npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(plain))
                for start in range(0, flat.size, _CHUNK):
                    file.write(flat[start : start + _CHUNK])
                    for piece in pieces.take():
                        digest.update(piece)
                        yield piece
    end = b"".join(pieces.take())[:-_DIGEST_LENGTH]
    digest.update(end)
    yield end + digest.hexdigest().encode()


@contextmanager
def _damage_is_reported() -> Iterator[None]:
    """Raise the error for a damaged file in place of whatever ``zipfile`` or NumPy make of it."""
    try:
        yield
    except (ModelFileError, MemoryError):
        raise
    except OSError as error:
        if error.errno != errno.EINVAL:  # a place before the file's beginning
            raise
        raise ModelFileError("is cut short or damaged") from error
    except Exception as error:
        raise ModelFileError("is cut short or damaged") from error


def _is_whole(file: IO[bytes], size: int) -> bool:
    """Return whether a file ends with the digest of what comes before."""
    file.seek(0)
    digest = hashlib.sha256()
    left = size - _DIGEST_LENGTH
    while left > 0 and (piece := file.read(min(left, _CHUNK))):
        digest.update(piece)
        left -= len(piece)
    return left == 0 and file.read() == digest.hexdigest().encode()


class Unpacker:
    """Reads the arrays of a file of ``size`` bytes, one after the other, each by its name."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        if not size:
            raise ModelFileError("is empty")
        if not _MAGIC.startswith(file.read(len(_MAGIC))):
            raise ModelFileError("is not a resonart model: it does not begin as one")
        if not _is_whole(file, size):
            raise ModelFileError("is cut short or damaged")
        with _damage_is_reported():
            self._archive = zipfile.ZipFile(file)
            self._left = self._archive.infolist()[::-1]
            if any(member.compress_type != zipfile.ZIP_STORED for member in self._left):
                raise ModelFileError("is not a valid model file: its arrays are compressed")
            if sum(member.file_size for member in self._left) > size:
                raise ModelFileError("is damaged: it is not as large as it says")
        self._size = size
        self._is_first = True

    def read(self, name: str, descr: str, n_dims: int, most_bytes: int | None = None) -> Array:
        """Return the next array, which must have this name, type and number of dimensions."""
        if not self._left or self._left[-1].filename != f"{name}.npy":
            if self._is_first:
                raise ModelFileError("is not a resonart model: it does not begin as one")
            raise ModelFileError(f"is damaged: {name} is missing")
        with _damage_is_reported():
            array = self._read(self._left.pop(), name, descr, n_dims, most_bytes)
        self._is_first = False
        return array.astype(_DTYPES[descr], copy=False)

    def _read(
        self, member: zipfile.ZipInfo, name: str, descr: str, n_dims: int, most_bytes: int | None
    ) -> Array:
        with self._archive.open(member) as file:
            npy.read_magic(file)
            shape, _, dtype = npy.read_array_header_1_0(file)
            n_bytes = math.prod(shape) * dtype.itemsize
            # An array without rows takes no bytes, however wide it claims to be.
            is_possible = max(shape, default=0) <= self._size
            if not is_possible or n_bytes != member.file_size - file.tell():
                raise ModelFileError(f"is damaged: {name} is not as large as it says")
            if dtype.str != descr or len(shape) != n_dims:
                raise ModelFileError(
                    f"is not a valid model file: {name} has {len(shape)} dimensions of type "
                    f"{dtype.str}, {n_dims} of type {descr} are needed"
                )
            if most_bytes is not None and n_bytes > most_bytes:
                raise ModelFileError(
                    f"is not a valid model file: {name} has {n_bytes:,} bytes, at most "
                    f"{most_bytes:,} may be"
                )
            array = np.empty(shape, dtype=dtype)
            content = array.reshape(-1).view(np.uint8)
            for start in range(0, content.size, _CHUNK):
                part = content[start : start + _CHUNK]
                part[:] = np.frombuffer(file.read(part.size), dtype=np.uint8)
            file.read(1)  # at the end the checksum is compared
        return array

    def finish(self) -> None:
        """Check that nothing follows the last array."""
        if self._left:
            raise ModelFileError("is damaged: something else follows where it should end")
