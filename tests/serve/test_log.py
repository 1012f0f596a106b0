"""Where the log of a server goes: a file, a terminal, a pipe."""

import io
import json
import logging

import pytest

from wideberth.errors import InvalidInput
from wideberth.serve.observed import LOG
from wideberth.serve.running import write_log

FACTS = {"id": "f3", "client": "::1", "method": "GET", "route": "/", "status": 200}
FACTS |= {"milliseconds": 1.5, "objects": 0}


@pytest.fixture(autouse=True)
def loggers():
    """As they were before."""
    kept = {
        name: (logging.getLogger(name).handlers, logging.getLogger(name).propagate)
        for name in ("wideberth.serve", "uvicorn.error")
    }
    yield
    for name, (handlers, propagate) in kept.items():
        logging.getLogger(name).handlers, logging.getLogger(name).propagate = handlers, propagate


def logged(path, monkeypatch, *, terminal):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr("sys.stdout", stream)
    write_log(path)
    LOG.info("request", extra={"facts": FACTS})
    for handler in LOG.handlers:
        handler.close()
    return stream.getvalue()


def test_people_read_plain_lines_and_programs_json(monkeypatch):
    line = logged(None, monkeypatch, terminal=True)
    assert line[8:] == "  GET /  200 in 1.5 ms  client=::1\n"
    assert json.loads(logged(None, monkeypatch, terminal=False))["status"] == 200


def test_a_file_is_added_to_and_the_terminal_stays_empty(monkeypatch, tmp_path):
    path = tmp_path / "log.jsonl"
    for _ in range(2):
        assert logged(str(path), monkeypatch, terminal=True) == ""
    assert [json.loads(line)["route"] for line in path.read_text().splitlines()] == ["/", "/"]
    with pytest.raises(InvalidInput, match="log cannot be written"):
        write_log(str(tmp_path / "none" / "log"))
