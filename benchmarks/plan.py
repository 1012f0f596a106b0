"""What each benchmark speaks of, needs and costs, and which results are older than the code.

A new benchmark gets a line here: about how many minutes of CPU it takes, the parts of
``src/wideberth`` that its figures depend on, the files and packages whose rows are missing without
them, and the environment in which it runs.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal

from benchmarks.outside_data import missing
from benchmarks.pages import MODULES
from benchmarks.results import stored
from benchmarks.sources import changed_since
from wideberth.classifiers.named import CLASSIFIERS

#: The environments of the Makefile: ``.venv-bench``, ``.venv-aeon``, and one that a benchmark makes
#: for itself.
Environment = Literal["bench", "aeon", "own"]


@dataclass(frozen=True)
class Section:
    """A benchmark before it is run. ``minutes`` are an estimate, until a run has measured them."""

    minutes: float
    sources: tuple[str, ...]
    data: tuple[str, ...] = ()
    environment: Environment = "bench"


#: The folders of all families.
FAMILIES = tuple(
    "/".join(entry.load().__module__.split(".")[1:-1]) for entry in CLASSIFIERS.values()
)
CLASSIFYING = (*FAMILIES, "estimators", "geometry", "optimize")
METRICS = ("metrics",)
STRINGS = ("metrics/metric.py", "metrics/strings", "metrics/vectors")
_FILES = (
    "words_6_languages.csv",
    "names_18_nationalities.csv",
    "sms_spam.csv",
    "promoters.csv",
    "splice_junctions.csv",
)
_MORE_FILES = (
    *_FILES,
    "bbbp.csv",
    "bace.csv",
    "enzymes.jsonl",
    "proteins.jsonl",
    "glycans_kingdom.jsonl",
    "apes.npz",
)
_CHOOSING = Section(
    2.2,
    (
        "estimators",
        "geometry/measure",
        "geometry/space",
        "optimize",
        "metrics/metric.py",
        "metrics/strings",
    ),
    (*_FILES[:2], "splice_junctions.csv", "bbbp.csv", "proteins.jsonl"),
)
_CERTIFIED = Section(1.6, (*CLASSIFYING, "guarantees", *STRINGS))
_SCALEOUT = Section(
    4, ("scaleout", "geometry", "classifiers/neighbors", "classifiers/linear", "metrics/metric.py")
)
_PAPERS = Section(1.0, ("bounds", "classifiers", "geometry", "papers", "guarantees"))


def _about(section: Section, *sources: str, minutes: float | None = None) -> Section:
    """The same with further sources."""
    return replace(
        section,
        sources=(*sources, *section.sources),
        minutes=section.minutes if minutes is None else minutes,
    )


PLAN: dict[str, Section] = {
    "distances": Section(6, METRICS, ("aeon",), "aeon"),
    "agreement": Section(2, METRICS, ("aeon",), "aeon"),
    "cores": Section(3, ("metrics", "geometry/measure"), ("aeon",), "aeon"),
    "checked_blocks": Section(
        0.5, ("metrics/metric.py", "metrics/functions.py", "metrics/functions.py")
    ),
    "counting": Section(
        0.5,
        (
            "metrics/strings/count_kernels.py",
            "metrics/strings/text_counts.py",
            "metrics/elements.py",
        ),
    ),
    "matching": Section(9, ("classifiers/margin_neighbors", "geometry")),
    "index": Section(6, ("geometry/search", "geometry/measure", *STRINGS), ("aeon",), "aeon"),
    "filter": Section(
        10,
        ("geometry/search", "geometry/classes", *STRINGS),
        (*_FILES[1:2], "splice_junctions.csv", "wordfreq"),
    ),
    "memory": Section(8, ("geometry", "classifiers/margin_neighbors", "papers")),
    "lipschitz": Section(8, ("classifiers/lipschitz", "geometry", "optimize", "estimators")),
    "lp_machine": Section(
        6,
        ("classifiers/lp_machine", "geometry", "optimize", "estimators"),
        ("words_6_languages.csv",),
    ),
    "lp_growth": Section(2, ("classifiers/lp_machine", "geometry", "optimize", "estimators")),
    "engines": Section(3, ("classifiers/lipschitz", "optimize")),
    "neighbors": Section(
        25, ("classifiers/neighbors", "geometry", "metrics"), (*_MORE_FILES, "aeon"), "aeon"
    ),
    "repairs": Section(
        12,
        ("classifiers/hilbert_svm", "estimators", "geometry", "metrics"),
        (*_FILES[:4], "glycans_kingdom.jsonl", "apes.npz", "aeon", "modlamp", "wordfreq"),
        "aeon",
    ),
    "ties": Section(3, ("classifiers/neighbors", "geometry/classes"), _FILES),
    "errors": Section(
        17,
        (*CLASSIFYING, "metrics"),
        (*_MORE_FILES, "aeon", "modlamp", "datamol", "wordfreq"),
        "aeon",
    ),
    "hilbert": Section(
        3, ("classifiers/hilbert_svm", "geometry/measure", "geometry/space", "estimators")
    ),
    "margin": Section(12, ("classifiers/margin_neighbors", "geometry", "estimators")),
    "perturbation": Section(12, ("papers/perturbation.py", "papers/chains.py", "bounds/margin.py")),
    "criteria": Section(2, ("papers", "bounds")),
    "ksu": Section(5, ("classifiers/margin_neighbors",), environment="own"),
    "online": Section(300, ("classifiers/online",)),
    "online_bounds": Section(5, ("classifiers/online", "papers")),
    "online_speed": Section(0.5, ("classifiers/online",)),
    "pricing": Section(1, ("classifiers/online",)),
    "river_streams": Section(2.1, ("classifiers/online",), ("river",)),
    "capacity": Section(15, ("papers", "bounds", "geometry")),
    "robustness": Section(15, (*CLASSIFYING, "guarantees"), ("promoters.csv", "aeon"), "aeon"),
    "guarantees": Section(
        7, (*CLASSIFYING, "guarantees", "bounds"), (*_MORE_FILES, "aeon"), "aeon"
    ),
    "embeddings": Section(
        3, (*CLASSIFYING, "guarantees", "bounds"), (*_MORE_FILES, "aeon"), "aeon"
    ),
    "reliability": Section(4, (*CLASSIFYING, "guarantees", "io", "cli")),
    "label_issues": Section(2.1, (*CLASSIFYING, "insight"), (*_FILES[:2], "bbbp.csv")),
    "label_next": Section(
        6,
        ("insight", "classifiers/neighbors", "classifiers/hilbert_svm"),
        ("ag_news_test.csv", "glycans_kingdom.jsonl", "proteins.jsonl", "imdb_test.csv.gz"),
    ),
    "probabilities": Section(8, CLASSIFYING, (*_FILES[:3], "bbbp.csv", "splice_junctions.csv")),
    "prediction_sets": Section(2, (*CLASSIFYING, "insight"), (*_FILES[:2], "bbbp.csv")),
    "serve": Section(
        3, ("serve", "io/model_file/saved_classifier.py", "estimators/model_facts.py")
    ),
    "metrics": Section(
        60,
        ("metrics", "classifiers/neighbors", "classifiers/hilbert_svm"),
        (*_MORE_FILES, "aeon", "Bio"),
        "aeon",
    ),
    "report": Section(6.5, ("report",), ("words_6_languages.csv", "bbbp.csv", "aeon"), "aeon"),
    "tables": Section(
        25,
        ("choice", "io", "cli", "insight", "report", *CLASSIFYING, "metrics"),
        ("gapminder", "palmerpenguins", "pydataset", "sklearn", "statsmodels", "vega_datasets"),
    ),
    "growth": Section(20, (*CLASSIFYING, *STRINGS)),
    "choosing.hilbert_svm": _about(_CHOOSING, "classifiers/hilbert_svm"),
    "choosing.lp_machine": _about(_CHOOSING, "classifiers/lp_machine"),
    "choosing.lipschitz": _about(_CHOOSING, "classifiers/lipschitz", minutes=1.3),
    "choosing.threads": Section(2, CLASSIFYING),
    "choosing.compare": Section(1, (*CLASSIFYING, "cli", "doctor")),
    "choosing.calls": Section(0.5, CLASSIFYING),
    "choosing.startup": Section(2, ("cli", "io/model_file", "compilation.py", "estimators")),
    "choosing.before": Section(0, ()),
    "auto.accuracy": Section(
        50, ("choice", *CLASSIFYING, "metrics"), (*_MORE_FILES, "ag_news_test.csv", "aeon"), "aeon"
    ),
    "auto.profiles": Section(20, ("choice", *CLASSIFYING, "metrics"), _MORE_FILES, "aeon"),
    "auto.fresh": Section(15, ("choice", *CLASSIFYING, "metrics"), ("pydataset",)),
    "auto.before": Section(0, ()),
    "auto.files": Section(
        20, ("choice", "io", "cli", *CLASSIFYING, "metrics"), (*_MORE_FILES, "ag_news_test.csv")
    ),
    "certified.news": replace(
        _CERTIFIED, minutes=8, data=("ag_news_test.csv", "ag_news_test_lipslev_radii.npy")
    ),
    "certified.moved_words": replace(
        _CERTIFIED,
        minutes=30,
        data=(
            "ag_news_test.csv",
            "imdb_train.csv.gz",
            "imdb_test.csv.gz",
            "counterfitted_neighbors.json.gz",
        ),
    ),
    "certified.messages": replace(_CERTIFIED, data=("sms_spam.csv",)),
    "certified.words": replace(_CERTIFIED, data=("words_6_languages.csv",)),
    "certified.names": replace(_CERTIFIED, data=("names_18_nationalities.csv",)),
    "certified.first_names": _CERTIFIED,
    "certified.numbers": replace(_CERTIFIED, minutes=1, data=("aeon",), environment="aeon"),
    "certified.wrong_rows": replace(
        _CERTIFIED, minutes=8, data=("sms_spam.csv", "words_6_languages.csv")
    ),
    "certified.accuracy": replace(_CERTIFIED, minutes=12, data=_FILES[:3]),
    "certified.moves": replace(_CERTIFIED, minutes=15, data=_FILES[:3]),
    "scaleout.runner": replace(_SCALEOUT, data=_FILES[1:2]),
    **{f"scaleout.{each}": _SCALEOUT for each in ("collections", "fits", "few", "cost_model")},
    "scaleout.million": replace(_SCALEOUT, minutes=20),
    "scaleout.strings": Section(
        20, ("scaleout", "geometry", "classifiers/margin_neighbors", *STRINGS), ("wordfreq",)
    ),
    **{
        f"papers.{each}": _PAPERS
        for each in ("figure3", "separation", "approximate", "slopes", "adversaries")
    },
}


def status(benchmark: str) -> str:
    """How its result stands to the code, in a few words; empty if it is of this code."""
    found = stored(benchmark)
    if not measures(benchmark):
        return "kept as it was, on purpose"
    if found is None:
        return "not measured"
    changed = changed_since(found["circumstances"], PLAN[benchmark].sources)
    if changed is None:
        return "of a commit that git does not have"
    if changed:
        return f"older than the code: {', '.join(changed)} changed"
    lacking = found["circumstances"].get("lacking", [])
    return f"unfinished: {len(lacking)} outcomes are lacking" if lacking else ""


def measures(benchmark: str) -> bool:
    """Whether it can be measured: a few show what was measured before something was changed."""
    module = import_module(MODULES[benchmark])
    return hasattr(module, "measure")


def minutes(benchmark: str) -> float:
    """Minutes of CPU: those of the last run if it was a whole one, else the estimate."""
    told = (stored(benchmark) or {"circumstances": {}})["circumstances"]
    return (
        float(told["cpu_minutes"])
        if "cpu_minutes" in told and not told.get("lacking")
        else PLAN[benchmark].minutes
    )


def due(environment: Environment | None = None) -> list[str]:
    """The benchmarks to run: without a result, or older than the code, or unfinished; all
    environments unless one is named.
    """
    here = [name for name, section in PLAN.items() if environment in (None, section.environment)]
    return [name for name in here if measures(name) and status(name)]


def shown(names: list[str]) -> str:
    """The plan in words: minutes, environment, how the result stands, and the data that are missing
    here.
    """
    lines = []
    for name in names:
        section = PLAN[name]
        absent = missing(section.data)
        words = [
            status(name) or "of this code",
            *([f"missing here: {', '.join(absent)}"] if absent else []),
        ]
        lines.append(
            f"{name:<22}{minutes(name):>7.1f} min  .venv-{section.environment:<6} "
            f"{'; '.join(words)}"
        )
    total = sum(minutes(name) for name in names)
    return "\n".join([*lines, f"{'together':<22}{total:>7.1f} min of CPU"])
