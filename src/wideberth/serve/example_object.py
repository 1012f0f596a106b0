"""An object of the kind that a model classifies, made up: for the descriptions, and to try and warm
up the model.
"""

import json
from typing import Any

from wideberth.errors import MissingExtra, WideberthError
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import options_for
from wideberth.io.readers.reading import read_content

#: Made-up objects, as they are written in JSON.
_BY_KIND: dict[str, Any] = {
    "strings": "example",
    "molecules": "CCO",
    "series": [0.0, 1.0, 0.5, 0.25],
    "sets": ["a", "b"],
    "trees": ["a", [["b", []], ["c", []]]],
    "graphs": {"nodes": ["a", "b"], "edges": [[0, 1]]},
    "objects": "example",
}


def example_value(saved: SavedModel) -> Any:
    """A made-up object, as it is written in a JSON body.

    Parameters
    ----------
    saved : SavedModel
        The model, perhaps with the origin of its training objects.

    Returns
    -------
    str, list or dict

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.served_model import as_saved
    >>> example_value(as_saved(NeighborsClassifier().fit([[0.0, 1.0], [1.0, 0.0]], ["up", "low"])))
    [0.0, 0.0]
    """
    options = options_for(saved, "body.jsonl")
    kind, column = options["kind"], options.get("column")
    if kind == "rows":
        numbers = options.get("numbers") or ()
        return {name: 0.0 if name in numbers else "a" for name in column or ()}
    if kind == "vectors":
        width = getattr(saved.model, "n_features_in_", None) or (
            len(column) if isinstance(column, tuple) else 1
        )
        return dict.fromkeys(column, 0.0) if isinstance(column, tuple) else [0.0] * width
    if kind == "objects" and isinstance(column, tuple):
        return dict.fromkeys(column, "a")
    return _BY_KIND[kind]


def example_sample(saved: SavedModel) -> Any:
    """A sample of one made-up object, read as requests are; None if the metric of the model takes
    other objects.

    Raises
    ------
    MissingExtra
        If its objects need a package that is not installed.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.served_model import as_saved
    >>> example_sample(
    ...     as_saved(NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]))
    ... )
    ['example']
    """
    options, value = options_for(saved, "body.jsonl"), example_value(saved)
    column = options.get("column")
    line = {column: value} if isinstance(column, str) else value
    try:
        records = read_content(
            json.dumps(line).encode(), "jsonl", "example", labels=False, **options
        )
        saved.model.predict(records.objects)
    except MissingExtra:
        raise
    except (WideberthError, TypeError, ValueError, LookupError, AttributeError):
        return None
    return records.objects
