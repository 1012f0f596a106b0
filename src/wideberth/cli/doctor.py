"""``wideberth doctor``: examine a distance on the objects of a file."""

from wideberth.cli.console import say, show_json
from wideberth.cli.data import DataOptions, read_data, remark_skipped, understood_in_words
from wideberth.cli.models import metric_in_words, objects_and_metric
from wideberth.doctor.diagnosis import diagnose


def doctor(data: DataOptions, max_objects: int, *, json: bool = False) -> None:
    """Print the diagnosis of a distance: whether it is a metric, which methods are valid, and what
    is unusual in the data.

    Parameters
    ----------
    data : DataOptions
        The files, how to read them, and the metric; labels are used where there are some.
    max_objects : int
        Examine at most this many objects, chosen at random: some checks look at all triples of
        them.
    json : bool
        Print the facts as JSON, for programs, rather than as text.

    See Also
    --------
    wideberth.diagnose : the same from Python, with an explanation of every fact.
    """
    records = read_data(data)
    objects, metric = objects_and_metric(data, records)
    if json:
        remark_skipped(records)
    else:
        say(*understood_in_words(records), metric_in_words(data, records, metric))
    diagnosis = diagnose(objects, metric, records.labels, max_objects=max_objects)
    if json:
        show_json(diagnosis.to_dict())
    else:
        print(diagnosis)
