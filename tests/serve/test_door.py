"""Who may ask: loopback, tokens, names of hosts, origins."""

import re
import socket

import pytest
from http_servers import JSON, PATIENT, question
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from wideberth.errors import InvalidInput
from wideberth.serve import create_app
from wideberth.serve.door import (
    OPEN_PATHS,
    Door,
    ShareMiddleware,
    is_loopback,
    read_token,
    refuse_open_door,
    too_many,
)

TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def guarded(names):
    app = create_app(
        names.model, token=TOKEN, origins=("https://example.org",), hosts=None, limits=PATIENT
    )
    with TestClient(app) as asking:
        yield asking


@pytest.mark.parametrize("path", ["/model", "/metrics", "/openapi.json", "/nothing"])
def test_without_the_token_nothing_is_told_of_the_model(guarded, path):
    for given in (
        None,
        "",
        "Bearer",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Basic {TOKEN}",
        "Bearer \xe9",
    ):
        headers = {} if given is None else {"Authorization": given.encode("latin-1")}
        told = guarded.get(path, headers=headers)
        assert told.status_code == 401
        assert told.headers["www-authenticate"].startswith("Bearer")
    assert guarded.get(path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code in (200, 404)


def test_predictions_need_the_token(guarded, names):
    assert guarded.post("/predict", content=question("Ann"), headers=JSON).status_code == 401
    told = guarded.post(
        "/predict", content=question("Ann"), headers=JSON | {"Authorization": f"bearer {TOKEN}"}
    )
    assert told.json()["answers"][0]["label"] == names.model.predict(["Ann"])[0]


@pytest.mark.parametrize("path", sorted(OPEN_PATHS))
def test_the_page_and_the_health_are_open_and_know_no_secret(guarded, path):
    told = guarded.get(path)
    assert told.status_code == 200
    assert TOKEN not in told.text


def test_pages_of_other_origins_may_ask_only_if_they_are_named(guarded, client):
    asking = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    assert (
        guarded.options("/predict", headers=asking).headers["access-control-allow-origin"]
        == "https://example.org"
    )
    other = guarded.options("/predict", headers=asking | {"Origin": "https://example.com"})
    assert "access-control-allow-origin" not in other.headers
    assert "access-control-allow-origin" not in client.options("/predict", headers=asking).headers
    assert (
        "access-control-allow-origin"
        not in client.get("/model", headers={"Origin": "https://example.org"}).headers
    )


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "localhost.evil"]
)
def test_other_names_do_not_lead_to_a_server_without_a_token(host):
    door = Door(None, (), ("localhost", "127.0.0.1", "[::1]"))
    assert door.refusal("/model", {b"host": host.encode()}).status == 421


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:8000"]
)
def test_its_own_names_do(host):
    assert (
        Door(None, (), ("localhost", "127.0.0.1", "[::1]")).refusal(
            "/model", {b"host": host.encode()}
        )
        is None
    )


def test_tokens_are_compared_in_constant_time(monkeypatch):
    compared = []
    monkeypatch.setattr(
        "hmac.compare_digest", lambda one, other: compared.append((one, other)) or one == other
    )
    assert (
        Door(TOKEN, (), None).refusal("/model", {b"authorization": f"Bearer {TOKEN}".encode()})
        is None
    )
    assert compared == [(TOKEN.encode(), TOKEN.encode())]


@pytest.mark.parametrize(
    "token", ["", "short", "with a space in the middle", "x" * 40 + "\n", "é" * 20]
)
def test_bad_tokens_are_refused(token):
    with pytest.raises(InvalidInput, match="The token has"):
        Door(token, (), None)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_this_machine_needs_no_token(host):
    assert is_loopback(host)
    refuse_open_door(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "no such host"])
def test_others_do(monkeypatch, host):
    def nowhere(*where, **how):
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(InvalidInput, match=re.escape(host)):
        refuse_open_door(host, None)
    refuse_open_door(host, TOKEN)


def test_the_token_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("WIDEBERTH_TOKEN", raising=False)
    assert read_token(None) is None
    monkeypatch.setenv("WIDEBERTH_TOKEN", f" {TOKEN}\n")
    assert read_token(None) == TOKEN
    file = tmp_path / "token"
    file.write_text(f"{TOKEN[::-1]}\n")
    assert read_token(str(file)) == TOKEN[::-1]


@pytest.mark.slow
def test_shares_hold_where_the_application_is_mounted(names, monkeypatch):
    monkeypatch.setattr(ShareMiddleware, "_refusal", lambda self, client: too_many("9 requests"))
    inside = create_app(names.model, hosts=None, limits=PATIENT)
    with TestClient(Starlette(routes=[Mount("/names", inside)])) as asking:
        assert (
            asking.post("/names/predict", content=question("Ann"), headers=JSON).status_code == 429
        )
        assert asking.get("/names/health").status_code != 429
