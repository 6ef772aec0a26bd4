"""What surrounds the package: versions, workflows, the recipe, the README's table, the tools.

Wheels themselves are built and tried by ``make wheel``, the engine for other systems by ``make
cross``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import resonart

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.skipif(
        not (ROOT / ".github").exists(), reason="needs the whole repository, not an sdist"
    ),
]


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


SCHEMAS = {
    **{f".github/workflows/{path.name}": "github-workflows" for path in WORKFLOWS},
    ".github/ISSUE_TEMPLATE/bug.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "github-issue-config",
    "CITATION.cff": "citation-file-format",
}


def follows_schema(path: Path, schema: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("check_jsonschema", reason="needs check-jsonschema: --group test-all")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    return subprocess.run([*command, path], capture_output=True, text=True)


@pytest.mark.subprocess
@pytest.mark.parametrize("name", SCHEMAS)
def test_files_for_others_follow_their_schema(name: str) -> None:
    done = follows_schema(ROOT / name, SCHEMAS[name])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.subprocess
def test_a_key_that_does_not_exist_is_seen(tmp_path: Path) -> None:
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    assert "runs-on:" in text
    (tmp_path / "test.yml").write_text(text.replace("runs-on:", "run-on:", 1))
    assert follows_schema(tmp_path / "test.yml", "github-workflows").returncode == 1


# ---------------------------------------------------------------------- the published site

URL = "https://example.org/resonart"


def built_site(folder: Path, version: str, words: str = "") -> Path:
    """Return a site of one page, as `make docs` would build it for this version."""
    folder.mkdir()
    (folder / "index.html").write_text(f"<p>{version} {words}")
    (folder / "switcher.json").write_text("[]")
    (folder / "llms.txt").write_text(f"- [start]({URL}/{version}/start.html)")
    (folder / "llms-full.txt").write_text(f"all of {version}")
    return folder


def test_versions_of_the_site_stand_side_by_side(tmp_path: Path) -> None:
    site = tool("site")
    out = tmp_path / "site"
    out.mkdir()
    site.add(built_site(tmp_path / "a", "dev"), out, "dev", URL)
    assert 'url=dev/"' in (out / "index.html").read_text()
    assert [e["name"] for e in json.loads((out / "switcher.json").read_text())] == ["development"]
    site.add(built_site(tmp_path / "b", "0.9"), out, "0.9", URL)
    site.add(built_site(tmp_path / "c", "0.10"), out, "0.10", URL + "/")
    site.add(built_site(tmp_path / "d", "dev", "again"), out, "dev", URL)
    assert json.loads((out / "switcher.json").read_text()) == [
        {"name": name, "version": v, "url": f"{URL}/{v}/", "preferred": v == "0.10"}
        for name, v in [("development", "dev"), ("0.10 (stable)", "0.10"), ("0.9", "0.9")]
    ]
    assert 'url=0.10/"' in (out / "index.html").read_text()
    assert (out / "llms-full.txt").read_text() == "all of 0.10"
    assert (out / "dev" / "index.html").read_text() == "<p>dev again"
    assert not list(out.glob("*/switcher.json"))


def test_a_site_that_was_built_for_another_place_is_refused(tmp_path: Path) -> None:
    site = tool("site")
    built = built_site(tmp_path / "built", "dev")
    for version, url, why in [
        ("1.2.3", URL, "a minor release"),
        ("0.1", URL, "RESONART_SITE_VERSION=0.1"),
        ("dev", "https://example.org/other", "RESONART_SITE=https://example.org/other"),
    ]:
        with pytest.raises(SystemExit, match=re.escape(why)):
            site.add(built, tmp_path, version, url)
    with pytest.raises(SystemExit, match="make docs"):
        site.add(tmp_path / "nothing", tmp_path, "dev", URL)
    assert [path.name for path in tmp_path.iterdir()] == ["built"]


@pytest.mark.subprocess
def test_a_branch_keeps_all_versions_of_the_site(tmp_path: Path) -> None:
    if shutil.which("git") is None or shutil.which("bash") is None:
        pytest.skip("needs git and bash")

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        return done.stdout

    git("init", "--quiet", "--bare", "origin.git")
    for i, version in enumerate(["dev", "0.1", "dev"]):
        built = built_site(tmp_path / f"built{i}", version, str(i))
        clone = f"clone{i}"
        git("clone", "--quiet", "origin.git", clone)
        (tmp_path / clone / "file").write_text("of the repository")
        git("-C", clone, "add", "file")
        git("-C", clone, "commit", "--quiet", "--message", "a commit")
        script = ROOT / "packaging" / "publish_site.sh"
        done = subprocess.run(
            ["bash", script, built, "site", version, URL],
            cwd=tmp_path / clone,
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHON": sys.executable},
        )
        assert done.returncode == 0, done.stderr
        files = set(git("-C", "origin.git", "ls-tree", "-r", "--name-only", "gh-pages").split())
        assert "file" not in files
        assert f"{version}/index.html" in files
        assert len(git("-C", "origin.git", "rev-list", "gh-pages").split()) == 1
    assert {"dev/index.html", "0.1/index.html", "switcher.json", ".nojekyll"} <= files
    assert git("-C", "origin.git", "show", "gh-pages:dev/index.html") == "<p>dev 2"
    assert git("-C", "origin.git", "show", "gh-pages:0.1/index.html") == "<p>0.1 1"


# ---------------------------------------------------------------------- other systems


# What names the processor in an object file for each system, and where it is.
MACHINES = {
    "aarch64-linux-gnu": (b"\xb7\x00", 18),
    "aarch64-macos": (b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01", 0),
    "x86_64-windows-gnu": (b"\x64\x86", 0),
}


@pytest.mark.subprocess
@pytest.mark.parametrize("name", MACHINES)
def test_the_kernels_compile_for_another_system(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All algorithms do in ``make cross``, which takes minutes."""
    pytest.importorskip("ziglang", reason="needs ziglang: --group cross")
    cross = tool("cross")
    monkeypatch.setattr(cross, "WORK", tmp_path)
    [target] = [target for target in cross.TARGETS if target.name == name]
    sources = ["cpp/boxes/kernels.cpp", "cpp/boxes/dispatch.cpp", "packaging/cross_msvc.cpp"]
    made = cross.compile_all(cross.zig_for(target), target, sources)
    wanted = ["kernels_baseline", "dispatch"]
    if target.is_x86:
        wanted[1:1] = ["kernels_avx2", "kernels_avx512"]
    assert [path.stem for path in made] == wanted
    machine, at = MACHINES[name]
    for path in made:
        assert path.read_bytes()[at : at + len(machine)] == machine, path.name


@pytest.mark.subprocess
def test_a_failing_compiler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cross = tool("cross")
    monkeypatch.setattr(cross, "WORK", tmp_path)
    broken = [sys.executable, "-c", "import sys; sys.exit('no such header')"]
    with pytest.raises(cross.CrossError, match="no such header"):
        cross.compile_all(broken, cross.Target("here"))


@pytest.mark.subprocess
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-c", "import sys; print(__name__, sys.argv)", "a"], "__main__ ['-c', 'a']"),
        (["-m", "shown", "a"], "__main__ 'a' shown.py ''"),
        (["shown.py", "a"], "__main__ 'a' shown.py None"),
    ],
    ids=["command", "module", "file"],
)
def test_the_main_program_runs_what_is_asked_for(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    """The part in Python of free_threaded.c, told what that has read from the command line."""
    (tmp_path / "shown.py").write_text(
        "import os, sys\n"
        "package = __spec__ and __spec__.parent\n"
        "print(__name__, repr(sys.argv[1]), os.path.basename(__file__), repr(package))\n"
    )
    option, value = (arguments[0], arguments[1]) if arguments[0] in ("-c", "-m") else ("", "")
    asked = (
        value if option == "-c" else None,
        value if option == "-m" else None,
        None if option else arguments[0],
        0,
    )
    argv = [option, *arguments[2:]] if option else arguments
    loader = ROOT / "packaging" / "free_threaded_main.py"
    code = (
        f"import sys; sys._asked = {asked!r}; sys.argv = {argv!r}\n"
        f"exec(compile(open({str(loader)!r}).read(), 'main', 'exec'))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == said


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
