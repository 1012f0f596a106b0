"""The face of the command line: what Python calls parameters are options of the command that runs, and calls are commands."""

import shlex
from ast import literal_eval
from contextvars import ContextVar
from typing import Any, NamedTuple

from wideberth.errors import WideberthError
from wideberth.wording import Face, told

#: The parameters of Python that are options of commands, by the name that both share but for dashes.
_SHARED = (
    *("column", "target", "kind", "encoding", "max_size", "metric", "unit", "weight", "groups", "on_error", "numbers", "sheet"),
    *("exact_labels", "max_memory", "max_objects", "prefer", "radius", "delta", "independent", "workers"),
)
#: The option of each parameter.
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SHARED} | {"labels_from": "--labels"}
#: Those of them that are settings of classifiers too, which ``--param`` gives to the commands that have no such option.
_OF_MODELS = ("delta", "radius", "unit")
#: What people do on the command line where Python calls a function.
CALLS = {
    "wideberth.certify": "'wideberth certify'",
    "wideberth.diagnose": "'wideberth doctor'",
    "wideberth.list_metrics()": "'wideberth metrics'",
    "wideberth.transforms.total": "'total(words, ngrams)'",
}
#: How a promise is declared.
DECLARED = "declare obeys_triangle=True"
#: What stands in messages for columns that the user knows.
_TO_FILL_IN = {"[...]": "COLUMN", "{...}": "COLUMN=1,5"}


class Running(NamedTuple):
    """The options of the command that runs, and of the one that made its model."""

    options: frozenset[str]
    of_fit: frozenset[str]


_running: ContextVar[Running | None] = ContextVar("running", default=None)


def run_with(command: Any, fit: Any) -> None:
    """Note which command runs: messages name its options from now on.

    Parameters
    ----------
    command, fit : click.Command
        That command, and the one that makes models.
    """
    _running.set(Running(_options_of(command), _options_of(fit)))


def _options_of(command: Any) -> frozenset[str]:
    return frozenset(option for parameter in command.params for option in parameter.opts)


class CommandLine(Face):
    """Messages in the words of the command line.

    Parameters
    ----------
    running : Running or None
        The options that there are; None if all may be named.

    Examples
    --------
    >>> from wideberth.wording import Text, setting
    >>> text = Text(f"{setting('target', '')} names no column. Leave {setting('target')} out, or pass {setting('kind', 'rows')}.")
    >>> print(text.told(CommandLine()))
    --target '' names no column. Leave --target out, or pass --kind 'rows'.
    >>> of_fit = Running(frozenset({"--target"}), frozenset({"--target", "--kind"}))
    >>> print(text.told(CommandLine(of_fit)))
    --target '' names no column. Leave --target out, or pass --kind 'rows' (of 'wideberth fit').
    """

    def __init__(self, running: Running | None = None) -> None:
        self._running = running

    def setting(self, name: str, shown: str) -> str:
        """Say a parameter: an option of the command, of the one that made the model, or a setting of the classifier."""
        option = "--metric" if name == "missing" else OPTIONS.get(name)
        if option is None:
            return super().setting(name, shown)
        written = f'--metric "gower(missing={shown})"' if name == "missing" else _written(option, shown)
        if self._running is None or option in self._running.options:
            return written
        if name in _OF_MODELS and "--param" in self._running.options:
            value = _value(shown)
            return f"--param {_typed(f'{name}={value if isinstance(value, str) else shown}')}"
        return f"{written} (of 'wideberth fit')" if option in self._running.of_fit else super().setting(name, shown)

    def python(self, code: str) -> str:
        """Say a call: the command that does the same, if there is one."""
        if code != DECLARED:
            return CALLS.get(code, code)
        declares = self._running is None or "--declare" in self._running.options
        option = "--declare obeys_triangle" if declares else "--declare obeys_triangle to 'wideberth fit'"
        return f"say {option} (of a matrix of distances)"


def in_options(message: Any) -> str:
    """A message in the words of the command that runs.

    Parameters
    ----------
    message : WideberthError, Warning, Text or str
        What has marked parts names options; another text is printed as it is.
    """
    face = CommandLine(_running.get())
    if isinstance(message, WideberthError):
        return message.told(face)
    if isinstance(message, Warning) and len(message.args) == 1:
        return told(message.args[0], face)
    return told(message, face)


def _written(option: str, shown: str) -> str:
    """An option with a value, as people type it."""
    if shown in ("", "True"):
        return option
    if shown in _TO_FILL_IN:
        return f"{option} {_TO_FILL_IN[shown]}"
    match _value(shown):
        case str(text):
            return f"{option} {_quoted(text)}"
        case [*texts] if texts and all(isinstance(text, str) for text in texts):
            return " ".join(f"{option} {_typed(text)}" for text in texts)
        case {**settings} if settings:
            return " ".join(f"{option} {_quoted(f'{name}={value}')}" for name, value in settings.items())
    return f"{option} {shown}"


def _value(shown: str) -> Any:
    """The value that a message shows, if it can be read; otherwise None."""
    try:
        return literal_eval(shown)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _quoted(text: str) -> str:
    """A text in quotes, which a shell takes off: those of Python, where these do."""
    return repr(text) if repr(text) == f"'{text}'" else _typed(text)


def _typed(text: str) -> str:
    """A text as people type it in a shell; with escapes, if a terminal must not get its characters."""
    return shlex.quote(text) if text.isprintable() else repr(text)
