"""Edit distance with the user's own costs, token by token, which are checked to make a metric."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from wideberth.arrays import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.axioms import find_broken_triangle
from wideberth.metrics.containers import cut, mean_size
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import NumberedSample, check_numbers, in_use, renumbered
from wideberth.metrics.parameters import is_number
from wideberth.metrics.strings.edits import read_sequences
from wideberth.metrics.strings.kernels import weighted_edit_block

#: Costs that need finer units than this share of the largest have no unit worth the name: 0.1 and 0.3 in binary.
_FINEST = 2.0**-20
#: The most tokens with costs of their own: the triangle inequality is checked for all triples of them.
MOST_TOKENS = 1000


class TokenSample(NumberedSample):
    """Sequences of tokens."""

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.containers.Prepared`."""
        tokens, numbers = in_use(self.numbers, self.number_of)
        return {"tokens": tokens, "numbers": numbers, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sequences as lists of tokens, to be checked again."""
        match plain:
            case {"tokens": list(tokens), "numbers": numbers, "starts": starts}:
                parts = cut(numbers, starts, "iu")
                check_numbers(numbers, tokens)
                return [[tokens[each] for each in part] for part in parts]
        raise ValueError("tokens, numbers and starts of sequences are needed")


def prepare_tokens(objects: Any) -> TokenSample:
    """Strings, byte strings (as their Latin-1 characters), or lists and tuples of hashable tokens.

    >>> prepare_tokens(["tea", ["t", "e", "e"]]).numbers
    array([0, 1, 2, 0, 1, 1])
    """
    if isinstance(objects, TokenSample):
        return objects
    sequences = read_sequences(objects)
    return TokenSample.of(each.decode("latin-1") if isinstance(each, bytes) else each for each in sequences)


class WeightedEdit(Metric):
    r"""Edit distance with costs by token: the cheapest alignment of two sequences.

    .. math:: d(xa, yb) = \min\{d(x, yb) + g(a),\; d(xa, y) + g(b),\; d(x, y) + s(a, b)\}

    where s(a, b) is what it costs to substitute b for a, 0 if they are equal, and g(a) to insert or delete a.

    A metric if and only if the costs of single edits are one on the tokens and "nothing", where a substitution costs at most a
    deletion and an insertion (otherwise it is never used). If they are, d is one (Sellers, "On the theory and
    computation of evolutionary distances", 1974; Waterman, Smith & Beyer, "Some biological sequence metrics", 1976); if not,
    neither is d, which equals them on sequences of one token and none. This is checked at construction, with two tokens that are
    not listed standing for all such; an error names three tokens that break it.

    Neither Hilbertian nor of negative type, whatever the costs: for tokens u and v that are not listed, the sequences u, v, uu,
    uv, vuu, vuv and weights b = (1, -1, -2, 2, 2, -2), whose sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = s(u, v) > 0`.
    It separates if no edit is free. If all costs are whole multiples of a unit, so are the distances.

    In DNA, transitions (A and G, C and T) are more frequent than other substitutions, so they say less:

    >>> dna = WeightedEdit(substitutions={("A", "G"): 0.5, ("C", "T"): 0.5})
    >>> dna("ACGT", "GCGT"), dna("ACGT", "CCGT"), dna("ACGT", "ACG")
    (0.5, 1.0, 1.0)
    >>> dna.step
    0.5

    Parameters
    ----------
    substitution : float
        What it costs to substitute one token for another, unless ``substitutions`` says otherwise. ``numpy.inf``: only
        insertions and deletions.
    gap : float
        What it costs to insert or delete a token, unless ``gaps`` says otherwise.
    substitutions : dict, optional
        Costs by pairs of tokens, for both directions: ``{("A", "G"): 0.5}``. 0 makes two tokens one, as for upper and lower case.
    gaps : dict, optional
        Costs by tokens: ``{"-": 0}`` passes over hyphens.
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

    def prepare(self, objects: Any) -> TokenSample:
        return prepare_tokens(objects)

    def nanoseconds(self, prepared: TokenSample) -> float:
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
    """Costs by class of tokens: class i is ``tokens[i]``, the last class all tokens that are not listed.

    ``substitutions[i, j]`` is what it costs to turn a token of class i into a different one of class j, ``gaps[i]`` to insert
    or delete one.
    """

    tokens: tuple[Any, ...]
    substitutions: Floats
    gaps: Floats

    def of_pairs(self) -> Floats:
        """The least costs between all tokens, two that are not listed, and nothing, each once and in this order.

        A substitution costs at most a deletion and an insertion.
        """
        rows = [*range(len(self.tokens)), len(self.tokens), len(self.tokens)]
        costs = np.zeros((len(rows) + 1, len(rows) + 1))
        costs[-1, :-1] = costs[:-1, -1] = gaps = self.gaps[rows]
        costs[:-1, :-1] = np.minimum(self.substitutions[np.ix_(rows, rows)], gaps[:, None] + gaps)
        np.fill_diagonal(costs, 0.0)
        return costs

    def separate(self) -> bool:
        """Whether every edit costs something."""
        different = ~np.eye(len(self.gaps), dtype=bool)
        return bool((self.gaps > 0).all() and (self.substitutions[different] > 0).all())

    def unit(self) -> float | None:
        """The largest number of which all costs are whole multiples; None if it is too small to matter.

        >>> edit_costs(1.0, 1.5, {("a", "b"): 0.5}, {}).unit()
        0.5
        """
        finite = {*self.substitutions[np.isfinite(self.substitutions)].tolist(), *self.gaps.tolist()} - {0.0}
        exact = [Fraction(each) for each in finite]
        shared = math.lcm(*(each.denominator for each in exact))
        unit = Fraction(math.gcd(*(int(each * shared) for each in exact)), shared)
        return float(unit) if unit >= max(exact) * Fraction(_FINEST) else None


def edit_costs(substitution: Any, gap: Any, substitutions: Any, gaps: Any) -> EditCosts:
    """The costs as the user gives them, checked to make a metric; see `WeightedEdit`."""
    default_substitution = _checked_cost(substitution, "substitution", least=np.nextafter(0, 1), most=np.inf)
    default_gap = _checked_cost(gap, "gap", least=np.nextafter(0, 1))
    pairs = {
        _checked_pair(key): _checked_cost(value, f"substitutions[{key!r}]", most=np.inf)
        for key, value in _checked_mapping(substitutions, "substitutions", "{('a', 'b'): 0.5}").items()
    }
    alone = {key: _checked_cost(value, f"gaps[{key!r}]") for key, value in _checked_mapping(gaps, "gaps", "{'a': 0.5}").items()}
    number_of = {
        token: number for number, token in enumerate(dict.fromkeys([*(each for pair in pairs for each in pair), *alone]))
    }
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
    violation = find_broken_triangle(costs.of_pairs())
    if violation is None:
        return
    names = [*map(repr, costs.tokens), "any other token", "yet another token", "nothing"]
    one, other, between = (names[each] for each in violation.objects)
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
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"The {name} of 'weighted_edit' are a dict of costs, not {given!r}.", advice=f"For example {example}.", value=given
        )
    return given


def _checked_pair(key: Any) -> tuple[Any, Any]:
    if not isinstance(key, tuple) or len(key) != 2 or key[0] == key[1]:
        raise InvalidInput(
            f"Substitutions are given by pairs of different tokens, not by {key!r}.",
            advice="For example {('a', 'b'): 0.5}; a token turns into itself at no cost.",
            value=key,
        )
    return key


def _checked_cost(value: Any, name: str, *, least: float = 0.0, most: float = np.finfo(float).max) -> float:
    if not is_number(value) or not least <= value <= most:
        kind = "positive" if least else "nonnegative"
        raise InvalidInput(
            f"The cost {name} of 'weighted_edit' must be a {kind} number, not {value!r}.",
            advice="numpy.inf rules a substitution out; tokens can always be inserted and deleted.",
            value=value,
        )
    return float(value)
