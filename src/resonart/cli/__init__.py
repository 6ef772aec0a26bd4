"""The command ``resonart``: clustering files and streams without writing Python.

``resonart --help`` lists the commands; docs/cli.md describes them. What it needs beyond the library
(click, rich, pyarrow) comes with the extra ``cli``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from resonart import __version__
from resonart._shared.build import version_text
from resonart._shared.require import how_to_get

__all__ = ["main"]

# What the command line cannot even say --help without.
NEEDED = ("click", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        What follows the word ``resonart``; None takes them from ``sys.argv``.

    Returns
    -------
    code : int
        Where click or rich is missing, 0 after ``--version``, which does without, and else 1; 130
        if it was interrupted before it began or after it was done. Otherwise this does not return:
        like any command it ends by ``SystemExit``, with 0, 1 (failed), 2 (wrong usage), 130
        (interrupted) or 141 (nobody read the output to its end).

    Examples
    --------
    >>> from resonart.cli import main
    >>> try:
    ...     main(["--version"])  # doctest: +ELLIPSIS
    ... except SystemExit as end:
    ...     print("exit code", end.code)
    resonart 0.1.0
    built by ...
    exit code 0
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # while much is imported, or when all is done but the last words
        print("resonart: interrupted.", file=sys.stderr)
        return 130


def _run(arguments: Sequence[str] | None) -> int:
    try:
        import rich  # noqa: F401

        from ._app import app
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise  # it is there, but broken: its own message says more
        if (sys.argv[1:] if arguments is None else list(arguments)) == ["--version"]:
            print(version_text(__version__))  # a bug report tells it, with this extra or without
            return 0
        print(
            f"resonart: error: the command line needs {error.name}, which is not installed. "
            f"{how_to_get(error.name, 'cli')}",
            file=sys.stderr,
        )
        return 1
    app(list(arguments) if arguments is not None else None, prog_name="resonart")
    raise AssertionError("unreachable: the application ends by SystemExit")
