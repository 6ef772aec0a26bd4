"""``resonart merge``: merge several models into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import resonart
from resonart._shared.words import count_of

from ._command import command, target_option
from ._errors import CommandError
from ._files import InputFile, OutputFile, check_folder
from ._late import clocks
from ._models import kind_of, load_fitted
from ._output import Output, Report, Table

MERGED = ("density-art", "ddvfa")


@command("merge a.resonart b.resonart -o both.resonart")
@click.argument(
    "model_files", metavar="MODEL...", nargs=-1, required=True, type=InputFile(dir_okay=False)
)
@target_option(
    "Write the merged model to this file.", type=OutputFile(path_type=Path), required=True
)
def merge(model_files: tuple[str, ...], target: Path, output: Output) -> Report:
    """Merge models that were learned separately into one.

    The models must all be density-art models, or all ddvfa models, with the same parameters and
    features. Their ranges may differ, and so may vigilances that were chosen from the rows. The
    table shows what each of their clusters has become.
    """
    if len(model_files) < 2:
        raise click.UsageError("merge needs at least two models.")
    check_folder("-o", target)
    models, notes = zip(*(load_for_merging(path) for path in model_files), strict=True)
    check_one_kind(models, model_files)
    merged = merge_all(models, model_files)
    about: dict[str, Any] = {
        "made_by": f"resonart {resonart.__version__} merge",
        "models": list(model_files),
    }
    columns = {clocks.known_column(note) for note in notes}
    if len(columns) == 1 and None not in columns:
        about |= {clocks.TIME_COLUMN: columns.pop()}
    merged.save(target, metadata=about, include_labels=False)

    label_maps = merged.label_maps_
    sizes = dict.fromkeys([-1, *merged.cluster_labels_.tolist()], 0)  # -1 is noise
    for label, count in zip(merged.category_labels_.tolist(), merged.counts_.tolist(), strict=True):
        sizes[label] += count
    n_before = sum(model.n_clusters_ for model in models)
    return Report(
        {
            "models": model_files,
            "model_file": target,
            "clusters": merged.n_clusters_,
            "categories": merged.n_categories_,
            "sizes": {label: size for label, size in sizes.items() if label >= 0},
            "label_maps": label_maps,
        },
        [
            {
                "models": f"{len(models)} with {count_of(n_before, 'cluster')}",
                "merged": f"{count_of(merged.n_clusters_, 'cluster')} in "
                f"{count_of(merged.n_categories_, 'category')}",
                "saved": target,
            },
            Table(
                ["model", "cluster", "becomes", "rows there"],
                [
                    [name, old, new if new >= 0 else "noise", sizes[new]]
                    for name, label_map in zip(model_files, label_maps, strict=True)
                    for old, new in label_map.items()
                ],
            ),
        ],
    )


def load_for_merging(path: str) -> tuple[Any, dict[str, Any]]:
    """Load a model and its metadata, or raise an error if its kind cannot be merged."""
    model, about = load_fitted(path)
    if kind_of(model) not in MERGED:
        raise CommandError(
            f"{path} contains a {kind_of(model)} model; only density-art and ddvfa models can be "
            "merged."
        )
    return model, about


def check_one_kind(models: Sequence[Any], names: tuple[str, ...]) -> None:
    """Raise an error if there are models of two kinds."""
    for model, name in zip(models, names, strict=True):
        if type(model) is not type(models[0]):
            raise CommandError(
                f"{name} contains a {kind_of(model)} model, and {names[0]} a {kind_of(models[0])} "
                "model: only models of the same kind can be merged."
            )


def merge_all(models: Sequence[Any], names: tuple[str, ...]) -> Any:
    """Merge; a message about one of the models names its file."""
    try:
        return resonart.merge_models(models)
    except ValueError as error:
        text = str(error)
        # From the last, so that models[1] is not found in models[10].
        for i in reversed(range(len(names))):
            text = text.replace(f"models[{i}]", names[i])
        raise CommandError(text) from error
