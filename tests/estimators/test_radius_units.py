"""Certified radii in other units: converted by what bounds the metric, and true to what they
promise.
"""

import numpy as np
import pytest
from attacked_units import FAMILIES, attacked_model, attacked_units, one_step_away
from attacked_units import METRICS as ATTACKED
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth as wb
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.radius_rules import radius_unit

TEXTS = [
    "a cup of tea",
    "tea with milk",
    "green tea and a cake",
    "rum and ale",
    "a bottle of rum or two",
    "old ale from a cask",
]
LABELS = ["soft", "soft", "soft", "hard", "hard", "hard"]
METRICS = {
    "words": wb.metric("words"),
    "ngrams": wb.metric("ngrams"),
    "share of ngrams": wb.metric("ngrams", orders=(1, 2), form="ruzicka"),
    "normalized_levenshtein": wb.metric("normalized_levenshtein"),
    "capped": wb.transforms.cap("words", 20),
    "root": wb.transforms.power("words", 0.5),
    "indel": wb.metric("indel"),
}
CLASSIFIERS = [
    wb.NeighborsClassifier(n_neighbors=1),
    wb.NeighborsClassifier(n_neighbors=3),
    wb.MarginNeighborsClassifier(separation=1e-6),
    wb.LipschitzClassifier(C=100),
    wb.LPMachineClassifier(C=100),
    wb.LipschitzClassifierCV(C=[1, 100], cv=2),
]


@pytest.mark.parametrize("unit", ["edit", "levenshtein", "damerau", "indel", "hamming"])
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_no_edit_inside_a_radius_changes_a_label(model, name, unit):
    model = model.set_params(metric=METRICS[name]).fit(TEXTS, LABELS)
    edits = {"edit": "levenshtein"}.get(unit, unit)
    texts = ["tea and milk", "rum ale rum"]
    for text, radius, label in zip(
        texts, model.certified_radius(texts, unit), model.predict(texts), strict=True
    ):
        assert radius >= 0
        if radius > 1:
            near = sorted(one_step_away(text, "a rx")[edits])
            assert set(model.predict(near)) == {label}, radius


@pytest.mark.parametrize("name", ["words", "ngrams", "share of ngrams"])
def test_no_edit_inside_the_radius_of_a_machine_changes_a_label(name):
    model = wb.HilbertSVC(METRICS[name], C=100).fit(TEXTS, LABELS)
    by_edits = model.certified_radius(TEXTS, "edit")
    assert by_edits.max() > 0
    for text, radius, label in zip(TEXTS, by_edits, model.predict(TEXTS), strict=True):
        if radius > 1:
            assert set(model.predict(sorted(one_step_away(text, "a rx")["levenshtein"]))) == {label}


def test_radii_divide_by_the_constant_and_come_in_steps():
    model = wb.NeighborsClassifier("words", n_neighbors=1).fit(
        ["a b c d e f g h i j k l", ""], ["long", "short"]
    )
    radii = model.certified_radius(["a b c d e f g h i j k l", "a"])
    assert radii.tolist() == [6.0, 5.0]
    assert model.certified_radius(["a b c d e f g h i j k l", "a"], "edit").tolist() == [
        2.0,
        pytest.approx(5 / 3),
    ]
    assert model.certified_radius(["a"], unit="damerau").tolist() == [pytest.approx(5 / 4)]
    assert (
        model.certified_radius(["a"], unit="counted word").tolist()
        == model.certified_radius(["a"], unit="words").tolist()
        == [5.0]
    )


def test_an_edit_is_levenshteins_whatever_the_metric():
    def radii(metric, text, *units):
        model = wb.NeighborsClassifier(metric, n_neighbors=1).fit(
            ["teal", "rumb"], ["soft", "hard"]
        )
        return [model.certified_radius([text], unit).item() for unit in units]

    assert radii("levenshtein", "teal", None, "edit", "indel", "damerau") == [2.0, 2.0, 2.0, 1.0]
    assert radii("indel", "teal", None, "indel", "edit", "levenshtein") == [
        4.0,
        4.0,
        2.0,
        2.0,
    ]  # a replaced letter is two
    assert radii("damerau", "teal", None, "damerau step", "damerau", "edit") == [2.0, 2.0, 2.0, 2.0]
    assert radii("hamming", "teal", None, "replacement", "hamming") == [2.0, 2.0, 2.0]
    for unit in ("edit", "levenshtein", "indel", "damerau step", "counted word"):
        with pytest.raises(NotCertified, match="Leave unit= out for radii in replacements"):
            radii("hamming", "teal", unit)


def test_one_replaced_letter_inside_a_radius_by_indel_changed_a_label():
    texts = ["caabaa", "abaacc", "abc", "aaca", "bccccba", "ba", "cbcb", "bab", "c"]
    model = wb.LipschitzClassifier("indel", C=5).fit(texts, [0, 1, 1, 1, 1, 1, 0, 1, 0])
    assert model.predict(["abc", "cbc"]).tolist() == [1, 0]
    assert model.certified_radius(["abc"], "edit")[0] <= 1.0


@pytest.mark.parametrize(
    "metric",
    [
        wb.transforms.cap("hamming", 9),
        wb.transforms.scale("hamming", 0.5),
        wb.transforms.total("hamming", "normalized_levenshtein"),
    ],
    ids=lambda metric: metric.name,
)
def test_what_is_made_of_replacements_has_no_radius_in_edits(metric):
    model = wb.NeighborsClassifier(metric, n_neighbors=1).fit(
        ["abababab", "abababaa", "babababa", "babababb"], [0, 0, 1, 1]
    )
    assert model.certified_radius(["abababab"], "replacement")[0] > 2
    assert model.predict(["abababab", "babababa"]).tolist() == [0, 1]  # two edits apart
    with pytest.raises(NotCertified, match="bounded by 'hamming' alone"):
        model.certified_radius(["abababab"], "edit")


def test_names_mean_metrics_with_their_parameters():
    def model(metric):
        return wb.NeighborsClassifier(metric, n_neighbors=1).fit([[0.0, 0.0], [3.0, 4.0]], [0, 1])

    cubes = wb.metric("minkowski", p=3)
    own = model(cubes).certified_radius([[0.1, 0.1]])
    np.testing.assert_array_equal(
        model(cubes).certified_radius([[0.1, 0.1]], "minkowski(p=3)"), own
    )
    capped = model(wb.transforms.cap(cubes, 20))
    np.testing.assert_allclose(capped.certified_radius([[0.1, 0.1]], "minkowski(p=3)"), own)
    assert radius_unit(capped.metric_, "minkowski(p=3)").measure.p == 3
    for unit in ("minkowski", "minkowski(p=4)"):
        with pytest.raises(NotCertified, match="'minkowski"):
            model(wb.metric("minkowski", p=1.5)).certified_radius([[0.1, 0.1]], unit)
        with pytest.raises(NotCertified, match="'cap"):
            capped.certified_radius([[0.1, 0.1]], unit)
    squares = model(wb.metric("minkowski", p=2))  # p=2 is the default: the same metric
    np.testing.assert_array_equal(
        squares.certified_radius([[0.1, 0.1]], "minkowski"), squares.certified_radius([[0.1, 0.1]])
    )


def test_own_units_do_not_take_words_of_the_table():
    metric = wb.metric(
        lambda one, other: abs(len(one) - len(other)) / 9, obeys_triangle=True, unit="indel"
    )
    with pytest.raises(NotCertified, match="'indel'"):
        radius_unit(metric, "indel")
    assert radius_unit(wb.metric(lambda one, other: 0.0, unit="mile"), "mile").other is None


@given(
    st.lists(st.text("ab ", max_size=6), min_size=4, max_size=7, unique=True),
    st.sampled_from(sorted(METRICS)),
)
@settings(max_examples=40, deadline=None)
def test_texts_are_safe_within_their_radius_in_edits(texts, name):
    model = wb.NeighborsClassifier(METRICS[name], n_neighbors=1).fit(
        texts[1:], [place % 2 for place in range(len(texts) - 1)]
    )
    radius, label = model.certified_radius(texts[:1], "levenshtein")[0], model.predict(texts[:1])[0]
    reached = {texts[0]}
    for edits in (1, 2):
        reached |= {
            after for before in reached for after in one_step_away(before, "ab ")["levenshtein"]
        }
        if edits < radius:
            assert set(model.predict(sorted(reached))) == {label}


def test_a_space_and_a_loaded_model_convert_as_the_metric_does(tmp_path):
    metric = METRICS["share of ngrams"]
    plain = wb.LipschitzClassifier(metric, C=100).fit(TEXTS, LABELS)
    expected = plain.certified_radius(TEXTS, "edit")
    assert expected.max() > 1
    space = wb.MetricSpace(TEXTS, metric)
    spaced = wb.LipschitzClassifier(space.metric, C=100).fit(space.index, LABELS)
    np.testing.assert_allclose(spaced.certified_radius(space.index, "edit"), expected)
    wb.save(plain, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wb.load(tmp_path / "model.wb").certified_radius(TEXTS, "edit"), expected
    )


def test_metrics_whose_distances_are_kept_while_a_model_learns_convert_as_before():
    texts = [" ".join([text] * 8) for text in TEXTS]  # so long that distances are worth keeping
    for metric in (
        METRICS["normalized_levenshtein"],
        wb.transforms.saturate(METRICS["normalized_levenshtein"]),
    ):
        model = wb.NeighborsClassifier(metric, n_neighbors=1).fit(texts, LABELS)
        assert model.metric_.dominated == metric.dominated
        expected = metric.radii_in(
            "levenshtein", model.certified_radius(texts), metric.prepare(texts)
        )
        np.testing.assert_allclose(model.certified_radius(texts, "edit"), expected, rtol=1e-6)


def test_users_metrics_convert_by_what_they_declare():
    def by_length(one, other):
        return abs(len(one) - len(other))

    metric = wb.metric(by_length, obeys_triangle=True, dominated={"levenshtein": 1, "route": 2})
    model = wb.NeighborsClassifier(metric, n_neighbors=1).fit(["a", "aaaaaaa"], ["short", "long"])
    assert model.certified_radius(["a"], "edit").tolist() == [3.0]
    assert model.certified_radius(["a"], "route").round(9).tolist() == [1.5]
    with pytest.raises(InvalidInput, match="no metric of that name"):
        _ = radius_unit(metric, "route").measure
    silent = wb.NeighborsClassifier(wb.metric(by_length, obeys_triangle=True), n_neighbors=1).fit(
        ["a", "aaaa"], [0, 1]
    )
    with pytest.raises(NotCertified, match="by no other metric") as refused:
        silent.certified_radius(["a"], "edit")
    assert refused.value.missing == "dominated"


def test_what_is_not_proved_is_refused_with_what_is():
    model = wb.NeighborsClassifier("euclidean", n_neighbors=1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(
        NotCertified, match="in the unit 'edit': 'euclidean' is bounded by 'manhattan' alone"
    ) as refused:
        model.certified_radius([[0.2]], "edit")
    assert refused.value.missing == "dominated"
    np.testing.assert_allclose(
        model.certified_radius([[0.2]], "manhattan"), model.certified_radius([[0.2]])
    )
    with pytest.raises(InvalidInput, match="unit=3 is not"):
        model.certified_radius([[0.2]], 3)
    hamming = wb.NeighborsClassifier("hamming", n_neighbors=1).fit(["aa", "bb"], [0, 1])
    with pytest.raises(
        NotCertified, match="'levenshtein'"
    ):  # a shift is one insertion and one deletion, and changes all places
        hamming.certified_radius(["ab"], "levenshtein")


def test_exact_radii_have_units_too():
    model = wb.MarginNeighborsClassifier("euclidean", separation=1e-6).fit(
        [[0.0, 0.0], [1.0, 0.0]], [0, 1]
    )
    exact = model.certified_radius([[0.2, 0.0]], exact=True)
    np.testing.assert_allclose(model.certified_radius([[0.2, 0.0]], "manhattan", exact=True), exact)
    with pytest.raises(NotCertified):
        model.certified_radius([[0.2, 0.0]], "edit", exact=True)


@pytest.mark.few(8)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("metric", ATTACKED)
def test_no_steps_inside_a_radius_change_a_label_in_any_unit(metric, family):
    seed = (list(ATTACKED).index(metric) + list(FAMILIES).index(family)) % 6
    rows = attacked_model(family, metric, seed)
    if rows is None:
        pytest.skip("refused: nothing is claimed")
    assert all(not false for _, _, false in rows), rows
    own = {"hamming": {"replacement", "the metric itself"}}
    assert {unit for unit, _, _ in rows} >= own.get(
        metric, {"edit", "indel", "replacement", "damerau step", "the metric itself"}
    )
    if metric == "hamming":
        assert not {"edit", "indel", "damerau step"} & {unit for unit, _, _ in rows}


@pytest.mark.few(2)
@pytest.mark.parametrize("metric", ATTACKED)
def test_radii_in_units_are_long_enough_to_be_attacked(metric):
    rows = attacked_units([2], [metric], ["1 neighbour", "lipschitz"])
    assert all(not false for *_, false in rows)
    assert sum(moves for _, _, moves, _ in rows) > 0


@pytest.mark.slow
@pytest.mark.parametrize("metric", ATTACKED)
def test_no_steps_inside_many_radii_change_a_label(metric):
    assert [row for row in attacked_units(range(12), [metric]) if row[-1]] == []


@pytest.mark.few(3)
@pytest.mark.parametrize("metric", [name for name in ATTACKED if name != "hamming"])
@given(
    st.lists(st.text("ab ", min_size=1, max_size=4), min_size=4, max_size=6, unique=True),
    st.sampled_from(range(2)),
)
@settings(max_examples=6, deadline=None)
def test_all_texts_within_two_steps_keep_the_label(metric, texts, which):
    model = [wb.NeighborsClassifier(n_neighbors=1), wb.LipschitzClassifier(C=20)][which].set_params(
        metric=ATTACKED[metric]
    )
    model.fit(texts[1:], [place % 2 for place in range(len(texts) - 1)])
    label = model.predict(texts[:1])[0]
    for unit, kind in {
        "edit": "levenshtein",
        "indel": "indel",
        "replacement": "hamming",
        "damerau step": "damerau",
    }.items():
        radius, reached = model.certified_radius(texts[:1], unit)[0], {texts[0]}
        for steps in (1, 2):
            reached |= {after for before in reached for after in one_step_away(before, "ab ")[kind]}
            if steps < radius:
                assert set(model.predict(sorted(reached))) == {label}, unit


@pytest.mark.parametrize(
    "unit", ["levenshtein", "damerau", "words", "minkowski(p=3)", "indel", "cap(levenshtein, 2)"]
)
def test_a_unit_of_the_user_named_like_a_metric_of_ours_is_none_of_ours(unit):
    far = wb.metric(lambda one, other: 10.0 * (one != other), obeys_triangle=True, unit=unit)
    model = wb.NeighborsClassifier(far, n_neighbors=1).fit(["tea", "rum"], [0, 1])
    with pytest.raises(NotCertified):
        model.certified_radius(["tea"], unit=unit)


def test_a_class_that_measures_otherwise_does_not_inherit_what_bounds_its_parent():
    class Tenfold(type(wb.metric("levenshtein"))):
        def _measure(self, left, right):
            return 10.0 * super()._measure(left, right)

    assert not Tenfold().dominated
    assert Tenfold().unit is None
