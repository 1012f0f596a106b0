"""A mean of several models from the command line: fitted, shown, explained."""

import numpy as np
import pytest

from wideberth.choice import blended, contest, mixing

NAMES = [f"{start}{end}" for start in ("tea", "ten", "rum", "rim") for end in "aeiouxyz"]


@pytest.fixture
def always(monkeypatch):
    """Whatever a mean of the first two candidates gains, it is taken."""

    def two(own, weights):
        return np.array([0.6, 0.4, *np.zeros(len(own) - 2)])

    monkeypatch.setattr(mixing, "greedy_weights", two)
    monkeypatch.setattr(contest, "_MOST_CUTS", 1)
    for name in ("_SURELY", "_AGAINST_THE_BEST"):
        monkeypatch.setattr(blended, name, -np.inf)


def test_its_parts_are_named(always, run, folder):
    lines = ["word,kind", *(f"{word},{'soft' if word[0] == 't' else 'hard'}" for word in NAMES)]
    (folder / "words.csv").write_text("\n".join(lines))
    fit = run("fit", "words.csv", "--target", "kind", "-o", "m.wb", "--metric", "ngrams")
    assert "mean of several models" in fit.err + fit.out
    assert "SVM by ngrams" in run("explain", "m.wb", "tei").out
    assert "A weighted mean of 2 models" in run("info", "m.wb").out
