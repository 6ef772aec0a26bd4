"""Merge ART (paper Algorithm 2, decisions section 5).

Index i always runs over the categories of the Merge node (layer 2), index j over those of the
incoming node (layer 1). The Merge node plays the category, the incoming node plays the sample.
"""

from __future__ import annotations

from collections.abc import Sequence

from .arithmetic import (
    Array,
    activation,
    centroid,
    descending,
    l1,
    linkage_value,
    power,
    ratio,
    raw_match,
    updated,
)
from .gaps import GapKeeper
from .node import Node


def entry_activation(w_i: Array, w_j: Array, *, alpha: float, gamma: float) -> float:
    """Return t_ij = (|w_j ^ w_i| / (alpha + |w_i|)) ** gamma (paper Eq. tij)."""
    return activation(w_j, w_i, alpha, gamma)


def entry_match(w_i: Array, w_j: Array, *, alpha: float, gamma: float, gamma_ref: float) -> float:
    """Return m_ij = (|w_i| / |w_j|) ** gamma_ref * t_ij (paper Eq. wij)."""
    t_ij = entry_activation(w_i, w_j, alpha=alpha, gamma=gamma)
    if t_ij == 0.0:
        # An incoming box that covers all of space has norm 0: no activation, no match.
        return 0.0
    return power(ratio(l1(w_i), l1(w_j)), gamma_ref) * t_ij


def _weighted(merge_node: Node, incoming: Node, entries: Sequence[float]) -> float:
    """Return the sum of p_i p_j times the entry, entries running over j, and within j over i."""
    n_merge = 0
    for count in merge_node.counts:
        n_merge = n_merge + count
    n_incoming = 0
    for count in incoming.counts:
        n_incoming = n_incoming + count
    total = 0.0
    position = 0
    for n_j in incoming.counts:
        for n_i in merge_node.counts:
            p = (n_i / n_merge) * (n_j / n_incoming)
            total = total + p * entries[position]
            position += 1
    return total


def _linked(method: str, merge_node: Node, incoming: Node, entries: Sequence[float]) -> float:
    """Return the linkage of all R * C entries (paper's table of Merge ART)."""
    if method == "weighted":
        return _weighted(merge_node, incoming, entries)
    return linkage_value(method, entries)


def merge_activation(
    merge_node: Node, incoming: Node, *, linkage: str, alpha: float, gamma: float
) -> float:
    """Return the activation of a Merge node for an incoming node (paper's table)."""
    if linkage == "centroid":
        return entry_activation(
            centroid(merge_node.weights), centroid(incoming.weights), alpha=alpha, gamma=gamma
        )
    entries = [
        entry_activation(w_i, w_j, alpha=alpha, gamma=gamma)
        for w_j in incoming.weights  # outer loop: incoming categories
        for w_i in merge_node.weights  # inner loop: the Merge node's categories
    ]
    return _linked(linkage, merge_node, incoming, entries)


def merge_match(
    merge_node: Node,
    incoming: Node,
    *,
    linkage: str,
    alpha: float,
    gamma: float,
    gamma_ref: float,
) -> float:
    """Return the match of a Merge node for an incoming node (paper's table)."""
    if linkage == "centroid":
        # The normalised form with gamma_ref, not the one printed in the table (decisions 5.1).
        return entry_match(
            centroid(merge_node.weights),
            centroid(incoming.weights),
            alpha=alpha,
            gamma=gamma,
            gamma_ref=gamma_ref,
        )
    entries = [
        entry_match(w_i, w_j, alpha=alpha, gamma=gamma, gamma_ref=gamma_ref)
        for w_j in incoming.weights  # outer loop: incoming categories
        for w_i in merge_node.weights  # inner loop: the Merge node's categories
    ]
    return _linked(linkage, merge_node, incoming, entries)


def merge_pass(
    nodes: Sequence[Node],
    *,
    rho_lb: float,
    gamma: float,
    gamma_ref: float,
    linkage: str,
    alpha: float,
    n_apart: int = 0,
    gaps: GapKeeper | None = None,
) -> tuple[list[Node], list[int]]:
    """Run one pass from an empty Merge ART, and return its nodes and the map input -> node.

    Not in the paper: with ``n_apart``, the first so many inputs and all of five samples or more
    never share a node.
    """
    gaps = gaps if gaps is not None else GapKeeper()
    merged: list[Node] = []
    label_map: list[int] = []
    apart = [
        number
        for number, node in enumerate(nodes)
        if n_apart > 0 and (number < n_apart or sum(node.counts) >= 5)
    ]
    # Lines 2 and 3.
    for number, incoming in enumerate(nodes):
        # Line 4.
        activations = [
            merge_activation(merge_node, incoming, linkage=linkage, alpha=alpha, gamma=gamma)
            for merge_node in merged
        ]
        active = descending(activations)
        if number in apart:
            active = [k for k in active if not any(label_map[i] == k for i in apart if i < number)]
        resonated = False
        while active:
            # Line 5 (read T of ART(2), decisions 5.1).
            winner = active[0]
            # Line 6.
            match = merge_match(
                merged[winner],
                incoming,
                linkage=linkage,
                alpha=alpha,
                gamma=gamma,
                gamma_ref=gamma_ref,
            )
            # Lines 7 and 8: the plain rho_LB.
            gaps.note(match, rho_lb)
            if match >= rho_lb:
                gaps.note_winner(activations[winner], (activations[k] for k in active[1:]))
                # Line 9: append, weights unaltered; later inputs meet the grown node.
                addition = incoming.copy()
                merged[winner].weights.extend(addition.weights)
                merged[winner].counts.extend(addition.counts)
                label_map.append(winner)
                resonated = True
                break
            # Lines 10 and 11: reset, next node.
            active.pop(0)
        if not resonated:
            # Line 11, no node left: new Merge node.
            merged.append(incoming.copy())
            label_map.append(len(merged) - 1)
    return merged, label_map


def compress_node(
    node: Node,
    *,
    rho_ub: float,
    gamma: float,
    gamma_ref: float,
    alpha: float,
    beta: float,
    n_features: int,
    gaps: GapKeeper | None = None,
) -> Node:
    """Feed a node's weights, in stored order, once through a fresh fuzzy ART (decisions 5.4)."""
    gaps = gaps if gaps is not None else GapKeeper()
    # Match normalised by d, not by the norm of the presented weight.
    threshold = rho_ub * power(float(n_features), gamma_ref)
    compressed = Node()
    for v, n_v in zip(node.weights, node.counts, strict=True):
        activations = [activation(v, w, alpha, gamma) for w in compressed.weights]
        active = descending(activations)
        resonated = False
        while active:
            winner = active[0]
            match = raw_match(v, compressed.weights[winner], alpha, gamma, gamma_ref)
            gaps.note(match, threshold)
            if match >= threshold:
                gaps.note_winner(activations[winner], (activations[j] for j in active[1:]))
                compressed.weights[winner] = updated(compressed.weights[winner], v, beta)
                compressed.counts[winner] += n_v
                resonated = True
                break
            active.pop(0)  # reset
        if not resonated:
            compressed.weights.append(v.copy())
            compressed.counts.append(n_v)
    return compressed


def merge_art(
    nodes: Sequence[Node],
    *,
    rho_lb: float,
    rho_ub: float,
    gamma: float,
    gamma_ref: float,
    linkage: str,
    alpha: float,
    beta: float,
    n_features: int,
    max_passes: int | None = None,
    compress: bool = True,
    n_apart: int = 0,
    gaps: GapKeeper | None = None,
) -> tuple[list[Node], list[int], int]:
    """Repeat passes until one merges nothing, compress, and return nodes, map and pass count.

    With ``n_apart``, the first so many nodes and all that are not small never come together.
    """
    # Copies, so that the nodes given are left as they are.
    current = [node.copy() for node in nodes]
    label_map = list(range(len(current)))
    n_passes = 0
    # Line 1.
    while max_passes is None or n_passes < max_passes:
        n_before = len(current)
        merged, pass_map = merge_pass(
            current,
            rho_lb=rho_lb,
            gamma=gamma,
            gamma_ref=gamma_ref,
            linkage=linkage,
            alpha=alpha,
            n_apart=n_apart,
            gaps=gaps,
        )
        # Line 12, and labels composed through the map (decisions 5.3).
        current = merged
        label_map = [pass_map[label] for label in label_map]
        n_passes += 1
        # Stopping criterion (decisions 5.2): as many nodes as were given.
        if len(current) == n_before:
            break
    # Lines 13 and 14.
    if compress:
        current = [
            compress_node(
                node,
                rho_ub=rho_ub,
                gamma=gamma,
                gamma_ref=gamma_ref,
                alpha=alpha,
                beta=beta,
                n_features=n_features,
                gaps=gaps,
            )
            for node in current
        ]
    return current, label_map, n_passes
