"""Certificates and evaluations of labelled collections, equal to those of the same objects on one
machine.
"""

from typing import Any

from wideberth import guarantees
from wideberth.certificate import Certificate
from wideberth.guarantees.certify import (
    certificates_of,
    check_certify_parameters,
    classifier_to_certify,
)
from wideberth.insight.evaluation import evaluation_facts
from wideberth.progress import task
from wideberth.scaleout.collections.gathering import GatheredSample, Wanted, gather, gathered_sample
from wideberth.scaleout.collections.partitions import Columns, Partitions


def certify(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    delta: float = 0.05,
    radius: float | None = None,
    unit: str | None = None,
    column: Columns = None,
    independent: bool = False,
) -> list[Certificate]:
    """What a labelled collection proves about a fitted model: `wideberth.certify` of all its
    objects.

    The partitions are read once, on the workers. They send their labels, answers, digests,
    distances to the nearest training objects and radii, about 120 bytes for each object; the
    formulas are those of one machine. A million new objects bound an error within a tenth of a
    point: there is nothing to gain from a billion.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library, or a fitted search of scikit-learn for one.
    X : Dask bag, array or data frame, list of Delayed, or path
        New objects, as for `predict`; or all objects that the model learned from, which are brought
        here then.
    y : Dask collection or str, optional
        Their labels: a collection with the same partitions, or the name of a column or field. By
        default the sub-directories of a directory.
    delta : float
        The probability with which each statement may fail, between 0 and 1.
    radius : float, optional
        How far new objects may move; it has to be chosen without a look at X.
    unit : str, optional
        What the radius is measured in.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently:
        then some may occur in both samples, and the certificates assume it. Otherwise an object
        that also occurs in the training data is a leak.

    Returns
    -------
    list of Certificate
        As `wideberth.certify` returns them.

    Examples
    --------
    >>> import dask.array, numpy
    >>> from wideberth import NeighborsClassifier, scaleout
    >>> points, sides = numpy.linspace(0, 1, 200)[:, None], numpy.repeat(["low", "high"], 100)
    >>> model = NeighborsClassifier(n_neighbors=1).fit(points[::2], sides[::2])
    >>> X, y = (
    ...     dask.array.from_array(points[1::2], chunks=(40, 1)),
    ...     dask.array.from_array(sides[1::2], chunks=40),
    ... )
    >>> round(scaleout.certify(model, X, y)[0].value, 5)
    0.02951
    """
    check_certify_parameters(delta, radius)
    chosen, reasons = classifier_to_certify(model)
    collection = Partitions.of(X, y, column=column, labelled=True)
    with task("certificates"):
        labelled = gathered_sample(
            chosen, collection, Wanted(radii=radius is not None, unit=unit), independent=independent
        )
        return _certificates(model, collection, labelled, reasons, delta, radius, unit)


def evaluate(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    delta: float = 0.05,
    radii: list[float] | None = None,
    unit: str | None = None,
    column: Columns = None,
    independent: bool = False,
) -> dict[str, Any]:
    """How often a model errs on a labelled collection, where, and what is certified and proved.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        Objects, as for `predict`.
    y : Dask collection or str, optional
        Their labels, as for `certify`.
    delta : float
        The interval and the certificate may each be wrong with this probability.
    radii : list of float, optional
        The radii for the certified accuracy; by default 0, 1, 2, 3 edits, or those of some of the
        objects.
    unit : str, optional
        What radii are measured in, as in ``certified_radius``; edits by default where they are
        proved.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently:
        then some may occur in both samples, and the certificates assume it. Otherwise an object
        that also occurs in the training data is a leak.

    Returns
    -------
    dict
        The facts that ``wideberth evaluate --json`` prints: ``errors`` of ``objects``, the
        ``interval`` of the error of new ones, ``classes``, ``confusion``, ``certified`` accuracies
        and the best ``certificate``.

    Examples
    --------
    >>> import dask.bag
    >>> from wideberth import NeighborsClassifier, scaleout
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> drinks = [
    ...     {"drink": "tee", "kind": "soft"},
    ...     {"drink": "rom", "kind": "hard"},
    ...     {"drink": "tem", "kind": "hard"},
    ... ]
    >>> facts = scaleout.evaluate(
    ...     model, dask.bag.from_sequence(drinks, npartitions=2), "kind", column="drink"
    ... )
    >>> facts["objects"], facts["errors"], facts["certified"]["shares"][0]["share"] == 2 / 3
    (3, 1, True)
    """
    check_certify_parameters(delta, None)
    chosen, reasons = classifier_to_certify(model)
    collection = Partitions.of(X, y, column=column, labelled=True)
    with task("evaluation"):
        wanted = Wanted(radii=True, unit=unit, usual=unit is None)
        labelled = gathered_sample(chosen, collection, wanted, independent=independent)
        best = _certificates(model, collection, labelled, reasons, delta, None, None)[0]
        assert labelled.told is not None
        return evaluation_facts(
            labelled, labelled.told, labelled, best, delta=delta, radii=radii, unit=unit
        )


def _certificates(
    model: Any,
    collection: Partitions,
    labelled: GatheredSample,
    reasons: tuple[str, ...],
    delta: float,
    radius: float | None,
    unit: str | None,
) -> list[Certificate]:
    """The certificates of a collection; those of the training sample need all of its objects here,
    where the model is.
    """
    if labelled.kind != "training":
        return certificates_of(labelled, reasons, delta=delta, radius=radius, unit=unit)
    found = gather(collection)
    return guarantees.certify(
        model, found.objects, found.labels, delta=delta, radius=radius, unit=unit, verbose=-1
    )
