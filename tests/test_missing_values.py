"""Missing values in all forms in which people have tables: every question to a model, to data or to
distances has the same answer.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import wideberth as wb

N, TAUGHT = 30, 22
LABELS = np.array(["no", "yes"])[np.arange(N) % 2]


def _numbers():
    random = np.random.default_rng(0)
    rows = random.normal(size=(N, 3)) * [1.0, 50.0, 1.0] + 3.0 * (np.arange(N) % 2)[:, None]
    rows[:, 2] = random.integers(0, 4, N)
    return np.where(random.random(rows.shape) < 0.25, np.nan, rows)


NUMBERS = _numbers()
CELLS = [[None if cell != cell else cell for cell in row] for row in NUMBERS.tolist()]
FRAME = pd.DataFrame(NUMBERS, columns=["size", "weight", "count"]).astype({"count": "Int64"})
ROWS = [
    {
        "size": size,
        "heavy": None if weight is None else weight > 0,
        "colour": None if count is None else "rgbk"[int(count)],
        "born": None if weight is None else pd.Timestamp("2000-01-01") + pd.Timedelta(days=place),
        "count": None if count is None else int(count),
    }
    for place, (size, weight, count) in enumerate(CELLS)
]
MIXED = pd.DataFrame(ROWS).astype({"colour": "category", "heavy": "boolean", "count": "Int64"})
VECTORS = {
    "array": NUMBERS,
    "array of objects": np.array(CELLS, dtype=object),
    "lists": CELLS,
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "arrow": pa.Table.from_pandas(FRAME, preserve_index=False),
}
TABLES = {
    "dicts": ROWS,
    "pandas": MIXED,
    "polars": pl.DataFrame(ROWS),
    "arrow": pa.Table.from_pylist(ROWS),
}
FORMS = {
    **{f"{name} of numbers": ("standardized", form) for name, form in VECTORS.items()},
    **{f"{name} of rows": ("gower", form) for name, form in TABLES.items()},
}


def _part(form, start, end):
    return form.slice(start, end - start) if isinstance(form, pa.Table) else form[start:end]


def _new_and_taught(form):
    return _part(form, TAUGHT, N), _part(form, 0, TAUGHT)


def _fitted(metric, taught):
    return wb.NeighborsClassifier(metric, n_neighbors=3).fit(taught, LABELS[:TAUGHT])


def _certificates(metric, form):
    new, taught = _new_and_taught(form)
    model = _fitted(metric, taught)
    curve = wb.guarantees.certified_accuracy(model, new, LABELS[TAUGHT:], radii=[0.0, 0.1])
    return curve.certified, [each.value for each in wb.certify(model, new, LABELS[TAUGHT:])]


def _attacks(metric, form):
    new, taught = _new_and_taught(form)
    if metric == "gower":  # rows have none
        return ()
    found = wb.guarantees.attack(_fitted(metric, taught), _part(new, 0, 2), max_questions=60)
    return [each.distance for each in found]


def _sets(metric, form):
    new, taught = _new_and_taught(form)
    model, told = _fitted(metric, taught), (taught, LABELS[:TAUGHT])
    found = [each.index for why in wb.witnesses(model, new, told) for each in why.supporters]
    return found, wb.predict_set(model, new, calibration=(new, LABELS[TAUGHT:])).p_values


def _alone(metric, form):
    found = wb.diagnose(form, metric, LABELS)
    assert found.is_metric
    assert not found.broken_promises
    distances = wb.pairwise_distances(form, metric=metric)
    indices = wb.prototypes(form, metric, k=3, y=LABELS).indices
    return distances, indices, wb.repair(distances, "closure")


QUESTIONS = {
    "radii": lambda metric, form: _fitted(metric, _part(form, 0, TAUGHT)).certified_radius(
        _part(form, TAUGHT, N)
    ),
    "neighbours": lambda metric, form: (
        wb.NeighborsClassifier(metric, n_neighbors="loo").fit(form, LABELS).predict(form)
    ),
    "suspects": lambda metric, form: [
        issue.index
        for issue in wb.label_issues(
            _fitted(metric, _part(form, 0, TAUGHT)), _part(form, 0, TAUGHT), LABELS[:TAUGHT], cv=2
        )
    ],
    "novelty": lambda metric, form: (
        wb.novelty(
            _fitted(metric, _part(form, 0, TAUGHT)),
            _part(form, TAUGHT, N),
            calibration=_part(form, TAUGHT, N),
        ).p_values
    ),
    "labels to ask for": lambda metric, form: (
        wb.label_next(_fitted(metric, _part(form, 0, TAUGHT)), _part(form, TAUGHT, N), 3).indices
    ),
    "certificates": _certificates,
    "attacks": _attacks,
    "sets and witnesses": _sets,
    "data alone": _alone,
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_answers(form, question):
    metric, given = FORMS[form]
    plain = VECTORS["array"] if metric == "standardized" else TABLES["dicts"]
    answer, expected = (QUESTIONS[question](metric, each) for each in (given, plain))
    _assert_alike(answer, expected)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_metrics_are_chosen_whatever_is_missing(form):
    metric, given = FORMS[form]
    model = wb.AutoClassifier(candidates="neighbors", max_time=None, cv=2, random_state=0)
    model.fit(given, LABELS)
    assert any(metric in str(each["metric"]) for each in model.leaderboard_)
    assert len(model.predict(_part(given, 0, 3))) == 3


def _assert_alike(one, other):
    if isinstance(one, tuple):
        for mine, theirs in zip(one, other, strict=True):
            _assert_alike(mine, theirs)
    elif np.asarray(one).dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=1e-6)
    else:
        np.testing.assert_array_equal(one, other)
