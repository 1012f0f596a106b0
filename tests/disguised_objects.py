"""Training objects as files and exports change them by themselves: every disguise, on every kind of
object, metric and family.

The labels are noise, so that a certificate of any training objects in disguise would be false.
`benchmarks.guarantees` counts with `caught` what the tests assert.
"""

import random as letters
import unicodedata

import numpy as np
from sklearn.base import clone

import wideberth as wb
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.errors import WideberthError
from wideberth.transforms import product

N = 50
VOWELS = "aeiouäöüé"


def word(draw, least=8, most=14):
    return "".join(draw.choice(f"bcdfgklmnprst{VOWELS}") for _ in range(draw.randint(least, most)))


def words(seed, n=N):
    draw = letters.Random(seed)
    return [word(draw) for _ in range(n)]


def words_of_one_length(seed, n=N):
    return [each[:8] for each in words(seed, n)]


def sentences(seed, n=N):
    """A few of forty words each."""
    draw = letters.Random(seed)
    known = [word(letters.Random(number), 3, 7) for number in range(40)]
    return [" ".join(draw.sample(known, draw.randint(4, 7))) for _ in range(n)]


def tokens(seed, n=N):
    return [sentence.split() for sentence in sentences(seed, n)]


def sets(seed, n=N):
    return [set(sentence.split()) for sentence in sentences(seed, n)]


def weighted_sets(seed, n=N):
    random = np.random.default_rng(seed)
    return [
        {element: float(random.gamma(2.0)) for element in sorted(each)} for each in sets(seed, n)
    ]


def vectors(seed, n=N):
    return np.random.default_rng(seed).normal(size=(n, 3))


def places(seed, n=N):
    random = np.random.default_rng(seed)
    return np.c_[random.uniform(-1.4, 1.4, n), random.uniform(0.1, 3, n)]


def masses(seed, n=N):
    return np.random.default_rng(seed).dirichlet(np.ones(6), size=n)


def series(seed, n=N):
    random = np.random.default_rng(seed)
    return [random.normal(size=random.integers(8, 12)) for _ in range(n)]


def point_sets(seed, n=N):
    random = np.random.default_rng(seed)
    return [random.normal(size=(random.integers(3, 6), 2)) for _ in range(n)]


def graphs(seed, n=N):
    random, names, made = np.random.default_rng(seed), ["cärbon", "Nïtrogen", "öxygen"], []
    for _ in range(n):
        nodes = int(random.integers(6, 10))
        edges = [[i, j] for i in range(nodes) for j in range(i) if random.uniform() < 0.4]
        made.append({"nodes": random.choice(names, nodes).tolist(), "edges": edges})
    return made


def trees(seed, n=N):
    def tree(draw, depth):
        label = word(draw, 2, 4)
        return (label, [tree(draw, depth - 1) for _ in range(draw.randint(0, 3) if depth else 0)])

    draw = letters.Random(seed)
    return [(word(draw, 2, 4), [tree(draw, 2), tree(draw, 1)]) for _ in range(n)]


def rows(seed, n=N):
    random, draw = np.random.default_rng(seed), letters.Random(seed)
    return [
        {
            "size": float(random.normal()),
            "age": float(random.uniform(0, 9)),
            "kind": draw.choice(["äsh", "Ëlm", "fïr"]),
        }
        for _ in range(n)
    ]


def molecules(seed, n=N):
    draw = letters.Random(seed)
    return [
        "C"
        + "".join(
            draw.choice(["C", "N", "O", "S", "C(C)", "C(=O)"]) for _ in range(draw.randint(8, 12))
        )
        for _ in range(n)
    ]


def changed(item, text=None, number=None):
    """The object with other texts and other numbers, however deep they are."""
    if isinstance(item, str):
        return item if text is None else text(item)
    if isinstance(item, dict):  # names of columns and parts stay
        return {
            key: value if key == "edges" else changed(value, text, number)
            for key, value in item.items()
        }
    if isinstance(item, list | tuple | set):
        return type(item)(changed(part, text, number) for part in item)
    if isinstance(item, float | np.ndarray) and number is not None:
        rounded = number(np.asarray(item, dtype=np.float64))
        return rounded if isinstance(item, np.ndarray) else float(rounded)
    return item


def in_all(**change):
    """A disguise of a whole sample."""
    return lambda sample: (
        changed(sample, **change)
        if isinstance(sample, np.ndarray)
        else [changed(each, **change) for each in sample]
    )


def of_elements(**change):
    """A disguise of the elements of weighted sets."""
    return lambda sample: [
        {changed(key, **change): value for key, value in each.items()} for each in sample
    ]


def wide(text):
    """The letters in full width, as East Asian software writes them."""
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


TEXTS = {
    "a space after it": lambda text: f"{text} ",
    "spaces around it": lambda text: f"\t{text}\u00a0 ",
    "a return after it": lambda text: f"{text}\r",
    "a line end after it": lambda text: f"{text}\r\n",
    "a capital": str.capitalize,
    "capitals": str.upper,
    "quotes": lambda text: f'"{text}"',
    "curly quotes": lambda text: f"“{text}”",
    "a full stop": lambda text: f"{text}.",
    "letters taken apart (NFD)": lambda text: unicodedata.normalize("NFD", text),
    "full width": wide,
    "a mark of byte order": lambda text: f"\ufeff{text}",
}
NUMBERS = {
    "single precision": lambda numbers: numbers.astype("f4").astype(float),
    "half precision": lambda numbers: numbers.astype("f2").astype(float),
    "6 digits": np.vectorize(lambda value: float(f"{value:.6g}")),
    "3 digits": np.vectorize(lambda value: float(f"{value:.3g}")),
    "3 decimal places": lambda numbers: numbers.round(3),
    "2 decimal places": lambda numbers: numbers.round(2),
    "1 decimal place": lambda numbers: numbers.round(1),
}
OF_TEXTS = {name: in_all(text=change) for name, change in TEXTS.items()}
OF_NUMBERS = {name: in_all(number=change) for name, change in NUMBERS.items()}
ENDS = {
    "the last value twice": lambda sample: [np.append(each, each[-1]) for each in sample],
    "the last value lost": lambda sample: [each[:-1] for each in sample],
    "a 0 at the end": lambda sample: [np.append(each, 0.0) for each in sample],
}
WRITTEN = {
    "a space after it": lambda sample: [f"{each} " for each in sample],
    "a return after it": lambda sample: [f"{each}\r" for each in sample],
    "rdkit's molecules": lambda sample: [_molecule(each) for each in sample],
}

#: Kind of object: a source of objects of that kind, and what files and exports do to them.
KINDS = {
    "strings": (words, OF_TEXTS),
    "vectors": (vectors, OF_NUMBERS),
    "series": (series, OF_NUMBERS | ENDS),
    "sets": (sets, OF_TEXTS),
    "distributions": (masses, OF_NUMBERS),
    "points": (point_sets, OF_NUMBERS),
    "graphs": (graphs, OF_TEXTS),
    "trees": (trees, OF_TEXTS),
    "rows": (rows, OF_TEXTS | OF_NUMBERS),
    "molecules": (molecules, WRITTEN),
}
#: Metrics whose objects are others than most of their kind.
OTHERS = {
    "hamming": (
        words_of_one_length,
        {name: change for name, change in OF_TEXTS.items() if "capital" in name},
    ),
    "haversine": (places, OF_NUMBERS),
    "words": (sentences, OF_TEXTS),
    "ngrams": (sentences, OF_TEXTS),
    "rare_ngrams": (sentences, OF_TEXTS),
    "ruzicka": (
        weighted_sets,
        {name: of_elements(text=change) for name, change in TEXTS.items()} | OF_NUMBERS,
    ),
    "weighted_edit": (tokens, OF_TEXTS),
}
#: Metrics that need parameters.
PARAMETERS = {
    "minkowski": {"p": 3},
    "earth_mover": {"ground": np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))},
}


def cases():
    """Name, metric, source and disguises: every metric of the table, and metrics that are made of
    others.
    """
    made = {}
    for name in wb.list_metrics():
        if name == "precomputed":
            continue
        metric = wb.metric(name, **PARAMETERS.get(name, {}))
        source, disguises = OTHERS.get(name, KINDS[metric.accepts])
        made[name] = (metric, source, disguises)
    made["levenshtein of tokens"] = (wb.metric("levenshtein"), tokens, OF_TEXTS)
    parts = product({"size": "euclidean", "age": "euclidean", "kind": "levenshtein"})
    made["product"] = (parts, rows, OF_TEXTS | OF_NUMBERS)
    made["a function"] = (wb.metric(_sum_of_differences, obeys_triangle=True), vectors, OF_NUMBERS)
    made["precomputed"] = ("precomputed", None, NUMBERS)
    return made


def families(metric):
    """A classifier of every family that suits a metric, on any distance."""
    settings = {
        "neighbors": {"n_neighbors": 1},
        "svm": {"repair": "clip"},
        "lp": {"C": 1e3},
        "lipschitz": {"C": 1e3},
    }
    return {
        name: entry.load()(metric, **settings.get(name, {}))
        for name, entry in CLASSIFIERS.items()
        if entry.suits(metric)
    }


def caught(metric, source, disguises, model):
    """What became of each disguise of the training objects: "void", "refused", or the value that
    was certified, which is false.

    None if the family cannot be fitted on this metric.
    """
    labels = np.random.default_rng(1).integers(0, 2, N)
    objects = _matrix() if source is None else source(2)
    try:
        fitted = clone(model).fit(objects, labels)
    except WideberthError:
        return None
    found = {}
    for disguise, change in disguises.items():
        try:
            certificates = wb.certify(fitted, change(objects), labels, delta=0.05, verbose=-1)
        except WideberthError:
            found[disguise] = "refused"
            continue
        valid = [each.value for each in certificates if not each.void]
        found[disguise] = f"{min(valid):.3f}" if valid else "void"
    return found


def _matrix():
    points = vectors(3)
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def _sum_of_differences(one, other):
    return float(np.abs(one - other).sum())


def _molecule(smiles):
    from rdkit import Chem

    return Chem.MolFromSmiles(smiles)
