"""Transport with a ground distance: beside POT, a linear program and the line; what it promises and
refuses.
"""

import sys

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import distributions as oracle
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from strategies import histograms, images, metric_matrices

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import BrokenAxiom, InvalidInput, MissingExtra, WideberthError
from wideberth.metrics.distributions import earth_mover
from wideberth.metrics.distributions.earth_mover import EarthMover

TRANSPORT_SQUARE, PIXEL_PAIRS = (
    EarthMover.counterexamples["hilbertian"],
    EarthMover.counterexamples["negative_type"],
)
#: The linear program may miss each mass by 1e-7.
PROGRAM_TOLERANCE = 1e-6
SEASONS = [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]


def pixel_distances(shape, metric="euclidean"):
    positions = np.indices(shape).reshape(len(shape), -1).T
    return cdist(positions, positions, metric)


@pytest.mark.kernels
@given(
    objects=images(max_size=4) | histograms(max_size=4),
    ground=st.sampled_from(["euclidean", "manhattan", "chebyshev"]),
)
@settings(max_examples=15, deadline=None)
def test_blocks_equal_the_linear_program(objects, ground):
    between = pixel_distances(objects.shape[1:], {"manhattan": "cityblock"}.get(ground, ground))
    expected = [[oracle.earth_mover(one, other, between) for other in objects] for one in objects]
    np.testing.assert_allclose(
        EarthMover(ground).block(objects, objects), expected, rtol=1e-9, atol=PROGRAM_TOLERANCE
    )


def test_digits_equal_pot_with_all_pixels():
    digits = load_digits().images[:12]
    shares = [digit.ravel() / digit.sum() for digit in digits]
    between = pixel_distances((8, 8))
    expected = [[ot.emd2(one, other, between) for other in shares] for one in shares]
    measured = EarthMover().block(digits, digits)
    np.testing.assert_allclose(measured, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(measured, measured.T)
    assert not np.diagonal(measured).any()


@given(rows=histograms())
@settings(max_examples=20, deadline=None)
def test_on_a_line_it_is_the_wasserstein_distance(rows):
    np.testing.assert_allclose(
        EarthMover().block(rows, rows),
        wideberth.metric("wasserstein_1d").block(rows, rows),
        rtol=1e-10,
        atol=1e-12,
    )


@given(ground=metric_matrices(), data=st.data())
@settings(max_examples=15, deadline=None)
def test_any_metric_between_bins_makes_a_metric(ground, data):
    bins = len(ground)
    masses = st.lists(st.integers(0, 4), min_size=bins, max_size=bins).filter(any)
    objects = np.array(data.draw(st.lists(masses, min_size=3, max_size=5)))
    metric = EarthMover(ground)
    check_metric(metric, objects)
    expected = [[oracle.earth_mover(one, other, ground) for other in objects] for one in objects]
    np.testing.assert_allclose(
        metric.block(objects, objects), expected, rtol=1e-9, atol=PROGRAM_TOLERANCE
    )


def test_tiny_differences_are_moved_too():
    bins = np.full(64, 1.0)
    for change in (1e-3, 1e-8, 1e-12):
        other = bins.copy()
        other[0] -= change
        other[63] += change
        measured = EarthMover()(bins.reshape(8, 8), other.reshape(8, 8))
        assert measured == pytest.approx(change / 64 * np.hypot(7, 7), abs=64 * 2.0**-50)


def test_prepared_masses_sum_to_one_and_stay_as_they_are():
    metric = EarthMover()
    prepared = metric.prepare(np.random.default_rng(0).random((50, 5, 7)) ** 9)
    assert (prepared.sum(axis=(1, 2)) == 1).all()
    np.testing.assert_array_equal(metric.prepare(prepared), prepared)
    assert metric(2 * np.eye(3), 6 * np.eye(3)) == 0


def test_promises_of_every_ground_distance():
    on_pixels = EarthMover()
    assert (on_pixels.obeys_triangle, on_pixels.hilbertian, on_pixels.negative_type) == (
        True,
        False,
        False,
    )
    assert (on_pixels.bounded, on_pixels.separates) == (False, False)
    ring = EarthMover(SEASONS)
    assert (ring.obeys_triangle, ring.hilbertian, ring.negative_type, ring.bounded) == (
        True,
        False,
        None,
        True,
    )
    two_bins = EarthMover([[0, 3], [3, 0]])
    assert (two_bins.hilbertian, two_bins.negative_type) == (True, True)
    check_metric(two_bins, [[1, 0], [0, 1], [1, 2], [3, 1]])
    hops = EarthMover(lambda one, other: float(np.any(one != other)))
    assert (hops.obeys_triangle, hops.hilbertian, hops.negative_type) == (True, None, None)


@pytest.mark.parametrize("ground", ["euclidean", "manhattan", wideberth.metric("minkowski", p=1.3)])
def test_in_the_plane_it_is_not_of_negative_type(ground):
    assert wideberth.diagnose(PIXEL_PAIRS, EarthMover(ground)).spectrum[1].violated


@pytest.mark.parametrize(
    "ground", ["chebyshev", wideberth.metric("minkowski", p=5), wideberth.metric("minkowski", p=2)]
)
def test_nor_is_it_along_diagonals(ground):
    """The square of `PIXEL_PAIRS` turned by 45 degrees, where large exponents see it as small ones
    see the upright one.
    """
    corners = [
        (0, 1),
        (1, 2),
        (1, 0),
        (2, 1),
    ]  # neighbours on the turned square are next to each other, as in a 2 x 2 image
    turned = np.zeros((5, 3, 3))
    for image, pixels in zip(turned, PIXEL_PAIRS, strict=True):
        for corner, mass in zip(corners, np.ravel(pixels), strict=True):
            image[corner] = mass
    assert wideberth.diagnose(turned, EarthMover(ground)).spectrum[1].violated


def test_a_ground_distance_between_three_bins_is_not_hilbertian():
    equal_steps = 1.0 - np.eye(3)
    for ground in (equal_steps, "euclidean"):
        assert (
            wideberth.diagnose([*TRANSPORT_SQUARE, [1, 0, 0], [0, 0, 1]], EarthMover(ground))
            .spectrum[0]
            .violated
        )


def test_a_function_as_ground_distance_is_examined():
    hops = EarthMover(lambda one, other: float(np.any(one != other)))
    assert hops([1, 1, 0], [0, 1, 1]) == 0.5
    squared = EarthMover(lambda one, other: float(np.sum((one - other) ** 2)))
    promised = wideberth.metric(
        lambda one, other: float(np.sum((one - other) ** 2)), obeys_triangle=True
    )
    for broken in (squared, EarthMover(promised)):  # a promise of others is tried too
        with pytest.raises(BrokenAxiom, match="triangle inequality"):
            broken.block([[1, 0, 0]], [[0, 0, 1]])


@pytest.mark.parametrize(
    ("ground", "message"),
    [
        (
            [[0, 1, 4], [1, 0, 1], [4, 1, 0]],
            r"'ground' breaks the triangle inequality at objects 0, 1, 2",
        ),
        ([[0, 1], [2, 0]], "not symmetric"),
        ([[0, -1], [-1, 0]], "negative"),
        ([[1, 1], [1, 0]], "distance 1 from itself"),
        ([[0, np.nan], [np.nan, 0]], "nan"),
        ([[0, 1, 2]], "a metric or a square matrix, not list"),
        ([], "a metric or a square matrix"),
        ([["a"]], "a metric or a square matrix"),
        (None, "a metric or a square matrix, not NoneType"),
        (wideberth.metric("dtw"), r"DTW\(\) is not a metric"),
        ("levenshtein", "no ground distance 'levenshtein'"),
        ("euclidian", "Did you mean 'euclidean'"),
    ],
)
def test_a_ground_distance_that_is_no_metric_is_refused(ground, message):
    with pytest.raises(InvalidInput, match=message):
        EarthMover(ground)


def test_the_advice_for_a_squared_ground_distance_works():
    squared = pixel_distances((3,)) ** 2
    with pytest.raises(BrokenAxiom, match="take its square root") as refused:
        EarthMover(squared)
    assert refused.value.witness == (0, 2, 1)
    assert EarthMover(np.sqrt(squared))([1, 0, 0], [0, 0, 1]) == 2


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([[1, 2], [1, 2, 3]], r"object 0 has \(2,\), object 1 has \(3,\)"),
        ([[[1, 2], [3, 4]], [1, 2]], r"object 0 has \(2, 2\), object 1 has \(2,\)"),
        (
            np.ones((2, 4, 4, 3)),
            r"Object 0 is neither a histogram nor an image: of shape \(4, 4, 3\).*grey",
        ),
        (np.ones(3), r"Object 0 is neither .* of shape \(\)"),
        (["tea"], "Object 0 is neither a histogram nor an image: 'tea'"),
        ([[1, 2], [0, 0]], "Object 1 is not a distribution"),
        ([[1, 2], [1, -2]], "object 1 holds -2 at position 1"),
        ([[[1, 2]], [[1, np.inf]]], r"object 1 holds inf at \(0, 1\)"),
    ],
)
def test_refused_objects_are_named(objects, message):
    with pytest.raises(InvalidInput, match=message):
        EarthMover().prepare(objects)


def test_bins_must_fit_each_other_and_the_ground_distance():
    with pytest.raises(
        InvalidInput, match="Objects of 3 bins do not fit ground distances between 4"
    ):
        EarthMover(SEASONS).prepare([[1, 2, 3]])
    with pytest.raises(InvalidInput, match=r"shapes \(4,\) and \(2, 2\)"):
        EarthMover().block([[1, 2, 3, 4]], [[[1, 2], [3, 4]]])
    image, row = (
        [[1, 0], [0, 0]],
        [1, 0, 0, 0],
    )  # a matrix knows bins by their numbers only, but images are no rows
    assert (
        EarthMover(SEASONS).block([image], [[[0, 0], [1, 0]]])[0, 0]
        == EarthMover(SEASONS).block([row], [[0, 0, 1, 0]])[0, 0]
    )


class WithoutPOT:
    """An importer that finds what is there, except POT."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ot":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_it_says_which_package_is_missing(monkeypatch):
    for module in [name for name in sys.modules if name.partition(".")[0] == "ot"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [WithoutPOT(), *sys.meta_path])
    with pytest.raises(MissingExtra, match=r"wideberth\[transport\]"):
        EarthMover()([1, 0], [0, 1])


def test_a_solver_that_gives_up_is_heard(monkeypatch):
    monkeypatch.setattr(earth_mover, "_MOST_PIVOTS", 1)
    rng = np.random.default_rng(0)
    with pytest.raises(WideberthError, match=r"was not solved \(status 3\)"):
        EarthMover()(rng.random((5, 5)), rng.random((5, 5)))


def test_parameters_of_the_ground_distance_are_reached():
    metric = EarthMover(wideberth.metric("minkowski", p=1))
    corner, opposite = [[1, 0], [0, 0]], [[0, 0], [0, 1]]
    assert metric(corner, opposite) == 2
    assert metric.set_params(ground__p=2)(corner, opposite) == pytest.approx(np.sqrt(2))
    assert metric.get_params()["ground__p"] == 2


@pytest.mark.parametrize("factor", [1e-100, 1e-14, 0.37, 1e12])
def test_ground_distances_in_another_unit_give_distances_in_it(factor):
    """What the network simplex takes for 0 is absolute: it is given costs of about 1."""
    masses = np.random.default_rng(0).random((8, 12))
    ground = pixel_distances((3, 4))
    plain, other = (
        wideberth.pairwise_distances(
            masses, metric=wideberth.metric("earth_mover", ground=unit * ground)
        )
        for unit in (1.0, factor)
    )
    np.testing.assert_allclose(other / factor, plain, rtol=1e-9, atol=1e-12)
