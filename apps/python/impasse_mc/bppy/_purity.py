"""What a thread may depend on beside its own state.

The graph of a thread describes the thread only if its code depends on nothing else: not on random
numbers, time or input, and not on anything that another thread changes. Two means find out:

* The bytecode of all functions that a thread can call by name is read. Assignments of global
  variables, comparisons by identity, and names of things such as `random` and `input` are errors.
* Everything that a thread can reach and that it shares with other threads or with the next copy of
  the program is compared before and after each step. A change is an error.
"""

from __future__ import annotations

import collections
import functools
import gc
import os
import sys
import sysconfig
import types
from typing import Any

from ._canon import Canon
from ._classes import describe
from ._errors import BppyError, NotComparable, SharedState
from ._scan import Scan

# pytest rewrites each `assert` of a test to calls of its own functions.
_LIBRARIES = frozenset({"bppy", "z3", "impasse_mc", "pytest", "_pytest", "builtins"})
_STDLIB = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})
_NO_FILES = frozenset(sys.builtin_module_names) | frozenset(
    getattr(sys, "stdlib_module_names", ("zipimport", "_frozen_importlib"))
)


@functools.lru_cache(maxsize=4096)
def _is_library_name(root: str) -> bool:
    if root in _LIBRARIES:
        return True
    if root == "__main__":
        return False
    # A module of the program may have the name of one of Python's.
    file = getattr(sys.modules.get(root), "__file__", None)
    if file is None:
        return root in _NO_FILES
    path = os.path.abspath(file)
    return path.startswith(_STDLIB) and "-packages" not in path


def is_library(value: Any) -> bool:
    """Whether a function or class belongs to Python itself, bppy or Z3."""
    if isinstance(value, types.FunctionType):
        # Decorators copy `__module__` from one function to another.
        module = value.__globals__.get("__name__")
    else:
        module = getattr(value, "__module__", None)
    if not isinstance(module, str):
        return False
    return _is_library_name(module.split(".")[0])


class Globals:
    """The global values that a function can read."""

    def __init__(self) -> None:
        self.scan = Scan()

    def of(self, function: Any) -> list[tuple[str, Any]]:
        """Pairs of a name and a value."""
        if is_library(function):
            return []
        scope = function.__globals__
        found: dict[str, Any] = {}
        for name, attributes in self.scan.names(function.__code__, scope):
            value = scope.get(name)
            for attribute in attributes:
                if not isinstance(value, types.ModuleType):
                    break
                name, value = f"{name}.{attribute}", vars(value).get(attribute)
            if value is not None and not isinstance(value, types.ModuleType):
                found[name] = value
        return list(found.items())


def opaque(value: Any) -> bool:
    """Values that are constants, whatever they contain: functions and classes of libraries."""
    if isinstance(value, (types.FunctionType, type)):
        return is_library(value)
    if isinstance(value, types.BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, types.ModuleType)
    module = type(value).__module__.split(".")[0]
    return module in ("logging", "typing") and _is_library_name(module)


def _shallow(x: Any) -> Any:
    """What an object holds directly, by identity."""
    cls = type(x)
    if cls is list or cls is collections.deque:
        return tuple(x)
    if isinstance(x, dict):
        return tuple(dict.keys(x)) + tuple(dict.values(x)) + tuple(getattr(x, "__dict__", {}).values())
    if cls is types.CellType:
        try:
            return (x.cell_contents,)
        except ValueError:
            return ()
    if isinstance(x, type):
        return tuple(v for k, v in vars(x).items() if not k.startswith("_abc"))
    if cls is types.FunctionType:
        return (
            x.__code__,
            x.__defaults__,
            x.__kwdefaults__,
            *(x.__closure__ or ()),
            *x.__dict__.values(),
        )
    if hasattr(x, "__dict__"):
        return (*x.__dict__.keys(), *x.__dict__.values(), *_held(x))
    return _held(x)


def _held(x: Any) -> tuple[Any, ...]:
    if isinstance(x, bytearray):
        return (bytes(x),)
    return tuple(v for v in gc.get_referents(x) if type(v) is not dict)


class Watch:
    """A list of shared objects, and what they held when the watch began."""

    def __init__(
        self,
        event_class: type,
        nodes: list[tuple[Any, str]],
        names: list[tuple[str, dict[str, Any], str]],
    ) -> None:
        self._event_class = event_class
        self._nodes = nodes
        self._names = names
        # Iterators hold numbers that only their key shows.
        self._deep = [(x, p) for x, p in nodes if hasattr(x, "__next__")]
        self._held = [_shallow(x) for x, _ in nodes]
        self._ids = [tuple(map(id, h)) for h in self._held]
        self._values = [scope.get(name) for _, scope, name in names]
        self._keys = [self._key(x, p) for x, p in self._deep]

    def _key(self, x: Any, path: str) -> Any:
        return Canon(self._event_class).value(x, path)

    def check(self) -> None:
        """Raises SharedState if something has changed."""
        for (x, path), ids, held in zip(self._nodes, self._ids, self._held):
            now = _shallow(x)
            if tuple(map(id, now)) != ids and not self._equal(held, now):
                raise SharedState(
                    f"the thread changes a value of type {describe(x)} that is shared with "
                    "other threads or outlives the program",
                    variable=path or None,
                )
        for (path, scope, name), value in zip(self._names, self._values):
            if scope.get(name) is not value:
                raise SharedState("the thread changes a global variable", variable=path)
        for (x, path), key in zip(self._deep, self._keys):
            if self._key(x, path) != key:
                raise SharedState(
                    "the thread advances an iterator that is shared with other threads or outlives the program",
                    variable=path or None,
                )

    def _equal(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        # The same plain values in new objects are no change.
        plain = (int, str, float, bool, bytes, type(None))
        return len(old) == len(new) and all(
            a is b or (type(a) is type(b) and type(a) in plain and a == b) for a, b in zip(old, new)
        )


def reach(event_class: type, globals_of: Globals, roots: Any, name: str, special: Any = None) -> list[tuple[Any, str]]:
    """All mutable objects that can be reached from the roots, in a fixed order."""
    canon = Canon(event_class, globals_of=globals_of.of, opaque=opaque, special=special)
    try:
        for label, root in roots:
            canon.value(root, label)
    except BppyError as error:
        raise error.at(thread=name) from None
    except RecursionError:
        raise NotComparable("values are nested too deep", thread=name) from None
    return canon.nodes
