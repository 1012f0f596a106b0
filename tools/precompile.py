"""Compile loops ahead of time, into an extension module beside the package: for wheels, so that
nobody who installs one waits for a compiler; in a checkout, to try it.

``python tools/precompile.py`` builds the module in ``src/wideberth``; it needs a C compiler.
``--record`` writes the list anew of what is compiled: all that ``wideberth warmup`` calls, and the
examples of packages that it leaves out.

numba.pycc emits the wrappers and links the module. Its own way to collect functions knows one set of
options for all of them and no loops that call loops, so this is done here. The code is made for
x86-64-v3 (all processors since about 2015) or for the plain processor of another kind of machine;
`wideberth.precompiled` does not load it elsewhere.
"""

import argparse
import doctest
import os
import pkgutil
import platform
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1] / "src" / "wideberth"
MODULE = "_machine_code"
#: Their examples call loops that no command needs, or needs only with settings of its own.
EXAMPLES = (
    "wideberth.classifiers.online",
    *("wideberth.metrics.distributions", "wideberth.metrics.series", "wideberth.metrics.sets"),
    *("wideberth.metrics.strings", "wideberth.metrics.tables", "wideberth.metrics.vectors"),
)
#: In words of LLVM; an empty one is the plain processor.
PROCESSOR = "x86-64-v3" if platform.machine().lower() in ("x86_64", "amd64") else ""
#: One word of `wideberth.precompiled.described`.
_TOKEN = re.compile(r"[\w.]+(?:\[\d\w(?:,readonly)?\])?|[(),]")


def main() -> None:
    """Build the module, or write the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the list of loops anew")
    parser.add_argument("--into", type=Path, default=PACKAGE, help="folder of the module")
    given = parser.parse_args()
    sys.path.insert(0, str(PACKAGE.parent))
    if given.record:
        record()
    else:
        print(build(given.into))


def record() -> None:
    """Write down what all loops are called with from Python while everything is warmed up."""
    from wideberth import precompiled
    from wideberth.cli.warmup import warmup
    from wideberth.compilation import recorded_calls

    with recorded_calls() as calls:
        warmup(json=True)
        for package in EXAMPLES:
            parts = import_module(package).__path__
            for part in pkgutil.iter_modules(parts, f"{package}."):
                doctest.testmod(import_module(part.name), report=False)
    lines = sorted(" ".join(call) for call in calls if all(call))
    precompiled.LOOPS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def build(folder: Path) -> Path:
    """Compile the loops of the list, and return the module."""
    os.environ["NUMBA_CPU_NAME"] = PROCESSOR or "generic"  # loops that others call, too
    os.environ["NUMBA_CPU_FEATURES"] = ""
    with tempfile.TemporaryDirectory() as cache, warnings.catch_warnings():
        os.environ["NUMBA_CACHE_DIR"] = cache
        warnings.simplefilter("ignore")  # numba means to replace pycc one day
        from numba.pycc import cc

        cc.ModuleCompiler = _compiler()
        extension = cc.CC(MODULE)
        extension.output_dir = str(folder)
        extension.target_cpu = PROCESSOR
        for symbol, entry in _entries():
            extension._exported_functions[symbol] = entry
        extension.compile()
        return folder / extension.output_file


def _entries() -> Iterator[tuple[str, Any]]:
    """What numba is to compile, by the name that it gets in the module."""
    from numba.core.typing import signature
    from numba.pycc.compiler import ExportEntry

    from wideberth import precompiled

    for line in precompiled.LOOPS.read_text(encoding="utf-8").splitlines():
        name, *types = line.split()
        module, _, function = name.rpartition(".")
        symbol = precompiled.symbol(name, tuple(types), precompiled.digest_of(module))
        kernel = getattr(import_module(module), function)
        # None: the type of what is returned follows from the others
        yield symbol, ExportEntry(symbol, signature(None, *map(numba_type, types)), kernel)


def numba_type(described: str) -> Any:
    """The type of numba for a word of `wideberth.precompiled.described`."""
    tokens = _TOKEN.findall(described)
    found = _read_type(tokens)
    if tokens:
        raise ValueError(f"{described} does not describe an argument")
    return found


def _read_type(tokens: list[str]) -> Any:
    from numba import types

    word = tokens.pop(0)
    if word == "(":
        return types.Tuple(_read_parts(tokens))
    if tokens and tokens[0] == "(":
        tokens.pop(0)
        module, _, kind = word.rpartition(".")
        return types.NamedTuple(_read_parts(tokens), getattr(import_module(module), kind))
    scalar, _, array = word.partition("[")
    plain = types.boolean if scalar == "bool" else getattr(types, scalar)
    if not array:
        return plain
    return types.Array(plain, int(array[0]), array[1], readonly=array.endswith(",readonly]"))


def _read_parts(tokens: list[str]) -> list[Any]:
    parts = []
    while tokens[0] != ")":
        parts.append(_read_type(tokens))
        if tokens[0] == ",":
            tokens.pop(0)
    tokens.pop(0)
    return parts


def _compiler() -> Any:
    """The compiler of numba.pycc, for kernels instead of functions."""
    from llvmlite.binding import Linkage
    from numba.core.compiler import Flags, compile_extra
    from numba.core.environment import lookup_environment
    from numba.core.runtime import nrtdynmod
    from numba.pycc.compiler import ModuleCompiler

    class KernelCompiler(ModuleCompiler):  # type: ignore[misc]
        def _cull_exports(self) -> Any:
            self.exported_function_types, self.function_environments = {}, {}
            self.environment_gvs, self.extra_environments = {}, {}
            library = self.context.codegen().create_library(self.module_name)
            library.add_ir_module(nrtdynmod.create_nrt_module(self.context)[0])
            for entry in self.export_entries:
                self._compile(entry, library)
            self._share_environments(library)
            wrapper = library.create_ir_module("wrapper")
            self._emit_python_wrapper(wrapper)
            library.add_ir_module(wrapper)
            library.finalize()
            for function in library.get_defined_functions():
                if function.name not in self.dll_exports:
                    local = function.linkage in {Linkage.private, Linkage.internal}
                    function.visibility = "default" if local else "hidden"
            return library

        def _compile(self, entry: Any, library: Any) -> None:
            kernel = entry.function
            dispatcher = kernel.dispatcher()
            flags = Flags()
            dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
            flags.no_compile = True
            flags.no_cpython_wrapper, flags.no_cfunc_wrapper = False, True
            result = compile_extra(
                self.typing_context,
                self.context,
                kernel.py_func,
                entry.signature.args,
                None,
                flags,
                locals={},
                library=library,
            )
            for function in library._final_module.functions:
                if function.name.startswith("__excinfo_unwrap_args"):
                    function.linkage = "linkonce_odr"
            described = result.fndesc
            result.library.get_function(described.llvm_func_name).linkage = "internal"
            wrapper = result.library.get_function(described.llvm_cpython_wrapper_name)
            wrapper.name = self._mangle_method_symbol(entry.symbol)
            wrapper.linkage = "external"
            self.exported_function_types[entry] = result.target_context.call_conv.get_function_type(
                described.restype, described.argtypes
            )
            self.function_environments[entry] = result.environment
            self.environment_gvs[entry] = described.env_name

        def _share_environments(self, library: Any) -> None:
            """Let loops that are called by others find what they need of Python."""
            for linked in library._linking_libraries:
                for variable in linked._final_module.global_variables:
                    if variable.name.startswith("_ZN08NumbaEnv"):
                        environment = lookup_environment(variable.name)
                        if environment is not None and environment.can_cache():
                            self.extra_environments[variable.name] = environment

    return KernelCompiler


if __name__ == "__main__":
    main()
