"""The table of errors of all families: who is judged beside whom, and by which noise."""

import pytest


@pytest.fixture
def errors(benchmark_module):
    return benchmark_module("classifiers.errors")


def outcome(*wrong):
    return {"wrong": list(wrong), "needed": [10] * len(wrong), "cpu": [0.1] * len(wrong)}


def facts(**changed):
    rivals = {
        "kNN": outcome(20, 22, 21),
        "SVM exp(-g d²)": outcome(10, 12, 11),
        "SVM -d²/2": outcome(30, 30, 30),
    }
    methods = rivals | {"HilbertSVCCV": outcome(10, 12, 12)} | changed
    return {
        "sets": [
            {"name": "tea", "metric": "hamming", "size": "60 / 2", "asked": 30, "methods": methods}
        ]
    }


def test_the_best_rival_is_the_one_with_the_fewest_errors(errors):
    (row,) = errors.rows(facts())
    assert (row.key, row.peer, row.ours, row.theirs) == (
        "errors: tea, hamming, HilbertSVCCV",
        "SVM exp(-g d²)",
        34 / 3,
        11,
    )
    assert row.difference == pytest.approx(1 / 3)
    assert row.noise == pytest.approx(1 / 3)  # of the differences 0, 0 and 1
    assert not row.is_behind


def test_a_constant_difference_is_no_noise(errors):
    (row,) = errors.rows(facts(HilbertSVCCV=outcome(11, 13, 12)))
    assert row.is_behind


def test_one_test_set_has_the_noise_of_a_share(errors):
    single = {
        name: outcome(each["wrong"][0]) for name, each in facts()["sets"][0]["methods"].items()
    }
    (row,) = errors.rows(facts(**single))
    assert row.own_noise == pytest.approx(100 * (0.1 * 0.9 / 30) ** 0.5)
    assert row.noise == pytest.approx(row.own_noise * 2**0.5)


def test_sets_that_lack_a_rival_have_no_rows(errors):
    found = facts()
    del found["sets"][0]["methods"]["kNN"]
    assert list(errors.rows(found)) == []


def test_the_page_marks_the_fewest_errors_and_says_who_is_behind(errors):
    shown = errors.page(facts(HilbertSVCCV=outcome(11, 13, 12)))
    assert "**11.0** ± 0.6 (10; 0.1 s)" in shown
    assert (
        "*HilbertSVCCV*: ahead on 0 of 1 sets, within noise on 0, behind on 1: tea, hamming (+1.0, "
        "SVM exp(-g d²))." in shown
    )
