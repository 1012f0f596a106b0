"""The online classifier of this library behind the interface of its peers."""

from collections.abc import Callable
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.online.peers import Floats, Learner
from wideberth.papers import JointPartitionClassifier
from wideberth.papers.online_joint import JointPartition
from wideberth.river import to_river

#: Of how many of its finest scales the opponent sees the middle.
SEEN = 2


class Ours:
    """Inner products, labels known from the start like those of the peers, all else by default."""

    def __init__(self, k: int, model: wb.OnlinePartitionClassifier) -> None:
        self.k, self.model = k, model
        self.begun = False

    def given(self, query: Floats) -> Floats:
        return query

    def predict(self, query: Floats) -> int:
        return int(self.model.predict_one(query) or 0)

    def learn(self, query: Floats, label: int) -> None:
        if self.begun:
            self.model.learn_one(query, label)
        else:
            self.model.partial_fit(query[None], [label], classes=range(self.k))
            self.begun = True

    def normals(self, i: int, j: int) -> Floats:
        """The mean points of populations, or the centres of ellipsoids; what is private to users is
        open to the opponent.
        """
        if not self.begun:
            return np.zeros((0, 0))
        partition = self.model._stream.partition
        if isinstance(partition, JointPartition):
            centres = partition.knowledge.points.mean(axis=0)
            return np.array([centres[i] - centres[j]])
        state = partition.pairs[min(i, j), max(i, j)].knowledge.state()
        middles = state["populations"].mean(axis=1) if "populations" in state else state["centres"]
        return (1 if i < j else -1) * middles[-SEEN:]

    @property
    def rows(self) -> int:
        return self.model.n_rows_


def _ours(engine: str, update: str = "informative") -> Callable[[int, int, int], Learner]:
    return lambda k, d, seed: Ours(
        k, wb.OnlinePartitionClassifier("inner", engine=engine, update=update, random_state=seed)
    )


def _joint(k: int, d: int, seed: int) -> Learner:
    return Ours(k, JointPartitionClassifier("inner", random_state=seed))


#: Made from the number of labels and of dimensions and a seed.
OURS = {"sampling": _ours("sampling"), "ellipsoid": _ours("ellipsoid"), "joint": _joint}
#: The paper's rule, which is shown in a few cells only.
PAPER = "sampling, rule of the paper"
OURS_APART = {PAPER: _ours("sampling", "paper")}


def in_river(**parameters: Any) -> Any:
    """The classifier for River's pipelines."""
    return to_river(wb.OnlinePartitionClassifier("inner", random_state=0, **parameters))
