"""Compiled greedy matching of points of different classes, by nearest-neighbour chains over a kd-tree."""

import numpy as np
from numba import njit

from wideberth.geometry.capacities_kernels import Capacities, take
from wideberth.geometry.kdtree_kernels import (
    UNKNOWN,
    Codes,
    Floats,
    Integers,
    KdTree,
    Power,
    delete_point,
    largest_gap,
    leaf_of,
    leaf_span,
    next_leaf,
    point_gap,
    root,
)


@njit(nogil=True, cache=True)
def match_by_chains(
    tree: KdTree, power: Power, up_to: float, capacities: Capacities, first: Codes, second: Codes, distances: Floats
) -> tuple[int, int]:
    """Match all points that the greedy order matches at distances up to ``up_to``; uses the tree up.

    A chain goes from each point to its nearest point alive of another class. In the order (distance, smaller index, larger
    index), which for one end fixed is the order (distance, other index), its steps decrease, so it ends in two points that are
    each other's first choice: the greedy matching joins them. Deleting them leaves the choices of the rest of the chain's points
    but the last as they were, and the chain goes on from there. A point whose first choice is too far stays single, since
    deletions only move choices farther off, and nobody within ``up_to`` can want it: it is deleted too.

    Of two points matched the one with less to give is used up and deleted, or both are. If it is the chain's last, the chain goes
    on from the other; if it is the one before, the last is left for later, since whoever wanted the one before must ask again.

    Chains start in tree order, from one neighbour to the next. Fills original indices, smaller first, and the distances, in the
    order of discovery; returns how many pairs there are and how many distances it measured.
    """
    n = tree.points.shape[0]
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    chain, steps = np.empty(64, dtype=np.intp), np.empty(64)  # steps[i]: how far chain[i] is from chain[i - 1]
    pairs = measured = 0
    for start in range(n):
        size = 0
        if tree.alive[start]:
            chain[0], steps[0], size = start, up_to, 1
        while size:
            last, before = chain[size - 1], chain[size - 2] if size > 1 else -1
            choice, distance, calls = _nearest_enemy(tree, last, before, steps[size - 1], power, stack, bounds)
            measured += calls
            if choice < 0:
                delete_point(tree, last)
                size = 0
            elif choice == before:
                one, other = tree.order[last], tree.order[before]
                first[pairs], second[pairs], distances[pairs] = min(one, other), max(one, other), distance
                last_gone, before_gone = take(capacities, one, other, distance, pairs)
                pairs += 1
                size -= 1
                if last_gone:
                    delete_point(tree, last)
                if before_gone:
                    delete_point(tree, before)
                    size -= 1
            else:
                if size == chain.size:
                    chain = np.concatenate((chain, np.empty_like(chain)))
                    steps = np.concatenate((steps, np.empty_like(steps)))
                chain[size], steps[size] = choice, distance
                size += 1
    return pairs, measured


@njit(nogil=True, cache=True)
def _nearest_enemy(
    tree: KdTree, position: int, known: int, within: float, power: Power, stack: Integers, bounds: Floats
) -> tuple[int, float, int]:
    """The nearest point alive of another class, by (distance, original index), at most ``within`` away; -1 if there is none.

    ``known`` is a candidate at the distance ``within``, or -1. Starts at the point's own leaf and works its way up, since the
    nearest is most often close by. Returns the position, the distance and how many distances it measured.
    """
    code = tree.codes[position]
    best, best_distance = known, within
    best_index = tree.order[known] if known >= 0 else tree.points.shape[0]
    limit = largest_gap(within, power)
    measured = 0
    top = _climb(tree, leaf_of(tree, position), stack, bounds)
    while top:
        leaf, top = next_leaf(tree, tree.points, position, code, power, limit, stack, bounds, top)
        if leaf < 0:
            break
        start, stop = leaf_span(tree, leaf)
        for other in range(start, stop):
            if tree.codes[other] == code or not tree.alive[other]:
                continue
            measured += 1
            gap = point_gap(tree.points, other, tree.points, position, power)
            if gap <= limit:
                distance = root(gap, power)
                if distance < best_distance or (distance == best_distance and tree.order[other] < best_index):
                    best, best_distance, best_index = other, distance, tree.order[other]
                    limit = largest_gap(distance, power)
    return best, best_distance, measured


@njit(nogil=True, cache=True)
def _climb(tree: KdTree, leaf: int, stack: Integers, bounds: Floats) -> int:
    """Put the siblings of all nodes on the way from the root to a leaf on the stack, then the leaf; how many nodes that are."""
    node = leaf
    for place in range(tree.depth - 1, -1, -1):
        stack[place], bounds[place] = ((node - 1) ^ 1) + 1, UNKNOWN
        node = (node - 1) >> 1
    stack[tree.depth], bounds[tree.depth] = leaf, 0.0
    return tree.depth + 1
