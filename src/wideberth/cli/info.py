"""``wideberth info``: what a model file holds, when it was made and from what."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wideberth.cli import options
from wideberth.cli.console import show_json
from wideberth.cli.models import settings_of
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.geometry.measure.blocks import show_memory
from wideberth.io.model_file.read import SavedModel, read_model
from wideberth.objects.sample import shown

#: The most labels that are listed.
_MOST_LABELS = 20


@options.command(
    options.MODEL,
    options.JSON,
    examples=("names.wb",),
    panel=options.Panel.output,
)
def info(*, model: str, json: bool) -> None:
    """Show what a model file holds, when it was made and from what."""
    facts = _facts(read_model(model), model)
    if json:
        show_json(facts)
    else:
        print("\n".join(_in_words(facts)))


def _facts(saved: SavedModel, model_file: str) -> dict[str, Any]:
    """What is known about a model and its data."""
    model, notes, origin = saved.model, saved.notes, saved.origin
    classes = model.classes_.tolist() if isinstance(model, MetricClassifier) else None
    return {
        "file": model_file,
        "bytes": Path(model_file).stat().st_size,
        "model": type(model).__name__,
        "summary": model.summary() if isinstance(model, MetricClassifier) else repr(model),
        "classes": classes,
        "metric": repr(model.metric_) if hasattr(model, "metric_") else None,
        "settings": settings_of(model),
        "fitted": None if notes is None else notes.fitted,
        "data": [] if notes is None else list(notes.files),
        "kind": None if origin is None else origin.kind,
        "columns": None if origin is None else origin.column,
        "target": None if notes is None else notes.target,
        "median_distance": None if notes is None else notes.spread,
        "objects_learned_from": saved.provenance.n_learned,
        "objects_inside": saved.provenance.n_held,
        "data_digest": saved.provenance.data,
        "random_state": saved.provenance.random_state,
        "versions": dict(saved.provenance.versions),
    }


def _in_words(facts: dict[str, Any]) -> Iterator[str]:
    """The facts as lines for people."""
    yield f"{facts['file']} ({show_memory(facts['bytes'])})"
    yield facts["summary"]
    if facts["classes"] is not None:
        rest = len(facts["classes"]) - _MOST_LABELS
        yield (
            "Classes: "
            f"{', '.join(map(str, facts['classes'][:_MOST_LABELS]))}{f' and {rest} more' if rest > 0 else ''}."
        )
    if facts["data"]:
        yield f"Fitted {facts['fitted'] or 'at an unknown time'} from {', '.join(facts['data'])}."
    if facts["kind"] is not None:
        yield f"Objects: {facts['kind']}{_where(facts['columns'])}{_labels_in(facts['target'])}."
    learned = (
        "an unknown number of"
        if facts["objects_learned_from"] is None
        else f"{facts['objects_learned_from']:,}"
    )
    yield f"Learned from {learned} objects; the file holds {facts['objects_inside'] or 0:,} of them."
    if facts["data_digest"]:
        yield f"Digest of the data: {facts['data_digest']}."
    given = ", ".join(f"{name} = {shown(value)}" for name, value in facts["settings"].items())
    yield f"Settings: {given}."
    yield (
        "Written by "
        f"{', '.join(f'{name} {version}' for name, version in facts['versions'].items())}."
    )


def _where(columns: Any) -> str:
    """The columns of the objects, in words."""
    if columns is None or isinstance(columns, str):
        return f" in {columns!r}" if columns else ""
    return (
        f" in {len(columns)} columns: "
        f"{', '.join(columns[:12])}{', ...' if len(columns) > 12 else ''}"
    )


def _labels_in(target: str | None) -> str:
    return f"; labels in {target!r}" if target else ""
