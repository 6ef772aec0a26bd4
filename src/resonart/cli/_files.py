"""The files of a command: which it reads and which it writes, and that no file is both.

Every command is a :class:`FileCommand`, and each of its parameters that names a file says by its
type what is done with it. Before the command begins, and so before anything is opened for writing,
the files are compared, and those that are written are locked against other commands.
"""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Hashable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import click

from ._claims import Claim

DASH = "-"  # standard input or output


class Reads(click.Path):
    """A file that is read."""


class Writes(click.Path):
    """A file that is made, or replaced."""


class GoesOn(click.Path):
    """A file that is read and then replaced by what has become of it, as a stream's model.

    With the flag ``unless`` it is read only.
    """

    def __init__(self, *args: Any, unless: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.unless = unless


class NamedFile(NamedTuple):
    """A file as it was given."""

    title: str
    path: str
    is_written: bool

    def __str__(self) -> str:
        if self.path == DASH:
            return f"standard {'output' if self.is_written else 'input'}"
        return f"{self.title} {self.path}"


class FileCommand(click.Command):
    """A command that overwrites nothing it reads, and nothing that another command writes."""

    def invoke(self, ctx: click.Context) -> Any:
        """Check and lock the files, then run."""
        files = list(files_of(self, ctx))
        check_apart(files, ctx)
        arguments = ctx.find_root().obj
        command = shlex.join(["resonart", *(arguments if isinstance(arguments, list) else [])])
        with ExitStack() as claims:
            for file in files:
                if file.is_written and file.path != DASH:
                    claims.enter_context(Claim(file.path, command))
            return super().invoke(ctx)


def files_of(command: click.Command, ctx: click.Context) -> Iterator[NamedFile]:
    """Give the files that were named, with what is done with them."""
    for param in command.params:
        kind = param.type
        value = ctx.params.get(param.name or "")
        if value is None or not isinstance(kind, (Reads, Writes, GoesOn)):
            continue
        is_argument = isinstance(param, click.Argument)
        title = param.human_readable_name.rstrip(".") if is_argument else param.opts[0]
        is_written = isinstance(kind, Writes) or (
            isinstance(kind, GoesOn) and not ctx.params.get(kind.unless)
        )
        for path in value if isinstance(value, tuple) else (value,):
            yield NamedFile(title, os.fspath(path), is_written)


def check_apart(files: list[NamedFile], ctx: click.Context) -> None:
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
    """Return what two names of one file have in common; None for what is no file.

    That is device and inode, or, for a file that is not there yet, those of its folder and its
    name. A pipe, a device or a terminal may be read and written.
    """
    try:
        if file.path == DASH:
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
    except (AttributeError, OSError, ValueError):  # whoever opens it says what is wrong
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
