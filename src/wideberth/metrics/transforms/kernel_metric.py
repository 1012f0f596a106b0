"""The metric of a positive definite kernel: the distance between two objects in its feature
space.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample
from wideberth.metrics.functions import as_number, pair_by_pair, warn_of_many_pairs
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.rounding import RADIUS_ERROR, DistanceErrors
from wideberth.wording import python, setting

Kernel = Callable[[Any, Any], Any]

#: A negative squared distance is rounding up to this share of the numbers of which it is the
#: difference.
_NO_ROUNDING = 1e-6
#: Multiples of the machine precision by which a kernel may differ between blocks: smaller squared
#: distances are 0.
_LAST_DIGITS = 100
#: Objects in one block of the kernel when only its diagonal, k(x, x), is needed.
_TOGETHER = 32
#: The advice for a kernel of two objects that returns something else than a number.
_NO_NUMBER = (
    "A kernel of two objects is one number. If it takes two blocks, say so: "
    f"{setting('blocks', True)}."
)


class KernelMetric(Metric):
    r"""The distance between the images of two objects in the feature space of a kernel k,

    .. math:: d(x, y) = \sqrt{k(x, x) + k(y, y) - 2 k(x, y)} = \| \Phi(x) - \Phi(y) \| .

    It is Hilbertian if k is positive definite. *You are responsible for that*: it cannot be seen
    from a function. It is enough that k is conditionally positive definite, as :math:`-d^2 / 2` of
    a Hilbertian d is; two such kernels that differ by g(x) + g(y) measure the same distance, and
    all that do differ by that (Hein, Bousquet & Schoelkopf 2005, Proposition 4). A pair whose
    :math:`d^2` is negative by more than rounding refutes it, and is an error. It separates if
    :math:`\Phi` is injective, as for a Gaussian kernel but not for a kernel of counted words. It is
    bounded if k is. Promise these two yourself.

    The difference loses digits: a distance below about a millionth of :math:`\sqrt{k(x, x)}` (a
    hundredth, if the kernel returns float32) cannot be distinguished from rounding, and is 0. If
    there is a direct formula for the distance, as for a Gaussian kernel
    (`wideberth.transforms.schoenberg`), use that instead. Certified radii allow for this
    (`distance_errors`), and are 0 where too few digits are left.

    Parameters
    ----------
    kernel : callable
        ``kernel(one, other)`` of two objects, a number; with ``blocks``, ``kernel(left, right)`` of
        two samples, the array of shape (len(left), len(right)), as the kernels of
        ``sklearn.metrics.pairwise``, which is far faster.
    blocks : bool, default=False
        Whether the kernel takes two samples instead of two objects.
    name : str, optional
        The name in messages; by default made of the name of the kernel.
    accepts : {"vectors", "strings", ..., "objects"}, default="objects"
        The kind of object it measures, see `wideberth.Metric`. For "vectors", samples are matrices
        of float64.
    bounded, separates : bool, optional
        Promises that only you can make, see `wideberth.metrics.Promises`.

    Examples
    --------
    >>> def shared_letters(one, other):
    ...     return len(set(one) & set(other))
    >>> metric = KernelMetric(shared_letters)
    >>> metric("tea", "tub"), metric.hilbertian  # e, a, u, b are not shared
    (2.0, True)
    """

    _from_user = True

    def __init__(
        self,
        kernel: Kernel,
        *,
        blocks: bool = False,
        name: str | None = None,
        accepts: Kind = "objects",
        bounded: bool | None = None,
        separates: bool | None = None,
    ) -> None:
        if not callable(kernel):
            raise InvalidInput(
                f"A kernel is a function, not {sample.shown(kernel)}.",
                advice="Of a matrix K, numpy.sqrt(numpy.maximum(K.diagonal()[:, None] + "
                f"K.diagonal() - 2 * K, 0)) are distances, for {setting('metric', 'precomputed')}.",
                value=kernel,
            )
        self.kernel = kernel
        self.blocks = blocks
        self.accepts = accepts
        self.parallel = None if blocks else "processes"
        self._name = name
        self._promises = Promises(
            obeys_triangle=True,
            hilbertian=True,
            negative_type=True,
            bounded=bounded,
            separates=separates,
        )
        self._warned = False

    @property
    def name(self) -> str:
        """The name in messages."""
        return (
            self._name
            or f"metric_from_kernel({getattr(self.kernel, '__name__', type(self.kernel).__name__)})"
        )

    def prepare(self, objects: Objects) -> PartsSample:
        """Check the objects and compute the kernel k(x, x) of each, once for many blocks. The
        sample has two parts: the objects, and these numbers.
        """
        if isinstance(objects, PartsSample):
            objects.for_metrics(2)
            return objects
        held = (
            prepare_vectors(objects)
            if self.accepts == "vectors"
            else sample.hold(objects, rows=self.accepts == "rows")
        )
        return PartsSample((held, self._with_themselves(held)))

    def distance_errors(self, prepared: PartsSample) -> DistanceErrors:
        r"""Bound the errors of distances, which come from a difference of three values of the
        kernel.

        If these err by a share :math:`\rho` of their sizes, then :math:`d^2` errs by :math:`\rho
        (|k(x, x)| + |k(y, y)| + 2 |k(x, y)|)`, where :math:`2 k(x, y) = k(x, x) + k(y, y) - d^2`.
        An error E of :math:`d^2` makes at most :math:`\sqrt E` of d, so that d errs by
        :math:`\sqrt{2 \rho |k(x, x)|} + \sqrt{2 \rho |k(y, y)|} + \sqrt \rho\, d`, and
        :math:`\sqrt{k(y, y)} = \|\Phi(y)\| \le \sqrt{k(x, x)} + d`. Assumed is that k is positive
        definite, or 0 between equal objects, and that its values err by at most 1e-11 of
        :math:`\sqrt{k(x, x)\, k(y, y)}`, or 1e-5 if it returns float32.
        """
        objects, alone = prepared.parts
        first = sample.pick(objects, slice(0, 1))
        last_digits = _LAST_DIGITS * float(np.finfo(self._between(first, first).dtype).eps)
        # the second is what `_measure` counts as 0
        share = max(RADIUS_ERROR, last_digits) + last_digits
        return DistanceErrors(
            RADIUS_ERROR + 3.0 * math.sqrt(share), 2.0 * np.sqrt(2.0 * share * np.abs(alone))
        )

    def _measure(self, left: PartsSample, right: PartsSample) -> Distances:
        """Compute the distances from three kernels; only small squared distances are compared with
        their rounding errors.
        """
        (rows, rows_alone), (columns, columns_alone) = left.parts, right.parts
        between = self._between(rows, columns)
        rounding = _LAST_DIGITS * float(np.finfo(between.dtype).eps)
        squared: Distances = np.multiply(between, -2.0, dtype=np.float64)
        with np.errstate(invalid="ignore"):  # infinite values are refused below
            squared += rows_alone[:, None]
            squared += columns_alone
        doubtful = np.nonzero(
            ~(squared > rounding * 4.0 * _largest(between, rows_alone, columns_alone))
        )
        size = (
            np.abs(rows_alone[doubtful[0]])
            + np.abs(columns_alone[doubtful[1]])
            + 2.0 * np.abs(between[doubtful])
        )
        small = squared[doubtful]
        refuted = ~(np.isfinite(small) & (small >= -max(rounding, _NO_ROUNDING) * size))
        if refuted.any():
            i, j = (int(positions[refuted.argmax()]) for positions in doubtful)
            raise self._refutation(
                sample.pick_one(rows, i), sample.pick_one(columns, j), float(squared[i, j])
            )
        squared[doubtful] = np.where(small <= rounding * size, 0.0, small)
        return np.sqrt(squared, out=squared)

    def _with_themselves(self, held: Sample) -> Distances:
        """Compute k(x, x) for every object."""
        n = sample.count(held)
        if not self.blocks:
            return np.array(
                [self._number(one) for one in sample.one_by_one(held)], dtype=np.float64
            )
        parts = (
            sample.pick(held, slice(first, first + _TOGETHER)) for first in range(0, n, _TOGETHER)
        )
        alone = [self._between(part, part).diagonal() for part in parts]
        return np.concatenate(alone).astype(np.float64) if alone else np.empty(0)

    def _between(self, left: Sample, right: Sample) -> NDArray[Any]:
        """Compute the kernel between all objects of two samples, in the precision in which the
        kernel returns it.
        """
        shape = sample.count(left), sample.count(right)
        if 0 in shape:
            return np.empty(shape)
        if not self.blocks:
            return self._pair_by_pair(left, right)
        values = np.asarray(self.kernel(left, right))
        if values.shape != shape or values.dtype.kind not in "fiub":
            raise InvalidInput(
                f"The kernel of {self.name!r} returned an array of {values.dtype} with shape "
                f"{values.shape} for blocks of {shape[0]} and {shape[1]} objects.",
                advice=f"With {setting('blocks', True)} it returns numbers in shape {shape}; a "
                "kernel of two objects goes without.",
                value=values.shape,
            )
        if values.dtype in (np.float16, np.float32):
            return values
        return values.astype(np.float64, copy=False)

    def _pair_by_pair(self, left: Sample, right: Sample) -> Floats:
        """Call a kernel of two objects for every pair."""
        rows, columns = sample.one_by_one(left), sample.one_by_one(right)
        if not self._warned:
            self._warned = warn_of_many_pairs(
                f"The kernel of {self.name!r}",
                len(rows) * len(columns),
                f"A function of two blocks, with {setting('blocks', True)},",
            )
        return pair_by_pair(self.kernel, rows, columns, f"The kernel of {self.name!r}", _NO_NUMBER)

    def _number(self, one: Any) -> float:
        """Return the kernel of an object with itself."""
        return as_number(
            self.kernel(one, one), one, one, f"The kernel of {self.name!r}", _NO_NUMBER
        )

    def _refutation(self, one: Any, other: Any, squared: float) -> InvalidInput:
        """Make the error for a pair whose squared distance is negative or not finite."""
        objects = f"{sample.shown(one)} and {sample.shown(other)}"
        if not np.isfinite(squared):
            problem = f"is {squared} for {objects}."
            advice = "Check these objects: a kernel is a finite number."
        else:
            problem = (
                f"is {squared:.6g} for {objects}: no positive definite kernel has a negative one."
            )
            advice = (
                "Choose another kernel, or a metric on the objects: "
                f"{python('wideberth.list_metrics()')} names them."
            )
        return InvalidInput(
            f"k(x, x) + k(y, y) - 2 k(x, y), the squared distance of {self.name!r}, {problem}",
            advice=advice,
            witness=(one, other),
            value=squared,
        )


def _largest(*arrays: NDArray[Any]) -> float:
    """Return the largest absolute value in several arrays of numbers."""
    return float(
        max((max(array.max(), -array.min()) for array in arrays if array.size), default=0.0)
    )
