"""``resonart stream``: rows learned as they come, one line out for each."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import click
import numpy as np

import resonart
from resonart.io import LineParser, LineReader, guess_format

from ._errors import CommandError, as_options, say
from ._features import features_of
from ._files import FileCommand, GoesOn, Reads, Writes
from ._models import chooses_itself
from ._options import STDIN, STDOUT, ModelOptions, TextOptions, model_options, text_options
from ._streaming import (
    CSV_HEADER,
    WRITERS,
    Position,
    Sink,
    Streamer,
    heeding_signals,
    is_fitted,
)

EPILOG = """\b
Example:
  resonart stream live.resonart --input data.csv -o labels.ndjson --resume
"""
WARM_UP = 1_000
CHECKPOINT_EVERY = 100_000


@click.command(cls=FileCommand, epilog=EPILOG)
@click.argument("path", metavar="MODEL", type=GoesOn(dir_okay=False, unless="no_learn"))
@click.option(
    "--input",
    "source",
    default=STDIN,
    type=Reads(dir_okay=False, allow_dash=True),
    help="Where rows come from. [default: -, standard input]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["ndjson", "csv", "tsv"]),
    help="Format of the rows. [default: from the name, else ndjson]",
)
@text_options
@click.option(
    "--output",
    "-o",
    "target",
    default=STDOUT,
    type=Writes(dir_okay=False, allow_dash=True),
    help="Where lines go. [default: -, standard output]",
)
@click.option(
    "--output-format",
    type=click.Choice(list(WRITERS)),
    default="ndjson",
    show_default=True,
    help="Format of the lines.",
)
@click.option(
    "--rejects", type=Writes(dir_okay=False), help="Where lines go that are no rows, and why."
)
@click.option(
    "--on-reject",
    type=click.Choice(["continue", "stop"]),
    default="continue",
    show_default=True,
    help="What a line that is no row does.",
)
@click.option(
    "--checkpoint-every",
    type=click.IntRange(min=1),
    default=CHECKPOINT_EVERY,
    show_default=True,
    help="Rows between two checkpoints. One is also written at the end, on SIGTERM and SIGINT.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="The input is replayed from its beginning: go on after the last row of the checkpoint.",
)
@click.option("--merge-every", type=click.IntRange(min=1), help="Rows between merges (ddvfa).")
@click.option(
    "--warm-up",
    type=click.IntRange(min=1),
    default=WARM_UP,
    show_default=True,
    help="Rows a new model waits for, to know feature ranges and choose vigilances.",
)
@click.option("--no-learn", is_flag=True, help="Only tell labels; the model stays as it is.")
@click.option("--json", "as_json", is_flag=True, help="Sum up as one JSON object on stderr.")
@click.option("--quiet", "-q", is_flag=True, help="Do not sum up.")
@model_options()
def stream(
    path: str,
    source: str,
    form: str | None,
    text: TextOptions,
    target: str,
    output_format: str,
    rejects: str | None,
    on_reject: str,
    checkpoint_every: int,
    resume: bool,
    merge_every: int | None,
    warm_up: int,
    no_learn: bool,
    as_json: bool,
    quiet: bool,
    model_options: ModelOptions,
) -> None:
    """Learn rows as they come, one line out for each.

    A line has the row's label, its match, and whether it is a new cluster. MODEL is a model file.
    If it is there, it goes on learning; if not, it is made, by the options that "resonart cluster"
    has, too. Model and place in the input are saved together, so that an input that can be replayed
    is learned exactly once: --resume goes on where the file stands, after a crash, too.
    """
    if no_learn and resume:
        raise click.UsageError(
            "--no-learn leaves the model as it is: there is nothing to --resume."
        )
    model, position, parser_state = find_model(path, resume=resume, must_exist=no_learn)
    is_there = model is not None
    if model is None:
        model = model_options.make()
    elif model_options.given or was_given("model"):
        check_same(model, model_options, path)
    set_merging(model, merge_every)
    with ExitStack() as stack:
        stop = stack.enter_context(heeding_signals())
        raw = stack.enter_context(open_input(source))
        parser = make_parser(form or named_format(source), text, model, source)
        if parser_state is not None:
            restore(parser, parser_state, path)
        before = position or Position()
        # A model that goes on with another input leaves what it has told.
        appends = is_there and not resume
        output = Sink(None if target == STDOUT else target, output_format, before.output, appends)
        refused = None
        if rejects is not None:
            refused = Sink(rejects, "ndjson", before.rejects, appends)
        streamer = Streamer(
            model=model,
            path=path,
            parser=parser,
            reader=LineReader(raw.fileno(), wake=stop.wake),
            output=output,
            write=WRITERS[output_format],
            rejects=refused,
            stop=stop,
            position=before,
            resumes=resume,
            warm_up=0 if is_fitted(model) or knows_enough(model) else warm_up,
            checkpoint_every=checkpoint_every,
            stops_at_reject=on_reject == "stop",
            learns=not no_learn,
            source="standard input" if source == STDIN else source,
        )
        try:
            rest = streamer.replay()
            for sink in (output, refused):
                if sink is not None:
                    stack.callback(sink.close)
                    sink.begin()
            if output_format == "csv" and output.is_empty:
                output.write(CSV_HEADER)
            streamer.run(rest)
        except BrokenPipeError:
            raise CommandError(
                f"nobody reads the output any more. {where_it_stands(streamer)}"
            ) from None
        except OSError as error:
            raise CommandError(
                f"{error.filename2 or error.filename or 'input or output'}: {error.strerror}. "
                f"{where_it_stands(streamer)}"
            ) from error
        except (ValueError, MemoryError) as error:
            raise CommandError(
                f"{as_options(str(error)).rstrip('.') or 'out of memory'}. "
                f"{where_it_stands(streamer)}"
            ) from error
        if not quiet:
            sum_up(streamer, as_json=as_json)
        if stop.signal is not None:
            click.get_current_context().exit(128 + stop.signal)


def was_given(name: str) -> bool:
    """Tell whether an option that has a default was given all the same."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


# ---------------------------------------------------------------------- the model


def find_model(
    path: str, *, resume: bool, must_exist: bool
) -> tuple[Any, Position | None, dict[str, Any] | None]:
    """Return the model of a file, where its stream stood, and its parser's state."""
    if not Path(path).exists():
        if must_exist:
            raise CommandError(f"{path}: there is no such model, and --no-learn makes none.")
        return None, None, None
    model, metadata = resonart.load(path, with_metadata=True)
    if not resume:
        return model, None, None
    found = Position.of(metadata)
    if found is None:
        raise CommandError(
            f"{path} is no checkpoint of a stream, so there is nothing to resume. Without --resume "
            "it learns all of the input."
        )
    return model, *found


def check_same(model: Any, options: ModelOptions, path: str) -> None:
    """Let a command be run again as it was; refuse options that a model which is there has not."""
    wanted = options.make()
    mine, asked = model.get_params(), wanted.get_params()
    other = type(model) is not type(wanted) and was_given("model")
    # (Bounds are a pair of numbers or of as many numbers as there are features.)
    if other or not all(
        name in mine and np.array_equal(mine[name], asked[name]) for name in options.given
    ):
        raise click.UsageError(
            f"{path} is there already, with its own parameters. Give the same ones or none, or "
            "another name for a new model."
        )


def set_merging(model: Any, merge_every: int | None) -> None:
    if merge_every is None:
        return
    if "merge_every" not in model.get_params():
        raise click.UsageError("--merge-every goes with --model ddvfa only.")
    model.set_params(merge_every=merge_every)


def knows_enough(model: Any) -> bool:
    """Tell whether a new model can begin with the first row."""
    return model.bounds is not None and not chooses_itself(model)


# ---------------------------------------------------------------------- in and out


def named_format(source: str) -> str:
    """Return the format a name tells; a pipe is taken to carry NDJSON."""
    if source == STDIN:
        return "ndjson"
    form = guess_format(source)
    if form not in ("csv", "tsv", "ndjson"):
        raise click.UsageError(
            f"{source}: a stream is read line by line, and {form} has no lines. Use resonart "
            "cluster, or resonart convert."
        )
    return form


def make_parser(form: str, text: TextOptions, model: Any, source: str) -> LineParser:
    """Return a parser that finds the columns asked for, or else the model's features."""
    features = features_of(model) if text.columns is None and is_fitted(model) else None
    try:
        title = "standard input" if source == STDIN else source
        return LineParser(form, features=features, title=title, **vars(text))
    except ValueError as error:
        raise click.UsageError(as_options(str(error))) from None


def restore(parser: LineParser, state: dict[str, Any], path: str) -> None:
    """Let the parser go on as it was; what was asked for must be what it had."""
    try:
        parser.restore(state)
    except ValueError as error:
        raise CommandError(f"{path} cannot be resumed with this input: {error}") from None


def open_input(source: str) -> BinaryIO:
    """Return the input as a file that has a descriptor."""
    if source != STDIN:
        return open(source, "rb", buffering=0)
    if sys.stdin is None:
        raise CommandError("standard input is closed. Name a file with --input.")
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)


# ---------------------------------------------------------------------- the end


def where_it_stands(streamer: Streamer) -> str:
    """Say what is safe after a failure."""
    saved = streamer.saved
    if saved is None:
        return "No checkpoint had been written."
    told = f": {saved.n_rows:,} rows of this input learned" if saved.n_rows else ""
    return f"The last checkpoint, {streamer.path}, is whole{told}."


def sum_up(streamer: Streamer, *, as_json: bool) -> None:
    """Say on stderr what was done."""
    model, position = streamer.model, streamer.position
    fitted = is_fitted(model)
    facts: dict[str, Any] = {
        "model": streamer.path,
        "rows": position.n_rows,
        "lines": position.n_lines,
        "rejected": position.n_rejected,
        "clusters": model.n_clusters_ if fitted else 0,
        "categories": model.n_categories_ if fitted else 0,
        "refused": model.n_refused_ if fitted else 0,
        "features": streamer.parser.names,
        "left_out": streamer.parser.left_out,
        "checkpoints": streamer.n_checkpoints,
        "seconds": round(streamer.seconds, 3),
        "waiting": streamer.n_waiting,
        "stopped_by": streamer.stop.signal,
    }
    if as_json:
        say(json.dumps(facts))
        return
    clusters = f"{facts['clusters']:,}"
    end = "stopped by a signal" if streamer.stop.signal is not None else "end of input"
    say(
        f"resonart: {end}. {position.n_rows:,} rows in {clusters} clusters and "
        f"{facts['categories']:,} categories; {position.n_rejected:,} lines left out."
        + (f" No numbers: {', '.join(facts['left_out'])}." if facts["left_out"] else "")
        + (f" {streamer.n_waiting:,} rows were waiting for more." if streamer.n_waiting else "")
    )
