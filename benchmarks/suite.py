"""How much of the suite is asked: in full, and in tiny for a look at whether it works."""

from __future__ import annotations

from dataclasses import dataclass

from . import both_ways, first_use, growth, latency, merging, one_pass, predict, roofline, threads
from .contenders import BY_NAME
from .contenders.resonart import TWO_THOUSAND_NAME
from .processes import Limits
from .shapes import Workload
from .tuning import Budget


@dataclass(frozen=True)
class Suite:
    """A size for each question."""

    one_pass: one_pass.Size
    growth: growth.Size
    both_ways: both_ways.Size
    roofline: roofline.Size
    merging: merging.Size
    latency: latency.Size
    predict: predict.Size
    first_use: first_use.Size
    threads: threads.Size


REPEATS = 3
EVERYBODY = tuple(BY_NAME)
LEARNERS = tuple(name for name in EVERYBODY if name != TWO_THOUSAND_NAME)
OURS = tuple(name for name, one in BY_NAME.items() if one.package == "resonart")
IN_A_PLANE = tuple(Workload(shape, 2) for shape in ("blobs", "spirals", "rings", "noisy rings"))
WIDER = tuple(Workload(shape, width) for width in (8, 32) for shape in ("blobs", "rings"))
BUDGET = Budget(n_rows=5_000, seconds=15.0)

FULL = Suite(
    one_pass.Size(
        names=EVERYBODY,
        workloads=(*IN_A_PLANE, *WIDER),
        n_rows=(10_000, 100_000, 1_000_000),
        repeats=REPEATS,
        enough_seconds=12.0,
        budget=BUDGET,
        limits=Limits(45.0),
        goal_limits=Limits(300.0),
    ),
    growth.Size(
        n_categories=(1_000, 4_000, 16_000, 64_000),
        widths=(2, 4, 8, 16),
        models=growth.MODELS,
        repeats=5,  # where a process has its arrays matters to caches
        limits=Limits(120.0),
    ),
    both_ways.Size(
        names=OURS,
        workloads=(*IN_A_PLANE, *WIDER),
        n_rows=(10_000, 100_000),
        ask_rows=20_000,
        enough_seconds=6.0,
        most_turns=40,
        budget=BUDGET,
        limits=Limits(120.0),
    ),
    roofline.Size(
        widths=(2, 8, 32),
        n_categories=(1_000, 8_000, 64_000, 256_000),
        repeats=REPEATS,
        batch_seconds=0.5,
        limits=Limits(120.0),
    ),
    merging.Size((2, 8), (5_000, 20_000), repeats=REPEATS, limits=Limits(120.0)),
    latency.Size(
        names=LEARNERS,
        marks=(100, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
        repeats=REPEATS,
        stream_seconds=12.0,
        limits=Limits(60.0),
    ),
    predict.Size(
        names=EVERYBODY,
        workloads=(Workload("rings", 2), Workload("rings", 8)),
        fit_rows=10_000,
        most_rows=200_000,
        batch_seconds=1.0,
        repeats=REPEATS,
        budget=BUDGET,
        limits=Limits(90.0),
    ),
    first_use.Size(names=EVERYBODY, repeats=REPEATS, limits=Limits(240.0)),
    threads.Size(
        tasks=(*threads.PREDICT, threads.PLANE),
        predict_rows=1_000_000,
        plane_rows=500,
        plane_step=0.02,
        plane_orders=8,
        repeats=REPEATS,
        limits=Limits(90.0),
    ),
)

TINY_BUDGET = Budget(n_rows=200, seconds=1.0)
TINY_LIMITS = Limits(20.0)
QUICK = Suite(
    one_pass.Size(
        names=(TWO_THOUSAND_NAME, "river DBSTREAM", "scikit-learn Birch"),
        workloads=(Workload("rings", 2),),
        n_rows=(300,),
        repeats=1,
        enough_seconds=1.0,
        budget=TINY_BUDGET,
        limits=TINY_LIMITS,
        goal_limits=TINY_LIMITS,
    ),
    growth.Size((100, 200), (2,), ("FuzzyART",), repeats=1, limits=TINY_LIMITS),
    both_ways.Size(
        names=("resonart FuzzyART",),
        workloads=(Workload("rings", 2),),
        n_rows=(300,),
        ask_rows=200,
        enough_seconds=0.1,
        most_turns=2,
        budget=TINY_BUDGET,
        limits=TINY_LIMITS,
    ),
    roofline.Size((2,), (200,), repeats=1, batch_seconds=0.01, limits=TINY_LIMITS),
    merging.Size((2,), (300,), repeats=1, limits=TINY_LIMITS),
    latency.Size(
        names=("resonart DDVFA", "river DBSTREAM", "scikit-learn DBSCAN"),
        marks=(100, 200),
        repeats=1,
        stream_seconds=1.0,
        limits=TINY_LIMITS,
    ),
    predict.Size(
        names=(TWO_THOUSAND_NAME, "river DBSTREAM"),
        workloads=(Workload("rings", 2),),
        fit_rows=200,
        most_rows=400,
        batch_seconds=0.1,
        repeats=1,
        budget=TINY_BUDGET,
        limits=TINY_LIMITS,
    ),
    first_use.Size(("resonart DDVFA", "scikit-learn Birch"), repeats=1, limits=TINY_LIMITS),
    threads.Size(
        tasks=("FuzzyART.predict", threads.PLANE),
        predict_rows=1_000,
        plane_rows=60,
        plane_step=0.1,
        plane_orders=2,
        repeats=1,
        limits=TINY_LIMITS,
    ),
)
