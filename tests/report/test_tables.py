"""Reports of tables: objects are rows, columns are described, and radii are told in their units."""

import datetime

import numpy as np
import pytest

import wideberth as wb
from wideberth.report import Report
from wideberth.report.facts.columns import exchanged

START = datetime.date(2020, 1, 1)


def passengers(n, seed=0):
    """Rows of which two columns decide on the label, and others do not; some cells are missing."""
    draw = np.random.default_rng(seed)
    rows, labels = [], []
    for _ in range(n):
        age, sex = float(draw.integers(1, 80)), str(draw.choice(["man", "woman"]))
        labels.append("yes" if (sex == "woman") != (age < 15) else "no")
        rows.append(
            {
                "age": age if draw.random() > 0.1 else None,
                "sex": sex,
                "booked": START + datetime.timedelta(days=int(draw.integers(0, 300))),
                "alone": bool(draw.random() < 0.5),
            }
        )
    return rows, np.array(labels)


@pytest.fixture(scope="module")
def reported():
    """A model, rows that are new to it, and the facts about them."""
    rows, labels = passengers(140)
    model = wb.NeighborsClassifier("gower", n_neighbors=3).fit(rows[:90], labels[:90])
    return model, rows, labels, Report(model, rows[90:], labels[90:]).facts


def test_objects_are_rows_and_so_are_their_witnesses(reported):
    _, rows, _, facts = reported
    assert facts["table"]["names"] == ["age", "sex", "booked", "alone"]

    def cells(row):
        age = "—" if row["age"] is None else str(int(row["age"]))
        return [age, row["sex"], str(row["booked"]), str(row["alone"])]

    assert [drawn["cells"] for drawn in facts["objects"]["drawing"]] == [*map(cells, rows[90:])]
    learned = [*map(cells, rows[:90])]
    witnesses = facts["training"]
    assert [drawn["cells"] for drawn in witnesses["drawing"]] == [
        learned[number - 50] for number in witnesses["number"]
    ]


def test_columns_are_described_by_all_their_values(reported):
    _, rows, _, facts = reported
    age, sex, booked, alone = facts["table"]["columns"]
    assert [each["kind"] for each in (age, sex, booked, alone)] == [
        "numbers",
        "categories",
        "dates",
        "truth values",
    ]
    assert age["missing"] == sum(row["age"] is None for row in rows[90:]) > 0
    assert sum(age["drawing"]["values"]) == 50 - age["missing"]
    women = sum(row["sex"] == "woman" for row in rows[90:])
    assert ["woman", women] in sex["frequent"]
    assert booked["range"][0] == str(min(row["booked"] for row in rows[90:]))
    hidden = Report(reported[0], rows[90:], reported[2][90:], show_objects=False).facts["table"]
    assert all({"range", "frequent"}.isdisjoint(each) for each in hidden["columns"])


def test_what_decides_matters_beyond_the_noise_and_what_does_not_stays_within(reported):
    model, rows, labels, facts = reported
    matters = facts["table"]["matters"]
    assert (matters["rows"], matters["repeats"]) == (50, 5)
    assert matters["error"] == pytest.approx(np.mean(model.predict(rows[90:]) != labels[90:]))
    sex, alone = (matters["more"][place] - matters["noise"][place] for place in (1, 3))
    assert sex > 0.1
    assert alone < 0.05
    order = np.random.default_rng(1).permutation(50)  # the same by hand
    moved = [rows[90 + i] | {"sex": rows[90 + other]["sex"]} for i, other in enumerate(order)]
    assert exchanged(rows[90:], "sex", order) == moved
    more = np.mean(model.predict(moved) != labels[90:]) - matters["error"]
    assert more == pytest.approx(matters["more"][1], abs=0.15)


def stated(text):
    return float(text.removeprefix("less than ").removesuffix(" days"))


def test_rows_that_move_by_less_than_is_stated_keep_their_label(reported):
    model, rows, _, facts = reported
    told, tried = model.predict(rows[90:]), 0
    for place, moves in enumerate(facts["objects"]["moves"]):
        row = rows[90 + place]
        for name, text in zip(facts["table"]["names"], moves, strict=True):
            if text is None or row[name] is None:
                continue
            if text == "any value":
                others = {each[name] for each in rows} | {None}
                moved = [row | {name: other} for other in others]
            else:
                most = stated(text) * (1 - 1e-9)
                if name == "booked":
                    ends = [datetime.timedelta(days=int(most)) * sign for sign in (-1, 1)]
                else:
                    ends = [-most, -0.5 * most, 0.5 * most, most]
                moved = [row | {name: row[name] + end} for end in ends]
            assert set(model.predict(moved)) == {told[place]}
            tried += len(moved)
    assert tried > 50


def test_vectors_that_move_by_less_than_is_stated_keep_their_label():
    draw = np.random.default_rng(0)
    codes = np.arange(120) % 3
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[codes] * [1, 100] + draw.normal(
        size=(120, 2)
    ) * [1, 100]
    model = wb.LipschitzClassifier("standardized", C=5.0).fit(X[:60], codes[:60])
    facts = Report(model, X[60:], codes[60:], columns=["kg", "g"]).facts
    told = model.predict(X[60:])
    for place, moves in enumerate(facts["objects"]["moves"]):
        for column, text in enumerate(moves):
            if text is not None:
                step = stated(text) * (1 - 1e-9) * np.eye(2)[column]
                assert set(model.predict(X[60 + place] + [step, -step])) == {told[place]}
    kilograms, grams = map(stated, facts["certified"]["median_moves"])
    assert grams == pytest.approx(
        kilograms * model.metric_.scales[1] / model.metric_.scales[0], rel=0.02
    )


def test_days_are_shown_as_dates_where_they_are_said_to_be():
    X = np.array([[place, 19_723.0 + place] for place in range(12)])
    X[3, 1] = np.nan
    y = ["a"] * 6 + ["b"] * 6
    model = wb.NeighborsClassifier("euclidean", n_neighbors=1).fit(X, y)
    facts = Report(model, X, y, columns=["age", "day"], dates={"day"}).facts
    day = facts["table"]["columns"][1]
    assert (day["kind"], day["missing"], day["range"][0]) == ("dates", 1, "2024-01-01")
    assert [facts["objects"]["drawing"][place]["cells"] for place in (0, 3)] == [
        ["0", "2024-01-01"],
        ["3", "—"],
    ]


def test_the_headline_and_the_opening_tell_radii_in_units_of_columns(reported):
    model, rows, labels, facts = reported
    page = Report(model, rows[90:], labels[90:]).html()
    moves = facts["certified"]["median_moves"]
    assert f"age: {stated(moves[0]):g}" in page or "booked: " in page
    assert any("In the columns' own units" in each for each in facts["in_short"]["proved"])
    assert "<strong>r =" not in page


def test_columns_of_an_array_have_the_names_that_are_told():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = wb.NeighborsClassifier("gower").fit(X, X[:, 0] > 0)
    facts = Report(model, X, X[:, 0] > 0, columns=["Wind", "Temp"]).facts
    assert facts["table"]["names"] == ["Wind", "Temp"]
