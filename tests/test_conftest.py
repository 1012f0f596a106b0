"""Of a product of parameters, `make test` runs a sample in which each value occurs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOY = """
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

@pytest.fixture(params=["hot", "cold"])
def served(request):
    return request.param

@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("drink", ["tea", "rum"])
def test_product(drink, size): ...

@pytest.mark.parametrize(("drink", "size"), [("tea", 1), ("tea", 2), ("rum", 1), ("rum", 2)])
def test_pairs(drink, size): ...

@pytest.mark.parametrize("size", [1, True, 1.0])
def test_with_a_fixture(served, size): ...

@parametrize_with_checks([DummyClassifier(), DummyClassifier(strategy="uniform")])
def test_of_scikit_learn(estimator, check): ...
"""


@pytest.fixture(scope="module")
def short_and_slow(tmp_path_factory):
    """The tests of the toy that are short, and those that are slow."""
    folder = tmp_path_factory.mktemp("toy")
    return [collected(folder, "-m", marks) for marks in ("not slow", "slow")]


def collected(folder, *arguments):
    path = folder / "test_toy.py"
    path.write_text(TOY, encoding="utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "conftest"),
            *("-p", "no:cacheprovider", f"--rootdir={folder}", *arguments, str(path)),
        ],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]


def test_each_value_of_a_product_is_short_and_nothing_is_lost(short_and_slow):
    short, slow = ([each for each in part if "scikit" not in each] for part in short_and_slow)
    assert short == [
        *(f"test_product[{each}]" for each in ("tea-1", "tea-2", "tea-3", "rum-1")),
        *(f"test_pairs[{each}]" for each in ("tea-1", "tea-2", "rum-1", "rum-2")),
        *(f"test_with_a_fixture[{each}]" for each in ("hot-1", "hot-True", "hot-1.0", "cold-1")),
    ]
    assert slow == [
        *("test_product[rum-2]", "test_product[rum-3]"),
        *("test_with_a_fixture[cold-True]", "test_with_a_fixture[cold-1.0]"),
    ]


def test_scikit_learns_checks_are_all_tried_on_the_first_classifier(short_and_slow):
    short, slow = ([each for each in part if "scikit" in each] for part in short_and_slow)
    first, other = ("[DummyClassifier()-", "[DummyClassifier(strategy='uniform')-")
    assert sum(first in each for each in short) > 40
    assert sum(other in each for each in short) == 1
    assert not any(first in each for each in slow)
    assert sum(other in each for each in slow) == sum(first in each for each in short) - 1
