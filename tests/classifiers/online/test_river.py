"""The online classifier in River's hands."""

import importlib
import sys

import numpy as np
import pytest
from river import checks, compose, preprocessing

import wideberth as wb
from wideberth.classifiers.online.river import to_river
from wideberth.errors import InvalidInput, MissingExtra


def river(**options):
    return to_river(wb.OnlinePartitionClassifier(**options))


def named(checked):
    """All checks of River; those on ten times longer streams are slow."""
    found = enumerate(checks.yield_checks(checked))
    slow = {"check_bounded_memory_growth"}
    return [
        pytest.param(check, id=f"{number}-{check.__name__}", marks=[pytest.mark.slow] * (check.__name__ in slow))
        for number, check in found
    ]


#: The defaults, and the other engines that take any number of features.
BY_DEFAULT, ELLIPSOIDS, JOINT = river(), river(engine="ellipsoid"), river(engine="joint")


@pytest.mark.parametrize("check", named(ELLIPSOIDS))
def test_river_accepts_ellipsoids(check):
    assert not ELLIPSOIDS._unit_test_skips()
    check(ELLIPSOIDS.clone())


@pytest.mark.slow
@pytest.mark.parametrize("check", named(BY_DEFAULT))
def test_river_accepts_the_defaults(check):
    assert not BY_DEFAULT._unit_test_skips()
    check(BY_DEFAULT.clone())


@pytest.mark.slow
@pytest.mark.parametrize("check", named(JOINT))
def test_river_accepts_the_joint_engine(check):
    check(JOINT.clone())


def test_a_scaled_stream_with_wrong_labels_goes_on():
    """What stopped a pipeline with the defaults once: queries outside of the first ball, and a label that contradicts others."""
    generator = np.random.default_rng(0)
    model = preprocessing.StandardScaler() | river(random_state=0)
    right = 0
    for number in range(300):
        x = dict(zip("abc", 100 * generator.normal(size=3), strict=True))
        truth = bool(x["a"] > x["b"])
        right += model.predict_one(x) == truth
        model.learn_one(x, truth if number % 20 else not truth)
    assert right > 230
    learner = model["RiverPartitionClassifier"].learner
    assert learner.engine_ == "soft"
    assert learner.radius_ > 1


def test_it_answers_as_the_classifier_does():
    generator = np.random.default_rng(0)
    queries, labels = generator.normal(size=(40, 2)), generator.integers(3, size=40).tolist()
    options = {"similarity": "inner", "update": "paper", "inconsistent": "ignore"}
    plain, wrapped = wb.OnlinePartitionClassifier(random_state=5, **options), river(random_state=5, **options)
    for query, label in zip(queries, labels, strict=True):
        x = {"b": query[1], "a": query[0]}
        assert wrapped.predict_one(x) == plain.predict_one(query)
        assert wrapped.predict_proba_one(x) == plain.predict_proba_one(query)
        wrapped.learn_one(x, label)
        plain.learn_one(query, label)
    assert wrapped.learner.mistakes_ == plain.mistakes_


def test_parameters_go_along_and_what_was_learned_does_not():
    taught = wb.OnlinePartitionClassifier("lp", p=4, radius=3.0, random_state=7).learn_one([1.0], "a")
    model = to_river(taught)
    assert (model.similarity, model.p, model.radius, model.seed) == ("lp", 4, 3.0, 7)
    assert model.learner.get_params() == taught.get_params()
    assert model.predict_one({"x": 1.0}) is None
    assert "radius" in repr(model)


def test_features_come_and_go():
    model = river(similarity="inner", random_state=0)
    model.learn_one({"wings": 0.0, "legs": 1.0}, "cat")
    model.learn_one({"wings": 1.0, "legs": 0.2}, "bird")
    assert model.predict_one({"wings": 1.0, "legs": 0.0, "engine": 1.0}) == "bird"  # no learned query had an engine
    model.learn_one({"legs": 1.0}, "cat")
    model.learn_one({"engine": 1.0, "wings": 1.0}, "aeroplane")
    model.learn_one({"legs": 0.8, "wings": 0.0}, "cat")
    model.learn_one({"engine": 0.1, "wings": 1.0}, "bird")
    assert model.learner.n_features_in_ == 3
    assert model.predict_one({"engine": 1.0, "wings": 0.9}) == "aeroplane"
    assert model.predict_one({"legs": 1.0}) == "cat"


def test_it_stands_at_the_end_of_a_pipeline():
    encoder = compose.Select("colour") | preprocessing.OneHotEncoder()
    scaled = compose.Select("size") | preprocessing.MinMaxScaler()
    model = (encoder + scaled) | river(radius=3.0, random_state=0)
    for size in np.linspace(0, 1, 25):
        for colour in ("red", "green", "blue"):
            model.learn_one({"colour": colour, "size": size}, colour == "red")
    assert [model.predict_one({"colour": colour, "size": 0.3}) for colour in ("red", "green", "blue")] == [True, False, False]


def test_features_that_are_no_numbers_are_refused_with_a_way_out():
    with pytest.raises(InvalidInput, match="'colour' is 'red'") as refusal:
        river(similarity="inner").learn_one({"colour": "red"}, True)
    assert "OneHotEncoder" in refusal.value.advice


def test_without_river_it_says_how_to_get_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "wideberth.classifiers.online.river")
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(MissingExtra, match=r"wideberth\[river\]"):
        importlib.import_module("wideberth.classifiers.online.river")
