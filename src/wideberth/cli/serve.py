"""``wideberth serve``: a model over HTTP. Its options are here, as no other command has them; what
they need is loaded late.
"""

from typing import Annotated, Any

import typer

from wideberth.cli.console import remark
from wideberth.cli.options import Delta, Independent, Labels, Model, Target, Unit

Calibrate = Annotated[
    str | None,
    typer.Option(
        help="Labelled objects that are new to the model: for prediction sets, novelty, "
        "certificates.",
        show_default=False,
    ),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin",
        help="A web page's origin that may ask from a browser; may be repeated.",
        show_default=False,
    ),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        help="A proxy's address or network, whose X-Forwarded-For is believed; may be repeated.",
        show_default=False,
    ),
]
TokenFile = Annotated[
    str | None,
    typer.Option(
        help="A file with the bearer token; otherwise it is in WIDEBERTH_TOKEN.", show_default=False
    ),
]


def serve(
    model: Model,
    host: Annotated[
        str, typer.Option(help="The address to listen at; one that others can reach needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")
    ] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, help="How many processes answer at the same time.")
    ] = 1,
    calibrate: Calibrate = None,
    target: Target = None,
    labels: Labels = None,
    independent: Independent = False,
    delta: Delta = 0.05,
    unit: Unit = None,
    witnesses: Annotated[
        bool, typer.Option("--witnesses", help="Let answers show training objects.")
    ] = False,
    token_file: TokenFile = None,
    allow_origin: Origins = None,
    max_body: Annotated[str, typer.Option(help="The largest request.")] = "1MB",
    max_batch: Annotated[int, typer.Option(min=1, help="The most objects of a request.")] = 1000,
    max_length: Annotated[
        int, typer.Option(min=1, help="The most characters or numbers of an object.")
    ] = 10_000,
    max_client: Annotated[
        int, typer.Option(min=1, help="The most requests of one client at a time; more get 429.")
    ] = 50,
    timeout: Annotated[
        float,
        typer.Option(help="Seconds to send a body, to wait, to work; then the work is stopped."),
    ] = 10.0,
    idle: Annotated[
        float, typer.Option(help="Seconds to send a request's head, or to read 64 kB of an answer.")
    ] = 10.0,
    proxy: Proxies = None,
) -> None:
    """Serve a model over HTTP: POST /predict for programs, and a page to try objects by hand."""
    from wideberth.cli.answers import check_unit
    from wideberth.extras import import_extra
    from wideberth.io.model_file.saved_classifier import classifier_in

    import_extra("starlette.applications", "serve")
    import_extra("uvicorn", "serve")
    from wideberth.serve import create_app
    from wideberth.serve.door import LOOPBACK_NAMES, read_token, refuse_open_door
    from wideberth.serve.running import run

    token = read_token(token_file)
    refuse_open_door(host, token)
    saved = classifier_in(model)
    limits = limits_of(
        max_body, batch=max_batch, length=max_length, client=max_client, seconds=timeout, idle=idle
    )
    check_unit(saved.model.metric_, unit)
    app = create_app(
        saved,
        calibration=None if calibrate is None else _labelled(saved, calibrate, target, labels),
        independent=independent,
        delta=delta,
        unit=unit,
        witnesses=witnesses,
        token=token,
        origins=tuple(allow_origin or ()),
        hosts=None
        if token is not None
        else (*LOOPBACK_NAMES, f"[{host}]" if ":" in host else host.lower()),
        workers=workers,
        limits=limits,
    )

    def announce(address: str) -> None:
        remark(f"{model} answers at {address}/ (Ctrl-C ends).")

    run(app, host, port, limits, announce, tuple(proxy or ()))


def _labelled(saved: Any, file: str, target: str | None, labels: str | None) -> tuple[Any, Any]:
    """The objects and labels of a file."""
    from wideberth.cli.data import DataOptions, labelled_for

    records = labelled_for(saved, DataOptions((file,), target=target, labels_from=labels))
    return records.objects, records.labels


def limits_of(body: str, **others: Any) -> Any:
    """The limits that options name.

    Examples
    --------
    >>> limits_of("2MB", batch=10).body
    2000000
    """
    from wideberth.geometry.measure.blocks import parse_memory
    from wideberth.serve import Limits

    return Limits(body=parse_memory(body), **others)
