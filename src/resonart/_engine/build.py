"""How the engine was built and what it uses on this machine, for bug reports."""

from __future__ import annotations

import platform
import sys
from typing import Any

from .. import _core


def build_facts() -> dict[str, Any]:
    """Return how the engine was built, and what it uses on this machine.

    Returns
    -------
    facts : dict
        ``compiler`` with its version, ``cxx_standard`` as the compiler reports it, ``nanobind``,
        ``stable_abi`` (one build for Python 3.12 and later), ``free_threaded`` (needs no GIL),
        ``sanitized``; ``simd``, the kernels in use, and ``simd_available``, those this processor
        can run; ``index``, whether boxes are searched through the index: "auto", "on" or "off".

    Examples
    --------
    >>> facts = build_facts()
    >>> facts["simd"] in facts["simd_available"], facts["index"] in ("auto", "on", "off")
    (True, True)
    """
    return {
        **_core.build_facts(),
        "simd": _core.simd_in_use(),
        "simd_available": _core.simd_available(),
        "index": _core.index_in_use(),
    }


def version_text(version: str) -> str:
    """Return the version and the facts of the build, as ``resonart --version`` shows them.

    The first line has only the version.

    Examples
    --------
    >>> print(version_text("1.2.3"))  # doctest: +ELLIPSIS
    resonart 1.2.3
    built by ... with nanobind ... for ...
    kernels ... (of ...), index ...
    CPython ... on ...
    """
    facts = build_facts()
    return "\n".join(
        [
            f"resonart {version}",
            f"built by {facts['compiler']} with nanobind {facts['nanobind']} for {abi(facts)}",
            f"kernels {facts['simd']} (of {', '.join(facts['simd_available'])}), "
            f"index {facts['index']}",
            f"{platform.python_implementation()} {platform.python_version()} "
            f"on {platform.platform()}",
        ]
    )


def abi(facts: dict[str, Any]) -> str:
    """Return in words for which versions of Python the build is."""
    here = "Python {}.{}".format(*sys.version_info)
    if facts["free_threaded"]:
        kind = f"{here} without the GIL"
    elif facts["stable_abi"]:
        kind = "Python 3.12 and later"
    else:
        kind = here
    return kind + (", with sanitizers" if facts["sanitized"] else "")
