"""Which values the parameters of `wideberth.HilbertSVC` may have, and the errors for other values."""

import math
from collections.abc import Iterable
from typing import Any, get_args

from wideberth.classifiers.hilbert_svm.kernel import REPAIRS, KernelName
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import CALIBRATE, PRICE, TOLERANCE, Fits, check_parameters
from wideberth.estimators.radial_functions import share
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.wording import setting

#: The number of objects for which C is the C of LIBSVM: errors cost C times this over the weight of all objects.
_OBJECTS_OF_LIBSVM = 1000.0


def libsvm_prices(C: float, weights: Any, total: float) -> Any:
    r"""The prices of errors on objects, as LIBSVM takes them.

    Parameters
    ----------
    C : float
        The parameter of the classifier.
    weights : float or ndarray
        The weights of the objects.
    total : float
        The weight of all objects.

    Returns
    -------
    float or ndarray
        :math:`1000\,C\,w / W`.

    Examples
    --------
    >>> libsvm_prices(2.0, 1.0, 500.0)
    4.0
    """
    return _OBJECTS_OF_LIBSVM * C * weights / total


def check_svm_parameters(model: Any) -> None:
    """Check all parameters of a `wideberth.HilbertSVC`, each alone and those that exclude each other.

    Parameters
    ----------
    model : HilbertSVC
        A classifier, fitted or not.

    Raises
    ------
    InvalidInput
        For the first value that is not allowed; for a width of the kernel "distance", which has none; and for landmarks with an
        infinite C, because the hard margin is solved on the complete kernel matrix.

    Examples
    --------
    >>> from wideberth import HilbertSVC
    >>> check_svm_parameters(HilbertSVC(kernel="laplace", width="70%"))
    """
    check_parameters(model, _FITS)
    if model.kernel == "distance" and not _is_auto(model.width):
        raise InvalidInput(
            f"The kernel 'distance' has no width, but {setting('width', model.width)}.",
            advice="Leave the width out.",
            value=model.width,
        )
    if model.landmarks is not None and math.isinf(model.C):
        raise InvalidInput(
            "A hard margin needs the complete kernel matrix.",
            advice="Take a large C, such as 1000, or leave landmarks out.",
            value=model.landmarks,
        )


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _is_width(value: Any) -> bool:
    part = share(value)
    return _is_auto(value) or (is_number(value) and 0 < value < math.inf) or (part is not None and 0 < part < math.inf)


def _is_one_of(value: Any, names: Iterable[str]) -> bool:
    return isinstance(value, str) and value in names


_FITS = {
    "C": PRICE,
    "kernel": Fits(
        lambda value: _is_one_of(value, ["auto", *get_args(KernelName)]),
        "It is 'auto', 'distance', 'gaussian', 'laplace' or 'bounded'.",
    ),
    "width": Fits(_is_width, "It is 'auto', a positive number in the unit of the metric, or a share such as '70%'."),
    "repair": Fits(lambda value: _is_one_of(value, ["error", *REPAIRS]), "It is 'error', 'clip', 'flip' or 'shift'."),
    "landmarks": Fits(lambda value: value is None or is_whole(value, 2), "Pass a number from 2 on, or None for all objects."),
    "calibrate": CALIBRATE,
    "tol": TOLERANCE,
}
