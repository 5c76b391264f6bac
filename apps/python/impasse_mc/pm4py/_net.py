"""Nets as arrays, runs, and the state space in Python: the slow and plain side of the bridge."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from .. import _given
from ..errors import InternalError, UsageError
from ..net_convert import PlainNet, plain, read_pm4py

Marking = tuple[int, ...]
Arcs = tuple[tuple[int, int], ...]


class PTNet:
    """A place/transition net with numbered places and transitions.

    ``pre[t]`` and ``post[t]`` are pairs of a place and a weight, ``delta[t]`` the pairs of a place
    and the change of its tokens that is not zero.
    """

    def __init__(
        self,
        places: Sequence[str],
        transitions: Sequence[str],
        labels: Sequence[Optional[str]],
        pre: Sequence[dict[int, int]],
        post: Sequence[dict[int, int]],
        initial: Marking,
        final: Optional[Marking],
        nodes: Optional[dict[str, Any]] = None,
    ) -> None:
        self.places = list(places)
        self.transitions = list(transitions)
        self.labels = list(labels)
        self.pre: list[Arcs] = [tuple(sorted(arcs.items())) for arcs in pre]
        self.post: list[Arcs] = [tuple(sorted(arcs.items())) for arcs in post]
        self.delta: list[Arcs] = []
        for takes, puts in zip(pre, post):
            change = {p: puts.get(p, 0) - takes.get(p, 0) for p in {*takes, *puts}}
            self.delta.append(tuple(sorted((p, d) for p, d in change.items() if d)))
        self.initial = initial
        self.final = final
        # Most transitions are ruled out by their first input place alone.
        self._free = [t for t, arcs in enumerate(self.pre) if not arcs]
        self._first: list[list[int]] = [[] for _ in self.places]
        for t, arcs in enumerate(self.pre):
            if arcs:
                self._first[arcs[0][0]].append(t)
        self.nodes = nodes or {}

    @classmethod
    def of_plain(cls, read: PlainNet) -> PTNet:
        """The net of plain data."""
        index = {place: i for i, place in enumerate(read.places)}
        final = None
        if read.final is not None:
            unknown = [place for place in read.final if place not in index]
            if unknown:
                raise UsageError(f"the final marking names {unknown[0]}, which is no place")
            final = tuple(read.final.get(place, 0) for place in read.places)
        return cls(
            list(read.places),
            [t.name for t in read.transitions],
            [t.label for t in read.transitions],
            [{index[p]: n for p, n in t.inputs.items()} for t in read.transitions],
            [{index[p]: n for p, n in t.outputs.items()} for t in read.transitions],
            tuple(read.places.values()),
            final,
            read.nodes,
        )

    @classmethod
    def read(cls, net: Any, initial_marking: Any, final_marking: Any) -> PTNet:
        """The net of pm4py objects, or of an :class:`impasse.Net` if there are no markings."""
        if hasattr(net, "arcs"):
            if initial_marking is None:
                raise UsageError("a net of pm4py needs its initial marking")
            return cls.of_plain(read_pm4py(net, initial_marking, final_marking))
        if initial_marking is not None or final_marking is not None:
            raise UsageError("an impasse.Net has its markings in itself: leave them out")
        return cls.of_plain(plain(net))

    def enabled(self, marking: Marking, transition: int) -> bool:
        """Is the transition enabled?"""
        # `all` with a generator is slower.
        for place, weight in self.pre[transition]:  # noqa: SIM110
            if marking[place] < weight:
                return False
        return True

    def all_enabled(self, marking: Marking) -> list[int]:
        """The transitions that are enabled."""
        found = list(self._free)
        for place, tokens in enumerate(marking):
            if tokens:
                found += [t for t in self._first[place] if self.enabled(marking, t)]
        return found

    def fire(self, marking: Marking, transition: int) -> Marking:
        """The marking after the transition, which must be enabled."""
        after = list(marking)
        for place, change in self.delta[transition]:
            after[place] += change
        return tuple(after)

    def run(self, firings: Sequence[int], start: Optional[Marking] = None) -> NetRun:
        """The run of a sequence of transitions. InternalError if one of them is not enabled."""
        markings = [self.initial if start is None else start]
        for number, transition in enumerate(firings, 1):
            if not self.enabled(markings[-1], transition):
                raise InternalError(f"step {number}: {self.transitions[transition]} is not enabled")
            markings.append(self.fire(markings[-1], transition))
        return NetRun(
            [self.transitions[t] for t in firings],
            [self.labels[t] for t in firings],
            [self.show(marking) for marking in markings],
            list(firings),
            [self.nodes.get(self.transitions[t]) for t in firings],
        )

    def show(self, marking: Sequence[int]) -> dict[str, int]:
        """The places that hold tokens, by name."""
        return {self.places[p]: n for p, n in enumerate(marking) if n}

    def at(self, marking: dict[str, int]) -> Marking:
        """The opposite of :meth:`show`."""
        return tuple(marking.get(place, 0) for place in self.places)


@dataclass(frozen=True)
class NetRun:
    """A run of a net: transitions that fire one after another, replayed step by step."""

    transitions: list[str]
    """The unique names of the transitions."""
    labels: list[Optional[str]]
    """Their labels, None for silent ones."""
    markings: list[dict[str, int]]
    """One more than transitions: the places with tokens at first and after each step."""
    indices: list[int] = field(repr=False)
    """Their numbers in the net."""
    nodes: list[Any] = field(repr=False)
    """The original transitions, for example those of pm4py."""

    def __len__(self) -> int:
        return len(self.transitions)

    @property
    def initial(self) -> dict[str, int]:
        """The first marking."""
        return self.markings[0]

    @property
    def final(self) -> dict[str, int]:
        """The last marking."""
        return self.markings[-1]

    @property
    def trace(self) -> list[str]:
        """The labels that are visible."""
        return [label for label in self.labels if label is not None]

    def text(self) -> str:
        """A line for each step."""
        lines = [f"starts with {_marking(self.initial)}"]
        for number, (name, label) in enumerate(zip(self.transitions, self.labels), 1):
            said = name if label in (None, name) else f"{name} ({label})"
            lines.append(f"{number:4}  {said}  -> {_marking(self.markings[number])}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _marking(marking: dict[str, int]) -> str:
    return ", ".join(f"{place}: {tokens}" for place, tokens in marking.items()) or "no tokens"


class Space:
    """The reachable markings in breadth-first order, as far as ``limit`` allows.

    ``complete`` is True if all reachable markings are in ``markings``. ``came[i]`` is the number
    of the marking from which marking ``i`` was found, and the transition.
    """

    def __init__(self, net: PTNet, limit: int, deadline: Optional[Deadline] = None) -> None:
        self.net = net
        self.markings: list[Marking] = [net.initial]
        self.number: dict[Marking, int] = {net.initial: 0}
        self.came: list[tuple[int, int]] = [(-1, -1)]
        self.edges: list[list[int]] = []
        """For each marking the numbers of those from which it is reached in one step."""
        self.complete = self._explore(limit, deadline)

    def _explore(self, limit: int, deadline: Optional[Deadline]) -> bool:
        self.edges.append([])
        queue = deque([0])
        while queue:
            here = queue.popleft()
            if deadline is not None and here % 256 == 0 and deadline.over:
                return False
            for transition in self.net.all_enabled(self.markings[here]):
                after = self.net.fire(self.markings[here], transition)
                number = self.number.get(after)
                if number is None:
                    if len(self.markings) >= limit:
                        return False
                    number = len(self.markings)
                    self.number[after] = number
                    self.markings.append(after)
                    self.came.append((here, transition))
                    self.edges.append([])
                    queue.append(number)
                self.edges[number].append(here)
        return True

    def path(self, number: int) -> list[int]:
        """The transitions of a shortest run to a marking."""
        result = []
        while number:
            number, transition = self.came[number]
            result.append(transition)
        return result[::-1]

    def cannot_reach(self, goals: Iterator[int]) -> Optional[int]:
        """The first marking from which no marking of ``goals`` is reached, in a complete space."""
        assert self.complete
        good = set(goals)
        stack = list(good)
        while stack:
            for before in self.edges[stack.pop()]:
                if before not in good:
                    good.add(before)
                    stack.append(before)
        return next((n for n in range(len(self.markings)) if n not in good), None)


class Deadline:
    """A moment by which all parts of a check together must be done."""

    def __init__(self, seconds: Optional[float]) -> None:
        import time

        seconds = _given.seconds(seconds)
        self._clock = time.monotonic
        self._end = None if seconds is None else self._clock() + seconds

    @property
    def left(self) -> Optional[float]:
        """The seconds that are left. None if there is no limit."""
        return None if self._end is None else max(0.0, self._end - self._clock())

    @property
    def over(self) -> bool:
        """Is no time left?"""
        return self.left == 0.0
