"""Certified radii hold where numbers get large or small: far from all training objects, at tiny
scales, far from the origin.
"""

import pytest
from attacked_radii import CLASSIFIERS, KINDS, METRICS, attacked, moved_inside_radii
from short_samples import sampled

from wideberth.metrics.transforms.kernel_metric import KernelMetric
from wideberth.rounding import DistanceErrors

#: The Euclidean distance, which squares, and the distance of a kernel, which subtracts, are in
#: danger; the others wait for the slow tests, and so do most scales.
QUICK = ("euclidean", "linear kernel")


def quick_or_slow(quick, slow):
    return [*quick, *(pytest.param(value, marks=pytest.mark.slow) for value in slow)]


metrics = pytest.mark.parametrize(
    "metric", quick_or_slow(QUICK, [name for name in METRICS if name not in QUICK])
)
classifiers = pytest.mark.parametrize("name", CLASSIFIERS)


def check(attack):
    if attack is None:
        pytest.skip("refused, or this metric allows no such radius: nothing is claimed")
    assert len(attack[0]) == 0


@pytest.mark.few(1)
@metrics
@classifiers
@pytest.mark.parametrize("far", quick_or_slow([1e5, 1e9], [1e2, 1e4, 1e6, 1e8, 1e11, 1e13]))
def test_radii_hold_far_from_all_training_objects(name, metric, far):
    check(attacked(name, metric, far=far))


@pytest.mark.few(1)
@metrics
@classifiers
@pytest.mark.parametrize(
    "scale",
    quick_or_slow([1e-157], [1e-100, 1e-140, 1e-150, 1e-153, 1e-155, 1e-159, 1e-200, 1e140, 1e150]),
)
def test_radii_hold_at_every_scale(name, metric, scale):
    check(attacked(name, metric, scale=scale))


@pytest.mark.few(1)
@metrics
@classifiers
@pytest.mark.parametrize("offset", quick_or_slow([1e6], [1e2, 1e3, 1e4, 1e8, 1e12]))
def test_radii_hold_where_all_objects_are_far_from_the_origin(name, metric, offset):
    check(attacked(name, metric, offset=offset))


@pytest.mark.few(1)
@sampled
@pytest.mark.parametrize("metric", METRICS)
def test_radii_are_not_lost_where_numbers_are_ordinary(metric, cases):
    for name in cases(CLASSIFIERS, metric):
        attack = attacked(name, metric)
        assert attack is None or (len(attack[0]) == 0 and attack[1] > 0), name


def test_the_attack_finds_radii_that_do_not_allow_for_rounding(monkeypatch):
    def none(self, prepared):
        return DistanceErrors.of(len(prepared), 0.0)

    monkeypatch.setattr(KernelMetric, "distance_errors", none)
    assert len(attacked("1 neighbour", "linear kernel", offset=1e6)[0]) > 0


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", KINDS)
def test_radii_hold_for_objects_that_are_no_vectors(kind):
    attacks = {name: moved_inside_radii(name, kind, moves=10) for name in CLASSIFIERS}
    proved = {name: attack for name, attack in attacks.items() if attack is not None}
    assert {
        "1 neighbour",
        "3 neighbours",
        "margin",
        "lipschitz",
        "lp",
        "svm, clip",
    } <= proved.keys()
    assert [false for false, _ in proved.values()] == [0] * len(proved)
    assert sum(inside for _, inside in proved.values()) > 0
