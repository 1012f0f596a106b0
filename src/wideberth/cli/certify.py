"""``wideberth certify``: what labelled objects prove about a saved model."""

import json as json_format

from wideberth.cli import options
from wideberth.cli.answers import check_unit
from wideberth.cli.console import show_json
from wideberth.cli.data import DataOptions, labelled_for
from wideberth.guarantees.certify import certify as certificates
from wideberth.io.model_file.saved_classifier import classifier_in


@options.command(
    options.MODEL,
    *options.NEW_LABELLED,
    options.option("radius", float | None, "How far new objects may move."),
    options.UNIT,
    options.DELTA,
    options.INDEPENDENT,
    *options.READING,
    options.JSON,
    examples=("names.wb test.csv --delta 0.01",),
    panel=options.Panel.proof,
)
def certify(
    data: DataOptions,
    *,
    model: str,
    radius: float | None,
    unit: str | None,
    delta: float,
    independent: bool,
    json: bool,
) -> None:
    """Show what labelled objects prove about a model: new ones, or all that it learned from."""
    saved = classifier_in(model)
    check_unit(saved.model, unit)
    records = labelled_for(saved, data)
    proved = certificates(
        saved.model,
        records.objects,
        records.labels,
        delta=delta,
        radius=radius,
        unit=unit,
        independent=independent,
    )
    if json:
        show_json([json_format.loads(certificate.to_json()) for certificate in proved])
    else:
        print(proved if len(proved) > 1 else proved[0])  # what all assume stands once
