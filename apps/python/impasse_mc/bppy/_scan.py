"""What the bytecode of a function names, and what no graph can describe in it."""

from __future__ import annotations

import builtins
import dis
import enum
import sys
import types
from typing import Any, Optional

from ._errors import Nondeterminism, NotComparable, SharedState

# A global name, and the attributes that are read of it one after the other.
Name = tuple[str, tuple[str, ...]]

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


class Scan:
    """The names in functions, by code object."""

    def __init__(self) -> None:
        self._codes: dict[tuple[types.CodeType, int], list[Name]] = {}

    def names(self, code: types.CodeType, scope: dict[str, Any]) -> list[Name]:
        """The global names that a function reads, also in functions that it contains.

        Raises BppyError for code that no graph can describe."""
        key = (code, id(scope))
        known = self._codes.get(key)
        if known is None:
            known = self._codes[key] = list(dict.fromkeys(_Reader(code, scope).read()))
        return known


# Methods that `dataclass` makes; where they compare identities, equal values behave alike.
_MADE = frozenset({"__init__", "__eq__", "__setattr__", "__delattr__"})
_SKIP = frozenset({"CACHE", "EXTENDED_ARG", "PUSH_NULL", "NOP", "PRECALL"})


class _Reader:
    def __init__(self, code: types.CodeType, scope: dict[str, Any]) -> None:
        self.code = code
        self.scope = scope
        self.place: dict[str, Any] = {"file": code.co_filename, "line": code.co_firstlineno}
        self.before: list[Any] = []
        self.chain: Optional[Name] = None
        self.imported: list[str] = []

    def read(self) -> list[Name]:
        found: list[Name] = []
        attributes: list[tuple[str, dict[str, Any]]] = []
        for op in dis.get_instructions(self.code):
            if op.opname in _SKIP:
                continue
            self._line(op)
            name = op.opname
            if name in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                raise SharedState(
                    "a global variable is assigned, which other threads and other runs can see",
                    variable=str(op.argval),
                    **self.place,
                )
            if name == "IS_OP" and not self._constant():
                raise NotComparable(
                    "two values are compared by `is`; compare them by `==`: copies of "
                    "an event are equal, but not the same object",
                    **self.place,
                )
            if name == "IMPORT_NAME":
                self.imported.append(str(op.argval))
            if name == "IMPORT_FROM":
                _refuse_module(self.imported[-1], str(op.argval), self.place)
            if name in ("LOAD_ATTR", "LOAD_METHOD"):
                attributes.append((str(op.argval), dict(self.place)))
            self._follow(op)
            if self.chain is not None:
                found.append(self.chain)
            self.before = [*self.before[-2:], op]
        for module in self.imported:
            # Any attribute may be one of the module, which a variable holds.
            owner = sys.modules.get(module)
            for attribute, place in attributes:
                if owner is None or hasattr(owner, attribute) or attribute in _CLOCKS:
                    _refuse_module(module, attribute, place)
                    _refuse_attribute(owner, attribute, place)
        for const in self.code.co_consts:
            if isinstance(const, types.CodeType):
                found += _Reader(const, self.scope).read()
        return found

    def _line(self, op: Any) -> None:
        number = getattr(op, "line_number", op.starts_line)
        if type(number) is int:
            self.place["line"] = number

    def _follow(self, op: Any) -> None:
        """Notes which global name, and which of its attributes, was loaded last."""
        if op.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            self.chain = (str(op.argval), ())
            _refuse(str(op.argval), self.scope, self.place)
        elif op.opname in ("LOAD_ATTR", "LOAD_METHOD") and self.chain is not None:
            owner = resolve(self.chain, self.scope)
            _refuse_attribute(owner, str(op.argval), self.place)
            self.chain = (self.chain[0], (*self.chain[1], str(op.argval)))
        else:
            self.chain = None

    def _constant(self) -> bool:
        """Whether the last operand is a constant of which there is only one."""
        if self.chain is not None:
            if not self.chain[1] and self.chain[0] not in self.scope:
                return isinstance(getattr(builtins, self.chain[0], None), type)
            return isinstance(resolve(self.chain, self.scope), (type, enum.Enum))
        if self.code.co_filename == "<string>" and self.code.co_name in _MADE:
            return True
        last = self.before[-1] if self.before else None
        if last is None:
            return False
        if last.opname == "LOAD_ATTR":
            return bool(last.argval == "__class__")
        constants = (None, True, False, Ellipsis)
        return last.opname == "LOAD_CONST" and any(last.argval is v for v in constants)


def resolve(name: Name, scope: dict[str, Any]) -> Any:
    """The value of a name with attributes of modules and classes, or None."""
    value = scope.get(name[0])
    for attribute in name[1]:
        if not isinstance(value, (types.ModuleType, type)):
            return None
        value = getattr(value, attribute, None)
    return value


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
    module = owner.__name__ if isinstance(owner, types.ModuleType) else getattr(owner, "__module__", "")
    if name in _CLOCKS and module == "datetime":
        raise Nondeterminism("the time is read, which is no part of a state", **place)


def _refuse_module(module: str, name: Optional[str], place: dict[str, Any]) -> None:
    root = module.split(".")[0]
    if module.startswith("numpy.random"):
        root = "random"
    if root not in _MODULES or name is None or (root, name) in _ALLOWED or module == "os.path":
        return
    raise Nondeterminism(
        f"`{module}.{name}` is used, and what it does is no part of a state; use `choice` for random values",
        **place,
    )
