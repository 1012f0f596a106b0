"""The pages of docs/benchmarks: which benchmarks each is made of, and how it is written from their
results alone.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from benchmarks.folders import PAGES
from benchmarks.results import Facts, footer, store, stored, taken

FOLDERS = {
    "distances": ["distances", "agreement", "cores", "checked_blocks", "counting"],
    "geometry": ["matching", "index", "filter", "memory"],
    "classifiers": [
        "lipschitz",
        "lp_machine",
        "lp_growth",
        "engines",
        "neighbors",
        "ties",
        "errors",
        "hilbert",
        "repairs",
    ],
    "margin_neighbors": ["margin", "perturbation", "criteria", "ksu"],
    "online": ["online", "online_bounds", "online_speed", "pricing", "river_streams"],
    "guarantees": ["capacity", "robustness", "guarantees", "embeddings", "reliability"],
    "insight": ["label_issues", "label_next", "probabilities", "prediction_sets"],
    "serve": ["serve"],
    "metrics": ["metrics"],
    "tables": ["tables"],
    "report": ["report"],
    "growth": ["growth"],
}
#: Pages of several sections, in order; each is a module of the package of the page, and is measured
#: by itself.
SECTIONS = {
    "choosing": [
        "hilbert_svm",
        "lp_machine",
        "lipschitz",
        "threads",
        "compare",
        "calls",
        "startup",
        "before",
    ],
    "auto": ["accuracy", "fresh", "profiles", "before", "files"],
    "certified": [
        "news",
        "moved_words",
        "messages",
        "words",
        "names",
        "first_names",
        "numbers",
        "wrong_rows",
        "accuracy",
        "moves",
    ],
    "scaleout": ["runner", "collections", "fits", "million", "strings", "few", "cost_model"],
    "papers": ["figure3", "separation", "approximate", "slopes", "adversaries"],
}
#: Benchmarks with pages of their own that a page shows pictures or figures of, and that are
#: measured with it.
TOGETHER = {"papers": ["pricing", "online_bounds"]}
#: The module of every benchmark.
MODULES = {
    name: f"benchmarks.{folder}.{name}" for folder, names in FOLDERS.items() for name in names
} | {
    f"{page}.{section}": f"benchmarks.{page}.{section}"
    for page, sections in SECTIONS.items()
    for section in sections
}


def benchmarks_of(name: str) -> list[str]:
    """The benchmarks that a name on the command line stands for: itself, or the sections of a page
    and what goes with them.
    """
    return [*sections_of(name), *TOGETHER.get(name, [])]


def sections_of(page: str) -> list[str]:
    """The benchmarks that a page is made of."""
    return [f"{page}.{section}" for section in SECTIONS[page]] if page in SECTIONS else [page]


def run(benchmark: str, sources: Iterable[str] = (), data: Iterable[str] = ()) -> None:
    """Measure, and store the results, with the digests of its sources and the names of data that
    are missing.
    """
    module = import_module(MODULES[benchmark])
    if hasattr(module, "measure"):  # else its results are those of an earlier commit
        store(benchmark, taken(module.measure, sources, data))


def render(benchmark: str) -> str:
    """Write the page that a benchmark belongs to, and its pictures, from stored results; return the
    page.
    """
    _draw(benchmark)
    page = benchmark.partition(".")[0]
    text = page_of(page)
    path_of(page).parent.mkdir(parents=True, exist_ok=True)
    path_of(page).write_text(text, encoding="utf-8")
    return text


def path_of(page: str) -> Path:
    """The file of a page: reliability is no comparison with peers, and stands beside the guide."""
    return (PAGES.parent if page == "reliability" else PAGES) / f"{page}.md"


def page_of(page: str) -> str:
    """The text of a page, of all its benchmarks that have results."""
    introduction = [import_module(f"benchmarks.{page}").INTRODUCTION] if page in SECTIONS else []
    found = {each: stored(each) for each in sections_of(page)}
    parts = [
        part
        for each, result in found.items()
        if result
        for part in (_text(each, result["facts"]), footer(result["circumstances"]))
    ]
    return "\n\n".join(part.strip("\n") for part in [*introduction, *parts]) + "\n"


def _draw(benchmark: str) -> None:
    found = stored(benchmark)
    if found is not None and set(found["facts"]) != {"page"}:
        getattr(import_module(MODULES[benchmark]), "draw_from", lambda facts: None)(found["facts"])


def _text(benchmark: str, facts: Facts) -> str:
    """The words of one benchmark: of its module, or, where that still writes its page while it
    measures, as it was stored.
    """
    return str(
        facts["page"] if set(facts) == {"page"} else import_module(MODULES[benchmark]).page(facts)
    )
