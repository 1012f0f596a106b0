"""A classifier in a model file, and how new objects for it are read: as its training objects were."""

from typing import Any, cast

from wideberth.errors import InvalidFile
from wideberth.estimators.base import MetricClassifier
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.read import SavedModel, read_model
from wideberth.io.readers import Kind
from wideberth.io.readers.sources.source import has_columns
from wideberth.metrics.kinds import NAME_IN_DATA


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


def options_for(saved: SavedModel, file: str, column: tuple[str, ...] = (), numbers: Any = None) -> dict[str, Any]:
    """How new objects are read: as the training objects were, unless other columns are named.

    Parameters
    ----------
    saved : SavedModel
        The model, perhaps with the origin of its training objects.
    file : str
        The file of new objects.
    column : tuple of str
        The columns that the user named.
    numbers : sequence of str, dict or None
        How numbers are written, as the user said and as `wideberth.read` takes it.

    Returns
    -------
    dict
        Keyword arguments of `wideberth.read`. New objects of a model on distances are rows of numbers.
    """
    origin = saved.origin or _origin_by_metric(saved.model.metric_)
    kind: Kind = "vectors" if origin.kind == "distances" else origin.kind
    written = origin.numbers if numbers is None else numbers
    if column or not has_columns(file):
        return {"kind": kind, "column": list(column) if len(column) > 1 else next(iter(column), None)}
    if kind == "graphs" and isinstance(origin.column, tuple):
        return {"kind": kind}  # new files may give neighbors instead of edges; the reader finds out
    return {"kind": kind, "column": origin.column, "numbers": written}


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
