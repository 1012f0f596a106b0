"""The families of classifiers that are tried, and how each of them chooses its settings on folds of the objects."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

import wideberth
from wideberth.array_types import Floats
from wideberth.choice.grounds import Ground
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.estimators.choosing.answers import Answers, Variant, hinge_losses
from wideberth.estimators.choosing.certified_scoring import CertifiedScore
from wideberth.estimators.choosing.folds import Fold
from wideberth.estimators.choosing.shared_distances import Shared
from wideberth.geometry.measure.memory_amounts import parse_memory


@dataclass(frozen=True)
class Family:
    """A family of classifiers.

    Attributes
    ----------
    name : str
        Its short name, a key of `wideberth.classifiers.named.CLASSIFIERS`.
    growth : float
        The time to fit grows like this power of the number of objects.
    fixed : dict
        Parameters that the automatic choice sets.
    learned : tuple of str
        What a model of a family without a choice of settings has chosen while it learned: names of attributes.

    Examples
    --------
    >>> FAMILIES["svm"].chooser("levenshtein", n_jobs=1)
    HilbertSVCCV(metric='levenshtein', n_jobs=1)
    """

    name: str
    growth: float
    fixed: dict[str, Any] = field(default_factory=dict)
    learned: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What tables call it."""
        return CLASSIFIERS[self.name].title

    @property
    def chooses(self) -> bool:
        """Whether there is a class that chooses its settings by cross-validation."""
        return f"{CLASSIFIERS[self.name].class_name}CV" in dir(wideberth)

    def suits(self, metric: Any) -> bool:
        """Whether it can learn by this metric."""
        return CLASSIFIERS[self.name].suits(metric)

    def chooser(self, metric: Any, **parameters: Any) -> Any:
        """A classifier that chooses its own settings, or has none; parameters that it does not have are left out."""
        name = CLASSIFIERS[self.name].class_name
        made = getattr(wideberth, f"{name}CV" if self.chooses else name)(metric)
        takes = made.get_params(deep=False)
        return made.set_params(**{key: value for key, value in (self.fixed | parameters).items() if key in takes})

    def settings(self, model: Any, chosen: dict[str, Any]) -> dict[str, Any]:
        """The settings of a fitted model that tables show: those that were chosen, or that it has chosen while it learned."""
        return chosen if self.chooses else {name: getattr(model, f"{name}_") for name in self.learned}

    def candidates(self, chooser: Any, ground: Ground) -> tuple[Floats, list[Variant]]:
        """The values of C and the variants of a chooser on the objects that are compared."""
        if self.chooses:
            chooser.check_parameters()
            values, variants = chooser.candidates_on(ground.compared)
            return values, variants
        training, max_memory = ground.compared, parse_memory(chooser.max_memory)
        shared = Shared(training.objects, training.metric, ground.holder.classes_[training.codes], training.weights, max_memory)
        return np.array([np.nan]), [WithoutPrice({}, clone(chooser).set_params(metric=training.metric), shared)]


@dataclass(frozen=True, eq=False)
class WithoutPrice(Variant):
    """A classifier that has no C, or chooses it while it learns: there is one model for each fold."""

    def _by_path(self, fold: Fold, values: Floats, score: CertifiedScore | None) -> Answers:
        model, truth = self.fitted(fold, float(values[0])), self.shared.labels[fold.left_out]
        queries = model.admit_queries(self.shared.left_out(fold))
        scores = model.scores(queries)[None]
        stable = None if score is None else score.stable(model, queries)[None]
        return Answers(model.classes_, scores, hinge_losses(scores, model.classes_, truth), stable)

    def fitted(self, fold: Fold, C: float, calibrate: int | None = None) -> Any:
        """The classifier, learned from the known objects of a fold."""
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        model = clone(self.classifier)
        model.remembers = False
        return model.fit(objects, labels, weights)


#: The families in the order in which they are tried. Margin neighbours choose their separation on objects set aside, and then
#: learn from all of them.
FAMILIES = {
    family.name: family
    for family in (
        Family("neighbors", 2.0, learned=("n_neighbors",)),
        Family("svm", 2.0),
        Family("linear", 1.0),
        Family("lp", 2.0),
        Family("margin", 2.0, {"refit": True}, ("separation",)),
        Family("lipschitz", 2.5),
    )
}
