"""What the server tells of itself: the model, OpenAPI, counts, and a page that needs nothing from elsewhere."""

import re

import pytest
import schemathesis
from http_servers import JSON, PATIENCE, question
from hypothesis import HealthCheck, given, settings
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

import wideberth


def test_the_description_is_valid_openapi(client, asked):
    for each in (client, asked):
        assert list(OpenAPIV31SpecValidator(each.get("/openapi.json").json()).iter_errors()) == []


@pytest.fixture(scope="session")
def described(server):
    return schemathesis.openapi.from_url(f"{server.address}/openapi.json")


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_the_server_does_what_the_description_says(described, mode):
    """Schemathesis makes requests by the description, and requests against it, and checks all that it knows to check.

    One check is left out: a schema of texts cannot say which texts are tables, or that a text of spaces is empty to readers, so
    that not everything which fits the schema is accepted.
    """
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) == 5  # all but the description itself
    for operation in operations:
        if mode == GenerationMode.POSITIVE or operation.path == "/predict":  # the others take nothing that could be wrong
            check_operation(operation, mode)


def check_operation(operation, mode):
    @settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
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
    assert told["prediction_set"]["calibration_objects"] == told["novelty"]["calibration_objects"] == 100
    assert told["versions"]["server"] == wideberth.__version__
    assert told["missing"] == {}
    proved = wideberth.certify(names.model, *names.calibration)
    assert [each["statement"] for each in told["certificates"]] == [each.statement for each in proved if not each.void]


def test_what_is_missing_has_a_reason(asked):
    told = asked.get("/model").json()
    assert told["prediction_set"] is None
    assert told["certificates"] == []
    assert set(told["missing"]) == {"prediction_set", "certificates"}
    assert "--calibrate" in told["missing"]["prediction_set"]
    assert told["novelty"]["calibration_objects"] == 200  # the model keeps all of its objects, which calibrate themselves


def test_counts_are_prometheus_text(client):
    before = counted(client)
    client.post("/predict", content=question("Ann", "Bob"), headers=JSON)
    client.post("/predict", content=b"", headers=JSON)
    after = counted(client)
    assert after["wideberth_objects_total"] - before["wideberth_objects_total"] == 2
    for status in (200, 400):
        name = f'wideberth_requests_total{{route="/predict",status="{status}"}}'
        assert after[name] - before.get(name, 0) == 1
    buckets = [value for name, value in after.items() if name.startswith("wideberth_predict_seconds_bucket")]
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
    for told in (client.get("/model"), client.get("/nothing"), client.post("/predict", content=b"", headers=JSON)):
        assert told.headers["x-content-type-options"] == "nosniff"
        assert told.headers["cache-control"] == "no-store"
        assert re.fullmatch(r"[0-9a-f]{16}", told.headers["x-request-id"])
        assert "server" not in told.headers
