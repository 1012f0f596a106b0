"""Why an object got its label: the training objects that set its score, and how much each of them adds to it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Push:
    """What a training object adds to a score.

    Attributes
    ----------
    reference : int
        The position of the training object in the X of fit.
    distance : float
        Its distance from the object that is explained.
    push : float
        What it adds to the score, positive in favour of the label.
    """

    reference: int
    distance: float
    push: float


@dataclass(frozen=True)
class Explanation:
    """The score of a label as a sum: a baseline, which no object sets, and the pushes of training objects.

    Attributes
    ----------
    label : label
        The label that is explained.
    score : float
        Its score, the sum of the baseline and all pushes.
    baseline : float
        The part that does not depend on training objects one by one, such as an intercept.
    pushes : tuple of Push
        The other parts.
    rival : label or None
        The label that it was scored against; None if it was scored against all others.

    Examples
    --------
    >>> why = Explanation("tea", score=0.5, baseline=0.1, pushes=(Push(3, distance=2.0, push=0.6), Push(8, 1.0, -0.2)))
    >>> round(why.baseline + sum(push.push for push in why.pushes), 6) == why.score
    True
    """

    label: Any
    score: float
    baseline: float
    pushes: tuple[Push, ...]
    rival: Any = None


@dataclass(frozen=True)
class Neighbor:
    """The explanation of a label: the nearest kept object, and the nearest kept object of another class (the rival).

    Attributes
    ----------
    label, rival_label : object
        Their labels; ``rival_label`` is None if all kept objects have one label.
    index, rival : int
        Their positions in the X of fit; ``rival`` is then -1.
    distance, rival_distance : float
        Their distances from the query; ``rival_distance`` is then infinite.
    """

    label: Any
    index: int
    distance: float
    rival_label: Any
    rival: int
    rival_distance: float
