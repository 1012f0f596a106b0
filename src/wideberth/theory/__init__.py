"""What the papers state beside the classifiers: dual norms, extensions, subspaces, dimensions, perturbations, covers.

No classifier needs these; they are here to be used, tested and read beside the papers.
"""

from wideberth.classifiers.linear.subspace import LipschitzSubspace
from wideberth.guarantees.transport import molecule_norm, transport
from wideberth.theory.cover_path import cover_path
from wideberth.theory.covers import covers
from wideberth.theory.dimension import intrinsic_dimension
from wideberth.theory.dual_norms import dual_kuratowski_norm, kuratowski_functional, lipschitz_constant, lipschitz_norm
from wideberth.theory.extension import LipschitzExtension
from wideberth.theory.net_hierarchy import net_hierarchy
from wideberth.theory.perturbation import perturb, perturbed_capacity

__all__ = [
    "LipschitzExtension",
    "LipschitzSubspace",
    "cover_path",
    "covers",
    "dual_kuratowski_norm",
    "intrinsic_dimension",
    "kuratowski_functional",
    "lipschitz_constant",
    "lipschitz_norm",
    "molecule_norm",
    "net_hierarchy",
    "perturb",
    "perturbed_capacity",
    "transport",
]
