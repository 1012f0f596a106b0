"""Whatever is on the command line, a command works or ends in a sentence; none of its errors is one
that nobody foresaw.

`make test` tries the corpus and 200 command lines, `make test-slow` 5,000. One that fails goes into
corpus/commands.jsonl.
"""

import contextlib
import io
import json
import os
import sys
import warnings
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from hostile.command_lines import command_lines
from hostile.processor_time import limited
from hypothesis import HealthCheck, given, settings

import wideberth
from wideberth.cli.main import main

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "corpus" / "commands.jsonl").read_text().splitlines()
]
WORDS = "word,x,label\n" + "".join(
    f"{'tea' if i % 2 else 'rum'}{'s' * (i % 3)},{i},{'ab'[i % 2]}\n" for i in range(8)
)
#: Seconds of processor time that one command may take, with the compilation of what it calls first.
SECONDS = 120
many = partial(settings, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A directory in which the commands run."""
    return fill(tmp_path_factory.mktemp("commands"))


def fill(folder):
    """Put files of all sorts into a directory."""
    (folder / "words.csv").write_text(WORDS)
    (folder / "numbers.csv").write_text(
        "x,y,label\n" + "".join(f"{i},{i * i % 7},{'ab'[i > 4]}\n" for i in range(10))
    )
    (folder / "words.jsonl").write_text(
        "".join(json.dumps({"word": "tea" * i, "label": i % 2}) + "\n" for i in range(1, 7))
    )
    (folder / "empty.csv").write_text("")
    (folder / "odd.csv").write_bytes(b"word,label\n\xff\xfe,a\n")
    (folder / "texts" / "a").mkdir(parents=True)
    (folder / "texts" / "a" / "1.txt").write_text("tea")
    words = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "rum"], ["a", "b"]
    )
    wideberth.save(words, folder / "words.wb")
    numbers = wideberth.NeighborsClassifier(n_neighbors=1).fit([[0.0, 1.0], [5.0, 5.0]], ["a", "b"])
    wideberth.save(numbers, folder / "numbers.wb")
    (folder / "broken.wb").write_bytes((folder / "words.wb").read_bytes()[:-40])
    return folder


def check(folder, arguments):
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    (folder / "pipe").unlink(missing_ok=True)
    stdin = io.TextIOWrapper(io.BytesIO(WORDS.encode()))
    with (
        mock.patch.multiple(
            sys, argv=["wideberth", *arguments], stdin=stdin, stdout=out, stderr=err
        ),
        mock.patch.dict(os.environ, {"COLUMNS": "200"}),
        contextlib.chdir(folder),
        warnings.catch_warnings(),
        limited(SECONDS),
        pytest.raises(SystemExit) as done,
    ):
        main()
    said = written(err)
    assert done.value.code in (0, None, 2), said
    assert "Traceback" not in said
    assert "nobody foresaw" not in said
    assert len(said) < 20_000
    assert done.value.code != 2 or said.strip()


def written(stream):
    stream.flush()
    return stream.buffer.getvalue().decode()


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case["why"])
def test_the_corpus(folder, case):
    check(folder, case["arguments"])


@many(max_examples=300)
@given(arguments=command_lines())
def test_command_lines_work_or_end_in_a_sentence(folder, arguments):
    check(folder, arguments)


@pytest.mark.slow
@many(max_examples=5000)
@given(arguments=command_lines())
def test_very_many_command_lines_work_or_end_in_a_sentence(folder, arguments):
    check(folder, arguments)
