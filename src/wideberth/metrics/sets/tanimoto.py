"""The Tanimoto distance between bit vectors, such as the fingerprints of molecules: the Jaccard
distance of their bits.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.sets.jaccard import non_binary_entry
from wideberth.metrics.sets.kernels import tanimoto_block
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.objects.digests import Digests, row_digests
from wideberth.objects.molecules import fingerprint_bytes
from wideberth.rounding import UNIT
from wideberth.wording import at, python, setting

#: Fingerprints beyond these take memory and say nothing more.
LARGEST_RADIUS, LARGEST_SIZE = 100, 2**20
#: What the bits of a fingerprint may stand for.
FINGERPRINTS = ("morgan", "features", "atom_pairs")

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """A prepared sample of bit vectors of the same length. A word has 64 bits; those beyond the
    length are 0.

    Examples
    --------
    >>> Fingerprints.from_bytes(np.array([[7, 0], [255, 1]], dtype=np.uint8), length=16).counts
    array([3, 9])
    """

    words: NDArray[np.uint64]
    counts: NDArray[np.int64]
    length: int

    @classmethod
    def from_bytes(cls, packed: Bytes, length: int) -> Self:
        """Make the sample from packed bits. Bit k of a vector is bit k % 8 of byte k // 8, the
        least significant bit first; bits beyond the length must be 0.
        """
        width = -(-packed.shape[1] // 8) * 8
        padded = np.zeros((len(packed), width), dtype=np.uint8)
        padded[:, : packed.shape[1]] = packed
        words = padded.view(np.uint64)
        return cls(words, np.bitwise_count(words).sum(axis=1, dtype=np.int64), length)

    def __len__(self) -> int:
        return len(self.words)

    def take(self, indices: Any) -> Self:
        """Return the vectors at ``indices``, a slice or an integer array; see `Prepared.take`."""
        return type(self)(self.words[indices], self.counts[indices], self.length)

    def plain(self) -> dict[str, Any]:
        """Return the packed bits and their number; see `Prepared.plain`."""
        packed = self.words.view(np.uint8)[:, : -(-self.length // 8)]
        return {"bytes": np.ascontiguousarray(packed), "length": self.length}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Make the sample from the values of a file, and check them; see `Prepared.from_plain`."""
        match plain:
            case {"bytes": np.ndarray() as packed, "length": int(length)} if (
                packed.dtype == np.uint8 and packed.ndim == 2
            ):
                if (
                    length < 0
                    or packed.shape[1] != -(-length // 8)
                    or np.any(packed[:, length // 8 :] >> (length % 8))
                ):
                    raise ValueError(f"rows of {length} bits are needed")
                return cls.from_bytes(packed, length)
        raise ValueError("bytes and the length of bit vectors are needed")


class Tanimoto(Metric):
    r"""The Tanimoto distance: the share of the bits of two fingerprints that they do not have in
    common, in [0, 1].

    .. math:: d(x, y) = 1 - \frac{|x \wedge y|}{|x \vee y|}, \qquad d(0, 0) = 0

    Objects are molecules, as SMILES texts or as rdkit molecules, for which fingerprints are
    computed (by default those of Morgan, ECFP4; Rogers & Hahn 2010); bit vectors of rdkit; or the
    rows of a matrix of 0 and 1, used as they are. Bits packed in bytes look like a matrix of
    numbers: unpack them first, with ``numpy.unpackbits(packed, axis=1)``.

    A metric, of negative type and not Hilbertian: it is `Jaccard` on the sets of bits. It does not
    separate molecules: the fingerprints of decane and undecane are equal, because a bit means that
    a neighbourhood of atoms occurs, not how often.

    Parameters
    ----------
    radius : int
        The radius, in bonds, of the neighbourhoods of atoms that the fingerprint of a molecule
        distinguishes; 2 gives ECFP4, 3 ECFP6.
    size : int
        The number of bits in the fingerprint of a molecule.
    fingerprint : {"morgan", "features", "atom_pairs"}, default="morgan"
        What a bit stands for: a neighbourhood of atoms by their elements ("morgan", ECFP); the same
        by the roles of atoms, such as donor and acceptor ("features", FCFP), which sees molecules
        alike that bind alike; or two atoms and the number of bonds between them ("atom_pairs",
        Carhart, Smith & Venkataraghavan 1985), which sees the shape of the whole and has no radius.

    Raises
    ------
    InvalidInput
        If a parameter is no integer, ``radius`` is negative, ``size`` is not positive, or there is
        no such fingerprint.

    Examples
    --------
    >>> Tanimoto()([1, 1, 0, 0], [1, 0, 1, 0])
    0.6666666666666667
    >>> Tanimoto()("CCO", "OCC")  # one molecule, written from both ends
    0.0
    """

    name = "tanimoto"
    underflow = 4 * UNIT  # it is a difference of numbers up to 1
    examples = ("CCO", "CCCO", "CC(C)O", "OCCO", "c1ccccc1", "c1ccccc1C", "c1ccncc1", "c1ccccc1O")
    source = "Jaccard's on the bits of fingerprints (Rogers & Hahn 2010)"
    counterexamples: ClassVar = {"hilbertian": [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]]}
    accepts: Kind = "molecules"
    parallel = "threads"
    usual_nanoseconds = 10.0
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False
    )

    def __init__(self, radius: int = 2, size: int = 2048, fingerprint: str = "morgan") -> None:
        for name, value, least, most in (
            ("radius", radius, 0, LARGEST_RADIUS),
            ("size", size, 1, LARGEST_SIZE),
        ):
            if not is_whole(value, least, most):
                raise InvalidInput(
                    f"The {name} of fingerprints must be an integer from {least} to {most}, not "
                    f"{value!r}.",
                    advice=f"{setting('radius', 2)} and {setting('size', 2048)} are common "
                    "choices.",
                    value=value,
                )
        if fingerprint not in FINGERPRINTS:
            advice = (
                f"It is {', '.join(map(repr, FINGERPRINTS))}; others can be passed as bit vectors "
                "of rdkit."
            )
            raise InvalidInput(
                f"There is no fingerprint {fingerprint!r}.", advice=advice, value=fingerprint
            )
        self.radius = radius
        self.size = size
        self.fingerprint = fingerprint

    def prepare(self, objects: Objects) -> Fingerprints:
        """Compute or check fingerprints."""
        if isinstance(objects, Fingerprints):
            return objects
        held = sample.hold(objects)
        if _are_rows(held):
            return _from_bits(held)
        return Fingerprints.from_bytes(
            *fingerprint_bytes(held, int(self.radius), int(self.size), self.fingerprint)
        )

    def digests(self, X: Objects, prepared: Fingerprints) -> Digests:
        """Those of SMILES and rows of bits as they are written, those of rdkit's objects by their
        fingerprints.
        """
        given = super().digests(X, prepared)
        return self.alike_digests(prepared) if given is None else given

    def alike_digests(self, prepared: Fingerprints) -> Digests:
        """Those of the fingerprints, which one molecule has in every way of writing; see
        `wideberth.Metric.alike_digests`.
        """
        return row_digests(prepared.words.view(np.uint8))

    def _measure(self, left: Fingerprints, right: Fingerprints) -> Distances:
        out = np.zeros((len(left), len(right)))
        if not out.size:
            return out
        if left.length != right.length:
            raise InvalidInput(
                f"Fingerprints of {left.length} and of {right.length} bits cannot be compared.",
                advice=f"Make both in the same way; {setting('size')} sets the length of those "
                "made from SMILES.",
                value=(left.length, right.length),
            )
        tanimoto_block(left.words, left.counts, right.words, right.counts, out)
        return out


def _are_rows(held: Sample) -> bool:
    """Return whether a held sample consists of rows of numbers, and not of molecules."""
    if not isinstance(held, np.ndarray) or held.dtype != object or held.ndim != 1:
        return True
    return len(held) > 0 and all(isinstance(row, list | tuple | np.ndarray) for row in held)


def _from_bits(held: Sample) -> Fingerprints:
    """Pack the rows of a matrix of 0 and 1."""
    bits = (
        held
        if isinstance(held, np.ndarray) and held.dtype == bool and held.ndim == 2
        else prepare_vectors(held)
    )
    wrong = non_binary_entry(bits)
    if wrong is not None:
        row, column = wrong
        raise InvalidInput(
            f"Fingerprints are rows of 0 and 1: {at('object', row)} has {bits[row, column]:g} at "
            f"position {column}.",
            advice=f"Unpack packed bits ({python('numpy.unpackbits(packed, axis=1)')}), or choose "
            "'ruzicka', which takes counts.",
            witness=(row, column),
            value=bits[row, column],
        )
    return Fingerprints.from_bytes(np.packbits(bits != 0, axis=1, bitorder="little"), bits.shape[1])
