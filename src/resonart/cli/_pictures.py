"""Pictures as files. Whether they can be made is checked before the work starts."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from resonart._shared.require import require

from ._files import check_folder, write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (7.0, 5.5)
DOTS_PER_INCH = 160


def check_picture(path: Path | None) -> None:
    """Raise an error in advance if a picture cannot be written."""
    if path is None:
        return
    require("matplotlib", "--picture", "plot")
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(FigureCanvasBase.get_supported_filetypes())
    if path.suffix[1:].lower() not in known:
        raise click.UsageError(
            f"--picture {path}: the name of a picture must end in one of {', '.join(known)}."
        )
    check_folder("--picture", path)


def draw(path: Path | None, paint: Callable[[Axes], object]) -> None:
    """Let ``paint`` draw in new axes, and write the picture, if requested."""
    if path is None:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    paint(figure.subplots())
    drawn = BytesIO()
    figure.savefig(drawn, dpi=DOTS_PER_INCH, format=path.suffix[1:].lower())
    write_file(path, drawn.getvalue())
