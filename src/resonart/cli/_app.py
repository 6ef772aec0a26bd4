"""The list of commands. Each has a file of its name, which is imported when it is called."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

import resonart
from resonart._engine.build import version_text
from resonart._shared.escape import escaped_lines
from resonart._shared.naming import naming

from ._command import TwoHelps
from ._errors import (
    Failure,
    WarningLines,
    discard_unwritten_output,
    failure_of,
    print_error,
)

# Name of each command, and its line in the list of commands.
COMMANDS = {
    "cluster": "Cluster a table; write labels, a model, a report, a picture.",
    "predict": "Find the cluster of each row with a saved model.",
    "describe": "Describe the clusters of a saved model.",
    "explain": "Explain why a row is in its cluster.",
    "explore": "Explore clusters, boxes and the choice in a browser.",
    "merge": "Merge models that were learned separately into one.",
    "stream": "Learn rows as they arrive, and write one line for each.",
    "plane": "Try every vigilance; show which are best.",
    "vat": "Order rows so that each cluster is in one piece; draw the VAT image.",
    "version": "Show the versions of resonart and what it uses, and its build.",
}


class Application(TwoHelps, click.Group):
    """A group that loads a command when it is called, and ends every error in one line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; who gives nothing at all gets the short help."""
        if not args and not ctx.resilient_parsing:
            click.echo(self.short_help_text(ctx))
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; of one that does not exist, say which may have been meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command {name!r}. {meant(name)}".rstrip())
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin like this; no command is loaded for it."""
        fitting = {name: line for name, line in COMMANDS.items() if name.startswith(incomplete)}
        commands = [CompletionItem(name, help=line) for name, line in fitting.items()]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_short_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # As click does, but from the list above: no command is loaded to be named.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Errors inside it are reported here, before click sees them."""
        debug = bool(ctx.params.get("debug"))
        with warnings.catch_warnings():
            if not debug:
                show_user_warnings()
            try:
                super().invoke(ctx)
                with naming("standard output"):
                    sys.stdout.flush()  # a closed pipe is noticed here, not when Python ends
            except (click.exceptions.Exit, click.ClickException):
                raise
            except BaseException as error:
                failure = failure_of(error)
                if failure.is_fault or (debug and failure.message is not None):
                    show_traceback()
                ctx.exit(end(failure))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and end the process with an exit code."""
        try:
            # The name that other commands show for this one.
            extra.setdefault("obj", sys.argv[1:] if args is None else list(args))
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except (click.ClickException, click.Abort, KeyboardInterrupt) as error:
            # (Before a command begins, click makes Abort of Ctrl-C.)
            code = end(failure_of(error))
        discard_unwritten_output()
        sys.exit(code or 0)


def load_command(name: str) -> click.Command:
    """Return the command of that name, from the file of that name."""
    module = f"{__package__}.{name}"
    try:
        command: click.Command = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise click.ClickException(
            f"this installation of resonart {resonart.__version__} has no {name!r}: the file "
            f"{name}.py of its command line is missing. Install resonart again."
        ) from error
    return command


def meant(name: str) -> str:
    """Say what may have been meant by a name that is no command.

    Examples
    --------
    >>> meant("clutser"), meant("xyz")
    ('Did you mean cluster?', '')
    """
    near = difflib.get_close_matches(name.lower(), COMMANDS, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    if os.path.isfile(name):
        return f"To cluster a table: resonart cluster {shlex.quote(name)}."
    return ""


def show_user_warnings() -> None:
    """Show warnings that are meant for the user as one line each, and no others."""
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", UserWarning)
    # Columns are matched by name before the rows, which have none, reach the model.
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    warnings.showwarning = WarningLines()


def end(failure: Failure) -> int:
    """Write to stderr, in one line, what went wrong; return the exit code."""
    if failure.message is not None:
        print_error(f"resonart: {failure.message}")
    return failure.code


def show_traceback() -> None:
    """Show where the error that is being handled came from."""
    import traceback

    click.echo(escaped_lines(traceback.format_exc().rstrip()), err=True)


def show_version(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    """Show the version and exit, if requested."""
    if value and not ctx.resilient_parsing:
        click.echo(version_text(resonart.__version__))
        ctx.exit()


@click.group(
    cls=Application,
    context_settings={"help_option_names": ["--help"], "show_default": True},
    epilog="\b\nExample:\n  resonart cluster data.csv -o labels.csv",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and how it was built, and exit.",
)
@click.option("--debug", is_flag=True, envvar="RESONART_DEBUG", hidden=True)
def app(debug: bool) -> None:
    """Cluster tables and streams by adaptive resonance theory.

    Rows are CSV, TSV, Parquet, Arrow, NPY, NDJSON or JSON. Clusters may have any shape, and you
    need not say how many there are. "resonart COMMAND -h" shows the most used options of a command,
    and "resonart COMMAND --help" all of them.

    For completion with the TAB key, put this into ~/.bashrc (for zsh and fish, put their names in
    the place of bash):

    \b
      eval "$(_RESONART_COMPLETE=bash_source resonart)"
    """
