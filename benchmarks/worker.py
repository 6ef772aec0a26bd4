"""Inside the fresh process: ``python -m benchmarks.worker MODULE FUNCTION TASK``.

The function yields dictionaries, which are told one a line as JSON. Libraries may print what they
like: it goes to the error stream.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import warnings

GIGABYTE = 2**30


def main(module: str, function: str, text: str) -> None:
    """Do the task, and tell what comes of it."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    limit = int(float(os.environ["RESONART_BENCH_GIGABYTES"]) * GIGABYTE)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    warnings.simplefilter("ignore")
    for line in getattr(importlib.import_module(module), function)(**json.loads(text)):
        print(json.dumps(line), file=told, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
