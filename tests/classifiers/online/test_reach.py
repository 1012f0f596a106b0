"""How far bodies reach: against non-negative least squares, against polygons, and as bounds
whatever rounding does.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.knowledge import body
from scipy.optimize import nnls

from wideberth.classifiers.online import polytopes
from wideberth.classifiers.online.polytope_kernels import project
from wideberth.classifiers.online.polytopes import reach, reach_with_offsets

fast = settings(deadline=None, max_examples=60)


@st.composite
def cones(draw, least=1, most=8):
    """Unit rows, some of them nearly parallel or nearly opposite to others, and a unit query."""
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    dimension, count = draw(st.integers(least, most)), draw(st.integers(1, 25))
    rows = generator.normal(size=(count, dimension))
    if draw(st.booleans()):  # a needle around a hidden vector
        hidden = generator.normal(size=dimension)
        hidden /= np.linalg.norm(hidden)
        rows -= np.outer(rows @ hidden, hidden)
        rows += np.outer(
            draw(st.sampled_from([1e-9, 1e-5, 1e-2])) ** generator.random(count), hidden
        )
    if draw(st.booleans()):
        rows = np.vstack(
            [
                rows,
                draw(st.sampled_from([1.0, -1.0])) * rows
                + 1e-7 * generator.normal(size=rows.shape),
            ]
        )
    query = generator.normal(size=dimension) if draw(st.booleans()) else -rows.mean(axis=0)
    return rows / np.linalg.norm(rows, axis=1)[:, None], query / np.linalg.norm(query)


@fast
@given(cones())
def test_the_reach_is_the_residual_of_non_negative_least_squares(cone):
    rows, query = cone
    multipliers = np.empty(len(rows))
    length = project(rows, query, multipliers)
    assert (multipliers >= 0).all()
    rounding = 1e-12 + 1e-15 * multipliers.sum()  # nearly opposite rows need huge multipliers
    assert length == pytest.approx(np.linalg.norm(query + multipliers @ rows), abs=rounding)
    assert reach(rows, 3.0, query) == pytest.approx(
        3.0 * nnls(rows.T, -query, maxiter=10_000)[1], abs=1e-8 + 10 * rounding
    )


def test_without_rows_the_ball_is_reached():
    assert reach(np.empty((0, 2)), 2.0, np.array([0.6, 0.8])) == 2.0
    assert reach_with_offsets(np.empty((0, 2)), np.empty(0), 2.0, np.array([0.6, 0.8])) == 2.0


@pytest.mark.kernels
def test_products_below_rounding_still_decide():
    """Rows that differ by angles of 1e-9 and a projection as short: the products of the two are
    1e-18.
    """
    angles = np.array(
        [4e-9, np.pi, 3e-9, np.pi + 1e-9]
    )  # leave w at right angles to directions from 1e-9 to 3e-9
    rows = np.column_stack([np.cos(angles), np.sin(angles)])
    query = np.array([np.cos(2.5e-9), np.sin(2.5e-9)])
    assert reach(rows, 1.0, query) == pytest.approx(1.5e-9, rel=1e-5)
    assert reach(rows, 1.0, -query) == pytest.approx(0.5e-9, rel=1e-5)


@settings(deadline=None, max_examples=25)
@given(cones(least=2, most=2), st.floats(1e-4, 1.0))
def test_offsets_are_priced_as_polygons_show(cone, largest):
    rows, query = cone
    offsets = largest * np.random.default_rng(len(rows)).random(len(rows))
    truth = float((body(rows, offsets, 2.0) @ query).max())
    bound = reach_with_offsets(rows, offsets, 2.0, query)
    assert truth * (1 - 1e-5) - 1e-9 <= bound <= 1.2 * truth + 1e-6


@pytest.mark.kernels
def test_a_corner_a_face_and_the_inside():
    rows, multipliers = np.eye(3), np.empty(3)
    assert project(rows, np.array([-1.0, 0.0, 0.0]), multipliers) == 0.0
    assert multipliers.tolist() == [1.0, 0.0, 0.0]
    assert project(rows, np.array([-0.6, 0.8, 0.0]), multipliers) == pytest.approx(0.8)
    assert project(rows, np.array([0.0, 0.6, 0.8]), multipliers) == pytest.approx(1.0)
    leaving = np.array(
        [[1.0, 0.0], [np.sqrt(0.5), -np.sqrt(0.5)], [0.6, 0.8]]
    )  # rows enter and leave on the way
    for angle in np.linspace(0, 2 * np.pi, 9):
        query = np.array([np.cos(angle), np.sin(angle)])
        assert project(leaving, query, multipliers) == pytest.approx(
            nnls(leaving.T, -query)[1], abs=1e-12
        )


def test_rows_are_named_where_the_first_solver_gives_up(monkeypatch):
    def no_convergence(*args, **kwargs):
        raise RuntimeError("Maximum number of iterations reached.")

    directions, query = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([2.0, 3.0])
    monkeypatch.setattr(polytopes, "nnls", no_convergence)
    assert set(polytopes.rows_implying(directions, query)) >= {0, 1}
