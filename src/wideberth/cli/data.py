"""Read the objects and labels of a command from files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from wideberth.array_types import Indices, Objects, Sample
from wideberth.cli.console import in_options, remark, say
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import class_sizes, counted
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.provenance import MOST_CHARACTERS
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import in_words, options_for
from wideberth.io.readers import Records, read
from wideberth.io.readers.columns import PLAIN
from wideberth.io.readers.formats.delimited import parse_number
from wideberth.io.readers.formats.directories import DIRECTORY
from wideberth.io.readers.opening import format_of, has_columns
from wideberth.io.readers.records import ColumnUse, fault
from wideberth.io.readers.source import IN_A_COLUMN, MAX_SIZE
from wideberth.objects import sample
from wideberth.objects.sample import shown
from wideberth.progress import doing
from wideberth.wording import Text

#: The most skipped records that an error names.
_MOST_NAMED = 3


@dataclass(frozen=True)
class DataOptions:
    """The options that commands on data share: where the objects and the labels are, and their
    metric; all but ``metric`` and ``declare`` as `wideberth.read` takes them.

    Examples
    --------
    >>> DataOptions(("names.csv",), target="sex").metric is None
    True
    """

    files: tuple[str, ...]
    column: tuple[str, ...] = ()
    target: str | None = None
    metric: str | None = None
    encoding: str | None = None
    kind: str | None = None
    max_size: str = MAX_SIZE
    labels_from: str | None = None
    weight: str | None = None
    groups: str | None = None
    on_error: str | None = None
    exact_labels: bool = False
    declare: tuple[str, ...] = ()
    numbers: tuple[str, ...] | dict[str, str] | None = None
    sheet: str | None = None
    missing: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    header: bool | None = None
    keep_cells: bool = False

    @classmethod
    def taken_from(cls, values: dict[str, Any]) -> "DataOptions":
        """Take the options about data out of all options of a command, with tuples for what may be
        repeated.

        >>> given = {"files": ["names.csv"], "column": ["name"], "target": None, "json": True}
        >>> DataOptions.taken_from(given).column, given
        (('name',), {'json': True})
        """
        own = {name: values.pop(name) for name in cls.__dataclass_fields__ if name in values}
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in own.items()
            if value is not None
        }
        if "numbers" in given:
            given["numbers"] = numbers_of(given["numbers"])
        return cls(**given)

    @property
    def file(self) -> str:
        """The file, or the first of several."""
        return self.files[0]

    def inputs(self) -> tuple[str, ...]:
        """All files that are read: those of the objects and of the labels, and any that the metric
        names, as those of costs.
        """
        named = re.split(r"""[\s"'=,()\[\]{}]+""", self.metric or "")
        return (
            *self.files,
            *([] if self.labels_from is None else [self.labels_from]),
            *(name for name in named if Path(name).is_file()),
        )

    def reading(self) -> dict[str, Any]:
        """The arguments of `wideberth.read` that were given."""
        given = {
            name: value
            for name, value in vars(self).items()
            if name not in ("files", "metric", "declare") and value not in (None, False, ())
        }
        if self.column:
            given["column"] = self.column[0] if len(self.column) == 1 else list(self.column)
        if self.numbers is not None:
            given["numbers"] = self.numbers
        if self.header is not None:
            given["header"] = self.header
        return given


def numbers_of(written: tuple[str, ...]) -> tuple[str, ...] | dict[str, str]:
    """What ``--numbers`` says: columns, or how the numbers of columns are written. One or the
    other: beside columns that are named, all others are text; beside examples, they are found.

    Examples
    --------
    >>> numbers_of(("age", "size")), numbers_of(("price=1,5",))
    (('age', 'size'), {'price': '1,5'})
    """
    formats = dict(each.rsplit("=", 1) for each in written if "=" in each)
    unwritten = [each for each in written if "=" not in each]
    if formats and unwritten:
        name = unwritten[0]
        raise InvalidInput(
            f"--numbers {name} has no example of how the numbers are written, and others have one.",
            advice=f"Write --numbers {name}={PLAIN} if they are plain, or leave the column out: "
            "beside examples, all others are found.",
            value=name,
        )
    return formats or written


@doing("reading")
def read_data(data: DataOptions) -> Records:
    """Read the objects that the options of a command name.

    Examples
    --------
    >>> from importlib.resources import files
    >>> names = str(files("wideberth.datasets") / "first_names.csv")
    >>> len(read_data(DataOptions((names,), column=("name",))))
    5494
    """
    return read(data.file if len(data.files) == 1 else list(data.files), **data.reading())


def read_labelled(data: DataOptions, classes: int = 2) -> Records:
    """Read objects with labels.

    Refused are files without labels, with fewer than so many different ones, and measurements
    (numbers with decimals) in place of classes.

    Examples
    --------
    >>> from importlib.resources import files
    >>> names = str(files("wideberth.datasets") / "first_names.csv")
    >>> read_labelled(DataOptions((names,), column=("name",), target="sex")).labels[:2]
    ['male', 'male']
    """
    records = read_data(data)
    if records.labels is None:
        raise fault(
            data.file, "no column of labels was found.", advice=_where_labels_are(data.file)
        )
    found = set(records.labels)
    if classes > 1:
        _check_classes(records.labels, found, records.target, data.file)
    if len(found) < classes:
        label, n = shown(records.labels[0]), len(records)
        problem = (
            f"the only object has the label {label}"
            if n == 1
            else f"all {n:,} objects have the label {label}"
        )
        problem += f": there is nothing to tell apart.{_skipped_before(records)}"
        advice = "Add objects of another class, or name another column of labels with --target."
        raise fault(data.file, problem, value=records.labels[0], advice=advice)
    return records


#: Different labels from which on it is asked whether they are classes; objects of each that are
#: enough; and different decimals from which on they are measurements.
_MANY_LABELS, _ENOUGH_OF_EACH, _MANY_DECIMALS = 20, 3, 10


def _check_classes(labels: list[Any], found: set[Any], target: str | None, file: str) -> None:
    """Refuse labels that are no classes: measurements, and values that hardly repeat."""
    numbers = [number for label in found if (number := _as_number(label)) is not None]
    decimals = [number for number in numbers if not number.is_integer()]
    measured = len(numbers) == len(found) and decimals
    if measured and (len(found) > _MANY_DECIMALS or isinstance(labels[0], float)):
        problem = (
            f"{target!r} holds measurements, such as {min(decimals):g}: {len(found):,} different "
            "numbers."
        )
    elif len(found) > _MANY_LABELS and len(labels) < _ENOUGH_OF_EACH * len(found):
        problem = f"{target!r} has {len(found):,} different values in {len(labels):,} rows."
    else:
        return
    raise fault(
        file,
        f"{problem} A classifier needs few classes, with several objects of each.",
        value=labels[0],
        advice="Name a column of classes with --target, or cut the numbers into classes first, "
        "such as low, middle and high.",
    )


def _as_number(label: Any) -> float | None:
    """A label as a number, if it is one."""
    return parse_number(label) if isinstance(label, str) else float(label)


def _skipped_before(records: Records) -> str:
    """The records that were skipped, for an error that they may be the cause of."""
    if not records.skipped:
        return ""
    some = [
        f"{Text(each.why).marked} (line {each.line})"
        if each.line is not None
        else Text(each.why).marked
        for each in records.skipped[:_MOST_NAMED]
    ]
    rest = len(records.skipped) - len(some)
    more = f" And {rest:,} more." if rest else ""
    return (
        f" {counted(len(records.skipped), 'record was', 'records were')} skipped: "
        f"{' '.join(some)}{more}"
    )


def _where_labels_are(file: str) -> str:
    """How to say where the labels of a file are."""
    found = DIRECTORY if Path(file).is_dir() else format_of(file)
    return IN_A_COLUMN if found is None else found.labels


def origin_of(
    records: Records, missing: tuple[str, ...] = (), header: bool | None = None
) -> Origin:
    """Describe how records were read, for the model file: that a file has no header, too, whether
    that was said or recognised, upon which its columns are numbered.

    Examples
    --------
    >>> origin_of(
    ...     Records(["tea"], None, kind="strings", column="word", target=None, path="drinks.csv")
    ... )
    Origin(kind='strings', column='word', numbers=None, missing=(), header=True, dates=())
    """
    column = records.column if has_columns(records.path) else None
    names = [use.name for use in records.understood]
    numbered = names == [str(place) for place in range(1, len(names) + 1)] != []
    has_header = header or (header is None and not numbered)
    dates = tuple(name for name in names if name in records.dates)
    return Origin(records.kind, column, records.numbers, missing, has_header, dates)


# ---- Objects and labels for the model that a command names, read as its training objects were.


def labelled_for(saved: SavedModel, data: DataOptions) -> Records:
    """Read labelled objects for a model, and say what was skipped. Labels that are not named are in
    the column of the training labels; they are those of the model wherever they are written alike:
    1 in JSON is "1" in a table.
    """
    as_trained = options_for(saved, data.file, data.column)
    column = as_trained.pop("column", None) or ()
    as_trained["column"] = (column,) if isinstance(column, str) else tuple(column)
    as_trained["missing"] = (*as_trained.get("missing", ()), *data.missing)
    as_trained["numbers"] = data.numbers
    if data.header is not None:
        as_trained["header"] = data.header
    if data.numbers is None and saved.origin is not None:
        as_trained["numbers"] = saved.origin.numbers
    unnamed = data.target is None and data.labels_from is None
    if unnamed and saved.notes is not None and has_columns(data.file):
        as_trained["target"] = saved.notes.target
    records = read_labelled(replace(data, **as_trained), classes=1)
    remark_skipped(records)
    classes = saved.model.classes_.tolist()
    written_alike = {str(label): label for label in classes}
    labels = [written_alike.get(str(label), label) for label in records.labels or []]
    if not set(labels) & set(classes):
        raise fault(
            data.file,
            f"none of its labels ({', '.join(map(shown, sorted(set(labels), key=str)[:3]))}) is a "
            "class of the model.",
            value=labels[0],
            advice=f"The model knows {', '.join(map(shown, classes[:8]))}; --target names the "
            "column of the labels.",
        )
    return replace(records, labels=labels)


# ---- Say how a file was understood: one line for each column, with its use and the reason.


def lines_of(records: Records) -> list[int] | None:
    """The lines of the objects in their file; None without lines, and of several files."""
    lines = [each for each in records.lines or () if each is not None]
    one_file = all(before < after for before, after in pairwise(lines))
    return lines if len(lines) == len(records) and one_file else None


#: The most lines about columns; neighbouring columns with the same use share a line if there are
#: more than a few.
_MOST, _MOST_ALIKE = 30, 6
#: The most skipped records that are listed.
_MOST_SKIPPED = 10


def understood_in_words(records: Records) -> Iterator[str]:
    """Describe what each column of a file, or many columns of the same use, is used for, and what
    was skipped.
    """
    runs = [
        list(run)
        for _, run in groupby(records.understood, key=lambda column: (column.use, column.why))
    ]
    lines = [line for run in runs for line in _lines_of(run)]
    width = max((len(name) for name, _ in lines[:_MOST]), default=0)
    yield from (f"  {name:<{width}}  {use}" for name, use in lines[:_MOST])
    if len(lines) > _MOST:
        yield f"  and {len(lines) - _MOST:,} more columns"
    yield from (f"  {line}" for line in skipped_in_words(records))


def show_understood(records: Records, *sentences: str, json: bool) -> None:
    """Say how a file was understood, and what else there is to say; to programs only what was
    skipped, on standard error.
    """
    if json:
        remark_skipped(records)
    else:
        say(*understood_in_words(records), *sentences)


def sizes_in_words(records: Records) -> str:
    """How many objects there are of how many classes, and of each."""
    return f"{counted(len(records), 'object', 'objects')} of {class_sizes(records.labels or [])}"


def skipped_in_words(records: Records) -> Iterator[str]:
    """Say how many records were skipped, and list the first of them.

    Examples
    --------
    >>> from wideberth.io.readers import Skipped
    >>> skipped = [Skipped(3, "column 'drink' is empty.")]
    >>> read = Records(
    ...     ["tea"],
    ...     None,
    ...     kind="strings",
    ...     column="drink",
    ...     target=None,
    ...     path="drinks.csv",
    ...     skipped=skipped,
    ... )
    >>> print(*skipped_in_words(read), sep="\\n")
    1 record was skipped (--on-error skip):
      line 3: column 'drink' is empty.
    """
    if records.skipped:
        yield (
            f"{counted(len(records.skipped), 'record was', 'records were')} skipped (--on-error "
            "skip):"
        )
    for record in records.skipped[:_MOST_SKIPPED]:
        place = "" if record.line is None else f"line {record.line}: "
        yield f"  {place}{in_options(record.why)}"
    if len(records.skipped) > _MOST_SKIPPED:
        yield f"  and {len(records.skipped) - _MOST_SKIPPED:,} more"


def remark_skipped(records: Records) -> None:
    """Say on standard error what was skipped, where the command does not say how it understood the
    file.
    """
    if records.skipped:
        remark(f"{records.path}: " + "\n".join(skipped_in_words(records)))


def _lines_of(run: list[ColumnUse]) -> list[tuple[str, str]]:
    """The names and the use of columns with one use and reason: a line for each, or one for
    many.
    """
    use = f"{run[0].use} ({in_options(run[0].why)})" if run[0].why else run[0].use
    if len(run) > _MOST_ALIKE:
        return [(f"{run[0].name} to {run[-1].name} ({len(run):,} columns)", use)]
    return [(column.name or "''", use) for column in run]


# ---- What is odd about new objects beside those that a model learned from: case, characters, the
# scale of their distances.

#: Objects whose distances are looked at.
_SOME = 30
#: The share of new objects from which on unknown characters are mentioned.
_LEAST_SHARE = 0.05
#: New objects are far away if their median distance to training objects is so many times that
#: between training objects, and close together if that between them is so small a part of it.
_FAR, _CLOSE = 4.0, 0.1
#: So many new objects are needed to say that they are close together.
_ENOUGH = 10


def characters_of(objects: Objects) -> str | None:
    """All characters in strings, sorted; None if there are too many to be an alphabet.

    Examples
    --------
    >>> characters_of(["GATE", "TAG"])
    'AEGT'
    """
    found = "".join(sorted(set().union(*objects)))
    return found if len(found) <= MOST_CHARACTERS else None


def spread_of(prepared: Sample, metric: Any) -> float | None:
    """The median distance between two of the objects, some of which are measured; None if that is 0
    or there are too few.

    Examples
    --------
    >>> import wideberth
    >>> spread_of(np.array([[0.0], [1.0], [3.0]]), wideberth.metric("euclidean"))
    2.0
    """
    some = _some_of(prepared)
    distances = np.asarray(metric.block(some, some))
    between = distances[~np.eye(len(distances), dtype=bool)]
    median = float(np.median(between)) if len(between) else 0.0
    return median if 0 < median < np.inf else None


def remark_oddities(saved: SavedModel, objects: Objects) -> None:
    """Say on standard error what is odd about new objects."""
    for sentence in oddities(saved, objects):
        remark(sentence)


def oddities(saved: SavedModel, objects: Objects) -> Iterator[str]:
    """Describe what is odd about new objects, each in a sentence or two with the numbers; without
    notes on the training objects nothing is.
    """
    if saved.notes is None or not sample.count(sample.hold(objects)):
        return
    if saved.notes.characters is not None and all(isinstance(item, str) for item in objects):
        yield from _odd_characters(list(objects), saved.notes.characters)
    if saved.notes.spread is not None:
        yield from _odd_scale(saved.model, objects, saved.notes.spread)


def _odd_characters(texts: list[str], known: str) -> Iterator[str]:
    """Another case, or characters that no training object has."""
    for here, there, has, lacks in (
        ("lower", "upper", str.islower, str.isupper),
        ("upper", "lower", str.isupper, str.islower),
    ):
        other = sum(any(has(letter) for letter in text) for text in texts)
        if other > len(texts) / 2 and any(map(lacks, known)) and not any(map(has, known)):
            yield (
                f"{other:,} of {len(texts):,} objects have letters in {here} case, and all "
                f"training objects are in {there} case: each such letter counts as another one. "
                f"Write them in {there} case first, if that is not meant."
            )
            return
    strange = [set(text) - set(known) for text in texts]
    n_strange = sum(map(bool, strange))
    if n_strange >= max(1.0, _LEAST_SHARE * len(texts)):
        letters = sorted(set().union(*strange))
        some = ", ".join(map(repr, letters[:8])) + (
            f" and {len(letters) - 8} more" if len(letters) > 8 else ""
        )
        yield (
            f"{n_strange:,} of {len(texts):,} objects have characters that no training object has: "
            f"{some}."
        )


def _odd_scale(model: MetricClassifier, objects: Objects, spread: float) -> Iterator[str]:
    """Distances of another size: often other units."""
    prepared, kept = model.admit_queries(objects), model.kept()
    if kept is None:
        return
    some = _some_of(prepared)
    far = float(np.median(model.metric_.block(some, _some_of(kept.objects))))
    advice = "Are they measured in the same units, and prepared in the same way?"
    if far > _FAR * spread:
        yield (
            f"the new objects are {far:.3g} away from training objects (in the median), and these "
            f"{spread:.3g} from each other. {advice}"
        )
    elif model.metric_.accepts != "indices" and sample.count(some) >= _ENOUGH:
        close = spread_of(prepared, model.metric_)
        if close is not None and close < _CLOSE * spread:
            yield (
                f"the new objects are {close:.3g} away from each other (in the median), and "
                f"training objects {spread:.3g}. {advice}"
            )


def evenly(n: int) -> Indices:
    """The positions of some of n objects, evenly spaced.

    Examples
    --------
    >>> evenly(3), len(evenly(1000))
    (array([0, 1, 2]), 30)
    """
    return np.unique(np.linspace(0, n - 1, min(n, _SOME), dtype=np.intp))


def _some_of(prepared: Sample) -> Any:
    """Some of the objects of a prepared sample."""
    return sample.pick(prepared, evenly(sample.count(prepared)))


# ---- Rows with dates, which are numbers of days for a metric, as people write them.


def dated_names(records: Records) -> list[str] | None:
    """What to call objects with dates: the objects themselves, their dates as dates.

    Examples
    --------
    >>> from wideberth.io.readers.reading import read_content
    >>> table = b"age,day,label\\n30,2024-05-18,no\\n38,2024-09-13,yes\\n"
    >>> dated_names(read_content(table, "csv", "table"))
    ['[30, 2024-05-18]', '[38, 2024-09-13]']
    >>> table = b"age,day,city,label\\n30,2024-05-18,Rome,no\\n38,,Oslo,yes\\n"
    >>> dated_names(read_content(table, "csv", "table"))[1]
    '{"age": 38.0, "day": null, "city": "Oslo"}'
    """
    dates = records.dates
    columns = records.column if isinstance(records.column, tuple) else ()
    if not dates.intersection(columns) or records.kind not in ("rows", "vectors"):
        return None
    held = sample.hold(records.objects)
    return [
        _in_words(sample.pick_one(held, place), columns, dates) for place in range(len(records))
    ]


def _in_words(item: Any, columns: Sequence[str], dates: set[str]) -> str:
    if isinstance(item, dict):
        return in_words(
            {
                name: sample.date_of(value) if name in dates and value is not None else value
                for name, value in item.items()
            }
        )
    cells = [
        sample.date_of(value) if name in dates else f"{value:.4g}"
        for name, value in zip(columns, item, strict=True)
    ]
    return in_words(f"[{', '.join(cells)}]")
