"""What all commands have in common: how they are declared, start and end.

A command is a function that gets the values of its options and returns a :class:`Report`.
Everything else is here: help in sections, files that are compared and locked before it starts,
``--json`` and ``--quiet``, and the report, as text or as JSON.
"""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import click

from ._files import STDOUT, InputFile, OutputFile, check_distinct, files_of
from ._locks import FileLock
from ._output import Output, Report

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

SECTIONS = ("Options", "Table", "Model")

COUNT = click.IntRange(min=1)
SHARE = click.FloatRange(0, 1, min_open=True)
METAVARS = {COUNT: "N", SHARE: "0..1"}


class Command(click.Command):
    """A command that overwrites nothing it reads, and nothing that another command writes."""

    def invoke(self, ctx: click.Context) -> Any:
        """Compare the files and lock those that are written, then run."""
        files = list(files_of(ctx))
        check_distinct(files, ctx)
        arguments = ctx.find_root().obj
        command = shlex.join(["resonart", *(arguments if isinstance(arguments, list) else [])])
        with ExitStack() as locks:
            for file in files:
                if file.is_written and file.path != STDOUT:
                    locks.enter_context(FileLock(file.path, command))
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, with those that commands share under separate headings."""
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in SECTIONS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections[getattr(param, "section", SECTIONS[0])].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def command(*examples: str, summary_on_stderr: bool = False) -> Callable[..., click.Command]:
    """Make a command of a function that returns its report.

    It also gets ``output``, which knows about ``--json`` and ``--quiet``. If its option ``target``
    is standard output, a table goes there, and text to stderr; with ``summary_on_stderr`` text and
    JSON always go to stderr. Help shows the examples.
    """

    def decorate(function: Callable[..., Report]) -> click.Command:
        @functools.wraps(function)
        def run(as_json: bool, quiet: bool, **values: Any) -> None:
            takes_stdout = values.get("target") == STDOUT
            if takes_stdout and as_json and not summary_on_stderr:
                raise click.UsageError(
                    "-o - and --json both write to stdout. Write the table to a file: -o FILE."
                )
            output = Output(as_json, quiet, to_stderr=takes_stdout or summary_on_stderr)
            report = function(output=output, **values)
            output.show(made.name or "", report)
            if report.exit_code:
                click.get_current_context().exit(report.exit_code)

        heading = "Example" if len(examples) == 1 else "Examples"
        epilog = "\n  ".join([f"\b\n{heading}:", *(f"resonart {example}" for example in examples)])
        made = click.command(cls=Command, epilog=epilog)(run)
        where = " on stderr" if summary_on_stderr else ""
        json_help = f"Print one JSON object{where}."
        made.params += [
            click.Option(["--json", "as_json"], is_flag=True, help=json_help),
            click.Option(["--quiet", "-q"], is_flag=True, help="Print warnings and errors only."),
        ]
        return made

    return decorate


# ---------------------------------------------------------------------- options


def option(*names: str, **settings: Any) -> Decorator[Any]:
    """Add an option, with the metavar that its kind of value has in all commands."""
    metavar = METAVARS.get(settings.get("type"))
    return click.option(*names, **{"metavar": metavar, **settings})


def choice_option(
    name: str, choices: Sequence[str], help_text: str, *names: str, default: str | None = None
) -> Decorator[Any]:
    """Add an option that takes one of a few words."""
    return click.option(name, *names, type=click.Choice(choices), default=default, help=help_text)


def in_section(section: str, *options: Decorator[Any]) -> Decorator[Any]:
    """Add options, which help lists in this order under the heading of a section."""

    def decorate(function: Any) -> Any:
        before = len(getattr(function, "__click_params__", []))
        for add in reversed(options):
            function = add(function)
        for param in function.__click_params__[before:]:
            param.section = section
        return function

    return decorate


def gathered(
    name: str, kind: Callable[..., Any], options: Sequence[Decorator[Any]], section: str
) -> Decorator[Any]:
    """Add options to a command, which gets their values as one object."""
    fields = list(inspect.signature(kind).parameters)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(**values: Any) -> Any:
            values[name] = kind(**{field: values.pop(field) for field in fields})
            return function(**values)

        decorated: Callable[..., Any] = in_section(section, *options)(wrapper)
        return decorated

    return decorate


data_argument = click.argument("data", type=InputFile(allow_dash=True))
model_argument = click.argument("model_file", metavar="MODEL", type=InputFile(dir_okay=False))


def target_option(help_text: str, **settings: Any) -> Decorator[Any]:
    """``-o``: where a table is written, ``-`` for stdout, unless its type says otherwise."""
    settings = {"type": OutputFile(allow_dash=True), **settings}
    return option("--output", "-o", "target", help=help_text, **settings)


def picture_option(help_text: str) -> Decorator[Any]:
    """``--picture``: where a picture is written."""
    return option("--picture", type=OutputFile(path_type=Path), help=help_text)
