"""Where results go. Whether they can be written is asked before the work begins."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from resonart import io

from ._errors import CommandError
from ._options import STDOUT
from ._output import Output


def check_folder(option: str, path: str | Path) -> None:
    """Say beforehand that a file cannot be written for want of its folder."""
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
    place = Path(os.path.realpath(path))  # a link stays a link
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(content)
        else:
            _replace(place, content)
    except OSError as error:  # which may name the passing file, or none
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _replace(place: Path, content: bytes) -> None:
    beside = place.with_name(f".{place.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            os.chmod(beside, stat.S_IMODE(place.stat().st_mode))
        os.replace(beside, place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def open_target(target: str | None, format: str | None = None) -> Iterator[io.TableWriter | None]:
    """Open a table to write, before the work begins; None where nothing is to be written."""
    if target is None:
        yield None
    else:
        with io.TableWriter(target, format=format) as writer:
            yield writer
