"""How numbers are written in text: decimal sign, thousands sign, and words for what is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pyarrow import require_pyarrow
from ._values import MISSING, Floats

DECIMALS = (".", ",")
# Each sign that may stand between groups of three digits, and what people write for it.
THOUSANDS = {",": ",", ".": ".", "'": "'\u2019", " ": " \u00a0\u2009\u202f", "_": "_"}

# Text in which nothing else stands than what numbers are written with, in any notation.
_ALMOST = re.compile(r"[+-]?[\d.,'\u2019_ \u00a0\u2009\u202f]*\d[\d.,]*([eE][+-]?\d+)?", re.ASCII)


class Notation:
    """How numbers and missing values are written: see ``open_table``.

    Examples
    --------
    >>> notation = Notation(decimal=",", thousands=".")
    >>> [notation.kind(text) for text in ("1.234,5", " NA ", "1.5")]
    ['number', 'missing', 'text']
    """

    def __init__(
        self, decimal: str = ".", thousands: str | None = None, na: Sequence[str] = ()
    ) -> None:
        self.decimal = decimal
        self.thousands = thousands
        self.na = tuple(na)
        self.missing = frozenset((*MISSING, *(word.strip() for word in na)))
        mark = re.escape(decimal)
        digits = r"\d+"
        if thousands is not None:
            digits = rf"(?:\d+|\d{{1,3}}(?:[{THOUSANDS[thousands]}]\d{{3}})+)"
        number = rf"(?:{digits}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?"
        # Letters in both cases one by one: engines disagree about foreign letters.
        words = (_any_case(word) for word in ("infinity", "inf", "nan"))
        self.pattern = (
            f"^(?:[+-]?(?:{number}|{'|'.join(words)})|{_any_case('true')}|{_any_case('false')})$"
        )
        self._is_number = re.compile(self.pattern.strip("^$"), re.ASCII).fullmatch

    @property
    def has_missing_numbers(self) -> bool:
        """Whether a word for a missing value would be a number, as -999."""
        return any(self.is_number(word.strip()) for word in self.na)

    def kind(self, field: str) -> str:
        """Return whether a field holds a number, text, or nothing."""
        text = field.strip()
        if text in self.missing:
            return "missing"
        if self._is_number(text) is None:
            return "text"
        return "missing" if text[-1] in "nN" else "number"

    def is_number(self, text: str) -> bool:
        """Return whether a text without blanks around it is a number."""
        return self._is_number(text) is not None

    def doubles(self, fields: Any) -> tuple[Floats, NDArray[np.bool_]]:
        """Return an Arrow array of fields as numbers, NaN where missing, and which are text."""
        pa = require_pyarrow("Reading CSV", "compute")
        compute, nothing = pa.compute, pa.scalar(None, pa.string())
        text = compute.utf8_trim_whitespace(fields)
        absent = compute.is_in(text, value_set=pa.array(sorted(self.missing), pa.string()))
        fits = compute.match_substring_regex(text, self.pattern)
        bad = compute.invert(compute.or_(absent, fits))
        text = compute.if_else(compute.and_not(fits, absent), text, nothing)
        if self.thousands is not None:
            marks = f"[{THOUSANDS[self.thousands]}]"
            text = compute.replace_substring_regex(text, pattern=marks, replacement="")
        if self.decimal != ".":
            text = compute.replace_substring(text, pattern=self.decimal, replacement=".")
        lower = compute.ascii_lower(text)
        text = compute.if_else(compute.equal(lower, "true"), "1", text)
        text = compute.if_else(compute.equal(lower, "false"), "0", text)
        numbers: Floats = text.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return numbers, np.asarray(bad.to_numpy(zero_copy_only=False), dtype=np.bool_)

    @cached_property
    def others(self) -> list[Notation]:
        """Other ways of writing numbers, the plainer first."""
        pairs = [
            (decimal, thousands)
            for thousands in (None, ".", ",", " ", "'")
            for decimal in DECIMALS
            if decimal != thousands and (decimal, thousands) != (self.decimal, self.thousands)
        ]
        return [Notation(decimal, thousands) for decimal, thousands in pairs]

    def in_others(self, text: str) -> list[int]:
        """Return in which of the others a text would be a number."""
        if _ALMOST.fullmatch(text) is None:
            return []
        return [i for i, other in enumerate(self.others) if other.is_number(text)]

    def cures(self, found: Iterable[Sequence[int]]) -> str:
        """Return the options that would read most of the texts; empty where none would.

        Each text is given by the others in which it would be a number. Of those that explain
        equally many, one without a thousands sign goes before one with it, unless every text could
        be whole thousands: then both are named.
        """
        counts = Counter(chain.from_iterable(found))
        most = max(counts.values(), default=0)
        best = [i for i in sorted(counts) if counts[i] == most and self._asked(self.others[i])]
        plain = [i for i in best if self.others[i].thousands is None]
        grouped = [i for i in best if self.others[i].decimal == self.decimal]
        which = [*plain[:1], *grouped[:1]] or best[:1]
        return " or ".join(self._asked(self.others[i]) for i in which)

    def _asked(self, other: Notation) -> str:
        options = []
        if other.decimal != self.decimal:
            options.append(f'decimal="{other.decimal}"')
        if other.thousands != self.thousands and other.thousands is not None:
            options.append(f'thousands="{other.thousands}"')
        return " and ".join(options)

    def hint(self, text: str) -> str:
        """Say how a text that is not a number could be read as one; empty where it could not."""
        cures = self.cures([self.in_others(text)])
        return f"Read it as a number with {cures}" if cures else ""


def _any_case(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" for letter in word)
