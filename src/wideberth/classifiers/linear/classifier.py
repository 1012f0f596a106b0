"""The Lipschitz classifier on linear functions of counts: accurate on texts, and certified against
edits.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.classifiers.linear.features import (
    CountedBlock,
    CountedFeatures,
    SparseVectors,
    Vocabulary,
    counted_blocks,
    is_sparse,
    prepared_for_features,
    restored_features,
    texts_of,
)
from wideberth.classifiers.linear.moves import MOVES, PathLimits, WorstCase
from wideberth.classifiers.linear.problem import (
    LearningSettings,
    LinearProblem,
    centred,
    changed_by_a_step,
    settings_of,
)
from wideberth.classifiers.linear.robust_hinge import LinearPoint
from wideberth.classifiers.linear.scores import LinearScores
from wideberth.errors import NotCertified
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.estimators.metric_classifier import MetricClassifier, PricedClassifier
from wideberth.estimators.metric_estimator import CALIBRATE, MAX_TIME, TOLERANCE, Fits, reported
from wideberth.estimators.model_facts import Explanation, Explanations, counted, one_label_in_words
from wideberth.estimators.radius_rules import ClosedForm, RadiusUnit
from wideberth.estimators.training import Admitted, Training, weigh_classes
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.strings.edits import Levenshtein
from wideberth.metrics.strings.word_edits import Synonyms, SynonymSteps, WordEdit
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import ObjectDigests
from wideberth.optimize.solution import Solution, warn_of_gap


class CountingClassifier(MetricClassifier):
    """Base of classifiers whose scores are functions of what a metric counts.

    Vectors may be the rows of a sparse matrix; `certify` does not recognise those among the
    training objects.
    """

    measures_distances: ClassVar[bool] = False
    if_missing: ClassVar[str] = (
        "Fill it in, or choose a classifier that measures distances: this one adds up features."
    )
    _accepts_sparse: ClassVar[bool] = True

    #: The table that a user passes, a dict of words and lists of words; None for none.
    synonyms: Any = None

    def radius_unit(self, unit: str | None) -> RadiusUnit:
        """What radii are measured in, synonyms among them if there is a table."""
        if unit != SynonymSteps.unit or self.synonyms is None:
            return super().radius_unit(unit)
        by_words = super().radius_unit(WordEdit.unit)
        return replace(by_words, moves=self._synonym_steps(by_words.measure))

    def _synonym_steps(self, words: Metric) -> SynonymSteps:
        """The steps that the table allows, read once."""
        tokens: Any = words.get_params()["tokens"]
        known = self.__dict__.get("_read_synonyms")
        if known is None or known[0] is not self.synonyms or known[1].tokens != tokens:
            steps = SynonymSteps(Synonyms.of(self.synonyms, tokens), tokens)
            self._read_synonyms = known = self.synonyms, steps
        return known[1]

    @classmethod
    def suits(cls, metric: Any) -> bool:
        """Whether the metric counts something."""
        return metric != Precomputed.name and counted_blocks(as_metric(metric)) is not None

    def _takes_missing(self) -> bool:
        return False  # its scores are sums over features, not functions of distances

    def _prepare(self, objects: Objects, metric: Metric) -> Sample:
        return prepared_for_features(metric, objects)

    def _recognised_by(
        self, metric: Metric, given: Objects, objects: Sample
    ) -> ObjectDigests | None:
        return None if is_sparse(given) else super()._recognised_by(metric, given, objects)

    def admit_objects(self, X: Objects, labelled: Any = None) -> Admitted:
        return super().admit_objects(X.matrix if isinstance(X, SparseVectors) else X, labelled)

    def admit_with_given(self, X: Objects) -> tuple[Sample, Sample]:
        return super().admit_with_given(X.matrix if isinstance(X, SparseVectors) else X)

    def digests(self, X: Objects) -> Digests | None:
        return None if is_sparse(X) else super().digests(X)


# ---- What the parameters may be

#: Paths and hinges of more edits take too long.
_MOST_EDITS = 20
#: Above, the price of coefficients would vanish beside that of errors.
_LARGEST_C = 1e150

FITS = {
    "C": Fits(
        lambda value: is_number(value) and 0 < value <= _LARGEST_C,
        f"It is positive and at most {_LARGEST_C:g}, such as 1.",
    ),
    "edits": Fits(
        lambda value: value is None or (is_whole(value, 0) and value <= _MOST_EDITS),
        f"Pass a whole number from 0 to {_MOST_EDITS}, or None.",
    ),
    "margin": Fits(
        lambda value: value is None or (is_number(value) and 0 < value < math.inf),
        "Pass a positive number of edits such as 8, or None for the price C.",
    ),
    "exact_edits": Fits(
        lambda value: is_whole(value, 0) and value <= _MOST_EDITS,
        f"Pass a whole number from 0 to {_MOST_EDITS}.",
    ),
    "synonyms": Fits(
        lambda value: value is None or isinstance(value, Mapping),
        "Pass a dict with a list of words for each word, {'good': ['fine', 'great']}, or None.",
    ),
    "min_count": Fits(lambda value: is_whole(value, 1), "Pass a number of texts, 1 or more."),
    "tol": TOLERANCE,
    "max_time": MAX_TIME,
    "calibrate": CALIBRATE,
}


#: A relative gap that is worth telling; the bound of a hinge after edits is often far below the
#: optimum.
_SMALL_GAP = 0.01


class LinearLipschitzClassifier(CountingClassifier, PricedClassifier):
    r"""Scores that are linear in counts of words or n-grams, learned so that labels survive edits
    of the text.

    .. math:: \min_{w, b} \; \tfrac12 \sum_{y, g} (w_y^g / r_g)^2 + \tfrac12 C_* \sum_i s_i \sum_{y
        \ne y_i}
        \Bigl[ (1 - h_y(x_i))_+^2 + \Bigl(1 - \min_{x' \text{ within } e \text{ edits of } x_i}
        h_y(x')\Bigr)_+^2 \Bigr], \qquad
        h_y(x) = h(x, y_i) - h(x, y), \quad h(x, y) = \sum_g w_y^g\, n_g(x) + b_y

    for the number :math:`n_g(x)` of times that the feature g occurs in x, and weights s. Rare
    features cost less: :math:`r_g = 1 + \log((1 + m) / (1 + m_g))` for a word or n-gram in
    :math:`m_g` of m texts, 1 for coordinates of vectors. The program is convex, since a maximum of
    convex functions of w is. Half of the losses are those of the texts as they are: what a short
    text says is gone after two edits, and after edits alone nothing would be learned. While
    learning, the minimum is taken over the e worst single changes of different places in the text;
    radii do not depend on that shortcut, which edits of words and synonyms do not need.

    An edit changes at most K counts (`wideberth.Metric.dominated`), so a lead of :math:`h(x, y) -
    h(x, y')` cannot be lost within :math:`(h(x, y) - h(x, y')) / (K \max_g |w_y^g - w_{y'}^g|)`
    edits. The scores are a subspace of Lipschitz functions (von Luxburg & Bousquet, JMLR 2004,
    section 6); `wideberth.papers.least_slope_scores` minimises their :math:`L + C_*
    \sum_i s_i \xi_i` over it.

    Parameters
    ----------
    metric : str or Metric, default "words"
        What is counted: "words", "ngrams" with ``form="counts"``, their sum
        (`wideberth.transforms.total`) or multiples of them (`wideberth.transforms.scale`). With
        "manhattan", the features are the coordinates of vectors, dense or sparse; what an edit
        changes at most can be declared: ``wideberth.metric("manhattan", dominated={"levenshtein":
        8})``.
    C : float, default 1
        The price of errors, free of scale: :math:`C_* = 1000\, C / (v S)` with v the variance of
        the features :math:`r_g n_g`, their sum, and S the sum of all weights. Larger means fewer
        training errors; 0.03 to 3 is usual.
    edits : int, optional
        The number e of edits for which the hinge is robust; 0 is the usual hinge. By default 2 for
        counts of words, 1 if half of the texts have fewer than ten words, and 0 if they have fewer
        than five, and for other features. With n-grams, 1 certifies several times as many names or
        single words for a few points of accuracy; it takes long for long texts.
    unit : {"edit", "word", "synonym"}, optional
        What the e edits are, and the margin is measured in: edits of characters by default, of
        whole words, or words replaced by synonyms, which is the default where a table of them is
        given; without ``edits`` all words at once. Words and synonyms for counts of words alone.
        What is certified does not depend on it: `certified_radius` takes any unit.
    synonyms : dict, optional
        For each word a list of words that may stand in its place: ``{"good": ["fine", "great"]}``.
        It goes one way, "fine" stays "fine". No table is shipped.
    margin : float, optional
        In place of C: the margin :math:`1 / L` that leads of 1 shall keep, in edits where the
        metric is bounded by Levenshtein's distance, or in the ``unit``, otherwise in its own. No
        coefficient is larger than :math:`L / 2K`.
    exact_edits : int, default 3
        Up to how many edits `certified_radius` is found by shortest paths: exact for counts of
        words and of n-grams of at most three letters, a lower bound for both together. Beyond, and
        for other features, it is what the slopes prove.
    min_count : int, default 2
        In how many different training texts a word or n-gram has to occur to be a feature.
    tol : float, default 1e-2
        The relative gap at which the program counts as solved: no scores have a value smaller by
        more than this share, as ``solution_`` proves. A warning says if it was not reached.
    max_time : float, optional
        Seconds after which the best scores so far are taken.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied into the sample weights.
    calibrate : int, optional
        The number of folds on which `predict_proba` is calibrated, None for none: copies learn from
        all folds but one.
    n_jobs : int, optional
        Cores to use for radii; None means all.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Shuffles the folds of ``calibrate``.

    Attributes
    ----------
    coef_ : ndarray of shape (k, features)
        The coefficients of each class; the middle of the classes is 0.
    intercept_ : ndarray of shape (k,)
        The constants.
    feature_names_ : ndarray of str, shape (features,)
        The words or n-grams, ``|`` for an end of a word or text.
    lipschitz_constant_ : float
        L, the largest slope of a lead; per edit, or per unit of a metric that no edits bound.
    margin_ : float
        1 / L: how far an object with a lead of 1 may move; infinite if all scores are constant.
    edits_ : int or None
        e in the formula; None for all synonyms at once.
    C_ : float
        :math:`C_*` in the formula; infinite if ``margin`` replaces it.
    solution_ : Solution
        Value, proved lower bound, gap and status of the program. The value of the robust one is
        that of the coefficients minus their mean over the classes, which have the leads of
        ``coef_``.
    classes_ : ndarray of shape (k,)
        The labels, sorted.

    Examples
    --------
    >>> texts = [
    ...     "hot tea with milk",
    ...     "iced tea or milk tea",
    ...     "milk and tea",
    ...     "old rum and ale",
    ...     "ale or rum",
    ...     "rum with ale",
    ... ]
    >>> clf = LinearLipschitzClassifier("words", edits=1).fit(texts, ["soft"] * 3 + ["hard"] * 3)
    >>> clf.predict(["tea or milk", "ale and rum"])
    array(['soft', 'hard'], dtype='<U4')
    >>> clf.feature_names_[clf.coef_[1] > 0.1]  # of the texts of the second class, soft
    array(['milk', 'tea'], dtype=object)
    """

    needs = frozenset({"obeys_triangle"})
    decides_by = "its label by adding up weights of the words or letter groups in it"
    holds = (
        *(CountedBlock, CountedFeatures, Vocabulary, LinearPoint, LinearScores),
        *(Synonyms, SynonymSteps),
    )

    _fits: ClassVar = FITS

    def __init__(
        self,
        metric: Any = "words",
        *,
        C: float = 1.0,
        edits: int | None = None,
        unit: str | None = None,
        synonyms: Any = None,
        margin: float | None = None,
        exact_edits: int = 3,
        min_count: int = 2,
        tol: float = 1e-2,
        max_time: float | None = None,
        class_weight: Any = None,
        calibrate: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.C = C
        self.edits = edits
        self.unit = unit
        self.synonyms = synonyms
        self.margin = margin
        self.exact_edits = exact_edits
        self.min_count = min_count
        self.tol = tol
        self.max_time = max_time
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def for_data(
        cls, metric: Any, n_objects: int, *, max_memory: str | int = "2GB", **parameters: Any
    ) -> Self:
        """The same for all sizes: nothing is measured, so there are no distances that would need
        memory.
        """
        return cls(metric, **parameters)

    def learn_together(self, training: Training, models: Sequence[Self]) -> None:
        if self.synonyms is not None:
            self.radius_unit(SynonymSteps.unit)  # the table is refused before anything is learned
        weighted = weigh_classes(training, self.classes_, self.class_weight)
        problem, start = LinearProblem(weighted, self.min_count), None
        for model in sorted(models, key=lambda model: model.C):
            settings = settings_of(model, problem.median_words)
            solution = problem.solve(settings, start)
            model.take_solution(problem, settings, solution)
            start = solution.point

    def learns_in_parts(self) -> bool:
        """Linear scores need no pairs of objects; folds for probabilities, and the many changes of
        n-grams by edits need all objects at once.
        """
        grams = "gram" in str(getattr(self.metric, "name", self.metric))
        whole = self.calibrate is not None or (grams and bool(self.edits))
        return type(self) is LinearLipschitzClassifier and not whole

    def take_solution(
        self, problem: LinearProblem, settings: LearningSettings, solution: Solution
    ) -> None:
        """Take the scores of a solution."""
        coefficients, intercepts = centred(solution.point)
        self.edits_, self.C_ = settings.edits, problem.price(settings)
        self._set_scores(problem.features, coefficients, intercepts)
        point = LinearPoint(self.coef_.T, self.intercept_)
        self.solution_ = Solution(point, solution.value, solution.lower_bound, solution.status)
        warn_of_gap(self.solution_, self.tol)

    def _set_scores(
        self, features: CountedFeatures, coefficients: Floats, intercepts: Floats
    ) -> None:
        """Set the scores and what follows from them."""
        self._function = LinearScores(features, coefficients, intercepts)
        self.coef_, self.intercept_ = coefficients, intercepts
        self.feature_names_ = np.array(features.names, dtype=object)
        self.lipschitz_constant_ = changed_by_a_step(self.learned_unit()) * float(
            self._function.slopes.max()
        )
        self.margin_ = 1.0 / self.lipschitz_constant_ if self.lipschitz_constant_ else math.inf

    def learned_unit(self) -> RadiusUnit | None:
        """What it learns for: the unit that was named, synonyms if there is a table, else edits;
        None where nothing bounds the metric by edits.
        """
        if self.unit is not None:
            return self.radius_unit(self.unit)
        try:
            return self.radius_unit("edit" if self.synonyms is None else SynonymSteps.unit)
        except NotCertified:
            if self.synonyms is not None:
                raise
            return None

    def scores(self, objects: Sample) -> Floats:
        return self._function.values(objects)

    def radius_rule(self) -> ClosedForm:
        return ClosedForm(self.scores, self._radii_in, are_heights=True)

    def kept(self) -> None:
        """None: scores are sums over features, and no training object is kept."""

    @reported
    def certified_radius(self, X: Objects, unit: str | None = None) -> Floats:
        r"""How far each object may move before its label can change: nothing strictly closer has
        another label.

        In the unit of the metric it is the smallest :math:`(h(x, y) - h(x, y')) / \max_g |w_y^g -
        w_{y'}^g|` for the winning class y. In edits it is exact up to ``exact_edits``: a label that
        e edits cannot change, but e + 1 can, has the radius e + 1. In edits of words and in
        synonyms it is exact without a limit: for words that add :math:`d_v = w_y^v - w_{y'}^v` to
        the lead of y over y', the lowest lead after r edits of words is

        .. math:: h(x, y) - h(x, y') - \sum_{r \text{ largest in } x} \max\{0, d_v\} - r \,
            \bigl|\min\{0, \min_v d_v\}\bigr|

        Parameters
        ----------
        X : sample
            Objects to classify.
        unit : str, optional
            "edit", one character put in, taken out or replaced; "word", the same of a whole word;
            "synonym", one word replaced as the model's table allows; or a metric that bounds that
            of the model (`wideberth.Metric.dominated`).

        Returns
        -------
        ndarray of shape (n,)
            The radii; infinite in synonyms where all words may be replaced at once.

        Examples
        --------
        >>> texts = [
        ...     "tea with milk",
        ...     "milk tea",
        ...     "tea milk tea",
        ...     "rum and ale",
        ...     "ale or rum",
        ...     "rum with ale",
        ... ]
        >>> clf = LinearLipschitzClassifier("words", edits=0).fit(
        ...     texts, ["soft"] * 3 + ["hard"] * 3
        ... )
        >>> # one edit of it can change its label, as this one does
        >>> clf.certified_radius(["tea or rum rum"], unit="edit")
        array([1.])
        >>> clf.predict(["tea or rum rum", "tea or rumrum"])
        array(['hard', 'soft'], dtype='<U4')
        """
        return super().certified_radius(X, unit)

    def _radii_in(self, objects: Sample, measure: RadiusUnit, farthest: float) -> Floats:
        """The radii in a unit: by the slopes, by edits of words where these are bounded by it, and
        by the worst that steps of the unit can do, as far as paths look.

        Paths go no farther than the largest radius that matters.
        """
        radii = measure.converted(self._function.radii(objects), objects)
        if measure.other is None or len(self.classes_) == 1:
            return radii
        winners = self._function.values(objects).argmax(axis=1)
        radii = np.maximum(radii, self._by_word_edits(objects, winners, measure))
        worst = self._worst_case(measure)
        if worst is None:
            return radii
        limits = PathLimits(int(min(self.exact_edits, farthest)), self.n_jobs)
        return worst.radii(objects, winners, radii, limits)

    def _worst_case(self, measure: RadiusUnit) -> WorstCase | None:
        """How far steps of a unit can lower leads; None where only slopes bound that."""
        steps = measure.known_measure
        moves = None if steps is None else MOVES.get(type(steps))
        return None if steps is None or moves is None else moves.worst_case(self._function, steps)

    def _by_word_edits(self, objects: Sample, winners: Indices, measure: RadiusUnit) -> Floats:
        """What edits of words prove in a unit whose steps are so many of them at most: no change of
        a letter in a word does more than another word in its place.
        """
        words = self._function.word_edits
        steps = None if words is None else WordEdit(words.tokens)
        if words is None or steps is None or measure.other not in steps.dominated:
            return np.zeros(sample.count(objects))
        by_words = RadiusUnit(steps, measure.other)
        return by_words.converted(words.radii(objects, winners), objects)

    def nearest_change(self, target: Any, unit: str | None) -> tuple[Any, float] | None:
        worst = self._worst_case(self.radius_unit(unit))
        if worst is None or len(self.classes_) == 1:
            return None
        objects = self.admit_queries([target])
        winner = int(self.winners(objects)[0])
        limits = PathLimits(self.exact_edits, self.n_jobs)
        return worst.nearest_change(target, objects, winner, limits)

    def preferred_unit(self) -> str:
        return self.unit or ("edit" if self.synonyms is None else str(SynonymSteps.unit))

    def explain(self, X: Objects) -> list[Explanation]:
        """Explain each label by what the features of an object add to its lead over the label that
        came closest.

        With the nearest text that has another label, in the unit that was learned for, where it can
        be told exactly: of edits within ``exact_edits``, of edits of words and synonyms always.

        Examples
        --------
        >>> texts = ["a cup of tea", "tea with milk", "a cask of rum", "rum and ale"]
        >>> clf = LinearLipschitzClassifier("words", edits=0).fit(
        ...     texts, ["soft", "soft", "hard", "hard"]
        ... )
        >>> why = clf.explain(["rum or tea or tea"])[0]
        >>> why.label, [(push.feature, push.count) for push in why.pushes]
        ('soft', [('tea', 2.0), ('rum', 1.0)])
        """
        objects = self.admit_queries(X)
        found = self._function.explanations(objects, self.classes_)
        measure, unit = self.learned_unit(), self.preferred_unit()
        if measure is None or self._worst_case(measure) is None:
            return Explanations(found)
        changes = [self.nearest_change(text, unit) for text in texts_of(objects)]
        return Explanations(
            each
            if near is None or near[0] is None
            else replace(
                each,
                changed=near[0],
                changed_label=self.predict([near[0]])[0].item(),
                edits=int(near[1]),
                unit=measure.label,
            )
            for each, near in zip(found, changes, strict=True)
        )

    def in_words(self) -> list[str]:
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        paid = f"C = {self.C:g}" if self.margin is None else f"margin {self.margin:g}"
        if not self.lipschitz_constant_:
            label = self.classes_[: 1 + int(np.argmax(self.intercept_))].tolist()[-1]
            yield f"{paid}: {one_label_in_words(label, len(self.classes_))}"
            return
        in_edits, learned = Levenshtein.name in self.metric_.dominated, self.learned_unit()
        steps = "unit of the metric" if learned is None else learned.label
        robust = (
            f", robust to any number of {steps}s"
            if self.edits_ is None
            else f", robust to {counted(self.edits_, steps, f'{steps}s')}"
            if self.edits_
            else ""
        )
        features = counted(len(self.feature_names_), "feature", "features")
        reach = f"{self.margin_:.4g} {'units of the metric' if learned is None else f'{steps}s'}"
        gap = max(0.0, self.solution_.relative_gap)
        # a wide one says little of the scores
        proved = f"; within {gap:.2g} of the optimum" if gap <= _SMALL_GAP else ""
        yield f"{paid}{robust}: linear in the counts of {features}{proved}."
        yield f"A lead of 1 cannot be lost within {reach}."
        if self._function.paths is not None and not self._function.paths.exact:
            yield (
                "Radii in edits are bounds by shortest paths of words and of n-grams up to "
                f"{self.exact_edits}, by slopes beyond."
            )
        elif self._function.paths is not None:
            yield (
                f"Radii in edits are exact up to {counted(self.exact_edits, 'edit', 'edits')}, by "
                "shortest paths; bounds beyond."
            )
        elif in_edits:
            yield "Radii in edits are bounds: for these features there are no shortest paths."
        yield from self._word_lines(learned)

    def _word_lines(self, learned: RadiusUnit | None) -> Iterator[str]:
        """What a word is, and what is exact about moves of words, where that is not as usual."""
        words, usual = self._function.word_edits, WordEdit().tokens
        moved = learned is not None and isinstance(learned.measure, WordEdit | SynonymSteps)
        if words is None or not (moved or words.tokens != usual or self.synonyms):
            return
        what = " and synonyms" if self.synonyms else ""
        yield f"Radii in edits of words{what} are exact. {WordEdit(words.tokens).unit_means}"
        if self.synonyms:
            table = self._synonym_steps(WordEdit(words.tokens)).table.of_words
            yield f"{counted(len(table), 'word has', 'words have')} synonyms in the table."

    def state(self) -> dict[str, Any]:
        vocabularies = self._function.features.vocabularies
        return {
            "objects": None,
            "features": None
            if vocabularies is None
            else [{"letters": v.letters, "starts": v.starts} for v in vocabularies],
            "coefficients": self.coef_,
            "intercepts": self.intercept_,
            "C": self.C_,
            "edits": self.edits_,
            **calibration_to_plain(self),
            "value": self.solution_.value,
            "lower_bound": self.solution_.lower_bound,
            "status": self.solution_.status,
        }

    def restore(self, state: dict[str, Any]) -> None:
        coefficients = restored_values.table(state, "coefficients", (len(self.classes_), None))
        features = restored_features(self.metric_, state["features"], coefficients.shape[1])
        intercepts = restored_values.finite(state, "intercepts", len(self.classes_))
        self.C_ = restored_values.number(state, "C", least=0.0)
        all_at_once = self.edits is None and self.preferred_unit() == SynonymSteps.unit
        self.edits_ = (
            None
            if all_at_once and state["edits"] is None
            else restored_values.whole(state, "edits", least=0, most=restored_values.MOST_JOBS)
        )
        restore_calibration(self, state)
        value, lower_bound = (
            restored_values.number(state, name) for name in ("value", "lower_bound")
        )
        self._set_scores(features, coefficients, intercepts)
        self.solution_ = Solution(
            LinearPoint(coefficients.T, intercepts), value, lower_bound, str(state["status"])
        )
