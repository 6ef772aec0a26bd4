"""One list of parameters: signatures, declarations, docstrings and the engine agree."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

import numpy as np
import pytest

from oracle import LINKAGES
from resonart import DDVFA, DVFA, DensityART, FuzzyART, MergeART, TopoART, _core
from resonart._engine.parameters import PARAMETERS, Parameter, parameters_of
from resonart._engine.state import engine_params, plain_params
from resonart.rows.checks import ParameterError

ESTIMATORS = [FuzzyART, DVFA, DDVFA, TopoART, DensityART]
ENGINES = [kind._engine_type for kind in ESTIMATORS]
# Fields of the engine that follow from parameters of other names.
DERIVED = {
    "merge_when_full": "auto_merge",
    "rho_b": "rho_a",
    "min_cluster_share": "min_cluster_size",
    "min_samples_share": "min_samples",
    "least_clusters": "n_clusters",
    "most_clusters": "n_clusters",
}
# Numbers of rows, which Python leaves open by "auto" and the engine by 0.
SIZES = {"min_cluster_size", "min_samples"}

each_estimator = pytest.mark.parametrize("kind", [*ESTIMATORS, MergeART], ids=lambda k: k.__name__)
each_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda k: k.__name__)


def documented(kind: type[Any]) -> dict[str, str]:
    """What the docstring says each parameter is, by name, in its order."""
    doc = inspect.cleandoc(kind.__doc__ or "").replace("\\\n", "")
    section = doc.split("Parameters\n----------\n")[1].split("\n\n")[0]
    found = {}
    for names, what in re.findall(r"^(\w[\w, ]*) : (.+)$", section, flags=re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), what)
    return found


@each_estimator
def test_every_parameter_is_declared_and_documented(kind: type[Any]) -> None:
    assert list(documented(kind)) == list(parameters_of(kind))


@each_estimator
def test_docstrings_tell_the_defaults_of_the_signature(kind: type[Any]) -> None:
    for name, what in documented(kind).items():
        default = inspect.signature(kind).parameters[name].default
        told = re.search(r"default=(.+)$", what)
        if told is None:  # it has to be given
            assert default in (None, inspect.Parameter.empty), name
        else:
            assert eval(told[1]) == default, name


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda k: k.__name__)
def test_docstrings_tell_all_choices(kind: type[Any]) -> None:
    for name, what in documented(kind).items():
        choices = PARAMETERS[name].choices
        told = re.search(r"\{(.+)\}", what)
        assert bool(told) == bool(choices), name
        if told is not None:
            assert tuple(re.findall(r'"(\w+)"', told[1])) == choices


@each_estimator
def test_defaults_are_allowed(kind: type[Any]) -> None:
    for name, parameter in parameters_of(kind).items():
        default = inspect.signature(kind).parameters[name].default
        open_until_later = name == "rho_a" or default is inspect.Parameter.empty
        if not open_until_later and not parameter.needs_rows(default):
            parameter.check(default)


def test_nothing_is_declared_that_nobody_has() -> None:
    used = {name for kind in [*ESTIMATORS, MergeART] for name in parameters_of(kind)}
    assert used == set(PARAMETERS)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda k: k.__name__)
def test_every_field_of_the_engine_is_settled_by_a_parameter(kind: type[Any]) -> None:
    fields = {field.name for field in kind._engine_type.Params.fields}
    known = parameters_of(kind)
    assert {DERIVED.get(name, name) for name in fields} <= set(known)
    swept = {name: 0.5 for name in known if name.startswith("rho")}
    assert set(kind(**swept)._own_params(10)) == fields


# ---------------------------------------------------------------------- ranges


def trials(field: Any) -> list[Any]:
    """Values in a field's range and at its edges, just beyond them, and far outside."""
    if field.kind == "whole":
        return [-(2**40), -1, 0, 1, 2, 2**40]
    edges = [edge for edge in (field.low, field.high) if math.isfinite(edge)]
    near = [float(np.nextafter(edge, to)) for edge in edges for to in (-math.inf, math.inf)]
    return [*edges, *near, 0.5, 1e300, -1e300, math.inf, -math.inf, math.nan]


def is_taken(make: Any, *errors: type[Exception]) -> bool:
    try:
        make()
    except errors:
        return False
    return True


@each_engine
def test_python_takes_what_the_engine_takes(engine: type[Any]) -> None:
    """In each range by itself, so the other vigilance is out of the way."""
    for field in engine.Params.fields:
        if field.kind not in ("real", "whole") or field.name in {*DERIVED, *SIZES}:
            continue
        parameter = PARAMETERS[field.name]
        for value in trials(field):
            others = {"rho_lb": {"rho_ub": 1.0}, "rho_a": {"rho_b": 1.0}}.get(field.name, {})
            by_engine = is_taken(
                lambda n=field.name, v=value, o=others: engine.Params(**o, **{n: v}), ValueError
            )
            by_python = is_taken(lambda p=parameter, v=value: p.check(v), ParameterError)
            if engine is _core.DensityArt and field.name == "max_categories" and value == 0:
                assert (by_engine, by_python) == (False, False)  # it always has a bound
            elif parameter.optional and value == 0:  # which Python says by None
                assert (by_engine, by_python, parameter.check(None)) == (True, False, 0)
            else:
                assert by_engine == by_python, (field.name, value)


@each_engine
def test_engine_refuses_what_is_no_parameter(engine: type[Any]) -> None:
    with pytest.raises(TypeError, match="no such parameter"):
        engine.Params(surplus=1)
    for field in engine.Params.fields:
        with pytest.raises(TypeError, match=f"{field.name} is of another type"):
            engine.Params(**{field.name: "text"})


@each_engine
def test_every_field_is_kept_in_plain_form(engine: type[Any]) -> None:
    others: dict[str, Any] = {"real": 0.625, "whole": 7, "flag": False}
    given = {
        field.name: others.get(field.kind) or list(type(field.initial).__members__.values())[-1]
        if field.kind != "flag"
        else False
        for field in engine.Params.fields
    }
    if "window" in given:
        given["window"] = 0.0  # which goes without a half-life only
    params = engine.Params(**given)
    assert {name: getattr(params, name) for name in given} == given
    again = engine_params(engine, plain_params(params))
    assert plain_params(again) == plain_params(params) != plain_params(engine.Params())
    if engine is not _core.DensityArt:
        assert params.lower_vigilance == 0.625


@pytest.mark.parametrize("name", [f.name for f in _core.DdvfaParams.fields])
def test_a_change_of_any_parameter_reaches_the_engine(name: str) -> None:
    """Parameters are compared before a model is set up anew: none may be left out."""
    kept: dict[str, Any] = {"rho_lb": 0.25, "rho_ub": 0.75, "auto_merge": True}
    new: dict[str, Any] = {"rho_lb": 0.5, "rho_ub": 0.5, "search": "index", "linkage": "median"}
    new |= {"gamma": 2.0, "gamma_ref": 0.5, "merge_every": 50, "beta": 0.5, "alpha": 0.5}
    new |= {"out_of_bounds": "clip", "max_categories": 50, "auto_merge": False}
    model = DDVFA(**kept).fit([[0.0, 0.0], [1.0, 1.0]])
    before = getattr(model._engine.params(), name)
    own = DERIVED.get(name, name)
    model.set_params(**{own: new[own]}).partial_fit([[0.5, 0.5]])
    assert getattr(model._engine.params(), name) != before


# ---------------------------------------------------------------------- choices


def test_linkages_are_those_of_the_paper() -> None:
    assert tuple(_core.Linkage.__members__) == PARAMETERS["linkage"].choices == LINKAGES


def test_traits_tell_algorithms_apart() -> None:
    assert [e.__name__ for e in ENGINES if e.merges] == ["Ddvfa"]
    assert [e.__name__ for e in ENGINES if e.labels_later] == ["TopoArt"]
    assert [e.__name__ for e in ENGINES if e.rereads] == ["DensityArt"]


@pytest.mark.parametrize("name", [f.name for f in _core.DensityArtParams.fields])
def test_a_change_of_any_parameter_reaches_the_density_tree(name: str) -> None:
    new: dict[str, Any] = {"min_cluster_size": 7, "min_cluster_share": 0.25, "min_samples": 3}
    new |= {"scaling": "rank", "cluster_selection_method": "leaf", "noise": "nearest"}
    new |= {"alpha": 0.5, "out_of_bounds": "clip", "max_categories": 50}
    new |= {"half_life": 20.0, "window": 30.0, "min_samples_share": 0.25}
    new |= {"least_clusters": 2, "most_clusters": (1, 2)}
    # (Whether and how a model forgets is settled by its first rows.)
    old = {name: 10.0} if name in ("half_life", "window") else {}
    model = DensityART(**old).fit([[0.0, 0.0], [1.0, 1.0]])
    before = getattr(model._engine.params(), name)
    model.set_params(**{DERIVED.get(name, name): new[name]}).partial_fit([[0.5, 0.5]])
    assert getattr(model._engine.params(), name) != before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_cluster_size", 1),
        ("min_cluster_size", 1.0),
        ("min_cluster_size", 0.0),
        ("min_cluster_size", True),
        ("min_cluster_size", "all"),
        ("min_cluster_size", None),
        ("min_cluster_size", 2**53),
        ("min_samples", 0),
        ("min_samples", 1.5),
        ("n_clusters", 0),
        ("n_clusters", (3, 2)),
        ("max_categories", None),
        ("max_categories", 0),
        ("cluster_selection_method", "cut"),
        ("scaling", "none"),
        ("noise", -1),
    ],
)
def test_what_a_density_tree_cannot_be_read_by(name: str, value: object) -> None:
    model = DensityART(**{name: value})
    for call in (model.fit, model.partial_fit, model.learn_many):
        with pytest.raises(ParameterError, match=f"{name} must be .*, got"):
            call([[0.0], [1.0]])
    with pytest.raises(ParameterError, match=f"{name} must be .*, got"):
        model.learn_one([0.0])


# ---------------------------------------------------------------------- other front doors


def test_the_command_line_knows_every_parameter() -> None:
    pytest.importorskip("click")
    from resonart.cli import _model_options as _options

    known = {name for kind in ESTIMATORS for name in parameters_of(kind)}
    assert set(_options.MODEL_PARAMETERS) | _options._NO_OPTIONS == known
    assert not set(_options.MODEL_PARAMETERS) & _options._NO_OPTIONS
    assert known >= _options._NOT_OF_A_PLANE


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda k: k.__name__)
def test_clusterers_for_river_follow_the_estimators(kind: type[Any]) -> None:
    pytest.importorskip("river")
    from resonart import river

    shell = getattr(river, kind.__name__)
    theirs, ours = inspect.signature(kind).parameters, inspect.signature(shell).parameters
    expected = [name for name, each in parameters_of(kind).items() if not each.of_fit]
    assert list(ours) == [*expected, "on_missing", "on_new"]
    for name in expected:
        if not name.startswith("rho"):
            assert ours[name].default == theirs[name].default
    doc = inspect.cleandoc(shell.__doc__)
    section = doc.split("Parameters\n----------\n")[1].split("\n\n")[0]
    assert re.findall(r"^(\w+)$", section, flags=re.MULTILINE) == list(ours)
    assert all(len(line) <= 100 for line in shell.__doc__.splitlines())
    with pytest.raises(TypeError, match="surplus"):
        shell(surplus=1)


def test_a_parameter_says_what_it_may_be() -> None:
    flag = Parameter("x", "X", "flag")
    assert flag.values == "True or False"
    assert PARAMETERS["order"].values == '"given", "random" or "vat"'
    assert PARAMETERS["bounds"].values == ""
    assert PARAMETERS["rho"].needs_rows("auto")
    assert not PARAMETERS["rho"].needs_rows(0.5)
    assert PARAMETERS["tau"].needs_rows(0.5)
    assert not PARAMETERS["tau"].needs_rows(50)
    assert not PARAMETERS["linkage"].needs_rows("auto")


# ---------------------------------------------------------------------------- classes of the user's


class Longer(FuzzyART):
    def __init__(self, *, rho: float = 0.9, note: str = "") -> None:
        super().__init__(rho=rho)
        self.note = note


class Shorter(FuzzyART):
    def __init__(self, *, rho: float = 0.9) -> None:
        super().__init__(rho=rho, beta=0.5, max_categories=10, out_of_bounds="clip")


class ShorterDDVFA(DDVFA):
    def __init__(self, *, rho_lb: float = 0.85) -> None:
        super().__init__(rho_lb=rho_lb, rho_ub=0.95, linkage="average", gamma=2.0)


class ShorterTopoART(TopoART):
    def __init__(self, *, rho_a: float = 0.9) -> None:
        super().__init__(rho_a=rho_a, phi=5, tau=30)


@pytest.mark.parametrize("kind", [Longer, Shorter, ShorterDDVFA, ShorterTopoART])
def test_classes_made_from_ours_have_our_parameters(kind: type[Any]) -> None:
    """Whatever their own signature says: what is set is used."""
    X = np.random.default_rng(0).random((200, 2))
    ours = kind.__mro__[1]
    given = {name: getattr(kind(), name) for name in ours().get_params()}
    for calls in (lambda m: m.fit(X), lambda m: [m.partial_fit(part) for part in np.split(X, 4)]):
        theirs, plain = kind(), ours(**given)
        calls(theirs)
        calls(plain)
        used = plain_params(theirs._engine.params())
        assert used == plain_params(plain._engine.params())
        np.testing.assert_array_equal(theirs.weights_, plain.weights_)


def test_parameters_checked_before_are_those_of_the_model() -> None:
    """What ``merge`` trained with last is what ``"auto"`` stands for."""
    X = np.random.default_rng(0).random((200, 2))
    auto = {"rho_lb": "auto", "rho_ub": "auto"}
    model = DDVFA(rho_lb=0.85, rho_ub=0.94, bounds=(0, 1)).fit(X[:100])
    model.set_params(**auto).partial_fit(X[100:120])
    model.set_params(rho_lb=0.7, rho_ub=0.9).merge()
    model.set_params(**auto).partial_fit(X[120:])
    assert (model.rho_lb_, model.rho_ub_) == (0.7, 0.9)


def test_a_model_that_was_replaced_is_gone() -> None:
    X = np.random.default_rng(0).random((200, 2))
    model = FuzzyART(rho=0.95, bounds=(0, 1)).partial_fit(X).partial_fit(X)
    assert model._checked.engine is model._engine
    model.fit(X[:10])
    assert "_checked" not in vars(model)


def test_a_pickle_of_another_version_says_so() -> None:
    model = FuzzyART(rho=0.9).fit([[0.0], [1.0]])
    state = model.__getstate__()
    del state["_engine"]["state"]["n_removed"]
    with pytest.raises(ValueError, match="another version of resonart"):
        FuzzyART().__setstate__(state)
