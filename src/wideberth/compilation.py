"""Loops that numba compiles, loaded when one of them is first called: commands that run no loop
start without numba.

The only place that imports numba. `compiled` marks the loops, in files called ``kernels.py`` or
``*_kernels.py``.
"""

import functools
import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, overload
from uuid import uuid4

from wideberth import precompiled

Function = TypeVar("Function", bound=Callable[..., Any])

#: So many operations take Python a tenth of a second at the most; loading numba takes half a
#: second.
FEW_OPERATIONS = 300_000
#: Seconds that it takes to load numba, and to compile a loop of some length too.
_LOADING, _COMPILING = 0.5, 3.0
#: How many Python may do of a loop in this process.
_python_may_do = FEW_OPERATIONS
#: So many new objects bring a search for garbage while numba compiles, where Python has 700 or 2,000.
_NEW_OBJECTS = 200_000
#: Threads that call a kernel for the first time at once share one dispatcher.
_PREPARING = threading.Lock()


@overload
def compiled(function: Function, /) -> Function: ...
@overload
def compiled(**options: Any) -> Callable[[Function], Function]: ...
def compiled(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Have a function compiled by numba when it is first called; its machine code is kept on disk
    and runs without the GIL.

    Compiled functions may call each other; those whose name begins with an underscore are called by
    no others, and so do not get what a call from Python needs, which takes a third of the time to
    compile. Without compilation (``NUMBA_DISABLE_JIT=1``) they run as plain Python. ``options`` are
    those of `numba.njit` beside ``cache`` and ``nogil``.

    Examples
    --------
    >>> @compiled
    ... def triangular_number(n):
    ...     total = 0
    ...     for number in range(n + 1):
    ...         total += number
    ...     return total
    >>> triangular_number.py_func(4)  # in Python: what is not in a file cannot be kept on disk
    10
    """
    if function is None:
        return functools.partial(_Kernel, options=options)
    return _Kernel(function, options)


class _Kernel:
    """A function and the numba dispatcher that it gets with its first call.

    numba looks for what it is to inline under the names ``py_func`` and ``targetoptions``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        self._dispatcher: Any = None
        self._callable: Callable[..., Any] | None = None
        self._in_python_so_far = 0
        self._seconds_without = 0.0

    @property
    def unused(self) -> bool:
        """Whether it was not called so far, so that numba may not be loaded."""
        return self._dispatcher is None and self._callable is None

    def is_worth_python(self, operations: int) -> bool:
        """Whether so many operations, with those before them, are fewer than loading numba is
        worth; if so they are counted.
        """
        if not self.unused or self._in_python_so_far + operations > _python_may_do:
            return False
        self._in_python_so_far += operations
        return True

    def is_worth_compiling(self, seconds: float) -> bool:
        """Whether so much work otherwise done, with that before it, is more than it takes to load
        the loop, or to compile it; if not it is counted. What came with the package costs nothing.
        """
        if self.machine_code:
            return True
        total = self._seconds_without + seconds
        if total > _LOADING and self.dispatcher() is self.py_func:  # compilation is switched off
            return False
        if total > _COMPILING or (total > _LOADING and is_compiled(self)):
            return True
        self._seconds_without = total
        return False

    @functools.cached_property
    def in_python(self) -> Callable[..., Any]:
        """The function in Python, where the compiled functions that it calls are in Python too."""
        called = self.py_func.__code__.co_names
        names = {
            name: value.in_python if name in called and isinstance(value, _Kernel) else value
            for name, value in self.py_func.__globals__.items()
        }
        function = self.py_func
        return FunctionType(
            function.__code__, names, function.__name__, function.__defaults__, function.__closure__
        )

    def __call__(self, *arguments: Any) -> Any:
        return (self._callable or self._prepared())(*arguments)

    @functools.cached_property
    def machine_code(self) -> dict[tuple[str, ...], Callable[..., Any]]:
        """Machine code that came with the package, by the described arguments."""
        if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
            return {}
        with _counted_as_preparing():
            return precompiled.find(self.py_func)

    def _prepared(self) -> Callable[..., Any]:
        """Let the next call find the machine code at once, if Python may call it."""
        if self.machine_code:
            self._callable = self._call_by_types
            return self._callable
        dispatcher = self.dispatcher()
        if dispatcher is not self.py_func and self.py_func.__name__.startswith("_"):
            name = self.py_func.__qualname__
            raise TypeError(f"{name} is for compiled loops alone: call {name}.py_func from Python.")
        self._callable = dispatcher
        return self._callable

    def _call_by_types(self, *arguments: Any) -> Any:
        """Call what was compiled when the package was built for arguments of these types, or else
        what numba compiles now.
        """
        arguments = self.with_defaults(arguments)
        types = tuple(map(precompiled.described, arguments))
        return (self.machine_code.get(types) or self.dispatcher())(*arguments)

    def with_defaults(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """All arguments of a call."""
        missing = self.py_func.__code__.co_argcount - len(arguments)
        return arguments + (self.py_func.__defaults__ or ())[-missing:] if missing else arguments

    def __reduce__(self) -> str:
        """Pickle the kernel as functions are pickled, by its name."""
        return self.py_func.__qualname__

    def dispatcher(self) -> Any:
        """Return what numba calls and compiles; loads numba if need be."""
        with _PREPARING:
            if self._dispatcher is None:
                compile_at_call = _loaded_numba().njit(
                    nogil=True,
                    cache=True,
                    no_cfunc_wrapper=True,
                    no_cpython_wrapper=self.py_func.__name__.startswith("_"),
                    **self.targetoptions,
                )
                self._dispatcher = compile_at_call(self.py_func)
                _name_files_apart(self._dispatcher)
                _share_overloads(self._dispatcher)
            return self._dispatcher


def _name_files_apart(dispatcher: Any) -> None:
    """Let the files that this process adds to numba's cache have names that no other process uses.

    numba numbers the files of a function by its index of them. Two processes that compile a
    function for different types at the same time take the same number, and one of them may then run
    the code of the other, with arguments of the wrong types.
    """
    files = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if files is not None:  # there is none where numba finds no directory to write to
        files._data_name_pattern = files._data_name_pattern.replace(
            "{number:d}", f"{{number:d}}-{uuid4().hex}"
        )


def _share_overloads(dispatcher: Any) -> None:
    """Let calls from other loops with a constant, with a number of 32 bits or of 64 share one
    compilation, that for 64 bits; numba computes with 64 in any case.
    """
    usual = getattr(dispatcher, "get_call_template", None)
    if usual is None:  # compilation is switched off
        return
    types = _loaded_numba().types

    def widened(given: Any) -> Any:
        plain = types.unliteral(given)
        narrow = isinstance(plain, types.Integer) and plain.signed and plain.bitwidth < 64
        constant = plain is not given and plain == types.int64
        return types.int64 if narrow or constant else given

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        return usual(
            tuple(map(widened, arguments)), {name: widened(t) for name, t in keywords.items()}
        )

    dispatcher.get_call_template = get_call_template


def compile_from_the_first_call() -> None:
    """Let nothing run in Python from now on because it is little: for a process that will be asked
    again and again.

    Otherwise one of its later answers would have to wait for numba.
    """
    global _python_may_do
    _python_may_do = 0


def in_python_if_few(loop: Function, operations: int) -> Function:
    """A compiled loop, or the same function in Python if it has so few operations that loading
    numba would take longer.

    Those of earlier calls count too, so that what is called again and again is compiled in the end.
    ``operations`` is about how often the innermost line runs. Both ways compute the same bits.

    Examples
    --------
    >>> @compiled
    ... def doubled(number):
    ...     return 2 * number
    >>> in_python_if_few(doubled, 1)(4)
    8
    """
    few = isinstance(loop, _Kernel) and loop.is_worth_python(operations)
    return loop.in_python if few else loop  # type: ignore[attr-defined]


def is_worth_compiling(loop: Callable[..., Any], seconds: float) -> bool:
    """Whether a loop is worth its compilation for work that takes so long without it.

    Work of earlier calls counts too, so that what is asked for again and again is compiled in the
    end. Both ways have to compute the same.

    Examples
    --------
    >>> @compiled
    ... def halved(number):
    ...     return number / 2
    >>> is_worth_compiling(halved, 0.1)
    False
    """
    return not isinstance(loop, _Kernel) or loop.is_worth_compiling(seconds)


def is_compiled(loop: Callable[..., Any]) -> bool:
    """Whether a loop was compiled before, for any types, by this process or by one that left it on
    the disk, or when the package was built; what needs no compilation is as good as compiled.

    Examples
    --------
    >>> is_compiled(abs)
    True
    """
    if isinstance(loop, _Kernel) and loop.machine_code:
        return True
    dispatcher: Any = loop.dispatcher() if isinstance(loop, _Kernel) else loop
    if not hasattr(dispatcher, "overloads"):
        return True
    files = getattr(dispatcher._cache, "_cache_file", None)
    return bool(dispatcher.overloads) or bool(files is not None and files._load_index())


@contextmanager
def recorded_calls() -> Iterator[set[tuple[str, ...]]]:
    """Yield what is called from Python meanwhile: the name of each loop and its described arguments,
    which are empty words where nothing can be compiled in advance.

    Examples
    --------
    >>> with recorded_calls() as calls:
    ...     calls
    set()
    """
    calls: set[tuple[str, ...]] = set()
    usual = _Kernel.__call__

    def call(kernel: _Kernel, *arguments: Any) -> Any:
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        types = map(precompiled.described, kernel.with_defaults(arguments))
        calls.add((name, *types))
        return usual(kernel, *arguments)

    _Kernel.__call__ = call  # type: ignore[assignment, method-assign]
    try:
        yield calls
    finally:
        _Kernel.__call__ = usual  # type: ignore[method-assign]


@contextmanager
def recorded_compilations() -> Iterator[Callable[[], list[str]]]:
    """Yield a function that names our functions compiled so far, once for each combination of
    types; not those read from disk.

    Examples
    --------
    >>> with recorded_compilations() as compiled_so_far:
    ...     compiled_so_far()
    []
    """
    _loaded_numba()
    from numba.core.event import install_recorder

    with install_recorder("numba:compile") as recorder:
        yield lambda: [
            name for _, event in recorder.buffer if event.is_end and (name := _name_of_ours(event))
        ]


def _name_of_ours(event: Any) -> str:
    """The name of the function whose compilation numba reports; empty if it is numba's own."""
    function = event.data["dispatcher"].py_func
    return (
        f"{function.__module__}.{function.__qualname__}"
        if function.__module__.startswith("wideberth.")
        else ""
    )


def _rare_collections() -> Any:
    """What lets Python look for circular garbage rarely while numba compiles, which makes objects by
    the hundred thousand that stay until it is done: an eighth of the time.
    """
    from numba.core.event import Event, Listener

    class RareCollections(Listener):
        compiling, usual = 0, gc.get_threshold()

        def on_start(self, event: Event) -> None:  # numba compiles one function at a time
            if not self.compiling:
                self.usual = gc.get_threshold()
                if self.usual[0]:  # 0 is never
                    gc.set_threshold(max(self.usual[0], _NEW_OBJECTS), *self.usual[1:])
            self.compiling += 1

        def on_end(self, event: Event) -> None:
            self.compiling -= 1
            if not self.compiling:
                gc.set_threshold(*self.usual)

    return RareCollections()


class Preparation(NamedTuple):
    """Seconds spent on loading numba, on compiling, and on reading what was compiled before: those
    of the processor in one thread and in all of them, and those of the clock in that thread.
    """

    own: float
    all_threads: float
    by_the_clock: float


class _Preparing(threading.local):
    """How often this thread has begun to prepare code without having ended it, when it first did,
    and what it spent so far.
    """

    depth = 0
    began = (0.0, 0.0)
    own = 0.0
    by_the_clock = 0.0


_preparing = _Preparing()
_counting = threading.Lock()
#: Processor seconds that all threads spent so far.
_prepared = 0.0
#: Since when each thread that prepares code does so, by its number.
_since: dict[int, float] = {}


def _begin_preparing() -> None:
    if not _preparing.depth:
        _preparing.began = time.thread_time(), time.monotonic()
        _since[threading.get_ident()] = _preparing.began[1]
    _preparing.depth += 1


def _end_preparing() -> None:
    global _prepared
    _preparing.depth -= 1
    if not _preparing.depth:
        _since.pop(threading.get_ident(), None)
        work, clock = _preparing.began
        seconds = time.thread_time() - work
        _preparing.own += seconds
        _preparing.by_the_clock += time.monotonic() - clock
        with _counting:
            _prepared += seconds


@contextmanager
def _counted_as_preparing() -> Iterator[None]:
    """Count what is done here as preparing code."""
    _begin_preparing()
    try:
        yield
    finally:
        _end_preparing()


def is_compiling(seconds: float = 0.5) -> bool:
    """Whether a thread has been preparing code for so many seconds, which it does once: for those
    who show what takes so long.

    >>> is_compiling()
    False
    """
    now = time.monotonic()
    return any(now - since >= seconds for since in list(_since.values()))


def preparation() -> Preparation:
    """What this process has spent on preparing code so far, seen from this thread.

    A first run in a fresh environment takes many seconds for it, later ones few; who measures work
    takes them off.

    Examples
    --------
    >>> spent = preparation()
    >>> 0 <= spent.own <= spent.all_threads
    True
    """
    return Preparation(_preparing.own, _prepared, _preparing.by_the_clock)


@functools.cache
def _loaded_numba() -> Any:
    """Import numba, tell it that a kernel met in the code of another one stands for its dispatcher,
    and have it tell when it compiles.
    """
    with _counted_as_preparing():
        import numba
        from numba.core import event
        from numba.extending import typeof_impl

    events: Any = event
    events.register("numba:compile", _rare_collections())

    @typeof_impl.register(_Kernel)
    def type_of_kernel(kernel: _Kernel, context: Any) -> Any:
        return typeof_impl(kernel.dispatcher(), context)

    class Watch(event.Listener):
        def on_start(self, event: Any) -> None:
            _begin_preparing()

        def on_end(self, event: Any) -> None:
            _end_preparing()

    # held while a function is compiled or read from disk; waiting for it takes no processor time
    events.register("numba:compiler_lock", Watch())
    return numba
