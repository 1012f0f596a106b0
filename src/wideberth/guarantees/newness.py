r"""Whether labelled objects are new to a model: neither its training objects in another form, nor
copies of each other.

**One rule for repeats.** An object that also occurs in the training data is a leak, and what is
measured on it proves nothing, unless the user declares that all objects were drawn independently
(``independent=True``), or the library itself cut the sample in two (`wideberth.AutoClassifier`).
Then repeats are allowed, and an assumption of the certificate says how many there are. A
declaration is believed as far as it can be true: by exchangeability a new object equals one of n
training objects about as often as a training object equals another, and about n / m times as often
as it equals one of the m new ones, so that more of them are a leak all the same, by Fisher's exact
test at the level `RARE` (`wideberth.bounds.binomial.excess_chance`): so are training data that were
copied or drawn with replacement from the new ones.

**What is recognised.** A training object is recognised whatever the classifier keeps of it and
whatever the metric, by digests of

- its contents as they are, in whatever container; and its plain texts: without Unicode forms,
  widths and case, and without white space, quotes and full stops at the ends
  (`wideberth.objects.disguises.plain_text`). One such object is a leak;
- its contents with rounded numbers, in all the ways of `wideberth.objects.disguises.ROUNDINGS`:
  half and single precision, 2 to 6 significant digits, 0 to 4 decimal places; and, for series,
  without the last value;
- the form that all objects at distance 0 share, up to rounding (`wideberth.Metric.alike_digests`),
  where the metric has one.

Objects whose numbers have all their digits were not rounded, and are not compared after rounding.
Others that share a rounded form, or series that agree up to their last value, may be different
objects all the same. So their number is compared with that among the different training objects,
and that among the different new objects, again by Fisher's exact test: a leak is what neither
explains. Where honest objects agree after rounding as well, as whole numbers in one column do, no
test can tell, and nothing is said.

Training objects that the model keeps are compared by distance too, with the distance s from an
object to its nearest neighbour in a sample (the median). An honest object is within
:math:`\varepsilon s` of a training object with probability about :math:`\varepsilon` on a line, and
less in more dimensions. So one of m objects below :math:`s / 1000 \max(m, n)` is no chance (on a
line; a lower dimension D, as of squared distances, is estimated, and takes the power 1/D), and
below s / 100 there should not be more of them than among the training objects or, if the model
keeps only some of these, than the new objects are that near to each other, n / m times.

**What is not recognised**: training objects that were changed beyond that. Noise from a tenth of s
on (unless coarse rounding takes it away again), mixtures of two objects, a word more or less in a
text, another unit of a column, and whatever else makes another object. No comparison finds all of
them, so that every certificate assumes that its objects had no part in the model.

Copies among the new objects are not independent draws. They are counted as n minus the number of
different objects, in as many objects of both samples, and judged by the same test.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.bounds.binomial import excess_chance
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.training import Learned, repeated
from wideberth.geometry.search.index import Index
from wideberth.guarantees.training_sample import repeats_allowed
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import ROUNDINGS, ObjectDigests, ShortDigests
from wideberth.rounding import SUM_ERROR

# ---- How near objects are to the training objects that a model keeps, and how near objects of one
# sample usually are

#: How many objects are asked for their nearest neighbour to find s, at most; as many as there are
#: new ones, but at least some.
MOST_ASKED, FEWEST_ASKED = 1000, 100


def kept_objects(model: MetricClassifier) -> Sample:
    """The prepared training objects that a model keeps for its predictions, all or some of them;
    None if it keeps none.

    References that the user gave are not training objects.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> kept_objects(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"])).ravel()
    array([0., 4.])
    """
    kept = model.kept()
    return kept.objects if kept is not None and kept.own else None


@dataclass(frozen=True)
class DistancesToKept:
    """Distances from objects to the training objects that a model keeps, and between objects of one
    sample: ``own`` is from some training objects to the nearest other one if all are kept,
    otherwise from new ones.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0], [7.0]], ["low", "up", "up"])
    >>> found = DistancesToKept.between(model, np.array([[5.0]]), n_learned=3)
    >>> found.nearest, found.partners, found.scale
    (array([1.]), array([1]), 3.0)
    """

    nearest: Floats
    partners: Indices
    kept: int
    own: Floats

    @property
    def scale(self) -> float:
        """The median distance to a nearest neighbour, of those that are not 0; 0 if there is
        none.
        """
        positive = self.own[(self.own > 0) & np.isfinite(self.own)]
        return float(np.median(positive)) if len(positive) else 0.0

    @property
    def dimension(self) -> float:
        r"""An estimate, at most 1, of the D with :math:`P(\text{neighbour within } r) \approx 1 -
        2^{-(r/s)^D}`, by quantiles.
        """
        positive = self.own[(self.own > 0) & np.isfinite(self.own)]
        if len(positive) < 20:
            return 0.5
        tenth, half = np.quantile(positive, [0.1, 0.5])
        return (
            1.0
            if tenth == half
            else float(np.clip(np.log(np.log(0.9) / np.log(0.5)) / np.log(tenth / half), 0.1, 1.0))
        )

    @property
    def largest(self) -> float:
        """The largest of these distances."""
        both = np.concatenate([self.nearest, self.own])
        return float(both[np.isfinite(both)].max(initial=0.0))

    @classmethod
    def of_some(
        cls, model: MetricClassifier, objects: Sample, n_learned: int, some: Indices
    ) -> "DistancesToKept | None":
        """Measure some of the prepared objects, as `between`."""
        return cls.between(model, sample.pick(objects, some), n_learned)

    @classmethod
    def between(
        cls, model: MetricClassifier, objects: Sample, n_learned: int
    ) -> "DistancesToKept | None":
        """Measure; None if there is nothing to measure."""
        found = nearest_kept(model, objects)
        if found is None:
            return None
        count = sample.count(objects)
        own = usual_distances(model, found.kept, n_learned, count)
        if own is None:
            own = _to_the_next(
                Index(objects, model.metric_, n_jobs=getattr(model, "n_jobs", None)), objects, count
            )
        return cls(*found, own)


class NearestKept(NamedTuple):
    """The nearest training objects that a model keeps: the first fields of `DistancesToKept`."""

    nearest: Floats
    partners: Indices
    kept: int


def nearest_kept(
    model: MetricClassifier, objects: Sample, index: Index | None = None
) -> NearestKept | None:
    """The training object nearest to each prepared object, among those that a model keeps; None if
    it keeps none.

    ``index`` is that of the kept objects, for who asks more than once; it is made if it is not
    given.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> nearest_kept(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"]), np.array([[3.0]]))
    NearestKept(nearest=array([1.]), partners=array([1]), kept=2)
    """
    if isinstance(model.metric_, Precomputed | DistanceRows) and np.ndim(objects) == 2:
        rows = np.asarray(objects)
        return NearestKept(rows.min(axis=1), rows.argmin(axis=1), rows.shape[1])
    index = index_of_kept(model) if index is None else index
    if index is None:
        return None
    found = index.nearest(objects)
    return NearestKept(found.distances[:, 0], found.indices[:, 0], len(index))


def index_of_kept(model: MetricClassifier) -> Index | None:
    """An index of the training objects that a model keeps; None if it keeps none.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> len(index_of_kept(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"])))
    2
    """
    kept = kept_objects(model)
    return (
        None if kept is None else Index(kept, model.metric_, n_jobs=getattr(model, "n_jobs", None))
    )


def usual_distances(
    model: MetricClassifier, kept: int, n_learned: int, wanted: int
) -> Floats | None:
    """From some training objects to the nearest other one; None if the model does not keep them
    all: then new ones are asked.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> usual_distances(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"]), 2, 2, 1)
    array([4., 4.])
    """
    metric = model.metric_
    if isinstance(metric, Precomputed):
        chosen = chosen_to_ask(len(metric.matrix), wanted)
        asked = metric.matrix[chosen]
        asked[np.arange(len(chosen)), chosen] = np.inf  # a copy
        return np.asarray(asked.min(axis=1))
    if isinstance(metric, DistanceRows):
        return np.empty(0)
    if kept < n_learned:
        return None
    objects = kept_objects(model)
    return _to_the_next(
        Index(objects, metric, n_jobs=getattr(model, "n_jobs", None)), objects, wanted
    )


def _to_the_next(index: Index, objects: Sample, wanted: int) -> Floats:
    """The distance of some of the objects of an index to the nearest other one."""
    count = sample.count(objects)
    if count < 2:
        return np.empty(0)
    distances: Floats = index.nearest(
        sample.pick(objects, chosen_to_ask(count, wanted)), k=2
    ).distances[:, 1]
    return distances


def chosen_to_ask(count: int, wanted: int) -> Indices:
    """Which of so many objects are asked for their nearest neighbour.

    Examples
    --------
    >>> chosen_to_ask(3, 2)
    array([0, 1, 2])
    """
    size = min(count, MOST_ASKED, max(wanted, FEWEST_ASKED))
    return np.sort(np.random.default_rng(0).choice(count, size, replace=False))


#: Below this probability an excess of equal objects is not chance.
RARE = 1e-3
#: Distances below this share of s, over the size of the samples, do not happen by chance; those
#: below that share seldom do.
SURE, NEAR = 1e-3, 1e-2

#: The way to declare that repeats are no leak.
DECLARE = (
    "Or declare that all objects, the training objects too, were drawn independently, so that they "
    "may repeat: independent=True, or --independent."
)
_WAY_OUT = "Leave them out, or pass all training objects as they were passed to fit."


@dataclass(frozen=True)
class Given:
    """Objects that may be new to a model: by which digests they would be recognised, ``shown(i)``
    for messages, and ``to_kept(positions)``, how near some of them are to the training objects that
    the model keeps, None where it keeps none.
    """

    shown: Callable[[int], str]
    to_kept: Callable[[Indices], DistancesToKept | None]
    digests: ObjectDigests

    def __len__(self) -> int:
        return len(self.digests)


@dataclass(frozen=True)
class Newness:
    """What was found out about objects that may be new: the positions of training objects among
    them, the reasons why they prove nothing about new ones, and what has to be assumed of them.
    """

    seen: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """How many are training objects."""
        return len(self.seen)

    def __or__(self, other: "Newness") -> "Newness":
        """Both findings."""
        return Newness(
            np.union1d(self.seen, other.seen),
            self.reasons + other.reasons,
            self.notes + other.notes,
        )


def examine_newness(
    model: MetricClassifier, learned: Learned, given: Given, *, independent: bool = False
) -> Newness:
    """Find out whether objects are new to a model, by digests and by distances; ``independent``
    declares that all of them, those of training too, were drawn independently.
    """
    known = learned.knows_in_disguise(given.digests)
    found = taught_the_metric(model, learned, given) | _repeats(learned, given, known, independent)
    if not found.reasons:
        ways = [
            _by_distances(learned, given, known, independent),
            _nearly_equal(learned, given, known),
        ]
        ways += [_rounded(learned, given, known), _cut(learned, given, known)]
        found |= max(ways, key=lambda way: way.known)
    return found | _copies(learned, given)


def taught_the_metric(model: MetricClassifier, learned: Learned, given: Given) -> Newness:
    """Objects from which the metric took its parameters before the model was fitted had a part in
    the model.
    """
    taught = learned.metric_objects
    if taught is None:
        return Newness()
    name = f"{model.metric_.name!r}"
    if not len(taught):
        return Newness(reasons=(unknown_teachers(model.metric_.name),))
    among = np.isin(given.digests.exact, taught) & ~learned.knows(given.digests.exact)
    if not among.any():
        return Newness()
    first = int(among.argmax())
    return Newness(
        np.flatnonzero(among),
        (
            f"{name} took its parameters from {among.sum():,} of these {len(given):,} objects too, "
            f"such as object {first}, {given.shown(first)}, so that they had a part in the model. "
            "Let it take them from the training objects alone.",
        ),
    )


def unknown_teachers(name: str) -> str:
    """Why objects may have had a part in a model whose metric took its parameters from objects that
    are not known.

    Examples
    --------
    >>> unknown_teachers("gower")
    "'gower' took its parameters from objects that are not known, perhaps from these. Pass the parameters."
    """
    return (
        f"{name!r} took its parameters from objects that are not known, perhaps from these. Pass "
        "the parameters."
    )


def _repeats(learned: Learned, given: Given, known: Flags, independent: bool) -> Newness:
    """Objects that also occur in the training data, as they are or with the same plain texts."""
    count, m, n = int(known.sum()), len(given), len(learned)
    if not count:
        return Newness()
    usual = min(n, learned.repeats() + (0 if learned.texts is None else repeated(learned.texts)))
    of_new = _expected(
        repeated(given.digests.exact if given.digests.texts is None else given.digests.texts), m, n
    )
    if (
        independent
        and min(excess_chance(count, m, usual, n), excess_chance(count, m, *of_new)) >= RARE
    ):
        return Newness(notes=repeats_allowed(count, m))
    disguised = known & ~learned.knows(given.digests.exact)
    first = int((disguised if disguised.any() else known).argmax())
    what = "are among those that the model learned from"
    if disguised.any():
        what = (
            "are training objects in another form, up to case, Unicode forms, and spaces, quotes "
            "and full stops at the ends"
        )
    if known.all() and not disguised.any():
        reason = f"All {m:,} objects are among the {n:,} that the model learned from."
        advice = (
            "Pass new objects; or all of those that it learned from, for what they prove "
            "themselves."
        )
    else:
        reason = f"{count:,} of {m:,} objects {what}, such as object {first}, {given.shown(first)}."
        advice = (
            "Leave them out: what the others prove is about objects that the model has not seen."
        )
    if independent:
        mine = repeated(given.digests.exact)
        advice = (
            f"Independent draws do not explain so many: {usual:,} of {n:,} training objects and "
            f"{mine:,} of these repeat others. {advice}"
        )
    elif not known.all():
        advice += f" {DECLARE}"
    return Newness(np.flatnonzero(known), (f"{reason} {advice}",))


def _nearly_equal(learned: Learned, given: Given, known: Flags) -> Newness:
    """Objects that nearly equal training objects, by digests that both share."""
    if given.digests.alike is None or learned.alike is None:
        return Newness()
    near, different = np.isin(given.digests.alike, learned.alike), _different(given, known)
    usual = [_repeats_in(learned.alike), _repeats_in(given.digests.alike[different])]
    return _in_another_form(given, near & different, usual, RARE, "up to rounding")


def _rounded(learned: Learned, given: Given, known: Flags) -> Newness:
    """Objects that equal training objects after rounding, in the way for which chance explains it
    least.

    Only objects that may have been rounded in a way are compared: numbers with all their digits
    were not.
    """
    mine, asked = given.digests.rounded, given.digests.maybe_rounded
    if mine is None or asked is None or learned.rounded is None:
        return Newness()
    asked, level = asked & _different(given, known)[:, None], RARE / len(ROUNDINGS)
    found = [
        _in_another_form(
            given,
            np.isin(own, theirs) & some,
            [_repeats_in(theirs), _repeats_in(own[some])],
            level,
            f"rounded ({name})",
        )
        for name, own, some, theirs in zip(ROUNDINGS, mine.T, asked.T, learned.rounded, strict=True)
    ]
    return max(found, key=lambda way: way.known)


def _cut(learned: Learned, given: Given, known: Flags) -> Newness:
    """Series that equal training series but for their last value, or have one more or less."""
    cut, mine, whole = learned.cut, given.digests.cut, given.digests.rounded
    if cut is None or mine is None or learned.rounded is None or whole is None:
        return Newness()
    long = learned.rounded[0]  # all values, in the precision of those that are cut
    near = np.isin(mine, cut) | np.isin(mine, long) | np.isin(whole[:, 0], cut)
    different = _different(given, known)
    usual = [_repeats_of_cut(cut, long), _repeats_of_cut(mine[different], whole[different, 0])]
    return _in_another_form(given, near & different, usual, RARE, "but for the last value")


def _expected(hits: int, m: int, n: int) -> tuple[int, int]:
    """How many of m new objects would agree with one of n training objects, at most, if so many
    agree with a new one.

    By exchangeability, with n / (m - 1) times as many objects to agree with; one more than were
    seen, for what was not.
    """
    return min(m, math.ceil((hits + 1) * max(1.0, n / max(m - 1, 1)))), m


def _different(given: Given, known: Flags) -> Flags:
    """The first of all equal objects, of those that are not training objects as they are."""
    first = np.zeros(len(given), dtype=bool)
    first[np.unique(given.digests.exact, return_index=True)[1]] = True
    return first & ~known


def _repeats_in(digests: Digests | ShortDigests) -> tuple[int, int]:
    """How many of so many objects agree with another of them."""
    return repeated(digests), len(digests)


def _repeats_of_cut(cut: ShortDigests, whole: ShortDigests) -> tuple[int, int]:
    """How many of so many series agree with another one but for the last value, counted twice at
    most.
    """
    return min(len(cut), repeated(cut) + int(np.isin(whole, cut).sum())), len(cut)


def _in_another_form(
    given: Given, near: Flags, usual: list[tuple[int, int]], level: float, form: str
) -> Newness:
    """Objects that have the digests of training objects, if there are more than each sample, (hits,
    size), has in itself.

    New objects agree with each other as often as they agree with training objects, even if these
    were chosen to be different from each other.
    """
    count, (repeats, size) = int(near.sum()), usual[0]
    fresh = usual[1][1]
    if not count or any(excess_chance(count, fresh, *each) >= level for each in usual):
        return Newness()
    first = int(near.argmax())
    return Newness(
        np.flatnonzero(near),
        (
            f"{count:,} of {len(given):,} objects are training objects in another form, {form}, "
            f"such as object {first}, {given.shown(first)}; of {size:,} different training objects "
            f"{repeats:,} agree with another in that way. {_WAY_OUT}",
        ),
    )


def _by_distances(learned: Learned, given: Given, known: Flags, independent: bool) -> Newness:
    """Objects at distance 0 from training objects, or next to it, among those that the model
    keeps.
    """
    fresh, n = np.flatnonzero(~known), len(learned)
    measured = given.to_kept(fresh) if len(fresh) else None
    if measured is None:
        return Newness(notes=() if known.all() else (_partly_compared(0, n),))
    note = () if measured.kept >= n else (_partly_compared(measured.kept, n),)
    rounding = SUM_ERROR * measured.largest
    sure = max((SURE / max(len(given), n)) ** (1 / measured.dimension) * measured.scale, rounding)
    repeats = [
        (learned.repeats(), n),
        (0, n) if learned.alike is None else (repeated(learned.alike), len(learned.alike)),
    ]
    for limit in sorted({sure, NEAR * measured.scale}, reverse=True):
        near = measured.nearest <= limit
        count, own = int(near.sum()), (int((measured.own <= limit).sum()), len(measured.own))
        if limit == sure:
            leaked = _too_many(count, len(given), independent, own, *repeats)
        else:
            usual = own if measured.kept >= n else _expected(own[0], own[1], n)
            leaked = excess_chance(count, len(given), *usual) < RARE
        if leaked:
            return Newness(fresh[near], (_leak_reason(given, fresh, near, measured, own),))
        if limit == sure:
            note = (
                *repeats_allowed(count, len(given), "are at distance 0 from training objects"),
                *note,
            )
    return Newness(notes=note)


def _copies(learned: Learned, given: Given) -> Newness:
    """Objects that repeat each other, exactly or nearly, more often than training objects do."""
    mine = given.digests
    for digests, theirs, of_all in _to_compare(learned, given):
        if _repeat_more(digests, theirs):
            return Newness(reasons=(_copied_reason(given, of_all),))
    repeats = len(given) - len(np.unique(mine.exact))
    return Newness(notes=repeats_allowed(repeats, len(given), "equal others of them"))


def _to_compare(learned: Learned, given: Given) -> Iterator[tuple[Digests, Digests, Digests]]:
    """Digests of new objects, of the training objects, and of all new ones: as they are, and of
    different ones in other forms.
    """
    mine = given.digests
    yield mine.exact, learned.objects, mine.exact
    different = np.unique(mine.exact, return_index=True)[1]
    for of_all, theirs in ((mine.alike, learned.alike), (mine.texts, learned.texts)):
        if of_all is not None and theirs is not None:
            yield of_all[different], theirs, of_all


def _repeat_more(mine: Digests, theirs: Digests) -> bool:
    """Whether objects repeat each other more often than others do, in as many objects of both."""
    size, random = min(len(mine), len(theirs)), np.random.default_rng(0)
    surplus, usual = (
        size - len(np.unique(random.choice(each, size, replace=False))) for each in (mine, theirs)
    )
    return excess_chance(surplus, size, usual, size) < RARE


def _copied_reason(given: Given, digests: Digests) -> str:
    """Why copies prove less than they seem to, with the object that is there most often."""
    _, firsts, counts = np.unique(digests, return_index=True, return_counts=True)
    first, count = int(firsts[counts.argmax()]), int(counts.max())
    these = (
        "This is 1 object" if len(firsts) == 1 else f"These are {len(firsts):,} different objects"
    )
    return (
        f"{these}, not {len(given):,}: object {first}, "
        f"{given.shown(first)}, is there {count:,} times, and training objects repeat less often. "
        "Copies are not independent draws: pass each object once."
    )


def _too_many(count: int, n: int, independent: bool, *usual: tuple[int, int]) -> bool:
    """Whether there are more hits than each of the other samples, (hits, size), explains.

    One is, if none has any, unless all objects were drawn independently: then one may be the first
    of its kind.
    """
    return count > 0 and all(
        (not hits and not independent) or excess_chance(count, n, hits, size) < RARE
        for hits, size in usual
    )


def _partly_compared(kept: int, n: int) -> str:
    """The assumption about training objects that the model does not keep."""
    compared = (
        f"They were compared by distance with the {kept:,} of {n:,} training objects that the "
        "model keeps; the others are noticed"
        if kept
        else f"The model keeps none of its {n:,} training objects; copies of them are noticed"
    )
    return (
        f"None of them is a training object in another form. {compared} only if they are equal, "
        "rounded, or differ in case, spaces and the like."
    )


def _leak_reason(
    given: Given, fresh: Indices, near: Flags, measured: DistancesToKept, own: tuple[int, int]
) -> str:
    """Why objects next to training objects prove nothing, with the pairs that are nearest."""
    some = np.flatnonzero(near)[np.argsort(measured.nearest[near], kind="stable")][:3]
    pairs = "; ".join(
        f"object {fresh[i]}, {given.shown(int(fresh[i]))}, is {measured.nearest[i]:.3g} from kept "
        f"object {measured.partners[i]}"
        for i in some.tolist()
    )
    return (
        f"{near.sum():,} of {len(given):,} objects are training objects in another form, or copies "
        f"with a little noise: {pairs}; the usual distance to a nearest neighbour is "
        f"{measured.scale:.3g}, and {own[0]:,} of {own[1]:,} are that near. {_WAY_OUT}"
    )
