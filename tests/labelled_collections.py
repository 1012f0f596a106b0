"""Objects in memory, and the same as Dask collections of every form."""

import dask
import dask.array
import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
from scipy.sparse import issparse

import wideberth


def names(n, start=0):
    """First names and sexes, spread over the list."""
    all_names, sexes = wideberth.datasets.load_first_names()
    order = np.random.default_rng(0).permutation(len(all_names))[start : start + n]
    return [all_names[i] for i in order], [sexes[i] for i in order]


def points(n, seed=0, d=3):
    """Vectors of two classes that overlap a little."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, d))
    return vectors, np.where(vectors[:, 0] + 0.3 * rng.normal(size=n) > 0, "up", "low")


def texts(n, seed=0):
    """Texts of two topics, some of them twice."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(120)])
    topics = rng.integers(0, 2, n)
    made = [
        " ".join(rng.choice(words[40 * topic : 40 * topic + 80], size=rng.integers(3, 12)))
        for topic in topics
    ]
    made[n // 2] = made[0]
    return made, np.where(topics, "b", "a").tolist()


def bag(objects, parts):
    return dask.bag.from_sequence(list(objects), npartitions=parts)


def array(values, parts):
    values = np.asarray(values)
    return dask.array.from_array(values, chunks=(-(-len(values) // parts), *values.shape[1:]))


def frame(columns, parts):
    return dask.dataframe.from_pandas(pd.DataFrame(columns), npartitions=parts, sort=False)


def delayed_parts(objects, parts):
    """A list of delayed partitions."""
    step = -(-(objects.shape[0] if issparse(objects) else len(objects)) // parts)
    cut = [objects[first : first + step] for first in range(0, parts * step, step)]
    return [dask.delayed(part, pure=True) for part in cut]
