"""What labelled objects are to a model: the sample that it learned from, new to it, or neither, and then why."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.interface import MetricClassifier
from wideberth.errors import InvalidInput
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

UNKNOWN = (
    "It cannot be known whether the model learned from these objects: it does not remember its own, because it was saved before "
    "models did, or because objects of this kind cannot be recognised. Fit it again, on texts, numbers, or lists, sets and dicts "
    "of them."
)


@dataclass(frozen=True, eq=False)
class Occasion:
    """Objects X with labels, and what they are to a model: ``"training"``, ``"new"``, or ``"neither"`` for ``reasons``.

    ``known`` of them are among the objects that it learned from.
    """

    model: MetricClassifier
    X: Any
    labels: NDArray[Any]
    kind: Literal["training", "new", "neither"]
    known: int = 0
    reasons: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which of them the model gets wrong."""
        return np.asarray(self.model.predict(self.X) != self.labels)

    @property
    def guessing(self) -> float:
        """The share of the objects that are not of the largest class."""
        _, sizes = np.unique(self.labels, return_counts=True)
        return float(1.0 - sizes.max() / sizes.sum())


def recognise(model: MetricClassifier, X: Any, y: Any) -> Occasion:
    """Find out what X and y are to the model.

    >>> from wideberth.classifiers.neighbors import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> [recognise(model, [each], ["soft"]).kind for each in ("tea", "milk")]
    ['neither', 'new']
    >>> recognise(model, ["rum", "tea"], ["hard", "soft"]).kind
    'training'
    """
    digests = model._digests(X)
    held = sample.hold(y)
    labels = _checked_labels(model, y, sample.count(held) if digests is None else len(digests))
    learned = model._learned_from
    if digests is None or learned is None:
        return Occasion(model, X, labels, "neither", 0, (UNKNOWN,))
    known = learned.knows(digests)
    if not known.any():
        return Occasion(model, X, labels, "new")
    if learned.is_labelled(digests, labels):
        return Occasion(model, X, labels, "training", len(labels))
    if learned.is_all(digests):
        reason = "These are the objects that the model learned from, but with other labels than it was told."
    elif known.all():
        reason = (
            f"All {len(labels):,} objects are among the {len(learned):,} that the model learned from. Pass new objects; or all "
            "of those that it learned from, for what they prove themselves."
        )
    else:
        first = int(known.argmax())
        reason = (
            f"{known.sum():,} of {len(labels):,} objects are among those that the model learned from, such as object {first}, "
            f"{_shown(X, first)}. Leave them out: what the others prove is about objects that the model has not seen."
        )
    return Occasion(model, X, labels, "neither", int(known.sum()), (reason,))


def _checked_labels(model: MetricClassifier, y: Any, n: int) -> NDArray[Any]:
    coded = code_labels(y, n)
    if not n:
        raise InvalidInput("There are no objects to certify the model on.", advice="Pass one at least.", value=0)
    labels: NDArray[Any] = coded.classes[coded.codes]
    if (labels.dtype.kind in "US") != (model.classes_.dtype.kind in "US") or not np.isin(coded.classes, model.classes_).any():
        raise InvalidInput(
            f"None of the labels is one that the model knows: {sample.shown(coded.classes.tolist())} beside "
            f"{sample.shown(model.classes_.tolist())}.",
            advice="Pass the labels in the words that it was fitted with.",
            value=coded.classes,
        )
    return labels


def _shown(X: Any, position: int) -> str:
    held = sample.one_by_one(sample.hold(X))
    each = sample.pick_one(held, position)
    return sample.shown(each.tolist() if isinstance(each, np.ndarray | np.generic) else each)
