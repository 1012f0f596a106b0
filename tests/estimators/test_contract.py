"""What every fitted model owes: the same questions, the same meaning, for every family and for
those that choose one.
"""

import numpy as np
import pytest

import wideberth as wb
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.objects import sample

NAMES, SEXES = (
    each[::40].tolist() if isinstance(each, np.ndarray) else list(each[::40])
    for each in wb.datasets.load_first_names()
)
N_LEARNED = 60


def fitted(name, metric=None):
    """A model of a family on words, with the first objects left out by a weight of 0."""
    row = CLASSIFIERS[name]
    chosen = metric or ("levenshtein" if row.suits("levenshtein") else "ngrams")
    weights = np.ones(N_LEARNED)
    weights[:3] = 0.0
    return row.load()(chosen).fit(NAMES[:N_LEARNED], SEXES[:N_LEARNED], sample_weight=weights)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_what_is_kept_stands_where_it_says(name):
    model = fitted(name)
    kept = model.kept()
    if kept is None:
        assert name == "linear"
        return
    assert kept.own
    assert len(kept) == len(kept.positions) == sample.count(kept.objects)
    assert kept.positions.min() >= 3
    for place, position in enumerate(kept.positions.tolist()):
        assert sample.pick_one(kept.objects, place) == NAMES[position]
        if kept.labels is not None:
            assert kept.labels[place] == SEXES[position]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_answers_are_those_of_separate_calls(name):
    model, new = fitted(name), NAMES[N_LEARNED : N_LEARNED + 12]
    told = model.answers(new)
    np.testing.assert_array_equal(told.labels, model.predict(new))
    np.testing.assert_array_equal(told.radii, model.certified_radius(new))
    np.testing.assert_array_equal(
        told.scores[:, 1] - told.scores[:, 0], model.decision_function(new)
    )
    np.testing.assert_allclose(
        told.leads, abs(model.decision_function(new)), atol=1e-8
    )  # what breaks a tie is no lead
    if told.probabilities is None:
        assert not hasattr(model, "predict_proba")
    else:
        np.testing.assert_array_equal(told.probabilities, model.predict_proba(new))
    without = model.answers(new, certified=False)
    assert without.radii is None
    np.testing.assert_array_equal(without.scores, told.scores)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_pushes_add_up_and_name_objects_of_fit_or_features(name):
    model, new = fitted(name), NAMES[N_LEARNED : N_LEARNED + 8]
    for told, label in zip(model.explain(new), model.predict(new).tolist(), strict=True):
        assert told.label == label
        assert told.baseline + sum(push.push for push in told.pushes) == pytest.approx(told.score)
        for push in told.pushes:
            assert (push.reference is None) != (push.feature is None)
            if push.label is not None:
                assert push.label == SEXES[push.reference]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_rule_proves_the_same_leads_as_radii(name):
    model, new = fitted(name), NAMES[N_LEARNED : N_LEARNED + 12]
    radii, objects = model.certified_radius(new), model.admit_queries(new)
    inside = np.where(
        np.isfinite(radii), np.maximum(np.ceil(radii) - 1.0, 0.0), 1.0
    )  # these distances are whole numbers
    assert (model.lowest_leads(objects, inside)[radii > 0] > 0).all()


def test_references_of_the_user_are_no_training_objects():
    references = NAMES[N_LEARNED : N_LEARNED + 20]
    model = wb.LPMachineClassifier("levenshtein", references=references, C=100.0).fit(
        NAMES[:N_LEARNED], SEXES[:N_LEARNED]
    )
    kept = model.kept()
    assert not kept.own
    assert [sample.pick_one(kept.objects, place) for place in range(len(kept))] == [
        references[at] for at in kept.positions
    ]
    assert (
        wb.LPMachineClassifier("levenshtein", C=100.0)
        .fit(NAMES[:N_LEARNED], SEXES[:N_LEARNED])
        .kept()
        .own
    )


def test_positions_count_in_all_objects_where_the_choice_holds_some_out():
    model = wb.AutoClassifier(
        "levenshtein", candidates=["neighbors"], holdout=0.3, random_state=0, max_time=None
    )
    model.fit(NAMES[:N_LEARNED], SEXES[:N_LEARNED])
    kept = model.kept()
    assert 0 < len(kept) < N_LEARNED
    assert [sample.pick_one(kept.objects, place) for place in range(len(kept))] == [
        NAMES[at] for at in kept.positions
    ]
    for push in model.explain(["ANNA"])[0].pushes:
        assert push.label == SEXES[push.reference]


def test_those_that_choose_hand_everything_on():
    model = wb.LipschitzClassifierCV("levenshtein", C=[2.0, 5.0], cv=2).fit(NAMES[:40], SEXES[:40])
    single, new = model.best_estimator_, NAMES[50:60]
    assert model.answering is single is single.answering
    np.testing.assert_array_equal(model.kept().positions, single.kept().positions)
    np.testing.assert_array_equal(model.answers(new).radii, single.answers(new).radii)
    assert model.explain(new) == single.explain(new)
    assert model.comparison() is None


def test_only_the_contract_is_implemented():
    """A method of the base class that families override is documented in the lines that they read
    first.
    """
    contract = __import__(MetricClassifier.__module__, fromlist=["__doc__"]).__doc__
    for name in CLASSIFIERS:
        family = CLASSIFIERS[name].load()
        for method in vars(family).keys() & vars(MetricClassifier).keys():
            if not method.startswith(("_", "set_")):
                assert f"{method}" in contract, (
                    f"{family.__name__}.{method} is no part of the contract"
                )
