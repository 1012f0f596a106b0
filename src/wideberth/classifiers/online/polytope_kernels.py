"""Compiled projection on cones of rows, and steps of populations of points in bodies of rows: walks
that spread them uniformly, what a query divides, how far inside points are, copies, principal axes.

All of them are short loops over some hundred points. Libraries of linear algebra would divide such
work among threads, which takes longer than the work where the machine is busy.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats
from wideberth.compilation import compiled

Ints = NDArray[np.int64]

FLAT = 2e-15  # rounding error of the product of a row and a projection that is zero
DEEP = 1e-6  # a row nearly parallel to those entered is violated if its cosine is below minus this
LANES = 32  # points that walk side by side
DEPENDENT = 1e-12  # a row is in the span of the entered rows if its residual is shorter than this


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def project(rows: Floats, query: Floats, multipliers: Floats) -> float:
    r"""The norm of the projection of a unit vector on the cone :math:`\{w : a_j \cdot w \ge 0\}`.

    By Moreau the projection is :math:`p = q + \sum_j \lambda_j a_j` with the :math:`\lambda \ge 0`
    that makes it shortest, and :math:`|p| = \max \{\langle q, w \rangle : a_j \cdot w \ge 0, |w|
    \le 1\}`. Any :math:`\lambda \ge 0` gives an upper bound of that maximum, so rounding makes the
    bound less sharp but not wrong.

    Active sets (Lawson & Hanson 1974, chapter 23): the row that the projection violates most
    enters, rows whose multiplier would become negative leave. The entered rows are kept as an
    orthonormal basis times a triangular matrix, and p is the residual of the query beyond the
    basis, so that a projection of length 0 comes out as 0 up to rounding however close to parallel
    the rows are. ``multipliers`` receives :math:`\lambda`.

    >>> multipliers = np.empty(1)
    >>> (
    ...     round(project(np.array([[0.6, 0.8]]), np.array([-1.0, 0.0]), multipliers), 9),
    ...     multipliers.round(9),
    ... )
    (0.8, array([0.6]))
    """
    n, d = rows.shape
    multipliers[:] = 0.0
    rest = query.copy()
    excluded = np.zeros(n, dtype=np.bool_)  # entered, or of no use as long as the entered rows stay
    entered = np.empty(d, dtype=np.int64)
    current = np.zeros(d)
    basis, triangle = np.empty((d, d)), np.zeros((d, d))
    count = 0
    for _ in range(3 * n + 3 * d + 10):
        worst, depth = -1, -FLAT
        for j in range(n):
            if not excluded[j]:
                reach = 0.0
                for c in range(d):
                    reach += rows[j, c] * rest[c]
                if reach < depth:
                    worst, depth = j, reach
        if worst < 0 and 0 < count < d:
            worst = _nearly_parallel(rows, rest, excluded, basis, count)
        if worst < 0 or count == d:
            break
        excluded[worst] = True
        if not _append_row(rows[worst], basis, triangle, count):
            continue
        entered[count], current[count] = worst, 0.0
        count = _update_multipliers(query, basis, triangle, entered, current, count + 1, excluded)
        _residual(query, basis, count, rest)
    for k in range(count):
        multipliers[entered[k]] = current[k]
    length = 0.0
    for c in range(d):
        length += rest[c] * rest[c]
    return float(np.sqrt(length))


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _nearly_parallel(rows: Floats, rest: Floats, excluded: Flags, basis: Floats, count: int) -> int:
    """The most violated of the rows whose product with the residual is lost in rounding, or -1.

    Rows that differ by an angle of 1e-9, and a projection of length 1e-9, have a product of 1e-18,
    which is meaningful only relative to its factors. So rows are compared by their own residuals
    beyond the basis. ``rest`` is the residual of the query, ``excluded`` marks rows that cannot
    enter, and the first ``count`` rows of ``basis`` span those that have entered.
    """
    d = rest.size
    beyond = np.empty(d)
    length = 0.0
    for c in range(d):
        length += rest[c] * rest[c]
    length = np.sqrt(length)
    worst, depth = -1, -DEEP
    for j in range(len(rows)):
        reach = 0.0
        for c in range(d):
            reach += rows[j, c] * rest[c]
        if excluded[j] or reach > FLAT:
            continue
        _residual(rows[j], basis, count, beyond)
        norm, reach = 0.0, 0.0
        for c in range(d):
            norm += beyond[c] * beyond[c]
            reach += beyond[c] * rest[c]
        norm = np.sqrt(norm)
        if norm >= DEPENDENT and reach < depth * norm * length:
            worst, depth = j, reach / (norm * length)
    return worst


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _append_row(row: Floats, basis: Floats, triangle: Floats, count: int) -> bool:
    """Append a row to the factorisation by Gram-Schmidt, applied twice; False if it lies in the
    span of the others.
    """
    d = row.size
    for c in range(d):
        basis[count, c] = row[c]
    triangle[:, count] = 0.0
    for _ in range(2):
        for k in range(count):
            share = 0.0
            for c in range(d):
                share += basis[k, c] * basis[count, c]
            triangle[k, count] += share
            for c in range(d):
                basis[count, c] -= share * basis[k, c]
    length = 0.0
    for c in range(d):
        length += basis[count, c] * basis[count, c]
    length = np.sqrt(length)
    if length < DEPENDENT:
        return False
    triangle[count, count] = length
    for c in range(d):
        basis[count, c] /= length
    return True


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _update_multipliers(
    query: Floats,
    basis: Floats,
    triangle: Floats,
    entered: Ints,
    current: Floats,
    count: int,
    excluded: Flags,
) -> int:
    """Move the multipliers towards the least squares solution on the entered rows, and return how
    many rows are left.

    Rows whose multiplier reaches 0 on the way leave. ``current`` are the multipliers of the
    ``entered`` rows; ``basis`` and ``triangle`` are the factorisation, all of them changed in
    place.
    """
    wanted = np.empty(query.size)
    while count > 0:
        for k in range(count - 1, -1, -1):
            value = 0.0
            for c in range(query.size):
                value -= basis[k, c] * query[c]
            for other in range(k + 1, count):
                value -= triangle[k, other] * wanted[other]
            wanted[k] = value / triangle[k, k]
        share, leaving = 1.0, -1
        for k in range(count):
            if wanted[k] <= 0.0:
                way = current[k] - wanted[k]
                part = current[k] / way if way > 0.0 else 0.0
                if leaving < 0 or part < share:
                    share, leaving = part, k
        for k in range(count):
            current[k] += share * (wanted[k] - current[k])
        if leaving < 0:
            return count
        current[leaving] = 0.0
        newest = entered[count - 1]
        for k in range(count - 1, -1, -1):
            if current[k] <= 0.0 and (k == leaving or entered[k] != newest):
                # a new row that leaves at once would only come back
                excluded[entered[k]] = entered[k] == newest
                _remove_row(k, basis, triangle, entered, current, count)
                count -= 1
    return count


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _remove_row(
    position: int, basis: Floats, triangle: Floats, entered: Ints, current: Floats, count: int
) -> None:
    """Remove one row from the factorisation: its column is deleted, and rotations of neighbouring
    rows restore the triangle.
    """
    for column in range(position, count - 1):
        entered[column], current[column] = entered[column + 1], current[column + 1]
        for k in range(column + 2):
            triangle[k, column] = triangle[k, column + 1]
    for k in range(position, count - 1):
        above, below = triangle[k, k], triangle[k + 1, k]
        length = np.hypot(above, below)
        cosine, sine = above / length, below / length
        for column in range(k, count - 1):
            above, below = triangle[k, column], triangle[k + 1, column]
            triangle[k, column], triangle[k + 1, column] = (
                cosine * above + sine * below,
                cosine * below - sine * above,
            )
        for c in range(basis.shape[1]):
            above, below = basis[k, c], basis[k + 1, c]
            basis[k, c], basis[k + 1, c] = (
                cosine * above + sine * below,
                cosine * below - sine * above,
            )


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _residual(query: Floats, basis: Floats, count: int, rest: Floats) -> None:
    """Write to ``rest`` the part of ``query`` beyond the first ``count`` rows of ``basis``; done
    twice against rounding.
    """
    d = query.size
    for c in range(d):
        rest[c] = query[c]
    for _ in range(2):
        for k in range(count):
            share = 0.0
            for c in range(d):
                share += basis[k, c] * rest[c]
            for c in range(d):
                rest[c] -= share * basis[k, c]


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract", "nnan"})
def _ball_chord(point: Floats, direction: Floats, radius: float) -> tuple[float, float]:
    """How far a point of the ball around 0 can move along a unit vector within the ball: backwards
    (at most 0) and forwards.
    """
    along, square = 0.0, 0.0
    for e in range(point.size):
        along += point[e] * direction[e]
        square += point[e] * point[e]
    half = np.sqrt(max(along * along - square + radius * radius, 0.0))
    return -along - half, -along + half


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract", "nnan"})
def walk(
    points: Floats, rows: Floats, offsets: Floats, radius: float, frame: Floats, chances: Floats
) -> None:
    r"""Move points at random, in place, within :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}`
    (hit-and-run).

    A step moves the point to a uniformly distributed place on its chord in the direction of one row
    of ``frame``, taken in turn. The uniform distribution on the body is stationary under every such
    step. The gap ``a . x + b`` of every row is updated with each step, so that a step costs
    O(rows); ``LANES`` points walk side by side. ``chances``, a row for each point, say where on its
    chord it goes in each step.

    >>> points = np.array([[0.5]])
    >>> # from 0 to 1, a quarter of the way
    >>> walk(points, np.array([[1.0]]), np.array([0.0]), 1.0, np.eye(1), np.array([[0.25]]))
    >>> points
    array([[0.25]])
    """
    n, d = points.shape
    m, steps = len(rows), chances.shape[1]
    slopes = np.empty((d, m))
    for c in range(d):
        for j in range(m):
            total = 0.0
            for e in range(d):
                total += rows[j, e] * frame[c, e]
            slopes[c, j] = total
    # places: coordinates of points along the rows of the frame
    gaps, places = np.empty((m, LANES)), np.empty((d, LANES))
    squares, moves = np.empty(LANES), np.empty(LANES)
    # extremes of slope / gap: the walls behind and ahead are at -1 over these
    highest, lowest = np.empty(LANES), np.empty(LANES)
    for first in range(0, n, LANES):
        count = min(LANES, n - first)
        for lane in range(LANES):
            _enter_lane(
                points[first + min(lane, count - 1)], rows, offsets, frame, lane, gaps, places
            )
            squares[lane], moves[lane] = 0.0, 0.0
            for c in range(d):
                squares[lane] += places[c, lane] * places[c, lane]
        last = 0
        for step in range(steps):
            c = step % d
            highest[:], lowest[:] = 0.0, 0.0
            for j in range(m):
                before, now = slopes[last, j], slopes[c, j]
                for lane in range(LANES):  # one instruction for many points
                    gap = gaps[j, lane] + moves[lane] * before
                    gap = gap if gap > 1e-300 else 1e-300
                    gaps[j, lane] = gap
                    wall = now / gap
                    highest[lane] = wall if wall > highest[lane] else highest[lane]
                    lowest[lane] = wall if wall < lowest[lane] else lowest[lane]
            for lane in range(LANES):
                along = places[c, lane]
                half = np.sqrt(max(along * along - squares[lane] + radius * radius, 0.0))
                start, end = -along - half, -along + half
                if highest[lane] > 0.0:
                    start = max(start, -1.0 / highest[lane])
                if lowest[lane] < 0.0:
                    end = min(end, -1.0 / lowest[lane])
                move = (
                    start + (end - start) * chances[min(first + lane, n - 1), step]
                    if end > start
                    else 0.0
                )
                moves[lane] = move
                places[c, lane] = along + move
                squares[lane] += move * (2.0 * along + move)
            last = c
        for lane in range(count):
            for e in range(d):
                total = 0.0
                for c in range(d):
                    total += places[c, lane] * frame[c, e]
                points[first + lane, e] = total


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract", "nnan"})
def _enter_lane(
    point: Floats,
    rows: Floats,
    offsets: Floats,
    frame: Floats,
    lane: int,
    gaps: Floats,
    places: Floats,
) -> None:
    """Write the gaps of a point, and its coordinates in the frame, to the column of its lane."""
    for j in range(len(rows)):
        gap = offsets[j]
        for e in range(point.size):
            gap += rows[j, e] * point[e]
        gaps[j, lane] = gap
    for c in range(point.size):
        place = 0.0
        for e in range(point.size):
            place += point[e] * frame[c, e]
        places[c, lane] = place


@compiled(error_model="numpy")
def soft_walk(
    points: Floats, rows: Floats, radius: float, log_factor: float, frame: Floats, chances: Floats
) -> None:
    r"""Move points at random, in place, in the ball, under the density :math:`\rho^{\#\{j : a_j
    \cdot x < 0\}}`.

    A step moves the point to a random place on its chord along one row of ``frame``, drawn exactly:
    on the chord the density is constant between the places where it crosses a row. ``log_factor``
    is :math:`\ln \rho`, below 0.

    >>> points = np.array([[0.0]])
    >>> # a quarter of the mass is < 0
    >>> soft_walk(points, np.array([[1.0]]), 1.0, np.log(1 / 3), np.eye(1), np.array([[0.25]]))
    >>> points.round(9) + 0.0
    array([[0.]])
    """
    n, d = points.shape
    m, steps = len(rows), chances.shape[1]
    slopes = rows @ frame.T
    gaps, places, turns = np.empty(m), np.empty(m), np.empty(m, dtype=np.int64)
    for k in range(n):
        for j in range(m):
            gaps[j] = 0.0
            for e in range(d):
                gaps[j] += rows[j, e] * points[k, e]
        for step in range(steps):
            c = step % d
            start, end = _ball_chord(points[k], frame[c], radius)
            count, violated = 0, 0
            for j in range(m):
                slope = slopes[j, c]
                violated += gaps[j] + start * slope < 0.0
                place = -gaps[j] / slope if slope != 0.0 else end
                if start < place < end:
                    places[count], turns[count] = place, -1 if slope > 0.0 else 1
                    count += 1
            move = _draw(
                start, end, places[:count], turns[:count], violated, log_factor, chances[k, step]
            )
            for e in range(d):
                points[k, e] += move * frame[c, e]
            for j in range(m):
                gaps[j] += move * slopes[j, c]


@compiled(error_model="numpy")
def _draw(
    start: float,
    end: float,
    places: Floats,
    turns: NDArray[np.int64],
    violated: int,
    log_factor: float,
    chance: float,
) -> float:
    """Draw a place between ``start`` and ``end`` from a density that is constant between
    ``places``.

    At ``start`` the number of violated rows is ``violated``; at each of ``places`` it changes by
    the entry of ``turns``. ``chance`` in [0, 1) is the share of the mass before the place that is
    returned.
    """
    order = np.argsort(places)
    level, least = violated, violated
    for k in order:
        level += turns[k]
        least = min(least, level)
    weights = np.empty(places.size + 1)
    level, before, total = violated, start, 0.0
    for position in range(places.size + 1):
        after = places[order[position]] if position < places.size else end
        weights[position] = (after - before) * np.exp(log_factor * (level - least))
        total += weights[position]
        before = after
        if position < places.size:
            level += turns[order[position]]
    left, before = chance * total, start
    for position in range(places.size):
        after = places[order[position]]
        if left < weights[position]:
            return float(before + (after - before) * left / weights[position])
        left -= weights[position]
        before = after
    if weights[-1] > 0.0:
        before += (end - before) * min(left / weights[-1], 1.0)
    return float(before)


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def count_sides(points: Floats, direction: Floats, thickness: float) -> tuple[int, int, int, float]:
    """How many points are above 0 along a direction, at least minus a thickness, at most a
    thickness, and how far they spread.

    >>> count_sides(np.array([[-1.0], [0.1], [2.0]]), np.ones(1), 0.5)
    (2, 2, 2, 3.0)
    """
    above, plus, minus = 0, 0, 0
    lowest, highest = np.inf, -np.inf
    for k in range(len(points)):
        height = 0.0
        for c in range(direction.size):
            height += points[k, c] * direction[c]
        above += height > 0.0
        plus += height >= -thickness
        minus += height <= thickness
        lowest, highest = min(lowest, height), max(highest, height)
    return above, plus, minus, highest - lowest


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def depths_inside(points: Floats, rows: Floats, offsets: Floats, radius: float) -> Floats:
    r"""How far inside of :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}` each point is, shape (n,);
    negative outside.

    >>> depths_inside(np.array([[0.5], [-0.5]]), np.array([[1.0]]), np.array([0.25]), 1.0)
    array([ 0.5 , -0.25])
    """
    n, d = points.shape
    # columns, so that loops run over points
    columns, depths, gaps = points.T.copy(), np.zeros(n), np.empty(n)
    for c in range(d):
        for k in range(n):
            depths[k] += columns[c, k] * columns[c, k]
    for k in range(n):
        depths[k] = radius - np.sqrt(depths[k])
    for j in range(len(rows)):
        gaps[:] = offsets[j]
        for c in range(d):
            for k in range(n):
                gaps[k] += rows[j, c] * columns[c, k]
        for k in range(n):
            depths[k] = gaps[k] if gaps[k] < depths[k] else depths[k]
    return depths


@compiled(error_model="numpy")
def replace_lost(points: Floats, kept: Flags, groups: int, chances: Floats) -> None:
    """Replace points that are not kept, in place, by copies of points of the same group that are,
    drawn at random.

    Groups are as many parts of equal length; a group of which nothing is kept takes copies from all
    others. At least one point is kept; ``chances`` say which one each of the others becomes.

    >>> points = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> replace_lost(points, np.array([True, False, False, True]), 2, np.full(4, 0.5))
    >>> points.ravel()
    array([0., 0., 3., 3.])
    """
    n = len(points)
    size = n // groups
    survivors = np.empty(n, dtype=np.int64)
    for group in range(groups):
        start, end = group * size, (group + 1) * size if group + 1 < groups else n
        count = 0
        for k in range(start, end):
            if kept[k]:
                survivors[count] = k
                count += 1
        if count == 0:
            for k in range(n):
                if kept[k]:
                    survivors[count] = k
                    count += 1
        for k in range(start, end):
            if not kept[k]:
                points[k] = points[survivors[int(chances[k] * count)]]


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def triangle_of(points: Floats) -> Floats:
    r"""The triangular matrix R of the centred points, :math:`R^\top R = (X - \bar x)^\top (X - \bar
    x)`, shape (d, d).

    Its singular vectors are the principal axes. It comes from modified Gram-Schmidt, without the
    squares of the covariance, in which the short axes of bodies that are a billion times longer
    than thick would be lost.

    >>> triangle_of(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])).round(9) ** 2
    array([[2., 0.],
           [0., 8.]])
    """
    n, d = points.shape
    columns, triangle = np.empty((d, n)), np.zeros((d, d))
    for c in range(d):
        mean = 0.0
        for k in range(n):
            mean += points[k, c]
        mean /= n
        for k in range(n):
            columns[c, k] = points[k, c] - mean
    for c in range(d):
        square = 0.0
        for k in range(n):
            square += columns[c, k] * columns[c, k]
        length = np.sqrt(square)
        triangle[c, c] = length
        if length == 0.0:
            continue
        for other in range(c + 1, d):
            share = 0.0
            for k in range(n):
                share += columns[c, k] * columns[other, k]
            share /= length
            triangle[c, other] = share
            share /= length
            for k in range(n):
                columns[other, k] -= share * columns[c, k]
    return triangle
