"""Children to be killed or interrupted: forked from a process that has everything imported.

Starting Python and importing takes longer than most of what is to be interrupted. A server does it
once, without threads of its own, and forks a child for each task.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NamedTuple

# What a child ends with where its task raises, besides SystemExit.
FAILED = 99
# What a child ends with where the signal came before or after its task.
OUTSIDE = 98


class End(NamedTuple):
    """How a child ended."""

    code: int  # negative: the signal that ended it
    seconds: float
    stdout: str
    stderr: str


class Children:
    """The server, started when it is first needed."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None

    def run(
        self,
        function: str,
        *arguments: Any,
        folder: Path,
        signal_number: int = 0,
        after: float = 0.0,
        timeout: float = 60.0,
    ) -> End:
        """Call ``module:name`` in a child, inside of a folder, and send it a signal after a time.

        Its words go to files outside of the folder. A child that does not end is a failure.
        """
        server = self._server
        if server is None or server.poll() is not None:
            server = self._server = self._start()
        assert server.stdin is not None
        assert server.stdout is not None
        words = [folder.with_name(f"{folder.name}.{name}") for name in ("stdout", "stderr")]
        task = {
            "function": function,
            "arguments": arguments,
            "folder": str(folder),
            "words": list(map(str, words)),
            "signal": signal_number,
            "after": after,
            "timeout": timeout,
        }
        server.stdin.write(json.dumps(task) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        told = [path.read_text(errors="replace") for path in words]
        for path in words:
            path.unlink()
        assert not answer["hung"], f"{function}{arguments} hangs.\n{told[1]}"
        return End(answer["code"], answer["seconds"], *told)

    def _start(self) -> subprocess.Popen[str]:
        here = Path(__file__).parents[1]
        path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
        server = subprocess.Popen(
            [sys.executable, "-m", "attacks.children"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path, "MPLBACKEND": "agg"},
        )
        atexit.register(server.kill)
        return server


children = Children()


def command(*arguments: str) -> None:
    """Run the command line, as the program ``resonart`` does."""
    from resonart.cli import main

    sys.argv = ["resonart", *arguments]
    sys.exit(main())


# ---------------------------------------------------------------------- the server


def serve() -> None:
    """Take tasks from standard input, one a line, and answer with how each ended."""
    import click
    import matplotlib.figure
    import pyarrow.csv
    import pyarrow.parquet
    import rich.console

    import resonart.cli._app

    del click, matplotlib, pyarrow, rich, resonart
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), flush=True)


def _run(task: dict[str, Any]) -> dict[str, Any]:
    ready, says_ready = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready)
        _be_child(task, says_ready)
    os.close(says_ready)
    os.read(ready, 1)
    os.close(ready)
    begin = time.monotonic()
    if task["signal"]:
        time.sleep(task["after"])
        os.kill(child, task["signal"])
    end = begin + task["timeout"]
    status = None
    pause = 0.0005
    while status is None and time.monotonic() < end:
        found, ended = os.waitpid(child, os.WNOHANG)
        if found:
            status = ended
        else:
            time.sleep(pause)
            pause = min(2 * pause, 0.01)
    seconds = time.monotonic() - begin
    hung = status is None
    if hung:
        os.kill(child, signal.SIGABRT)  # faulthandler says where it was
        _, status = os.waitpid(child, 0)
    assert status is not None
    return {"code": os.waitstatus_to_exitcode(status), "seconds": seconds, "hung": hung}


def _be_child(task: dict[str, Any], says_ready: int) -> None:
    """Do the task and end; never return."""
    import faulthandler

    code = OUTSIDE  # a signal may come when all is done
    os.chdir(task["folder"])
    for number, path in zip((1, 2), task["words"], strict=True):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    faulthandler.enable()
    module, _, name = task["function"].partition(":")
    function = getattr(importlib.import_module(module), name)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        os.write(says_ready, b"r")
        function(*task["arguments"])
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except KeyboardInterrupt as interrupt:
        code = FAILED if _is_inside(interrupt) else OUTSIDE
        traceback.print_exc()
    except BaseException:
        code = FAILED
        traceback.print_exc()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()
        os._exit(code)


def _is_inside(interrupt: BaseException) -> bool:
    """Tell whether it came within the package, and not before it or after it."""
    frames = traceback.extract_tb(interrupt.__traceback__)
    return any(f"{os.sep}resonart{os.sep}" in frame.filename for frame in frames[2:])


if __name__ == "__main__":
    serve()
