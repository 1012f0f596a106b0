"""Whatever is in a file, every reader reads it or refuses it with a sentence; what was read are
numbers and texts.

`make test` tries the corpus and 600 new cases, `make test-slow` 60,000. A case that fails goes into
corpus/readers.jsonl.
"""

import io
import json
import math
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hostile.processor_time import limited
from hostile.reader_inputs import cases, file_name, tampered
from hypothesis import HealthCheck, given, settings

import wideberth
from wideberth.errors import WideberthError
from wideberth.io.readers import read_batches
from wideberth.objects.sample import half_character

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "corpus" / "readers.jsonl").read_text().splitlines()
]
#: Seconds of processor time that one small file may take.
SECONDS = 10
many = partial(settings, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


def check(case):
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(action="ignore"),
        limited(SECONDS),
    ):
        path, stdin = put(case, Path(folder))
        with mock.patch.object(sys, "stdin", stdin):
            try:
                records = wideberth.read(path, **case["options"])
            except WideberthError as refusal:
                check_message(str(refusal))
                return
        check_records(records)
        if path != "-":
            batches = list(read_batches(path, size=2, **case["options"]))
            assert sum(map(len, batches)) == len(records)


def put(case, folder):
    """Write the file of a case: its path, and what standard input is."""
    content = tampered(case)
    if case["name"] == "-":
        return "-", io.TextIOWrapper(io.BytesIO(content))
    path = folder / file_name(case)
    inside = (
        path / "a" / ("1.txt.gz" if case["packed"] else "1.txt")
        if case["name"] == "texts"
        else path
    )
    inside.parent.mkdir(parents=True, exist_ok=True)
    inside.write_bytes(content)
    return str(path), sys.stdin


def check_message(message):
    assert 10 < len(message) < 2500


def check_records(records):
    assert len(records) == len(records.objects) > 0
    assert records.labels is None or len(records.labels) == len(records)
    for several in (records.names, records.weights, records.groups, records.cells):
        assert several is None or len(several) == len(records)
    assert all(use.name is not None and len(use.why) < 500 for use in records.understood)
    for value in (*records.objects, *(records.labels or ())):
        check_value(value)


def check_value(value):
    """Numbers are finite, and texts can be written to a file; so is everything in lists and
    dicts.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            assert half_character(item) is None
        elif isinstance(item, float):
            assert math.isfinite(item)
        elif isinstance(item, np.ndarray):
            assert item.dtype.kind in "fiub"
            assert np.isfinite(item).all()
        elif isinstance(item, dict):
            pending += [*item, *item.values()]
        elif isinstance(item, list | tuple | frozenset):
            pending += item
        else:
            assert item is None or isinstance(item, bool | int | np.generic)


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case["why"])
def test_the_corpus(case):
    check(case)


@many(max_examples=1800)
@given(case=cases)
def test_tampered_files_are_read_or_refused(case):
    check(case)


@pytest.mark.slow
@many(max_examples=60_000)
@given(case=cases)
def test_very_many_tampered_files_are_read_or_refused(case):
    check(case)
