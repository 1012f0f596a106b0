"""``wideberth doctor``: examine a distance on the objects of a file."""

from wideberth.cli import options
from wideberth.cli.console import show_json
from wideberth.cli.data import DataOptions, read_data, show_understood
from wideberth.cli.models import metric_in_words, objects_and_metric
from wideberth.doctor.diagnosis import diagnose


@options.command(
    *options.LABELLED_FILES,
    options.METRIC,
    options.option("max_objects", int, "Examine at most this many objects, chosen at random.", 500),
    *options.LABELS_APART,
    *options.FIRST_READING,
    options.JSON,
    examples=("names.csv --target sex --metric damerau",),
)
def doctor(data: DataOptions, *, max_objects: int, json: bool) -> None:
    """Examine a distance on the objects of a file: is it a metric, which methods are valid, what is
    unusual in the data.
    """
    records = read_data(data)
    objects, metric = objects_and_metric(data, records)
    show_understood(records, metric_in_words(data, records, metric), json=json)
    diagnosis = diagnose(objects, metric, records.labels, max_objects=max_objects)
    if json:
        show_json(diagnosis.to_dict())
    else:
        print(diagnosis)
