"""``wideberth warmup`` compiles what classifiers need; methods are compiled before they are
timed.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wideberth
from wideberth import compilation
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli import compare, warmup
from wideberth.compilation import recorded_calls, recorded_compilations
from wideberth.objects import sample
from wideberth.precompiled import LOOPS

WORDS, LABELS = ["tea", "tee", "teas", "rum", "rye", "ruhm"], np.array(3 * ["hot"] + 3 * ["cold"])


DRINKS = "drink,kind\n" + "".join(
    f"{word},{label}\n" for word, label in zip(WORDS, LABELS, strict=True)
)
KINDS = ("words", "texts", "points", "rows")


@pytest.fixture
def one_small_sample(monkeypatch):
    monkeypatch.setattr(
        warmup,
        "_samples",
        lambda *sizes: iter([warmup._Sample("6 strings", WORDS, LABELS, "levenshtein")]),
    )
    monkeypatch.setattr(compilation, "_python_may_do", compilation._python_may_do)  # set back
    monkeypatch.setattr(warmup, "_ask", lambda drawn: None)
    monkeypatch.setattr(warmup, "_search", lambda drawn: None)
    monkeypatch.setattr(warmup, "_models_of_many", lambda metric: iter(()))
    monkeypatch.setattr(
        warmup,
        "METRICS",
        {name: warmup.METRICS[name] for name in ("jaccard", "earth_mover", "precomputed")},
    )


@pytest.mark.usefixtures("one_small_sample")
def test_the_second_time_nothing_is_left_to_compile(capsys):
    warmup.warmup(json=False)
    capsys.readouterr()
    warmup.warmup(json=False)
    assert capsys.readouterr().out.endswith("Everything was on the disk already.\n")


def test_the_samples_are_small_and_large_of_both_ways_to_search():
    assert [drawn.kind for drawn in warmup._samples(60, 300)] == [
        "60 vectors",
        "60 strings",
        "60 strings by their parts",
        "60 texts",
        "300 vectors",
        "300 strings",
    ]


@pytest.fixture
def nothing_in_python(monkeypatch):
    monkeypatch.setattr(compilation, "_python_may_do", 0)


@pytest.mark.usefixtures("nothing_in_python")
def test_what_commands_call_is_on_the_list_of_loops_that_wheels_bring(folder, run):
    Path("drinks.csv").write_text(DRINKS, encoding="utf-8")
    with recorded_calls() as calls:
        for model in ("neighbors", "lipschitz"):
            run("fit", "drinks.csv", "--target", "kind", "--model", model, "-o", f"{model}.wb")
            run("predict", f"{model}.wb", "drinks.csv")
            run("explain", f"{model}.wb", "drinks.csv", "--row", 2)
    listed = set(LOOPS.read_text(encoding="utf-8").splitlines())
    assert calls
    assert {" ".join(call) for call in calls} <= listed


#: Runs every command after a warm-up that began with empty caches, and prints what is compiled.
EVERY_COMMAND = """
import sys
from wideberth.cli.main import main
from wideberth.compilation import recorded_compilations

def run(*arguments):
    sys.argv = ["wideberth", *arguments]
    try:
        main()
    except SystemExit as done:
        assert not done.code, arguments

run("warmup", "--json")
for kind, model in [line.split() for line in sys.stdin]:
    data, saved, chosen = f"{kind}.csv", f"{kind}-{model}.wb", ["--model", model]
    with recorded_compilations() as compiled_so_far:
        run("fit", data, "--target", "kind", "-o", saved, *(chosen if model != "auto" else []))
        for command in ("predict", "evaluate", "certify"):
            run(command, saved, data)
        run("explain", saved, data, "--row", "2")
        run("report", saved, data, "-o", f"{kind}-{model}.html")
        if model == "auto":
            for command in ("suspects", "doctor", "compare"):
                run(command, data, "--target", "kind")
        print("COMPILED", kind, model, compiled_so_far(), file=sys.stderr)
"""


def rows(kind, n):
    """Objects of one of the usual kinds, of two classes and of three, which differ."""
    random = np.random.default_rng(1)
    for i in range(n):
        if kind == "points":
            label = i % 3
            cells = [f"{number:.3f}" for number in random.normal(size=4) + label]
        elif kind == "rows":
            label = i % 2
            cells = [f"{random.normal() + label:.3f}", random.choice(["red", "blue"]), str(i % 7)]
        else:
            label = i % 2
            letters = list("aeust" if label else "rstmn")
            words = ["".join(random.choice(letters, size=3 + i % 5)) for _ in range(8)]
            cells = [words[0] if kind == "words" else " ".join(words)]
        yield [*cells, f"class {label}"]


@pytest.mark.slow
def test_after_a_warm_up_no_command_compiles_anything(folder):
    for kind in KINDS:
        found = list(rows(kind, 240))
        header = [*(f"x{i}" for i in range(len(found[0]) - 1)), "kind"]
        lines = "".join(",".join(row) + "\n" for row in [header, *found])
        Path(f"{kind}.csv").write_text(lines, encoding="utf-8")
    models = ["auto", *(name for name in CLASSIFIERS if name != "linear")]
    asked = [f"{kind} {model}" for kind in KINDS for model in models] + ["texts linear"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", EVERY_COMMAND],
        input="\n".join(asked),
        capture_output=True,
        text=True,
        env=environment,
    )
    said = [line for line in done.stderr.splitlines() if line.startswith("COMPILED")]
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(said) == len(asked)
    assert [line for line in said if not line.endswith("[]")] == []


def test_fitting_after_a_warm_up_compiles_nothing():
    model = wideberth.NeighborsClassifier("levenshtein")
    warmup.warm_up(model, WORDS, LABELS)
    with recorded_compilations() as compiled_so_far:
        model.fit(WORDS, LABELS).predict(WORDS)
        model.certified_radius(WORDS)
        assert compiled_so_far() == []


def test_what_cannot_be_fitted_to_a_part_is_left_to_the_fit():
    warmup.warm_up(wideberth.LipschitzClassifier("levenshtein", C=-1.0), WORDS, LABELS)


def test_compare_compiles_before_it_takes_the_time(monkeypatch):
    order = []

    class Method:
        def fit(self, objects, labels):
            order.append("fit")
            return self

        def predict(self, objects):
            return LABELS[:1]

    monkeypatch.setattr(compare, "warm_up", lambda *_: order.append("warm up"))
    compare._cross_validate(
        "", LABELS, [(np.arange(1, 6), np.arange(1))], {"method": (Method(), sample.hold(WORDS))}
    )
    assert order == ["warm up", "fit"]
