"""Which parser reads which kind of text."""

from __future__ import annotations

from dataclasses import replace

from ._columns import Request
from ._csv import CsvText
from ._ndjson import NdjsonText
from ._schema import TextOptions, TextParser


def text_parser(
    format: str, title: str, options: TextOptions, request: Request, *, in_lines: bool
) -> TextParser:
    """Return a parser of CSV, TSV or NDJSON."""
    options.check_for(format, title)
    if format == "ndjson":
        return NdjsonText(title, options, request, in_lines=in_lines)
    options = replace(options, delimiter="\t") if format == "tsv" else options
    return CsvText(title, options, request, in_lines=in_lines)
