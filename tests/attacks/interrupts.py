"""Ctrl-C at any moment, in calls of the library and in commands.

A call that was interrupted leaves the model exactly as it was, or as it would have become. A
command ends with 130, and every file it writes is there whole, or as it was before, and no other.
"""

from __future__ import annotations

import json
import pickle
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import resonart
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, tables

from .children import OUTSIDE, children

needs_processes = True

# From the signal to the end of the call: a second is the promise, the rest is for a busy machine.
MOST_LATE = 10.0
TIMES = 6


def trial(random: np.random.Generator, folder: Path) -> str:
    """Interrupt a call, or a command."""
    if random.random() < 0.6:
        seed = int(random.integers(2**31))
        place = folder / "library"
        place.mkdir()
        end = children.run("attacks.interrupts:in_library", seed, folder=place, timeout=120.0)
        assert end.code == 0, end.stderr
        return end.stdout.strip()
    return _in_command(random, folder)


# ---------------------------------------------------------------------- the library


def in_library(seed: int) -> None:
    """Interrupt one call several times, as it happens, in a process of its own."""
    random = np.random.default_rng(seed)
    name, prepare = list(CALLS.items())[int(random.integers(len(CALLS)))]
    before, call = prepare(random)
    begin = time.perf_counter()
    after = _called(before, call)
    seconds = time.perf_counter() - begin
    n_hit = 0
    for _ in range(TIMES):
        model = pickle.loads(before)
        done, late = _interrupted(lambda model=model: call(model), random.uniform(0, 1.1 * seconds))
        assert late < MOST_LATE, f"{name} went on for {late:.1f} s"
        found = pickle.dumps(model)
        if done:
            assert found == after, f"{name} was not interrupted, and is another all the same"
        else:
            n_hit += 1
            assert found in (before, after), (
                f"{name}: neither as it was nor as it would have become"
            )
        _go_on(model)
    print(f"{name} hit" if n_hit else f"{name} missed")


def _called(before: bytes, call: Callable[[Any], object]) -> bytes:
    model = pickle.loads(before)
    call(model)
    return pickle.dumps(model)


def _interrupted(call: Callable[[], object], after: float) -> tuple[bool, float]:
    """Return whether the call was done before Ctrl-C came, and how long after it it ended."""
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    done = False
    begin = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, max(after, 1e-6))
        call()
        done = True
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass
    except ValueError as error:
        # NumPy makes this of Ctrl-C while it looks at a buffer's type; calls that ask only may
        # pass it on.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        late = time.perf_counter() - begin - after
        signal.signal(signal.SIGALRM, old)
    return done, late


def _go_on(model: Any) -> None:
    """An interrupted model has to be one that works."""
    if hasattr(model, "n_features_in_"):
        rows = np.full((3, model.n_features_in_), 0.5)
        model.predict(rows)
        if "order" in model.get_params():
            model.set_params(order="given")
        model.partial_fit(rows)


def _rows(random: np.random.Generator, most: int = 4_000) -> Any:
    n_rows, n_features = int(random.integers(50, most)), int(random.integers(1, 6))
    centres = random.random((int(random.integers(1, 8)), n_features))
    spread = random.uniform(0.005, 0.1)
    rows = centres[random.integers(len(centres), size=n_rows)]
    return np.clip(rows + random.normal(0, spread, rows.shape), 0, 1)


def _model(random: np.random.Generator, *, only: str | None = None) -> Any:
    lower = float(random.uniform(0.7, 0.97))
    upper = float(random.uniform(lower, 0.995))
    bounds = (0.0, 1.0) if random.random() < 0.6 else None
    most = int(random.integers(20, 400)) if random.random() < 0.3 else None
    kinds: dict[str, Callable[[], Any]] = {
        "FuzzyART": lambda: FuzzyART(rho=upper, bounds=bounds, max_categories=most),
        "DVFA": lambda: DVFA(rho_lb=lower, rho_ub=upper, bounds=bounds, max_categories=most),
        "DDVFA": lambda: DDVFA(
            rho_lb=lower,
            rho_ub=upper,
            bounds=bounds,
            max_categories=most,
            linkage=str(random.choice(["single", "median", "average"])),
            merge_every=int(random.integers(20, 500)) if random.random() < 0.5 else None,
            random_state=0,
        ),
        "TopoART": lambda: TopoART(rho_a=upper, bounds=bounds, max_categories=most),
        "DensityART": lambda: DensityART(
            bounds=bounds, max_categories=most or 10_000, **_forgetting(random)
        ),
    }
    return kinds[only or str(random.choice(list(kinds)))]()


def _forgetting(random: np.random.Generator) -> dict[str, float]:
    """Nothing is forgotten, or rows fade, or only some of them are known."""
    how = random.choice(["not", "half_life", "window"])
    return {} if how == "not" else {str(how): float(random.choice([20, 150, 2_000]))}


def _kept(model: Any) -> bytes:
    """Return a model as it comes out of a pickle, whose bytes tell equal strings from one."""
    return pickle.dumps(pickle.loads(pickle.dumps(model)))


Prepared = tuple[bytes, Callable[[Any], object]]


def _fit(random: np.random.Generator) -> Prepared:
    rows = _rows(random)
    model = _model(random)
    if random.random() < 0.5:
        model.fit(rows[:20])
    order = str(random.choice(["given", "random", "vat"]))
    if "order" in model.get_params():  # DensityART has none
        model.set_params(order=order, random_state=0)
    return _kept(model), lambda model: model.fit(rows)


def _fit_auto(random: np.random.Generator) -> Prepared:
    rows = _rows(random, 300)
    model = DDVFA(random_state=0) if random.random() < 0.7 else FuzzyART(rho="auto", random_state=0)
    return _kept(model), lambda model: model.fit(rows)


def _partial_fit(random: np.random.Generator) -> Prepared:
    rows = _rows(random)
    model = _model(random)
    if random.random() < 0.8:
        model.partial_fit(rows[: len(rows) // 2])
    return _kept(model), lambda model: model.partial_fit(rows)


def _learn_many(random: np.random.Generator) -> Prepared:
    rows = _rows(random)
    model = _model(random).partial_fit(rows[: len(rows) // 2])
    return _kept(model), lambda model: model.learn_many(rows)


def _learn_one(random: np.random.Generator) -> Prepared:
    rows = _rows(random)
    model = _model(random).partial_fit(rows[:-1])
    return _kept(model), lambda model: model.learn_one(rows[-1])


def _merge(random: np.random.Generator) -> Prepared:
    model = _model(random, only="DDVFA").partial_fit(_rows(random))
    return _kept(model), lambda model: model.merge()


def _merge_models(random: np.random.Generator) -> Prepared:
    rows = _rows(random)
    model = _model(random, only="DDVFA").set_params(bounds=(0.0, 1.0)).partial_fit(rows)
    others = [pickle.loads(pickle.dumps(model)) for _ in range(3)]
    return _kept(model), lambda model: resonart.merge_models([model, *others])


def _read(random: np.random.Generator) -> Prepared:
    rows = _rows(random)
    model = _model(random).fit(rows)
    method = str(random.choice(["predict", "score_samples", "transform"]))
    return _kept(model), lambda model: getattr(model, method)(rows)


def _tell(random: np.random.Generator) -> Prepared:
    rows = _rows(random, 1_000)
    model = _model(random).fit(rows)
    return _kept(model), lambda model: (
        str(model.describe()), str(model.explain(rows[0])), model.labels_, model.boxes_,
    )  # fmt: skip


def _plane(random: np.random.Generator) -> Prepared:
    from resonart.tuning import VigilancePlane

    rows = _rows(random, 200)
    plane = VigilancePlane(
        DDVFA(rho_lb=0.5, rho_ub=0.5), step=0.1, n_orders=2, random_state=0, progress=False
    )

    def call(model: Any) -> None:
        pickle.loads(_kept(plane)).fit(rows)

    return _kept(_model(random)), call


def _save(random: np.random.Generator) -> Prepared:
    path = Path("model.resonart")
    rows = _rows(random)
    old = _model(random)
    old.save(path)
    model = _model(random).fit(rows)
    new = Path("new")
    model.save(new)
    known = {path.read_bytes(), new.read_bytes()}
    new.unlink()

    def call(model: Any) -> None:
        try:
            model.save(path)
        finally:
            names = [each.name for each in Path().iterdir()]
            assert names == [path.name], names
            assert path.read_bytes() in known

    return _kept(model), call


def _load(random: np.random.Generator) -> Prepared:
    model = _model(random).fit(_rows(random))
    model.save("model.resonart")
    return _kept(model), lambda model: resonart.load("model.resonart")


CALLS: dict[str, Callable[[np.random.Generator], Prepared]] = {
    "fit": _fit,
    "fit auto": _fit_auto,
    "partial_fit": _partial_fit,
    "learn_many": _learn_many,
    "learn_one": _learn_one,
    "merge": _merge,
    "merge_models": _merge_models,
    "read": _read,
    "tell": _tell,
    "plane": _plane,
    "save": _save,
    "load": _load,
}


# ---------------------------------------------------------------------- commands

GIVEN = ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.95"]
# What begins with out is written.
COMMANDS = [
    ["cluster", "rows.csv", *GIVEN, "-o", "out.csv", "--save", "out.resonart"],
    ["cluster", "rows.csv", *GIVEN, "-o", "out.parquet", "--scores", "--in-memory-rows", "200"],
    ["cluster", "rows.ndjson", *GIVEN, "--picture", "out.png", "--report"],
    ["predict", "model.resonart", "rows.csv", "-o", "out.csv.gz", "--scores"],
    ["predict", "model.resonart", "rows.ndjson", "-o", "out.npy"],
    ["merge", "model.resonart", "other.resonart", "-o", "out.resonart"],
    ["vat", "rows.csv", "-o", "out.csv"],
    ["plane", "rows.csv", "-o", "out.csv", "--step", "0.25", "--orders", "2", "--sample", "60"],
    ["describe", "model.resonart"],
    ["explain", "model.resonart", "rows.csv", "--row", "7"],
]


def _in_command(random: np.random.Generator, folder: Path) -> str:
    place = folder / "place"
    place.mkdir()
    rows = _rows(random, 3_000)
    names = [f"x{j}y" for j in range(rows.shape[1])]
    for name in ("rows.csv", "rows.ndjson"):
        tables.write_table(place / name, dict(zip(names, rows.T, strict=True)))
    for name in ("model.resonart", "other.resonart"):
        model = DDVFA(rho_lb=0.8, rho_ub=0.95, bounds=(0.0, 1.0), random_state=0).fit(rows)
        model.feature_names_in_ = np.array(names, dtype=object)
        model.save(place / name)
    arguments = COMMANDS[int(random.integers(len(COMMANDS)))]
    written = [part for part in arguments if part.startswith("out.")]
    if random.random() < 0.4:
        arguments = [*arguments, "--json"]
    expected = folder / "expected"
    shutil.copytree(place, expected)
    whole = children.run("attacks.children:command", *arguments, folder=expected)
    assert whole.code == 0, whole.stderr
    if random.random() < 0.5:
        for name in written:
            (place / name).write_bytes(b"before")
    n_hit = 0
    for _ in range(TIMES):
        before = {each.name: each.read_bytes() for each in place.iterdir()}
        end = children.run(
            "attacks.children:command",
            *arguments,
            folder=place,
            signal_number=signal.SIGINT,
            after=float(random.uniform(0, 1.05 * whole.seconds)),
        )
        _check_end(end.code, end.stdout, end.stderr, "--json" in arguments)
        n_hit += end.code != 0
        after = {each.name: each.read_bytes() for each in place.iterdir()}
        for name, content in after.items():
            if name in written and content != before.get(name):
                assert content == (expected / name).read_bytes(), f"{name} is not whole"
            else:
                assert name in before, f"{name} was left behind by {arguments}"
                assert content == before[name], f"{name} has changed by {arguments}"
        assert set(before) <= set(after)
        if end.code == 0:
            assert set(written) <= set(after)
    return f"{arguments[0]} {'hit' if n_hit else 'missed'}"


def _check_end(code: int, stdout: str, stderr: str, is_json: bool) -> None:
    assert code in (0, 130, OUTSIDE), f"ended with {code}: {stderr}"
    if code == OUTSIDE:
        return
    if "Exception ignored" not in stderr:  # where Python itself has swallowed it
        assert "Traceback" not in stderr, stderr
    if code == 130:
        assert "resonart: interrupted." in stderr
    if is_json and stdout:
        json.loads(stdout)
