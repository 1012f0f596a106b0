"""Serve a model over HTTP: ask it about objects, from programs and from a small page.

The web server (`wideberth.serve.app`) answers nothing about objects itself. It passes the body of a
request to one of a few worker processes (`wideberth.serve.workers`), which read it, ask the model
and write the answer; a worker that takes too long is killed and replaced. Needs the extra
``wideberth[serve]``: Starlette and uvicorn.
"""

from typing import TYPE_CHECKING, Any

from wideberth.extras import import_extra
from wideberth.serve.limits import Limits

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from wideberth.estimators.metric_classifier import MetricClassifier
    from wideberth.io.model_file.read import SavedModel

__all__ = ["Limits", "create_app"]


def create_app(
    model: "MetricClassifier | SavedModel",
    *,
    calibration: tuple[Any, Any] | None = None,
    independent: bool = False,
    delta: float = 0.05,
    unit: str | None = None,
    witnesses: bool = False,
    token: str | None = None,
    origins: tuple[str, ...] = (),
    hosts: tuple[str, ...] | None = ("localhost", "127.0.0.1", "[::1]"),
    workers: int = 1,
    limits: Limits | None = None,
) -> "Starlette":
    """An ASGI application that answers for a model; ``wideberth serve`` runs it with uvicorn.

    Its worker processes start with the application (at ASGI's lifespan event) and end with it. They
    import the main module of the program, so a script that runs the application does so under ``if
    __name__ == "__main__":``.

    Parameters
    ----------
    model : str, path or classifier
        A model file, or a fitted classifier on a metric that can be pickled.
    calibration : (X, y), optional
        Objects with labels that are new to the model: for prediction sets, novelty and
        certificates.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently:
        then calibration objects may also occur in the training data. Otherwise they are refused.
    delta : float
        The probability with which each statement about a new object may fail: that its label is not
        in its set, that it is called novel by mistake, that a certificate is wrong.
    unit : str, optional
        What radii are measured in; by default edits where these are proved, otherwise the metric of
        the model.
    witnesses : bool
        Whether answers may show training objects: the nearest ones, and changes of an object that
        lead towards them. Otherwise nothing of the objects of the model leaves the server.
    token : str, optional
        The bearer token that requests must carry. Without one, everybody who reaches the server may
        ask.
    origins : tuple of str
        The origins of web pages that may ask from a browser (CORS), such as
        ``"https://example.org"``; none by default.
    hosts : tuple of str or None
        The names under which the server may be called (``Host``), with any port; None for all. The
        default keeps web pages from reaching a server without a token by a name that resolves to
        this machine.
    workers : int
        How many processes answer at the same time.
    limits : Limits, optional
        The most that a request may ask for.

    Returns
    -------
    starlette.applications.Starlette

    Raises
    ------
    MissingExtra
        If Starlette is not installed.
    InvalidInput
        If the model is no classifier on a metric, the calibration objects are not new to it, or an
        option does not fit.

    Examples
    --------
    >>> import wideberth
    >>> model = wideberth.NeighborsClassifier("levenshtein").fit(
    ...     ["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"]
    ... )
    >>> app = create_app(model)
    >>> sorted(route.path for route in app.routes)[:4]
    ['/', '/health', '/metrics', '/model']
    """
    import_extra("starlette.applications", "serve")
    from wideberth.serve.app import build_app
    from wideberth.serve.door import Door
    from wideberth.serve.served_model import served_model

    served = served_model(
        model,
        calibration=calibration,
        independent=independent,
        delta=delta,
        unit=unit,
        witnesses=witnesses,
        limits=limits or Limits(),
    )
    return build_app(served, Door(token, origins, hosts), workers)
