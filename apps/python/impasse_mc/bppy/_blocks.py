"""Which states of a thread behave alike for ever.

The partition of the states is refined until the events lead from all states of a class to the same
classes. A class that is split keeps its number for its largest part, so that only the states before
the other parts are examined again.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from ._graph import Graph, State


def blocks_of(graph: Graph) -> list[int]:
    """The number of the class of each state."""
    index: dict[Any, int] = {}
    block = [index.setdefault(_appearance(s), len(index)) for s in graph.states]
    members: dict[int, set[int]] = {}
    before: list[set[int]] = [set() for _ in graph.states]
    for s in graph.states:
        members.setdefault(block[s.number], set()).add(s.number)
        for moves in (s.moves, s.external):
            for targets in moves.values():
                for t in targets:
                    before[t].add(s.number)

    def leads(number: int) -> Any:
        s = graph.states[number]
        return tuple(_leads(s, m, block, graph.is_partial) for m in (s.moves, s.external))

    # All members of a class that are not open have the same steps, which are kept here.
    steps: dict[int, Any] = {}
    is_open: dict[int, set[int]] = {b: set(m) for b, m in members.items()}
    todo = deque(is_open)
    while todo:
        b = todo.popleft()
        opened = is_open.pop(b, None)
        if opened is None:
            continue
        parts: dict[Any, set[int]] = {}
        for number in sorted(opened):
            parts.setdefault(leads(number), set()).add(number)
        others = len(members[b]) - len(opened)
        sizes = {part: len(m) for part, m in parts.items()}
        if others:
            sizes[steps[b]] = sizes.get(steps[b], 0) + others
        largest = max(sizes, key=lambda part: sizes[part])
        if others and steps[b] != largest:
            parts.setdefault(steps[b], set()).update(members[b] - opened)
        steps[b] = largest
        changed: list[int] = []
        for part, moved in parts.items():
            if part != largest:
                new = len(members)
                members[new] = moved
                members[b] -= moved
                for number in moved:
                    block[number] = new
                changed += moved
        # Only when all numbers are new: a state is opened in the class in which it is.
        for number in changed:
            for other in (number, *before[number]):
                is_open.setdefault(block[other], set()).add(other)
                todo.append(block[other])
    return block


def _appearance(s: State) -> Any:
    """What is seen of a state without any step."""
    failure = (s.failure.message, s.failure.file, s.failure.line) if s.failure else None
    return (
        (s.status, failure, s.file, s.line, s.hot),
        (s.requests, repr(s.priority) if s.requests else ""),
        frozenset(s.blocks),
    )


def _leads(s: State, moves: dict[int, tuple[int, ...]], block: list[int], is_partial: bool) -> frozenset[Any]:
    """To which classes the events lead; if all steps are known, only those to other classes."""
    own = frozenset((block[s.number],))
    found = ((e, frozenset(block[t] for t in to)) for e, to in moves.items())
    return frozenset((e, to) for e, to in found if to != own or is_partial)
