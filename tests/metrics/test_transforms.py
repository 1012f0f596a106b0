"""Transforms of metrics: values, promises, nesting, parameters, and the whole way through classifiers and files."""

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import transforms as twins
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices, objects_of, sets, table_rows, vectors, words

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.geometry.duplicates import group_equal
from wideberth.metrics.gower import Gower
from wideberth.metrics.metric import Metric, Promises
from wideberth.metrics.transforms.of_one import Capped, OneMinusExp, Power, Saturated, Scaled
from wideberth.metrics.transforms.of_parts import Product
from wideberth.metrics.transforms.of_several import Largest, Sum

KINDS = ["euclidean", "manhattan", "chebyshev", "levenshtein", "hamming", "jaccard", "gower"]

#: Every function of one metric, with values of its parameter that matter.
OF_ONE = [
    partial(transforms.scale, factor=0.37),
    partial(transforms.scale, factor=3),
    partial(transforms.cap, at=0.8),
    partial(transforms.cap, at=2),
    partial(transforms.power, exponent=0.5),
    partial(transforms.power, exponent=0.9),
    partial(transforms.power, exponent=1),
    partial(transforms.power, exponent=2),
    transforms.saturate,
    partial(transforms.one_minus_exp, rate=0.37),
]
of_one = st.sampled_from(OF_ONE)


@st.composite
def transformed(draw, inner):
    """One to three functions after each other."""
    for function in draw(st.lists(of_one, min_size=1, max_size=3)):
        inner = function(inner)
    return inner


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_whatever_is_promised_after_any_transforms_is_kept(kind, data):
    metric = data.draw(transformed(wideberth.metric(kind)))
    objects = data.draw(objects_of[kind])
    check_metric(metric, objects)
    assert not wideberth.diagnose(objects, metric).broken_promises


@given(metric_matrices(), st.data())
@settings(max_examples=50, deadline=None)
def test_any_metric_stays_one(matrix, data):
    inner = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    metric = data.draw(transformed(inner))
    check_metric(metric, np.arange(len(matrix)))
    exponents = [each for each in _chain(metric) if isinstance(each, Power) and each.exponent > 1]
    assert bool(metric.obeys_triangle) or exponents


def _chain(metric):
    while not isinstance(metric, wideberth.metric("precomputed", distances=[[0]]).__class__):
        yield metric
        metric = metric.metric


@given(vectors(), st.floats(0.01, 100))
@settings(max_examples=30, deadline=None)
def test_values_equal_the_formulas(rows, parameter):
    distances = wideberth.metric("manhattan").block(rows, rows)
    for metric, twin in (
        (transforms.scale("manhattan", parameter), partial(twins.scaled, factor=parameter)),
        (transforms.cap("manhattan", parameter), partial(twins.capped, at=parameter)),
        (transforms.power("manhattan", parameter / 50), partial(twins.power, exponent=parameter / 50)),
        (transforms.saturate("manhattan"), twins.saturated),
        (transforms.one_minus_exp("manhattan", parameter), partial(twins.one_minus_exp, rate=parameter)),
    ):
        np.testing.assert_allclose(metric.block(rows, rows), np.vectorize(twin)(distances), rtol=1e-9, atol=1e-15)


@given(words, st.sampled_from([1, 2, np.inf]), st.lists(st.floats(0.1, 3), min_size=3, max_size=3))
@settings(max_examples=30, deadline=None)
def test_products_equal_the_formula(texts, p, weights):
    rows = [(text, len(text), set(text)) for text in texts]
    metric = transforms.product({0: "levenshtein", 1: "euclidean", 2: "jaccard"}, dict(enumerate(weights)), p)
    parts = [wideberth.metric("levenshtein"), lambda one, other: abs(one - other), wideberth.metric("jaccard")]
    expected = [
        [twins.product([part(a, b) for part, a, b in zip(parts, one, other, strict=True)], weights, p) for other in rows]
        for one in rows
    ]
    np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-12, atol=1e-15)
    check_metric(metric, rows)


@given(vectors())
@settings(max_examples=20, deadline=None)
def test_sums_and_maxima_of_vector_metrics(rows):
    names = ("euclidean", "manhattan", "chebyshev")
    blocks = [wideberth.metric(name).block(rows, rows) for name in names]
    for metric, expected in ((transforms.total(*names), sum(blocks)), (transforms.largest(*names), np.maximum.reduce(blocks))):
        np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-12)
        assert metric.eats == "vectors"
        assert metric.prepare(rows).shape == rows.shape
        check_metric(metric, rows)


@given(words)
@settings(max_examples=20, deadline=None)
def test_sums_and_maxima_of_metrics_that_prepare_differently(texts):
    tokens = [list(text) for text in texts]
    for metric in (transforms.total("levenshtein", "jaccard"), transforms.largest("levenshtein", "jaccard", lambda a, b: 0.5)):
        check_metric(metric, tokens)
        assert metric.eats == "objects"
    edits, shared = (wideberth.metric(name).block(tokens, tokens) for name in ("levenshtein", "jaccard"))
    np.testing.assert_allclose(transforms.total("levenshtein", "jaccard").block(tokens, tokens), edits + shared)


@given(table_rows(), st.sampled_from([1, 2, np.inf]))
@settings(max_examples=20, deadline=None)
def test_parts_learn_from_their_columns(rows, p):
    nested = [{"row": row, "name": str(place)} for place, row in enumerate(rows)]
    metric = transforms.product({"row": "gower", "name": transforms.cap("levenshtein", 1)}, p=p)
    check_metric(metric, nested)
    fitted = metric.fitted(nested)
    assert fitted.parts["row"].ranges == Gower().fitted(rows).ranges
    assert metric.parts["row"].ranges is None


# ---- promises --------------------------------------------------------------------------------------------------------------


def promising(**promises):
    return Metric(lambda left, right: np.zeros((len(left), len(right))), **promises)


METRIC = {"obeys_triangle": True, "separates": True, "bounded": False}
NEGATIVE = METRIC | {"negative_type": True, "hilbertian": False}
HILBERTIAN = METRIC | {"negative_type": True, "hilbertian": True}
NOTHING = {"obeys_triangle": False, "hilbertian": False, "negative_type": False, "separates": False, "bounded": False}


@pytest.mark.parametrize(
    ("promises", "exponent", "triangle", "hilbertian", "negative_type"),
    [
        (METRIC, 0.5, True, None, None),
        (METRIC, 1, True, None, None),
        (METRIC, 2, None, None, None),
        (NEGATIVE, 0.3, True, True, True),
        (NEGATIVE, 0.5, True, True, True),
        (NEGATIVE, 0.7, True, None, True),
        (NEGATIVE, 1, True, False, True),
        (NEGATIVE, 1.5, None, False, None),
        (NEGATIVE, 2, None, False, False),
        (HILBERTIAN, 0.5, True, True, True),
        (HILBERTIAN, 1, True, True, True),
        (HILBERTIAN, 1.5, None, None, True),
        (HILBERTIAN, 2, None, None, True),
        (HILBERTIAN, 3, None, None, None),
        ({"hilbertian": True}, 0.5, True, True, True),
        ({"negative_type": True, "obeys_triangle": False}, 0.5, True, True, True),
        ({"negative_type": True, "obeys_triangle": False}, 0.7, None, None, True),
        ({"negative_type": True, "obeys_triangle": False}, 1, False, False, True),
        (NOTHING, 0.4, None, None, None),
        (NOTHING, 0.5, None, False, None),
        (NOTHING, 1, False, False, False),
        (NOTHING, 2, False, False, False),
        ({}, 0.5, None, None, None),
        ({}, 2, None, None, None),
    ],
)
def test_powers_promise_what_schoenberg_proves(promises, exponent, triangle, hilbertian, negative_type):
    metric = Power(promising(**promises), exponent)
    assert (metric.obeys_triangle, metric.hilbertian, metric.negative_type) == (triangle, hilbertian, negative_type)
    assert (metric.separates, metric.bounded) == (promises.get("separates"), promises.get("bounded"))


@pytest.mark.parametrize("promises", [METRIC, NEGATIVE, HILBERTIAN, NOTHING, {}], ids=str)
def test_squeezed_metrics_keep_what_is_true_and_refute_nothing(promises):
    inner = promising(**promises)
    for metric in (Saturated(inner), OneMinusExp(inner, 2.0)):
        for name in ("obeys_triangle", "hilbertian", "negative_type"):
            assert getattr(metric, name) is (promises.get(name) or None)
        assert metric.bounded is True
        assert metric.separates is promises.get("separates")
        assert metric.step is None
    capped = Capped(inner, 2.0)
    assert (capped.obeys_triangle, capped.bounded) == (promises.get("obeys_triangle") or None, True)
    assert (capped.hilbertian, capped.negative_type, capped.separates) == (None, None, promises.get("separates"))
    assert Scaled(inner, 2.0).promises == inner.promises


def test_steps_follow():
    edits = wideberth.metric("levenshtein")
    assert Scaled(edits, 0.37).step == 0.37
    assert (Capped(edits, 10).step, Capped(edits, 2.5).step, Capped(edits, 0.5).step) == (1, None, 0.5)
    assert (Power(edits, 2).step, Power(edits, 0.5).step, Power(Scaled(edits, 2), 3).step) == (1, None, 8)
    assert Sum([Scaled(edits, 4), Scaled(edits, 6)]).step == 2
    assert Sum([Scaled(edits, 0.5), Scaled(edits, 0.5)]).step == 0.5
    assert Sum([Scaled(edits, 0.5), edits]).step is None
    assert Largest([edits, promising()]).step is None
    product = {"a": edits, "b": edits}
    assert (Product(product).step, Product(product, p=np.inf).step, Product(product, p=2).step) == (1, 1, None)
    assert Product(product, {"a": 4, "b": 6}).step == 2


def test_up_to_one_step_only_equality_is_left():
    metric = transforms.cap("levenshtein", 1)
    assert metric.hilbertian
    assert metric.negative_type
    check_metric(metric, ["tea", "tee", "coffee", "", "tea"])


def test_a_cap_in_the_plane_loses_negative_type_so_none_is_promised():
    """A square grid, closer than the cap: 1 - min(t, 1) is not positive definite in the plane."""
    grid = np.array([[x, y] for x in np.linspace(0, 2, 9) for y in np.linspace(0, 2, 9)])
    _, spectrum = wideberth.diagnose(grid, transforms.cap("euclidean", 1.0)).spectrum
    assert spectrum.promise == "negative_type"
    assert spectrum.violated
    _, spectrum = wideberth.diagnose(grid[:9, 1:], transforms.cap("euclidean", 1.0)).spectrum
    assert not spectrum.violated


@pytest.mark.parametrize("kind", [Sum, Largest])
def test_functions_of_several_promise_what_all_do(kind):
    metric, other = promising(**HILBERTIAN), promising(**NOTHING)
    both, one = kind([metric, metric]), kind([metric, other])
    assert both.promises == Promises(
        obeys_triangle=True, negative_type=True if kind is Sum else None, bounded=False, separates=True
    )
    assert one.promises == Promises(bounded=False, separates=True)
    assert kind([other, other]).promises == Promises(bounded=False)
    bounded = promising(bounded=True)
    assert kind([bounded, bounded]).bounded is True
    assert kind([bounded, promising()]).bounded is None


@pytest.mark.parametrize(
    ("parts", "p", "expected"),
    [
        ([HILBERTIAN, HILBERTIAN], 1, {"obeys_triangle": True, "hilbertian": False, "negative_type": True}),
        ([HILBERTIAN, HILBERTIAN], 2, {"obeys_triangle": True, "hilbertian": True, "negative_type": True}),
        ([HILBERTIAN, HILBERTIAN], np.inf, {"obeys_triangle": True, "hilbertian": None, "negative_type": None}),
        ([HILBERTIAN, NEGATIVE], 1, {"obeys_triangle": True, "hilbertian": False, "negative_type": True}),
        ([HILBERTIAN, NEGATIVE], 2, {"obeys_triangle": True, "hilbertian": False, "negative_type": None}),
        ([HILBERTIAN, NEGATIVE], np.inf, {"obeys_triangle": True, "hilbertian": False, "negative_type": None}),
        ([HILBERTIAN, METRIC], 2, {"obeys_triangle": True, "hilbertian": None, "negative_type": None}),
        ([HILBERTIAN, NOTHING], 1, {"obeys_triangle": False, "hilbertian": False, "negative_type": False, "separates": False}),
        ([HILBERTIAN, NOTHING], 2, {"obeys_triangle": False, "hilbertian": False, "negative_type": False, "separates": False}),
        ([NOTHING, NOTHING], 2, {"obeys_triangle": None, "hilbertian": None, "negative_type": None, "separates": None}),
        ([HILBERTIAN], np.inf, {"obeys_triangle": True, "hilbertian": True, "negative_type": True}),
        ([NOTHING], 1, NOTHING),
    ],
)
def test_products_promise_what_their_parts_do(parts, p, expected):
    metric = Product({place: promising(**each) for place, each in enumerate(parts)}, p=p)
    for name, value in {"separates": True, "bounded": False, **expected}.items():
        assert getattr(metric, name) is value, name


def test_what_products_refute_is_seen():
    words_and_numbers = [(word, number) for word in ("", "a", "b", "ab", "ba") for number in (0.0, 1.0)]
    for p in (1, 2, np.inf):
        metric = transforms.product({0: "levenshtein", 1: "euclidean"}, p=p)
        found = wideberth.diagnose(words_and_numbers, metric)
        assert metric.hilbertian is False
        assert found.spectrum[0].violated
        assert not found.broken_promises
    square = transforms.product({0: "euclidean", 1: "euclidean"})
    assert wideberth.diagnose([(0, 0), (0, 1), (1, 0), (1, 1)], square).spectrum[0].violated


def test_the_root_of_a_squared_distance_is_a_metric_again():
    squared = transforms.power("euclidean", 2)
    assert (squared.obeys_triangle, squared.negative_type) == (None, True)
    assert transforms.power(squared, 0.5).hilbertian
    assert wideberth.diagnose(np.arange(4.0).reshape(-1, 1), squared).violation("triangle")


# ---- parameters ------------------------------------------------------------------------------------------------------------

NESTED = [
    *(function("minkowski") for function in OF_ONE),
    transforms.cap(transforms.saturate(transforms.scale("minkowski", 2)), 0.5),
    transforms.total("minkowski", transforms.cap("minkowski", 1)),
    transforms.largest("minkowski", "chebyshev"),
    transforms.product({"a": "minkowski", 3: "levenshtein"}, weights={"a": 2.0}, p=2),
]


@pytest.mark.parametrize("metric", NESTED, ids=repr)
def test_clones_and_pickles_are_equal(metric):
    for copy in (clone(metric), pickle.loads(pickle.dumps(metric))):
        assert repr(copy) == repr(metric)
        assert copy is not metric
        assert copy.name == metric.name
        assert copy.promises == metric.promises


@pytest.mark.parametrize(
    ("metric", "path"),
    [
        (NESTED[0], "metric__p"),
        (transforms.cap(transforms.saturate(transforms.scale("minkowski", 2)), 0.5), "metric__metric__metric__p"),
        (transforms.total("minkowski", transforms.cap("minkowski", 1)), "metrics__0__p"),
        (transforms.total("minkowski", transforms.cap("minkowski", 1)), "metrics__1__metric__p"),
        (transforms.product({"a": "minkowski", "b": "levenshtein"}), "parts__a__p"),
        (transforms.product({"with__lines": "minkowski"}), "parts__with__lines__p"),
        (transforms.product({0: "minkowski"}), "parts__0__p"),
    ],
)
def test_parameters_inside_are_reached_and_others_are_not_touched(metric, path):
    untouched = metric.get_params()
    copy = clone(metric).set_params(**{path: 3})
    assert copy.get_params()[path] == 3
    assert metric.get_params()[path] == 2.0
    inner = path.rpartition("__")[0]
    held = copy.get_params()[inner]
    copy.set_params(**{path: 1.5})
    assert held.p == 3  # somebody who holds the metric inside keeps what they hold
    assert copy.set_params(**{inner: wideberth.metric("euclidean")}).get_params()[inner].name == "euclidean"
    assert metric.get_params().keys() == untouched.keys()


def test_a_new_metric_and_its_parameter_can_be_set_at_once():
    metric = transforms.cap("levenshtein", 1).set_params(metric__p=3, metric=wideberth.metric("minkowski"))
    assert (metric.metric.p, metric.eats) == (3, "vectors")
    with pytest.raises(InvalidInput, match=r"'minkowski' has no parameter 'q'"):
        metric.set_params(metric__q=3)
    with pytest.raises(InvalidInput, match=r"parameter 'metrics' has no '7' in it\. It holds \['0', '1'\]"):
        transforms.total("levenshtein", "indel").set_params(metrics__7__p=3)
    with pytest.raises(InvalidInput, match=r"parameter 'at' has no 'p' in it\. It is 1"):
        metric.set_params(at__p=3)
    assert transforms.product({"a": "indel"}, {"a": 2}).set_params(weights__a=3).weights == {"a": 3}


def test_a_space_keeps_its_distances_when_parameters_change():
    metric = transforms.cap("minkowski", 100)
    space = wideberth.MetricSpace([[0.0, 0.0], [3.0, 4.0]], metric)
    metric.set_params(metric__p=1)
    assert (space.metric(0, 1), metric([0, 0], [3, 4])) == (5.0, 7.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: transforms.scale("euclidean", 0), r"factor=0 is not a positive number"),
        (lambda: transforms.scale("euclidean", True), "factor=True is not"),
        (lambda: transforms.cap("euclidean", np.inf), "at=inf is not"),
        (lambda: transforms.power("euclidean", -1), "exponent=-1 is not"),
        (lambda: transforms.one_minus_exp("euclidean", "2"), "rate='2' is not"),
        (lambda: Scaled("euclidean", 2), r"Scaled needs a Metric.*wideberth.transforms.scale also takes names"),
        (lambda: transforms.total("euclidean"), "Sum needs two metrics at least"),
        (lambda: Largest(["euclidean", "manhattan"]), "wideberth.transforms.largest"),
        (lambda: Product(["euclidean"]), "needs a metric for each part"),
        (lambda: transforms.product({}), "needs a metric for each part"),
        (lambda: transforms.product({"a": "euclidean"}, p=3), "p=3 is no way"),
        (lambda: transforms.product({"a": "euclidean"}, {"b": 1}), "a weight for 'b', which is no part"),
        (lambda: transforms.product({"a": "euclidean"}, {"a": 0}), r"weights\['a'\]=0 is not a positive number"),
        (lambda: transforms.product({"a": "euclidean"}, [1]), "do not say which part"),
    ],
)
def test_parameters_are_checked(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        wrong()


# ---- objects ---------------------------------------------------------------------------------------------------------------

PLACES = [
    {"name": "Ann", "at": (0.0, 0.0), "likes": {"tea"}},
    {"name": "Anna", "at": (3.0, 4.0), "likes": {"tea", "rum"}},
    {"name": "Bo", "at": (0.0, 1.0), "likes": {"rum"}},
]
PLACE = transforms.product({"name": "levenshtein", "at": "euclidean", "likes": "jaccard"})


@pytest.mark.parametrize(
    "rows",
    [
        PLACES,
        pd.DataFrame(PLACES),
        pd.DataFrame(PLACES)[["likes", "name", "at"]],
        [row for _, row in pd.DataFrame(PLACES).iterrows()],
    ],
    ids=["dicts", "frame", "other order", "rows of pandas"],
)
def test_objects_of_parts_come_in_many_forms(rows):
    np.testing.assert_allclose(PLACE.block(rows, PLACES)[0], [0, 6.5, 5])


def test_columns_of_numbers_are_vectors_of_one_number():
    metric = transforms.product({"name": "levenshtein", "age": transforms.scale("euclidean", 0.1)})
    for rows in (
        [{"name": "Ann", "age": 20}, {"name": "Anna", "age": 50}],
        pd.DataFrame({"name": ["Ann", "Anna"], "age": [20, 50]}),
        pl.DataFrame({"name": ["Ann", "Anna"], "age": [20, 50]}),
    ):
        assert metric.block(rows, rows)[0, 1] == 4
    assert transforms.product({0: "euclidean"}).block(np.array([[1.0, 2.0]]), np.array([[4.0, 2.0]])) == 3
    assert transforms.product({1: "euclidean"}).block([("a", 1)], [("b", 3)]) == 2
    assert metric.block([], [{"name": "Ann", "age": 20}]).shape == (0, 1)


def test_refused_parts_are_named():
    metric = transforms.product({"name": "levenshtein", "age": "euclidean"})
    with pytest.raises(InvalidInput, match=r"Part 'name': Object 1 is not a string.*None") as refused:
        metric.prepare([{"name": "Ann", "age": 1}, {"age": 2}])
    assert refused.value.witness == 1
    with pytest.raises(InvalidInput, match=r"no column 'age', which 'product\(name: levenshtein, age: euclidean\)' measures"):
        metric.prepare([{"name": "Ann"}])
    with pytest.raises(InvalidInput, match="no column 'name'"):
        metric.prepare([("Ann", 3)])
    with pytest.raises(InvalidInput, match="Part 'age': Vectors need finite numbers"):
        metric.prepare(pd.DataFrame({"name": ["Ann"], "age": [np.nan]}))


def test_infinite_distances_become_the_largest():
    matrix = wideberth.metric("precomputed", distances=[[0, np.inf], [np.inf, 0]])
    assert [function(matrix)(0, 1) for function in (transforms.saturate, transforms.one_minus_exp)] == [1, 1]
    assert transforms.cap(matrix, 3)(0, 1) == 3


def test_names_say_what_they_are():
    assert transforms.cap("levenshtein", 10).name == "cap(levenshtein, 10)"
    assert transforms.power(transforms.saturate("jaccard"), 0.5).name == "power(saturate(jaccard), 0.5)"
    assert transforms.total("euclidean", "manhattan").name == "total(euclidean, manhattan)"
    assert repr(transforms.scale("euclidean", 2)) == "Scaled(metric=Euclidean(), factor=2)"


# ---- geometry, classifiers and files ---------------------------------------------------------------------------------------

CLOUD = np.random.default_rng(0).normal(size=(300, 2)) + np.repeat([[0.0, 0.0], [2.5, 0.0]], 150, axis=0)
SIDES = np.repeat(["left", "right"], 150)
VECTOR_METRICS = [
    transforms.scale("euclidean", 0.37),
    transforms.cap("euclidean", 1.0),
    transforms.power("manhattan", 0.5),
    transforms.saturate("euclidean"),
    transforms.total("euclidean", "chebyshev"),
]


@pytest.mark.parametrize("metric", VECTOR_METRICS, ids=lambda metric: metric.name)
def test_indices_of_every_engine_agree(metric):
    expected = np.sort(metric.block(CLOUD[:20], CLOUD), axis=1)[:, :5]
    for engine in ("auto", "brute", "pivots", "tree"):
        index = wideberth.Index(CLOUD, metric, engine=engine)
        np.testing.assert_allclose(index.nearest(CLOUD[:20], k=5).distances, expected, rtol=1e-12)


@pytest.mark.parametrize("metric", VECTOR_METRICS, ids=lambda metric: metric.name)
def test_equal_rows_are_grouped(metric):
    rows = np.vstack([CLOUD[:50], CLOUD[:10]])
    assert group_equal(rows, metric).group_of.tolist() == [*range(50), *range(10)]
    tiny = np.array([[0.0, 1e-200], [0.0, 0.0], [0.0, 2e-200]])
    vanish = metric.block(tiny, tiny)[0, 1] == 0
    assert len(group_equal(tiny, metric)) == (1 if vanish else 3)


@pytest.mark.parametrize("metric", [transforms.cap("levenshtein", 3), transforms.saturate("levenshtein")], ids=str)
def test_certified_radii_hold(metric):
    texts = ["tea", "tee", "ten", "rum", "rom", "ram", "gin", "gym"]
    model = wideberth.LipschitzClassifier(metric, C=5).fit(texts, ["soft"] * 3 + ["hard"] * 5)
    radii = model.certified_radius(texts)
    assert radii.max() > 0
    others = [text + letter for text in texts for letter in "abt"] + [text[1:] for text in texts] + texts
    within = metric.block(texts, others) < radii[:, None]
    assert not (within & (model.predict(texts)[:, None] != model.predict(others))).any()


@parametrize_with_checks(
    [
        wideberth.NeighborsClassifier(transforms.saturate("euclidean")),
        wideberth.NeighborsClassifier(transforms.total("euclidean", "chebyshev")),
    ]
)
def test_scikit_learn_finds_nothing_wrong_with_vectors(estimator, check):
    check(estimator)


def test_searches_reach_parameters_inside():
    search = GridSearchCV(
        wideberth.NeighborsClassifier(transforms.cap("minkowski", 1.0), n_neighbors=3),
        {"metric__metric__p": [1, 2], "metric__at": [0.5, 3]},
        cv=3,
    ).fit(CLOUD, SIDES)
    assert search.best_score_ > 0.8
    assert search.best_estimator_.n_features_in_ == 2
    people = pd.DataFrame({"x": CLOUD[:, 0], "name": np.where(CLOUD[:, 1] > 0, "Ann", "Bo")})
    model = wideberth.NeighborsClassifier(transforms.product({"x": "minkowski", "name": "levenshtein"}), n_neighbors=3)
    search = GridSearchCV(model, {"metric__parts__x__p": [1, 2], "metric__p": [1, 2]}, cv=3).fit(people, SIDES)
    assert search.best_score_ > 0.8
    space = wideberth.MetricSpace(CLOUD, "euclidean")
    model = wideberth.NeighborsClassifier(transforms.cap(space.metric, 1.0), n_neighbors=3)
    assert GridSearchCV(model, {"metric__at": [0.5, 3.0]}, cv=3).fit(space.index, SIDES).best_score_ > 0.8


def round_trip(model, folder):
    wideberth.save(model, folder / "model.wb")
    return wideberth.load(folder / "model.wb")


FRAME = pd.DataFrame({"x": CLOUD[:40, 0], "name": ["Ann", "Bo"] * 20, "city": ["Ulm", "Bonn", "Kiel", "Ulm"] * 10})
TOKENS = [list(word) for word in ("tea", "tee", "rum", "rom")] * 10


@pytest.mark.parametrize(
    ("metric", "objects"),
    [
        (transforms.cap("euclidean", 1.5), CLOUD[:40]),
        (transforms.total("euclidean", "chebyshev"), CLOUD[:40]),
        (transforms.scale("mahalanobis", 2.0), CLOUD[:40]),
        (transforms.largest("levenshtein", transforms.power("jaccard", 0.5)), TOKENS),
        (transforms.product({"x": "euclidean", "name": "levenshtein"}, {"x": 0.5}, p=2), FRAME),
        (transforms.cap(transforms.product({"x": "euclidean", "name": transforms.saturate("levenshtein")}), 2.0), FRAME),
        (transforms.power("gower", 0.5), FRAME),
        (transforms.total("gower", transforms.product({"name": "levenshtein"})), FRAME),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
@pytest.mark.parametrize("kind", [wideberth.NeighborsClassifier, wideberth.LipschitzClassifier])
def test_models_of_transformed_metrics_are_saved(metric, objects, kind, tmp_path):
    model = kind(metric).fit(objects, [0, 1] * 20)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_array_equal(loaded.decision_function(objects), model.decision_function(objects))
    assert repr(loaded.metric_) == repr(model.metric_)
    assert loaded.metric_.promises == model.metric_.promises
    again = clone(loaded).fit(objects, [0, 1] * 20)
    np.testing.assert_array_equal(again.predict(objects), model.predict(objects))


def test_models_on_spaces_and_matrices_are_saved(tmp_path):
    objects, labels = CLOUD[::5], SIDES[::5]
    space = wideberth.MetricSpace(objects, "euclidean")
    model = wideberth.NeighborsClassifier(transforms.saturate(transforms.cap(space.metric, 2.0))).fit(space.index, labels)
    np.testing.assert_array_equal(round_trip(model, tmp_path).predict(objects), model.predict(space.index))
    distances = wideberth.pairwise_distances(objects)
    matrix = transforms.cap(wideberth.metric("precomputed", distances=distances, obeys_triangle=True), 2.0)
    model = wideberth.NeighborsClassifier(matrix).fit(np.arange(len(objects)), labels)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_array_equal(loaded.predict(distances), model.predict(np.arange(len(objects))))
    assert loaded.metric_.obeys_triangle
    several = wideberth.NeighborsClassifier(transforms.total(space.metric, space.metric)).fit(space.index, labels)
    assert (several.predict(space.index) == labels).mean() > 0.8
    with pytest.raises(InvalidInput, match="Fit on the objects"):
        wideberth.save(several, tmp_path / "several.wb")
    own = wideberth.NeighborsClassifier(transforms.cap(lambda a, b: abs(a[0] - b[0]), 2.0)).fit(objects[:20], labels[:20])
    with pytest.raises(InvalidInput, match="Python code of your own"):
        wideberth.save(own, tmp_path / "own.wb")


def test_wrapping_changes_nothing_but_the_distance():
    inner = wideberth.metric("minkowski")
    for function in OF_ONE:
        metric = function(inner)
        assert (metric.eats, metric.parallel, metric.metric) == (inner.eats, inner.parallel, inner)
        assert metric.fitted(CLOUD) is metric
    slow = transforms.total("euclidean", wideberth.metric(lambda a, b: 0.0))
    assert slow.parallel == "processes"
    assert slow.eats == "vectors"
    space = wideberth.MetricSpace(CLOUD[:5])
    assert transforms.total(space.metric, space.metric).parallel is None
    assert replace(transforms.scale(inner, 1).promises) == inner.promises


@given(sets)
@settings(max_examples=10, deadline=None)
def test_unfitted_metrics_inside_are_fitted_by_everybody(objects):
    rows = [{"members": len(each), "likes": str(sorted(map(str, each)))} for each in objects]
    for metric in (transforms.cap("gower", 0.5), transforms.total("gower", "gower")):
        assert wideberth.pairwise_distances(rows, metric=metric).shape == (len(rows), len(rows))
        assert wideberth.MetricSpace(rows, metric).metric(0, 0) == 0
        assert wideberth.Index(rows, metric).nearest(rows).distances.max() == 0
