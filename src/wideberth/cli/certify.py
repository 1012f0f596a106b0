"""``wideberth certify``: what labelled objects prove about a saved model."""

import json as json_format

from wideberth.cli.answers import check_unit
from wideberth.cli.console import show_json
from wideberth.cli.data import DataOptions, labelled_for
from wideberth.guarantees.certify import certify as certificates
from wideberth.io.model_file.saved_classifier import classifier_in


def certify(
    data: DataOptions,
    model_file: str,
    *,
    delta: float = 0.05,
    radius: float | None = None,
    unit: str | None = None,
    independent: bool = False,
    json: bool = False,
) -> None:
    """Print what labelled objects prove about a model, each statement with its assumptions.

    Parameters
    ----------
    data : DataOptions
        The objects and their labels: new ones, or all that the model learned from.
    model_file : str
        A file that `wideberth.save` or ``wideberth fit`` wrote.
    delta : float
        The probability with which each statement may fail.
    radius : float or None
        How far new objects may move.
    unit : str or None
        What the radius is measured in.
    independent : bool
        Whether all objects, the training objects too, are declared to be drawn independently, so
        that they may repeat.
    json : bool
        Print the certificates as a list in JSON.

    See Also
    --------
    wideberth.certify : the same from Python.
    """
    saved = classifier_in(model_file)
    check_unit(saved.model.metric_, unit)
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
        print("\n\n".join(map(str, proved)))
