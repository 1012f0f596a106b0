"""Paths over C: every program of a path is solved as well as one solved alone, in every family,
whatever the order of C.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import wideberth as wb

WORDS = ["ale", "ate", "rum", "run", "tea", "tee", "milk", "mild"]
#: Classifiers with a proved gap, and the gap at which they stop.
FAMILIES = {
    "lipschitz": (lambda: wb.LipschitzClassifier("levenshtein", tol=1e-5), 1e-5),
    "lipschitz, vectors": (lambda: wb.LipschitzClassifier("euclidean", tol=1e-5), 1e-5),
    "lp_machine": (lambda: wb.LPMachineClassifier("levenshtein", tol=1e-5), 1e-5),
    "lp_machine, vectors": (
        lambda: wb.LPMachineClassifier(radial=["distance", "laplace"], tol=1e-5),
        1e-5,
    ),
    "lp_machine, gaussian": (
        lambda: wb.LPMachineClassifier("levenshtein", radial="gaussian", tol=1e-5),
        1e-5,
    ),
    "linear, 0 edits": (
        lambda: wb.LinearLipschitzClassifier("words", edits=0, tol=1e-3, min_count=1),
        1e-3,
    ),
    "linear, 1 edit": (
        lambda: wb.LinearLipschitzClassifier("words", edits=1, tol=1e-3, min_count=1),
        1e-3,
    ),
    "linear, 2 edits": (
        lambda: wb.LinearLipschitzClassifier("words", edits=2, tol=1e-3, min_count=1),
        1e-3,
    ),
    "linear, n-grams": (
        lambda: wb.LinearLipschitzClassifier("ngrams", edits=0, tol=1e-3, min_count=1),
        1e-3,
    ),
    "linear, vectors": (lambda: wb.LinearLipschitzClassifier("manhattan", tol=1e-3), 1e-3),
}
#: Support vector machines: kernels that are promised, repaired, and on some objects only.
MACHINES = {
    "clipped": {"metric": "levenshtein", "kernel": "gaussian", "repair": "clip"},
    "flipped": {"metric": "levenshtein", "kernel": "laplace", "repair": "flip"},
    "shifted": {"metric": "levenshtein", "kernel": "laplace", "repair": "shift"},
    "promised": {"metric": "ngrams", "kernel": "laplace"},
    "distance, vectors": {"kernel": "distance"},
    "landmarks, vectors": {"landmarks": 6, "random_state": 0},
}


def drawn(seed, family):
    """Texts or points whose labels can only be learned in part, and weights."""
    random = np.random.default_rng(seed)
    n, n_classes = 14, int(random.integers(2, 4))
    codes = np.resize(np.arange(n_classes), n)
    if family.endswith("vectors"):
        return random.normal(size=(n, 2)) + codes[:, None], codes, random.uniform(0.3, 3.0, n)
    likely = [WORDS[code::n_classes] for code in range(n_classes)]
    texts = [
        " ".join(random.choice(likely[code] + WORDS, size=random.integers(2, 5))) for code in codes
    ]
    return texts, codes, random.uniform(0.3, 3.0, n)


@pytest.mark.few(2)
@pytest.mark.kernels
@pytest.mark.parametrize("family", FAMILIES)
@given(
    seed=st.integers(0, 10**6),
    prices=st.permutations([0.05, 0.7, 5.0, 40.0]),
    weighted=st.booleans(),
    class_weight=st.sampled_from([None, "balanced", {0: 3.0}]),
)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_program_on_a_path_is_solved_as_well_as_alone(
    family, seed, prices, weighted, class_weight
):
    make, tol = FAMILIES[family]
    X, y, weights = drawn(seed, family)
    weights = weights if weighted else None
    path = make().set_params(class_weight=class_weight).path(X, y, C=prices, sample_weight=weights)
    assert [model.C for model in path] == list(prices)
    for model in path:
        alone = (
            make().set_params(class_weight=class_weight, C=model.C).fit(X, y, sample_weight=weights)
        )
        for found in (model.solution_, alone.solution_):
            assert found.lower_bound <= found.value * (1 + 1e-9)
            assert found.relative_gap <= tol * (1 + 1e-6)
        one, other = model.solution_, alone.solution_
        # both have the optimum between their bounds: so no bound is above a value
        assert max(one.lower_bound, other.lower_bound) <= min(one.value, other.value) * (1 + 1e-9)
        np.testing.assert_allclose(model.C_, alone.C_)


@given(seed=st.integers(0, 10**6), prices=st.permutations([0.1, 3.0, 30.0, np.inf]))
@settings(max_examples=5, deadline=None)
@pytest.mark.parametrize("family", ["lipschitz", "svm"])
def test_a_hard_margin_on_a_path_is_that_of_a_fit_alone(family, seed, prices):
    """Points in the plane are all different, and the gaussian kernel separates them."""
    X, y, _ = drawn(seed, "vectors")
    make = wb.LipschitzClassifier(tol=1e-7) if family == "lipschitz" else wb.HilbertSVC(tol=1e-7)
    for model in make.path(X, y, C=prices):
        alone = clone(make).set_params(C=model.C).fit(X, y)
        for name in (
            ("lipschitz_constant_",) if family == "lipschitz" else ("margin_", "intercept_")
        ):
            np.testing.assert_allclose(
                getattr(model, name), getattr(alone, name), rtol=1e-5, atol=1e-5
            )


@pytest.mark.few(2)
@pytest.mark.parametrize("machine", MACHINES)
@given(
    seed=st.integers(0, 10**6),
    prices=st.permutations([0.1, 3.0, 30.0]),
    weighted=st.booleans(),
    class_weight=st.sampled_from([None, "balanced", {0: 3.0}]),
)
@settings(max_examples=3, deadline=None)
def test_the_machines_of_a_path_are_those_of_single_fits(
    machine, seed, prices, weighted, class_weight
):
    """LIBSVM proves no gap; it solves the same problem in both, so that all scores agree to its
    tolerance.
    """
    X, y, weights = drawn(seed, machine)
    weights = weights if weighted else None
    make = wb.HilbertSVC(**MACHINES[machine], class_weight=class_weight, tol=1e-6)
    path = make.path(X, y, C=prices, sample_weight=weights)
    assert [model.C for model in path] == list(prices)
    for model in path:
        alone = clone(make).set_params(C=model.C).fit(X, y, sample_weight=weights)
        assert model.kernel_report_.repair == alone.kernel_report_.repair
        np.testing.assert_allclose(
            model.decision_function(X), alone.decision_function(X), atol=1e-6
        )
        np.testing.assert_allclose(model.margin_, alone.margin_, rtol=1e-6)


#: What chooses C, what it chooses among, and how many of 30 answers may differ: some solve folds
#: coarsely.
CHOOSERS = {
    "lipschitz": (wb.LipschitzClassifierCV, wb.LipschitzClassifier, {"metric": "levenshtein"}, 1),
    "lp_machine": (wb.LPMachineClassifierCV, wb.LPMachineClassifier, {"metric": "levenshtein"}, 2),
    "svm, valid kernel": (
        wb.HilbertSVCCV,
        wb.HilbertSVC,
        {"metric": "ngrams", "kernel": "laplace"},
        1,
    ),
    "linear, 0 edits": (
        wb.LinearLipschitzClassifierCV,
        wb.LinearLipschitzClassifier,
        {"edits": 0},
        1,
    ),
    "linear, 1 edit": (
        wb.LinearLipschitzClassifierCV,
        wb.LinearLipschitzClassifier,
        {"edits": 1},
        1,
    ),
    "linear, 2 edits": (
        wb.LinearLipschitzClassifierCV,
        wb.LinearLipschitzClassifier,
        {"edits": 2},
        1,
    ),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("family", CHOOSERS)
def test_the_score_in_a_fold_is_that_of_a_classifier_fitted_on_it(family):
    chooser, single, parameters, allowed = CHOOSERS[family]
    random = np.random.default_rng(5)
    codes = np.resize([0, 1, 2], 90)
    likely = [WORDS[code::3] for code in range(3)]
    texts = np.array(
        [" ".join(random.choice(likely[code] + WORDS, size=6)) for code in codes], dtype=object
    )
    known_parts = [np.sort(random.permutation(90)[:60]) for _ in range(3)]
    folds = [(known, np.setdiff1d(np.arange(90), known)) for known in known_parts]
    given = (
        parameters if "metric" in parameters else parameters | {"metric": "words", "min_count": 1}
    )
    model = chooser(C=[0.1, 1.0, 10.0], cv=folds, **given).fit(list(texts), codes)
    for place, params in enumerate(model.cv_results_["params"]):
        for number, (known, asked) in enumerate(folds):
            score = model.cv_results_[f"split{number}_test_score"][place]
            fitted = single(**(given | params)).fit(list(texts[known]), codes[known])
            if not np.isnan(score):  # it was not clearly behind
                differ = abs(score - fitted.score(list(texts[asked]), codes[asked])) * len(asked)
                assert differ <= allowed + 1e-6, (params, number)
