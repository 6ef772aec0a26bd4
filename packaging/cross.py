"""Compile the engine for systems that are not here, by zig's compiler: ``make cross``.

The kernels, the dispatch between them and every algorithm (cross.cpp), with warnings as errors.
Where the result can be run (musl here; by qemu for aarch64, by wine for Windows, if they are
installed), it is linked and run, and must come to the same bits as on this machine. For Windows,
the lines that ask the processor are those that MSVC gets (cross_msvc.cpp). Python's side, the
bindings and MSVC itself are not tried by this.

What cannot be the same everywhere: `pow` and `exp2` come from the system's C library. Fuzzy ART,
DVFA, topoART and VAT need neither; of the others a difference is told, and is no failure.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "cross"
EXACT = ("FuzzyART", "DVFA", "topoART", "VAT")  # nothing but exactly rounded operations
FLAGS = ["-std=c++17", "-O2", "-ffp-contract=off", f"-I{ROOT / 'cpp'}"]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# Where programs that run others are looked for; Debian's wine64 is in none of the PATH's folders.
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/lib/wine"])


class Target(NamedTuple):
    """A system to compile for."""

    name: str  # as zig calls it
    runners: tuple[str, ...] = ()  # programs that run what was built; any of them will do
    is_x86: bool = False

    @property
    def is_windows(self) -> bool:
        return "windows" in self.name


TARGETS = [
    Target("aarch64-linux-gnu"),
    Target("x86_64-macos", is_x86=True),
    Target("aarch64-macos"),
    Target("aarch64-windows-gnu"),
    # To be linked, for which zig builds its C++ library first: minutes, once.
    Target("x86_64-windows-gnu", ("wine64", "wine"), is_x86=True),
    Target("aarch64-linux-musl", ("qemu-aarch64", "qemu-aarch64-static")),
    Target("x86_64-linux-musl", ("env",), is_x86=True),
]


class CrossError(Exception):
    """A compiler or linker that failed, with what it said."""


def call(command: Sequence[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CrossError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def compile_all(compiler: list[str], target: Target, sources: Sequence[str] = ()) -> list[Path]:
    """Compile each file (or these alone) as CMakeLists.txt does; return what was made of them."""
    folder = WORK / target.name
    folder.mkdir(parents=True, exist_ok=True)
    kernels = {"baseline": []}
    x86: list[str] = []
    if target.is_x86:
        kernels |= {"avx2": ["-mavx2"], "avx512": ["-mavx512f"]}
        x86 = ["-DRESONART_X86"]
    jobs = [
        (
            "cpp/boxes/kernels.cpp",
            f"kernels_{name}",
            [
                f"-DRESONART_KERNELS=kernels_{name}",
                f'-DRESONART_KERNELS_NAME="{name}"',
                *flags,
            ],
        )
        for name, flags in kernels.items()
    ]
    if target.is_windows and target.is_x86:
        jobs += [("packaging/cross_msvc.cpp", "dispatch", [*x86, "-mxsave"])]
    else:
        jobs += [("cpp/boxes/dispatch.cpp", "dispatch", x86)]
    jobs.append(("packaging/cross.cpp", "cross", []))
    jobs += [
        (str(path.relative_to(ROOT)), path.stem, x86)
        for path in sorted((ROOT / "cpp").rglob("*.cpp"))
        if path.parent.name != "python" and path.stem not in ("kernels", "dispatch")
    ]
    if sources:
        jobs = [job for job in jobs if job[0] in sources]

    def compile_one(job: tuple[str, str, list[str]]) -> Path:
        source, name, flags = job
        made = folder / f"{name}.o"
        call([*compiler, *FLAGS, *flags, "-c", ROOT / source, "-o", made])
        return made

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compile_one, jobs))


def link(compiler: list[str], target: Target, objects: list[Path]) -> Path:
    """Link a program that needs nothing of the system it is for; return it."""
    program = WORK / target.name / ("cross.exe" if target.is_windows else "cross")
    how: list[str | Path] = ["-static"] if "musl" in target.name else ["-pthread"]
    if target.is_x86 and "musl" in target.name:
        # Of this machine's compiler: what __builtin_cpu_supports reads, and zig's library lacks.
        native = os.environ.get("CXX", "c++")
        asked = subprocess.run(
            [native, "-print-libgcc-file-name"], capture_output=True, text=True, check=True
        )
        objects = [*objects, Path(asked.stdout.strip())]
    call([*compiler, *how, *objects, "-o", program])
    return program


def lines_of(command: list[str | Path], **environment: str) -> list[str]:
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return done.stdout.splitlines()


def zig_for(target: Target) -> list[str]:
    return [sys.executable, "-m", "ziglang", "c++", "-target", target.name, *WARNINGS]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile the engine for other systems.")
    parser.add_argument("--only", nargs="+", metavar="TARGET", help="these targets alone")
    only = parser.parse_args().only
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    here = Target("here", is_x86=is_x86)
    print("this machine", flush=True)
    # (Without warnings: GCC 12's own headers for AVX-512 have some.)
    native = [os.environ.get("CXX", "c++")]
    program = link(native, here, compile_all(native, here))
    expected = lines_of([program])
    print("\n".join(expected))
    failures = []
    if lines_of([program], RESONART_SIMD="baseline") != expected:
        failures.append("this machine: other results with the baseline's kernels")
    for target in TARGETS:
        if only and target.name not in only:
            continue
        runner = next((p for name in target.runners if (p := shutil.which(name, path=PATH))), None)
        if target.name.startswith("x86_64-linux") and not is_x86:
            runner = None
        try:
            objects = compile_all(zig_for(target), target)
            if runner is None:
                print(f"{target.name}: compiled; nothing here runs it", flush=True)
                continue
            program = link(zig_for(target), target, objects)
        except CrossError as error:
            failures.append(f"{target.name}: {error}")
            continue
        # (Wine keeps a link to / there: not in the tree, where tools follow links.)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            got = lines_of([runner, program], WINEPREFIX=folder, WINEDEBUG="-all")
        other = [a for a, b in zip(expected, got, strict=True) if a != b]
        exact = [line for line in other if line.rsplit(" ", 2)[0] in EXACT]
        names = ", ".join(line.rsplit(" ", 2)[0] for line in other)
        if exact:
            failures.append(f"{target.name}: other results than here ({names})")
        elif other:
            print(
                f"{target.name}: runs; other results by its C library's pow or exp2: {names}",
                flush=True,
            )
        else:
            print(f"{target.name}: runs, and comes to the same bits", flush=True)
    if failures:
        sys.exit("make cross: " + "\n".join(failures))


if __name__ == "__main__":
    main()
