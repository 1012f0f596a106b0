"""The state of an online classifier in a model file: which plain values are written, and how they
are checked when read.

All that later guesses depend on is written, so that a learner that was loaded goes on exactly as
the one that was saved. Random numbers are no exception: each generator depends only on a seed and
on how many were made before it.

Of the knowledge of pairs of labels, arrays of the same name are put together, so that the number of
arrays in a file does not grow with the number of pairs.
"""

from dataclasses import asdict
from math import sqrt
from typing import Any

import numpy as np

from wideberth.classifiers.online import engines
from wideberth.classifiers.online.joint_partition import JointPartition, RowOrigin
from wideberth.classifiers.online.knowledge_set import State
from wideberth.classifiers.online.lifts_by_similarity import Features
from wideberth.classifiers.online.parameters import check_online_parameters, features_for
from wideberth.classifiers.online.partition import (
    LadderPair,
    Pair,
    PairwisePartition,
)
from wideberth.classifiers.online.stream import Contradiction, Stream
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.objects.labels import code_labels

#: What a knowledge set says of itself and the partition knows already.
_KNOWN = ("engine", "scales")
#: Degrees beyond this would need more memory than there is.
MOST_DEGREE = 10_000
_COUNTS = ("seed", "rounds", "mistakes", "contradictions")


def state_of(model: Any) -> State:
    """Collect what an online classifier has learned, as plain values for a model file.

    Parameters
    ----------
    model : OnlinePartitionClassifier
        A classifier that has learned a label.

    Returns
    -------
    dict
        Numbers, texts, arrays, lists and dicts of them; the keys are part of the file format.

    Raises
    ------
    InvalidInput
        If parameters were changed after the first label: they count from the next fit on, and the
        file could not tell them from those that count now.
    """
    check_online_parameters(model)
    stream: Stream = model._stream
    if _features_in_use(model, stream.partition.features.degrees) != stream.partition.features:
        raise InvalidInput(
            "Parameters of the similarity were changed after the first label was learned; they "
            "count from the next fit on.",
            advice="Set them back with set_params, or fit anew, then save.",
            value=model,
        )
    first = stream.first_contradiction
    return {
        "radius": model._radius,
        "labels": list(stream.labels),
        "update": stream.update,
        "inconsistent": stream.inconsistent,
        **{name: getattr(stream, name) for name in _COUNTS},
        "labels_told": stream._labels_told,
        "cost": stream.cost,
        "degrees": list(stream.partition.features.degrees),
        "first_contradiction": None
        if first is None
        else first._asdict() | {"witnesses": list(first.witnesses)},
        "partition": _joint_state(stream.partition)
        if isinstance(stream.partition, JointPartition)
        else _pairwise_state(stream.partition),
    }


def restore(model: Any, state: State) -> None:
    """Set the stream of a classifier from the state that `state_of` collected.

    The state comes from a file, so that lengths, ranges and finiteness are checked before compiled
    code relies on them.

    Parameters
    ----------
    model : OnlinePartitionClassifier
        A classifier whose parameters and ``n_features_in_`` are already set.
    state : dict
        The values from the file.

    Raises
    ------
    InvalidInput
        If a value is not possible.
    """
    check_online_parameters(model)
    n_features = restored_values.whole(
        vars(model), "n_features_in_", least=1, most=restored_values.ANY_POSITION
    )
    counts = {
        name: restored_values.whole(state, name, least=0, most=restored_values.ANY_POSITION)
        for name in _COUNTS
    }
    labels = _checked_labels(state["labels"])
    known = state["partition"]
    build = _restored_joint if known["engine"] == JointPartition.engine else _restored_pairwise
    radius = _radius_of(model, state)
    features = _with_degrees(features_for(model, n_features, radius), state)
    partition = build(known, features, len(labels), counts)
    stream = Stream(
        partition,
        update=restored_values.choice(state, "update", ("informative", "paper")),
        inconsistent=restored_values.choice(state, "inconsistent", ("error", "ignore", "soften")),
        seed=counts["seed"],
    )
    stream.labels, stream.classes = labels, code_labels(labels, len(labels)).classes
    stream._numbers = {label: number for number, label in enumerate(labels)}
    stream.rounds, stream.mistakes, stream.contradictions = (
        counts["rounds"],
        counts["mistakes"],
        counts["contradictions"],
    )
    stream._labels_told = restored_values.flag(state, "labels_told")
    stream.cost = restored_values.number(state, "cost", least=0.0, most=restored_values.FINITE)
    stream.first_contradiction = _checked_contradiction(state["first_contradiction"], stream)
    stream.guess(
        partition.assess(np.full(n_features, radius / (2 * sqrt(n_features))))
    )  # parameters that overflow show here
    model._stream, model._radius, model._copies = stream, radius, {}


def _features_in_use(model: Any, degrees: tuple[int, ...]) -> Features:
    """The features of the parameters of a model, with the degrees that queries have found."""
    features = features_for(model, model.n_features_in_, _radius_in_use(model))
    return features.with_degrees(degrees) if len(degrees) == len(features.degrees) > 0 else features


def _with_degrees(features: Features, state: State) -> Features:
    """The features with the degrees of a file, if they are found by queries; an `InvalidInput` if
    there are no such rungs.
    """
    if not features.degrees and state["degrees"] == []:
        return features
    degrees = restored_values.codes(
        {"degrees": np.array(state["degrees"])}, "degrees", len(features.degrees), below=MOST_DEGREE
    ).tolist()
    if any(found < first for found, first in zip(degrees, features.degrees, strict=True)):
        raise InvalidInput(
            f"Degrees {degrees} are below those of the parameters, {list(features.degrees)}.",
            value=degrees,
        )
    return features.with_degrees(degrees)


def _radius_in_use(model: Any) -> float:
    """The radius that a saved model is read with: that of its parameters, or, if it grows, what it
    has grown to.
    """
    return float(model._radius if model.radius == "auto" else model.radius)


def _radius_of(model: Any, state: State) -> float:
    """The radius of the ball of a stream in a file; an `InvalidInput` if the parameter is a number,
    and another one.
    """
    radius = restored_values.number(
        state, "radius", least=np.finfo(np.float64).tiny, most=restored_values.FINITE
    )
    if model.radius not in ("auto", radius):
        raise InvalidInput(
            f"The radius of the ball is {radius}, but the parameter is {model.radius!r}.",
            value=radius,
        )
    return radius


def _pairwise_state(partition: Any) -> State:
    pairs = list(partition.pairs.values())
    return {
        "engine": partition.engine,
        "update": partition.update,
        "noise": partition.noise,
        "perceptron": partition._perceptron,
        "rounds": _packed([{"rounds": np.array(pair.rounds, dtype=np.int64)} for pair in pairs]),
        "knowledge": [
            _packed([pair.knowledge[index].state() for pair in pairs])
            for index in range(len(partition.features.lifts))
        ],
    }


def _restored_pairwise(
    state: State, features: Features, n_labels: int, counts: dict[str, int]
) -> PairwisePartition:
    engine = restored_values.choice(state, "engine", engines.ENGINES)
    perceptron = restored_values.table(state, "perceptron", (n_labels, features.lifts[0].dimension))
    rounds = _unpacked(state["rounds"], n_labels * (n_labels - 1) // 2)
    if len(state["knowledge"]) != len(features.lifts):
        raise InvalidInput(
            f"There are {len(features.lifts)} lifts, but not as many knowledge sets.",
            value=len(features.lifts),
        )
    lifts = [
        [
            engines.restored(known | {"engine": engine, "scales": asdict(features.scales(index))})
            for known in _unpacked(packed, len(rounds))
        ]
        for index, packed in enumerate(state["knowledge"])
    ]
    noise = restored_values.number(state, "noise", least=0.0)
    partition = PairwisePartition(
        features, engine=engine, update=_checked_update(state), noise=noise, seed=counts["seed"]
    )
    partition.n_labels, partition._perceptron = n_labels, perceptron
    kind = LadderPair if features.on_rungs else Pair
    duels = (
        (old, new) for new in range(n_labels) for old in range(new)
    )  # the order in which labels make pairs
    for duel, known, of_pair in zip(duels, zip(*lifts, strict=True), rounds, strict=True):
        stored = restored_values.codes(
            of_pair, "rounds", len(of_pair["rounds"]), below=counts["rounds"] + 1
        ).tolist()
        if len(stored) > known[0].n_rows:
            raise InvalidInput(
                f"{len(stored)} rounds have left {known[0].n_rows} rows.", value=len(stored)
            )
        partition.pairs[duel] = kind(features, list(known), stored)
    return partition


def _joint_state(partition: JointPartition) -> State:
    lessons = np.array(partition.lessons, dtype=np.int64).reshape(-1, len(RowOrigin._fields))
    return {
        "engine": partition.engine,
        "update": partition.update,
        "lessons": lessons,
        **partition.knowledge.state(),
    }


def _restored_joint(
    state: State, features: Features, n_labels: int, counts: dict[str, int]
) -> JointPartition:
    partition = JointPartition(
        features,
        engine=JointPartition.engine,
        update=_checked_update(state),
        noise=0.0,
        seed=counts["seed"],
    )
    partition.knowledge.restore(n_labels, state)
    lessons = restored_values.table(
        state, "lessons", (partition.n_rows, len(RowOrigin._fields))
    ).astype(np.int64)
    numbers = dict(zip(RowOrigin._fields, lessons.T, strict=True))
    for name, below in (
        ("round_number", counts["rounds"] + 1),
        ("winner", n_labels),
        ("loser", n_labels),
    ):
        restored_values.codes(numbers, name, len(lessons), below=below)
    partition.lessons = [RowOrigin(*lesson) for lesson in lessons.tolist()]
    return partition


def _packed(states: list[State]) -> dict[str, Any]:
    """Many states of the same names as one: numbers as arrays, arrays put together along their
    first axis with their lengths.

    Examples
    --------
    >>> packed = _packed(
    ...     [{"draws": 1, "rows": np.zeros((2, 3))}, {"draws": 5, "rows": np.zeros((1, 3))}]
    ... )
    >>> packed["draws"], packed["rows"]["lengths"], packed["rows"]["values"].shape
    (array([1, 5]), array([2, 1]), (3, 3))
    """
    names = [name for name in (states[0] if states else ()) if name not in _KNOWN]
    columns = {name: [state[name] for state in states] for name in names}
    return {
        name: {
            "values": np.concatenate(column),
            "lengths": np.array([len(part) for part in column]),
        }
        if isinstance(column[0], np.ndarray)
        else np.array(column)
        for name, column in columns.items()
    }


def _unpacked(packed: dict[str, Any], count: int) -> list[State]:
    """The ``count`` states that `_packed` was given; an `InvalidInput` if it cannot have been as
    many.
    """
    columns: dict[str, list[Any]] = {}
    for name, column in packed.items():
        if isinstance(column, dict):
            lengths = restored_values.codes(
                column, "lengths", count, below=len(column["values"]) + 1
            )
            if lengths.sum() != len(column["values"]):
                raise InvalidInput(
                    f"The parts of {name!r} are not as long as all of them together.", value=name
                )
            columns[name] = np.split(column["values"], np.cumsum(lengths)[:-1]) if count else []
        else:
            restored_values.numbers(packed, name, count)
            columns[name] = column.tolist()
    if not columns and count:
        raise InvalidInput(f"There is nothing on {count} pairs of labels.", value=count)
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def _checked_labels(labels: Any) -> list[Any]:
    if not isinstance(labels, list) or not labels or len(set(labels)) < len(labels):
        raise InvalidInput("The labels are not different values, one at least.", value=labels)
    return labels


def _checked_update(state: State) -> str:
    return restored_values.choice(state, "update", ("informative", "paper", "majority"))


def _checked_contradiction(plain: Any, stream: Stream) -> Contradiction | None:
    if plain is None:
        return None
    round_number = restored_values.whole(plain, "round", least=1, most=stream.rounds)
    witnesses = [
        restored_values.whole({"witness": each}, "witness", least=1, most=round_number)
        for each in plain["witnesses"]
    ]
    if not {plain["told"], plain["implied"]} <= set(stream.labels):
        raise InvalidInput(
            "The first contradiction is between labels that there are not.", value=plain["told"]
        )
    return Contradiction(round_number, plain["told"], plain["implied"], tuple(witnesses))
