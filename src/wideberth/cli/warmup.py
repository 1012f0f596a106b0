"""``wideberth warmup``: compile all loops now, so that no first fit has to; and the same for one
method, before it is timed.
"""

import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

import wideberth
from wideberth.array_types import Labels, Objects
from wideberth.cards.values import duration
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli import options
from wideberth.cli.console import say, show_json
from wideberth.compilation import compile_from_the_first_call, recorded_compilations
from wideberth.errors import WideberthError
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.metrics.named import METRICS, metric
from wideberth.objects import sample

#: Enough objects for the searches that many objects need, and so few that others do without.
MANY, FEW = 300, 60
#: So many are matched along lists of neighbours, and not all of them are references.
_MATCHED = 700


class _Sample(NamedTuple):
    """Objects of one kind that are easy to classify."""

    kind: str
    objects: Objects
    labels: Labels
    metric: str


@options.command(
    options.JSON,
    examples=("",),
    panel=options.Panel.output,
)
def warmup(*, json: bool) -> None:
    """Compile the loops of all classifiers and metrics now, once, so that no first fit has to wait
    for it.

    Machine code is kept on the disk, beside the package or in ``NUMBA_CACHE_DIR``; what is there
    already is not compiled again. Metrics that need a package that is not installed are left out.
    """
    started = time.monotonic()
    compile_from_the_first_call()
    with recorded_compilations() as compiled_so_far:
        for what in _prepare_everything():
            if not json:
                _show(what, len(compiled_so_far()), started)
    if json:
        show_json({"compiled": len(compiled_so_far()), "seconds": time.monotonic() - started})
        return
    say(
        "Compiled loops are kept on the disk."
        if compiled_so_far()
        else "Everything was on the disk already."
    )


def _prepare_everything() -> Iterator[str]:
    """Run all loops that commands may need; yields what is done."""
    for drawn in _samples(FEW, MANY):
        for model in _models(drawn.metric, len(drawn.labels)):
            warm_up(model, drawn.objects, drawn.labels)
        yield f"classifiers of {drawn.kind}"
    for drawn in _samples(FEW):
        _ask(drawn)
    yield "questions about data"
    for drawn in _samples(_MATCHED):
        for model in _models_of_many(drawn.metric):
            warm_up(model, drawn.objects, drawn.labels, most=_MATCHED)
        _search(drawn)
    yield "many objects"
    for name in METRICS:
        _measure_examples(name)
    yield "metrics"


def warm_up(model: MetricClassifier, objects: Objects, labels: Labels, *, most: int = MANY) -> None:
    """Fit a classifier to some of the objects and ask it, so that what it needs is compiled when it
    is timed.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> warm_up(NeighborsClassifier("levenshtein"), ["tea", "tee", "rum"], np.array([1, 1, 0]))
    """
    some = np.arange(0, len(labels), max(1, len(labels) // most))[:most]
    part = sample.pick(sample.hold(objects), some)
    with warnings.catch_warnings(action="ignore"):
        try:
            model.fit(part, labels[some])
            model.predict(part)
            model.predict_proba(part)
            model.certified_radius(part)
        # some of the objects may be too few, or the method certifies no radius
        except (WideberthError, AttributeError):
            return


def _samples(*sizes: int) -> Iterator[_Sample]:
    """Objects of the kinds whose searches differ: vectors, objects of which only distances are
    known, and texts whose parts are counted.
    """
    random = np.random.default_rng(0)
    for n in sizes:
        labels = np.arange(n) % 2
        points = random.normal(size=(n, 2)) + labels[:, None]
        words = [
            "".join(random.choice(list("aeust" if label else "rstmn"), size=5 + i % 7))
            for i, label in enumerate(labels)
        ]
        yield _Sample(f"{n} vectors", points, labels, "euclidean")
        yield _Sample(f"{n} strings", words, labels, "levenshtein")
        if n == FEW:
            yield _Sample(f"{n} strings by their parts", words, labels, "ngrams")
            texts = [" ".join(random.choice(words, size=6)) for _ in labels]
            yield _Sample(f"{n} texts", texts, labels, "words")


def _ask(drawn: _Sample) -> None:
    """Ask what commands besides `fit` ask of objects and of models."""
    wideberth.diagnose(drawn.objects, drawn.metric, drawn.labels, verbose=-1)
    wideberth.prototypes(drawn.objects, drawn.metric, 3, drawn.labels)
    suited = [entry for entry in CLASSIFIERS.values() if entry.suits(drawn.metric)]
    fitted = [
        entry.set_up(drawn.metric, len(drawn.labels)).fit(drawn.objects, drawn.labels)
        for entry in suited
    ]
    if drawn.metric in ("ngrams", "words"):
        for model in fitted:
            with suppress(WideberthError):  # not all have radii in edits
                model.certified_radius(drawn.objects[:8], "edit")
        return
    three = np.arange(len(drawn.labels)) % 3  # covers of two classes need other loops
    for entry in suited:
        warm_up(entry.set_up(drawn.metric, len(three)), drawn.objects, three)
    wideberth.AutoClassifier(drawn.metric).fit(drawn.objects, drawn.labels)
    wideberth.label_issues(fitted[0], drawn.objects, drawn.labels)


def _search(drawn: _Sample) -> None:
    """Search with all engines, however few objects there are."""
    for engine in ("kdtree",) if drawn.metric == "euclidean" else ("filter", "pivots"):
        index = wideberth.Index(drawn.objects, drawn.metric, engine=engine)
        index.nearest(drawn.objects, k=3)
        index.within(drawn.objects, 1.0)


def _models(metric_name: str, n: int) -> Iterator[Any]:
    """All classifiers, with usual settings, and those that choose their settings."""
    suited = [entry for entry in CLASSIFIERS.values() if entry.suits(metric_name)]
    for entry in suited:
        yield entry.set_up(metric_name, n)
    for entry in suited:
        if entry.chooser_name is not None:
            yield entry.load_chooser()(metric_name, cv=2)


def _models_of_many(metric_name: str) -> Iterator[Any]:
    """Classifiers with the settings that they get for very many objects."""
    for entry in CLASSIFIERS.values():
        if entry.suits(metric_name):
            yield entry.set_up(metric_name, 10**6)


def _measure_examples(name: str) -> None:
    """Measure the examples of a metric, if it has any and what it needs is installed."""
    examples = METRICS[name].examples
    if not len(examples):
        return
    try:
        measure = metric(name).fitted(examples)
        measure.block(measure.prepare(examples), measure.prepare(examples))
    except WideberthError:
        return


def _show(what: str, compiled: int, started: float) -> None:
    say(f"{what}: {compiled} loops compiled after {duration(time.monotonic() - started)}")
