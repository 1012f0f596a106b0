"""The command line as a person runs it."""

import json
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest

from wideberth.cli.main import main

NAMES = str(files("wideberth.datasets") / "first_names.csv")


def run_outside(*arguments, **options):
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "wideberth", *arguments], capture_output=True, text=True, **options
    )


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command here: its exit code, standard output and standard error."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["wideberth", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code, *capsys.readouterr()

    return command


def test_the_doctor_reads_the_shipped_names(run):
    code, out, err = run(
        "doctor", NAMES, "--column", "name", "--target", "sex", "--max-objects", "100"
    )
    assert code == 0, err
    assert "levenshtein: a metric" in out
    assert "2 classes: female" in out


def test_the_doctor_speaks_json(run, tmp_path):
    np.savez(
        tmp_path / "table.npz",
        distances=np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]]),
        labels=["a", "b", "a"],
    )
    facts = json.loads(run("doctor", str(tmp_path / "table.npz"), "--json")[1])
    assert facts["metric"] == "precomputed"
    assert facts["violations"][0]["objects"] == [0, 2, 1]


@pytest.mark.slow
def test_objects_may_come_through_a_pipe():
    done = run_outside(
        "doctor",
        "-",
        "--metric",
        "hamming",
        "--target",
        "label",
        input="dna,label\nACGT,x\nACGA,y\nTTTT,y\n",
    )
    assert done.returncode == 0, done.stderr
    assert "hamming: a metric" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("doctor", "nowhere.csv"), "nowhere.csv"),
        (
            ("doctor", NAMES, "--metric", "levenstein", "--column", "name"),
            "Did you mean 'levenshtein'?",
        ),
        (("doctor", NAMES, "--metric", "euclidean", "--column", "name"), "not a vector of numbers"),
        (("doctor", NAMES, "--column", "nme"), "nme"),
    ],
)
def test_problems_are_sentences(run, arguments, message):
    code, _, err = run(*arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_the_shell_sees_a_problem_too():
    done = run_outside("doctor", "nowhere.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere.csv" in done.stderr
    assert "Traceback" not in done.stderr


def test_metrics_and_version_are_listed(run):
    assert "normalized_levenshtein" in run("metrics")[1]
    assert run("--version")[1].startswith("wideberth 0.")


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_what_only_tells_something_loads_no_numbers(word):
    code = (
        f"import sys; sys.argv = ['wideberth', {word!r}]\n"
        "from wideberth.cli.main import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0
    assert {"numpy", "scipy", "sklearn"}.isdisjoint(done.stderr.split())
