"""What the objects of a class can hold."""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Any

_HEAP_TYPE = 1 << 9
_IMMUTABLE_TYPE = 1 << 8
_SLOTS: dict[type, tuple[str, ...]] = {}
_PLAIN: dict[type, bool] = {}


def is_python_class(cls: type) -> bool:
    """Whether a class was made by a `class` statement."""
    return bool(cls.__flags__ & _HEAP_TYPE) and not cls.__flags__ & _IMMUTABLE_TYPE


def frame_objects(generator: Any) -> list[Any]:
    """What the frame of a suspended generator refers to, in a fixed order: its variables, and the
    values that it keeps beside them, such as the iterators of the loops that it is in."""
    frame = generator.gi_frame
    if sys.version_info < (3, 11):
        # An argument that a closure uses has an unused slot, which tracing fills. Fill it always.
        _ = frame.f_locals
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
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
            k is object or (k.__flags__ & _HEAP_TYPE and not k.__flags__ & _IMMUTABLE_TYPE and "__module__" in vars(k))
            for k in cls.__mro__
        )
        if known:
            # Classes of C code have hidden fields: such instances are larger than their slots say.
            fields = sum(len(_own_slots(k)) for k in cls.__mro__)
            fields += (cls.__dictoffset__ > 0) + (cls.__weakrefoffset__ > 0)
            known = cls.__basicsize__ == object.__basicsize__ + fields * 8
        _PLAIN[cls] = known
    return known


def _own_slots(cls: type) -> tuple[str, ...]:
    names = vars(cls).get("__slots__", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    names = tuple(n for n in names if n not in ("__dict__", "__weakref__"))
    private = "_" + cls.__name__.lstrip("_")
    return tuple(private + n if n.startswith("__") and not n.endswith("__") else n for n in names)


def slots(cls: type) -> tuple[str, ...]:
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
