"""Events, states and graphs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

from ._canon import Canon, Key
from ._errors import BppyError, LimitExceeded, NotComparable
from ._thread import Failure, Instance

# A message of a path: the number of an event, or that of an outcome of a choice.
Message = tuple[str, Any]
Path = tuple[Message, ...]

_KEYS = frozenset({"request", "waitFor", "block", "mustFinish", "hot", "priority", "localReward"})


# The message of the bad state to which unknown steps lead.
UNEXPLORED = "(this step was not explored)"


@dataclass
class State:
    """A state of a thread: a statement at which it waits, its end, or a failure."""

    number: int
    key: Key
    status: str
    path: Path
    file: Optional[str] = None
    line: Optional[int] = None
    failure: Optional[Failure] = None
    requests: tuple[int, ...] = ()
    priority: Any = 0
    hot: bool = False
    blocks: set[int] = field(default_factory=set)
    # Where an event leads; an event that is not here leaves the thread in this state.
    moves: dict[int, tuple[int, ...]] = field(default_factory=dict)
    external: dict[int, tuple[int, ...]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    blocks_known: dict[int, bool] = field(default_factory=dict)
    evaluated: int = 0
    external_evaluated: int = 0
    live: Optional[Instance] = None


@dataclass
class Graph:
    """The graph of one thread."""

    name: str
    states: list[State] = field(default_factory=list)
    initial: tuple[int, ...] = ()
    # Only the steps of reachable joint states are known.
    is_partial: bool = False
    index: dict[Key, int] = field(default_factory=dict)
    choices: dict[Key, Optional[tuple[int, ...]]] = field(default_factory=dict)


def copy_event(event: Any) -> Any:
    """An equal event with data of its own."""
    new = object.__new__(type(event))
    new.__dict__.update(event.__dict__)
    new.data = dict(event.data)
    return new


def show_event(event: Any) -> str:
    """An event for reports: `move({"by":"X","cell":3})`, with the data sorted by name."""
    parts = sorted((str(k), _show(v)) for k, v in event.data.items())
    inner = ",".join(f'"{k}":{v}' for k, v in parts)
    text = f"{event.name}({{{inner}}})" if parts else str(event.name)
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text) or "''"


def _show(value: Any) -> str:
    if value is None:
        return "null"
    if value is True or value is False:
        return str(value).lower()
    if type(value) is str:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


class Events:
    """The events that are known, each with a number."""

    def __init__(self, event_class: type, special: Any, limit: int, closed: bool) -> None:
        self.event_class = event_class
        self.special = special
        self.limit = limit
        self.closed = closed
        self.list: list[Any] = []
        self.keys: list[Key] = []
        self._index: dict[Any, int] = {}

    def add(self, event: Any, *, declared: bool = False) -> int:
        """The number of an event, which becomes known."""
        if not isinstance(event, self.event_class):
            raise BppyError(f"{event!r} is requested, which is no BEvent")
        cls = type(event)
        base: Any = self.event_class
        if cls.__eq__ is not base.__eq__ or cls.__hash__ is not base.__hash__:
            raise NotComparable(f"the class {cls.__name__} of an event compares in a way of its own")
        try:
            number = self._index.get(event)
        except TypeError:
            raise NotComparable(f"the data of the event {event!r} cannot be hashed") from None
        key = Canon(self.event_class, special=self.special).event_key(event, "")
        if number is None:
            if self.closed and not declared:
                raise BppyError(f"the event {show_event(event)} is requested, but is not in `events`")
            number = len(self.list)
            if number >= self.limit:
                raise LimitExceeded(f"more than {self.limit} events are requested", limit=self.limit)
            self._index[event] = number
            self.list.append(copy_event(event))
            self.keys.append(key)
        elif self.keys[number] != key:
            raise NotComparable(
                f"the events {self.list[number]!r} and {event!r} are equal, but not alike: "
                "which of them is selected is not determined"
            )
        return number
