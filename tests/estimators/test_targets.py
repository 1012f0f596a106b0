"""Labels as users pass them: one column for every classifier, and a clear error for several."""

import numpy as np
import pandas as pd
import pytest
from families import every_classifier
from scipy.sparse import csr_array
from sklearn.exceptions import DataConversionWarning
from sklearn.multioutput import MultiOutputClassifier

import wideberth
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import checked_vectors, code_targets

POINTS = np.concatenate([np.linspace(0.0, 0.3, 6), np.linspace(0.6, 0.9, 6)])[:, None]
SIDES = np.repeat([0, 1], 6)
ONE_HOT = np.eye(2, dtype=int)[SIDES]

CLASSIFIERS = [*every_classifier("vectors"), wideberth.OnlinePartitionClassifier()]
CLASSIFIERS = [pytest.param(model, id=type(model).__name__) for model in CLASSIFIERS]
SEVERAL = {
    "array": ONE_HOT,
    "lists": ONE_HOT.tolist(),
    "tuples": [tuple(row) for row in ONE_HOT.tolist()],
    "sets": [{side, 7} for side in SIDES.tolist()],
    "ragged": [[0], [0, 1]] * 6,
    "frame": pd.DataFrame(ONE_HOT),
    "sparse": csr_array(ONE_HOT),
    "three axes": ONE_HOT[:, :, None],
}
COLUMNS = {
    "array": SIDES[:, None],
    "lists": SIDES[:, None].tolist(),
    "tuples": [(side,) for side in SIDES.tolist()],
    "frame": pd.DataFrame({"side": SIDES}),
}


@pytest.mark.parametrize("model", CLASSIFIERS)
@pytest.mark.parametrize("kind", ["array", "lists"])
def test_every_classifier_refuses_several_labels(model, kind):
    with pytest.raises(
        InvalidInput, match="Several labels for one object are not supported: pass one column"
    ):
        model.fit(POINTS, SEVERAL[kind])


@pytest.mark.few(4)
@pytest.mark.parametrize("model", CLASSIFIERS)
@pytest.mark.parametrize("kind", ["array", "lists"])
def test_every_classifier_flattens_one_column_with_a_warning(model, kind):
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        model.fit(POINTS, COLUMNS[kind])
    np.testing.assert_array_equal(model.predict(POINTS), model.fit(POINTS, SIDES).predict(POINTS))


@pytest.mark.parametrize("y", [pytest.param(y, id=kind) for kind, y in SEVERAL.items()])
def test_several_labels_of_any_kind_are_refused(y):
    with pytest.raises(InvalidInput, match="Several labels for one object"):
        code_targets(y, len(SIDES))


@pytest.mark.parametrize("y", [pytest.param(y, id=kind) for kind, y in COLUMNS.items()])
def test_one_column_of_any_kind_is_flattened(y):
    with pytest.warns(DataConversionWarning):
        np.testing.assert_array_equal(code_targets(y, len(SIDES)).codes, SIDES)


def test_the_error_shows_the_first_object_with_several_labels():
    with pytest.raises(InvalidInput, match=r"y holds \['b', 'c'\] for object 2") as raised:
        code_targets(["a", ["b"], ["b", "c"]], 3)
    assert raised.value.witness == 2


def test_the_advice_works():
    assert wideberth.NeighborsClassifier().fit(POINTS, ONE_HOT.argmax(axis=1)).predict([[0.9]]) == [
        1
    ]
    models = MultiOutputClassifier(wideberth.NeighborsClassifier("levenshtein", n_neighbors=1))
    words = ["tea", "rum", "ale"]
    models.fit(words, np.array([[0, 1], [1, 0], [1, 1]]))
    assert models.predict(words).tolist() == [[0, 1], [1, 0], [1, 1]]


def test_new_labels_are_checked_in_the_same_way():
    model = wideberth.NeighborsClassifier().fit(POINTS, SIDES)
    for use in (
        wideberth.certify,
        lambda *of: wideberth.guarantees.certified_accuracy(*of, radii=[0]),
    ):
        with pytest.raises(InvalidInput, match="Several labels for one object"):
            use(model, POINTS + 0.01, ONE_HOT.tolist())


@pytest.mark.parametrize(
    "kind", [np.array, pd.DataFrame, csr_array, list], ids=lambda kind: kind.__name__
)
def test_the_first_number_that_is_not_finite_is_shown(kind):
    rows = [[1.0, 2.0, 0.0], [3.0, 0.0, np.inf], [np.nan, 0.0, 1.0]]
    with pytest.raises(
        InvalidInput, match=r"object 1 has the value inf at feature 2\. Fill it in"
    ) as caught:
        checked_vectors(wideberth.NeighborsClassifier(), kind(rows), reset=True, sparse=True)
    assert (caught.value.witness, caught.value.place) == ((1, 2), {"object": 1})
