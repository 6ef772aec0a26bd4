"""Online clusterers for river. Needs river: ``pip install "resonart[river]"``.

The estimators of resonart behind river's interface: rows are dicts, and models stand at the end of
its pipelines. docs/river.md says what is to be known.
"""

from __future__ import annotations

try:
    import river  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "river":
        raise  # it is there, but broken: its own message says more
    raise ImportError(
        "resonart.river needs river, which is not installed. Get it with: "
        'pip install "resonart[river]"'
    ) from error

from ._ddvfa import DDVFA
from ._dvfa import DVFA
from ._fuzzy_art import FuzzyART
from ._topo_art import TopoART

__all__ = ["DDVFA", "DVFA", "FuzzyART", "TopoART"]
