"""Values as keys: two states of a thread are equal exactly if their keys are.

A key is a nested tuple. Mutable objects get numbers in the order in which they are found, so a key
also says which variables refer to one object. Events are compared by value; a registry of the
events that were seen reveals later changes of them.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import functools
import gc
import pathlib
import re
import sys
import types
import uuid
import warnings
from typing import Any, Callable, Optional

from ._classes import (
    describe,
    frame_objects,
    importable,
    is_plain,
    is_python_class,
    slots,
)
from ._errors import NotComparable

Key = Any

_ATOMS = (int, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
_VALUES = (
    decimal.Decimal,
    fractions.Fraction,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    pathlib.PurePath,
    uuid.UUID,
)
_EMPTY: list[Any] = [[], (), range(0), range(1 << 70), "", "\u0100", b"", bytearray(), set()]
_EMPTY += [{}, {}.values(), {}.items()]
_REVERSIBLE: list[Any] = [[], {}, {}.values(), {}.items()]
_POINT = collections.namedtuple("_POINT", "x")
_ITERATORS: tuple[Any, ...] = (
    *[type(iter(x)) for x in _EMPTY],
    *[type(reversed(x)) for x in _REVERSIBLE],
    *(enumerate, zip, map, filter, reversed, type(vars(_POINT)["x"])),
)
_VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))


class Canon:
    """One traversal of a graph of values.

    `nodes` lists the mutable objects in the order in which they were found, with the path to each.
    With `reach`, events are mutable objects, too, and `globals_of` names the global values that a
    function can read.
    """

    def __init__(
        self,
        event_class: type,
        *,
        seen_events: Optional[dict[int, tuple[Any, Key]]] = None,
        special: Optional[Callable[[Any], Optional[Key]]] = None,
        globals_of: Optional[Callable[[Any], list[tuple[str, Any]]]] = None,
        opaque: Optional[Callable[[Any], bool]] = None,
    ) -> None:
        self.event_class = event_class
        self.seen_events = seen_events
        self.special = special
        self.globals_of = globals_of
        self.opaque = opaque
        self.nodes: list[tuple[Any, str]] = []
        self._numbers: dict[int, int] = {}
        self._keep: list[Any] = []

    def value(self, x: Any, path: str) -> Key:
        """The key of a value. `path` says in messages where the value is."""
        cls = type(x)
        if cls in _ATOMS:
            return (cls, x)
        if cls is float or cls is complex:
            return (cls, repr(x))
        if cls is tuple:
            return ("tuple", *[self.value(v, f"{path}[{i}]") for i, v in enumerate(x)])
        if self.special is not None:
            key = self.special(x)
            if key is not None:
                self._keep.append(x)
                return key
        if isinstance(x, self.event_class) and self.globals_of is None:
            return self._event(x, path)
        if cls is range or cls is slice:
            return (cls, *[self.value(v, path) for v in (x.start, x.stop, x.step)])
        if isinstance(x, enum.Enum):
            return ("enum", self._class(type(x), path), x.name)
        if cls is frozenset:
            return ("frozenset", *self._elements(x, path))
        if cls in _VALUES:
            return (cls, repr(x))
        if cls is re.Pattern:
            return (cls, x.pattern, x.flags)
        if isinstance(x, types.ModuleType):
            return ("module", x.__name__, id(x))
        if isinstance(x, type):
            return self._class(x, path)
        if self.opaque is not None and self.opaque(x):
            self._keep.append(x)
            return ("opaque", id(x))
        number = self._numbers.get(id(x))
        if number is not None:
            return ("same", number)
        number = len(self._numbers)
        self._numbers[id(x)] = number
        self._keep.append(x)
        self.nodes.append((x, path))
        return (number, *self._content(x, cls, path))

    def _event(self, x: Any, path: str) -> Key:
        key = self.event_key(x, path)
        if self.seen_events is not None and id(x) not in self.seen_events:
            self.seen_events[id(x)] = (x, key)
        return key

    def event_key(self, x: Any, path: str) -> Key:
        """The key of an event: its class, and all of its attributes with their types."""
        cls = type(x)
        if not is_plain(cls) or slots(cls):
            raise NotComparable(f"events of the class {describe(x)} cannot be compared", variable=path)
        pairs = sorted(
            ((str(k), self.value(v, f"{path}.{k}")) for k, v in vars(x).items() if k not in ("name", "data")),
            key=lambda p: p[0],
        )
        data = x.data
        if type(data) is not dict:
            raise NotComparable("the data of an event is no dict", variable=path)
        items = sorted(
            ((self.value(k, path), self.value(v, f"{path}.data[{k!r}]")) for k, v in data.items()),
            key=repr,
        )
        return (
            "event",
            self._class(cls, path),
            self.value(x.name, path),
            tuple(items),
            tuple(pairs),
        )

    def _elements(self, x: Any, path: str) -> list[Key]:
        for v in x:
            # The order of such a set depends on addresses.
            if getattr(type(v), "__hash__", None) is object.__hash__ and not isinstance(v, enum.Enum):
                raise NotComparable(
                    f"a set of objects of {describe(v)}, whose order is not determined",
                    variable=path,
                )
        return [self.value(v, f"{path}{{}}") for v in x]

    def _pairs(self, items: Any, path: str) -> Key:
        return tuple(
            (self.value(k, f"{path} (key)"), self.value(v, f"{path}[{k!r}]" if _short(k) else path)) for k, v in items
        )

    def _content(self, x: Any, cls: type, path: str) -> tuple[Key, ...]:
        if cls is list or cls is collections.deque:
            extra = x.maxlen if cls is collections.deque else None
            return (cls, extra, *[self.value(v, f"{path}[{i}]") for i, v in enumerate(x)])
        if cls in (dict, collections.OrderedDict, collections.Counter):
            return (cls, self._pairs(x.items(), path))
        if cls is collections.defaultdict:
            return (cls, self.value(x.default_factory, path), self._pairs(x.items(), path))
        if cls is set:
            return (cls, *self._elements(x, path))
        if cls is bytearray:
            return (cls, bytes(x))
        if cls is types.CellType:
            try:
                return (cls, self.value(x.cell_contents, path))
            except ValueError:
                return (cls,)
        if cls is types.MappingProxyType:
            return (cls, self._pairs(x.items(), path))
        if cls is types.GeneratorType:
            return self.generator(x, path)
        if cls is types.FunctionType:
            return self._function(x, path)
        if cls is types.MethodType:
            return (cls, self.value(x.__func__, path), self.value(x.__self__, path))
        if cls is types.BuiltinMethodType:
            owner = x.__self__
            if owner is None or isinstance(owner, types.ModuleType):
                return (cls, str(x.__module__), x.__qualname__)
            return (cls, x.__name__, self.value(owner, path))
        if cls in (
            types.WrapperDescriptorType,
            types.MethodDescriptorType,
            types.GetSetDescriptorType,
            types.MemberDescriptorType,
            types.ClassMethodDescriptorType,
        ):
            return (cls, x.__qualname__, id(x.__objclass__))
        if cls is types.MethodWrapperType:
            return (cls, x.__name__, self.value(x.__self__, path))
        if cls is functools.partial:
            return (cls, *[self.value(v, path) for v in (x.func, x.args, x.keywords)])
        if cls in (staticmethod, classmethod):
            return (cls, self.value(x.__func__, path))
        if cls is property:
            return (cls, *[self.value(v, path) for v in (x.fget, x.fset, x.fdel)])
        if cls in _VIEWS:
            # A view shows its dictionary, which a mapping proxy of 3.10 and later names.
            return (cls, *[self.value(v, path) for v in gc.get_referents(x)])
        if cls in _ITERATORS or cls.__module__ == "itertools":
            return self._iterator(x, path)
        return self._instance(x, cls, path)

    def _iterator(self, x: Any, path: str) -> tuple[Key, ...]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                # The parts that pickling would store. Reading them does not advance the iterator.
                parts = x.__reduce__()
            except TypeError:
                raise NotComparable(
                    f"an iterator of type {describe(x)}, the state of which cannot be compared",
                    variable=path,
                ) from None
        if isinstance(parts, str):
            return (type(x), parts)
        return (type(x), *[self.value(v, path) for v in parts[1:]])

    def _function(self, x: Any, path: str) -> tuple[Key, ...]:
        cells = tuple(self.value(c, name) for name, c in zip(x.__code__.co_freevars, x.__closure__ or ()))
        defaults = self.value(x.__defaults__, path)
        keywords = self.value(x.__kwdefaults__, path)
        extra = self._pairs(x.__dict__.items(), path) if x.__dict__ else ()
        outer: tuple[Key, ...] = ()
        if self.globals_of is not None:
            outer = tuple((name, self.value(v, name)) for name, v in self.globals_of(x))
        module = x.__globals__.get("__name__")
        return (
            types.FunctionType,
            code_key(x.__code__),
            module,
            cells,
            defaults,
            keywords,
            extra,
            outer,
        )

    def _class(self, x: type, path: str) -> Key:
        if importable(x):
            key = ("class", x.__module__, x.__qualname__, id(x))
            if self.globals_of is None or not is_python_class(x):
                return key
            if self.opaque is not None and self.opaque(x):
                return key
        number = self._numbers.get(id(x))
        if number is not None:
            return ("same", number)
        number = len(self._numbers)
        self._numbers[id(x)] = number
        self._keep.append(x)
        self.nodes.append((x, path))
        members = [
            (k, v)
            for k, v in vars(x).items()
            if k
            not in (
                "__dict__",
                "__weakref__",
                "__doc__",
                "__module__",
                "__abstractmethods__",
                "_abc_impl",
                "__firstlineno__",
                "__static_attributes__",
                "__annotations__",
                "__annotate__",
                "__annotate_func__",
                "__annotations_cache__",
            )
            and not isinstance(v, (types.GetSetDescriptorType, types.MemberDescriptorType))
        ]
        return (
            number,
            "class",
            x.__qualname__,
            tuple(self._class(b, path) for b in x.__bases__),
            tuple((k, self.value(v, f"{x.__qualname__}.{k}")) for k, v in members),
        )

    def _instance(self, x: Any, cls: type, path: str) -> tuple[Key, ...]:
        base: tuple[Key, ...] = ()
        if not is_plain(cls):
            base_class = next((k for k in cls.__mro__ if not is_python_class(k)), object)
            kind = next(
                (k for k in (dict, list, set, tuple, frozenset, int, str, float, bytes) if base_class is k),
                None,
            )
            if kind is None:
                raise NotComparable(f"a value of type {describe(x)}, which cannot be compared", variable=path)
            if kind is dict:
                base = (self._pairs(dict.items(x), path),)
            elif kind in (set, frozenset):
                base = tuple(self._elements(kind.__iter__(x), path))
            elif kind in (list, tuple):
                base = tuple(self.value(v, f"{path}[{i}]") for i, v in enumerate(kind.__iter__(x)))
            else:
                base = (repr(kind.__repr__(x)),)
        own = self._pairs(
            # The number of a `choice` is random, and only its own comparison uses it.
            [p for p in getattr(x, "__dict__", {}).items() if p[0] != "_id" or not _of_bppy(cls)],
            path,
        )
        fields = []
        for name in slots(cls):
            try:
                fields.append((name, self.value(object.__getattribute__(x, name), f"{path}.{name}")))
            except AttributeError:
                continue
        return ("object", self._class(cls, path), base, own, tuple(fields))

    def generator(self, g: Any, path: str) -> tuple[Key, ...]:
        """The key of a generator: its position, its variables, and what its loops iterate over."""
        frame = g.gi_frame
        if frame is None:
            return (types.GeneratorType, code_key(g.gi_code), "end")
        if g.gi_running:
            raise NotComparable("a generator that is running", variable=path)
        names = dict(frame.f_locals)
        prefix = "" if path == "" else f"{path}: "
        variables = tuple((name, self.value(names[name], prefix + name)) for name in sorted(names))
        hidden = []
        own = sys.version_info >= (3, 11)  # the frame refers to its function first
        for x in frame_objects(g):
            if isinstance(x, (BaseException, types.TracebackType)):
                raise NotComparable(
                    "the thread waits inside of an `except` or `finally` that handles an error",
                    variable=path or None,
                )
            if type(x) in (types.FrameType, types.CodeType):
                hidden.append(("frame",))
            elif own and type(x) is types.FunctionType and x.__code__ is g.gi_code:
                own = False
                hidden.append(self.value(x.__closure__, path))
            else:
                inner = x is g.gi_yieldfrom
                hidden.append(
                    self.value(
                        x,
                        f"{prefix}{g.gi_code.co_name}"
                        if inner
                        else f"{prefix}(the iterator or value of a loop or expression)",
                    )
                )
        return (types.GeneratorType, code_key(g.gi_code), frame.f_lasti, variables, tuple(hidden))


def code_key(code: types.CodeType) -> Key:
    """A code object, compared by content and by its place."""
    return (code, code.co_filename, code.co_name)


def _of_bppy(cls: type) -> bool:
    return cls.__module__ == "bppy.model.sync_statement"


def _short(x: Any) -> bool:
    return isinstance(x, (int, str)) and len(repr(x)) < 40
