"""Trees, graphs, sets of points and molecules as small drawings."""

import math
from collections import deque
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from wideberth.array_types import Floats
from wideberth.objects.molecules import smiles_problem
from wideberth.report.drawings.ink import Ink, Place, colour_of, fitted, in_words, shortened

# ---- Trees as small drawings: a node in each row, its children below it and to the right, as
# folders are shown

#: Most nodes that are drawn, and most that are counted.
MOST_NODES, _MOST_COUNTED = 24, 100_000
#: Most characters of a label.
_LETTERS = 16
#: The height of a row, the width of a level, the width of a letter, and of all levels at most, in
#: pixels.
_ROW, _LEVEL, _LETTER, _LEVELS = 13, 13, 5.5, 160


def tree(root: Any) -> dict[str, Any]:
    """Draw a tree, or the nodes of a large one that are nearest to its root.

    Examples
    --------
    >>> tree(["a", [["b", []], ["c", []]]])["alt"]
    'tree of 3 nodes: a (b, c)'
    """
    labels, parents = _nearest_nodes(root)
    children: list[list[int]] = [[] for _ in labels]
    depths = [0] * len(labels)
    for node, parent in enumerate(parents[1:], start=1):
        children[parent].append(node)
        depths[node] = depths[parent] + 1
    level = min(_LEVEL, _LEVELS / max(1, *depths)) if len(depths) > 1 else _LEVEL
    places = {
        node: (5 + depths[node] * level, 8 + row * _ROW) for row, node in enumerate(_rows(children))
    }
    ink = Ink(anchor="start", letter_size=10)
    for node, below in enumerate(children):
        x, y = places[node]
        ink.strokes += [((x, y), (x, places[child][1])) for child in below[-1:]]
        ink.strokes += [((x, places[child][1]), places[child]) for child in below]
    ink.dots = [(places[node], colour_of(label)) for node, label in enumerate(labels)]
    ink.labels = [
        ((places[node][0] + 6, places[node][1] + 3.5), label) for node, label in enumerate(labels)
    ]
    width = max(places[node][0] + 10 + _LETTER * len(label) for node, label in enumerate(labels))
    return ink.image(width, 4 + len(labels) * _ROW, _in_words(root, labels, children))


def _in_words(root: Any, labels: list[str], children: list[list[int]]) -> str:
    counted = _count(root)
    more = "more than " if counted >= _MOST_COUNTED else ""
    below = ", ".join(labels[node] for node in children[0][:5])
    return (
        f"tree of {more}{counted:,} node{'' if counted == 1 else 's'}: "
        f"{labels[0]}{f' ({below})' if below else ''}"
    )


def _parts(node: Any) -> tuple[Any, Any]:
    """The label and the children of a node."""
    return (
        (node["label"], node.get("children", ())) if isinstance(node, dict) else (node[0], node[1])
    )


def _nearest_nodes(root: Any) -> tuple[list[str], list[int]]:
    """The labels and parents of the nodes nearest to the root, level by level; a node "…" where
    children are left out.
    """
    labels: list[str] = []
    parents: list[int] = []
    waiting: list[tuple[Any, int]] = [(root, -1)]
    for node, parent in waiting:  # it grows meanwhile
        label, children = _parts(node)
        labels.append(in_words(label, _LETTERS))
        parents.append(parent)
        room = max(0, MOST_NODES - len(waiting))
        waiting.extend((child, len(labels) - 1) for child in children[:room])
        if len(children) > room and room:
            waiting.append((["…", ()], len(labels) - 1))
    return labels, parents


def _count(root: Any) -> int:
    count, waiting = 0, [root]
    while waiting and count < _MOST_COUNTED:
        waiting.extend(_parts(waiting.pop())[1])
        count += 1
    return count


def _rows(children: list[list[int]]) -> list[int]:
    """The nodes in the order of their rows: parents first, children from first to last."""
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(reversed(children[order[-1]]))
    return order


#: Most nodes and most edges that are drawn, and most nodes that have room for their labels.
MOST_NODES_OF_GRAPHS, MOST_EDGES, _LABELLED = 60, 150, 12
#: Most points of a set that are drawn.
MOST_POINTS = 120
_WIDTH, _HEIGHT, _BORDER = 150, 110, 14
#: Steps of the layout; the first few bring most.
_STEPS = 40


def graph(given: Any) -> dict[str, Any]:
    """Draw a graph; of a large one, the nodes around the one with the most neighbours.

    Nodes lie as far apart as the shortest way between them is long, as nearly as a few steps of
    local majorization of the stress reach it (Gansner, Koren & North, "Graph drawing by stress
    majorization", Graph Drawing 2004). Colours stand for labels, which are written where there are
    few nodes.

    Examples
    --------
    >>> graph({"nodes": ["C", "O"], "edges": [[0, 1]]})["alt"]
    'graph of 2 nodes (1 C, 1 O) and 1 edge'
    """
    labels, neighbors = _labels_and_neighbors(given)
    count = sum(len(around) + (node in around) for node, around in enumerate(neighbors)) // 2
    alt = (
        f"graph of {_counted(len(labels), 'node')}{_label_counts(labels)} and "
        f"{_counted(count, 'edge')}"
    )
    if not labels:
        return Ink().image(_WIDTH, 20, alt)
    shown = _around_center(neighbors)
    number_of = {node: number for number, node in enumerate(shown)}
    edges = [
        (number_of[node], number_of[other])
        for node in shown
        for other in neighbors[node]
        if other in number_of and number_of[node] < number_of[other]
    ]
    places = fitted(_layout(len(shown), edges), _WIDTH, _HEIGHT, _BORDER)
    drawn = Ink(dot_size=7 if len(shown) <= 30 else 5, letter_size=9)
    drawn.strokes = [(places[one], places[other]) for one, other in edges[:MOST_EDGES]]
    names = [None if labels[node] is None else in_words(labels[node], 8) for node in shown]
    drawn.dots = [(place, colour_of(name)) for place, name in zip(places, names, strict=True)]
    if len(shown) <= _LABELLED:
        drawn.labels = [
            ((x, y - 5), name)
            for (x, y), name in zip(places, names, strict=True)
            if name is not None
        ]
    cut = f"; the {len(shown)} around its centre are drawn" if len(shown) < len(labels) else ""
    return drawn.image(_WIDTH, _HEIGHT, alt + cut)


def points(given: Floats) -> dict[str, Any]:
    """Draw a set of points by their first two coordinates.

    Examples
    --------
    >>> points(np.array([[0.0, 0.0], [1.0, 2.0]]))["alt"]
    '2 points in 2 dimensions'
    """
    finite = given[np.isfinite(given).all(axis=1)][:, :2]
    some = finite[np.linspace(0, len(finite) - 1, min(len(finite), MOST_POINTS)).astype(int)]
    # so that the range of very large coordinates is finite
    largest = np.abs(some).max(initial=0.0) or 1.0
    places = fitted(some / largest, _WIDTH, _HEIGHT, _BORDER) if len(some) else some
    drawn = Ink(dot_size=4, dots=[(place, colour_of(None)) for place in places])
    cut = "; the first two are drawn" if given.shape[1] > 2 else ""
    return drawn.image(
        _WIDTH, _HEIGHT, f"{_counted(len(given), 'point')} in {given.shape[1]:,} dimensions{cut}"
    )


def _labels_and_neighbors(given: Any) -> tuple[list[Any], list[set[int]]]:
    """The label of each node and the numbers of its neighbours."""
    if hasattr(given, "nodes"):
        named = list(given.nodes(data="label"))
        number_of = {name: number for number, (name, _) in enumerate(named)}
        labels = [label for _, label in named]
        edges = [(number_of[one], number_of[other]) for one, other in given.edges()]
    elif "neighbors" in given:
        lists = given["neighbors"]
        labels = list(given.get("nodes") or [None] * len(lists))
        edges = [(node, int(other)) for node, around in enumerate(lists) for other in around]
    else:
        labels = list(given["nodes"])
        edges = [(int(edge[0]), int(edge[1])) for edge in given["edges"]]
    neighbors: list[set[int]] = [set() for _ in labels]
    for one, other in edges:
        neighbors[one].add(other)
        neighbors[other].add(one)
    return labels, neighbors


def _around_center(neighbors: list[set[int]]) -> list[int]:
    """All nodes of a small graph; of a large one those found first, in breadth, from the node with
    the most neighbours.
    """
    if len(neighbors) <= MOST_NODES_OF_GRAPHS:
        return list(range(len(neighbors)))
    center = max(range(len(neighbors)), key=lambda node: len(neighbors[node]))
    found, waiting = {center: None}, deque([center])
    while waiting and len(found) < MOST_NODES_OF_GRAPHS:
        for other in sorted(neighbors[waiting.popleft()])[:MOST_NODES_OF_GRAPHS]:
            if other not in found and len(found) < MOST_NODES_OF_GRAPHS:
                found[other] = None
                waiting.append(other)
    return list(found)


def _layout(count: int, edges: list[tuple[int, int]]) -> Floats:
    """Places in the plane; each step moves every node to where the others, weighted by nearness,
    would have it.
    """
    joined = np.zeros((count, count))
    for one, other in edges:
        joined[one, other] = joined[other, one] = 1.0
    steps = shortest_path(joined, unweighted=True)
    finite = np.isfinite(steps)
    # parts that are not connected lie beside each other
    steps = np.where(finite, steps, steps[finite].max() + 1)
    weights = 1.0 / np.maximum(steps, 1.0) ** 2
    np.fill_diagonal(weights, 0.0)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    places = _between_far_nodes(steps)
    # without linear algebra, whose threads would take ten times as long for so few numbers
    for _ in range(_STEPS):
        gaps = places[:, None] - places[None]
        lengths = np.sqrt((gaps**2).sum(axis=2))
        wanted = places[None] + gaps * (steps / np.maximum(lengths, 1e-9))[..., None]
        places = (weights[..., None] * wanted).sum(axis=1)
    return places


def _between_far_nodes(steps: Floats) -> Floats:
    """A first layout: how far nodes are from the two ends of a long way, and from a node far from
    both.

    A circle is added, so that no two nodes lie upon each other.
    """
    one = int(np.argmax(steps[0]))
    other = int(np.argmax(steps[one]))
    aside = int(np.argmax(np.minimum(steps[one], steps[other])))
    angles = 2 * np.pi * np.arange(len(steps)) / len(steps)
    return np.column_stack(
        [
            (steps[one] - steps[other]) / 2 + 0.3 * np.cos(angles),
            steps[aside] + 0.3 * np.sin(angles),
        ]
    )


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _label_counts(labels: list[Any]) -> str:
    """The three most frequent labels, in brackets."""
    counts: dict[str, int] = {}
    for label in labels:
        if label is not None:
            name = in_words(label, 8)
            counts[name] = counts.get(name, 0) + 1
    most = sorted(counts.items(), key=lambda each: -each[1])[:3]
    more = ", ..." if len(counts) > 3 else ""
    return f" ({', '.join(f'{count:,} {name}' for name, count in most)}{more})" if most else ""


# ---- Molecules as drawings of bonds and atoms, with the coordinates of rdkit where it is
# installed, else as their SMILES.

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

    An image, or a text: without rdkit, for a fingerprint, for a large molecule, and for a SMILES
    that cannot be read.

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
    # the second coordinate of SVG points down
    flat = np.array(structure.GetConformer().GetPositions())[:, :2] * [1.0, -1.0]
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
    # OH becomes HO
    if right > 1 and name[symbol : symbol + 1] == "H" and not atom.GetFormalCharge():
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
