"""By which metrics a metric is bounded: the constants hold for all objects, are attained, and turn
radii into radii.
"""

from itertools import combinations, pairwise

import numpy as np
import pytest
from attacked_units import one_step_away
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import equal_length_words, objects_of, odd_letters

import wideberth
from wideberth import MetricSpace, transforms
from wideberth.errors import InvalidInput
from wideberth.metrics.named import METRICS
from wideberth.metrics.strings.words_and_grams import Affixes, NGrams, RareNGrams
from wideberth.metrics.vectors.mahalanobis import Standardized
from wideberth.metrics.vectors.minkowski import Minkowski

#: Metrics of strings, some with other parameters than the defaults.
OF_STRINGS = {
    "levenshtein": wideberth.metric("levenshtein"),
    "indel": wideberth.metric("indel"),
    "damerau": wideberth.metric("damerau"),
    "normalized_levenshtein": wideberth.metric("normalized_levenshtein"),
    "weighted_edit": wideberth.metric(
        "weighted_edit", substitution=1.5, gap=2.0, substitutions={("a", "b"): 1.0}
    ),
    "words": wideberth.metric("words"),
    "words and marks": wideberth.metric("words", tokens="punctuation"),
    "word_edit": wideberth.metric("word_edit"),
    "edits of words and marks": wideberth.metric("word_edit", tokens="punctuation"),
    "ngrams": wideberth.metric("ngrams"),
    "letters": wideberth.metric("ngrams", orders=(1,)),
    "pairs in texts": wideberth.metric("ngrams", orders=(2,), at="text"),
    "ngrams in texts": wideberth.metric("ngrams", orders=(1, 2, 3), at="text"),
    "long ngrams": wideberth.metric("ngrams", orders=(4, 2)),
    "share of ngrams": wideberth.metric("ngrams", form="ruzicka"),
    "share of pairs in texts": wideberth.metric("ngrams", orders=(2,), at="text", form="ruzicka"),
    "scaled": transforms.scale("words", 0.37),
    "capped": transforms.cap("levenshtein", 2),
    "root": transforms.power("ngrams", 0.5),
    "saturated": transforms.saturate("levenshtein"),
    "one minus exp": transforms.one_minus_exp("words", 0.37),
    "schoenberg": transforms.schoenberg("levenshtein", weights=[2.0, 0.5], rates=[0.1, 2.0]),
    "sum": transforms.total("words", "levenshtein"),
    "largest": transforms.largest("words", "indel"),
}
EDITS = ("levenshtein", "indel", "damerau", "hamming")


@pytest.mark.parametrize("name", OF_STRINGS)
@given(st.text(odd_letters, max_size=7))
@settings(max_examples=15, deadline=None)
def test_no_single_edit_changes_more_than_the_constant(name, text):
    metric = OF_STRINGS[name]
    for edits, texts in one_step_away(text, "ab Σ.'").items():
        if edits in metric.dominated and texts:
            assert metric.block([text], sorted(texts)).max() <= metric.dominated[edits] * (
                1 + 1e-12
            )


#: What attains the constants: from one text to others, one edit away.
LONG = "abcdefghijklm"
ATTAINED = {
    "words": {
        "levenshtein": ("abc", "a c"),
        "indel": ("ac", "a c"),
        "damerau": ("ab c", "a bc"),
        "hamming": ("abc", "a c"),
    },
    "words and marks": {
        "levenshtein": ("abc", "a.c"),
        "indel": ("ac", "a.c"),
        "damerau": ("ab.c", "a.bc"),
        "hamming": ("abc", "a.c"),
    },
    "word_edit": {
        "levenshtein": ("abc", "a c"),
        "indel": ("ac", "a c"),
        "damerau": ("ab c", "a bc"),
        "hamming": ("abc", "a c"),
    },
    "edits of words and marks": {
        "levenshtein": ("abc", "a.c"),
        "indel": ("ac", "a.c"),
        "damerau": ("ac", "a.c"),
        "hamming": ("abc", "a.c"),
    },
    "ngrams": {
        "levenshtein": (LONG, "abcdefXhijklm"),
        "hamming": (LONG, "abcdefXhijklm"),
        "indel": (LONG, "abcdefXghijklm"),
        "damerau": (LONG, "abcdefhgijklm"),
    },
    "letters": {
        "levenshtein": ("a", "b"),
        "hamming": ("a", "b"),
        "indel": ("a", ""),
        "damerau": ("a", "b"),
    },
    "normalized_levenshtein": {
        "levenshtein": ("", "a"),
        "indel": ("", "a"),
        "damerau": ("", "a"),
        "hamming": ("a", "b"),
    },
    "share of ngrams": {
        "levenshtein": ("", "a"),
        "indel": ("", "a"),
        "damerau": ("", "a"),
        "hamming": ("a", "b"),
    },
    "levenshtein": {"indel": ("a", ""), "damerau": ("ab", "ba"), "hamming": ("a", "b")},
    "indel": {"levenshtein": ("a", "b"), "damerau": ("ab", "ba"), "hamming": ("a", "b")},
    "damerau": {"levenshtein": ("a", "b"), "indel": ("a", ""), "hamming": ("a", "b")},
}
for same in ("pairs in texts", "ngrams in texts", "long ngrams"):
    ATTAINED[same] = ATTAINED["ngrams"]


@pytest.mark.parametrize(
    ("name", "edits"), [(name, edits) for name, found in ATTAINED.items() for edits in found]
)
def test_the_constants_are_attained(name, edits):
    metric, (one, other) = OF_STRINGS[name], ATTAINED[name][edits]
    assert other in one_step_away(one, "abX .")[edits]
    assert metric(one, other) == pytest.approx(metric.dominated[edits], rel=1e-12)


BOUNDED = [
    (name, other)
    for name in METRICS
    if name != "precomputed"
    for other in wideberth.metric(name).dominated
]


@pytest.mark.parametrize(("name", "other"), BOUNDED)
@given(st.data())
@settings(max_examples=25, deadline=None)
def test_every_distance_is_within_the_constants(name, other, data):
    objects = data.draw(equal_length_words if other == "hamming" else objects_of[name])
    bound = wideberth.metric(name).dominated[other] * wideberth.metric(other).block(
        objects, objects
    )
    assert (wideberth.metric(name).block(objects, objects) <= bound * (1 + 1e-9) + 1e-9).all()


@given(objects_of["words"])
@settings(max_examples=40, deadline=None)
def test_counts_change_by_two_for_an_edit_of_a_word_at_most(texts):
    for tokens in ("spaces", "punctuation"):
        counts, edits = (wideberth.metric(name, tokens=tokens) for name in ("words", "word_edit"))
        assert counts.dominated[edits.full_name] == 2.0
        assert (counts.block(texts, texts) <= 2.0 * edits.block(texts, texts)).all()
    assert counts("a b", "c b") == 2.0 * edits("a b", "c b")


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, np.inf])
def test_norms_are_bounded_by_those_of_smaller_exponents(p):
    metric, rows = wideberth.metric("minkowski", p=p), np.random.default_rng(0).normal(size=(20, 5))
    assert set(metric.dominated) == {
        name for name, q in (("manhattan", 1), ("euclidean", 2)) if q <= p
    }
    for other in metric.dominated:
        assert (
            metric.block(rows, rows) <= wideberth.metric(other).block(rows, rows) * (1 + 1e-12)
        ).all()


@pytest.mark.parametrize("name", OF_STRINGS)
@given(st.text("ab ", max_size=6), st.floats(0, 8), st.integers(0, 3))
@settings(max_examples=12, deadline=None)
def test_what_moves_less_than_a_converted_radius_moves_less_than_the_radius(
    name, text, radius, seed
):
    metric = OF_STRINGS[name]
    walk = np.random.default_rng(seed)
    for edits in EDITS:
        converted = metric.radii_in(edits, np.array([radius]), metric.prepare([text]))
        if converted is None:
            continue
        texts = {text}
        for moves in range(
            1, 4
        ):  # all texts one edit away, and some that are two and three edits away
            if not moves < converted[0] * (1 - 1e-12):
                break
            some = [sorted(texts)[place] for place in walk.integers(len(texts), size=4)]
            texts |= {after for before in some for after in one_step_away(before, "ab ")[edits]}
            assert metric.block([text], sorted(texts)).max() < radius


@pytest.mark.parametrize("name", ["normalized_levenshtein", "share of ngrams"])
def test_long_texts_have_longer_radii(name):
    metric = OF_STRINGS[name]
    texts = ["", "a", "abcd", "abcdefgh" * 4]
    for edits in EDITS:
        radii = metric.radii_in(edits, np.full(4, 0.5), metric.prepare(texts))
        assert all(shorter <= longer for shorter, longer in pairwise(radii))
        assert radii[-1] >= 2.5
        np.testing.assert_array_equal(
            metric.radii_in(edits, np.array([1.1, np.inf]), metric.prepare(texts[:2])), np.inf
        )


def test_radii_through_transforms_are_those_of_the_metric_inside():
    def edits(metric, *radii):
        return metric.radii_in("levenshtein", np.array(radii), metric.prepare(["tea"] * len(radii)))

    assert edits(transforms.scale("words", 0.5), 3.0) == pytest.approx(2.0)
    assert edits(transforms.power("words", 0.5), 3.0) == pytest.approx(3.0)
    assert edits(transforms.power("levenshtein", 2), 9.0) == pytest.approx(3.0)
    np.testing.assert_allclose(edits(transforms.cap("words", 6), 3.0, 6.0, 6.5), [1, 2, np.inf])
    np.testing.assert_allclose(
        edits(transforms.saturate("words"), 0.75, 1.0, 2.0), [1, np.inf, np.inf]
    )
    np.testing.assert_allclose(
        edits(transforms.one_minus_exp("words", np.log(2)), 0.875, 1.0, np.inf), [1, np.inf, np.inf]
    )
    assert transforms.power("levenshtein", 2).dominated == {}
    assert (
        transforms.power("euclidean", 0.5).dominated == {}
    )  # no shortest distance: the root has no largest slope
    assert transforms.power(transforms.scale("levenshtein", 4), 0.5).dominated[
        "levenshtein"
    ] == pytest.approx(2)


def test_nothing_is_inferred_from_a_name():
    impostor = wideberth.metric(
        lambda one, other: 100 * abs(len(one) - len(other)), name="levenshtein", obeys_triangle=True
    )
    assert impostor.radii_in("levenshtein", np.ones(1), ["tea"]) is None
    assert transforms.cap(impostor, 3).dominated == {}
    assert transforms.total(impostor, "levenshtein").dominated == {}
    assert transforms.total("words", "jaccard").dominated == {}


def test_users_declare_what_they_can_prove():
    lengths = wideberth.metric(
        lambda one, other: abs(len(one) - len(other)), dominated={"levenshtein": 1}
    )
    assert lengths.dominated == {"levenshtein": 1.0}
    assert lengths.get_params()["dominated"] == {"levenshtein": 1.0}
    assert transforms.scale(lengths, 2).dominated == {"levenshtein": 2.0}
    blocks = wideberth.Metric(
        lambda left, right: np.zeros((len(left), len(right))), dominated={"levenshtein": 0.5}
    )
    assert blocks.radii_in("levenshtein", np.array([1.0]), ["tea"]).tolist() == [2.0]


@pytest.mark.parametrize(
    "wrong",
    [{"indel": 0}, {"indel": -1.0}, {"indel": np.inf}, {"indel": "1"}, {3: 1}, "indel", ["indel"]],
)
def test_what_is_no_constant_is_refused(wrong):
    with pytest.raises(InvalidInput, match="dominated"):
        wideberth.metric(lambda one, other: 0.0, dominated=wrong)


def test_a_space_knows_what_its_metric_knows():
    space = MetricSpace(["tea", "marmalade"], "normalized_levenshtein")
    assert space.metric.dominated == wideberth.metric("normalized_levenshtein").dominated
    np.testing.assert_allclose(
        space.metric.radii_in("levenshtein", np.array([0.5, 0.5]), np.array([1, 0])), [4.5, 1.5]
    )


costs = st.sampled_from([0.1, 0.37, 1.0, 5.0, 8.0])
orders = st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True).map(tuple)
scales_of_two = st.lists(st.sampled_from([0.25, 0.37, 1.0, 3.0]), min_size=2, max_size=2)


def weighted_edit(gap, factor, pair, opening):
    """Costs that make a metric: no substitution costs more than a deletion and an insertion."""
    return wideberth.metric(
        "weighted_edit",
        gap=gap,
        substitution=gap * factor,
        substitutions=None if pair is None else {pair: gap * 0.6},
        opening=opening,
    )


#: Metrics with random parameters, by the kind of objects that they measure.
WITH_PARAMETERS = {
    "strings": st.one_of(
        st.sampled_from(
            ["levenshtein", "indel", "damerau", "normalized_levenshtein", "words", "weighted_edit"]
        ).map(wideberth.metric),
        st.builds(
            weighted_edit,
            costs,
            st.sampled_from([0.6, 1.0, 1.2, np.inf]),
            st.sampled_from([None, ("a", "b"), ("b", "c")]),
            st.sampled_from([0.0, 0.5]),
        ),
        st.builds(
            NGrams,
            orders,
            st.sampled_from(["words", "text"]),
            st.sampled_from(["counts", "ruzicka"]),
        ),
        st.builds(Affixes, orders, orders),
        st.builds(RareNGrams, orders).map(lambda metric: metric.fitted(["ab", "a b", "c"])),
    ),
    "vectors": st.one_of(
        st.sampled_from(["euclidean", "manhattan", "chebyshev", "canberra"]).map(wideberth.metric),
        st.builds(
            Minkowski, st.sampled_from([0.5, 1, 1.5, 2, 2.0, 3, np.float64(3), 7.25, np.inf])
        ),
        st.builds(Standardized, scales_of_two, st.sampled_from([1, 2])),
        st.builds(Standardized, scales_of_two.map(tuple), st.sampled_from([1, 2])),
        scales_of_two.map(
            lambda scales: wideberth.metric("mahalanobis", covariance=np.diag(scales))
        ),
    ),
    "distributions": st.sampled_from(
        ["total_variation", "hellinger", "chi2", "jensen_shannon"]
    ).map(wideberth.metric),
}
RANDOM_OBJECTS = {
    "strings": st.lists(st.text("abc A", max_size=5), min_size=3, max_size=6),
    "vectors": st.lists(
        st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=2), min_size=3, max_size=6
    ),
    "distributions": st.lists(
        st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=3, max_size=6
    ),
}
numbers = st.sampled_from([0.37, 0.5, 1.0, 1.0000001, 2.5, 4, 1 / 3])


def composed(metrics):
    """Transforms of metrics, and of transforms, with random parameters."""
    return st.recursive(
        metrics,
        lambda inner: st.one_of(
            st.builds(transforms.scale, inner, numbers),
            st.builds(transforms.cap, inner, numbers),
            st.builds(transforms.power, inner, numbers),
            st.builds(transforms.saturate, inner),
            st.builds(transforms.one_minus_exp, inner, numbers),
            st.builds(transforms.schoenberg, inner, st.tuples(numbers), st.tuples(numbers)),
            st.builds(transforms.total, inner, inner),
            st.builds(transforms.largest, inner, inner),
        ),
        max_leaves=4,
    )


def meant_by(name, metric):
    """All metrics that a name could mean: that of the table with default parameters, and those that
    a metric is made of.
    """
    inside = [
        value for value in metric.get_params().values() if isinstance(value, wideberth.Metric)
    ]
    return (
        [wideberth.metric(name)]
        if name in METRICS
        else [each for each in inside if each.full_name == name]
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", WITH_PARAMETERS)
@given(st.data())
@settings(max_examples=120, deadline=None)
def test_constants_of_all_compositions_hold(kind, data):
    metric, objects = data.draw(composed(WITH_PARAMETERS[kind])), data.draw(RANDOM_OBJECTS[kind])
    distances = metric.block(objects, objects)
    for name, constant in metric.dominated.items():
        assert meant_by(name, metric), name
        for other in meant_by(name, metric):
            some = [
                i
                for i, each in enumerate(objects)
                if name != "hamming" or len(each) == len(objects[0])
            ]
            bound = constant * other.block([objects[i] for i in some], [objects[i] for i in some])
            assert (distances[np.ix_(some, some)] <= bound * (1 + 1e-9) + 1e-9).all(), name


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", WITH_PARAMETERS)
@given(st.data())
@settings(max_examples=80, deadline=None)
def test_metrics_with_one_full_name_are_one_metric(kind, data):
    metrics = data.draw(st.lists(composed(WITH_PARAMETERS[kind]), min_size=2, max_size=5))
    objects = data.draw(RANDOM_OBJECTS[kind])
    for one, other in combinations(metrics, 2):
        if one.full_name is not None and one.full_name == other.full_name:
            np.testing.assert_allclose(
                one.block(objects, objects), other.block(objects, objects), rtol=1e-12, atol=1e-12
            )


def test_sums_of_two_metrics_of_one_name_are_not_bounded_by_it():
    one, two = (
        wideberth.metric(
            "weighted_edit",
            gap=5,
            substitution=5,
            substitutions={("a", "b"): pair, ("c", "d"): other},
        )
        for pair, other in ((0.1, 8), (8, 0.1))
    )
    both = transforms.total(one, two)
    assert "weighted_edit" not in both.dominated
    assert both.dominated["levenshtein"] == 16.0
    assert both("a", "b") == pytest.approx(8.1)
    cubes = transforms.total(
        wideberth.metric("minkowski", p=3), wideberth.metric("minkowski", p=3.0)
    )
    assert cubes.dominated == {"minkowski(p=3)": 2.0, "manhattan": 2.0, "euclidean": 2.0}
    assert transforms.total(wideberth.metric("minkowski", p=3), "minkowski").dominated == {
        "manhattan": 2.0,
        "euclidean": 2.0,
    }
    assert transforms.cap(wideberth.metric("minkowski", p=0.5), 2).dominated == {
        "minkowski(p=0.5)": 1.0
    }


def test_full_names_are_exact():
    assert wideberth.metric("words").full_name == "words"
    assert wideberth.metric("minkowski", p=1 / 3).full_name == "minkowski(p=0.3333333333333333)"
    assert wideberth.metric("minkowski", p=np.inf).full_name == "minkowski(p=inf)"
    assert (
        wideberth.metric("ngrams", orders=[1, 2], at="text").full_name
        == "ngrams(orders=(1, 2), at='text')"
    )
    assert transforms.cap("levenshtein", 10).full_name == "cap(levenshtein, 10)"
    assert transforms.cap("levenshtein", 10.0000001).full_name == "cap(levenshtein, 10.0000001)"
    assert (
        transforms.cap("levenshtein", 10.0000001).name == transforms.cap("levenshtein", 10).name
    )  # a name may be rounded
    assert (
        transforms.total("words", wideberth.metric("minkowski", p=3)).full_name
        == "total(words, minkowski(p=3))"
    )
    assert (
        wideberth.metric("manhattan", dominated={"levenshtein": 3}).full_name == "manhattan"
    )  # it changes no distance


def test_what_may_change_or_comes_from_elsewhere_has_no_full_name():
    costs = {("a", "b"): 0.5}
    metric = wideberth.metric("weighted_edit", substitutions=costs)
    costs["a", "b"] = 2.0  # the metric has read its costs already
    assert metric.full_name is None
    assert transforms.scale(metric, 2).full_name is None
    assert wideberth.metric("standardized", scales=[1.0, 2.0]).full_name is None
    assert wideberth.metric(lambda one, other: 0.0, name="levenshtein").full_name is None
    assert (
        type("Levenshtein", (wideberth.metrics.named.METRICS["levenshtein"],), {})().full_name
        is None
    )
    for transform in (transforms.derivative, transforms.znormalized, transforms.geodesic):
        assert transform("euclidean").full_name is None
    listed = [1, 2]
    ngrams = wideberth.metric("ngrams", orders=listed)
    listed.append(3)
    assert ngrams.orders == (1, 2)


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"precomputed"}))
def test_what_is_learned_is_in_the_full_name_or_there_is_none(name):
    metric = wideberth.metric(name)
    fitted = metric.fitted(list(METRICS[name].examples))
    assert fitted is metric or fitted.full_name != metric.full_name
