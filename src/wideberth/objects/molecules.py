"""Compute fingerprints of molecules with rdkit, which the extra ``wideberth[molecules]``
installs.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Sample
from wideberth.errors import InvalidInput
from wideberth.extras import import_extra
from wideberth.objects.sample import half_character, shown
from wideberth.wording import at, setting


def fingerprint_bytes(
    molecules: Sample, radius: int, size: int, kind: str = "morgan"
) -> tuple[NDArray[np.uint8], int]:
    """Compute the fingerprints of molecules, packed into bytes.

    SMILES, molecules and bit vectors may be mixed. Returned are packed bits, one row for each
    molecule, and the length of a fingerprint, ``size`` unless bit vectors were given. An error has
    the index of the molecule and rdkit's reason.

    SMILES and rdkit's molecules get fingerprints of a kind; rdkit's bit vectors are taken as they
    are, and must all have one length. Bit k of a fingerprint is bit k % 8 of byte k // 8. rdkit's
    own log is silenced.

    Examples
    --------
    >>> packed, length = fingerprint_bytes(["CCO", "OCC"], radius=2, size=64)
    >>> packed.shape, bool((packed[0] == packed[1]).all())
    ((2, 8), True)
    """
    if not len(molecules):
        return np.zeros((0, -(-size // 8)), dtype=np.uint8), size
    structures = _rdkit("DataStructs")
    generator = _generator(radius, size, kind)
    with _rdkit("rdBase").BlockLogs():
        vectors = [
            _bit_vector(molecule, position, generator)
            for position, molecule in enumerate(molecules)
        ]
    lengths = [vector.GetNumBits() for vector in vectors]
    if min(lengths) < max(lengths):
        other = next(position for position, length in enumerate(lengths) if length != lengths[0])
        raise InvalidInput(
            f"Fingerprints need one length: {at('object', 0)} has {lengths[0]} bits, "
            f"{at('object', other)} has {lengths[other]}.",
            advice=f"Make all in the same way; {setting('size')} sets the length of those made "
            "from SMILES.",
            witness=(0, other),
            value=lengths[other],
        )
    packed = b"".join(map(structures.BitVectToBinaryText, vectors))
    return np.frombuffer(packed, dtype=np.uint8).reshape(len(vectors), -1), lengths[0]


def smiles_problem(smiles: str) -> str | None:
    """Say why a SMILES cannot be read as a molecule. None if it can be read, or if rdkit is not
    installed.

    Examples
    --------
    >>> smiles_problem("CCO"), smiles_problem("C1CC")
    (None, 'unclosed ring')
    """
    if find_spec("rdkit") is None:
        return None
    with _rdkit("rdBase").BlockLogs():
        molecule = _from_smiles(smiles)
        if molecule is not None:
            return None if molecule.GetNumAtoms() else "it has no atoms"
        return _parse_problem(smiles)


def smiles_of_block(block: str) -> tuple[str | None, str]:
    """Write a table of atoms and bonds, as MOL and SDF files have it, as SMILES. Returned are the
    SMILES, None if rdkit cannot read the table, and why it cannot.

    Examples
    --------
    >>> smiles_of_block("no atoms")
    (None, 'its table of atoms and bonds is wrong')
    """
    chemistry = _rdkit("Chem")
    with _rdkit("rdBase").BlockLogs():
        try:
            molecule = (
                None if half_character(block) or "\0" in block else chemistry.MolFromMolBlock(block)
            )
            unsanitized = (
                chemistry.MolFromMolBlock(block, sanitize=False) if molecule is None else None
            )
        except RuntimeError:  # rdkit raises for some tables instead of returning None
            molecule = unsanitized = None
        if molecule is None:
            return (
                None,
                "its table of atoms and bonds is wrong"
                if unsanitized is None
                else _chemistry_problems(unsanitized),
            )
        if molecule.GetNumAtoms():
            return (chemistry.MolToSmiles(molecule), "")
        return (None, "it has no atoms")


def _rdkit(module: str) -> Any:
    """Import a module of rdkit."""
    # so that the message names the package, and not a part of it
    import_extra("rdkit", "molecules")
    return import_module(f"rdkit.{module}")


def _generator(radius: int, size: int, kind: str) -> Any:
    """What makes fingerprints of a kind, an object of rdkit."""
    generators = _rdkit("Chem.rdFingerprintGenerator")
    if kind == "atom_pairs":
        return generators.GetAtomPairGenerator(fpSize=size)
    roles = (
        {"atomInvariantsGenerator": generators.GetMorganFeatureAtomInvGen()}
        if kind == "features"
        else {}
    )
    return generators.GetMorganGenerator(radius=radius, fpSize=size, **roles)


def _bit_vector(molecule: Any, position: int, generator: Any) -> Any:
    """The fingerprint of one molecule, or the bit vector itself; ``position`` is its index in
    messages.
    """
    if hasattr(molecule, "GetNumBits"):
        return molecule
    structure = _molecule(molecule, position)
    try:
        return generator.GetFingerprint(structure)
    except RuntimeError as reason:
        raise InvalidInput(
            f"Molecule {position} is not ready for a fingerprint: "
            f"{' '.join(str(reason).split()[:12])}.",
            advice="Prepare it with rdkit.Chem.SanitizeMol, or pass it as SMILES.",
            witness=position,
            value=molecule,
        ) from None


def _molecule(given: Any, position: int) -> Any:
    """The molecule that was given, or that a SMILES describes, with at least one atom; ``position``
    is its index in messages.
    """
    chemistry = _rdkit("Chem")
    if not isinstance(given, str | chemistry.Mol):
        raise InvalidInput(
            f"{at('Object', position)} is not a molecule: {shown(given)}.",
            advice="Pass SMILES, molecules or bit vectors of rdkit, or rows of 0 and 1; drop "
            "missing values first.",
            witness=position,
            value=given,
        )
    molecule = _from_smiles(given) if isinstance(given, str) else given
    if molecule is not None and molecule.GetNumAtoms():
        return molecule
    reason = "it has no atoms" if molecule is not None else _parse_problem(given)
    raise InvalidInput(
        f"Molecule {position} cannot be read from {shown(given)}: {reason}.",
        advice="Correct it or leave it out.",
        witness=position,
        value=given,
    )


def _from_smiles(smiles: str) -> Any:
    """The molecule that a SMILES describes; None if rdkit, which takes UTF-8, cannot read it."""
    # a name may follow, in any letters
    if half_character(smiles) or not "".join(smiles.split(maxsplit=1)[:1]).isascii():
        return None
    return _rdkit("Chem").MolFromSmiles(smiles)


def _parse_problem(smiles: str) -> str:
    """Why rdkit cannot read a SMILES: rdkit lists chemical problems, but writes syntax errors only
    to its log.
    """
    if half := half_character(smiles):
        return half
    if not smiles.isascii():  # rdkit would cut such letters in its messages
        return (
            f"{next(letter for letter in smiles if not letter.isascii())!r} does not belong in a "
            "SMILES"
        )
    chemistry, base = _rdkit("Chem"), _rdkit("rdBase")
    if not hasattr(base, "CaptureErrorLog"):  # rdkit before 2026
        return _chemistry_problems(chemistry.MolFromSmiles(smiles, sanitize=False))
    with base.CaptureErrorLog() as log:
        unsanitized = chemistry.MolFromSmiles(smiles, sanitize=False)
    messages = [
        line.partition("] ")[2].removeprefix("SMILES Parse Error: ")
        for line in log.messages.splitlines()
    ]
    if not messages:
        return _chemistry_problems(unsanitized)
    message: str = next((message for message in messages if "position" in message), messages[0])
    return message.removesuffix(f" for input: '{smiles}'").removesuffix(":")


def _chemistry_problems(unsanitized: Any) -> str:
    """The problems that rdkit finds in a molecule that was read without checks, or None where its
    syntax could not be read.
    """
    if unsanitized is None:
        return "its syntax is wrong"
    problems = _rdkit("Chem").DetectChemistryProblems(unsanitized)
    return "; ".join(problem.Message() for problem in problems) or "rdkit gives no reason"
