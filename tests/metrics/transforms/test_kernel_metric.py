"""Metrics from kernels: the distance in the feature space, and kernels that have none."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator
from strategies import hilbertian_matrices, numbers, sets, vectors, words

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput, SlowMetricWarning
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.metrics.transforms.kernel_metric import KernelMetric
from wideberth.transforms import cap, metric_from_kernel, product, total


def shared_members(one, other):
    return len(set(one) & set(other))


def inner_products(left, right):
    """Each number on its own, so that it does not depend on the shape of the block."""
    return (left[:, None, :] * right[None, :, :]).sum(axis=2)


@given(vectors())
@settings(max_examples=30, deadline=None)
def test_the_inner_product_measures_the_euclidean_distance(rows):
    expected = wideberth.metric("euclidean").block(rows, rows)
    by_pair, by_block = (
        metric_from_kernel(np.dot),
        metric_from_kernel(inner_products, blocks=True, accepts="vectors"),
    )
    for metric in (by_pair, by_block):
        np.testing.assert_allclose(
            metric.block(rows, rows), expected, rtol=1e-6, atol=1e-5 * (1 + expected.max())
        )
    far = np.round(
        rows
    )  # whole numbers have no rounding, so that all axioms hold to the last digit
    check_metric(by_pair, far)
    check_metric(by_block, far)


@pytest.mark.parametrize("objects", [words, sets], ids=["words", "sets"])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_what_is_promised_is_kept(objects, data):
    drawn = data.draw(objects)
    metric = metric_from_kernel(shared_members)
    assert (metric.obeys_triangle, metric.hilbertian, metric.negative_type) == (True, True, True)
    assert (metric.bounded, metric.separates, metric.step) == (None, None, None)
    check_metric(metric, drawn)
    assert not wideberth.diagnose(drawn, metric).broken_promises
    expected = [[np.sqrt(len(set(one) ^ set(other))) for other in drawn] for one in drawn]
    np.testing.assert_allclose(metric.block(drawn, drawn), expected)


@given(hilbertian_matrices(), st.data())
@settings(max_examples=50, deadline=None)
def test_all_kernels_of_one_metric_measure_it(matrix, data):
    """Kernels -d^2 / 2 + g(x) + g(y), conditionally positive definite for every g (Hein et al.
    2005, Proposition 4).
    """
    n = len(matrix)
    base = data.draw(st.integers(0, n - 1))
    anything = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    for offset in (np.zeros(n), matrix[base] ** 2 / 2, anything):
        kernel = -(matrix**2) / 2 + offset[:, None] + offset
        metric = metric_from_kernel(lambda i, j, kernel=kernel: kernel[i, j])
        np.testing.assert_allclose(metric.block(range(n), range(n)), matrix, atol=1e-6)


@given(hilbertian_matrices(), st.data())
@settings(max_examples=50, deadline=None)
def test_a_base_point_embeds_a_hilbertian_metric(matrix, data):
    """Hein et al. 2005, Proposition 2: Psi_x = k(x, .) lie in the space of a kernel, as far apart
    as x and y, and Psi_0 is 0.
    """
    base = data.draw(st.integers(0, len(matrix) - 1))
    kernel = (matrix[base] ** 2 + matrix[base][:, None] ** 2 - matrix**2) / 2
    eigenvalues, directions = np.linalg.eigh(kernel)
    assert eigenvalues[0] >= -1e-9 * max(1, eigenvalues[-1])
    np.testing.assert_array_equal(kernel[base], 0)
    images = directions * np.sqrt(
        np.maximum(eigenvalues, 0)
    )  # coordinates of Psi_x, by their inner products k(x, y)
    np.testing.assert_allclose(np.linalg.norm(images[:, None] - images, axis=2), matrix, atol=1e-6)
    np.testing.assert_allclose(images[base], 0, atol=1e-6)
    n = len(matrix)
    induced = metric_from_kernel(lambda i, j: kernel[i, j]).block(range(n), range(n))
    np.testing.assert_allclose(induced, matrix, atol=1e-6)
    known = wideberth.metric("precomputed", distances=matrix, hilbertian=True)
    found = wideberth.HilbertEmbedding(known, n_components=None).fit_transform(np.arange(n))
    found -= found[base]
    np.testing.assert_allclose(found @ found.T, kernel, atol=1e-5 * (1 + matrix.max() ** 2))


@pytest.mark.parametrize(
    "kernel",
    [
        pairwise.rbf_kernel,
        pairwise.laplacian_kernel,
        pairwise.linear_kernel,
        pairwise.cosine_similarity,
    ],
)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_kernels_of_scikit_learn(kernel, kind):
    """Their last digits depend on the shape of the block; equal objects are at 0 all the same."""
    rows = np.random.default_rng(0).normal(size=(90, 30)).astype(kind)
    metric = metric_from_kernel(
        lambda left, right: kernel(left.astype(kind), right.astype(kind)),
        blocks=True,
        accepts="vectors",
    )
    distances = metric.block(rows, rows)
    gram = kernel(rows.astype(np.float64))
    assert not distances.diagonal().any()
    assert not metric.block(rows[7:8], rows)[0, 7]
    squared = gram.diagonal()[:, None] + gram.diagonal() - 2 * gram
    np.testing.assert_allclose(
        distances, np.sqrt(np.maximum(squared, 0)), atol=1e-6 if kind == np.float64 else 0.02
    )
    np.testing.assert_allclose(metric.block(rows[:3].tolist(), rows), distances[:3], atol=1e-3)


CLOUD = np.random.default_rng(0).normal(size=(80, 2)) + np.repeat(
    [[0.0, 0.0], [2.5, 0.0]], 40, axis=0
)
SIDES = np.repeat(["left", "right"], 40)
GAUSS = metric_from_kernel(
    pairwise.rbf_kernel, blocks=True, accepts="vectors", bounded=True, separates=True
)


def test_it_is_a_metric_like_others(tmp_path):
    assert (GAUSS.name, GAUSS.bounded, GAUSS.separates) == (
        "metric_from_kernel(rbf_kernel)",
        True,
        True,
    )
    for copy in (
        clone(GAUSS),
        pickle.loads(pickle.dumps(GAUSS)),
        KernelMetric(**GAUSS.get_params()),
    ):
        np.testing.assert_array_equal(copy.block(CLOUD, CLOUD), GAUSS.block(CLOUD, CLOUD))
        assert copy.promises == GAUSS.promises
    model = wideberth.LipschitzClassifier(GAUSS, C=5).fit(CLOUD, SIDES)
    assert model.score(CLOUD, SIDES) > 0.8
    assert model.certified_radius(CLOUD).max() > 0
    with pytest.raises(InvalidInput, match="Python code of your own"):
        wideberth.save(model, tmp_path / "model.wb")
    space = wideberth.MetricSpace(CLOUD, GAUSS)
    search = GridSearchCV(
        wideberth.NeighborsClassifier(space.metric), {"n_neighbors": [1, 5]}, cv=3
    ).fit(space.index, SIDES)
    assert search.best_score_ > 0.8
    assert len(search.predict(space.append(CLOUD[:3] + 0.1))) == 3
    assert wideberth.Index(CLOUD, GAUSS).nearest(CLOUD).distances.max() == 0
    assert len(group_equal(np.vstack([CLOUD, CLOUD]), GAUSS)) == 80
    np.testing.assert_allclose(
        total(GAUSS, "euclidean")(CLOUD[0], CLOUD[1]),
        GAUSS(CLOUD[0], CLOUD[1]) + np.hypot(*(CLOUD[0] - CLOUD[1])),
    )
    assert cap(GAUSS, 0.5).block(CLOUD, CLOUD).max() == 0.5


@pytest.mark.slow
def test_scikit_learn_finds_nothing_wrong_with_vectors():
    check_estimator(wideberth.NeighborsClassifier(GAUSS))


def test_objects_of_any_kind():
    metric = metric_from_kernel(shared_members, name="letters")
    assert metric.name == "letters"
    texts = ["tea", "tee", "rum", "rom"]
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(
        texts, ["soft", "soft", "hard", "hard"]
    )
    assert model.predict(["eat", "mur"]).tolist() == ["soft", "hard"]
    parts = product({"text": metric, "age": "euclidean"}, p=2)
    assert parts.hilbertian
    assert parts({"text": "tea", "age": 1}, {"text": "rum", "age": 1}) == pytest.approx(np.sqrt(6))
    rows = pd.DataFrame({"age": [1, 2], "city": ["Ulm", "Bonn"]})
    by_row = metric_from_kernel(lambda one, other: one["age"] * other["age"], accepts="rows")
    assert by_row.block(rows, rows).tolist() == [[0, 1], [1, 0]]
    assert metric.block([], texts).shape == (0, 4)
    assert metric_from_kernel(inner_products, blocks=True).block(np.zeros((0, 2)), CLOUD).shape == (
        0,
        80,
    )


def test_one_warning_about_speed():
    metric = metric_from_kernel(np.dot)
    rows = np.arange(240.0).reshape(120, 2)
    with pytest.warns(
        SlowMetricWarning, match=r"kernel of 'metric_from_kernel\(dot\)'.*14,400 pairs.*blocks=True"
    ) as caught:
        expected = metric.block(rows, rows)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.block(rows, rows)
        np.testing.assert_allclose(
            metric_from_kernel(inner_products, blocks=True).block(rows, rows), expected
        )  # as advised


def test_a_kernel_that_is_not_positive_definite_is_refuted_by_a_pair():
    def opposite(one, other):
        return 1.0 if one == other else 3.0

    metric = metric_from_kernel(opposite)
    message = r"squared distance of 'metric_from_kernel\(opposite\)', is -4 for 'tea' and 'rum': no positive definite"
    with pytest.raises(InvalidInput, match=message) as refused:
        metric.block(["rum", "tea", "tea"], ["rum", "tea"][:1])
    assert refused.value.witness == ("tea", "rum")
    assert refused.value.value == -4
    assert "list_metrics" in refused.value.advice
    tanh = metric_from_kernel(pairwise.sigmoid_kernel, blocks=True, accepts="vectors")
    with pytest.raises(InvalidInput, match=r"is -0\.\d+ for array\(\[") as refused:
        tanh.block([[1.0, 1.0]], [[9.0, 9.0]])
    np.testing.assert_array_equal(refused.value.witness[1], [9, 9])


def test_rounding_is_not_held_against_a_kernel():
    noise = np.array([[1.0, 1 + 1e-9], [1 + 1e-9, 1.0]])
    assert metric_from_kernel(lambda i, j: noise[i, j])(0, 1) == 0
    single = np.array([[1.0, 1 + 3e-6], [1 + 3e-6, 1.0]], dtype=np.float32)
    float32 = metric_from_kernel(lambda left, right: single[np.ix_(left, right)], blocks=True)
    assert not float32.block(np.arange(2), np.arange(2)).any()
    assert metric_from_kernel(lambda i, j: 1 - 1e-10 * (i != j))(0, 1) > 0
    assert metric_from_kernel(lambda i, j: 0.0)(0, 1) == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_kernels_are_finite(value):
    metric = metric_from_kernel(lambda one, other: 1.0 if one == other else value)
    with pytest.raises(
        InvalidInput, match=r"is -?(nan|inf) for 'tea' and 'rum'\. Check these objects"
    ) as refused:
        metric.block(["tea"], ["tea", "rum"])
    assert refused.value.witness == ("tea", "rum")


def test_what_is_no_kernel_is_refused_with_the_way_out():
    gram = CLOUD @ CLOUD.T
    with pytest.raises(
        InvalidInput, match=r"A kernel is a function, not array.*precomputed"
    ) as refused:
        metric_from_kernel(gram)
    assert (
        "numpy.sqrt(numpy.maximum(K.diagonal()[:, None] + K.diagonal() - 2 * K, 0))"
        in refused.value.advice
    )
    distances = np.sqrt(np.maximum(gram.diagonal()[:, None] + gram.diagonal() - 2 * gram, 0))
    assert wideberth.metric("precomputed", distances=distances, hilbertian=True).hilbertian
    with pytest.raises(
        InvalidInput, match=r"returned array.* for \[1.0, 2.0\] and.*say so: blocks=True"
    ) as refused:
        metric_from_kernel(np.outer)([1.0, 2.0], [3.0, 4.0])
    assert len(refused.value.witness) == 2
    with pytest.raises(InvalidInput, match=r"returned 'much' for 'tea' and 'tea'"):
        metric_from_kernel(lambda one, other: "much")("tea", "rum")
    with pytest.raises(
        InvalidInput,
        match=r"of int64 with shape \(\) for blocks of 1 and 1 objects.*two objects goes without",
    ):
        metric_from_kernel(shared_members, blocks=True)("tea", "rum")
    with pytest.raises(InvalidInput, match="array of <U4"):
        metric_from_kernel(
            lambda left, right: np.full((len(left), len(right)), "much"), blocks=True
        )("tea", "rum")
    with pytest.raises(InvalidInput, match="Object 0 has no number at position 0"):
        GAUSS([np.nan], [1.0])
