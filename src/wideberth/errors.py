"""Errors and warnings. A message describes the problem, shows the value, and advises what to do.

The facts behind a message (``value``, ``witness``, ``line``...) are also attributes of the error,
so that a program can use what a person reads; so are the parameter and the place that it is about.
All errors are subclasses of `WideberthError`, and those about input also of ``ValueError``:

>>> import wideberth
>>> try:
...     wideberth.metric("levenstein")
... except InvalidInput as error:
...     print(error.value, "levenshtein" in error.known)
levenstein True
"""

import sys
import warnings
from ast import literal_eval
from collections.abc import Mapping
from types import MappingProxyType

from wideberth.wording import Face, Text


class WideberthError(Exception):
    """Base class of all errors of this library: a problem, advice, and the facts behind them.

    Parameters
    ----------
    problem : str
        What is wrong, with the value that shows it: one or more sentences. Parameters, pieces of
        Python and places are marked (``wideberth/wording.py``).
    advice : str
        What to do instead: one or more sentences. The message is the problem followed by the
        advice.
    **facts
        Become attributes of the error.

    Attributes
    ----------
    problem, advice : Text
        The two parts of the message: texts in the words of Python, which other faces can say in
        their own.
    parameter : str or None
        The parameter that the problem is about, if it is about one.
    place : mapping
        Where the problem is, as far as it is known: ``{"object": 3}``, ``{"row": 3, "column":
        "age"}``, ``{"line": 17}``, ``{"partition": 2, "object": 5}``.
    value : object
        The value that cannot be used, on most errors.
    witness : object
        The objects or positions that show the problem, on some errors.

    Examples
    --------
    >>> error = WideberthError("The sky is falling.", advice="Look up.", witness=(3, 5))
    >>> print(error)
    The sky is falling. Look up.
    >>> error.witness
    (3, 5)
    """

    problem: Text
    advice: Text
    parameter: str | None = None
    place: Mapping[str, object] = MappingProxyType({})

    def __init__(self, problem: str, *, advice: str = "", **facts: object) -> None:
        self.problem, self.advice = Text(problem), Text(advice)
        super().__init__(f"{self.problem} {self.advice}".strip())
        vars(self).update(_about(self.problem) | facts)

    def told(self, face: Face) -> str:
        """The message in the words of a face."""
        return f"{self.problem.told(face)} {self.advice.told(face)}".strip()

    def __getattr__(self, name: str) -> object:
        raise AttributeError(
            f"{type(self).__name__} carries no fact {name!r}; it has {sorted(vars(self))}."
        )


def _about(problem: Text) -> dict[str, object]:
    """The first parameter and the first place of each kind that a problem names; nothing if it
    names none.
    """
    parts = list(problem.parts())
    named = [part.name for part in parts if part.kind == "setting"]
    places: dict[str, object] = {}
    for part in parts:
        if part.kind == "at":
            places.setdefault(part.name.lower(), _known(part.shown))
    return ({"parameter": named[0]} if named else {}) | ({"place": places} if places else {})


def _known(where: str) -> object:
    """A place as it was given: a number, or the name of a column."""
    try:
        return literal_eval(where)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return where


class InvalidInput(WideberthError, ValueError):
    """Objects, labels or parameters that cannot be used as they are.

    >>> import wideberth
    >>> wideberth.LipschitzClassifier("levenshtein", C=-1).fit(["tea", "rum"], ["soft", "hard"])
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: C=-1 does not fit. ...
    """


class WrongType(InvalidInput, TypeError):
    """Objects of a type that cannot be used; also a ``TypeError``, as scikit-learn expects it.

    >>> import wideberth
    >>> wideberth.NeighborsClassifier().fit([[1, {}], [2, 3]], ["soft", "hard"])
    Traceback (most recent call last):
    ...
    wideberth.errors.WrongType: float() argument must be a string or a real number, not 'dict'. Pass rows of numbers; ...
    """


class InvalidFile(InvalidInput):
    """A file that cannot be read.

    Attributes
    ----------
    path, line, value
        The file, the line and the text at which reading failed, as far as they are known.
    """


class BrokenAxiom(InvalidInput):
    """A distance that is not a metric although a method needs one.

    Attributes
    ----------
    witness : tuple
        The positions of the objects that break the axiom in their sample; or the two objects
        themselves, if a block with a negative, infinite or NaN distance was measured.
    value : tuple of float, or float
        Their distances, or that distance.

    Examples
    --------
    >>> from wideberth.doctor import repair
    >>> try:
    ...     repair([[0, 1, 100], [1, 0, 1], [100, 1, 0]], "square_root")
    ... except BrokenAxiom as error:
    ...     print(error.witness, error.value)  # d(0, 2) > d(0, 1) + d(1, 2)
    (0, 2, 1) (10.0, 1.0, 1.0)
    """


class StaleCache(InvalidInput):
    """A distance in a cache, or from a worker of a cluster, that the metric does not measure any
    more.

    Attributes
    ----------
    witness : tuple of int
        The indices of the two objects in their space.
    value : tuple of float
        The stored distance, and the measured one.
    """


class InconsistentLabels(InvalidInput):
    """A label of a stream that contradicts earlier labels.

    Attributes
    ----------
    round : int
        The round of the label.
    witness : tuple of int
        The earlier rounds whose labels together imply that this one is impossible.
    """


class UnknownName(InvalidInput, KeyError):
    """A name that does not exist, such as that of a metric.

    Attributes
    ----------
    known : list of str
        The names that exist.

    Examples
    --------
    >>> import wideberth
    >>> wideberth.metric("levenstein")
    Traceback (most recent call last):
    ...
    wideberth.errors.UnknownName: There is no metric 'levenstein'. Did you mean 'levenshtein'?
    """

    __str__ = WideberthError.__str__  # KeyError would print the repr of the message


class NotCertified(WideberthError):
    """A radius that cannot be proved.

    Attributes
    ----------
    missing : str
        The property without which there is no proof, such as "obeys_triangle".

    Examples
    --------
    >>> import wideberth
    >>> # promises nothing
    >>> lengths = wideberth.metric(lambda one, other: abs(len(one) - len(other)))
    >>> classifier = wideberth.NeighborsClassifier(lengths).fit(["a", "bbb"], ["short", "long"])
    >>> try:
    ...     classifier.certified_radius(["aa"])
    ... except NotCertified as error:
    ...     print(error.missing)
    obeys_triangle
    """


class UnsolvedProgram(WideberthError, RuntimeError):
    """A linear program whose optimum the simplex method did not find.

    Attributes
    ----------
    status : str
        Why the solver stopped, in its own words.
    """


class MissingExtra(WideberthError, ImportError):
    """An optional dependency that is not installed.

    Attributes
    ----------
    extra : str
        The extra that installs it: ``pip install "wideberth[extra]"``.

    Examples
    --------
    >>> from wideberth.extras import import_extra
    >>> try:
    ...     import_extra("no_such_module", "transport")
    ... except MissingExtra as error:
    ...     print(error.extra, isinstance(error, ImportError))
    transport True
    """


class LostWork(WideberthError, RuntimeError):
    """Work that a cluster has lost: its workers died again and again, none is left, the scheduler
    is gone, or files are missing.

    Attributes
    ----------
    work : str
        Which work.
    chunks : list
        The tasks or files that are lost, where they are known.
    times : int
        How often it was lost.
    """


class MissingOnWorkers(WideberthError, ImportError):
    """A module that the workers of a cluster cannot import, such as the one in which a distance is
    written.

    Attributes
    ----------
    module : str
        Its name.
    """


class BrokenAxiomWarning(UserWarning):
    """A distance that is not a metric although a method relies on one.

    ``warnings.simplefilter("error", BrokenAxiomWarning)`` turns it into an error.
    """


class GapWarning(UserWarning):
    """A solver stopped before it reached the required accuracy; the message has the accuracy that
    is proved.
    """


class SlowMetricWarning(UserWarning):
    """A distance given as a Python function of two objects: correct, but far slower than a function
    of whole blocks.
    """


class SlowSolverWarning(UserWarning):
    """Linear programs take longer, because the package highspy is not installed."""


class GuessedEncodingWarning(UserWarning):
    """A file that is not UTF-8 and does not declare its encoding: the encoding was guessed."""


class LabelSpellingWarning(UserWarning):
    """Labels that differ only in upper and lower case: they are different classes, perhaps by
    mistake.
    """


class SeriesShapeWarning(UserWarning):
    """Series with more channels than points: perhaps of shape (length, channels), where (channels,
    length) is meant.
    """


class MissingValuesWarning(UserWarning):
    """Values of new objects are missing, and none was while the model learned: medians are in their
    place.
    """


class WaitingWarning(UserWarning):
    """A pipe or a terminal that nothing has come from so far: reading waits for it."""


class NotHilbertianWarning(UserWarning):
    """A distance that embeds in no Hilbert space, embedded in one by its positive part."""


def warn_user(message: str, category: type[Warning], *, for_folds: bool = False) -> None:
    """Warn, with the line of the user's code that led here as the place of the warning.

    All frames of this library, scikit-learn and joblib between that line and this call are skipped.
    A worker process has no such line: there the place is the code that runs the worker.

    Parameters
    ----------
    message : str
        Parameters and pieces of Python are marked, as in errors; the warning keeps the marks in its
        only argument, a `Text`.
    category : type
        A subclass of ``Warning``.
    for_folds : bool, default=False
        Whether every fold of a cross-validation says it. Filters that show a warning once for each
        line then do so, although scikit-learn changes filters in every fold, upon which Python
        forgets what it has shown.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_user("The gap is 5 %.", GapWarning)
    >>> caught[0].category.__name__, str(caught[0].message)
    ('GapWarning', 'The gap is 5 %.')
    """
    frame = sys._getframe(1)
    while (
        frame.f_back is not None
        and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN_USER_AND_US
    ):
        frame = frame.f_back
    module, place = frame.f_globals, (frame.f_code.co_filename, frame.f_lineno)
    text, name = Text(message), str(module.get("__name__"))
    # lets filters show a warning once for each line
    registry = module.setdefault("__warningregistry__", {})
    if for_folds and _is_shown_once(str(text), category, name, place[1]):
        if (str(text), category, *place) in _SHOWN:
            return
        _SHOWN.add((str(text), category, *place))
    warnings.warn_explicit(text, category, *place, module=name, registry=registry)


#: The warnings of folds that were shown once for their line.
_SHOWN: set[tuple[str, type[Warning], str, int]] = set()


def _is_shown_once(text: str, category: type[Warning], module: str, line: int) -> bool:
    """Whether the filters show a warning once for each line or more seldom."""
    for action, message, filtered, modules, lines in warnings.filters:
        if (
            (message is None or message.match(text))
            and issubclass(category, filtered)
            and (modules is None or modules.match(module))
            and lines in (0, line)
        ):
            return action in ("default", "module", "once")
    return True


#: Packages whose frames are skipped in the search for the line of the user.
_BETWEEN_USER_AND_US = frozenset({"wideberth", "sklearn", "joblib"})
