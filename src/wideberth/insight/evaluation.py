"""How often a model errs on labelled objects, where, what is certified and what is proved: the
facts of an evaluation.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats
from wideberth.bounds.binomial import binomial_interval
from wideberth.certificate import Certificate
from wideberth.errors import NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import class_sizes
from wideberth.guarantees.certify import LabelledSample
from wideberth.guarantees.robustness import certified_curve
from wideberth.rounding import shown_radius

#: Shares of objects at whose certified radii the certified accuracy is shown, where distances have
#: no step.
_SHARES = (0.75, 0.5, 0.25)


class KnownRadii(Protocol):
    """The certified radii of labelled objects, measured here or elsewhere."""

    def usual_unit(self) -> str | None:
        """The unit of radii where nobody named one."""
        ...

    def radii(self, unit: str | None) -> Floats:
        """The certified radius of each object; `NotCertified` where there are none."""
        ...


def evaluation_facts(
    labelled: LabelledSample,
    told: NDArray[Any],
    answered: KnownRadii,
    best: Certificate,
    *,
    delta: float,
    radii: list[float] | None = None,
    unit: str | None = None,
) -> dict[str, Any]:
    """Everything that an evaluation says, as plain values: ``objects``, ``sizes``, ``errors``,
    ``error``, ``new``, ``learned_from``, ``others`` (the errors on the rest of the objects; None
    unless the model learned from some of them, not from all), ``interval`` (None unless the objects are new; wrong with
    probability ``delta``), ``confidence``, ``classes``, ``confusion``, ``guessing`` (the
    largest class, its ``share``, and whether the model is ``better``), ``certified`` and
    ``certificate``.

    ``told`` is what the model says. Radii are by default 0, 1, 2, 3 edits where they are proved, or
    those of some of the objects.
    """
    truth = labelled.labels
    wrong, n = int(np.sum(told != truth)), len(truth)
    others = labelled.others
    return {
        "objects": n,
        "sizes": class_sizes(truth.tolist()),
        "errors": wrong,
        "error": wrong / n,
        "new": labelled.kind == "new",
        "learned_from": labelled.known
        if labelled.kind == "neither"
        else n
        if labelled.kind == "training"
        else 0,
        "others": _errors(told[others] != truth[others]) if 0 < len(others) < n else None,
        "interval": list(binomial_interval(wrong, n, delta)) if labelled.kind == "new" else None,
        "confidence": 1 - delta,
        "classes": _by_class(truth, told),
        "confusion": _confusion(truth, told),
        "guessing": guessing_facts(truth, np.asarray(told == truth)),
        "certified": _certified(
            labelled.model, answered, truth, np.asarray(told == truth), radii, unit
        ),
        "certificate": {
            "statement": best.statement,
            "void": list(best.void),
            "value": None if best.void else best.value,
        }
        | {"assumptions": list(best.assumptions)},
    }


#: What is ahead of guessing by so many standard errors at most may owe that to chance.
_SURELY = 2.0


def better_than_guessing(share: float, guessing: float, n: int) -> bool:
    """Whether a share of n answers that are right is clearly more than what always answering the
    largest class gets right, under whatever changes.

    Examples
    --------
    >>> better_than_guessing(0.95, 0.866, 500), better_than_guessing(0.87, 0.866, 500)
    (True, False)
    """
    spread = ((share * (1 - share) + guessing * (1 - guessing)) / n) ** 0.5
    return bool(share - guessing > _SURELY * spread)


def _largest(truth: NDArray[Any]) -> tuple[Any, Flags]:
    """The label of most objects, and which have it."""
    labels, counts = np.unique(truth, return_counts=True)
    label = labels[counts.argmax()]
    return label, np.asarray(truth == label)


def guessing_facts(truth: NDArray[Any], right: Flags) -> dict[str, Any]:
    """The largest class, its share of the objects, and whether the answers are clearly better than
    always that one, by differences on the same objects.
    """
    label, of_it = _largest(truth)
    ahead = right.astype(float) - of_it
    spread = float(np.sqrt((ahead**2).sum())) / len(truth)
    better = bool(ahead.mean() > _SURELY * spread)
    return {"label": str(label), "share": float(of_it.mean()), "better": better}


def _errors(wrong: Flags) -> dict[str, Any]:
    """How many of some objects are wrong."""
    n, errors = len(wrong), int(wrong.sum())
    return {"objects": n, "errors": errors, "error": errors / n}


def _by_class(truth: NDArray[Any], told: NDArray[Any]) -> list[dict[str, Any]]:
    """For each label how many objects have it, how many of them were found, and how many that got
    it have it.
    """
    rows = []
    for label in np.unique(np.concatenate([truth.astype(object), told.astype(object)])).tolist():
        has, gets = truth == label, told == label
        both = int(np.sum(has & gets))
        rows.append(
            {
                "label": label,
                "objects": int(has.sum()),
                "found": both / int(has.sum()) if has.any() else None,
                "right_when_told": both / int(gets.sum()) if gets.any() else None,
            }
        )
    return rows


def _confusion(truth: NDArray[Any], told: NDArray[Any]) -> list[dict[str, Any]]:
    """How often objects of each label got each other label, the most frequent first."""
    pairs, counts = np.unique(
        np.array([truth.astype(str), told.astype(str)]), axis=1, return_counts=True
    )
    found = [
        {"label": a, "told": b, "objects": count}
        for a, b, count in zip(*pairs.tolist(), counts.tolist(), strict=True)
    ]
    return sorted(found, key=lambda row: -row["objects"])


def _certified(
    model: MetricClassifier,
    answered: KnownRadii,
    truth: NDArray[Any],
    right: NDArray[Any],
    radii: list[float] | None,
    unit: str | None,
) -> dict[str, Any]:
    """The certified accuracy at some radii; why there is none otherwise."""
    try:
        unit = answered.usual_unit() if unit is None else unit
        measure = model.radius_unit(unit)
        certified = answered.radii(unit)
    except NotCertified as reason:
        return {"reason": str(reason)}
    curve = certified_curve(certified, right, np.asarray(radii or [0.0]), measure)
    if radii is None:
        grid = (
            [1.0, 2.0, 3.0]
            if measure.step == 1
            else sorted({float(shown_radius(curve.radius(share), 2)) for share in _SHARES})
        )
        curve = certified_curve(
            certified, right, np.array([0.0, *(r for r in grid if 0 < r < np.inf)]), measure
        )
    counts = measure.step == 1
    guessing = _largest(truth)[1].mean()
    return {
        "unit": measure.measure.unit if counts else None,
        "shares": [
            {
                "radius": radius,
                "share": share,
                "safe": int(np.floor(radius)) if counts else None,
                "better": better_than_guessing(share, guessing, len(truth)),
            }
            for radius, share in zip(curve.radii.tolist(), curve.certified.tolist(), strict=True)
        ],
    }
