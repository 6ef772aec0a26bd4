"""Where results go. Whether they can be written is asked before the work begins."""

from __future__ import annotations

import os
from pathlib import Path

import click

from resonart import io

from ._options import STDOUT, Output


def check_folder(option: str, path: str | Path) -> None:
    """Say beforehand that a file cannot be written for want of its folder."""
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise click.UsageError(f"{option} {path}: there is no folder {folder}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise click.ClickException(f"{option} {path}: the folder {folder} cannot be written to.")


def check_target(target: str | None, output: Output) -> Output:
    """Say beforehand what would keep a table from being written; return where words go then."""
    if target is None:
        return output
    if target == STDOUT:
        if output.json:
            raise click.UsageError(
                "-o - and --json both write to stdout. Write the table to a file: -o FILE."
            )
        return Output(output.json, output.quiet, to_stderr=True)
    check_folder("-o", target)
    io.guess_format(target)
    return output


def open_writer(target: str, format: str | None = None) -> io.TableWriter:
    """Open a table to write: a file, its format by its name, or CSV on stdout."""
    if format is None and target == STDOUT:
        format = "csv"
    return io.TableWriter(target, format=format)
