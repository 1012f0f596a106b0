r"""What it costs that the functions of a ball may have any constant added."""

from math import log, sqrt

#: Numbers J of offsets that may stand for all.
GRIDS = tuple(2.0**i for i in range(64))


def offset_price(reach: float, n: int) -> float:
    r"""What to add to :math:`\hat R_n` of a ball for the complexity of the losses of f + b, f in the ball and b any number.

    .. math::
        \hat R_n\bigl(\ell \circ (\mathcal F + \mathbb R)\bigr) \le \hat R_n(\mathcal F) + \min\Bigl\{\frac{\beta}{\sqrt n},\
        \min_J \frac{\beta}{J} + \sqrt{\frac{\ln J}{2n}}\Bigr\}, \qquad \beta = 1 + r

    where :math:`|f(x_i)| \le r`, ``reach``, for all f of the ball on all n objects of the sample (it may depend on them), and
    :math:`\ell` is the ramp of `wideberth.bounds.lipschitz_ball`.

    Derived here: offsets beyond :math:`\beta` have the same losses on the sample as :math:`\pm\beta`. Either the offsets follow
    the signs themselves, :math:`\beta E|\sum_i \sigma_i| \le \beta \sqrt n`; or J offsets stand for all, none farther than
    :math:`\beta / J` from the next one: their suprema are within :math:`\sqrt{\ln J / 2n}` in the mean, because a sign moves
    one by 1/n at most once 1/2 is taken from the losses.

    >>> offset_price(0.0, 100)
    0.1
    >>> round(offset_price(1000.0, 100), 2)
    0.25
    """
    beta = 1 + reach
    return min(beta / sqrt(n), *(beta / J + sqrt(log(J) / (2 * n)) for J in GRIDS))
