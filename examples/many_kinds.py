"""Five kinds of objects, one classifier: what it answers, and how far an object may change before
the answer might.

Nothing is turned into vectors. Each kind has its metric, and the radius is in the unit of that
metric.
"""

import random
from typing import Any, NamedTuple

import wideberth as wb

chance = random.Random(1)


def site(motif: str) -> str:
    """A stretch of DNA: three bases, then the motif with one of its bases drawn anew."""
    place = chance.randrange(len(motif))
    return (
        "".join(chance.choices("ACGT", k=3))
        + motif[:place]
        + chance.choice("ACGT")
        + motif[place + 1 :]
    )


def curve(height: float) -> list[float]:
    """A bump, or a dip, that begins and ends at any time, with noise."""
    before, within, after = (chance.randint(3, 9) for _ in range(3))
    return [
        value + chance.gauss(0, 0.1) for value in [0.0] * before + [height] * within + [0.0] * after
    ]


def formula(signs: str, names: str) -> list[Any]:
    """A tree of three operations on four names."""
    above, left, right = chance.choices(signs, k=3)
    a, b, c, d = ([name, []] for name in chance.choices(names, k=4))
    return [above, [[left, [a, b]], [right, [c, d]]]]


def animal(legs: int, kilograms: float, cover: str, flies: bool) -> dict[str, Any]:
    """A row of a table of numbers and words."""
    return {"legs": legs, "kilograms": kilograms, "cover": cover, "flies": flies}


class Task(NamedTuple):
    """Objects of two classes, their metric and its unit, and a new object."""

    metric: str
    unit: str
    classes: dict[str, list[Any]]
    new: Any


TASKS = {
    "DNA": Task(
        "levenshtein",
        "edits",
        {
            "TATA box": [site("TATAATGC") for _ in range(20)],
            "CAAT box": [site("GGCCAATC") for _ in range(20)],
        },
        "ACGTATAATGC",
    ),
    "series": Task(
        "msm",
        "moves, splits and merges",
        {"bump": [curve(1.0) for _ in range(20)], "dip": [curve(-1.0) for _ in range(20)]},
        [0.0, 0.0, 0.9, 1.1, 0.9, 1.0, 0.1, 0.0],
    ),
    "trees": Task(
        "tree_edit",
        "edited nodes",
        {
            "number": [formula("+-*", "xy1") for _ in range(20)],
            "truth": [formula("&|", "pqx") for _ in range(20)],
        },
        ["|", [["&", [["p", []], ["q", []]]], ["p", []]]],
    ),
    "molecules": Task(
        "tanimoto",
        "of the bits",
        {
            "alcohol": ["CO", "CCO", "CCCO", "CC(C)O", "CCCCO", "CC(C)CO", "CCC(C)O", "OCCO"],
            "acid": [
                "CC(=O)O",
                "CCC(=O)O",
                "CC(C)C(=O)O",
                "CCCC(=O)O",
                "CCC(C)C(=O)O",
                "OC(=O)CC(=O)O",
            ],
        },
        "CCCCCO",
    ),
    "table": Task(
        "gower",
        "of the columns",
        {
            "bird": [
                animal(2, 0.02, "feathers", True),
                animal(2, 4, "feathers", True),
                animal(2, 110, "feathers", False),
            ],
            "mammal": [
                animal(4, 0.03, "fur", False),
                animal(4, 500, "fur", False),
                animal(2, 70, "skin", False),
            ],
        },
        animal(2, 1, "feathers", False),
    ),
}

for kind, task in TASKS.items():
    objects = [each for members in task.classes.values() for each in members]
    labels = [label for label, members in task.classes.items() for _ in members]
    try:
        clf = wb.LipschitzClassifier(task.metric).fit(objects, labels)
    except wb.errors.MissingExtra as missing:
        print(f"{kind:<11}left out. {missing}")
        continue
    label, radius = clf.predict([task.new])[0], clf.certified_radius([task.new])[0]
    print(
        f"{kind:<11}{label:<10}for all that is closer than {radius:.2f} {task.unit} "
        f"({task.metric}): {task.new}"
    )
