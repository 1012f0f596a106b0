"""Check the parameters and queries of the online classifier, and build its features, engine and
empty stream from them.
"""

from math import hypot, isfinite
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from wideberth.array_types import Floats
from wideberth.classifiers.online.joint_partition import JointPartition
from wideberth.classifiers.online.lifts_by_similarity import Features, features_of
from wideberth.classifiers.online.partition import PairwisePartition
from wideberth.classifiers.online.stream import Stream
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import Fits, check_parameters
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.wording import setting

#: How knowledge of all labels is kept, by engine.
ENGINES: dict[str, type[PairwisePartition] | type[JointPartition]] = {
    "sampling": PairwisePartition,
    "ellipsoid": PairwisePartition,
    "exact": PairwisePartition,
    "joint": JointPartition,
}
#: With more features than this, sampling takes longer than most streams leave it: some 2 ms a pair
#: up to here, 20 for 30.
MOST_SAMPLED_FEATURES = 24


def check_online_parameters(model: Any) -> None:
    """Check the values of all parameters of an online classifier, one by one and in combination.

    Parameters
    ----------
    model : OnlinePartitionClassifier
        Or any object with attributes of the same names.

    Raises
    ------
    InvalidInput
        For the first value that is not allowed.

    Examples
    --------
    >>> from wideberth import OnlinePartitionClassifier
    >>> check_online_parameters(OnlinePartitionClassifier(p=3))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: p=3 does not fit: similarity='euclidean' has no power. ...
    """
    check_parameters(model, _FITS)
    if model.similarity != "lp":
        _raise_if(
            model.p != 2,
            model,
            "p",
            f"{setting('similarity', model.similarity)} has no power",
            'Use similarity="lp" for it.',
        )
        for name in ("separation", "resolution", "degree"):
            given = getattr(model, name) is not None
            _raise_if(
                given,
                model,
                name,
                f"features for {setting('similarity', model.similarity)} are exact without it",
                "Leave it out.",
            )
    for one, other in (("separation", "resolution"), ("resolution", "separation")):
        alone = getattr(model, one) is not None and getattr(model, other) is None
        _raise_if(
            alone,
            model,
            one,
            f"it is used together with a {other}",
            f"Give a {other} too, or a degree alone.",
        )
    found = _is_auto(model.degree)
    _raise_if(
        found and model.resolution is None,
        model,
        "degree",
        "nothing says how accurate it must be",
        "Give a resolution.",
    )
    unmeasured = found and model.engine not in ("auto", "sampling")
    _raise_if(
        unmeasured,
        model,
        "engine",
        "it does not measure what a degree found by queries needs",
        "Leave one of them out.",
    )
    both = model.degree is not None and model.resolution is not None and not found
    _raise_if(
        both,
        model,
        "degree",
        "degrees follow from the resolution",
        "Leave it out, or separation and resolution.",
    )
    unknown = _is_auto(model.radius) and model.resolution is not None
    _raise_if(
        unknown,
        model,
        "radius",
        "the resolution decides about features of a ball of known radius",
        "Give a number.",
    )
    if model.engine == "joint":
        _raise_if(
            model.update == "paper",
            model,
            "update",
            "the joint engine always learns from every label",
            "Leave it out.",
        )
        _raise_if(
            model.resolution is not None,
            model,
            "resolution",
            "the joint engine has no rungs",
            "Give a degree instead.",
        )
    unfit = model.noise > 0 and model.engine in ("ellipsoid", "exact", "joint")
    _raise_if(
        unfit,
        model,
        "engine",
        f"it cannot handle {setting('noise', shown=model.noise)}",
        'Leave it at "auto", or take noise=0.',
    )


def engine_for(model: Any, features: Features) -> str:
    """The name of the engine that a model uses on the given features.

    Parameters
    ----------
    model : OnlinePartitionClassifier
        Its ``noise`` and ``engine`` are used.
    features : Features
        The features of its queries.

    Returns
    -------
    str
        "soft" if labels may be wrong; otherwise the engine that the model names, or, for "auto",
        the one that suits the number of features.

    Examples
    --------
    >>> from wideberth import OnlinePartitionClassifier
    >>> model = OnlinePartitionClassifier()
    >>> [engine_for(model, features_for(model, n_features, 1.0)) for n_features in (2, 200)]
    ['sampling', 'ellipsoid']
    """
    if model.noise > 0:
        return "soft"
    if model.engine != "auto":
        return str(model.engine)
    if features.degrees:
        return "sampling"
    return "sampling" if features.largest_dimension <= MOST_SAMPLED_FEATURES else "ellipsoid"


def features_for(model: Any, n_features: int, radius: float) -> Features:
    """The features for queries of ``n_features`` coordinates in a ball of this radius, by the
    similarity and its parameters.

    Examples
    --------
    >>> from wideberth import OnlinePartitionClassifier
    >>> features_for(OnlinePartitionClassifier("euclidean"), 2, 1.0).largest_dimension
    3
    """
    names = ("p", "separation", "resolution", "degree")
    alpha = 1.0 if model.alpha is None else model.alpha
    options = {name: getattr(model, name) for name in names}
    by_pairs = model.engine != "joint"
    return features_of(
        model.similarity, n_features, alpha=alpha, radius=radius, by_pairs=by_pairs, **options
    )


def new_stream(model: Any, n_features: int, radius: float) -> Stream:
    """Check the parameters of a model and build its stream, without labels.

    Parameters
    ----------
    model : OnlinePartitionClassifier
        Its parameters are used; it is not changed.
    n_features : int
        How many coordinates its queries have.
    radius : float
        The radius of the ball in which they are.

    Returns
    -------
    Stream
        The seed of the stream is drawn from the ``random_state`` of the model.

    Examples
    --------
    >>> from wideberth import OnlinePartitionClassifier
    >>> new_stream(OnlinePartitionClassifier(random_state=0), 2, 1.0).partition.engine
    'sampling'
    """
    check_online_parameters(model)
    features = features_for(model, n_features, radius)
    seed = int(check_random_state(model.random_state).randint(2**31))
    engine = engine_for(model, features)
    partition_class = ENGINES.get(engine, PairwisePartition)  # soft cuts are kept by pairs
    partition = partition_class(
        features, engine=engine, update=model.update, noise=model.noise, seed=seed
    )
    return Stream(partition, update=model.update, inconsistent=model.inconsistent, seed=seed)


def check_query(query: Any, n_features: int | None) -> Floats:
    """Convert one query to a vector, or raise an error.

    Parameters
    ----------
    query : array-like
        What the user passed.
    n_features : int or None
        How many coordinates earlier queries had; None if this is the first one.

    Returns
    -------
    ndarray of shape (n_features,)
        The query, all of whose coordinates are finite.

    Raises
    ------
    InvalidInput
        If it is not one vector of finite numbers of a finite length, or has another number of
        coordinates than earlier queries.

    Examples
    --------
    >>> check_query([1, 2], None)
    array([1., 2.])
    """
    try:
        vector = np.asarray(query, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.array(np.nan)
    expected = vector.size if n_features is None else n_features
    if vector.shape != (expected,) or not expected or not np.isfinite(vector).all():
        raise InvalidInput(
            f"A query is a vector of {expected or 'some'} finite numbers; this one is {query!r}.",
            advice="Pass one row; partial_fit and predict take many.",
            value=query,
        )
    if not isfinite(hypot(*vector)):
        raise InvalidInput(
            f"The length of a query is beyond the largest floating-point number: {query!r}.",
            advice="Give queries in a larger unit.",
            value=query,
        )
    return vector


def direction_of(vector: Floats) -> Floats:
    """The unit vector along a vector other than 0, of any length that floating-point numbers have.

    Examples
    --------
    >>> direction_of(np.array([3e-310, -4e-310])).round(9), direction_of(np.array([0.0, 1e300]))
    (array([ 0.6, -0.8]), array([0., 1.]))
    """
    scaled = vector / np.abs(vector).max()
    return np.asarray(scaled / np.linalg.norm(scaled))


def _raise_if(condition: bool, model: Any, name: str, why: str, advice: str) -> None:
    """Raise an `InvalidInput` that shows the parameter ``name`` and its value if the condition
    holds.
    """
    if condition:
        value = getattr(model, name)
        raise InvalidInput(
            f"{setting(name, value)} does not fit: {why}.", advice=advice, value=value
        )


def one_of(*known: str) -> Fits:
    """The check of a parameter that is one of some names.

    Examples
    --------
    >>> one_of("exact", "joint").value("joint")
    True
    """
    return Fits(
        lambda value: isinstance(value, str) and value in known,
        f"Choose one of {', '.join(known)}.",
    )


def is_positive(value: Any) -> bool:
    """Whether a value is a number above 0, not infinite.

    Examples
    --------
    >>> is_positive(2), is_positive(0.0)
    (True, False)
    """
    return is_number(value) and value > 0 and isfinite(value)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _positive_or_none(value: Any) -> bool:
    return value is None or is_positive(value)


_FITS = {
    "similarity": one_of("euclidean", "inner", "lp"),
    "p": Fits(is_number, "Give a number from 2 on."),
    "alpha": Fits(_positive_or_none, "Give a positive power of the loss, or None for 1."),
    "radius": Fits(
        lambda value: _is_auto(value) or is_positive(value),
        'Give the largest length of queries, or "auto".',
    ),
    "engine": one_of("auto", *ENGINES),
    "update": one_of("informative", "paper"),
    "separation": Fits(_positive_or_none, "Give the least distance of two centres, or None."),
    "resolution": Fits(_positive_or_none, "Give the least loss that counts, or None."),
    "degree": Fits(
        lambda value: value in (None, "auto") or is_whole(value, 1),
        'Give a degree from 1 on, "auto", or None.',
    ),
    "noise": Fits(
        lambda value: is_number(value) and 0 <= value < 0.5,
        "Give the share of wrong labels, below 0.5.",
    ),
    "inconsistent": one_of("soften", "ignore", "error"),
}
