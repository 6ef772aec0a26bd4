"""Times of rows: dates, in ISO 8601 or written so that they can only mean one day, as seconds."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resonart._shared.dates import as_date, date_in_words

from ._pyarrow import require_pyarrow
from ._values import Floats

ISO = "ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00+01:00"
# What pyarrow reads as Python does; all other dates are read one by one.
PLAIN = r"^[12]\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
# Other dates that can only mean one day: the year first, or the month by its name.
_OTHER = re.compile(
    r"""(?:
        (?P<year>\d{4}) (?P<sign>[-/.]) (?P<month>\d\d?) (?P=sign) (?P<day>\d\d?)
      | (?:[a-z]{3,9},?\ )? (?P<day2>\d\d?) (?P<sign2>[-/\ ]) (?P<name>[a-z]{3,9})\.? (?P=sign2)
        (?P<year2>\d{4})
      | (?:[a-z]{3,9},?\ )? (?P<name3>[a-z]{3,9})\.?\ (?P<day3>\d\d?),?\ (?P<year3>\d{4})
    )(?:
        (?:[t:]|,?\ +) (?P<hour>\d\d?):(?P<minute>\d\d)(?: :(?P<second>\d\d(?:[.,]\d{1,6}\d*)?) )?
        (?:\ ?(?P<half>[ap])\.?m\.?)? (?:\ ?(?P<zone>z|utc|gmt|[+-]\d\d(?::?\d\d)?))?
    )?""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
# Which of the first two is the day differs from country to country.
_UNCLEAR = re.compile(r"\d\d?([-/.])\d\d?\1(?:\d\d){1,2}(?!\d).*", re.ASCII)


def seconds_of(text: str) -> float | None:
    """Return a date as seconds since 1970; None where a text is none.

    A date without an offset counts as one in UTC.

    Examples
    --------
    >>> seconds_of("1970-01-02"), seconds_of("1970-01-01T01:00:00.5+01:00"), seconds_of("soon")
    (86400.0, 0.5, None)
    >>> seconds_of("1970/1/2"), seconds_of("1970/01/01 1:00 pm"), seconds_of("2 Jan 1970")
    (86400.0, 46800.0, 86400.0)
    """
    text = text.strip()
    try:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            found = datetime.fromisoformat(_in_iso(text))
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return ((found - _EPOCH) // _TICK) / 1e6
    except (ValueError, OverflowError):
        return None


def _in_iso(text: str) -> str:
    """Return another date in ISO 8601, or raise ValueError if it is none."""
    found = _OTHER.fullmatch(text)
    if found is None:
        raise ValueError(text)
    part = found.groupdict()
    name = (part["name"] or part["name3"] or "").lower()
    months = [m for m, full in enumerate(_MONTHS, 1) if name and full.startswith(name)]
    [month] = months if name else [int(part["month"])]
    year = part["year"] or part["year2"] or part["year3"]
    day = int(part["day"] or part["day2"] or part["day3"])
    date = f"{year}-{month:02}-{day:02}"
    if part["hour"] is None:
        return date
    hour = int(part["hour"])
    if part["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(text)
        hour = hour % 12 + (12 if part["half"] in "pP" else 0)
    zone = (part["zone"] or "").upper()
    zone = "Z" if zone in ("UTC", "GMT") else zone
    second = (part["second"] or "00").replace(",", ".")
    return f"{date}T{hour:02}:{part['minute']}:{second}{zone}"


def why_no_date(text: str) -> tuple[str, str]:
    """Return what is wrong with a text that is no date, and how to write one.

    Examples
    --------
    >>> why_no_date("01/02/2026")
    ('may have the day or the month first', 'Write the year first, as in 2026-01-31')
    >>> why_no_date("soon")[0]
    'is not a date'
    """
    if _UNCLEAR.fullmatch(text.strip()):
        return "may have the day or the month first", "Write the year first, as in 2026-01-31"
    return "is not a date", f"Write dates in {ISO}"


def is_date(value: object) -> bool:
    """Return whether a value is the text of a date.

    Examples
    --------
    >>> is_date("2026-01-31 09:30"), is_date("9:30"), is_date(20260131)
    (True, False, False)
    """
    return isinstance(value, str) and seconds_of(value) is not None


def seconds_of_many(texts: Any, missing: Collection[str]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return an Arrow array of dates as seconds, NaN where missing, and which are no dates."""
    pa = require_pyarrow("Reading dates", "compute")
    compute = pa.compute
    text = compute.utf8_trim_whitespace(texts)
    absent = compute.is_in(text, value_set=pa.array(sorted(missing), pa.string()))
    text = compute.if_else(absent, pa.scalar(None, pa.string()), text)
    written = text
    for sign in ("/", "\\."):
        year_first = rf"^(\d{{4}}){sign}(\d\d){sign}(\d\d)"
        text = compute.replace_substring_regex(text, pattern=year_first, replacement=r"\1-\2-\3")
    for end, zone in (("$", None), (r"(?:Z|[+-]\d\d:\d\d)$", "UTC")):
        if compute.all(compute.match_substring_regex(text, PLAIN + end)).as_py():
            try:
                return seconds_of_dates(text.cast(pa.timestamp("us", zone))), np.zeros(
                    len(text), dtype=np.bool_
                )
            except pa.ArrowInvalid:  # as of the 30th of February
                break
    seconds = np.full(len(text), np.nan)
    is_none = np.zeros(len(text), dtype=np.bool_)
    for i, each in enumerate(written.to_pylist()):
        if each is not None:
            found = seconds_of(each)
            if found is None:
                is_none[i] = True
            else:
                seconds[i] = found
    return seconds, is_none


def seconds_of_dates(dates: Any) -> Floats:
    """Return an Arrow array of dates or timestamps as seconds since 1970, NaN where missing."""
    pa = require_pyarrow("Reading dates", "compute")
    zone = dates.type.tz if pa.types.is_timestamp(dates.type) else None
    ticks = dates.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64())
    is_missing = np.asarray(ticks.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
    whole = np.asarray(ticks.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
    seconds: Floats = whole.astype(np.float64) / 1e6
    seconds[is_missing] = np.nan
    return seconds


def are_back(times: Floats, last: float) -> NDArray[np.bool_]:
    """Return which times are before an earlier one; ``last`` is the one before all of them.

    Examples
    --------
    >>> are_back(np.array([1.0, 3.0, 2.0, 3.0]), 1.0)
    array([False, False,  True, False])
    """
    latest = np.maximum.accumulate(np.concatenate([[last], times]))
    return np.asarray(times < latest[:-1])


def in_words(time: float | np.datetime64, is_date_column: bool = False) -> str:
    """Return a time as it may have been written: a number, or a date, which may be in seconds.

    Examples
    --------
    >>> in_words(86400.5, True), in_words(86400.5), in_words(np.datetime64("1970-01-02"))
    ('1970-01-02T00:00:00.5', '86400.5', '1970-01-02T00:00:00')
    """
    if isinstance(time, np.datetime64):
        return date_in_words(time)
    if is_date_column:
        return date_in_words(as_date(time))
    return re.sub(r"\.0$", "", repr(float(time)))
