"""``wideberth serve``: a model over HTTP."""

from dataclasses import dataclass, field, replace

from wideberth.cli.arguments.data import DataOptions
from wideberth.cli.arguments.saved import labelled_for
from wideberth.cli.printing.console import remark
from wideberth.extras import import_extra
from wideberth.geometry.measure.memory_amounts import parse_memory
from wideberth.io.saved_classifier import classifier_in
from wideberth.serve import Limits


@dataclass(frozen=True)
class ServeOptions:
    """Where and how a model is served.

    Attributes
    ----------
    host, port, workers, delta, unit, witnesses, origins
        As for `wideberth.serve.create_app` and `wideberth.serve.running.run`.
    token_file : str or None
        A file with the token; otherwise it is in the environment.
    calibrate : str or None
        A file of labelled objects that are new to the model.
    limits : Limits
        The most that a request may ask for.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    calibrate: str | None = None
    delta: float = 0.05
    unit: str | None = None
    witnesses: bool = False
    token_file: str | None = None
    origins: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


def serve(model_file: str, options: ServeOptions, data: DataOptions) -> None:
    """Serve a model until SIGTERM or Ctrl-C.

    Parameters
    ----------
    model_file : str
        A file that `wideberth.save` or ``wideberth fit`` wrote.
    options : ServeOptions
        Where and how.
    data : DataOptions
        How to read the calibration objects.

    Raises
    ------
    MissingExtra
        If Starlette or uvicorn is not installed.
    InvalidInput
        If others could reach the server and there is no token, or the address cannot be used.
    """
    import_extra("starlette.applications", "serve")
    import_extra("uvicorn", "serve")
    from wideberth.serve import create_app
    from wideberth.serve.door import read_token, refuse_open_door
    from wideberth.serve.running import run

    token = read_token(options.token_file)
    refuse_open_door(options.host, token)
    saved = classifier_in(model_file)
    calibration = None
    if options.calibrate is not None:
        records = labelled_for(saved, replace(data, files=(options.calibrate,)))
        calibration = records.objects, records.labels
    app = create_app(
        saved,
        calibration=calibration,
        delta=options.delta,
        unit=options.unit,
        witnesses=options.witnesses,
        token=token,
        origins=options.origins,
        **({"hosts": None} if token is not None else {}),
        workers=options.workers,
        limits=options.limits,
    )
    run(
        app,
        options.host,
        options.port,
        options.limits.seconds,
        lambda at: remark(f"{model_file} answers at {at}/ (Ctrl-C ends)."),
    )


def limits_of(body: str, batch: int, length: int, seconds: float) -> Limits:
    """The limits that options name.

    Examples
    --------
    >>> limits_of("2MB", 10, 100, 1.5).body
    2000000
    """
    return Limits(body=parse_memory(body), batch=batch, length=length, seconds=seconds)
