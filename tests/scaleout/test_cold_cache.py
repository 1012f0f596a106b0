"""Workers that compile the same kernels at once into one cold directory, and others that load what
the race has left there.
"""

import numpy as np
import pytest
from distributed import Client
from local_clusters import local_cluster

import wideberth
from wideberth.geometry.classes.enemies import nearest_enemies

RNG = np.random.default_rng(0)
SERIES = RNG.normal(size=(60, 30))
WORDS = ["".join(RNG.choice(list("abcd"), size=size)) for size in RNG.integers(1, 9, size=300)]
KINDS = RNG.integers(0, 3, size=300)


def ask():
    return [
        wideberth.pairwise_distances(SERIES, metric="msm"),
        *nearest_enemies(WORDS, KINDS, "levenshtein", 3, max_memory=10**5),
        *wideberth.Index(SERIES[:, :3], engine="kdtree").nearest(SERIES[:, :3], k=2),
    ]


@pytest.mark.slow
def test_workers_share_a_cold_directory_of_compiled_code(everything_pays, monkeypatch, tmp_path):
    here = ask()
    monkeypatch.setenv(
        "NUMBA_CACHE_DIR", str(tmp_path)
    )  # numba has read it already in this process, not yet in the workers
    for _ in range(2):
        with local_cluster(3) as cluster, Client(cluster) as client, wideberth.scaleout.on(client):
            for one, other in zip(here, ask(), strict=True):
                np.testing.assert_array_equal(one, other)
    assert list(tmp_path.rglob("*.nbc"))
