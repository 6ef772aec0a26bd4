"""VAT, the ordering of samples by a growing tree, and iVAT (decisions section 6)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .arithmetic import Array, Vector


def distance(first: Vector, second: Vector) -> float:
    """Return the Euclidean distance by the plain difference formula, features in order."""
    total = 0.0
    for p, q in zip(first, second, strict=True):
        difference = float(p) - float(q)
        total = total + difference * difference
    return math.sqrt(total)


def distance_matrix(X: Array) -> Array:
    """Return the full matrix of distances; the samples are not complement coded."""
    n = len(X)
    D = np.zeros((n, n), dtype=np.float64)
    for i in range(n):
        for j in range(n):
            D[i, j] = distance(X[i], X[j])
    return D


def vat_start(D: Array) -> int:
    """Return the larger index of the first farthest pair."""
    # MATLAB's first maximum in column-major order, of which it takes the row: the least column
    # c, then the least row r in it. The diagonal takes part, so that samples which are all
    # alike start at 0.
    n = len(D)
    farthest = -math.inf
    start = 0
    for c in range(n):
        for r in range(n):
            if float(D[r, c]) > farthest:  # not >=, so the first maximum stays
                farthest = float(D[r, c])
                start = r
    return start


def vat_order_reference(X: Array) -> npt.NDArray[np.int64]:
    """Return the order of the samples by VAT, as indices of rows."""
    n = len(X)
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    # Plain lists of floats from here on, which loops read faster than an array.
    matrix = distance_matrix(X)
    D: list[list[float]] = matrix.tolist()

    start = vat_start(matrix)
    visited = [start]
    unvisited = [i for i in range(n) if i != start]  # ascending, and stays so
    while unvisited:
        nearest = unvisited[0]
        smallest = math.inf
        for candidate in unvisited:
            to_visited = min(D[candidate][j] for j in visited)
            if to_visited < smallest:  # not <=, so ties go to the lowest index
                nearest = candidate
                smallest = to_visited
        visited.append(nearest)
        unvisited.remove(nearest)
    return np.array(visited, dtype=np.int64)


def ivat_reference(D_reordered: Array) -> Array:
    """Return the smallest over all paths of the largest step, for every pair of samples."""
    n = len(D_reordered)
    paths: list[list[float]] = D_reordered.tolist()
    for i in range(n):
        paths[i][i] = 0.0  # staying takes no step
    # Floyd and Warshall: after round k the paths may pass through the samples 0 to k.
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through_k = max(paths[i][k], paths[k][j])
                paths[i][j] = min(paths[i][j], through_k)
    return np.array(paths, dtype=np.float64).reshape(n, n)
