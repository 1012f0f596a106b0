"""Errors and warnings. Each one says what broke, shows the value and names the way out.

The facts behind a message (``witness``, ``value``, ``line``...) stay on the error as attributes, so that a program can use
what a person reads.
"""

import sys
import warnings


class WideberthError(Exception):
    """Base of all errors of this library: a problem, an advice and the facts behind them.

    >>> error = WideberthError("The sky is falling.", advice="Look up.", witness=(3, 5))
    >>> print(error)
    The sky is falling. Look up.
    >>> error.witness
    (3, 5)
    """

    problem: str
    advice: str

    def __init__(self, problem: str, *, advice: str = "", **facts: object) -> None:
        super().__init__(f"{problem} {advice}".strip())
        self.problem = problem
        self.advice = advice
        vars(self).update(facts)

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"{type(self).__name__} carries no fact {name!r}; it has {sorted(vars(self))}.")


class InvalidInput(WideberthError, ValueError):
    """Objects, labels or parameters that cannot be used as they are."""


class InvalidFile(InvalidInput):
    """A file that cannot be read; ``path``, ``line`` and ``value`` say where it went wrong."""


class BrokenAxiom(InvalidInput):
    """A distance that is not a metric; ``witness`` holds the objects and the numbers that show it."""


class InconsistentLabels(InvalidInput):
    """A label that contradicts those before it; ``round`` is its round, ``witness`` holds the rounds that imply the opposite."""


class UnknownName(InvalidInput, KeyError):
    """A name that is in no table; ``known`` lists the ones that are."""

    __str__ = WideberthError.__str__  # KeyError would print the repr of the message


class NotCertified(WideberthError):
    """A radius that cannot be proved; ``missing`` names the promise that nobody has made."""


class UnsolvedProgram(WideberthError, RuntimeError):
    """A linear program whose optimum the simplex method did not find; ``status`` is what it said in the end."""


class MissingExtra(WideberthError, ImportError):
    """An optional dependency that is not installed; ``extra`` names the extra that brings it."""


class BrokenAxiomWarning(UserWarning):
    """A distance that is not a metric where a method counts on one; turn it into an error with ``warnings.simplefilter``."""


class GapWarning(UserWarning):
    """A solver stopped before it reached the accuracy asked for; the message says what is proved."""


class SlowMetricWarning(UserWarning):
    """A distance written as a Python function of two objects: right, but far slower than a compiled block."""


class GuessedEncodingWarning(UserWarning):
    """A file that is not UTF-8 and does not say what it is: the encoding was guessed."""


class NotHilbertianWarning(UserWarning):
    """A distance that embeds in no Hilbert space, embedded in one by its positive part; the message shows the eigenvalues."""


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn, and point at the line of the user that led here, however deep we and scikit-learn called each other.

    In a worker process there is no such line, and it points at whoever runs the worker.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN_USER_AND_US:
        frame = frame.f_back
    about, place = frame.f_globals, (frame.f_code.co_filename, frame.f_lineno)
    told = about.setdefault("__warningregistry__", {})  # so that filters can tell each line once
    warnings.warn_explicit(message, category, *place, module=about.get("__name__"), registry=told)


#: Packages that stand between the line of a user and a warning of ours.
_BETWEEN_USER_AND_US = frozenset({"wideberth", "sklearn", "joblib"})
