"""The command line as a person runs it."""

import json
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest

NAMES = str(files("wideberth.objects.datasets") / "first_names.csv")


def run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "wideberth", *arguments], capture_output=True, text=True, **options)


def test_the_doctor_reads_the_shipped_names():
    done = run("doctor", NAMES, "--column", "name", "--target", "sex", "--max-objects", "100")
    assert done.returncode == 0, done.stderr
    assert "levenshtein: a metric" in done.stdout
    assert "2 classes: female" in done.stdout


def test_the_doctor_speaks_json(tmp_path):
    np.savez(tmp_path / "table.npz", distances=np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]]), labels=["a", "b", "a"])
    done = run("doctor", str(tmp_path / "table.npz"), "--json")
    facts = json.loads(done.stdout)
    assert facts["metric"] == "precomputed"
    assert facts["violations"][0]["objects"] == [0, 2, 1]


def test_objects_may_come_through_a_pipe():
    done = run("doctor", "-", "--metric", "hamming", "--target", "label", input="dna,label\nACGT,x\nACGA,y\nTTTT,y\n")
    assert done.returncode == 0, done.stderr
    assert "hamming: a metric" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("doctor", "nowhere.csv"), "nowhere.csv"),
        (("doctor", NAMES, "--metric", "levenstein", "--column", "name"), "Did you mean 'levenshtein'?"),
        (("doctor", NAMES, "--metric", "euclidean", "--column", "name"), "not a vector of numbers"),
        (("doctor", NAMES, "--column", "nme"), "nme"),
    ],
)
def test_problems_are_sentences(arguments, message):
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_metrics_and_version_are_listed():
    assert "normalized_levenshtein" in run("metrics").stdout
    assert run("--version").stdout.startswith("wideberth 0.")
