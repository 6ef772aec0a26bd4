"""The command ``resonart``: clustering files and streams without writing Python.

``resonart --help`` lists the commands; docs/cli.md describes them. What it needs beyond the library
(click, rich, pyarrow) comes with the extra ``cli``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from resonart import __version__
from resonart._engine.build import version_text
from resonart._shared.interrupt import noting_interrupts
from resonart._shared.require import how_to_get

__all__ = ["main"]

# Packages without which the command line cannot even show --help.
NEEDED = ("click", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        The arguments after the word ``resonart``; None takes them from ``sys.argv``.

    Returns
    -------
    code : int
        If click or rich is missing, 0 after ``--version``, which does not need them, and otherwise
        1. If it was interrupted before it began or after it was done, 130. In all other cases this
        does not return: like any command it ends with ``SystemExit``, and the code is 0, 1
        (failed), 2 (wrong usage), 130 (interrupted) or 141 (the output was closed early).

    See Also
    --------
    resonart.DensityART : The default model of the command ``cluster``.
    resonart.tables.open_table : How tables are read.

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
        with noting_interrupts():
            return _run(arguments)
    except KeyboardInterrupt:  # during imports, or when everything but the last output is done
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
            print(version_text(__version__))  # bug reports need it, with this extra or without
            return 0
        print(
            f"resonart: error: the command line needs {error.name}, which is not installed. "
            f"{how_to_get(error.name, 'cli')}",
            file=sys.stderr,
        )
        return 1
    app(list(arguments) if arguments is not None else None, prog_name="resonart")
    raise AssertionError("unreachable: the application ends by SystemExit")
