"""``wideberth doctor``: examine a distance on the objects of a file."""

import json as json_format

from wideberth.cli.reading import DataOptions, chosen_metric, read_data
from wideberth.doctor.examine import diagnose


def doctor(data: DataOptions, max_objects: int, json: bool) -> None:
    """Print the diagnosis of a distance: whether it is a metric, which methods are valid, and what is unusual in the data.

    Parameters
    ----------
    data : DataOptions
        The file, how to read it, and the metric; labels are used where the file has them.
    max_objects : int
        Examine at most this many objects, chosen at random: some checks look at all triples of them.
    json : bool
        Print the facts as JSON, for programs, rather than as text.

    See Also
    --------
    wideberth.diagnose : the same from Python, with an explanation of every fact.
    """
    records = read_data(data)
    diagnosis = diagnose(records.objects, chosen_metric(data, records), records.labels, max_objects=max_objects)
    print(json_format.dumps(diagnosis.to_dict(), indent=2) if json else diagnosis)
