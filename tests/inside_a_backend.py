"""What the library answers inside of a backend of joblib: run as a script with its name and that of
the families to ask, it prints what it found as JSON.

A script of its own, so that a backend that never answers can be ended, and workers find its
functions by the name of this file.
"""

import json
import os
import sys
import threading
import warnings
from contextlib import nullcontext
from functools import partial

import joblib
import numpy as np
from sklearn.model_selection import GridSearchCV

import wideberth
from wideberth.classifiers.named import CLASSIFIERS, choosers
from wideberth.geometry.measure import blocks, parallel

RNG = np.random.default_rng(0)
POINTS, QUERIES = RNG.normal(size=(60, 2)), RNG.normal(size=(25, 2))
WORDS = ["".join(RNG.choice(list("abcd"), size=RNG.integers(3, 9))) for _ in range(85)]
LABELS = np.where(POINTS[:, 0] + 0.3 * RNG.normal(size=60) > 0, "right", "left")
JOBS = 2


def taxi(one, other):
    """A distance in Python, whose work is for processes."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).sum())


def unequal_letters(one, other):
    return float(sum(a != b for a, b in zip(one, other, strict=False)) + abs(len(one) - len(other)))


#: Each metric with objects to learn from and to ask about: work of threads and of processes.
SAMPLES = {
    "euclidean": ("euclidean", POINTS, QUERIES),
    "a function": (
        partial(wideberth.metric, taxi, accepts="vectors", obeys_triangle=True),
        POINTS,
        QUERIES,
    ),
    "a closure": (
        lambda: wideberth.metric(lambda a, b: 2.0 * taxi(a, b), accepts="vectors"),
        POINTS,
        QUERIES,
    ),
    "levenshtein": ("levenshtein", WORDS[:60], WORDS[60:]),
    "words": (
        "words",
        [" ".join(word) for word in WORDS[:60]],
        [" ".join(word) for word in WORDS[60:]],
    ),
    "a function of texts": (
        partial(wideberth.metric, unequal_letters, accepts="strings"),
        WORDS[:60],
        WORDS[60:],
    ),
}


def none_of_them():
    """For questions about distances and workers only."""
    return ()


def all_of_them():
    """Every classifier on every metric that it suits, with the classes that choose their price by
    folds.
    """
    for name, (metric, known, asked) in SAMPLES.items():
        for entry in CLASSIFIERS.values():
            made = metric if isinstance(metric, str) else metric()
            if entry.suits(made):
                yield f"{entry.class_name} by {name}", entry.set_up(made, len(known)), known, asked
    for cls in (entry.load_chooser() for entry in choosers().values() if entry.suits("euclidean")):
        yield (
            f"{cls.__name__} by euclidean",
            cls("euclidean", cv=2, random_state=0),
            POINTS,
            QUERIES,
        )
        yield (
            f"{cls.__name__} by a function",
            cls(SAMPLES["a function"][0](), cv=2, random_state=0),
            POINTS,
            QUERIES,
        )


def family_answers(families):
    """What families answer, to the last bit."""
    found = {}
    for name, model, known, asked in families():
        model.set_params(n_jobs=JOBS).fit(known, LABELS)
        answers = [model.predict(asked), model.decision_function(asked), model.predict(known)]
        found[name] = [np.asarray(each).tobytes().hex() for each in answers]
    return found


def distances():
    """Distances of all kinds of metrics."""
    return {
        name: wideberth.pairwise_distances(
            asked, known, metric if isinstance(metric, str) else metric(), n_jobs=JOBS
        )
        .tobytes()
        .hex()
        for name, (metric, known, asked) in SAMPLES.items()
    }


class TwoWords(Exception):
    """An error that can be pickled, and never read again."""

    def __init__(self, one, other):
        super().__init__(f"{one} {other}")


def process_and_jobs(chunk):
    """Where a chunk is done, and how many jobs there would be inside of it."""
    return os.getpid(), parallel.effective_jobs(None), parallel.effective_jobs(4)


def failing(chunk):
    raise TwoWords("unlucky", chunk)


def guarded(lock, chunk):
    with lock:
        return chunk


def whereabouts():
    """Where work is done, and what becomes of work that cannot be sent or that fails."""
    run = partial(parallel.over_chunks, chunks=range(6), n_jobs=JOBS, expected=3600.0)
    told = {how: list(run(process_and_jobs, how=how)) for how in ("threads", "processes")}
    told["own"] = joblib.Parallel(n_jobs=JOBS)(
        joblib.delayed(process_and_jobs)(chunk) for chunk in range(4)
    )
    lock = threading.Lock()
    told["locked"] = list(run(partial(guarded, lock), how="processes"))
    try:
        list(run(failing, how="processes"))
    except TwoWords as error:
        told["error"] = str(error)
    return told | {"here": os.getpid()}


def grid_search(metric):
    """The search of scikit-learn, whose workers are those of the backend; the folds' scores."""
    model = wideberth.NeighborsClassifier(metric, n_jobs=JOBS)
    search = GridSearchCV(model, {"n_neighbors": [1, 3]}, cv=2, n_jobs=JOBS)
    search.fit(POINTS, LABELS)
    return search.cv_results_["mean_test_score"].tolist()


def searched_with_a_closure():
    """A search with a distance that plain pickling refuses: its scores, or the name of the
    error.
    """
    scale = 2.0
    try:
        return grid_search(
            wideberth.metric(
                lambda a, b: scale * taxi(a, b), accepts="vectors", obeys_triangle=True
            )
        )
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def found(families, inside=None):
    """All answers inside of a backend, which is entered anew for each; without one, there is no
    telling where work is done.
    """
    told, questions = {}, [distances, partial(family_answers, families)]
    if inside is None:
        inside = nullcontext
    else:
        questions.append(whereabouts)
    for question in questions:
        with inside():
            told[getattr(question, "func", question).__name__] = question()
    with inside():
        told["search"] = [grid_search("euclidean"), grid_search(SAMPLES["a function"][0]())]
        told["search with a closure"] = searched_with_a_closure()
    return told


if __name__ == "__main__":
    import inside_a_backend  # by this name workers find it

    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    parallel.WORTH_STARTING.update(threads=0.0, processes=0.0)
    parallel.cpu_count = lambda: JOBS  # whatever this machine has
    blocks.TRIAL_PAIRS, blocks.CHUNK_SECONDS = 50, 1e-3
    name, families = sys.argv[1], getattr(inside_a_backend, sys.argv[2])
    if name == "none":
        print(json.dumps(inside_a_backend.found(families)))
    elif name == "dask":
        from distributed import Client
        from local_clusters import local_cluster

        with local_cluster(JOBS, processes=True) as cluster, Client(cluster):
            told = inside_a_backend.found(families, lambda: joblib.parallel_config("dask"))
            print(json.dumps(told))
    else:
        backend = partial(joblib.parallel_config, name, n_jobs=JOBS)
        print(json.dumps(inside_a_backend.found(families, backend)))
