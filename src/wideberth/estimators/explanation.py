"""Why an object got its label: the training objects that set its score, and how much each of them adds to it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Push:
    """What a training object adds to a score: its index in the X of fit, its distance, and the push, positive for the label."""

    reference: int
    distance: float
    push: float


@dataclass(frozen=True)
class Explanation:
    """The score of a label as a sum: a ``baseline``, which no object sets, and the ``pushes`` of training objects.

    ``rival`` is the label that it was scored against, None if it was scored against all others.

    >>> why = Explanation("tea", score=0.5, baseline=0.1, pushes=(Push(3, distance=2.0, push=0.6), Push(8, 1.0, -0.2)))
    >>> round(why.baseline + sum(each.push for each in why.pushes), 6) == why.score
    True
    """

    label: Any
    score: float
    baseline: float
    pushes: tuple[Push, ...]
    rival: Any = None
