"""What a distance of 1 is called is declared by the metric."""

import pickle

import pytest

import wideberth
from wideberth.metrics.named import METRICS
from wideberth.metrics.transforms import cap, scale

UNITS = dict.fromkeys(["levenshtein", "indel", "damerau", "hamming", "tree_edit"], "edit") | {"words": "word", "ngrams": "n-gram"}


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"precomputed"}))
def test_metrics_that_count_have_a_unit_and_no_others(name):
    assert wideberth.metric(name).unit == UNITS.get(name)


def test_a_normalized_distance_counts_nothing():
    trees = wideberth.metric("tree_edit", normalized=True)
    assert trees.unit is None
    assert trees.set_params(normalized=False).unit == "edit"
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
    assert wideberth.Metric(lambda left, right: abs(left[:, None] - right), unit="mile").get_params()["unit"] == "mile"
