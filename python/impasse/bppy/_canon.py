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
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._errors import NotComparable

Key = Any

_HEAP_TYPE = 1 << 9
_IMMUTABLE_TYPE = 1 << 8
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
_ITERATORS = tuple(
    type(x)
    for x in (
        iter([]),
        iter(()),
        iter(range(0)),
        iter(range(1 << 70)),
        iter(""),
        iter("\u0100"),
        iter(b""),
        iter(bytearray()),
        iter({}),
        iter({}.values()),
        iter({}.items()),
        iter(set()),
        reversed([]),
        reversed({}),
        reversed({}.values()),
        reversed({}.items()),
    )
) + (enumerate, zip, map, filter, reversed)
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_SLOTS: Dict[type, Tuple[str, ...]] = {}
_PLAIN: Dict[type, bool] = {}


def frame_objects(generator: Any) -> List[Any]:
    """What the frame of a suspended generator refers to, in a fixed order: its variables, and the
    values that it keeps beside them, such as the iterators of the loops that it is in."""
    frame = generator.gi_frame
    held = gc.get_referents(generator if sys.version_info >= (3, 11) else frame)
    # The frame, its function and its dictionaries are no values of the program.
    skip = [frame, frame.f_locals, frame.f_globals, frame.f_builtins]
    if frame.f_trace is not None:
        skip.append(frame.f_trace)
    found = [x for x in held if not any(x is s for s in skip) and x is not generator.gi_code]
    if sys.version_info < (3, 11):
        found += [x for x in gc.get_referents(generator) if isinstance(x, BaseException)]
    return found


def is_plain(cls: type) -> bool:
    """Whether the instances of a class hold nothing but their dictionary and slots."""
    known = _PLAIN.get(cls)
    if known is None:
        known = all(
            k is object
            or (k.__flags__ & _HEAP_TYPE and not k.__flags__ & _IMMUTABLE_TYPE and "__module__" in vars(k))
            for k in cls.__mro__
        )
        if known:
            # Classes of C code have hidden fields: such instances are larger than their slots say.
            fields = sum(len(_own_slots(k)) for k in cls.__mro__)
            fields += (cls.__dictoffset__ > 0) + (cls.__weakrefoffset__ > 0)
            known = cls.__basicsize__ == object.__basicsize__ + fields * 8
        _PLAIN[cls] = known
    return known


def _own_slots(cls: type) -> Tuple[str, ...]:
    names = vars(cls).get("__slots__", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    names = tuple(n for n in names if n not in ("__dict__", "__weakref__"))
    private = "_" + cls.__name__.lstrip("_")
    return tuple(private + n if n.startswith("__") and not n.endswith("__") else n for n in names)


def slots(cls: type) -> Tuple[str, ...]:
    """The names of all slots of the instances of a class."""
    if cls not in _SLOTS:
        _SLOTS[cls] = tuple(n for k in cls.__mro__ for n in _own_slots(k))
    return _SLOTS[cls]


def importable(cls: type) -> bool:
    """Whether a class is the one that its module has under its name."""
    found: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def describe(value: Any) -> str:
    """A type, for messages."""
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


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
        seen_events: Optional[Dict[int, Tuple[Any, Key]]] = None,
        special: Optional[Callable[[Any], Optional[Key]]] = None,
        globals_of: Optional[Callable[[Any], List[Tuple[str, Any]]]] = None,
        opaque: Optional[Callable[[Any], bool]] = None,
    ) -> None:
        self.event_class = event_class
        self.seen_events = seen_events
        self.special = special
        self.globals_of = globals_of
        self.opaque = opaque
        self.nodes: List[Tuple[Any, str]] = []
        self._numbers: Dict[int, int] = {}
        self._keep: List[Any] = []

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
        if not is_plain(cls):
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
        return ("event", self._class(cls, path), self.value(x.name, path), tuple(items), tuple(pairs))

    def _elements(self, x: Any, path: str) -> List[Key]:
        for v in x:
            # The order of such a set depends on addresses.
            if type(v).__hash__ is object.__hash__ and not isinstance(v, enum.Enum):
                raise NotComparable(
                    f"a set of objects of {describe(v)}, whose order is not determined", variable=path
                )
        return [self.value(v, f"{path}{{}}") for v in x]

    def _pairs(self, items: Any, path: str) -> Key:
        return tuple(
            (self.value(k, f"{path} (key)"), self.value(v, f"{path}[{k!r}]" if _short(k) else path))
            for k, v in items
        )

    def _content(self, x: Any, cls: type, path: str) -> Tuple[Key, ...]:
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
        if cls in (types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType,
                   types.MemberDescriptorType, types.ClassMethodDescriptorType):
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

    def _iterator(self, x: Any, path: str) -> Tuple[Key, ...]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                # The parts that pickling would store. Reading them does not advance the iterator.
                parts = x.__reduce__()
            except TypeError:
                raise NotComparable(f"an iterator of type {describe(x)}, the state of which cannot be "
                                    "compared", variable=path) from None
        if isinstance(parts, str):
            return (type(x), parts)
        return (type(x), *[self.value(v, path) for v in parts[1:]])

    def _function(self, x: Any, path: str) -> Tuple[Key, ...]:
        cells = tuple(
            self.value(c, name) for name, c in zip(x.__code__.co_freevars, x.__closure__ or ())
        )
        defaults = self.value(x.__defaults__, path)
        keywords = self.value(x.__kwdefaults__, path)
        extra = self._pairs(x.__dict__.items(), path) if x.__dict__ else ()
        outer: Tuple[Key, ...] = ()
        if self.globals_of is not None:
            outer = tuple((name, self.value(v, name)) for name, v in self.globals_of(x))
        return (types.FunctionType, code_key(x.__code__), cells, defaults, keywords, extra, outer)

    def _class(self, x: type, path: str) -> Key:
        if importable(x):
            key = ("class", x.__module__, x.__qualname__, id(x))
            if self.globals_of is None or not x.__flags__ & _HEAP_TYPE or x.__flags__ & _IMMUTABLE_TYPE:
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
            if k not in ("__dict__", "__weakref__", "__doc__", "__module__", "__abstractmethods__",
                         "_abc_impl", "__firstlineno__", "__static_attributes__", "__annotations__",
                         "__annotate__", "__annotate_func__", "__annotations_cache__")
            and not isinstance(v, (types.GetSetDescriptorType, types.MemberDescriptorType))
        ]
        return (
            number,
            "class",
            x.__qualname__,
            tuple(self._class(b, path) for b in x.__bases__),
            tuple((k, self.value(v, f"{x.__qualname__}.{k}")) for k, v in members),
        )

    def _instance(self, x: Any, cls: type, path: str) -> Tuple[Key, ...]:
        base: Tuple[Key, ...] = ()
        if not is_plain(cls):
            base_class = next((k for k in cls.__mro__ if not k.__flags__ & _HEAP_TYPE), object)
            kind = next((k for k in (dict, list, set, tuple, frozenset, int, str, float, bytes)
                         if base_class is k), None)
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
            [p for p in getattr(x, "__dict__", {}).items() if p[0] != "_id" or not _of_bppy(cls)], path
        )
        fields = []
        for name in slots(cls):
            try:
                fields.append((name, self.value(object.__getattribute__(x, name), f"{path}.{name}")))
            except AttributeError:
                continue
        return ("object", self._class(cls, path), base, own, tuple(fields))

    def generator(self, g: Any, path: str) -> Tuple[Key, ...]:
        """The key of a generator: its position, its variables, and what its loops iterate over."""
        frame = g.gi_frame
        if frame is None:
            return (types.GeneratorType, code_key(g.gi_code), "end")
        if g.gi_running:
            raise NotComparable("a generator that is running", variable=path)
        names = dict(frame.f_locals)
        prefix = "" if path == "" else f"{path}: "
        variables = tuple(
            (name, self.value(names[name], prefix + name)) for name in sorted(names)
        )
        hidden = []
        for x in frame_objects(g):
            if isinstance(x, (BaseException, types.TracebackType)):
                raise NotComparable("the thread waits inside of an `except` or `finally` that handles "
                                    "an error", variable=path or None)
            if type(x) in (types.FrameType, types.CodeType):
                hidden.append(("frame",))
            elif type(x) is types.FunctionType and x.__code__ is g.gi_code:
                hidden.append(("function",))
            else:
                inner = x is g.gi_yieldfrom
                hidden.append(self.value(x, f"{prefix}{g.gi_code.co_name}" if inner else
                                         f"{prefix}(the iterator or value of a loop or expression)"))
        return (types.GeneratorType, code_key(g.gi_code), frame.f_lasti, variables, tuple(hidden))


def code_key(code: types.CodeType) -> Key:
    """A code object, compared by content and by its place."""
    return (code, code.co_filename, code.co_name)


def _of_bppy(cls: type) -> bool:
    return cls.__module__ == "bppy.model.sync_statement"


def _short(x: Any) -> bool:
    return isinstance(x, (int, str)) and len(repr(x)) < 40
