"""The match of a row with each cluster: what would be found if there were no other."""

from __future__ import annotations

from .arithmetic import (
    Array,
    Vector,
    complement_code,
    descending,
    fuzzy_and_norm,
    power,
    told_match,
)
from .ddvfa import DDVFAReference
from .dvfa import DVFAReference
from .fuzzy_art import FuzzyARTReference
from .topo_art import TopoARTReference, size_independent_activation

AnyReference = FuzzyARTReference | DVFAReference | DDVFAReference | TopoARTReference


def cluster_matches(reference: AnyReference, scaled_row: Vector) -> list[float]:
    """Return the match of a scaled row with every cluster, by label, as it is told."""
    return [told_match(match) for match in _computed(reference, scaled_row)]


def _computed(reference: AnyReference, scaled_row: Vector) -> list[float]:
    x = complement_code(scaled_row)
    d = len(scaled_row)
    if isinstance(reference, FuzzyARTReference):
        return [fuzzy_and_norm(x, weight) / d for weight in reference.weights]
    if isinstance(reference, DVFAReference):
        return [_of_dvfa(reference, x, d, c) for c in range(reference.n_clusters)]
    if isinstance(reference, DDVFAReference):
        scale = power(float(d), reference.gamma_ref)
        return [reference._node_raw_match(x, node) / scale for node in reference.nodes]
    return _of_topo_art(reference, x, d)


def _of_dvfa(reference: DVFAReference, x: Array, d: int, cluster: int) -> float:
    """Return the match of the cluster's category that the search would end at."""
    members = [j for j, owner in enumerate(reference.clusters) if owner == cluster]
    activations = reference._activations(x)
    visited = [members[i] for i in descending([activations[j] for j in members])]
    for category in visited:
        s = fuzzy_and_norm(x, reference.weights[category])
        if s >= reference.rho_lb * d:
            return s / d
    # None passes: the category of highest activation answers.
    return fuzzy_and_norm(x, reference.weights[visited[0]]) / d


def _of_topo_art(reference: TopoARTReference, x: Array, d: int) -> list[float]:
    """Return the highest size-independent activation in each component of module B."""
    components = reference.components("b")
    found = []
    for component in range(max([-1, *components]) + 1):
        members = [j for j, c in enumerate(components) if c == component]
        found.append(
            max(size_independent_activation(x, reference.b.weights[j], d) for j in members)
        )
    return found
