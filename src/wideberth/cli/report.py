"""``wideberth report``: one HTML file that shows what a model learned and how good it is on
labelled objects.
"""

from dataclasses import replace
from pathlib import Path

from wideberth.cli import options
from wideberth.cli.console import remark, say, show_json
from wideberth.cli.data import DataOptions, labelled_for, lines_of, remark_oddities
from wideberth.geometry.measure.blocks import show_memory
from wideberth.io.model_file.saved_classifier import classifier_in, names_of_kept
from wideberth.io.whole_file import refuse_to_overwrite, whole_file
from wideberth.report import Report

#: Where a report goes that nobody has named.
_USUAL = "report.html"


@options.command(
    options.MODEL,
    options.output("The HTML file; report.html by default."),
    options.option("no_objects", bool, "Leave out objects and the names of rows."),
    *options.NEW_LABELLED,
    options.INDEPENDENT,
    *options.READING,
    options.JSON,
    needs={"jinja2": "report"},
    examples=("names.wb test.csv -o report.html",),
    panel=options.Panel.output,
)
def report(
    data: DataOptions,
    *,
    model: str,
    output: str | None,
    no_objects: bool,
    independent: bool,
    json: bool,
) -> None:
    """Write an HTML page to look at: what a model learned, how good it is on labelled objects, and
    which rows to check first.

    With ``--json`` a page is written only if ``--output`` names it.
    """
    refuse_to_overwrite(output or _USUAL, (model, *data.inputs()))
    saved = classifier_in(model)
    records = labelled_for(saved, replace(data, keep_cells=True))  # with their lines
    remark_oddities(saved, records.objects)
    lines = lines_of(records)
    title = f"{Path(model).name} on {Path(data.file).name}"
    made = Report(
        saved.model,
        records.objects,
        records.labels,
        names=records.names,
        columns=records.column if isinstance(records.column, tuple) else None,
        dates=records.dates,
        title=title,
        show_objects=not no_objects,
        counted_from=1,
        lines=lines,
        independent=independent,
        kept_names=names_of_kept(saved),
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
        first = ", ".join(
            f"row {each['index'] + 1}" if lines is None else f"line {lines[each['index']]}"
            for each in made.facts["check_first"]
        )
        say(f"Check first: {first}." if first else "No row stands out.")
    holds = (
        "It holds objects: give it only to those who may see them."
        if not no_objects
        else "It holds no objects."
    )
    remark(f"The report is in {output or _USUAL} ({show_memory(len(page))}). {holds}")
