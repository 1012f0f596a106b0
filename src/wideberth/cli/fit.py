"""``wideberth fit``: learn a classifier from a file, print what was learned, and save it to a model file."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli.reading import DataOptions, chosen_metric, class_sizes, origin_of, read_labelled
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory_amounts import show_memory
from wideberth.io.model_file.write import write_model
from wideberth.io.readers import Records
from wideberth.io.whole_file import check_writable
from wideberth.metrics.metric import Metric

#: Memory budget for distances; where the kernel matrix of an SVM would take more, landmarks replace the objects.
MAX_MEMORY = "2GB"


def fit(data: DataOptions, model: str, C: float | None, output: str | None) -> None:
    """Learn from the labelled objects of a file, print a summary, and save the model.

    Whether the model file can be written is checked first, before the time for learning is spent. The file also records how the
    objects were read, so that ``wideberth predict`` reads new ones in the same way.

    Parameters
    ----------
    data : DataOptions
        The file, how to read it, and the metric.
    model : str
        The short name of a classifier.
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
    path = default_name(data.file) if output is None else output
    check_writable(path)
    records = read_labelled(data)
    classifier = make_classifier(model, chosen_metric(data, records), C, len(records))
    started = time.monotonic()
    classifier.fit(records.objects, records.labels)
    seconds = time.monotonic() - started
    write_model(classifier, path, origin_of(records))
    print("\n".join(_learned(classifier, records, seconds)))
    print(f"Saved in {path} ({show_memory(Path(path).stat().st_size)}). Label new objects: wideberth predict {path} NEW")


def make_classifier(model: str, metric: str | Metric, C: float | None, n_objects: int) -> Any:
    """Make an unfitted classifier by its short name.

    Parameters
    ----------
    model : str
        A key of `wideberth.classifiers.named.CLASSIFIERS`.
    metric : str or Metric
        The metric.
    C : float or None
        The price of errors; None for the default of the classifier.
    n_objects : int
        How many objects it will learn from: the SVM uses landmarks where all pairs of them do not fit in `MAX_MEMORY`.

    Returns
    -------
    MetricClassifier

    Raises
    ------
    InvalidInput
        If ``C`` is given for a classifier that has none.

    Examples
    --------
    >>> make_classifier("lipschitz", "levenshtein", None, 100).C
    5.0
    """
    entry = CLASSIFIERS[model]
    if C is not None and entry.C is None:
        priced = [name for name, other in CLASSIFIERS.items() if other.C is not None]
        raise InvalidInput(
            f"-C {C:g} has no meaning for {model}.", advice=f"It is the price of errors of {' and '.join(priced)}.", value=C
        )
    return entry.set_up(metric, n_objects, C=C, max_memory=MAX_MEMORY)


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
