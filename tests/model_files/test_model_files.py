"""Models in files: everything comes back to the bit, and a file is replaced as a whole."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io as skops_io
from sklearn.base import clone

import resonart
from data import make_models
from resonart import (
    DDVFA,
    DVFA,
    DensityART,
    FuzzyART,
    MergeART,
    ModelFileError,
    TopoART,
    load,
    merge_models,
)
from resonart._engine.state import dump
from resonart._shared import replace_file as _replace_file
from resonart.model_files import archive as _archive
from resonart.model_files.format import FORMAT

pytestmark = pytest.mark.searches_boxes

RNG = np.random.default_rng(0)
X = RNG.random((300, 3))
MORE = RNG.random((100, 3)) * 1.5  # some rows outside the bounds

MODELS = [
    FuzzyART(rho=0.8, beta=0.7),
    FuzzyART(rho=0.9, max_categories=20, out_of_bounds="clip", bounds=(0, 1)),
    DVFA(rho_lb=0.7, rho_ub=0.85),
    DDVFA(rho_lb=0.75, rho_ub=0.85, merge_every=70),
    DDVFA(rho_lb=0.75, rho_ub=0.85, linkage="centroid", beta=0.5),
    DDVFA(rho_lb=0.75, rho_ub=0.85, linkage="weighted", gamma=2.2, search="index"),
    DDVFA(rho_lb=0.75, rho_ub=0.9, max_categories=30),
    TopoART(rho_a=0.85, tau=40),
    TopoART(rho_a=0.85, tau=40, max_categories=15),
    TopoART(rho_a=0.999, tau=1),  # which drops all categories after every row
    DensityART(),
    DensityART(max_categories=50, min_cluster_size=0.02, noise="nearest", scaling="rank"),
]
CHOOSING = [DDVFA(random_state=0, n_orders=2), FuzzyART(rho="auto", random_state=0)]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def everything(model: Any) -> dict[str, Any]:
    """Every bit of a model, in a form that compares and shows what differs."""
    apart = {"_lock", "_checked", "_engine", "_choice"}
    state = {k: v for k, v in vars(model).items() if k not in apart}
    if isinstance(source := model.get_params().get("random_state"), np.random.RandomState):
        state["random_state"] = source.get_state(legacy=False)
    choice = vars(model).get("_choice")
    state["choice"] = choice and {k: str(bits(v)) for k, v in vars(choice).items()}
    state["engine"] = dump(model._engine) if "_engine" in vars(model) else None
    found: dict[str, Any] = bits(state)
    return found


def bits(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return [bits(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    return value.tolist() if isinstance(value, np.ndarray) else value


def kept(model: Any, folder: Path, **options: Any) -> Any:
    model.save(folder / "model.resonart", **options)
    return load(folder / "model.resonart")


@each_model
@pytest.mark.parametrize("merged", [False, True], ids=["", "then merged"])
def test_learning_goes_on_bit_for_bit(model: Any, merged: bool, tmp_path: Path) -> None:
    ours = clone(model).partial_fit(X[:150]).partial_fit(X[150:])
    if merged and isinstance(ours, DDVFA):
        ours.merge()
    twin = kept(ours, tmp_path)
    assert type(twin) is type(ours)
    assert everything(twin) == everything(ours)
    for row in MORE[:50]:
        assert twin.learn_one(row) == ours.learn_one(row)
    twin, before = kept(twin, tmp_path), everything(ours)
    twin.partial_fit(MORE[50:])
    assert everything(ours) == before  # nothing is shared
    ours.partial_fit(MORE[50:])
    if merged and isinstance(ours, DDVFA):
        np.testing.assert_array_equal(twin.merge(), ours.merge())
    assert everything(twin) == everything(ours)
    np.testing.assert_array_equal(twin.predict(X), ours.predict(X))
    np.testing.assert_array_equal(twin.score_samples(X), ours.score_samples(X))


@each_model
def test_a_model_begun_row_by_row(model: Any, tmp_path: Path) -> None:
    ours = clone(model).set_params(bounds=(0, 1))
    ours.learn_one(X[0])
    twin = kept(ours, tmp_path)
    assert everything(twin) == everything(ours)
    for row in X[1:100]:
        assert twin.learn_one(row) == ours.learn_one(row)
    assert everything(twin) == everything(ours)


@each_model
def test_an_unfitted_model_can_be_kept(model: Any, tmp_path: Path) -> None:
    twin = kept(clone(model), tmp_path)
    assert twin.get_params() == model.get_params()
    assert everything(twin.fit(X)) == everything(clone(model).fit(X))


@pytest.mark.parametrize(
    "model", [DDVFA(random_state=0, n_orders=2), FuzzyART(rho="auto", random_state=0)]
)
def test_chosen_vigilances_are_kept_with_their_reason(model: Any, tmp_path: Path) -> None:
    rows = np.concatenate([X[:40] / 3, X[:40] / 3 + 0.7])
    ours = clone(model).fit(rows)
    twin = kept(ours, tmp_path)
    assert everything(twin) == everything(ours)
    theirs, own = twin.vigilance_choice_, ours.vigilance_choice_
    for name in ("params", "has_structure", "agreement", "density_reason", "n_clusters", "n_rows"):
        assert getattr(theirs, name) == getattr(own, name)
    assert theirs.reason == own.reason
    assert repr(theirs.shortlist) == repr(own.shortlist)
    assert len(own.shortlist) > 1
    assert everything(twin.partial_fit(MORE)) == everything(ours.partial_fit(MORE))


@pytest.mark.filterwarnings("ignore:All rows are equal")
def test_a_choice_with_nothing_to_agree_with(tmp_path: Path) -> None:
    ours = DDVFA(random_state=0, n_orders=1).fit(np.ones((20, 3)))
    twin = kept(ours, tmp_path)
    own, theirs = ours.vigilance_choice_, twin.vigilance_choice_
    assert (own.agreement, own.density_reason, own.shortlist) == (None, "", [])
    assert (theirs.agreement, theirs.density_reason, theirs.shortlist) == (None, "", [])


@pytest.mark.filterwarnings("ignore:No structure")
def test_an_unfitted_model_still_chooses(tmp_path: Path) -> None:
    ours = DDVFA(random_state=3, n_orders=2)
    twin = kept(ours, tmp_path)
    assert (twin.rho_lb, twin.rho_ub) == ("auto", "auto")
    assert everything(twin.fit(X[:60])) == everything(ours.fit(X[:60]))


def test_clusters_are_kept_apart_in_a_file_too(tmp_path: Path) -> None:
    blobs = np.concatenate([np.random.default_rng(i).normal(9 * i, 1, (80, 2)) for i in range(3)])
    ours = DDVFA(random_state=0).fit(blobs).partial_fit(np.linspace([0, 0], [18, 18], 100))
    n_chosen = ours.vigilance_choice_.n_clusters
    twin = kept(ours, tmp_path)
    assert twin.merge() == ours.merge()
    assert not set(twin.label_map_) & set(range(n_chosen))
    assert everything(twin) == everything(ours)


def test_merged_models_keep_their_label_maps(tmp_path: Path) -> None:
    parts = [DDVFA(rho_lb=0.75, rho_ub=0.85).fit(part) for part in np.split(X, 3)]
    ours = merge_models(parts)
    twin = kept(ours, tmp_path)
    assert twin.label_maps_ == ours.label_maps_
    again = [kept(part, tmp_path) for part in parts]
    assert everything(merge_models(again)) == everything(ours)
    ours.merge()
    assert everything(kept(ours, tmp_path)) == everything(ours)


def test_feature_names(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=["länge", "b\n", "日本"])
    twin = kept(DVFA(rho_lb=0.7, rho_ub=0.85).fit(frame), tmp_path)
    assert twin.feature_names_in_.tolist() == list(frame.columns)
    assert twin.feature_names_in_.dtype == object
    with pytest.raises(ValueError, match="feature names should match"):
        twin.predict(frame.rename(columns={"日本": "c"}))


PARAMS: list[tuple[dict[str, Any], Any]] = [
    ({"alpha": 1}, 1),
    ({"alpha": 0.1 + 0.2}, 0.30000000000000004),
    ({"alpha": 5e-324}, 5e-324),
    ({"alpha": np.float32(0.1)}, 0.10000000149011612),
    ({"alpha": 10**22}, 1e22),
    ({"rho": np.int64(1)}, 1),
    ({"rho": 0}, 0),
    ({"max_epochs": np.int32(3)}, 3),
    ({"max_categories": 2**62}, 2**62),
    ({"random_state": np.uint32(2**32 - 1)}, 2**32 - 1),
    ({"bounds": (0, 1.5)}, (0, 1.5)),
    ({"bounds": (np.float64(-0.0), 1)}, (-0.0, 1)),
    ({"bounds": ([0, -1, 0.1], [1, 1, 2**60])}, ([0, -1, 0.1], [1, 1, 2**60])),
    ({"bounds": ([0, np.int8(-1)], 7)}, ([0, -1], 7)),
    ({"order": np.str_("random")}, "random"),
]


@pytest.mark.parametrize(("params", "plain"), PARAMS, ids=repr)
def test_parameters_come_back_as_plain_numbers(
    params: dict[str, Any], plain: Any, tmp_path: Path
) -> None:
    twin = kept(FuzzyART(**{"rho": 0.5} | params), tmp_path)
    [(name, given)] = params.items()
    assert getattr(twin, name) == given
    assert type(getattr(twin, name)) is type(plain)
    assert repr(getattr(twin, name)) == repr(plain)


def test_arrays_as_bounds_come_back_as_arrays(tmp_path: Path) -> None:
    low, high = np.array([0.1, -3.0, 1e130]), np.array([7, 8, 2e130])
    twin = kept(FuzzyART(rho=0.5, bounds=np.array([low, high])), tmp_path)
    assert isinstance(twin.bounds, tuple)
    for side, before in zip(twin.bounds, (low, high), strict=True):
        assert side.dtype == np.float64
        np.testing.assert_array_equal(side, before)


def test_a_random_state_goes_on(tmp_path: Path) -> None:
    source = np.random.RandomState(5)
    source.standard_normal(3)  # leaves one behind
    ours = FuzzyART(rho=0.8, order="random", random_state=source).fit(X)
    twin = kept(ours, tmp_path)
    assert twin.random_state is not source
    assert twin.random_state.standard_normal() == source.standard_normal()
    assert everything(twin.fit(X)) == everything(ours.fit(X))


@pytest.mark.parametrize(
    "params",
    [
        {"random_state": np.random},
        {"random_state": np.random.RandomState(np.random.PCG64(0))},
        {"random_state": -1},
        {"rho": 1.5},
        {"rho": "car"},
        {"rho": object()},
        {"alpha": np.nan},
        {"max_epochs": 0},
        {"n_orders": 10**6},
        {"order": "sideways"},
        {"bounds": (1, 0)},
        {"bounds": (0, np.inf)},
        {"bounds": ([0, 0], [1, 1, 1])},
        {"bounds": 7},
    ],
    ids=lambda given: re.sub("(?i)at 0x[0-9a-f]+", "", repr(given))[:40],
)
def test_what_load_would_refuse_is_not_written(params: dict[str, Any], tmp_path: Path) -> None:
    model = FuzzyART(rho=0.8).fit(X).set_params(**params)
    with pytest.raises(ValueError, match=next(iter(params))):
        model.save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_parameters_that_contradict_each_other_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="rho_lb must not exceed rho_ub"):
        DVFA(rho_lb=0.9, rho_ub=0.5).save(tmp_path / "model")
    with pytest.raises(ValueError, match="auto_merge=False forbids"):
        DDVFA(auto_merge=False, merge_every=7).save(tmp_path / "model")


def test_unusual_parameters_are_kept_without_a_word(tmp_path: Path) -> None:
    model = DDVFA(rho_lb=0.5, rho_ub=0.9, gamma=0.5, gamma_ref=2.0)
    assert kept(model, tmp_path).get_params() == model.get_params()  # warnings are errors here


def test_parameters_set_after_training_wait_for_the_next(tmp_path: Path) -> None:
    ours = DDVFA(rho_lb=0.75, rho_ub=0.85).fit(X).set_params(rho_ub=0.95, merge_every=20)
    twin = kept(ours, tmp_path)
    assert (twin.rho_ub_, twin.rho_ub) == (0.85, 0.95)
    assert [twin.learn_one(row) for row in MORE] == [ours.learn_one(row) for row in MORE]
    assert everything(twin.partial_fit(X)) == everything(ours.partial_fit(X))


def test_without_labels_the_file_does_not_depend_on_calls(tmp_path: Path) -> None:
    """The same stream, cut anywhere: merges rename labels in other calls, the model is one."""
    rows = np.random.default_rng(0).random((600, 2))
    files = []
    for cut in ([], [150], [299, 301, 599]):
        model = DDVFA(rho_lb=0.8, rho_ub=0.9, bounds=(0, 1), merge_every=100)
        for batch in np.split(rows, cut):
            model.learn_many(batch)
        assert model.n_merges_ > 1
        path = tmp_path / "m.resonart"
        model.save(path, include_labels=False)
        files.append(path.read_bytes())
    assert files[1:] == files[:1] * 2
    assert len(load(path).label_map_) == 0


@each_model
def test_without_labels(model: Any, tmp_path: Path) -> None:
    ours = clone(model).fit(X)
    ours.save(tmp_path / "with")
    twin = kept(ours, tmp_path, include_labels=False)
    assert twin.labels_.shape == (0,)
    assert twin.labels_.dtype == np.int64
    saved = 8 * len(X) * (2 if isinstance(model, TopoART) else 1)
    assert os.path.getsize(tmp_path / "with") - os.path.getsize(tmp_path / "model.resonart") >= (
        saved - 8
    )
    assert everything(twin.partial_fit(MORE)) == everything(ours.partial_fit(MORE))


METADATA = {"text": "ü\ud800", "n": [1, -(2**62), 0.1, True, None, {"deep": [[]]}], "": {}}


def test_metadata(tmp_path: Path) -> None:
    path = tmp_path / "model"
    FuzzyART(rho=0.8).save(path, metadata=METADATA)
    model, metadata = load(path, with_metadata=True)
    assert metadata == METADATA
    assert isinstance(load(path), FuzzyART)
    model.save(path)
    assert load(path, with_metadata=True)[1] == {}


def nested(depth: int) -> Any:
    return [] if depth == 0 else [nested(depth - 1)]


@pytest.mark.parametrize(
    "metadata",
    [
        {"x": np.int64(1)},
        {"x": np.zeros(2)},
        {"x": float("nan")},
        {"x": 2**63},
        {"x": {1: 2}},
        {1: 2},
        {"x": b"bytes"},
        {"x": nested(200)},
        [1, 2],
        "text",
    ],
    ids=lambda m: re.sub("(?i)at 0x[0-9a-f]+", "", repr(m))[:30],
)
def test_metadata_that_json_cannot_hold(metadata: Any, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError), match="metadata must"):
        FuzzyART(rho=0.8).save(tmp_path / "model", metadata=metadata)
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with pytest.raises(ValueError, match="nested"):
        FuzzyART(rho=0.8).save(tmp_path / "model", metadata=loop)
    assert os.listdir(tmp_path) == []


def test_deep_metadata_comes_back(tmp_path: Path) -> None:
    FuzzyART(rho=0.8).save(tmp_path / "model", metadata={"x": nested(99)})
    assert load(tmp_path / "model", with_metadata=True)[1] == {"x": nested(99)}


def test_too_much_metadata_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Write large metadata to a separate file"):
        FuzzyART(rho=0.8).save(tmp_path / "model", metadata={"x": "y" * 17_000_000})


def test_only_our_own_classes(tmp_path: Path) -> None:
    class Mine(FuzzyART):
        pass

    other = type("DDVFA", (DDVFA,), {})
    for model in (Mine(rho=0.8), other()):
        with pytest.raises(TypeError, match="cannot be saved"):
            model.save(tmp_path / "model")
    assert not hasattr(MergeART, "save")


# ---------------------------------------------------------------------- the file


def test_numpy_reads_it_without_us(tmp_path: Path) -> None:
    model = DDVFA(rho_lb=0.75, rho_ub=0.85).fit(X)
    model.save(tmp_path / "model")
    with np.load(tmp_path / "model", allow_pickle=False) as arrays:
        header = json.loads(arrays["header"].tobytes())
        np.testing.assert_array_equal(np.sort(arrays["weights"], 0), np.sort(model.weights_, 0))
        np.testing.assert_array_equal(arrays["labels"], model.labels_)
    assert header["format"] == FORMAT
    assert header["version"] == resonart.__version__
    assert header["estimator"] == "DDVFA"
    with zipfile.ZipFile(tmp_path / "model") as archive:
        assert archive.testzip() is None
        assert {m.compress_type for m in archive.infolist()} == {zipfile.ZIP_STORED}


def test_large_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lengths and places of 64 bits, as beyond 4 GB, which other programs read, too."""
    model = DDVFA(rho_lb=0.75, rho_ub=0.85).fit(X)
    path = tmp_path / "model"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        plain = {name: archive.read(name) for name in archive.namelist()}
    monkeypatch.setattr(_archive, "_LARGE", 3000)
    model.save(path)
    assert everything(load(path)) == everything(model)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == plain
        assert {m.extract_version for m in archive.infolist()} == {20, 45}


@pytest.mark.parametrize(
    "estimator", [DensityART(), FuzzyART(rho=0.5), DDVFA(rho_lb=0.5, rho_ub=0.6)]
)
def test_models_of_many_features(estimator: Any, tmp_path: Path) -> None:
    """Arrays without rows are as wide as the model, and have fewer bytes than columns."""
    rows = np.random.default_rng(0).normal(size=(40, 700))
    model = estimator.fit(rows)
    model.save(tmp_path / "m")
    assert everything(load(tmp_path / "m")) == everything(model)


def test_the_same_model_makes_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        DDVFA(rho_lb=0.75, rho_ub=0.85).fit(X).save(tmp_path / name)
    load(tmp_path / "one").save(tmp_path / "three")
    one, two, three = ((tmp_path / n).read_bytes() for n in ("one", "two", "three"))
    assert one == two == three


def test_any_kind_of_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = FuzzyART(rho=0.8).fit(X)
    for path in (tmp_path / "a", "b", str(tmp_path / "ü.resonart"), b"c", "x" * 255):
        model.save(path)
        assert everything(load(path)) == everything(model)
    with pytest.raises(TypeError):
        model.save(7)
    with pytest.raises(TypeError):
        load(7)


def test_a_missing_file_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing-here"):
        load(tmp_path / "nothing-here")
    with pytest.raises(FileNotFoundError, match=r"not saved.*no-folder"):
        FuzzyART(rho=0.8).save(tmp_path / "no-folder" / "model")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"irectory|denied"):
        load(tmp_path)
    with pytest.raises(OSError, match="irectory"):
        FuzzyART(rho=0.8).save(tmp_path)
    assert tmp_path.is_dir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_devices_and_pipes_are_left_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(ModelFileError, match="device or a pipe"):
            load(path)
        with pytest.raises(OSError, match="Not a regular file"):
            FuzzyART(rho=0.8).save(path)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert stat.S_ISCHR(os.stat("/dev/zero").st_mode)


# ---------------------------------------------------------------------- written as a whole


WAYS = {"unnamed": "_write_unnamed", "named": "_write_named"}


@pytest.fixture(params=WAYS)
def one_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to write a temporary file: that of Linux, and that of everyone."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("needs files without a name")
    else:

        def refuse(*_: Any) -> None:
            raise AssertionError("the other way was good enough")

        monkeypatch.setattr(_replace_file, "_write_named", refuse)
    return str(request.param)


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_permissions(tmp_path: Path, one_way: str) -> None:
    path = tmp_path / "model"
    old = os.umask(0o027)
    try:
        FuzzyART(rho=0.8).save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        FuzzyART(rho=0.9).save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(old)
    assert load(path).rho == 0.9


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_link_is_followed(tmp_path: Path, one_way: str) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(Path("there") / "model")
    for rho in (0.8, 0.9):
        FuzzyART(rho=rho).save(link)
        assert link.is_symlink()
        assert load(tmp_path / "there" / "model").rho == rho
    assert os.listdir(tmp_path / "there") == ["model"]


FAILURES = {
    "full disk": ("fsync", OSError(errno.ENOSPC, "No space left on device")),
    "no replacing": ("replace", PermissionError(errno.EACCES, "Permission denied")),
    "interrupted": ("fsync", KeyboardInterrupt()),
    "out of memory": ("replace", MemoryError()),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("named", [False, True], ids=["unnamed", "named"])
def test_whatever_fails_the_old_file_is_whole(
    name: str, named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    FuzzyART(rho=0.8).save(path)
    before = path.read_bytes()
    function, failure = FAILURES[name]

    def fail(*_: Any) -> None:
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(os, function, fail)
        if named:
            patch.delattr(os, "O_TMPFILE", raising=False)
        with pytest.raises(type(failure)) as caught:
            FuzzyART(rho=0.9).fit(X).save(path)
    if isinstance(failure, OSError):
        assert caught.value.errno == failure.errno
        assert str(path) in str(caught.value)
        assert "the old file is unchanged" in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_a_failing_link_falls_back_to_a_named_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOENT, "no /proc here")

    monkeypatch.setattr(os, "link", fail)
    model = FuzzyART(rho=0.8).fit(X)
    assert everything(kept(model, tmp_path)) == everything(model)
    assert os.listdir(tmp_path) == ["model.resonart"]


def test_a_folder_that_cannot_be_synchronised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    number = errno.EINVAL
    FuzzyART(rho=0.8).save(tmp_path / "model")
    number = errno.EIO
    if os.name == "posix":
        with pytest.raises(OSError, match="may be lost"):
            FuzzyART(rho=0.9).save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]


LIMITED = """
import resource, sys, numpy as np
from resonart import FuzzyART, DensityART
path = sys.argv[1]
model = FuzzyART(rho=0.99).fit(np.random.default_rng(0).random((3000, 3)))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    model.save(path)
except OSError as error:
    print(error.errno, error)
"""


@pytest.mark.subprocess
@pytest.mark.skipif(os.name != "posix", reason="needs limits")
def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "model"
    FuzzyART(rho=0.8).save(path)
    before = path.read_bytes()
    out = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert out.stdout.startswith(f"{errno.EFBIG} ")
    assert "not saved" in out.stdout
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model"
    FuzzyART(rho=0.8).save(path)
    path.chmod(0o444)
    if os.access(path, os.W_OK):  # the superuser may do all
        monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="read-only"):
        FuzzyART(rho=0.9).save(path)
    assert load(path).rho == 0.8
    path.chmod(0o644)
    monkeypatch.undo()
    tmp_path.chmod(0o555)
    try:
        if not os.access(tmp_path, os.W_OK):
            with pytest.raises(PermissionError, match="not saved"):
                FuzzyART(rho=0.9).save(path)
            assert load(path).rho == 0.8
    finally:
        tmp_path.chmod(0o755)


KILLED = """
import os, sys, numpy as np
from resonart import FuzzyART
path, way = sys.argv[1:]
if way == "named":
    os.__dict__.pop("O_TMPFILE", None)
model = FuzzyART(rho=0.9).fit(np.random.default_rng(0).random((500, 3)))
os.fsync = lambda _: os._exit(9)  # everything is written, nothing is in its place
model.save(path)
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("way", WAYS)
def test_a_process_that_dies_leaves_the_old_file(way: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    FuzzyART(rho=0.8).save(path)
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), way], check=False)
    assert done.returncode == 9
    assert path.read_bytes() == before
    if way == "unnamed" and hasattr(os, "O_TMPFILE"):
        assert os.listdir(tmp_path) == ["model"]


def test_saving_while_others_learn(tmp_path: Path) -> None:
    """Each file holds one moment: its counts add up, or it could not be loaded."""
    model = DDVFA(rho_lb=0.75, rho_ub=0.9, merge_every=50).fit(X)
    stop = threading.Event()
    rows = np.random.default_rng(1).random((2000, 3))

    def learn(learn_rows: Any) -> None:
        while not stop.is_set():
            learn_rows()

    learners = [
        threading.Thread(target=learn, args=(lambda: [model.learn_one(r) for r in rows[:30]],)),
        threading.Thread(target=learn, args=(lambda: model.partial_fit(rows[:100]),)),
    ]
    for thread in learners:
        thread.start()
    try:
        seen = [kept(model, tmp_path).n_samples_seen_ for _ in range(10)]
    finally:
        stop.set()
        for thread in learners:
            thread.join()
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]


def test_the_page_on_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "files.md", "exec"), {})
    assert capsys.readouterr().out == "DDVFA 1000 rows, sensor 7\n"


# ---------------------------------------------------------------------- kept files


KEPT = sorted((Path(__file__).parents[1] / "data" / "models").glob("*.resonart"))


def test_there_is_a_kept_file_of_each_estimator() -> None:
    kept = ["ddvfa", "density_art", "dvfa", "fuzzy_art", "topo_art"]
    assert [path.stem for path in KEPT] == kept


@pytest.mark.parametrize("path", KEPT, ids=lambda p: p.stem)
def test_kept_files_know_and_learn_the_same(path: Path) -> None:
    model, metadata = load(path, with_metadata=True)
    known = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert metadata == {"made": path.stem, "by": ["us", 1, None]}
    assert json.loads(json.dumps(make_models.known(model))) == known["then"]
    assert make_models.known_later(model) == known["later"]


# ---------------------------------------------------------------------- by other means


@each_model
def test_joblib(model: Any, tmp_path: Path) -> None:
    ours = clone(model).fit(X)
    for compress in (0, 3):
        joblib.dump(ours, tmp_path / "model.joblib", compress=compress)
        twin = joblib.load(tmp_path / "model.joblib")
        assert everything(twin) == everything(ours)
    assert everything(twin.partial_fit(MORE)) == everything(ours.partial_fit(MORE))


def ours_only(data: bytes) -> list[str]:
    unknown = skops_io.get_untrusted_types(data=data)
    assert all(name.startswith("resonart.") for name in unknown)
    return list(unknown)


@pytest.mark.filterwarnings("ignore:No structure")
@pytest.mark.parametrize("model", [*MODELS, *CHOOSING], ids=repr)
def test_skops(model: Any) -> None:
    ours = clone(model).fit(X[:80])
    data = skops_io.dumps(ours)
    twin = skops_io.loads(data, trusted=ours_only(data))
    assert everything(twin) == everything(ours)
    if "_choice" in vars(ours) and ours.vigilance_choice_ is not None:
        assert repr(twin.vigilance_choice_.shortlist) == repr(ours.vigilance_choice_.shortlist)
    for row in MORE[:20]:
        assert twin.learn_one(row) == ours.learn_one(row)
    assert everything(twin.partial_fit(MORE)) == everything(ours.partial_fit(MORE))


def test_the_documentation_names_the_format_that_is_written(tmp_path: Path) -> None:
    FuzzyART(rho=0.7).save(tmp_path / "m.resonart")
    header = json.loads(np.load(tmp_path / "m.resonart")["header"].tobytes())
    told = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
    named = re.findall(r"`format` in the header \((\d+)\)", told)
    assert named == [str(header["format"])] == [str(FORMAT)]
