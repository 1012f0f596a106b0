"""What the server tells of itself: the model, OpenAPI, counts, and a page that needs nothing from
elsewhere.
"""

import json
import re

import jsonschema
import numpy as np
import pytest
import schemathesis
from http_servers import JSON, PATIENCE, question
from hypothesis import HealthCheck, given, settings
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

import wideberth
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.read import read_model
from wideberth.io.model_file.write import write_model
from wideberth.serve.answering import Answering, Question
from wideberth.serve.limits import Limits
from wideberth.serve.openapi import openapi
from wideberth.serve.served_model import served_model

#: The most characters and numbers of an object, and the most objects, in the tests of lengths.
LONGEST, BATCH = 12, 3


def fitted(metric, objects):
    return wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(objects, ["one", "other"])


#: Models, each with objects as long as allowed and with some that are too long or too short, by the
#: kind of their objects.
LENGTHS = {
    "strings": (
        fitted("levenshtein", ["tea", "rum"]),
        ["x" * LONGEST, "x"],
        ["x" * (LONGEST + 1), ""],
    ),
    "vectors": (fitted("euclidean", np.eye(2)), [[1.0, 2.0]], [[1.0], [1.0, 2.0, 3.0], []]),
    "series": (
        fitted("msm", [np.ones(4), np.zeros(5)]),
        [[1.0] * LONGEST, [1.0]],
        [[1.0] * (LONGEST + 1), []],
    ),
    "channels": (
        fitted("dtw", [np.ones((2, 4)), np.zeros((2, 5))]),
        [[[1.0] * (LONGEST // 2)] * 2],
        [[[1.0] * (LONGEST + 1)] * 2, [], [[], []]],
    ),
    "sets": (
        fitted("jaccard", [{"a"}, {"b"}]),
        [[str(n % 10) for n in range(LONGEST)], ["a"] * LONGEST, []],
        [["a"] * (LONGEST + 1), [""] * (LONGEST + 1)],
    ),
    "trees": (
        fitted("tree_edit", [("a", []), ("b", [("c", [])])]),
        [["a", [["b", []]] * (LONGEST - 1)], ["a", []], {"label": "a", "children": [["b", []]]}],
        [["a", [["b", []]] * (LONGEST + 1)], ["a"], ["a", [], 1], []],
    ),
    "graphs": (
        fitted(
            "weisfeiler_lehman",
            [{"nodes": ["a", "b"], "edges": [(0, 1)]}, {"nodes": ["a"], "edges": []}],
        ),
        [
            {"nodes": ["a"] * LONGEST, "edges": []},
            {"nodes": ["a", "b"], "edges": [[0, 1]] * (LONGEST // 2 - 1)},
        ],
        [
            {"nodes": [""] * (LONGEST + 1), "edges": []},
            {"nodes": ["a", "b"], "edges": [[0, 1]] * (LONGEST // 2 + 1)},
            {"nodes": ["a", "b"], "edges": [[0]]},
            {"nodes": ["a"]},
        ],
    ),
    "rows": (
        fitted("gower", [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}]),
        [{"a": 1.0, "b": "x"}],
        [{"a": 1.0}, [1.0]],
    ),
}


@pytest.mark.parametrize("kind", LENGTHS)
def test_lengths_in_the_description_are_those_that_are_refused(kind):
    model, right, wrong = LENGTHS[kind]
    limits = Limits(length=LONGEST, batch=BATCH, body=1000)
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=limits
    )
    answering, described = Answering(served), openapi(served, secured=False)
    question = {"$ref": "#/components/schemas/Question", "components": described["components"]}
    schema = jsonschema.Draft202012Validator(question)
    for objects in [*([one] for one in right), right[:1] * BATCH]:
        assert (
            answering.reply(json.dumps({"objects": objects}).encode(), Question("json")).status
            == 200
        ), objects
        schema.validate({"objects": objects})
    for objects in [*([one] for one in wrong), [], right[:1] * (BATCH + 1)]:
        told = answering.reply(json.dumps({"objects": objects}).encode(), Question("json"))
        assert told.status in (400, 413, 422), objects
        assert not schema.is_valid({"objects": objects}), objects


@pytest.mark.parametrize("columns", [("a", "b"), None])
def test_the_example_fits_the_description(columns, tmp_path):
    model = fitted("euclidean", np.eye(2))
    if columns is not None:
        write_model(model, str(tmp_path / "m.wb"), Origin("vectors", columns))
        model = read_model(str(tmp_path / "m.wb"))
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    schemas = openapi(served, secured=False)["components"]["schemas"]
    schema = jsonschema.Draft202012Validator(schemas["Object"])
    schema.validate(schemas["Object"]["example"])
    schema.validate([1.0, 2.0])
    assert not schema.is_valid([1.0])
    assert not schema.is_valid({"a": 1.0})


def test_no_list_is_without_a_length_and_no_body_empty(client):
    told = client.get("/openapi.json").json()
    pending, lists = [told], 0
    while pending:
        part = pending.pop()
        pending += (
            part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
        )
        if isinstance(part, dict) and part.get("type") == "array":
            lists += 1
            assert 0 <= part["minItems"] <= part["maxItems"], part
    assert lists >= 6
    asked = told["paths"]["/predict"]["post"]["requestBody"]
    assert asked["required"] is True
    assert set(asked["content"]) == {
        "application/json",
        "application/x-ndjson",
        "application/jsonl",
        "text/csv",
    }
    for media_type, body in asked["content"].items():
        assert media_type == "application/json" or body["schema"]["minLength"] == 1
        refused = client.post("/predict", content=b"", headers={"Content-Type": media_type})
        assert refused.status_code == 400


def test_the_description_is_valid_openapi(client, asked):
    for each in (client, asked):
        assert list(OpenAPIV31SpecValidator(each.get("/openapi.json").json()).iter_errors()) == []


#: How the server refuses: a text that is too long for the schema may be too long for the server.
REFUSALS = ["400", "404", "405", "413", "415", "422"]


@pytest.fixture(scope="session")
def described(server):
    refused = {"negative_data_rejection": {"expected-statuses": REFUSALS}}
    config = schemathesis.Config.from_dict({"checks": refused})
    return schemathesis.openapi.from_url(f"{server.address}/openapi.json", config=config)


@pytest.mark.few(1)
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_the_server_does_what_the_description_says(described, mode):
    """Schemathesis makes requests by the description, and requests against it, and checks all that
    it knows to check.

    One check is left out: a schema of texts cannot say which texts are tables, or that a text of
    spaces is empty to readers, so that not everything which fits the schema is accepted.
    """
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) == 5  # all but the description itself
    for operation in operations:
        if (
            mode == GenerationMode.POSITIVE or operation.path == "/predict"
        ):  # the others take nothing that could be wrong
            check_operation(operation, mode)


def check_operation(operation, mode):
    @settings(
        max_examples=25,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def agrees(case):
        case.call_and_validate(excluded_checks=[positive_data_acceptance], timeout=PATIENCE)

    agrees()


def test_the_model_is_described(client, names):
    told = client.get("/model").json()
    assert told["model"] == "NeighborsClassifier"
    assert told["classes"] == names.model.classes_.tolist()
    assert told["metric"]["name"] == "levenshtein"
    assert told["metric"]["obeys_triangle"] is True
    assert told["learned_from"] == 200
    assert told["radius"]["unit"] == "edit"
    assert (
        told["prediction_set"]["calibration_objects"]
        == told["novelty"]["calibration_objects"]
        == 100
    )
    assert told["versions"]["server"] == wideberth.__version__
    assert told["missing"] == {}
    proved = wideberth.certify(names.model, *names.calibration)
    assert [each["statement"] for each in told["certificates"]] == [
        each.statement for each in proved if not each.void
    ]


def test_what_is_missing_has_a_reason(asked):
    told = asked.get("/model").json()
    assert told["prediction_set"] is None
    assert told["certificates"] == []
    assert set(told["missing"]) == {"prediction_set", "certificates"}
    assert "--calibrate" in told["missing"]["prediction_set"]
    assert (
        told["novelty"]["calibration_objects"] == 200
    )  # the model keeps all of its objects, which calibrate themselves


def test_counts_are_prometheus_text(client):
    before = counted(client)
    client.post("/predict", content=question("Ann", "Bob"), headers=JSON)
    client.post("/predict", content=b"", headers=JSON)
    after = counted(client)
    assert after["wideberth_objects_total"] - before["wideberth_objects_total"] == 2
    for status in (200, 400):
        name = f'wideberth_requests_total{{route="/predict",status="{status}"}}'
        assert after[name] - before.get(name, 0) == 1
    buckets = [
        value
        for name, value in after.items()
        if name.startswith("wideberth_predict_seconds_bucket")
    ]
    assert buckets == sorted(buckets)
    assert buckets[-1] == after["wideberth_predict_seconds_count"]


def counted(asking):
    lines = asking.get("/metrics").text.splitlines()
    told = [
        re.fullmatch(r'([a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) ([0-9.e+-]+)', line)
        for line in lines
        if line[0] != "#"
    ]
    assert all(told)
    return {each[1]: float(each[2]) for each in told}


def test_the_page_needs_nothing_from_elsewhere(client):
    for path in ("/", "/page.css", "/page.js"):
        told = client.get(path)
        assert told.status_code == 200
        assert "default-src 'none'" in told.headers["content-security-policy"]
        assert not re.search(r"(https?:)?//[a-z]", told.text)
    script = client.get("/page.js").text
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)
    assert not re.search(r"<script>|onclick|style=", client.get("/").text)


def test_every_answer_carries_the_safe_headers(client):
    for told in (
        client.get("/model"),
        client.get("/nothing"),
        client.post("/predict", content=b"", headers=JSON),
    ):
        assert told.headers["x-content-type-options"] == "nosniff"
        assert told.headers["cache-control"] == "no-store"
        assert re.fullmatch(r"[0-9a-f]{16}", told.headers["x-request-id"])
        assert "server" not in told.headers
