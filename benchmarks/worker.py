"""Inside the fresh process: ``python -m benchmarks.worker QUESTION TASK``, one JSON line a result.

Libraries may print what they like: it goes to the error stream.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import warnings
from typing import Any

GIGABYTE = 2**30


def main(question: str, text: str) -> None:
    """Let the question do its task, and pass on what it tells."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    limit = int(float(os.environ["RESONART_BENCH_GIGABYTES"]) * GIGABYTE)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    warnings.simplefilter("ignore")

    def tell(line: dict[str, Any]) -> None:
        print(json.dumps(line), file=told, flush=True)

    importlib.import_module(f"benchmarks.{question}").child(json.loads(text), tell)


if __name__ == "__main__":
    main(*sys.argv[1:])
