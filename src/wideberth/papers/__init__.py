"""What the papers state and no classifier needs: bounds and capacities, norms, extensions,
dimensions, perturbations, vertex covers.

They are here to be used, tested, and read beside the papers (LB: von Luxburg & Bousquet 2004, KW:
Kontorovich & Weiss 2014, HBS: Hein, Bousquet & Schoelkopf 2005, GLSW: Guruganesh, Liu, Schneider &
Wang 2021). Nothing in this library imports them; `wideberth.bounds` has the formulas in use.

- how steep and how large a function on a sample is: `lipschitz_constant`, `lipschitz_norm` (LB
  Lemmas 2, 4), `dual_kuratowski_norm`, `kuratowski_functional` (LB Example 6);
- the norm of a difference of samples, as a transport cost: `molecule_norm`, `transport` (LB 2);
- functions on all objects with given values on some: `LipschitzExtension` (LB Lemmas 7, 8);
- the Lipschitz classifier in a span of distances, by its slope: `least_slope`,
  `LeastSlopeFunction` (LB 5.3), in any span of functions: `LipschitzSubspace` (LB Lemma 25), and
  for linear scores of any number of classes: `least_slope_scores` (LB section 6);
- which objects to remove for a margin, at many margins: `covers`, `cover_path` (KW section 4);
- how rich balls of functions are on a sample, measured: `lipschitz_capacity`,
  `kuratowski_capacity`, `hilbert_capacity` (LB 5, HBS 5), `maximum_discrepancy` (LB (11));
- complexities of such balls from covering numbers, as formulas: `wideberth.papers.capacities`;
- how many balls cover a sample, the dimension it seems to have, nested nets: `covering_numbers`,
  `intrinsic_dimension`, `net_hierarchy`;
- entropies and penalties of margin functions: `wideberth.papers.margin_bounds` (KW);
- a sample moved into few places, and the bound from it: `perturb`, `perturbed_capacity` (KW 5.2,
  Theorem 7); chains of cells, and the separation that they choose: `adaptive_capacity`,
  `adaptive_separation` (KW 5.2);
- bounds and criteria of methods that keep a part of the sample:
  `wideberth.papers.compression_bounds`;
- total losses and mistakes of online learners: `wideberth.papers.online_bounds`; two labels by any
  learner of contextual search: `LabelsBySearch` (GLSW, Theorem 8);
- online learning of nearest centres by any power above 2: `PowerPartitionClassifier` (GLSW, Theorem
  13), and from all centres at once, without a bound: `JointPartitionClassifier`.
"""

from wideberth.papers import capacities, compression_bounds, margin_bounds, online_bounds
from wideberth.papers.chains import adaptive_capacity, adaptive_separation
from wideberth.papers.dimension import covering_numbers, intrinsic_dimension, net_hierarchy
from wideberth.papers.extension import LipschitzExtension
from wideberth.papers.labels_by_search import LabelsBySearch
from wideberth.papers.measured_capacities import (
    hilbert_capacity,
    kuratowski_capacity,
    lipschitz_capacity,
    maximum_discrepancy,
)
from wideberth.papers.norms import (
    dual_kuratowski_norm,
    kuratowski_functional,
    lipschitz_constant,
    lipschitz_norm,
    molecule_norm,
    transport,
)
from wideberth.papers.online_joint import JointPartitionClassifier
from wideberth.papers.online_powers import PowerPartitionClassifier
from wideberth.papers.perturbation import perturb, perturbed_capacity
from wideberth.papers.slope_program import least_slope_scores
from wideberth.papers.subspace import LeastSlopeFunction, LipschitzSubspace, least_slope
from wideberth.papers.vertex_covers import cover_path, covers

__all__ = [
    "JointPartitionClassifier",
    "LabelsBySearch",
    "LeastSlopeFunction",
    "LipschitzExtension",
    "LipschitzSubspace",
    "PowerPartitionClassifier",
    "adaptive_capacity",
    "adaptive_separation",
    "capacities",
    "compression_bounds",
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
    "margin_bounds",
    "maximum_discrepancy",
    "molecule_norm",
    "net_hierarchy",
    "online_bounds",
    "perturb",
    "perturbed_capacity",
    "transport",
]
