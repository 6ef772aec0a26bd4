"""How numbers are written in text: decimal sign, thousands sign, and words for what is missing."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from ._values import MISSING

DECIMALS = (".", ",")
# Each sign that may stand between groups of three digits, and what people write for it.
THOUSANDS = {",": ",", ".": ".", "'": "'\u2019", " ": " \u00a0\u2009\u202f", "_": "_"}

# Text in which nothing else stands than what numbers are written with, in any notation.
_ALMOST = re.compile(r"[+-]?[\d.,'\u2019_ \u00a0\u2009\u202f]*\d[\d.,]*([eE][+-]?\d+)?", re.ASCII)

_WORDS = {"true": 1.0, "false": 0.0}


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

    @property
    def is_usual(self) -> bool:
        """Whether numbers are written as Python writes them, and none stands for no value."""
        return self.decimal == "." and self.thousands is None and not self.has_missing_numbers

    def double(self, text: str) -> float | None:
        """Return the number in a text without blanks around it, NaN if missing, None if text.

        Examples
        --------
        >>> [Notation(",", ".").double(text) for text in ("1.234,5", "true", "NA", "1.5")]
        [1234.5, 1.0, nan, None]
        """
        if text in self.missing:
            return math.nan
        if not self.is_number(text):
            return None
        if text.lower() in _WORDS:
            return _WORDS[text.lower()]
        if self.thousands is not None:
            text = re.sub(f"[{THOUSANDS[self.thousands]}]", "", text)
        return float(text.replace(self.decimal, "."))

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
