"""Equal objects, found by measuring all pairs."""

import numpy as np


def groups(distances: np.ndarray) -> list[int]:
    """For each object the number of its group: it joins the first group whose first member is at
    distance 0 from it.
    """
    firsts: list[int] = []
    numbers = []
    for index in range(len(distances)):
        joined = [number for number, first in enumerate(firsts) if distances[index, first] == 0]
        if not joined:
            joined = [len(firsts)]
            firsts.append(index)
        numbers.append(joined[0])
    return numbers
