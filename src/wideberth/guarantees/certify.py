"""How far to trust a fitted model: what labelled objects prove about its errors, and what they do
not prove, with the reasons.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.certificate import VALUE, Certificate, Certificates, check_delta
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier, metric_classifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.guarantees import newness, training_sample
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.wording import setting

# ---- What labelled objects are to a model: its training sample, new to it, or neither

NOT_REMEMBERED = (
    "It cannot be known whether the model learned from these objects: it does not remember its "
    "own, because objects of this kind cannot be recognised. Fit it again, on texts, numbers, or "
    "lists, sets and dicts of them."
)
CUT = (
    "The sample was cut in two at random before anything was learned or chosen; its order means "
    "nothing."
)


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """Objects with labels as the user passed them, and whether a model learned from them: the
    positions of those that it has ``seen``, None if that cannot be known; the reasons why they are
    "neither", and what has to be assumed of those that are "new".
    """

    model: MetricClassifier
    X: Objects
    labels: NDArray[Any]
    kind: Literal["training", "new", "neither"]
    seen: Indices | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def known(self) -> int:
        """How many of the objects the model is known to have learned from."""
        return 0 if self.seen is None else len(self.seen)

    @property
    def others(self) -> Indices:
        """The positions of the objects that the model is not known to have learned from."""
        everything = np.arange(len(self))
        return everything if self.seen is None else np.delete(everything, self.seen)

    @property
    def wrong(self) -> Flags:
        """Which of the objects the model gets wrong, shape (n,)."""
        return np.asarray(self.model.predict(self.X) != self.labels)

    @property
    def guessing(self) -> float:
        """The error of always guessing the largest class of the sample."""
        _, sizes = np.unique(self.labels, return_counts=True)
        return float(1.0 - sizes.max() / sizes.sum())

    def radii(self, unit: str | None) -> Floats:
        """The certified radius of each object, in a unit; `NotCertified` where the model proves
        none.
        """
        return self.model.certified_radius(self.X, unit)

    def doubts(self) -> tuple[str, ...]:
        """Why the metric of the model does not allow radii, `metric_doubts` of the objects; empty
        if it does.
        """
        return training_sample.metric_doubts(self.model.admit_queries(self.X), self.model.metric_)


class Familiarity(NamedTuple):
    """What labelled objects are to a model; the fields are those of `LabelledSample`."""

    kind: Literal["training", "new", "neither"]
    seen: Indices | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def recognise(
    model: MetricClassifier, X: Objects, y: Labels, *, independent: bool = False
) -> LabelledSample:
    """Find out whether a model learned from the objects X with the labels y, by digests and
    distances (`examine_newness`); ``independent`` declares that all objects, the training objects
    too, were drawn independently.

    They are of the kind "training" only if all training objects are there, each as often as in fit,
    with the labels of fit, in any order. An `InvalidInput` if there are no objects, or none of the
    labels is a class of the model.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> [recognise(model, [drink], ["soft"]).kind for drink in ("tea", "milk")]
    ['neither', 'new']
    >>> recognise(model, ["rum", "tea"], ["hard", "soft"]).kind
    'training'
    """
    prepared, given = given_to(model, X)
    labels = checked_labels(model, y, sample.count(prepared))
    return LabelledSample(
        model, X, labels, *familiarity(model, labels, given, independent=independent)
    )


def given_to(model: MetricClassifier, X: Objects) -> tuple[Sample, newness.Given | None]:
    """The objects as the metric of a model prepares them, and what they are recognised by; None if
    they cannot be.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> len(
    ...     given_to(
    ...         NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]), ["milk"]
    ...     )[1]
    ... )
    1
    """
    prepared, checked = model.admit_with_given(X)
    learned = model.learned_from_
    digests = None if learned is None else model.metric_.all_digests(checked, prepared)
    if digests is None or learned is None:
        return prepared, None
    return prepared, newness.Given(
        partial(_shown, X),
        partial(newness.DistancesToKept.of_some, model, prepared, len(learned)),
        digests,
    )


def set_aside(model: MetricClassifier, X: Objects, y: Labels, metric: Any) -> LabelledSample:
    """Objects that the library itself cut off at random before the model was fitted: see
    `familiarity_of_cut`.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> found = set_aside(model, ["tea", "ale"], ["soft", "hard"], "levenshtein")
    >>> found.kind, found.notes[-1]
    ('new', '1 of these 2 objects also occur in the training data; that is allowed if all were drawn independently.')
    """
    prepared, given = given_to(model, X)
    labels = checked_labels(model, y, sample.count(prepared))
    return LabelledSample(model, X, labels, *familiarity_of_cut(model, given, metric))


def familiarity_of_cut(
    model: MetricClassifier, given: newness.Given | None, metric: Any
) -> Familiarity:
    """What objects are to a model that the library cut off at random before it was fitted: new,
    whatever they repeat.

    They are new even if they cannot be recognised, or equal training objects: the cut is disjoint
    by construction. Only a metric that took its parameters from them before the cut makes them a
    part of the model. ``metric`` is what the user passed, one or several.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> familiarity_of_cut(model, None, "levenshtein").kind
    'new'
    """
    learned = model.learned_from_
    if given is not None and learned is not None:
        found = newness.taught_the_metric(model, learned, given)
        repeats = learned.knows_in_disguise(given.digests).sum()
        notes = (CUT, *training_sample.repeats_allowed(int(repeats), len(given)))
        return Familiarity("neither" if found.reasons else "new", found.seen, found.reasons, notes)
    passed = metric if isinstance(metric, list | tuple) else [metric]
    if any(isinstance(each, Metric) and each.taught_by is not None for each in passed):
        return Familiarity("neither", None, (newness.unknown_teachers(model.metric_.name),))
    return Familiarity("new", notes=(CUT,))


def familiarity(
    model: MetricClassifier,
    labels: NDArray[Any],
    given: newness.Given | None,
    *,
    independent: bool = False,
) -> Familiarity:
    """What objects with these labels are to a model, by their digests and distances; None if they
    cannot be recognised.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> familiarity(model, np.array(["soft"]), None).kind
    'neither'
    """
    learned = model.learned_from_
    if given is None or learned is None:
        return Familiarity("neither", None, (NOT_REMEMBERED,))
    if learned.is_labelled(given.digests.exact, labels):
        return Familiarity("training", np.arange(len(labels)))
    if learned.is_all(given.digests.exact):
        reason = (
            "These are the objects that the model learned from, but their labels are not those of "
            "fit."
        )
        return Familiarity("neither", np.arange(len(labels)), (reason,))
    found = newness.examine_newness(model, learned, given, independent=independent)
    return Familiarity(
        "neither" if found.reasons else "new", found.seen, found.reasons, found.notes
    )


def checked_labels(model: MetricClassifier, y: Labels, n: int) -> NDArray[Any]:
    """The labels of n objects; at least one of them has to be a class of the model.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> checked_labels(
    ...     NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]),
    ...     ["hard", "wet"],
    ...     2,
    ... ).tolist()
    ['hard', 'wet']
    """
    coded = code_targets(y, n)
    if not n:
        raise InvalidInput(
            "There are no objects to certify the model on.", advice="Pass at least one.", value=0
        )
    labels: NDArray[Any] = coded.classes[coded.codes]
    if (labels.dtype.kind in "US") != (model.classes_.dtype.kind in "US") or not np.isin(
        coded.classes, model.classes_
    ).any():
        raise InvalidInput(
            f"None of the labels is a class of the model: {sample.shown(coded.classes.tolist())} "
            f"beside {sample.shown(model.classes_.tolist())}.",
            advice="Pass labels as they were passed to fit.",
            value=coded.classes,
        )
    return labels


def _shown(X: Objects, position: int) -> str:
    """An object of X for a message."""
    held = sample.one_by_one(sample.hold(X))
    witness = sample.pick_one(held, position)
    return sample.shown(
        witness.tolist() if isinstance(witness, np.ndarray | np.generic) else witness
    )


# ---- What objects that a model has not seen prove about it: counts of errors, turned into bounds
# by the binomial
#      distribution

DRAWN = (
    "These objects are independent, drawn like the new ones, and had no part in choosing the model."
)

KIND_OF_CLASS, KIND_AT_RADIUS = "holdout, class", "holdout at a radius"

#: A class with at least this number of objects gets its own certificate: without an error they
#: prove 0.1 at a delta of 5 %.
ENOUGH = 30


def holdout_certificates(
    labelled: LabelledSample, *, delta: float, radius: float | None, unit: str | None = None
) -> list[Certificate]:
    """Bounds of the error on new objects: on all of them, at a radius, and on each class of at
    least 30. Unless all objects are new to the model, the only certificate is void.

    Each of them is the exact bound of Langford (2005) and Clopper & Pearson (1934),
    `wideberth.bounds.binomial.holdout_bound`.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> new = recognise(model, ["tee", "rim", "ram"], ["soft", "hard", "hard"])
    >>> # 1 - 0.05^(1/3): no errors of 3
    >>> [round(found.value, 3) for found in holdout_certificates(new, delta=0.05, radius=None)]
    [0.632]
    """
    if labelled.kind != "new":
        what = "These objects do not prove how often the classifier errs on new ones."
        return [_void(labelled, "holdout", what, labelled.reasons)]
    wrong = labelled.wrong
    what = "The probability that the classifier errs on a new object"
    found = [_counted(labelled, what, "holdout", wrong, delta, labelled.guessing)]
    if radius is not None:
        found.append(_at_radius(labelled, wrong, radius, unit, delta))
    for label in np.unique(labelled.labels).tolist():
        members = labelled.labels == label
        if ENOUGH <= members.sum() < len(members):
            what = (
                f"The probability that the classifier errs on a new object of the class {label!r}"
            )
            found.append(
                _counted(labelled, what, f"{KIND_OF_CLASS} {label!r}", wrong[members], delta, None)
            )
    return found


def _counted(
    labelled: LabelledSample,
    what: str,
    kind: str,
    wrong: Flags,
    delta: float,
    guessing: float | None,
    **more: Any,
) -> Certificate:
    """The certificate of a probability that begins with ``what``, from the errors among held-out
    objects.
    """
    return Certificate.proved_by(
        "holdout",
        f"{what} is at most {VALUE}.",
        delta=delta,
        evidence={"errors": int(wrong.sum()), "held_out": len(wrong), **more},
        kind=kind,
        assumptions=(DRAWN, *labelled.notes),
        guessing=guessing,
    )


def _at_radius(
    labelled: LabelledSample, wrong: Flags, radius: float, unit: str | None, delta: float
) -> Certificate:
    r"""The bound of the error after any move by less than the radius: an object counts as wrong
    unless :math:`r(x) \ge r`.
    """
    measure = labelled.model.radius_unit(unit)
    moved = measure.in_words(radius)
    what = (
        "The probability that a new object is misclassified, or has another label less than "
        f"{moved} away from it,"
    )
    doubts = labelled.doubts()
    uncertain = wrong
    if not doubts:
        try:
            uncertain = wrong | (labelled.radii(unit) < radius)
        except NotCertified as refusal:
            doubts = (str(refusal),)
    if doubts:
        statement = "How far new objects may move before their label changes is not certified."
        return _void(labelled, KIND_AT_RADIUS, statement, doubts)
    found = _counted(
        labelled, what, KIND_AT_RADIUS, uncertain, delta, labelled.guessing, radius=radius
    )
    return replace(found, assumptions=(*found.assumptions, *filter(None, [measure.means])))


def _void(
    labelled: LabelledSample, kind: str, statement: str, reasons: tuple[str, ...]
) -> Certificate:
    """A certificate that proves nothing, with the reasons."""
    return Certificate(
        statement=statement,
        value=1.0,
        kind=kind,
        evidence={"objects": len(labelled), "known": labelled.known},
        guessing=labelled.guessing,
        void=reasons,
    )


SEARCHED = (
    "The model was chosen by a search over these objects, and this bound does not pay for the "
    "metrics and parameters that it compared. Certify it on new objects."
)

#: The beginnings of kinds that are about other than the error on all new objects; they are sorted
#: behind the others.
ABOUT_PARTS = (KIND_OF_CLASS, KIND_AT_RADIUS, training_sample.KIND_AT_RADIUS)


def certify(
    model: Any,
    X: Objects,
    y: Labels,
    *,
    delta: float = 0.05,
    radius: float | None = None,
    unit: str | None = None,
    independent: bool = False,
    verbose: int = 0,
) -> Certificates:
    """What objects X with labels y prove about a fitted model, each statement with confidence 1 -
    delta under its assumptions.

    Whether the objects are new to the model is found out by comparison with its training objects,
    whether it keeps them or only their digests, and with each other. A training object is
    recognised with other spaces or line ends, quotes or full stops at its ends, in other case,
    width or Unicode form; in half or single precision, with 0 to 4 decimal places or 2 to 6
    significant digits, if so many objects agree after rounding that chance does not explain it;
    and, if it is a series, with one value more or less at its end. What is changed further cannot
    be recognised: noise from a tenth of the usual distance on, mixtures, a new word.
    ``wideberth/guarantees/newness.py`` has the rules.

    - *New objects* bound its error by the exact binomial bound: on all of them, on each class with
      30 of them or more, and at a ``radius``: how often a new object is misclassified or has
      another label less than the radius away.
    - The *training sample*, all of it, proves what its margins, its compression or its own hold-out
      prove, depending on the model. Often that is nothing, and new objects are worth more.
    - Where some objects are new and others are not, or the metric breaks the triangle inequality on
      them, certificates are ``void`` and name the reason, with a witness.

    Certificates of the error come first, then those of parts of it, void ones last; the smallest
    value first. Each holds on its own: the best of m of them, or m of them together, have the
    confidence 1 - m delta, which the list says where it is shown.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library, or a fitted search of scikit-learn for one.
    X : sample
        New objects, or all objects that the model learned from.
    y : array-like of shape (n,)
        Their labels.
    delta : float
        The probability with which each statement may fail, between 0 and 1.
    radius : float, optional
        How far new objects may move; it has to be chosen without a look at X.
    unit : str, optional
        What the radius is measured in, "edit" or a metric's name, as in ``certified_radius``; by
        default the metric of the model.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently:
        then some may occur in both samples, and the certificates assume it. Otherwise an object
        that also occurs in the training data is a leak.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Returns
    -------
    list of Certificate
        At least one; check ``void`` before using a value.

    Examples
    --------
    >>> import numpy as np
    >>> from wideberth import NeighborsClassifier
    >>> points, sides = np.linspace(0, 1, 200)[:, None], np.repeat(["low", "high"], 100)
    >>> model = NeighborsClassifier(n_neighbors=1).fit(points[::2], sides[::2])
    >>> found = certify(model, points[1::2], sides[1::2])
    >>> print(found[0])
    The probability that the classifier errs on a new object is at most 0.02951.
    value: 0.02951 (holdout), with confidence 95%
    holds if: These objects are independent, drawn like the new ones, and had no part in choosing the model.
    not vacuous: guessing has 0.5
    >>> certify(model, points, sides)[0].void[0][:76]
    '100 of 200 objects are among those that the model learned from, such as obje'
    """
    check_certify_parameters(delta, radius)
    with task("certificates", verbose=verbose):
        return _certificates(model, X, y, delta, radius, unit, independent)


def _certificates(
    model: Any,
    X: Objects,
    y: Labels,
    delta: float,
    radius: float | None,
    unit: str | None,
    independent: bool,
) -> Certificates:
    if hasattr(model, "certificates_for"):  # a learner of a stream, which has no training sample
        return Certificates(_sorted(model.certificates_for(X, y)))
    chosen, reasons = classifier_to_certify(model)
    return certificates_of(
        recognise(chosen, X, y, independent=independent),
        reasons,
        delta=delta,
        radius=radius,
        unit=unit,
    )


def certificates_of(
    labelled: LabelledSample,
    reasons: tuple[str, ...] = (),
    *,
    delta: float,
    radius: float | None,
    unit: str | None,
) -> Certificates:
    """What labelled objects that were compared with the training objects prove, as `certify`
    returns it; ``reasons`` make bounds on the training sample void.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> certificates_of(recognise(model, ["tee"], ["soft"]), delta=0.5, radius=None, unit=None)[
    ...     0
    ... ].value
    0.5
    """
    if labelled.kind == "training":
        found = _in_sample(labelled, reasons, delta, radius, unit)
    else:
        found = holdout_certificates(labelled, delta=delta, radius=radius, unit=unit)
    return Certificates(_sorted(found))


def certificates_of_recognised(
    model: Any, labelled: LabelledSample, *, delta: float
) -> Certificates:
    """What `certify` proves about a fitted model by objects that were compared with its training
    objects before (`recognise`), which takes long.
    """
    chosen, reasons = classifier_to_certify(model)
    return certificates_of(
        replace(labelled, model=chosen), reasons, delta=delta, radius=None, unit=None
    )


def _in_sample(
    labelled: LabelledSample,
    reasons: tuple[str, ...],
    delta: float,
    radius: float | None,
    unit: str | None,
) -> list[Certificate]:
    """What the training sample proves: for every model by its radii, and by bounds that are special
    to its kind.
    """
    model = labelled.model
    sampled = training_sample.TrainingSample(
        model, model.answering, labelled.X, labelled.labels, labelled.guessing, reasons
    )
    by_radii = training_sample.radius_margin_certificates(
        sampled, delta=delta, radius=radius, unit=unit
    )
    return [*by_radii, *sampled.model.certificates(sampled, delta=delta)]


def classifier_to_certify(model: Any) -> tuple[MetricClassifier, tuple[str, ...]]:
    """The fitted classifier to certify, and reasons that make bounds on its training sample void: a
    search over metrics has one.

    Classes that choose the parameters of one kind of classifier on one metric are certified as
    such, with what they compared.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> classifier_to_certify(model) == (model, ())
    True
    """
    inner = metric_classifier(model, "cannot be certified")
    if inner.comparison() is not None:
        return inner.answering, (SEARCHED,)
    return inner, () if inner is model else (SEARCHED,)


def check_certify_parameters(delta: float, radius: float | None) -> None:
    """Raise `InvalidInput` for a probability or a radius that is none.

    Examples
    --------
    >>> check_certify_parameters(0.05, None)
    """
    check_delta(delta)
    if radius is not None and not 0 < radius < inf:
        raise InvalidInput(
            f"{setting('radius', radius)} is not a distance by which objects may move.",
            advice="Pass a positive number, or None.",
            value=radius,
        )


def _sorted(certificates: Sequence[Certificate]) -> list[Certificate]:
    """Valid certificates before void ones, those of the error before those of parts of it, and
    small values before large ones.
    """
    return sorted(
        certificates,
        key=lambda found: (bool(found.void), found.kind.startswith(ABOUT_PARTS), found.value),
    )
