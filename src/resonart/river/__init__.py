"""Online clusterers for river. Needs river: the extra ``river``.

The estimators of resonart with river's interface: rows are dicts, and models can be the last step
of its pipelines. See docs/river.md.
"""

from __future__ import annotations

from resonart._shared.require import require as _require

_require("river", "resonart.river", "river")  # before anything that needs it

from ._estimators import DDVFA, DVFA, DensityART, FuzzyART, TopoART  # noqa: E402

__all__ = ["DDVFA", "DVFA", "DensityART", "FuzzyART", "TopoART"]
