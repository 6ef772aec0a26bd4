"""Where results go. Whether they can be written is asked before the work begins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from resonart import io
from resonart.io._target import Target

from ._errors import CommandError, naming
from ._options import STDOUT
from ._output import Output


def check_folder(option: str, path: str | Path) -> None:
    """Say beforehand that a file cannot be written because its folder is missing."""
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise CommandError(f"{option} {path}: there is no folder {folder}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"{option} {path}: the folder {folder} cannot be written to.")


def words_beside(target: str | None, output: Output) -> Output:
    """Return where words go if a table goes to the target."""
    if target != STDOUT:
        return output
    if output.json:
        raise click.UsageError(
            "-o - and --json both write to stdout. Write the table to a file: -o FILE."
        )
    return Output(output.json, output.quiet, to_stderr=True)


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all; what is no file is written to as it is."""
    target = Target(path)
    try:
        with naming(os.fspath(path)):
            target.stream.write(content)
            target.keep()
    except BaseException:
        target.discard()
        raise


@contextmanager
def open_target(target: str | None, format: str | None = None) -> Iterator[io.TableWriter | None]:
    """Open a table to write, before the work begins; None where nothing is to be written."""
    if target is None:
        yield None
    else:
        with io.TableWriter(target, format=format) as writer:
            yield writer
