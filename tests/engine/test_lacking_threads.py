"""Where the system starts no more threads, calls go on with those there are and find the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

from resonart import _core

# Under a limit on memory: what is left is less than the stack of one thread, or enough for a few.
CODE = """
import resource, sys
import numpy as np
from resonart import DDVFA, TopoART, DVFA, vat_order
from resonart.tuning import VigilancePlane

random = np.random.default_rng(0)
narrow, wide, long = random.random((150, 2)), random.random((150, 20)), random.random((3000, 3))

def everything():
    yield from (vat_order(rows, n_jobs=4) for rows in (narrow, wide, long))
    yield from (DDVFA(random_state=0).fit(rows).labels_ for rows in (narrow, wide))
    yield DVFA(rho_lb=0.8, rho_ub=0.9, order="vat").fit(narrow).labels_
    plane = VigilancePlane(DDVFA(), step=0.1, n_orders=2, random_state=0, n_jobs=4)
    yield plane.fit(narrow).sweep_.n_clusters

{before}
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = used + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
{after}
"""


def run_under_limit(before: str, after: str, mebibytes: int) -> None:
    code = CODE.replace("{before}", before).replace("{after}", after)
    out = subprocess.run(
        [sys.executable, "-c", code, str(mebibytes)], capture_output=True, text=True, timeout=120
    )
    assert out.returncode == 0, out.stderr


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.parametrize("mebibytes", [4, 12, 40])
def test_the_results_are_the_same(mebibytes: int) -> None:
    run_under_limit(
        "expected = list(everything())",
        "for found, wanted in zip(everything(), expected, strict=True):\n"
        "    assert np.array_equal(found, wanted)",
        mebibytes,
    )


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_a_first_call_ends() -> None:
    """Before any thread was started, none has left its stack to the next."""
    run_under_limit("", "assert len(vat_order(narrow)) == len(vat_order(wide)) == 150", 4)


def test_threads_are_counted() -> None:
    assert _core.threads_to_be_had(0) == _core.threads_to_be_had(1) == 1
    assert _core.threads_to_be_had(3) == 3
