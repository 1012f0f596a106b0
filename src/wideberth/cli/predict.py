"""``wideberth predict``: the labels of new objects, a batch at a time, each with its score and its certified radius."""

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import numpy as np

from wideberth.cli.reading import has_columns
from wideberth.errors import NotCertified
from wideberth.io.model_file.contents import Origin
from wideberth.io.model_file.read import SavedModel, read_model
from wideberth.io.readers import Kind, Records, read_batches
from wideberth.io.whole_file import whole_file

#: Objects read and answered at a time.
BATCH = 10_000
#: The columns of the answers.
HEADER = ("object", "label", "score", "radius")
#: What a metric accepts, as the readers call it; rows of distances are read as rows of numbers.
_KIND: dict[str, Kind] = {
    "strings": "strings",
    "vectors": "vectors",
    "distributions": "vectors",
    "series": "series",
    "sets": "sets",
    "molecules": "molecules",
    "trees": "trees",
    "graphs": "graphs",
    "points": "objects",
    "rows": "rows",
    "indices": "vectors",
}


def predict(model_file: str, file: str, column: str | None, encoding: str | None, output: str | None) -> None:
    """Write one line for each object of a file: the object, its label, the label's lead, the radius within which it holds."""
    saved = read_model(model_file)
    model: Any = saved.model
    batches = read_batches(file, size=BATCH, encoding=encoding, labels=False, **_reading(saved, file, column))
    with _opened(output) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        done = 0
        for batch in batches:
            if not done:
                certified = _certifies(model, batch)
            writer.writerows(_answers(model, batch, done, certified))
            stream.flush()
            done += len(batch)
            _show_count(done, output, "")
        _show_count(done, output, "\n")


def _reading(saved: SavedModel, file: str, column: str | None) -> dict[str, Any]:
    """How the training objects were read: their kind and, unless somebody names another, their columns."""
    origin = saved.origin or _origin_accepted(saved.model.metric_)
    kind: Kind = "vectors" if origin.kind == "distances" else origin.kind
    if column or not has_columns(file):
        return {"kind": kind, "column": column}
    if kind == "graphs" and isinstance(origin.column, tuple):
        return {"kind": kind}  # nodes have edges in one file and neighbors in another: their own names tell
    return {"kind": kind, "column": origin.column, "numbers": origin.numbers}


def _origin_accepted(metric: Any) -> Origin:
    """What a metric says about its objects, where nobody knows how they were read."""
    kind = _KIND.get(metric.accepts, "objects")
    columns = _columns_accepted(metric) if kind == "rows" else {}
    if not columns or not all(isinstance(name, str) for name in columns):
        return Origin(kind)
    if not set(columns.values()) <= {"vectors", "strings"}:
        return Origin("objects", tuple(columns))
    return Origin("rows", tuple(columns), tuple(name for name, part in columns.items() if part == "vectors"))


def _columns_accepted(metric: Any) -> dict[Any, str]:
    """For each column that a metric on rows measures, what it takes it for: numbers are vectors of one."""
    if hasattr(metric, "parts"):
        return {name: part.accepts for name, part in metric.parts.items()}
    ranges = getattr(metric, "ranges", None) or {}
    return {name: "strings" if width is None else "vectors" for name, width in ranges.items()}


@contextmanager
def _opened(output: str | None) -> Iterator[TextIO]:
    if output in (None, "-"):
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    with whole_file(str(output)) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def _certifies(model: Any, batch: Records) -> bool:
    """Whether the model certifies radii; if not, the reason goes to standard error, once."""
    try:
        model.certified_radius(batch.objects[:1])
    except NotCertified as reason:
        print(f"wideberth: no radius is certified. {reason}", file=sys.stderr)
        return False
    return True


def _answers(model: Any, batch: Records, start: int, certified: bool) -> Iterator[tuple[Any, ...]]:
    scores = model.decision_function(batch.objects)
    if scores.ndim == 1:
        scores = np.stack([np.zeros(len(scores)), scores], axis=1)
    winners = scores.argmax(axis=1)
    leads = _leads(scores)
    radii = model.certified_radius(batch.objects).tolist() if certified else [""] * len(batch)
    return zip(_shown(batch, start), model.classes_[winners].tolist(), leads, radii, strict=True)


def _shown(batch: Records, start: int) -> Iterable[Any]:
    """The objects as a reader would know them again: text as it is, structures as JSON; of the others their place in the file."""
    if batch.kind in ("strings", "molecules"):
        return list(batch.objects)
    if batch.kind in ("trees", "graphs", "rows"):
        return [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in batch.objects]
    return range(start, start + len(batch))


def _leads(scores: Any) -> list[float]:
    """By how much the winning class leads the next one; its own score where there is no other."""
    if scores.shape[1] == 1:
        return list(scores[:, 0].tolist())
    best = np.sort(scores, axis=1)[:, -2:]
    return list((best[:, 1] - best[:, 0]).tolist())


def _show_count(done: int, output: str | None, end: str) -> None:
    """For a person who waits while the answers go elsewhere."""
    if output not in (None, "-") and sys.stderr.isatty():
        print(f"\r{done:,} objects", end=end, file=sys.stderr, flush=True)
