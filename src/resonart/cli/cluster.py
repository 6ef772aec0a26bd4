"""``resonart cluster``: cluster a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import resonart
from resonart._shared.words import count_of

from ._clock import check_column, time_option
from ._command import command, data_argument, option, picture_option
from ._errors import CommandError, note_features, warn
from ._files import OutputFile, check_folder, is_read_once, shown_path, table_writer
from ._label_table import LabelTable, label_table_options
from ._late import Floats, Integers, clocks, plot, reading
from ._learning import FirstRows, Learned, learn, read_first_rows
from ._model_options import ModelOptions, model_options
from ._models import as_feature, feature_names, in_short, kind_of, vigilances_of
from ._output import Output, Report, duration
from ._pictures import check_picture, draw
from ._tables import (
    TableOptions,
    column_list,
    in_memory_option,
    row_limit,
    rows_in_words,
    table_options,
)
from ._tally import Tally

if TYPE_CHECKING:
    from resonart.tables import Chunk, TableReader, TableWriter

AT_ONCE = 2**16  # rows that are labelled together


@command(
    "cluster data.csv -o labels.csv --save model.resonart",
    "cluster data.csv --label class --report --picture boxes.png",
    "cluster data.csv --min-cluster-size 20 --noise nearest",
    "cluster data.parquet --model ddvfa --rho-lb 0.85 --rho-ub 0.95 --json",
    "cluster data.csv --half-life 1000",
)
@data_argument
@label_table_options
@option("--save", type=OutputFile(path_type=Path), help="Write the model to this file.")
@option(
    "--report", is_flag=True, help="Describe the clusters: their sizes, and what sets them apart."
)
@picture_option("Draw the boxes of the clusters, over the rows if they fit in memory.")
@option(
    "--axes",
    type=column_list,
    metavar="A,B",
    help="The two features along the axes of the picture. [default: the first two principal "
    "components if there are more than two]",
)
@table_options
@time_option
@model_options()
@in_memory_option
def cluster(
    data: str,
    labels: LabelTable,
    save: Path | None,
    report: bool,
    picture: Path | None,
    axes: list[str] | None,
    table: TableOptions,
    time_column: str | None,
    model_options: ModelOptions,
    in_memory_rows: int | None,
    output: Output,
) -> Report:
    """Cluster a table; write labels, a model, a report, a picture.

    DATA is a CSV, TSV, Parquet, Arrow, NPY, NDJSON or JSON file, compressed or not, or - for stdin.
    Nothing has to be chosen: how clusters are read from the density of the rows is chosen
    automatically, and so are the vigilances of the other models, unless they are given. Noise has
    the label -1. A table larger than --in-memory-rows is read twice in chunks, in limited memory:
    first to learn its rows, then to label them.
    """
    if axes is not None and (picture is None or len(axes) > 2):
        raise click.UsageError("--axes names one or two features for --picture FILE.")
    check_picture(picture)
    if save is not None:
        check_folder("--save", save)
    model = model_options.make()
    check_column(time_column, model)
    task = ClusterTask(data, table, model, labels, time_column)
    with table_writer(labels.target) as writer:
        result = learn_table(task, in_memory_rows, output)
        # First the model, which took long to learn: no later error can lose it.
        if save is not None:
            made_by = f"resonart {resonart.__version__} cluster"
            about = {"made_by": made_by, "data": data, "rows": result.n_rows}
            if time_column is not None:
                about |= clocks.note_of_times(result.reader)
            model.save(save, metadata=about, include_labels=False)  # they have their own table
        tally = label_table(task, result, writer, output)
    draw(picture, lambda ax: draw_categories(ax, task, result, axes))
    files = {"labels_file": labels.target, "model_file": save, "picture_file": picture}
    return report_of(task, result, tally, files, output.seconds, describes=report)


class ClusterTask(NamedTuple):
    """What is to be done."""

    data: str
    table: TableOptions
    model: Any
    labels: LabelTable
    time_column: str | None = None

    def open(self) -> TableReader:
        """Open the table."""
        return self.table.open(self.data, time_column=self.time_column)

    def features(self, chunk: Chunk) -> Floats:
        """Return the features of rows, without their times."""
        return clocks.split_times(chunk.rows, self.time_column is not None)[0]


class ClusterResult(NamedTuple):
    """The result."""

    learned: Learned
    first: FirstRows | None  # the rows, where they are all in memory
    reader: TableReader  # which knows what the table was

    @property
    def n_rows(self) -> int:
        """How many rows were learned."""
        return self.reader.n_rows - self.reader.n_dropped


# ---------------------------------------------------------------------- learning


def learn_table(task: ClusterTask, in_memory_rows: int | None, output: Output) -> ClusterResult:
    """Read the table and learn its rows."""
    with task.open() as reader:
        with output.progress("Reading", lambda: reader.share_read) as advance:
            first = read_first_rows(
                reader, row_limit(in_memory_rows, len(reader.feature_names)), advance
            )
        note_features(task.data, reader.feature_names, reader.doubtful)
        if not first.is_all:
            check_readable_twice(task, len(first.chunk.rows))
        with output.progress("Learning") as advance:
            learned = learn(
                task.model,
                first,
                advance,
                has_times=task.time_column is not None,
                has_dates=reader.has_dates,
            )
    task.model.name_features(reader.feature_names)
    return ClusterResult(learned, first if first.is_all else None, reader)


def check_readable_twice(task: ClusterTask, n_rows: int) -> None:
    """Raise an error if a pipe would have to be read twice."""
    if is_read_once(task.data):
        raise CommandError(
            f"a table of more than {n_rows:,} rows is read a second time to label them, which a "
            "pipe does not allow. Give a file, or a larger --in-memory-rows."
        )


# ---------------------------------------------------------------------- labels


def label_table(
    task: ClusterTask, result: ClusterResult, writer: TableWriter | None, output: Output
) -> Tally:
    """Count the rows of each cluster, and write the table of labels if there is to be one."""
    tally = Tally()
    with output.progress("Labelling") as advance:
        for chunk, rows, labels in labelled(task, result.first):
            tally.add(labels, chunk.labels)
            if writer is not None:
                writer.write(task.labels.columns(chunk.numbers, labels, task.model, rows))
            advance(len(rows))
    if tally.n_rows != result.n_rows:
        raise CommandError(f"{task.data} has changed while it was read. Cluster it again.")
    if tally.has_too_many_classes:
        warn(
            f"the column {result.reader.label_name!r} has too many different values "
            "to be classes. Clusters are not compared with it."
        )
    return tally


def labelled(
    task: ClusterTask, first: FirstRows | None
) -> Iterator[tuple[Chunk, Floats, Integers]]:
    """Give chunks with their features and labels: those of ``fit``, or predicted in a second pass.

    The second pass labels all rows by the finished model. Labels given on the way would not do:
    clusters merge, and density-art and topo-art know them only at the end.
    """
    if first is None:
        with task.open() as reader:
            for chunk in reader:
                rows = task.features(chunk)
                yield chunk, rows, task.model.predict(rows)
        return
    labels = task.model.labels_
    for begin in range(0, len(labels), AT_ONCE):
        chunk = reading.part_of(first.chunk, begin, begin + AT_ONCE)
        yield chunk, task.features(chunk), labels[begin : begin + AT_ONCE]


# ---------------------------------------------------------------------- the picture


def draw_categories(
    ax: Any, task: ClusterTask, result: ClusterResult, axes: Iterable[str] | None
) -> None:
    """Draw the boxes, and the rows if they are in memory."""
    model = task.model
    features = None
    if axes is not None:
        features = tuple(as_feature(text, feature_names(model)) for text in axes)
    rows, labels = (
        (None, None) if result.first is None else (task.features(result.first.chunk), model.labels_)
    )
    plot.categories(model, rows, labels=labels, features=features, ax=ax)


# ---------------------------------------------------------------------- what is said


def report_of(
    task: ClusterTask,
    result: ClusterResult,
    tally: Tally,
    files: dict[str, Any],
    seconds: float,
    *,
    describes: bool,
) -> Report:
    """Report what was found."""
    model, reader, learned = task.model, result.reader, result.learned
    n_rows, n_clusters = result.n_rows, model.n_clusters_
    summary = tally.summary(model.cluster_labels_, reader.label_name)
    owners = Counter(model.category_labels_.tolist())
    categories = {label: owners[label] for label in summary.sizes}
    choice = getattr(model, "vigilance_choice_", None)
    reading = getattr(model, "choice_", None)
    description = model.describe() if describes else None
    record = {
        "data": task.data,
        "rows": n_rows,
        "dropped_rows": reader.n_dropped,
        "features": reader.feature_names,
        "time_column": reader.time_name,
        "left_out": reader.left_out,
        "in_memory": learned.in_memory,
        "model": kind_of(model),
        "params": model.get_params(),
        "vigilance": vigilances_of(model),
        "vigilance_choice": None
        if choice is None
        else {
            "reason": str(choice),
            "has_structure": choice.has_structure,
            "agreement": choice.agreement,
            "rows_used": choice.n_rows_used,
            "rows_given": choice.n_rows,
        },
        "reading": None
        if reading is None
        else {
            "reason": str(reading),
            "confidence": reading.confidence,
            **reading.chosen._asdict(),
            "runners_up": len(reading.runners_up),
            "alternatives": [each._asdict() for each in reading.alternatives],
        },
        "clusters": n_clusters,
        "labels": summary.living,
        "categories": model.n_categories_,
        "categories_of": categories,
        **summary.record,
        "refused_rows": model.n_refused_,
        "seconds": seconds,
        "learning_seconds": learned.seconds,
        **files,
        "description": None if description is None else description.to_dict(),
    }

    width = count_of(model.n_features_in_, "feature")
    how = "" if learned.in_memory else ", in chunks"
    chosen = "" if choice is None else ", chosen automatically"
    if chosen and not learned.in_memory:
        chosen += f" from the first {learned.n_first_rows:,} rows"
    refused = f"{count_of(model.n_refused_, 'row')}, because the model was full (--max-categories)"
    has_chosen = choice is not None or reading is not None
    speed = "" if has_chosen else f" ({n_rows / max(learned.seconds, 1e-9):,.0f} rows/s)"
    noise = f", {count_of(summary.n_noise, 'row')} noise" if summary.n_noise else ""
    facts = {
        "data": f"{task.data}: {rows_in_words(n_rows, width, reader.n_dropped)}{how}",
        "left out": ", ".join(map(str, reader.left_out)),
        "clock": None if reader.time_name is None else f"the column {reader.time_name!r}",
        "model": f"{in_short(model)}{chosen}",
        "why": choice if reading is None else reading,
        "found": f"{count_of(n_clusters, 'cluster')} in "
        f"{count_of(model.n_categories_, 'category')}{noise}",
        "refused": refused if model.n_refused_ else None,
        "agreement": summary.agreement_in_words,
        "time": f"{duration(seconds)}, learning {duration(learned.seconds)}{speed}",
    }
    written = {
        "labels": shown_path(task.labels.target),
        "saved": files["model_file"],
        "picture": files["picture_file"],
    }
    rules = [] if description is None else [str(description)]
    return Report(
        record,
        [facts, summary.table(categories), *rules, *([written] if any(written.values()) else [])],
    )
