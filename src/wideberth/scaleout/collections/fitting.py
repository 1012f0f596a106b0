"""Fit a classifier on a collection: as on one machine, whatever of it has to be here."""

from typing import Any

import dask
from sklearn.base import clone

from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.progress import task
from wideberth.scaleout.collections.checking import check_piece
from wideberth.scaleout.collections.gathering import gather
from wideberth.scaleout.collections.linear_fits import fit_linear
from wideberth.scaleout.collections.partitions import Columns, Partitions
from wideberth.scaleout.collections.shipping import computed, on_current_cluster, shipped


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
