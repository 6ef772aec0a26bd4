"""Who takes part: a file for each library. A new one is a new file and its name here."""

from __future__ import annotations

from . import artlib, fast_hdbscan, hdbscan, resonart, river, scikit_learn
from .contender import Contender, Fitted, Labels, Learner, Setting

LIBRARIES = (resonart, artlib, river, scikit_learn, hdbscan, fast_hdbscan)
BY_NAME: dict[str, Contender] = {
    contender.name: contender for library in LIBRARIES for contender in library.CONTENDERS
}

__all__ = ["BY_NAME", "Contender", "Fitted", "Labels", "Learner", "Setting"]
