"""Attacks on resonart: seeded trials that look for lost data, hangs, crashes and wrong answers.

``make attacks`` runs them for hours and goes on where it stopped; ``test_attacks.py`` runs each
for a short time. An attack is a module of this package with

``trial(random, folder)``
    One trial, decided by the generator ``random`` alone. ``folder`` is empty and its own. It
    returns one or two words on what happened, for the tally, and raises where a promise is broken.

and, where it needs the compiler or starts processes, ``needs_processes = True``. Its name goes into
``ATTACKS``.
"""

from __future__ import annotations

ATTACKS: tuple[str, ...] = (
    "calls",
    "explanations",
    "failing",
    "files",
    "forged",
    "interrupts",
    "kills",
    "parsers",
    "saves",
    "threads",
)
