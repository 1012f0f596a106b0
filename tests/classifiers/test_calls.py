"""How often a fit calls a distance that is a Python function: once for each pair, whatever the
classifier does with it.
"""

import pickle
import warnings
from collections import Counter
from itertools import product

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import wideberth
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.errors import BrokenAxiom

#: Six letters apart in three places: the distances are no multiples of each other, and some
#: triangles are flat.
LETTERS = np.random.default_rng(3).integers(0, 6, (36, 3)).tolist()
WORDS = sorted({"".join("aeiourst"[letter] for letter in word) for word in LETTERS})
LABELS = ["front" if word < "i" else "back" for word in WORDS]
N = len(WORDS)

SINGLE = {name: entry.load() for name, entry in CLASSIFIERS.items() if entry.suits("levenshtein")}
CHOOSING = {
    f"{name}, chosen": CLASSIFIERS[name].load_chooser()
    for name in SINGLE
    if CLASSIFIERS[name].chooser_name
}


class Recorded:
    """A distance between words that notes the pairs it is called for."""

    def __init__(self):
        self.calls = Counter()

    def __call__(self, one, other):
        self.calls[one, other] += 1
        return float(sum(abs(ord(a) - ord(b)) ** 0.5 for a, b in zip(one, other, strict=True)))

    def check(self, *, symmetric):
        """At most one call for a pair; of a promised metric for one of its directions, and none for
        an object with itself.

        To try the promise, the 16 distances between 4 objects are measured besides.
        """
        pairs = Counter()
        for (one, other), count in self.calls.items():
            pairs[tuple(sorted((one, other))) if symmetric else (one, other)] += count
        assert pairs, "nothing was measured"
        if symmetric:
            tried = {one for one, other in pairs if one == other}
            assert len(tried) <= 4
            pairs -= Counter(
                {
                    tuple(sorted(pair)): 1 if len(set(pair)) == 1 else 2
                    for pair in product(tried, tried)
                }
            )
            assert not any(one == other for one, other in pairs)
        assert max(pairs.values()) == 1
        assert len(pairs) <= (N * (N - 1) // 2 if symmetric else N**2)


def learning(name, metric, **parameters):
    """A classifier with settings that suit a distance without promises."""
    if name in SINGLE:
        return CLASSIFIERS[name].set_up(metric, N).set_params(**parameters)
    chosen = CHOOSING[name](metric, cv=3, random_state=0, **parameters)
    return chosen.set_params(repair="clip") if "repair" in chosen.get_params() else chosen


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(action="ignore"):
        yield


#: What may be promised, and whether a pair is then measured in one direction alone.
PROMISES = {
    "promised": ({"obeys_triangle": True}, True),
    "symmetric": ({"symmetric": True}, True),
    "nothing promised": ({}, False),
}


@pytest.mark.few(5)
@pytest.mark.parametrize(("promises", "symmetric"), PROMISES.values(), ids=PROMISES)
@pytest.mark.parametrize("name", [*SINGLE, *CHOOSING])
def test_a_fit_calls_a_function_once_for_each_pair(name, promises, symmetric):
    function = Recorded()
    model = learning(name, wideberth.metric(function, **promises))
    model.fit(WORDS, LABELS)
    function.check(symmetric=symmetric)
    known = sum(function.calls.values())
    model.predict(["oooo"[:3]])
    assert sum(function.calls.values()) > known  # nothing is known about a new object


@pytest.mark.few(5)
@pytest.mark.parametrize("promised", [True, None], ids=["promised", "nothing promised"])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        *((name, {"calibrate": 2}) for name in SINGLE if name != "neighbors"),
        ("neighbors", {"n_neighbors": 3, "calibrate": "loo"}),
        *((name, {"scoring": "neg_log_loss", "calibrate": 2}) for name in CHOOSING),
        ("neighbors", {"n_neighbors": "loo"}),
        *(
            ("margin", {"separation": separation})
            for separation in ("compression", "holdout", "theory")
        ),
        ("lp", {"references": 5}),
        ("svm", {"landmarks": 5}),
    ],
)
def test_so_do_calibration_scores_leave_one_out_and_choices_of_objects(name, parameters, promised):
    function = Recorded()
    learning(name, wideberth.metric(function, obeys_triangle=promised), **parameters).fit(
        WORDS, LABELS
    )
    function.check(symmetric=promised)


def test_so_does_the_automatic_choice_and_the_doctor_tries_both_directions():
    function = Recorded()
    own = wideberth.metric(function, symmetric=True)
    wideberth.AutoClassifier(own, candidates=["neighbors", "lp"], cv=2, max_time=None).fit(
        WORDS, LABELS
    )
    function.check(symmetric=True)
    function.calls.clear()
    wideberth.diagnose(WORDS, own)
    assert set(function.calls.values()) == {1}
    assert len(function.calls) == N**2


def test_a_function_that_is_not_symmetric_refutes_that_it_was_declared():
    def later(one, other):
        return float(one > other)

    own = wideberth.metric(later, symmetric=True)
    for name in SINGLE:
        with pytest.raises(
            BrokenAxiom, match=r"is not symmetric.*refutes the promise symmetric=True"
        ):
            learning(name, own).fit(WORDS, LABELS)


def test_a_path_measures_once_for_all_prices():
    function = Recorded()
    wideberth.LipschitzClassifier(wideberth.metric(function, obeys_triangle=True)).path(
        WORDS, LABELS, C=[2, 5, 25]
    )
    function.check(symmetric=True)


@pytest.mark.parametrize("embedding", [wideberth.KuratowskiEmbedding, wideberth.HilbertEmbedding])
@pytest.mark.parametrize("few", [{}, {"few": 5}], ids=["all", "few"])
def test_embeddings_measure_once(embedding, few):
    function = Recorded()
    count = {
        "references" if embedding is wideberth.KuratowskiEmbedding else "landmarks": few.get("few")
    }
    embedding(wideberth.metric(function, obeys_triangle=True), **count).fit(WORDS)
    function.check(symmetric=True)


def test_where_memory_does_not_hold_the_distances_they_are_measured_again():
    function = Recorded()
    metric = wideberth.metric(function, obeys_triangle=True)
    little = wideberth.LipschitzClassifier(metric, max_memory=16 * N**2 - 1).fit(WORDS, LABELS)
    assert max(function.calls.values()) > 1
    kept = wideberth.LipschitzClassifier(metric).fit(WORDS, LABELS)
    np.testing.assert_array_equal(little.decision_function(WORDS), kept.decision_function(WORDS))


@pytest.mark.few(1)
@pytest.mark.parametrize(("promises", "symmetric"), PROMISES.values(), ids=PROMISES)
def test_a_space_never_calls_twice_and_its_counter_tells_the_truth(promises, symmetric):
    function = Recorded()
    space = wideberth.MetricSpace(WORDS, wideberth.metric(function, **promises))
    for name in (*SINGLE, *CHOOSING):
        learning(name, space.metric).fit(space.index, LABELS)
    cross_val_score(learning("neighbors", space.metric), space.index, LABELS, cv=3)
    search = GridSearchCV(wideberth.LipschitzClassifier(space.metric), {"C": [2, 5, 10]}, cv=3).fit(
        space.index, LABELS
    )
    function.check(symmetric=symmetric)
    assert space.distance_calls == sum(function.calls.values())
    function.calls.clear()
    known, new = space.distance_calls, space.append(["sss"])
    for _ in range(2):
        search.predict(new)
        if "obeys_triangle" in promises:
            search.best_estimator_.certified_radius(new)
    assert max(function.calls.values()) == 1
    assert space.distance_calls == known + sum(function.calls.values())


@pytest.mark.parametrize("name", [*SINGLE, *CHOOSING])
def test_the_distances_are_forgotten_after_the_fit(name):
    model = learning(name, wideberth.metric(abs_difference, obeys_triangle=True)).fit(
        np.arange(12.0), [0, 1] * 6
    )
    assert model.metric_.table is None
    assert model.metric_.name == "abs_difference"
    copy = pickle.loads(pickle.dumps(model))
    assert type(copy.metric_) is type(wideberth.metric(abs_difference))
    np.testing.assert_array_equal(
        copy.decision_function([0.5, 7.25]), model.decision_function([0.5, 7.25])
    )


def abs_difference(one, other):
    return abs(float(one) - float(other))
