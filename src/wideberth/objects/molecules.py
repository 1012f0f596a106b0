"""Molecules to fingerprints, through rdkit."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.extras import import_extra


def fingerprint_bytes(molecules: Any, radius: int, size: int) -> tuple[NDArray[np.uint8], int]:
    """The fingerprints of molecules, a row of bytes each, and how many bits they have.

    SMILES and rdkit's molecules get Morgan fingerprints of the given radius and size; rdkit's bit vectors are taken as they are,
    and all must have one length. Bit k is bit k % 8 of byte k // 8. What cannot be read is refused with its index and rdkit's
    reason; rdkit itself says nothing.

    >>> packed, length = fingerprint_bytes(["CCO", "OCC"], radius=2, size=64)
    >>> packed.shape, bool((packed[0] == packed[1]).all())
    ((2, 8), True)
    """
    if not len(molecules):
        return np.zeros((0, -(-size // 8)), dtype=np.uint8), size
    structures = _rdkit("DataStructs")
    generator = _rdkit("Chem.rdFingerprintGenerator").GetMorganGenerator(radius=radius, fpSize=size)
    with _rdkit("rdBase").BlockLogs():
        vectors = [_bit_vector(each, position, generator) for position, each in enumerate(molecules)]
    lengths = [each.GetNumBits() for each in vectors]
    if min(lengths) < max(lengths):
        other = next(position for position, length in enumerate(lengths) if length != lengths[0])
        raise InvalidInput(
            f"Fingerprints need one length: object 0 has {lengths[0]} bits, object {other} has {lengths[other]}.",
            advice="Make all in the same way; size= sets the length of those made from SMILES.",
            witness=(0, other),
            value=lengths[other],
        )
    packed = b"".join(map(structures.BitVectToBinaryText, vectors))
    return np.frombuffer(packed, dtype=np.uint8).reshape(len(vectors), -1), lengths[0]


def _rdkit(module: str) -> Any:
    import_extra("rdkit", "molecules")  # so that the message names the package, and not a part of it
    return import_module(f"rdkit.{module}")


def _bit_vector(molecule: Any, position: int, generator: Any) -> Any:
    if hasattr(molecule, "GetNumBits"):
        return molecule
    structure = _molecule(molecule, position)
    try:
        return generator.GetFingerprint(structure)
    except RuntimeError as reason:
        raise InvalidInput(
            f"Molecule {position} is not ready for a fingerprint: {' '.join(str(reason).split()[:12])}.",
            advice="Prepare it with rdkit.Chem.SanitizeMol, or pass it as SMILES.",
            witness=position,
            value=molecule,
        ) from None


def _molecule(given: Any, position: int) -> Any:
    """Rdkit's molecule, of one atom at least."""
    chemistry = _rdkit("Chem")
    if not isinstance(given, str | chemistry.Mol):
        raise InvalidInput(
            f"Object {position} is no molecule: {given!r}.",
            advice="Pass SMILES, molecules or bit vectors of rdkit, or rows of 0 and 1; drop missing values first.",
            witness=position,
            value=given,
        )
    molecule = chemistry.MolFromSmiles(given) if isinstance(given, str) else given
    if molecule is not None and molecule.GetNumAtoms():
        return molecule
    reason = "it has no atoms" if molecule is not None else _reason(given)
    raise InvalidInput(
        f"Molecule {position} cannot be read from {given!r}: {reason}.",
        advice="Correct it or leave it out.",
        witness=position,
        value=given,
    )


def _reason(smiles: str) -> str:
    """Why rdkit does not read it: bad chemistry has a list of problems, bad syntax leaves a trace in the log alone."""
    chemistry, base = _rdkit("Chem"), _rdkit("rdBase")
    if not hasattr(base, "CaptureErrorLog"):  # rdkit of before 2026
        return _chemistry_problems(chemistry.MolFromSmiles(smiles, sanitize=False))
    with base.CaptureErrorLog() as log:
        drawn = chemistry.MolFromSmiles(smiles, sanitize=False)
    said = [line.partition("] ")[2].removeprefix("SMILES Parse Error: ") for line in log.messages.splitlines()]
    if not said:
        return _chemistry_problems(drawn)
    where: str = next((each for each in said if "position" in each), said[0])
    return where.removesuffix(f" for input: '{smiles}'").removesuffix(":")


def _chemistry_problems(drawn: Any) -> str:
    if drawn is None:
        return "its syntax is wrong"
    problems = _rdkit("Chem").DetectChemistryProblems(drawn)
    return "; ".join(each.Message() for each in problems) or "rdkit does not say why"
