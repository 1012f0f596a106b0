"""The largest reach along undecided queries: by brute force over vectors and queries, and in the
potential.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.knowledge import knowledge_set

from wideberth.classifiers.online.polytopes import Rows, largest_undecided_reach


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 4), count=st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_no_undecided_query_reaches_farther(seed, dimension, count):
    generator = np.random.default_rng(seed)
    axis = generator.normal(size=dimension)
    axis /= np.linalg.norm(axis)
    narrow = axis + generator.choice([0.03, 0.2, 1.0]) * generator.normal(size=(4000, dimension))
    vectors = 2 * narrow / np.linalg.norm(narrow, axis=1, keepdims=True)
    rows = Rows(dimension)
    for _ in range(count):
        row = generator.normal(size=dimension)
        row = row - (1 - 0.05 * generator.random()) * (row @ axis) * axis
        row = row / np.linalg.norm(row)
        rows.add(row * np.sign(row @ axis))
    possible = vectors[(vectors @ rows.directions.T >= 0).all(axis=1)]
    bound = largest_undecided_reach(rows, 2.0, np.vstack([possible, 2 * axis]))
    assert bound <= 2
    if len(possible) < 2:
        return
    queries = generator.normal(size=(4000, dimension))
    queries -= (queries @ axis)[:, None] * axis * generator.uniform(0.8, 1.2, size=(4000, 1))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    products = queries @ possible.T
    undecided = (products.min(axis=1) < 0) & (products.max(axis=1) > 0)
    assert np.abs(products[undecided]).max(initial=0.0) <= bound + 1e-9


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", ["exact", "sampling"])
def test_what_can_still_be_lost_falls_as_the_cone_narrows(engine):
    generator = np.random.default_rng(0)
    hidden, knowledge = np.array([0.6, -0.3, 0.2]), knowledge_set(3, engine=engine)
    potentials = []
    for number in range(120):
        query = generator.normal(size=3)
        query -= (
            (1 - 2.0 ** -generator.integers(0, 12)) * (query @ hidden) / (hidden @ hidden) * hidden
        )
        query /= np.linalg.norm(query)
        knowledge.learn(query, int(np.sign(query @ hidden)))
        if number % 10 == 9:
            potentials.append(knowledge.potential())
    assert potentials == sorted(potentials, reverse=True)
    assert potentials[-1] < 0.2 * knowledge.initial_potential
