"""``resonart cluster``: the main job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

import resonart
from resonart import plot
from resonart._shared.words import count_of
from resonart.io import Chunk, TableReader

from ._cluster_ids import Integers, renamed
from ._command import command, data_argument, option, picture_option
from ._counts import ClusterCounts
from ._errors import CommandError, note_features, warn
from ._files import STDIN, OutputFile, check_folder, shown_path, table_writer
from ._label_table import LabelTable, label_table_options
from ._learning import Head, Learned, cut, labels_are_final, learn, read_head
from ._model_options import ModelOptions, model_options
from ._models import as_feature, feature_names, in_short, kind_of, vigilances_of
from ._output import Output, Report, duration
from ._pictures import check_picture, draw
from ._spool import AT_ONCE, Spool
from ._tables import (
    TableOptions,
    column_list,
    in_memory_option,
    row_limit,
    rows_in_words,
    table_options,
)


@command(
    "cluster data.csv -o labels.csv --save model.resonart",
    "cluster data.csv --label class --report --picture boxes.png",
    "cluster data.parquet --rho-lb 0.85 --rho-ub 0.95 --json",
)
@data_argument
@label_table_options
@option("--save", type=OutputFile(path_type=Path), help="Write the model to this file.")
@option("--report", is_flag=True, help="Describe the clusters as rules.")
@picture_option("Draw the boxes of the clusters, over the rows if they fit in memory.")
@option(
    "--axes",
    type=column_list,
    metavar="A,B",
    help="The two features along the axes of the picture. [default: the first two]",
)
@option("--noise", is_flag=True, help="Label -1 for rows that belong to no cluster (topo-art).")
@table_options
@model_options()
@in_memory_option
def cluster(
    data: str,
    labels: LabelTable,
    save: Path | None,
    report: bool,
    picture: Path | None,
    axes: list[str] | None,
    noise: bool,
    table: TableOptions,
    model_options: ModelOptions,
    in_memory_rows: int | None,
    output: Output,
) -> Report:
    """Cluster a table; write labels, a model, a report, a picture.

    DATA is a CSV, TSV, Parquet, Arrow, NPY or NDJSON file, or - for stdin. Vigilances are chosen
    by themselves unless they are given. A table larger than --in-memory-rows goes through in
    chunks, once, in bounded memory.
    """
    if axes is not None and (picture is None or len(axes) > 2):
        raise click.UsageError("--axes names the one or two features of a --picture FILE.")
    check_picture(picture)
    if save is not None:
        check_folder("--save", save)
    model = model_options.make()
    if noise:
        model.set_params(on_mismatch="noise")

    job = Job(data, table, model, labels)
    with table_writer(labels.target) as writer, Spool() as spool:
        done = run(job, spool if writer is not None else None, in_memory_rows, output)
        # First what took long to learn: nothing that fails later loses it.
        if save is not None:
            made_by = f"resonart {resonart.__version__} cluster"
            about = {"made_by": made_by, "data": data, "rows": done.counts.n_rows}
            model.save(save, metadata=about, include_labels=False)  # they have their own table
        if writer is not None:
            for columns in labelled(job, done, spool):
                writer.write(columns)
    draw(picture, lambda ax: paint(ax, model, done, axes))
    files = {"labels_file": labels.target, "model_file": save, "picture_file": picture}
    return report_of(job, done, files, output.seconds, describes=report)


class Job(NamedTuple):
    """What is to be done."""

    data: str
    table: TableOptions
    model: Any
    labels: LabelTable


class Done(NamedTuple):
    """What came out.

    Attributes
    ----------
    learned : Learned
        How it was learned.
    head : Head or None
        The rows, where they are all in memory.
    counts : ClusterCounts
        Rows by cluster and class.
    reader : TableReader
        What the table was.
    """

    learned: Learned
    head: Head | None
    counts: ClusterCounts
    reader: TableReader


# ---------------------------------------------------------------------- learning


def run(job: Job, spool: Spool | None, in_memory_rows: int | None, output: Output) -> Done:
    """Read and learn."""
    counts = ClusterCounts()

    def keep(chunk: Chunk, ids: Integers) -> None:
        counts.add(ids, chunk.labels)
        if spool is not None:
            spool.add(chunk.numbers, ids)

    with job.table.open(job.data) as reader:
        with output.progress("Reading") as tick:
            head = read_head(reader, row_limit(in_memory_rows, len(reader.feature_names)), tick)
        note_features(job.data, reader.feature_names, reader.doubtful)
        if not head.is_all:
            check_readable_twice(job, len(head.chunk.rows))
        with output.progress("Learning") as tick:
            learned = learn(job.model, head, keep, tick)
    if not labels_are_final(job.model, learned):
        counts = count_again(job)
    job.model.name_features(reader.feature_names)
    if counts.has_too_many_classes:
        warn(
            f"the column {reader.label_name!r} has too many different values "
            "to be classes. Clusters are not compared with it."
        )
    return Done(learned, head if head.is_all else None, counts, reader)


def check_readable_twice(job: Job, n_rows: int) -> None:
    """Say that stdin, which cannot be read again, is too long where it would have to be."""
    if job.data != STDIN:
        return
    if job.labels.scores:
        why = "--scores"
    elif isinstance(job.model, resonart.TopoART):
        why = "topo-art, which names its clusters when all are learned,"
    else:
        return
    raise CommandError(
        f"{why} reads a table of more than {n_rows:,} rows a second time, which stdin does not "
        "allow. Give a file, or a larger --in-memory-rows."
    )


def count_again(job: Job) -> ClusterCounts:
    """Ask the finished model for the cluster of every row."""
    counts = ClusterCounts()
    with job.table.open(job.data) as reader:
        for chunk in reader:
            counts.add(job.model.predict(chunk.rows), chunk.labels)
    return counts


# ---------------------------------------------------------------------- what is written


def labelled(job: Job, done: Done, spool: Spool) -> Iterator[dict[str, NDArray[Any]]]:
    """Give the columns of the table of labels, some rows at a time.

    The table is read a second time for what only the finished model can tell: matches, and the
    labels of topo-art.
    """
    is_final = labels_are_final(job.model, done.learned)
    if is_final and not job.labels.scores:
        for numbers, ids in spool.batches():
            yield {"row": numbers, "label": renamed(ids, done.learned.labels)}
        return
    spool.rewind()
    for chunk in chunks_again(job, done.head):
        numbers, ids = spool.take(len(chunk.rows))
        if not np.array_equal(numbers, chunk.numbers):
            raise CommandError(f"{job.data} has changed while it was read. Cluster it again.")
        labels = renamed(ids, done.learned.labels) if is_final else job.model.predict(chunk.rows)
        yield job.labels.columns(numbers, labels, job.model, chunk.rows)


def chunks_again(job: Job, head: Head | None) -> Iterator[Chunk]:
    """Give all rows a second time, from memory or from the file."""
    if head is None:
        with job.table.open(job.data) as reader:
            yield from reader
    else:
        for begin in range(0, len(head.chunk.rows), AT_ONCE):
            yield cut(head.chunk, begin, begin + AT_ONCE)


def paint(ax: Any, model: Any, done: Done, axes: Iterable[str] | None) -> None:
    """Draw the boxes, and the rows where they are at hand."""
    features: Any = (0, 1) if model.n_features_in_ > 1 else 0
    if axes is not None:
        features = tuple(as_feature(text, feature_names(model)) for text in axes)
    rows, labels = (None, None) if done.head is None else (done.head.chunk.rows, model.labels_)
    plot.categories(model, rows, labels=labels, features=features, ax=ax)


# ---------------------------------------------------------------------- what is said


def report_of(
    job: Job, done: Done, files: dict[str, Any], seconds: float, *, describes: bool
) -> Report:
    """Say what was found."""
    model, reader, learned, counts = job.model, done.reader, done.learned, done.counts
    n_rows, n_clusters = counts.n_rows, model.n_clusters_
    summary = counts.summary(learned.labels, n_clusters, reader.label_name)
    owners = model.category_labels_
    categories = np.bincount(owners[owners >= 0], minlength=n_clusters)
    choice = getattr(model, "vigilance_choice_", None)
    description = model.describe() if describes else None
    record = {
        "data": job.data,
        "rows": n_rows,
        "dropped_rows": reader.n_dropped,
        "features": reader.feature_names,
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
            "score": choice.score,
            "rows_used": choice.n_rows_used,
            "rows_given": choice.n_rows,
        },
        "clusters": n_clusters,
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
    chosen = "" if choice is None else ", chosen by itself"
    if chosen and not learned.in_memory:
        chosen += f" from the first {learned.n_head_rows:,} rows"
    refused = f"{count_of(model.n_refused_, 'row')}, for lack of room (--max-categories)"
    speed = f" ({n_rows / max(learned.seconds, 1e-9):,.0f} rows/s)" if choice is None else ""
    facts = {
        "data": f"{job.data}: {rows_in_words(n_rows, width, reader.n_dropped)}{how}",
        "left out": ", ".join(map(str, reader.left_out)),
        "model": f"{in_short(model)}{chosen}",
        "why": choice,
        "found": f"{count_of(n_clusters, 'cluster')} in "
        f"{count_of(model.n_categories_, 'category')}",
        "refused": refused if model.n_refused_ else None,
        "agreement": summary.agreement_in_words,
        "time": f"{duration(seconds)}, learning {duration(learned.seconds)}{speed}",
    }
    written = {
        "labels": shown_path(job.labels.target),
        "saved": files["model_file"],
        "picture": files["picture_file"],
    }
    rules = [] if description is None else [str(description)]
    return Report(
        record,
        [facts, summary.table(categories), *rules, *([written] if any(written.values()) else [])],
    )
