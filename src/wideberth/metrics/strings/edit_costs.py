"""The costs of single edits, arranged by classes of tokens and checked to make a metric."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.axioms import find_broken_triangle
from wideberth.metrics.parameters import nonnegative, positive
from wideberth.metrics.strings.substitution_matrices import named_substitutions

#: The smallest common unit of costs, as a share of the largest, that counts as a step: 0.1 and 0.3 have none in binary.
_FINEST = 2.0**-20
#: The most tokens with costs of their own: the triangle inequality is checked for all triples of them.
MOST_TOKENS = 1000
#: The subject of errors about a cost, and their advice.
_COST = "The cost {} of 'weighted_edit'"
_COST_ADVICE = "numpy.inf rules a substitution out; tokens can always be inserted and deleted."


@dataclass(frozen=True, eq=False)
class EditCosts:
    """The costs of edits by class of tokens: class i < k is the token ``tokens[i]``, class k all tokens that are not listed.

    Attributes
    ----------
    tokens : tuple
        The k tokens with costs of their own.
    substitutions : ndarray of float64, shape (k + 1, k + 1)
        The cost of turning a token of one class into a different token of another, symmetric.
    gaps : ndarray of float64, shape (k + 1,)
        The cost of inserting or deleting a token of each class.
    opening : float
        What each run of insertions or deletions costs beyond its tokens.

    Examples
    --------
    >>> costs = edit_costs(1.0, 2.0, {("a", "b"): 0.5}, {})
    >>> costs.tokens, costs.substitutions[0, 1], costs.gaps
    (('a', 'b'), np.float64(0.5), array([2., 2., 2.]))
    """

    tokens: tuple[Any, ...]
    substitutions: Floats
    gaps: Floats
    opening: float = 0.0

    def of_pairs(self) -> Floats:
        """Compute the least costs between all listed tokens, two tokens that are not listed, and nothing, in this order.

        Returns
        -------
        ndarray of float64, shape (k + 3, k + 3)
            A substitution costs at most as much as a deletion and an insertion. The costs of the whole metric obey the triangle
            inequality if and only if this matrix does.

        Examples
        --------
        >>> edit_costs(5.0, 1.0, {}, {}).of_pairs()  # two tokens and nothing: delete and insert instead of substituting
        array([[0., 2., 1.],
               [2., 0., 1.],
               [1., 1., 0.]])
        """
        rows = [*range(len(self.tokens)), len(self.tokens), len(self.tokens)]
        costs = np.zeros((len(rows) + 1, len(rows) + 1))
        costs[-1, :-1] = costs[:-1, -1] = gaps = self.gaps[rows] + self.opening
        costs[:-1, :-1] = np.minimum(self.substitutions[np.ix_(rows, rows)], gaps[:, None] + gaps)
        np.fill_diagonal(costs, 0.0)
        return costs

    def separate(self) -> bool:
        """Tell whether every edit has a positive cost, so that only equal sequences are at distance 0.

        Examples
        --------
        >>> edit_costs(1.0, 1.0, {("a", "A"): 0}, {}).separate()
        False
        """
        different = ~np.eye(len(self.gaps), dtype=bool)
        return bool((self.gaps + self.opening > 0).all() and (self.substitutions[different] > 0).all())

    def of_edits(self) -> dict[str, float]:
        """Compute what edits cost at most, by the names of the metrics that count them.

        A substitution costs no more than a deletion and an insertion, and a swap no more than two substitutions or a deletion and
        an insertion of one of the two tokens.

        Examples
        --------
        >>> edit_costs(3.0, 1.0, {}, {}).of_edits()
        {'levenshtein': 2.0, 'indel': 1.0, 'damerau': 2.0, 'hamming': 2.0}
        """
        pairs = self.of_pairs()
        gap, substitution = float(pairs[-1].max()), float(pairs[:-1, :-1].max())
        either = max(gap, substitution)
        swap = min(2 * substitution, 2 * gap)
        return {"levenshtein": either, "indel": gap, "damerau": max(either, swap), "hamming": substitution}

    def unit(self) -> float | None:
        """Compute the largest number of which all costs are whole multiples.

        Returns
        -------
        float or None
            None if it is below 2^-20 of the largest cost, as for most decimal fractions, which binary numbers only approximate.

        Examples
        --------
        >>> edit_costs(1.0, 1.5, {("a", "b"): 0.5}, {}).unit()
        0.5
        """
        finite = {*self.substitutions[np.isfinite(self.substitutions)].tolist(), *self.gaps.tolist(), self.opening} - {0.0}
        exact = [Fraction(cost) for cost in finite]
        denominator = math.lcm(*(cost.denominator for cost in exact))
        unit = Fraction(math.gcd(*(int(cost * denominator) for cost in exact)), denominator)
        return float(unit) if unit >= max(exact) * Fraction(_FINEST) else None


def edit_costs(substitution: Any, gap: Any, substitutions: Any, gaps: Any, opening: Any = 0.0) -> EditCosts:
    """Arrange the costs that the user passed in tables by class of tokens, and check that they make a metric.

    Parameters
    ----------
    substitution, gap, substitutions, gaps, opening
        The parameters of `WeightedEdit`, which may be anything.

    Returns
    -------
    EditCosts

    Raises
    ------
    InvalidInput
        If a cost is not a number in its range, if the two directions of a substitution differ, or if the costs break the
        triangle inequality; the message names the tokens.

    Examples
    --------
    >>> edit_costs(1.0, 0.1, {}, {"a": 5.0})
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: These costs make no metric: 'a' -> nothing costs 5, but ...
    """
    default_substitution = float(
        positive(substitution, _COST.format("substitution"), _COST_ADVICE, allow_infinity=True, parameter="substitution")
    )
    default_gap = float(positive(gap, _COST.format("gap"), _COST_ADVICE, parameter="gap"))
    first = float(
        nonnegative(
            opening, _COST.format("opening"), "0 counts each token alone, whether it stands in a run or not.", parameter="opening"
        )
    )
    if isinstance(substitutions, str):
        substitutions = named_substitutions(substitutions, default_substitution)
    pairs = {
        _checked_pair(key): float(
            nonnegative(
                cost, _COST.format(f"substitutions[{key!r}]"), _COST_ADVICE, allow_infinity=True, parameter="substitutions"
            )
        )
        for key, cost in _checked_mapping(substitutions, "substitutions", "{('a', 'b'): 0.5}").items()
    }
    alone = {
        token: float(nonnegative(cost, _COST.format(f"gaps[{token!r}]"), _COST_ADVICE, parameter="gaps"))
        for token, cost in _checked_mapping(gaps, "gaps", "{'a': 0.5}").items()
    }
    listed = dict.fromkeys([*(token for pair in pairs for token in pair), *alone])
    number_of = {token: number for number, token in enumerate(listed)}
    if len(number_of) > MOST_TOKENS:
        raise InvalidInput(
            f"Costs are given for {len(number_of):,} tokens; at most {MOST_TOKENS:,} can have their own.",
            advice="Leave out those that cost the defaults.",
            value=len(number_of),
        )
    table = np.full((len(number_of) + 1, len(number_of) + 1), default_substitution)
    for (one, other), cost in pairs.items():
        if pairs.get((other, one), cost) != cost:
            raise InvalidInput(
                f"Turning {one!r} into {other!r} costs {cost:g}, but turning it back costs {pairs[other, one]:g}.",
                advice="A distance has one cost for both directions: give each pair once.",
                witness=(one, other),
                value=(cost, pairs[other, one]),
            )
        table[number_of[one], number_of[other]] = table[number_of[other], number_of[one]] = cost
    gap_costs = np.array([*(alone.get(token, default_gap) for token in number_of), default_gap])
    costs = EditCosts(tuple(number_of), table, gap_costs, first)
    _check_metric(costs)
    return costs


def _check_metric(costs: EditCosts) -> None:
    """Raise an error that names three tokens if the costs break the triangle inequality."""
    violation = find_broken_triangle(costs.of_pairs())
    if violation is None:
        return
    names = [*map(repr, costs.tokens), "any other token", "yet another token", "nothing"]
    one, other, between = (names[position] for position in violation.objects)
    straight, there, onwards = violation.values
    others = f"; {violation.broken - 1} more such" if violation.broken > 1 else ""
    unlisted = "" if set(violation.objects).isdisjoint((len(names) - 3, len(names) - 2)) else " (other tokens cost the defaults)"
    raise InvalidInput(
        f"These costs make no metric: {one} -> {other} costs {straight:g}, but {one} -> {between} -> {other} costs "
        f"{there:g} + {onwards:g} = {there + onwards:g}{others}.",
        advice=f"Lower the first to {there + onwards:.12g}, or raise the others{unlisted}.",
        witness=(one, between, other),
        value=violation.values,
    )


def _checked_mapping(given: Any, name: str, example: str) -> Mapping[Any, Any]:
    """Return the parameter ``name`` as a mapping, empty for None, or raise an error that shows an example."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"The {name} of 'weighted_edit' are a dict of costs, not {given!r}.", advice=f"For example {example}.", value=given
        )
    return given


def _checked_pair(key: Any) -> tuple[Any, Any]:
    """Return a key of ``substitutions``, or raise an error if it is not a pair of different tokens."""
    if not isinstance(key, tuple) or len(key) != 2 or key[0] == key[1]:
        raise InvalidInput(
            f"Substitutions are given by pairs of different tokens, not by {key!r}.",
            advice="For example {('a', 'b'): 0.5}; a token turns into itself at no cost.",
            value=key,
        )
    return key
