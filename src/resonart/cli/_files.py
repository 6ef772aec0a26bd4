"""The files of a command: which it reads and which it writes, with a check that no file is both.

Each parameter that names a file says by its type what is done with it. Before a command starts, and
so before anything is opened for writing, its files are compared.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import click

from resonart import tables
from resonart._shared.naming import naming
from resonart.tables._target import Target

from ._errors import CommandError

STDIN = STDOUT = "-"


class InputFile(click.Path):
    """A file that is read."""


class OutputFile(click.Path):
    """A file that is made, or replaced."""

    def __init__(self, **options: Any) -> None:
        super().__init__(dir_okay=False, **options)


class UpdatedFile(click.Path):
    """A file that is read and then replaced by a new version, such as a stream's model.

    With the flag ``unless`` it is only read.
    """

    def __init__(self, *, unless: str) -> None:
        super().__init__(dir_okay=False)
        self.unless = unless


class NamedFile(NamedTuple):
    """A file as it was given."""

    title: str
    path: str
    is_written: bool

    def __str__(self) -> str:
        if self.path == STDIN:
            return f"standard {'output' if self.is_written else 'input'}"
        return f"{self.title} {self.path}"


def files_of(ctx: click.Context) -> Iterator[NamedFile]:
    """Give the files that were named, with what is done with them."""
    for param in ctx.command.params:
        kind = param.type
        value = ctx.params.get(param.name or "")
        if value is None or not isinstance(kind, (InputFile, OutputFile, UpdatedFile)):
            continue
        is_argument = isinstance(param, click.Argument)
        title = param.human_readable_name.rstrip(".") if is_argument else param.opts[0]
        is_written = isinstance(kind, OutputFile) or (
            isinstance(kind, UpdatedFile) and not ctx.params.get(kind.unless)
        )
        for path in value if isinstance(value, tuple) else (value,):
            yield NamedFile(title, os.fspath(path), is_written)


def check_distinct(files: list[NamedFile], ctx: click.Context) -> None:
    """Refuse to write what is read, or to write one file twice, by whatever names."""
    seen: dict[Hashable, NamedFile] = {}
    for file in sorted(files, key=lambda file: file.is_written):
        place = identity(file)
        if place is None:
            continue
        other = seen.setdefault(place, file)
        if other is file or not file.is_written:
            continue
        what = "and both are written" if other.is_written else "which would be overwritten"
        raise click.UsageError(
            f"{other} and {file} are the same file, {what}. Give another name.", ctx
        )


def identity(file: NamedFile) -> Hashable | None:
    """Return what two names of one file have in common; None for what is not a file.

    That is device and inode, or, for a file that does not exist yet, those of its folder and its
    name. A pipe, a device or a terminal may be read and written.
    """
    try:
        if file.path == STDIN:
            status = os.fstat((sys.stdout if file.is_written else sys.stdin).fileno())
        else:
            status = os.stat(file.path)
    except FileNotFoundError:
        real = os.path.realpath(file.path)
        folder = os.path.dirname(real)
        if not os.path.isdir(folder):
            return None
        around = os.stat(folder)
        return around.st_dev, around.st_ino, os.path.normcase(os.path.basename(real))
    except (AttributeError, OSError, ValueError):  # opening it will raise the error
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def is_read_once(path: str) -> bool:
    """Return whether what is read there is gone: it is a pipe, a device or a terminal."""
    return path == STDIN or (os.path.exists(path) and not os.path.isfile(path))


# ---------------------------------------------------------------------- writing


def check_folder(option: str, path: str | Path) -> None:
    """Raise an error before the work starts if a file cannot be written in its folder."""
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise CommandError(f"{option} {path}: there is no folder {folder}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"{option} {path}: the folder {folder} is not writable.")


def write_file(path: str | Path, content: bytes) -> None:
    """Write a file as a whole or not at all; pipes and devices are written to directly."""
    target = Target(path)
    try:
        with naming(os.fspath(path)):
            target.stream.write(content)
            target.keep()
    except BaseException:
        target.discard()
        raise


def table_writer(target: str | None) -> AbstractContextManager[tables.TableWriter | None]:
    """Open a table for writing, before the work starts; None if nothing is to be written."""
    return nullcontext() if target is None else tables.TableWriter(target)


def shown_path(target: str | None) -> str | None:
    """Return the name of a file that was written; what went to standard output has none."""
    return None if target == STDOUT else target
