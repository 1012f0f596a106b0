r"""Costs of substitutions by name: amino acids by the matrices BLOSUM62, BLOSUM45 and PAM250, bases by their kind.

The matrices hold scores S(a, b), large for amino acids that replace each other often in related proteins. Costs are

.. math:: c(a, b) = \frac{S(a, a) + S(b, b) - 2 S(a, b)}{16}

which is what two identical pairs score more than two substituted ones; 16 makes a substitution cost about 1 on average, and all
costs binary fractions. For BLOSUM62 and BLOSUM45 that is a metric as it stands, as Stojmirovic ("Quasi-metric spaces with
measure", Topology Proceedings 28, 2004) noticed for the BLOSUM family. For PAM250 it is not (C to W costs 45/16, by way of S
37/16): there costs are those of the cheapest way over other amino acids, the largest metric that is nowhere larger.

"transitions" is for DNA and RNA: a substitution among the purines A and G, or among the pyrimidines C and T (U), costs 1/2, any
other 1; T and U are the same. Small letters mean what capitals mean, so that a change of case costs nothing.

A token that is not in a matrix costs the default of `WeightedEdit`. So that a way over such a token is never the cheapest,
no cost exceeds twice that.

The numbers are published: Henikoff & Henikoff, "Amino acid substitution matrices from protein blocks", PNAS 89, 1992; Dayhoff,
Schwartz & Orcutt, "A model of evolutionary change in proteins", 1978. They are facts without a copyright; the files in which the
NCBI distributes them are a work of the United States Government, in the public domain. The tests compare them with Biopython's.
"""

from difflib import get_close_matches

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import UnknownName

#: The order of the amino acids in the triangles below.
AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
#: What scores are divided by: about the mean of S(a, a) + S(b, b) - 2 S(a, b) over different amino acids of all three matrices.
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

    Parameters
    ----------
    name : {"BLOSUM62", "BLOSUM45", "PAM250"}
        The name of the matrix.

    Returns
    -------
    ndarray of float64, shape (20, 20)

    Examples
    --------
    >>> scores("BLOSUM62")[AMINO_ACIDS.index("W"), AMINO_ACIDS.index("W")]
    np.float64(11.0)
    """
    matrix = np.zeros((len(AMINO_ACIDS), len(AMINO_ACIDS)))
    for place, row in enumerate(SCORES[name]):
        matrix[place, : place + 1] = matrix[: place + 1, place] = [int(score) for score in row.split()]
    return matrix


def named_substitutions(name: str, otherwise: float) -> dict[tuple[str, str], float]:
    """Return costs of substitutions by their name, a metric on the tokens that they list.

    Parameters
    ----------
    name : {"BLOSUM62", "BLOSUM45", "PAM250", "transitions"}
        The name of the costs.
    otherwise : float
        The cost of tokens that are not listed; no cost exceeds twice that.

    Returns
    -------
    dict from pairs of letters to float
        Each pair once, capitals and small letters.

    Raises
    ------
    UnknownName
        If there are no costs of that name.

    Examples
    --------
    >>> named_substitutions("transitions", 1.0)["A", "G"], named_substitutions("BLOSUM62", 1.0)["V", "I"]
    (0.5, 0.125)
    """
    known = [*SCORES, "transitions"]
    if name not in known:
        close = get_close_matches(name.upper(), known, n=1) or get_close_matches(name.lower(), known, n=1)
        advice = f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(known)}; or pass a dict {{('a', 'b'): 0.5}}."
        raise UnknownName(f"There are no substitutions {name!r}.", advice=advice, value=name, known=known)
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
