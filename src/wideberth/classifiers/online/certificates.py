"""What is proved about an online learner: how much all future guesses can lose, and how much those for given queries can."""

from math import inf
from typing import Any

from sklearn.base import clone

from wideberth.certificate import Certificate

CENTRES = "Labels are those of the nearest of some hidden centres in the ball of the radius, and never wrong."
SEEN = "No label comes that was not seen so far."
APART = "Any two centres are at least the separation apart."
SHORTENED = "A loss at a query that is longer than the radius counts radius / length of what it is."
COARSE = "Losses below the resolution are not counted."

NOT_PROVED = "What guesses lose is not proved here."


def online_certificates(model: Any, X: Any, y: Any) -> list[Certificate]:
    """The bound of all future losses, and the bound of the largest loss of the guesses for X.

    Neither is a matter of probability, but of what the labels so far imply about the centres. The first is void unless the
    engine's bound is proved; both are void if labels contradict each other, or if y contradicts what the past implies about X.
    They are vacuous unless they are below what is proved of a learner that knows the labels and has seen no query.

    Parameters
    ----------
    model : OnlinePartitionClassifier
        A fitted one.
    X : ndarray of shape (n, d)
        Queries.
    y : ndarray of shape (n,)
        Their labels.

    Returns
    -------
    list of Certificate
        Two certificates: "remaining loss" and "loss of these queries".
    """
    contradictions = _contradictions(model, X, y)
    unproved, noisy = (*contradictions, *_unproved(model)), (*contradictions, *_noisy(model))
    remaining, largest = _bounds(model, X)
    before_all, before_these = _bounds(_untaught(model), X)
    in_the_mean = " on average over its own random guesses" if model.update == "paper" else ""
    all_to_come = f"All guesses to come lose at most {remaining:.4g} together{in_the_mean}, whatever the queries."
    assumed = (CENTRES, SEEN) if model.separation is None else (CENTRES, APART, SEEN)
    return [
        Certificate(
            statement=NOT_PROVED if unproved else all_to_come,
            value=remaining,
            kind="remaining loss",
            assumptions=(*assumed, *_counted(model)),
            evidence={"potential": model.potential(), "rounds": model.rounds_, "mistakes": model.mistakes_},
            guessing=before_all,
            void=unproved,
        ),
        Certificate(
            statement=NOT_PROVED if noisy else f"No guess for one of these {len(X):,} queries loses more than {largest:.4g}.",
            value=largest,
            kind="loss of these queries",
            assumptions=assumed,
            evidence={"queries": len(X), "certain": sum(map(model.certain, X)), "rounds": model.rounds_},
            guessing=before_these,
            void=noisy,
        ),
    ]


def _bounds(model: Any, X: Any) -> tuple[float, float]:
    """The bound of all losses to come, and the largest of the bounds of the guesses for X."""
    return model.remaining_loss_bound(), max(model.loss_bound(query) for query in X)


def _untaught(model: Any) -> Any:
    """A learner with the same parameters that was told the labels, but of no query."""
    fresh = clone(model)
    fresh._begin_stream(model.n_features_in_, model.radius_).add_labels(model.classes_.tolist())
    return fresh


def _counted(model: Any) -> tuple[str, ...]:
    """The assumptions about losses that are not counted in full, if there are any."""
    if model.similarity == "inner":
        return (SHORTENED,)
    return () if model.resolution is None else (COARSE,)


def _contradictions(model: Any, X: Any, y: Any) -> tuple[str, ...]:
    """The contradictions among the labels learned so far, and the first between y and what the past implies about X."""
    reasons = []
    if model.contradictions_:
        reasons.append(f"{model.contradictions_:,} labels contradicted the past; the first: {model.first_contradiction_}.")
    for position, (query, guess, label) in enumerate(zip(X, model.predict(X).tolist(), y.tolist(), strict=True)):
        if guess != label and model.certain(query):
            reasons.append(f"The past implies the label {guess!r} for object {position}, which has {label!r}.")
            break
    return tuple(reasons)


def _unproved(model: Any) -> tuple[str, ...]:
    """Why the bound of future losses is not proved, if so: the engine has no proved bound, or an infinite one."""
    if model.proved_ and model.remaining_loss_bound() < inf:
        return ()
    why = "bounds its losses by no proof" if not model.proved_ else "has no bound of its losses here"
    return (f"The engine {model.engine_!r} {why}. engine='exact' and 'ellipsoid' have one, without noise.",)


def _noisy(model: Any) -> tuple[str, ...]:
    """Why bounds of single guesses do not hold, if so: the engine allows for wrong labels."""
    return ("Labels may be wrong, so that losses of guesses are estimates.",) if model.engine_ == "soft" else ()
