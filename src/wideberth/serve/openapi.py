"""The description of the interface, OpenAPI 3.1: written as data, with the objects and classes of
the model that is served.
"""

from collections.abc import Callable
from typing import Any

import wideberth
from wideberth.cards.glosses import GLOSSES
from wideberth.io.model_file.saved_classifier import options_for
from wideberth.serve.answering import MEDIA_TYPES
from wideberth.serve.served_model import ServedModel, example_value

#: The most training objects that may be asked for.
MOST_WITNESSES = 20

_MAY_BE_INFINITE = {"oneOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}]}
#: What can go wrong, by status; each answer is a problem.
_PROBLEMS = {
    "400": "The body or the query cannot be read.",
    "401": "A token is needed.",
    "403": "The server does not show training objects.",
    "408": "The body took too long to arrive.",
    "413": "The body, the batch or an object is too long.",
    "415": "The body has another media type, encoding or compression.",
    "421": "The server is not known under this name.",
    "422": "The model cannot take an object.",
    "429": "The client has as many requests in work as one may have.",
    "500": "A fault of the server.",
    "503": "No worker was free in time, or the answer took too long and its work was stopped.",
}


def openapi(served: ServedModel, *, secured: bool) -> dict[str, Any]:
    """Describe the interface of a server.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.limits import Limits
    >>> from wideberth.serve.served_model import served_model
    >>> model = NeighborsClassifier("levenshtein").fit(
    ...     ["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"]
    ... )
    >>> served = served_model(
    ...     model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    ... )
    >>> sorted(openapi(served, secured=False)["paths"])
    ['/', '/health', '/metrics', '/model', '/openapi.json', '/predict']
    """
    security: list[Any] = [{"bearer": []}] if secured else []
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"wideberth: {type(served.saved.model).__name__}",
            "version": wideberth.__version__,
            "description": served.saved.model.summary(),
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "servers": [{"url": "/"}],
        "paths": _paths(served, security),
        "components": {
            "schemas": _schemas(served),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _paths(served: ServedModel, security: list[Any]) -> dict[str, Any]:
    """What may be asked."""
    html = {"text/html": {"schema": {"type": "string"}}}
    return {
        "/": {"get": _get("page", "A page to try objects by hand", html, [])},
        "/health": {
            "get": _get("health", "Whether the server can answer", _json("Health"), [], "503")
        },
        "/model": {
            "get": _get("model", "What the model is and what is proved", _json("Model"), security)
        },
        "/metrics": {
            "get": _get(
                "metrics",
                "Counts for Prometheus",
                {"text/plain": {"schema": {"type": "string"}}},
                security,
            )
        },
        "/openapi.json": {
            "get": _get(
                "openapi",
                "This description",
                {"application/json": {"schema": {"type": "object"}}},
                security,
            )
        },
        "/predict": {"post": _predict(served, security)},
    }


def _get(
    name: str, summary: str, content: dict[str, Any], security: list[Any], *statuses: str
) -> dict[str, Any]:
    refusals = ("421", "500", *(["401"] if security else []), *statuses)
    return {
        "operationId": name,
        "summary": summary,
        "security": security,
        "responses": {"200": {"description": summary, "content": content}} | _problems(refusals),
    }


def _predict(served: ServedModel, security: list[Any]) -> dict[str, Any]:
    """The question about objects."""
    example, limits = {"objects": [example_value(served.saved)]}, served.limits
    lines = {
        "schema": {
            "type": "string",
            "description": "Read like a file.",
            "minLength": 1,
            "maxLength": limits.body,
        }
    }
    statuses = [status for status in _PROBLEMS if status != "401" or security]
    return {
        "operationId": "predict",
        "summary": "Labels of objects, each with its probability, lead and certified radius",
        "security": security,
        "parameters": [
            {
                "name": "witnesses",
                "in": "query",
                "description": "How many of the nearest training objects to show, with the label "
                "and with others.",
                "schema": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": MOST_WITNESSES if served.shows_objects else 0,
                },
            },
            {
                "name": "change",
                "in": "query",
                "description": "Whether to search for a change that alters the label.",
                "schema": {"type": "string", "enum": ["true", "false"]},
            },
        ],
        "requestBody": {
            "description": f"Up to {limits.body:,} bytes and {limits.batch:,} objects of "
            f"{limits.length:,} letters or numbers.",
            "required": True,
            "content": {
                media_type: {
                    "schema": {"$ref": "#/components/schemas/Question"},
                    "example": example,
                }
                if written == "json"
                else lines
                for media_type, written in MEDIA_TYPES.items()
            },
        },
        "responses": {
            "200": {
                "description": "The answers, in the order of the objects",
                "content": _json("Answers"),
            }
        }
        | _problems(statuses),
    }


def _problems(statuses: Any) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": _PROBLEMS[status], "content": content}
        for status in sorted(statuses)
    }


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def _list(items: Any, least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _asked(served: ServedModel) -> dict[str, Any]:
    """The shape of an object: without the names of its columns, or with them."""
    options = options_for(served.saved, "body.jsonl")
    kind, column, longest = options["kind"], options.get("column"), served.limits.length
    alone = _SHAPES[kind](longest) if kind in _SHAPES else {}
    takes_missing = served.saved.model.metric_.takes_missing
    number = {"type": ["number", "null"]} if takes_missing else _NUMBER
    if kind == "vectors":
        width = len(example_value(served.saved))
        # without names of columns, a list with gaps is not recognised as one of numbers
        alone = _list(number if isinstance(column, tuple) else _NUMBER, width, width)
    # their columns are their own fields
    if column is None or (kind in ("trees", "graphs") and not isinstance(column, str)):
        return alone
    names = [column] if isinstance(column, str) else list(column)
    each = alone if isinstance(column, str) else number if kind == "vectors" else {}
    with_names = {"type": "object", "required": names, "properties": dict.fromkeys(names, each)}
    if alone or isinstance(column, str):
        return {"anyOf": [alone, with_names]}
    return {"anyOf": [_list({}, len(names), len(names)), with_names]}


def _tree(longest: int) -> dict[str, Any]:
    children = _list({"$ref": "#/components/schemas/Object"}, 0, longest)
    pair = {"type": "array", "prefixItems": [_NAME, children], "minItems": 2, "maxItems": 2}
    fields = {
        "type": "object",
        "required": ["label"],
        "properties": {"label": _NAME, "children": children},
    }
    return {"anyOf": [pair, fields], "description": 'A node is ["name", [child, ...]].'}


def _graph(longest: int) -> dict[str, Any]:
    place = {"type": "integer"}
    edges = _list(_list(place, 2, 2), 0, longest // 2)
    neighbors = _list(_list(place, 0, longest), 0, longest)
    properties = {"nodes": _list({}, 0, longest), "edges": edges, "neighbors": neighbors}
    either = [{"required": ["edges"]}, {"required": ["neighbors"]}]
    return {"type": "object", "required": ["nodes"], "properties": properties, "oneOf": either}


_NUMBER = {"type": "number"}
#: The name of a node.
_NAME = {"type": ["string", "number", "boolean"]}
#: The shapes of objects by their kind, from the most characters and numbers that one may have.
#: Vectors have those of the model.
_SHAPES: dict[str, Callable[[int], dict[str, Any]]] = {
    "strings": lambda longest: {"type": "string", "minLength": 1, "maxLength": longest},
    "molecules": lambda longest: {
        "type": "string",
        "minLength": 1,
        "maxLength": longest,
        "description": "SMILES",
    },
    "series": lambda longest: {
        "anyOf": [_list(_NUMBER, 1, longest), _list(_list(_NUMBER, 1, longest), 1, longest)]
    },
    "sets": lambda longest: _list({"type": ["string", "number", "boolean"]}, 0, longest),
    "trees": _tree,
    "graphs": _graph,
}


def _schemas(served: ServedModel) -> dict[str, Any]:
    """The shapes of bodies and answers."""
    label = {"enum": served.saved.model.classes_.tolist()}
    classes, batch = len(label["enum"]), served.limits.batch
    measured = _object(["value", "unit"], value=_MAY_BE_INFINITE, unit={"type": "string"})
    neighbor = _object(
        ["object", "label", "distance"],
        object={"type": "string"},
        label=label,
        distance=_MAY_BE_INFINITE,
    )
    neighbors = _list(neighbor, 0, MOST_WITNESSES)
    safe = {"oneOf": [{"type": "integer", "minimum": 0}, {"const": "inf"}]}
    answer = {
        "label": label,
        "probability": {
            "type": "number",
            "description": GLOSSES["probability"],
            "minimum": 0,
            "maximum": 1,
        },
        "lead": {
            "description": GLOSSES["lead"],
            "oneOf": [*_MAY_BE_INFINITE["oneOf"], {"type": "null"}],
        },
        "radius": _object(
            ["value", "unit"], value=_MAY_BE_INFINITE, unit={"type": "string"}, safe=safe
        ),
        "prediction_set": _list(label, 0, classes) | {"uniqueItems": True},
        "novelty": _object(
            ["p_value", "novel"],
            p_value={"type": "number", "minimum": 0, "maximum": 1},
            novel={"type": "boolean"},
        ),
        "witnesses": _object(
            ["supporters", "opponents"], supporters=neighbors, opponents=neighbors
        ),
        "change": {
            "oneOf": [
                {"type": "null"},
                _object(["object", "label", "distance"], object={}, label=label, distance=measured),
            ]
        },
    }
    if "change" in served.missing:
        answer["change"] = {"type": "null"}
    present = [
        "label",
        "lead",
        *(["prediction_set"] if served.sets else []),
        *(["novelty"] if served.novelty else []),
    ]
    return {
        "Object": _asked(served) | {"example": example_value(served.saved)},
        "Question": _object(
            ["objects"], objects=_list({"$ref": "#/components/schemas/Object"}, 1, batch)
        ),
        "Answer": _object(present, **answer),
        "Answers": _object(
            ["answers"], answers=_list({"$ref": "#/components/schemas/Answer"}, 1, batch)
        ),
        "Health": _object(
            ["status", "workers"], status={"const": "ok"}, workers={"type": "integer", "minimum": 1}
        ),
        "Model": {
            "type": "object",
            "required": [
                "model",
                "summary",
                "classes",
                "metric",
                "objects",
                "missing",
                "limits",
                "versions",
            ],
            "properties": {
                "model": {"type": "string"},
                "summary": {"type": "string"},
                "classes": _list(label, classes, classes),
                "metric": {"type": "object"},
                "missing": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "Problem": {
            "type": "object",
            "required": ["title", "status", "detail"],
            "properties": {
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string"},
                "advice": {"type": "string"},
                "object": {"type": "integer"},
                "line": {"type": "integer"},
                "allowed": _list({"type": "string"}, 1, len(MEDIA_TYPES)),
            },
        },
    }
