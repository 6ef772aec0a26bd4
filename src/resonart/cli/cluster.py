"""``resonart cluster``: the main job."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

import resonart
from resonart import plot
from resonart.io import Chunk, TableReader, TableWriter

from ._errors import CommandError, know_features, warn, warn_of_doubtful
from ._features import as_feature
from ._files import Reads, Writes
from ._learning import Head, Learned, labels_are_final, learn, read_head
from ._models import in_short, kind_of, names_of, vigilances_of
from ._names import Integers, renamed
from ._options import (
    STDIN,
    ModelOptions,
    Sectioned,
    TableOptions,
    column_list,
    in_memory_option,
    labels_option,
    model_options,
    output_options,
    picture_option,
    row_limit,
    table_options,
)
from ._output import Output, count, duration
from ._pictures import check_picture, draw
from ._sizes import size_lines
from ._spool import Spool
from ._tally import Tally
from ._targets import check_folder, open_target, words_beside

Scores = NDArray[np.float64]


@click.command(
    cls=Sectioned,
    epilog="\b\nExamples:\n"
    "  resonart cluster data.csv -o labels.csv --save model.resonart\n"
    "  resonart cluster data.csv --label class --report --picture boxes.png\n"
    "  resonart cluster data.parquet --rho-lb 0.85 --rho-ub 0.95 --json",
)
@click.argument("data", type=Reads(allow_dash=True))
@labels_option("Write the rows' numbers and clusters to this table; - is CSV on stdout.")
@click.option(
    "--save", type=Writes(dir_okay=False, path_type=Path), help="Write the model to this file."
)
@click.option("--report", is_flag=True, help="Describe the clusters as rules.")
@picture_option("Draw the boxes of the clusters, over the rows if they fit in memory.")
@click.option(
    "--axes",
    type=column_list,
    metavar="A,B",
    help="The two features along the axes of the picture. [default: the first two]",
)
@click.option(
    "--scores", is_flag=True, help="Write each row's match with its cluster, too (with -o)."
)
@click.option(
    "--noise", is_flag=True, help="Label -1 for rows that belong to no cluster (topo-art)."
)
@table_options
@model_options()
@in_memory_option
@output_options
def cluster(
    data: str,
    target: str | None,
    save: Path | None,
    report: bool,
    picture: Path | None,
    axes: list[str] | None,
    scores: bool,
    noise: bool,
    table: TableOptions,
    model_options: ModelOptions,
    in_memory_rows: int | None,
    output: Output,
) -> None:
    """Cluster a table; write labels, a model, a report, a picture.

    DATA is a CSV, TSV, Parquet, Arrow, NPY or NDJSON file, or - for stdin. Vigilances are chosen
    by themselves unless they are given. A table larger than --in-memory-rows goes through in
    chunks, once, in bounded memory.
    """
    begin = time.perf_counter()
    if scores and target is None:
        raise click.UsageError("--scores goes into the table of labels. Say where: -o FILE.")
    if axes is not None and (picture is None or len(axes) > 2):
        raise click.UsageError("--axes names the one or two features of a --picture FILE.")
    output = words_beside(target, output)
    check_picture(picture)
    if save is not None:
        check_folder("--save", save)
    model = model_options.make()
    if noise:
        model.set_params(on_mismatch="noise")

    job = Job(data, table, model, scores)
    with open_target(target) as writer, Spool() as spool:
        done = run(job, spool if writer is not None else None, in_memory_rows, output)
        # First what took long to learn: nothing that fails later loses it.
        if save is not None:
            save_model(model, save, data, done)
        if writer is not None:
            write_labels(writer, job, done, spool)
    if picture is not None:
        paint(model, done, picture, axes)
    seconds = time.perf_counter() - begin
    show(job, done, seconds, output, report=report, target=target, save=save, picture=picture)


class Job(NamedTuple):
    """What is to be done."""

    data: str
    table: TableOptions
    model: Any
    scores: bool


class Done(NamedTuple):
    """What came out.

    Attributes
    ----------
    learned : Learned
        How it was learned.
    head : Head or None
        The rows, where they are all in memory.
    tally : Tally
        Rows by cluster and class.
    reader : TableReader
        What the table was.
    """

    learned: Learned
    head: Head | None
    tally: Tally
    reader: TableReader


# ---------------------------------------------------------------------- learning


def run(job: Job, spool: Spool | None, in_memory_rows: int | None, output: Output) -> Done:
    """Read and learn."""
    tally = Tally()

    def keep(chunk: Chunk, numbers: Integers) -> None:
        tally.add(numbers, None if chunk.labels is None else chunk.labels.tolist())
        if spool is not None:
            spool.add(chunk.numbers, numbers)

    with job.table.open(job.data) as reader:
        know_features(reader.feature_names)
        with output.progress("Reading") as tick:
            head = read_head(reader, row_limit(in_memory_rows, len(reader.feature_names)), tick)
        warn_of_doubtful(job.data, reader.doubtful)
        if not head.is_all and (job.scores or isinstance(job.model, resonart.TopoART)):
            check_readable_twice(job, len(head.chunk.rows))
        with output.progress("Learning") as tick:
            learned = learn(job.model, head, keep, tick)
    if not labels_are_final(job.model, learned):
        tally = count_again(job)
    job.model.name_features(reader.feature_names)
    if tally.has_too_many_classes:
        warn(
            f"the column {reader.label_name!r} has too many different values "
            "to be classes. Clusters are not compared with it."
        )
    return Done(learned, head if head.is_all else None, tally, reader)


def check_readable_twice(job: Job, n_rows: int) -> None:
    """Say that stdin, which cannot be read again, is too long."""
    if job.data != STDIN:
        return
    why = "--scores" if job.scores else "topo-art, which names its clusters when all are learned,"
    raise CommandError(
        f"{why} reads a table of more than {n_rows:,} rows a second time, which stdin does not "
        "allow. Give a file, or a larger --in-memory-rows."
    )


def count_again(job: Job) -> Tally:
    """Ask the finished model for the cluster of every row."""
    tally = Tally()
    with job.table.open(job.data) as reader:
        for chunk in reader:
            classes = None if chunk.labels is None else chunk.labels.tolist()
            tally.add(job.model.predict(chunk.rows), classes)
    return tally


# ---------------------------------------------------------------------- what is written


def save_model(model: Any, path: Path, data: str, done: Done) -> None:
    """Write the model. Labels have their own table."""
    about = {
        "made_by": f"resonart {resonart.__version__} cluster",
        "data": data,
        "rows": done.tally.n_rows,
    }
    model.save(path, metadata=about, include_labels=False)


def write_labels(writer: TableWriter, job: Job, done: Done, spool: Spool) -> None:
    """Write which row is in which cluster, and how well it matches."""
    for rows, labels, scores in labelled(job, done, spool):
        columns: dict[str, NDArray[Any]] = {"row": rows, "label": labels}
        if scores is not None:
            columns["match"] = scores
        writer.write(columns)


def labelled(
    job: Job, done: Done, spool: Spool
) -> Iterator[tuple[Integers, Integers, Scores | None]]:
    """Give rows' numbers, labels and, where they are asked for, scores."""
    learned = done.learned
    if done.head is not None and job.scores:
        scores = job.model.score_samples(done.head.chunk.rows)
        begin = 0
        for rows, numbers in spool.batches():
            end = begin + len(rows)
            yield rows, renamed(numbers, learned.labels), scores[begin:end]
            begin = end
    elif done.head is not None or (labels_are_final(job.model, learned) and not job.scores):
        for rows, numbers in spool.batches():
            yield rows, renamed(numbers, learned.labels), None
    else:
        yield from labelled_again(job, learned, spool)


def labelled_again(
    job: Job, learned: Learned, spool: Spool
) -> Iterator[tuple[Integers, Integers, Scores | None]]:
    """Read the table a second time, for what only the finished model can tell."""
    is_known = labels_are_final(job.model, learned)
    spool.rewind()
    with job.table.open(job.data) as reader:
        for chunk in reader:
            rows, numbers = spool.take(len(chunk.rows))
            if not np.array_equal(rows, chunk.numbers):
                raise CommandError(f"{job.data} has changed while it was read. Cluster it again.")
            labels = renamed(numbers, learned.labels) if is_known else job.model.predict(chunk.rows)
            yield rows, labels, job.model.score_samples(chunk.rows) if job.scores else None


def paint(model: Any, done: Done, path: Path, axes: list[str] | None) -> None:
    """Draw the boxes, and the rows where they are at hand."""
    features: Any = (0, 1) if model.n_features_in_ > 1 else 0
    if axes is not None:
        features = tuple(as_feature(text, names_of(model)) for text in axes)
    if done.head is None:
        draw(path, lambda ax: plot.categories(model, features=features, ax=ax))
    else:
        rows, labels = done.head.chunk.rows, model.labels_
        draw(path, lambda ax: plot.categories(model, rows, labels=labels, features=features, ax=ax))


# ---------------------------------------------------------------------- what is said


def show(
    job: Job,
    done: Done,
    seconds: float,
    output: Output,
    *,
    report: bool,
    target: str | None,
    save: Path | None,
    picture: Path | None,
) -> None:
    """Say what was found."""
    model, reader, tally, learned = job.model, done.reader, done.tally, done.learned
    sizes, n_noise = tally.sizes(learned.labels, model.n_clusters_)
    category_labels = model.category_labels_
    categories = np.bincount(category_labels[category_labels >= 0], minlength=len(sizes))
    choice = getattr(model, "vigilance_choice_", None)
    agreement = tally.agreement(learned.labels)
    description = model.describe() if report else None

    output.result(
        {
            "command": "cluster",
            "version": resonart.__version__,
            "data": job.data,
            "rows": tally.n_rows,
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
            "clusters": model.n_clusters_,
            "categories": model.n_categories_,
            "sizes": sizes,
            "categories_of": categories,
            "noise_rows": n_noise,
            "refused_rows": model.n_refused_,
            "label_column": reader.label_name,
            "classes": tally.n_classes,
            "adjusted_rand_index": agreement,
            "seconds": seconds,
            "learning_seconds": learned.seconds,
            "labels_file": target,
            "model_file": save,
            "picture_file": picture,
            "description": None if description is None else description.to_dict(),
        }
    )

    dropped = f", {reader.n_dropped:,} dropped for missing values" if reader.n_dropped else ""
    how = "" if learned.in_memory else ", in chunks"
    found = f"{count(model.n_clusters_, 'cluster')} in {count(model.n_categories_, 'box')}"
    model_line = f"{kind_of(model)}, {in_short(vigilances_of(model))}"
    if choice is not None:
        model_line += ", chosen by itself"
        if not learned.in_memory:
            model_line += f" from the first {learned.n_head_rows:,} rows"
    time_line = f"{duration(seconds)}, learning {duration(learned.seconds)}"
    if choice is None:
        time_line += f" ({tally.n_rows / max(learned.seconds, 1e-9):,.0f} rows/s)"
    output.facts(
        {
            "data": f"{job.data}: {count(tally.n_rows, 'row')} of "
            f"{count(model.n_features_in_, 'feature')}{dropped}{how}",
            "left out": ", ".join(map(str, reader.left_out)) or None,
            "model": model_line,
            "why": choice,
            "found": found,
            "refused": f"{count(model.n_refused_, 'row')}, for lack of room (--max-categories)"
            if model.n_refused_
            else None,
            "agreement": None
            if agreement is None
            else f"adjusted Rand index {agreement:.3f} to the {tally.n_classes:,} classes of "
            f"{reader.label_name!r}",
            "time": time_line,
        }
    )
    output.line()
    output.table(["cluster", "rows", "share", "boxes"], size_lines(sizes, n_noise, categories))
    if description is not None:
        output.line()
        output.line(str(description))
    written = {"labels": target if target != "-" else None, "saved": save, "picture": picture}
    if any(written.values()):
        output.line()
        output.facts(written)
