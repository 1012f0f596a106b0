"""Answers of folds from one kernel matrix, beside those of the classifier itself."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import wideberth
from wideberth import HilbertSVC
from wideberth.classifiers.hilbert_svm.cross_validation import KernelMatrices, KernelVariant
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.estimators.choosing.fold_answers import Fold, Shared, Variant

POINTS, CODES = make_blobs(60, centers=4, cluster_std=4.0, random_state=5)
LABELS = np.array(["ash", "elm", "fir", "oak"])[CODES]
FOLD = Fold(np.arange(40), np.arange(40, 60))
VALUES = np.array([30.0, 0.1, 3.0])


def variants(kernel, labels=LABELS, weights=None, **parameters):
    """The same kernel, solved by the classifier and by compiled code."""
    weights = np.ones(len(labels)) if weights is None else weights
    shared = Shared(POINTS, wideberth.metric("euclidean"), labels, weights, 10**8)
    classifier = HilbertSVC(
        kernel=kernel.name, width=kernel.width or "auto", tol=1e-5, **parameters
    )
    matrices = KernelMatrices(wideberth.pairwise_distances(POINTS), 10**8)
    return Variant({}, classifier, shared), KernelVariant(
        {}, classifier, shared, kernel, matrices, valid=True
    )


@pytest.mark.parametrize(
    "kernel",
    [HilbertKernel("distance"), HilbertKernel("gaussian", 5.0), HilbertKernel("laplace", 9.0)],
)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"ash": 5.0}])
def test_answers_are_those_of_the_classifier(kernel, n_classes, class_weight):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    labels = LABELS if n_classes == 4 else np.where(CODES < 2, "ash", "oak")
    slow, fast = (
        each.answers(FOLD, VALUES)
        for each in variants(kernel, labels, weights, class_weight=class_weight)
    )
    np.testing.assert_array_equal(fast.classes, slow.classes)
    clear = np.abs(np.diff(np.sort(slow.scores, axis=2)[:, :, -2:], axis=2))[:, :, 0] > 0.05
    assert clear.mean() > 0.8
    np.testing.assert_array_equal(
        fast.scores.argmax(axis=2)[clear], slow.scores.argmax(axis=2)[clear]
    )
    if n_classes == 2:
        np.testing.assert_allclose(fast.scores, slow.scores, atol=0.02)
        np.testing.assert_allclose(fast.losses, slow.losses, atol=0.02)


@pytest.mark.parametrize("repair", ["clip", "flip", "shift"])
@pytest.mark.parametrize(
    "kernel",
    [HilbertKernel("distance"), HilbertKernel("gaussian", 6.0), HilbertKernel("gaussian", 20.0)],
)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_an_indefinite_kernel_is_repaired_in_the_fold_as_by_the_classifier(
    kernel, repair, class_weight
):
    names, sexes = (list(each[::200]) for each in wideberth.datasets.load_first_names())
    names, sexes = names + names[:5], np.array(sexes + sexes[:5])  # copies are learned once
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(names))
    space = wideberth.MetricSpace(names, "levenshtein")
    shared = Shared(space.index, space.metric, sexes, weights, 10**8)
    settings = {
        "width": kernel.width or "auto",
        "repair": repair,
        "class_weight": class_weight,
        "tol": 1e-6,
    }
    classifier = HilbertSVC(space.metric, kernel=kernel.name, **settings)
    matrices = KernelMatrices(wideberth.pairwise_distances(names, metric="levenshtein"), 10**8)
    order = np.random.default_rng(1).permutation(len(names))
    fold = Fold(np.sort(order[: 2 * len(order) // 3]), np.sort(order[2 * len(order) // 3 :]))
    slow = Variant({}, classifier, shared).answers(fold, VALUES)
    fast = KernelVariant({}, classifier, shared, kernel, matrices, valid=False).answers(
        fold, VALUES
    )
    assert Variant({}, classifier, shared).fitted(fold, 1.0).kernel_report_.repair == repair
    np.testing.assert_allclose(fast.scores, slow.scores, atol=0.02)
    np.testing.assert_allclose(fast.losses, slow.losses, atol=0.02)


def test_a_fold_may_have_learned_one_class():
    fold = Fold(np.flatnonzero(LABELS == "elm"), FOLD.left_out)
    slow, fast = (each.answers(fold, VALUES) for each in variants(HilbertKernel("gaussian", 5.0)))
    np.testing.assert_array_equal(fast.scores, slow.scores)
    np.testing.assert_array_equal(fast.losses, slow.losses)
    assert fast.classes.tolist() == ["elm"]


def test_matrices_are_kept_while_they_fit():
    distances = wideberth.pairwise_distances(POINTS)
    one, other = HilbertKernel("gaussian", 1.0), HilbertKernel("gaussian", 2.0)
    matrices = KernelMatrices(distances, 4 * 60 * 60)
    assert matrices.of(one) is matrices.of(one)
    assert matrices.of(other) is not matrices.of(other)
    np.testing.assert_allclose(matrices.of(other), other.values(distances), rtol=1e-6)
