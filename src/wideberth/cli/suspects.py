"""``wideberth suspects``: the objects of a file whose labels are probably wrong, with the objects
that speak against them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from wideberth.cards.glosses import GLOSSES
from wideberth.cli import options
from wideberth.cli.answers import Answered, AnswerWriter
from wideberth.cli.console import remark, say, show_json, table
from wideberth.cli.data import (
    DataOptions,
    dated_names,
    lines_of,
    read_labelled,
    show_understood,
    sizes_in_words,
)
from wideberth.cli.models import (
    MAX_MEMORY,
    check_named,
    check_no_tuning,
    make_automatic,
    make_classifier,
    metric_in_words,
    objects_and_metric,
    objects_and_metrics,
)
from wideberth.cli.options import AUTO
from wideberth.cli.predict import output_stream
from wideberth.cli.values import parse_settings
from wideberth.estimators.metric_classifier import MetricClassifier, single_classifier
from wideberth.estimators.model_facts import counted, in_units
from wideberth.insight.label_issues import LabelIssue, LabelIssues, label_issues
from wideberth.io.model_file.saved_classifier import in_words
from wideberth.io.readers import Records
from wideberth.io.whole_file import refuse_to_overwrite
from wideberth.objects import sample

#: How many characters of an object are shown to people.
_SHOWN = 40
#: How many are shown where none is probably wrong.
_DOUBTED = 5
#: Noise of a class that is mentioned, and of how many classes.
_NOTED, _CLASSES = 0.02, 6
#: A quality below it is not told more precisely.
_SMALLEST = 0.0001


@options.command(
    *options.LABELLED_FILES,
    options.METRIC,
    options.option(
        "model",
        options.ModelName,
        "The classifier whose copies judge the labels; by default the one that 'wideberth fit' "
        "would choose.",
        options.ModelName("auto"),
    ),
    options.TIME,
    options.PARAM,
    options.output("Write all objects, the most doubtful first: CSV, or JSON lines with --json."),
    options.option(
        "count", int, "How many to print at most.", 20, panel=options.Panel.output, min=1
    ),
    options.option(
        "enemies",
        int,
        "How many of the nearest objects with the other label to show.",
        3,
        panel=options.Panel.output,
        min=0,
    ),
    options.option(
        "folds", int, "Number of folds; copies learn from all folds but one, in turn.", 5, min=2
    ),
    *options.LABELS_APART,
    *options.FIRST_READING,
    options.JSON,
    examples=("names.csv --target sex -o doubtful.csv",),
)
def suspects(
    data: DataOptions,
    *,
    model: str,
    time: float | None,
    param: list[str] | None,
    output: str | None,
    count: int,
    enemies: int,
    folds: int,
    json: bool,
) -> None:
    """Show which labels of a file are probably wrong, each with the nearest objects that speak
    against it.

    Copies of the classifier that ``fit`` would choose, or of another one, that have not seen an
    object say how probable it is that its label is right (`wideberth.label_issues`).
    """
    refuse_to_overwrite(output, data.inputs())
    records = read_labelled(replace(data, keep_cells=True))
    records = replace(records, names=records.names or dated_names(records))
    settings = parse_settings(param or ())
    if model == AUTO:
        objects, metric = objects_and_metrics(data, records)
        check_no_tuning(tune=False, settings=settings)
        classifier = make_automatic(metric, settings, time=time, prefer=None, max_memory=MAX_MEMORY)
    else:
        check_named(model, time, None)
        objects, metric = objects_and_metric(data, records, model=model)
        classifier = make_classifier(model, metric, settings, len(records))
    show_understood(
        records,
        f"{sizes_in_words(records)}.",
        metric_in_words(data, records, metric, None if model == AUTO else model),
        json=json,
    )
    classifier.fit(objects, records.labels)
    if model == AUTO and not json and output != "-":
        say(classifier.choice_)
    found = label_issues(classifier, objects, records.labels, cv=folds, n_enemies=enemies)
    judge = single_classifier(classifier)
    if output is not None:
        _write(found, records, enemies, output, json_lines=json)
    doubtful = [issue for issue in found if issue.is_label_issue]
    if json and output is None:
        show_json(_facts(found, doubtful[:count], records, judge))
    elif not json and output != "-":
        say(*_in_words(found, records, judge, count))
    if output not in (None, "-"):
        remark(f"All {len(records):,} objects, the most doubtful first, are in {output}.")


def _facts(
    found: LabelIssues, shown: list[LabelIssue], records: Records, classifier: MetricClassifier
) -> dict[str, Any]:
    """What was found, for programs."""
    return {
        "objects": len(found),
        "label_issues": sum(issue.is_label_issue for issue in found),
        "expected_precision": found.expected_precision,
        "noise": found.noise,
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
    found: LabelIssues, records: Records, classifier: MetricClassifier, count: int
) -> Iterator[str]:
    """The most doubtful labels as a table for people."""
    doubtful = [issue for issue in found if issue.is_label_issue]
    n, judge = len(records), "copies of the model that have not seen the object"
    if not doubtful:
        yield (
            f"None of {n:,} labels is probably wrong: where {judge} prefer another one, they are "
            "not sure enough of it."
        )
        preferred = [issue for issue in found if issue.predicted_label != issue.given_label]
        yield from _shown(preferred[: min(count, _DOUBTED)], records, classifier)
        return
    some = f" The {count:,} most doubtful:" if len(doubtful) > count else ""
    labels = counted(len(doubtful), "label is", "labels are")
    expected = round(found.expected_precision * len(doubtful))
    yield (
        f"{labels} probably wrong, {len(doubtful) / n:.1%} of {n:,}: {judge} find another one "
        "more probable, even allowing for how few labels are wrong. By their account "
        f"{counted(expected, 'is', 'are')} indeed wrong; fewer if they are sure of what is not so.{some}"
    )
    noise = sorted(
        ((share, label) for label, share in found.noise.items() if share >= _NOTED), reverse=True
    )
    if noise:
        most = ", ".join(f"{label} {share:.0%}" for share, label in noise[:_CLASSES])
        yield f"Objects of a class that seem to have another label: {most}."
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
    yield from _shown(doubtful[:count], records, classifier)
    yield "Look at the first rows, and go on as long as you find wrong ones."


def _shown(
    issues: list[LabelIssue], records: Records, classifier: MetricClassifier
) -> Iterator[str]:
    """A table of doubtful labels, and what its columns mean; nothing where there are none."""
    if not issues:
        return
    lines = lines_of(records)
    header = ["row", "object", "label", "rather", "quality", "nearest with that label"]
    if lines is not None:
        header[0] = "line"
    yield from table(header, (_row(issue, records, classifier) for issue in issues))
    where = (
        "Rows are counted from 1, without the header and those that are left out."
        if lines is None
        else "Lines are those of the file."
    )
    yield f"quality: {GLOSSES['quality']} {where}"


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
