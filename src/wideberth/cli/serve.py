"""``wideberth serve``: a model over HTTP."""

from wideberth.cli import options
from wideberth.cli.answers import check_unit
from wideberth.cli.console import remark
from wideberth.cli.data import DataOptions, labelled_for
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.io.model_file.saved_classifier import classifier_in
from wideberth.serve import Limits, create_app


@options.command(
    options.MODEL,
    options.option(
        "host",
        str,
        "The address to listen at; one that others can reach needs a token.",
        "127.0.0.1",
    ),
    options.option("port", int, "The port; 0 for any that is free.", 8000, min=0, max=65535),
    options.option("workers", int, "How many processes answer at the same time.", 1, min=1),
    options.option(
        "calibrate",
        str | None,
        "Labelled objects that are new to the model: for prediction sets, novelty, certificates.",
    ),
    options.TARGET,
    options.LABELS,
    options.INDEPENDENT,
    options.DELTA,
    options.UNIT,
    options.option("witnesses", bool, "Let answers show training objects."),
    options.option(
        "token_file",
        str | None,
        "A file with the bearer token; otherwise it is in WIDEBERTH_TOKEN.",
    ),
    options.option(
        "allow_origin",
        list[str] | None,
        "A web page's origin that may ask from a browser; may be repeated.",
    ),
    options.option("max_body", str, "The largest request.", "1MB"),
    options.option("max_batch", int, "The most objects of a request.", 1000, min=1),
    options.option(
        "max_length", int, "The most characters or numbers of an object.", 10_000, min=1
    ),
    options.option(
        "max_client", int, "The most requests of one client at a time; more get 429.", 50, min=1
    ),
    options.option(
        "timeout",
        float,
        "Seconds to send a body, to wait, to work; then the work is stopped.",
        10.0,
    ),
    options.option(
        "idle", float, "Seconds to send a request's head, or to read 64 kB of an answer.", 10.0
    ),
    options.option(
        "proxy",
        list[str] | None,
        "A proxy's address or network, whose X-Forwarded-For is believed; may be repeated.",
    ),
    options.option(
        "log",
        str | None,
        "Add a line of JSON for each request to this file; otherwise plain lines in a terminal, "
        "and JSON elsewhere, go to standard output.",
    ),
    needs={"starlette.applications": "serve", "uvicorn": "serve"},
    examples=(
        "names.wb",
        "names.wb --host 0.0.0.0 --token-file token.txt --log requests.jsonl",
    ),
    panel=options.Panel.server,
)
def serve(
    *,
    model: str,
    host: str,
    port: int,
    workers: int,
    calibrate: str | None,
    target: str | None,
    labels_from: str | None,
    independent: bool,
    delta: float,
    unit: str | None,
    witnesses: bool,
    token_file: str | None,
    allow_origin: list[str] | None,
    max_body: str,
    max_batch: int,
    max_length: int,
    max_client: int,
    timeout: float,
    idle: float,
    proxy: list[str] | None,
    log: str | None,
) -> None:
    """Serve a model over HTTP: POST /predict for programs, and a page to try objects by hand."""
    from wideberth.serve.door import LOOPBACK_NAMES, read_token, refuse_open_door
    from wideberth.serve.running import run

    token = read_token(token_file)
    refuse_open_door(host, token)
    saved = classifier_in(model)
    limits = Limits(
        body=parse_memory(max_body),
        batch=max_batch,
        length=max_length,
        client=max_client,
        seconds=timeout,
        idle=idle,
    )
    check_unit(saved.model, unit)
    calibration = None
    if calibrate is not None:
        data = DataOptions((calibrate,), target=target, labels_from=labels_from)
        records = labelled_for(saved, data)
        calibration = (records.objects, records.labels)
    app = create_app(
        saved,
        calibration=calibration,
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

    run(app, host, port, limits, announce, tuple(proxy or ()), log=log)
