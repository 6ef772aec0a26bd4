"""System errors that name the file they are about."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Let system errors name a file if they do not, as when writing to an open file.

    Examples
    --------
    >>> with naming("labels.csv"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    ...
    OSError: [Errno 28] No space left on device: 'labels.csv'
    """
    try:
        yield
    except OSError as error:
        if error.errno in (None, errno.EPIPE) or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, what) from error
