"""The arithmetic every algorithm shares, in the order of operations that fixes its bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Vector: TypeAlias = Sequence[float] | Array


def complement_code(scaled: Vector) -> Array:
    """Return [s_1..s_d, 1-s_1..1-s_d] for a sample scaled to [0, 1] (decisions 0.1)."""
    features = [float(value) for value in scaled]
    complements = [1.0 - value for value in features]
    return np.array(features + complements, dtype=np.float64)


def l1(v: Vector) -> float:
    """Return the L1 norm, summed left to right from 0.0 (decisions 0.12)."""
    total = 0.0
    for value in v:
        total = total + abs(float(value))
    return total


def fuzzy_and(a: Vector, b: Vector) -> Array:
    """Return the elementwise minimum of two vectors."""
    smaller: list[float] = []
    for p, q in zip(a, b, strict=True):
        smaller.append(min(float(p), float(q)))
    return np.array(smaller, dtype=np.float64)


def fuzzy_and_norm(a: Vector, b: Vector) -> float:
    """Return the L1 norm of the elementwise minimum, summed left to right from 0.0."""
    total = 0.0
    for p, q in zip(a, b, strict=True):
        total = total + abs(min(float(p), float(q)))
    return total


def power(base: float, gamma: float) -> float:
    """Return base ** gamma by repeated products for whole and half exponents up to 32."""
    # Products and square roots are the same bits on every machine; a library's pow is not.
    base = float(base)
    gamma = float(gamma)
    if 0.0 <= gamma <= 32.0 and (2.0 * gamma).is_integer():
        whole = math.floor(gamma)
        result = 1.0
        for _ in range(whole):
            result = result * base
        if gamma != whole:
            result = result * math.sqrt(base)
        return result
    return math.pow(base, gamma)


def ratio(a: float, b: float) -> float:
    """Return a / b for a, b >= 0, with 0/0 -> 1.0 and a/0 -> inf for degenerate weights."""
    if b == 0.0:
        if a == 0.0:
            return 1.0
        return math.inf
    return a / b


def updated(weight: Array, presented: Array, beta: float) -> Array:
    """Return (1-beta) w + beta (x ^ w), the learning rule (paper Eq. update)."""
    minimum = fuzzy_and(presented, weight)
    new: list[float] = []
    for w, m in zip(weight, minimum, strict=True):
        new.append((1.0 - beta) * float(w) + beta * float(m))
    return np.array(new, dtype=np.float64)


def plain_activation(x: Array, weight: Array, alpha: float) -> float:
    """Return T = |x ^ w| / (alpha + |w|), the activation of fuzzy ART (paper Sec. 2.1)."""
    return fuzzy_and_norm(x, weight) / (alpha + l1(weight))


def activation(x: Array, weight: Array, alpha: float, gamma: float) -> float:
    """Return T = (|x ^ w| / (alpha + |w|)) ** gamma (paper Eq. T2)."""
    return power(fuzzy_and_norm(x, weight) / (alpha + l1(weight)), gamma)


def raw_match(x: Array, weight: Array, alpha: float, gamma: float, gamma_ref: float) -> float:
    """Return |w| ** gamma_ref * T, the match of paper Eq. M3 times d ** gamma_ref."""
    return power(l1(weight), gamma_ref) * activation(x, weight, alpha, gamma)


def told_match(match: float) -> float:
    """Return a match as it is told: a share, which rounding may not carry out of [0, 1]."""
    return min(max(match, 0.0), 1.0)


def centroid(weights: Sequence[Array]) -> Array:
    """Return the elementwise minimum over all weights of a node (note c of the paper's table)."""
    smallest = weights[0].copy()
    for weight in weights[1:]:
        smallest = fuzzy_and(smallest, weight)
    return smallest


def descending(activations: Sequence[float]) -> list[int]:
    """Return the indices by descending activation, equal ones by index (decisions 0.2)."""
    # sorted() is stable: indices of equal activation keep their ascending order.
    return sorted(range(len(activations)), key=lambda index: -activations[index])


def linkage_value(
    method: str, values: Sequence[float], counts: Sequence[int] | None = None
) -> float:
    """Return what a node answers for its categories' values (paper's linkage table)."""
    # The centroid method is not among these, since it works on weights rather than on values.
    if method == "single":
        largest = values[0]
        for value in values[1:]:
            largest = max(largest, value)
        return largest
    if method == "complete":
        smallest = values[0]
        for value in values[1:]:
            smallest = min(smallest, value)
        return smallest
    if method == "median":
        ascending = sorted(values)
        middle = len(ascending) // 2
        if len(ascending) % 2 == 1:
            return ascending[middle]
        return (ascending[middle - 1] + ascending[middle]) / 2.0
    if method == "average":
        total = 0.0
        for value in values:
            total = total + value
        return total / len(values)
    if method == "weighted":
        if counts is None:
            raise ValueError("weighted linkage needs the categories' counts")
        n_total = 0
        for count in counts:
            n_total = n_total + count
        total = 0.0
        for count, value in zip(counts, values, strict=True):
            total = total + (count / n_total) * value
        return total
    raise ValueError(f"unknown linkage of values: {method!r}")


def same_weights(first: Sequence[Array], second: Sequence[Array]) -> bool:
    """Tell whether two lists hold the same number of weights with the same values."""
    if len(first) != len(second):
        return False
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
