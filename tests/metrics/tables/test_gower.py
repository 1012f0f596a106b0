"""Gower's distance: its definition, missing values, tables in every form, and the whole way through
classifiers and files.
"""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import gower as twin
from sklearn.model_selection import GridSearchCV, cross_val_score
from strategies import table_rows

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.metrics.tables.cells import ShownTable
from wideberth.metrics.tables.gower import Gower
from wideberth.metrics.tables.mixed_rows import MixedRows

PEOPLE = [
    {"age": 20, "city": "Ulm", "member": True},
    {"age": 60, "city": "Ulm", "member": False},
    {"age": 30, "city": "Bonn", "member": True},
    {"age": 50, "city": "Kiel", "member": True},
]
DISTANCES = (
    np.array([[0, 2, 1.25, 1.75], [2, 0, 2.75, 2.25], [1.25, 2.75, 0, 1.5], [1.75, 2.25, 1.5, 0]])
    / 3
)


@pytest.mark.kernels
@pytest.mark.parametrize("missing", ["far", "skip"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_blocks_equal_the_definition(missing, data):
    rows = data.draw(table_rows(missing=True))
    if missing == "skip":  # nothing is left to compare in rows without a common column
        rows = [row | {"text there": str(place % 2)} for place, row in enumerate(rows)]
    metric = Gower(missing=missing).fitted(rows)
    ranges = twin.ranges(rows)
    assert {name: width or 0.0 for name, width in metric.ranges.items()} == {
        name: width or 0.0 for name, width in ranges.items()
    }
    expected = [[twin.gower(one, other, ranges, missing) for other in rows] for one in rows]
    measured = metric.block(rows, rows)
    np.testing.assert_allclose(measured, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(measured, measured.T)


@pytest.mark.parametrize("missing", ["far", "skip"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_promises_are_kept_whatever_is_missing(missing, data):
    rows = data.draw(table_rows(missing=missing == "far"))
    metric = Gower(missing=missing).fitted(rows)
    check_metric(metric, rows)
    assert not wideberth.diagnose(rows, metric).broken_promises


@given(table_rows(missing=True), table_rows(missing=True))
@settings(max_examples=25, deadline=None)
def test_new_rows_may_lie_outside_everything_seen(rows, others):
    ranges = {name: 1.5 if name.startswith("number") else None for row in rows[:1] for name in row}
    widened = rows + [{name: row.get(name) for name in ranges} for row in others]
    metric = Gower(ranges)
    distances = metric.block(widened, widened)
    assert distances.max(initial=0) <= 1
    check_metric(metric, widened)


def frame_forms(rows):
    table = pd.DataFrame(rows)
    return {
        "dicts": rows,
        "array of dicts": np.array(rows),
        "pandas": table,
        "pandas objects": table.astype(object),
        "pandas categories": table.astype({"city": "category"}),
        "pandas nullable": table.convert_dtypes(),
        "polars": pl.DataFrame(rows),
        "polars categories": pl.DataFrame(rows).with_columns(pl.col("city").cast(pl.Categorical)),
        "other order": table[["member", "age", "city"]],
        "more columns": table.assign(weight=1.0),
        "rows of pandas": [row for _, row in table.iterrows()],
    }


NAMELESS = {
    "tuples": [tuple(row.values()) for row in PEOPLE],
    "lists": [list(row.values()) for row in PEOPLE],
    "array": pd.DataFrame(PEOPLE).astype(object).to_numpy(),
    "named tuples": list(pd.DataFrame(PEOPLE).itertuples(index=False)),
}


@pytest.mark.parametrize("form", frame_forms(PEOPLE))
def test_tables_come_in_many_forms_and_are_matched_by_name(form):
    rows = frame_forms(PEOPLE)[form]
    metric = Gower().fitted(PEOPLE)
    np.testing.assert_allclose(metric.block(rows, PEOPLE), DISTANCES, rtol=1e-14)
    if form != "more columns":
        assert dict(Gower().fitted(rows).ranges) == {"age": 40.0, "city": None, "member": None}


@pytest.mark.parametrize("form", NAMELESS)
def test_rows_without_names_are_matched_by_position(form):
    rows = NAMELESS[form]
    metric = Gower().fitted(rows)
    assert metric.ranges == {0: 40.0, 1: None, 2: None}
    np.testing.assert_allclose(metric.block(rows, NAMELESS["tuples"]), DISTANCES, rtol=1e-14)
    np.testing.assert_allclose(Gower().fitted(PEOPLE).block(rows, PEOPLE), DISTANCES, rtol=1e-14)


def test_numeric_tables_and_single_columns_are_tables_too():
    numbers = np.array([[0.0, 1.0], [10.0, 3.0], [5.0, 1.0]])
    metric = Gower().fitted(numbers)
    assert metric.block(numbers, numbers)[0].tolist() == [0.0, 1.0, 0.25]
    for library in (pd, pl):
        space = wideberth.MetricSpace(
            library.DataFrame({"x": numbers[:, 0], "y": numbers[:, 1]}), "gower"
        )
        moved = space.append(library.DataFrame({"y": [1.0], "x": [10.0]}))
        assert space.metric(0, moved[0, 0]) == 0.5  # matched by name, although both are numbers
    single = pd.DataFrame({"city": ["Ulm", "Bonn", "Ulm"]})
    assert wideberth.pairwise_distances(single, metric="gower")[0].tolist() == [0, 1, 0]
    assert wideberth.MetricSpace(single, "gower").metric(0, 1) == 1
    assert wideberth.diagnose(single, "gower").is_metric is True


def test_numbers_that_are_declared_categories_are():
    frame = pd.DataFrame({"zip": [10, 20, 30, 10]})
    metric = Gower().fitted(frame.astype("category"))
    assert metric.ranges == {"zip": None}
    assert metric.block(frame, frame)[0].tolist() == [0, 1, 1, 0]
    assert Gower({"zip": None}).block([{"zip": 10}], [{"zip": 10.0}, {"zip": "10"}]).tolist() == [
        [0, 1]
    ]
    assert Gower({"zip": 20.0}).block(frame.astype("category"), frame)[0].tolist() == [0, 0.5, 1, 0]


def test_a_single_column_of_categories_is_a_simplex_and_nothing_else_is():
    assert Gower({"city": None}).hilbertian is True
    assert Gower({"age": 0}).hilbertian is True
    assert Gower({"age": 5.0}).hilbertian is False
    assert Gower({"city": None, "street": None}).hilbertian is False
    assert Gower().hilbertian is False
    check_metric(Gower({0: None}), [("a",), ("b",), ("c",), ("a",)])
    line = Gower({0: 2.0})
    (spectrum, _) = wideberth.diagnose([(0,), (1,), (2,), (3,)], line).spectrum
    assert spectrum.violated


def test_far_is_a_metric_and_skip_is_none():
    rows = [("a", None), ("a", "b"), ("a", "c")]
    far = wideberth.diagnose(rows, Gower())
    assert far.is_metric is True
    assert not far.broken_promises
    skip = wideberth.diagnose(rows, Gower(missing="skip"))
    assert skip.violation("triangle").values == (0.5, 0.0, 0.0)
    assert all(fact.violated for fact in skip.spectrum)
    assert not skip.broken_promises
    metric = Gower({0: None, 1: None}, "skip")
    assert (metric.obeys_triangle, metric.hilbertian, metric.negative_type, metric.separates) == (
        False,
    ) * 4
    assert metric(*rows[:2]) == 0
    single = Gower({0: None}, "skip")
    assert single.obeys_triangle
    check_metric(single, [("a",), ("b",), ("a",)])


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT, np.float32("nan")], ids=str)
def test_whatever_says_missing_is_missing(nothing):
    rows = [
        {"age": 20, "city": "Ulm"},
        {"age": nothing, "city": nothing},
        {"city": "Bonn", "age": 30},
    ]
    metric = Gower().fitted(rows)
    assert metric.ranges == {"age": 10.0, "city": None}
    assert metric.block(rows, rows).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    frames = [
        pd.DataFrame(rows, dtype=object),
        pl.DataFrame({"age": [20, None, 30], "city": ["Ulm", None, "Bonn"]}),
    ]
    for frame in [*frames, pd.DataFrame({"age": [20, None, 30], "city": ["Ulm", None, "Bonn"]})]:
        assert metric.block(frame, rows)[1].tolist() == [1, 0, 1]


def test_samples_prepared_apart_agree_on_their_categories():
    metric = Gower().fitted(PEOPLE)
    left, right = (
        metric.prepare(PEOPLE[2:]),
        metric.prepare([{"age": 30, "city": "Rom", "member": True}, *PEOPLE]),
    )
    np.testing.assert_allclose(metric.block(left, right)[:, 1:], DISTANCES[2:], rtol=1e-14)
    assert metric.block(left, right)[0, 0] == 1 / 3  # a category never seen differs
    np.testing.assert_allclose(
        metric.block(left.take([1]), right.take(slice(1, None))), DISTANCES[3:], rtol=1e-14
    )


@pytest.mark.parametrize(
    ("rows", "message", "witness"),
    [
        ([{"age": 1}, {"age": np.inf}], "Row 1 holds inf in column 'age'", (1, "age")),
        (
            [{"age": 1}, {"age": 2**60}],
            "Row 1 holds 1152921504606846976 in column 'age'",
            (1, "age"),
        ),
        (
            [{"age": 1}, {"age": "old"}],
            "'age' holds numbers and other values: 1 in row 0, 'old' in row 1",
            (0, 1),
        ),
        ([{"age": 1}, (2,)], "Object 1 is not the row of a table", 1),
        (
            [{"born": pd.Timestamp("2000-01-01")}, {"born": 3}],
            "'born' holds numbers and other values: 3 in row 1",
            (1, 0),
        ),
        ([{"likes": {"tea"}}], "row 0 holds the set", (0, "likes")),
        ([(1, 2), (1,)], "row 0 has 2 values, row 1 has 1", 1),
        (["tea"], "Object 0 is not the row of a table: 'tea'", 0),
        (pd.Series(["tea"]), "Object 0 is not the row of a table: 'tea'", 0),
        (np.array([1.0]), "Object 0 is not the row of a table", 0),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "2 columns are called 'a'", "a"),
    ],
)
def test_refused_rows_are_named(rows, message, witness):
    with pytest.raises(InvalidInput, match=message) as refused:
        wideberth.pairwise_distances(rows, metric="gower")
    assert refused.value.witness == witness


def test_a_missing_value_differs_unless_it_is_skipped():
    rows = [{"age": 1, "city": "Ulm"}, {"age": None, "city": "Ulm"}, {"age": 2, "city": "Ulm"}]
    assert wideberth.pairwise_distances(rows, metric="gower")[0].tolist() == [0, 0.5, 0.5]
    assert wideberth.pairwise_distances(rows, metric=wideberth.metric("gower", missing="skip"))[
        0
    ].tolist() == [0, 0, 0.5]


def test_later_tables_need_the_same_columns():
    metric = Gower().fitted(PEOPLE)
    for later in (pd.DataFrame({"age": [3], "city": ["Ulm"]}), [{"age": 3, "city": "Ulm"}]):
        with pytest.raises(
            InvalidInput,
            match="no column 'member', which 'gower' measures; there are 'age', 'city'",
        ):
            metric.prepare(later)
    with pytest.raises(InvalidInput, match="Rows of 2 values, where 'gower' measures 3 columns"):
        metric.prepare([(3, "Ulm")])
    with pytest.raises(InvalidInput, match="'age' is one of numbers, but row 1 holds 'old'"):
        metric.prepare([*PEOPLE[:1], {"age": "old", "city": "Ulm", "member": True}])
    with pytest.raises(InvalidInput, match="prepared with 1 columns of numbers and 2 others"):
        Gower({"age": None}).prepare(metric.prepare(PEOPLE))
    with pytest.raises(InvalidInput, match="no column 0"):
        Gower({0: None}).prepare(PEOPLE)


def test_nothing_is_measured_before_the_ranges_are_known():
    with pytest.raises(InvalidInput, match=r"fitted\(rows\)"):
        wideberth.metric("gower")(PEOPLE[0], PEOPLE[1])
    assert wideberth.metric("gower").fitted(PEOPLE)(PEOPLE[0], PEOPLE[1]) == 2 / 3
    assert Gower({"age": 50.0, "city": None})(PEOPLE[0], PEOPLE[2]) == 0.6
    for nothing in ([], pd.DataFrame({"age": []}), [{}]):
        with pytest.raises(InvalidInput, match="no rows to learn"):
            Gower().fitted(nothing)
    metric = Gower().fitted(PEOPLE)
    assert metric.fitted(PEOPLE[:2]) is metric
    assert metric.block([], PEOPLE).shape == (0, 4)
    assert metric.block(PEOPLE, pd.DataFrame(PEOPLE)[:0]).shape == (4, 0)


def test_rows_without_a_common_column_are_refused_with_the_columns_they_have():
    rows = [{"city": "Ulm", "age": None}, {"city": None, "age": 3}, {"city": "Ulm", "age": 4}]
    metric = Gower(missing="skip").fitted(rows)
    with pytest.raises(
        InvalidInput, match=r"one has 'city', the other 'age'.*missing='far'"
    ) as refused:
        metric.block(rows, rows)
    assert refused.value.witness == (0, 1)
    check_metric(Gower(), rows)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ranges": {}}, "names no columns"),
        ({"ranges": [3.0]}, "names no columns"),
        ({"ranges": {"age": -1}}, "range of column 'age' cannot be -1"),
        ({"ranges": {"age": np.inf}}, "cannot be inf"),
        ({"ranges": {"age": True}}, "cannot be True"),
        ({"ranges": {"age": "old"}}, "cannot be 'old'"),
        ({"missing": "drop"}, "missing='drop' does not say"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(InvalidInput, match=message):
        Gower(**parameters)


def test_ranges_beyond_floats_are_refused():
    with (
        pytest.raises(InvalidInput, match="more than a float can hold"),
        np.errstate(over="ignore"),
    ):
        Gower().fitted([(1e308,), (-1e308,)])


@pytest.fixture
def table():
    """Two columns of one hundred that tell the classes apart, one of noise."""
    rng = np.random.default_rng(0)
    labels = np.arange(100) % 2
    frame = pd.DataFrame(
        {
            "size": rng.normal(labels * 3.0, 1.0),
            "colour": np.where(rng.random(100) < 0.9, np.where(labels == 1, "red", "blue"), "grey"),
            "heavy": rng.random(100) < 0.5,
        }
    )
    return frame, np.array(["tea", "rum"])[labels]


@pytest.mark.parametrize(
    "form",
    [
        lambda frame: frame,
        pytest.param(pl.from_pandas, marks=pytest.mark.slow),
        pytest.param(lambda frame: frame.to_dict("records"), marks=pytest.mark.slow),
    ],
)
def test_frames_go_through_classifiers_searches_and_files(table, tmp_path, form):
    frame, labels = form(table[0]), table[1]
    half = frame[:50] if isinstance(frame, list) else frame.head(50)
    for model in (wideberth.NeighborsClassifier("gower"), wideberth.LipschitzClassifier("gower")):
        answers = model.fit(half, labels[:50]).predict(frame)
        assert (answers == labels).mean() > 0.85
        wideberth.save(model, tmp_path / "model.wb")
        loaded = wideberth.load(tmp_path / "model.wb")
        np.testing.assert_array_equal(loaded.predict(frame), answers)
        assert loaded.metric_.ranges == model.metric_.ranges
    search = GridSearchCV(
        wideberth.NeighborsClassifier("gower"), {"n_neighbors": [1, 5]}, cv=3
    ).fit(frame, labels)
    assert search.best_score_ > 0.85
    missing = {"metric__missing": ["far", "skip"]}
    assert (
        GridSearchCV(wideberth.NeighborsClassifier(Gower()), missing, cv=3)
        .fit(frame, labels)
        .best_score_
        > 0.85
    )


def test_spaces_of_rows_append_match_and_save(table, tmp_path):
    frame, labels = table
    space = wideberth.MetricSpace(frame[:60], "gower", cache=tmp_path / "cache")
    model = wideberth.LipschitzClassifier(space.metric).fit(space.index, labels[:60])
    plain = wideberth.LipschitzClassifier("gower").fit(frame[:60], labels[:60])
    moved = space.append(frame.iloc[60:, ::-1])
    np.testing.assert_array_equal(model.predict(moved), plain.predict(frame[60:]))
    wideberth.save(model, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "model.wb").predict(frame[60:]), plain.predict(frame[60:])
    )
    assert (
        cross_val_score(
            wideberth.LipschitzClassifierCV("gower", C=[2.0, 10.0]), frame, labels, cv=2
        ).mean()
        > 0.8
    )


def test_certified_radii_hold_on_rows(table):
    frame, labels = table
    model = wideberth.LipschitzClassifier(Gower()).fit(frame, labels)
    radius = model.certified_radius(frame[:20])
    other = frame.sample(frac=1, random_state=0)
    distances = model.metric_.block(frame[:20], other)
    answers, others = model.predict(frame[:20]), model.predict(other)
    assert not ((distances < radius[:, None]) & (answers[:, None] != others)).any()
    assert radius.max() > 0


def test_equal_rows_are_grouped():
    rows = [
        {"age": 1, "city": "Ulm"},
        {"age": 2, "city": "Ulm"},
        {"city": "Ulm", "age": 1.0},
        {"age": 1, "city": "Bonn"},
    ]
    assert group_equal(rows, "gower").group_of.tolist() == [0, 1, 0, 2]
    assert group_equal(pd.DataFrame(rows), "gower").group_of.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    "plain",
    [
        {"numbers": np.zeros((1, 3)), "codes": np.zeros((1, 2), dtype=np.int64)},
        {"numbers": np.zeros((1, 3)), "codes": np.zeros((1, 3))},
        {"numbers": np.zeros((1, 3), dtype=int), "codes": np.zeros((1, 3), dtype=np.int64)},
        {"numbers": np.zeros(3), "codes": np.zeros((1, 3), dtype=np.int64)},
        {"numbers": np.full((1, 3), np.inf), "codes": np.zeros((1, 3), dtype=np.int64)},
        {"numbers": [[0.0]], "codes": np.zeros((1, 1), dtype=np.int64)},
        {},
    ],
)
def test_rows_out_of_files_are_checked(plain):
    with pytest.raises(ValueError, match=r"rows|codes"):
        MixedRows.from_plain(plain)


def test_a_file_whose_columns_do_not_fit_is_refused(tmp_path, monkeypatch):
    model = wideberth.NeighborsClassifier("gower", n_neighbors=1).fit(PEOPLE, [0, 1, 0, 1])
    model.metric_ = Gower({"age": 3.0})
    wideberth.save(model, tmp_path / "model.wb")
    with pytest.raises(InvalidFile, match="prepared with 1 columns of numbers and 2 others"):
        wideberth.load(tmp_path / "model.wb")


DAYS = [date(2024, 1, 1), date(2024, 1, 11), None, date(2024, 1, 6)]


@pytest.mark.parametrize(
    "days",
    [
        DAYS,
        [
            None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)
            for day in DAYS
        ],
        [None if day is None else pd.Timestamp(day) for day in DAYS],
        pd.Series(pd.to_datetime(pd.Series(DAYS))),
        pd.Series(pd.to_datetime(pd.Series(DAYS))).dt.tz_localize("UTC"),
        pl.Series(DAYS),
        np.array(DAYS, dtype="datetime64[D]"),
    ],
    ids=["dates", "moments", "timestamps", "pandas", "pandas with a zone", "polars", "numpy"],
)
def test_dates_are_days(days):
    frame = (
        pl.DataFrame({"born": days})
        if isinstance(days, pl.Series)
        else pd.DataFrame({"born": days})
    )
    metric = Gower().fitted(frame)
    assert metric.ranges == {"born": 10.0}
    assert metric.block(frame, frame).round(12)[0].tolist() == [0.0, 1.0, 1.0, 0.5]
    assert not wideberth.diagnose(frame, metric).broken_promises
    apart = wideberth.transforms.product({"born": "euclidean"})
    assert apart(*[{"born": day} for day in DAYS[:2]]) == 10.0


def test_ordered_categories_are_ranks(tmp_path):
    sizes = pd.Categorical(["S", "L", "M", "S", None], categories=["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": sizes, "price": [1.0, 2.0, 3.0, 1.5, 2.5]})
    metric = Gower().fitted(frame)
    assert metric.ranges == {"size": ("S", "M", "L"), "price": 2.0}
    assert Gower({"size": ("S", "M", "L")}).block(
        [{"size": "S"}], [{"size": size} for size in "SML"]
    ).tolist() == [[0, 0.5, 1]]
    check_metric(metric, frame)
    model = wideberth.NeighborsClassifier(Gower(), n_neighbors=1).fit(frame, [0, 1, 1, 0, 1])
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    assert loaded.metric_.ranges == metric.ranges
    assert loaded.predict([{"size": "S", "price": 1.2}]).tolist() == [0]
    with pytest.raises(
        InvalidInput,
        match=r"row 0 holds 'XL', which has no place among them. They are 'S', 'M', 'L'",
    ):
        loaded.predict([{"size": "XL", "price": 1.2}])
    one = Gower({"size": ("S",)})
    assert (one.hilbertian, one(("S",), ("S",))) == (True, 0.0)
    unordered = pd.DataFrame({"size": pd.Categorical(["S", "L"])})
    assert Gower().fitted(unordered).ranges == {"size": None}


@pytest.mark.kernels
@pytest.mark.parametrize("missing", ["far", "skip"])
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_weights_equal_the_definition(missing, data):
    rows = data.draw(table_rows(missing=missing == "far"))
    rows = [{"level": data.draw(st.sampled_from("SML")), **row} for row in rows]
    ranges = {"level": ("S", "M", "L"), **twin.ranges(rows)} | {"level": ("S", "M", "L")}
    weights = {name: data.draw(st.floats(0.1, 5)) for name in ranges if data.draw(st.booleans())}
    metric = Gower(ranges, missing, weights)
    expected = [
        [twin.gower(one, other, ranges, missing, weights) for other in rows] for one in rows
    ]
    np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-12, atol=1e-15)
    assert not wideberth.diagnose(rows, metric).broken_promises


def test_weights_are_learned_with_and_checked():
    rows = [{"age": 20, "city": "Ulm"}, {"age": 60, "city": "Bonn"}]
    metric = Gower(weights={"age": 3.0}).fitted(rows)
    assert metric({"age": 20, "city": "Ulm"}, {"age": 60, "city": "Ulm"}) == 0.75
    with pytest.raises(
        InvalidInput,
        match=r"There is a weight for 'size', which is no column. The columns are 'age', 'city'",
    ):
        Gower(weights={"size": 2.0}).fitted(rows)
    with pytest.raises(InvalidInput, match=r"weights\['age'\] must be a positive number"):
        Gower(weights={"age": 0})
    with pytest.raises(InvalidInput, match="do not say which column"):
        Gower(weights=[1.0])
    for levels in ((), ("S", "S"), ((1,),)):
        with pytest.raises(InvalidInput, match="The range of column 'size' cannot be"):
            Gower({"size": levels})


def test_an_order_that_the_rows_do_not_say_is_learned_with():
    rows = [{"size": "S", "price": 20}, {"size": "L", "price": 30}, {"size": "M", "price": 20}]
    metric = Gower(ordered={"size": ["S", "M", "L"]}, weights={"size": 3.0}).fitted(rows)
    assert metric.ranges == {"size": ("S", "M", "L"), "price": 10.0}
    assert metric(rows[0], rows[2]) == 0.375
    with pytest.raises(InvalidInput, match="There is no column 'colour'"):
        Gower(ordered={"colour": ("red", "blue")}).fitted(rows)
    with pytest.raises(InvalidInput, match="Beside ranges"):
        Gower(ranges={"size": None}, ordered={"size": ("S", "M")})
    for wrong in ({"size": ("S", "S")}, {"size": "SML"}, ["size"]):
        with pytest.raises(InvalidInput, match="does not list the categories"):
            Gower(ordered=wrong)


def frames_of_every_type():
    """A frame of pandas and one of polars with all types of columns that tables have, and gaps."""
    kinds = {"n": [1, 2, None], "truth": [True, None, False], "word": ["p", None, "q"]}
    days = ["2024-01-01", None, "2024-03-05"]
    pandas = pd.DataFrame(
        {
            "n": pd.array(kinds["n"] * 4, dtype="Int64"),
            "truth": pd.array(kinds["truth"] * 4, dtype="boolean"),
            "word": pd.array(kinds["word"] * 4, dtype="string"),
            "plain": [True, False] * 6,
            "category": pd.Categorical(kinds["word"] * 4),
            "level": pd.Categorical(["S", "L", "S"] * 4, categories=["S", "L"], ordered=True),
            "day": pd.to_datetime(days * 4),
            "length": pd.to_timedelta(["1 day", None, "36 h"] * 4),
        }
    )
    polars = pl.DataFrame({name: values * 4 for name, values in kinds.items()}).with_columns(
        pl.Series(days * 4).str.to_date().alias("day"),
        pl.Series(kinds["word"] * 4).cast(pl.Categorical).alias("category"),
    )
    return pandas, polars


@pytest.mark.parametrize(
    "family",
    [
        wideberth.NeighborsClassifier,
        wideberth.MarginNeighborsClassifier,
        wideberth.LipschitzClassifier,
        wideberth.LPMachineClassifier,
        wideberth.HilbertSVC,
    ],
)
def test_frames_with_columns_of_every_type_are_learned_and_answered(family):
    for frame in frames_of_every_type():
        model = family("gower").fit(frame, ["tea", "rum", "gin"] * 4)
        rows = frame.to_dict("records") if hasattr(frame, "iloc") else frame.to_dicts()
        assert model.predict(frame).tolist() == model.predict(rows).tolist()
        assert model.predict(frame).tolist() == ["tea", "rum", "gin"] * 4


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_arrays_of_dates_are_compared_and_shown_as_dates_and_are_no_vectors(unit):
    days = np.array(["2024-05-18", "2024-05-20", "2024-06-18", "NaT"], dtype=f"M8[{unit}]")
    table = np.stack([days, days + np.timedelta64(1, "D")], axis=1)
    lengths = table - table[0]
    for X, first in ((table, ["2024-05-18", "2024-05-19"]), (lengths, ["0:00:00", "0:00:00"])):
        model = wideberth.AutoClassifier(max_time=None, candidates="neighbors").fit(X, [0, 0, 1, 1])
        shown = ShownTable.of(X, model.metric_)
        assert (shown.cells(0), shown.cells(3)) == (first, ["—", "—"])
        assert shown.cells_of(model.metric_.as_objects(model.metric_.prepare(X[:1]))[0]) == first
        with pytest.raises(InvalidInput, match="'gower', or convert them to numbers of days"):
            wideberth.NeighborsClassifier("euclidean").fit(X, [0, 0, 1, 1])


def test_lengths_of_time_are_days():
    frame = frames_of_every_type()[0][["length"]]
    assert Gower().fitted(frame.dropna()).ranges == {"length": 0.5}


@pytest.mark.parametrize(
    "ask", [wideberth.diagnose, lambda X, m: wideberth.NeighborsClassifier(m).fit(X, [0, 1])]
)
def test_metrics_on_numbers_name_the_column_that_holds_none(ask):
    numbers = pd.DataFrame({"a": [1.0, 2.0], "b": [1, None]}, dtype=object)
    ask(numbers, "standardized")
    for column, told in (
        (["x", None], "'x'"),
        (pd.to_datetime(["2024-01-01", None]), "Timestamp('2024-01-01 00:00:00')"),
        (pd.Categorical(["x", "y"]), "'x'"),
    ):
        with pytest.raises(InvalidInput, match="column 'c' holds") as refused:
            ask(numbers.assign(c=column, d="x"), "standardized")
        for words in (told, "and 1 more column no numbers either", "metric 'gower'"):
            assert words in str(refused.value)
        ask(numbers.assign(c=column), "gower")
