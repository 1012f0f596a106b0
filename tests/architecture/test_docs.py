"""Public names are documented in numpydoc form with examples that run."""

import inspect
import types

import pytest

import wideberth


def public_objects():
    """The classes and functions that people can import from wideberth and its public modules, by
    name.
    """
    for name in wideberth.__all__:
        value = getattr(wideberth, name)
        if isinstance(value, types.ModuleType):
            members = getattr(
                value, "__all__", [each for each in vars(value) if not each.startswith("_")]
            )
            found = {f"{name}.{each}": getattr(value, each) for each in members}
            yield from ((key, each) for key, each in found.items() if is_ours(each))
        elif is_ours(value):
            yield name, value


def is_ours(value):
    named = isinstance(value, type) or inspect.isfunction(value)
    return named and value.__module__.startswith("wideberth")


PUBLIC = dict(public_objects())


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example_that_runs(name):
    value = PUBLIC[name]
    if isinstance(value, type) and issubclass(value, Exception):
        pytest.skip("an error is shown where it is raised")
    assert ">>> " in inspect.getdoc(value)


def parameters(value):
    """The names of the parameters of a function or of a constructor."""
    if isinstance(value, type) and "__init__" not in vars(value):
        return []
    found = inspect.signature(value).parameters.values()
    return [each.name for each in found if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]


def described(documented, section):
    """The names in a section of a docstring in numpydoc form, several of which may share a line."""
    _, _, rest = documented.partition(f"\n{section}\n{'-' * len(section)}\n")
    heads = [
        line for line in rest.split("\n\n")[0].splitlines() if line and not line.startswith(" ")
    ]
    return {name.strip(" *") for head in heads for name in head.partition(" : ")[0].split(",")}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_of_a_public_name_is_described(name):
    value = PUBLIC[name]
    if isinstance(value, type) and issubclass(value, Exception):
        pytest.skip("raised by us, not by users")
    missing = [
        each
        for each in parameters(value)
        if each not in described(inspect.getdoc(value), "Parameters")
    ]
    assert not missing, f"the section Parameters of {name} lacks {', '.join(missing)}"
