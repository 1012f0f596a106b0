"""``wideberth predict``: label new objects a batch at a time, each with its score and its certified radius."""

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.cli.reading import DataOptions, has_columns
from wideberth.errors import InvalidFile, NotCertified
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.radius_units import RadiusUnit, radius_unit
from wideberth.estimators.summary_phrases import counted
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.read import SavedModel, read_model
from wideberth.io.readers import Kind, Records, read_batches
from wideberth.io.whole_file import whole_file
from wideberth.metrics.kinds import NAME_IN_DATA
from wideberth.rounding import shown_radius

#: Objects read and labelled at a time.
BATCH = 10_000
#: The numbers of edits for which it is said how many labels are safe under any so many.
_SAFE_UNDER = (1, 2, 3)
#: The columns of the answers.
HEADER = ("object", "label", "score", "radius")


def predict(data: DataOptions, model_file: str, output: str | None, unit: str | None = None) -> None:
    """Write a CSV file with one line for each object of a file: the object, its label, its score and its radius.

    The score is the lead of the label over the next one. The radius is the distance within which the label is proved not to
    change; it is empty, with a message on standard error, if the model certifies none. Objects are read and labelled a batch at
    a time, so that files may have any length; a file named with ``output`` is written completely or not at all. With a ``unit``
    that is counted, such as edits, a last line on standard error says how many labels are safe under any one, two and three.

    Parameters
    ----------
    data : DataOptions
        The new objects and how to read them; a column of labels is ignored. Without a column, that of the training objects is
        read.
    model_file : str
        A file that `wideberth.save` or ``wideberth fit`` wrote.
    output : str or None
        The CSV file; standard output if None or ``"-"``.
    unit : str or None
        What radii are measured in, as in ``certified_radius``; None for the metric of the model.

    Raises
    ------
    InvalidFile
        If the model or the objects cannot be read, or if the model gives its objects no labels with scores.
    """
    saved = read_model(model_file)
    _refuse_without_scores(saved.model, model_file)
    model: Any = saved.model
    options = _read_options(saved, data.file, data.column)
    batches = read_batches(data.file, size=BATCH, encoding=data.encoding, max_size=data.max_size, labels=False, **options)
    with _output_stream(output) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        done, safe = 0, np.zeros(len(_SAFE_UNDER), dtype=int)
        for batch in batches:
            if not done:
                certified = _certifies(model, batch, unit)
            scores, radii = model._scores_and_radii(batch.objects, unit) if certified else (_scores(model, batch), None)
            writer.writerows(_answers(model, batch, done, scores, radii))
            stream.flush()
            done += len(batch)
            safe += 0 if radii is None else (radii > np.array(_SAFE_UNDER)[:, None]).sum(axis=1)
            _show_count(done, output, "")
        _show_count(done, output, "\n")
    if unit is not None and done and certified:
        _show_safe(safe, done, radius_unit(model.metric_, unit))


def _refuse_without_scores(model: Any, model_file: str) -> None:
    """Raise an `InvalidFile` for an embedding or an online learner, whose answers are not those of a classifier on a metric."""
    if isinstance(model, MetricClassifier):
        return
    name, method = type(model).__name__, "transform" if hasattr(model, "transform") else "predict"
    raise InvalidFile(
        f"{model_file}: it holds {'an' if name[0] in 'AEIOU' else 'a'} {name}, which is no classifier on a metric: it gives "
        f"objects {'coordinates' if method == 'transform' else 'labels'} without scores and radii.",
        advice=f"In Python, wideberth.load({model_file!r}).{method}(objects) answers.",
        path=model_file,
        line=None,
        value=name,
    )


def _read_options(saved: SavedModel, file: str, column: str | None) -> dict[str, Any]:
    """How the training objects were read: the kind and, unless another column is named, the columns.

    Parameters
    ----------
    saved : SavedModel
        The model, perhaps with the origin of its training objects.
    file : str
        The file of new objects.
    column : str or None
        The column that the user named.

    Returns
    -------
    dict
        Keyword arguments of `read_batches`. New objects of a model on distances are rows of numbers.
    """
    origin = saved.origin or _origin_by_metric(saved.model.metric_)
    kind: Kind = "vectors" if origin.kind == "distances" else origin.kind
    if column is not None or not has_columns(file):
        return {"kind": kind, "column": column}
    if kind == "graphs" and isinstance(origin.column, tuple):
        return {"kind": kind}  # new files may give neighbors instead of edges; the reader finds out
    return {"kind": kind, "column": origin.column, "numbers": origin.numbers}


def _origin_by_metric(metric: Any) -> Origin:
    """How to read objects for a model that was not fitted on a file: by the kind and the columns that its metric accepts."""
    kind = cast(Kind, NAME_IN_DATA.get(metric.accepts, metric.accepts))
    columns = _columns_accepted(metric) if kind == "rows" else {}
    if not columns or not all(isinstance(name, str) for name in columns):
        return Origin(kind)
    if not set(columns.values()) <= {"vectors", "strings"}:
        return Origin("objects", tuple(columns))
    return Origin("rows", tuple(columns), tuple(name for name, part in columns.items() if part == "vectors"))


def _columns_accepted(metric: Any) -> dict[Any, str]:
    """The columns that a metric on rows measures, with the kind that each of them holds; numbers are vectors of length 1."""
    if hasattr(metric, "parts"):
        return {name: part.accepts for name, part in metric.parts.items()}
    ranges = getattr(metric, "ranges", None) or {}
    return {name: "strings" if width is None else "vectors" for name, width in ranges.items()}


@contextmanager
def _output_stream(output: str | None) -> Iterator[TextIO]:
    """Open standard output in UTF-8, or a file that appears only when it is complete."""
    if output in (None, "-"):
        if sys.stdout is None:
            raise InvalidFile("Standard output is closed.", advice="Name a file with --output.", path="-", line=None, value=None)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    with whole_file(str(output)) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def _certifies(model: Any, batch: Records, unit: str | None) -> bool:
    """Whether the model certifies radii; if not, the reason is printed to standard error, once."""
    try:
        model.certified_radius(batch.objects[:1], unit)
    except NotCertified as reason:
        print(f"wideberth: no radius is certified. {reason}", file=sys.stderr)
        return False
    return True


def _scores(model: Any, batch: Records) -> Floats:
    """The scores of each class, shape (n, k)."""
    scores: Floats = model.decision_function(batch.objects)
    return np.stack([np.zeros(len(scores)), scores], axis=1) if scores.ndim == 1 else scores


def _answers(model: Any, batch: Records, start: int, scores: Floats, radii: Floats | None) -> Iterator[tuple[Any, ...]]:
    """The lines for a batch, the first object of which has the number ``start`` in the file; ``radii`` if they are certified."""
    labels = model.classes_[scores.argmax(axis=1)].tolist()
    shown = [""] * len(batch) if radii is None else map(shown_radius, radii)
    return zip(_object_names(batch, start), labels, _leads(scores), shown, strict=True)


def _object_names(batch: Records, start: int) -> Iterable[Any]:
    """The first column of the answers: text as it is, structures as JSON, other objects by their index in the file, from 0."""
    if batch.kind in ("strings", "molecules"):
        return list(batch.objects)
    if batch.kind in ("trees", "graphs", "rows"):
        return [json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in batch.objects]
    return range(start, start + len(batch))


def _leads(scores: Any) -> list[float]:
    """By how much the score of the best class exceeds that of the next one; its own score if there is no other class."""
    if scores.shape[1] == 1:
        return list(scores[:, 0].tolist())
    best = np.sort(scores, axis=1)[:, -2:]
    return list((best[:, 1] - best[:, 0]).tolist())


def _show_safe(safe: Integers, done: int, unit: RadiusUnit) -> None:
    """Say how many labels no so many edits can change, if edits, or the like, are what radii count."""
    if unit.step != 1 or unit.measure.unit is None:
        return
    moves = [counted(number, unit.measure.unit, f"{unit.measure.unit}s") for number in _SAFE_UNDER]
    under = ", ".join(f"{count:,} under any {some}" for count, some in zip(safe, moves, strict=True))
    print(f"wideberth: of {done:,} labels are safe: {under}.", file=sys.stderr)


def _show_count(done: int, output: str | None, end: str) -> None:
    """Show the number of objects done on a terminal, while the answers go to a file."""
    if output not in (None, "-") and sys.stderr.isatty():
        print(f"\r{done:,} objects", end=end, file=sys.stderr, flush=True)
