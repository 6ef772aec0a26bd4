"""Errors of streams that cannot go on."""

from __future__ import annotations


class StreamError(ValueError):
    """A stream cannot begin or go on; one line says why, and what to do."""
