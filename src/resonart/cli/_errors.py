"""Errors, in one line each, and exit codes."""

from __future__ import annotations

import ast
import contextlib
import difflib
import errno
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TextIO

import click

import resonart
from resonart._shared.escape import escaped
from resonart._shared.interrupt import was_interrupted

# Where a command keeps what the features of its table are called.
FEATURES = "resonart.features"

NAMED = 5  # columns named in a warning

# As shells say it of a command that a signal ended: 128 + SIGINT, 128 + SIGPIPE.
FAILED, WRONG_USAGE, INTERRUPTED, CLOSED_PIPE = 1, 2, 130, 141


class CommandError(click.ClickException):
    """Something that the command itself found wrong."""


class Failure(NamedTuple):
    """How a command that does not succeed ends."""

    code: int
    message: str | None  # in one line; None for a closed pipe
    is_fault: bool = False  # of the program: then the traceback is shown


def failure_of(error: BaseException) -> Failure:
    """Return how a command ends after an exception.

    The library reports everything it checks as ValueError (including its errors about tables and
    model files, and scikit-learn's about models that are not fitted). The rest comes from the
    system, or is a bug in the program.

    Examples
    --------
    >>> failure_of(ValueError("rho must be a number in [0, 1], got 2."))[:2]
    (1, 'error: rho must be a number in [0, 1], got 2.')
    >>> failure_of(BrokenPipeError()).code
    141
    >>> failure_of(KeyError("rho")).is_fault
    True
    """
    if isinstance(error, click.Abort) or was_interrupted(error):
        return Failure(INTERRUPTED, "interrupted.")
    if isinstance(error, BrokenPipeError) or (
        isinstance(error, OSError) and error.errno == errno.EPIPE
    ):
        return Failure(CLOSED_PIPE, None)
    if isinstance(error, (click.ClickException, ValueError, OSError, ImportError, MemoryError)):
        code = WRONG_USAGE if isinstance(error, click.UsageError) else FAILED
        return Failure(code, f"error: {message_of(error)}")
    about = f"{type(error).__name__}: {one_line(str(error))}"
    return Failure(FAILED, f"error: {about} (This is a bug in resonart, not in your data.)", True)


def message_of(error: BaseException) -> str:
    """Return what an error says, in one line.

    Examples
    --------
    >>> message_of(FileNotFoundError(2, "No such file or directory", "data.csv"))
    'data.csv: No such file or directory'
    >>> message_of(ValueError("two\\nlines"))
    'two lines'
    """
    if isinstance(error, click.UsageError):
        text = one_line(
            about_option(error) if isinstance(error, click.NoSuchOption) else error.format_message()
        )
        if not text.endswith((".", "?")):
            text += "."
        return f"{text} Try '{error.ctx.command_path} --help'." if error.ctx is not None else text
    if isinstance(error, click.ClickException):
        return one_line(error.format_message())
    if isinstance(error, OSError) and error.strerror:
        where = error.filename if error.filename2 is None else error.filename2
        return one_line(f"{where}: {error.strerror}" if where is not None else error.strerror)
    if isinstance(error, MemoryError) and not str(error):
        return "out of memory. A command that has --in-memory-rows needs less with fewer."
    return as_options(one_line(str(error))) or type(error).__name__


def about_option(error: click.NoSuchOption) -> str:
    """Return which option does not exist, and which may have been meant, or which file.

    Examples
    --------
    >>> about_option(click.NoSuchOption("--repotr", possibilities=["--report", "--epochs"]))
    "No such option '--repotr'. Did you mean --report?"
    """
    told = f"No such option {error.option_name!r}."
    near = difflib.get_close_matches(error.option_name, error.possibilities or (), n=1)
    if near:
        return f"{told} Did you mean {near[0]}?"
    given = [] if error.ctx is None else error.ctx.find_root().obj
    for word in given if isinstance(given, list) else ():
        if word.startswith(error.option_name[:2]) and os.path.isfile(word):
            return f"{told} If you mean the file, write {shlex.quote(as_argument(word))}."
    return told


def as_argument(path: str) -> str:
    """Return the name of a file as an argument of a command, where no name may look like an option.

    Examples
    --------
    >>> as_argument("-rf.csv"), as_argument("data.csv"), as_argument("-")
    ('./-rf.csv', 'data.csv', '-')
    """
    return f"./{path}" if path.startswith("-") and path != "-" else path


def as_options(text: str) -> str:
    """Return advice of the library as options of the command line.

    Examples
    --------
    >>> as_options('Have such rows dropped with missing="drop".')
    'Have such rows dropped with --missing drop.'
    >>> as_options("Say which: header=True or header=False.")
    'Say which: --header or --no-header.'
    >>> print(as_options("Give decimal=',', or leave out exclude=['a b', 'c']."))
    Give --decimal ',', or leave out --exclude 'a b' --exclude c.
    """
    names = "missing|format|decimal|thousands|encoding"
    text = re.sub(
        rf"""\b({names})=(['"])(.+?)\2""",
        lambda found: f"--{found[1]} {found[3] if found[3].isalnum() else repr(found[3])}",
        text,
    )
    text = re.sub(r"\b(exclude|na)=(\[.*?\])(?=[.;,]? |[.;,]?$)", _as_repeated, text)
    text = re.sub(r"\bwith (columns|exclude)\b", r"with --\1", text)
    text = re.sub(rf"^({names}|delimiter|header) (must be|is for)", r"--\1 \2", text)
    return text.replace("header=True", "--header").replace("header=False", "--no-header")


def _as_repeated(found: re.Match[str]) -> str:
    """Return a list of a parameter's values as a repeated option."""
    try:
        words = ast.literal_eval(found[2])
    except (ValueError, SyntaxError):  # a name with a bracket in it
        return f"--{found[1]}"
    return " ".join(f"--{found[1]} {shlex.quote(word)}" for word in words)


def one_line(text: str) -> str:
    """Return the text with every run of white space as one blank."""
    return " ".join(text.split())


def print_error(line: str) -> None:
    """Write a line to stderr, where there still is one."""
    with contextlib.suppress(OSError):
        click.echo(escaped(line), err=True)


def warn(text: str) -> None:
    """Write a warning to stderr."""
    print_error(f"resonart: warning: {text}")


def discard_unwritten_output() -> None:
    """Discard what can no longer be written, to a closed pipe or a full disk.

    The error has been reported by now. Python would try again at its end, and report it again.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is None:  # a program without a console
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            _redirect_to_devnull(stream)


def _redirect_to_devnull(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):  # it may be closed altogether
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


# ---------------------------------------------------------------------- warnings


class WarningLines:
    """Show each warning as one line, once; stands in for ``warnings.showwarning``."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, message: Warning | str, *_: Any, **__: Any) -> None:
        is_outlier = isinstance(message, resonart.OutlierWarning)
        text = about_outliers(message) if is_outlier else str(message)
        if isinstance(message, resonart.ReadingWarning):
            text = about_reading(text)
        text = as_options(one_line(text))
        if text not in self._seen:
            self._seen.add(text)
            warn(text)


def note_features(source: str, names: Sequence[str] | None, doubtful: Mapping[str, str]) -> None:
    """Warn of features that hardly look like measurements, and keep all names for later."""
    from resonart.tables._columns import CLASSES, CONSTANT

    context = click.get_current_context(silent=True)
    known = set() if context is None else {option.name for option in context.command.params}
    for name, looks in doubtful.items():
        if looks == CONSTANT:
            continue
        word = shlex.quote(name)
        cure = f"If it is not a feature, leave it out with --exclude {word}."
        if looks == CLASSES:
            cure = f"As a feature, it gives its own answer. Leave it out with --exclude {word}" + (
                f", or compare the clusters with it: --label {word}." if "label" in known else "."
            )
        warn(f"{source}: the column {name!r} {looks}. {cure}")
    constant = [name for name, looks in doubtful.items() if looks == CONSTANT]
    if constant:
        warn(f"{source}: {about_constant(constant)}")
    if context is not None and names is not None:
        context.meta[FEATURES] = list(names)


def about_constant(names: Sequence[str]) -> str:
    """Return which columns are constant, and what to do about them.

    Examples
    --------
    >>> about_constant(["a b"])
    "the column 'a b' has the same value in every row and tells no clusters apart. Leave it out \
with --exclude 'a b'."
    >>> about_constant([f"p{j}" for j in range(30)])[:66]
    "the columns 'p0', 'p1', 'p2', 'p3', 'p4' and 25 more have the same"
    """
    some = ", ".join(map(repr, names[:NAMED]))
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    cure = " ".join(f"--exclude {shlex.quote(name)}" for name in names)
    if len(names) > NAMED:
        cure = "--exclude, or name the features with --columns"
    what, it = ("column {} has", "it") if len(names) == 1 else ("columns {} have", "them")
    told = what.format(f"{some}{more}")
    said = "the same value in every row and tell" + ("s" if len(names) == 1 else "")
    return f"the {told} {said} no clusters apart. Leave {it} out with {cure}."


def about_reading(text: str) -> str:
    """Return a warning of a reading with what to do about it on the command line.

    Examples
    --------
    >>> about_reading("n_clusters=3: there is 1. Allow n_clusters=(1, 3), or lower min_samples.")
    '--n-clusters 3: there is 1. Allow --n-clusters 1:3, or lower --min-samples.'
    """
    text = re.sub(r" Other readings are in choice_.*", " resonart explore shows others.", text)
    text = re.sub(r"\((\d+), (\d+)\)", r"\1:\2", text)
    names = "n_clusters|min_cluster_size|min_samples|max_categories"
    return re.sub(
        rf"\b({names})(=?)",
        lambda found: f"--{found[1].replace('_', '-')}{' ' if found[2] else ''}",
        text,
    )


def about_outliers(warning: Any) -> str:
    """Return the warning with what to do about it on the command line.

    Examples
    --------
    >>> from resonart import Bounds
    >>> told = resonart.OutlierWarning("", "1 of 900 rows is far off.", [0], [7], Bounds([-2], [5]))
    >>> about_outliers(told)
    '1 of 900 rows is far off. Take such rows out of the table.'
    """
    context = click.get_current_context(silent=True)
    names = [] if context is None else context.meta.get(FEATURES, [])

    def named(found: re.Match[str]) -> str:
        number = int(found[1])
        return repr(names[number]) if number < len(names) else found[0]

    about = re.sub(r"\bfeature (\d+)\b", named, warning.about)  # the rows came without names
    text = f"{about} Take such rows out of the table"
    known = set() if context is None else {option.name for option in context.command.params}
    if warning.bounds is None or not {"bounds", "out_of_bounds"} <= known:
        return f"{text}."
    ranges = ",".join(f"{low:.10g}:{high:.10g}" for low, high in zip(*warning.bounds, strict=True))
    return f"{text}, or move them to the edge of the range: --out-of-bounds clip --bounds={ranges}"
