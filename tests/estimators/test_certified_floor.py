"""The floor of certified scoring compares candidates with what single fits reach, not with what a
path over C happens to give.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import wideberth as wb
from wideberth.estimators.choosing.scoring import FLOOR

FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)
#: 90 objects, of which a constant is right on 54.
KINDS = np.repeat(["soft", "hard"], [54, 36])
#: How far a share of all 90 objects may be from that of single fits: two objects.
TOLERANCE = 2.1 / 90


def texts():
    """Seven words each: of its kind, of both kinds or, seldom, of the wrong one."""
    random = np.random.default_rng(1)
    own = {
        "soft": ["tea", "milk", "cocoa", "juice", "cream"],
        "hard": ["rum", "ale", "gin", "cider", "stout"],
    }
    drinks, others = (
        own["soft"] + own["hard"],
        ["hot", "cold", "cup", "glass", "old", "new", "some", "with"],
    )

    def word(kind):
        return random.choice(
            own[kind] if random.random() < 0.4 else others if random.random() < 0.8 else drinks
        )

    return np.array([" ".join(word(kind) for _ in range(7)) for kind in KINDS], dtype=object)


def points():
    """In the plane, 1.5 standard deviations apart."""
    return np.random.default_rng(1).normal(size=(90, 2)) + 1.5 * np.outer(KINDS == "hard", [1, 0])


#: The class that chooses, the class it chooses among, their parameters, the values of C, the first
#: two of which make constants, objects, a radius with its unit, two floors, and how many of 30
#: answers of a fold may differ from those of a single fit: linear scores are solved to a gap of 0.1
#: percent; optima of Lipschitz functions are not unique.
FAMILIES = {
    "linear, 2 edits": SimpleNamespace(
        chooser=wb.LinearLipschitzClassifierCV,
        single=wb.LinearLipschitzClassifier,
        parameters={"metric": "words", "edits": 2, "min_count": 1, "tol": 1e-3},
        prices=[1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 0.1],
        objects=texts(),
        radius=2,
        unit="edit",
        floors=(0.06, 0.12),
        differing=1,
    ),
    "lipschitz": SimpleNamespace(
        chooser=wb.LipschitzClassifierCV,
        single=wb.LipschitzClassifier,
        parameters={"metric": "euclidean", "tol": 1e-6},
        prices=[1e-4, 1e-3, 1.3, 1.5, 2.0, 20.0],
        objects=points(),
        radius=0.4,
        unit=None,
        floors=(0.06, 0.08),
        differing=2,
    ),
}
each_family = pytest.mark.parametrize("family", FAMILIES)


def chosen(family, **changed):
    """What is chosen by certified accuracy."""
    case = FAMILIES[family]
    score = {"cv": FOLDS, "scoring": "certified", "radius": case.radius, "unit": case.unit}
    return case.chooser(C=case.prices, **case.parameters, **score, **changed).fit(
        case.objects, KINDS
    )


@cache
def of_single_fits(family):
    """Accuracies and certified accuracies, of shape (folds, candidates): each C is learned alone,
    from the start.
    """
    case = FAMILIES[family]
    accuracies, certified = (np.empty((3, len(case.prices))) for _ in range(2))
    for fold, (known, asked) in enumerate(FOLDS.split(KINDS, KINDS)):
        for place, price in enumerate(case.prices):
            model = case.single(C=price, **case.parameters).fit(case.objects[known], KINDS[known])
            right = model.predict(case.objects[asked]) == KINDS[asked]
            proved = model.certified_radius(case.objects[asked], unit=case.unit) > case.radius
            accuracies[fold, place], certified[fold, place] = right.mean(), (right & proved).mean()
    return accuracies, certified


@pytest.mark.few(1)
@each_family
def test_the_accuracies_that_a_floor_compares_are_those_of_single_fits(family):
    table, (accuracies, certified) = chosen(family).cv_results_, of_single_fits(family)
    allowed = FAMILIES[family].differing / 30 + 1e-9
    for fold in range(3):
        np.testing.assert_allclose(
            table[f"split{fold}_test_accuracy"], accuracies[fold], rtol=0, atol=allowed
        )
        np.testing.assert_allclose(
            table[f"split{fold}_test_score"], certified[fold], rtol=0, atol=allowed
        )
    np.testing.assert_allclose(
        table["mean_test_accuracy"], accuracies.mean(axis=0), rtol=0, atol=TOLERANCE
    )
    assert (
        np.ptp(accuracies.mean(axis=0)) > 0.1
    )  # C matters, so that candidates all alike would be noticed


@pytest.mark.slow
@each_family
def test_what_is_chosen_is_the_most_certified_within_the_floor_of_the_best_single_fit(family):
    accuracies, certified = (shares.mean(axis=0) for shares in of_single_fits(family))
    most_accurate = int(accuracies.argmax())
    for floor in FAMILIES[family].floors:
        best = chosen(family, floor=floor).best_index_
        assert accuracies[best] >= accuracies.max() - floor - TOLERANCE
        surely_allowed = accuracies >= accuracies.max() - floor + TOLERANCE
        assert certified[best] >= certified[surely_allowed].max() - TOLERANCE
        # the floor leaves a choice, and the most accurate candidate is not the most certified
        assert certified[best] > certified[most_accurate] + TOLERANCE


@pytest.mark.slow
@each_family
def test_a_constant_that_is_certified_everywhere_is_refused_unless_the_floor_lets_it_in(family):
    accuracies, certified = (shares.mean(axis=0) for shares in of_single_fits(family))
    assert accuracies[0] == certified[0] == pytest.approx(0.6)
    model = chosen(family)
    assert model.floor == FLOOR
    assert accuracies[0] < accuracies.max() - FLOOR - TOLERANCE
    assert accuracies[model.best_index_] >= accuracies.max() - FLOOR - TOLERANCE
    assert model.best_score_ < certified[0] - TOLERANCE
    assert (
        model.cv_results_["rank_test_score"][0]
        > model.cv_results_["rank_test_score"][model.best_index_]
        == 1
    )
    assert certified.argmax() == 0
    assert chosen(family, floor=1.0).best_score_ == pytest.approx(certified[0], abs=TOLERANCE)
