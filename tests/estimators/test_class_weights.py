"""Every classifier that takes class_weight refuses weights that are none, and says which class has
one.
"""

import numpy as np
import pytest
from families import class_name, every_classifier
from sklearn.base import clone

import wideberth
from wideberth.errors import InvalidInput

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3

WEIGHTED = [
    *every_classifier("strings", cv=3),
    wideberth.LipschitzClassifier("levenshtein", C=np.inf),
    wideberth.AutoClassifier("levenshtein", candidates="neighbors", max_time=None),
]


def test_no_classifier_is_left_out():
    public = {
        getattr(wideberth, name)
        for name in wideberth.__all__
        if isinstance(getattr(wideberth, name), type)
    }
    taking = {
        each.__name__
        for each in public
        if "class_weight" in getattr(each, "_get_param_names", list)()
    }
    assert taking <= {type(model).__name__ for model in WEIGHTED}


@pytest.mark.few(6)
@pytest.mark.parametrize("model", WEIGHTED, ids=class_name)
@pytest.mark.parametrize("weight", [0, 0.0, -1.0, np.inf, np.nan])
@pytest.mark.parametrize("others", [{}, {"hard": 0.0}, {"hard": 2.0}])
def test_weights_that_are_none_are_refused(model, weight, others):
    given = {"soft": weight} | others
    with pytest.raises(
        InvalidInput, match=r"class_weight leaves no weight to the class '(soft|hard)'"
    ) as refusal:
        clone(model).set_params(class_weight=given).fit(WORDS, KINDS)
    assert refusal.value.witness in given
    corrected = {label: each if 0 < each < np.inf else 1.0 for label, each in given.items()}
    clone(model).set_params(class_weight=corrected).fit(WORDS, KINDS)  # the advice
