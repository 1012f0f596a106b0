"""Every disguise that files and exports put on by themselves is recognised, for every family and
metric; new objects are not.
"""

import numpy as np
import pytest
from disguised_objects import N, caught, families
from disguised_objects import cases as disguises_by_metric
from short_samples import sampled
from sklearn.base import clone

import wideberth as wb
from wideberth.errors import WideberthError

CASES = disguises_by_metric()


@pytest.mark.few(3)
@pytest.mark.filterwarnings("ignore")
@sampled
@pytest.mark.parametrize("name", CASES)
def test_no_disguise_is_certified_by_any_family(name, cases):
    if name == "tanimoto":
        pytest.importorskip("rdkit")
    metric, source, disguises = CASES[name]
    suited = families(metric)
    disguises = {each: disguises[each] for each in cases(disguises, name)}
    told = {
        family: found
        for family in {"neighbors", *cases(suited, name)}
        if (found := caught(metric, source, disguises, suited[family])) is not None
    }
    assert "neighbors" in told
    missed = {
        (family, disguise): value
        for family, found in told.items()
        for disguise, value in found.items()
    }
    assert {where for where, value in missed.items() if value not in ("void", "refused")} == set()
    assert any("void" in found.values() for found in told.values())


@pytest.mark.few(3)
@pytest.mark.filterwarnings("ignore")
@sampled
@pytest.mark.parametrize("name", [name for name in CASES if name != "precomputed"])
def test_new_objects_are_not_taken_for_disguises(name, cases):
    if name == "tanimoto":
        pytest.importorskip("rdkit")
    metric, source, _ = CASES[name]
    labels = np.random.default_rng(3).integers(0, 2, N)
    models = [
        clone(model) for family, model in families(metric).items() if family in ("neighbors", "svm")
    ]
    for model in models:
        try:
            model.fit(source(4), labels)
        except WideberthError:
            continue
        for seed in cases(range(5, 11), name):
            assert not wb.certify(model, source(seed), labels, verbose=-1)[0].void


def test_new_rows_of_distances_are_not_taken_for_disguises():
    points, new = np.random.default_rng(5).normal(size=(2, N, 3))
    between = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    labels = np.arange(N) % 2
    for model in families("precomputed").values():
        fitted = model.fit(between, labels)
        rows = np.sqrt(((new[:, None] - points[None]) ** 2).sum(axis=2))
        assert not wb.certify(fitted, rows, labels)[0].void
        assert not wb.certify(fitted, rows.round(2), labels)[
            0
        ].void  # what is rounded is not therefore known


def test_some_disguised_objects_among_new_ones_are_found():
    """A single text is a leak; of numbers, as many as chance does not explain."""
    labels = np.arange(N) % 2
    known, new = CASES["levenshtein"][1](2), CASES["levenshtein"][1](3)
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(known, labels)
    (found,) = wb.certify(model, [f'"{known[7].upper()}." ', *new[1:]], labels)
    assert (
        "1 of 50 objects are training objects in another form, up to case, Unicode forms"
        in found.void[0]
    )
    assert "such as object 0" in found.void[0]
    random = np.random.default_rng(6)
    points, fresh = random.normal(size=(2, N, 3))
    svm = wb.HilbertSVC(C=1e4).fit(points, labels)
    (found,) = wb.certify(svm, np.r_[points[:25].round(2), fresh[25:]], labels)
    assert (
        "25 of 50 objects are training objects in another form, rounded (2 decimal places)"
        in found.void[0]
    )


def test_a_training_sample_in_which_everything_is_there_twice_hides_nothing():
    random = np.random.default_rng(7)
    points = np.repeat(random.normal(size=(N, 3)), 2, axis=0)
    labels = np.repeat(random.integers(0, 2, N), 2)
    for model in (
        wb.NeighborsClassifier(n_neighbors=1),
        wb.HilbertSVC(C=1e4),
        wb.LPMachineClassifier(C=1e4),
    ):
        fitted = model.fit(points, labels)
        for form in (points[::2].round(2), points[::2].astype("f4")):
            assert all(found.void for found in wb.certify(fitted, form, labels[::2]))


def test_what_is_documented_as_not_recognised_is_not():
    """Noise like the usual distance, mixtures, a new word: other objects, as far as a comparison
    can tell.
    """
    random, labels = np.random.default_rng(8), np.arange(N) % 2
    points = random.normal(size=(N, 2))
    model = wb.NeighborsClassifier(n_neighbors=1).fit(points, labels)
    usual = np.median(wb.Index(points, "euclidean").nearest(points, 2).distances[:, 1])
    for changed in (
        points + usual * random.normal(size=(N, 2)),
        (points + np.roll(points, 1, axis=0)) / 2,
    ):
        assert not wb.certify(model, changed, labels)[0].void
    known = CASES["words"][1](2)
    model = wb.NeighborsClassifier("words", n_neighbors=1).fit(known, labels)
    assert not wb.certify(model, [f"{text} new" for text in known], labels)[0].void


@pytest.mark.parametrize("saved", [False, True])
def test_references_that_the_user_gave_are_no_training_objects(saved, tmp_path):
    random = np.random.default_rng(0)
    points, new = random.normal(size=(200, 2)), random.normal(size=(100, 2))
    model = wb.LPMachineClassifier(references=new[:20]).fit(points, points[:, 0] > 0)
    if saved:
        wb.save(model, tmp_path / "model.wb")
        model = wb.load(tmp_path / "model.wb")
    assert not any(found.void for found in wb.certify(model, new, new[:, 0] > 0))
    assert wb.certify(model, points.round(2), points[:, 0] > 0)[0].void
    with pytest.raises(WideberthError, match="keeps 0 of 200 training objects"):
        wb.novelty(model, new)
    own = wb.LPMachineClassifier(references=20).fit(points, points[:, 0] > 0)
    assert any(
        "of 200 training objects that the model keeps" in said
        for said in wb.certify(own, new, new[:, 0] > 0)[0].assumptions
    )
