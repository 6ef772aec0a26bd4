"""The parts of the paper: which methods meet which data sets, and in which order of work."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from paper import data_sets, methods
from paper.methods._topo_readings import LEARNINGS
from paper.methods.ap_variants import VARIANTS
from paper.methods.ddvfa import BOTH
from paper.protocol import Protocol
from paper.task import Setting, Task

System = dict[str, Setting]

LINKAGES = ("average", "centroid", "complete", "median", "single", "weighted")

# The three systems of section 5.1: VAT + DDVFA, DDVFA, and DDVFA + Merge ART.
SYSTEMS: dict[str, System] = {
    "vat": {"order": "vat", "merge": 0},
    "plain": {"order": "random", "merge": 0},
    "merge": {"order": "random", "merge": 1},
}

# How they are made: what is and is not merged is learned alike.
MADE: tuple[System, ...] = (SYSTEMS["vat"], {"order": "random", "merge": BOTH})


# Columns of the table that the authors' own program made.
BY_INDEX: tuple[System, ...] = (
    {"of": "fuzzy_art"},
    {"of": "dvfa"},
    {"of": "ddvfa", "search": "index"},
)


# What the paper did with topoART, as far as its digits tell.
READING = {"learning": "tau_cut", "labels": "noise_in_newest"}


def table(protocol: Protocol) -> list[Task]:
    """The other methods of the table of results; its DDVFA columns are in ``ddvfa``."""
    return [
        Task(method.name, name, settings)
        for method in methods.find().values()
        for settings in method.table
        for name in data_sets.names(protocol.data_sets)
    ]


def linkages(protocol: Protocol, gamma: float, search: str) -> list[Task]:
    """All systems with all linkages on all data sets."""
    return [
        _ddvfa(protocol, name, of, linkage, gamma, search)
        for linkage, of, name in itertools.product(
            LINKAGES, MADE, data_sets.names(protocol.data_sets)
        )
    ]


def gamma_study(protocol: Protocol) -> list[Task]:
    """The box plots by kernel width."""
    return [
        # One data set is shown at fixed vigilances, too: that of the heat maps.
        Task("ddvfa_gamma", name, of | ({"fixed": 1} if name == protocol.heat_data_set else {}))
        for of, name in itertools.product(SYSTEMS.values(), protocol.gamma_data_sets)
    ]


def heat_maps(protocol: Protocol) -> list[Task]:
    """The planes that are drawn."""
    return [
        _ddvfa(protocol, protocol.heat_data_set, of, "single", gamma, "activation")
        for of, gamma in itertools.product(MADE, protocol.heat_gammas)
    ]


def strict_topo_art(protocol: Protocol) -> list[Task]:
    """TopoART by another reading of what the paper leaves open, where that is soon tried."""
    return [
        Task("topoart_b_strict", name, {"order": order})
        for order in ("random", "vat")
        for name in protocol.strict_data_sets
    ]


def topo_art_readings(protocol: Protocol) -> list[Task]:
    """TopoART by all readings that were thought of, in random order."""
    return [
        Task("topoart_b_readings", name, {"order": "random", "learning": learning})
        for learning in LEARNINGS
        for name in protocol.strict_data_sets
    ]


def paper_reading(protocol: Protocol) -> list[Task]:
    """TopoART as the paper read it, in random order, as large as the paper's experiments."""
    return [
        Task(
            "topoart_b_readings",
            name,
            {"order": "random", "learning": READING["learning"], "whole": 1},
        )
        for name in data_sets.names(protocol.data_sets)
    ]


def vat_ends(protocol: Protocol) -> list[Task]:
    """The VAT columns of the table, order by order; topoART by all readings on small sets."""
    every = data_sets.names(protocol.data_sets)
    columns: tuple[System, ...] = (*BY_INDEX, {"of": "ddvfa", "search": "activation"})
    return [Task("vat_ends", name, {"order": "vat", **of}) for of in columns for name in every] + [
        Task("vat_ends", name, {"order": "vat", "of": "topoart_b", "learning": learning})
        for learning in LEARNINGS
        # The paper's own reading is tried on all.
        for name in (every if learning == READING["learning"] else protocol.strict_data_sets)
    ]


def vat_linkages(protocol: Protocol) -> list[Task]:
    """DDVFA by index in VAT order with all linkages and both gammas, order by order."""
    return [
        Task(
            "vat_linkages",
            name,
            {**SYSTEMS["vat"], "search": "index", "linkage": linkage, "gamma": float(gamma)},
        )
        for linkage, gamma, name in itertools.product(
            LINKAGES, (1.0, protocol.gamma), data_sets.names(protocol.data_sets)
        )
    ]


def looks(protocol: Protocol) -> list[Task]:
    """One more look at cells that differ from the paper for no reason known."""
    return (
        [Task("kmeans_seeds", name) for name in protocol.kmeans_data_sets]
        + [
            Task("ap_variants", name, {"of": variant})
            for variant in VARIANTS
            for name in protocol.ap_data_sets
        ]
        + [
            Task("ap_variants", name, {"of": "rows of five digits"})
            for name in protocol.ap_check_data_sets
        ]
        + [
            Task("vat_reciprocal", name, {"order": "vat", **of})
            for of in BY_INDEX
            for name in protocol.tied_data_sets
        ]
    )


def _ddvfa(
    protocol: Protocol, name: str, of: System, linkage: str, gamma: float, search: str
) -> Task:
    settings: dict[str, Setting] = {"linkage": linkage, "gamma": float(gamma), "search": search}
    if (
        name == protocol.heat_data_set
        and (linkage, search) == ("single", "activation")
        and gamma in protocol.heat_gammas
    ):
        settings["plane"] = 1  # whichever part asks: so that it is one task
    return Task("ddvfa", name, of | settings)


# In the order of work.
PARTS: dict[str, Callable[[Protocol], list[Task]]] = {
    "ddvfa": lambda protocol: linkages(protocol, protocol.gamma, "activation"),
    "table": table,
    "gamma": gamma_study,
    "heat": heat_maps,
    "gamma1": lambda protocol: linkages(protocol, 1.0, "activation"),
    # The search of the authors' published program, to see which of the two made the tables.
    "index": lambda protocol: linkages(protocol, protocol.gamma, "index"),
    "index1": lambda protocol: linkages(protocol, 1.0, "index"),
    "strict": strict_topo_art,
    "ends": vat_ends,
    "vat_linkages": vat_linkages,
    "reading": paper_reading,
    "readings": topo_art_readings,
    "looks": looks,
}


def wave(task: Task) -> int:
    """Single linkage comes first in its part: the paper's main table is made of it."""
    return 0 if task.settings.get("linkage", "single") == "single" else 1
