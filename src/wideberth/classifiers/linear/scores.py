"""Linear scores of counts: their values, how far their leads reach, and what each feature adds to
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.classifiers.linear.edit_paths import EditPaths, WordAndGramPaths
from wideberth.classifiers.linear.features import CountedFeatures, Vocabulary
from wideberth.classifiers.linear.gram_paths import GramPaths
from wideberth.classifiers.linear.word_moves import SynonymMoves, WordEdits
from wideberth.classifiers.linear.word_paths import WordPaths
from wideberth.estimators.model_facts import Explanation, Push
from wideberth.metrics.metric import Metric
from wideberth.metrics.strings.text_counts import Tokens
from wideberth.metrics.strings.word_edits import Synonyms
from wideberth.metrics.strings.words_and_grams import NGrams, Words
from wideberth.rounding import RADIUS_ERROR, shortened

# ---- Exact radii in edits, and the nearest text with another label, by shortest paths


def stable_edits(
    paths: EditPaths,
    texts: Sequence[str],
    winners: Indices,
    at_least: Floats,
    edits: int,
    n_jobs: int | None,
) -> Floats:
    """How far texts may be edited before their label changes: one edit more than those that
    certainly keep it.

    ``at_least`` are radii that are proved already. Radii up to ``edits`` are exact; above, the
    larger of ``edits + 1`` and what was proved.
    """
    radii = np.maximum(at_least, 1.0)  # a text keeps its own label
    stable = np.ones(len(texts), dtype=bool)
    for number in range(1, edits + 1):
        unknown = np.flatnonzero(stable & (at_least <= number))
        stable[unknown] = _keep_label(
            paths, [texts[int(row)] for row in unknown], winners[unknown], number, n_jobs
        )
        radii[stable] = np.maximum(radii[stable], number + 1.0)
    return radii


def nearest_change(paths: EditPaths, text: str, winner: int, edits: int) -> tuple[str, int] | None:
    """The text within some edits that has another label, fewest edits away, and how many; None if
    there is none, or a tie hides it.
    """
    for number in range(1, edits + 1):
        leads = paths.lowest_leads([text], np.array([winner]), number, n_jobs=1)[0, number]
        for rival in np.argsort(leads, kind="stable")[: len(leads) - 1]:
            if leads[rival] > _slack(paths, [text], np.array([winner]), number)[0, rival]:
                break
            changed = paths.worst_text(text, winner, int(rival), number)
            if int(_scores(paths, changed).argmax()) != winner:
                return changed, number
    return None


def _keep_label(
    paths: EditPaths, texts: Sequence[str], winners: Indices, edits: int, n_jobs: int | None
) -> Flags:
    """Whether no text within some edits can have another label, computed or exact."""
    if not len(texts):
        return np.zeros(0, dtype=bool)
    slack = _slack(paths, texts, winners, edits)
    return paths.keep_label(texts, winners, edits, slack, n_jobs)


def _slack(paths: EditPaths, texts: Sequence[str], winners: Indices, edits: int) -> Floats:
    """What rounding can do to the lowest lead and to the scores of the text that has it, shape (n,
    k).
    """
    sizes = paths.sizes(texts, edits)[:, edits]
    return 2.0 * RADIUS_ERROR * (sizes[np.arange(len(texts)), winners][:, None] + sizes)


def _scores(paths: EditPaths, text: str) -> Floats:
    """The scores of a text against the first class, by a path of no edits."""
    leads = paths.lowest_leads([text], np.zeros(1, dtype=np.intp), 0, n_jobs=1)[0, 0]
    return np.where(np.isinf(leads), 0.0, -leads)


#: Shortest paths know n-grams of so many letters at most.
LONGEST_GRAM = 3


@dataclass(frozen=True, eq=False)
class LinearScores:
    r"""Scores :math:`h(x, y) = \sum_g w_y^g\, n_g(x) + b_y` of prepared objects."""

    features: CountedFeatures
    coefficients: Floats
    intercepts: Floats

    def values(self, objects: Sample) -> Floats:
        """The scores, shape (n, k)."""
        return self._of(self.features.matrix(objects))

    @cached_property
    def slopes(self) -> Floats:
        r"""How steep the lead of each class over each other one is: :math:`\max_g |w_y^g -
        w_{y'}^g|`, shape (k, k).
        """
        return np.array(
            [
                np.abs(self.coefficients - each).max(axis=1, initial=0.0)
                for each in self.coefficients
            ]
        )

    def radii(self, objects: Sample) -> Floats:
        """How far objects may move in the L1 distance of the features: their leads, each over its
        own slope.

        Scores err by rounding in proportion to the sum of their absolute terms, here and where the
        object has moved to; see `wideberth.rounding.radii_of_leads`.
        """
        matrix = self.features.matrix(objects)
        scores, sizes = self._of(matrix), self._sizes(matrix)
        rows, winners = np.arange(len(scores)), scores.argmax(axis=1)
        leads = (
            scores[rows, winners][:, None]
            - scores
            - 2.0 * RADIUS_ERROR * (sizes[rows, winners][:, None] + sizes)
        )
        slopes = self.slopes[winners]
        radii = np.divide(leads, slopes, out=np.full_like(leads, np.inf), where=slopes > 0)
        radii[rows, winners] = np.inf
        return shortened(radii.min(axis=1), 0.0, 4.0 * RADIUS_ERROR)

    @cached_property
    def paths(self) -> EditPaths | None:
        """The lowest leads within edits, where scores add up over words or n-grams; None for other
        features.

        Examples
        --------
        >>> from wideberth import LinearLipschitzClassifier
        >>> LinearLipschitzClassifier("manhattan").fit(
        ...     [[0.0], [1.0]], [0, 1]
        ... )._function.paths is None
        True
        """
        if self.features.vocabularies is None:
            return None
        ends = np.cumsum([len(vocabulary) for vocabulary in self.features.vocabularies])[:-1]
        parts = zip(
            self.features.blocks,
            self.features.vocabularies,
            np.split(self.coefficients.T, ends),
            strict=True,
        )
        found = [
            _paths_of(block.metric, vocabulary, block.factor * weights)
            for block, vocabulary, weights in parts
        ]
        match sorted(filter(None, found), key=lambda paths: isinstance(paths, GramPaths)):
            case [WordPaths() as words, GramPaths() as grams]:
                paths: EditPaths = WordAndGramPaths(words, grams)
            case [WordPaths() | GramPaths() as paths] if len(found) == 1:
                pass
            case _:
                return None
        paths.intercepts = self.intercepts
        return paths

    @cached_property
    def word_edits(self) -> WordEdits | None:
        """What edits of words take from leads, where scores add up over words; None for other
        features.
        """
        words = self._words()
        return words and WordEdits(*words)

    def synonym_moves(self, table: Synonyms) -> SynonymMoves | None:
        """What words in place of others take from leads, where scores add up over words; None for
        other features. The last one is kept.
        """
        words = self._words()
        if words is None:
            return None
        found: SynonymMoves | None = self.__dict__.get("_synonym_moves")
        if found is None or found.table is not table:
            found = SynonymMoves.of(*words, table)
            self.__dict__["_synonym_moves"] = found
        return found

    def _words(self) -> tuple[Vocabulary, Floats, Floats, Tokens] | None:
        """The vocabulary, the weights, the intercepts and what a word is; None unless only words
        are counted.
        """
        block = self.features.blocks[0]
        if (
            len(self.features.blocks) > 1
            or self.features.vocabularies is None
            or not isinstance(block.metric, Words)
        ):
            return None
        weights = block.factor * self.coefficients.T
        return self.features.vocabularies[0], weights, self.intercepts, block.metric.tokens

    def explanations(self, objects: Sample, classes: NDArray[Any]) -> list[Explanation]:
        """What each feature adds to the lead of the winner over the class that came closest, for
        each object.
        """
        matrix = self.features.matrix(objects)
        names = self.features.names
        return [
            self._explained(row, *_used(matrix, place), names, classes)
            for place, row in enumerate(self._of(matrix))
        ]

    def _explained(
        self,
        scores: Floats,
        used: Sequence[int],
        counts: Sequence[float],
        names: list[str],
        classes: NDArray[Any],
    ) -> Explanation:
        winner = int(scores.argmax())
        if len(scores) == 1:
            return Explanation(classes[0].item(), 0.0, 0.0, ())
        rival = int(np.where(np.arange(len(scores)) == winner, -np.inf, scores).argmax())
        pull = (self.coefficients[winner] - self.coefficients[rival]).tolist()
        pushes = [
            Push(count * pull[at], feature=names[at], count=count)
            for at, count in zip(used, counts, strict=True)
        ]
        pushes.sort(key=lambda push: -abs(push.push))
        baseline = float(self.intercepts[winner] - self.intercepts[rival])
        lead = baseline + sum(push.push for push in pushes)
        return Explanation(
            classes[winner].item(), lead, baseline, tuple(pushes), rival=classes[rival].item()
        )

    def _of(self, matrix: Any) -> Floats:
        return np.asarray(matrix @ self.coefficients.T) + self.intercepts

    def _sizes(self, matrix: Any) -> Floats:
        """The sum of the absolute terms of each score."""
        return np.asarray(abs(matrix) @ np.abs(self.coefficients).T) + np.abs(self.intercepts)


def _paths_of(
    metric: Metric, vocabulary: Vocabulary, weights: Floats
) -> WordPaths | GramPaths | None:
    """The shortest paths of one kind of features, with intercepts of 0; None if there are none."""
    nothing = np.zeros(weights.shape[1])
    if isinstance(metric, Words) and metric.tokens == "spaces":
        return WordPaths(vocabulary.names, weights, nothing)
    if isinstance(metric, NGrams) and max(metric.orders) <= LONGEST_GRAM:
        return GramPaths(vocabulary.tuples, weights, nothing, at=metric.at, orders=metric.orders)
    return None


def _used(matrix: Any, row: int) -> tuple[Sequence[int], Sequence[float]]:
    """The features of an object that are not 0, and their values."""
    if isinstance(matrix, np.ndarray):
        used = np.flatnonzero(matrix[row])
        return used.tolist(), matrix[row, used].tolist()
    part = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[part].tolist(), matrix.data[part].tolist()
