"""Which label to guess: Lemma 3.2, prices that are kept, and streams that never cost more than was
promised.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.games import least_worst
from oracles.classifiers.knowledge import knowledge_set

from wideberth.classifiers.online.game_kernels import minimax_mixture
from wideberth.classifiers.online.tournament import (
    Mixture,
    informative_rule,
    majority,
    paper_rule,
    survivors,
)
from wideberth.papers.online_bounds import partition_loss, ranking_loss

SEEDS = st.integers(0, 2**32 - 1)


def random_pairs(k, generator, *, spread, symmetric=False, generous=True):
    """Losses and drops that obey (P1); ``spread`` is the range of losses, in powers of e."""
    losses = np.exp(generator.uniform(-spread, 0, (k, k)))
    if symmetric:
        losses = np.maximum(losses, losses.T)
    paying = np.triu(generator.random((k, k)) < 0.5, 1)
    paying |= np.tril(~paying.T, -1)
    due = np.maximum(losses, losses.T) * (1 + generous * generator.random((k, k)))
    drops = np.where(paying, due, generous * 0.3 * generator.random((k, k)) * losses)
    for matrix in (losses, drops):
        np.fill_diagonal(matrix, 0)
    return losses, drops


def is_a_distribution(chances):
    return chances.min() >= 0 and chances.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 8), st.integers(2, 8))
def test_the_mixture_solves_the_game(seed, n_rows, n_columns):
    generator = np.random.default_rng(seed)
    costs = (
        generator.choice(
            [generator.random((n_rows, n_columns)), generator.integers(0, 3, (n_rows, n_columns))]
        )
        + 0.0
    )
    costs[0] += 0.01
    chances = minimax_mixture(costs)
    assert is_a_distribution(chances)
    assert (costs @ chances).max() == pytest.approx(least_worst(costs), rel=1e-9)


@pytest.mark.kernels
def test_a_game_of_one_column_and_one_of_equal_entries():
    assert minimax_mixture(np.ones((3, 1))) == [1.0]
    assert is_a_distribution(minimax_mixture(np.ones((5, 5))))


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.integers(1, 9), st.booleans())
def test_lemma_3_2(seed, k, skew):
    """If M + M' >= 0 there are chances v with Mv >= 0."""
    generator = np.random.default_rng(seed)
    half = generator.normal(size=(k, k)) * np.exp(generator.uniform(-6, 0, (k, 1)))
    game = half - half.T + (0 if skew else np.abs(generator.normal(size=(k, k))))
    scaled = game / np.maximum(np.abs(game).max(axis=1, keepdims=True), 1e-300)
    assert (scaled @ minimax_mixture(2 - scaled)).min() >= -1e-10


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.integers(2, 12), st.floats(0, 20), st.booleans(), st.booleans())
def test_the_paper_pays_twice_and_what_is_informative_once(seed, k, spread, symmetric, generous):
    losses, drops = random_pairs(
        k, np.random.default_rng(seed), spread=spread, symmetric=symmetric, generous=generous
    )
    rounding = 1e-9 * np.maximum(losses, drops).max(axis=1)
    paper = paper_rule(losses, drops)
    assert is_a_distribution(paper.chances)
    assert paper.price <= 2
    assert (losses @ paper.chances <= paper.price * (drops @ paper.chances) + rounding).all()
    informative = informative_rule(losses, drops)
    assert sorted(informative.chances)[-2:] == [0, 1]
    assert informative.price <= 1 + 1e-9
    assert (losses @ informative.chances <= informative.price * drops.sum(axis=1) + rounding).all()


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(2, 8))
def test_prices_are_honest_where_learners_do_not_pay(seed, k):
    """Without (P1) nothing is promised, but the price is the one that holds."""
    generator = np.random.default_rng(seed)
    losses, drops = generator.random((2, k, k)) * generator.integers(0, 2, (2, k, k))
    for matrix in (losses, drops):
        np.fill_diagonal(matrix, 0)
    for mixture, drop in (
        (m := paper_rule(losses, drops), drops @ m.chances),
        (informative_rule(losses, drops), drops.sum(axis=1)),
    ):
        loss = losses @ mixture.chances
        if np.isinf(mixture.price):
            assert ((loss > 0) & (drop == 0)).any()
        else:
            assert (loss <= mixture.price * drop + 1e-9).all()


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(2, 7))
def test_labels_may_be_renamed_and_the_loss_has_no_unit(seed, k):
    generator = np.random.default_rng(seed)
    losses, drops = random_pairs(k, generator, spread=2)
    names = generator.permutation(k)
    for rule in (paper_rule, informative_rule):
        mixture = rule(losses, drops)
        renamed = rule(losses[np.ix_(names, names)], drops[np.ix_(names, names)])
        assert renamed.chances == pytest.approx(mixture.chances[names], abs=1e-9)
        assert rule(0.37 * losses, 0.37 * drops).chances == pytest.approx(mixture.chances, abs=1e-9)


def test_nothing_to_lose_costs_nothing():
    mixture = informative_rule(np.zeros((3, 3)), np.zeros((3, 3)))
    assert mixture.price == 0
    assert paper_rule(np.zeros((3, 3)), np.zeros((3, 3))).price == 0
    assert is_a_distribution(mixture.chances)


def test_draws_follow_the_chances():
    mixture = Mixture(np.array([0.0, 0.25, 0.0, 0.75, 0.0]), 1.0)
    drawn = [mixture.draw(u) for u in (np.arange(1000) + 0.5) / 1000]
    assert np.bincount(drawn, minlength=5).tolist() == [0, 250, 0, 750, 0]
    assert mixture.draw(0.0) == 1
    assert mixture.draw(np.nextafter(1.0, 0)) == 3


@given(st.permutations(range(6)), st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_no_compared_label_beats_a_survivor(order, wins):
    """Beaten labels are not compared again, so a survivor may lose to one of them; every two
    survivors are compared.
    """
    compared = set()

    def duel(i, j):
        compared.add(frozenset((i, j)))
        return ((i, j) in wins) - ((j, i) in wins)

    alive = survivors(order, duel)
    assert [label for label in order if label in alive] == alive
    assert all(frozenset((i, j)) in compared for i in alive for j in alive if i != j)
    assert all(duel(i, j) == 0 for i in alive for j in alive if i != j)


def test_the_likely_label_first_saves_duels():
    compared = []
    assert survivors(
        [3, 0, 1, 2, 4], lambda i, j: compared.append((i, j)) or (1 if i == 3 else 0)
    ) == [3]
    assert len(compared) == 4


@pytest.mark.parametrize(("rule", "price"), [(paper_rule, 2.0), (informative_rule, 1.0)])
def test_a_stream_costs_no_more_than_the_potentials_it_used(rule, price):
    """Four centres in the plane, queries near borders, learners that are ellipsoids: all that is
    promised is kept.
    """
    generator = np.random.default_rng(5)
    k, total, spent = 4, 0.0, 0.0
    centers = generator.normal(size=(k, 2))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    pairs = {
        (i, j): knowledge_set(2, engine="ellipsoid") for i in range(k) for j in range(i + 1, k)
    }
    start = sum(knowledge.potential() for knowledge in pairs.values())
    for _ in range(150):
        query = near_a_border(centers, generator)
        truth = int(np.argmax(centers @ query))
        views = {pair: knowledge.outlook(query) for pair, knowledge in pairs.items()}
        alive = survivors(range(k), lambda i, j, views=views: views[i, j].certain)
        assert truth in alive
        losses, drops = matrices(alive, views)
        mixture = rule(losses, drops)
        assert mixture.price <= price
        guess = alive[mixture.draw(generator.random())]
        others = (
            [guess] * (guess != truth)
            if rule is paper_rule
            else [label for label in alive if label != truth]
        )
        dropped = 0.0
        for other in others:
            pair, sign = ((truth, other), 1) if truth < other else ((other, truth), -1)
            dropped += pairs[pair].learn(query, sign).drop
        loss = float(centers[truth] @ query - centers[guess] @ query)
        place, at = alive.index(guess), alive.index(truth)
        assert loss <= losses[at, place] + 1e-9
        if rule is informative_rule:
            assert loss <= dropped + 1e-9
        total, spent = total + loss, spent + dropped
    assert total <= price * start
    assert spent == pytest.approx(
        start - sum(knowledge.potential() for knowledge in pairs.values())
    )
    assert start == pytest.approx(partition_loss(start / 6, 4, price=1.0))


def near_a_border(centers, generator):
    query = generator.normal(size=2)
    first, second = np.argsort(-(centers @ query))[:2]
    normal = centers[first] - centers[second]
    normal /= np.linalg.norm(normal)
    query -= (query @ normal) * normal
    query = (
        query / np.linalg.norm(query)
        + generator.choice([-1, 1]) * 10 ** generator.uniform(-3, 0) * normal
    )
    return query / np.linalg.norm(query)


def matrices(alive, views):
    losses, drops = np.zeros((2, len(alive), len(alive)))
    for a, i in enumerate(alive):
        for b, j in enumerate(alive[a + 1 :], start=a + 1):
            losses[a, b], losses[b, a] = views[i, j].loss_plus, views[i, j].loss_minus
            drops[a, b], drops[b, a] = views[i, j].drop_plus, views[i, j].drop_minus
    return losses, drops


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.integers(2, 7), st.sampled_from([0.5, 1.0, 2.0]))
def test_the_losses_of_pairs_that_err_pay_for_the_majority(seed, k, alpha):
    """The step behind Remark 3.4, for any votes, any distances and any of the winners."""
    generator = np.random.default_rng(seed)
    ahead = np.triu(generator.random((k, k)) < 0.5, 1)
    ahead |= np.tril(~ahead.T, -1)
    distances = generator.random(k)
    truth = int(np.argmin(distances))
    wrong = ahead & (distances[:, None] > distances)
    paid = float((wrong * np.abs(distances[:, None] - distances) ** alpha).sum())
    for guess in np.flatnonzero(majority(ahead)):
        loss = (distances[guess] - distances[truth]) ** alpha
        assert loss <= ranking_loss(paid, 2, alpha=alpha) + 1e-12


def test_a_majority_may_be_shared():
    circle = np.array([[False, True, False], [False, False, True], [True, False, False]])
    assert majority(circle) == pytest.approx([1 / 3] * 3)
