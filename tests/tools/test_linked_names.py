"""Which pieces of code on a page become links to the reference."""

import runpy
from pathlib import Path

import pytest

TARGET = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "site" / "public_names.py"))[
    "target_of"
]


@pytest.mark.parametrize(
    ("code", "target"),
    [
        ("AutoClassifier", "wideberth.AutoClassifier"),
        ("wb.certify", "wideberth.certify"),
        ("wb.metric(function)", "wideberth.metric"),
        ("transforms.power", "wideberth.transforms.power"),
        ("wideberth.plots.MarginDisplay", "wideberth.plots.MarginDisplay"),
        ("metric", None),  # a parameter
        ("wb.nothing", None),
        ("levenshtein", None),
        ("wb.certify(a) <= wb.certify(b)", None),
    ],
)
def test_names_of_the_library(code, target):
    assert TARGET(code) == target
