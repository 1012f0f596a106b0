"""Seven streams of River: right answers of the default pipeline, each asked before it is told,
beside River's models.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

ROUNDS = 2_000
OURS = "ours, by default"


def streams() -> dict[str, Callable[[], Any]]:
    """The three classification streams that River brings along, and four that it generates."""
    from river import datasets
    from river.datasets import synth

    return {
        "Phishing": datasets.Phishing,
        "ImageSegments": datasets.ImageSegments,
        "Bananas": datasets.Bananas,
        "SEA": lambda: synth.SEA(seed=0, noise=0.1),
        "LED": lambda: synth.LED(seed=0, noise_percentage=0.1),
        "Waveform": lambda: synth.Waveform(seed=0),
        "RandomRBF": lambda: synth.RandomRBF(
            seed_model=0, seed_sample=0, n_features=6, n_centroids=20
        ),
    }


def models() -> dict[str, Callable[[], Any]]:
    """Ours with all defaults behind a scaler, and River's own."""
    from river import (
        forest,
        linear_model,
        multiclass,
        naive_bayes,
        neighbors,
        optim,
        preprocessing,
        tree,
    )

    import wideberth as wb
    from wideberth.river import to_river

    def scaled(model: Any) -> Any:
        return preprocessing.StandardScaler() | model

    return {
        "ours, by default": lambda: scaled(to_river(wb.OnlinePartitionClassifier(random_state=0))),
        "PA": lambda: scaled(multiclass.OneVsRestClassifier(linear_model.PAClassifier())),
        "softmax": lambda: scaled(linear_model.SoftmaxRegression(optimizer=optim.SGD(0.1))),
        "naive Bayes": naive_bayes.GaussianNB,
        "nearest neighbours": lambda: scaled(neighbors.KNNClassifier()),
        "Hoeffding tree": tree.HoeffdingTreeClassifier,
        "adaptive forest": lambda: forest.ARFClassifier(seed=0),
    }


def measure() -> Facts:
    from benchmarks.online.bundled import measured

    found: dict[str, dict[str, dict[str, float]]] = {}
    for stream, make in streams().items():
        found[stream] = {
            name: measured(model(), islice(make(), ROUNDS)) for name, model in models().items()
        }
        print(stream, found[stream], flush=True)
    return found


def quick() -> Facts:
    """As it is: it takes two minutes."""
    return measure()


def rows(facts: Facts) -> Iterator[Row]:
    """Right answers with all defaults beside the best of River's models on each stream, picked by
    the answers.
    """
    for stream, found in facts.items():
        ours = found[OURS]["right"]
        peer = max((name for name in found if name != OURS), key=lambda name: found[name]["right"])
        errors = [
            100 * (share * (1 - share) / ROUNDS) ** 0.5 for share in (ours, found[peer]["right"])
        ]
        yield Row(
            topic="online loss",
            key=f"river_streams: {stream}",
            ours=100 * ours,
            peer=peer,
            theirs=100 * found[peer]["right"],
            unit="% right",
            noise=(errors[0] ** 2 + errors[1] ** 2) ** 0.5,
            own_noise=errors[0],
        )


def page(facts: Facts) -> str:
    names = list(next(iter(facts.values())))
    body = []
    for name in names:
        cells = [
            f"{100 * found[name]['right']:.1f} ({1000 * found[name]['seconds']:.2g})"
            for found in facts.values()
        ]
        ranks = [
            1 + sum(other["right"] > found[name]["right"] for other in found.values())
            for found in facts.values()
        ]
        body.append([name, *cells, f"{sum(ranks) / len(ranks):.1f}"])
    return f"""# Streams of River

From `python -m benchmarks river_streams`. Right answers in %, each asked before it is told, in the first {ROUNDS:,} rounds
(Phishing has 1,250), and CPU milliseconds a round. *Ours* is `StandardScaler() | to_river(OnlinePartitionClassifier())`, all
else by default: the ball grows with the queries, and after the first label that contradicts others 5 % of them are taken for
wrong. None of these labels are those of nearest centres, one for each, so that no bound holds here. *Rank*: mean rank among the
{len(names)} models, 1 is best.

{table(["model", *facts, "rank"], body)}
"""
