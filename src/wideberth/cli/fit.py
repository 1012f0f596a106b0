"""``wideberth fit``: learn from a file, say what was learned, and save it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli.reading import chosen_metric, class_sizes, origin_of, read_labelled
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory import show_memory
from wideberth.io.model_file.write import write_model
from wideberth.io.readers import Records
from wideberth.io.whole_file import check_writable
from wideberth.metrics.metric import Metric

#: What distances may take; where the kernel matrix of an SVM would take more, landmarks stand for the objects.
MAX_MEMORY = "2GB"


def fit(
    file: str,
    column: str | None,
    target: str | None,
    metric: str | None,
    encoding: str | None,
    kind: str | None,
    model: str,
    C: float | None,
    output: str | None,
) -> None:
    """Learn from the objects of a file and save the model."""
    path = output or default_name(file)
    check_writable(path)
    records = read_labelled(file, column, target, encoding, kind)
    classifier = make_classifier(model, chosen_metric(metric, records), C, len(records))
    started = time.monotonic()
    with waiting(f"learning from {len(records):,} objects"):
        classifier.fit(records.objects, records.labels)
    seconds = time.monotonic() - started
    write_model(classifier, path, origin_of(records))
    print("\n".join(_learned(classifier, records, seconds)))
    print(f"Saved in {path} ({show_memory(Path(path).stat().st_size)}). Ask it: wideberth predict {path} NEW")


def make_classifier(model: str, metric: str | Metric, C: float | None, n_objects: int) -> Any:
    """The unfitted classifier with a short name, for this many objects."""
    entry = CLASSIFIERS[model]
    if C is not None and entry.C is None:
        priced = [name for name, other in CLASSIFIERS.items() if other.C is not None]
        raise InvalidInput(
            f"-C {C:g} has no meaning for {model}.", advice=f"It is the price of errors of {' and '.join(priced)}.", value=C
        )
    return entry.set_up(metric, n_objects, C=C, max_memory=MAX_MEMORY)


def default_name(file: str) -> str:
    """The model's file where none is named: the data's own name, in the working directory.

    >>> default_name("data/names.csv.gz"), default_name("-")
    ('names.wb', 'model.wb')
    """
    return "model.wb" if file == "-" else f"{Path(file).name.partition('.')[0] or 'model'}.wb"


def _learned(model: Any, records: Records, seconds: float) -> Iterator[str]:
    labels = records.labels or []
    yield f"{len(records):,} objects of {class_sizes(labels)}. Learned in {seconds:.2g} s:"
    yield model.summary()
    wrong = np.mean(model.predict(records.objects) != np.asarray(labels))
    yield f"Of the training objects, {wrong:.1%} are classified wrongly."


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
