"""The table of kinds of objects: complete, and with usual metrics that measure what they are usual for."""

from typing import get_args

import pytest

from wideberth.metrics.containers import Prepared
from wideberth.metrics.kinds import CONTAINERS, KNOWN_KINDS, usual_metric
from wideberth.metrics.metric import Kind
from wideberth.metrics.named import METRICS


def test_every_kind_of_objects_is_in_the_table():
    assert set(KNOWN_KINDS) == set(get_args(Kind))


@pytest.mark.parametrize("kind", [kind for kind, known in KNOWN_KINDS.items() if known.usual_metric])
def test_the_usual_metrics_accept_their_kind(kind):
    known = KNOWN_KINDS[kind]
    for name in filter(None, [known.usual_metric, known.metric_of_texts]):
        assert name in METRICS
        if kind != "indices":  # a matrix, whose metric says what it accepts once it has one
            assert METRICS[name].accepts == kind


@pytest.mark.parametrize(
    ("kind", "objects", "metric"),
    [
        ("strings", ["Marie Curie", "Emmy Noether"], "ngrams"),
        ("strings", ["one two three four five", "tea", "a b c d e f"], "words"),
        ("strings", ["one two three four five", "tea", "rum"], "ngrams"),
        ("strings", [["a", "b", "c", "d", "e"]] * 2, "ngrams"),
        ("strings", [], "ngrams"),
        ("distances", [[0.0]], "precomputed"),
        ("vectors", [[1.0]], "euclidean"),
        ("objects", [object()], None),
        ("nonsense", [1], None),
    ],
)
def test_texts_are_strings_of_several_words(kind, objects, metric):
    assert usual_metric(kind, objects) == metric


def test_a_name_in_model_files_means_one_container():
    assert len(set(CONTAINERS.values())) == len(CONTAINERS)
    for known in KNOWN_KINDS.values():
        assert known.containers.items() <= CONTAINERS.items()
    assert all(issubclass(each, Prepared) for each in CONTAINERS.values())
