"""One writer at a time: a file that a command writes is locked against other commands.

The lock is on a small file beside it, ``.NAME.resonart-lock``, because the holder of the lock may
replace the file itself. The kernel releases the lock when the process ends, however it ends, so a
lock file that a killed process left behind locks nothing. It says who has the lock.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from resonart._shared.require import require

from ._errors import CommandError, warn

ENDING = ".resonart-lock"
MOST_NAME = 150  # bytes of a name that are kept, so that the whole name is not too long
MOST_COMMAND = 300
# The holder writes who it is just after it has the lock.
WAIT_FOR_HOLDER = 0.5
NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EBADF}


@contextmanager
def locked(path: str, command: str) -> Iterator[None]:
    """Keep other commands from writing a file, which need not exist, or say which one does.

    A pipe or a device can be shared. ``command`` is shown to others.
    """
    lock_file = lock_file_of(path)
    if lock_file is None or not _acquire(lock := _lock(lock_file), path):
        yield
        return
    try:
        with suppress(OSError):  # the lock works without it
            Path(lock_file).write_text(json.dumps(_holder(command)))
        yield
    finally:
        # Removed while it is locked: whoever waits for it sees that it is gone, and makes another.
        with suppress(OSError):
            os.unlink(lock_file)
        lock.release()


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


def _filelock() -> Any:
    return require("filelock", "Locking files", "cli")


def _lock(lock_file: str) -> Any:
    return _filelock().FileLock(lock_file)


def _acquire(lock: Any, path: str) -> bool:
    """Lock, or raise an error if another command has the lock; return whether there are locks."""
    try:
        lock.acquire(timeout=0.2)  # it may have just been released
    except _filelock().Timeout:
        raise CommandError(_refusal(lock.lock_file, path)) from None
    except OSError as error:
        if error.errno in NO_LOCKS:
            with suppress(OSError):
                os.unlink(lock.lock_file)
            warn(f"{path} cannot be locked here: make sure that no other command writes to it.")
        return False  # a folder that is not writable: writing there will raise the error
    return True


def _holder(command: str) -> dict[str, object]:
    """Return who has the lock."""
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "command": command if len(command) <= MOST_COMMAND else command[:MOST_COMMAND] + "...",
    }


def _refusal(lock_file: str, path: str) -> str:
    """Return a message about who has the lock."""
    end = time.monotonic() + WAIT_FOR_HOLDER
    who = None
    while who is None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            holder = json.loads(Path(lock_file).read_text())
            where = "" if holder["host"] == socket.gethostname() else f" on {holder['host']}"
            who = f"process {holder['pid']}{where} since {holder['since']} ({holder['command']})"
        if time.monotonic() >= end:
            break
        time.sleep(0.02)
    who = who or "another process"
    return f"{path} is being written by {who}. Wait for it to end, or stop it."
