"""All that touches the engine: its parameters, the state of a model, and feature ranges.

No other room imports ``resonart._core``.
"""

from __future__ import annotations

from .. import _core as _core
