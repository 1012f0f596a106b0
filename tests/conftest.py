"""What holds for all tests, so that they spend little: one thread for linear algebra, and a compiler that nobody watches."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

# Matrices are small here: more threads than this one wait for each other, beside the other workers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

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


# The compiler takes half as long again where coverage traces it.
Dispatcher.compile = untraced(Dispatcher.compile)
