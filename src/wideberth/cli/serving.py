"""The command ``serve`` and its options, which no other command has."""

from typing import Annotated

import typer

from wideberth.cli.arguments.options import Delta, Labels, Model, Target, Unit

Calibrate = Annotated[
    str | None,
    typer.Option(
        help="Labelled objects that are new to the model: for prediction sets, novelty, certificates.", show_default=False
    ),
]
Origins = Annotated[
    list[str] | None,
    typer.Option("--allow-origin", help="A web page's origin that may ask from a browser; may be repeated.", show_default=False),
]
TokenFile = Annotated[
    str | None,
    typer.Option(help="A file with the bearer token; otherwise it is in WIDEBERTH_TOKEN.", show_default=False),
]


def serve(
    model: Model,
    host: Annotated[str, typer.Option(help="The address to listen at; one that others can reach needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="How many processes answer at the same time.")] = 1,
    calibrate: Calibrate = None,
    target: Target = None,
    labels: Labels = None,
    delta: Delta = 0.05,
    unit: Unit = None,
    witnesses: Annotated[bool, typer.Option("--witnesses", help="Let answers show training objects.")] = False,
    token_file: TokenFile = None,
    allow_origin: Origins = None,
    max_body: Annotated[str, typer.Option(help="The largest request.")] = "1MB",
    max_batch: Annotated[int, typer.Option(min=1, help="The most objects of a request.")] = 1000,
    max_length: Annotated[int, typer.Option(min=1, help="The most characters or numbers of an object.")] = 10_000,
    timeout: Annotated[float, typer.Option(help="Seconds that an answer may take; then its work is stopped.")] = 10.0,
) -> None:
    """Serve a model over HTTP: POST /predict for programs, and a page to try objects by hand."""
    from wideberth.cli import serve as command
    from wideberth.cli.arguments.data import DataOptions

    options = command.ServeOptions(
        host,
        port,
        workers,
        calibrate,
        delta,
        unit,
        witnesses,
        token_file,
        tuple(allow_origin or ()),
        command.limits_of(max_body, max_batch, max_length, timeout),
    )
    command.serve(model, options, DataOptions((), target=target, labels_from=labels))
