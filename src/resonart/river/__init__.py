"""Online clusterers for river. Needs river: the extra ``river``.

The estimators of resonart behind river's interface: rows are dicts, and models stand at the end of
its pipelines. docs/river.md says what is to be known.
"""

from __future__ import annotations

from resonart._shared.require import require as _require

_require("river", "resonart.river", "river")  # before all that needs it

from ._estimators import DDVFA, DVFA, DensityART, FuzzyART, TopoART  # noqa: E402

__all__ = ["DDVFA", "DVFA", "DensityART", "FuzzyART", "TopoART"]
