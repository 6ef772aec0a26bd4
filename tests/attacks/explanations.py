"""What models say of rows, boxes and distances is true, whatever the ranges and the names."""

from __future__ import annotations

import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from resonart import DDVFA, DVFA, FuzzyART, TopoART
from resonart.tuning import distance_for, vigilance_for

LETTERS = "ab<>&\"'/\x00\x1b\x9b\n\t\u202e\u2028é漢\ud800 =;{}"
TAGS = {"div", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "br"}


class Page(HTMLParser):
    """Keeps what is open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in TAGS, f"markup came out of a name: <{tag}>"
        assert {name for name, _ in attrs} <= {"style"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def trial(random: Any, folder: Path) -> str:
    d = int(random.integers(1, 8))
    low = random.normal(0.0, 10.0 ** random.integers(-3, 6), d)
    extent = 10.0 ** random.uniform(-4, 6, d)
    if random.random() < 0.2:
        extent[random.integers(d)] = 0.0
    rows = low + extent * random.random((int(random.integers(1, 200)), d)) ** 2
    model = make(random)
    names = ["".join(random.choice(list(LETTERS), random.integers(1, 12))) for _ in range(d)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows)
    asked = rows[0] + extent * random.normal(0.0, random.choice([0.0, 0.1, 2.0]), d)
    why = model.explain(asked, feature_names=names)
    assert why.label == model.predict([asked])[0]
    assert why.match == model.score_samples([asked])[0]
    if why.deciding is not None:
        assert abs(why.deciding.match - why.match) < 1e-6, (why.deciding.match, why.match)
    for shown in (why, model.describe(feature_names=names), model.bounds_, model.boxes_):
        assert "\n" not in repr(shown)
        html = shown._repr_html_()
        assert not set(html) & set("\x00\x1b\x9b\n\t\u202e\u2028\ud800")
        page = Page()
        page.feed(html)
        page.close()
        assert not page.open
    return check_distances(random, model, d) + (" inside" if why.n_holding else " outside")


def make(random: Any) -> Any:
    common = {"noise": str(random.choice(["nearest", "label"]))}
    common["out_of_bounds"] = str(random.choice(["expand", "clip"]))
    rho_lb, rho_ub = sorted(random.random(2).round(3).tolist())
    alpha = float(10.0 ** random.uniform(-6, 0))
    kind = int(random.integers(4))
    if kind == 0:
        return FuzzyART(rho=rho_ub, alpha=alpha, **common)
    if kind == 1:
        return DVFA(rho_lb=rho_lb, rho_ub=rho_ub, alpha=alpha, **common)
    if kind == 2:
        return TopoART(rho_a=rho_ub, alpha=alpha, tau=int(random.integers(1, 100)), **common)
    gamma = float(random.choice([1.0, 2.0, 3.0, 4.5]))
    return DDVFA(rho_lb=rho_lb, rho_ub=rho_ub, alpha=alpha, gamma=gamma, **common)


def check_distances(random: Any, model: Any, d: int) -> str:
    """Two rows at the distance that a vigilance is for are joined, and just beyond not."""
    ranges = np.zeros(d), 10.0 ** random.uniform(-4, 6, d)
    distance = ranges[1] * random.uniform(0.01, 0.9, d)
    rho = vigilance_for(distance, model, bounds=ranges)
    back = distance_for(rho, model, bounds=ranges)
    shares = (back / ranges[1]).sum(), (distance / ranges[1]).sum()
    assert abs(shares[0] - shares[1]) < 1e-9
    common = {"bounds": ranges, "alpha": model.alpha}
    for factor in (1.0 - 1e-9, 1.0, 1.0 + 1e-9):
        pair = np.stack([np.zeros(d), factor * distance])
        if isinstance(model, DDVFA):
            fitted = DDVFA(rho_lb=rho, rho_ub=1.0, gamma=model.gamma, auto_merge=False, **common)
        else:
            fitted = FuzzyART(rho=rho, **common)
        assert (fitted.fit(pair).n_clusters_ == 1) == (factor <= 1.0), (rho, factor)
    return type(model).__name__
