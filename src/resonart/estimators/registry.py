"""The estimators whose models can be saved, by the name that a file has for them."""

from __future__ import annotations

from .base import BaseART
from .ddvfa import DDVFA
from .density_art import DensityART
from .dvfa import DVFA
from .fuzzy_art import FuzzyART
from .topo_art import TopoART

ESTIMATORS: dict[str, type[BaseART]] = {
    kind.__name__: kind for kind in (FuzzyART, DVFA, DDVFA, TopoART, DensityART)
}
