"""Attacks on certified radii where numbers get large or small, for the tests and for the page about
reliability.

Borders between labels are found by bisection down to neighbouring floating-point numbers, and pairs
of objects on both sides of them are measured with extended precision. Where such a pair is closer
than a radius claims, the radius is false.
"""

import numpy as np

import wideberth as wb
from wideberth.classifiers.named import CLASSIFIERS as TABLE

POINTS = np.array([[0.3, 1.0], [0.0, -1.1], [2.0, 0.4], [-0.5, -0.7], [1.0, 1.5], [0.4, -2.0]])
SIDES = np.array([1, 0, 1, 0, 1, 0])

CLASSIFIERS = {
    "1 neighbour": lambda metric, unit: wb.NeighborsClassifier(metric, n_neighbors=1, n_jobs=1),
    "3 neighbours": lambda metric, unit: wb.NeighborsClassifier(metric, n_neighbors=3, n_jobs=1),
    "margin": lambda metric, unit: wb.MarginNeighborsClassifier(
        metric, separation=0.1 * unit, n_jobs=1
    ),
    "lipschitz": lambda metric, unit: wb.LipschitzClassifier(metric, C=50, n_jobs=1),
    "lp": lambda metric, unit: wb.LPMachineClassifier(metric, n_jobs=1),
    "lp, gaussian": lambda metric, unit: wb.LPMachineClassifier(
        metric, radial=("gaussian", "70%"), n_jobs=1
    ),
    "lp, several": lambda metric, unit: wb.LPMachineClassifier(
        metric, radial=["laplace", "bounded", "gaussian"], n_jobs=1
    ),
    "svm": lambda metric, unit: wb.HilbertSVC(metric, n_jobs=1),
    "svm, distance": lambda metric, unit: wb.HilbertSVC(metric, kernel="distance", n_jobs=1),
    "svm, overlap": lambda metric, unit: wb.HilbertSVC(metric, kernel="distance", C=1e4, n_jobs=1),
    "svm, clip": lambda metric, unit: wb.HilbertSVC(
        metric, kernel="distance", repair="clip", C=0.1, n_jobs=1
    ),
    "svm, shift": lambda metric, unit: wb.HilbertSVC(
        metric, kernel="bounded", repair="shift", n_jobs=1
    ),
    "svm, landmarks": lambda metric, unit: wb.HilbertSVC(
        metric, kernel="laplace", landmarks=4, tol=1e-8, n_jobs=1
    ),
}
#: A family of which nothing stands above is attacked with its usual settings.
CLASSIFIERS |= {
    name: lambda metric, unit, entry=entry: entry.set_up(metric, len(POINTS)).set_params(n_jobs=1)
    for name, entry in TABLE.items()
    if entry.suits("euclidean")
    and not any(isinstance(make("euclidean", 1.0), entry.load()) for make in CLASSIFIERS.values())
}

#: A covariance for the Mahalanobis distance, and the matrix W of which it is S^-1 = W W^T.
COVARIANCE = np.array([[1.0, 0.9], [0.9, 1.0]])
WHITENING = np.linalg.inv(np.linalg.cholesky(COVARIANCE)).T.astype(np.longdouble)


def linear_kernel(left, right):
    return left @ right.T


def square_kernel(left, right):
    return (left @ right.T) ** 2


#: The metrics under attack; only plane vectors are, of which every label can be found.
METRICS = {
    "euclidean": "euclidean",
    "manhattan": "manhattan",
    "chebyshev": "chebyshev",
    "minkowski": wb.metric("minkowski", p=7.0),
    "mahalanobis": wb.metric("mahalanobis", covariance=COVARIANCE),
    "linear kernel": wb.transforms.metric_from_kernel(
        linear_kernel, blocks=True, accepts="vectors"
    ),
    "root of a kernel": wb.transforms.power(
        wb.transforms.metric_from_kernel(linear_kernel, blocks=True, accepts="vectors"), 0.5
    ),
    "total": wb.transforms.total(
        "euclidean", wb.transforms.metric_from_kernel(linear_kernel, blocks=True, accepts="vectors")
    ),
}


def _euclidean(steps):
    return np.hypot(steps[..., 0], steps[..., 1])


#: The distance of each pair of two vectors from their difference, in extended precision and without
#: under- or overflow.
TRUE_DISTANCES = {
    "euclidean": _euclidean,
    "manhattan": lambda steps: np.abs(steps).sum(axis=-1),
    "chebyshev": lambda steps: np.abs(steps).max(axis=-1),
    "minkowski": lambda steps: _of_power_seven(np.abs(steps)),
    "mahalanobis": lambda steps: _euclidean(steps @ WHITENING),
    "linear kernel": _euclidean,
    "root of a kernel": lambda steps: np.sqrt(_euclidean(steps)),
    "total": lambda steps: 2 * _euclidean(steps),
}


def _of_power_seven(sizes):
    largest = np.maximum(sizes.max(axis=-1), np.finfo(np.longdouble).tiny)
    return largest * ((sizes / largest[..., None]) ** 7).sum(axis=-1) ** (np.longdouble(1) / 7)


def border(model, inside, outside):
    """Neighbouring points with different labels on the way from one point to another of another
    label.
    """
    label = model.predict(inside[None])[0]
    while True:
        middle = inside / 2 + outside / 2
        if np.array_equal(middle, inside) or np.array_equal(middle, outside):
            return inside, outside
        inside, outside = (
            (middle, outside) if model.predict(middle[None])[0] == label else (inside, middle)
        )


def false_radii(model, metric, points):
    """Pairs of points with different labels that are closer than the radius of the first claims,
    and how many were tried.
    """
    if not len(points):
        return np.empty((0, 2)), 0
    radii, labels = model.certified_radius(points), model.predict(points)
    extended = points.astype(np.longdouble)
    distances = TRUE_DISTANCES[metric](extended[:, None] - extended[None])
    inside = distances < radii[:, None]
    return np.argwhere(inside & (labels[:, None] != labels[None])), int(inside.sum())


def around_borders(model, corners, random, unit):
    """Points close to the border between the labels of some corners, from one unit in the last
    place to a unit away.
    """
    labels = model.predict(corners)
    found = []
    for one, other in zip(
        corners[labels == labels[0]][:3], corners[labels != labels[0]], strict=False
    ):
        near = border(model, one, other)
        found += [
            *near,
            *(near[0] + unit * 10.0**-power * random.normal(size=(3, 2)) for power in range(16)),
        ]
    return np.vstack(found) if found else np.empty((0, 2))


def attacked(name, metric, *, scale=1.0, offset=0.0, far=None, seed=0):
    """Fit a classifier on points at a scale and an offset, and attack its radii: false ones, and
    moves inside a radius tried.

    With ``far`` the objects that move are so far from all training objects, in units of the scale;
    otherwise they are among them. None if fitting is refused or the metric allows no radius: then
    nothing is claimed.
    """
    random, model = np.random.default_rng(seed), CLASSIFIERS[name](METRICS[metric], scale)
    try:
        model.fit(POINTS * scale + offset, SIDES)
        model.certified_radius(POINTS * scale + offset)
    except (wb.errors.InvalidInput, wb.errors.NotCertified, wb.errors.UnsolvedProgram):
        return None
    directions = (
        np.c_[1 + random.random(12), random.uniform(-1, 1, 12)]
        if far
        else 3 * random.normal(size=(12, 2))
    )
    unit = scale * (far or 1.0)
    return false_radii(
        model, metric, around_borders(model, offset + unit * directions, random, unit)
    )


def _edited(random, word):
    """A word after up to three random edits."""
    for _ in range(random.integers(1, 4)):
        place, letter = random.integers(0, len(word) + 1), "abcde"[random.integers(5)]
        word = word[:place] + random.choice(["", letter]) + word[place + random.integers(0, 2) :]
    return word


def _jittered(random, series):
    return series + 10.0 ** random.uniform(-6, 0.5) * random.normal(size=len(series))


def _exchanged(random, members):
    return members ^ set(random.integers(0, 60, size=random.integers(1, 4)).tolist())


def _words(random, n):
    return ["".join(random.choice(list("abcde"), size=random.integers(2, 9))) for _ in range(n)]


def _series(random, n):
    return [random.normal(size=6).cumsum() for _ in range(n)]


def _sets(random, n):
    """Large sets of two classes in turns, so that one member more or less is a short move."""
    return [
        set(random.integers(20 * (i % 2), 20 * (i % 2) + 40, size=30).tolist()) for i in range(n)
    ]


#: Kinds of objects that are not vectors: their metric, how they are drawn, and how one moves.
KINDS = {
    "strings, in edits": ("levenshtein", _words, _edited),
    "strings, in half edits": (wb.transforms.scale("levenshtein", 0.5), _words, _edited),
    "strings, in shares of their length": ("normalized_levenshtein", _words, _edited),
    "series": ("msm", _series, _jittered),
    "sets": ("jaccard", _sets, _exchanged),
}


def moved_inside_radii(name, kind, *, moves=40, seed=0):
    """Fit a classifier on objects of a kind and move others at random: false radii, and moves that
    were shorter than a radius.

    None if the method refuses the metric, or certifies nothing with it.
    """
    random, (metric, drawn, moved) = np.random.default_rng(seed), KINDS[kind]
    objects, queries = drawn(random, 30), drawn(random, 12)
    measure = wb.metric(metric) if isinstance(metric, str) else metric
    model = CLASSIFIERS[name](measure, 1.0)
    try:
        radii = model.fit(objects, np.arange(30) % 2).certified_radius(queries)
    except (wb.errors.InvalidInput, wb.errors.NotCertified, wb.errors.UnsolvedProgram):
        return None
    labels, false, inside = model.predict(queries), 0, 0
    for query, radius, label in zip(queries, radii, labels, strict=True):
        others = [moved(random, query) for _ in range(moves)]
        close = [
            other
            for other, far in zip(others, measure.block([query], others)[0], strict=True)
            if far < radius
        ]
        inside += len(close)
        false += int((model.predict(close) != label).sum()) if close else 0
    return false, inside
