"""What must work where a wheel was installed: run by ``make wheel`` in every fresh environment.

    python smoke.py VERSION [--no-compiler]

The last line on stdout is a digest of what was learned: the same on every Python.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib import metadata
from pathlib import Path

import numpy as np

import resonart
from resonart import DDVFA, DVFA, DensityART, FuzzyART, TopoART, _core

COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl", "cmake", "ninja", "make")


def two_bands(n: int) -> np.ndarray:
    """Return rows in two bands and some in between, from exact arithmetic alone."""
    u = np.random.default_rng(0).random((n, 2))
    rows = np.column_stack([u[:, 0] * 4, u[:, 1] * 0.25 + np.where(np.arange(n) % 2, 2, 0)])
    rows[::50, 1] = u[::50, 1] * 2
    return rows


def check_no_compiler() -> None:
    found = [name for name in COMPILERS if shutil.which(name)]
    assert not found, f"there are compilers on the PATH: {found}"


def check_installation(version: str) -> None:
    site = Path(sysconfig.get_path("platlib")).resolve()
    place = Path(resonart.__file__).resolve()
    assert place.is_relative_to(site), f"another resonart: {place}"
    assert resonart.__version__ == metadata.version("resonart") == version
    is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    facts = _core.build_facts()
    assert facts["free_threaded"] == is_free
    assert facts["stable_abi"] == (sys.version_info >= (3, 12) and not is_free)
    if sys.platform != "win32":  # where endings do not tell
        assert (".abi3." in Path(_core.__file__).name) == facts["stable_abi"]
    if is_free:
        assert not sys._is_gil_enabled(), "the import brought the GIL back"
    assert (Path(resonart.__file__).parent / "py.typed").exists()


def learn(rows: np.ndarray) -> str:
    digest = hashlib.sha256()
    for model in (
        FuzzyART(rho=0.9),
        DVFA(rho_lb=0.8, rho_ub=0.9),
        DDVFA(rho_lb=0.8, rho_ub=0.95),
        TopoART(rho_a=0.9, phi=2),
        DensityART(),
    ):
        labels = model.fit(rows).labels_
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(rows), model.predict(rows))
        digest.update(np.ascontiguousarray(labels).tobytes())
        digest.update(np.ascontiguousarray(model.score_samples(rows)).tobytes())
    assert model.n_clusters_ == 2, model.choice_
    assert model.predict([[1.0, 0.1], [3.0, 2.1], [90.0, 90.0]]).tolist() in (
        [0, 1, -1],
        [1, 0, -1],
    )
    stream = DensityART(half_life=1000)
    for row in rows:
        stream.learn_one(row)
    digest.update(np.ascontiguousarray(stream.update_clusters().weights_).tobytes())
    return digest.hexdigest()[:16]


def command(*arguments: str) -> str:
    # The script itself: PATH has the environment's own folder alone.
    program = Path(sysconfig.get_path("scripts")) / "resonart"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def use_command_line(rows: np.ndarray) -> None:
    assert json.loads(command("version", "--json"))["version"] == resonart.__version__
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savetxt(folder / "rows.csv", rows, delimiter=",", header="x,y", comments="")
        model, labels = str(folder / "m.resonart"), folder / "labels.csv"
        command("cluster", str(folder / "rows.csv"), "-o", str(labels), "--save", model, "--quiet")
        assert len(labels.read_text().splitlines()) == len(rows) + 1
        assert resonart.load(model).n_clusters_ == 2
        assert "x" in command("describe", model)


def main() -> None:
    if "--no-compiler" in sys.argv:
        check_no_compiler()
    check_installation(sys.argv[1])
    rows = two_bands(2000)
    digest = learn(rows)
    done = subprocess.run(
        [sys.executable, "-m", "resonart", "--version"], capture_output=True, text=True, check=True
    )
    print(done.stdout.strip())
    try:
        metadata.version("click")
    except metadata.PackageNotFoundError:
        pass
    else:
        use_command_line(rows)
    print(digest)


if __name__ == "__main__":
    main()
