"""Where bytes go: a file that gets its name only when it is complete, or standard output."""

from __future__ import annotations

import os
import secrets
import stat
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ._errors import TableError, reason


class Target:
    """A place to write to, until :meth:`keep` or :meth:`discard`.

    A file is written under a temporary name in the same folder, and renamed at the end. Standard
    output, pipes and devices are written to directly.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.stream: BinaryIO
        self._passing: Path | None = None
        self._owned = True
        if os.fspath(path) == "-":
            self.title = "standard output"
            self.stream = standard_output()
            self._owned = False
            return
        self.title = os.fspath(path)
        self._path = Path(os.path.realpath(path))  # a link stays a link
        try:
            self._open()
        except OSError as error:
            raise self.failed(error) from error

    def keep(self) -> None:
        """Put the new file in its place."""
        self.stream.flush()
        if not self._owned:
            return
        if self._passing is None:
            self.stream.close()
            return
        os.fsync(self.stream.fileno())
        self.stream.close()
        if self._path.exists():
            os.chmod(self._passing, stat.S_IMODE(self._path.stat().st_mode))
        os.replace(self._passing, self._path)
        self._passing = None

    def discard(self) -> None:
        """Discard what was written; an old file is unchanged."""
        if self._owned:
            with suppress(OSError):
                self.stream.close()
        if self._passing is not None:
            _remove(self._passing)
            self._passing = None

    def _open(self) -> None:
        if self._path.is_dir():
            raise TableError(f"{self.title} is a folder", "Give the name of a file")
        if self._path.exists() and not self._path.is_file():
            self.stream = open(self._path, "wb")  # noqa: SIM115
            return
        if not self._path.parent.is_dir():
            raise TableError(
                f"{self.title} cannot be written: there is no folder {self._path.parent}",
                "Make the folder first",
            )
        name = f".{self._path.name[:100]}.{secrets.token_hex(6)}.part"
        self._passing = self._path.with_name(name)
        # Wherever Ctrl-C strikes, the file goes with this object, or when Python ends.
        weakref.finalize(self, _remove_own, self._passing, os.getpid())
        self.stream = open(self._passing, "xb")  # noqa: SIM115

    def failed(self, error: OSError) -> TableError:
        """Return the error for failed writing."""
        return TableError(
            f"{self.title} cannot be written: {reason(error)}",
            "Give a file in a folder that is writable and has free space",
        )


def standard_output() -> BinaryIO:
    """Return standard output as bytes, after everything printed so far."""
    stream = getattr(sys.stdout, "buffer", None)
    if sys.stdout is None or sys.stdout.closed or stream is None or stream.closed:
        raise TableError("Standard output is closed", "Give a file name")
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise TableError(f"Standard output cannot be written to: {reason(error)}") from error
    return stream  # type: ignore[no-any-return]


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _remove_own(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # and not of a forked child, which ends before
        _remove(path)
