r"""Whether labelled objects are new to a model: neither its training objects in another form, nor copies of each other.

Objects at distance 0 are one object (Hein, Bousquet & Schoelkopf 2005, appendix A), however they are written: in single
precision, out of a text file, times 2 under an angle, with their points in another order. They are looked for in three ways:

- by digests of the objects as they were given, for all training objects;
- by digests that nearly equal objects share (`wideberth.Metric.alike_digests`), for all training objects, where the metric has
  them;
- by their distances to the training objects that the model keeps, compared with the distance s from an object to its nearest
  neighbour in a sample (the median). An honest object is within :math:`\varepsilon s` of a training object with probability
  about :math:`\varepsilon` on a line, and less in more dimensions. So one of m objects below :math:`s / 1000 \max(m, n)` is no
  chance (on a line; a lower dimension D, as of squared distances, is estimated, and takes the power 1/D), and below s / 100 there
  should not be more of them than among the training objects.

Where objects repeat, as words do, new ones are often equal to old ones, and that is no fault: by exchangeability a new object
equals one of n training objects about as often as a training object equals another. So objects are compared with the training
sample: if that has no such pair, a single one is a leak; if it has some, more of them are, by Fisher's exact test at the level
`RARE` (`wideberth.bounds.binomial.excess_chance`). What chance explains becomes an assumption of the certificate.

Copies among the new objects are not independent draws. They are counted as n minus the number of different objects, in as many
objects of both samples, and judged by the same test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Indices
from wideberth.bounds.binomial import excess_chance
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.training_digests import Learned, repeated
from wideberth.guarantees.newness.distances_to_kept import DistancesToKept
from wideberth.objects.digests import Digests
from wideberth.rounding import SUM_ERROR

#: Below this probability an excess of equal objects is not chance.
RARE = 1e-3
#: Distances below this share of s, over the size of the samples, do not happen by chance; those below that share seldom do.
SURE, NEAR = 1e-3, 1e-2


@dataclass(frozen=True)
class Given:
    """Objects that may be new to a model.

    Attributes
    ----------
    shown : callable
        ``shown(i)`` is object i as a text for messages.
    to_kept : callable
        ``to_kept(positions)`` measures how near the objects at some positions are to the training objects that the model keeps, a
        `DistancesToKept`; None where it keeps none.
    digests : ndarray of uint64, shape (m,)
        By which they would be recognised.
    alike : ndarray of uint64, shape (m,), or None
        Digests that nearly equal objects share.
    """

    shown: Any
    to_kept: Callable[[Indices], DistancesToKept | None]
    digests: Digests
    alike: Digests | None

    def __len__(self) -> int:
        return len(self.digests)


@dataclass(frozen=True)
class Newness:
    """What was found out about objects that may be new.

    Attributes
    ----------
    known : int
        How many of them are training objects, as far as that could be found out.
    reasons : tuple of str
        Why they prove nothing about new objects; empty if nothing speaks against them.
    notes : tuple of str
        What has to be assumed of them.
    """

    known: int = 0
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __or__(self, other: "Newness") -> "Newness":
        """Both findings, about different objects."""
        return Newness(self.known + other.known, self.reasons + other.reasons, self.notes + other.notes)


def examine_newness(model: MetricClassifier, learned: Learned, given: Given) -> Newness:
    """Find out whether objects are new to a model, by digests and by distances.

    Parameters
    ----------
    model : MetricClassifier
        A fitted classifier.
    learned : Learned
        What it remembers of its training objects.
    given : Given
        The objects.

    Returns
    -------
    Newness
        With the reasons against them, if there are any.
    """
    known = learned.knows(given.digests)
    found = _taught_the_metric(model, learned, given) | _by_digests(learned, given, known)
    if not found.reasons:
        near, measured = _nearly_equal(learned, given, known), _by_distances(learned, given, known)
        found |= near if near.known > measured.known else measured
    return found | _copies(learned, given)


def _taught_the_metric(model: MetricClassifier, learned: Learned, given: Given) -> Newness:
    """Objects from which the metric took its parameters before the model was fitted had a part in the model."""
    taught = learned.metric_objects
    if taught is None:
        return Newness()
    name = f"{model.metric_.name!r}"
    if not len(taught):
        return Newness(reasons=(f"{name} took its parameters from objects that are not known, perhaps from these. Pass them.",))
    among = np.isin(given.digests, taught) & ~learned.knows(given.digests)
    if not among.any():
        return Newness()
    first = int(among.argmax())
    return Newness(
        int(among.sum()),
        (
            f"{name} took its parameters from {among.sum():,} of these {len(given):,} objects too, such as object {first}, "
            f"{given.shown(first)}, so that they had a part in the model. Let it take them from the training objects alone.",
        ),
    )


def _by_digests(learned: Learned, given: Given, known: Flags) -> Newness:
    """Objects that were learned from, in the form in which they were given."""
    if not known.any():
        return Newness()
    count, m, n = int(known.sum()), len(given), len(learned)
    if not _too_many(count, m, (learned.repeats(), n)):
        return Newness(notes=(_repeat_note(count, m, "equal training objects", learned.repeats(), n),))
    if known.all():
        reason = (
            f"All {m:,} objects are among the {n:,} that the model learned from. Pass new objects; or all of those that it "
            "learned from, for what they prove themselves."
        )
    else:
        first = int(known.argmax())
        reason = (
            f"{count:,} of {m:,} objects are among those that the model learned from, such as object {first}, "
            f"{given.shown(first)}. Leave them out: what the others prove is about objects that the model has not seen."
        )
    return Newness(count, (reason,))


def _nearly_equal(learned: Learned, given: Given, known: Flags) -> Newness:
    """Objects that nearly equal training objects, by digests that both share."""
    if given.alike is None or learned.alike is None:
        return Newness()
    near = np.isin(given.alike, learned.alike) & ~known
    count, repeats = int(near.sum()), repeated(learned.alike)
    if excess_chance(count, len(given), repeats, len(learned)) >= RARE:
        return Newness()
    first = int(near.argmax())
    return Newness(
        count,
        (
            f"{count:,} of {len(given):,} objects are training objects in another form, up to rounding, such as object {first}, "
            f"{given.shown(first)}; among the {len(learned):,} training objects {repeats:,} are that near to another. "
            "Leave them out, or pass all training objects as they were passed to fit.",
        ),
    )


def _by_distances(learned: Learned, given: Given, known: Flags) -> Newness:
    """Objects at distance 0 from training objects, or next to it, among those that the model keeps."""
    fresh, n = np.flatnonzero(~known), len(learned)
    measured = given.to_kept(fresh) if len(fresh) else None
    if measured is None:
        return Newness(notes=() if known.all() else (_partly_compared(0, n, given),))
    note = () if measured.kept >= n else (_partly_compared(measured.kept, n, given),)
    rounding = SUM_ERROR * measured.largest
    sure = max((SURE / max(len(given), n)) ** (1 / measured.dimension) * measured.scale, rounding)
    repeats = [(learned.repeats(), n), (repeated(learned.alike), n) if learned.alike is not None else (0, n)]
    for limit in sorted({sure, NEAR * measured.scale}, reverse=True):
        near = measured.nearest <= limit
        count, own = int(near.sum()), (int((measured.own <= limit).sum()), len(measured.own))
        if limit == sure:
            leaked = _too_many(count, len(given), own, *repeats)
        else:
            leaked = measured.kept >= n and excess_chance(count, len(given), *own) < RARE
        if leaked:
            return Newness(count, (_leak_reason(given, fresh, near, measured, own),))
        if count and limit == sure:
            note = (_repeat_note(count, len(given), "are at distance 0 from training objects", *max(own, *repeats)), *note)
    return Newness(notes=note)


def _copies(learned: Learned, given: Given) -> Newness:
    """Objects that repeat each other, exactly or nearly, more often than training objects do."""
    for mine, theirs in ((given.alike, learned.alike), (given.digests, learned.objects)):
        if mine is not None and theirs is not None and _repeat_more(mine, theirs):
            return Newness(reasons=(_copied_reason(given, mine),))
    distinct = len(np.unique(given.digests))
    if distinct == len(given):
        return Newness()
    return Newness(notes=(f"{len(given) - distinct:,} of them equal others of them by chance; they are not copies.",))


def _repeat_more(mine: Digests, theirs: Digests) -> bool:
    """Whether objects repeat each other more often than others do, in as many objects of both."""
    size, random = min(len(mine), len(theirs)), np.random.default_rng(0)
    surplus, usual = (size - len(np.unique(random.choice(each, size, replace=False))) for each in (mine, theirs))
    return excess_chance(surplus, size, usual, size) < RARE


def _copied_reason(given: Given, digests: Digests) -> str:
    """Why copies prove less than they seem to, with the object that is there most often."""
    _, firsts, counts = np.unique(digests, return_index=True, return_counts=True)
    first, count = int(firsts[counts.argmax()]), int(counts.max())
    return (
        f"These are {len(firsts):,} different objects, not {len(given):,}: object {first}, {given.shown(first)}, is there "
        f"{count:,} times, and training objects repeat less often. Copies are not independent draws: pass each object once."
    )


def _too_many(count: int, n: int, *usual: tuple[int, int]) -> bool:
    """Whether there are more hits than each of the other samples, (hits, size), explains; one is, if none has any."""
    return count > 0 and all(not hits or excess_chance(count, n, hits, size) < RARE for hits, size in usual)


def _repeat_note(count: int, m: int, what: str, repeats: int, n: int) -> str:
    """The assumption that equal objects are equal by chance."""
    return f"{count:,} of these {m:,} objects {what} by chance, as {repeats:,} of {n:,} training objects equal others of them."


def _partly_compared(kept: int, n: int, given: Given) -> str:
    """The assumption about training objects that the model does not keep."""
    by_digests = "digests of their values" if given.alike is None else "digests of their rounded values"
    return (
        f"None of them is a training object in another form: the model keeps {kept:,} of {n:,} to compare distances with, and "
        f"knows the others by {by_digests}."
    )


def _leak_reason(given: Given, fresh: Indices, near: Flags, measured: DistancesToKept, own: tuple[int, int]) -> str:
    """Why objects next to training objects prove nothing, with the pairs that are nearest."""
    some = np.flatnonzero(near)[np.argsort(measured.nearest[near], kind="stable")][:3]
    pairs = "; ".join(
        f"object {fresh[i]}, {given.shown(int(fresh[i]))}, is {measured.nearest[i]:.3g} from kept object {measured.partners[i]}"
        for i in some.tolist()
    )
    return (
        f"{near.sum():,} of {len(given):,} objects are training objects in another form, or copies with a little noise: {pairs}; "
        f"the usual distance to a nearest neighbour is {measured.scale:.3g}, and {own[0]:,} of {own[1]:,} are that near. "
        "Leave them out, or pass all training objects as they were passed to fit."
    )
