"""The application: which path is answered how."""

import asyncio
import html
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

import wideberth
from wideberth.cards.glosses import GLOSSES, glosses
from wideberth.io.model_file.saved_classifier import options_for
from wideberth.metrics.metric import promise_names
from wideberth.serve.answering import MEDIA_TYPES, Format, Question
from wideberth.serve.door import Door, DoorMiddleware, FramingMiddleware, ShareMiddleware, client_of
from wideberth.serve.observed import LOG, METRICS_TYPE, Counters, ObservedMiddleware
from wideberth.serve.openapi import MOST_WITNESSES, openapi
from wideberth.serve.problems import (
    RequestProblem,
    ResponseInPieces,
    json_response,
    problem_response,
)
from wideberth.serve.served_model import RadiusMeasure, ServedModel, example_value
from wideberth.serve.workers import Workers

# ---- The page to try objects by hand: three files that need nothing from elsewhere, served as they
# are but for the meaning of words

_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
}
#: The words of ours on the page.
_WORDS = ("probability", "lead", "radius", "safe edits", "p-value", "margin", "kept")


def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page, each with its media type, by their paths.

    Examples
    --------
    >>> sorted(page_files())
    ['/', '/page.css', '/page.js']
    """
    folder = files("wideberth.serve") / "page"
    words = "\n".join(
        f"<dt>{html.escape(word)}</dt><dd>{html.escape(meaning)}</dd>"
        for word, meaning in glosses(_WORDS)
    )
    return {
        "/" if name == "index.html" else f"/{name}": (
            (folder / name).read_bytes().replace(b"<!-- words -->", words.encode()),
            media_type,
        )
        for name, media_type in _TYPES.items()
    }


# ---- What a server tells about its model: what it is, how objects are written, what is proved, and
# what is missing and why


def described_model(served: ServedModel) -> dict[str, Any]:
    """The facts about a model that GET /model tells; nothing of its objects.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.limits import Limits
    >>> from wideberth.serve.served_model import served_model
    >>> model = NeighborsClassifier("levenshtein").fit(
    ...     ["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"]
    ... )
    >>> told = described_model(
    ...     served_model(
    ...         model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    ...     )
    ... )
    >>> told["model"], told["classes"], told["objects"]["example"]
    ('NeighborsClassifier', ['hard', 'soft'], 'example')
    """
    model, limits = served.saved.model, served.limits
    return {
        "model": type(model).__name__,
        "summary": model.summary(),
        "learned_from": model.n_learned,
        "classes": model.classes_.tolist(),
        "metric": _metric(model.metric_),
        "objects": _objects(served),
        "radius": None if served.radius is None else _radius(served.radius),
        "prediction_set": None if served.sets is None else _sets(served),
        "novelty": None if served.novelty is None else _novelty(served),
        "witnesses": served.shows_objects,
        "change": "change" not in served.missing,
        "certificates": [json.loads(found.to_json()) for found in served.certificates],
        "missing": served.missing,
        "limits": asdict(limits),
        "versions": {
            "server": wideberth.__version__,
            "model": dict(served.saved.provenance.versions),
        },
    }


def _metric(metric: Any) -> dict[str, Any]:
    """The name of a metric and what it promises."""
    return {"name": metric.name, "unit": metric.unit} | {
        name: getattr(metric, name) for name in promise_names()
    }


def _objects(served: ServedModel) -> dict[str, Any]:
    """How objects are written."""
    options = options_for(served.saved, "body.jsonl")
    column = options.get("column")
    return {
        "kind": options["kind"],
        "columns": [column] if isinstance(column, str) else list(column or []),
        "numbers": list(options.get("numbers") or []),
        "example": example_value(served.saved),
        "bodies": list(MEDIA_TYPES),
    }


def _radius(measure: RadiusMeasure) -> dict[str, Any]:
    """What a radius says."""
    meaning = GLOSSES["radius"]
    if measure.whole:
        meaning += (
            f" 'safe' is the number of {measure.name}s, any of them, that cannot change the label."
        )
    if measure.means:
        meaning += f" {measure.means}"
    return {"unit": measure.name, "whole": measure.whole, "meaning": meaning}


def _sets(served: ServedModel) -> dict[str, Any]:
    """What is proved about prediction sets."""
    assert served.sets is not None
    return {
        "delta": served.delta,
        "calibration_objects": len(served.sets.scores),
        "meaning": "The label of a new object is in its set with probability "
        f"{1 - served.delta:.10g} or more.",
        "assumptions": list(served.sets.assumptions),
    }


def _novelty(served: ServedModel) -> dict[str, Any]:
    """What is proved about novelty."""
    assert served.novelty is not None
    return {
        "delta": served.delta,
        "calibration_objects": len(served.novelty.own),
        "meaning": "An object that is drawn like these is called novel with probability "
        f"{served.delta:.10g} or less.",
        "assumptions": list(served.novelty.assumptions),
    }


def build_app(served: ServedModel, door: Door, workers: int) -> Starlette:
    """Make the application that answers for a model."""
    counters = Counters()
    pool = Workers(served, workers, counters.count_replaced)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await pool.start()
        try:
            yield
        finally:
            await pool.stop()

    fixed = {
        "/model": json.dumps(described_model(served)).encode(),
        "/openapi.json": json.dumps(openapi(served, secured=door.token is not None)).encode(),
    }
    # the others are answered at once: a busy client may still ask whether all is well
    shared = Middleware(ShareMiddleware, limits=served.limits, workers=pool.count)
    routes = [
        Route("/predict", partial(_predict, served, pool), methods=["POST"], middleware=[shared]),
        Route("/health", partial(_health, pool), methods=["GET"]),
        Route("/metrics", partial(_metrics, counters, pool), methods=["GET"]),
        *(
            Route(path, partial(_fixed, body, "application/json"), methods=["GET"])
            for path, body in fixed.items()
        ),
        *(
            Route(path, partial(_fixed, body, kind), methods=["GET"])
            for path, (body, kind) in page_files().items()
        ),
    ]
    known = frozenset(route.path for route in routes)
    middleware = [
        Middleware(ObservedMiddleware, counters=counters, routes=known),
        Middleware(FramingMiddleware),
    ]
    if door.origins:
        named = ["Authorization", "Content-Type"]
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(door.origins),
                allow_methods=["POST"],
                allow_headers=named,
            )
        )
    middleware.append(Middleware(DoorMiddleware, door=door))
    handlers: Any = {RequestProblem: _told, HTTPException: _refused}
    app = Starlette(
        routes=routes, middleware=middleware, lifespan=lifespan, exception_handlers=handlers
    )
    app.router.redirect_slashes = False
    app.state.workers = pool
    return app


async def _predict(served: ServedModel, workers: Workers, request: Request) -> Response:
    """Answer for the objects in a body."""
    question = _question(request)
    body = await _body(request, served.limits.body, served.limits.seconds)
    reply = await workers.ask(question, body, client_of(request.scope.get("client")))
    request.scope["observed"] |= {"objects": reply.objects, "bytes": len(body)}
    if reply.fault:
        LOG.error("fault", extra={"facts": {"error": reply.fault}})
    return json_response(reply.body, reply.status)


async def _health(workers: Workers, request: Request) -> Response:
    """Whether somebody can answer."""
    if not workers.ready:
        raise RequestProblem(503, "No worker is ready.", "Try again later.")
    return json_response(json.dumps({"status": "ok", "workers": workers.ready}).encode())


async def _metrics(counters: Counters, workers: Workers, request: Request) -> Response:
    """All counts."""
    text = counters.text(workers_ready=workers.ready, requests_waiting=workers.waiting)
    return Response(text, media_type=METRICS_TYPE)


async def _fixed(body: bytes, media_type: str, request: Request) -> Response:
    """What does not change."""
    return ResponseInPieces(body, media_type=media_type)


async def _told(request: Request, problem: Exception) -> Response:
    """The response to a problem."""
    assert isinstance(problem, RequestProblem)
    return problem_response(problem)


async def _refused(request: Request, error: Exception) -> Response:
    """The response to a path or a method that is not known."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allow = (error.headers or {}).get("Allow", "")
        problem = RequestProblem(
            405, f"{request.url.path} takes other methods.", f"Use {allow.replace('HEAD, ', '')}."
        )
        return problem_response(problem, Allow=allow)
    return problem_response(
        RequestProblem(
            error.status_code, "There is nothing here.", "GET /openapi.json shows what there is."
        )
    )


def _question(request: Request) -> Question:
    """What the headers and the query ask; a problem if they cannot be understood."""
    asked = request.query_params
    for name in asked:
        if name not in ("witnesses", "change"):
            raise RequestProblem(
                400,
                "The query has a parameter that is not known.",
                "There are witnesses and change.",
            )
        if len(asked.getlist(name)) > 1:
            raise RequestProblem(400, f"{name} is there twice in the query.", "Send it once.")
    witnesses = asked.get("witnesses", "0")
    if not (
        witnesses.isascii()
        and witnesses.isdigit()
        and len(witnesses) <= 2
        and int(witnesses) <= MOST_WITNESSES
    ):
        raise RequestProblem(
            400,
            "witnesses is not a number of training objects.",
            f"Send a whole number up to {MOST_WITNESSES}.",
        )
    if asked.get("change", "false") not in ("true", "false"):
        raise RequestProblem(
            400, "change is neither true nor false.", "Send change=true, or leave it out."
        )
    return Question(_format(request), int(witnesses), asked.get("change") == "true")


def _format(request: Request) -> Format:
    """How a body is written."""
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise RequestProblem(415, "The body is compressed.", "Send it without Content-Encoding.")
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    written = MEDIA_TYPES.get(media_type.strip().lower())
    charset = parameters.replace(" ", "").replace('"', "").lower()
    if written is None or charset not in (
        "",
        "charset=utf-8",
        "header=present",
        "header=present;charset=utf-8",
    ):
        problem = (
            "The body has no media type that is known."
            if written is None
            else "The body is not in UTF-8."
        )
        raise RequestProblem(
            415,
            problem,
            f"Send Content-Type: {', '.join(MEDIA_TYPES)}; all in UTF-8.",
            allowed=list(MEDIA_TYPES),
        )
    return written


async def _body(request: Request, most: int, seconds: float) -> bytes:
    """The body of a request, as far as it is allowed."""
    too_long = RequestProblem(
        413, f"The body has more than {most:,} bytes.", "Send fewer objects at a time."
    )
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length[:20]) > most:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise too_long
    except TimeoutError:
        raise RequestProblem(
            408, f"The body did not arrive within {seconds:g} seconds.", "Send it faster, or less."
        ) from None
    except ClientDisconnect:
        raise RequestProblem(400, "The connection ended before the body did.") from None
    return bytes(body)
