"""``resonart explore``: explore clusters in a browser, or write them into one HTML file."""

from __future__ import annotations

import shlex
import warnings
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from itertools import tee
from pathlib import Path
from typing import Any, NamedTuple

import click

from resonart import stream, tables
from resonart._shared.words import count_of

from ._clock import check_column, time_option
from ._command import COUNT, command, option
from ._errors import CommandError, as_argument, as_options, note_features, warn
from ._files import STDIN, InputFile, OutputFile, check_folder, is_read_once, write_file
from ._late import Floats, NDArray, clocks, explorers, np, reading
from ._learning import learn, read_first_rows
from ._model_options import ModelOptions, flag, model_options
from ._models import in_short, is_model_file, kind_of, load_fitted
from ._output import Output, Report, duration
from ._tables import TableOptions, TextOptions, in_memory_option, row_limit, table_options

# Most rows shown of a table that does not fit into memory.
MOST_KEPT = 200_000
# Most other columns that are shown with a row, and most rows of a table that is read for them.
MOST_TEXTS = 8
MOST_READ_AGAIN = 1_000_000
# Rows of a stream that a new model starts with.
WARM_UP = 200
# Parameters without an option of resonart cluster.
_NO_FLAG = {"bounds", "n_jobs", "verbose", "gamma_ref", "search", "merge_every"}

Rows = Floats
TimedRows = tuple[Rows, Any]  # times are numbers, dates or None


@command(
    "explore data.csv --html clusters.html",
    "explore model.resonart new.csv --html clusters.html",
)
@click.argument("files", metavar="DATA|MODEL...", nargs=-1, type=InputFile(allow_dash=True))
@option(
    "--html",
    type=OutputFile(path_type=Path),
    help="Write one HTML file that works without Python and without a network, and do not open it.",
)
@option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    default=0,
    show_default=False,
    help="Port of the page on 127.0.0.1. [default: any free port]",
)
@option("--open/--no-open", "opens", default=True, help="Whether to open a browser.")
@option(
    "--follow",
    is_flag=True,
    help="Follow a stream: show MODEL whenever another command writes it, or learn the rows of "
    "DATA (- for a pipe) step by step, with the diary next to the picture.",
)
@option(
    "--step",
    "n_step",
    type=COUNT,
    default=200,
    help="Rows that --follow learns in one step.",
)
@option("--paused", is_flag=True, help="Start --follow paused.")
@table_options
@time_option
@model_options()
@in_memory_option
def explore(
    files: tuple[str, ...],
    html: Path | None,
    port: int,
    opens: bool,
    follow: bool,
    n_step: int,
    paused: bool,
    table: TableOptions,
    time_column: str | None,
    model_options: ModelOptions,
    in_memory_rows: int | None,
    output: Output,
) -> Report:
    """Explore clusters, boxes and the choice in a browser.

    Give a table, which is clustered as "resonart cluster" does, a saved model, or both. The page is
    served on this computer only, at an address that contains a secret, until you close it or press
    Ctrl-C. It requests nothing from any other host. With --html everything is written into one
    file; with --follow you see clusters appear, merge and fade.
    """
    if html is not None:
        check_folder("--html", html)
    if follow and html is not None:
        raise click.UsageError("--follow and --html do not go together. Leave out one of them.")
    data, model_file = told_apart(files)
    if follow and model_file is not None and time_column is not None:
        raise click.UsageError(
            f"--time-column is for rows that are learned, and {model_file} is only shown. Leave it "
            "out, or follow the table instead of the model."
        )
    task = Task(data, table, time_column, in_memory_rows, output)
    batches: Iterator[TimedRows] = iter(())
    if model_file is None:
        assert data is not None
        if follow:
            model = model_options.make()
            check_column(time_column, model)
            live = LiveRows(data, table, n_step, time_column)
            batches = live.batches()
            found = warmed_up(data, model, live, batches)
        else:
            found = learned(task, model_options.make())
    else:
        if model_options.given:
            given = flag(next(iter(model_options.given)))
            raise click.UsageError(
                f"{given} is for a new model, and {model_file} has learned already. Leave out the "
                "model or the option. Parameters can be changed on the page."
            )
        found = loaded(task, model_file)
    explorer = explorers.Explorer(
        found.model,
        found.rows,
        labels=found.labels,
        y=found.classes,
        texts=found.texts,
        title=" and ".join(Path(file).name if file != "-" else "stdin" for file in files),
        of_rows=found.n_rows,
        command_of=None if data is None else command_of(data, table, time_column),
    )
    if follow and model_file is None:
        rows, times = tee(batches)
        explorer.follow(
            (each for each, _ in rows),
            times=None if time_column is None else (each for _, each in times if each is not None),
            paused=paused,
        )
    elif follow and model_file is not None:
        explorer.follow_file(model_file, paused=paused)
    address = None
    if html is not None:
        write_file(html, explorer.to_html().encode("utf-8"))
    else:
        address = serve(explorer, port, opens, output)
    shown = explorer.model
    n_rows = shown.n_samples_seen_ if follow else found.n_rows
    return Report(
        {
            "data": data,
            "model_file": model_file,
            "model": kind_of(shown),
            "rows": n_rows,
            "clusters": shown.n_clusters_,
            "categories": shown.n_categories_,
            "address": address,
            "html_file": html,
            "seconds": output.seconds,
        },
        [
            {
                "model": in_short(shown),
                "found": f"{count_of(shown.n_clusters_, 'cluster')} in "
                f"{count_of(shown.n_categories_, 'category')}",
                "rows": f"{n_rows:,}" if n_rows else None,
                "page": html,
                "time": duration(output.seconds),
            }
        ],
    )


class Task(NamedTuple):
    """What to explore, and how to read it."""

    data: str | None
    table: TableOptions
    time_column: str | None
    in_memory_rows: int | None
    output: Output


class Found(NamedTuple):
    """A fitted model, and the rows to show with their clusters."""

    model: Any
    rows: Rows | None
    labels: NDArray[np.int64] | None
    classes: NDArray[Any] | None
    n_rows: int
    texts: dict[str, NDArray[Any]] | None = None  # other columns, by name


def told_apart(files: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Return the table and the model among the files."""
    # A damaged model is a model, too: loading it says what is wrong.
    models = [file for file in files if is_model_file(file) or is_named_model(file)]
    tables = [file for file in files if file not in models]
    if not files or len(models) > 1 or len(tables) > 1:
        raise click.UsageError("give a table, a model file, or one of each.")
    return tables[0] if tables else None, models[0] if models else None


def is_named_model(path: str) -> bool:
    """Tell whether a file is there that has the name of a model."""
    return path.endswith(".resonart") and Path(path).is_file()


# ---------------------------------------------------------------------- reading


class KeptRows:
    """A random sample of a table that does not fit into memory."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._random = np.random.default_rng(0)
        self._keys = np.empty(0)
        self._rows: Rows | None = None
        self.numbers = np.empty(0, dtype=np.int64)  # in the table
        self._classes: NDArray[Any] | None = None
        self.n_rows = 0

    def add(self, rows: Rows, classes: NDArray[Any] | None, numbers: NDArray[np.int64]) -> None:
        """Add rows: those with the smallest random keys stay."""
        keys = self._random.random(len(rows))
        numbers = np.concatenate([self.numbers, numbers])
        self.n_rows += len(rows)
        if self._rows is not None:
            rows, keys = np.concatenate([self._rows, rows]), np.concatenate([self._keys, keys])
            if classes is not None and self._classes is not None:
                classes = np.concatenate([self._classes, classes])
        taken = np.arange(len(rows))
        if len(rows) > self._most:
            taken = np.sort(np.argpartition(keys, self._most)[: self._most])
        self._rows, self._keys, self.numbers = rows[taken], keys[taken], numbers[taken]
        self._classes = None if classes is None else classes[taken]

    def of(self, model: Any) -> Found:
        """Return the sample, with the clusters that the model finds."""
        return Found(model, self._rows, None, self._classes, self.n_rows)


def learned(task: Task, model: Any) -> Found:
    """Read a table and cluster it: whole, or in chunks if it does not fit into memory."""
    check_column(task.time_column, model)
    has_times = task.time_column is not None
    assert task.data is not None
    with task.table.open(task.data, time_column=task.time_column) as reader:
        limit = row_limit(task.in_memory_rows, len(reader.feature_names))
        with task.output.progress("Reading") as advance:
            first = read_first_rows(reader, limit, advance)
        note_features(task.data, reader.feature_names, reader.doubtful)
        kept = KeptRows(MOST_KEPT)

        def keep(chunk: Any) -> Any:
            kept.add(clocks.split_times(chunk.rows, has_times)[0], chunk.labels, chunk.numbers)
            return chunk

        if not first.is_all:
            keep(first.chunk)
            first = first._replace(rest=map(keep, first.rest))
        with task.output.progress("Learning") as advance:
            learn(
                model,
                first,
                advance,
                has_times=has_times,
                has_dates=reader.has_dates,
            )
    model.name_features(reader.feature_names)
    if not first.is_all:
        texts = other_columns(task, reader, kept.numbers)
        return kept.of(model)._replace(texts=texts)
    rows = clocks.split_times(first.chunk.rows, has_times)[0]
    labels = np.asarray(model.labels_)
    texts = other_columns(task, reader, first.chunk.numbers)
    return Found(model, rows, labels, first.chunk.labels, len(rows), texts)


def loaded(task: Task, model_file: str) -> Found:
    """Load a model, and the rows to show with it."""
    model, about = load_fitted(model_file)
    if task.data is None:
        return Found(model, None, None, None, 0)
    with task.table.open(task.data, model, about=about) as reader:
        kept = KeptRows(row_limit(task.in_memory_rows, len(reader.feature_names)))
        with task.output.progress("Reading") as advance:
            for chunk in reader:
                kept.add(chunk.rows, chunk.labels, chunk.numbers)
                advance(len(chunk.rows))
    if not kept.n_rows:
        raise CommandError(f"{task.data} has no rows.")
    texts = other_columns(task, reader, kept.numbers)
    return kept.of(model)._replace(texts=texts)


def other_columns(
    task: Task, reader: tables.TableReader, numbers: NDArray[np.int64]
) -> dict[str, NDArray[Any]] | None:
    """Read what is no feature, such as names and dates, of the rows with these numbers.

    The table is read again, once for each column, as a label is read; so a pipe has none of it.
    """
    if task.data is None or not Path(task.data).is_file() or reader.n_rows > MOST_READ_AGAIN:
        return None
    table = replace(task.table, missing="keep", exclude=(), label=None, columns=None)
    names: list[str] = []
    found: dict[str, NDArray[Any]] = {}
    # Whatever there is to say about the table was said when it was read.
    with warnings.catch_warnings(), suppress(tables.TableError):
        warnings.simplefilter("ignore")
        with table.open(task.data) as whole:
            names = whole.left_out
    aside = (*names, *task.table.exclude, task.table.label, reader.time_name)
    for name in [name for name in dict.fromkeys(aside) if name is not None][:MOST_TEXTS]:
        columns = replace(table, columns=reader.feature_names[:1], label=name)
        with suppress(tables.TableError), columns.open(task.data) as texts:
            parts = [chunk.labels[np.isin(chunk.numbers, numbers)] for chunk in texts]  # type: ignore[index]
            found[str(texts.label_name)] = np.concatenate(parts)
    return {name: column for name, column in found.items() if len(column) == len(numbers)}


# ---------------------------------------------------------------------- following


class LiveRows:
    """The rows of a table or a pipe as they come, their times, and the names of their columns."""

    def __init__(
        self, data: str, table: TableOptions, n_step: int, time_column: str | None = None
    ) -> None:
        self._data = data
        self._table = table
        self._n_step = n_step
        self._time_column = time_column
        self.names: Sequence[str] | None = None
        self.has_dates = False

    def batches(self) -> Iterator[TimedRows]:
        """Yield the rows with their times, at most one step of them at a time."""
        has_times = self._time_column is not None
        for rows in self._from_lines() if is_read_once(self._data) else self._from_table():
            for begin in range(0, len(rows), self._n_step):
                some = rows[begin : begin + self._n_step]
                yield clocks.split_times(some, has_times, has_dates=self.has_dates)

    def _from_table(self) -> Iterator[Rows]:
        with self._table.open(self._data, time_column=self._time_column) as reader:
            self.names, self.has_dates = reader.feature_names, reader.has_dates
            for chunk in reader:
                yield chunk.rows

    def _from_lines(self) -> Iterator[Rows]:
        """Yield rows from lines; lines that are no rows are left out, with one warning."""
        title = "standard input" if self._data == STDIN else self._data
        with stream.open_lines(self._data) as reader:
            form = self._table.format or reading.format_by(self._data, reader.peek(), title)
            if form not in ("csv", "tsv", "ndjson"):
                raise click.UsageError(
                    f"--follow reads lines of csv, tsv or ndjson from a pipe, and this is {form}."
                )
            given = {field.name: getattr(self._table, field.name) for field in fields(TextOptions)}
            try:
                parser = stream.LineParser(form, time=self._time_column, title=title, **given)
            except ValueError as error:
                raise click.UsageError(as_options(str(error))) from None
            lines, n_lines, has_warned = stream.LiveLines(reader, parser), 0, False
            while (block := lines.read()) is not None:
                if not block.data:
                    continue
                found = parser.parse(block.data, n_lines + 1)
                n_lines += block.data.count(b"\n") + (block.dropped > 0)
                self.names, self.has_dates = parser.names, parser.has_dates
                if found.rejects and not has_warned:
                    has_warned = True
                    line, reason, _ = found.rejects[0]
                    warn(f"line {line} of {title} is no row: {reason}. Such lines are left out.")
                yield found.rows


def warmed_up(data: str, model: Any, live: LiveRows, batches: Iterator[TimedRows]) -> Found:
    """Wait for the first rows, from which ranges and vigilances are found."""
    first: list[TimedRows] = []
    for batch in batches:
        first.append(batch)
        if sum(len(rows) for rows, _ in first) >= WARM_UP:
            break
    if not sum(len(rows) for rows, _ in first):
        raise CommandError(f"{'stdin' if data == STDIN else data} has no rows.")
    rows = np.concatenate([rows for rows, _ in first])
    times = [time for _, time in first if time is not None]
    model.partial_fit(rows, **({"time": np.concatenate(times)} if times else {}))
    model.name_features(live.names)
    return Found(model, rows, None, None, len(rows))


# ---------------------------------------------------------------------- showing


def serve(explorer: explorers.Explorer, port: int, opens: bool, output: Output) -> str:
    """Serve the page until it is closed, or until Ctrl-C; return its address."""

    def ready(address: str) -> None:
        if not output.quiet:
            told = f"The explorer is at {address}  (close the page or press Ctrl-C to stop)"
            click.echo(told, err=output.json)
        if opens:
            webbrowser.open(address)

    return explorer.serve(port=port, open_browser=False, on_ready=ready)


def command_of(data: str, table: TableOptions, time_column: str | None) -> Callable[[Any], str]:
    """Return a function that writes the command for the same table and the same model.

    Examples
    --------
    >>> from resonart import DDVFA
    >>> table = TableOptions(None, (), None, None, ".", None, (), "utf-8", None, "error", None)
    >>> command_of("my data.csv", table, None)(DDVFA(rho_lb=0.8, rho_ub=0.9))
    "resonart cluster 'my data.csv' --model ddvfa --rho-lb 0.8 --rho-ub 0.9 -o labels.csv --save \
model.resonart"
    """
    of_table = table_flags(table)
    if time_column is not None:
        of_table += ["--time-column", time_column]

    def write(model: Any) -> str:
        words = ["resonart", "cluster", as_argument(data), "--model", kind_of(model)]
        words += model_flags(model)
        words += [*of_table, "-o", "labels.csv", "--save", "model.resonart"]
        return shlex.join(words)

    return write


def table_flags(table: TableOptions) -> list[str]:
    """Return the options that read a table in the same way."""
    usual = {"decimal": ".", "encoding": "utf-8", "missing": "error"}
    words: list[str] = []
    for field in fields(table):
        value = getattr(table, field.name)
        if value is None or value == () or value == usual.get(field.name):
            continue
        name = f"--{field.name}"
        if field.name == "columns":
            quoted = ('"' + v.replace('"', '""') + '"' if "," in v else v for v in value)
            words += [name, ",".join(quoted)]
        elif isinstance(value, bool):
            words.append(name if value else f"--no-{field.name}")
        elif isinstance(value, tuple):
            for each in value:
                words += [name, each]
        else:
            words += [name, str(value)]
    return words


def model_flags(model: Any) -> list[str]:
    """Return the options that make a model with the same parameters."""
    usual = type(model)().get_params() if kind_of(model) != "topo-art" else {}
    words: list[str] = []
    for name, value in model.get_params().items():
        if name in _NO_FLAG or value is None or value == usual.get(name, ...):
            continue
        if name == "random_state" and value == 0:
            continue
        if isinstance(value, bool):
            words.append(flag(name) if value else f"--no-{flag(name).removeprefix('--')}")
        else:
            words += [flag(name), f"{value:.12g}" if isinstance(value, float) else str(value)]
    return words
