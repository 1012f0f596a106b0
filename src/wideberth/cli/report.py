"""``wideberth report``: one HTML file that shows what a model learned and how good it is on
labelled objects.
"""

from pathlib import Path

from wideberth.cli.console import remark, say, show_json
from wideberth.cli.data import DataOptions, labelled_for
from wideberth.cli.oddities import oddities
from wideberth.geometry.measure.blocks import show_memory
from wideberth.io.model_file.saved_classifier import classifier_in
from wideberth.io.whole_file import refuse_to_overwrite, whole_file
from wideberth.report import Report

#: Where a report goes that nobody has named.
_USUAL = "report.html"


def report(
    data: DataOptions,
    model_file: str,
    output: str | None,
    *,
    show_objects: bool = True,
    independent: bool = False,
    json: bool = False,
) -> None:
    """Write the report of a model on labelled objects, and say where it is and what to check first.

    Parameters
    ----------
    data : DataOptions
        The objects and their labels; read as the training objects were.
    model_file : str
        A file that `wideberth.save` or ``wideberth fit`` wrote.
    output : str or None
        The HTML file.
    show_objects : bool
        Whether the report holds objects and the names of rows.
    independent : bool
        Whether all objects, the training objects too, are declared to be drawn independently, so
        that they may repeat.
    json : bool
        Print the facts of the report as JSON; then a page is written only if ``output`` is given.

    Raises
    ------
    InvalidFile
        If the model or the objects cannot be read, or would be overwritten.
    """
    refuse_to_overwrite(output or _USUAL, (model_file, *data.inputs()))
    saved = classifier_in(model_file)
    records = labelled_for(saved, data)
    for sentence in oddities(saved, records.objects):
        remark(sentence)
    title = f"{Path(model_file).name} on {Path(data.file).name}"
    made = Report(
        saved.model,
        records.objects,
        records.labels,
        names=records.names,
        columns=records.column if isinstance(records.column, tuple) else None,
        title=title,
        show_objects=show_objects,
        counted_from=1,
        independent=independent,
    )
    if json:
        show_json(made.facts)
    if output is None and json:
        return
    page = made.html().encode("utf-8")
    with whole_file(output or _USUAL) as stream:
        stream.write(page)
    if not json:
        say(*(sentence for part in made.facts["in_short"].values() for sentence in part))
        first = ", ".join(f"row {each['index'] + 1}" for each in made.facts["check_first"])
        say(f"Check first: {first}." if first else "No row stands out.")
    holds = (
        "It holds objects: give it only to those who may see them."
        if show_objects
        else "It holds no objects."
    )
    remark(f"The report is in {output or _USUAL} ({show_memory(len(page))}). {holds}")
