"""What all commands have in common: how they are declared, start and end.

A command is a function that gets the values of its options and returns a :class:`Report`.
Everything else is here: help in sections, files that are compared and locked before it starts,
``--json`` and ``--quiet``, and the report, as text or as JSON.
"""

from __future__ import annotations

import functools
import inspect
import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import click

from ._files import STDOUT, InputFile, OutputFile, check_distinct, files_of
from ._locks import locked
from ._output import Output, Report

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

SECTIONS = ("Options", "Table", "Model")

COUNT = click.IntRange(min=1)
SHARE = click.FloatRange(0, 1, min_open=True)
METAVARS = {COUNT: "N", SHARE: "0..1"}


# What -h shows of a command that has many options.
MANY_OPTIONS = 10
MOST_USED = {
    *("--output", "--save", "--report", "--picture", "--html", "--follow", "--row"),
    *("--columns", "--exclude", "--label", "--input", "--resume", "--time-column", "--keep"),
    *("--min-cluster-size", "--half-life", "--scoring", "--step"),
}


class TwoHelps(click.Command):
    """A command with a short help, -h, and a long one, --help."""

    @functools.cached_property
    def _short_help_option(self) -> click.Option:
        return click.Option(
            ["-h"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=show_short_help,
            help="Show a short help, and exit.",
        )

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options, with those for help at the end."""
        *params, long_help = super().get_params(ctx)
        if isinstance(long_help, click.Option):
            long_help.help = "Show everything, and exit."
        return [*params, self._short_help_option, long_help]

    def short_help_text(self, ctx: click.Context) -> str:
        """Return how the command is used, the most used options, and an example."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text((self.help or "").partition("\n")[0])
        self.format_short_options(ctx, formatter)
        formatter.write_paragraph()
        example = (self.epilog or "").removeprefix("\b\n").splitlines()[1].strip()
        formatter.write(f"Example:\n  {example}\n\nMore: {ctx.command_path} --help")
        return formatter.getvalue()

    def format_short_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that the short help shows."""
        options = [each for each in self.params if isinstance(each, click.Option)]
        few = len(options) <= MANY_OPTIONS
        shown = [each for each in options if few or MOST_USED.intersection(each.opts)]
        records = [record for each in shown if (record := each.get_help_record(ctx)) is not None]
        with formatter.section("Options" if few else "Most used options"):
            formatter.write_dl([(names, first_sentence(text)) for names, text in records])


def first_sentence(text: str) -> str:
    """Return the first sentence of an option's help, without what is in brackets.

    Examples
    --------
    >>> first_sentence("Number of rows. They are counted. [default: 5]")
    'Number of rows'
    """
    return re.sub(r" *\[.*?\]", "", text).partition(". ")[0].rstrip(".")


def show_short_help(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    """Show the short help and exit, if requested."""
    if value and not ctx.resilient_parsing:
        assert isinstance(ctx.command, TwoHelps)
        click.echo(ctx.command.short_help_text(ctx))
        ctx.exit()


class Command(TwoHelps):
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
                    locks.enter_context(locked(file.path, command))
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
