r"""What few support vectors prove: a support vector machine is a preferent compression of its sample.

The machine has a price p for each object, or two, one for each class, fixed before the sample is seen:

.. math:: \min_{w, b}\ \tfrac12 \|w\|^2 + \sum_i p\, \max\{0, 1 - y_i (\langle w, \Phi_{x_i} \rangle + b)\}

w is unique, and the best b form an interval I, of which the machine takes any one. Let c(S) be the objects on the wrong side
of the margin or on it, :math:`y_i (\langle w, \Phi_{x_i} \rangle + b) \le 1` for a b in I: all support vectors are among them.
I is one point, and a single b to look at, if some support vector is not at its price. Then

* c is preferent. Around all (w, b) with b in I, the terms of the other objects are 0. Without these objects the objective is the
  same there, so its minima there are still minima; as it is convex there are no others, and c(S) is the same.
* The machine errs only on objects that change c(S). Let c(c(S) + z) = c(S). Then z is not in it, and by preference w and I of
  c(S) + z are those of c(S), which are those of S: z is on the right side, beyond the margin, for every b in I.

With more classes each pair has a machine, and c(S) is the union: what lies beyond the margin of all pairs of its class wins their
votes. Nothing of the machine may be fitted to the sample: not the price (a price for n objects in all, divided by n, will do, as
n is known), the weights of classes, the width of a kernel or the unit of the metric.
"""

from wideberth.bounds.preferent import preferent_bound


def support_vector_bound(kept: int, n: int, *, log_delta: float) -> float:
    r"""The probability that a new object is on the wrong side of the margin or on it, errors and all.

    .. math:: P\bigl(Y f(X) \le 1\bigr) \le \varepsilon(k, n, \delta)

    with `wideberth.bounds.preferent.preferent_bound`, for k ``kept`` objects of the sample with :math:`y_i f(x_i) \le 1` (for any
    b in I). That an SVM is preferent is due to Campi & Garatti (2023); the module has the proof.

    A machine that is solved up to a tolerance, and off by at most :math:`\tau < 1` on all objects, has its errors among these
    objects too, with the objects of :math:`y_i f(x_i) \le 1 + 2 \tau` as ``kept``, for any b that is best for its own w: the
    places where objects cross the margin are off by :math:`\tau`, and so are the ends of I, which are two of them.

    >>> from math import log
    >>> round(support_vector_bound(20, 1000, log_delta=log(0.05)), 3)
    0.036
    """
    return preferent_bound(kept, n, log_delta=log_delta)
