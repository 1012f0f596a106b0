"""One row in the table and a public name make a class a family: no other place has to be told."""

import json
import sys
from pathlib import Path

import pytest
from child_process import run

TESTS = Path(__file__).parents[1]
SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import seventh_family
seventh_family.enter()
import wideberth as wb
words, kinds = ["tea", "tee", "ten", "teas", "team", "rum", "rom", "ram", "rums", "rump"], ["soft"] * 5 + ["hard"] * 5
{code}
"""


def in_a_larger_library(code, folder):
    """What a script prints in a process whose table has a seventh row."""
    script = SCRIPT.format(tests=str(TESTS), code=code)
    done = run([sys.executable, "-c", script], cpu_seconds=120, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_automatic_choice_tries_it_and_shows_its_settings(tmp_path):
    said = in_a_larger_library(
        """
model = wb.AutoClassifier("levenshtein", max_time=None, random_state=0).fit(words, kinds)
import json; print(json.dumps({row["family"]: row["settings"] for row in model.leaderboard_}))
""",
        tmp_path,
    )
    assert list(json.loads(said)["medoid"]) == ["medoids"]


@pytest.mark.slow
def test_files_the_report_and_skops_take_it(tmp_path):
    said = in_a_larger_library(
        """
from wideberth.io.trusted_types import trusted_types
from wideberth.report import Report
assert "seventh_family.MedoidClassifier" in trusted_types()
auto = wb.AutoClassifier("levenshtein", candidates="medoid", max_time=None, random_state=0)
for model in (wb.MedoidClassifier("levenshtein"), auto):
    wb.save(model.fit(words, kinds), "m.wb")
    loaded = wb.load("m.wb")
    assert loaded.predict(words).tolist() == model.predict(words).tolist()
    assert loaded.settings() == model.settings()
    print(Report(loaded, words, kinds).facts["learned"]["rule"])
""",
        tmp_path,
    )
    assert said.splitlines() == ["An object gets the label of the nearest medoid."] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            [
                "fit",
                "drinks.csv",
                "--target",
                "kind",
                "--model",
                "medoid",
                "--metric",
                "levenshtein",
            ],
            "MedoidClassifier",
        ),
        pytest.param(
            [
                "compare",
                "drinks.csv",
                "--target",
                "kind",
                "--metric",
                "levenshtein",
                "--folds",
                "2",
            ],
            "medoids",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["doctor", "drinks.csv", "--target", "kind", "--metric", "levenshtein"],
            "medoids (MedoidClassifier)",
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_command_line_knows_it(tmp_path, arguments, expected):
    said = in_a_larger_library(
        f"""
with open("drinks.csv", "w") as file:
    file.write("drink,kind\\n" + "".join(f"{{word}},{{kind}}\\n" for word, kind in zip(words, kinds)))
from wideberth.cli.main import main
sys.argv = ["wideberth", *{arguments!r}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
""",
        tmp_path,
    )
    assert expected in said
