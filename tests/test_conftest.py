"""Of a product of parameters, `make test` runs a sample in which each value occurs."""

import os
import subprocess
import sys
from pathlib import Path

TOY = """
import pytest

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
"""


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


def test_each_value_of_a_product_is_short_and_nothing_is_lost(tmp_path):
    assert collected(tmp_path, "-m", "not slow") == [
        *(f"test_product[{each}]" for each in ("tea-1", "tea-2", "tea-3", "rum-1")),
        *(f"test_pairs[{each}]" for each in ("tea-1", "tea-2", "rum-1", "rum-2")),
        *(f"test_with_a_fixture[{each}]" for each in ("hot-1", "hot-True", "hot-1.0", "cold-1")),
    ]
    assert collected(tmp_path, "-m", "slow") == [
        *("test_product[rum-2]", "test_product[rum-3]"),
        *("test_with_a_fixture[cold-True]", "test_with_a_fixture[cold-1.0]"),
    ]
