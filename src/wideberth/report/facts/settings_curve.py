"""How the risk depends on the setting that was chosen: the separation of margin neighbours, or the price C of errors."""

from typing import Any

import numpy as np

from wideberth.report.facts.given import GivenObjects

#: The most points of a curve, and the most curves.
_POINTS, _CURVES = 200, 6


def settings_facts(given: GivenObjects) -> dict[str, Any]:
    """The risk at each setting that was compared, and the setting that was taken.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.

    Returns
    -------
    dict
        ``setting`` and ``risk``: what the axes mean; ``curves``: a name, the settings and the risks of each; ``taken``; a
        ``reason`` if no setting was compared.
    """
    single, searched = given.single, given.classifier
    if hasattr(single, "risk_curve_") and len(single.risk_curve_) > 1:
        return _by_separation(single)
    if hasattr(searched, "cv_results_"):
        return _by_price(searched)
    if searched.comparison() is not None:
        return {
            "reason": "The table above has each method with its best settings; those of the winner are in its own words below."
        }
    return {"reason": "The settings of the method were given: no others were compared."}


def _by_separation(model: Any) -> dict[str, Any]:
    curve = model.risk_curve_
    places = np.unique(np.linspace(0, len(curve) - 1, min(_POINTS, len(curve))).astype(int))
    risk = {
        "holdout": "error on objects set aside",
        "compression": "bound on the error",
        "theory": "bound on the error",
    }.get(str(model.separation), "share of objects removed")
    return {
        "setting": "separation between classes",
        "unit": model.metric_.unit,
        "risk": risk,
        "log": False,
        "curves": [{"name": "", "settings": curve.separations[places], "risks": curve.risks[places]}],
        "taken": model.separation_,
    }


def _by_price(model: Any) -> dict[str, Any]:
    table = model.cv_results_
    others = [{name: value for name, value in candidate.items() if name != "C"} for candidate in table["params"]]
    named = np.array([", ".join(f"{name} {_short(value)}" for name, value in each.items()) for each in others])
    prices = np.array([float(candidate["C"]) for candidate in table["params"]])
    risks, best = 1.0 - np.asarray(table["mean_test_score"], dtype=float), model.best_index_
    least = {name: np.nanmin(risks[named == name]) for name in dict.fromkeys(named.tolist())}
    curves = []
    for name in sorted(least, key=lambda each: (each != named[best], least[each]))[:_CURVES]:
        own = np.flatnonzero(named == name)
        own = own[np.argsort(prices[own], kind="stable")]
        curves.append({"name": name, "settings": prices[own], "risks": risks[own]})
    scoring = getattr(model, "scoring", None)
    return {
        "setting": "C, the price of an error",
        "unit": None,
        "risk": "error on folds left out" if scoring in (None, "accuracy") else "1 - score on folds left out",
        "log": True,
        "curves": curves,
        "taken": prices[best],
    }


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
