"""A learner in a model file goes on exactly as the one in memory: guess by guess, random ones
included.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.partitions import centers_in_ball, distances, queries_near_borders

import wideberth as wb
from wideberth.errors import InconsistentLabels, InvalidInput
from wideberth.io.model_file.archive import Archive

Online = wb.OnlinePartitionClassifier

ENGINES = [
    {},
    {"engine": "ellipsoid"},
    {"engine": "exact"},
    {"noise": 0.1},
    {"inconsistent": "soften"},
]
SIMILARITIES = [
    {"similarity": "inner"},
    {"similarity": "euclidean", "alpha": 2.0},
    {"similarity": "lp", "p": 4},
]


def options_that_fit():
    """All similarities with all engines that they can be learned by, and both updates where
    features do not matter.
    """
    for similarity in SIMILARITIES:
        for engine in ENGINES:
            for update in (
                ("informative", "paper")
                if similarity == {"similarity": "inner"}
                else ("informative",)
            ):
                options = similarity | engine | {"update": update}
                if similarity["similarity"] != "lp" or options.get("engine") != "exact":
                    yield options


OPTIONS = list(options_that_fit())


def stream(options, rounds, seed, wrong=0.0):
    """Queries in the plane, near borders, with labels of nearest centres, of which a share is
    wrong.
    """
    generator = np.random.default_rng(seed)
    centers, p = centers_in_ball(3, 2, generator), options.get("p", 2)
    queries = queries_near_borders(rounds, options["similarity"], centers, generator, p)
    labels = np.array(
        [distances(options["similarity"], query, centers, p).argmin() for query in queries]
    )
    flipped = generator.random(rounds) < wrong
    return queries, np.array(["tea", "rum", "ale"])[
        np.where(flipped, (labels + 1) % 3, labels)
    ].tolist()


def teach(learner, queries, labels):
    """What the learner says before and after each label: guesses, what is certain, what can be
    lost.
    """
    said = []
    for query, label in zip(queries, labels, strict=True):
        said.append(
            (
                learner.predict_one(query),
                learner.predict_proba_one(query),
                learner.certain(query),
                learner.loss_bound(query),
            )
        )
        try:
            learner.learn_one(query, label)
        except InconsistentLabels as error:
            said.append(str(error))
    facts = (
        "rounds_",
        "mistakes_",
        "contradictions_",
        "first_contradiction_",
        "engine_",
        "proved_",
        "n_rows_",
    )
    return (
        said,
        [getattr(learner, name) for name in facts],
        learner.potential(),
        learner.remaining_loss_bound(),
    )


def loaded(learner, folder):
    wb.save(learner, folder / "learner.wb")
    return wb.load(folder / "learner.wb")


def assert_goes_on(learner, folder, queries, labels):
    """The learner, a copy from a file and a pickle say the same, and the copies are saved as the
    learner is.
    """
    learner.predict_one(queries[0])
    copies = [loaded(learner, folder), pickle.loads(pickle.dumps(learner))]
    expected = teach(learner, queries, labels)
    assert [teach(copy, queries, labels) for copy in copies] == 2 * [expected]
    wb.save(learner, folder / "one.wb")
    wb.save(copies[0], folder / "other.wb")
    assert (folder / "one.wb").read_bytes() == (folder / "other.wb").read_bytes()


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "options",
    [
        options if place % 3 == 0 else pytest.param(options, marks=pytest.mark.slow)
        for place, options in enumerate(OPTIONS)
    ],
    ids=str,
)
@given(seed=st.integers(0, 10**6), rounds=st.integers(1, 20))
@settings(max_examples=3, deadline=None)
def test_a_learner_from_a_file_goes_on_as_the_one_in_memory(
    tmp_path_factory, options, seed, rounds
):
    queries, labels = stream(options, rounds + 12, seed, wrong=0.0 if seed % 2 else 0.1)
    learner = Online(**{"inconsistent": "ignore", "random_state": seed} | options)
    teach(learner, queries[:rounds], labels[:rounds])
    assert_goes_on(learner, tmp_path_factory.getbasetemp(), queries[rounds:], labels[rounds:])


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "options",
    [{}, {"engine": "ellipsoid"}, {"noise": 0.1}, {"inconsistent": "soften"}],
)
def test_new_labels_wider_queries_and_errors_go_on_too(tmp_path, options):
    options = {"similarity": "euclidean"} | options
    queries, labels = stream(options, 60, seed=3)
    learner = Online(random_state=0, **options)
    teach(learner, queries[:15], labels[:15])
    assert_goes_on(
        learner,
        tmp_path,
        queries[15:25],
        [label if place % 4 else "mead" for place, label in enumerate(labels[15:25])],
    )
    learner.widen(3)
    wider = np.column_stack([queries, np.linspace(-0.1, 0.1, 60)]) / 2
    assert_goes_on(learner, tmp_path, wider[25:40], labels[25:40])


def test_only_rankings_are_guessed_by_majority_after_loading(tmp_path):
    learner = Online("inner", random_state=0)
    for query in ([1.0, 0.1], [0.9, -0.1], [0.8, 0.2]):
        learner.learn_one(query, ranking=["a", "b", "c"])
    copy = loaded(learner, tmp_path)
    assert copy._stream.partition.update == learner._stream.partition.update == "majority"
    assert_goes_on(learner, tmp_path, np.array([[0.0, 0.5], [0.1, 0.4]]), ["b", "b"])
    assert copy.learn_one([0.9, 0.1], "a")._stream.partition.update == "informative"


@pytest.mark.parametrize(
    "labels",
    [[1, 2], [True, False], ["thé", "rum"], [0.5, 2.0], [1, 2.5], [b"tea", b"rum"]],
    ids=str,
)
def test_labels_keep_their_kind_and_their_order(tmp_path, labels):
    learner = (
        Online("inner", random_state=0)
        .learn_one([1.0, 0.0], labels[1])
        .learn_one([-1.0, 0.1], labels[0])
    )
    copy = loaded(learner, tmp_path)
    assert list(map(repr, copy._stream.labels)) == list(map(repr, learner._stream.labels))
    assert repr(copy.classes_) == repr(learner.classes_)
    assert repr(copy.predict([[1.0, 0.0], [-1.0, 0.0]])) == repr(
        learner.predict([[1.0, 0.0], [-1.0, 0.0]])
    )


def test_one_label_and_labels_that_were_only_announced(tmp_path):
    one = Online("inner", engine="ellipsoid", random_state=0).learn_one([1.0, 0.0], "tea")
    assert loaded(one, tmp_path).predict_one([0.0, 1.0]) == "tea"
    announced = Online("inner", random_state=0).partial_fit(
        [[1.0, 0.0]], ["tea"], classes=["ale", "rum", "tea"]
    )
    assert_goes_on(announced, tmp_path, np.array([[0.5, 0.5], [-0.5, 0.1]]), ["tea", "rum"])


def test_a_file_has_few_arrays_however_many_labels(tmp_path):
    generator = np.random.default_rng(0)
    counts = []
    for labels in (3, 12):
        learner = Online("inner", random_state=0, inconsistent="ignore")
        learner.fit(generator.normal(size=(3 * labels, 3)), np.arange(3 * labels) % labels)
        wb.save(learner, tmp_path / "learner.wb")
        with Archive(tmp_path / "learner.wb") as archive:
            counts.append(len(archive.manifest["entries"]))
    assert counts[0] == counts[1] < 30


def test_a_random_state_that_is_an_object_is_named_and_the_advice_works(tmp_path):
    learner = Online("inner", random_state=np.random.RandomState(0)).learn_one([1.0, 0.0], "tea")
    with pytest.raises(
        InvalidInput, match=r"random_state.*cannot be saved.*set_params\(random_state=None\)"
    ):
        wb.save(learner, tmp_path / "learner.wb")
    assert (
        loaded(learner.set_params(random_state=None), tmp_path)._stream.seed == learner._stream.seed
    )


@pytest.mark.parametrize("changed", [{"radius": 2.0}, {"similarity": "inner"}, {"alpha": 2.0}])
def test_parameters_that_were_changed_after_the_first_label_are_refused(tmp_path, changed):
    learner = Online(random_state=0).learn_one([0.5, 0.0], "tea").learn_one([-0.5, 0.0], "rum")
    before = {name: getattr(learner, name) for name in changed}
    learner.set_params(**changed)
    with pytest.raises(InvalidInput, match="changed after the first label"):
        wb.save(learner, tmp_path / "learner.wb")
    assert not list(tmp_path.iterdir())
    assert_goes_on(
        learner.set_params(**before), tmp_path, np.array([[0.1, 0.2], [0.3, 0.1]]), ["tea", "tea"]
    )


def test_other_parameters_may_have_changed(tmp_path):
    learner = (
        Online("inner", random_state=0, inconsistent="ignore")
        .learn_one([1.0, 0.0], "tea")
        .learn_one([-1.0, 0.0], "rum")
    )
    learner.set_params(inconsistent="error", random_state=5)
    copy = loaded(learner, tmp_path)
    assert (copy._stream.inconsistent, copy.inconsistent, copy.random_state) == (
        "ignore",
        "error",
        5,
    )
    assert (
        copy.learn_one([1.0, 0.0], "rum").contradictions_
        == learner.learn_one([1.0, 0.0], "rum").contradictions_
        == 1
    )


def test_a_widened_learner_forgets_the_names_of_features(tmp_path):
    frame = pd.DataFrame([[0.5, 0.1], [-0.5, 0.2]], columns=["width", "height"])
    learner = Online(random_state=0).fit(frame, ["tea", "rum"])
    assert loaded(learner, tmp_path).feature_names_in_.tolist() == ["width", "height"]
    learner.widen(3)
    copy = loaded(learner, tmp_path)
    assert not hasattr(copy, "feature_names_in_")
    assert copy.predict([[0.5, 0.1, 0.0]]).tolist() == learner.predict([[0.5, 0.1, 0.0]]).tolist()
