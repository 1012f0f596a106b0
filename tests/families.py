"""Every family of classifiers ready to fit, for tests that all families pass; from the table, so
that a new row joins them.
"""

from wideberth.classifiers.named import CLASSIFIERS

#: The metrics by which objects of a kind are learned: each family takes the first that suits it.
_METRICS = {"strings": ("levenshtein", "ngrams"), "vectors": ("euclidean", "manhattan")}


def metric_of(entry, kind):
    """The metric by which a family learns from objects of a kind."""
    suited = [metric for metric in _METRICS[kind] if entry.suits(metric)]
    assert suited, f"no metric of {kind} suits {entry.name}: name one here"
    return suited[0]


def families(kind, n_objects=60, *, like=None, **parameters):
    """A classifier of every family with its usual settings, not fitted.

    ``like`` says of a row whether it is wanted; parameters are set where a classifier has them.
    """
    return [
        _set(entry.set_up(metric_of(entry, kind), n_objects), parameters)
        for entry in CLASSIFIERS.values()
        if like is None or like(entry)
    ]


def choosers(kind, *, like=None, cv=2, **parameters):
    """A classifier of every class that chooses settings on folds, between two prices if it has such
    a parameter.
    """
    return [
        _set(
            entry.load_chooser()(metric_of(entry, kind), cv=cv, random_state=0),
            ({} if entry.C is None else {"C": [entry.C_range[0], entry.C]}) | parameters,
        )
        for entry in CLASSIFIERS.values()
        if entry.chooser_name is not None and (like is None or like(entry))
    ]


def every_classifier(kind, **given):
    """A classifier of every family and of every class that chooses settings."""
    cv = given.pop("cv", 2)
    return [*families(kind, **given), *choosers(kind, cv=cv, **given)]


def measures_distances(entry):
    """For ``like``: whether a family learns from distances alone."""
    return entry.load().measures_distances


def class_name(model):
    """For ``ids``: classifiers by the names of their classes."""
    return type(model).__name__


def _set(model, parameters):
    takes = model.get_params(deep=False)
    return model.set_params(**{name: value for name, value in parameters.items() if name in takes})
