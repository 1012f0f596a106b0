"""Requests that cannot be answered, each with the statuses that it may get: malformed, hostile, or
merely wrong.
"""

import gzip
from typing import NamedTuple

JSON, CSV, LINES = "application/json", "text/csv", "application/x-ndjson"


class Hostile(NamedTuple):
    """A request for an answer that is none."""

    body: bytes
    status: tuple[int, ...] = (400,)
    media_type: str = JSON
    path: str = "/predict"
    method: str = "POST"
    headers: tuple[tuple[str, str], ...] = ()


HOSTILE = {
    "nothing": Hostile(b""),
    "not JSON": Hostile(b"{tea"),
    "not UTF-8": Hostile(b'{"objects": ["\xff"]}'),
    "UTF-16": Hostile('{"objects": ["tea"]}'.encode("utf-16")),
    "NaN": Hostile(b'{"objects": [NaN]}'),
    "infinity": Hostile(b'{"objects": [-Infinity]}'),
    "1e999": Hostile(b'{"objects": [1e999]}'),
    "10^400": Hostile(b'{"objects": [1' + b"0" * 400 + b"]}"),
    "10^9000": Hostile(b'{"objects": [1' + b"0" * 9000 + b"]}"),
    "deep": Hostile(b'{"objects": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
    "less deep": Hostile(b'{"objects": [' + b"[" * 400 + b"]" * 400 + b"]}"),
    "deep objects": Hostile(b'{"objects": ' + b'{"a":' * 20_000 + b"1" + b"}" * 20_000 + b"}"),
    "a field twice": Hostile(b'{"objects": ["tea"], "objects": ["rum"]}'),
    "half a surrogate pair": Hostile(b'{"objects": ["\\ud83c"]}'),
    "a list": Hostile(b'["tea"]'),
    "a text": Hostile(b'"tea"'),
    "null": Hostile(b"null"),
    "no objects": Hostile(b'{"objects": []}'),
    "objects missing": Hostile(b"{}"),
    "objects is a text": Hostile(b'{"objects": "tea"}'),
    "a field too many": Hostile(b'{"objects": ["tea"], "__proto__": {}}'),
    "an empty text": Hostile(b'{"objects": [""]}'),
    "a number": Hostile(b'{"objects": ["tea", 3]}'),
    "a null": Hostile(b'{"objects": ["tea", null]}'),
    "a truth value": Hostile(b'{"objects": [true]}'),
    "a list for a text": Hostile(b'{"objects": [["tea"]]}'),
    "two fields": Hostile(b'{"objects": [{"one": "tea", "other": "rum"}]}'),
    "many objects": Hostile(b'{"objects": [' + b",".join([b'"tea"'] * 2000) + b"]}", (413,)),
    "a long object": Hostile(b'{"objects": ["' + b"x" * 20_000 + b'"]}', (413,)),
    "a long body": Hostile(b'{"objects": ["' + b"x" * 1_100_000 + b'"]}', (413,)),
    "an empty table": Hostile(b"name\n", (400,), CSV),
    "no table": Hostile(b"\x00\x01\x02", (400,), CSV),
    "an open quote": Hostile(b'name\n"tea\n', (400,), CSV),
    "ragged rows": Hostile(b"name,other\ntea\nrum,x,y\n", (400,), CSV),
    "a column twice": Hostile(b"name,name\ntea,rum\n", (400,), CSV),
    "lines that differ": Hostile(b'"tea"\n{"name": "rum"}\n', (400,), LINES),
    "blank lines": Hostile(b"\n\n\n", (400,), LINES),
    "no media type": Hostile(b'{"objects": ["tea"]}', (415,), ""),
    "a form": Hostile(b"objects=tea", (415,), "application/x-www-form-urlencoded"),
    "a simple request": Hostile(b'{"objects": ["tea"]}', (415,), "text/plain"),
    "another charset": Hostile(
        b'{"objects": ["tea"]}', (415,), "application/json; charset=latin-1"
    ),
    "a pickle": Hostile(b"\x80\x04.", (415,), "application/octet-stream"),
    "compressed": Hostile(
        gzip.compress(b"x" * 10_000_000), (415,), headers=(("Content-Encoding", "gzip"),)
    ),
    "compressed by another": Hostile(b"x", (415,), headers=(("Content-Encoding", "br"),)),
    "unknown parameter": Hostile(b'{"objects": ["tea"]}', path="/predict?delta=0.5"),
    "parameter twice": Hostile(b'{"objects": ["tea"]}', path="/predict?witnesses=1&witnesses=2"),
    "many witnesses": Hostile(b'{"objects": ["tea"]}', path="/predict?witnesses=99"),
    "witnesses in other digits": Hostile(b'{"objects": ["tea"]}', path="/predict?witnesses=%D9%A3"),
    "negative witnesses": Hostile(b'{"objects": ["tea"]}', path="/predict?witnesses=-1"),
    "change perhaps": Hostile(b'{"objects": ["tea"]}', path="/predict?change=perhaps"),
    "another path": Hostile(b"", (404,), path="/admin"),
    "up the tree": Hostile(b"", (404,), path="/../../etc/passwd", method="GET"),
    "a slash too many": Hostile(b'{"objects": ["tea"]}', (404,), path="/predict/"),
    "a file of the page": Hostile(b"", (404,), path="/page/index.html", method="GET"),
    "GET": Hostile(b"", (405,), method="GET"),
    "PUT": Hostile(b"", (405,), method="PUT"),
    "a method of its own": Hostile(b"", (405,), method="TEA"),
    "POST to the model": Hostile(b"{}", (405,), path="/model"),
}
