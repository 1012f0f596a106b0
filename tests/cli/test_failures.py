"""Whatever goes wrong on the command line is one sentence, and never a traceback unless it was
asked for.
"""

import errno
import gzip
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from wideberth.cli import commands
from wideberth.cli.main import exit_code, in_a_sentence, main, take_debug
from wideberth.errors import InvalidFile

DRINKS = "drink,kind\n" + "".join(
    f"{'tea' if i % 2 else 'rum'}{'x' * i},{'soft' if i % 2 else 'hard'}\n" for i in range(12)
)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command here, in a directory with a table and a model: its exit code, standard output
    and standard error.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WIDEBERTH_DEBUG", raising=False)
    (tmp_path / "drinks.csv").write_text(DRINKS)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["wideberth", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code, *capsys.readouterr()

    return command


def outside(*arguments, **options):
    """Run a command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "wideberth", *arguments], **options)


COMMANDS = {
    "fit": ("drinks.csv",),
    "predict": ("drinks.wb", "drinks.csv"),
    "evaluate": ("drinks.wb", "drinks.csv"),
    "certify": ("drinks.wb", "drinks.csv"),
    "report": ("drinks.wb", "drinks.csv"),
    "explain": ("drinks.wb", "tea"),
    "info": ("drinks.wb",),
    "compare": ("drinks.csv",),
    "suspects": ("drinks.csv",),
    "doctor": ("drinks.csv",),
    "serve": ("drinks.wb",),
    "metrics": (),
    "warmup": (),
}
ERRORS = {
    "a bug": (
        TypeError("unhashable type: 'list'\nand more"),
        1,
        "TypeError: unhashable type: 'list')",
        "--debug",
    ),
    "deep": (
        RecursionError("maximum recursion depth exceeded"),
        1,
        "RecursionError",
        "please report it",
    ),
    "long": (RuntimeError("x" * 10_000), 1, "xxx...", "show_versions"),
    "memory": (MemoryError(), 1, "there is not enough memory", "fewer objects"),
    "disk": (
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a.csv"),
        1,
        "No space left on device: a.csv",
        "disk",
    ),
    "permission": (
        PermissionError(errno.EACCES, "Permission denied", b"a.csv"),
        1,
        "Permission denied: a.csv",
        "may read",
    ),
    "nameless": (OSError("strange"), 1, "OSError: strange", "please report it"),
    "ours": (
        InvalidFile("a.csv: no rows.", advice="Add some."),
        2,
        "wideberth: a.csv: no rows. Add some.",
        "",
    ),
    "stopped": (KeyboardInterrupt(), 130, "", ""),
    "assertion": (AssertionError(), 1, "AssertionError", "please report it"),
}


def test_no_command_is_left_out():
    assert set(COMMANDS) == set(commands.COMMANDS)


@pytest.mark.few(8)
@pytest.mark.parametrize("failure", ERRORS)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_in_a_sentence(run, monkeypatch, name, failure):
    error, code, *words = ERRORS[failure]

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(import_module(f"wideberth.cli.{name}"), name, fail)
    found, out, err = run(name, *COMMANDS[name])
    assert (found, out) == (code, "")
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 1
    assert len(err) < 1000
    for word in words:
        assert word in err


@pytest.mark.parametrize("place", [0, 1, 2])
def test_debug_shows_the_traceback_wherever_it_stands(run, place):
    arguments = ["doctor", "nowhere.csv"]
    arguments.insert(place, "--debug")
    code, _, err = run(*arguments)
    assert code == 2
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("wideberth: nowhere.csv: there is no such file.")


def test_the_environment_asks_for_tracebacks_too(run, monkeypatch):
    monkeypatch.setenv("WIDEBERTH_DEBUG", "1")
    assert "Traceback" in run("doctor", "nowhere.csv")[2]


def test_behind_two_dashes_debug_is_the_name_of_a_file():
    assert take_debug(["fit", "--", "--debug"]) == (["fit", "--", "--debug"], False)
    assert take_debug(["--debug", "fit", "--debug", "--", "a"]) == (["fit", "--", "a"], True)


def test_debug_is_in_the_help(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "--debug" in out


@pytest.mark.few(8)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", ""), "'' is not the name of a file"),
        (("fit", "drinks.csv", "--target", ""), "--target '' names no column"),
        (("fit", "drinks.csv", "--column", "", "--target", "kind"), "--column '' names no column"),
        (("predict", "drinks.wb", "drinks.csv", "--column", ""), "--column '' names no column"),
        (("compare", "drinks.csv", "--target", ""), "--target '' names no column"),
        (("doctor", "drinks.csv", "--target", ""), "--target '' names no column"),
        (("fit", "drinks.csv", "--target", "kind", "--output", ""), "'': cannot be written"),
        (("predict", "drinks.wb", "drinks.csv", "--output", ""), "'': cannot be written"),
        (("predict", "", "drinks.csv"), "cannot be opened"),
        (("fit", "drinks.csv", "--target", "kind", "--encoding", ""), "is not a text encoding"),
        (("fit", "drinks.csv", "--target", "kind", "--kind", ""), "'' is not a kind of objects"),
        (("fit", "drinks.csv", "--target", "kind", "--metric", ""), "There is no metric ''"),
        (("fit", "drinks.csv", "--target", "kind", "--max-size", ""), "'' is not a size"),
        (("compare", "drinks.csv", "--target", "kind", "--max-memory", ""), "'' is not a size"),
        (("doctor", "drinks.csv", "--target", "kind", "--max-objects", "0"), "0"),
        (("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz", "-C", "nan"), "nan"),
        (("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz", "-C", "-1"), "-1"),
        (("doctor", "drinks.csv", "--target", "kind", "--metric", "minkowski(p=NaN)"), ""),
        (("doctor", "drinks.csv", "--target", "kind", "--metric", "minkowski(p=[[1]])"), ""),
        (
            (
                "doctor",
                "drinks.csv",
                "--target",
                "kind",
                "--metric",
                "minkowski(" + "p=" + "[" * 99_999 + ")",
            ),
            "",
        ),
        (("doctor", "drinks.csv", "--target", "kind", "--metric", "precomputed(distances=3)"), ""),
        (
            ("doctor", "drinks.csv", "--target", "kind", "--metric", "levenshtein(which=3)"),
            "no parameter",
        ),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_empty_and_odd_options_are_refused(run, arguments, message):
    if "drinks.wb" in arguments:
        run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz", "-C", "25")
    code, _, err = run(*arguments, *(["--force"] if arguments[0] == "fit" else []))
    assert code == 2, err
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["drinks.csv", "texts", "texts/1.txt"])
def test_what_may_not_be_read_is_a_sentence(run, tmp_path, name):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1.txt").write_text("tea")
    tmp_path.chmod(0o755)
    (tmp_path / name).chmod(0)
    root = os.geteuid() == 0
    try:
        if root:  # who may read everything
            os.seteuid(65534)
        if os.access(tmp_path / "..", os.X_OK, effective_ids=True):
            code, _, err = run(
                "doctor", tmp_path / name if name == "drinks.csv" else tmp_path / "texts"
            )
        else:  # the directories above are closed to others, which is a sentence too
            code, _, err = run("doctor", tmp_path / "drinks.csv")
    finally:
        if root:
            os.seteuid(0)
        (tmp_path / name).chmod(0o755)
    assert code == 2
    assert "Permission denied" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("metrics",),
        pytest.param(("predict", "drinks.wb", "drinks.csv"), marks=pytest.mark.slow),
    ],
    ids=["metrics", "predict"],
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_disk_behind_standard_output_is_a_sentence(run, tmp_path, arguments):
    run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz", "-C", "25")
    with Path("/dev/full").open("w") as full:
        done = outside(*arguments, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_has_gone_is_no_error(run, tmp_path):
    run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz", "-C", "25")
    (tmp_path / "many.csv").write_text("drink\n" + "tea\n" * 20_000)  # more than a pipe holds
    reader, writer = os.pipe()
    os.close(reader)
    done = outside(
        "predict",
        "drinks.wb",
        "many.csv",
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    os.close(writer)
    assert done.stderr == ""


@pytest.mark.slow
def test_ctrl_c_ends_quietly(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")  # nobody writes: it waits until it is stopped
    command = [sys.executable, "-m", "wideberth", "doctor", "pipe.csv"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as child:
        said = child.stderr.readline()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
    assert "pipe.csv is a pipe, and nothing has been written to it so far" in said
    assert (child.returncode, out) == (130, "")
    assert "Traceback" not in err


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param("doctor - <&-", 2, marks=pytest.mark.slow),
        ("metrics >&-", 0),
        ("doctor - <&- >&- 2>&-", 2),
    ],
)
def test_closed_streams_are_no_surprise(tmp_path, arguments, code):
    command = f"{sys.executable} -m wideberth {arguments}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_names_that_no_terminal_can_show(run, monkeypatch, tmp_path):
    with (tmp_path / "out").open("w", encoding="ascii") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        code, _, err = run("fit", "drinks.csv", "--target", "kind", "-o", os.fsdecode(b"\xff.wb"))
    assert code == 0, err
    assert r"\udcff.wb" in (tmp_path / "out").read_text()


def test_the_limit_on_unpacked_files_is_raised_as_the_message_says(run, tmp_path):
    (tmp_path / "many.csv.gz").write_bytes(gzip.compress(DRINKS.encode()))
    code, _, err = run("doctor", "many.csv.gz", "--max-size", "100", "--target", "kind")
    assert code == 2
    assert "more than 100 bytes unpacked" in err
    assert "--max-size '200 B'" in err
    code, _, err = run("doctor", "many.csv.gz", "--max-size", "200 B", "--target", "kind")
    assert code == 0, err


def test_sentences_and_codes():
    assert exit_code(InvalidFile("no.")) == 2
    assert in_a_sentence(KeyboardInterrupt()) == "stopped."
