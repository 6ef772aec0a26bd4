"""Text tables, whether read in blocks or line by line: one schema, decided in one place.

The first lines decide the schema of a table: its delimiter, whether it has a header, its columns
and their kinds. They are looked at one by one until no later line could change the schema, at most
``LOOK_LINES`` of them, so it does not depend on how the text is cut into blocks. After that, the
result of a line depends only on the line itself.
"""

from __future__ import annotations

import codecs
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar

from ._columns import NAMED, Columns, Request, Selection, first_names
from ._errors import TableError, shown
from ._notation import DECIMALS, THOUSANDS, Notation
from ._times import is_date, why_no_date
from ._values import BadLine, Piece

LOOK_LINES = 1_000
LOOK_BYTES = 4 * 2**20
DELIMITERS = (",", "\t", ";", "|")


@dataclass(frozen=True)
class TextOptions:
    """How a text table is written; see :func:`resonart.tables.open_table`."""

    header: bool | None = None
    delimiter: str | None = None
    decimal: str = "."
    thousands: str | None = None
    na: Sequence[str] = ()
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        _check_delimiter(self.delimiter)
        if self.decimal not in DECIMALS:
            raise ValueError(f"decimal must be '.' or ',', got {self.decimal!r}.")
        if self.thousands is not None and self.thousands not in THOUSANDS:
            raise ValueError(
                f"thousands must be one of {', '.join(map(repr, THOUSANDS))} or None, got "
                f"{self.thousands!r}."
            )
        if self.thousands == self.decimal:
            other = DECIMALS[1 - DECIMALS.index(self.decimal)]
            raise ValueError(
                f"decimal and thousands cannot both be {self.decimal!r}. If it separates "
                f"thousands, give decimal={other!r}, too."
            )
        if isinstance(self.na, str) or not all(isinstance(word, str) for word in self.na):
            raise TypeError(f"na must be a list of words, got {self.na!r}.")
        try:
            codecs.lookup(self.encoding)
        except (LookupError, TypeError):
            raise ValueError(
                f"encoding must be one that Python knows, such as 'utf-8' or 'cp1252', got "
                f"{self.encoding!r}."
            ) from None

        object.__setattr__(self, "na", tuple(self.na))

    @property
    def notation(self) -> Notation:
        """How numbers are written."""
        return Notation(self.decimal, self.thousands, self.na)

    @property
    def codec(self) -> str:
        """The encoding by the name that Python gives it."""
        return codecs.lookup(self.encoding).name.removesuffix("-sig")

    def check_for(self, format: str, title: str) -> None:
        """Refuse options that do not apply to a format."""
        given = {name for name, value in vars(self).items() if value != getattr(_PLAIN, name)}
        allowed = {
            "csv": {"header", "delimiter", "decimal", "thousands", "na", "encoding"},
            "tsv": {"header", "decimal", "thousands", "na", "encoding"},
            "ndjson": {"na", "encoding"},
        }
        if format == "ndjson" and self.notation.has_missing_numbers:
            raise ValueError("na has a number among its words: in NDJSON write null instead.")
        for name in vars(self):
            if name in given - allowed.get(format, set()):
                takers = [kind for kind, names in allowed.items() if name in names]
                raise ValueError(f"{name} is for {' and '.join(takers)}, and {title} is {format}.")


def _check_delimiter(delimiter: object) -> None:
    if delimiter is None:
        return
    if (
        not isinstance(delimiter, str)
        or len(delimiter) != 1
        or not delimiter.isascii()
        or delimiter.isalnum()
        or delimiter in '"\r\n.+-\0'
    ):
        raise ValueError(
            "delimiter must be one ASCII character that is not a letter, digit, quote, sign or "
            f"line end, got {delimiter!r}."
        )


_PLAIN = TextOptions()


@dataclass
class Evidence:
    """What the first lines say about one column."""

    first: str = "missing"  # what its first value is: number or text
    n_numbers: int = 0
    texts: list[tuple[int, Any]] = field(default_factory=list)  # each with its line

    def add(self, kind: str, line: int, value: Any) -> None:
        """Take one more value into account."""
        if kind == "missing":
            return
        if self.first == "missing":
            self.first = kind
        if kind == "number":
            self.n_numbers += 1
        else:
            self.texts.append((line, value))

    @property
    def is_date(self) -> bool:
        """Whether times in the column are dates: if its first value is not a number, and one is."""
        return self.first == "text" and any(is_date(value) for _, value in self.texts)

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers: if its first value is one, or half of all are."""
        return self.first == "number" or 0 < self.n_numbers >= len(self.texts)


class TextParser(Columns, ABC):
    """Turns lines of text into rows; knows the schema once it has seen enough lines.

    With ``in_lines`` every line is separate; otherwise quoted fields may span lines.
    """

    format: ClassVar[str]
    tells_kinds: ClassVar[bool] = False  # whether a single value says what its column holds

    def __init__(
        self, title: str, options: TextOptions, request: Request, *, in_lines: bool
    ) -> None:
        self.title = title
        self.options = options
        self.request = request
        self.in_lines = in_lines
        self.notation = options.notation
        self.names: list[str] = []
        self.has_names = False
        self.is_number: list[bool] = []
        self.selection: Selection | None = None  # None until decided
        self.has_dates = False  # in the column of times, if there is one
        self.is_named = False  # whether the features were named, here or by a model
        self.n_looked = 0  # lines that were no blank ones
        self._n_bytes = 0
        self._n_rows = 0  # of which the evidence is
        self._evidence: list[Evidence] = []
        self._nameless: set[str] = set()  # columns to which the header gives no name

    # ------------------------------------------------------------------ the schema

    def look(self, data: bytes, line: int) -> bool:
        """Look at the next lines; return whether they were enough."""
        for size in self._look_at(data, line):
            self.n_looked += 1
            self._n_bytes += size
            enough = self._n_bytes >= LOOK_BYTES and self.n_looked > 1
            if self._is_settled() or enough or self.n_looked >= LOOK_LINES:
                self.decide()
                return True
        return False

    def decide(self) -> None:
        """Decide by the lines looked at so far."""
        self._finish()
        # Of a column that was not looked at, nothing speaks against it.
        self.is_named = self._goes_by_request()
        is_unseen = self.is_named or self._n_rows == 0
        self.is_number = [is_unseen or each.is_number for each in self._evidence]
        self.selection = self.select(self.request)
        time = self.selection.time
        self.has_dates = time is not None and self._evidence[time].is_date

    @abstractmethod
    def _look_at(self, data: bytes, line: int) -> Iterator[int]:
        """Take lines into account, one by one, and give their sizes."""

    @abstractmethod
    def _finish(self) -> None:
        """Decide what is still open, or raise an error if there is nothing."""

    @abstractmethod
    def parse(self, data: bytes, line: int) -> Piece:
        """Return the rows of whole lines, the first of which has this number."""

    @abstractmethod
    def fields(
        self, data: bytes, line: int, columns: Sequence[str | int], of_lines: Sequence[int]
    ) -> list[tuple[str | None, ...]]:
        """Return some fields of lines that are rows, as they are written.

        ``line`` is the number of the first line, and ``of_lines`` those of the rows. Text is a
        plain str, any other value of JSON a :class:`JsonText`, and None says that there is none.
        """

    def check_kept(self, columns: Sequence[str | int]) -> None:
        """Raise an error if a field that should be kept is not there, or warn if it may come."""
        for column in columns:
            self.find(column, "keep")

    def last_end(self, data: bytes) -> int:
        """Return where the last whole row ends; 0 if there is none."""
        return data.rfind(b"\n") + 1

    @property
    def has_rows(self) -> bool:
        """Whether any line looked at is a row."""
        return self._n_rows > 0

    @property
    def can_decide(self) -> bool:
        """Whether the rows looked at have a column of numbers, and all that was named."""
        return self.has_rows and self._knows_what_was_named() and self._has_numbers()

    def _has_numbers(self) -> bool:
        return self._goes_by_request() or any(each.is_number for each in self._open_columns())

    def _open_columns(self) -> list[Evidence]:
        """Return what is known of the columns that may be features."""
        aside = self.excluded_columns(self.request)
        return [each for j, each in enumerate(self._evidence) if j not in aside]

    def _is_settled(self) -> bool:
        """Return whether no line that follows could change the schema.

        A stream has to be answered, so where a value tells its kind, the first one is believed.
        """
        if not self._knows_what_was_named():
            return False
        if self._goes_by_request():
            return True
        kinds = {each.first for each in self._open_columns()}
        if self.in_lines and self.tells_kinds and kinds == {"number", "text"}:
            return True
        return kinds <= {"number"}

    def _knows_what_was_named(self) -> bool:
        """Return whether all columns that were named are there, and what the times are."""
        request = self.request
        beside = [each for each in (request.label, request.time) if each is not None]
        named = [*(request.columns or ()), *request.exclude, *beside]
        if not self.names or not self._has_all(named):
            return False
        if request.time is not None:
            evidence = self._evidence[self.find(request.time, "time")]
            if evidence.first != "number" and not evidence.is_date:
                return False  # numbers or dates?
        return True

    def _goes_by_request(self) -> bool:
        """Return whether the features are those requested, whatever the columns contain."""
        return self.request.columns is not None or self.finds_features_by_name(self.request)

    def _has_all(self, columns: Iterable[str | int]) -> bool:
        """Return whether these columns are known, or never will be."""
        return True

    def why_not(self, column: int) -> str:
        """Say what makes a column text."""
        texts = self._evidence[column].texts
        return f"line {texts[0][0]} has {self._shown(texts[0][1])}" if texts else "it has no values"

    def check_notation(self, columns: Sequence[int]) -> None:
        """Refuse columns of numbers in another notation, and warn of empty ones."""
        empty = [self.names[j] for j in columns if self._evidence[j].first == "missing"]
        empty = [name for name in empty if name not in self._nameless and self._n_rows]
        if empty:
            warnings.warn(
                f"{self.title} has no values in the first {self._n_rows:,} rows of "
                f"{first_names(empty, NAMED)}: left out. If it is a feature, name it among the "
                "columns.",
                stacklevel=2,
            )
        foreign = {}  # columns that begin as text, and are mostly numbers in another notation
        for j in columns:
            evidence = self._evidence[j]
            if evidence.first == "text":
                found = [each for _, value in evidence.texts if (each := self._elsewhere(value))]
                if found and len(found) + evidence.n_numbers >= len(evidence.texts) - len(found):
                    foreign[j] = found
        if foreign:
            some = [f"{self.names[j]!r} ({self.why_not(j)})" for j in foreign]
            more = f" and {len(some) - NAMED} more" if len(some) > NAMED else ""
            self._tell_of_notation(
                foreign,
                f"{self.title} has columns that are text but look like numbers in another "
                f"notation: {', '.join(some[:NAMED])}{more}",
            )

    def _tell_of_notation(self, foreign: dict[int, list[list[int]]], problem: str) -> None:
        """Refuse columns that are numbers in other notations."""
        cures = self.notation.cures(chain.from_iterable(foreign.values()))
        raise TableError(
            problem,
            f"Read them with {cures}, or leave them out with "
            f"exclude={[self.names[j] for j in foreign]}",
        )

    def _elsewhere(self, value: Any) -> list[int]:
        """Return in which other notations a text is a number."""
        return self.notation.in_others(value.strip())

    @staticmethod
    def _shown(value: Any) -> str:
        return shown(value.strip())

    def _text_in_numbers(self, line: int, column: int, value: str) -> BadLine:
        hint = self.notation.hint(value)
        is_short = len(value) <= 20
        cure = f"If it stands for a missing value, give na=[{value!r}]" if is_short else "Fix it"
        return BadLine(
            line,
            self.names[column],
            f"{shown(value)} is text in a column of numbers",
            f"{hint or cure}; or leave the column out with exclude=[{self.names[column]!r}]",
            hint,
        )

    def _no_time(self, line: int, column: int, value: Any) -> BadLine:
        name, told = self.names[column], self._shown(value)
        what, cure = why_no_date(str(value))
        if self.has_dates:
            return BadLine(line, name, f"{told} {what}", cure)
        if self._evidence[column].first == "text":
            what = what.replace("is not a date", "is neither a number nor a date")
            return BadLine(line, name, f"{told} {what}", cure)
        hint = self.notation.hint(value.strip()) if isinstance(value, str) else ""
        what = f"{told} is not a number, as times before it are"
        return BadLine(
            line, name, what, hint or "Write all times as numbers, or all as dates", hint
        )

    # ------------------------------------------------------------------ to go on later

    def state(self) -> dict[str, Any]:
        """Return the schema as plain values: see :meth:`restore`."""
        chosen, options = self.selection, self._options_as_read()
        return {
            "format": self.format,
            "names": self.names,
            "has_names": self.has_names,
            "features": None if chosen is None else chosen.features,
            "time": None if chosen is None else chosen.time,
            "has_dates": self.has_dates,
            "is_named": self.is_named,
            "options": vars(options) | {"na": list(options.na)},
        }

    def _options_as_read(self) -> TextOptions:
        """Return the options with what the first lines have decided."""
        return self.options

    def restore(self, state: dict[str, Any]) -> None:
        """Go on with the schema of another parser of such lines."""
        names, features, options = state["names"], state["features"], state["options"]
        time = state["time"]
        if state["format"] != self.format or not (
            is_list(names, str)
            and is_list(features, int)
            and all(0 <= j < len(names) for j in features)
            and (time is None or (type(time) is int and 0 <= time < len(names)))
            and time not in features
            and isinstance(state["has_dates"], bool)
            and isinstance(state["is_named"], bool)
            and isinstance(state["has_names"], bool)
        ):
            raise ValueError("the rows were of another format before.")
        before = TextOptions(**options)
        for name, value in vars(self.options).items():
            if value not in (getattr(_PLAIN, name), getattr(before, name)):
                raise ValueError(f"{name} was {getattr(before, name)!r} before.")
        self.options = before
        self.notation = before.notation
        self.names = names
        self.has_names = state["has_names"]
        self.is_number = [True] * len(names)
        self._evidence = [Evidence() for _ in names]
        self.selection = Selection(features, None, [], True, time)
        self.has_dates = state["has_dates"]
        self.is_named = state["is_named"]
        if self.request.time is not None and self.find(self.request.time, "time") != time:
            before_it = "no column" if time is None else f"the column {names[time]!r}"
            raise ValueError(f"{before_it} was the time before.")
        asked = [self.find(each) for each in self.request.columns or ()]
        aside = self.excluded_columns(self.request)
        if (asked and asked != features) or any(j in features for j in aside):
            raise ValueError(f"the features were {', '.join(names[j] for j in features)} before.")


def is_list(value: object, kind: type) -> bool:
    """Return whether a value is a list of nothing but ``kind``."""
    return isinstance(value, list) and all(type(each) is kind for each in value)
