"""Whatever is in a file that is sound on the outside: it loads and answers, or it is refused with
an `InvalidFile`.
"""

import functools
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutated_files import content_of, mutations, replaced, write_content
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import wideberth
from wideberth import (
    HilbertEmbedding,
    HilbertSVCCV,
    KuratowskiEmbedding,
    LinearLipschitzClassifier,
    LinearLipschitzClassifierCV,
    LipschitzClassifier,
    LipschitzClassifierCV,
    LPMachineClassifierCV,
    NeighborsClassifier,
    OnlinePartitionClassifier,
    PartitionVoteClassifier,
)
from wideberth.errors import InconsistentLabels, InvalidFile
from wideberth.io.model_file.archive import MANIFEST

WORDS, KINDS = ["tea", "tee", "ten", "tan", "rum", "rom", "ram", "rim"], ["soft"] * 4 + ["hard"] * 4
POINTS = np.random.default_rng(0).uniform(-0.6, 0.6, size=(24, 2))
SIDES = np.where(POINTS @ [1.0, 0.3] > 0, "right", "left")
DISTANCES = wideberth.pairwise_distances(WORDS, metric="levenshtein")
FOLDS = {"cv": 2, "random_state": 0}
MODELS = {
    "lipschitz-cv": (LipschitzClassifierCV("levenshtein", C=[2, 10], **FOLDS), WORDS, KINDS),
    "lp-cv": (
        LPMachineClassifierCV(C=[3, 30], radial=["distance", ("gaussian", "70%")], **FOLDS),
        POINTS,
        SIDES,
    ),
    "svm-cv": (HilbertSVCCV(C=[1, 10], calibrate=2, **FOLDS), POINTS, SIDES),
    "linear": (
        LinearLipschitzClassifier("words", edits=1, min_count=1),
        [f"{word} or {word[:2]}" for word in WORDS],
        KINDS,
    ),
    "linear-cv": (
        LinearLipschitzClassifierCV("ngrams", C=[0.3, 3], calibrate=2, **FOLDS),
        WORDS,
        KINDS,
    ),
    "vote": (
        PartitionVoteClassifier(NeighborsClassifier("levenshtein", n_neighbors=1), n_parts=5),
        WORDS,
        KINDS,
    ),
    "kuratowski": (KuratowskiEmbedding("levenshtein", references=3), WORDS, None),
    "hilbert": (HilbertEmbedding(), POINTS, None),
    "pipeline": (
        make_pipeline(
            KuratowskiEmbedding("levenshtein", references=3), StandardScaler(), LogisticRegression()
        ),
        WORDS,
        KINDS,
    ),
    "scaled": (make_pipeline(MinMaxScaler(), LipschitzClassifier(C=10)), POINTS, SIDES),
    "hilbert-matrix": (HilbertEmbedding("precomputed", landmarks=4), DISTANCES, None),
}
ONLINE = {
    "sampling": {},
    "paper": {"update": "paper"},
    "ellipsoid": {"engine": "ellipsoid"},
    "exact": {"engine": "exact"},
    "noise": {"noise": 0.1},
    "softened": {"inconsistent": "soften"},
    "even-power": {"similarity": "lp", "p": 4},
}
NAMES = [*MODELS, *ONLINE]
#: Where a file comes from, and what its objects are recognised by, decide no answer.
NOT_LOOKED_AT = ("origin", "notes", "learned_from")

#: The queries do not have the radius, or the number of distances, that the file says, or are too
#: large after the scaling that it says; of a pipeline, scikit-learn's next step tells the last.
UNFIT_QUERIES = (
    "is outside of the ball",
    "New objects are rows",
    "Vectors need finite numbers",
    "Input X contains infinity",
)


@functools.cache
def saved(name, folder):
    """The content of a file, queries for its model, and all mutations of the content."""
    if name in MODELS:
        model, objects, labels = MODELS[name]
        queries = objects
    else:
        queries, labels = POINTS, np.resize(["a", "b", "c", "a"], len(POINTS))
        model = OnlinePartitionClassifier(
            random_state=0, **{"inconsistent": "ignore"} | ONLINE[name]
        )
        objects = queries
    with warnings.catch_warnings(action="ignore"):
        model.fit(objects, labels)
    wideberth.save(model, folder / "whole.wb")
    content = content_of(folder / "whole.wb")
    return content, queries, list(mutations(content, lambda place: place[0] not in NOT_LOOKED_AT))


def answer_or_refuse(content, queries, path):
    """Load a file and ask it, or see it refused; what it answers is that of some model, and it can
    go on learning.
    """
    write_content(content, path)
    try:
        model = wideberth.load(path)
    except InvalidFile:
        return
    try:
        if hasattr(model, "transform"):
            assert len(model.transform(queries)) == len(queries)
            return
        assert set(model.predict(queries).tolist()) <= set(model.classes_.tolist())
        if isinstance(model, OnlinePartitionClassifier):
            model.learn_one(queries[0], model.classes_.tolist()[0])
            model.potential()
    except InconsistentLabels:
        pass
    except ValueError as unfit:
        if not any(words in str(unfit) for words in UNFIT_QUERIES):
            raise


@pytest.mark.few(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_one_wrong_value_is_refused_or_does_no_harm(tmp_path_factory, name, data):
    folder = tmp_path_factory.getbasetemp()
    content, queries, all_mutations = saved(name, folder)
    place, wrong = all_mutations[data.draw(st.integers(0, len(all_mutations) - 1))]
    answer_or_refuse(replaced(content, place, wrong), queries, folder / "mutated.wb")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_value_is_refused_or_does_no_harm(tmp_path, name):
    content, queries, all_mutations = saved(name, tmp_path)
    assert len(all_mutations) > 300
    for place, wrong in all_mutations:
        answer_or_refuse(replaced(content, place, wrong), queries, tmp_path / "mutated.wb")


def entries_of(path):
    """All entries of a file but the manifest, which says where a model comes from."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != MANIFEST}


@pytest.mark.few(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_what_was_not_changed_is_accepted(tmp_path, name):
    content, queries, _ = saved(name, tmp_path)
    write_content(content, tmp_path / "again.wb")
    assert entries_of(tmp_path / "again.wb") == entries_of(tmp_path / "whole.wb")
    answer_or_refuse(content, queries, tmp_path / "again.wb")
    wideberth.load(tmp_path / "again.wb")


@pytest.mark.parametrize("wrong", [{}, {"params": [], "scores": np.zeros((2, 0))}, None, [1]])
def test_a_search_without_candidates_is_refused(tmp_path, wrong):
    content, _, _ = saved("lipschitz-cv", tmp_path)
    write_content(replaced(content, ("state", "search"), wrong), tmp_path / "m.wb")
    with pytest.raises(InvalidFile):
        wideberth.load(tmp_path / "m.wb")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("svm-cv", "HilbertEmbedding"),
        ("hilbert", "OnlinePartitionClassifier"),
        ("exact", "HilbertSVCCV"),
    ],
)
def test_the_state_of_another_class_is_refused(tmp_path, name, other):
    content, _, _ = saved(name, tmp_path)
    write_content(content | {"class": other}, tmp_path / "m.wb")
    with pytest.raises(InvalidFile):
        wideberth.load(tmp_path / "m.wb")


@pytest.mark.few(4)
@pytest.mark.parametrize("width", [0, -1, 10**9, 10**18])
@pytest.mark.parametrize("name", ONLINE)
def test_a_number_of_features_that_the_arrays_do_not_have_is_refused_at_once(tmp_path, name, width):
    content, _, _ = saved(name, tmp_path)
    write_content(content | {"features": width}, tmp_path / "m.wb")
    with pytest.raises(InvalidFile):
        wideberth.load(tmp_path / "m.wb")
