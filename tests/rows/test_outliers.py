"""A few rows that take most of a range: told, with the line that helps, and not told in vain."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

import resonart
from resonart import DDVFA, DVFA, DensityART, FuzzyART, OutlierWarning, TopoART, datasets
from resonart.tuning import VigilancePlane, choose_vigilance

Floats = NDArray[np.float64]

X, Y = make_moons(600, noise=0.05, random_state=0)
SPOILT = np.vstack([X, [[100.0, 100.0]]])


def caught(work: Any) -> list[OutlierWarning]:
    """Run it, and return the warnings of outliers."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", OutlierWarning)
        work()
    return [each.message for each in heard if isinstance(each.message, OutlierWarning)]


def test_the_line_that_is_given_repairs_the_result() -> None:
    warning = caught(lambda: DDVFA(random_state=0).fit(SPOILT))[0]
    assert warning.features == (0, 1)
    assert warning.rows == (600,)
    line = re.search(r"DDVFA\(.*\)$", str(warning))
    assert line is not None
    model = eval(line.group())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(random_state=0).fit(SPOILT)
    assert adjusted_rand_score(Y, model.labels_[:-1]) == 1.0


@pytest.mark.parametrize(
    "model",
    [
        FuzzyART(rho=0.8),
        DVFA(rho_lb=0.8, rho_ub=0.9),
        DDVFA(rho_lb=0.8, rho_ub=0.9),
        TopoART(rho_a=0.8),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_way_of_learning_ranges_tells_once(model: Any) -> None:
    from sklearn.base import clone

    for way in ("fit", "partial_fit", "learn_many"):
        found = caught(lambda way=way: getattr(clone(model), way)(SPOILT))
        assert len(found) == 1
        assert f"{type(model).__name__}(bounds=" in str(found[0])
        assert not caught(lambda way=way: getattr(clone(model), way)(X))


@pytest.mark.parametrize("far", [10.0, 100.0, 1e17])
def test_density_art_is_silent_for_its_result_is_good(far: float) -> None:
    """The row is noise, and neither the clusters nor what is said of other rows depend on it."""
    random = np.random.default_rng(0)
    labels = random.integers(3, size=400)
    blobs = random.normal(size=(400, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[labels]
    spoilt = np.vstack([blobs[:200], [[12.0 + far, 0.0]]])
    for way in ("fit", "partial_fit", "learn_many"):
        model = DensityART()
        assert not caught(lambda way=way, model=model: getattr(model, way)(spoilt))
        assert model.labels_[-1] == -1 or way != "fit"
        assert adjusted_rand_score(labels[200:], model.predict(blobs[200:])) > 0.95
    # Nor is anybody told to clip those away who come later.
    model = DensityART().partial_fit(blobs[:200])
    assert not caught(lambda: model.partial_fit(blobs[:20] + 12.0 + far))
    # Ranges that stay as the first rows make them are another matter.
    fixed = DensityART(out_of_bounds="clip")
    assert len(caught(lambda: fixed.fit(spoilt))) == (far > 10.0)


def test_ranges_that_rows_do_not_change_are_not_talked_about() -> None:
    low, high = X.min(axis=0), X.max(axis=0)
    clipping = FuzzyART(rho=0.8, bounds=(low, high), out_of_bounds="clip")
    assert not caught(lambda: clipping.fit(SPOILT))
    assert not caught(lambda: FuzzyART(rho=0.8, bounds=(-200, 200)).fit(SPOILT))
    found = caught(lambda: FuzzyART(rho=0.8, bounds=(low, high)).fit(SPOILT))
    assert [each.rows for each in found] == [(600,)]


def test_names_and_values_are_told() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(SPOILT, columns=["length\x1b[31m", "width"])
    warning = caught(lambda: FuzzyART(rho=0.8).fit(frame))[0]
    assert "'width' (98 %: 100, where the others lie in" in str(warning)
    assert "\x1b" not in str(warning)
    assert "row 600" in str(warning)


def test_one_in_a_thousand_rows_and_no_more() -> None:
    rows = np.vstack([X] * 5)
    few, many = rows.copy(), rows.copy()
    few[:3], many[:4] = 100.0, 100.0
    model = FuzzyART(rho=0.8)
    assert [each.rows for each in caught(lambda: model.fit(few))] == [(0, 1, 2)]
    assert not caught(lambda: model.fit(many))


def test_outliers_on_both_sides_and_those_close_by() -> None:
    rows = np.linspace(0.0, 1.0, 3000).reshape(-1, 1)
    rows[5], rows[9], rows[7] = -50.0, 80.0, 1.2  # the last of these is no outlier
    warning = caught(lambda: FuzzyART(rho=0.8).fit(rows))[0]
    assert warning.rows == (5, 9)
    assert warning.bounds is not None
    assert warning.bounds.high.tolist() == [1.2]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.bool_])
def test_any_kind_of_number(dtype: Any) -> None:
    rows = np.zeros((200, 3))
    rows[::2, 0] = 1.0
    rows[7:12, 1] = [1.0, 1.0, 2.0, 1.0, 50.0]  # nearly constant: rare marks squeeze nothing
    rows[::3, 2] = 1.0
    model = FuzzyART(rho=0.5)
    assert not caught(lambda: model.fit(rows.astype(dtype)))
    if dtype is not np.bool_:
        rows[8, 2] = 200.0
        assert [each.rows for each in caught(lambda: model.fit(rows.astype(dtype)))] == [(8,)]


def test_a_few_rows_tell_nothing() -> None:
    rows = np.append(np.arange(40.0), 5000.0).reshape(-1, 1)
    assert not caught(lambda: FuzzyART(rho=0.5).fit(rows))


def test_a_stream_tells_when_a_few_rows_double_a_range() -> None:
    model = DVFA(rho_lb=0.8, rho_ub=0.9).partial_fit(X)
    late = np.vstack([X[:20], [[300.0, 0.0]]])
    found = caught(lambda: model.partial_fit(late))
    assert [(each.features, each.rows) for each in found] == [((0,), (20,))]
    assert "row 20 of this call" in str(found[0])
    assert "1 of 621 rows" in str(found[0])
    # Again and again: the range has it already.
    assert not caught(lambda: [model.partial_fit(late) for _ in range(5)])
    # A stream that goes elsewhere is no outlier.
    assert not caught(lambda: model.learn_many(X + 5000.0))
    assert len(caught(lambda: model.learn_many([[1e6, 0.0]]))) == 1


def test_a_warning_made_an_error_leaves_the_model_as_it_was() -> None:
    model = DVFA(rho_lb=0.8, rho_ub=0.9).partial_fit(X)
    before = model.bounds_, model.weights_, model.n_samples_seen_
    for call in (model.partial_fit, model.learn_many, model.fit):
        with warnings.catch_warnings():
            warnings.simplefilter("error", OutlierWarning)
            with pytest.raises(OutlierWarning):
                call(SPOILT)
        after = model.bounds_, model.weights_, model.n_samples_seen_
        np.testing.assert_array_equal(before[0], after[0])
        np.testing.assert_array_equal(before[1], after[1])
        assert before[2] == after[2]


def test_tuning_tells_too_and_before_it_begins() -> None:
    assert len(caught(lambda: choose_vigilance(SPOILT, n_orders=1, random_state=0))) == 1
    plane = VigilancePlane(FuzzyART(rho=0.5), n_orders=2, random_state=0)
    assert len(caught(lambda: plane.fit(SPOILT, np.append(Y, 0)))) == 1


def test_many_features_get_a_line_without_numbers() -> None:
    rows = np.random.default_rng(0).random((500, 30))
    rows[3] = 1000.0
    warning = caught(lambda: FuzzyART(rho=0.8).fit(rows))[0]
    assert "and 27 features more" in str(warning)
    low, high = np.sort(rows, axis=0)[[1, -2]]
    assert "low, high = np.sort(X, axis=0)[[1, -2]]" in str(warning)
    model = FuzzyART(rho=0.8, bounds=(low, high), out_of_bounds="clip")
    assert not caught(lambda: model.fit(rows))


@pytest.mark.parametrize("name", datasets.list())
def test_ordinary_data_is_silent(name: str, data_folder: Path) -> None:
    rows = datasets.load(name)[0]
    assert not caught(lambda: FuzzyART(rho=0.5).fit(rows))


@pytest.mark.parametrize("shape", ["normal", "uniform", "standard_cauchy"])
def test_the_glance_finds_what_a_full_look_finds(shape: str) -> None:
    """Against a plain search over sorted columns."""
    random = np.random.default_rng(0)
    for _ in range(60):
        n = int(random.integers(50, 12000))
        rows: Floats = getattr(random, shape)(size=(n, 2)).astype(np.float64)
        if random.random() < 0.5:
            rows[random.integers(n), 0] = 30.0
        most = -(-n // 1000)
        found = caught(lambda rows=rows: FuzzyART(rho=0.0).fit(rows))
        expected = []
        for f in range(2):
            column = np.sort(rows[:, f])
            widths = [column[n - 1 - most + i] - column[i] for i in range(most + 1)]
            if 0.0 < min(widths) < 0.5 * (column[-1] - column[0]):
                expected.append(f)
        assert [f for each in found for f in each.features] == expected


@pytest.mark.subprocess
def test_the_command_line_shows_one_clean_line(tmp_path: Path) -> None:
    pytest.importorskip("click")
    table = tmp_path / "rows.csv"
    np.savetxt(table, SPOILT, delimiter=",", header="a,b", comments="")
    command = [sys.executable, "-m", "resonart", "cluster", str(table)]
    given = ["--model", "ddvfa", "--rho-lb", "0.8", "--rho-ub", "0.9"]
    done = subprocess.run([*command, *given], capture_output=True, text=True)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("resonart: warning: 1 of 601 rows (row 600) takes most of")
    assert "bounds=(" not in done.stderr
    assert "'a' (97 %: 100" in done.stderr or "feature 0" in done.stderr


@pytest.mark.parametrize("offset", [0.0, 1.7e9, -4e15, 1e-7])
def test_the_line_has_the_digits_that_the_range_needs(offset: float) -> None:
    scale = 1e-9 if offset == 1e-7 else 1000.0
    rows = SPOILT * scale + offset
    warning = caught(lambda: DDVFA(rho_lb=0.8, rho_ub=0.9).fit(rows))[0]
    line = re.search(r"DDVFA\(.*\)$", str(warning))
    assert line is not None
    low, high = eval(line.group()).bounds
    extent = np.ptp(X * scale + offset, axis=0)
    assert (low <= rows[:-1].min(axis=0)).all()
    assert (high >= rows[:-1].max(axis=0)).all()
    np.testing.assert_allclose(np.subtract(high, low), extent, rtol=0.01)


@pytest.mark.long
def test_partitions_of_dask() -> None:
    dask = pytest.importorskip("dask")
    import dask.array as da

    import resonart.dask

    model = DDVFA(rho_lb=0.8, rho_ub=0.9)
    with dask.config.set(scheduler="synchronous"):
        for sample_rows, table, n_told in ((1000, SPOILT, 1), (300, SPOILT, 1), (1000, X, 0)):
            rows = da.from_array(table, chunks=(200, 2))
            found = caught(
                lambda rows=rows, n=sample_rows: resonart.dask.fit(rows, model, sample_rows=n)
            )
            assert len(found) == n_told
            for warning in found:
                assert "A few of 601 rows take most of the range of feature 0" in str(warning)
                assert "97 %: 100, where" in str(warning)


def test_it_is_public() -> None:
    assert issubclass(resonart.OutlierWarning, UserWarning)
