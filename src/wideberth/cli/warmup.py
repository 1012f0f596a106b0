"""``wideberth warmup``: compile all loops now, so that no first fit has to; and the same for one
method, before it is timed.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Labels, Objects
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli import options
from wideberth.cli.console import say, show_json
from wideberth.compilation import recorded_compilations
from wideberth.errors import WideberthError
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.metrics.named import METRICS, metric
from wideberth.objects import sample

#: Enough objects for the searches that many objects need, and so few that others do without.
MANY, FEW = 300, 60


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
    with recorded_compilations() as compiled_so_far:
        for drawn in _samples():
            for model in _models(drawn.metric, len(drawn.labels)):
                warm_up(model, drawn.objects, drawn.labels)
            if not json:
                _show(f"classifiers of {drawn.kind}", len(compiled_so_far()), started)
        for name in METRICS:
            _measure_examples(name)
    if json:
        show_json({"compiled": len(compiled_so_far()), "seconds": time.monotonic() - started})
        return
    _show("metrics", len(compiled_so_far()), started)
    say(
        "Compiled loops are kept on the disk."
        if compiled_so_far()
        else "Everything was on the disk already."
    )


def warm_up(model: MetricClassifier, objects: Objects, labels: Labels) -> None:
    """Fit a classifier to some of the objects and ask it, so that what it needs is compiled when it
    is timed.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> warm_up(NeighborsClassifier("levenshtein"), ["tea", "tee", "rum"], np.array([1, 1, 0]))
    """
    some = np.arange(0, len(labels), max(1, len(labels) // MANY))[:MANY]
    part = sample.pick(sample.hold(objects), some)
    with warnings.catch_warnings(action="ignore"):
        try:
            model.fit(part, labels[some])
            model.predict(part)
            model.certified_radius(part)
        # some of the objects may be too few, or the method certifies no radius
        except (WideberthError, AttributeError):
            return


def _samples() -> Iterator[_Sample]:
    """Few and many objects of the kinds whose searches differ: vectors, and objects of which only
    distances are known.
    """
    random = np.random.default_rng(0)
    for n in (FEW, MANY):
        labels = np.arange(n) % 2
        points = random.normal(size=(n, 2)) + labels[:, None]
        words = [
            "".join(random.choice(list("aeu" if label else "rstmn"), size=5)) for label in labels
        ]
        yield _Sample(f"{n} vectors", points, labels, "euclidean")
        yield _Sample(f"{n} strings", words, labels, "levenshtein")


def _models(metric_name: str, n: int) -> Iterator[Any]:
    """All classifiers, with usual settings, and those that choose their settings."""
    suited = [entry for entry in CLASSIFIERS.values() if entry.suits(metric_name)]
    for entry in suited:
        yield entry.set_up(metric_name, n)
    for entry in suited:
        if entry.chooser_name is not None:
            yield entry.load_chooser()(metric_name, cv=2)


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
    say(f"{what}: {compiled} loops compiled after {time.monotonic() - started:.1f} s")
