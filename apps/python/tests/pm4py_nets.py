"""Random nets for tests of `impasse_mc.pm4py`, and answers by brute force with networkx.

The brute force shares no code with the package: it works on the objects of pm4py.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple, Optional

import networkx
from pm4py.objects.petri_net.obj import Marking, PetriNet
from pm4py.objects.petri_net.utils.petri_utils import add_arc_from_to, remove_arc

Key = frozenset[tuple[str, int]]
Case = tuple[PetriNet, Marking, Marking]


def small_net(rng: random.Random) -> Case:
    """Any small net, mostly no workflow net."""
    net = PetriNet("small")
    places = [PetriNet.Place(f"p{i}") for i in range(rng.randint(2, 6))]
    net.places.update(places)
    for i in range(rng.randint(1, 7)):
        label = rng.choice([None, "a", "b", "c"])
        transition = PetriNet.Transition(f"t{i}", label)
        net.transitions.add(transition)
        for place in rng.sample(places, min(len(places), rng.choice([1, 1, 1, 2, 2, 3]))):
            add_arc_from_to(place, transition, net, rng.choice([1, 1, 1, 1, 2]))
        for place in rng.sample(places, min(len(places), rng.choice([0, 1, 1, 1, 2, 2]))):
            add_arc_from_to(transition, place, net, rng.choice([1, 1, 1, 1, 2]))
    initial = Marking({p: rng.choice([1, 1, 2]) for p in rng.sample(places, rng.randint(1, 2))})
    ends = rng.sample(places, rng.choice([1, 1, 2]))
    final = Marking({p: rng.choice([1, 1, 1, 2]) for p in ends})
    if rng.random() < 0.4:  # a final marking that some run reaches
        marking = initial
        for _ in range(rng.randint(0, 8)):
            choices = [t for t in sorted(net.transitions, key=str) if fires(t, marking)]
            if not choices:
                break
            marking = fire(rng.choice(choices), marking)
        final = marking
    return net, initial, final


def workflow(rng: random.Random, size: int = 6, mutations: int = 0) -> Case:
    """A net of nested blocks, which is sound, and then changed at random."""
    net = PetriNet("workflow")
    counter = [0]

    def place() -> PetriNet.Place:
        counter[0] += 1
        result = PetriNet.Place(f"p{counter[0]}")
        net.places.add(result)
        return result

    def transition(sources: list[Any], targets: list[Any], visible: bool) -> None:
        counter[0] += 1
        node = PetriNet.Transition(f"t{counter[0]}", f"a{counter[0]}" if visible else None)
        net.transitions.add(node)
        for source in sources:
            add_arc_from_to(source, node, net)
        for target in targets:
            add_arc_from_to(node, target, net)

    def block(source: Any, target: Any, budget: int) -> None:
        kind = rng.choice(["seq", "xor", "and", "loop"]) if budget > 1 else "act"
        left = rng.randint(1, max(1, budget - 1))
        if kind == "act":
            transition([source], [target], rng.random() < 0.85)
        elif kind == "seq":
            middle = place()
            block(source, middle, left)
            block(middle, target, budget - left)
        elif kind == "xor":
            block(source, target, left)
            block(source, target, budget - left)
        elif kind == "and":
            a, b, c, d = place(), place(), place(), place()
            transition([source], [a, c], False)
            block(a, b, left)
            block(c, d, budget - left)
            transition([b, d], [target], False)
        else:
            a, b = place(), place()
            transition([source], [a], False)
            block(a, b, left)
            block(b, a, budget - left)
            transition([b], [target], False)

    source, sink = place(), place()
    source.name, sink.name = "source", "sink"
    block(source, sink, size)
    for _ in range(mutations):
        _mutate(rng, net, transition, place, source, sink)
    return net, Marking({source: 1}), Marking({sink: 1})


def _mutate(rng: random.Random, net: Any, transition: Any, place: Any, source: Any, sink: Any) -> None:
    places = sorted(net.places, key=lambda p: p.name)
    inner = [p for p in places if p not in (source, sink)] or places
    transitions = sorted(net.transitions, key=lambda t: t.name)
    kind = rng.choice(["take", "put", "remove", "weight", "jump", "join", "buffer"])
    if kind == "take":
        add_arc_from_to(rng.choice(inner), rng.choice(transitions), net)
    elif kind == "put":
        add_arc_from_to(rng.choice(transitions), rng.choice([*inner, sink]), net)
    elif kind == "remove":
        remove_arc(net, rng.choice(sorted(net.arcs, key=str)))
    elif kind == "weight":
        rng.choice(sorted(net.arcs, key=str)).weight = 2
    elif kind == "jump":
        transition([rng.choice(inner)], [rng.choice([*inner, sink])], True)
    elif kind == "join":
        transition(rng.sample(inner, min(2, len(inner))), [rng.choice([*inner, sink])], True)
    else:
        extra = place()
        add_arc_from_to(rng.choice(transitions), extra, net)
        add_arc_from_to(extra, rng.choice(transitions), net)


def fires(transition: Any, marking: Any) -> bool:
    need: dict[Any, int] = {}
    for arc in transition.in_arcs:
        need[arc.source] = need.get(arc.source, 0) + arc.weight
    return all(marking.get(p, 0) >= n for p, n in need.items())


def fire(transition: Any, marking: Any) -> Marking:
    after = dict(marking)
    for arc in transition.in_arcs:
        after[arc.source] = after.get(arc.source, 0) - arc.weight
    for arc in transition.out_arcs:
        after[arc.target] = after.get(arc.target, 0) + arc.weight
    return Marking({p: n for p, n in after.items() if n})


class Truth(NamedTuple):
    """What brute force finds about a net whose reachable markings are few."""

    graph: Any
    """The reachability graph: markings are dicts by name, as frozen sets of items."""
    initial: Key
    final: Key
    bounds: dict[str, int]
    dead: set[str]
    easy: bool
    option: bool
    proper: bool
    relaxed: bool
    covers: bool
    lazy: bool
    workflow: bool
    classical: bool


def key(marking: Any) -> Key:
    return frozenset((p.name, n) for p, n in marking.items() if n)


def brute(net: Any, initial: Any, final: Any, limit: int = 2000) -> Optional[Truth]:
    """The truth, or None if there are more markings than the limit."""
    graph = networkx.MultiDiGraph()
    start = key(initial)
    known = {start: initial}
    todo = [start]
    graph.add_node(start)
    while todo:
        here = todo.pop()
        for t in net.transitions:
            if fires(t, known[here]):
                after = fire(t, known[here])
                there = key(after)
                if there not in known:
                    if len(known) >= limit:
                        return None
                    known[there] = after
                    todo.append(there)
                graph.add_edge(here, there, name=t.name)
    goal = key(final)
    covering = {m for m in graph if all(dict(m).get(p, 0) >= n for p, n in goal)}
    to_goal = _coreachable(graph, {goal} & set(graph))
    fired = {name for _, _, name in graph.edges(data="name")}
    ending = {name for _, v, name in graph.edges(data="name") if v in to_goal}
    names = {t.name for t in net.transitions}
    option = set(graph) <= to_goal
    proper = covering <= {goal}
    covers = set(graph) <= _coreachable(graph, covering)
    is_workflow = _is_workflow(net, initial, final)
    return Truth(
        graph,
        start,
        goal,
        {p.name: max(dict(m).get(p.name, 0) for m in graph) for p in net.places},
        names - fired,
        goal in graph,
        option,
        proper,
        ending == names,
        covers,
        covers and all(dict(m).get(p, 0) <= n for m in graph for p, n in goal),
        is_workflow,
        is_workflow and option and proper and fired == names,
    )


def _coreachable(graph: Any, goals: set[Any]) -> set[Any]:
    """The nodes from which some goal is reached."""
    if not goals:
        return set()
    back = graph.reverse()
    back.add_edges_from(("start", goal) for goal in goals)
    return set(networkx.descendants(back, "start"))


def _is_workflow(net: Any, initial: Any, final: Any) -> bool:
    sources = [p for p in net.places if not p.in_arcs]
    sinks = [p for p in net.places if not p.out_arcs]
    if len(sources) != 1 or len(sinks) != 1:
        return False
    if key(initial) != {(sources[0].name, 1)} or key(final) != {(sinks[0].name, 1)}:
        return False
    graph = networkx.DiGraph((a.source, a.target) for a in net.arcs)
    nodes = net.places | net.transitions
    graph.add_nodes_from(nodes)
    return nodes <= networkx.descendants(graph, sources[0]) | {sources[0]} and nodes <= networkx.ancestors(
        graph, sinks[0]
    ) | {sinks[0]}
