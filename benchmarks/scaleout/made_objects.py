"""Objects of any number, made on the workers from a seed, so that nothing has to be sent or
stored.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:  # pages are also written where Dask is not installed
    from dask.delayed import Delayed

#: Vectors have so many coordinates; texts so many words, of so many different ones.
DIMENSION, WORDS, VOCABULARY = 4, 20, 20_000


def vectors(seed: int, n: int) -> tuple[Any, Any]:
    """Vectors of two classes; 5 % have the other label."""
    rng = np.random.default_rng([seed, 0])
    rows = rng.normal(size=(n, DIMENSION))
    sides = rows[:, 0] + 0.5 * np.sin(2.0 * rows[:, 1]) > 0
    return rows, np.where(sides ^ (rng.random(n) < 0.05), "up", "low")


def texts(seed: int, n: int) -> tuple[Any, Any]:
    """Texts as counts of words, rows of a sparse matrix: half of the words are those of one of two
    topics.
    """
    rng = np.random.default_rng([seed, 1])
    topics = rng.integers(0, 2, n)
    common = (VOCABULARY // 2 * rng.random((n, WORDS)) ** 3).astype(np.int64)
    own = (
        VOCABULARY // 2
        + (VOCABULARY // 4 * rng.random((n, WORDS)) ** 3).astype(np.int64)
        + VOCABULARY // 4 * topics[:, None]
    )
    columns = np.where(rng.random((n, WORDS)) < 0.85, common, own)
    rows = csr_array(
        (np.ones(n * WORDS), columns.ravel(), np.arange(0, n * WORDS + 1, WORDS)),
        shape=(n, VOCABULARY),
    )
    rows.sum_duplicates()
    return rows, topics


def partitions(
    make: Any, n: int, size: int, first: int = 0
) -> "tuple[list[Delayed], list[Delayed]]":
    """Delayed partitions of objects, and of their labels."""
    import dask

    pairs = [
        dask.delayed(make, pure=True, nout=2)(first + number, min(size, n - size * number))
        for number in range(-(-n // size))
    ]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def array_of(make: Any, n: int, size: int, first: int = 0) -> Any:
    """The objects as a Dask array."""
    import dask.array

    some, _ = make(first, 1)
    parts = partitions(make, n, size, first)[0]
    sizes = [min(size, n - size * number) for number in range(len(parts))]
    return dask.array.concatenate(
        [
            dask.array.from_delayed(part, (rows, *some.shape[1:]), dtype=some.dtype)
            for part, rows in zip(parts, sizes, strict=True)
        ]
    )


def all_here(make: Any, n: int, size: int, first: int = 0) -> tuple[Any, Any]:
    """The same objects in one piece."""
    from wideberth.scaleout.collections.gathering import joined

    made = [make(first + number, min(size, n - size * number)) for number in range(-(-n // size))]
    return joined([objects for objects, _ in made]), np.concatenate([labels for _, labels in made])
