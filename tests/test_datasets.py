import csv
from collections import Counter
from importlib.resources import files

from wideberth.datasets import load_first_names


def test_counts_are_those_of_the_census():
    names, sexes = load_first_names()
    assert len(names) == len(sexes)
    assert Counter(sexes) == {"female": 4275, "male": 1219}


def test_names_of_both_sexes_stay_twice_and_no_pair_repeats():
    names, sexes = load_first_names()
    assert len(set(zip(names, sexes, strict=True))) == len(names)
    assert sum(count == 2 for count in Counter(names).values()) == 331


def test_names_are_capitalised_words():
    names, _ = load_first_names()
    assert all(name.isalpha() and name == name.capitalize() for name in names)


def test_rows_come_in_one_fixed_order():
    raw = files("wideberth.datasets").joinpath("first_names.csv").read_bytes()
    rows = list(csv.DictReader(raw.decode("utf-8").splitlines()))
    assert b"\r" not in raw
    assert rows == sorted(rows, key=lambda row: (-float(row["percent"]), row["name"], row["sex"]))
