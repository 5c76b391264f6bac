"""Nets as plain data: what all conversions and checks of nets have in common."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

from .errors import UsageError


class PlainTransition(NamedTuple):
    """A transition: its unique name, weights of arcs by place, and its label."""

    name: str
    inputs: dict[str, int]
    outputs: dict[str, int]
    label: Optional[str]


@dataclass
class PlainNet:
    """A net as plain data, with unique names, and the nodes that the names were made of."""

    name: str = "net"
    places: dict[str, int] = field(default_factory=dict)
    """The initial tokens of each place, in order."""
    transitions: list[PlainTransition] = field(default_factory=list)
    final: Optional[dict[str, int]] = None
    """The final marking: the places that hold tokens. None if there is none."""
    nodes: dict[str, Any] = field(default_factory=dict)
    """The original place or transition of each name."""


def whole(value: Any, what: str, least: int) -> int:
    """The number as an int. UsageError if it is not whole, or below ``least``."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        if not (isinstance(value, float) and value.is_integer()):
            raise UsageError(f"{what} is {value!r}, which is not a whole number")
        value = int(value)
    number = int(value)
    if number < least:
        raise UsageError(f"{what} is {number}, but at least {least} is needed")
    return number


class Names:
    """Unique names for nodes: places and transitions share one space of names."""

    def __init__(self, wanted: Iterable[str]) -> None:
        # A name that some node has by itself is not given to another one.
        self.reserved: set[str] = set(wanted)
        self.used: set[str] = set()

    def unique(self, name: str) -> str:
        result, number = name, 1
        while result in self.used or (number > 1 and result in self.reserved):
            number += 1
            result = f"{name}_{number}"
        self.used.add(result)
        return result


def import_optional(module: str) -> Any:
    """A module of a package that not everybody has. ImportError says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise ImportError(f"this needs {package}: pip install {package}") from error
