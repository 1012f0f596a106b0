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
from wideberth.classifiers.online.knowledge_set import State
from wideberth.classifiers.online.lifts import Lift
from wideberth.classifiers.online.partition import Pair, PairwisePartition
from wideberth.classifiers.online.stream import Contradiction, Stream
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.objects.labels import code_labels

#: What a knowledge set says of itself and the partition knows already.
_KNOWN = ("engine", "scales")
_COUNTS = ("seed", "rounds", "mistakes", "contradictions")


def state_of(stream: Stream) -> State:
    """Collect what a stream has learned, as plain values for a model file; the keys are part of the
    file format.
    """
    partition = stream.partition
    assert isinstance(partition, PairwisePartition)
    first = stream.first_contradiction
    return {
        "labels": list(stream.labels),
        "update": stream.update,
        "inconsistent": stream.inconsistent,
        **{name: getattr(stream, name) for name in _COUNTS},
        "labels_told": stream._labels_told,
        "cost": stream.cost,
        "first_contradiction": None
        if first is None
        else first._asdict() | {"witnesses": list(first.witnesses)},
        "partition": _partition_state(partition),
    }


def restored_stream(state: State, lift: Lift) -> Stream:
    """The stream with features of this lift from the state that `state_of` collected.

    The state comes from a file, so that lengths, ranges and finiteness are checked before compiled
    code relies on them; an `InvalidInput` if a value is not possible.
    """
    counts = {
        name: restored_values.whole(state, name, least=0, most=restored_values.ANY_POSITION)
        for name in _COUNTS
    }
    labels = _checked_labels(state["labels"])
    partition = _restored_partition(state["partition"], lift, len(labels), counts)
    stream = Stream(
        partition,
        update=restored_values.choice(state, "update", ("informative", "paper")),
        inconsistent=restored_values.choice(state, "inconsistent", ("error", "ignore", "soften")),
        seed=counts["seed"],
    )
    stream.labels, stream.classes = labels, code_labels(labels, len(labels)).classes
    stream._numbers = {label: number for number, label in enumerate(labels)}
    stream.rounds, stream.mistakes = counts["rounds"], counts["mistakes"]
    stream.contradictions = counts["contradictions"]
    stream._labels_told = restored_values.flag(state, "labels_told")
    stream.cost = restored_values.number(state, "cost", least=0.0, most=restored_values.FINITE)
    stream.first_contradiction = _checked_contradiction(state["first_contradiction"], stream)
    inside = np.full(lift.n_features, lift.bound / (2 * sqrt(lift.n_features)))
    stream.guess(partition.assess(inside))  # parameters that overflow show here
    return stream


def _partition_state(partition: PairwisePartition) -> State:
    pairs = list(partition.pairs.values())
    return {
        "engine": partition.engine,
        "update": partition.update,
        "noise": partition.noise,
        "perceptron": partition._perceptron,
        "rounds": _packed([{"rounds": np.array(pair.rounds, dtype=np.int64)} for pair in pairs]),
        "knowledge": _packed([pair.knowledge.state() for pair in pairs]),
    }


def _restored_partition(
    state: State, lift: Lift, n_labels: int, counts: dict[str, int]
) -> PairwisePartition:
    engine = restored_values.choice(state, "engine", engines.ENGINES)
    perceptron = restored_values.table(state, "perceptron", (n_labels, lift.dimension))
    rounds = _unpacked(state["rounds"], n_labels * (n_labels - 1) // 2)
    partition = PairwisePartition(
        lift,
        engine=engine,
        update=restored_values.choice(state, "update", ("informative", "paper", "majority")),
        noise=restored_values.number(state, "noise", least=0.0),
        seed=counts["seed"],
    )
    partition.n_labels, partition._perceptron = n_labels, perceptron
    duels = (
        (old, new) for new in range(n_labels) for old in range(new)
    )  # the order in which labels make pairs
    usual = {"engine": engine, "scales": asdict(lift.scales())}
    known = _unpacked(state["knowledge"], len(rounds))
    for duel, of_pair, learned in zip(duels, known, rounds, strict=True):
        knowledge = engines.restored(of_pair | usual)
        stored = restored_values.codes(
            learned, "rounds", len(learned["rounds"]), below=counts["rounds"] + 1
        ).tolist()
        if len(stored) > knowledge.n_rows:
            raise InvalidInput(
                f"{len(stored)} rounds have left {knowledge.n_rows} rows.", value=len(stored)
            )
        partition.pairs[duel] = Pair(lift, knowledge, stored)
    return partition


def _packed(states: list[State]) -> dict[str, Any]:
    """Many states of the same names as one: numbers as arrays, arrays put together along their
    first axis with their lengths.

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
