"""Why a text got its label: the features that set its score, and the nearest text that has another label."""

from dataclasses import dataclass, replace
from typing import Any, Self


@dataclass(frozen=True)
class FeaturePush:
    """What a feature adds to the lead of a label.

    Attributes
    ----------
    feature : str
        Its name.
    count : float
        How often it occurs in the object, or the coordinate of a vector.
    push : float
        What it adds to the lead, positive in favour of the label.
    """

    feature: str
    count: float
    push: float


@dataclass(frozen=True)
class LinearExplanation:
    """The lead of a label over its closest rival as a sum: the constant, and the pushes of features.

    Attributes
    ----------
    label, rival : label
        The label that is explained, and the one that came closest; None if there is no other.
    score : float
        The lead of the label over its rival, the sum of the baseline and all pushes.
    baseline : float
        The difference of the intercepts.
    pushes : tuple of FeaturePush
        The features that occur in the object, the largest push first.
    changed : str or None
        The text with another label that is fewest edits away, where that was looked for and found.
    changed_label : label or None
        The label of the changed text.
    edits : int or None
        How many edits it is away.

    Examples
    --------
    >>> why = LinearExplanation("soft", "hard", 0.5, 0.1, (FeaturePush("tea", 1.0, 0.4),), "a cup of tee", "hard", 1)
    >>> round(why.baseline + sum(push.push for push in why.pushes), 6) == why.score
    True
    """

    label: Any
    rival: Any
    score: float
    baseline: float
    pushes: tuple[FeaturePush, ...]
    changed: str | None = None
    changed_label: Any = None
    edits: int | None = None

    def with_change(self, text: str, label: Any, edits: int) -> Self:
        """The same with the nearest text that has another label."""
        return replace(self, changed=text, changed_label=label, edits=edits)
