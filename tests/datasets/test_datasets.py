"""The paper's data sets: the same bits by every way, and clear words where there is none."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.io import savemat

from resonart import datasets
from resonart.datasets import _bundled, _convert, _download, _load, _origins

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]

# The paper's table: samples, features, clusters.
PAPER = {
    "Aggregation": (788, 2, 7),
    "Atom": (800, 3, 2),
    "Chainlink": (1000, 3, 2),
    "Compound": (399, 2, 6),
    "Dermatology": (358, 34, 6),
    "Ecoli": (336, 7, 8),
    "Face": (320, 2, 4),
    "Flag": (640, 2, 3),
    "Flame": (240, 2, 2),
    "Giant": (862, 2, 2),
    "Glass": (214, 10, 6),
    "Hepta": (212, 3, 7),
    "Iris": (150, 4, 3),
    "Jain": (373, 2, 2),
    "Lsun": (400, 2, 3),
    "Moon": (514, 2, 4),
    "Path based": (300, 2, 3),
    "R15": (600, 2, 15),
    "Ring": (800, 2, 2),
    "Seeds": (210, 7, 3),
    "Spiral": (312, 2, 3),
    "Synthetic Control": (600, 60, 6),
    "Target": (770, 2, 6),
    "Tetra": (400, 3, 4),
    "Two Diamonds": (800, 2, 2),
    "Wave": (287, 2, 2),
    "Wine": (178, 13, 3),
    "Wingnut": (1016, 2, 2),
    "Wisconsin": (683, 9, 2),
    "WDBC": (569, 30, 2),
}
REAL = {
    *("Dermatology", "Ecoli", "Glass", "Iris", "Seeds"),
    *("Synthetic Control", "Wine", "Wisconsin", "WDBC"),
}
BUNDLED = ["iris", "wine", "wdbc"]
NAMES = datasets.list()
ORIGINS = [(name, i) for name, all_of in _origins.origins().items() for i in range(len(all_of))]


def ready(folder: Path, name: str) -> tuple[Rows, Labels]:
    """Read a ready file in the plainest way."""
    table = np.loadtxt(folder / f"{name}.csv.gz", delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(np.int64)


def assert_same_bits(found: tuple[Rows, Labels, Any], expected: tuple[Rows, Labels]) -> None:
    X, y, _ = found
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert X.flags.c_contiguous
    assert X.flags.writeable
    assert X.shape == expected[0].shape
    assert X.tobytes() == np.ascontiguousarray(expected[0]).tobytes()
    np.testing.assert_array_equal(y, expected[1])


# ---------------------------------------------------------------------- names and info


def test_the_names_are_those_of_the_paper() -> None:
    infos = [datasets.describe(name) for name in NAMES]
    found = {i.title: (i.n_samples, i.n_features, i.n_clusters) for i in infos}
    assert found == PAPER
    assert sorted(NAMES) == NAMES
    assert {i.title for i in infos if i.kind == "real"} == REAL
    assert {i.kind for i in infos} == {"real", "artificial"}
    assert list(_origins.origins()) == NAMES


@pytest.mark.parametrize("title", PAPER)
def test_the_papers_spelling_is_understood(title: str) -> None:
    info = datasets.describe(title)
    assert info.title == title
    assert info.name == title.lower().replace(" ", "_")
    assert datasets.describe(info.name) is info


def test_info_is_complete_and_frozen() -> None:
    for name in NAMES:
        info = datasets.describe(name)
        assert info.citation
        assert info.licence
        assert all(url.startswith("https://raw.githubusercontent.com/") for url in info.urls)
        assert all(isinstance(getattr(info, f.name), (str, int, tuple)) for f in fields(info))
    with pytest.raises(FrozenInstanceError):
        info.name = "other"  # type: ignore[misc]
    assert "x0" in datasets.describe("glass").remarks
    assert "293" in datasets.describe("wave").remarks


def test_labels_have_as_many_meanings_as_clusters() -> None:
    for info in map(datasets.describe, NAMES):
        if info.labels and info.name != "wine":
            assert len(info.labels.split(", ")) == info.n_clusters


@pytest.mark.parametrize(
    ("given", "near"),
    [("irises", "iris"), ("two-diamond", "two_diamonds"), ("Wingnuts", "wingnut"), ("r-16", "r15")],
)
def test_an_unknown_name_brings_the_nearest(given: str, near: str) -> None:
    for function in (datasets.load, datasets.describe):
        with pytest.raises(ValueError, match=f"{given!r}. Did you mean {near!r}?.*list()"):
            function(given)


def test_a_name_that_is_near_to_nothing() -> None:
    with pytest.raises(ValueError, match=r"called 'mnist'\. resonart\.datasets\.list\(\) returns"):
        datasets.load("mnist")
    with pytest.raises(ValueError, match="called ''"):
        datasets.load("")


def test_a_name_must_be_a_text() -> None:
    with pytest.raises(TypeError, match=r"must be a str, got int.*list\(\)"):
        datasets.load(3)  # type: ignore[arg-type]


def test_the_public_surface() -> None:
    assert datasets.__all__ == ["DataSetInfo", "describe", "list", "load", "load_all"]
    assert all(getattr(datasets, name).__doc__ for name in datasets.__all__)
    names = datasets.list()
    names.clear()  # the caller's own
    assert len(datasets.list()) == 30


# ---------------------------------------------------------------------- ready files


@pytest.mark.parametrize("name", NAMES)
def test_a_ready_file(name: str, data_folder: Path) -> None:
    found = datasets.load(name)
    assert_same_bits(found, ready(data_folder, name))
    info = found[2]
    assert found[0].shape == (info.n_samples, info.n_features)
    assert sorted(set(found[1].tolist())) == list(range(info.n_clusters))


def test_all_ready_files(data_folder: Path) -> None:
    found = datasets.load_all()
    assert list(found) == NAMES
    for name, (X, y, info) in found.items():
        assert info is datasets.describe(name)
        assert len(X) == len(y) == info.n_samples


def test_origins_are_those_written_down_beside_the_ready_files(data_folder: Path) -> None:
    listed = data_folder / "sources.csv"
    if not listed.exists():
        pytest.skip(f"{listed} is not there")
    with listed.open(encoding="utf-8", newline="") as file:
        known = {(row["name"], row["url"], row["sha256"]) for row in csv.DictReader(file)}
    for name, several in _origins.origins().items():
        for origin in several:
            assert {(name, f.url, f.sha256) for f in origin.files} <= known


def packed(X: Rows, y: Labels) -> bytes:
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "label"])
    lines = [
        ",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y, strict=True)
    ]
    return gzip.compress("\n".join([header, *lines, ""]).encode())


@pytest.fixture
def iris() -> tuple[Rows, Labels]:
    return _bundled.iris()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be the user's folder of ready files, with nothing in it."""
    monkeypatch.setenv("RESONART_DATA", str(tmp_path))
    return tmp_path


def test_a_folder_that_lacks_the_file(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"lacks flame\.csv\.gz.*unset RESONART_DATA"):
        datasets.load("flame")
    with pytest.raises(FileNotFoundError, match="'iris' taken from scikit-learn"):
        datasets.load("iris")


def test_a_folder_that_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESONART_DATA", str(folder / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"nowhere is not a folder\. Give the folder"):
        datasets.load("flame")


def test_a_good_file(folder: Path, iris: tuple[Rows, Labels]) -> None:
    (folder / "iris.csv.gz").write_bytes(packed(*iris))
    assert_same_bits(datasets.load("iris"), iris)


@pytest.mark.parametrize(
    "damage",
    [
        lambda good: good[: len(good) // 2],
        lambda good: good[:40] + bytes(40) + good[80:],
        lambda good: b"",
        lambda good: b"x0,x1,label\n1,2,0\n",
        lambda good: gzip.compress(b""),
        lambda good: gzip.compress(gzip.decompress(good).replace(b",0\n", b",zero\n")),
        lambda good: gzip.compress(gzip.decompress(good).replace(b",0\n", b",nan\n")),
        lambda good: gzip.compress(gzip.decompress(good).replace(b"5.1,3.5", b"5.1", 1)),
        lambda good: gzip.compress(gzip.decompress(good).replace(b"5.1,3.5", b"5.1,\xff", 1)),
    ],
    ids=["cut", "zeros", "empty", "plain", "nothing", "word", "nan", "ragged", "not-ascii"],
)
def test_a_damaged_file(folder: Path, iris: tuple[Rows, Labels], damage: Any) -> None:
    path = folder / "iris.csv.gz"
    path.write_bytes(damage(packed(*iris)))
    with pytest.raises(
        ValueError, match=r"iris\.csv\.gz is damaged: .*Replace it with a good copy"
    ):
        datasets.load("iris")


def test_a_file_of_another_shape(folder: Path, iris: tuple[Rows, Labels]) -> None:
    X, y = iris
    path = folder / "iris.csv.gz"
    for rows, labels, given in (
        (X[1:], y[1:], "149 rows of 4 features"),
        (X[:, 1:], y, "150 rows of 3 features"),
        (X[:0], y[:0], "0 rows of 0 features"),
    ):
        path.write_bytes(packed(rows, labels))
        with pytest.raises(ValueError, match=f"{given}; Iris has 150 rows of 4.*Replace"):
            datasets.load("iris")


def test_a_file_of_other_values(folder: Path, iris: tuple[Rows, Labels]) -> None:
    X, y = iris
    nudged = X.copy()
    nudged[7, 2] = np.nextafter(nudged[7, 2], 9)
    for rows, labels in ((nudged, y), (X, np.roll(y, 1)), (X[::-1], y)):
        (folder / "iris.csv.gz").write_bytes(packed(rows, labels))
        with pytest.raises(ValueError, match="the shape of Iris, but other values or labels"):
            datasets.load("iris")


# ---------------------------------------------------------------------- out of scikit-learn


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No ready files, no pooch, no network."""
    monkeypatch.delenv("RESONART_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)

    def refuse(*args: object) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets_need_nothing(name: str, offline: None) -> None:
    X, _, info = datasets.load(name)
    assert X.shape == (info.n_samples, info.n_features)
    X[:] = 0  # the caller's own
    assert datasets.load(name)[0].any()


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets_equal_the_ready_files(
    name: str, data_folder: Path, request: pytest.FixtureRequest
) -> None:
    expected = ready(data_folder, name)
    request.getfixturevalue("offline")
    assert_same_bits(datasets.load(name), expected)


def test_iris_has_the_values_of_uci(offline: None) -> None:
    X, _, _ = datasets.load("iris")
    assert X[34].tolist() == X[37].tolist() == [4.9, 3.1, 1.5, 0.1]


def test_a_missing_pooch_is_named_with_its_cure(offline: None) -> None:
    with pytest.raises(ImportError, match=r'pip install "\.\[datasets\]".*RESONART_DATA'):
        datasets.load("flame")


def test_a_broken_pooch_speaks_for_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pooch.py").write_text("import no_such_module_of_pooch\n")
    monkeypatch.delenv("RESONART_DATA", raising=False)
    monkeypatch.delitem(sys.modules, "pooch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_module_of_pooch"):
        datasets.load("flame")


# ---------------------------------------------------------------------- downloads


class Mirror:
    """The public repositories, in small: what is put here is found under its path."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.cut_short = False
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                mirror.asked.append(self.path)
                content = mirror.contents.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if mirror.cut_short else content)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def put(self, origin: _origins.Origin, contents: list[bytes]) -> _origins.Origin:
        """Serve these contents; give the origin with their sha256."""
        files = []
        for file, content in zip(origin.files, contents, strict=True):
            files.append(replace(file, sha256=sha256(content).hexdigest()))
            self.contents[files[-1].url.removeprefix(self.url)] = content
        return replace(origin, files=tuple(files))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be a cache of our own, no ready files and nothing bundled: everything is downloaded."""
    monkeypatch.setenv("RESONART_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RESONART_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(_load, "BUNDLED", {})
    return tmp_path / "cache"


@pytest.fixture
def mirror(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    found = Mirror()
    monkeypatch.setattr(_origins, "HOST", found.url)
    yield found
    found.close()


def use(monkeypatch: pytest.MonkeyPatch, name: str, *several: _origins.Origin) -> None:
    monkeypatch.setattr(_load, "origins", lambda: {name: several})


def number(value: float) -> str:
    """Shortest text that reads back as the same number; whole ones without a point."""
    return repr(value).removesuffix(".0")


def with_missing(lines: list[str], separator: str, n: int) -> list[str]:
    """Put in lines in which a value is missing, as at UCI."""
    result = [*lines]
    for i in range(n):
        broken = lines[i].split(separator)
        broken[-2] = "?"
        result.insert(17 * i + 3, separator.join(broken))
    return result


def raw(origin: _origins.Origin, X: Rows, y: Labels) -> list[bytes]:
    """Write a data set as the origin has it."""
    features = [[number(value) for value in row] for row in X.tolist()]
    form = origin.format
    if form == "gz_text":
        text = "\n".join(" ".join(row) for row in features)
        codes = "\n".join(str(label + 1) for label in y)
        return [gzip.compress(f"{part}\n".encode()) for part in (text, codes)]
    if form.startswith("matlab"):
        if form == "matlab_unique":
            at = [9, 50, 51, 120, 200, 287]
            again = [0, 49, 3, 119, 150, 286]
            X, y = np.insert(X, at, X[again], axis=0), np.insert(y, at, y[again])
            assert len(X) == 293
        file = io.BytesIO()
        savemat(file, {"data": X, "target": (y + 1.0)[:, None], "other": "x"})
        return [file.getvalue()]
    if form == "blocks_of_100":
        return ["\n".join("  ".join(row) + " " for row in features).encode()]
    if form == "arff_by_appearance":
        # The copy numbers the classes as it likes; which rows go together is the same.
        codes_of = {label: f"c{9 - i}" for i, label in enumerate(dict.fromkeys(y.tolist()))}
    else:
        codes_of = dict(enumerate(origin.labels))
    separator = "," if form.startswith(("csv", "arff")) else "\t"
    classes = [codes_of[label] for label in y.tolist()]
    lines = [separator.join([*row, code]) for row, code in zip(features, classes, strict=True)]
    if form.endswith("after_id"):
        lines = [f"{1000 + i}{separator}{line}" for i, line in enumerate(lines)]
    if form in ("csv_after_id", "arff"):
        lines = with_missing(lines, separator, 16)
    text = "\n".join([*lines, "", ""])
    if form.startswith("arff"):
        header = "% von Müller, @data below\n@RELATION r\n\n@ATTRIBUTE x REAL\n\n@DATA\n% here\n"
        return [(header + text).replace("\n", "\r\n").encode("latin-1")]
    return [text.encode()]


@pytest.mark.parametrize(("name", "which"), ORIGINS)
def test_every_origin_gives_the_ready_file(
    name: str, which: int, data_folder: Path, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = ready(data_folder, name)
    several = list(_origins.origins()[name])
    several[which] = mirror.put(several[which], raw(several[which], X, y))
    use(monkeypatch, name, *several)  # those before it are not found
    assert_same_bits(datasets.load(name), (X, y))
    assert len(mirror.asked) == which + len(several[which].files)


@pytest.fixture
def served(
    mirror: Mirror, iris: tuple[Rows, Labels], monkeypatch: pytest.MonkeyPatch
) -> tuple[_origins.Origin, ...]:
    """Iris, served by both its origins."""
    both = tuple(mirror.put(o, raw(o, *iris)) for o in _origins.origins()["iris"])
    use(monkeypatch, "iris", *both)
    return both


def path_of(origin: _origins.Origin, mirror: Mirror) -> str:
    return origin.files[0].url.removeprefix(mirror.url)


Served = tuple[_origins.Origin, ...]


def test_a_file_is_downloaded_once(
    served: Served, mirror: Mirror, cache: Path, iris: tuple[Rows, Labels]
) -> None:
    for _ in range(3):
        assert_same_bits(datasets.load("Iris"), iris)
    assert mirror.asked == [path_of(served[0], mirror)]
    assert [p.name for p in cache.iterdir()] == [served[0].files[0].cached_as]


def test_a_cached_file_that_was_altered_is_downloaded_anew(
    served: Served, mirror: Mirror, cache: Path, iris: tuple[Rows, Labels]
) -> None:
    datasets.load("iris")
    (cache / served[0].files[0].cached_as).write_bytes(b"1,2,3")
    assert_same_bits(datasets.load("iris"), iris)
    assert len(mirror.asked) == 2


def test_another_origin_helps_where_the_first_is_gone(
    served: Served, mirror: Mirror, iris: tuple[Rows, Labels]
) -> None:
    del mirror.contents[path_of(served[0], mirror)]
    assert_same_bits(datasets.load("iris"), iris)
    assert mirror.asked == [path_of(origin, mirror) for origin in served]


def test_no_origin_has_it(served: Served, mirror: Mirror, cache: Path) -> None:
    mirror.contents.clear()
    needed = r"'iris' is not in the cache.*HTTP status 404.* nor from .*404.*RESONART_DATA"
    with pytest.raises(ConnectionError, match=needed):
        datasets.load("iris")
    assert not list(cache.iterdir())


def test_no_network(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise socket.gaierror("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(ConnectionError, match=r"'flame' is not in .*with a connection to the int"):
        datasets.load("flame")
    assert not list(cache.iterdir())


def test_what_is_cached_needs_no_network(
    served: Served, mirror: Mirror, iris: tuple[Rows, Labels], monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets.load("iris")
    monkeypatch.setattr(_origins, "HOST", "http://127.0.0.1:9")
    assert_same_bits(datasets.load("iris"), iris)


def test_a_wrong_hash_ends_the_search(served: Served, mirror: Mirror, cache: Path) -> None:
    mirror.contents[path_of(served[0], mirror)] = b"<html>Please log in</html>"
    with pytest.raises(
        ValueError, match=r"'iris' from http://.*iris\.csv is not the right one.*sha256"
    ):
        datasets.load("iris")
    assert len(mirror.asked) == 1  # the second would have been right
    assert not list(cache.iterdir())


def test_a_download_cut_short_leaves_nothing(served: Served, mirror: Mirror, cache: Path) -> None:
    mirror.cut_short = True
    with pytest.raises((ConnectionError, ValueError), match="'iris'"):
        datasets.load("iris")
    assert not list(cache.iterdir())
    mirror.cut_short = False
    datasets.load("iris")


def test_an_interrupt_leaves_nothing(
    served: Served, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pooch

    def interrupted(self: object, url: str, output_file: str, *args: object) -> None:
        Path(output_file).write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pooch.HTTPDownloader, "__call__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            datasets.load("iris")
    assert not list(cache.iterdir())
    datasets.load("iris")


def test_a_cache_that_cannot_be_used(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RESONART_CACHE", str(tmp_path / "file"))
    with pytest.raises(OSError, match=r"cache folder .*file cannot be used .*Set RESONART_CACHE"):
        datasets.load("iris")


def test_a_conversion_with_other_values_is_refused(
    mirror: Mirror, iris: tuple[Rows, Labels], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = iris
    origin = _origins.origins()["iris"][0]
    use(monkeypatch, "iris", mirror.put(origin, raw(origin, X + 1, y)))
    with pytest.raises(ValueError, match=r"other values or labels\. This is a bug in resonart"):
        datasets.load("iris")


def test_a_scikit_learn_with_other_values_is_passed_over(
    served: Served, mirror: Mirror, iris: tuple[Rows, Labels], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_load, "BUNDLED", {"iris": lambda: (iris[0] + 1, iris[1])})
    assert_same_bits(datasets.load("iris"), iris)
    assert mirror.asked


def test_files_of_a_data_set_have_names_of_their_own_in_the_cache() -> None:
    every = [f for several in _origins.origins().values() for o in several for f in o.files]
    assert len({(f.cached_as, f.sha256) for f in every}) == len({f.sha256 for f in every}) + 1
    assert all(len(f.sha256) == 64 and len(f.commit) == 40 for f in every)


# ---------------------------------------------------------------------- converters, by hand


def test_converters_by_hand() -> None:
    X, y = _convert.text(b"7,1.5,?,b\n8,1e-3,2,b\n9,-4,5,a\n\n", labels=["a", "b"], skip=1)
    assert X.tolist() == [[0.001, 2.0], [-4.0, 5.0]]
    assert y.tolist() == [1, 0]
    X, y = _convert.text(b"n  1 2\tb\nm  3 4\ta", labels=["a", "b"], separator=None, skip=1)
    assert X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert y.tolist() == [1, 0]
    content = b"%@data\n@relation r\n @data\n1, 2 ,9\n% no row\n3,4,7\n5,6,9\n"
    X, y = _convert.arff_by_appearance(content, labels=["1", "0"])
    assert X.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert y.tolist() == [1, 0, 1]
    X, y = _convert.blocks_of_100(b" 1   2 \n" * 250)
    assert X.shape == (250, 2)
    assert np.bincount(y).tolist() == [100, 100, 50]
    X, y = _convert.gz_text(gzip.compress(b"1 2\n3 4\n"), gzip.compress(b"2\n1\n"))
    assert X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert y.tolist() == [1, 0]


# ---------------------------------------------------------------------- the page about them

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_the_page_lists_what_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for i in map(datasets.describe, NAMES):
        sizes = f"{i.n_samples} | {i.n_features} | {i.n_clusters} | {i.kind}"
        assert f"| `{i.name}` | {i.title} | {sizes} |" in page
        assert f"| {i.remarks} |" in page
    for form in (*_origins.PLAIN, *_origins.LABELLED):
        assert f"`{form}`" in page


def test_a_file_written_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, iris: tuple[Rows, Labels]
) -> None:
    _, code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.delenv("RESONART_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "datasets.md", "exec"), {})
    monkeypatch.setenv("RESONART_DATA", str(tmp_path))
    assert_same_bits(datasets.load("iris"), iris)


# ---------------------------------------------------------------------- the real network


@pytest.mark.skipif(
    os.environ.get("RESONART_NETWORK") != "1", reason="downloads: set RESONART_NETWORK=1"
)
@pytest.mark.parametrize(("name", "which"), ORIGINS)
def test_the_public_origins(
    name: str, which: int, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, name, _origins.origins()[name][which])
    monkeypatch.setattr(_download, "TIMEOUT", (5, 10))
    datasets.load(name)  # checks every value
