"""A sign of life for a person who waits at a terminal, and nothing for anybody else."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on standard error what is going on, while it goes on.

    >>> with waiting("making tea"):
    ...     print("tea")
    tea
    """
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what):
        yield
