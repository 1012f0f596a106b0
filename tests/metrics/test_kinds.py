"""The table of kinds of objects: complete, and with usual metrics that measure what they are usual
for.
"""

from typing import get_args

import pytest

from wideberth.metrics.containers import Prepared
from wideberth.metrics.kinds import CONTAINERS, KNOWN_KINDS, USUAL_METRIC
from wideberth.metrics.metric import Kind
from wideberth.metrics.named import METRICS


def test_every_kind_of_objects_is_in_the_table():
    assert set(KNOWN_KINDS) == set(get_args(Kind))


@pytest.mark.parametrize("kind", USUAL_METRIC)
def test_the_usual_metric_eats_its_kind(kind):
    name = USUAL_METRIC[kind]
    assert name in METRICS
    if kind != "distances":  # a matrix, whose metric says what it accepts once it has one
        assert METRICS[name].accepts == kind


def test_a_name_in_model_files_means_one_container():
    assert len(set(CONTAINERS.values())) == len(CONTAINERS)
    for known in KNOWN_KINDS.values():
        assert known.containers.items() <= CONTAINERS.items()
    assert all(issubclass(each, Prepared) for each in CONTAINERS.values())
