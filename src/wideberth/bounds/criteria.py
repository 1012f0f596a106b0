r"""Criteria that published compression methods minimise to choose their size. They hold up to
constants: no certificates.

There are n objects, m of them ``kept`` (including those that a rule needs only for its labels),
with e ``errors`` on the whole sample. All criteria are infinite if everything is kept. Nothing in
this library relies on what their authors prove about them.
"""

from math import inf, log, sqrt


def ksu_criterion(kept: int, errors: int, n: int, *, log_delta: float) -> float:
    r"""Q of Kontorovich, Sabato & Weiss (2017), Nearest-neighbor sample compression, with
    :math:`\alpha = e / n`.

    .. math::
        \frac{n \alpha}{n - m} + \frac{m \ln n + \ln(1/\delta)}{n - m}
        + \sqrt{\frac{1}{n - m} \Bigl(\frac{n m \alpha \ln n}{n - m} + \ln(1/\delta)\Bigr)}

    They count two indices for each centre, one for the object and one for its label.

    Parameters
    ----------
    kept, errors, n : int
        m objects kept of a sample of n, and e errors on the whole sample.
    log_delta : float
        The logarithm of the parameter :math:`\delta` of the criterion.

    Examples
    --------
    >>> ksu_criterion(0, 3, 10, log_delta=0.0)
    0.3
    """
    if kept >= n:
        return inf
    rest = n - kept
    noise = kept * errors * log(n) / rest - log_delta
    return errors / rest + (kept * log(n) - log_delta) / rest + sqrt(noise / rest)


def marmann_criterion(kept: int, errors: int, n: int, *, log_delta: float, classes: int) -> float:
    r"""GB of Kontorovich, Sabato & Urner (2017), Active nearest-neighbor learning, with c
    ``classes`` and :math:`\alpha = e / n`.

    .. math::
        \frac{n \alpha}{n - m} + \frac{2}{3} \frac{t}{n - m} + \frac{3}{\sqrt 2} \frac{\sqrt{n
        \alpha t}}{n - m},
        \qquad t = (m + 1) \ln(n c) + \ln(1/\delta)

    Parameters
    ----------
    kept, errors, n : int
        m objects kept of a sample of n, and e errors on the whole sample.
    log_delta : float
        The logarithm of the parameter :math:`\delta` of the criterion.
    classes : int
        The number c of classes.

    Examples
    --------
    >>> marmann_criterion(10, 0, 10, log_delta=0.0, classes=2)
    inf
    """
    if kept >= n:
        return inf
    rest = n - kept
    t = (kept + 1) * log(n * classes) - log_delta
    return errors / rest + 2 / 3 * t / rest + 3 / sqrt(2) * sqrt(errors * t) / rest


def optinet_criterion(kept: int, errors: int, n: int, *, log_delta: float) -> float:
    r"""The criterion of OptiNet (Hanneke, Kontorovich, Sabato & Weiss 2021, Universal Bayes
    consistency), :math:`\alpha = e / n`.

    .. math::
        \frac{n \alpha}{n - m} + \sqrt{8\, \frac{n \alpha}{n - m} \frac{t}{n - m}} + 9 \frac{t}{n -
        m},
        \qquad t = m \ln\frac{2 \mathrm{e} n}{m} + \ln\frac{2n}{\delta}, \quad m \ge 1

    Parameters
    ----------
    kept, errors, n : int
        m objects kept of a sample of n, and e errors on the whole sample.
    log_delta : float
        The logarithm of the parameter :math:`\delta` of the criterion.

    Examples
    --------
    >>> optinet_criterion(10, 0, 10, log_delta=0.0)
    inf
    """
    if kept >= n:
        return inf
    rest = n - kept
    t = kept * (1 + log(2 * n / kept)) + log(2 * n) - log_delta
    return errors / rest + sqrt(8 * errors / rest * t / rest) + 9 * t / rest
