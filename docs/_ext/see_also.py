"""What else to look at, on the page of every public name whose docstring does not say it."""

from __future__ import annotations

import importlib
import re
from typing import Any

from sphinx.application import Sphinx

# Names without "resonart."; methods are given with their class.
SEE_ALSO = {
    "Bounds": ["OutlierWarning", "Boxes", "tuning.vigilance_for"],
    "Boxes": ["plot.categories", "Bounds", "export_text"],
    "ClusterDescription": ["Description", "export_text"],
    "ClusterEvent": ["ClusterEvents", "plot.history"],
    "ClusterEvents": ["ClusterEvent", "plot.history", "DensityART.history"],
    "CondensedTree": ["plot.condensed_tree", "ReadingChoice", "DensityART"],
    "Description": ["export_text", "ClusterDescription", "Explanation"],
    "Explanation": ["Description", "DensityART.explain"],
    "Learned": ["Renaming", "DensityART.learn_many"],
    "MergeART": ["MergedClusters", "DDVFA", "merge_models"],
    "MergedClusters": ["MergeART", "rename_labels"],
    "ModelFileError": ["load", "DensityART.save"],
    "OutlierWarning": ["Bounds"],
    "ReadingCandidate": ["ReadingChoice"],
    "ReadingChoice": ["ReadingCandidate", "CondensedTree", "DensityART"],
    "Renaming": ["rename_labels", "Learned"],
    "VATImage": ["vat", "ivat", "plot.vat"],
    "ivat": ["vat", "vat_order", "plot.vat"],
    "load": ["DensityART.save", "ModelFileError"],
    "merge_models": ["MergeART", "rename_labels", "dask.fit"],
    "rename_labels": ["Renaming", "merge_models", "MergeART"],
    "vat": ["ivat", "vat_order", "plot.vat"],
    "tuning.Candidate": ["tuning.VigilanceChoice"],
    "tuning.Sweep": ["tuning.VigilancePlane"],
    "tuning.VigilanceChoice": ["tuning.choose_vigilance", "tuning.Candidate"],
    "plot.categories": ["Boxes", "plot.condensed_tree", "explore.Explorer"],
    "plot.condensed_tree": ["CondensedTree", "plot.history"],
    "plot.vat": ["vat", "ivat", "vat_order"],
    "plot.vigilance_plane": ["tuning.VigilancePlane"],
    "io.Block": ["io.LineReader", "io.LineParser"],
    "io.Chunk": ["io.open_table", "io.TableReader"],
    "io.Conversion": ["io.convert"],
    "io.EmptyTableError": ["io.TableError", "io.open_table"],
    "io.LineParser": ["io.LineReader", "io.LiveRows", "io.Reject"],
    "io.LineReader": ["io.LineParser", "io.Block"],
    "io.LiveRows": ["io.LineParser"],
    "io.Reject": ["io.LineParser", "io.LiveRows"],
    "io.TableError": ["io.EmptyTableError", "io.open_table"],
    "io.TableReader": ["io.open_table", "io.TableWriter"],
    "io.TableWriter": ["io.write_table", "io.TableReader"],
    "io.convert": ["io.open_table", "io.write_table", "io.Conversion"],
    "io.guess_format": ["io.open_table", "io.convert"],
    "io.open_table": ["io.TableReader", "io.write_table", "io.guess_format"],
    "io.write_table": ["io.TableWriter", "io.open_table"],
    "datasets.DataSetInfo": ["datasets.describe", "datasets.load"],
    "datasets.describe": ["datasets.DataSetInfo", "datasets.list"],
    "datasets.list": ["datasets.describe", "datasets.load"],
    "datasets.load_all": ["datasets.load", "datasets.list"],
    "river.DDVFA": ["DDVFA", "river.DensityART"],
    "river.DVFA": ["DVFA", "river.DDVFA"],
    "river.DensityART": ["DensityART", "river.DDVFA"],
    "river.FuzzyART": ["FuzzyART", "river.DDVFA"],
    "river.TopoART": ["TopoART", "river.DensityART"],
    "dask.DaskDDVFA": ["DDVFA", "dask.fit"],
    "dask.FitReport": ["dask.fit", "dask.update"],
    "dask.PartitionError": ["dask.fit", "dask.update"],
    "dask.fit": ["dask.update", "dask.FitReport", "merge_models"],
    "dask.update": ["dask.fit", "dask.FitReport"],
    "explore.Explorer": ["DensityART.explore", "plot.categories"],
    "cli.main": ["io.open_table", "load"],
}


def first_line(name: str) -> str:
    """Return the first line of what a name's docstring says."""
    parts = name.split(".")
    depth = 1 if parts[0][0].islower() and len(parts) > 1 else 0
    found: Any = importlib.import_module(".".join(["resonart", *parts[:depth]]))
    for part in parts[depth:]:
        found = getattr(found, part)
    line = (found.__doc__ or "").strip().split("\n")[0]
    # Links of that docstring are relative to its own module.
    return re.sub(r":\w+:`~?([^`]+)`", r"``\1``", line)


def add_see_also(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Append the section, before numpydoc reads the docstring."""
    others = SEE_ALSO.get(name.removeprefix("resonart."), [])
    if not others or not name.startswith("resonart.") or "See Also" in lines:
        return
    lines += ["", "See Also", "--------"]
    lines += [f"resonart.{other} : {first_line(other)}" for other in others]
    lines += [""]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the handler, ahead of numpydoc's."""
    app.connect("autodoc-process-docstring", add_see_also, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
