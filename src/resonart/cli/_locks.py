"""One writer at a time: a file that a command writes is locked against other commands.

The lock is on a small file beside it, ``.NAME.resonart-lock``, since the file itself may be
replaced as a whole by the holder of the lock. It is a lock of the kernel: it ends with the process,
however that ends, so a lock file left by a killed process locks nothing. The lock file says who has
the lock.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import time
import weakref
import zlib
from contextlib import suppress

from ._errors import CommandError, warn

ENDING = ".resonart-lock"
MOST_NAME = 150  # bytes of a name that are kept, so that the whole name is not too long
MOST_BYTES = 4_096  # of a lock file
MOST_COMMAND = 300
# The holder writes who it is just after it has the lock.
WAIT_FOR_HOLDER = 0.5
NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EBADF}

if sys.platform == "win32":
    import msvcrt

    LOCKED_BYTE = 2**30  # beyond all text, which others are to read

    def try_lock(descriptor: int) -> bool:
        """Lock an open file until it is closed; return False if another process has it."""
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file until it is closed; return False if another process has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES):
                return False
            raise
        return True


class FileLock:
    """Keep other commands from writing a file, which need not exist, or say which one does.

    A pipe or a device can be shared. ``command`` is shown to others.
    """

    def __init__(self, path: str, command: str) -> None:
        self._path = path
        self._command = command
        self._lock_file = lock_file_of(path)
        self._open: list[int] = []
        if self._lock_file is not None:
            # Whenever Ctrl-C comes, the lock file is removed when Python ends.
            weakref.finalize(self, _release, self._lock_file, self._open, os.getpid())

    def __enter__(self) -> None:
        if self._lock_file is not None and self._is_locked(self._lock_file):
            _write_holder(self._open[-1], self._command)

    def __exit__(self, *_: object) -> None:
        if self._lock_file is not None:
            _release(self._lock_file, self._open, os.getpid())

    def _is_locked(self, lock_file: str) -> bool:
        """Open and lock the lock file; return whether there can be one."""
        while True:
            try:
                _open(lock_file, self._open)
            except OSError:  # a folder that is not writable: writing there will raise the error
                return False
            try:
                if not try_lock(self._open[-1]):
                    raise CommandError(_refusal(self._open[-1], self._path))
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
                with suppress(OSError):
                    os.unlink(lock_file)
                warn(
                    f"{self._path} cannot be locked here: make sure that no other command "
                    "writes to it."
                )
                return False
            if _is_still_there(self._open[-1], lock_file):
                return True
            os.close(self._open.pop())  # its holder has removed it meanwhile


def lock_file_of(path: str) -> str | None:
    """Return where the lock of a file is; None for what is not a file, or has no folder.

    Examples
    --------
    >>> import tempfile
    >>> folder = os.path.realpath(tempfile.mkdtemp())
    >>> os.path.relpath(lock_file_of(os.path.join(folder, "live.resonart")), folder)
    '.live.resonart.resonart-lock'
    >>> lock_file_of(os.devnull) is None
    True
    """
    real = os.path.realpath(path)  # by whatever links it is reached
    folder, name = os.path.split(real)
    if not os.path.isdir(folder) or (os.path.exists(real) and not os.path.isfile(real)):
        return None
    whole = os.fsencode(name)
    if len(whole) > MOST_NAME:
        name = f"{os.fsdecode(whole[:MOST_NAME])}.{zlib.crc32(whole):08x}"
    return os.path.join(folder, f".{name}{ENDING}")


def _open(lock_file: str, opened: list[int]) -> None:
    """Open the lock file. There is no moment at which it is open and not in the list."""
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        opened.extend(map(os.open, [lock_file], [os.O_RDWR | os.O_CREAT | flags], [0o666]))
    except PermissionError:  # somebody else's: enough to see a lock
        opened.extend(map(os.open, [lock_file], [os.O_RDONLY | flags]))


def _release(lock_file: str, opened: list[int], owner: int) -> None:
    """Remove the lock file, if the lock is ours, and release it; may be done twice."""
    while opened and owner == os.getpid():  # a forked child has no say
        with suppress(OSError):
            # While it is locked: no other process can have locked it.
            if try_lock(opened[-1]) and _is_still_there(opened[-1], lock_file):
                os.unlink(lock_file)
        with suppress(OSError):
            os.close(opened.pop())


def _is_still_there(descriptor: int, lock_file: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(lock_file))
    except FileNotFoundError:
        return False


def _write_holder(descriptor: int, command: str) -> None:
    """Write who has the lock; the lock works without that, too."""
    holder = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "command": command if len(command) <= MOST_COMMAND else command[:MOST_COMMAND] + "...",
    }
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps(holder).encode())


def _read_holder(descriptor: int) -> str | None:
    """Return who has the lock, as a lock file says it; None if it does not."""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        holder = json.loads(os.read(descriptor, MOST_BYTES))
        where = "" if holder["host"] == socket.gethostname() else f" on {holder['host']}"
        return f"process {holder['pid']}{where} since {holder['since']} ({holder['command']})"
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _refusal(descriptor: int, path: str) -> str:
    """Return a message about who has the lock."""
    end = time.monotonic() + WAIT_FOR_HOLDER
    while (holder := _read_holder(descriptor)) is None and time.monotonic() < end:
        time.sleep(0.02)
    who = holder or "another process"
    return f"{path} is being written by {who}. Wait for it to end, or stop it."
