"""Bounds of places, and transitions that never fire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from ..errors import InternalError, UsageError
from ._ask import can_fire, reach
from ._complete import BY_IMPASSE
from ._net import Deadline, NetRun, PTNet

OMEGA = float("inf")
Label = tuple[Union[int, float], ...]


class CoverGraph:
    """The coverability graph of R. Karp and R. Miller ("Parallel program schemata", 1969).

    A label has a number for each place, or infinity for a place in which the number of tokens can
    be as large as one likes, with the other numbers of the label unchanged. A node whose label was
    seen before is not continued. If the graph is ``complete``, each reachable marking is below
    some label, so the largest label of a place is its least bound.
    """

    def __init__(self, net: PTNet, limit: int, deadline: Deadline) -> None:
        self.net = net
        self.labels: list[Label] = [net.initial]
        self.came: list[tuple[int, int]] = [(-1, -1)]
        self.pumped: list[list[tuple[int, set[int]]]] = [[]]
        """For each node its accelerations: the ancestor, and the places that become infinite."""
        self.complete = self._build(limit, deadline)

    def _build(self, limit: int, deadline: Deadline) -> bool:
        seen = {self.labels[0]}
        stack = [0]
        while stack:
            here = stack.pop()
            if deadline.over:
                return False
            for transition in range(len(self.net.transitions)):
                label = self.labels[here]
                if any(label[p] < n for p, n in self.net.pre[transition]):
                    continue
                after: list[Union[int, float]] = list(label)
                for p, change in self.net.delta[transition]:
                    after[p] += change
                pumped = self._accelerate(here, after)
                new = tuple(after)
                if new in seen:
                    continue
                if len(self.labels) >= limit:
                    return False
                seen.add(new)
                stack.append(len(self.labels))
                self.labels.append(new)
                self.came.append((here, transition))
                self.pumped.append(pumped)
        return True

    def _accelerate(self, node: int, label: list[Union[int, float]]) -> list[tuple[int, set[int]]]:
        pumped = []
        while node >= 0:
            old = self.labels[node]
            if all(a <= b for a, b in zip(old, label)):
                more = {p for p, (a, b) in enumerate(zip(old, label)) if a < b < OMEGA}
                if more:
                    pumped.append((node, more))
                    for p in more:
                        label[p] = OMEGA
            node = self.came[node][0]
        return pumped

    def _between(self, ancestor: int, node: int) -> list[int]:
        result = []
        while node != ancestor:
            node, transition = self.came[node]
            result.append(transition)
        return result[::-1]

    def most(self, place: int) -> Union[int, float]:
        """The largest label of a place."""
        return max(label[place] for label in self.labels)

    def witness(self, place: int, tokens: int) -> list[int]:
        """A run to a marking with at least so many tokens on a place. UsageError if none is known.

        From the node back to the root, ``need`` holds the tokens that are needed on the places that
        are infinite there. An acceleration is a sequence of transitions that does not lower the
        other places: it is repeated until it has put what is needed.
        """
        node = next((n for n, label in enumerate(self.labels) if label[place] >= tokens), None)
        if node is None:
            raise UsageError(f"no run to {tokens} tokens on {self.net.places[place]} is known")
        need = {place: tokens} if self.labels[node][place] == OMEGA else {}
        parts: list[list[int]] = []
        while node > 0:
            for ancestor, places in reversed(self.pumped[node]):
                loop = self._between(ancestor, node)
                times = max((need.pop(p, 0) for p in places), default=0)
                if times * len(loop) > 1_000_000:
                    raise UsageError("the run is too long to be listed")
                # The label of the ancestor, and what was infinite before this acceleration.
                infinite = set(need) | self._infinite_before(node, ancestor)
                for _ in range(times):
                    for transition in reversed(loop):
                        self._back(need, transition, infinite - places)
                parts.append(loop * times)
            before, transition = self.came[node]
            self._back(need, transition, {p for p, n in enumerate(self.labels[before]) if n == OMEGA})
            parts.append([transition])
            node = before
        firings = [t for part in reversed(parts) for t in part]
        run = self.net.run(firings)
        assert run.final.get(self.net.places[place], 0) >= tokens
        return firings

    def _infinite_before(self, node: int, ancestor: int) -> set[int]:
        """The places that are infinite at a node before its acceleration with this ancestor."""
        result = {p for p, n in enumerate(self.labels[self.came[node][0]]) if n == OMEGA}
        for other, places in self.pumped[node]:
            if other == ancestor:
                break
            result |= places
        return result

    def _back(self, need: dict[int, int], transition: int, infinite: set[int]) -> None:
        takes = dict(self.net.pre[transition])
        change = dict(self.net.delta[transition])
        for p in infinite:
            least = max(need.get(p, 0) - change.get(p, 0), takes.get(p, 0), 0)
            if least:
                need[p] = least
            else:
                need.pop(p, None)


@dataclass(frozen=True)
class Boundedness:
    """The least bound of each place."""

    verdict: str
    """``bounded``, ``unbounded`` (some place is), or ``unknown``."""
    bounds: dict[str, Optional[int]]
    """The most tokens that a place ever holds. None if it is unbounded or unknown."""
    unbounded: list[str]
    """The places that can hold any number of tokens."""
    unknown: list[str]
    """The places without an answer."""
    how: dict[str, str]
    """For each place how the answer was proved."""
    pumping: Optional[tuple[NetRun, NetRun]]
    """Of an unbounded net: a run, and one that goes on from its end and can be repeated for ever.
    The second one ends with at least the tokens that it begins with, and with more on a place."""
    _graph: CoverGraph = field(repr=False)

    def witness(self, place: str, tokens: int) -> NetRun:
        """A run to a marking with at least so many tokens on a place of :attr:`unbounded`.

        Raises:
            UsageError: No such run is known, or it is longer than a million steps.
        """
        net = self._graph.net
        if place not in net.places:
            raise UsageError(f"there is no place {place}")
        return net.run(self._graph.witness(net.places.index(place), tokens))

    def __bool__(self) -> bool:
        raise TypeError("a verdict may be unknown: compare `.verdict` with 'bounded'")


def check_boundedness(
    net: Any,
    initial_marking: Any = None,
    *,
    timeout: Optional[float] = 60.0,
    limit: int = 20_000,
) -> Boundedness:
    """The least bound of each place, or a run that can be repeated to put more and more tokens.

    A coverability graph is built in Python. Then Impasse is asked whether each place stays within
    its bound. If the graph is not complete, bounds up to 1024 are sought by questions to Impasse
    alone.

    Args:
        net: A net of pm4py, or an `impasse.Net`.
        initial_marking: The initial marking of a net of pm4py.
        timeout: The time limit in seconds. Places that are open then are unknown.
        limit: The most nodes of the coverability graph.

    Raises:
        UsageError: The net is not supported.

    >>> import impasse_mc as impasse
    >>> net = impasse.Net()
    >>> _ = net.place("idle", 1), net.place("made")
    >>> _ = net.transition("make", {"idle": 1}, {"idle": 1, "made": 1})
    >>> result = check_boundedness(net)
    >>> result.bounds
    {'idle': 1, 'made': None}
    >>> result.witness("made", 1000).final["made"] >= 1000
    True
    """
    read = PTNet.read(net, initial_marking, None)
    deadline = Deadline(timeout)
    graph = CoverGraph(read, limit, deadline)
    most = [graph.most(p) for p in range(len(read.places))]
    bounds: dict[str, Optional[int]] = {place: None for place in read.places}
    how: dict[str, str] = {}
    by_graph = f"by a coverability graph of {len(graph.labels)} nodes in Python"
    finite = [p for p in range(len(read.places)) if most[p] < OMEGA]
    replies = reach(read, [f"p{p} > {most[p]}" for p in finite], deadline)
    unknown: list[str] = []
    for p, reply in zip(finite, replies):
        place, bound = read.places[p], int(most[p])
        if reply.reachable and graph.complete:
            raise InternalError("the coverability graph and Impasse contradict each other")
        if reply.reachable is False:
            bounds[place], how[place] = bound, BY_IMPASSE
        elif graph.complete:
            bounds[place], how[place] = bound, by_graph
        else:
            found = _sought(read, p, bound + 1, deadline) if reply.reachable else None
            if found is None:
                unknown.append(place)
                how[place] = reply.reason or "the coverability graph and the bounds have limits"
            else:
                bounds[place], how[place] = found, BY_IMPASSE
    unbounded = [read.places[p] for p in range(len(read.places)) if most[p] == OMEGA]
    how.update((place, by_graph) for place in unbounded)
    verdict = "unbounded" if unbounded else "unknown" if unknown else "bounded"
    return Boundedness(verdict, bounds, unbounded, unknown, how, _pumping(graph), graph)


def _sought(net: PTNet, place: int, reached: int, deadline: Deadline) -> Optional[int]:
    """The least bound of a place that can hold ``reached`` tokens, up to 1024. None if unknown."""
    low, high = reached, None
    while high is None or low < high:
        tried = 2 * low if high is None else (low + high) // 2
        if tried > 1024:
            return None
        (reply,) = reach(net, [f"p{place} > {tried}"], deadline, share=0.3)
        if reply.reachable is None:
            return None
        if reply.reachable:
            low = tried + 1
        else:
            high = tried
    return high


def _pumping(graph: CoverGraph) -> Optional[tuple[NetRun, NetRun]]:
    """The first acceleration: it leaves a node without infinite places."""
    node = next((n for n, pumped in enumerate(graph.pumped) if pumped), None)
    if node is None:
        return None
    # Nodes are numbered in the order in which they are found, so all nodes before have none.
    ancestor = graph.pumped[node][0][0]
    first = graph.net.run(graph._between(0, ancestor))
    return first, graph.net.run(graph._between(ancestor, node), graph.net.at(first.final))


@dataclass(frozen=True)
class DeadTransitions:
    """Which transitions can fire?"""

    dead: list[str]
    """The transitions that can never fire. Impasse has proved it."""
    alive: dict[str, Optional[NetRun]]
    """The transitions that can fire, each with a run after which it is enabled. The run is None if
    it is too long to be listed."""
    unknown: dict[str, str]
    """The transitions without an answer, each with the reason."""
    nodes: dict[str, Any] = field(repr=False)
    """The place or transition of each name."""


def dead_transitions(
    net: Any,
    initial_marking: Any = None,
    *,
    timeout: Optional[float] = 60.0,
) -> DeadTransitions:
    """Which transitions can never fire? For each one, Impasse is asked whether it is ever enabled.

    Args:
        net: A net of pm4py, or an `impasse.Net`.
        initial_marking: The initial marking of a net of pm4py.
        timeout: The time limit in seconds, for all transitions together.

    Raises:
        UsageError: The net is not supported.
    """
    read = PTNet.read(net, initial_marking, None)
    transitions: Sequence[int] = range(len(read.transitions))
    replies = reach(read, [can_fire(t) for t in transitions], Deadline(timeout))
    result = DeadTransitions([], {}, {}, read.nodes)
    for t, reply in zip(transitions, replies):
        name = read.transitions[t]
        if reply.reachable:
            result.alive[name] = None if reply.firings is None else read.run(reply.firings)
        elif reply.reachable is False:
            result.dead.append(name)
        else:
            result.unknown[name] = reply.reason
    return result
