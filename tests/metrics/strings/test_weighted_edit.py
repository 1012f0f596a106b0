"""Edit distance with the user's costs: equal to its definition, a metric exactly where the costs
are one.
"""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.metrics.distances import broken_triangles
from oracles.metrics.edits import affine_edit, weighted_edit
from sklearn.base import clone

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.edits import Indel, Levenshtein
from wideberth.metrics.strings.kernels import LANES
from wideberth.metrics.strings.sample import TokenSample, prepare_tokens
from wideberth.metrics.strings.weighted_edit import WeightedEdit

TRANSITIONS = {("A", "G"): 0.5, ("C", "T"): 0.5}
READS = ["", "ACGT", "GCGT", "CCGT", "A", "TTTT", "ACGTACG", "CA", "NNN", "G"]
#: Tokens a and b with all costs between them, "nothing" and the rest.
SMALL_COSTS = st.sampled_from([0, 0.25, 0.5, 1, 1.5, 2, 3])


def costs_of(metric):
    pairs, gaps = metric.substitutions or {}, metric.gaps or {}
    return (
        lambda one, other: pairs.get((one, other), pairs.get((other, one), metric.substitution)),
        lambda token: gaps.get(token, metric.gap),
    )


def expected(metric, left, right):
    return np.array(
        [[weighted_edit(one, other, *costs_of(metric)) for other in right] for one in left]
    )


@st.composite
def any_costs(draw):
    try:
        return WeightedEdit(
            draw(SMALL_COSTS),
            draw(SMALL_COSTS),
            draw(
                st.dictionaries(st.sampled_from([("a", "b"), ("b", "c"), ("a", "c")]), SMALL_COSTS)
            ),
            draw(st.dictionaries(st.sampled_from("abc"), SMALL_COSTS)),
        )
    except InvalidInput:
        assume(False)


texts = st.lists(st.text("abcdß", max_size=5), min_size=3, max_size=8)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "metric",
    [
        WeightedEdit(),
        WeightedEdit(substitutions=TRANSITIONS),
        WeightedEdit(1.5, 0.9, TRANSITIONS, {"N": 0.8}),
    ],
    ids=["unit", "transitions", "all"],
)
def test_block_equals_the_definition(metric):
    np.testing.assert_allclose(
        metric.block(READS, READS[2:]), expected(metric, READS, READS[2:]), rtol=1e-12
    )
    np.testing.assert_allclose(
        metric.block(READS[:3], READS), expected(metric, READS[:3], READS), rtol=1e-12
    )


@pytest.mark.kernels
def test_empty_blocks_and_empty_sequences():
    assert WeightedEdit().block([], READS).shape == (0, len(READS))
    assert WeightedEdit().block(READS, []).shape == (len(READS), 0)
    assert WeightedEdit(gap=2).block(["", ""], ["", "ab"]).tolist() == [[0, 4], [0, 4]]


@given(metric=any_costs(), objects=texts)
@settings(deadline=None, max_examples=60)
def test_random_costs_keep_their_promises(metric, objects):
    np.testing.assert_allclose(
        metric.block(objects, objects), expected(metric, objects, objects), rtol=1e-12
    )
    check_metric(metric, objects)


@given(objects=texts)
@settings(deadline=None, max_examples=40)
def test_unit_costs_are_levenshtein_and_forbidden_substitutions_indel(objects):
    np.testing.assert_array_equal(
        WeightedEdit().block(objects, objects), Levenshtein().block(objects, objects)
    )
    indel = Indel().block(objects, objects)
    for substitution in (2, 7.5, np.inf):
        np.testing.assert_array_equal(WeightedEdit(substitution).block(objects, objects), indel)


@pytest.mark.parametrize("count", [1, LANES - 1, LANES, LANES + 1, 3 * LANES + 2])
def test_groups_of_every_size(count):
    random = np.random.default_rng(count)
    words = [
        "".join(random.choice(list("ACGTN"), size=random.integers(0, 30))) for _ in range(count)
    ]
    metric = WeightedEdit(substitutions=TRANSITIONS, gaps={"N": 0.75})
    whole = metric.block(words, words)
    np.testing.assert_array_equal(whole, whole.T)
    np.testing.assert_array_equal(np.diag(whole), 0)
    np.testing.assert_array_equal(whole[:2], metric.block(words[:2], words))
    np.testing.assert_array_equal(whole[:, 0], [metric(each, words[0]) for each in words])
    np.testing.assert_allclose(whole[:3], expected(metric, words[:3], words))


@given(values=st.lists(SMALL_COSTS.filter(bool), min_size=8, max_size=8))
@settings(deadline=None, max_examples=150)
def test_refused_are_exactly_the_costs_that_break_triangles(values):
    """On sequences of one token and none, with two tokens that have no costs of their own."""
    (ab, bc, ac), (a, b, c), (substitution, gap) = values[:3], values[3:6], values[6:]
    substitutions, gaps = {("a", "b"): ab, ("b", "c"): bc, ("c", "a"): ac}, {"a": a, "b": b, "c": c}
    table = {frozenset(pair): cost for pair, cost in substitutions.items()}
    single = ["", "a", "b", "c", "d", "e"]
    distances = [
        [
            weighted_edit(
                x,
                y,
                lambda p, q: table.get(frozenset((p, q)), substitution),
                lambda p: gaps.get(p, gap),
            )
            for y in single
        ]
        for x in single
    ]
    broken, _ = broken_triangles(np.array(distances))
    try:
        WeightedEdit(substitution, gap, substitutions, gaps)
    except InvalidInput:
        assert broken
    else:
        assert not broken


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {
                "substitution": 4,
                "gap": 9,
                "substitutions": {("a", "b"): 1, ("b", "c"): 2, ("a", "c"): 5},
            },
            r"'a' -> 'c' costs 5, but 'a' -> 'b' -> 'c' costs 1 \+ 2 = 3\. Lower the first to 3, or raise the others\.",
        ),
        (
            {"substitutions": {("a", "b"): 0.5}, "gaps": {"a": 4}},
            r"'a' -> nothing costs 4, but 'a' -> 'b' -> nothing costs 0.5 \+ 1",
        ),
        (
            {"substitutions": {("a", "b"): 5}, "gap": 9},
            r"'a' -> 'b' costs 5, but 'a' -> any other token -> 'b'.* = 2; 1 more such\..*the defaults",
        ),
        (
            {"substitutions": {("a", "b"): 0}, "gaps": {"a": 2}},
            r"'a' -> nothing costs 2, but 'a' -> 'b' -> nothing costs 0 \+ 1 = 1\.",
        ),
        (
            {"substitutions": {("a", "A"): 0, ("a", "e"): 0.5}},
            r"'e' costs 1, but 'A' -> 'a' -> 'e' costs 0 \+ 0.5|'e' -> 'A' costs 1",
        ),
    ],
)
def test_costs_that_make_no_metric_are_refused_with_three_tokens(parameters, message):
    with pytest.raises(InvalidInput, match=message) as refused:
        WeightedEdit(**parameters)
    assert len(refused.value.witness) == 3


def test_following_the_advice_leads_to_a_metric():
    substitutions = {
        ("a", "b"): 1.0,
        ("b", "c"): 1.0,
        ("c", "d"): 1.0,
        ("a", "c"): 5.0,
        ("a", "d"): 8.0,
        ("b", "d"): 4.0,
    }
    for _ in range(10):
        try:
            metric = WeightedEdit(10, 9, substitutions)
            break
        except InvalidInput as refused:
            one, _, other = (name.strip("'") for name in refused.witness)
            substitutions[min(one, other), max(one, other)] = sum(refused.value[1:])
    assert list(metric.substitutions.values()) == [1, 1, 1, 2, 3, 2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"substitutions": {("a", "b"): 0.5, ("b", "a"): 0.6}},
            "'a' into 'b' costs 0.5, but turning it back costs 0.6",
        ),
        (
            {"substitutions": {"ab": 0.5}},
            r"pairs of different tokens, not by 'ab'\. For example \{\('a', 'b'\): 0.5\}",
        ),
        ({"substitutions": {("a", "a"): 0.5}}, "pairs of different tokens"),
        ({"substitutions": [("a", "b", 0.5)]}, "a dict of costs"),
        ({"gaps": ["a"]}, "a dict of costs"),
        (
            {"substitution": 0},
            "The cost substitution of 'weighted_edit' must be a positive number, not 0",
        ),
        ({"gap": np.inf}, "The cost gap of 'weighted_edit' must be a positive number, not inf"),
        ({"gap": "1"}, "must be a positive number, not '1'"),
        (
            {"substitutions": {("a", "b"): -1}},
            r"substitutions\[\('a', 'b'\)\] of 'weighted_edit' must be a nonnegative number",
        ),
        (
            {"gaps": {"a": np.nan}},
            r"gaps\['a'\] of 'weighted_edit' must be a nonnegative number, not nan",
        ),
    ],
)
def test_refused_costs(parameters, message):
    with pytest.raises(InvalidInput, match=message):
        WeightedEdit(**parameters)


def test_one_pair_may_be_given_twice_at_one_cost():
    assert WeightedEdit(substitutions={("a", "b"): 0.5, ("b", "a"): 0.5})("a", "b") == 0.5


def test_free_edits_do_not_separate():
    lax = WeightedEdit(substitutions={("a", "A"): 0}, gaps={"-": 0})
    assert lax("a-b", "Ab") == 0
    assert (lax.separates, WeightedEdit().separates) == (False, True)
    check_metric(lax, ["a-b", "Ab", "ab", "-", "", "ba"])


@pytest.mark.parametrize("substitution", [0.01, 0.5, 1, 1.3, 2, 5, np.inf])
def test_never_of_negative_type(substitution):
    """Also where a and b are the tokens without costs of their own: the docstring's u and v."""
    witness, weights = ["a", "b", "aa", "ab", "baa", "bab"], np.array([1, -1, -2, 2, 2, -2])
    metric = WeightedEdit(substitution, substitutions={("x", "y"): 0.01}, gaps={"z": 1.004})
    assert weights.sum() == 0
    assert weights @ metric.block(witness, witness) @ weights / 2 == pytest.approx(
        min(substitution, 2)
    )
    assert metric.negative_type is metric.hilbertian is False


@pytest.mark.parametrize(
    ("metric", "step"),
    [
        (WeightedEdit(), 1),
        (WeightedEdit(6, 4), 2),
        (WeightedEdit(np.inf, 3), 3),
        (WeightedEdit(substitutions=TRANSITIONS), 0.5),
        (WeightedEdit(substitutions={("a", "b"): 0}), 1),
        (WeightedEdit(0.3, 0.2), None),
        (WeightedEdit(0.1, 0.1), 0.1),
    ],
    ids=repr,
)
def test_step_is_the_unit_of_the_costs(metric, step):
    assert metric.step == step


def test_two_samples_share_their_tokens():
    metric = WeightedEdit(substitutions={("tea", "chai"): 0.25}, gaps={"rum": 0.75})
    left = metric.prepare([["rum", "tea"], ["tea"], ["gin"]])
    right = metric.prepare([["chai"], ["tea", "rum"], [("x", 1)], []])
    tokens = [["rum", "tea"], ["tea"], ["gin"]], [["chai"], ["tea", "rum"], [("x", 1)], []]
    np.testing.assert_array_equal(metric.block(left, right), expected(metric, *tokens))
    np.testing.assert_array_equal(metric.block(right, left), expected(metric, *tokens).T)
    np.testing.assert_array_equal(
        metric.block(left.take([1]), right.take(slice(0, 2))), [[0.25, 0.75]]
    )


def test_prepared_objects_serve_every_cost():
    """As in a search over costs: what was prepared for one metric is measured right by another."""
    prepared = WeightedEdit(substitutions=TRANSITIONS).prepare(READS)
    other = WeightedEdit(substitutions={("A", "C"): 0.25})
    np.testing.assert_array_equal(other.block(prepared, prepared), other.block(READS, READS))


def test_clones_pickles_and_files(tmp_path):
    metric = WeightedEdit(substitutions=TRANSITIONS, gaps={"N": 0.75})
    words = READS[1:]
    for copy in (
        clone(metric),
        pickle.loads(pickle.dumps(metric)),
        WeightedEdit().set_params(**metric.get_params()),
    ):
        assert copy.get_params() == metric.get_params()
        np.testing.assert_array_equal(copy.block(words, words), metric.block(words, words))
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(
        words, [each[0] for each in words]
    )
    wideberth.save(model, tmp_path / "model.wb")
    again = wideberth.load(tmp_path / "model.wb")
    assert again.metric_.get_params() == metric.get_params()
    assert again.predict(["GCGA", "TTA"]).tolist() == model.predict(["GCGA", "TTA"]).tolist()


@pytest.mark.parametrize(
    "indices", [slice(1, 3), slice(3, 1), slice(None, None, 2), [4, 0, 0], [], [-1]], ids=repr
)
def test_take_picks_like_a_list(indices):
    prepared = prepare_tokens(READS).take(indices)
    wanted = [READS[index] for index in np.arange(len(READS))[indices]]
    assert ["".join(each) for each in TokenSample.from_plain(prepared.plain())] == wanted
    assert prepare_tokens(prepared) is prepared


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"tokens": ["a"], "numbers": np.array([1]), "starts": np.array([0, 1])},
        {"tokens": ["a"], "numbers": np.array([-1]), "starts": np.array([0, 1])},
        {"tokens": ["a"], "numbers": np.array([0]), "starts": np.array([0, 2])},
        {"tokens": "a", "numbers": np.array([0]), "starts": np.array([0, 1])},
    ],
)
def test_files_that_do_not_fit_together_are_refused(plain):
    with pytest.raises(ValueError, match=r"token|offsets"):
        TokenSample.from_plain(plain)


def test_tokens_without_a_hash_are_refused_and_tuples_help():
    with pytest.raises(
        InvalidInput,
        match=r"Object 1 cannot be compared .* because of \[\['a'\]\]: unhashable type: 'list'.*into tuples",
    ):
        WeightedEdit().prepare(["a", [["a"]]])
    assert WeightedEdit()(["a"], [("a",)]) == 1
    with pytest.raises(InvalidInput, match="Object 0 is not a string or a sequence of tokens"):
        WeightedEdit().prepare([3])


def test_byte_strings_are_their_characters():
    metric = WeightedEdit(substitutions=TRANSITIONS)
    assert metric(b"ACGT", "GCGT") == metric(b"ACGT", b"GCGT") == 0.5


short_texts = st.lists(st.text("abcd", max_size=4), min_size=3, max_size=5)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "metric",
    [
        WeightedEdit(opening=1.5),
        WeightedEdit(1.5, 0.5, {("a", "b"): 0.25}, {"c": 0.75}, opening=0.3),
    ],
)
@given(left=short_texts, right=short_texts)
@settings(deadline=None, max_examples=25)
def test_runs_cost_what_all_alignments_say(metric, left, right):
    expected = [
        [affine_edit(one, other, *costs_of(metric), metric.opening) for other in right]
        for one in left
    ]
    np.testing.assert_allclose(metric.block(left, right), expected, rtol=1e-12)
    np.testing.assert_allclose(metric.block(right, left), np.transpose(expected), rtol=1e-12)


@given(metric=any_costs(), opening=st.sampled_from([0.25, 1.0, 7.0]), objects=texts)
@settings(deadline=None, max_examples=80)
def test_runs_make_a_metric_wherever_single_edits_do(metric, opening, objects):
    try:
        affine = WeightedEdit(
            metric.substitution, metric.gap, metric.substitutions, metric.gaps, opening
        )
    except (
        InvalidInput
    ):  # some substitution was never used before, because a deletion and an insertion cost less
        return
    check_metric(affine, objects)
    assert not wideberth.diagnose(objects, affine).broken_promises
    assert (affine.block(objects, objects) >= metric.block(objects, objects) - 1e-12).all()


def test_what_a_run_costs():
    metric = WeightedEdit(gap=0.5, opening=2.0)
    assert metric("abcdef", "af") == 4.0  # one run of four
    assert metric("abcdef", "bcde") == 5.0  # two runs of one
    assert (metric.step, metric.hilbertian, metric.negative_type) == (0.5, None, None)
    assert metric.dominated == {"levenshtein": 2.5, "indel": 2.5, "damerau": 2.5, "hamming": 1.0}
    assert WeightedEdit(opening=0).hilbertian is False
    for refused in (-1.0, np.inf, "1"):
        with pytest.raises(
            InvalidInput, match="The cost opening of 'weighted_edit' must be a nonnegative number"
        ):
            WeightedEdit(opening=refused)
    assert (
        WeightedEdit(gap=1.0, opening=1.0, gaps={"a": 2.0})("a", "") == 3.0
    )  # no more than another token and a substitution
