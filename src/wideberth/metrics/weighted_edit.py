"""Edit distance with the user's own costs."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from wideberth.metrics.edit_costs import edit_costs
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import renumbered
from wideberth.metrics.tokens import TokenSample, prepare_tokens
from wideberth.metrics.weighted_edit_kernels import weighted_edit_block


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
    eats: Kind = "strings"
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
