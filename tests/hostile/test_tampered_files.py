"""Whatever is in a file, `load` and the first `predict` work or raise `InvalidFile`, within 10 s of
processor time and 1 GB.

A fault that the search finds is printed as a file and a list of edits: such a line goes into
``corpus.jsonl``, and stays there.
"""

import json
import sys
from pathlib import Path

import pytest
from golden.write_golden import FOLDER
from hostile.conftest import FILES
from hostile.mutations import edits, mutated
from hostile.server import JudgeServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits of memory and time as Linux has them"
)

CORPUS = [
    json.loads(line) for line in Path(__file__).with_name("corpus.jsonl").read_text().splitlines()
]
ALL_FILES = sorted(path.stem for path in FOLDER.glob("*.wb"))

search = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def verdict(judge, folder, file, edits):
    path = folder / "tampered.wb"
    path.write_bytes(mutated((FOLDER / f"{file}.wb").read_bytes(), edits))
    return judge.verdict(path, file)


@pytest.mark.parametrize("line", CORPUS, ids=lambda line: line["name"])
def test_what_once_went_wrong_does_not_again(judge, tmp_path, line):
    allowed = (
        [line["verdict"]] if line["verdict"] else ["worked", "refused"]
    )  # of fields of a zip, Pythons read not the same
    assert verdict(judge, tmp_path, line["file"], line["edits"]) in allowed


@pytest.mark.parametrize("file", FILES)
def test_the_files_themselves_work(judge, tmp_path, file):
    assert verdict(judge, tmp_path, file, []) == "worked"


@given(st.sampled_from(FILES), st.lists(edits, min_size=1, max_size=3))
@settings(search, max_examples=240)
def test_tampered_files_work_or_are_refused(judge, tmp_path_factory, file, edits):
    assert verdict(judge, tmp_path_factory.getbasetemp(), file, edits) in ("worked", "refused")


@pytest.mark.slow
@given(st.sampled_from(ALL_FILES), st.lists(edits, min_size=1, max_size=4))
@settings(search, max_examples=5000)
def test_tampered_files_of_all_kinds_work_or_are_refused(
    judge_of_all, tmp_path_factory, file, edits
):
    assert verdict(judge_of_all, tmp_path_factory.getbasetemp(), file, edits) in (
        "worked",
        "refused",
    )


@pytest.fixture(scope="module")
def judge_of_all():
    with JudgeServer(ALL_FILES) as server:
        yield server
