"""The online classifier in River's hands."""

import importlib
import sys
from itertools import islice

import numpy as np
import pytest
from river import checks, compose, datasets, preprocessing

import wideberth as wb
from wideberth.classifiers.online import parameters
from wideberth.errors import InvalidInput, MissingExtra
from wideberth.river import RiverPartitionClassifier, to_river


def river(**options):
    return to_river(wb.OnlinePartitionClassifier(**options))


class HashedPartitionClassifier(RiverPartitionClassifier):
    """The same on three features, into which those of a query are hashed: exact volumes take four
    dimensions at most.
    """

    def learn_one(self, x, y):
        super().learn_one(self._hashed(x), y)

    def predict_one(self, x, **kwargs):
        return super().predict_one(self._hashed(x), **kwargs)

    def predict_proba_one(self, x, **kwargs):
        return super().predict_proba_one(self._hashed(x), **kwargs)

    def _hashed(self, x):
        ordered = dict(sorted(x.items(), key=str))  # sums of floats depend on their order
        return dict.fromkeys(range(3), 0.0) | preprocessing.FeatureHasher(
            n_features=3, seed=1
        ).transform_one(ordered)


#: One learner of every engine, with all else by default.
ENGINES = {
    "default": river(),
    "sampling": river(engine="sampling"),
    "ellipsoid": river(engine="ellipsoid"),
    "exact": HashedPartitionClassifier(engine="exact"),
    "soft": river(noise=0.1),
}
#: Engines that are fast enough to be checked each time, but for streams that are ten times longer.
FAST = ("ellipsoid",)


def all_checks():
    """River's checks of every engine."""
    for engine, model in ENGINES.items():
        for number, check in enumerate(checks.yield_checks(model)):
            slow = engine not in FAST or check.__name__ == "check_bounded_memory_growth"
            yield pytest.param(
                engine,
                check,
                id=f"{engine}-{number}-{check.__name__}",
                marks=[pytest.mark.slow] * slow,
            )


@pytest.mark.few(4)
@pytest.mark.parametrize(("engine", "check"), list(all_checks()))
def test_river_accepts_every_engine(engine, check):
    assert not ENGINES[engine]._unit_test_skips()
    check(ENGINES[engine].clone())


def test_every_engine_is_checked():
    assert {model.engine for model in ENGINES.values()} == {"auto", *parameters.ENGINES}


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", ["sampling", "ellipsoid", "soft"])
def test_a_scaled_stream_of_river_is_learned(engine):
    """Queries of any size, labels of no centres, by every engine that takes nine features."""
    model, right = preprocessing.StandardScaler() | ENGINES[engine].clone(), 0
    for x, y in islice(datasets.Phishing(), 150):
        right += model.predict_one(x) == y
        model.learn_one(x, y)
    assert right > 105
    assert model["RiverPartitionClassifier"].learner.rounds_ == 150


@pytest.mark.few(2)
@pytest.mark.parametrize("engine", ENGINES)
def test_features_may_come_and_go_in_every_engine(engine):
    model = ENGINES[engine].clone()
    if engine == "exact":
        model = river(engine="exact")
    for number in range(150 if engine == "ellipsoid" else 24):  # ellipsoids are slow to learn
        x = {"a": float(number % 2), "b": 0.3} | ({"c": 0.1 * (number % 24)} if number % 3 else {})
        if number % 5 == 4:
            del x["b"]
        model.predict_one(x | {"never learned": 7.0})
        model.learn_one(x, bool(number % 2))
    assert model.learner.n_features_in_ == 3
    assert model.predict_one({"a": 1.0, "b": 0.3}) is True
    assert model.predict_one({"a": 0.0}) is False


@pytest.mark.few(2)
@pytest.mark.parametrize("engine", ["sampling", "ellipsoid", "exact", "soft"])
def test_wrong_labels_stop_no_engine(engine):
    generator = np.random.default_rng(0)
    model = river(noise=0.1) if engine == "soft" else river(engine=engine)
    model, right = preprocessing.StandardScaler() | model, 0
    for number in range(120):
        x = dict(zip("ab", 10 * generator.normal(size=2), strict=True))
        truth = bool(x["a"] > x["b"])
        right += model.predict_one(x) == truth
        model.learn_one(x, truth if number % 12 else not truth)
    assert right > 80
    assert model["RiverPartitionClassifier"].learner.rounds_ == 120


@pytest.mark.slow
def test_a_scaled_stream_with_wrong_labels_goes_on():
    """What stopped a pipeline with the defaults once: queries outside of the first ball, and a
    label that contradicts others.
    """
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
    plain, wrapped = (
        wb.OnlinePartitionClassifier(random_state=5, **options),
        river(random_state=5, **options),
    )
    for query, label in zip(queries, labels, strict=True):
        x = {"b": query[1], "a": query[0]}
        assert wrapped.predict_one(x) == plain.predict_one(query)
        assert wrapped.predict_proba_one(x) == plain.predict_proba_one(query)
        wrapped.learn_one(x, label)
        plain.learn_one(query, label)
    assert wrapped.learner.mistakes_ == plain.mistakes_


def test_parameters_go_along_and_what_was_learned_does_not():
    taught = wb.OnlinePartitionClassifier("lp", p=4, radius=3.0, random_state=7).learn_one(
        [1.0], "a"
    )
    model = to_river(taught)
    assert (model.similarity, model.p, model.radius, model.seed) == ("lp", 4, 3.0, 7)
    assert model.learner.get_params() == taught.get_params()
    assert model.predict_one({"x": 1.0}) is None
    assert "radius" in repr(model)


def test_features_come_and_go():
    model = river(similarity="inner", random_state=0)
    model.learn_one({"wings": 0.0, "legs": 1.0}, "cat")
    model.learn_one({"wings": 1.0, "legs": 0.2}, "bird")
    assert (
        model.predict_one({"wings": 1.0, "legs": 0.0, "engine": 1.0}) == "bird"
    )  # no learned query had an engine
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
    assert [
        model.predict_one({"colour": colour, "size": 0.3}) for colour in ("red", "green", "blue")
    ] == [True, False, False]


def test_features_that_are_no_numbers_are_refused_with_a_way_out():
    with pytest.raises(InvalidInput, match="'colour' is 'red'") as refusal:
        river(similarity="inner").learn_one({"colour": "red"}, True)
    assert "OneHotEncoder" in refusal.value.advice


def test_without_river_it_says_how_to_get_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "wideberth.river")
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(MissingExtra, match=r"wideberth\[river\]"):
        importlib.import_module("wideberth.river")
