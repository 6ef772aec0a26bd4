"""Everything that is returned shows itself: in one short line, and in a notebook as HTML."""

from __future__ import annotations

import base64
import dataclasses
import importlib
import inspect
import pickle
import re
import struct
import zlib
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris

from resonart import DDVFA, DVFA, DensityART, FuzzyART, MergeART, TopoART, datasets, ivat
from resonart._shared.show import card, facts, in_words, picture, short, table
from resonart.tuning import VigilancePlane, choose_vigilance

NASTY = ["<script>alert(1)</script>", 'a" onload="x', "sepal & <b>", "esc\x1b[31m\u202e"]
X = load_iris().data
FRAME = pd.DataFrame(X, columns=NASTY)
ROOMS = ["", "tuning", "datasets", "plot", "stream", "tables", "dask", "river"]


def public_results() -> list[Any]:
    """Every public class that is a bundle of values."""
    found = []
    for room in ROOMS:
        try:
            module = importlib.import_module(f"resonart.{room}".rstrip("."))
        except ImportError:
            continue
        for name in module.__all__:
            kind = getattr(module, name)
            if inspect.isclass(kind) and (
                dataclasses.is_dataclass(kind) or issubclass(kind, tuple)
            ):
                found.append(kind)
    return found


@pytest.mark.parametrize("kind", public_results(), ids=lambda kind: kind.__name__)
def test_every_bundle_of_values_shows_itself(kind: Any) -> None:
    assert "_repr_html_" in vars(kind)
    assert "summary(" in inspect.getsource(vars(kind)["__repr__"])


class Checker(HTMLParser):
    """Keeps the tags, and whether each is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


ALLOWED = {"div", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "br", "img"}


def check(shown: Any, *, most: int = 200) -> str:
    """Return the text that a notebook shows, after checking both forms."""
    line = repr(shown)
    assert "\n" not in line
    assert "\x1b" not in line
    assert len(line) < most, line
    assert line.startswith(f"{type(shown).__name__}(")
    page = Checker()
    html = shown._repr_html_()
    page.feed(html)
    page.close()
    assert not page.open
    assert page.tags <= ALLOWED
    assert page.attributes <= {"style", "alt", "src", "width", "height"}
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert not re.search(r"color:|background", html)  # the page may be light or dark
    return page.text


def test_the_choice_of_a_vigilance() -> None:
    choice = choose_vigilance(X, n_orders=2, random_state=0)
    assert choice.reason in check(choice)
    assert f"params={choice.params}" in repr(choice)
    assert "agreement" in check(choice.shortlist[0])
    with pytest.warns(UserWarning, match="too few"):
        check(choose_vigilance(X[:4], random_state=0))


@pytest.mark.parametrize(
    "model",
    [
        FuzzyART(rho=0.8),
        DVFA(rho_lb=0.7, rho_ub=0.85, out_of_bounds="clip"),
        DDVFA(rho_lb=0.5, rho_ub=0.7),
        DDVFA(rho_lb=0.5, rho_ub=0.7, linkage="average", noise="label"),
        TopoART(rho_a=0.85),
        TopoART(rho_a=0.99, tau=400),
        DensityART(),
    ],
    ids=repr,
)
def test_what_a_model_says(model: Any) -> None:
    model.fit(FRAME)
    description = model.describe()
    text = check(description)
    assert repr(description) == f"Description({str(description).splitlines()[0]})"
    if description.clusters:
        assert "<script>alert(1)</script>" in text or "sepal & <b>" in text  # as text, no markup
        assert f"{description.clusters[0].size:,} rows" in check(description.clusters[0])
    for row in (X[0], X[80], [6.0, 2.9, 4.5, 0.9], [99.0, 2.0, -5.0, 2.0]):
        why = model.explain(row)
        text = check(why)
        assert str(why).splitlines()[0] in text
        if why.box is not None:
            assert all(name in text for name in NASTY[:3])
            check(why.box, most=300)
        for part in (why.runner_up, *(why.box.gaps if why.box else ())):
            if part is not None:
                check(part)
    check(model.bounds_)
    check(model.boxes_)


def test_ranges_and_boxes_have_the_names_of_the_features() -> None:
    frame = load_iris(as_frame=True).data
    model = FuzzyART(rho=0.8).fit(frame)
    names = tuple(frame.columns)
    for shown in (model.bounds_, model.boxes_, model.describe().bounds):
        assert shown.feature_names == names
        assert all(name in check(shown, most=300) for name in names)
        assert "sepal length (cm)" in repr(shown)
        assert len(shown) == 2  # still a pair of arrays
        again = pickle.loads(pickle.dumps(shown))
        assert again.feature_names == names
        np.testing.assert_array_equal(again[0], shown[0])
    assert all(name in check(model.describe().clusters[0]) for name in names)
    renamed = model.name_features(["a", "b", "c", "d"])
    assert renamed.bounds_.feature_names == ("a", "b", "c", "d")
    plain = FuzzyART(rho=0.8).fit(X)
    assert plain.bounds_.feature_names is None
    assert "features=" not in repr(plain.bounds_)
    assert "x3" in check(plain.boxes_)


def test_the_card_of_a_fitted_model() -> None:
    model = DensityART(min_samples=5)
    assert "noise" not in re.sub("<[^>]*>", "", model._repr_html_()).split("Parameters")[0]
    model.fit(FRAME)
    n_noise = int((model.labels_ < 0).sum())
    assert n_noise == 1
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "2 clusters, 1 row of noise, 150 rows learned" in html
        assert "4 input features: &lt;script&gt;alert(1)&lt;/script&gt;, " in html
        assert "<script>alert(1)" not in html
        assert "DensityART" in html  # scikit-learn's diagram
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")
    plain = FuzzyART(rho=0.0).fit(X)
    assert "1 cluster, 150 rows learned" in plain._repr_html_()
    assert "4 input features</div>" in plain._repr_html_()
    wide = FuzzyART(rho=0.0).fit(pd.DataFrame(np.eye(30), columns=[f"c{k}" for k in range(30)]))
    assert "30 input features: c0, c1, " in wide._repr_html_()
    assert "c11 and 18 more" in wide._repr_html_()


def test_streams_and_merges() -> None:
    learned = DDVFA(rho_lb=0.6, rho_ub=0.8, merge_every=50).learn_many(X)
    assert learned.renamings
    assert "130 more rows" in check(learned)
    check(learned.renamings[0])
    none = learned._replace(
        labels=learned.labels[:0], matches=learned.matches[:0], founded=learned.founded[:0]
    )
    check(none)
    check(MergeART(rho_lb=0.5, rho_ub=0.8).merge(FuzzyART(rho=0.8).fit(X)))


def test_a_sweep() -> None:
    from resonart.vigilance.sweep import sweep

    grid = {"rho": np.arange(11) / 10}
    orders = np.stack([np.arange(150), np.arange(150)[::-1]])
    labels = load_iris().target
    for y in (labels, None):
        found = sweep(FuzzyART(rho=0.0), X, y, grid=grid, orders=orders)
        assert "11 cells in 2 orders" in check(found)
    one = sweep(FuzzyART(rho=0.0), X, None, grid=grid, orders=orders[:1])
    check(one)
    assert "VigilancePlane" in repr(VigilancePlane(FuzzyART()))


def test_the_picture_of_vat_is_a_png() -> None:
    image = ivat(X)
    check(image)
    html = picture(np.add.outer(np.arange(600.0), np.arange(600.0)), "many")
    data = base64.b64decode(re.findall(r"base64,([^\"]+)", html)[0])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (200, 200)
    begin = data.index(b"IDAT") + 4
    length = struct.unpack(">I", data[begin - 8 : begin - 4])[0]
    lines = np.frombuffer(zlib.decompress(data[begin : begin + length]), np.uint8)
    grey = lines.reshape(200, 201)[:, 1:]
    assert grey[0, 0] == 0
    assert grey[-1, -1] == 255
    check(ivat([[1.0], [1.0]]))


def test_data_sets_and_tables(tmp_path: Any) -> None:
    info = datasets.describe("iris")
    assert info.title in check(info)
    pytest.importorskip("pyarrow")
    from resonart import stream, tables

    path = tmp_path / "rows.csv"
    path.write_text("a,b,kind\n1,2,<b>\n3,4,<i>\n")
    with tables.open_table(path, label="kind") as reader:
        chunk = next(iter(reader))
    assert "<b>" in check(chunk)
    check(stream.Reject(3, "<b> is not a number", b"<b>,2\n" * 40))
    check(stream.LiveRows(X, np.arange(150), [stream.Reject(3, "<b> is not a number", b"<b>")]))
    check(stream.Block(b"1,2\n3,4\n", 8, 0))


def test_long_ones_are_cut() -> None:
    text = table([f"c{k}" for k in range(30)], [[1.5] * 30] * 50)
    assert text.count("<tr>") == 21
    assert "... and 30 more rows and 19 more columns" in text
    assert short(np.arange(100)) == "<array of shape (100,)>"
    assert len(short("x" * 500)) < 70
    assert short(b"x" * 500) == "<500 bytes>"
    assert facts({"<": [">"]}).count("&") == 2
    assert card().startswith("<div")
    assert in_words(float("nan")) == "\N{EN DASH}"
    assert in_words(50123.7) == "50123.7"
    wide = FuzzyART(rho=0.5).fit(np.random.default_rng(0).random((60, 300)))
    for shown in (wide.describe(), wide.explain(np.zeros(300)), wide.bounds_, wide.boxes_):
        assert len(shown._repr_html_()) < 40_000
        check(shown)


def test_events_of_clusters() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 4))
    frame = pd.DataFrame(rows + np.where(np.arange(400) % 2, 9, 0)[:, None], columns=NASTY)
    events = DensityART(half_life=100).partial_fit(frame).events_
    text = check(events)
    assert f"{len(events)} events: " in text
    assert "The latest first:" in text
    assert str(events[0]) in check(events[0], most=300)
    check(events[:0])
    timed = DensityART(window=100).partial_fit(frame, time=np.arange(400) / 7).events_
    assert "time" in check(timed)
