"""Weighted edit distance: costs by token from the user, which are checked to make a metric."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.axioms import find_broken_triangle
from wideberth.metrics.containers import mean_size
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import renumbered
from wideberth.metrics.parameters import nonnegative, positive
from wideberth.metrics.strings.kernels import weighted_edit_block
from wideberth.metrics.strings.sample import TokenSample, prepare_tokens

#: The smallest common unit of costs, as a share of the largest, that counts as a step: 0.1 and 0.3 have none in binary.
_FINEST = 2.0**-20
#: The most tokens with costs of their own: the triangle inequality is checked for all triples of them.
MOST_TOKENS = 1000
#: The subject of errors about a cost, and their advice.
_COST = "The cost {} of 'weighted_edit'"
_COST_ADVICE = "numpy.inf rules a substitution out; tokens can always be inserted and deleted."


class WeightedEdit(Metric):
    r"""Edit distance with costs by token: the cheapest alignment of two sequences.

    .. math:: d(xa, yb) = \min\{d(x, yb) + g(a),\; d(xa, y) + g(b),\; d(x, y) + s(a, b)\}

    where s(a, b) is the cost of substituting b for a, 0 if they are equal, and g(a) the cost of inserting or deleting a.

    A metric if and only if the costs of single edits are a metric on the tokens and "nothing", where a substitution counts at
    most as much as a deletion and an insertion (otherwise it is never used). If they are, d is one (Sellers, "On the theory and
    computation of evolutionary distances", 1974; Waterman, Smith & Beyer, "Some biological sequence metrics", 1976); if not,
    neither is d, which equals them on sequences of at most one token. The constructor checks this, with two additional tokens
    that represent all those not listed; an error names three tokens that break the triangle inequality.

    Neither Hilbertian nor of negative type, whatever the costs: for tokens u and v that are not listed, the sequences u, v, uu,
    uv, vuu, vuv and weights b = (1, -1, -2, 2, 2, -2), whose sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = s(u, v) > 0`.
    It separates if no edit is free. If all costs are whole multiples of a unit, so are the distances.

    Parameters
    ----------
    substitution : float, default=1.0
        The cost of substituting a token for another one, positive, for pairs that are not in ``substitutions``. With
        ``numpy.inf`` there are only insertions and deletions.
    gap : float, default=1.0
        The cost of inserting or deleting a token, positive, for tokens that are not in ``gaps``.
    substitutions : dict, optional
        Costs by pairs of tokens, for both directions: ``{("A", "G"): 0.5}``. The cost 0 makes two tokens equivalent, for example
        upper and lower case.
    gaps : dict, optional
        Costs by tokens: ``{"-": 0}`` ignores hyphens.

    Examples
    --------
    In DNA, transitions (A and G, C and T) are more frequent than other substitutions, so they should cost less:

    >>> dna = WeightedEdit(substitutions={("A", "G"): 0.5, ("C", "T"): 0.5})
    >>> dna("ACGT", "GCGT"), dna("ACGT", "CCGT"), dna("ACGT", "ACG")
    (0.5, 1.0, 1.0)
    >>> dna.step
    0.5
    """

    name = "weighted_edit"
    examples = ("tea", "tee", "teas", "", "rum", "ram", "ruhm", "dram")
    source = "your costs, checked to make a metric (Sellers 1974; Waterman, Smith & Beyer 1976)"
    counterexamples: ClassVar = {
        "hilbertian": ["a", "b", "aa", "ab", "baa", "bab"],
        "negative_type": ["a", "b", "aa", "ab", "baa", "bab"],
    }
    accepts: Kind = "strings"
    parallel = "threads"

    def __init__(
        self,
        substitution: float = 1.0,
        gap: float = 1.0,
        substitutions: Mapping[tuple[Any, Any], float] | None = None,
        gaps: Mapping[Any, float] | None = None,
    ) -> None:
        self.substitution = substitution
        self.gap = gap
        self.substitutions = substitutions
        self.gaps = gaps
        self._costs = edit_costs(substitution, gap, substitutions, gaps)
        self._promises = Promises(
            obeys_triangle=True,
            hilbertian=False,
            negative_type=False,
            bounded=False,
            separates=self._costs.separate(),
            step=self._costs.unit(),
        )

    @property
    def dominated(self) -> Mapping[str, float]:
        """The constants of edit distances: what their edits cost at most."""
        return self._costs.of_edits()

    def prepare(self, objects: Any) -> TokenSample:
        """Check sequences and number their tokens; see `prepare_tokens`."""
        return prepare_tokens(objects)

    def nanoseconds(self, prepared: TokenSample) -> float:
        """Estimate the time of one distance: quadratic in the mean length."""
        return mean_size(prepared.starts) ** 2

    def _measure(self, left: TokenSample, right: TokenSample) -> Distances:
        if len(left) > len(right):  # the kernel works on groups of right sequences
            return np.ascontiguousarray(self._measure(right, left).T)
        out = np.empty((len(left), len(right)))
        if not out.size:
            return out
        left_numbers, new = renumbered(left.numbers, left.number_of, right.number_of)
        class_of = np.full(len(right.number_of) + len(new), len(self._costs.tokens))
        for position, token in enumerate(self._costs.tokens):
            number = right.number_of.get(token, new.get(token))
            if number is not None:
                class_of[number] = position
        order = np.argsort(np.diff(right.starts), kind="stable")
        weighted_edit_block(
            left_numbers,
            left.starts,
            right.numbers,
            right.starts,
            order,
            class_of,
            self._costs.substitutions,
            self._costs.gaps,
            out,
        )
        return out


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

    Examples
    --------
    >>> costs = edit_costs(1.0, 2.0, {("a", "b"): 0.5}, {})
    >>> costs.tokens, costs.substitutions[0, 1], costs.gaps
    (('a', 'b'), np.float64(0.5), array([2., 2., 2.]))
    """

    tokens: tuple[Any, ...]
    substitutions: Floats
    gaps: Floats

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
        costs[-1, :-1] = costs[:-1, -1] = gaps = self.gaps[rows]
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
        return bool((self.gaps > 0).all() and (self.substitutions[different] > 0).all())

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
        finite = {*self.substitutions[np.isfinite(self.substitutions)].tolist(), *self.gaps.tolist()} - {0.0}
        exact = [Fraction(cost) for cost in finite]
        denominator = math.lcm(*(cost.denominator for cost in exact))
        unit = Fraction(math.gcd(*(int(cost * denominator) for cost in exact)), denominator)
        return float(unit) if unit >= max(exact) * Fraction(_FINEST) else None


def edit_costs(substitution: Any, gap: Any, substitutions: Any, gaps: Any) -> EditCosts:
    """Arrange the costs that the user passed in tables by class of tokens, and check that they make a metric.

    Parameters
    ----------
    substitution, gap, substitutions, gaps
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
    default_substitution = float(positive(substitution, _COST.format("substitution"), _COST_ADVICE, allow_infinity=True))
    default_gap = float(positive(gap, _COST.format("gap"), _COST_ADVICE))
    pairs = {
        _checked_pair(key): float(nonnegative(cost, _COST.format(f"substitutions[{key!r}]"), _COST_ADVICE, allow_infinity=True))
        for key, cost in _checked_mapping(substitutions, "substitutions", "{('a', 'b'): 0.5}").items()
    }
    alone = {
        token: float(nonnegative(cost, _COST.format(f"gaps[{token!r}]"), _COST_ADVICE))
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
    costs = EditCosts(tuple(number_of), table, gap_costs)
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
