"""Molecules as drawings of bonds and atoms, with the coordinates of rdkit where it is installed,
else as their SMILES.
"""

import math
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.objects.molecules import smiles_problem
from wideberth.report.drawings.ink import Ink, Place, fitted, shortened

#: Longest SMILES and most atoms that are drawn; larger molecules are shown as texts.
_MOST_CHARACTERS, _MOST_ATOMS = 400, 70
#: Pixels between neighbouring atoms if there is room, between the lines of a double bond, and
#: around a letter.
_BOND, _BETWEEN, _LETTER = 16, 2.2, 5.5
#: The width of a letter.
_WIDE = 6
_WIDEST, _HIGHEST, _BORDER = 200, 140, 18


def molecule(given: Any) -> dict[str, Any]:
    """Draw a molecule.

    rdkit's own drawings take ten times as many bytes: bonds are one path here, carbon atoms stay
    unlettered, and stereochemistry is left to the SMILES in the text alternative.

    Parameters
    ----------
    given : str, rdkit molecule or bit vector, or row of 0 and 1
        A SMILES, a molecule or a fingerprint.

    Returns
    -------
    dict
        A drawing of type "image", or of type "text": without rdkit, for a fingerprint, for a large
        molecule, and for a SMILES that cannot be read.

    Examples
    --------
    >>> molecule("CCO")["alt"], molecule("C1CC")["type"]
    ('molecule CCO', 'text')
    """
    if hasattr(given, "GetNumBits") or not (
        isinstance(given, str) or hasattr(given, "GetNumAtoms")
    ):
        return _fingerprint(given)
    if isinstance(given, str):
        if find_spec("rdkit") is None or len(given) > _MOST_CHARACTERS or smiles_problem(given):
            return _written(given)
        with import_module("rdkit.rdBase").BlockLogs():
            structure, smiles = import_module("rdkit.Chem").MolFromSmiles(given), given
    else:
        chemistry = import_module("rdkit.Chem")
        structure, smiles = chemistry.Mol(given), chemistry.MolToSmiles(given)
    written = _written(smiles)
    return (
        _drawn(structure, written["alt"]) if 0 < structure.GetNumAtoms() <= _MOST_ATOMS else written
    )


def _written(smiles: str) -> dict[str, Any]:
    return {
        "type": "text",
        "spans": [["same", shortened(smiles) or "(empty)"]],
        "alt": f"molecule {shortened(smiles, 80)}",
    }


def _fingerprint(given: Any) -> dict[str, Any]:
    bits = list(given)
    alt = f"fingerprint of {len(bits):,} bits, {sum(map(bool, bits)):,} of them set"
    return {"type": "text", "spans": [["same", alt]], "alt": alt}


def _drawn(structure: Any, alt: str) -> dict[str, Any]:
    chemistry = import_module("rdkit.Chem")
    chemistry.Kekulize(structure, clearAromaticFlags=True)
    import_module("rdkit.Chem.rdDepictor").Compute2DCoords(structure)
    atoms = list(structure.GetAtoms())
    flat = np.array(structure.GetConformer().GetPositions())[:, :2] * [
        1.0,
        -1.0,
    ]  # the second coordinate of SVG points down
    extent = flat.max(axis=0) - flat.min(axis=0)
    width, height = np.minimum(extent / 1.5 * _BOND, [_WIDEST, _HIGHEST]) + 2 * _BORDER
    places = fitted(flat, width, height, _BORDER)
    names = [_letters(atom, len(atoms)) for atom in atoms]
    ink = Ink(letter_size=10)
    for bond in structure.GetBonds():
        one, other = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        start, end = _cut(places[one], places[other], bool(names[one]), bool(names[other]))
        ink.strokes += _lines(start, end, round(bond.GetBondTypeAsDouble()))
    ink.labels = [
        _placed(places, atom, name) for atom, name in zip(atoms, names, strict=True) if name
    ]
    return ink.image(width, height, alt)


def _placed(places: Floats, atom: Any, name: str) -> tuple[Place, str]:
    """Where the letters of an atom stand: its symbol upon the atom, its hydrogen atoms on the side
    where no bond is.
    """
    x, y = places[atom.GetIdx()]
    symbol = len(atom.GetSymbol())
    right = sum(places[other.GetIdx()][0] - x for other in atom.GetNeighbors())
    if (
        right > 1 and name[symbol : symbol + 1] == "H" and not atom.GetFormalCharge()
    ):  # OH becomes HO
        return (x - _WIDE / 2 * (len(name) - symbol), y + 3.5), name[symbol:] + name[:symbol]
    return (x + _WIDE / 2 * (len(name) - symbol), y + 3.5), name


def _letters(atom: Any, atoms: int) -> str:
    """What is written at an atom: nothing at a carbon atom with neighbours and without charge."""
    charge, hydrogens = atom.GetFormalCharge(), atom.GetTotalNumHs()
    if atom.GetSymbol() == "C" and not charge and atom.GetDegree():
        return ""
    hydrogen = "" if not hydrogens else "H" if hydrogens == 1 else f"H{_small(hydrogens)}"
    sign = (
        ""
        if not charge
        else ("" if abs(charge) == 1 else str(abs(charge))) + ("+" if charge > 0 else "−")
    )
    return f"{atom.GetSymbol()}{hydrogen}{sign}"


def _small(count: int) -> str:
    """A number as subscript."""
    return str(count).translate({ord("0") + digit: ord("₀") + digit for digit in range(10)})


def _cut(one: Floats, other: Floats, from_letter: bool, to_letter: bool) -> tuple[Floats, Floats]:
    """The ends of a bond, which leaves room for letters."""
    way = other - one
    step = way * min(_LETTER / max(math.hypot(*way), 1e-9), 1 / 3)
    return one + from_letter * step, other - to_letter * step


def _lines(start: Floats, end: Floats, order: int) -> list[tuple[Place, Place]]:
    """One line for each bond of a bond of an order, side by side."""
    way = end - start
    across = np.array([-way[1], way[0]]) * (_BETWEEN / max(math.hypot(*way), 1e-9))
    order = min(max(order, 1), 3)
    return [
        (start + shift * across, end + shift * across)
        for shift in np.arange(order) - (order - 1) / 2
    ]
