"""The model that a command names, and objects and labels for it, read as its training objects were."""

from dataclasses import replace
from typing import Any, cast

from wideberth.cli.arguments.data import DataOptions, has_columns, numbers_of, read_labelled
from wideberth.errors import InvalidFile
from wideberth.estimators.base import MetricClassifier
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.read import SavedModel, read_model
from wideberth.io.readers import Kind, Records
from wideberth.io.readers.faults import fault
from wideberth.metrics.kinds import NAME_IN_DATA
from wideberth.objects.sample import shown


def classifier_in(model_file: str) -> SavedModel:
    """Read a model file that has to hold a classifier on a metric.

    Parameters
    ----------
    model_file : str
        A file that `wideberth.save` or ``wideberth fit`` wrote.

    Returns
    -------
    SavedModel

    Raises
    ------
    InvalidFile
        If it holds an embedding, an online learner or a pipeline, whose answers are not those of a classifier on a metric.
    """
    saved = read_model(model_file)
    model = saved.model
    if isinstance(model, MetricClassifier):
        return saved
    name, method = type(model).__name__, "predict" if hasattr(model, "predict") else "transform"
    raise InvalidFile(
        f"{model_file}: it holds {'an' if name[0] in 'AEIOU' else 'a'} {name}, which is no classifier on a metric: it gives "
        f"objects {'coordinates' if method == 'transform' else 'labels'} without scores and radii.",
        advice=f"In Python, wideberth.load({model_file!r}).{method}(objects) answers.",
        path=model_file,
        line=None,
        value=name,
    )


def options_for(
    saved: SavedModel, file: str, column: tuple[str, ...] = (), numbers: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """How new objects are read: as the training objects were, unless other columns are named.

    Parameters
    ----------
    saved : SavedModel
        The model, perhaps with the origin of its training objects.
    file : str
        The file of new objects.
    column : tuple of str
        The columns that the user named.
    numbers : tuple of str or None
        How numbers are written, as the user said.

    Returns
    -------
    dict
        Keyword arguments of `wideberth.read`. New objects of a model on distances are rows of numbers.
    """
    origin = saved.origin or _origin_by_metric(saved.model.metric_)
    kind: Kind = "vectors" if origin.kind == "distances" else origin.kind
    written = origin.numbers if numbers is None else numbers_of(numbers)
    if column or not has_columns(file):
        return {"kind": kind, "column": list(column) if len(column) > 1 else next(iter(column), None)}
    if kind == "graphs" and isinstance(origin.column, tuple):
        return {"kind": kind}  # new files may give neighbors instead of edges; the reader finds out
    return {"kind": kind, "column": origin.column, "numbers": written}


def labelled_for(saved: SavedModel, data: DataOptions) -> Records:
    """Read labelled objects for a model.

    Parameters
    ----------
    saved : SavedModel
        The model.
    data : DataOptions
        The files; where the labels are not named, they are in the column of the training labels.

    Returns
    -------
    Records
        The labels are those of the model wherever they are written alike: 1 in JSON is "1" in a table.

    Raises
    ------
    InvalidFile
        If there are no labels, or none that the model knows.
    """
    options = options_for(saved, data.file, data.column)
    remembered = None if saved.notes is None else saved.notes.target
    named = remembered if data.target is None and data.labels_from is None and has_columns(data.file) else data.target
    column, _ = options.pop("column", None), options.pop("numbers", None)
    written = data.numbers if data.numbers is not None else None if saved.origin is None else saved.origin.numbers
    records = read_labelled(
        replace(
            data,
            column=() if column is None else (column,) if isinstance(column, str) else tuple(column),
            target=named,
            numbers=written,
            **options,
        ),
        classes=1,
    )
    classes = saved.model.classes_.tolist()
    written_alike = {str(label): label for label in classes}
    labels = [written_alike.get(str(label), label) for label in records.labels or []]
    if not set(labels) & set(classes):
        raise fault(
            data.file,
            f"none of its labels ({', '.join(map(shown, sorted(set(labels), key=str)[:3]))}) is a class of the model.",
            value=labels[0],
            advice=f"The model knows {', '.join(map(shown, classes[:8]))}; --target names the column of the labels.",
        )
    return replace(records, labels=labels)


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
