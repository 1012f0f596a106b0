"""Trees as small drawings: a node in each row, its children below it and to the right, as folders are shown."""

from typing import Any

from wideberth.report.drawings.ink import Ink, colour_of
from wideberth.report.drawings.short_text import in_words

#: Most nodes that are drawn, and most that are counted.
MOST_NODES, _MOST_COUNTED = 24, 100_000
#: Most characters of a label.
_LETTERS = 16
#: The height of a row, the width of a level, the width of a letter, and of all levels at most, in pixels.
_ROW, _LEVEL, _LETTER, _LEVELS = 13, 13, 5.5, 160


def tree(root: Any) -> dict[str, Any]:
    """Draw a tree, or the nodes of a large one that are nearest to its root.

    Parameters
    ----------
    root : [label, [child, ...]], or dict with "label" and "children"
        A tree as `wideberth.metrics.structures.trees` reads it.

    Returns
    -------
    dict
        A drawing of type "image".

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
    places = {node: (5 + depths[node] * level, 8 + row * _ROW) for row, node in enumerate(_rows(children))}
    ink = Ink(anchor="start", letter_size=10)
    for node, below in enumerate(children):
        x, y = places[node]
        ink.strokes += [((x, y), (x, places[child][1])) for child in below[-1:]]
        ink.strokes += [((x, places[child][1]), places[child]) for child in below]
    ink.dots = [(places[node], colour_of(label)) for node, label in enumerate(labels)]
    ink.labels = [((places[node][0] + 6, places[node][1] + 3.5), label) for node, label in enumerate(labels)]
    width = max(places[node][0] + 10 + _LETTER * len(label) for node, label in enumerate(labels))
    return ink.image(width, 4 + len(labels) * _ROW, _in_words(root, labels, children))


def _in_words(root: Any, labels: list[str], children: list[list[int]]) -> str:
    counted = _count(root)
    more = "more than " if counted >= _MOST_COUNTED else ""
    below = ", ".join(labels[node] for node in children[0][:5])
    return f"tree of {more}{counted:,} node{'' if counted == 1 else 's'}: {labels[0]}{f' ({below})' if below else ''}"


def _parts(node: Any) -> tuple[Any, Any]:
    """The label and the children of a node."""
    return (node["label"], node.get("children", ())) if isinstance(node, dict) else (node[0], node[1])


def _nearest_nodes(root: Any) -> tuple[list[str], list[int]]:
    """The labels and parents of the nodes nearest to the root, level by level; a node "…" where children are left out."""
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
