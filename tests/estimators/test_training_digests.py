"""Every classifier remembers what it learned from, in a few bytes, also through files and
pickles.
"""

import io
import pickle
import zipfile

import numpy as np
import pytest
from families import class_name, every_classifier, families
from mutated_files import NOTHING_SAID
from sklearn.base import clone

import wideberth
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.estimators.training import Learned
from wideberth.io.model_file.archive import write_archive
from wideberth.objects.disguises import ObjectDigests

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3
FAMILIES = families("strings", len(WORDS))
ALL = every_classifier("strings", cv=3)


def assert_remembers(model, words=WORDS, kinds=KINDS):
    learned = model.learned_from_
    digests = model.digests(words)
    assert len(learned) == len(words)
    assert learned.objects.nbytes == 8 * len(words)
    assert learned.is_labelled(digests, np.array(kinds))
    assert learned.is_labelled(digests[::-1], np.array(kinds)[::-1])
    assert not learned.is_labelled(digests, np.array(kinds)[::-1])
    assert not learned.is_all(digests[1:])
    assert learned.knows(model.digests(["milk", "rum", "te"])).tolist() == [False, True, False]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", ALL, ids=class_name)
def test_a_classifier_and_its_pickle_remember(model):
    fitted = clone(model).fit(WORDS, KINDS)
    assert_remembers(fitted)
    assert_remembers(pickle.loads(pickle.dumps(fitted)))
    if hasattr(fitted, "best_estimator_"):
        assert_remembers(fitted.best_estimator_)


@pytest.mark.parametrize("model", FAMILIES, ids=class_name)
def test_a_file_remembers(model, tmp_path):
    wideberth.save(clone(model).fit(WORDS, KINDS), tmp_path / "model.wb")
    assert_remembers(wideberth.load(tmp_path / "model.wb"))


@pytest.mark.parametrize(
    "model", [each for each in FAMILIES if hasattr(each, "path")], ids=class_name
)
def test_models_of_a_path_remember(model):
    for each in clone(model).path(WORDS, KINDS, C=[2, 5]):
        assert_remembers(each)


def test_objects_of_weight_zero_were_not_learned_from():
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1)
    model.fit([*WORDS, "milk"], [*KINDS, "soft"], sample_weight=[2] * 6 + [0])
    assert_remembers(model)
    assert model.learned_from_.count_alike
    assert not model.fit(WORDS, KINDS, sample_weight=[1, 2, 1, 1, 1, 1]).learned_from_.count_alike


def test_a_metric_that_learned_is_noted():
    points, sides = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    assert (
        wideberth.NeighborsClassifier("mahalanobis").fit(points, sides).learned_from_.metric_learned
    )
    assert (
        not wideberth.NeighborsClassifier("euclidean")
        .fit(points, sides)
        .learned_from_.metric_learned
    )


def test_what_a_search_chose_knows_that_also_from_a_file(tmp_path):
    search = wideberth.LipschitzClassifierCV("levenshtein", C=[2, 5], cv=3).fit(WORDS, KINDS)
    assert not search.learned_from_.searched
    wideberth.save(search.best_estimator_, tmp_path / "model.wb")
    for model in (search.best_estimator_, wideberth.load(tmp_path / "model.wb")):
        assert model.learned_from_.searched
        assert not clone(model).fit(WORDS, KINDS).learned_from_.searched


def test_a_metric_learns_from_objects_of_weight_zero_too():
    points = np.random.default_rng(0).normal(size=(40, 2))
    model = wideberth.NeighborsClassifier("mahalanobis")
    model.fit(points, np.arange(40) % 2, sample_weight=[1.0] * 30 + [0.0] * 10)
    assert model.learned_from_.knows(model.digests(points)).all()
    assert "weights" in wideberth.certify(model, points, np.arange(40) % 2)[0].void[0]


def test_a_new_fit_forgets_the_old_one():
    model = wideberth.NeighborsClassifier("levenshtein").fit(["milk", "cola"], ["soft", "soft"])
    assert_remembers(model.fit(WORDS, KINDS))


def test_a_space_is_remembered_by_its_objects(tmp_path):
    space = wideberth.MetricSpace(WORDS, "levenshtein")
    model = wideberth.NeighborsClassifier(space.metric).fit(space.index, KINDS)
    assert model.learned_from_.is_labelled(model.digests(space.index), np.array(KINDS))
    wideberth.save(model, tmp_path / "model.wb")
    assert_remembers(wideberth.load(tmp_path / "model.wb"))


def rewritten(path, change):
    """The model file at ``path`` with another text in model.json."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name != "manifest.json"]
        entries = [(name, archive.read(name)) for name in names]
    stream = io.BytesIO()
    write_archive(
        stream,
        [(name, change(content) if name == "model.json" else content) for name, content in entries],
        NOTHING_SAID,
    )
    path.write_bytes(stream.getvalue())


def test_a_file_may_remember_nothing_but_must_say_so(tmp_path):
    path = tmp_path / "model.wb"
    model = wideberth.NeighborsClassifier("levenshtein").fit(WORDS, KINDS)
    model.learned_from_ = None
    wideberth.save(model, path)
    assert wideberth.load(path).learned_from_ is None
    rewritten(path, lambda text: text.replace(b'"learned_from": null, ', b""))
    with pytest.raises(InvalidFile, match="learned_from"):
        wideberth.load(path)


def test_a_file_with_a_wrong_memory_is_refused(tmp_path):
    path = tmp_path / "model.wb"
    wideberth.save(wideberth.NeighborsClassifier("levenshtein").fit(WORDS, KINDS), path)
    rewritten(path, lambda text: text.replace(b'"count_alike": true', b'"count_alike": 3'))
    with pytest.raises(InvalidFile, match="remembers of its training objects is damaged"):
        wideberth.load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"objects": np.array([2, 1], dtype=np.uint64)},
        {"objects": np.array([1, 2])},
        {"objects": np.array([], dtype=np.uint64)},
        {"all_labelled": 3},
        {"more": 1},
        {"texts": np.array([2, 1], dtype=np.uint64)},
        {"rounded": np.zeros((3, 2), dtype=np.uint32)},
        {"cut": np.zeros(2, dtype=np.uint64)},
    ],
)
def test_damaged_memories_are_refused(change):
    learned = Learned.of(
        ObjectDigests(np.array([3, 1], dtype=np.uint64)),
        np.array(["a", "b"]),
        np.ones(2),
        metric_learned=False,
    )
    again = Learned.from_plain(learned.plain())
    assert vars(again).keys() == vars(learned).keys()
    assert again.all_labelled == learned.all_labelled
    with pytest.raises(InvalidInput, match="is damaged"):
        Learned.from_plain(learned.plain() | change)
