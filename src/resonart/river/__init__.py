"""Online clusterers for river. Needs river: the extra ``river``.

The estimators of resonart behind river's interface: rows are dicts, and models stand at the end of
its pipelines. docs/river.md says what is to be known.
"""

from __future__ import annotations

from resonart._shared.require import require as _require

_require("river", "resonart.river", "river")  # before all that needs it

from ._ddvfa import DDVFA  # noqa: E402
from ._dvfa import DVFA  # noqa: E402
from ._fuzzy_art import FuzzyART  # noqa: E402
from ._topo_art import TopoART  # noqa: E402

__all__ = ["DDVFA", "DVFA", "FuzzyART", "TopoART"]
