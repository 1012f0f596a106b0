"""A classifier in a model file, and how new objects for it are read: as its training objects
were.
"""

import json
from typing import Any, cast

from wideberth.errors import InvalidFile, InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.read import SavedModel, read_model
from wideberth.io.readers import Kind
from wideberth.io.readers.opening import has_columns
from wideberth.io.readers.records import counted, listed
from wideberth.metrics.named import NAME_IN_DATA
from wideberth.objects.sample import shown
from wideberth.wording import python

#: The most columns that an example names.
_MOST_COLUMNS = 8


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
        If it holds an embedding, an online learner or a pipeline, whose answers are not those of a
        classifier on a metric.
    """
    saved = read_model(model_file)
    model = saved.model
    if isinstance(model, MetricClassifier):
        return saved
    name, method = type(model).__name__, "predict" if hasattr(model, "predict") else "transform"
    raise InvalidFile(
        f"{model_file}: it holds {'an' if name[0] in 'AEIOU' else 'a'} {name}, which is no "
        "classifier on a metric: it gives objects "
        f"{'coordinates' if method == 'transform' else 'labels'} without scores and radii.",
        advice=f"In Python, {python('wideberth.load')}({model_file!r}).{method}(objects) answers.",
        path=model_file,
        line=None,
        value=name,
    )


def options_for(
    saved: SavedModel, file: str, column: tuple[str, ...] = (), numbers: Any = None
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
    numbers : sequence of str, dict or None
        How numbers are written, as the user said and as `wideberth.read` takes it.

    Returns
    -------
    dict
        Keyword arguments of `wideberth.read`. New objects of a model on distances are rows of
        numbers.
    """
    origin = saved.origin or _origin_by_metric(saved.model.metric_)
    kind: Kind = "vectors" if origin.kind == "distances" else origin.kind
    written = origin.numbers if numbers is None else numbers
    if column or not has_columns(file):
        return {
            "kind": kind,
            "column": list(column) if len(column) > 1 else next(iter(column), None),
        }
    if kind == "graphs" and isinstance(origin.column, tuple):
        return {"kind": kind}  # new files may give neighbors instead of edges; the reader finds out
    return {"kind": kind, "column": origin.column, "numbers": written}


def in_columns(value: Any, column: str | tuple[str, ...] | None) -> Any:
    """Give an object that somebody typed or sent the columns of the training objects.

    Parameters
    ----------
    value : object
        As it was written: with the names of its columns, or without.
    column : str, tuple of str or None
        The column or columns of the training objects; None if they have no names.

    Returns
    -------
    object
        A single value in the only column, a list of as many values as there are columns in these,
        and all others as they are.

    Raises
    ------
    InvalidInput
        If there are several columns, and which values belong to which is not known.

    Examples
    --------
    >>> in_columns("tea", "drink"), in_columns([20.5, "yes"], ("age", "hot"))
    ({'drink': 'tea'}, {'age': 20.5, 'hot': 'yes'})
    >>> in_columns([20.5], ("age", "hot"))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: [20.5] is 1 value, and 2 are needed: 'age', 'hot'. Write {"age": ..., "hot": ...}.
    """
    if column is None:
        return value
    if isinstance(column, str):
        return value if isinstance(value, dict) and column in value else {column: value}
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and len(value) == len(column):
        return dict(zip(column, value, strict=True))
    found = counted(len(value), "value") if isinstance(value, list) else "one value"
    raise InvalidInput(
        f"{shown(value)} is {found}, and {len(column)} are needed: {listed(list(column))}.",
        advice="Write "
        f"{{{', '.join(f'{json.dumps(name, ensure_ascii=False)}: ...' for name in column[:_MOST_COLUMNS])}"
        f"{', ...' if len(column) > _MOST_COLUMNS else ''}}}.",
        value=value,
    )


def check_width(saved: SavedModel, width: int) -> None:
    """Refuse a vector that has not as many numbers as those that a model learned from.

    Parameters
    ----------
    saved : SavedModel
        The model, perhaps with the columns of its training objects.
    width : int
        How many numbers there are.

    Raises
    ------
    InvalidInput
        With the columns, if they have names.
    """
    needed = getattr(saved.model, "n_features_in_", width)
    if saved.model.metric_.accepts != "vectors" or width == needed:
        return
    columns = None if saved.origin is None else saved.origin.column
    names = (
        f": {listed(list(columns))}"
        if isinstance(columns, tuple) and len(columns) == needed
        else ""
    )
    raise InvalidInput(
        f"{counted(width, 'number')}, and the model learned from objects of {needed}{names}.",
        advice=f"Write {counted(needed, 'number')}, in the order of the training objects.",
        value=width,
    )


def _origin_by_metric(metric: Any) -> Origin:
    """How to read objects for a model that was not fitted on a file: by the kind and the columns
    that its metric accepts.
    """
    kind = cast(Kind, NAME_IN_DATA.get(metric.accepts, metric.accepts))
    columns = _columns_accepted(metric) if kind == "rows" else {}
    if not columns or not all(isinstance(name, str) for name in columns):
        return Origin(kind)
    if not set(columns.values()) <= {"vectors", "strings"}:
        return Origin("objects", tuple(columns))
    return Origin(
        "rows", tuple(columns), tuple(name for name, part in columns.items() if part == "vectors")
    )


def _columns_accepted(metric: Any) -> dict[Any, str]:
    """The columns that a metric on rows measures, with the kind that each of them holds; numbers
    are vectors of length 1.
    """
    if hasattr(metric, "parts"):
        return {name: part.accepts for name, part in metric.parts.items()}
    ranges = getattr(metric, "ranges", None) or {}
    return {name: "strings" if width is None else "vectors" for name, width in ranges.items()}
