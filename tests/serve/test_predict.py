"""Each answer is that of the model itself, however the objects are sent."""

import csv
import io
import json

import numpy as np
import pytest
from http_servers import JSON, PATIENT, question
from waiting_metric import waiting_model

import wideberth
from wideberth.cards.values import probability
from wideberth.insight.witnesses import witnesses
from wideberth.serve.answering import Answering, Question
from wideberth.serve.limits import Limits
from wideberth.serve.served_model import as_saved, example_value, served_model


def test_answers_are_those_of_the_model(client, names):
    told = client.post("/predict", content=question(*names.new), headers=JSON)
    assert told.status_code == 200
    answers, model = told.json()["answers"], names.model
    assert [answer["label"] for answer in answers] == model.predict(names.new).tolist()
    assert [answer["probability"] for answer in answers] == [
        probability(each) for each in model.predict_proba(names.new).max(axis=1)
    ]
    radii = model.certified_radius(names.new, unit="edit")
    assert [answer["radius"]["value"] for answer in answers] == radii.tolist()
    assert {answer["radius"]["unit"] for answer in answers} == {"edit"}
    assert [answer["radius"]["safe"] for answer in answers] == np.maximum(
        0, np.ceil(radii) - 1
    ).tolist()
    scores = model.decision_function(names.new)
    assert np.allclose(
        [answer["lead"] for answer in answers], np.where(np.abs(scores) > 1e-6, np.abs(scores), 0.0)
    )
    sets = wideberth.predict_set(model, names.new, delta=0.05, calibration=names.calibration)
    assert [answer["prediction_set"] for answer in answers] == [labels.tolist() for labels in sets]
    judged = wideberth.novelty(model, names.new, calibration=names.calibration[0])
    assert [answer["novelty"]["p_value"] for answer in answers] == judged.p_values.tolist()
    assert [answer["novelty"]["novel"] for answer in answers] == judged.novel.tolist()


def test_csv_and_json_lines_are_read_as_files_are(client, names):
    expected = client.post("/predict", content=question(*names.new), headers=JSON).json()
    table = io.StringIO()
    csv.writer(table).writerows(
        [["name", "label"], *([name, "?"] for name in names.new)]
    )  # labels are left aside
    lines = "\n".join(json.dumps(name) for name in names.new)
    for body, media_type in (
        (table.getvalue(), "text/csv"),
        (table.getvalue(), "text/csv; charset=utf-8"),
    ):
        assert (
            client.post(
                "/predict", content=body.encode(), headers={"Content-Type": media_type}
            ).json()
            == expected
        )
    for media_type in ("application/x-ndjson", "application/jsonl"):
        assert (
            client.post(
                "/predict", content=lines.encode(), headers={"Content-Type": media_type}
            ).json()
            == expected
        )


def test_witnesses_are_the_nearest_training_objects(client, names):
    told = client.post(
        "/predict?witnesses=4", content=question(*names.new[:10]), headers=JSON
    ).json()["answers"]
    found = witnesses(
        names.model, names.new[:10], (names.training, names.model.predict(names.training)), k=4
    )
    for answer, why in zip(told, found, strict=True):
        for side in ("supporters", "opponents"):
            assert [each["distance"] for each in answer["witnesses"][side]] == [
                each.distance for each in getattr(why, side)
            ]
            assert {each["object"] for each in answer["witnesses"][side]} <= set(names.training)


def test_a_change_has_the_label_and_the_distance_that_are_told(client, names):
    told = client.post(
        "/predict?change=true", content=question(*names.new[:5]), headers=JSON
    ).json()["answers"]
    assert any(answer["change"] for answer in told)
    for name, answer in zip(names.new, told, strict=False):
        change = answer["change"]
        if change is None:
            continue
        assert names.model.predict([change["object"]])[0] == change["label"] != answer["label"]
        assert (
            wideberth.pairwise_distances([name], [change["object"]], metric="levenshtein")[0, 0]
            == change["distance"]["value"]
        )
        assert change["distance"]["value"] >= answer["radius"]["value"]


RANDOM = np.random.default_rng(0)
SIDES = np.array(["a", "b"] * 5)
#: Models on objects of each kind that files hold, with questions.
MODELS = {
    "vectors": ("euclidean", RANDOM.normal(size=(10, 3)), [[0, 1, 2.5], [1, 2, 3]]),
    "series": (
        "msm",
        [RANDOM.normal(size=5 + length) for length in range(10)],
        [[1, 2, 3], [1, 2]],
    ),
    "sets": ("jaccard", [{"a", str(number)} for number in range(10)], [["a"], ["b", "a"]]),
    "trees": (
        "tree_edit",
        [["a", [[f"b{number}", []]]] for number in range(10)],
        [["a", []], ["a", [["b", []]]]],
    ),
    "graphs": (
        "weisfeiler_lehman",
        [{"nodes": ["a", f"b{number}"], "edges": [[0, 1]]} for number in range(10)],
        [{"nodes": ["a"], "edges": []}, {"nodes": ["a", "b1"], "edges": [[0, 1]]}],
    ),
    "molecules": ("tanimoto", ["C" * length for length in range(1, 11)], ["CCO", "CN"]),
    "rows": (
        "gower",
        [{"age": float(age), "city": "x"} for age in range(10)],
        [{"age": 3, "city": "x"}, {"age": 8, "city": "y"}],
    ),
}


def served_with_witnesses(model):
    return served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=True, limits=Limits()
    )


def test_null_in_a_list_is_a_missing_number_as_nan_is_for_the_model():
    vectors = RANDOM.normal(size=(20, 3))
    vectors[::3, 1], vectors[3, 2] = np.nan, np.nan
    model = wideberth.NeighborsClassifier("standardized", n_neighbors=3).fit(
        vectors, np.tile(SIDES, 2)
    )
    asked = np.vstack([vectors[:6] + 0.1, np.full(3, np.nan)])
    written = [[None if np.isnan(value) else value for value in one] for one in asked.tolist()]
    told = Answering(served_with_witnesses(model)).reply(
        question(*written), Question("json", 1, change=True)
    )
    assert told.status == 200, told.body
    answers = json.loads(told.body)["answers"]
    assert [answer["label"] for answer in answers] == model.predict(asked).tolist()
    radii = model.certified_radius(asked).tolist()
    assert [answer["radius"]["value"] for answer in answers] == radii
    changes = [answer["change"] for answer in answers if answer["change"] is not None]
    assert any(None in change["object"] for change in changes)
    for change in changes:
        changed = np.array([change["object"]], dtype=float)
        assert model.predict(changed).tolist() == [change["label"]]


def test_null_in_a_named_row_is_an_empty_cell_as_in_files(tmp_path):
    table = "age,city,label\n1,x,a\n,y,b\n3,,a\n9,y,b\n8,,b\n,x,a\n"
    rows = [{"age": 2, "city": None}, {"age": None, "city": "y"}, {"city": "x"}, {"age": 9}]
    (tmp_path / "t.csv").write_text(table)
    (tmp_path / "new.jsonl").write_text("\n".join(map(json.dumps, rows)))
    learned = wideberth.read(tmp_path / "t.csv")
    model = wideberth.NeighborsClassifier("gower").fit(learned.objects, learned.labels)
    expected = wideberth.read(tmp_path / "new.jsonl", kind="rows", column=["age", "city"]).objects
    told = Answering(served_with_witnesses(model)).reply(question(*rows), Question("json", 1))
    assert told.status == 200, told.body
    answers = json.loads(told.body)["answers"]
    assert [answer["label"] for answer in answers] == model.predict(expected).tolist()
    assert [answer["radius"]["value"] for answer in answers] == model.certified_radius(
        expected
    ).tolist()


@pytest.mark.parametrize("kind", MODELS)
def test_objects_of_every_kind_are_answered(kind):
    metric, training, asked = MODELS[kind]
    model = wideberth.NeighborsClassifier(metric).fit(training, SIDES)
    served = served_with_witnesses(model)
    told = Answering(served).reply(question(*asked), Question("json", witnesses=2))
    assert told.status == 200, told.body
    answers = json.loads(told.body)["answers"]
    objects = (
        [set(item) for item in asked]
        if kind == "sets"
        else [np.array(item, float) for item in asked]
        if kind == "series"
        else asked
    )
    assert [answer["label"] for answer in answers] == model.predict(objects).tolist()
    assert [answer["radius"]["value"] for answer in answers] == model.certified_radius(
        objects
    ).tolist()
    assert all(len(answer["witnesses"]["supporters"]) == 2 for answer in answers)
    assert (
        Answering(served).reply(question(example_value(served.saved)), Question("json")).status
        == 200
    )


def test_a_model_that_was_fitted_on_a_file_is_asked_by_its_columns(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(
        "height,width,label\n"
        + "\n".join(f"{at},{at / 2},{'low' if at < 5 else 'up'}" for at in range(10))
    )
    records = wideberth.read(table)
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(records.objects, records.labels)
    from dataclasses import replace

    from wideberth.cli.data import origin_of

    saved = replace(as_saved(model), origin=origin_of(records))
    served = served_model(
        saved, calibration=None, delta=0.05, unit=None, witnesses=False, limits=PATIENT
    )
    answering = Answering(served)
    for asked in ({"height": 1, "width": 0.5}, [1, 0.5]):
        assert (
            json.loads(answering.reply(question(asked), Question("json")).body)["answers"][0][
                "label"
            ]
            == "low"
        )
    told = answering.reply(b"width;height\n4,5;9\n", Question("csv"))
    assert json.loads(told.body)["answers"][0]["label"] == "up"
    refused = answering.reply(question({"height": 1}), Question("json"))
    assert refused.status == 400
    assert "width" in json.loads(refused.body)["detail"]


def test_a_metric_that_promises_nothing_has_no_radius_and_says_why():
    lengths = wideberth.metric(lambda one, other: abs(len(one) - len(other)), accepts="strings")
    model = wideberth.NeighborsClassifier(lengths).fit(["a", "bbb"], ["short", "long"])
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    assert "triangle inequality" in served.missing["radius"]
    [answer] = json.loads(Answering(served).reply(question("aa"), Question("json")).body)["answers"]
    assert "radius" not in answer


def test_a_unit_in_which_nothing_is_proved_is_refused():
    with pytest.raises(wideberth.errors.NotCertified):
        served_model(
            waiting_model(),
            calibration=None,
            delta=0.05,
            unit="edit",
            witnesses=False,
            limits=Limits(),
        )


@pytest.mark.parametrize(
    ("metric", "unit", "safe"),
    [("levenshtein", "edit", 1), ("indel", "edit", 1), ("hamming", "replacement", 1)],
)
def test_radii_are_named_by_the_unit_in_which_they_are_proved(metric, unit, safe):
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(
        ["teal", "rumb"], ["soft", "hard"]
    )
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    [answer] = json.loads(Answering(served).reply(question("teal"), Question("json")).body)[
        "answers"
    ]
    assert answer["radius"] == {"value": 2.0, "unit": unit, "safe": safe}
    if unit != "edit":
        with pytest.raises(wideberth.errors.NotCertified, match="radii in replacements"):
            served_model(
                model, calibration=None, delta=0.05, unit="edit", witnesses=False, limits=Limits()
            )


def test_calibration_objects_must_be_new(names):
    with pytest.raises(wideberth.errors.InvalidInput, match="new to the model"):
        served_model(
            names.model,
            calibration=(names.training[:50], names.model.predict(names.training[:50])),
            delta=0.05,
            unit=None,
            witnesses=False,
            limits=Limits(),
        )


@pytest.mark.parametrize("other", [wideberth.NeighborsClassifier("levenshtein"), 3, object()])
def test_what_is_no_fitted_classifier_is_not_served(other):
    with pytest.raises(wideberth.errors.InvalidInput, match="cannot be served"):
        as_saved(other)
