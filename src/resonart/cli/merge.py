"""``resonart merge``: one model out of several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

import resonart

from ._errors import CommandError
from ._files import Reads, Writes
from ._models import kind_of, load_fitted
from ._options import Sectioned, output_options
from ._output import Output, count
from ._targets import check_folder


@click.command(
    cls=Sectioned, epilog="\b\nExample:\n  resonart merge a.resonart b.resonart -o both.resonart"
)
@click.argument(
    "model_files", metavar="MODEL...", nargs=-1, required=True, type=Reads(dir_okay=False)
)
@click.option(
    "--output",
    "-o",
    "target",
    type=Writes(dir_okay=False, path_type=Path),
    required=True,
    help="Write the merged model to this file.",
)
@output_options
def merge(model_files: tuple[str, ...], target: Path, output: Output) -> None:
    """Merge models that were learned apart into one.

    The models are DDVFA models with the same parameters and features; their ranges may differ, and
    so may vigilances that were chosen from the rows.
    The table says which cluster each of theirs has become.
    """
    if len(model_files) < 2:
        raise click.UsageError("merge needs two models or more.")
    check_folder("-o", target)
    models = [load_for_merging(path) for path in model_files]
    merged = merge_all(models, model_files)
    about = {"made_by": f"resonart {resonart.__version__} merge", "models": list(model_files)}
    merged.save(target, metadata=about, include_labels=False)
    show(models, model_files, merged, target, output)


def load_for_merging(path: str) -> Any:
    """Load a model, or say that its kind cannot be merged."""
    model, _ = load_fitted(path)
    if not isinstance(model, resonart.DDVFA):
        raise CommandError(f"{path} holds a {kind_of(model)} model; only ddvfa models merge.")
    return model


def merge_all(models: list[Any], names: tuple[str, ...]) -> Any:
    """Merge; a message about one of the models names its file."""
    try:
        return resonart.merge_models(models)
    except ValueError as error:
        text = str(error)
        # From the last, so that models[1] is not found in models[10].
        for i in reversed(range(len(names))):
            text = text.replace(f"models[{i}]", names[i])
        raise CommandError(text) from error


def show(
    models: list[Any], names: tuple[str, ...], merged: Any, target: Path, output: Output
) -> None:
    """Say what became of every cluster."""
    label_maps = merged.label_maps_
    sizes = np.bincount(
        merged.category_labels_, weights=merged.counts_, minlength=merged.n_clusters_
    ).astype(np.int64)
    output.result(
        {
            "command": "merge",
            "version": resonart.__version__,
            "models": list(names),
            "model_file": target,
            "clusters": merged.n_clusters_,
            "categories": merged.n_categories_,
            "sizes": sizes,
            "label_maps": label_maps,
        }
    )
    before = sum(model.n_clusters_ for model in models)
    output.facts(
        {
            "models": f"{len(models)} with {count(before, 'cluster')}",
            "merged": f"{count(merged.n_clusters_, 'cluster')} in "
            f"{count(merged.n_categories_, 'box')}",
            "saved": target,
        }
    )
    output.line()
    output.table(
        ["model", "cluster", "becomes", "rows there"],
        [
            [name, old, int(new), int(sizes[new]) if new >= 0 else 0]
            for name, label_map in zip(names, label_maps, strict=True)
            for old, new in enumerate(label_map)
        ],
    )
