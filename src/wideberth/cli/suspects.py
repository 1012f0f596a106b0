"""``wideberth suspects``: the objects of a file whose labels are probably wrong, with the objects
that speak against them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from wideberth.cli import options
from wideberth.cli.answers import Answered, AnswerWriter
from wideberth.cli.console import remark, say, show_json, table
from wideberth.cli.data import DataOptions, lines_of, read_labelled, show_understood, sizes_in_words
from wideberth.cli.models import make_classifier, metric_in_words, objects_and_metric
from wideberth.cli.predict import output_stream
from wideberth.cli.values import parse_settings
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import counted, in_units
from wideberth.insight.label_issues import LabelIssue, label_issues
from wideberth.io.model_file.saved_classifier import in_words
from wideberth.io.readers import Records
from wideberth.io.whole_file import refuse_to_overwrite
from wideberth.objects import sample

#: How many characters of an object are shown to people.
_SHOWN = 40
#: A quality below it is not told more precisely.
_SMALLEST = 0.0001


@options.command(
    *options.LABELLED_FILES,
    options.METRIC,
    options.option(
        "model",
        options.SingleModel,
        "The classifier whose copies judge the labels.",
        options.SingleModel("svm"),
    ),
    options.PARAM,
    options.output("Write all objects, the most doubtful first: CSV, or JSON lines with --json."),
    options.option("count", int, "How many to print at most.", 20, min=1),
    options.option(
        "enemies", int, "How many of the nearest objects with the other label to show.", 3, min=0
    ),
    options.option(
        "folds", int, "Number of folds; copies learn from all folds but one, in turn.", 5, min=2
    ),
    *options.LABELS_APART,
    *options.FIRST_READING,
    options.JSON,
)
def suspects(
    data: DataOptions,
    *,
    model: str,
    param: list[str] | None,
    output: str | None,
    count: int,
    enemies: int,
    folds: int,
    json: bool,
) -> None:
    """Show which labels of a file are probably wrong, each with the nearest objects that speak
    against it.

    Copies of the classifier that have not seen an object say how probable its label is
    (`wideberth.label_issues`).
    """
    refuse_to_overwrite(output, data.inputs())
    records = read_labelled(replace(data, keep_cells=True))
    objects, metric = objects_and_metric(data, records, model=model)
    classifier = make_classifier(model, metric, parse_settings(param or ()), len(records))
    show_understood(
        records,
        f"{sizes_in_words(records)}.",
        metric_in_words(data, records, metric, model),
        json=json,
    )
    classifier.fit(objects, records.labels)
    found = label_issues(classifier, objects, records.labels, cv=folds, n_enemies=enemies)
    if output is not None:
        _write(found, records, enemies, output, json_lines=json)
    doubtful = [issue for issue in found if issue.is_label_issue]
    if json and output is None:
        show_json(_facts(found, doubtful[:count], records, classifier))
    elif not json and output != "-":
        say(*_in_words(doubtful, records, classifier, count))
    if output not in (None, "-"):
        remark(f"All {len(records):,} objects, the most doubtful first, are in {output}.")


def _facts(
    found: list[LabelIssue], shown: list[LabelIssue], records: Records, classifier: MetricClassifier
) -> dict[str, Any]:
    """What was found, for programs."""
    return {
        "objects": len(found),
        "label_issues": sum(issue.is_label_issue for issue in found),
        "model": type(classifier).__name__,
        "metric": classifier.metric_.name,
        "issues": [
            {
                "index": issue.index,
                "object": _object(records, issue.index),
                "given_label": issue.given_label,
                "predicted_label": issue.predicted_label,
                "label_quality": issue.label_quality,
                "certified_flips": issue.certified_flips,
                "stays": issue.stays,
                "enemies": [
                    {
                        "index": enemy.index,
                        "object": _object(records, enemy.index),
                        "distance": enemy.distance,
                    }
                    for enemy in issue.enemies
                ],
            }
            for issue in shown
        ],
    }


def _in_words(
    doubtful: list[LabelIssue], records: Records, classifier: MetricClassifier, count: int
) -> Iterator[str]:
    """The most doubtful labels as a table for people."""
    n, judge = len(records), f"copies of {type(classifier).__name__} that have not seen the object"
    if not doubtful:
        yield (
            f"No label is doubtful: {judge} find each of the {n:,} about as probable as labels of "
            "its class are."
        )
        return
    some = f" The {count:,} most doubtful:" if len(doubtful) > count else ""
    labels = counted(len(doubtful), "label is", "labels are")
    yield (
        f"{labels} doubtful, {len(doubtful) / n:.1%} of {n:,}: {judge} clearly prefer another "
        f"one.{some}"
    )
    equal = sum(bool(issue.enemies) and issue.enemies[0].distance == 0 for issue in doubtful)
    if equal:
        yield (
            f"{counted(equal, 'of them has an equal object', 'of them have equal objects')} with "
            "the other label in the file."
        )
    staying = sum(bool(issue.stays) for issue in doubtful)
    if staying:
        yield (
            f"{counted(staying, 'of them', 'of them')} would get the other label even if as many of the "
            "labels that speak against it are wrong as is expected, whichever they are."
        )
    lines = lines_of(records)
    header = ["row", "object", "label", "rather", "quality", "nearest with that label"]
    if lines is not None:
        header[0] = "line"
    yield from table(header, (_row(issue, records, classifier) for issue in doubtful[:count]))
    where = (
        "Rows are counted from 1, without the header and those that are left out."
        if lines is None
        else "Lines are those of the file."
    )
    yield f"The quality is the probability of the given label, by the other objects. {where}"
    yield (
        "A doubtful label need not be wrong: look at the first rows, and go on as long as you find "
        "wrong ones."
    )


def _row(issue: LabelIssue, records: Records, classifier: MetricClassifier) -> list[Any]:
    witnesses = [
        f"{_cut(_object(records, enemy.index))} ({_far(enemy.distance, classifier)})"
        for enemy in issue.enemies
    ]
    quality = (
        f"{issue.label_quality:.2g}" if issue.label_quality >= _SMALLEST else f"<{_SMALLEST:g}"
    )
    labels = [str(issue.given_label), str(issue.predicted_label)]
    lines = lines_of(records)
    return [
        issue.index + 1 if lines is None else lines[issue.index],
        _cut(_object(records, issue.index)),
        *labels,
        quality,
        ", ".join(witnesses),
    ]


def _far(distance: float, classifier: MetricClassifier) -> str:
    return "equal" if distance == 0 else in_units(distance, classifier.metric_)


def _object(records: Records, place: int) -> str:
    """What to call an object: its identifier, or the object itself."""
    if records.names is not None:
        return str(records.names[place])
    return (
        f"row {place + 1}"
        if records.kind == "distances"
        else in_words(sample.pick_one(sample.hold(records.objects), place))
    )


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."


def _write(
    found: list[LabelIssue], records: Records, enemies: int, output: str, *, json_lines: bool
) -> None:
    """Write all objects, in the order in which their labels are doubtful, with the columns of
    cleanlab beside their own.
    """
    order = [issue.index for issue in found]
    own = records.cells or [{"object": _object(records, place)} for place in range(len(records))]
    columns: dict[str, list[Any]] = {
        "index": order,
        "is_label_issue": [issue.is_label_issue for issue in found],
        "label_quality": [
            "" if np.isnan(issue.label_quality) else f"{issue.label_quality:.6g}" for issue in found
        ],
        "given_label": [issue.given_label for issue in found],
        "predicted_label": [issue.predicted_label for issue in found],
    }
    for place in range(enemies):
        witnesses = [
            issue.enemies[place] if place < len(issue.enemies) else None for issue in found
        ]
        columns[f"enemy_{place + 1}"] = [
            "" if each is None else _object(records, each.index) for each in witnesses
        ]
        columns[f"enemy_{place + 1}_distance"] = [
            "" if each is None else f"{each.distance:.6g}" for each in witnesses
        ]
    sorted_rows = replace(records, objects=order, cells=[own[place] for place in order])
    with output_stream(output) as stream:
        AnswerWriter(stream, json_lines=json_lines).write(sorted_rows, Answered(columns, [], None))
