"""Graphs as a program in the JSON format of docs/import.md, version 2."""

from __future__ import annotations

from typing import Any

from ._blocks import blocks_of
from ._explore import Explorer
from ._graph import UNEXPLORED, Graph, State, show_event

EXTERNAL = "(external)"
QUEUE = "(queue)"


def unique(names: list[str]) -> list[str]:
    """The names with numbers where several are equal."""
    taken: dict[str, int] = {}
    result = []
    used = set(names)
    for name in names:
        taken[name] = taken.get(name, 0) + 1
        new = name
        while taken[name] > 1 and (new == name or new in used):
            new = f"{name}#{taken[name]}"
            if new in used:
                taken[name] += 1
        used.add(new)
        result.append(new)
    return result


def build(explorer: Explorer, ends: str, external: int) -> tuple[dict[str, Any], list[str], list[str]]:
    """The program, and the names of the events and of the external events.

    The first `external` external events come at any time, and the others once, in their order."""
    names = unique(
        [show_event(e) for e in explorer.events.list] + [f"{show_event(e)} {EXTERNAL}" for e in explorer.external.list]
    )
    events, outside = names[: len(explorer.events.list)], names[len(explorer.events.list) :]
    queue = [explorer.external.add(e) for e in explorer.source.queue]
    priorities = sorted({s.priority for g in explorer.graphs for s in g.states if s.requests})
    ranked = len(priorities) > 1 or bool(outside)
    plain = all(isinstance(p, int) and abs(p) < 1 << 30 for p in priorities)
    rank = {p: p if plain else i for i, p in enumerate(priorities)}
    lowest = min(rank.values(), default=0) - 1
    threads = [one_thread(g, events, outside, ends, rank if ranked else {}) for g in explorer.graphs]
    if queue:
        threads.append(_queue([outside[q] for q in queue], outside[:external], lowest, ends))
    elif external:
        threads.append(_queue([], outside[:external], lowest, ends))
    if not threads:
        nothing: dict[str, Any] = {"name": "end", "final": ends == "proper"}
        threads.append({"name": "(no thread)", "states": [nothing]})
    thread_names = unique([t["name"] for t in threads])
    for thread, name in zip(threads, thread_names):
        thread["name"] = name
    return (
        {"rwb": 2, "check": ["deadlock", "bad"], "events": names, "threads": threads},
        events,
        outside,
    )


def _queue(queue: list[str], at_any_time: list[str], lowest: int, ends: str) -> dict[str, Any]:
    states: list[dict[str, Any]] = []
    for i, event in enumerate(queue):
        states.append(
            {
                "name": f"{i}",
                "request": [event],
                "priority": lowest,
                "on": [{"events": [event], "to": [f"{i + 1}"]}],
            }
        )
    last: dict[str, Any] = {"name": f"{len(queue)}"}
    if at_any_time:
        last.update(request=at_any_time, priority=lowest)
    elif ends == "proper":
        last["final"] = True
    return {"name": QUEUE if queue else EXTERNAL, "states": [*states, last]}


def one_thread(graph: Graph, events: list[Any], outside: list[str], ends: str, rank: dict[Any, int]) -> dict[str, Any]:
    """A thread of the program. `events` are names of events, or other elements of sets."""
    block = blocks_of(graph)
    members: dict[int, list[State]] = {}
    for s in graph.states:
        members.setdefault(block[s.number], []).append(s)
    labels = unique([_label(m[0]) for m in members.values()])
    name = dict(zip(members, labels))
    rest = "not explored"
    states = []
    for b, group in members.items():
        s = group[0]
        out: dict[str, Any] = {"name": name[b]}
        if s.file is not None:
            out["file"] = s.file
        if s.line is not None:
            out["line"] = s.line
        if s.failure is not None:
            out["bad"] = s.failure.message
            states.append(out)
            continue
        shown = [f"{k} = {v}" for k, v in s.values.items() if all(o.values.get(k) == v for o in group)]
        if shown:
            out["values"] = ", ".join(shown)
        if s.requests:
            out["request"] = [events[e] for e in s.requests]
            if rank:
                out["priority"] = rank[s.priority]
        elif ends == "proper":
            out["final"] = True
        if s.blocks:
            out["block"] = [events[e] for e in sorted(s.blocks)]
        if s.hot:
            out["hot"] = True
        on: dict[tuple[int, ...], list[Any]] = {}
        for texts, moves in ((events, s.moves), (outside, s.external)):
            for e in sorted(moves):
                to = tuple(sorted({block[t] for t in moves[e]}))
                if to != (b,) or graph.is_partial:
                    on.setdefault(to, []).append(texts[e])
        steps: list[dict[str, Any]] = [{"events": es, "to": [name[t] for t in to]} for to, es in on.items()]
        if graph.is_partial and s.status == "sync":
            # The first step that has an event counts: this one is for all others.
            steps.append({"events": "all", "to": [rest]})
        if steps:
            out["on"] = steps
        states.append(out)
    if graph.is_partial:
        states.append({"name": rest, "bad": UNEXPLORED})
    initial = list(dict.fromkeys(name[block[i]] for i in graph.initial))
    return {"name": graph.name, "init": initial, "states": states}


def _label(s: State) -> str:
    if s.status == "end":
        return "end"
    text = f"line {s.line}" if s.line is not None else s.status
    return f"{text} fails" if s.status == "bad" else text
