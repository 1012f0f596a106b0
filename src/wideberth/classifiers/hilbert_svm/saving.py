"""The state of an SVM on a metric in a model file: which plain values are written, and how they are checked when read."""

import math
from typing import Any, get_args

import numpy as np
from scipy.sparse import csr_array

from wideberth.classifiers.hilbert_svm.kernel import REPAIRS, HilbertKernel, KernelName
from wideberth.classifiers.hilbert_svm.kernel_choice import KernelReport
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.geometry.shape.gram import Spectrum
from wideberth.objects import sample


def state_of(model: Any) -> dict[str, Any]:
    """Collect what a fitted classifier has learned, as plain values for a model file.

    Of the training objects only the references are included, because prediction needs no others.

    Parameters
    ----------
    model : HilbertSVC
        A fitted classifier.

    Returns
    -------
    dict
        Numbers, texts, arrays and lists; the keys are part of the file format. The sparse coefficients are written as the three
        arrays of the CSR format.
    """
    report, kernel = model.kernel_report_, model.kernel_
    return {
        "objects": model._function.references,
        "positions": model.references_,
        "coefficients": model.coef_.data,
        "columns": model.coef_.indices,
        "ends": model.coef_.indptr,
        "intercepts": model.intercept_,
        "norms": model._norms,
        "kernel": [kernel.name, kernel.width, kernel.jump],
        "promised": report.promised,
        "examined": report.examined,
        "spectrum": None if report.spectrum is None else report.spectrum.values,
        "repair": report.repair,
        "distortion": None if report.distortion is None else vars(report.distortion),
        "approximation": report.approximation,
        "farthest": report.farthest,
        "C": model.C_,
        "support": getattr(model, "support_", None),
        "multipliers": model.dual_coef_.ravel() if hasattr(model, "dual_coef_") else None,
        **calibration_to_plain(model),
    }


def restore(model: Any, state: dict[str, Any]) -> None:
    """Set the fitted attributes of a classifier from the state that `state_of` collected.

    The state comes from a file, so that lengths, ranges and finiteness are checked before anything relies on them.

    Parameters
    ----------
    model : HilbertSVC
        A classifier whose parameters, ``metric_`` and ``classes_`` are already set.
    state : dict
        The values from the file.

    Raises
    ------
    InvalidInput
        If a value is not possible.
    """
    n_references = sample.count(state["objects"])
    n_functions = math.comb(len(model.classes_), 2)
    model.kernel_ = _checked_kernel(state["kernel"])
    model.kernel_report_ = _checked_report(state, model.kernel_)
    model.references_ = restored_values.codes(state, "positions", n_references, below=restored_values.ANY_POSITION)
    model.coef_ = _checked_coefficients(state, (n_functions, n_references))
    model.intercept_ = restored_values.finite(state, "intercepts", n_functions)
    model._norms = restored_values.finite(state, "norms", n_functions, least=0.0)
    model.C_ = restored_values.number(state, "C", least=0.0)
    if state["support"] is not None or state["multipliers"] is not None:
        model.support_ = restored_values.codes(state, "support", len(state["support"]), below=restored_values.ANY_POSITION)
        packed = restored_values.finite(state, "multipliers", (len(model.classes_) - 1) * len(model.support_))
        model.dual_coef_ = packed.reshape(len(model.classes_) - 1, len(model.support_))
    restore_calibration(model, state)
    model._set_derived_attributes(state["objects"])


def _checked_kernel(written: Any) -> HilbertKernel:
    """The kernel with a name, a width and a jump, or an error if there is none."""
    if not isinstance(written, list) or len(written) != 3:
        raise InvalidInput("A kernel is a name, a width and a jump.", value=type(written).__name__)
    name, width, jump = written
    if name not in get_args(KernelName) or (width is None) != (name == "distance"):
        raise InvalidInput(f"There is no kernel {name!r} of width {width!r}.", value=name)
    if width is not None and not 0 < restored_values.number({"width": width}, "width") < np.inf:
        raise InvalidInput(f"The width {width!r} is not positive.", value=width)
    return HilbertKernel(name, width, restored_values.number({"jump": jump}, "jump", least=0.0))


def _checked_report(state: dict[str, Any], kernel: HilbertKernel) -> KernelReport:
    """The report on the kernel, with all of its values checked."""
    repair = state["repair"]
    if repair is not None and repair not in REPAIRS:
        raise InvalidInput(f"There is no repair {repair!r}.", value=repair)
    if type(state["promised"]) is not bool:
        raise InvalidInput("The report on the kernel is incomplete.", value=state["promised"])
    shares = {
        name: None if state[name] is None else restored_values.number(state, name) for name in ("approximation", "farthest")
    }
    examined = restored_values.whole(state, "examined", least=0, most=restored_values.ANY_POSITION)
    eigenvalues = None if state["spectrum"] is None else restored_values.numbers(state, "spectrum")
    return KernelReport(
        kernel.name,
        kernel.needs,
        promised=state["promised"],
        examined=examined,
        spectrum=None if eigenvalues is None else Spectrum(eigenvalues, whole=len(eigenvalues) >= examined),
        repair=repair,
        distortion=None if state["distortion"] is None else restored_values.distortion(state, "distortion"),
        **shares,
    )


def _checked_coefficients(state: dict[str, Any], shape: tuple[int, int]) -> csr_array:
    """The sparse matrix of coefficients, checked so that compiled code can use its indices."""
    ends = restored_values.codes(state, "ends", shape[0] + 1, below=restored_values.ANY_POSITION)
    values = restored_values.finite(state, "coefficients", int(ends[-1]))
    columns = restored_values.codes(state, "columns", len(values), below=max(1, shape[1]))
    if ends[0] or (np.diff(ends) < 0).any():
        raise InvalidInput("The rows of the coefficients do not follow each other.", value=ends.tolist())
    return csr_array((values, columns, ends), shape=shape)
