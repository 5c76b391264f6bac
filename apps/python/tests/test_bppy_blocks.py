"""States that behave alike: the classes against a refinement of the simplest kind."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("bppy")
from impasse_mc.bppy._blocks import _appearance, _leads, blocks_of
from impasse_mc.bppy._graph import Graph, State


def simplest(graph):
    current = [0] * len(graph.states)
    while True:
        index = {}
        refined = [
            index.setdefault(
                (
                    current[s.number],
                    _appearance(s),
                    _leads(s, s.moves, current, graph.is_partial),
                    _leads(s, s.external, current, graph.is_partial),
                ),
                len(index),
            )
            for s in graph.states
        ]
        if max(refined) == max(current):
            return refined
        current = refined


@pytest.mark.parametrize("seed", range(400))
def test_classes(seed):
    r = random.Random(seed)
    count = r.randint(1, 14)
    graph = Graph("t", is_partial=r.random() < 0.3)
    for n in range(count):
        s = State(n, n, "sync", (), None, r.randrange(2))
        s.requests = (0,) if r.random() < 0.3 else ()
        for moves in (s.moves, s.external):
            for e in range(2):
                if r.random() < 0.6:
                    near = [min(n + 1, count - 1), n, r.randrange(count)]
                    moves[e] = tuple(sorted({r.choice(near) for _ in range(r.choice([1, 1, 2]))}))
        graph.states.append(s)
    found, expected = blocks_of(graph), simplest(graph)
    pairs = set(zip(found, expected))
    assert len(pairs) == len(set(found)) == len(set(expected))
