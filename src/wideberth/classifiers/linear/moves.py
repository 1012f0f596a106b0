"""What the steps of a unit are to linear scores of counts: what each changes in a text, so that
scores can be learned for it, and how far r of them can lower a lead.

A unit is a row of `MOVES`, found by what measures in it. What has no row is bounded by slopes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from wideberth.array_types import Floats, Indices, Sample
from wideberth.classifiers.linear.changes import (
    EditChanges,
    letter_changes,
    lists_letters,
    lists_words,
    synonym_changes,
    word_changes,
)
from wideberth.classifiers.linear.features import CountedBlock, CountedFeatures, texts_of
from wideberth.classifiers.linear.scores import LinearScores, nearest_change, stable_edits
from wideberth.classifiers.linear.word_moves import WordMoves
from wideberth.metrics.metric import Metric
from wideberth.metrics.strings.edits import Levenshtein
from wideberth.metrics.strings.word_edits import SynonymSteps, WordEdit


class PathLimits(NamedTuple):
    """How far shortest paths look, and on how many cores."""

    exact_edits: int
    n_jobs: int | None


class WorstCase(Protocol):
    """How far steps of a unit can lower the leads of some scores."""

    def radii(
        self, objects: Sample, winners: Indices, at_least: Floats, limits: PathLimits
    ) -> Floats:
        """How far prepared texts are from another label, if ``at_least`` is proved already."""

    def nearest_change(
        self, text: str, objects: Sample, winner: int, limits: PathLimits
    ) -> tuple[str | None, float] | None:
        """The nearest text with another label and how many steps away, if that is known exactly;
        none at an infinite distance where there is none.
        """


@dataclass(frozen=True)
class ByPaths:
    """Edits of characters, by shortest paths."""

    scores: LinearScores

    def radii(
        self, objects: Sample, winners: Indices, at_least: Floats, limits: PathLimits
    ) -> Floats:
        """Exact up to so many edits as paths look at, if paths are."""
        assert self.scores.paths is not None
        texts = texts_of(objects).tolist()
        return stable_edits(self.scores.paths, texts, winners, at_least, *limits)

    def nearest_change(
        self, text: str, objects: Sample, winner: int, limits: PathLimits
    ) -> tuple[str, int] | None:
        """As far as paths look."""
        paths = self.scores.paths
        if paths is None or not paths.exact:
            return None
        return nearest_change(paths, text, winner, limits.exact_edits)


@dataclass(frozen=True)
class ByWords:
    """Moves of whole words, in closed form."""

    moves: WordMoves

    def radii(
        self, objects: Sample, winners: Indices, at_least: Floats, limits: PathLimits
    ) -> Floats:
        """Exact, however many."""
        return np.maximum(self.moves.radii(objects, winners), at_least)

    def nearest_change(
        self, text: str, objects: Sample, winner: int, limits: PathLimits
    ) -> tuple[str | None, float] | None:
        """However many moves away."""
        return self.moves.nearest_change(text, objects, winner)


@dataclass(frozen=True)
class Moves:
    """The steps of a unit."""

    #: Whether what they change is listed for what a metric counts.
    listed: Callable[[list[CountedBlock]], bool]
    #: What each changes in some prepared objects.
    changes: Callable[[CountedFeatures, Sample, Metric], EditChanges]
    #: How far they can lower the leads of scores; None where only slopes bound it.
    worst_case: Callable[[LinearScores, Metric], WorstCase | None]
    #: Whether all that is possible is done at once while learning, unless a number is given.
    all_at_once: bool = False


def _by_paths(scores: LinearScores, steps: Metric) -> WorstCase | None:
    return None if scores.paths is None else ByPaths(scores)


def _by_word_edits(scores: LinearScores, steps: Metric) -> WorstCase | None:
    return None if scores.word_edits is None else ByWords(scores.word_edits)


def _by_synonyms(scores: LinearScores, steps: Metric) -> WorstCase | None:
    assert isinstance(steps, SynonymSteps)
    moves = scores.synonym_moves(steps.table)
    return None if moves is None else ByWords(moves)


#: The units with rules of their own, by what measures in them.
MOVES: dict[type[Metric], Moves] = {
    Levenshtein: Moves(lists_letters, letter_changes, _by_paths),
    WordEdit: Moves(lists_words, word_changes, _by_word_edits),
    SynonymSteps: Moves(lists_words, synonym_changes, _by_synonyms, all_at_once=True),
}
