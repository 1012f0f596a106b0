"""The pages about all results: the front page, the rows in which a peer is ahead, and the data; and
the picture of what is certified.
"""

from collections.abc import Callable

from benchmarks.certified import picture
from benchmarks.compare import results
from benchmarks.folders import PAGES, RESULTS
from benchmarks.front import ahead, glance
from benchmarks.outside_data import page_of_data

#: Files under docs/benchmarks, and what writes them from all results.
WRITTEN: dict[str, Callable[[], str]] = {
    "README.md": lambda: glance.front_page(results(str(RESULTS))),
    "where-peers-are-ahead.md": lambda: ahead.page_of_rows(results(str(RESULTS))),
    "data.md": page_of_data,
}


def text_of(name: str) -> str:
    """The text of one of these pages."""
    return WRITTEN[name]().strip("\n") + "\n"


def written_pages() -> None:
    """Write all of them, and the picture of several results."""
    picture.draw()
    for name in WRITTEN:
        (PAGES / name).write_text(text_of(name), encoding="utf-8")


def behind() -> str:
    """The rows in which a peer is ahead, and whether there is a paragraph for each."""
    return ahead.listed(results(str(RESULTS)))
