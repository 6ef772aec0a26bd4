"""Files that are damaged, cut short or made to harm: an error that says so, and no model.

Every bit of a file that ``save`` writes is either content, guarded by a checksum, or follows from
the content. So there is no damage that goes unseen, and what is left to try is a file made by
someone who can count: checksums right, and the content wrong.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import json
import re
import struct
import subprocess
import sys
import tempfile
import textwrap
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resonart import DDVFA, DensityART, FuzzyART, ModelFileError, load, merge_models
from resonart.model_files import archive as _archive
from resonart.model_files.format import FORMAT

FOLDER = Path(__file__).parents[1] / "data" / "models"


KINDS = ("ddvfa", "dvfa", "fuzzy_art", "topo_art")
SOUND = {kind: (FOLDER / f"{kind}.resonart").read_bytes() for kind in KINDS}
each_kind = pytest.mark.parametrize("kind", SOUND)

Header = dict[str, Any]
Arrays = dict[str, Any]


@pytest.fixture
def attempt(tmp_path: Path) -> Callable[[bytes], Any]:
    """Load these bytes."""
    path = tmp_path / "model.resonart"

    def attempt(data: bytes) -> Any:
        path.write_bytes(data)
        return load(path)

    return attempt


def refused(attempt: Callable[[bytes], Any], data: bytes, why: str = ".") -> str:
    """Check that loading fails as it should: one line that names the file."""
    with pytest.raises(ModelFileError, match=why) as caught:
        attempt(data)
    said = str(caught.value)
    assert re.fullmatch(r"'[^\n]*model\.resonart' [^\n]+\.", said), said
    assert len(said) < 1000
    return said


def taken_apart(data: bytes) -> tuple[Header, Arrays]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    return json.loads(arrays.pop("header").tobytes()), arrays


def made(header: Any, arrays: Arrays) -> bytes:
    """A file with right checksums, whatever it says."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    members = {"header": np.frombuffer(raw, np.uint8)} | arrays
    return b"".join(_archive.pack(members.items()))


# ---------------------------------------------------------------------- damage


@each_kind
def test_the_sound_ones_are_sound(kind: str, attempt: Any) -> None:
    attempt(SOUND[kind])
    attempt(made(*taken_apart(SOUND[kind])))


def all_refused(attempt: Callable[[bytes], Any], files: Iterable[bytes]) -> None:
    for data in files:
        try:
            attempt(data)
        except ModelFileError:
            continue
        pytest.fail(f"loaded in spite of all: {data!r}")


def flipped(data: bytes, place: int, bit: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


@pytest.mark.long
@each_kind
def test_one_bit_in_many_places(kind: str, attempt: Any) -> None:
    data = SOUND[kind]
    all_refused(attempt, (flipped(data, i, i * 5 % 8) for i in range(0, len(data), 11)))


@pytest.mark.long
def test_every_bit_and_every_length(attempt: Any, tmp_path: Path) -> None:
    """Of the smallest file there is."""
    FuzzyART(rho=0.5).save(tmp_path / "unfitted")
    data = (tmp_path / "unfitted").read_bytes()
    assert attempt(data).rho == 0.5
    all_refused(attempt, (flipped(data, i, bit) for i in range(len(data)) for bit in range(8)))
    all_refused(attempt, (data[:length] for length in range(len(data))))


@pytest.mark.long
@each_kind
def test_cut_short_anywhere(kind: str, attempt: Any) -> None:
    data = SOUND[kind]
    all_refused(attempt, (data[:n] for n in range(0, len(data), 11)))
    refused(attempt, b"", "is empty")
    refused(attempt, data[: len(data) // 2], "is cut short or damaged")
    refused(attempt, data[:-1], "is cut short or damaged")


@each_kind
def test_something_added_anywhere(kind: str, attempt: Any) -> None:
    data = SOUND[kind]
    rng = np.random.default_rng(0)
    for place in [0, len(data), *rng.integers(0, len(data), 100)]:
        refused(attempt, data[:place] + rng.bytes(rng.integers(1, 9)) + data[place:])
    refused(attempt, data + b"\0", "is cut short or damaged")
    refused(attempt, data + data)


def test_pieces_of_several(attempt: Any) -> None:
    rng = np.random.default_rng(1)
    files = list(SOUND.values())
    for _ in range(200):
        one, other = (files[i] for i in rng.choice(len(files), 2, replace=False))
        mixed = one[: rng.integers(1, len(one))] + other[rng.integers(1, len(other)) :]
        all_refused(attempt, [mixed])


@pytest.mark.long
def test_blocks_lost_moved_and_overwritten(attempt: Any) -> None:
    rng = np.random.default_rng(2)
    for data in SOUND.values():
        for _ in range(30):
            a, b = sorted(rng.integers(0, len(data), 2))
            for changed in (
                data[:a] + data[b:],
                data[:a] + data[a:b] + data[a:],
                data[:a] + bytes(b - a) + data[b:],
                data[:a] + rng.bytes(b - a) + data[b:],
            ):
                if changed != data:
                    all_refused(attempt, [changed])


@pytest.mark.parametrize(
    "start", [b"", b"PK\3\4", b"PK\5\6", b"\x93NUMPY\1\0", b"{", b"\x80\4\x95", b"\x1f\x8b"]
)
def test_junk(start: bytes, attempt: Any) -> None:
    rng = np.random.default_rng(3)
    for length in (1, 10, 30, 100, 5000):
        refused(attempt, start + rng.bytes(length))


# ---------------------------------------------------------------------- other archives


def sealed(archive: bytes) -> bytes:
    """The archive with the digest that a file ends with."""
    assert archive[-2:] == b"\0\0"  # it has no comment yet
    start = archive[:-2] + struct.pack("<H", 64)
    return start + hashlib.sha256(start).hexdigest().encode()


def zipped(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return sealed(target.getvalue())


def contents(data: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def test_archives_of_others(attempt: Any) -> None:
    members = contents(SOUND["dvfa"])
    assert attempt(zipped(members)).n_clusters_ == 3
    refused(attempt, zipped(members, zipfile.ZIP_DEFLATED), "compressed")
    refused(attempt, zipped([("hello.txt", b"hello")]), "is not a resonart model")
    arrays = io.BytesIO()
    np.savez(arrays, header=np.zeros(3, np.uint8))
    refused(attempt, arrays.getvalue(), "is cut short or damaged")
    refused(attempt, sealed(arrays.getvalue()), "its header cannot be read")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_twice_missing_or_in_another_order(attempt: Any) -> None:
    header, arrays = taken_apart(SOUND["dvfa"])
    raw = np.frombuffer(json.dumps(header).encode(), np.uint8)
    members = [("header", raw), *arrays.items()]
    assert attempt(b"".join(_archive.pack(members))).n_clusters_ == 3
    for i in range(len(members)):
        refused(attempt, b"".join(_archive.pack(members[:i] + members[i + 1 :])))
        refused(attempt, b"".join(_archive.pack([*members[: i + 1], *members[i:]])))
    for i in range(1, len(members)):
        refused(attempt, b"".join(_archive.pack(members[i:] + members[:i])))
    refused(attempt, b"".join(_archive.pack([*members, ("more", raw)])), "something else follows")


def test_an_unfitted_model_has_no_arrays(attempt: Any, tmp_path: Path) -> None:
    FuzzyART(rho=0.5).save(tmp_path / "unfitted")
    header, arrays = taken_apart((tmp_path / "unfitted").read_bytes())
    assert arrays == {}
    refused(attempt, made(header, taken_apart(SOUND["fuzzy_art"])[1]), "something else follows")


def peak_of(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_compressed_bomb_stays_packed(attempt: Any) -> None:
    header, _ = taken_apart(SOUND["dvfa"])
    raw = json.dumps(header).encode()
    npy = io.BytesIO()
    np.save(npy, np.frombuffer(raw, np.uint8))
    bomb = bytes(50_000_000)
    for members in (
        [("header.npy", bomb)],
        [("header.npy", npy.getvalue()), ("low.npy", bomb)],
    ):
        data = zipped(members, zipfile.ZIP_DEFLATED)
        assert len(data) < 100_000
        assert peak_of(lambda data=data: refused(attempt, data)) < 2_000_000


def with_shape(data: bytes, name: str, text: str, size: int | None) -> bytes:
    """The file with another shape in one member's header (and length), digest right."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for member, content in contents(data):
            if member == f"{name}.npy":
                old = re.search(rb"'shape': \([^)]*\), \}", content)
                assert old is not None
                length = 10 + struct.unpack("<H", content[8:10])[0]
                header = content[: old.start()] + f"'shape': ({text}), }}".encode()
                content = header.ljust(length - 1)[: length - 1] + b"\n" + content[length:]
            archive.writestr(member, content)
            if size is not None and member == f"{name}.npy":
                archive.infolist()[-1].file_size = size
    return sealed(target.getvalue())


SHAPES = [
    ("1000000000000,", None),
    ("1000000000000,", 8_000_000_000_128),
    ("999999999999999999,", None),
    ("999999999999999999, 999999999999999999", None),
    ("4294967296, 4294967296", None),  # whose product is 2**64
    ("0, 999999999999999999", None),
    ("999999999999999999, 0", None),
    ("2305843009213693951,", 2**63),
    ("-1,", None),
    ("1,", 128),
    ("", None),
    ("3, 3, 3", None),
    ("3.0,", None),
    ("True,", None),
    ("__import__('os').abort(),", None),
]


@pytest.mark.parametrize(("text", "size"), SHAPES)
@pytest.mark.parametrize("name", ["header", "low", "weights", "counts"])
def test_shapes_that_the_file_cannot_hold(
    name: str, text: str, size: int | None, attempt: Any
) -> None:
    data = with_shape(SOUND["dvfa"], name, text, size)
    assert peak_of(lambda: refused(attempt, data)) < 1_000_000


def test_a_header_of_any_length_is_not_read(attempt: Any) -> None:
    data = made(b" " * 17_000_000, {})
    assert peak_of(lambda: refused(attempt, data, "at most 16,777,216 may be")) < 1_000_000


# So long may a header be. Each field that may be long, filled with as much as there is room for.
ROOM = 16 * 2**20 - 10_000
LONG: dict[str, tuple[str, tuple[str, ...], bytes, bytes]] = {
    "label maps without entries": ("ddvfa", ("fitted", "label_map_sizes"), b"[%b]", b"0"),
    "label maps": ("ddvfa", ("fitted", "label_map_sizes"), b"[%b]", b"1"),
    "feature names": ("ddvfa", ("fitted", "feature_names"), b"[%b]", b'""'),
    "candidates": ("fuzzy_art", ("fitted", "choice", "shortlist"), b"[%b]", b"{}"),
    "bounds": ("dvfa", ("parameters", "bounds"), b"[[%b],1]", b"0"),
    "seeds": (
        "fuzzy_art",
        ("parameters", "random_state"),
        b'{"key":[%b],"pos":0,"has_gauss":0,"gauss":0.5}',
        b"0",
    ),
    "metadata": ("dvfa", ("metadata",), b'{"a":[%b]}', b"[0]"),
    "a linkage": ("ddvfa", ("fitted", "trained_with", "linkage"), b'"%b"', b"xx"),
}

COST = """
import re, sys, time
from resonart import ModelFileError, load
def peak(): return int(re.search("VmHWM:[^0-9]+([0-9]+)", open("/proc/self/status").read())[1])
before, started = peak(), time.process_time()
try:
    load(sys.argv[1])
except ModelFileError:
    pass
print(peak() - before, time.process_time() - started)
"""


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
@pytest.mark.parametrize("name", LONG)
def test_what_a_file_costs_follows_from_its_size(name: str, tmp_path: Path) -> None:
    kind, path, around, item = LONG[name]
    header, arrays = taken_apart(SOUND[kind])
    text = around % b",".join([item] * (ROOM // (len(item) + 1)))
    raw = json.dumps(changed(header, path, "@@@")).encode().replace(b'"@@@"', text)
    data = made(raw, arrays)
    (tmp_path / "long").write_bytes(data)
    out = subprocess.run(
        [sys.executable, "-c", COST, str(tmp_path / "long")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert out.returncode == 0, out.stderr
    kilobytes, seconds = map(float, out.stdout.split())
    assert kilobytes * 1024 < 40 * len(data)
    assert seconds < 12.0  # one or two, where nothing else runs


def test_many_label_maps_are_loaded(attempt: Any) -> None:
    header, arrays = taken_apart(SOUND["ddvfa"])
    header["fitted"]["label_map_sizes"] = [1, 2] * 1000
    arrays["label_maps"] = np.array([[0, 1], [0, 1], [3, 0]] * 1000)
    maps = attempt(made(header, arrays)).label_maps_
    assert maps == [{0: 1}, {0: 1, 3: 0}] * 1000


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_too_little_memory_is_said_of_the_file(tmp_path: Path) -> None:
    """At whatever point it runs out: a MemoryError that names the file and its size."""
    path = tmp_path / "model.resonart"
    rows = np.random.default_rng(0).random((30_000, 20))
    FuzzyART(rho=1.0, bounds=(0, 1)).fit(rows).save(path)
    code = """
        import resource, sys
        import resonart
        resonart.load(sys.argv[2])
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        said = []
        for more in range(1, 48):
            limit = used + (more << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            try:
                resonart.load(sys.argv[1])
            except MemoryError as error:
                said.append(str(error))
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        assert len(said) > 5, said
        assert all(sys.argv[1] in text and "bytes" in text for text in said), said
    """
    FuzzyART(rho=0.5).fit(rows[:5]).save(tmp_path / "small")
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(path), str(tmp_path / "small")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert out.returncode == 0, out.stderr


# ---------------------------------------------------------------------- headers


@each_kind
def test_a_later_format(kind: str, attempt: Any) -> None:
    header, arrays = taken_apart(SOUND[kind])
    later = (
        rf"was written by a later version \(format {FORMAT + 1}; this version reads format "
        rf"{FORMAT}\)\. Upgrade resonart\.$"
    )
    refused(attempt, made(header | {"format": FORMAT + 1}, arrays), later)
    refused(attempt, made(header | {"format": FORMAT + 1, "estimator": "Other"}, {}), later)
    refused(attempt, made({"format": FORMAT + 1}, {}), later)  # whatever else it may be made of


RAW_HEADERS = {
    "nothing": b"",
    "no JSON": b"hello",
    "not ASCII": '{"format": "ü"}'.encode(),
    "a list": b"[1]",
    "a number": b"1",
    "null": b"null",
    "cut short": b'{"format": 1, "version',
    "nested deep": b'{"metadata":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "nested deep, and open": b"[" * 1_000_000,
    "objects in objects": b'{"a":' * 100_000,
    "a long number": b'{"format": ' + b"9" * 10_000 + b"}",
    "NaN": b'{"format": NaN}',
    "infinity": b'{"format": -Infinity}',
    "twice": b'{"format": 1, "format": 1}',
    "a pickle": b"\x80\x04\x95\x1b\x00\x00\x00cos\nsystem\n(S'true'\ntR.",
}


@pytest.mark.parametrize("name", RAW_HEADERS)
def test_headers_that_are_none(name: str, attempt: Any) -> None:
    data = made(RAW_HEADERS[name], {})
    assert peak_of(lambda: refused(attempt, data, "is not a valid model file")) < 100_000_000


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value of a header, long lists aside."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for key, item in items:
        if isinstance(item, (dict, list)):
            yield from leaves(item, (*path, key))
        else:
            yield (*path, key)


def changed(header: Header, path: tuple[Any, ...], value: Any) -> Any:
    header = copy.deepcopy(header)
    if not path:
        return value
    *way, last = path
    inner: Any = header
    for key in way:
        inner = inner[key]
    inner[last] = value
    return header


WRONG = [
    *(None, True, 0, 1, -1, 2**31, 2**53 + 1, 2**63, 10**400, 0.5, -0.5, 1e308),
    *("", "auto", "x" * 1000, "nan", "single"),
    *([], [1], [[], []], {}, {"array": [1.0]}, [0, 1]),
]


def works(model: Any, *, merges: bool = True) -> None:
    """What was loaded is a whole model: it answers, learns, and can be kept."""
    if not model.__sklearn_is_fitted__():
        return
    vars(model).pop("feature_names_in_", None)
    rows = np.random.default_rng(0).random((3, model.n_features_in_)) * 2
    model.predict(rows)
    model.score_samples(rows)
    for name in ("labels_", "boxes_", "category_labels_", "n_clusters_", "n_refused_"):
        getattr(model, name)
    model.learn_one(rows[0])
    if isinstance(model, DDVFA):
        assert len(model.label_map_) >= 0
        if merges:
            model.merge()


@pytest.mark.filterwarnings("ignore:gamma:UserWarning")  # unusual, not wrong
@each_kind
@pytest.mark.parametrize("value", WRONG, ids=lambda v: repr(v)[:20])
def test_a_wrong_value_anywhere_in_the_header(
    kind: str, value: Any, attempt: Any, tmp_path: Path
) -> None:
    """It is refused, or it is a value that may be there: then the model is whole, and says so."""
    header, arrays = taken_apart(SOUND[kind])
    n_refused = 0
    for path in leaves(header):
        mine = changed(header, path, value)
        data = made(mine, arrays)
        try:
            model = attempt(data)
        except ModelFileError:
            n_refused += 1
            continue
        if path == ("parameters",) or path[:1] in {("version",), ("metadata",), ("format",)}:
            continue
        model.save(tmp_path / "again", metadata=mine["metadata"])
        again = taken_apart((tmp_path / "again").read_bytes())[0]
        assert again == mine | {"version": again["version"]}, path
        works(model, merges=path != ("parameters", "gamma_ref"))  # may be too large to go on with
    assert n_refused > 10


@each_kind
def test_fields_missing_or_added(kind: str, attempt: Any) -> None:
    header, arrays = taken_apart(SOUND[kind])
    for path in leaves(header):
        inner: Any = header
        for key in path:
            inner = inner[key]
        if not isinstance(inner, dict) or path[:1] == ("metadata",):
            continue
        refused(attempt, made(changed(header, path, inner | {"surplus": 1}), arrays))
        for key in inner:
            less = {k: v for k, v in inner.items() if k != key}
            if path != ("parameters",):  # those have defaults
                refused(attempt, made(changed(header, path, less), arrays))


@each_kind
def test_every_parameter_is_there(kind: str, attempt: Any) -> None:
    header, arrays = taken_apart(SOUND[kind])
    for name in header["parameters"]:
        less = {key: value for key, value in header["parameters"].items() if key != name}
        refused(attempt, made(header | {"parameters": less}, arrays), "missing or unexpected")
    trained = header["fitted"]["trained_with"]
    for name in trained:
        less = {key: value for key, value in trained.items() if key != name}
        spoilt = changed(header, ("fitted", "trained_with"), less)
        refused(attempt, made(spoilt, arrays), "missing or unexpected")
        refused(attempt, made(changed(header, ("fitted", "trained_with", name), []), arrays))
    spoilt = changed(header, ("fitted", "trained_with"), 1)
    refused(attempt, made(spoilt, arrays), "must be an object")


@pytest.mark.parametrize("number", [1, FORMAT - 1])
def test_files_of_earlier_formats_say_what_to_do(number: int, attempt: Any) -> None:
    header, arrays = taken_apart(SOUND["dvfa"])
    refused(attempt, made(header | {"format": number}, arrays), "an earlier version.*Fit the model")


@pytest.mark.parametrize("value", [2.0, "nan", 1, [0.5]])
def test_an_agreement_is_an_index(value: Any, attempt: Any) -> None:
    for spoilt in ("choice", "candidate"):
        header, arrays = taken_apart(SOUND["fuzzy_art"])
        choice = header["fitted"]["choice"]
        (choice if spoilt == "choice" else choice["shortlist"][0])["agreement"] = value
        refused(attempt, made(header, arrays), "the agreement must")


HEADERS: dict[str, tuple[str, tuple[Any, ...], Any, str]] = {
    "an estimator of others": ("dvfa", ("estimator",), "KMeans", "none of resonart's"),
    "a function": ("dvfa", ("estimator",), "os.system", "none of resonart's"),
    "another estimator": ("dvfa", ("estimator",), "FuzzyART", "missing or unexpected"),
    "rho of 2": ("dvfa", ("parameters", "rho_ub"), 2.0, "rho_ub must be a number in"),
    "vigilances crossed": ("dvfa", ("parameters", "rho_lb"), 1.0, "must not exceed"),
    "engine vigilances crossed": ("dvfa", ("fitted", "trained_with", "rho_lb"), 1.0, "parameters"),
    "a linkage of others": ("ddvfa", ("fitted", "trained_with", "linkage"), "ward", "linkage"),
    "fewer names": ("ddvfa", ("fitted", "feature_names"), ["a"], "feature names"),
    "more features": ("dvfa", ("fitted", "n_features"), 3, "bounds do not fit"),
    "features beyond memory": ("dvfa", ("fitted", "n_features"), 2**53, "bounds do not fit"),
    "counts that do not add up": ("dvfa", ("fitted", "counters", "n_samples"), 21, "add up"),
    "rows beyond exact numbers": ("dvfa", ("fitted", "counters", "n_samples"), 2**60, "n_samples"),
    "more refused than came": ("dvfa", ("fitted", "counters", "n_refused"), 21, "add up"),
    "more removed than came": ("dvfa", ("fitted", "counters", "n_removed"), 21, "add up"),
    "negative removed": ("ddvfa", ("fitted", "counters", "n_removed"), -1, "n_removed"),
    "more removed than topoART saw": (
        *("topo_art", ("fitted", "counters", "n_removed"), 2**40),
        "more than the rows",
    ),
    "merged in the future": ("dvfa", ("fitted", "counters", "since_merge"), 21, "merge"),
    "room in the future": ("dvfa", ("fitted", "counters", "room_sought_at"), 21, "counters"),
    "steps without rows": ("topo_art", ("fitted", "counters", "steps_a"), 41, "more rows"),
    "B before A": ("topo_art", ("fitted", "counters", "steps_b"), 41, "more rows"),
    "no epoch": ("topo_art", ("fitted", "n_epochs"), 0, "n_epochs"),
    "maps of other lengths": ("ddvfa", ("fitted", "label_map_sizes"), [1, 2], "label maps"),
    "a choice of others": (
        "fuzzy_art",
        ("fitted", "choice", "params"),
        {"rho_lb": 0.5},
        "missing or",
    ),
    "a choice out of range": ("fuzzy_art", ("fitted", "choice", "params", "rho"), 1.5, "between"),
    "a choice on other rows": ("fuzzy_art", ("fitted", "choice", "n_rows_used"), 7, "other number"),
    "seeds": ("fuzzy_art", ("parameters", "random_state", "pos"), 625, "random_state"),
    "a seed too large": ("fuzzy_art", ("parameters", "random_state"), 2**32, "random_state"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_cannot_be_true(name: str, attempt: Any) -> None:
    kind, path, value, why = HEADERS[name]
    header, arrays = taken_apart(SOUND[kind])
    refused(attempt, made(changed(header, path, value), arrays), why)


# ---------------------------------------------------------------------- arrays


def first(value: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array = array.copy()
        array.flat[0] = value
        return array

    return change


def last(value: Any) -> Callable[[Any], Any]:
    return lambda array: first(value)(array[::-1, ::-1])[::-1, ::-1]


ARRAYS: dict[str, tuple[str, dict[str, Callable[[Any], Any]]]] = {
    "NaN weights": ("weights", {"weights": first(np.nan)}),
    "infinite weights": ("weights", {"weights": first(np.inf)}),
    "negative weights": ("weights", {"weights": first(-1e-9)}),
    "weights above 1": ("weights", {"weights": first(1.0 + 1e-9)}),
    "boxes inside out": ("boxes", {"weights": np.ones_like}),
    "weights of another width": ("fit together", {"weights": lambda w: w[:, :2]}),
    "a category less": ("fit together", {"weights": lambda w: w[1:]}),
    "no categories": (
        "at least one category",
        {name: lambda a: a[:0] for name in ("weights", "counts", "category_labels")},
    ),
    "a count of 0": ("count", {"counts": first(0)}),
    "a negative count": ("count", {"counts": first(-5)}),
    "a huge count": ("count", {"counts": first(2**62)}),
    "counts that overflow": ("count", {"counts": lambda c: np.full_like(c, 2**62)}),
    "counts moved": ("add up", {"counts": lambda c: c + 1}),
    "labels with gaps": ("labels", {"category_labels": lambda m: m * 2}),
    "negative labels": ("labels", {"category_labels": first(-1)}),
    "huge labels": ("labels", {"category_labels": first(2**40)}),
    "a map out of range": ("label map", {"label_map": lambda _: np.array([[0, 99]])}),
    "a map below -1": ("label map", {"label_map": lambda _: np.array([[0, -2]])}),
    "a map in disorder": ("label map", {"label_map": lambda _: np.array([[1, 0], [0, 0]])}),
    "a map of one label twice": ("label map", {"label_map": lambda _: np.array([[1, 0], [1, 0]])}),
    "a map from -1": ("label map", {"label_map": lambda _: np.array([[-1, 0]])}),
    "a map of triples": ("label map", {"label_map": lambda _: np.array([[1, 0, 0]])}),
    "rows of no cluster": ("label names", {"labels": first(3)}),
    "rows of cluster -2": ("label names", {"labels": first(-2)}),
    "NaN bounds": ("bounds", {"low": first(np.nan)}),
    "infinite bounds": ("bounds", {"high": first(np.inf)}),
    "bounds upside down": ("bounds", {"low": first(1e9)}),
    "bounds missing": ("bounds", {"low": lambda b: b[:0], "high": lambda b: b[:0]}),
    "a bound less": ("bounds", {"high": lambda b: b[:1]}),
    "weights as whole numbers": ("type", {"weights": lambda w: w.astype(np.int64)}),
    "counts as floats": ("type", {"counts": lambda c: c.astype(float)}),
    "counts as bytes": ("type", {"counts": lambda c: c.astype(np.uint8)}),
    "weights in a row": ("dimensions", {"weights": np.ravel}),
    "counts in a table": ("dimensions", {"counts": lambda c: c[None]}),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_cannot_be_true(name: str, attempt: Any) -> None:
    why, changes = ARRAYS[name]
    header, arrays = taken_apart(SOUND["dvfa"])
    refused(attempt, made(header, arrays | {k: c(arrays[k]) for k, c in changes.items()}), why)


TOPO = {
    "NaN weights": ("weights", {"weights_a": first(np.nan)}),
    "NaN weights in B": ("weights", {"weights_b": first(np.nan)}),
    "a count of 0": ("count", {"counts_a": first(0)}),
    "more counts than rows": ("count", {"counts_a": lambda c: c + 30}),
    "edges that leave": ("edges", {"edges_a": first(99)}),
    "negative edges": ("edges", {"edges_a": first(-1)}),
    "edges in a circle": ("edges", {"edges_a": lambda e: e[:1] * 0}),
    "edges the wrong way round": ("edges", {"edges_a": lambda e: e[:, ::-1]}),
    "an edge twice": ("twice", {"edges_a": lambda e: np.concatenate([e, e[:1]])}),
    "edges of three": ("pairs", {"edges_a": lambda e: np.ones((2, 3), np.int64)}),
    "huge edges": ("edges", {"edges_a": lambda e: e + 2**62}),
    "labels below -1": ("label names", {"labels_a": first(-2)}),
    "labels for more rows": ("different numbers", {"labels_a": lambda m: m[1:]}),
    "no bounds": ("bounds", {"low": lambda b: b[:0], "high": lambda b: b[:0]}),
}


@pytest.mark.parametrize("name", TOPO)
def test_topo_art_that_cannot_be_true(name: str, attempt: Any) -> None:
    why, changes = TOPO[name]
    header, arrays = taken_apart(SOUND["topo_art"])
    arrays |= {k: c(arrays[k]) for k, c in changes.items()}
    refused(attempt, made(header, arrays), why)


def test_fuzzy_art_numbers_its_categories(attempt: Any) -> None:
    header, arrays = taken_apart(SOUND["fuzzy_art"])
    arrays["category_labels"] = arrays["category_labels"][::-1]
    refused(attempt, made(header, arrays), "must be clusters 0, 1")


MORE = {
    "fuzzy_art": {"choice_order": first(30), "choice_labels": first(3)},
    "ddvfa": {"label_maps": last(-2), "label_map": last(99)},
    "dvfa": {"label_map": last(-2), "labels": first(2**62)},
}


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, names in MORE.items() for n in names])
def test_what_else_is_in_range(kind: str, name: str, attempt: Any) -> None:
    header, arrays = taken_apart(SOUND[kind])
    if not arrays[name].size:
        arrays[name] = np.zeros((1, 2), np.int64)
    arrays[name] = MORE[kind][name](arrays[name])
    refused(attempt, made(header, arrays), "cluster that is not there|counted|range")


def test_an_order_names_rows(attempt: Any) -> None:
    header, arrays = taken_apart(SOUND["fuzzy_art"])
    arrays["choice_order"] = first(-1)(arrays["choice_order"])
    refused(attempt, made(header, arrays), "not there")


def test_labels_may_name_no_cluster(attempt: Any) -> None:
    """-1 may stand wherever a label can."""
    header, arrays = taken_apart(SOUND["ddvfa"])
    arrays["label_map"] = np.array([[0, -1]])
    arrays["labels"] = first(-1)(arrays["labels"])
    arrays["label_maps"] = last(-1)(arrays["label_maps"])
    model = attempt(made(header, arrays))
    assert model.labels_[0] == list(model.label_maps_[-1].values())[-1] == model.label_map_[0] == -1
    header, arrays = taken_apart(SOUND["fuzzy_art"])
    arrays["choice_labels"] = first(-1)(arrays["choice_labels"])
    assert attempt(made(header, arrays)).vigilance_choice_.labels[0] == -1


@each_kind
def test_random_numbers_anywhere_in_the_arrays(kind: str, attempt: Any) -> None:
    """Loads refuse, or give a model that works: nothing else, and no crash."""
    header, arrays = taken_apart(SOUND[kind])
    rng = np.random.default_rng(4)
    odd = {
        "f": [0.0, -0.0, 0.5, 1.0, 5e-324, -1.0, 1e308, np.nan, np.inf],
        "i": [0, 1, 2, -1, 7, 2**31, 2**32, 2**53, 2**62, -(2**63)],
    }
    n_refused = 0
    for _ in range(150):
        mine = {name: array.copy() for name, array in arrays.items()}
        for name in rng.choice(list(mine), rng.integers(1, 3)):
            if mine[name].size:
                mine[name].flat[rng.integers(mine[name].size)] = rng.choice(
                    odd[mine[name].dtype.kind]
                )
        try:
            model = attempt(made(header, mine))
        except ModelFileError:
            n_refused += 1
            continue
        works(model)
    assert 50 < n_refused < 150


FULL = 2**53


@each_kind
def test_counters_at_their_end(kind: str, attempt: Any, tmp_path: Path) -> None:
    """What can be loaded can be kept and loaded again, whatever it learns; or learns no more."""
    header, arrays = taken_apart(SOUND[kind])
    counters = header["fitted"]["counters"]
    name = "counts_a" if kind == "topo_art" else "counts"
    for left in (0, 1, 2):
        more = FULL - left - counters["n_samples"]
        mine = changed(header, ("fitted", "counters", "n_samples"), FULL - left)
        for counter in ("steps_a", "n_merges", "since_merge"):
            if counter in counters:
                mine["fitted"]["counters"][counter] = FULL - left
        if kind == "topo_art":
            mine["fitted"]["counters"]["steps_b"] = 0
        counts = arrays[name].copy()
        counts[0] += more
        model = attempt(made(mine, arrays | {name: counts}))
        vars(model).pop("feature_names_in_", None)
        row = np.full(model.n_features_in_, 0.5)
        for n_before in range(4):
            learn, given = [(model.learn_one, row), (model.partial_fit, [row])][n_before % 2]
            if n_before < left:
                learn(given)
            else:
                with pytest.raises(ValueError, match="cannot count more"):
                    learn(given)
            assert model.n_samples_seen_ == FULL - max(0, left - n_before - 1)
            model.save(tmp_path / "again")
            assert load(tmp_path / "again").n_samples_seen_ == model.n_samples_seen_
        if isinstance(model, DDVFA):
            for _ in range(3):
                with contextlib.suppress(ValueError):
                    model.merge()
                model.save(tmp_path / "again")
                load(tmp_path / "again")
            with pytest.raises(ValueError, match=r"2\^53|counts too large"):
                merge_models([model, model])


# ---------------------------------------------------------------------- models that forget


def forgetful(**how: float) -> bytes:
    """A file of a model that has forgotten some, and expects some changes."""
    rng = np.random.default_rng(5)
    centres = np.repeat(rng.random((6, 2)), 60, axis=0)
    rows = np.concatenate([rng.normal(centres, 0.03), rng.random((40, 2))])
    model = DensityART(max_categories=80, min_cluster_size=5, scaling="range", **how)
    model.partial_fit(rows, time=np.arange(400.0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.resonart"
        model.save(path)
        return path.read_bytes()


FORGETFUL = {"half_life": forgetful(half_life=40.0), "window": forgetful(window=90.0)}
each_forgetful = pytest.mark.parametrize("kind", FORGETFUL)
# What the model knows of time.
OF_TIME = [
    *("clock", "loads", "stays", "kept", "embryos", "born_soon", "changes"),
    *("events", "moments", "residents", "diary"),
]


def at(place: tuple[int, ...] | int, value: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array = array.copy()
        array[place] = value
        return array

    return change


TIME: dict[str, tuple[str, dict[str, Callable[[Any], Any]]]] = {
    "a clock of others": ("half_life", {"clock": at(0, 4.0)}),
    "half a clock": ("half_life", {"clock": at(0, 1.5)}),
    "a clock that no row has set": ("half_life", {"clock": at(0, 0.0)}),
    "a count of more rows than have come": (
        "half_life",
        {"clock": lambda c: np.array([1.0, 401.0, *c[2:]])},
    ),
    "worth more rows than have come": (
        "half_life",
        {"clock": lambda c: np.array([*c[:3], 2.0**50, 2.0**50, c[5]])},
    ),
    "no time": ("half_life", {"clock": at(1, np.nan)}),
    "the end of time": ("half_life", {"clock": at(1, np.inf)}),
    "read in the future": ("half_life", {"clock": at(2, 1e9)}),
    "no rows at all": ("half_life", {"clock": at(3, 0.0)}),
    "squares without rows": ("half_life", {"clock": at(4, 1e9)}),
    "rows without squares": ("half_life", {"clock": at(4, 0.0)}),
    "an infinite sum": ("half_life", {"clock": at(3, np.inf)}),
    "a clock cut short": ("half_life", {"clock": lambda c: c[:4]}),
    "a negative weight": ("half_life", {"loads": at((0, 0), -1.0)}),
    "a weight of no number": ("half_life", {"loads": at((0, 0), np.nan)}),
    "more than its rows": ("half_life", {"loads": at((0, 2), 1e9)}),
    "more than it ever was": ("half_life", {"loads": at((0, 2), 0.0)}),
    "used in the future": ("half_life", {"loads": at((0, 1), 1e9)}),
    "a category less": ("half_life", {"loads": lambda a: a[1:]}),
    "a column less": ("half_life", {"loads": lambda a: a[:, :2]}),
    "rows of a window that is none": (
        "half_life",
        {"stays": lambda _: np.array([[1.0, 0.0]])},
    ),
    "a row less than it weighs": ("window", {"stays": lambda a: a[1:]}),
    "rows in no order": ("window", {"stays": lambda a: a[::-1]}),
    "a row of no category": ("window", {"stays": at((0, 1), 1e6)}),
    "a row of half a category": ("window", {"stays": at((0, 1), 0.5)}),
    "a row in the future": ("window", {"stays": at((-1, 0), 1e9)}),
    "a weight that is not its rows": ("window", {"loads": at((0, 0), 0.5)}),
    "kept as others have it": ("half_life", {"kept": at(1, 9.0)}),
    "kept by no selection": ("half_life", {"kept": at(3, -1.0)}),
    "kept in parts": ("half_life", {"kept": at(4, 2.5)}),
    "kept at no height": ("half_life", {"kept": at(6, np.nan)}),
    "kept cut short": ("half_life", {"kept": lambda k: k[:-1]}),
    "components without an analysis": ("half_life", {"kept": at(2, 2.0)}),
    "an embryo that is not there": ("half_life", {"embryos": at(0, 99)}),
    "an embryo less": ("half_life", {"embryos": lambda e: e[1:]}),
    "embryos seen too often": ("half_life", {"born_soon": lambda _: np.array([[2.0**40, 1.0]])}),
    "a change cut short": ("half_life", {"changes": lambda _: np.array([1, 2])}),
    "a change of nobody": ("half_life", {"changes": lambda _: np.array([1, 2, 1, 10**6])}),
    "a change of more than there are": (
        "half_life",
        {"changes": lambda _: np.array([1, 2, 3, 0])},
    ),
    "a change in no order": ("half_life", {"changes": lambda _: np.array([1, 2, 2, 1, 0])}),
    "an event of another kind": ("half_life", {"events": at((0, 0), 5.0)}),
    "an event of nobody": ("half_life", {"events": at((0, 1), -1.0)}),
    "an event at no place": ("half_life", {"events": at((0, 7), np.inf)}),
    "an event farther than rows can be": ("half_life", {"events": at((0, 7), 1e141)}),
    "a moment farther than rows can be": ("half_life", {"moments": at((0, 5), -1e141)}),
    "a resident farther than rows can be": ("half_life", {"residents": at((0, 3), 1e141)}),
    "an event of no size": ("half_life", {"events": at((0, 5), np.nan)}),
    "events of another width": ("half_life", {"events": lambda a: a[:, :-1]}),
    "a moment of half a reading": ("half_life", {"moments": at((0, 0), 0.5)}),
    "a moment of nobody": ("half_life", {"moments": at((0, 3), -1.0)}),
    "moments of another width": ("half_life", {"moments": lambda a: a[:, :-1]}),
    "a resident without a label": ("half_life", {"residents": at((0, 0), 1e6)}),
    "a resident twice": ("half_life", {"residents": lambda a: a[[0, *range(len(a))]]}),
    "a resident at no place": ("half_life", {"residents": at((0, 3), np.nan)}),
    "less than no events": ("half_life", {"diary": at(0, -1)}),
    "more events gone than can be counted": ("half_life", {"diary": at(0, 2**53 + 1)}),
    "no stride": ("half_life", {"diary": at(1, 0)}),
    "a diary cut short": ("half_life", {"diary": lambda a: a[:1]}),
}


@pytest.mark.parametrize("name", TIME)
def test_times_that_cannot_be_true(name: str, attempt: Any) -> None:
    kind, changes = TIME[name]
    header, arrays = taken_apart(FORGETFUL[kind])
    arrays |= {k: np.ascontiguousarray(c(arrays[k])) for k, c in changes.items()}
    refused(attempt, made(header, arrays), "what the model knows of time is not sound")


DENSITY: dict[str, tuple[dict[str, Callable[[Any], Any]], str]] = {
    "ranges whose squares overflow": ({"high": at(0, 1e200)}, "bounds must lie between"),
    "a mean above its range": ({"means": at((3, 0), 9.0)}, "means of categories"),
    "a mean below its range": ({"means": at((3, 1), -1e300)}, "means of categories"),
    "a mean that is no number": ({"means": at((0, 0), np.nan)}, "means of categories"),
    "a box of no rows": ({"tree_boxes": at((0, 2), 0.0)}, "record of the reading"),
    "a box of more rows than there are": ({"tree_boxes": at((0, 2), 1e17)}, "record"),
    "a cluster of no rows": ({"tree": at((0, 2), 0.0)}, "record of the reading"),
    "a score without end": ({"candidates": at((0, 8), np.inf)}, "scores must be finite"),
}


@each_forgetful
@pytest.mark.parametrize("name", DENSITY)
def test_readings_that_cannot_be_true(kind: str, name: str, attempt: Any) -> None:
    changes, why = DENSITY[name]
    header, arrays = taken_apart(FORGETFUL[kind])
    arrays |= {k: c(arrays[k]) for k, c in changes.items()}
    refused(attempt, made(header, arrays), why)


def goes_on(model: Any, folder: Path) -> None:
    """It learns, reads, asks and is kept, with finite numbers."""
    is_given = model._engine.snapshot()["clock"][0] == 2
    begin = model._engine.now
    rows = np.random.default_rng(6).random((150, 2)) * 1.5
    # A clock may stand where numbers lie far apart.
    time = np.maximum(begin, begin + np.arange(150.0)) if is_given else None
    model.predict(rows)
    if is_given and not np.isfinite(time).all():
        return
    model.partial_fit(rows, time=time)
    with contextlib.suppress(ValueError):  # 2**53 rows, and no more
        model.update_clusters()
    assert np.isfinite(model._engine.weights_now()).all()
    assert np.isfinite(model.means_).all()
    model.save(folder / "again.resonart")
    load(folder / "again.resonart")


@pytest.mark.long
@each_forgetful
def test_random_numbers_in_what_is_known_of_time(kind: str, attempt: Any, tmp_path: Path) -> None:
    header, arrays = taken_apart(FORGETFUL[kind])
    rng = np.random.default_rng(7)
    odd = {
        "f": [0.0, -0.0, 0.5, 1.0, 2.0, 5e-324, -1.0, 1e15, 1e308, -1e308, np.nan, np.inf],
        "i": [0, 1, 2, -1, 7, 2**31, 2**32, 2**53, 2**62, -(2**63)],
    }
    n_refused = 0
    for _ in range(250):
        mine = {name: array.copy() for name, array in arrays.items()}
        for name in rng.choice(OF_TIME, rng.integers(1, 3)):
            if mine[name].size:
                mine[name].flat[rng.integers(mine[name].size)] = rng.choice(
                    odd[mine[name].dtype.kind]
                )
        try:
            model = attempt(made(header, mine))
        except ModelFileError:
            n_refused += 1
            continue
        goes_on(model, tmp_path)
    assert 50 < n_refused < 250


@each_forgetful
def test_arrays_of_time_longer_and_shorter(kind: str, attempt: Any, tmp_path: Path) -> None:
    header, arrays = taken_apart(FORGETFUL[kind])
    for name in OF_TIME:
        array = arrays[name]
        for other in (array[:0], array[:-1], np.concatenate([array, array[-1:]])):
            if len(other) == len(array):
                continue
            try:
                model = attempt(made(header, arrays | {name: other}))
            except ModelFileError:
                continue
            assert name in ("born_soon", "changes", "events", "moments", "residents"), name
            goes_on(model, tmp_path)


@pytest.mark.long
@each_forgetful
def test_forgetful_files_damaged_anywhere(kind: str, attempt: Any) -> None:
    data = FORGETFUL[kind]
    attempt(data)
    all_refused(attempt, (flipped(data, i, i * 5 % 8) for i in range(0, len(data), 97)))
    all_refused(attempt, (data[:n] for n in range(0, len(data), 997)))
