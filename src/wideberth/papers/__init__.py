"""Statements of the papers that no classifier needs: norms, extensions, dimensions, perturbations,
vertex covers.

They are here to be used, tested, and read beside the papers (LB: von Luxburg & Bousquet 2004, KW:
Kontorovich & Weiss 2014, HBS: Hein,
Bousquet & Schoelkopf 2005, GLSW: Guruganesh, Liu, Schneider & Wang 2021).

================================================  ==================================================================
`lipschitz_constant`, `lipschitz_norm`            how steep and how large a function on a sample is (LB Lemmas 2, 4)
`dual_kuratowski_norm`, `kuratowski_functional`   its norm as a functional on distance functions (LB Example 6)
`molecule_norm`, `transport`                      the norm of a difference of samples, as a transport cost (LB section 2)
`LipschitzExtension`                              functions on all objects with given values on some (LB Lemmas 7, 8)
`least_slope`, `LeastSlopeFunction`               the Lipschitz classifier in a span of distances, by its slope (LB 5.3)
`LipschitzSubspace`                               the same in any span of functions (LB Lemma 25)
`least_slope_scores`                              the same for linear scores of any number of classes (LB section 6)
`covers`, `cover_path`                            which objects to remove for a margin, at many margins (KW section 4)
`lipschitz_capacity`, `kuratowski_capacity`       how rich two balls of functions are on a sample, measured (LB 5, HBS 5)
`hilbert_capacity`, `maximum_discrepancy`         a third ball, and how far two samples are apart (HBS 5, LB (11))
`covering_numbers`                                how many balls cover a sample, at all scales
`intrinsic_dimension`                             the dimension that a sample seems to have
`net_hierarchy`                                   nested nets at radii that halve
`perturb`, `perturbed_capacity`                   move a sample into few places, and the bound from it (KW 5.2, Theorem 7)
`adaptive_capacity`, `adaptive_separation`        chains of cells, and the separation that they choose (KW 5.2)
`LabelsBySearch`                                  two labels by any learner of contextual search (GLSW Theorem 8)
================================================  ==================================================================
"""

from wideberth.papers.chains import adaptive_capacity, adaptive_separation
from wideberth.papers.dimension import intrinsic_dimension
from wideberth.papers.extension import LipschitzExtension
from wideberth.papers.function_norms import (
    dual_kuratowski_norm,
    kuratowski_functional,
    lipschitz_constant,
    lipschitz_norm,
)
from wideberth.papers.labels_by_search import LabelsBySearch
from wideberth.papers.least_slope import LeastSlopeFunction, least_slope
from wideberth.papers.measured_capacities import (
    hilbert_capacity,
    kuratowski_capacity,
    lipschitz_capacity,
    maximum_discrepancy,
)
from wideberth.papers.net_hierarchy import net_hierarchy
from wideberth.papers.optimal_transport import molecule_norm, transport
from wideberth.papers.packing import covering_numbers
from wideberth.papers.perturbation import perturb, perturbed_capacity
from wideberth.papers.slope_program import least_slope_scores
from wideberth.papers.subspace_program import LipschitzSubspace
from wideberth.papers.vertex_cover_path import cover_path
from wideberth.papers.vertex_covers import covers

__all__ = [
    "LabelsBySearch",
    "LeastSlopeFunction",
    "LipschitzExtension",
    "LipschitzSubspace",
    "adaptive_capacity",
    "adaptive_separation",
    "cover_path",
    "covering_numbers",
    "covers",
    "dual_kuratowski_norm",
    "hilbert_capacity",
    "intrinsic_dimension",
    "kuratowski_capacity",
    "kuratowski_functional",
    "least_slope",
    "least_slope_scores",
    "lipschitz_capacity",
    "lipschitz_constant",
    "lipschitz_norm",
    "maximum_discrepancy",
    "molecule_norm",
    "net_hierarchy",
    "perturb",
    "perturbed_capacity",
    "transport",
]
