"""What every engine promises, engine by engine."""

import pickle

import numpy as np
import pytest
from oracles.classifiers.knowledge import hidden_vector, knowledge_set, near_stream, random_stream

from wideberth.classifiers.online.engines import ENGINES, restored
from wideberth.classifiers.online.knowledge_set import Scales
from wideberth.errors import InvalidInput, UnknownName

HARD = ("sampling", "ellipsoid", "exact")


def make(engine, dimension, **options):
    return knowledge_set(
        dimension,
        engine=engine,
        noise=0.1 if engine == "soft" else 0.0,
        points=100,
        seed=3,
        **options,
    )


def taught(engine, dimension=3, rounds=25, seed=0):
    generator = np.random.default_rng(seed)
    hidden, knowledge = hidden_vector(dimension, generator), make(engine, dimension)
    for query in near_stream(hidden, rounds, generator):
        knowledge.learn(query, int(np.sign(query @ hidden)))
    return knowledge, hidden, generator


def same(one, two):
    """Two states, number by number."""
    assert one.keys() == two.keys()
    return all(
        np.array_equal(one[name], two[name]) if name != "scales" else one[name] == two[name]
        for name in one
    )


@pytest.mark.few(4)
@pytest.mark.parametrize("stream", [near_stream, random_stream])
@pytest.mark.parametrize("power", [0.5, 1.0])
@pytest.mark.parametrize(
    ("engine", "dimension"),
    [("sampling", 2), ("sampling", 6), ("ellipsoid", 3), ("exact", 2), ("exact", 1)],
)
def test_a_stream_costs_less_than_the_potential(engine, dimension, power, stream):
    generator = np.random.default_rng(11)
    hidden, knowledge = hidden_vector(dimension, generator), make(engine, dimension, power=power)
    total, spent, potentials = 0.0, 0.0, [knowledge.initial_potential]
    queries = stream(hidden, 60, generator) if dimension > 1 else generator.uniform(-1, 1, (60, 1))
    for number, query in enumerate(queries):
        outlook, sign = knowledge.outlook(query), int(np.sign(query @ hidden))
        plus, minus = knowledge.reach(query)
        assert -minus - 1e-9 <= query @ hidden <= plus + 1e-9
        assert (outlook.loss_plus, outlook.loss_minus) == pytest.approx((plus**power, minus**power))
        announced = outlook.drop_plus if sign > 0 else outlook.drop_minus
        if outlook.answer != sign:
            loss = abs(query @ hidden) ** power
            assert not outlook.certain
            assert loss <= outlook.loss * (1 + 1e-9) <= announced * (1 + 2e-9)
            total += loss
        lesson = knowledge.learn(query, sign)
        assert lesson.drop >= announced - 1e-9
        assert not lesson.contradiction
        spent += lesson.drop
        if number % 10 == 0:
            potentials.append(knowledge.potential())
    assert total <= spent <= knowledge.initial_potential
    assert (np.diff(potentials) <= 1e-9).all()
    assert 0 <= potentials[-1] < potentials[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_length_of_a_query_changes_its_loss_alone(engine):
    knowledge, _, generator = taught(engine)
    for query in generator.normal(size=(8, 3)):
        one, other = knowledge.outlook(query), knowledge.outlook(0.37 * query)
        assert (other.vote, other.certain) == (pytest.approx(one.vote), one.certain)
        assert (other.loss_plus, other.loss_minus) == pytest.approx(
            (0.37 * one.loss_plus, 0.37 * one.loss_minus)
        )
        if engine != "soft":  # whose drops are in the unit of the loss
            assert (other.drop_plus, other.drop_minus) == pytest.approx(
                (one.drop_plus, one.drop_minus)
            )
        turned = knowledge.outlook(-query)
        assert (turned.loss_plus, turned.certain) == (pytest.approx(one.loss_minus), -one.certain)
        assert turned.vote == pytest.approx(1 - one.vote)


@pytest.mark.few(2)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_goes_on_exactly_as_the_original(engine):
    knowledge, hidden, generator = taught(engine)
    knowledge.potential()
    copies = [restored(knowledge.state()), pickle.loads(pickle.dumps(knowledge))]
    assert all(same(copy.state(), knowledge.state()) for copy in copies)
    for number, query in enumerate(near_stream(hidden, 25, generator)):
        sign = int(np.sign(query @ hidden)) * (1 if number % 5 else -1)
        outlook = knowledge.outlook(query)
        assert all(copy.outlook(query) == outlook for copy in copies)
        lesson = knowledge.learn(query, sign)
        assert all(copy.learn(query, sign) == lesson for copy in copies)
    assert all(same(copy.state(), knowledge.state()) for copy in copies)
    assert all(copy.potential() == knowledge.potential() for copy in copies)
    assert all(copy.initial_potential == knowledge.initial_potential for copy in copies)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_is_plain_and_its_own(engine):
    knowledge, hidden, _ = taught(engine)
    state = knowledge.state()
    kept = pickle.loads(pickle.dumps(state))
    assert {type(value) for value in state.values()} <= {str, int, float, dict, np.ndarray}
    knowledge.learn(hidden + 0.3, 1, informative_only=False)
    assert same(state, kept)


@pytest.mark.parametrize("engine", ENGINES)
def test_questions_asked_aside_leave_no_trace_and_get_the_same_answers(engine):
    knowledge, hidden, generator = taught(engine)
    before, queries = knowledge.state(), list(near_stream(hidden, 6, generator))
    outlooks = [knowledge.scratch_copy().outlook(query) for query in queries]
    assert same(knowledge.state(), before)
    scratch, copy = knowledge.scratch_copy(), restored(before)
    assert (scratch.outlook(queries[0]), copy.outlook(queries[0])) == (outlooks[0], outlooks[0])
    assert scratch.learn(queries[0], 1) == copy.learn(queries[0], 1)
    assert same(scratch.state(), copy.state())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_zero_query_tells_nothing(engine):
    knowledge = make(engine, 2)
    before, zero = knowledge.state(), np.zeros(2)
    outlook = knowledge.outlook(zero)
    assert (outlook.loss, outlook.drop_plus, outlook.drop_minus, outlook.certain) == (0, 0, 0, 0)
    assert knowledge.reach(zero) == (0, 0)
    lesson = knowledge.learn(zero, 1)
    assert (lesson.drop, lesson.stored, lesson.contradiction) == (0, False, False)
    assert knowledge.n_rows == 0
    assert same(knowledge.state(), before)


@pytest.mark.parametrize("engine", ["sampling", "exact"])
def test_what_the_past_implies_is_certain_and_its_opposite_a_contradiction(engine):
    knowledge = make(engine, 2)
    for query in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        assert knowledge.learn(query, 1).stored
    implied, open_one = np.array([0.2, 0.1]), np.array([0.5, -0.5])
    outlook = knowledge.outlook(implied)
    assert (outlook.certain, outlook.answer, outlook.loss, outlook.vote) == (1, 1, 0, 1)
    assert knowledge.outlook(open_one).certain == 0
    before = knowledge.n_rows
    for sign, contradiction in ((1, False), (-1, True)):
        lesson = knowledge.learn(implied, sign, informative_only=False)
        assert (lesson.stored, lesson.contradiction, lesson.drop) == (False, contradiction, 0.0)
    assert knowledge.n_rows == before


@pytest.mark.parametrize("engine", HARD)
def test_labels_at_random_are_noticed_and_harm_nothing_but_the_answers(engine):
    """One query over and over with either sign: the knowledge set shrinks to zero, and
    contradictions are reported.
    """
    knowledge, query = make(engine, 2), np.array([0.6, 0.8])
    contradictions, potentials = [], []
    for number in range(400 if engine == "ellipsoid" else 20):
        contradictions.append(knowledge.learn(query, 1 if number % 2 else -1).contradiction)
        potentials.append(knowledge.potential())
    assert contradictions[-1] or contradictions[-2]
    assert (np.diff(potentials) <= 1e-9).all()
    assert np.isfinite(knowledge.outlook(np.array([0.3, -0.2])).loss)


@pytest.mark.parametrize("engine", HARD)
def test_signs_that_are_wrong_within_their_slack_never_rule_out_the_truth(engine):
    generator = np.random.default_rng(6)
    hidden, knowledge = hidden_vector(2, generator), make(engine, 2)
    slack = 0.05
    for query in random_stream(hidden, 60, generator):
        value = float(query @ hidden)
        sign = int(np.sign(value)) if abs(value) > slack else int(generator.choice([-1, 1]))
        outlook = knowledge.outlook(query, slack=slack)
        lesson = knowledge.learn(query, sign, slack=slack)
        assert lesson.drop >= (outlook.drop_plus if sign > 0 else outlook.drop_minus) - 1e-9
        plus, minus = knowledge.reach(query)
        assert -minus - 1e-9 <= value <= plus + 1e-9
        assert not lesson.contradiction
    assert knowledge.n_rows == len(knowledge.directions)
    assert max(knowledge.reach(np.array([hidden[1], -hidden[0]]))) < 1.5


@pytest.mark.parametrize("engine", HARD)
def test_queries_below_the_finest_of_few_scales_are_open_and_learned_from(engine):
    knowledge = make(engine, 2, scales=Scales(2, 2.0, 1.0, coarsest=-2, finest=0))
    generator = np.random.default_rng(0)
    hidden = hidden_vector(2, generator)
    for query in near_stream(hidden, 30, generator):
        outlook, sign = knowledge.outlook(query), int(np.sign(query @ hidden))
        lesson = knowledge.learn(query, sign)
        assert outlook.certain in (0, sign)
        assert lesson.drop >= (outlook.drop_plus if sign > 0 else outlook.drop_minus) - 1e-9
    assert sum(knowledge.reach(np.array([hidden[1], -hidden[0]]))) < 0.5
    assert knowledge.state()["scales"]["finest"] == 0


def test_the_same_seed_gives_the_same_answers_and_another_does_not():
    one, same_again, other = (knowledge_set(3, seed=seed, points=50) for seed in (1, 1, 2))
    votes = [
        [knowledge.outlook(query).vote for query in np.eye(3) + 0.2]
        for knowledge in (one, same_again, other)
    ]
    assert votes[0] == votes[1] != votes[2]


@pytest.mark.parametrize(
    ("options", "match", "way_out"),
    [
        (
            {"engine": "exact", "dimension": 5},
            "5 dimensions",
            {"engine": "sampling", "dimension": 5},
        ),
        (
            {"engine": "sampling", "noise": 0.1},
            "wrong with probability 0.1",
            {"engine": "soft", "noise": 0.1},
        ),
        ({"engine": "soft"}, "wrong with probability 0.0", {"engine": "ellipsoid"}),
        (
            {"engine": "soft", "noise": 0.5},
            "wrong with probability 0.5",
            {"engine": "soft", "noise": 0.49},
        ),
    ],
)
def test_refusals_name_a_way_out(options, match, way_out):
    with pytest.raises(InvalidInput, match=match) as refusal:
        knowledge_set(**{"dimension": 2} | options)
    assert "se " in refusal.value.advice
    assert knowledge_set(**{"dimension": 2} | way_out).n_rows == 0


def test_an_unknown_engine_is_refused_with_the_list():
    with pytest.raises(UnknownName, match="'magic'") as refusal:
        knowledge_set(2, engine="magic")
    assert refusal.value.known == ENGINES


@pytest.mark.parametrize(("engine", "noise"), [("sampling", 0.0), ("soft", 0.1)])
def test_fewer_points_than_dimensions_wander_in_all_of_them(engine, noise):
    generator = np.random.default_rng(0)
    knowledge = knowledge_set(40, engine=engine, noise=noise, points=16, seed=0)
    hidden = generator.normal(size=40)
    for query in generator.normal(size=(60, 40)):
        query /= np.linalg.norm(query)
        outlook = knowledge.outlook(query)
        assert 0.0 <= outlook.vote <= 1.0
        assert np.isfinite([outlook.loss_plus, outlook.loss_minus]).all()
        knowledge.learn(query, int(np.sign(query @ hidden)))


@pytest.mark.few(2)
@pytest.mark.parametrize("dimension", [2, 6, 25])
@pytest.mark.parametrize("slack", [0.0, 1e-3])
def test_points_lower_the_potential_by_what_they_announced(dimension, slack):
    """In 25 dimensions too, where every box is larger than the ball; copies for outlooks change
    nothing.
    """
    generator, hidden = np.random.default_rng(dimension), np.eye(dimension)[0]
    knowledge = knowledge_set(dimension, engine="sampling", points=160)
    assert knowledge.potential() == pytest.approx(knowledge.initial_potential)
    for query in generator.normal(size=(12, dimension)):
        query /= np.linalg.norm(query)
        before, outlook = knowledge.potential(), knowledge.outlook(query, slack=slack)
        sign = 1 if query @ hidden > 0 else -1
        other = knowledge.scratch_copy()
        lesson = knowledge.learn(query, sign, slack=slack)
        assert (
            lesson.drop == (outlook.drop_plus if sign > 0 else outlook.drop_minus) * lesson.stored
        )
        assert knowledge.potential() <= before - lesson.drop + 1e-9 * before
        assert other.n_rows <= knowledge.n_rows
    assert knowledge.potential() < 0.999 * knowledge.initial_potential
