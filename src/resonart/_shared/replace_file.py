"""Replacing a file as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable

# Where a folder cannot be synchronised, these are the answers.
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EBADF}

Pieces = Iterable[bytes | memoryview]


def replace_file(path: str, pieces: Callable[[], Pieces]) -> None:
    """Write a file so that, whatever fails, either the old or the new one is there.

    The pieces (requested again, if needed) go to a temporary file in the same folder, are flushed
    to the disk, and then take the place and the permissions of the old file. A link is followed:
    the file it points to is replaced.
    """
    target = os.path.realpath(path)
    try:
        mode = _mode_to_keep(target)
        folder = os.path.dirname(target)
        temporary = os.path.join(folder, f".resonart-{os.urandom(8).hex()}.tmp")
        try:
            try:
                _write_unnamed(temporary, pieces(), mode)
            except OSError:  # not on this platform or disk, if not something worse
                _write_named(temporary, pieces(), mode)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise OSError(
            error.errno,
            f"{error.strerror}: the model was not saved, and the old file is unchanged",
            path,
        ) from error
    _sync_folder(folder, path)


def _mode_to_keep(target: str) -> int | None:
    """Return the old file's permissions, or None if there is none; refuse what is not a file."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", target)
    if not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", target)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "The file is read-only", target)
    return stat.S_IMODE(old.st_mode)


def _write_named(path: str, pieces: Pieces, mode: int | None) -> None:
    # Opened like any new file, so that permissions are what the user's umask leaves.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o666), "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        if mode is not None:
            os.chmod(path, mode)
        os.fsync(file.fileno())


def _write_unnamed(path: str, pieces: Pieces, mode: int | None) -> None:
    """Write a file that has no name until it is complete: a killed process leaves nothing."""
    if not hasattr(os, "O_TMPFILE"):
        raise OSError(errno.ENOTSUP, "No files without a name")
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        with open(os.open(os.path.dirname(path), os.O_WRONLY | os.O_TMPFILE, 0o666), "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
            # (A folder is given, though not needed, so that the link in /proc is followed.)
            os.link(f"/proc/self/fd/{file.fileno()}", path, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _sync_folder(folder: str, path: str) -> None:
    """Flush the new name to the disk, if the platform can."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise OSError(
                error.errno,
                f"{error.strerror}: the model was saved, but may be lost if the power fails",
                path,
            ) from error
