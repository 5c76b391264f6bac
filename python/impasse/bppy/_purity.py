"""What a thread may depend on beside its own state.

The graph of a thread describes the thread only if its code depends on nothing else: not on random
numbers, time or input, and not on anything that another thread changes. Two means find out:

* The bytecode of all functions that a thread can call by name is read. Assignments of global
  variables, comparisons by identity, and names of things such as `random` and `input` are errors.
* Everything that a thread can reach and that it shares with other threads or with the next copy of
  the program is compared before and after each step. A change is an error.
"""

from __future__ import annotations

import builtins
import collections
import dis
import enum
import gc
import sys
import types
from typing import Any, Optional

from ._canon import Canon
from ._classes import describe
from ._errors import BppyError, Nondeterminism, NotComparable, SharedState

_BUILTINS = {
    name: getattr(builtins, name)
    for name in (
        "input",
        "open",
        "id",
        "eval",
        "exec",
        "compile",
        "globals",
        "locals",
        "vars",
        "__import__",
        "breakpoint",
    )
}
# Random numbers, time, other threads and processes, files, and the insides of Python.
_NAMES = """
random _random secrets time uuid socket select selectors subprocess threading _thread
multiprocessing asyncio tempfile getpass os posix nt io _io sys signal gc inspect weakref _weakref
contextvars sched queue urllib http requests ctypes sqlite3 shutil glob fileinput platform atexit
importlib
"""
_MODULES = frozenset(_NAMES.split())
_ALLOWED = frozenset({("time", "sleep"), ("os", "path"), ("sys", "maxsize")})
_CLOCKS = frozenset({"now", "today", "utcnow"})
_LIBRARIES = frozenset(getattr(sys, "stdlib_module_names", ())) | {
    "bppy",
    "z3",
    "impasse",
    "pytest",  # an `assert` in a test calls it
    "_pytest",
}
_STDLIB = types.ModuleType.__module__ and dis.__file__.rsplit("dis", 1)[0]


class Scan:
    """What the bytecode of a function names: cached by code object."""

    def __init__(self) -> None:
        self._codes: dict[types.CodeType, list[tuple[str, Optional[str]]]] = {}

    def names(self, code: types.CodeType, scope: dict[str, Any]) -> list[tuple[str, Optional[str]]]:
        """Pairs of a global name and an attribute of it that follows, or None.

        Raises BppyError for code that no graph can describe."""
        known = self._codes.get(code)
        if known is None:
            known = self._read(code, scope)
            self._codes[code] = known
        return known

    def _read(self, code: types.CodeType, scope: dict[str, Any]) -> list[tuple[str, Optional[str]]]:
        found: dict[tuple[str, Optional[str]], None] = {}
        line = code.co_firstlineno
        before: list[Any] = []
        for op in dis.get_instructions(code):
            start = op.starts_line
            if start is not None and start is not False:
                number = getattr(op, "line_number", start)
                line = number if isinstance(number, int) and number is not True else line
            name = op.opname
            place: dict[str, Any] = {"file": code.co_filename, "line": line}
            if name in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                raise SharedState(
                    "a global variable is assigned, which other threads and other runs can see",
                    variable=str(op.argval),
                    **place,
                )
            if name == "IS_OP" and not _constant(before, scope):
                raise NotComparable(
                    "two values are compared by `is`; compare them by `==`: copies of "
                    "an event are equal, but not the same object",
                    **place,
                )
            if name == "IMPORT_NAME":
                _refuse_module(str(op.argval), None, place)
            if name == "IMPORT_FROM" and before:
                module = next((b.argval for b in reversed(before) if b.opname == "IMPORT_NAME"), "")
                _refuse_module(str(module), str(op.argval), place)
            if name in ("LOAD_GLOBAL", "LOAD_NAME"):
                found[(str(op.argval), None)] = None
                _refuse(str(op.argval), scope, place)
            if name in ("LOAD_ATTR", "LOAD_METHOD") and before:
                last = before[-1]
                if last.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                    found[(str(last.argval), str(op.argval))] = None
                    _refuse_attribute(scope.get(last.argval), str(op.argval), place)
            if name not in ("CACHE", "EXTENDED_ARG", "PUSH_NULL", "NOP", "PRECALL"):
                before = [*before[-5:], op]
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                for pair in self.names(const, scope):
                    found[pair] = None
        return list(found)


def _constant(before: list[Any], scope: dict[str, Any]) -> bool:
    """Whether the last operand is a constant of which there is only one."""
    if not before:
        return False
    last = before[-1]
    if last.opname == "LOAD_CONST":
        return last.argval in (None, True, False, Ellipsis)
    if last.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        value = scope.get(last.argval, getattr(builtins, str(last.argval), None))
        return isinstance(value, (type, enum.Enum))
    if last.opname == "LOAD_ATTR" and len(before) > 1:
        owner = scope.get(before[-2].argval) if before[-2].opname == "LOAD_GLOBAL" else None
        return isinstance(owner, type) and issubclass(owner, enum.Enum)
    return False


def _refuse(name: str, scope: dict[str, Any], place: dict[str, Any]) -> None:
    value = scope.get(name, _BUILTINS.get(name))
    if value is None:
        return
    if name in _BUILTINS and value is _BUILTINS[name]:
        raise Nondeterminism(f"`{name}` is used, and what it does is no part of a state", **place)
    refuse_value(value, place)


def refuse_value(value: Any, place: dict[str, Any]) -> None:
    """Refuses functions, classes and objects of modules such as `random`."""
    if isinstance(value, types.ModuleType):
        return  # its attributes are what is used
    owner = getattr(value, "__self__", None)
    module = getattr(value, "__module__", None)
    name = str(getattr(value, "__name__", type(value).__name__))
    if isinstance(value, types.BuiltinMethodType) and isinstance(owner, types.ModuleType):
        module = owner.__name__
    elif owner is not None and not isinstance(owner, type):
        module = type(owner).__module__
    elif not isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        module = type(value).__module__
    if isinstance(module, str):
        _refuse_module(module, name, place)


def _refuse_attribute(owner: Any, name: str, place: dict[str, Any]) -> None:
    if isinstance(owner, types.ModuleType):
        _refuse_module(owner.__name__, name, place)
        if hasattr(owner, name):
            refuse_value(getattr(owner, name), place)
    module = (
        owner.__name__ if isinstance(owner, types.ModuleType) else getattr(owner, "__module__", "")
    )
    if name in _CLOCKS and module == "datetime":
        raise Nondeterminism("the time is read, which is no part of a state", **place)


def _refuse_module(module: str, name: Optional[str], place: dict[str, Any]) -> None:
    root = module.split(".")[0]
    if module.startswith("numpy.random"):
        root = "random"
    if root not in _MODULES or name is None or (root, name) in _ALLOWED or module == "os.path":
        return
    raise Nondeterminism(
        f"`{module}.{name}` is used, and what it does is no part of a state; use `choice` for "
        "random values",
        **place,
    )


def is_library(value: Any) -> bool:
    """Whether a function or class belongs to Python itself, bppy or Z3."""
    if isinstance(value, types.FunctionType):
        # Decorators copy `__module__` from one function to another.
        module = value.__globals__.get("__name__")
    else:
        module = getattr(value, "__module__", None)
    if not isinstance(module, str):
        return False
    root = module.split(".")[0]
    if root in _LIBRARIES or root == "builtins":
        return True
    if sys.version_info < (3, 10) and root != "__main__":
        file = getattr(sys.modules.get(root), "__file__", None)
        if file is None:
            return root in sys.builtin_module_names
        return str(file).startswith(str(_STDLIB)) and "site-packages" not in str(file)
    return False


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
        for name, attribute in self.scan.names(function.__code__, scope):
            if name not in scope:
                continue
            value = scope[name]
            if isinstance(value, types.ModuleType):
                if attribute is not None and attribute in vars(value):
                    found[f"{name}.{attribute}"] = vars(value)[attribute]
            else:
                found[name] = value
        return list(found.items())


def opaque(value: Any) -> bool:
    """Values that are constants, whatever they contain: functions and classes of libraries."""
    if isinstance(value, (types.FunctionType, type)):
        return is_library(value)
    if isinstance(value, types.BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, types.ModuleType)
    module = type(value).__module__.split(".")[0]
    return module in ("logging", "typing")


def _shallow(x: Any) -> Any:
    """What an object holds directly, by identity."""
    cls = type(x)
    if cls is list or cls is collections.deque:
        return tuple(x)
    if isinstance(x, dict):
        return (
            tuple(dict.keys(x)) + tuple(dict.values(x)) + tuple(getattr(x, "__dict__", {}).values())
        )
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
                    "the thread advances an iterator that is shared with other threads or "
                    "outlives the program",
                    variable=path or None,
                )

    def _equal(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        # The same plain values in new objects are no change.
        plain = (int, str, float, bool, bytes, type(None))
        return len(old) == len(new) and all(
            a is b or (type(a) is type(b) and type(a) in plain and a == b) for a, b in zip(old, new)
        )


def reach(
    event_class: type, globals_of: Globals, roots: Any, name: str, special: Any = None
) -> list[tuple[Any, str]]:
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
