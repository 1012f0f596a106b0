"""``wideberth fit``: learn a classifier from files, print what was understood and learned, and save
it to a model file.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold

from wideberth.array_types import Objects
from wideberth.cards.glosses import glosses
from wideberth.cards.values import duration
from wideberth.choice.rules import shown_median
from wideberth.classifiers.named import titled
from wideberth.cli import options
from wideberth.cli.console import remark, say, show_json, table
from wideberth.cli.data import (
    DataOptions,
    characters_of,
    dated_names,
    evenly,
    origin_of,
    read_labelled,
    show_understood,
    sizes_in_words,
    spread_of,
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
from wideberth.cli.values import parse_settings
from wideberth.errors import InvalidFile
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.geometry.measure.blocks import show_memory
from wideberth.io.model_file.provenance import DataNotes
from wideberth.io.model_file.saved_classifier import names_to_note
from wideberth.io.model_file.write import write_model
from wideberth.io.readers import Records
from wideberth.io.readers.reading import FILE
from wideberth.io.whole_file import check_writable, refuse_to_overwrite
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.objects.sample import shown


@options.command(
    *options.LABELLED_FILES,
    options.METRIC,
    options.option(
        "model",
        options.ModelName,
        "The classifier; auto compares all, with several metrics.",
        options.ModelName(options.AUTO),
    ),
    options.TIME,
    options.option(
        "prefer",
        options.Preference | None,
        "What the automatic choice prefers: accuracy by default; certified with --param radius=1 "
        "--param unit=edit; small.",
    ),
    options.PRICE,
    options.PARAM,
    options.option("tune", bool, "Choose the settings that are not given by cross-validation."),
    options.output("The model's file; DATA.wb by default."),
    options.option("force", bool, "Replace a model that is there.", panel=options.Panel.output),
    *options.LABELS_APART,
    options.WEIGHT,
    options.GROUPS,
    *options.FIRST_READING,
    options.JSON,
    examples=(
        "names.csv --target sex",
        "reviews.csv --prefer certified --param radius=1 --param unit=edit --time 300",
        "table.parquet --target churned --model svm --tune -o churn.wb",
    ),
)
def fit(
    data: DataOptions,
    *,
    model: str,
    time: float | None,
    prefer: str | None,
    C: float | None,
    param: list[str] | None,
    tune: bool,
    output: str | None,
    force: bool,
    json: bool,
) -> None:
    """Learn from labelled objects, print what was understood and learned, and save the model.

    Whether the model file can be written is checked first, before the time for learning is spent.
    A model file that is there is replaced only with ``--force``, or if a person at a terminal says
    so, and never if it is read. It also records how the objects were read, so that
    ``wideberth predict`` reads new ones in the same way.
    """
    path = default_name(data.file) if output is None else output
    check_writable(path)
    refuse_to_overwrite(path, data.inputs())
    _refuse_to_replace(path, data, force)
    settings = parse_settings((*(() if C is None else (f"C={C!r}",)), *(param or ())))
    records = read_labelled(data)
    if model == AUTO:
        objects, metric = objects_and_metrics(data, records, prefer=prefer)
        check_no_tuning(tune, settings)
        classifier = make_automatic(
            metric, settings, time=time, prefer=prefer, max_memory=MAX_MEMORY
        )
    else:
        check_named(model, time, prefer)
        objects, metric = objects_and_metric(data, records, model=model)
        classifier = make_classifier(
            model, metric, settings, len(records), tune=tune, max_memory=MAX_MEMORY
        )
    show_understood(
        records,
        f"{sizes_in_words(records)}.",
        metric_in_words(data, records, metric, None if model == AUTO else model),
        json=json,
    )
    started = monotonic()
    _learn(classifier, objects, records)
    seconds = monotonic() - started
    origin = origin_of(records, data.missing, data.header)
    write_model(classifier, path, origin, _notes(classifier, objects, records, data))
    wrong = None if model == AUTO else _training_error(classifier, objects, records)
    for sentence in doubts(classifier, records, wrong):
        remark(sentence)
    if json:
        show_json(
            _facts(classifier, records, metric, data)
            | {"seconds": seconds, "training_error": wrong, "file": path}
        )
        return
    say(f"Learned in {duration(seconds)}:", classifier.summary(), *_chosen_settings(classifier))
    if model == AUTO:
        show_leaderboard(classifier.leaderboard_)
    else:
        say(f"Of the training objects, {wrong:.1%} are classified wrongly.")
    say(
        f"Saved in {path} ({show_memory(Path(path).stat().st_size)}). Label new objects: wideberth "
        f"predict {path} NEW"
    )


def default_name(file: str) -> str:
    """Name a model file after the data file: in the working directory, with the ending ``.wb``.

    Examples
    --------
    >>> default_name("data/names.csv.gz"), default_name("-")
    ('names.wb', 'model.wb')
    """
    return "model.wb" if file == "-" else f"{Path(file).name.partition('.')[0] or 'model'}.wb"


def _refuse_to_replace(path: str, data: DataOptions, force: bool) -> None:
    """Ask a person whether to replace a file, and raise an `InvalidFile` if nobody can be asked, or
    the answer is no.
    """
    if force or not Path(path).exists():
        return
    asks = "-" not in data.files and all(
        stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)
    )
    if asks:
        print(
            f"wideberth: {path} exists already. Replace it? [y/N] ",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise InvalidFile(
        f"{path} exists already, and is not replaced.",
        advice="Add --force to replace it, or name another file with -o.",
        path=path,
        line=None,
        value=path,
    )


def _learn(classifier: Any, objects: Objects, records: Records) -> None:
    """Fit, with weights where there are some, and with groups on one side of each fold where there
    are groups and folds.
    """
    weights = {} if records.weights is None else {"sample_weight": records.weights}
    folds = classifier.get_params(deep=False).get("cv")
    if records.groups is None or folds is None:
        classifier.fit(objects, records.labels, **weights)
        if records.groups is not None:
            remark(
                "--groups keeps groups on one side of a fold, and without --tune there are no "
                "folds."
            )
        return
    classifier.set_params(cv=StratifiedGroupKFold(folds))
    classifier.fit(objects, records.labels, groups=records.groups, **weights)
    classifier.set_params(cv=folds)  # a model file holds numbers


def _training_error(classifier: MetricClassifier, objects: Objects, records: Records) -> float:
    """The share of the training objects that are classified wrongly.

    The automatic choice tells of objects that were left out instead, and need not measure all of
    them once more.
    """
    return float(np.mean(classifier.predict(objects) != np.asarray(records.labels)))


def _notes(
    model: MetricClassifier, objects: Objects, records: Records, data: DataOptions
) -> DataNotes:
    """What later commands should know about the training objects."""
    kept = model.kept()
    positions = None if kept is None or not kept.own else kept.positions
    labels = np.asarray(records.labels)
    identifiers = dated_names(records) if records.names is None else records.names
    names = (
        None
        if kept is None or positions is None
        else names_to_note(records.objects, kept.objects, identifiers, positions)
    )
    return DataNotes(
        files=tuple("standard input" if file == "-" else Path(file).name for file in data.files),
        fitted=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        target=records.target if records.target in _own_columns(records, data) else None,
        characters=characters_of(records.objects) if records.kind == "strings" else None,
        spread=spread_of(_some_prepared(model, objects), model.metric_),
        names=names,
        codes=None
        if positions is None
        else tuple(np.searchsorted(model.classes_, labels[positions]).tolist()),
    )


def _own_columns(records: Records, data: DataOptions) -> list[str]:
    """The columns of the file itself that hold labels."""
    own = data.labels_from is None and records.target != FILE
    return [column.name for column in records.understood if own and column.use == "label"]


def _some_prepared(model: MetricClassifier, objects: Objects) -> Any:
    """Some of the training objects, prepared by the metric of the model."""
    held = sample.hold(objects)
    some = evenly(sample.count(held))
    measured = model.metric_.accepts == "indices"
    return some if measured else model.metric_.prepare(sample.pick(held, some))


def _chosen_settings(model: MetricClassifier) -> Iterator[str]:
    """The line about what cross-validation has chosen, if it did."""
    if hasattr(model, "best_params_"):
        chosen = ", ".join(
            f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}"
            for name, value in model.best_params_.items()
        )
        yield (
            f"Chosen by cross-validation: {chosen} (score {model.best_score_:.4g} on objects left "
            "out)."
        )


def _facts(
    model: MetricClassifier, records: Records, metric: Any, data: DataOptions
) -> dict[str, Any]:
    """What was understood and learned, for programs."""
    labels, counts = np.unique(np.asarray(records.labels), return_counts=True)
    return {
        "columns": [
            dict(zip(("name", "use", "why"), column, strict=True)) for column in records.understood
        ],
        "objects": len(records),
        "kind": records.kind,
        "classes": dict(zip(labels.tolist(), counts.tolist(), strict=True)),
        "metric": model.metric_.name if isinstance(metric, list) else _written(metric),
        "metric_chosen": data.metric is None,
        "model": type(model).__name__,
        "chosen": getattr(model, "best_params_", None),
        "leaderboard": getattr(model, "leaderboard_", None),
        "expected_error": getattr(model, "expected_error_", None),
        "summary": model.summary(),
        "skipped": [str(each) for each in records.skipped],
    }


def _written(metric: str | Metric) -> str:
    return metric if isinstance(metric, str) else repr(metric)


# ---- The table of an automatic choice, as people read it

#: Rows of families that have a result; the rest is in the model file and in ``--json``.
_ROWS = 12
_OF_COPIES = "The table is of models that learned from a part of the objects; the saved one learned from all."


def show_leaderboard(rows: list[dict[str, Any]]) -> None:
    """Print what was compared, the winner first.

    Examples
    --------
    >>> show_leaderboard([])
    """
    compared = [row for row in rows if row["error"] is not None]
    if not compared:
        return
    shown = [_shown(row) for row in compared[:_ROWS]]
    say(*table(("model", "metric", "wrong", "an answer", "kept", "proved safe", ""), shown))
    rest = len(compared) - len(shown)
    if rest > 0:
        say(f"and {rest} more; --json prints all.")
    say(*(f"{word}: {meaning}" for word, meaning in glosses(("wrong", "kept", "proved safe"))))
    say(_OF_COPIES)


def _shown(row: dict[str, Any]) -> tuple[str, ...]:
    """A row in words."""
    certified = "" if row["certified"] is None else f", {row['certified']:.1%} right and safe"
    return (
        titled(row["family"]),
        row["metric"],
        f"{row['error']:.1%} ± {row['standard_error']:.1%}{certified}",
        *(
            ("", "")
            if row["objects_kept"] is None
            else (duration(row["answer_microseconds"] / 1e6), f"{row['objects_kept']:,}")
        ),
        shown_median(row["median_radius"], row["radius_unit"]),
        row["why"],
    )


# ---- Whether what was learned is worth anything: equal objects, and a model that is no better than
# guessing

#: So many objects are needed to say that a model is no better than guessing.
_ENOUGH = 10


def doubts(
    model: MetricClassifier, records: Records, training_error: float | None
) -> Iterator[str]:
    """Say in a sentence or two why a fitted model should not be relied on."""
    labels = records.labels or []
    if all_equal(records.objects):
        yield (
            f"all {len(records):,} objects are equal, and so nothing tells their classes apart: "
            "every answer is a guess. Name other columns of the objects with --column."
        )
        return
    (label, count), *_ = Counter(labels).most_common(1)
    guessing = 1.0 - count / len(labels)
    error, which = _error(model, training_error)
    if error is not None and error >= guessing and len(labels) >= _ENOUGH:
        yield (
            f"the model is no better than guessing: {error:.1%} of the {which} are classified "
            f"wrongly, and always answering {shown(label)} errs on {guessing:.1%}. Check --metric "
            "and --column; 'wideberth compare' shows what other models and metrics reach, and "
            "'wideberth doctor' whether the distance fits."
        )


def all_equal(objects: Objects) -> bool:
    """Whether all objects are equal; of a matrix of distances, whether these are all the same.

    Examples
    --------
    >>> all_equal(["tea", "tea"]), all_equal(np.array([[1.0, 2.0], [1.0, 3.0]]))
    (True, False)
    """
    if isinstance(objects, np.ndarray):
        return bool((objects == objects[0]).all())
    held = sample.hold(objects)
    first = sample.pick_one(held, 0)
    return all(_same(sample.pick_one(held, place), first) for place in range(sample.count(held)))


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


def _error(model: MetricClassifier, training_error: float | None) -> tuple[float | None, str]:
    """The most honest error that the fit has measured, and on which objects."""
    rows = getattr(model, "leaderboard_", None)
    if rows:
        return rows[0]["error"], "objects that were left out"
    tried = getattr(model, "loo_errors_", None) or {}
    left_out = tried.get(getattr(model, "n_neighbors_", None))
    return (
        (training_error, "training objects")
        if left_out is None
        else (left_out, "objects that were left out one by one")
    )
