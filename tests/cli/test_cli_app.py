"""The command line as a whole: help, errors in one line, exit codes, pipes, examples."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

import click
import pytest

import resonart
from command_line import error_of, fill_folder, run, run_json
from resonart import _core
from resonart.cli import _app, main
from resonart.cli._app import COMMANDS, app, load_command
from resonart.cli._command import MOST_USED
from resonart.cli._locks import locked

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "resonart"]
THERE = [name for name in COMMANDS if importlib.util.find_spec(f"resonart.cli.{name}") is not None]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return fill_folder(tmp_path)


# ---------------------------------------------------------------------- help


def test_help_lists_every_command() -> None:
    text = run("--help").stdout
    for name, summary in COMMANDS.items():
        assert f"  {name} " in text
        assert summary in text
    assert list(COMMANDS) == THERE


def test_alone_it_shows_the_short_help() -> None:
    alone = run()
    assert alone.stderr == ""
    assert alone.stdout == run("-h").stdout
    lines = alone.stdout.splitlines()
    assert lines[0].startswith("Usage: resonart ")
    assert "  resonart cluster data.csv -o labels.csv" in lines
    assert all(any(line.startswith(f"  {name} ") for line in lines) for name in COMMANDS)
    assert lines[-1] == "More: resonart --help"
    assert len(lines) < len(run("--help").stdout.splitlines())


@pytest.mark.parametrize("name", THERE)
def test_every_command_has_a_short_help(name: str) -> None:
    short, long = run(name, "-h").stdout, run(name, "--help").stdout
    assert short.splitlines()[0] == long.splitlines()[0]
    assert f"  {examples(long)[0]}\n\nMore: resonart {name} --help\n" in short
    assert len(short.splitlines()) <= 36  # a screen
    known = {text for param in load_command(name).params for text in param.opts}
    shown = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", short, re.MULTILINE))
    assert shown
    assert shown <= known
    assert len(known) <= 12 or shown == MOST_USED & known


def test_the_most_used_options_exist() -> None:
    known = {text for name in THERE for param in load_command(name).params for text in param.opts}
    assert known >= MOST_USED


@pytest.mark.parametrize("name", THERE)
def test_every_command_has_help_that_ends_with_an_example(name: str) -> None:
    text = run(name, "--help").stdout
    assert examples(text)
    assert text.rstrip().splitlines()[-1].strip().startswith("resonart ")
    # The list of commands says the same.
    assert load_command(name).help is not None
    assert str(load_command(name).help).splitlines()[0] == COMMANDS[name]


@pytest.mark.parametrize("name", THERE)
def test_every_command_speaks_json_and_can_be_quiet(name: str) -> None:
    options = {text for param in load_command(name).params for text in param.opts}
    assert {"--json", "--quiet"} <= options


def examples(text: str) -> list[str]:
    """Return the commands after the last heading of a help text."""
    _, _, found = text.rpartition("Example")
    return [line.strip() for line in found.splitlines()[1:] if line.strip()]


@pytest.mark.parametrize("name", THERE)
def test_the_examples_run(name: str, folder: Path) -> None:
    for line in examples(run(name, "--help").stdout):
        words = shlex.split(line)
        stdin = None
        if "<" in words:
            stdin = Path(words[words.index("<") + 1]).read_bytes()
            words = words[: words.index("<")]
        assert words[0] == "resonart"
        result = run(*words[1:], stdin=stdin)
        for option in ("-o", "--save", "--picture"):
            if option in words and words[words.index(option) + 1] != "-":
                assert Path(words[words.index(option) + 1]).stat().st_size > 0
        assert result.output


def test_the_example_of_the_application_runs(folder: Path) -> None:
    [line] = examples(run("--help").stdout)
    run(*shlex.split(line)[1:])
    assert Path("labels.csv").exists()


def test_version() -> None:
    name, built, chosen, python = run("--version").stdout.splitlines()
    assert name == f"resonart {resonart.__version__}"
    found = run_json("version")
    assert found["version"] == resonart.__version__
    assert found["packages"]["numpy"]
    build = found["build"]
    assert re.fullmatch(r"(GCC|Clang|Apple Clang|MSVC) [\d.]+", build["compiler"])
    assert built.startswith(f"built by {build['compiler']} with nanobind {build['nanobind']} for ")
    assert build["simd"] in build["simd_available"]
    kernels = f"kernels {build['simd']} (of {', '.join(build['simd_available'])})"
    assert chosen == f"{kernels}, index {build['index']}"
    assert python == f"CPython {found['python']} on {found['platform']}"


def test_the_version_tells_what_is_used() -> None:
    index = _core.index_in_use()
    try:
        _core.index_use("off")
        assert run_json("version")["build"]["index"] == "off"
    finally:
        _core.index_use(index)
    simd = _core.simd_in_use()
    try:
        _core.simd_use("baseline")
        assert run_json("version")["build"]["simd"] == "baseline"
    finally:
        _core.simd_use(simd)


def test_the_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"resonart": "resonart.cli:main"}
    extra = " ".join(project["optional-dependencies"]["cli"])
    assert all(name in extra for name in ("click", "rich", "pyarrow"))


def test_docs_name_every_command_and_field(folder: Path) -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    for name in COMMANDS:
        assert f"| `{name}" in page
    shown = {
        "cluster": run_json("cluster", "data.csv"),
        "predict": run_json("predict", "model.resonart", "new.csv"),
        "describe": run_json("describe", "model.resonart"),
        "merge": run_json("merge", "a.resonart", "b.resonart", "-o", "c.resonart"),
        "plane": run_json("plane", "data.csv", "--step", "0.5", "--orders", "2"),
        "vat": run_json("vat", "data.csv"),
        "version": run_json("version"),
    }
    for name, record in shown.items():
        [line] = [text for text in page.splitlines() if text.startswith(f"| `{name}` | `")]
        fields = set(record) - {"command", "version"}
        assert {field for field in fields if f"`{field}`" not in line} == set()


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["clutser", "data.csv"], "No such command 'clutser'. Did you mean cluster?"),
        (["Predict", "data.csv"], "No such command 'Predict'. Did you mean predict?"),
        (["data.csv"], "To cluster a table: resonart cluster data.csv."),
        (["xyzzy"], "No such command 'xyzzy'. Try"),
        (["--nonsense"], "No such option '--nonsense'. Try"),
        (["cluster", "data.csv", "--repotr"], "No such option '--repotr'. Did you mean --report?"),
        (["cluster", "-rf.csv"], "If you mean the file, write ./-rf.csv."),
        (["cluster"], "Missing argument 'DATA'"),
        (["cluster", "data.csv", "--nonsense"], "No such option"),
        (["cluster", "data.csv", "--rho-lb", "2"], "'2' is not a number from 0 to 1, nor auto"),
        (["cluster", "data.csv", "--rho-lb", "nan"], "'nan' is not a number from 0 to 1"),
        (["cluster", "data.csv", "--columns", "a,,b"], "is not a list of columns"),
        (["cluster", "data.csv", "--tau", "1.5"], "neither a number of rows nor a fraction"),
        (["cluster", "data.csv", "--model", "topo-art"], "needs --rho-a"),
        (["cluster", "data.csv", "--rho", "0.5"], "--rho is an option of fuzzy-art"),
        (["cluster", "data.csv", "--rho-lb", "0.5"], "you mean: --model ddvfa"),
        (["cluster", "data.csv", "--min-cluster-size", "1"], "a whole number >= 2"),
        (["cluster", "data.csv", "--min-samples", "1.5"], "a whole number >= 1"),
        (["cluster", "data.csv", "--scaling", "log"], "is not one of"),
        (["cluster", "data.csv", "--model", "dvfa", "--gamma", "1"], "--gamma is an option of"),
        (["cluster", "data.csv", "--scores"], "--scores needs a table of labels: -o FILE"),
        (["cluster", "data.csv", "--axes", "a,b"], "--picture FILE"),
        (["cluster", "data.csv", "-o", "-", "--json"], "both write to stdout"),
        (
            ["cluster", "data.csv", "--picture", "boxes.nonsense"],
            "the name of a picture must end in one of",
        ),
        (["merge", "a.resonart", "-o", "b.resonart"], "at least two models"),
        (["merge", "a.resonart", "b.resonart"], "Missing option"),
        (["plane", "data.csv", "--scoring", "ari"], "Name them: --label"),
        (["plane", "data.csv", "--show", "ari"], "Name them: --label"),
        (["plane", "data.csv", "--jobs", "0"], "--jobs"),
        (["explain", "model.resonart", "new.csv"], "Missing option '--row'"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(folder: Path, arguments: list[str], said: str) -> None:
    Path("-rf.csv").write_text("a,b\n1,2\n3,4\n")
    line = error_of(*arguments, code=2)
    assert said in line
    assert line.endswith("--help'.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cluster", "nothing.csv"], "There is no file nothing.csv"),
        (["cluster", "."], "folder"),
        (["cluster", "empty.csv"], "empty.csv is empty"),
        (["cluster", "data.csv", "--columns", "widht"], "Near it are: 'width'"),
        (["cluster", "data.csv", "--label", "nothing"], "has no column 'nothing'"),
        (["cluster", "gap.csv"], "--missing drop"),
        (["cluster", "data.csv", "-o", "nowhere/labels.csv"], "nowhere"),
        (["cluster", "data.csv", "-o", "labels.nonsense"], "does not say the format"),
        (["cluster", "data.csv", "--save", "nowhere/model.resonart"], "there is no folder"),
        (["cluster", "data.csv", "--picture", "nowhere/boxes.png"], "there is no folder"),
        (
            ["cluster", "data.csv", "--model", "ddvfa", "--rho-lb", "0.9", "--rho-ub", "0.1"],
            "must not exceed",
        ),
        (["predict", "nothing.resonart", "data.csv"], "nothing.resonart: No such file"),
        (["predict", "data.csv", "data.csv"], "data.csv"),
        (["describe", "cut.resonart"], "cut.resonart"),
        (["describe", "empty.csv"], "empty.csv"),
        (["describe", "unfitted.resonart"], "has learned nothing yet"),
        (
            ["merge", "a.resonart", "fuzzy.resonart", "-o", "c.resonart"],
            "only density-art and ddvfa models can be merged",
        ),
        (["vat", "nothing.csv"], "There is no file nothing.csv"),
        (["vat", "data.csv", "--in-memory-rows", "10"], "larger --in-memory-rows"),
        (["plane", "data.csv", "--step", "0.0000001"], "step"),
    ],
)
def test_what_fails_is_one_line_and_code_1(folder: Path, arguments: list[str], said: str) -> None:
    Path("empty.csv").touch()
    Path("gap.csv").write_text("a,b\n1,2\n3,\n")
    Path("cut.resonart").write_bytes(Path("model.resonart").read_bytes()[:-10])
    resonart.DDVFA().save("unfitted.resonart")
    resonart.FuzzyART(rho=0.5).fit([[0.0, 1.0], [1.0, 0.0]]).save("fuzzy.resonart")
    before = sorted(Path().iterdir())
    assert said in error_of(*arguments)
    assert sorted(Path().iterdir()) == before  # nothing half-written is left


LONG = b"9" * 10_000_000
BROKEN = {
    "a column that vanishes": (b"a,b\n1,2\n3\n", "csv", "line 3 has 1 field where 2 are expected"),
    "a key that vanishes": (b'{"a": 1, "b": 2}\n{"a": 1}\n', "ndjson", "'b'"),
    "numbers and then text": (b"a,b\n" + b"1,2\n" * 50_000 + b"1,x\n", "csv", "line 50002"),
    "a line of 10 MB": (b"a,b\n1,2\n" + LONG + b",1\n", "csv", "line 3"),
    "bytes that are no text": (b"a,b\n1,2\n\xff,3\n", "csv", "line 3 is not UTF-8"),
    "a header alone": (b"a,b\n", "csv", "has no rows"),
    "another format": (b"PAR1 nothing of the kind", "parquet", "broken.parquet"),
    "a gap": (b"a,b\n1,2\n,3\n", "csv", "the value is missing"),
    "only gaps": (b"a,b\n1,\n,3\n", "csv", "the value is missing"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("command", ["cluster", "predict", "vat"])
def test_broken_tables_are_one_line(tmp_path: Path, name: str, command: str) -> None:
    data, ending, said = BROKEN[name]
    path = tmp_path / f"broken.{ending}"
    path.write_bytes(data)
    model = tmp_path / "model.resonart"
    resonart.FuzzyART(rho=0.5).fit([[0.0, 1.0], [1.0, 0.0]]).save(model)
    arguments = [command, *([model] if command == "predict" else []), path]
    target = tmp_path / "out.csv"
    columns = ["--columns", "a,b"] if ending == "csv" else []
    line = error_of(*arguments, *columns, "-o", target)
    assert said in line
    assert len(line) < 500
    assert not target.exists()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
@pytest.mark.parametrize("option", ["-o", "--save", "--picture"])
def test_a_folder_that_takes_no_files(folder: Path, option: str) -> None:
    """Not even those of an administrator, who may write wherever a file can be."""
    name = {"-o": "labels.csv", "--save": "model.resonart", "--picture": "boxes.png"}[option]
    vigilances = ["--model", "ddvfa", "--rho-lb", "0.6", "--rho-ub", "0.8"]
    assert f"/proc/{name}" in error_of("cluster", "data.csv", *vigilances, option, f"/proc/{name}")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "resonart: interrupted."),
        (MemoryError(), 1, "resonart: error: out of memory. A command that has"),
        (MemoryError("DDVFA has run out."), 1, "resonart: error: DDVFA has run out."),
        (OSError(28, "No space left on device", "x"), 1, "resonart: error: x: No space left"),
        (ImportError("plot needs matplotlib."), 1, "resonart: error: plot needs matplotlib."),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (OSError(32, "Broken pipe"), 141, ""),
    ],
)
def test_every_end_has_its_code(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    def fail(self: object, X: object) -> None:
        raise error

    monkeypatch.setattr(resonart.DensityART, "fit", fail)
    result = run("cluster", "data.csv", "-o", "labels.csv", code=code)
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == (1 if said else 0)
    assert not Path("labels.csv").exists()


def test_an_interrupt_before_a_command_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While options are read, and while all that is needed is imported."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_app.Application, "parse_args", interrupt)
    result = run("version", code=130)
    assert (result.stdout, result.stderr.strip()) == ("", "resonart: interrupted.")

    class Interrupting(dict[str, object]):
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "resonart.cli._app", Interrupting())
    assert main(["version"]) == 130
    assert capsys.readouterr().err == "resonart: interrupted.\n"


def test_an_interrupt_after_a_command_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the last words are written."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_app, "discard_unwritten_output", interrupt)
    assert main(["version"]) == 130
    assert capsys.readouterr().err == "resonart: interrupted.\n"


@pytest.mark.parametrize("how", ["--debug", "RESONART_DEBUG"])
def test_a_traceback_on_request(folder: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    if how == "RESONART_DEBUG":
        monkeypatch.setenv("RESONART_DEBUG", "1")
    before = ["--debug"] if how == "--debug" else []
    result = run(*before, "cluster", "nothing.csv", code=1)
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("resonart: error: There is no file")


def test_a_fault_of_the_program_shows_where_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, X: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(resonart.DensityART, "fit", fail)
    result = run("cluster", "data.csv", code=1)
    assert "Traceback" in result.stderr
    assert "This is a bug in resonart" in result.stderr


def test_warnings_are_one_line_each(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = resonart.DensityART.fit

    def warn(self: Any, X: Any) -> Any:
        warnings.warn("look\nhere", UserWarning, stacklevel=1)
        warnings.warn("not for users", DeprecationWarning, stacklevel=1)
        return fit(self, X)

    monkeypatch.setattr(resonart.DensityART, "fit", warn)
    result = run("cluster", "data.csv", "--quiet")
    assert result.stderr == "resonart: warning: look here\n"
    assert result.stdout == ""


# ---------------------------------------------------------------------- loading


def test_a_command_whose_file_is_missing_breaks_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(COMMANDS, "nonsense", "Is not there.")
    assert "nonsense" in run("--help").stdout
    assert "nonsense.py of its command line is missing" in error_of("nonsense")
    run("version")


NEW_COMMAND = '''
from resonart.cli._command import COUNT, command, option, target_option
from resonart.cli._output import Report, Table


@command("shout --times 2")
@option("--times", type=COUNT, default=1, help="How often.")
@target_option("Write it here; - is stdout.")
def shout(times, target, output):
    """Is new."""
    return Report({"times": times}, [{"times": times}, Table(["n"], [[i] for i in range(times)])])
'''


def test_a_new_command_is_a_file_and_a_line_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sections of help, --json, --quiet, stdout and the lock on what is written come with it."""
    import resonart.cli

    (tmp_path / "shout.py").write_text(NEW_COMMAND)
    monkeypatch.setattr(resonart.cli, "__path__", [*resonart.cli.__path__, str(tmp_path)])
    monkeypatch.setitem(COMMANDS, "shout", "Is new.")
    try:
        assert run("shout", "--times", "2").stdout == "times  2\n\nn\n0\n1\n"
        assert run_json("shout", "--times", "3")["times"] == 3
        assert run("shout", "-q").output == ""
        beside = run("shout", "-o", "-")
        assert (beside.stdout, beside.stderr) == ("", "times  1\n\nn\n0\n")
        assert "both write to stdout" in error_of("shout", "-o", "-", "--json", code=2)
        place = tmp_path / "out.csv"
        with locked(str(place), "another"):
            assert "is being written by" in error_of("shout", "-o", place)
        text = run("shout", "--help").stdout
        assert "--times N" in text
        assert "[default: 1; x>=1]" in text
        assert examples(text) == ["resonart shout --times 2"]
    finally:
        sys.modules.pop("resonart.cli.shout", None)


def test_what_a_command_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> None:
        raise ModuleNotFoundError("No module named 'nonsense'", name="nonsense")

    monkeypatch.setattr(_app, "import_module", lacking)
    assert "No module named 'nonsense'" in error_of("version")


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_the_extra_one_line_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "resonart.cli._app")
    assert main(["--help"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert missing in said
    assert 'pip install ".[cli]"' in said
    # A bug report tells the version, whatever is lacking.
    assert main(["--version"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"resonart {resonart.__version__}\nbuilt by ")


def test_without_matplotlib_a_picture_is_refused_before_the_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    line = error_of("cluster", "nothing.csv", "--picture", "boxes.png")
    assert 'pip install ".[plot]"' in line


# ---------------------------------------------------------------------- processes


def loaded_by(*calls: dict[str, Any]) -> set[str]:
    """Return the modules that are loaded after these calls: arguments, and what is completed."""
    code = (
        "import json, os, sys\n"
        "from resonart.cli import main\n"
        "for call in json.loads(sys.argv[1]):\n"
        "    os.environ.update(call.get('environment', {}))\n"
        "    try:\n        main(call.get('arguments', []))\n"
        "    except SystemExit as end:\n        assert end.code == 0, call\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code, json.dumps(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout
    return set(done.stderr.split())


HEAVY = {"numpy", "scipy", "sklearn", "pandas", "pyarrow", "matplotlib", "rich.console"}


@pytest.mark.subprocess
def test_help_loads_no_command() -> None:
    calls: list[list[str]] = [[], ["-h"], ["--help"], ["--version"]]
    loaded = loaded_by(*({"arguments": arguments} for arguments in calls))
    assert "resonart.cli._app" in loaded
    assert not {f"resonart.cli.{name}" for name in COMMANDS} & loaded
    assert not HEAVY & loaded


@pytest.mark.subprocess
def test_the_help_of_commands_loads_nothing_that_takes_long() -> None:
    loaded = loaded_by(*({"arguments": [name, how]} for name in THERE for how in ("-h", "--help")))
    assert {f"resonart.cli.{name}" for name in THERE} <= loaded
    assert not HEAVY & loaded


def completing(*words: str) -> dict[str, Any]:
    """Return what bash sets when TAB is pressed after the last of these words."""
    told = {"COMP_WORDS": " ".join(("resonart", *words)), "COMP_CWORD": str(len(words))}
    return {"environment": {"_RESONART_COMPLETE": "bash_complete", **told}}


@pytest.mark.subprocess
def test_completion_loads_nothing_that_takes_long() -> None:
    loaded = loaded_by(completing("c"))
    assert not {f"resonart.cli.{name}" for name in COMMANDS} & loaded
    assert not HEAVY & loaded
    loaded = loaded_by(
        *(completing(name, "--") for name in THERE), completing("vat", "--metric", "")
    )
    assert not HEAVY & loaded


def test_completion_knows_commands_options_and_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def completed(*words: str) -> list[str]:
        for name, value in completing(*words)["environment"].items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            main([])
        return capsys.readouterr().out.splitlines()

    assert completed("c") == ["plain,cluster"]
    assert completed("cluster", "--rep") == ["plain,--report"]
    assert completed("cluster", "data.csv", "--noise", "n") == ["plain,nearest"]
    assert completed("cluster", "da") == ["file,da"]
    assert completed("--v") == ["plain,--version"]


@pytest.mark.subprocess
def test_a_closed_output_pipe_ends_it_quietly(tmp_path: Path) -> None:
    rows = tmp_path / "data.csv"
    rows.write_text("a,b\n" + "1.25,2.5\n2.5,1.5\n" * 100_000)
    with subprocess.Popen(
        [*COMMAND, "cluster", str(rows), "--model", "fuzzy-art", "--rho", "0.5", "-o", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().strip() == b"row,label"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.subprocess
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said_once() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "resonart: error: standard output: No space left on device\n"


@pytest.mark.subprocess
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_interrupt_ends_it_with_one_line(tmp_path: Path) -> None:
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "cluster", str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with open(pipe, "wb"):  # opens when the other side does: it waits for rows now
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "resonart: interrupted.\n")


def test_the_application_is_a_group() -> None:
    assert isinstance(app, click.Group)
