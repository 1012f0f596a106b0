"""Ruzicka's distance, Weisfeiler and Lehman's histograms, and paths in trees, straight from their
definitions.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any


def ruzicka(one: Mapping[Any, float], other: Mapping[Any, float]) -> float:
    tokens = set(one) | set(other)
    larger = sum(max(one.get(token, 0), other.get(token, 0)) for token in tokens)
    smaller = sum(min(one.get(token, 0), other.get(token, 0)) for token in tokens)
    return 1 - smaller / larger if larger else 0.0


def weisfeiler_lehman_labels(graph: dict[str, Any], iterations: int) -> Counter:
    """All labels of all rounds; a label is a nested tuple that says everything, and no hash."""
    neighbors: list[set[int]] = [set() for _ in graph["nodes"]]
    for i, j in graph["edges"]:
        neighbors[i].add(j)
        neighbors[j].add(i)
    labels: list[Any] = [("label", each) for each in graph["nodes"]]
    counts = Counter(labels)
    for _ in range(iterations):
        labels = [
            (labels[v], tuple(sorted((labels[w] for w in around), key=repr)))
            for v, around in enumerate(neighbors)
        ]
        counts.update(labels)
    return counts


def weisfeiler_lehman(one: dict[str, Any], other: dict[str, Any], iterations: int) -> float:
    return ruzicka(
        weisfeiler_lehman_labels(one, iterations), weisfeiler_lehman_labels(other, iterations)
    )


def tree_parts(tree: Any, longest: int) -> Counter:
    """All paths of labels down a tree, of up to so many nodes, and all neighbours below a parent."""
    counts: Counter = Counter()

    def walk(node: Any, above: tuple[Any, ...]) -> None:
        label, children = node
        path = (*above, label)
        for length in range(1, min(longest, len(path)) + 1):
            counts["path", path[-length:]] += 1
        if children:
            row = ["first", *(("child", child[0]) for child in children), "last"]
            for left, right in pairwise(row):
                counts["neighbours", label, left, right] += 1
        for child in children:
            walk(child, path)

    walk(tree, ())
    return counts


def tree_paths(one: Any, other: Any, longest: int) -> float:
    return ruzicka(tree_parts(one, longest), tree_parts(other, longest))
