"""What a distance of 1 is called is declared by the metric."""

import pickle

import pytest

import wideberth
from wideberth.errors import InvalidInput, NotCertified
from wideberth.metrics.metric import Promises
from wideberth.metrics.named import METRICS
from wideberth.transforms import cap, scale

UNITS = {
    "levenshtein": "edit",
    "indel": "indel",
    "damerau": "damerau step",
    "hamming": "replacement",
    "tree_edit": "node edit",
    "words": "counted word",
    "word_edit": "word edit",
    "ngrams": "counted n-gram",
}


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"precomputed"}))
def test_metrics_that_count_have_a_unit_and_no_others(name):
    assert wideberth.metric(name).unit == UNITS.get(name)


def test_a_normalized_distance_counts_nothing():
    trees = wideberth.metric("tree_edit", normalized=True)
    assert trees.unit is None
    assert trees.set_params(normalized=False).unit == "node edit"
    assert wideberth.metric("ngrams", form="ruzicka").unit is None


def test_another_scale_has_no_name():
    assert scale("levenshtein", 2).unit is None
    assert scale("levenshtein", 1).unit == "edit"
    assert scale("levenshtein", 1).set_params(factor=3).unit is None
    assert cap("levenshtein", 2).unit is None


def test_a_space_measures_in_the_unit_of_its_metric():
    space = wideberth.MetricSpace(["tea", "rum"], "levenshtein")
    assert space.metric.unit == "edit"
    assert pickle.loads(pickle.dumps(space)).metric.unit == "edit"


def test_an_own_metric_declares_its_own():
    assert wideberth.metric(lambda one, other: abs(one - other), unit="mile").unit == "mile"
    assert (
        wideberth.Metric(lambda left, right: abs(left[:, None] - right), unit="mile").get_params()[
            "unit"
        ]
        == "mile"
    )


def test_an_edit_is_levenshteins_in_own_metrics_too():
    def ten_for_each(one, other):
        return 10.0 * wideberth.metric("levenshtein")(one, other)

    for wrong in ({}, {"dominated": {"levenshtein": 10}}, {"dominated": {"indel": 1}}):
        with pytest.raises(
            InvalidInput, match="an edit is one character put in, taken out or replaced"
        ):
            wideberth.metric(ten_for_each, unit="edit", **wrong)
    with pytest.raises(InvalidInput, match="an edit is"):
        wideberth.Metric(lambda left, right: 0, unit="edit")
    with pytest.raises(InvalidInput, match="unit=3 is not a name"):
        wideberth.Metric(lambda left, right: 0, unit=3)
    followed = wideberth.metric(
        lambda one, other: abs(len(one) - len(other)), unit="edit", dominated={"levenshtein": 1}
    )
    assert followed.unit == "edit"


def test_classes_of_the_user_prove_what_they_call_an_edit():
    with pytest.raises(InvalidInput, match="an edit is"):
        type("Tenfold", (wideberth.Metric,), {"unit": "edit"})
    with pytest.raises(InvalidInput, match="an edit is"):
        type("Tenfold", (wideberth.Metric,), {"unit": "edit", "dominated": {"levenshtein": 10.0}})
    assert (
        type(
            "Lengths", (wideberth.Metric,), {"unit": "edit", "dominated": {"levenshtein": 1.0}}
        ).unit
        == "edit"
    )
    assert type("Roads", (wideberth.Metric,), {"unit": "mile"}).unit == "mile"


class Impostor(wideberth.Metric):
    """A metric of the user that calls its unit an edit where nobody checks it, and proves
    nothing.
    """

    promises = Promises(obeys_triangle=True)

    def __init__(self):
        self.unit = "edit"

    def _measure(self, left, right):
        return 0.1 * wideberth.metric("levenshtein").block(left, right)


@pytest.mark.parametrize("unit", ["edit", "levenshtein"])
def test_what_a_metric_calls_its_unit_proves_nothing(unit):
    model = wideberth.NeighborsClassifier(Impostor(), n_neighbors=1).fit(["tea", "rumba"], [0, 1])
    assert model.certified_radius(["tea"])[0] > 0
    with pytest.raises(NotCertified, match="bounded by no other metric"):
        model.certified_radius(["tea"], unit)
