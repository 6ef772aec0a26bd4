"""A process killed while it saves: the file is the old one or the new one, whole.

A server, which has imported all there is to import, forks a process that saves one model after the
other under the same name; it is killed at a random moment.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from resonart import load

needs_processes = True

_server: subprocess.Popen[str] | None = None


def trial(random: np.random.Generator, folder: Path) -> str:
    """Kill a process that saves, several times over, and look at what it leaves."""
    if not hasattr(os, "fork"):
        return "cannot fork"
    path = folder / "model.resonart"
    size = int(10 ** random.uniform(0.5, 3.8))
    full = random.random() < 0.3  # a disk with room for half of it
    last = -1
    for begin in range(0, 3000, 1000):
        pid = _ask_for(path, begin, size, full)
        time.sleep(float(random.exponential(0.05)))
        os.kill(pid, signal.SIGKILL)
        _gone(pid)
        if path.exists():
            last = _check_whole(path, size, last)
    others = [name for name in os.listdir(folder) if name != path.name]
    # Between two system calls a file has its other name.
    assert len(others) <= 3
    assert all(name.startswith(".resonart-") for name in others), others
    return "never saved" if last < 0 else "full disk" if full else "killed"


def _check_whole(path: Path, size: int, last: int) -> int:
    """Check that it is one of the models saved, and none before the last one seen."""
    model, metadata = load(path, with_metadata=True)
    number = metadata["number"]
    assert number >= last, "an older file came back"
    expected = a_model(number, size)
    np.testing.assert_array_equal(model.weights_, expected.weights_)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.n_samples_seen_ == expected.n_samples_seen_
    return int(number)


def a_model(number: int, size: int) -> Any:
    """Return the model of this number, about as large."""
    from resonart import FuzzyART

    rows = np.random.default_rng(number).random((size // 8 + 1, 4))
    return FuzzyART(rho=1.0, bounds=(0, 1)).fit(rows)


def _running_server() -> subprocess.Popen[str]:
    global _server
    if _server is None or _server.poll() is not None:
        _server = subprocess.Popen(
            [sys.executable, "-m", "attacks.saves"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        )
        atexit.register(_server.kill)
    return _server


def _ask_for(path: Path, begin: int, size: int, full: bool) -> int:
    """Have a process begin to save; return its number."""
    server = _running_server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{begin} {size} {int(full)} {path}\n")
    server.stdin.flush()
    said = server.stdout.readline()
    assert said, "the server has died"
    return int(said)


def _gone(pid: int) -> None:
    """Wait until the process is no more; its parent takes notice by itself."""
    for _ in range(2000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.005)
    raise AssertionError("a killed process lives on")


# ---------------------------------------------------------------------- in the server


def serve() -> None:
    """Fork a process for every line."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    a_model(0, 10)  # everything is imported once
    for line in sys.stdin:
        begin, size, full, path = line.rstrip("\n").split(" ", 3)
        pid = os.fork()
        if pid == 0:
            try:
                save_on_and_on(Path(path), int(begin), int(size), full == "1")
            finally:
                os._exit(1)
        print(pid, flush=True)


def save_on_and_on(path: Path, begin: int, size: int, full: bool) -> None:
    """Save models of rising numbers until killed."""
    import resource

    for number in range(begin, begin + 1000):
        model = a_model(number, size)
        if full and number % 2:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size * 2, resource.RLIM_INFINITY))
            try:
                model.save(path, metadata={"number": number})
            except OSError as error:
                if str(path) not in str(error):
                    (path.parent / "an error that names no file").touch()
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        else:
            model.save(path, metadata={"number": number})


if __name__ == "__main__":
    serve()
