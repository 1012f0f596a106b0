r"""Weighted edit distance: costs by token from the user, or from a matrix by its name, which are
checked to make a metric.

**Costs of substitutions by name: amino acids by the matrices BLOSUM62, BLOSUM45 and PAM250, bases
by their kind.**

The matrices hold scores S(a, b), large for amino acids that replace each other often in related
proteins. Costs are

.. math:: c(a, b) = \frac{S(a, a) + S(b, b) - 2 S(a, b)}{16}

which is what two identical pairs score more than two substituted ones; 16 makes a substitution cost
about 1 on average, and all costs binary fractions. For BLOSUM62 and BLOSUM45 that is a metric as it
stands, as Stojmirovic ("Quasi-metric spaces with measure", Topology Proceedings 28, 2004) noticed
for the BLOSUM family. For PAM250 it is not (C to W costs 45/16, by way of S 37/16): there costs are
those of the cheapest way over other amino acids, the largest metric that is nowhere larger.

"transitions" is for DNA and RNA: a substitution among the purines A and G, or among the pyrimidines
C and T (U), costs 1/2, any other 1; T and U are the same. Small letters mean what capitals mean, so
that a change of case costs nothing.

A token that is not in a matrix costs the default of `WeightedEdit`. So that a way over such a token
is never the cheapest, no cost exceeds twice that.

The numbers are published: Henikoff & Henikoff, "Amino acid substitution matrices from protein
blocks", PNAS 89, 1992; Dayhoff, Schwartz & Orcutt, "A model of evolutionary change in proteins",
1978. They are facts without a copyright; the files in which the NCBI distributes them are a work of
the United States Government, in the public domain. The tests compare them with Biopython's.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput, UnknownName
from wideberth.metrics.axioms import find_broken_triangle
from wideberth.metrics.containers import mean_size
from wideberth.metrics.elements import renumbered
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import nonnegative, positive
from wideberth.metrics.strings.kernels import weighted_edit_block
from wideberth.metrics.strings.sample import TokenSample, prepare_tokens

#: The order of the amino acids in the triangles below.
AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
#: What scores are divided by: about the mean of S(a, a) + S(b, b) - 2 S(a, b) over different amino
#: acids of all three matrices.
_MEAN = 16

#: The lower triangle of each matrix of scores, row by row.
SCORES = {
    "BLOSUM62": (
        "4",
        "-1 5",
        "-2 0 6",
        "-2 -2 1 6",
        "0 -3 -3 -3 9",
        "-1 1 0 0 -3 5",
        "-1 0 0 2 -4 2 5",
        "0 -2 0 -1 -3 -2 -2 6",
        "-2 0 1 -1 -3 0 0 -2 8",
        "-1 -3 -3 -3 -1 -3 -3 -4 -3 4",
        "-1 -2 -3 -4 -1 -2 -3 -4 -3 2 4",
        "-1 2 0 -1 -3 1 1 -2 -1 -3 -2 5",
        "-1 -1 -2 -3 -1 0 -2 -3 -2 1 2 -1 5",
        "-2 -3 -3 -3 -2 -3 -3 -3 -1 0 0 -3 0 6",
        "-1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4 7",
        "1 -1 1 0 -1 0 0 0 -1 -2 -2 0 -1 -2 -1 4",
        "0 -1 0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1 1 5",
        "-3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1 1 -4 -3 -2 11",
        "-2 -2 -2 -3 -2 -1 -2 -3 2 -1 -1 -2 -1 3 -3 -2 -2 2 7",
        "0 -3 -3 -3 -1 -2 -2 -3 -3 3 1 -2 1 -1 -2 -2 0 -3 -1 4",
    ),
    "BLOSUM45": (
        "5",
        "-2 7",
        "-1 0 6",
        "-2 -1 2 7",
        "-1 -3 -2 -3 12",
        "-1 1 0 0 -3 6",
        "-1 0 0 2 -3 2 6",
        "0 -2 0 -1 -3 -2 -2 7",
        "-2 0 1 0 -3 1 0 -2 10",
        "-1 -3 -2 -4 -3 -2 -3 -4 -3 5",
        "-1 -2 -3 -3 -2 -2 -2 -3 -2 2 5",
        "-1 3 0 0 -3 1 1 -2 -1 -3 -3 5",
        "-1 -1 -2 -3 -2 0 -2 -2 0 2 2 -1 6",
        "-2 -2 -2 -4 -2 -4 -3 -3 -2 0 1 -3 0 8",
        "-1 -2 -2 -1 -4 -1 0 -2 -2 -2 -3 -1 -2 -3 9",
        "1 -1 1 0 -1 0 0 0 -1 -2 -3 -1 -2 -2 -1 4",
        "0 -1 0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -1 -1 2 5",
        "-2 -2 -4 -4 -5 -2 -3 -2 -3 -2 -2 -2 -2 1 -3 -4 -3 15",
        "-2 -1 -2 -2 -3 -1 -2 -3 2 0 0 -1 0 3 -3 -2 -1 3 8",
        "0 -2 -3 -3 -1 -3 -3 -3 -3 3 1 -2 1 0 -3 -1 0 -3 -1 5",
    ),
    "PAM250": (
        "2",
        "-2 6",
        "0 0 2",
        "0 -1 2 4",
        "-2 -4 -4 -5 12",
        "0 1 1 2 -5 4",
        "0 -1 1 3 -5 2 4",
        "1 -3 0 1 -3 -1 0 5",
        "-1 2 2 1 -3 3 1 -2 6",
        "-1 -2 -2 -2 -2 -2 -2 -3 -2 5",
        "-2 -3 -3 -4 -6 -2 -3 -4 -2 2 6",
        "-1 3 1 0 -5 1 0 -2 0 -2 -3 5",
        "-1 0 -2 -3 -5 -1 -2 -3 -2 2 4 0 6",
        "-3 -4 -3 -6 -4 -5 -5 -5 -2 1 2 -5 0 9",
        "1 0 0 -1 -3 0 -1 0 0 -2 -3 -1 -2 -5 6",
        "1 0 1 0 0 -1 0 1 -1 -1 -3 0 -2 -3 1 2",
        "1 -1 0 0 -2 -1 0 0 -1 0 -2 0 -1 -3 0 1 3",
        "-6 2 -4 -7 -8 -5 -7 -7 -3 -5 -2 -3 -4 0 -6 -2 -5 17",
        "-3 -4 -2 -4 0 -4 -4 -5 0 -1 -1 -4 -2 7 -5 -3 -3 0 10",
        "0 -2 -2 -2 -2 -2 -2 -1 -2 4 2 -2 2 -1 -1 -1 0 -6 -2 4",
    ),
}

#: Costs of bases; each letter stands for its small letter too.
_BASES = {("A", "G"): 0.5, ("C", "T"): 0.5, ("C", "U"): 0.5, ("T", "U"): 0.0} | {
    (purine, pyrimidine): 1.0 for purine in "AG" for pyrimidine in "CTU"
}


def scores(name: str) -> Floats:
    """Return a matrix of scores in full, in the order of `AMINO_ACIDS`.

    Examples
    --------
    >>> scores("BLOSUM62")[AMINO_ACIDS.index("W"), AMINO_ACIDS.index("W")]
    np.float64(11.0)
    """
    matrix = np.zeros((len(AMINO_ACIDS), len(AMINO_ACIDS)))
    for place, row in enumerate(SCORES[name]):
        matrix[place, : place + 1] = matrix[: place + 1, place] = [
            int(score) for score in row.split()
        ]
    return matrix


def named_substitutions(name: str, otherwise: float) -> dict[tuple[str, str], float]:
    """Return costs of substitutions by their name, a metric on the tokens that they list.
    ``otherwise`` is the cost of tokens that are not listed; no cost exceeds twice that. Each pair
    is there once, in capitals and in small letters.

    Examples
    --------
    >>> (
    ...     named_substitutions("transitions", 1.0)["A", "G"],
    ...     named_substitutions("BLOSUM62", 1.0)["V", "I"],
    ... )
    (0.5, 0.125)
    """
    known = [*SCORES, "transitions"]
    if name not in known:
        close = get_close_matches(name.upper(), known, n=1) or get_close_matches(
            name.lower(), known, n=1
        )
        advice = (
            f"Did you mean {close[0]!r}?"
            if close
            else f"Known: {', '.join(known)}; or pass a dict {{('a', 'b'): 0.5}}."
        )
        raise UnknownName(
            f"There are no substitutions {name!r}.", advice=advice, value=name, known=known
        )
    pairs = dict(_BASES) if name == "transitions" else _of_scores(scores(name))
    letters = sorted({letter for pair in pairs for letter in pair})
    both = {
        (first, second): min(cost, 2 * otherwise)
        for (one, other), cost in pairs.items()
        for first in (one, one.lower())
        for second in (other, other.lower())
    }
    return both | {(letter, letter.lower()): 0.0 for letter in letters}


def _of_scores(matrix: Floats) -> dict[tuple[str, str], float]:
    """Turn scores into costs of pairs of amino acids, each pair once; see the module."""
    costs = (np.add.outer(matrix.diagonal(), matrix.diagonal()) - 2 * matrix) / _MEAN
    for between in range(len(costs)):  # Floyd and Warshall's cheapest ways
        np.minimum(costs, costs[:, between, None] + costs[between], out=costs)
    return {
        (one, other): float(costs[row, column])
        for row, one in enumerate(AMINO_ACIDS)
        for column, other in enumerate(AMINO_ACIDS[:row])
    }


# ---- The costs of single edits, arranged by classes of tokens and checked to make a metric

#: The smallest common unit of costs, as a share of the largest, that counts as a step: 0.1 and 0.3
#: have none in binary.
_FINEST = 2.0**-20
#: The most tokens with costs of their own: the triangle inequality is checked for all triples of
#: them.
MOST_TOKENS = 1000
#: The advice of errors about costs.
_COST_ADVICE = "numpy.inf rules a substitution out; tokens can always be inserted and deleted."
_OPENING_ADVICE = "0 counts each token alone, whether it stands in a run or not."


@dataclass(frozen=True, eq=False)
class EditCosts:
    """The costs of edits by class of tokens: class i < k is the token ``tokens[i]``, class k all
    tokens that are not listed. ``substitutions`` is symmetric, of shape (k + 1, k + 1), and
    ``opening`` what each run of insertions or deletions costs beyond its tokens.

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
        """Compute the least costs between all listed tokens, two tokens that are not listed, and
        nothing, in this order.

        Examples
        --------
        >>> # two tokens and nothing: delete and insert instead of substituting
        >>> edit_costs(5.0, 1.0, {}, {}).of_pairs()
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
        """Tell whether every edit has a positive cost, so that only equal sequences are at distance
        0.

        Examples
        --------
        >>> edit_costs(1.0, 1.0, {("a", "A"): 0}, {}).separate()
        False
        """
        different = ~np.eye(len(self.gaps), dtype=bool)
        return bool(
            (self.gaps + self.opening > 0).all() and (self.substitutions[different] > 0).all()
        )

    def of_edits(self) -> dict[str, float]:
        """Compute what edits cost at most, by the names of the metrics that count them.

        A substitution costs no more than a deletion and an insertion, and a swap no more than two
        substitutions or a deletion and an insertion of one of the two tokens.

        Examples
        --------
        >>> edit_costs(3.0, 1.0, {}, {}).of_edits()
        {'levenshtein': 2.0, 'indel': 1.0, 'damerau': 2.0, 'hamming': 2.0}
        """
        pairs = self.of_pairs()
        gap, substitution = float(pairs[-1].max()), float(pairs[:-1, :-1].max())
        either = max(gap, substitution)
        swap = min(2 * substitution, 2 * gap)
        return {
            "levenshtein": either,
            "indel": gap,
            "damerau": max(either, swap),
            "hamming": substitution,
        }

    def unit(self) -> float | None:
        """Compute the largest number of which all costs are whole multiples.

        Examples
        --------
        >>> edit_costs(1.0, 1.5, {("a", "b"): 0.5}, {}).unit()
        0.5
        """
        finite = {
            *self.substitutions[np.isfinite(self.substitutions)].tolist(),
            *self.gaps.tolist(),
            self.opening,
        } - {0.0}
        exact = [Fraction(cost) for cost in finite]
        denominator = math.lcm(*(cost.denominator for cost in exact))
        unit = Fraction(math.gcd(*(int(cost * denominator) for cost in exact)), denominator)
        return float(unit) if unit >= max(exact) * Fraction(_FINEST) else None


def edit_costs(
    substitution: Any, gap: Any, substitutions: Any, gaps: Any, opening: Any = 0.0
) -> EditCosts:
    """Arrange the costs that the user passed in tables by class of tokens, and check that they make
    a metric. The parameters are those of `WeightedEdit` and may be anything; the error names the
    tokens.

    Examples
    --------
    >>> edit_costs(1.0, 0.1, {}, {"a": 5.0})
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: These costs make no metric: 'a' -> nothing costs 5, but ...
    """
    default_substitution = _cost(positive, substitution, "substitution", allow_infinity=True)
    default_gap = _cost(positive, gap, "gap")
    first = _cost(nonnegative, opening, "opening", advice=_OPENING_ADVICE)
    if isinstance(substitutions, str):
        substitutions = named_substitutions(substitutions, default_substitution)
    pairs = {
        _checked_pair(key): _cost(nonnegative, cost, f"substitutions[{key!r}]", allow_infinity=True)
        for key, cost in _checked_mapping(
            substitutions, "substitutions", "{('a', 'b'): 0.5}"
        ).items()
    }
    alone = {
        token: _cost(nonnegative, cost, f"gaps[{token!r}]")
        for token, cost in _checked_mapping(gaps, "gaps", "{'a': 0.5}").items()
    }
    listed = dict.fromkeys([*(token for pair in pairs for token in pair), *alone])
    number_of = {token: number for number, token in enumerate(listed)}
    if len(number_of) > MOST_TOKENS:
        raise InvalidInput(
            f"Costs are given for {len(number_of):,} tokens; at most {MOST_TOKENS:,} can have "
            "their own.",
            advice="Leave out those that cost the defaults.",
            value=len(number_of),
        )
    table = np.full((len(number_of) + 1, len(number_of) + 1), default_substitution)
    for (one, other), cost in pairs.items():
        if pairs.get((other, one), cost) != cost:
            raise InvalidInput(
                f"Turning {one!r} into {other!r} costs {cost:g}, but turning it back costs "
                f"{pairs[other, one]:g}.",
                advice="A distance has one cost for both directions: give each pair once.",
                witness=(one, other),
                value=(cost, pairs[other, one]),
            )
        table[number_of[one], number_of[other]] = table[number_of[other], number_of[one]] = cost
    gap_costs = np.array([*(alone.get(token, default_gap) for token in number_of), default_gap])
    costs = EditCosts(tuple(number_of), table, gap_costs, first)
    _check_metric(costs)
    return costs


def _cost(
    check: Callable[..., Any], given: Any, name: str, advice: str = _COST_ADVICE, **allowed: bool
) -> float:
    """Return a cost that the user passed, checked by `positive` or `nonnegative`."""
    what, parameter = f"The cost {name} of 'weighted_edit'", name.partition("[")[0]
    return float(check(given, what, advice, parameter=parameter, **allowed))


def _check_metric(costs: EditCosts) -> None:
    """Raise an error that names three tokens if the costs break the triangle inequality."""
    violation = find_broken_triangle(costs.of_pairs())
    if violation is None:
        return
    names = [*map(repr, costs.tokens), "any other token", "yet another token", "nothing"]
    one, other, between = (names[position] for position in violation.objects)
    straight, there, onwards = violation.values
    others = f"; {violation.broken - 1} more such" if violation.broken > 1 else ""
    unlisted = (
        ""
        if set(violation.objects).isdisjoint((len(names) - 3, len(names) - 2))
        else " (other tokens cost the defaults)"
    )
    raise InvalidInput(
        f"These costs make no metric: {one} -> {other} costs {straight:g}, but {one} -> {between} "
        f"-> {other} costs {there:g} + {onwards:g} = {there + onwards:g}{others}.",
        advice=f"Lower the first to {there + onwards:.12g}, or raise the others{unlisted}.",
        witness=(one, between, other),
        value=violation.values,
    )


def _checked_mapping(given: Any, name: str, example: str) -> Mapping[Any, Any]:
    """Return the parameter ``name`` as a mapping, empty for None, or raise an error that shows an
    example.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"The {name} of 'weighted_edit' are a dict of costs, not {given!r}.",
            advice=f"For example {example}.",
            value=given,
        )
    return given


def _checked_pair(key: Any) -> tuple[Any, Any]:
    """Return a key of ``substitutions``, or raise an error if it is not a pair of different
    tokens.
    """
    if not isinstance(key, tuple) or len(key) != 2 or key[0] == key[1]:
        raise InvalidInput(
            f"Substitutions are given by pairs of different tokens, not by {key!r}.",
            advice="For example {('a', 'b'): 0.5}; a token turns into itself at no cost.",
            value=key,
        )
    return key


class WeightedEdit(Metric):
    r"""Edit distance with costs by token: the cheapest alignment of two sequences.

    .. math:: d(xa, yb) = \min\{d(x, yb) + g(a),\; d(xa, y) + g(b),\; d(x, y) + s(a, b)\}

    where s(a, b) is the cost of substituting b for a, 0 if they are equal, and g(a) the cost of
    inserting or deleting a.

    A metric if and only if the costs of single edits are a metric on the tokens and "nothing",
    where a substitution counts at most as much as a deletion and an insertion (otherwise it is
    never used). If they are, d is one (Sellers, "On the theory and computation of evolutionary
    distances", 1974; Waterman, Smith & Beyer, "Some biological sequence metrics", 1976); if not,
    neither is d, which equals them on sequences of at most one token. The constructor checks this,
    with two additional tokens that represent all those not listed; an error names three tokens that
    break the triangle inequality.

    **Affine gaps.** With ``opening`` o > 0, a run of insertions or deletions costs o more than its
    tokens: a long gap is one event, as in sequences that lost a part (Gotoh, "An improved algorithm
    for matching biological sequences", 1982). It is a metric again, if the costs of single edits
    are, each gap with o. Proof: given alignments of x with y and of y with z, match the tokens of x
    and z that are matched to the same token of y. A run of deleted tokens of x that contains one
    deleted on the way to y contains a whole run of that alignment. Otherwise its tokens are matched
    to deleted ones of y; two such runs have a token between them that is matched all the way, so
    they belong to different runs of the second alignment. Insertions are the same backwards. So the
    composed alignment has no more runs than both together, and its tokens cost no more, as single
    edits obey the triangle inequality.

    Without ``opening`` neither Hilbertian nor of negative type, whatever the costs: for tokens u
    and v that are not listed, the sequences u, v, uu, uv, vuu, vuv and weights b = (1, -1, -2, 2,
    2, -2), whose sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = s(u, v) > 0`. With it nothing
    is known of that. It separates if no edit is free. If all costs are whole multiples of a unit,
    so are the distances.

    Parameters
    ----------
    substitution : float, default=1.0
        The cost of substituting a token for another one, positive, for pairs that are not in
        ``substitutions``. With ``numpy.inf`` there are only insertions and deletions.
    gap : float, default=1.0
        The cost of inserting or deleting a token, positive, for tokens that are not in ``gaps``.
    substitutions : dict or {"BLOSUM62", "BLOSUM45", "PAM250", "transitions"}, optional
        Costs by pairs of tokens, for both directions: ``{("A", "G"): 0.5}``. The cost 0 makes two
        tokens equivalent, for example upper and lower case. By name, costs of amino acids or bases,
        in capitals and small letters alike (`wideberth.metrics.strings.weighted_edit`).
    gaps : dict, optional
        Costs by tokens: ``{"-": 0}`` ignores hyphens.
    opening : float, default=0.0
        What each run of insertions or deletions costs beyond its tokens, 0 or more; 1 to 3 where
        sequences lose parts as a whole.

    Examples
    --------
    In DNA, transitions (A and G, C and T) are more frequent than other substitutions, so they
    should cost less:

    >>> dna = WeightedEdit(substitutions={("A", "G"): 0.5, ("C", "T"): 0.5})
    >>> dna("ACGT", "GCGT"), dna("ACGT", "CCGT"), dna("ACGT", "ACG")
    (0.5, 1.0, 1.0)
    >>> dna.step
    0.5
    >>> proteins = WeightedEdit(substitutions="BLOSUM62", gap=0.5, opening=1.0)
    >>> # a run of four
    >>> (proteins("MKVL", "MKIL") < proteins("MKVL", "MKWL"), proteins("MKVLAAG", "MKV"))
    (True, 3.0)
    """

    name = "weighted_edit"
    examples = ("tea", "tee", "teas", "", "rum", "ram", "ruhm", "dram")
    source = "your costs, checked to make a metric (Sellers 1974; Waterman, Smith & Beyer 1976)"
    counterexamples: ClassVar = dict.fromkeys(
        ("hilbertian", "negative_type"), ("a", "b", "aa", "ab", "baa", "bab")
    )
    accepts: Kind = "strings"
    parallel = "threads"

    def __init__(
        self,
        substitution: float = 1.0,
        gap: float = 1.0,
        substitutions: Mapping[tuple[Any, Any], float] | str | None = None,
        gaps: Mapping[Any, float] | None = None,
        opening: float = 0.0,
    ) -> None:
        self.substitution = substitution
        self.gap = gap
        self.substitutions = substitutions
        self.gaps = gaps
        self.opening = opening
        self._costs = edit_costs(substitution, gap, substitutions, gaps, opening)
        refuted = None if self._costs.opening else False
        self._promises = Promises(
            obeys_triangle=True,
            hilbertian=refuted,
            negative_type=refuted,
            bounded=False,
            separates=self._costs.separate(),
            step=self._costs.unit(),
        )

    @property
    def dominated(self) -> Mapping[str, float]:
        """The constants of edit distances: what their edits cost at most."""
        return self._costs.of_edits()

    def prepare(self, objects: Objects) -> TokenSample:
        """Check sequences and number their tokens; see `prepare_tokens`."""
        return prepare_tokens(objects)

    def nanoseconds(self, prepared: TokenSample) -> float:
        """Estimate the time of one distance: quadratic in the mean length, and longer for runs."""
        return mean_size(prepared.starts) ** 2 * (2.5 if self._costs.opening else 1.0)

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
        tokens = left_numbers, left.starts, right.numbers, right.starts, order
        weighted_edit_block(
            *tokens,
            class_of,
            self._costs.substitutions,
            self._costs.gaps,
            float(self._costs.opening),
            out,
        )
        return out
