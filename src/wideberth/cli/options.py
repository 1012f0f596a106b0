"""The options of the command line, each written once; importing them loads nothing but the
parser.
"""

from enum import StrEnum
from typing import Annotated, Any

import typer

from wideberth.classifiers.named import CLASSIFIERS

#: As `wideberth.read` has it.
MAX_SIZE = "10GB"

#: The name of the automatic choice beside those of the classifiers.
AUTO = "auto"
ModelName = StrEnum("ModelName", [AUTO, *CLASSIFIERS])  # type: ignore[misc]
DEFAULT_MODEL = ModelName(AUTO)
SingleModel = StrEnum("SingleModel", list(CLASSIFIERS))  # type: ignore[misc]
#: The classifier that judges labels.
JUDGE = SingleModel("svm")
PRICES = ", ".join(
    f"{name} {entry.C:g} ({entry.C_range[0]:g} to {entry.C_range[1]:g})"
    for name, entry in CLASSIFIERS.items()
    if entry.C
)


class Preference(StrEnum):
    """What the automatic choice prefers among models that are nearly as accurate.

    >>> Preference("small").value
    'small'
    """

    accuracy = "accuracy"
    certified = "certified"
    small = "small"


class OnError(StrEnum):
    """What to do with a record that cannot be read.

    >>> OnError("skip").value
    'skip'
    """

    stop = "raise"
    skip = "skip"


_FILES = (
    "CSV, TSV, JSON lines, FASTA, .ts, .smi, Parquet, NPY, NPZ, a directory of texts, and more; - "
    "reads standard input."
)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA...",
        help=f"{_FILES} Several files are one for each class, unless they have labels.",
        show_default=False,
    ),
]
NewFiles = Annotated[list[str], typer.Argument(metavar="DATA...", help=_FILES, show_default=False)]
Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model's file, as 'wideberth fit' writes it.", show_default=False
    ),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        help="A column of the objects, may be repeated; found if not given.", show_default=False
    ),
]
NewColumn = Annotated[
    list[str] | None,
    typer.Option(
        help="A column of the objects, may be repeated; by default those of the training objects.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="The column of the labels; found if it is called label, class, target or y.",
        show_default=False,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="A file of labels: one a line, or identifiers and labels.",
        show_default=False,
    ),
]
ExactLabels = Annotated[
    bool, typer.Option("--exact-labels", help="Keep spaces and case of labels as they are.")
]
Weight = Annotated[str | None, typer.Option(help="The column of weights.", show_default=False)]
Groups = Annotated[
    str | None,
    typer.Option(
        help="The column of groups, which stay on one side of each fold.", show_default=False
    ),
]
Errors = Annotated[
    OnError | None,
    typer.Option("--on-error", help="What to do with a bad record: stop, or skip and list it."),
]
MetricName = Annotated[
    str | None,
    typer.Option(
        help="A metric by name, with parameters in brackets, such as 'minkowski(p=3)'; by default "
        "one for the kind of object.",
        show_default=False,
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        help="One metric or several, with commas between them: 'levenshtein,indel'.",
        show_default=False,
    ),
]
Declare = Annotated[
    list[str] | None,
    typer.Option(
        help="What is known of given distances, such as obeys_triangle; may be repeated.",
        show_default=False,
    ),
]
Numbers = Annotated[
    list[str] | None,
    typer.Option(
        help="A column of numbers, or with an example how they are written: price=1,5; may be "
        "repeated.",
        show_default=False,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(help="The sheet of a workbook; the only one by default.", show_default=False),
]
Encoding = Annotated[
    str | None, typer.Option(help="The file's encoding; found if not given.", show_default=False)
]
MaxSize = Annotated[
    str,
    typer.Option(
        help="The most that may come out of a compressed file or a pipe; raise it for files that "
        "you trust."
    ),
]
KindName = Annotated[
    str | None,
    typer.Option(
        help="strings, vectors, series, sets, molecules, trees, graphs, rows, objects or "
        "distances; found if not given.",
        show_default=False,
    ),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        min=0.0,
        help="Seconds for the automatic choice; 60 by default.",
        show_default=False,
    ),
]
Prefer = Annotated[
    Preference | None,
    typer.Option(
        help="What the automatic choice prefers: accuracy by default; certified with --param "
        "radius=1 --param unit=edit; small.",
        show_default=False,
    ),
]
Price = Annotated[
    float | None,
    typer.Option(
        "-C",
        help="Price of errors, short for --param C=... Defaults, with the usual ranges in "
        f"brackets: {PRICES}.",
        show_default=False,
    ),
]
Param = Annotated[
    list[str] | None,
    typer.Option(
        help="A setting of the model, such as separation=compression; may be repeated.",
        show_default=False,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        help="What radii are measured in: 'edit' (a character put in, taken out or replaced), or a "
        "metric; by default edits where these are proved, else the model's metric.",
        show_default=False,
    ),
]
Delta = Annotated[
    float, typer.Option(help="The probability with which each proved statement may fail.")
]
Independent = Annotated[
    bool,
    typer.Option(
        "--independent",
        help="Declare that all objects, the training objects too, were drawn independently, so "
        "that some may repeat.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")]


def data_options(files: list[str], labels: str | None = None, **options: Any) -> Any:
    """Those of the options of a command that are about data, as `DataOptions`, with tuples for what
    may be repeated.

    >>> data_options(["names.csv"], target="sex", column=["name"], json=True).column
    ('name',)
    """
    from wideberth.cli.data import DataOptions

    known = {
        name: value for name, value in options.items() if name in DataOptions.__dataclass_fields__
    }
    given = {
        name: value
        for name, value in ({"labels_from": labels} | known).items()
        if value is not None
    }
    repeated: dict[str, Any] = {
        name: tuple(value) for name, value in given.items() if isinstance(value, list)
    }
    return DataOptions(tuple(files), **given | repeated)
