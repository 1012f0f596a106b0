"""The doctor's verdict on every metric of the table agrees with what the metric promises."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import objects_of

import wideberth
from wideberth.doctor.diagnosis import Diagnosis
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS

PROVED_BY_OBJECTS = ("obeys_triangle", "hilbertian", "negative_type")
#: Their promises are about the matrix or the function they are given.
WITHOUT_PROMISES = {"precomputed"}


def default(name: str) -> Metric:
    return wideberth.metric(name)


def promised_false() -> list[tuple[str, str]]:
    metrics = {name: default(name) for name in METRICS if name not in WITHOUT_PROMISES}
    return [
        (name, each)
        for name, metric in metrics.items()
        for each in PROVED_BY_OBJECTS
        if getattr(metric, each) is False
    ]


def seen_broken(found: Diagnosis, promise: str) -> bool:
    if promise == "obeys_triangle":
        return bool(found.violations)
    return any(fact.promise == promise and fact.violated for fact in found.spectrum)


@pytest.mark.parametrize(("name", "promise"), promised_false())
def test_what_is_promised_to_be_false_is_seen_on_a_counterexample(name, promise):
    objects = METRICS[name].counterexamples.get(promise)
    assert objects, (
        f"counterexamples: give {type(default(name)).__name__} objects that break {promise!r}"
    )
    found = wideberth.diagnose(objects, default(name))
    assert seen_broken(found, promise)
    assert not found.broken_promises


@pytest.mark.parametrize(
    "name", [name for name in METRICS if "separates" in METRICS[name].counterexamples]
)
def test_objects_that_are_not_separated_are_at_zero(name):
    one, other = METRICS[name].counterexamples["separates"]
    assert one != other
    metric = default(name).fitted([one, other])
    assert metric(one, other) == 0
    assert metric.separates is False


@pytest.mark.parametrize("name", sorted(METRICS))
def test_there_are_counterexamples_only_to_what_is_not_promised(name):
    for promise in METRICS[name].counterexamples:
        assert getattr(default(name), promise) is False


@pytest.mark.parametrize("name", sorted(set(METRICS) - WITHOUT_PROMISES))
@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_sample_contradicts_a_promise(name, data):
    objects = data.draw(objects_of[name])
    found = wideberth.diagnose(objects, default(name))
    assert found.broken_promises == ()
    assert found.is_metric in (
        default(name).obeys_triangle,
        None,
        False if default(name).obeys_triangle is False else None,
    )


@pytest.mark.parametrize("name", sorted(set(METRICS) - WITHOUT_PROMISES))
def test_every_promise_is_said(name):
    """None is for what nobody knows; a metric of ours says why where it says it."""
    metric = default(name)
    for promise in (*PROVED_BY_OBJECTS, "bounded", "separates"):
        assert getattr(metric, promise) is not None or "not known" in (
            type(metric).__doc__ or ""
        ), promise


def test_the_verdicts_that_everybody_asks_for():
    assert (
        wideberth.metric("levenshtein").negative_type,
        wideberth.metric("levenshtein").hilbertian,
    ) == (False, False)
    assert (
        wideberth.metric("euclidean").negative_type,
        wideberth.metric("euclidean").hilbertian,
    ) == (True, True)
    assert (wideberth.metric("hamming").negative_type, wideberth.metric("hamming").hilbertian) == (
        True,
        False,
    )
