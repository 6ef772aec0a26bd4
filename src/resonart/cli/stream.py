"""``resonart stream``: learn rows as they arrive, and write one line for each."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import resonart
from resonart import stream as streams
from resonart._shared.words import count_of
from resonart.stream._errors import StreamError
from resonart.tables._formats import COMPRESSED, format_of_name

from ._clock import check_column, time_option
from ._command import COUNT, choice_option, command, option, target_option
from ._errors import CommandError, as_options, message_of, note_features, print_error, warn
from ._files import STDIN, STDOUT, InputFile, OutputFile, UpdatedFile
from ._late import clocks, np, outputs, reading, streaming
from ._model_options import ModelOptions, model_options
from ._models import chooses_itself, feature_names, is_fitted, kind_of
from ._output import Output, Report
from ._tables import TextOptions, column_list, text_options

FORMATS = ("ndjson", "csv", "tsv")
LINE_FORMATS = ["ndjson", "csv"]
WARM_UP = 1_000
SECONDS = click.FloatRange(min=0, min_open=True)


@command("stream live.resonart --input data.csv -o labels.ndjson --resume", summary_on_stderr=True)
@click.argument("path", metavar="MODEL", type=UpdatedFile(unless="no_learn"))
@option(
    "--input",
    "source",
    default=STDIN,
    type=InputFile(dir_okay=False, allow_dash=True),
    help="Source of the rows; - is standard input.",
)
@choice_option(
    "--format", FORMATS, "Format of the rows. [default: by the name or the first bytes]", "form"
)
@text_options
@time_option
@target_option("Write the lines to this file; - is standard output.", default=STDOUT)
@choice_option("--output-format", LINE_FORMATS, "Format of the lines.", default="ndjson")
@option(
    "--keep",
    type=column_list,
    metavar="A,B,3",
    help="Fields of the input to copy to the lines, whatever is in them, such as an id.",
)
@option("--events", type=OutputFile(), help="Write events to this file, not between the rows.")
@option("--rejects", type=OutputFile(), help="Write lines that are not rows to this file.")
@choice_option(
    "--on-reject", ["continue", "stop"], "What to do if a line is not a row.", default="continue"
)
@option(
    "--checkpoint-every",
    type=COUNT,
    default=100_000,
    help="Number of rows between two checkpoints. One is also written at the end, and on SIGTERM, "
    "SIGINT and SIGHUP.",
)
@option(
    "--checkpoint-seconds",
    type=SECONDS,
    default=60,
    metavar="N",
    help="Number of seconds after which a checkpoint is written, however few rows have arrived.",
)
@option(
    "--resume",
    is_flag=True,
    help="The input is replayed from its start: continue after the last row of the checkpoint.",
)
@option("--merge-every", type=COUNT, help="Number of rows between merges (ddvfa).")
@option(
    "--warm-up",
    type=COUNT,
    help="Number of rows a new model waits for, to learn feature ranges and choose vigilances. "
    "[default: 1 (density-art), 1000 (the others)]",
)
@option("--no-learn", is_flag=True, help="Only write labels; the model is not changed.")
@model_options()
def stream(
    path: str,
    source: str,
    form: str | None,
    text: TextOptions,
    time_column: str | None,
    target: str,
    output_format: str,
    keep: list[str] | None,
    events: str | None,
    rejects: str | None,
    on_reject: str,
    checkpoint_every: int,
    checkpoint_seconds: float,
    resume: bool,
    merge_every: int | None,
    warm_up: int | None,
    no_learn: bool,
    model_options: ModelOptions,
    output: Output,
) -> Report:
    """Learn rows as they arrive, and write one line for each.

    A line has the row's label, its match, and whether it started a cluster. When clusters are read
    again or merged, a line says which labels changed. With density-art, lines also say which
    clusters were born, merged, split, moved and died. MODEL is a model file. If it exists, the
    model goes on learning. If not, it is made, with the same options as in "resonart cluster". The
    model and the position in the input are saved together, so an input that can be replayed is
    learned exactly once: --resume continues where the file stopped, even after a crash. SIGHUP
    writes a checkpoint and begins new files where the old ones were moved away.
    """
    if no_learn and resume:
        raise click.UsageError(
            "--no-learn does not change the model: there is nothing to --resume."
        )
    model, position, parser_state, about = find_model(path, resume=resume, must_exist=no_learn)
    # If a model continues with another input, what it has written stays.
    appends = model is not None and not resume
    if model is None:
        model = model_options.make()
    else:
        check_same(model, model_options, path)
    set_merging(model, merge_every)
    if no_learn:
        text = text if time_column is None else replace(text, exclude=(*text.exclude, time_column))
        time_column = None
    else:
        time_column = time_column or clocks.known_column(about)
        check_column(time_column, model, path)
    has_events = isinstance(model, resonart.DensityART)
    keep = keep or []
    check_kept(keep, output_format, has_events=has_events, apart=events is not None)
    lines = outputs.line_format(
        output_format, has_events=has_events, keep=keep, apart=events is not None
    )
    with ExitStack() as stack:
        stop = stack.enter_context(streaming.heeding_signals())
        reader = stack.enter_context(streams.open_lines(source, wake=stop.wake, stops=stop.stops))
        form = form or format_of(source, reader, parser_state)
        times = (time_column, clocks.known_column(about))
        parser = make_parser(form, text, keep, times, model, source)
        if parser_state is not None:
            restore(parser, parser_state, path)
        wanted = {"output": (None if target == STDOUT else target, output_format, lines.header)}
        if events is not None:
            wanted["events"] = (events, output_format, lines.events_header or "")
        if rejects is not None:
            wanted["rejects"] = (rejects, "ndjson", "")
        written = {
            name: outputs.LineOutput(
                path, kind, position.files.get(name), appends=appends, header=header
            )
            for name, (path, kind, header) in wanted.items()
        }
        streamer = streaming.Streamer(
            model=model,
            path=path,
            parser=parser,
            reader=reader,
            outputs=written,
            format=lines,
            stop=stop,
            position=position,
            resumes=resume,
            warm_up=rows_to_wait_for(model, warm_up),
            checkpoint_every=checkpoint_every,
            checkpoint_seconds=checkpoint_seconds,
            stops_at_reject=on_reject == "stop",
            learns=not no_learn,
            listener=Listener(),
            has_times=time_column is not None,
        )
        try:
            streamer.replay()
            for each in written.values():
                stack.callback(each.close)
                each.begin()
            streamer.run()
        except StreamError as error:
            raise CommandError(as_options(str(error))) from error
        except (OSError, ValueError, MemoryError) as error:
            told = "the output was closed"
            if not isinstance(error, BrokenPipeError):
                told = message_of(error).rstrip(".") if str(error) else "out of memory"
            raise CommandError(f"{told}. {checkpoint_note(streamer)}") from error
        return report_of(streamer)


class Listener:
    """Passes on to stderr what there is to say about a stream."""

    note_features = staticmethod(note_features)

    def say(self, text: str) -> None:
        """Write a line about what the stream does."""
        print_error(f"resonart: {text}")

    def warn(self, text: str) -> None:
        """Write a warning."""
        warn(as_options(text))


# ---------------------------------------------------------------------- the model


def find_model(
    path: str, *, resume: bool, must_exist: bool
) -> tuple[Any, streaming.Position, dict[str, Any] | None, Any]:
    """Return a file's model, its position in the stream, its parser's state, and its metadata."""
    if not Path(path).exists():
        if must_exist:
            raise CommandError(f"{path}: there is no such model, and --no-learn does not make one.")
        return None, streaming.Position(), None, None
    model, metadata = resonart.load(path, with_metadata=True)
    if not resume:
        return model, streaming.Position(), None, metadata
    found = streaming.Position.of(metadata)
    if found is None:
        raise CommandError(
            f"{path} is not a checkpoint of a stream, so there is nothing to resume. Without "
            "--resume it learns the whole input."
        )
    return model, *found, metadata


def check_same(model: Any, options: ModelOptions, path: str) -> None:
    """Allow the same command again; refuse options that an existing model does not have."""
    given_by = click.get_current_context().get_parameter_source("model")
    is_kind_given = given_by is click.core.ParameterSource.COMMANDLINE
    mine, asked = model.get_params(), dict(options.given)
    # (Bounds are a pair of numbers or of as many numbers as there are features.)
    if (is_kind_given and kind_of(model) != options.model) or not all(
        name in mine and np.array_equal(mine[name], value) for name, value in asked.items()
    ):
        raise click.UsageError(
            f"{path} already exists, with its own parameters. Give the same ones or none, or "
            "another name for a new model."
        )


def set_merging(model: Any, merge_every: int | None) -> None:
    """Let a model merge on the way, if requested."""
    if merge_every is None:
        return
    if "merge_every" not in model.get_params():
        raise click.UsageError("--merge-every is only for --model ddvfa.")
    model.set_params(merge_every=merge_every)


def rows_to_wait_for(model: Any, warm_up: int | None) -> int:
    """Return how many rows a model starts with together; 0 if it takes them as they arrive.

    Ranges that are not given are learned from the rows it starts with, which have to be the same
    however the input is cut. DensityART needs only one.
    """
    if is_fitted(model) or (model.bounds is not None and not chooses_itself(model)):
        return 0
    if warm_up is not None:
        return warm_up
    return 1 if isinstance(model, resonart.DensityART) else WARM_UP


# ---------------------------------------------------------------------- in and out


def check_kept(keep: list[str], form: str, *, has_events: bool, apart: bool) -> None:
    """Refuse fields that would be written twice under one name."""
    for i, name in enumerate(keep):
        if name in keep[:i]:
            raise click.UsageError(f"--keep names {name!r} twice.")
        if name in outputs.names_in_lines(form, has_events=has_events, apart=apart):
            others = "" if apart or form == "ndjson" else ", or write events apart with --events"
            raise click.UsageError(
                f"--keep: lines have a field {name!r} already. Rename the one in the input{others}."
            )


def format_of(source: str, reader: streams.LineReader, before: dict[str, Any] | None) -> str:
    """Return the format by the name, or as a checkpoint knows it, or by the first bytes."""
    form = format_of_name(source)
    if form is not None and form not in FORMATS:
        raise no_lines(source, form)
    first = reader.peek()
    if first.startswith(COMPRESSED):
        raise CommandError(
            f"{title_of(source)} is compressed, and a stream is read as it grows. Unpack it on the "
            "way: gunzip -c FILE | resonart stream MODEL."
        )
    if form is None and before is not None:
        return str(before.get("format"))
    form = reading.format_by(source, first, title_of(source))
    if form not in FORMATS:
        raise no_lines(source, form)
    return form


def no_lines(source: str, form: str) -> click.UsageError:
    """Return the error for a table that is not text."""
    return click.UsageError(
        f"{title_of(source)}: a stream is read line by line, and {form} has no lines. Use resonart "
        "cluster."
    )


def title_of(source: str) -> str:
    """Return how messages name the input."""
    return "standard input" if source == STDIN else source


def make_parser(
    form: str,
    text: TextOptions,
    keep: list[str],
    clocks: tuple[str | None, str | None],
    model: Any,
    source: str,
) -> streams.LineParser:
    """Return a parser that finds the requested columns, or else the model's features.

    ``clocks`` are the column of times, and the one that the model had before.
    """
    time, known = clocks
    features = feature_names(model) if text.columns is None and is_fitted(model) else None
    ignore = () if known is None else (known,)
    try:
        return streams.LineParser(
            form,
            features=features,
            time=time,
            ignore=ignore,
            keep=keep,
            title=title_of(source),
            **vars(text),
        )
    except ValueError as error:
        raise click.UsageError(as_options(str(error))) from None


def restore(parser: streams.LineParser, state: dict[str, Any], path: str) -> None:
    """Let the parser continue as before; the options must be the same."""
    try:
        parser.restore(state)
    except ValueError as error:
        raise CommandError(f"{path} cannot be resumed with this input: {error}") from None


# ---------------------------------------------------------------------- the end


def checkpoint_note(streamer: streaming.Streamer) -> str:
    """Return what is safe after a failure."""
    saved = streamer.saved
    if saved is None:
        return "No checkpoint had been written."
    told = f": {count_of(saved.n_rows, 'row')} of this input learned" if saved.n_rows else ""
    return f"The last checkpoint, {streamer.path}, is complete{told}."


def report_of(streamer: streaming.Streamer) -> Report:
    """Report what was done."""
    model, position, stopped_by = streamer.model, streamer.position, streamer.stop.signal
    fitted = is_fitted(model)
    n_clusters = model.n_clusters_ if fitted else 0
    n_categories = model.n_categories_ if fitted else 0
    left_out = streamer.parser.left_out
    waiting, were = streamer.n_waiting, "was" if streamer.n_waiting == 1 else "were"
    end = "end of input" if stopped_by is None else "stopped by a signal"
    return Report(
        {
            "model": streamer.path,
            "rows": position.n_rows,
            "lines": position.n_lines,
            "rejected": position.n_rejected,
            "clusters": n_clusters,
            "categories": n_categories,
            "refused": model.n_refused_ if fitted else 0,
            "features": streamer.parser.names,
            "time_column": streamer.parser.time_name,
            "events": streamer.n_events,
            "left_out": left_out,
            "checkpoints": streamer.n_checkpoints,
            "seconds": round(streamer.seconds, 3),
            "waiting": streamer.n_waiting,
            "stopped_by": stopped_by,
        },
        [
            f"resonart: {end}. {count_of(position.n_rows, 'row')} in "
            f"{count_of(n_clusters, 'cluster')} and {count_of(n_categories, 'category')}; "
            f"{count_of(position.n_rejected, 'line')} left out."
            + (f" Not numeric: {', '.join(left_out)}." if left_out else "")
            + (f" {count_of(waiting, 'row')} {were} waiting for more." if waiting else "")
        ],
        exit_code=0 if stopped_by is None else 128 + stopped_by,
    )
