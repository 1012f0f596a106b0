"""One rule for objects that also occur in the training data, wherever objects have to be new: a
leak, unless declared.
"""

import numpy as np
import pytest

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.transforms import product

ALLOWED = (
    "2 of these 40 objects also occur in the training data; that is allowed if all were drawn "
    "independently."
)


def numbered(first, count):
    """Words at two edits or more from each other."""
    return [f"{number:05b}{number:05b}" for number in range(first, first + count)]


@pytest.fixture
def model():
    learned = [*numbered(0, 28), "11", "11"]  # training objects repeat too
    return wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(learned, ["a", "b"] * 15)


@pytest.fixture
def new():
    """40 objects, of which 2 are training objects."""
    return [*numbered(100, 38), *numbered(3, 2)], ["a", "b"] * 20


def test_certify(model, new):
    (found,) = wb.certify(model, *new)
    assert found.void[0].startswith(
        "2 of 40 objects are among those that the model learned from, such as object 38"
    )
    assert "independent=True, or --independent" in found.void[0]
    allowed = wb.certify(model, *new, independent=True)[0]
    assert not allowed.void
    assert ALLOWED in allowed.assumptions


def test_prediction_sets_and_novelty(model, new):
    for ask, calibration in ((wb.predict_set, new), (wb.novelty, new[0])):
        with pytest.raises(
            InvalidInput,
            match=r"Calibration needs objects that are new to the model\. 2 of 40 objects",
        ):
            ask(model, ["101"], calibration=calibration)
        assert ALLOWED in ask(model, ["101"], calibration=calibration, independent=True).assumptions


@pytest.mark.slow
def test_reports(model, new):
    pytest.importorskip("jinja2")
    from wideberth.report import Report

    undeclared, declared = (Report(model, *new, independent=each).facts for each in (False, True))
    assert undeclared != declared


def test_clusters(model, new):
    bags = pytest.importorskip("dask.bag")
    from wideberth import scaleout

    X, y = (bags.from_sequence(part, npartitions=4) for part in new)
    assert scaleout.certify(model, X, y)[0].void == wb.certify(model, *new)[0].void
    assert scaleout.certify(model, X, y, independent=True) == wb.certify(
        model, *new, independent=True
    )
    assert scaleout.evaluate(model, X, y)["certificate"]["void"]
    assert not scaleout.evaluate(model, X, y, independent=True)["certificate"]["void"]


def test_servers(model, new):
    pytest.importorskip("starlette")
    from wideberth.serve.limits import Limits
    from wideberth.serve.served_model import served_model

    settings = {"delta": 0.05, "unit": None, "witnesses": False, "limits": Limits()}
    with pytest.raises(InvalidInput, match="Calibration needs objects that are new"):
        served_model(model, calibration=new, **settings)
    assert (
        ALLOWED
        in served_model(model, calibration=new, independent=True, **settings).sets.assumptions
    )


def test_a_declaration_is_not_believed_where_it_cannot_be_true(model):
    known = numbered(0, 28)
    (found,) = wb.certify(model, known, ["a", "b"] * 14, independent=True)
    assert (
        "Independent draws do not explain so many: 2 of 30 training objects and 0 of these repeat "
        "others." in found.void[0]
    )
    with pytest.raises(InvalidInput, match="Independent draws do not explain so many"):
        wb.predict_set(model, ["101"], calibration=(known, ["a", "b"] * 14), independent=True)


# ---- cuts that the library makes -----------------------------------------------------------------


def auto(metric, **parameters):
    settings = {"holdout": 0.25, "candidates": ("neighbors",), "max_time": None, "random_state": 0}
    return wb.AutoClassifier(metric, **settings | parameters)


def test_a_natural_duplicate_does_not_void_a_cut_of_the_library():
    random = np.random.default_rng(1)
    points = random.normal(size=(120, 2))
    points[100:] = points[:20]  # some are cut apart
    found = auto("euclidean").fit(points, points[:, 0] > 0).certificate_
    assert not found.void
    assert any(
        "cut in two at random before anything was learned" in said for said in found.assumptions
    )
    assert any(
        "also occur in the training data; that is allowed if all were drawn independently" in said
        for said in found.assumptions
    )


def test_molecules_of_rdkit_are_set_aside_too():
    chemistry = pytest.importorskip("rdkit.Chem")
    draw = np.random.default_rng(2)
    smiles = ["C" + "".join(draw.choice(["C", "N", "O", "C(C)"], 8)) for _ in range(60)]
    molecules = [chemistry.MolFromSmiles(each) for each in smiles]
    labels = [each.count("N") > 1 for each in smiles]
    assert not auto("tanimoto").fit(molecules, labels).certificate_.void
    model = wb.NeighborsClassifier("tanimoto", n_neighbors=1).fit(molecules[:40], labels[:40])
    assert wb.certify(model, molecules[:30], labels[:30])[
        0
    ].void  # they are recognised by their fingerprints
    assert wb.certify(model, smiles[:30], labels[:30])[0].void


class Unreadable:
    """An object without contents that could be compared."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
def test_objects_that_cannot_be_recognised_are_set_aside_too():
    values = np.random.default_rng(3).normal(size=80)
    distance = wb.metric(lambda one, other: abs(one.value - other.value), obeys_triangle=True)
    objects = [Unreadable(value) for value in values]
    assert not auto(distance).fit(objects, values > 0).certificate_.void
    model = wb.NeighborsClassifier(distance).fit(objects[:40], values[:40] > 0)
    assert (
        "It cannot be known whether the model learned from these objects"
        in wb.certify(model, objects[40:], values[40:] > 0)[0].void[0]
    )


def test_a_metric_that_was_taught_by_all_objects_before_the_cut_voids_it():
    points = np.random.default_rng(4).normal(size=(80, 2))
    taught = wb.metric("mahalanobis").fitted(points)
    assert (
        "took its parameters from"
        in auto(taught).fit(points, points[:, 0] > 0).certificate_.void[0]
    )
    assert not auto("mahalanobis").fit(points, points[:, 0] > 0).certificate_.void


def test_what_is_taught_by_objects_that_cannot_be_recognised_voids_a_cut():
    values = np.random.default_rng(5).normal(size=80)
    rows = [{"size": [float(value)], "name": Unreadable(value)} for value in values]
    distance = wb.metric(lambda one, other: abs(one.value - other.value), obeys_triangle=True)
    taught = product({"size": "standardized", "name": distance}).fitted(rows)
    assert (
        "not known, perhaps from these" in auto(taught).fit(rows, values > 0).certificate_.void[0]
    )


def test_independent_draws_are_not_believed_of_training_data_that_repeat_the_new_objects():
    random = np.random.default_rng(0)
    new, labels = random.normal(size=(120, 3)), random.integers(0, 2, 120)
    again = random.integers(0, 120, 120)
    for learned in (np.tile(np.arange(120), 2), again):
        model = wb.NeighborsClassifier(n_neighbors=1).fit(new[learned], labels[learned])
        found = wb.certify(model, new, labels, independent=True)
        assert all("Independent draws do not explain so many" in each.void[0] for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1e-4, 1e-3, 3e-3])
@pytest.mark.parametrize(
    "model", [wb.HilbertSVC(C=1e4), wb.LPMachineClassifier(C=1e4)], ids=["svm", "lp"]
)
def test_noise_is_recognised_by_the_objects_that_a_model_keeps(model, noise):
    random = np.random.default_rng(1)
    learned, labels = random.normal(size=(200, 3)), random.integers(0, 2, 200)
    model.fit(learned, labels)
    usual = np.median(np.sort(wb.pairwise_distances(learned), axis=1)[:, 1])
    assert wb.certify(
        model, learned + noise * usual * random.normal(size=learned.shape) / 2, labels
    )[0].void
    assert not wb.certify(model, random.normal(size=(200, 3)), labels)[0].void
