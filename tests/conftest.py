"""What holds for all tests: coverage does not watch the compiler of the kernels, which takes half as long again under its eyes."""

import functools
import sys
from collections.abc import Callable
from typing import Any

from numba.core.dispatcher import Dispatcher


def untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function; nothing that it calls is traced."""

    @functools.wraps(function)
    def call(*args: Any, **settings: Any) -> Any:
        tracer = sys.gettrace()
        if tracer is None:
            return function(*args, **settings)
        sys.settrace(None)
        try:
            return function(*args, **settings)
        finally:
            sys.settrace(tracer)

    return call


Dispatcher.compile = untraced(Dispatcher.compile)
