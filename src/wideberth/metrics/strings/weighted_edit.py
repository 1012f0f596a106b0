"""Weighted edit distance: costs by token from the user, or from a matrix by its name, which are checked to make a metric."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from wideberth.metrics.containers import mean_size
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import renumbered
from wideberth.metrics.strings.edit_costs import edit_costs
from wideberth.metrics.strings.kernels import weighted_edit_block
from wideberth.metrics.strings.sample import TokenSample, prepare_tokens


class WeightedEdit(Metric):
    r"""Edit distance with costs by token: the cheapest alignment of two sequences.

    .. math:: d(xa, yb) = \min\{d(x, yb) + g(a),\; d(xa, y) + g(b),\; d(x, y) + s(a, b)\}

    where s(a, b) is the cost of substituting b for a, 0 if they are equal, and g(a) the cost of inserting or deleting a.

    A metric if and only if the costs of single edits are a metric on the tokens and "nothing", where a substitution counts at
    most as much as a deletion and an insertion (otherwise it is never used). If they are, d is one (Sellers, "On the theory and
    computation of evolutionary distances", 1974; Waterman, Smith & Beyer, "Some biological sequence metrics", 1976); if not,
    neither is d, which equals them on sequences of at most one token. The constructor checks this, with two additional tokens
    that represent all those not listed; an error names three tokens that break the triangle inequality.

    **Affine gaps.** With ``opening`` o > 0, a run of insertions or deletions costs o more than its tokens: a long gap is one
    event, as in sequences that lost a part (Gotoh, "An improved algorithm for matching biological sequences", 1982). It is a
    metric again, if the costs of single edits are, each gap with o. Proof: given alignments of x with y and of y with z, match
    the tokens of x and z that are matched to the same token of y. A run of deleted tokens of x that contains one deleted on the
    way to y contains a whole run of that alignment. Otherwise its tokens are matched to deleted ones of y; two such runs have a
    token between them that is matched all the way, so they belong to different runs of the second alignment. Insertions are the
    same backwards. So the composed alignment has no more runs than both together, and its tokens cost no more, as single edits
    obey the triangle inequality.

    Without ``opening`` neither Hilbertian nor of negative type, whatever the costs: for tokens u and v that are not listed, the
    sequences u, v, uu, uv, vuu, vuv and weights b = (1, -1, -2, 2, 2, -2), whose sum is zero, have
    :math:`\sum_{i<j} b_i b_j d_{ij} = s(u, v) > 0`. With it nothing is known of that. It separates if no edit is free. If all
    costs are whole multiples of a unit, so are the distances.

    Parameters
    ----------
    substitution : float, default=1.0
        The cost of substituting a token for another one, positive, for pairs that are not in ``substitutions``. With
        ``numpy.inf`` there are only insertions and deletions.
    gap : float, default=1.0
        The cost of inserting or deleting a token, positive, for tokens that are not in ``gaps``.
    substitutions : dict or {"BLOSUM62", "BLOSUM45", "PAM250", "transitions"}, optional
        Costs by pairs of tokens, for both directions: ``{("A", "G"): 0.5}``. The cost 0 makes two tokens equivalent, for example
        upper and lower case. By name, costs of amino acids or bases, in capitals and small letters alike
        (`wideberth.metrics.strings.substitution_matrices`).
    gaps : dict, optional
        Costs by tokens: ``{"-": 0}`` ignores hyphens.
    opening : float, default=0.0
        What each run of insertions or deletions costs beyond its tokens, 0 or more; 1 to 3 where sequences lose parts as a whole.

    Examples
    --------
    In DNA, transitions (A and G, C and T) are more frequent than other substitutions, so they should cost less:

    >>> dna = WeightedEdit(substitutions={("A", "G"): 0.5, ("C", "T"): 0.5})
    >>> dna("ACGT", "GCGT"), dna("ACGT", "CCGT"), dna("ACGT", "ACG")
    (0.5, 1.0, 1.0)
    >>> dna.step
    0.5
    >>> proteins = WeightedEdit(substitutions="BLOSUM62", gap=0.5, opening=1.0)
    >>> proteins("MKVL", "MKIL") < proteins("MKVL", "MKWL"), proteins("MKVLAAG", "MKV")  # a run of four
    (True, 3.0)
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

    def prepare(self, objects: Any) -> TokenSample:
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
        weighted_edit_block(*tokens, class_of, self._costs.substitutions, self._costs.gaps, float(self._costs.opening), out)
        return out
