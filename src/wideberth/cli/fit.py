"""``wideberth fit``: learn from a file, say what was learned, and save it."""

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
from wideberth.cli.reading import chosen_metric, class_sizes, origin_of, read_labelled
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory import parse_memory, show_memory
from wideberth.io.model_file.write import write_model
from wideberth.io.readers import Records
from wideberth.io.whole_file import check_writable
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed

#: Metrics whose distances are numbers of edits; others may have whole distances of another meaning.
_COUNTING_EDITS = frozenset({"levenshtein", "indel", "damerau", "hamming", "tree_edit"})
#: What the kernel matrix of an SVM may take; above it, landmarks stand for the objects.
SVM_MEMORY = "2GB"


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
    """The model's file where none is named: the data's own name, in the working directory.

    >>> default_name("data/names.csv.gz"), default_name("-")
    ('names.wb', 'model.wb')
    """
    return "model.wb" if file == "-" else f"{Path(file).name.partition('.')[0] or 'model'}.wb"


def _learned(model: Any, records: Records, seconds: float) -> Iterator[str]:
    labels = records.labels or []
    yield f"Learned from {len(records):,} objects of {class_sizes(labels)}, by {model.metric_.name} distance, in {seconds:.2g} s."
    if isinstance(model, LipschitzClassifier):
        yield from _function_in_words(model, records)
    elif isinstance(model, LPMachineClassifier):
        yield from _references_in_words(model, records)
    elif isinstance(model, HilbertSVC):
        yield from _kernel_in_words(model, records)
    elif isinstance(model, MarginNeighborsClassifier):
        yield from _margin_in_words(model)
    else:
        k = model.n_neighbors_
        yield f"The {k} nearest vote; with each object left out once, {model.loo_errors_[k]:.1%} are classified wrongly."
    wrong = np.mean(model.predict(records.objects) != np.asarray(labels))
    yield f"Of the training objects, {wrong:.1%} are classified wrongly."


def _function_in_words(model: LipschitzClassifier, records: Records) -> Iterator[str]:
    if not model.lipschitz_constant_:
        yield _one_label(model, records)
        return
    yield (
        f"C = {model.C:g}: Lipschitz constant {model.lipschitz_constant_:.4g}, margin {model.margin_:.4g} "
        f"({_meaning(model)}); within {max(0.0, model.solution_.relative_gap):.2g} of the optimum."
    )


def _references_in_words(model: LPMachineClassifier, records: Records) -> Iterator[str]:
    if not len(model.references_):
        yield _one_label(model, records)
        return
    steepest = model.lipschitz_bound_.max()
    yield (
        f"C = {model.C:g}: of {len(records):,} objects {len(model.references_):,} are references, which new ones are measured "
        f"against. Lipschitz constant at most {steepest:.4g}, margin at least {1 / steepest:.4g}{_unit(model.metric_)}; "
        f"within {max(0.0, model.solution_.relative_gap):.2g} of the optimum."
    )


def _kernel_in_words(model: HilbertSVC, records: Records) -> Iterator[str]:
    yield (
        f"C = {model.C:g}: of {len(records):,} objects {len(model.references_):,} are references, which new ones are measured "
        f"against. Their kernel has width {model.width_:.4g}{_unit(model.metric_)}."
    )
    yield str(model.kernel_report_)


def _one_label(model: LipschitzClassifier | LPMachineClassifier, records: Records) -> str:
    label = model.predict(records.objects[:1]).tolist()[0]
    return f"C = {model.C:g}: every object gets the label {label!r}. With a larger C, errors cost more than a steep score."


def _margin_in_words(model: MarginNeighborsClassifier) -> Iterator[str]:
    unit = _unit(model.metric_)
    yield (
        f"Kept objects of different classes are {model.separation_:.4g}{unit} apart at least: {len(model.kept_):,} are kept, "
        f"{len(model.removed_):,} removed, {len(model.held_out_):,} were set aside."
    )
    yield str(model.risk_bound_)


def _unit(metric: Metric) -> str:
    return " edits" if metric.name in _COUNTING_EDITS and metric.step == 1 else ""


def _meaning(model: LipschitzClassifier) -> str:
    unit = _unit(model.metric_)
    kept = f"{len(model.support_):,} objects are kept"
    return f"classes are separated by {2 * model.margin_:.4g}{unit} where they do not overlap; {kept}"


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
