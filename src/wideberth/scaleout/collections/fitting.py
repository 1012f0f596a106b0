"""Fit a classifier on a collection: as on one machine, whatever of it has to be here; or from a part
that fits on one machine, certified on another part that it never saw.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heapreplace
from typing import Any, Literal

import dask
import numpy as np
from dask.delayed import Delayed
from sklearn.base import clone

from wideberth.array_types import Flags, Indices, Sample
from wideberth.certificate import Certificate
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.geometry.shape.nets import farthest_first
from wideberth.guarantees.certify import certificates_of, check_certify_parameters
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.progress import task
from wideberth.scaleout.cluster_runner import computed, on_current_cluster, persisted, shipped
from wideberth.scaleout.collections.asking import alone, check_piece, picked, size_of
from wideberth.scaleout.collections.gathering import (
    Wanted,
    gather,
    gathered_sample,
    joined,
    joined_labels,
)
from wideberth.scaleout.collections.linear_fits import fit_linear
from wideberth.scaleout.collections.partitions import Columns, LabelledPiece, Partitions
from wideberth.wording import setting


def fit(model: Any, X: Any, y: Any = None, *, column: Columns = None) -> Any:
    """Learn from a collection: the result is that of ``model.fit`` on all of its objects.

    - `wideberth.LinearLipschitzClassifier` keeps no objects: they stay on the workers, which count
      features and sum gradients. The client needs about 130 bytes for each object and a few vectors
      of coefficients. Sums are added in another order than on one machine, so that coefficients
      agree up to the accuracy at which the program is solved.
    - Every other classifier *is* its training objects, or searches among them: they are checked on
      the workers and then brought to the client, which needs twice the memory that they take. It
      fits them as within `on`: the same bits as ``model.fit``. The linear classifier with
      ``calibrate``, or robust to edits of n-grams, needs them too.

    Parameters
    ----------
    model : classifier
        A classifier of this library with its parameters; it is fitted, and is an ordinary
        classifier then: save it, load it, ask it here.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects, as for `predict`.
    y : Dask collection or str, optional
        Their labels: a collection with the same partitions, or the name of a column or field. By
        default the sub-directories of a directory.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.

    Returns
    -------
    classifier
        The model.

    Raises
    ------
    wideberth.errors.InvalidInput
        With the partition and the object that cannot be used, or if the objects do not fit into the
        memory here.

    Examples
    --------
    >>> import dask.bag
    >>> from wideberth import LinearLipschitzClassifier, scaleout
    >>> texts = [
    ...     "hot tea with milk",
    ...     "iced tea or milk tea",
    ...     "milk and tea",
    ...     "old rum and ale",
    ...     "ale or rum",
    ...     "rum with ale",
    ... ]
    >>> X = dask.bag.from_sequence(texts, npartitions=3)
    >>> y = dask.bag.from_sequence(["soft"] * 3 + ["hard"] * 3, npartitions=3)
    >>> scaleout.fit(LinearLipschitzClassifier("words", edits=1), X, y).predict(
    ...     ["tea or milk", "ale and rum"]
    ... )
    array(['soft', 'hard'], dtype='<U4')
    """
    if not isinstance(model, MetricClassifier):
        raise InvalidInput(
            f"A {type(model).__name__} does not learn from collections.",
            advice="Pass a classifier of wideberth, such as MarginNeighborsClassifier.",
            value=type(model).__name__,
        )
    collection = Partitions.of(X, y, column=column, labelled=True)
    with task(f"{type(model).__name__}.fit"):
        if isinstance(model, MetricClassifier) and model.learns_in_parts():
            return fit_linear(model, collection)
        check = dask.delayed(check_piece, pure=True)
        sent = shipped(clone(model))
        computed(
            [check(sent, piece, number) for number, piece in enumerate(collection.pieces())],
            "checks of partitions",
        )
        found = gather(collection)
        with on_current_cluster():
            return model.fit(found.objects, found.labels)


# ---- Learn from a part of a collection, and certify the model on another part

#: Each partition offers so many times its part of a net, of which the client takes the best.
_OFFERED = 2


@dataclass(frozen=True, eq=False)
class LearnedFromFew:
    """A model that learned from a part of a collection.

    Attributes
    ----------
    model : classifier
        The fitted model.
    certificates : list of Certificate
        What the objects that were set aside prove about it, as `wideberth.certify` returns it.
    n_learned, n_held_out, n_objects : int
        How many objects it learned from, how many were set aside, and how many there are.
    """

    model: Any
    certificates: list[Certificate]
    n_learned: int
    n_held_out: int
    n_objects: int


def learn_from_net(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    n_objects: int = 20_000,
    by: Literal["sample", "net"] = "sample",
    holdout: float = 0.2,
    delta: float = 0.05,
    radius: float | None = None,
    unit: str | None = None,
    column: Columns = None,
    random_state: int = 0,
) -> LearnedFromFew:
    """Fit a model on few objects of a collection, by default a random sample of them, and certify
    it on others.

    The name is that of ``by="net"``: a net, objects that are far from each other, stands for all
    others. It is not the default, because models of random samples erred less in all measurements:
    nets collect outliers.

    First a share of the objects is set aside at random, in each partition. From the others
    ``n_objects`` are taken, of each class as many as its share, and brought here: the model learns
    from them as always. Those set aside stay where they are, and prove how often it errs. What a
    model loses by learning from fewer depends on the data, and the certificate shows it.

    Parameters
    ----------
    model : classifier
        A classifier of this library with its parameters; it is fitted.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects, as for `predict`.
    y : Dask collection or str, optional
        Their labels, as for `fit`.
    n_objects : int
        How many to learn from, or all that are not set aside if they are fewer; at least one of
        each class. A net has fewer where so many different ones are not there.
    by : {"sample", "net"}
        Which objects of a class: drawn at random, as the bounds and votes of neighbours want it; or
        a net, objects that are far from each other, found in each partition and then among those
        found. A net covers rare objects too, but its borders are those of outliers: it pays where
        classes do not overlap.
    holdout : float
        The share that is set aside.
    delta : float
        The probability with which each certificate may fail.
    radius : float, optional
        How far new objects may move, for one more certificate.
    unit : str, optional
        What the radius is measured in.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.
    random_state : int
        The seed.

    Returns
    -------
    LearnedFromFew
        The model, and its certificates.

    Raises
    ------
    wideberth.errors.InvalidInput
        With the partition and the object that cannot be used, or if ``n_objects`` is less than the
        number of classes.

    Examples
    --------
    >>> import dask.array, numpy
    >>> from wideberth import NeighborsClassifier, scaleout
    >>> points = numpy.random.default_rng(0).uniform(size=(2000, 2))
    >>> X = dask.array.from_array(points, chunks=(500, 2))
    >>> y = dask.array.from_array(numpy.where(points[:, 0] < 0.5, "low", "high"), chunks=500)
    >>> found = scaleout.learn_from_net(NeighborsClassifier(), X, y, n_objects=300)
    >>> found.n_learned, found.n_held_out, found.certificates[0].value < 0.1
    (300, 400, True)
    """
    _check(model, n_objects, holdout, by)
    check_certify_parameters(delta, radius)
    collection = Partitions.of(X, y, column=column, labelled=True)
    with task("learning from few"):
        pieces = persisted(collection.pieces())
        cut = dask.delayed(part_of_piece, pure=True)
        rest, held = (
            [
                cut(piece, number, holdout, random_state, held=held)
                for number, piece in enumerate(pieces)
            ]
            for held in (False, True)
        )
        check, sent = dask.delayed(check_piece), shipped(clone(model))
        computed(
            [check(sent, piece, number) for number, piece in enumerate(pieces)],
            "checks of partitions",
        )
        objects, labels = _chosen(model, rest, n_objects, by, random_state)
        with on_current_cluster():
            model.fit(objects, labels)
        aside = Partitions(tuple(held), "bag", None, labels=None)
        sizes = computed(
            [dask.delayed(size_of_piece)(piece) for piece in pieces], "sizes of partitions"
        )
        labelled = gathered_sample(
            model, aside, Wanted(radii=radius is not None, unit=unit), cut=True
        )
        certificates = certificates_of(labelled, delta=delta, radius=radius, unit=unit)
    return LearnedFromFew(model, certificates, size_of(objects), len(labelled), sum(sizes))


def held_out(n: int, number: int, share: float, random_state: int) -> Flags:
    """Which of the n objects of a partition are set aside: the same in every process.

    Examples
    --------
    >>> held_out(10, 3, 0.2, 0).sum()
    np.int64(2)
    """
    chosen = np.random.default_rng([random_state, number]).permutation(n)[: round(share * n)]
    flags = np.zeros(n, dtype=bool)
    flags[chosen] = True
    return flags


def part_of_piece(
    piece: LabelledPiece, number: int, share: float, random_state: int, *, held: bool
) -> LabelledPiece:
    """The objects of a partition that are set aside, or the others."""
    n = size_of(piece.objects)
    rows = np.flatnonzero(held_out(n, number, share, random_state) == held)
    labels = sample.hold(piece.labels)
    return LabelledPiece(picked(piece.objects, rows), sample.pick(labels, rows), None, rows)


def size_of_piece(piece: LabelledPiece) -> int:
    """How many objects a partition has."""
    return size_of(piece.objects)


def sizes_of_classes(piece: LabelledPiece) -> dict[Any, int]:
    """How many objects of each label a partition has."""
    labels, counts = np.unique(np.asarray(sample.hold(piece.labels).tolist()), return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def drawn_of_piece(
    piece: LabelledPiece, number: int, wanted: dict[Any, int], random_state: int
) -> LabelledPiece:
    """So many objects of each label of a partition, drawn at random."""
    rows, random = [], np.random.default_rng([random_state, number, 1])
    labels = np.asarray(sample.hold(piece.labels).tolist())
    for label, count in wanted.items():
        rows.append(random.choice(np.flatnonzero(labels == label), count, replace=False))
    return _some(piece, np.sort(np.concatenate(rows)) if rows else np.empty(0, dtype=np.intp))


def net_of_piece(piece: LabelledPiece, metric: Any, wanted: dict[Any, int]) -> LabelledPiece:
    """So many objects of each label of a partition, or all, that are as far from each other as
    farthest-first finds them.
    """
    labels, rows = np.asarray(sample.hold(piece.labels).tolist()), []
    with alone():
        for label, count in wanted.items():
            members = np.flatnonzero(labels == label)
            if len(members):
                rows.append(members[_net(picked(piece.objects, members), metric, count)])
    return _some(piece, np.sort(np.concatenate(rows)) if rows else np.empty(0, dtype=np.intp))


def _net(objects: Sample, metric: Any, count: int) -> Indices:
    """The first objects of a farthest-first traversal."""
    n = size_of(objects)
    if n <= count:
        return np.arange(n)
    prepared, bound = bind(objects, as_metric(metric))
    return farthest_first(bound.prepare(prepared), bound, count=count).order


def _some(piece: LabelledPiece, rows: Indices) -> LabelledPiece:
    return LabelledPiece(
        picked(piece.objects, rows), sample.pick(sample.hold(piece.labels), rows), None
    )


def _chosen(
    model: MetricClassifier, rest: list[Delayed], n_objects: int, by: str, random_state: int
) -> tuple[Any, Any]:
    """The objects to learn from, and their labels, here."""
    sizes = computed([dask.delayed(sizes_of_classes)(piece) for piece in rest], "sizes of classes")
    there = [label for each in sizes for label in each]
    if not there:
        raise InvalidInput(
            "There are no objects to learn from.",
            advice="Pass more than are set aside, in larger partitions.",
            value=0,
        )
    known = code_labels(there, len(there)).classes.tolist()
    counts = {label: np.array([each.get(label, 0) for each in sizes]) for label in known}
    quotas = _quotas({label: int(each.sum()) for label, each in counts.items()}, n_objects)
    if by == "sample":
        random = np.random.default_rng(random_state)
        drawn = {
            label: random.multivariate_hypergeometric(counts[label], quota, method="marginals")
            for label, quota in quotas.items()
        }
        wanted = [
            {label: int(each[number]) for label, each in drawn.items() if each[number]}
            for number in range(len(rest))
        ]
        draw = partial(dask.delayed(drawn_of_piece), random_state=random_state)
        found = computed(
            [draw(piece, number, wanted[number]) for number, piece in enumerate(rest)], "samples"
        )
        return _joined(found)
    return _best_net(model.metric, rest, counts, quotas)


def _best_net(
    metric: Any, rest: list[Delayed], counts: dict[Any, Indices], quotas: dict[Any, int]
) -> tuple[Any, Any]:
    """A net of the nets of the partitions; where equal objects leave too few, partitions are asked
    for more.
    """
    offers = {
        label: _most_offered(counts[label], _OFFERED * quota) for label, quota in quotas.items()
    }
    while True:
        offered = computed(
            [dask.delayed(net_of_piece)(piece, metric, offers) for piece in rest],
            "nets of partitions",
        )
        best = net_of_piece(LabelledPiece(*_joined(offered), None), metric, quotas)
        found = sizes_of_classes(best)
        lacking = [
            label
            for label in quotas
            if found[label] < quotas[label] and offers[label] < counts[label].max()
        ]
        if not lacking:
            return best.objects, best.labels
        offers |= {label: 2 * offers[label] for label in lacking}


def _most_offered(counts: Indices, wanted: int) -> int:
    """How many objects a partition offers at most, so that all together offer as many as wanted, or
    all that there are.

    Examples
    --------
    >>> _most_offered(np.array([0, 3, 100]), 20)
    17
    """
    enough = min(wanted, int(counts.sum()))
    return bisect_left(
        range(int(counts.max()) + 1), enough, key=lambda most: int(np.minimum(counts, most).sum())
    )


def _joined(found: list[LabelledPiece]) -> tuple[Any, Any]:
    full = [piece for piece in found if size_of(piece.objects)]
    return joined([piece.objects for piece in full]), joined_labels(full)


def _quotas(sizes: dict[Any, int], wanted: int) -> dict[Any, int]:
    """How many objects of each class to take: its share, at least one, and together as many as
    wanted, or all.

    Shares are rounded down, and the largest remainders up. What small classes get beyond their
    shares is taken from those classes that have most beyond theirs.

    Examples
    --------
    >>> _quotas({"tea": 90, "rum": 10}, 20), _quotas({"tea": 97, "rum": 2, "ale": 1}, 10)
    ({'tea': 18, 'rum': 2}, {'tea': 8, 'rum': 1, 'ale': 1})
    """
    if wanted < len(sizes):
        raise InvalidInput(
            f"{setting('n_objects', shown=wanted)} is fewer than the {len(sizes)} classes.",
            advice=f"Pass at least {len(sizes)}, so that the model knows each of them.",
            value=wanted,
        )
    total = sum(sizes.values())
    wanted = min(wanted, total)
    quotas = {label: max(1, wanted * size // total) for label, size in sizes.items()}
    beyond = [
        (quotas[label] * total - wanted * size, place, label)
        for place, (label, size) in enumerate(sizes.items())
    ]
    for _, _, label in sorted(beyond)[: max(0, wanted - sum(quotas.values()))]:
        quotas[label] += 1
    most = [(-excess, place, label) for excess, place, label in beyond if quotas[label] > 1]
    heapify(most)
    for _ in range(sum(quotas.values()) - wanted):
        excess, place, label = most[0]
        quotas[label] -= 1
        heapreplace(most, (excess + total, place, label)) if quotas[label] > 1 else heappop(most)
    return quotas


def _check(model: Any, n_objects: int, holdout: float, by: str) -> None:
    if not isinstance(model, MetricClassifier):
        raise InvalidInput(
            f"A {type(model).__name__} cannot be certified.",
            advice="Pass a classifier of wideberth.",
            value=type(model).__name__,
        )
    if not is_whole(n_objects, 1):
        raise InvalidInput(
            f"{setting('n_objects', n_objects)} is not a number of objects.",
            advice="Pass 20_000.",
            value=n_objects,
        )
    if not is_number(holdout) or not 0 < holdout < 1:
        raise InvalidInput(
            f"{setting('holdout', holdout)} is not a share of the objects.",
            advice="Pass 0.2, for example.",
            value=holdout,
        )
    if by not in ("sample", "net"):
        raise InvalidInput(
            f"{setting('by', by)} is no way to choose objects.",
            advice="Pass 'sample' or 'net'.",
            value=by,
        )
