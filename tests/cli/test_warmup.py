"""``wideberth warmup`` compiles what classifiers need; methods are compiled before they are
timed.
"""

import numpy as np
import pytest

import wideberth
from wideberth.cli import compare, warmup
from wideberth.compilation import recorded_compilations
from wideberth.objects import sample

WORDS, LABELS = ["tea", "tee", "teas", "rum", "rye", "ruhm"], np.array(3 * ["hot"] + 3 * ["cold"])


@pytest.fixture
def one_small_sample(monkeypatch):
    monkeypatch.setattr(
        warmup,
        "_samples",
        lambda: iter([warmup._Sample("6 strings", WORDS, LABELS, "levenshtein")]),
    )
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
    assert [drawn.kind for drawn in warmup._samples()] == [
        "60 vectors",
        "60 strings",
        "300 vectors",
        "300 strings",
    ]


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
