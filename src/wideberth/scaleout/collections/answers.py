"""Labels and certified radii of collections, partition by partition and only when they are asked
for.
"""

from functools import partial
from typing import Any

import dask
import numpy as np
from dask.bag import Bag
from sklearn.utils.validation import check_is_fitted

from wideberth.errors import InvalidInput
from wideberth.estimators.radius_rules import radius_unit
from wideberth.scaleout.collections.asking import asked, size_of
from wideberth.scaleout.collections.partitions import Columns, Form, LabelledPiece, Partitions
from wideberth.scaleout.collections.shipping import current_client, shipped
from wideberth.scaleout.losses import naming_losses


def predict(model: Any, X: Any, *, column: Columns = None) -> Any:
    """The label of each object of a collection: ``model.predict`` of its partitions, lazily.

    The labels are those that ``model.predict`` gives for all objects at once. The model is shipped
    once to each worker, by its contents. Each partition is one task on one core; a task costs about
    10 ms, so that partitions of a second or more are best: ``X.repartition(...)`` if yours are
    smaller.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects. A path is that of a Parquet file, of a directory of them, or of a directory of
        texts or of files that `wideberth.read` knows; every worker must see it.
    column : str or sequence of str, optional
        Which columns of a table, or which field of a bag of dicts, hold the objects. All by
        default.

    Returns
    -------
    Dask bag, array or series
        With the same partitions; a series, with the same index, for data frames and Parquet files.
        Nothing is computed yet; where there is a client, compute it before the client is closed,
        because the model is on its workers.

    Raises
    ------
    wideberth.errors.InvalidInput
        When it is computed, if the model cannot answer about an object: with the partition and the
        object.
    wideberth.errors.LostWork
        By its ``compute``, if the client was closed, the scheduler is lost, or workers die again
        and again.
    wideberth.errors.MissingOnWorkers
        By its ``compute``, if workers cannot import the module of a distance or of objects.

    Examples
    --------
    >>> import dask.bag
    >>> from wideberth import NeighborsClassifier, scaleout
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> drinks = dask.bag.from_sequence(["tee", "rom", "ten"], npartitions=2)
    >>> scaleout.predict(model, drinks).compute(scheduler="threads")
    ['soft', 'hard', 'soft']
    """
    check_answers(model, "predict")
    return _answers(model, X, column, "label", model.classes_.dtype, "predict")


def certified_radius(model: Any, X: Any, *, unit: str | None = None, column: Columns = None) -> Any:
    """How far each object of a collection may move before its label can change:
    ``model.certified_radius``, lazily.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects, as for `predict`.
    unit : str, optional
        "edit", or the name of a metric that bounds the model's; by default the metric itself.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.

    Returns
    -------
    Dask bag, array or series
        Radii, with the same partitions.

    Raises
    ------
    wideberth.errors.NotCertified
        At once, if nothing is proved in the unit; when it is computed, if the model proves no
        radii.

    Examples
    --------
    >>> import dask.array, numpy
    >>> from wideberth import NeighborsClassifier, scaleout
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "up"])
    >>> points = dask.array.from_array(numpy.array([[0.0], [1.0], [5.0]]), chunks=(2, 1))
    >>> scaleout.certified_radius(model, points).compute().round(6)
    array([2., 1., 3.])
    """
    check_answers(model, "certified_radius")
    radius_unit(model.metric_, unit)
    return _answers(
        model, X, column, "certified_radius", np.dtype(np.float64), "certified_radius", unit=unit
    )


def check_answers(model: Any, method: str) -> None:
    """Raise an error for a model that is not fitted, or has no such method.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> check_answers(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"]), "predict")
    """
    if not hasattr(model, method):
        raise InvalidInput(
            f"A {type(model).__name__} has no {method}.",
            advice="Pass a fitted classifier of wideberth.",
            value=type(model),
        )
    check_is_fitted(model)


def answer_piece(
    model: Any,
    piece: LabelledPiece,
    number: int,
    form: Form,
    name: str,
    method: str,
    settings: dict[str, Any],
) -> Any:
    """The answers about a partition in its own form: an array, of objects for a bag, or a series
    with the index of the table.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "up"])
    >>> answer_piece(
    ...     model, LabelledPiece(np.array([[1.0]]), None, None), 0, "bag", "label", "predict", {}
    ... )
    array(['low'], dtype=object)
    """
    if size_of(piece.objects):
        answers = asked(partial(getattr(model, method), **settings), piece.objects, number)
    else:
        answers = np.empty(0, dtype=model.classes_.dtype if method == "predict" else np.float64)
    if form == "frame":
        series = (
            piece.rows._constructor_sliced if hasattr(piece.rows, "columns") else type(piece.rows)
        )
        return series(answers, index=piece.rows.index, name=name)
    return (
        answers if form == "array" else answers.astype(object)
    )  # of a list, Dask would send each object by itself


def _answers(
    model: Any,
    X: Any,
    column: Columns,
    name: str,
    dtype: np.dtype[Any],
    method: str,
    **settings: Any,
) -> Any:
    """A method of a model for each partition, as a collection of the same form."""
    collection = Partitions.of(X, column=column)
    sent, answer, told = (
        shipped(model),
        dask.delayed(answer_piece, pure=True),
        (collection.form, name, method, settings),
    )
    answers = [
        answer(sent, piece, number, *told) for number, piece in enumerate(collection.pieces())
    ]
    return _with_named_losses(collection.rebuilt(answers, dtype, name))


def _with_named_losses(collection: Any) -> Any:
    """The same collection; its ``compute`` and ``persist`` name what a cluster loses. What is
    derived from it is Dask's own.
    """
    kind = type(collection)
    collection.__class__ = (
        BagOfAnswers if kind is Bag else _naming(kind)
    )  # arrays and series are pickled as those of Dask
    return collection


def _naming(kind: type, name: str | None = None) -> type:
    """A class of collections of answers."""

    def compute(self: Any, **settings: Any) -> Any:
        with naming_losses("answers", on_cluster=current_client() is not None):
            return kind.compute(self, **settings)  # type: ignore[attr-defined]

    def persist(self: Any, **settings: Any) -> Any:
        with naming_losses("answers", on_cluster=current_client() is not None):
            return kind.persist(self, **settings)  # type: ignore[attr-defined]

    own = {
        "__slots__": (),
        "__module__": __name__,
        "__doc__": kind.__doc__,
        "compute": compute,
        "persist": persist,
    }
    return type(name or kind.__name__, (kind,), own)


#: Its pickles name it.
BagOfAnswers = _naming(Bag, "BagOfAnswers")
