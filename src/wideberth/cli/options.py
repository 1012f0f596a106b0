"""The options of the command line, each declared once: its name, type, default and help text.

A command is a file of this folder with a function of its name, marked with `command`, which picks
its options; an option that no other command has is declared there. Importing this file loads
nothing but the parser.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from inspect import Parameter
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args

import typer

from wideberth.classifiers.named import CLASSIFIERS

Function = TypeVar("Function", bound=Callable[..., None])

#: The name of the automatic choice beside those of the classifiers.
AUTO = "auto"
ModelName = StrEnum("ModelName", [AUTO, *CLASSIFIERS])  # type: ignore[misc]
SingleModel = StrEnum("SingleModel", list(CLASSIFIERS))  # type: ignore[misc]


class Preference(StrEnum):
    """What the automatic choice prefers among models that are nearly as accurate."""

    accuracy = "accuracy"
    certified = "certified"
    small = "small"


class OnError(StrEnum):
    """What to do with a record that cannot be read."""

    stop = "raise"
    skip = "skip"


class Panel(StrEnum):
    """The groups of ``--help``."""

    data = "Data"
    model = "Model"
    output = "Output"
    proof = "What is proved"
    server = "Server"


@dataclass(frozen=True)
class Option:
    """An option or an argument: the parameter of the command's function, and what the parser shows
    of it; ``panel`` is its group in ``--help``.
    """

    name: str
    of_type: Any
    default: Any
    flags: tuple[str, ...]
    shown: Mapping[str, Any]
    panel: Panel | None

    def parameter(self, panel: Panel) -> Parameter:
        """The parameter that the parser is given, in its group, or in that of the command."""
        if self.panel is None and self.default is Parameter.empty:
            shown = typer.Argument(**self.shown)
        else:
            shown = typer.Option(
                *self.flags, rich_help_panel=(self.panel or panel).value, **self.shown
            )
        return Parameter(
            self.name,
            Parameter.KEYWORD_ONLY,
            default=self.default,
            annotation=Annotated[self.of_type, shown],
        )


#: How values are shown in ``--help``.
_METAVARS = {str: "TEXT", int: "N", float: "NUMBER", bool: ""}


def option(
    name: str,
    of_type: Any,
    help_text: str,
    default: Any = None,
    *flags: str,
    panel: Panel | None = None,
    **limits: Any,
) -> Option:
    """Declare an option: ``--name``, unless it has other flags. Its group in ``--help`` is ``panel``,
    or else that of the command's own options.

    >>> option("max_size", str, "The most that is read.", "10GB").parameter(Panel.data).default
    '10GB'
    """
    if of_type is bool:  # without a flag the parser would add one that says no
        flags, default = (f"--{name.replace('_', '-')}",), False
    shown = {"help": help_text, **limits}
    plain = next((each for each in _METAVARS if each in (of_type, *_inside(of_type))), None)
    if plain is not None:
        shown["metavar"] = _METAVARS[plain]
    return Option(name, of_type, default, flags, shown, panel)


def _inside(of_type: Any) -> Iterator[Any]:
    """The types that a type is made of."""
    for part in get_args(of_type):
        yield part
        yield from _inside(part)


def argument(name: str, of_type: Any, help_text: str, metavar: str | None = None) -> Option:
    """Declare an argument, which every call of the command has."""
    shown = {"metavar": metavar, "help": help_text, "show_default": False}
    return Option(name, of_type, Parameter.empty, (), shown, None)


@dataclass(frozen=True)
class Picked:
    """The options of a command, in the order of ``--help``, and the modules that it needs, each
    with the extra that installs it.
    """

    options: tuple[Option, ...]
    needs: Mapping[str, str]
    examples: tuple[str, ...]
    panel: Panel

    def __call__(self, function: Function) -> Function:
        """The function of the command, as it is."""
        return function


def command(
    *options: Option,
    examples: tuple[str, ...] = (),
    panel: Panel = Panel.model,
    needs: Mapping[str, str] = MappingProxyType({}),
) -> Picked:
    """Mark the function of a command with its options, in the order of ``--help``; with examples of
    its arguments, the group of its own options in ``--help``, and the modules that it needs and
    their extras, which are looked for before anything else is loaded.

    The function is called as its file is; the first paragraph of its docstring is the help text.
    Options about data (`wideberth.cli.data.DataOptions`) reach it together as ``data``, all others
    by name. Options are written with names of this file alone (``options.UNIT``): what a command
    declares is read without importing its file, which would load all that it needs to run.

    >>> [each.name for each in command(UNIT, JSON).options]
    ['unit', 'json']
    """
    return Picked(options, needs, examples, panel)


# ---- Where the objects and the labels are

_FILES = (
    "CSV, TSV, JSON lines, FASTA, .ts, .smi, Parquet, NPY, NPZ, a directory of texts, and more; - "
    "reads standard input."
)
FILES = argument(
    "files",
    list[str],
    f"{_FILES} Several files are one for each class, unless they have labels.",
    "DATA",
)
NEW_FILES = argument("files", list[str], _FILES, "DATA")
COLUMN = option(
    "column",
    list[str] | None,
    "A column of the objects, may be repeated; found if not given.",
    panel=Panel.data,
)
NEW_COLUMN = option(
    "column",
    list[str] | None,
    "A column of the objects, may be repeated; by default those of the training objects.",
    panel=Panel.data,
)
TARGET = option(
    "target",
    str | None,
    "The column of the labels; found if it is called label, class, target or y.",
    panel=Panel.data,
)
LABELS = option(
    "labels_from",
    str | None,
    "A file of labels: one a line, or identifiers and labels.",
    None,
    "--labels",
    panel=Panel.data,
)
EXACT_LABELS = option(
    "exact_labels", bool, "Keep spaces and case of labels as they are.", panel=Panel.data
)
WEIGHT = option("weight", str | None, "The column of weights.", panel=Panel.data)
GROUPS = option(
    "groups",
    str | None,
    "The column of groups, which stay on one side of each fold.",
    panel=Panel.data,
)

# ---- How files are read

ON_ERROR = option(
    "on_error",
    OnError | None,
    "What to do with a bad record: stop, or skip and list it.",
    panel=Panel.data,
)
NUMBERS = option(
    "numbers",
    list[str] | None,
    "A column of numbers, or with an example how they are written: price=1,5; may be repeated.",
    panel=Panel.data,
)
MISSING = option(
    "missing",
    list[str] | None,
    "A word for missing values, besides NA, NaN, NULL, None, ? and the like; may be repeated.",
    panel=Panel.data,
)
HEADER = option(
    "header",
    bool | None,
    "Whether the first line of a table names the columns; seen where it is clear.",
    None,
    "--header/--no-header",
    panel=Panel.data,
)
KEEP = option(
    "keep",
    list[str] | None,
    "A column to use although it looks like an identifier; may be repeated.",
    panel=Panel.data,
)
SHEET = option(
    "sheet", str | None, "The sheet of a workbook; the only one by default.", panel=Panel.data
)
ENCODING = option(
    "encoding", str | None, "The file's encoding; found if not given.", panel=Panel.data
)
MAX_SIZE = option(
    "max_size",
    str,
    "The most that may come out of a compressed file or a pipe; raise it for files that you trust.",
    "10GB",  # as `wideberth.read` has it
    panel=Panel.data,
)
KIND = option(
    "kind",
    str | None,
    "strings, vectors, series, sets, molecules, trees, graphs, rows, objects or distances; found "
    "if not given.",
    panel=Panel.data,
)
DECLARE = option(
    "declare",
    list[str] | None,
    "What is known of given distances, such as obeys_triangle; may be repeated.",
    panel=Panel.data,
)

#: What commands share: labelled objects to learn from; new ones; labelled new ones; how to read
#: what is like the training objects, and what is read for the first time.
LABELLED_FILES = (FILES, TARGET, COLUMN)
LABELS_APART = (LABELS, EXACT_LABELS)
NEW_LABELLED = (NEW_FILES, TARGET, NEW_COLUMN, *LABELS_APART)
READING = (ON_ERROR, NUMBERS, MISSING, HEADER, SHEET, ENCODING, MAX_SIZE)
FIRST_READING = (ON_ERROR, DECLARE, KIND, NUMBERS, MISSING, KEEP, HEADER, SHEET, ENCODING, MAX_SIZE)

# ---- Metrics, models and their settings

METRIC = option(
    "metric",
    str | None,
    "A metric by name, with parameters in brackets, such as 'minkowski(p=3)'; by default one for "
    "the kind of object.",
    panel=Panel.model,
)
METRICS = option(
    "metric",
    str | None,
    "One metric or several, with commas between them: 'levenshtein,indel'.",
    panel=Panel.model,
)
MODEL = argument("model", str, "A model's file, as 'wideberth fit' writes it.", "MODEL")
TIME = option(
    "time",
    float | None,
    "Seconds for the automatic choice; 60 by default.",
    min=0.0,
    panel=Panel.model,
)
PARAM = option(
    "param",
    list[str] | None,
    "A setting of the model, such as separation=compression; may be repeated.",
    panel=Panel.model,
)
_PRICES = ", ".join(
    f"{name} {entry.C:g} ({entry.C_range[0]:g} to {entry.C_range[1]:g})"
    for name, entry in CLASSIFIERS.items()
    if entry.C
)
PRICE = option(
    "C",
    float | None,
    "Price of errors, short for --param C=... Defaults, with the usual ranges in brackets: "
    f"{_PRICES}.",
    None,
    "-C",
    panel=Panel.model,
)

# ---- What is proved, and what is printed

UNIT = option(
    "unit",
    str | None,
    "What radii are measured in: 'edit' (a character put in, taken out or replaced), 'word' (a whole "
    "word), 'synonym' (one of the model's table), or a metric; by default what the model learned "
    "for, or edits where these are proved, else the model's metric.",
    panel=Panel.proof,
)
DELTA = option(
    "delta",
    float,
    "The probability with which each proved statement may fail.",
    0.05,
    panel=Panel.proof,
)
INDEPENDENT = option(
    "independent",
    bool,
    "Declare that all objects, the training objects too, were drawn independently, so that some "
    "may repeat.",
    panel=Panel.proof,
)
JSON = option("json", bool, "Print the facts as JSON.", panel=Panel.output)


def output(help_text: str) -> Option:
    """Declare the file that a command writes."""
    return option("output", str | None, help_text, None, "--output", "-o", panel=Panel.output)
