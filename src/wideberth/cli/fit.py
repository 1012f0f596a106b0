"""``wideberth fit``: learn a classifier from a file, print what was learned, and save it to a model file."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC
from wideberth.classifiers.hilbert_svm.measuring import landmarks_that_fit
from wideberth.classifiers.lipschitz.classifier import LipschitzClassifier
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.cli.reading import DataOptions, chosen_metric, class_sizes, origin_of, read_labelled
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory import parse_memory, show_memory
from wideberth.io.model_file.write import write_model
from wideberth.io.readers import Records
from wideberth.io.whole_file import check_writable
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed

#: Memory budget for the kernel matrix of an SVM; above it, landmarks replace the objects.
SVM_MEMORY = "2GB"


def fit(data: DataOptions, model: str, C: float | None, output: str | None) -> None:
    """Learn from the labelled objects of a file, print a summary, and save the model.

    Whether the model file can be written is checked first, before the time for learning is spent. The file also records how the
    objects were read, so that ``wideberth predict`` reads new ones in the same way.

    Parameters
    ----------
    data : DataOptions
        The file, how to read it, and the metric.
    model : str
        The short name of a classifier, as `make_classifier` takes it.
    C : float or None
        The price of errors; None for the default of the classifier.
    output : str or None
        The model file; None for `default_name`.

    Raises
    ------
    InvalidFile
        If the data cannot be read, have no labels, or the model file cannot be written.
    InvalidInput
        If ``C`` is given for a classifier that has none.
    """
    path = output or default_name(data.file)
    check_writable(path)
    records = read_labelled(data)
    classifier = make_classifier(model, chosen_metric(data, records), C, len(records))
    started = time.monotonic()
    with waiting(f"learning from {len(records):,} objects"):
        classifier.fit(records.objects, records.labels)
    seconds = time.monotonic() - started
    write_model(classifier, path, origin_of(records))
    print("\n".join(_learned(classifier, records, seconds)))
    print(f"Saved in {path} ({show_memory(Path(path).stat().st_size)}). Label new objects: wideberth predict {path} NEW")


def make_classifier(model: str, metric: str | Metric, C: float | None, n_objects: int) -> Any:
    """The classifier by its short name, for so many objects."""
    if model == "lipschitz":
        return LipschitzClassifier(metric, C=5.0 if C is None else C)
    if model == "lp":
        return LPMachineClassifier(metric, C=30.0 if C is None else C)
    if model == "svm":
        return make_svm(metric, 1.0 if C is None else C, n_objects, SVM_MEMORY)
    if C is not None:
        raise InvalidInput(
            f"-C {C:g} has no meaning for {model}.", advice="It is the price of errors of lipschitz, lp and svm.", value=C
        )
    return MarginNeighborsClassifier(metric) if model == "margin" else NeighborsClassifier(metric)


def make_svm(metric: str | Metric, C: float, n_objects: int, max_memory: str) -> HilbertSVC:
    """The SVM that works on any distance: clipped where that is indefinite, on landmarks where pairs do not fit in memory."""
    measure = Precomputed([[0.0]]) if metric == Precomputed.name else as_metric(metric)
    landmarks = landmarks_that_fit(n_objects, measure, parse_memory(max_memory))
    return HilbertSVC(metric, C=C, repair="clip", landmarks=landmarks, max_memory=max_memory)


def default_name(file: str) -> str:
    """Name a model file after the data file: in the working directory, with the ending ``.wb``.

    Parameters
    ----------
    file : str
        The data file; ``"-"`` for standard input.

    Returns
    -------
    str

    Examples
    --------
    >>> default_name("data/names.csv.gz"), default_name("-")
    ('names.wb', 'model.wb')
    """
    return "model.wb" if file == "-" else f"{Path(file).name.partition('.')[0] or 'model'}.wb"


def _learned(model: Any, records: Records, seconds: float) -> Iterator[str]:
    """The lines about a fitted model: the classes, the time, the summary of the model, and its error on the training objects."""
    labels = records.labels or []
    yield f"{len(records):,} objects of {class_sizes(labels)}. Learned in {seconds:.2g} s:"
    yield model.summary()
    wrong = np.mean(model.predict(records.objects) != np.asarray(labels))
    yield f"Of the training objects, {wrong:.1%} are classified wrongly."


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show on standard error what is being done until it is done; show nothing if standard error is not a terminal.

    Parameters
    ----------
    what : str
        What is being done.

    Examples
    --------
    >>> with waiting("making tea"):
    ...     print("tea")
    tea
    """
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what):
        yield
