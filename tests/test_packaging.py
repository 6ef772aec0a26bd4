"""What surrounds the package: versions, workflows, the recipe, the README's table, the tools.

Wheels themselves are built and tried by ``make wheel``, the engine for other systems by ``make
cross``.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import resonart

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(
    not (ROOT / ".github").exists(), reason="needs the whole repository, not an sdist"
)


def read_yaml(path: Path) -> Any:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, which Dask brings")
    return yaml.safe_load(path.read_text())


def tool(name: str) -> ModuleType:
    """Import a file of packaging/, which is no package."""
    spec = importlib.util.spec_from_file_location(
        f"packaging_{name}", ROOT / "packaging" / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---------------------------------------------------------------------- versions


def test_all_files_name_the_same_version() -> None:
    assert PROJECT["version"] == resonart.__version__
    assert str(read_yaml(ROOT / "CITATION.cff")["version"]) == resonart.__version__
    recipe = read_yaml(ROOT / "packaging" / "conda" / "recipe.yaml")
    assert recipe["context"]["version"] == resonart.__version__
    test_command = PYPROJECT["tool"]["cibuildwheel"]["test-command"]
    assert test_command.endswith(f"smoke.py {resonart.__version__}")


def test_the_support_window_is_what_is_declared() -> None:
    page = (ROOT / "docs" / "policy.md").read_text()
    names = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert f">={names[0]}" == PROJECT["requires-python"]
    assert f"{names[0]} to {names[-1]}" in page
    for needed in PROJECT["dependencies"]:
        assert needed.replace(">=", " ") in page
    built = PYPROJECT["tool"]["cibuildwheel"]["build"].split()
    assert [f"cp{name.replace('.', '')}-*" for name in names] == [b for b in built if "t-" not in b]


def test_one_wheel_serves_python_312_and_later() -> None:
    assert PYPROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    wheel = tool("wheel")
    tags = {kind: wheel.Python(kind, "").wheel for kind in wheel.WANTED + wheel.ALSO}
    assert tags["3.11"] == "cp311-cp311"
    assert {tags["3.12"], tags["3.13"], tags["3.14"]} == {"cp312-abi3"}
    assert tags["3.14t"] == "cp314-cp314t"


def test_pythons_are_found_and_others_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tool("wheel")
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    paths = [str(tmp_path / "nothing"), str(broken), sys.executable, sys.executable]
    monkeypatch.setattr(wheel, "candidates", lambda: iter(paths))
    found = wheel.found_pythons()
    assert [python.path for python in found.values()] == [sys.executable]
    assert next(iter(found)).rstrip("t") == "{}.{}".format(*sys.version_info)


# ---------------------------------------------------------------------- workflows


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_whole_and_say_what_is_untried(path: Path) -> None:
    text = path.read_text()
    assert "UNTRIED" in text.split("\nname:")[0]
    flow = read_yaml(path)
    assert set(flow) >= {"name", "permissions", "jobs"}
    assert True in flow  # YAML reads "on" as a truth value
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for name, job in flow["jobs"].items():
        assert {"runs-on", "steps"} <= set(job), name
        needs = job.get("needs", [])
        assert set([needs] if isinstance(needs, str) else needs) <= set(flow["jobs"])
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+(\.\d+)*|release/v1)", step["uses"])
            for command in re.findall(r"^make (.+)$", step.get("run", ""), flags=re.MULTILINE):
                assert set(command.split()) <= targets | {"docs"}, command


def test_a_release_is_published_without_a_secret() -> None:
    flow = read_yaml(ROOT / ".github" / "workflows" / "release.yml")
    publish = flow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert "tag" in publish["if"]
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text()
    systems = {entry["os"] for entry in flow["jobs"]["wheels"]["strategy"]["matrix"]["include"]}
    assert len(systems) == 5
    for part in ("ubuntu-latest", "arm", "macos", "intel", "windows"):
        assert any(part in name for name in systems)


def test_a_bug_report_asks_how_it_was_built() -> None:
    form = read_yaml(ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml")
    [version] = [part for part in form["body"] if part["id"] == "version"]
    assert "python -m resonart --version" in version["attributes"]["label"]
    assert version["validations"]["required"]


# ---------------------------------------------------------------------- the recipe


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe = read_yaml(ROOT / "packaging" / "conda" / "recipe.yaml")

    def as_conda(needed: list[str]) -> set[str]:
        return {item.replace(">=", " >=") for item in needed}

    requirements = recipe["requirements"]
    extra = PROJECT["optional-dependencies"]["cli"]
    assert set(requirements["run"]) == {"python"} | as_conda(PROJECT["dependencies"] + extra)
    assert set(requirements["host"]) >= as_conda(PYPROJECT["build-system"]["requires"])
    assert recipe["about"]["license"] == PROJECT["license"]
    assert (ROOT / recipe["about"]["license_file"]).exists()


def test_the_recipe_renders_for_every_system() -> None:
    pytest.importorskip("rattler_build", reason="`make wheel` does this: --group release")
    said = tool("wheel").render_recipe(ROOT / "packaging" / "conda" / "recipe.yaml")
    assert "win-64 3" in said


# ---------------------------------------------------------------------- the README's table


def anchor(heading: str) -> str:
    """Return what GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_cells_of_the_table_lead_to_their_measurement() -> None:
    [table] = re.findall(
        r"^\| \| resonart \| artlib .*?(?=\n\n)", (ROOT / "README.md").read_text(), re.M | re.S
    )
    page = (ROOT / "benchmarks" / "README.md").read_text()
    # Sections that are not measured yet have their words already.
    words = "".join(p.read_text() for p in (ROOT / "benchmarks" / "sections").glob("*.md"))
    places = {anchor(h) for h in re.findall(r"^#+ (.+)$", page + "\n" + words, flags=re.M)}
    cells = re.findall(r"\[([^]]+)\]\(benchmarks/README\.md#([^)]+)\)", table)
    assert len(cells) >= 15
    for shown, place in cells:
        assert place in places, place
        if shown == "measured":
            continue
        start = next(
            m.start() for m in re.finditer(r"^#+ (.+)$", page, flags=re.M) if anchor(m[1]) == place
        )
        following = page[start:].split("\n", 1)
        section = following[1].split("\n#", 1)[0]
        numbers = [float(n.replace(",", "")) for n in re.findall(r"-?\d[\d,]*\.?\d*", section)]
        for number in re.findall(r"\d[\d,]*\.?\d*", shown):
            digits = len(number.partition(".")[2])
            value = float(number.replace(",", ""))
            assert any(round(n, digits) == value for n in numbers), (shown, place)
