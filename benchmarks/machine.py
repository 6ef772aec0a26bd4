"""Where and with what the figures are made."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("resonart", "scikit-learn", "numpy")
OPTIONAL_PACKAGES = ("artlib", "river", "hdbscan", "fast_hdbscan", "numba", "pyclustertend", "dask")


def describe_run(mode: str) -> dict[str, str]:
    """Return where and with what the figures are made."""
    packages = [*PACKAGES, *(package for package in OPTIONAL_PACKAGES if find_spec(package))]
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return {
        "date": date.today().isoformat(),
        "mode": mode,
        "processor": f"{_processor()}, {os.cpu_count()} cores{_memory()}",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "packages": versions,
        "load average before the run": _load(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _memory() -> str:
    """Size of the memory, where the system tells."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return ""
    return f", {size / 2**30:.0f} GiB"


def _load() -> str:
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"
