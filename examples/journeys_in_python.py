"""Three people with objects in Python: a data frame, a distance that takes its time, and a map of
objects that are no vectors.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import wideberth as wb


def data_frame(chance):
    """A table of mixed columns is measured by gower; numbers alone go through a scaler, and the
    pipeline is saved as a whole.
    """
    n = 120
    ill = np.arange(n) % 3 == 0
    frame = pd.DataFrame(
        {
            "age": chance.normal(40 + 20 * ill, 6).round(),
            "pressure": chance.normal(120 + 15 * ill, 8).round(),
            "town": chance.choice(["Ulm", "Bonn"], size=n),
            "state": np.where(ill, "ill", "well"),
        }
    )
    X, y = frame[["age", "pressure", "town"]], frame["state"]
    mixed = wb.LipschitzClassifier("gower").fit(X, y)
    print(
        f"gower on three columns: {np.mean(mixed.predict(X) == y):.0%} of the training rows are "
        "right"
    )
    numbers = make_pipeline(StandardScaler(), wb.NeighborsClassifier())
    accuracy = cross_val_score(numbers, X[["age", "pressure"]], y, cv=3).mean()
    print(f"neighbours on two standardised columns: {accuracy:.0%} right in cross-validation")
    assert accuracy > 0.8
    with tempfile.TemporaryDirectory() as folder:
        wb.save(numbers.fit(X[["age", "pressure"]], y), Path(folder, "numbers.wb"))
        loaded = wb.load(Path(folder, "numbers.wb"))
    assert (loaded.predict(X[["age", "pressure"]]) == numbers.predict(X[["age", "pressure"]])).all()
    print("the pipeline was saved without pickle, and answers as before\n")


def slow_distance():
    """A distance written in Python is called once for each pair, and 16 times more to try the
    triangle inequality it promises.
    """
    calls = 0

    def shared_letters(one, other):
        nonlocal calls
        calls += 1
        return float(len(set(one) ^ set(other)))

    names, sexes = (part[:120] for part in wb.datasets.load_first_names())
    measure = wb.metric(shared_letters, name="letters not shared", obeys_triangle=True)
    space = wb.MetricSpace(names, measure)
    for C in (2.0, 5.0, 25.0):
        model = wb.LipschitzClassifier(space.metric, C=C).fit(space.index, sexes)
        print(
            f"C = {C:4}: margin {model.margin_:.3g}; {calls:,} calls so far, of "
            f"{len(names) * (len(names) - 1) // 2:,} pairs"
        )
    assert calls <= len(names) * (len(names) - 1) // 2 + 16
    print(f"radius of {names[0]!r}: {model.certified_radius(space.index[:1])[0]:.3g}\n")


def a_map_of_words():
    """Coordinates in the plane for objects that are no vectors, as columns for any program that
    draws.
    """
    words = [
        "tea",
        "teas",
        "tease",
        "milk",
        "silk",
        "mild",
        "rum",
        "rums",
        "gum",
        "gin",
        "gins",
        "grin",
    ]
    coordinates = (
        wb.HilbertEmbedding("levenshtein", n_components=2, random_state=0)
        .set_output(transform="pandas")
        .fit_transform(words)
    )
    coordinates.insert(0, "word", words)
    print(coordinates.round(2).to_string(index=False))
    cells = [[" "] * 60 for _ in range(16)]
    x, y = (coordinates[name].to_numpy() for name in coordinates.columns[1:])
    for word, across, down in zip(
        words, (x - x.min()) / np.ptp(x), (y - y.min()) / np.ptp(y), strict=True
    ):
        row, start = cells[round(15 * float(down))], round(53 * float(across))
        row[start : start + len(word)] = word
    print("\n" + "\n".join("".join(row).rstrip() for row in cells))
    assert len(coordinates) == len(words)


if __name__ == "__main__":
    data_frame(np.random.default_rng(0))
    slow_distance()
    a_map_of_words()
