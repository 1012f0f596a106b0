"""``wideberth doctor``: examine a distance on the objects of a file."""

import json as json_format
from typing import cast

from wideberth.cli.reading import chosen_metric
from wideberth.doctor.examine import diagnose
from wideberth.io.readers import Kind, read


def doctor(
    file: str,
    column: str | None,
    target: str | None,
    metric_name: str | None,
    encoding: str | None,
    kind: str | None,
    max_objects: int,
    json: bool,
) -> None:
    """Print what the doctor finds on the objects of a file."""
    records = read(file, column=column, target=target, kind=cast(Kind | None, kind), encoding=encoding)
    diagnosis = diagnose(records.objects, chosen_metric(metric_name, records), records.labels, max_objects=max_objects)
    print(json_format.dumps(diagnosis.to_dict(), indent=2) if json else diagnosis)
