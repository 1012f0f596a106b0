"""Sizes of memory are read as people write them, and refused with advice."""

import numpy as np
import pytest

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import parse_memory, show_memory


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("2GB", 2 * 10**9),
        ("500MB", 500 * 10**6),
        (" 1.5 GiB ", 3 * 2**29),
        ("64k", 64_000),
        ("3 kib", 3072),
        (".5 TB", 5 * 10**11),
        ("4096", 4096),
        ("10 B", 10),
        (4096, 4096),
        (np.int64(7), 7),
    ],
)
def test_sizes_are_understood(written, size):
    assert parse_memory(written) == size


@pytest.mark.parametrize(
    "written", ["", "GB", "two GB", "2 PB", "-1GB", "1e9", 2.5, True, None, ["2GB"]]
)
def test_what_is_no_size_is_refused(written):
    with pytest.raises(InvalidInput, match='"2GB"') as caught:
        parse_memory(written)
    assert caught.value.value == written


@pytest.mark.parametrize("written", [0, -5, "0 GB", "0.1 B"])
def test_no_memory_at_all_is_refused(written):
    with pytest.raises(InvalidInput, match="not above 0 bytes"):
        parse_memory(written)


def test_sizes_are_shown_short():
    assert [show_memory(size) for size in (0, 999, 1000, 999_999, 2_000_000, 1.5e9, 3e12)] == [
        "0 bytes",
        "999 bytes",
        "1 kB",
        "1 MB",
        "2 MB",
        "1.5 GB",
        "3 TB",
    ]
