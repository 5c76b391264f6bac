"""The threads of a program, each as a graph of its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import svg
from .layout import Box, Drawing, box, layout

# More states and edges than this are not drawn.
MOST_STATES = 60
_MOST_EDGES = 120
_HEIGHT = 26.0
_LINE = 15.0
_LOOP = 18.0
_NAME = 26
_EVENTS = 3


def threads_html(structure: Mapping[str, Any]) -> str:
    """Drawings of the threads as far as there is room, and a table of the others' sizes."""
    threads: Sequence[Mapping[str, Any]] = structure.get("threads", ())
    drawn: list[str] = []
    left_out: list[Mapping[str, Any]] = []
    states = edges = 0
    for thread in threads:
        states_after = states + len(thread["states"])
        edges_after = edges + len(thread["edges"])
        if states_after > MOST_STATES or edges_after > _MOST_EDGES:
            left_out.append(thread)
            continue
        states, edges = states_after, edges_after
        drawn.append(_part(thread))
    parts = []
    if drawn:
        parts.append(_legend(threads))
        parts.append(svg.tag("div", *drawn, class_="ip-parts"))
    if left_out:
        note = f"{len(left_out)} of {len(threads)} threads are too large to be drawn here."
        parts.append(svg.tag("p", note, class_="ip-note"))
        parts.append(_sizes(left_out))
    return "".join(parts)


def _sizes(threads: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (svg.code(each["name"]), str(len(each["states"])), str(len(each["edges"]))) for each in threads[:MOST_STATES]
    ]
    table = svg.table(("thread", "states", "edges"), rows)
    if len(threads) > MOST_STATES:
        table += svg.tag("p", f"… and {len(threads) - MOST_STATES} more.", class_="ip-note")
    return table


def _legend(threads: Sequence[Mapping[str, Any]]) -> str:
    states = [state for thread in threads for state in thread["states"]]
    notes = ["solid edge: the thread requests the event", "dashed: it only waits"]
    if any(state.get("block") for state in states):
        notes.append("⊘: blocked events")
    if any(state.get("final") for state in states):
        notes.append("double frame: final")
    return svg.tag("p", svg.escape(" · ".join(notes)), class_="ip-note")


def _part(thread: Mapping[str, Any]) -> str:
    title = svg.tag("div", svg.code(thread["name"], 60), class_="ip-name")
    return svg.tag("div", title, graph_svg(thread), class_="ip-part")


def graph_svg(thread: Mapping[str, Any]) -> str:
    """The graph of one thread."""
    states = [_State(state) for state in thread["states"]]
    edges: list[tuple[int, int]] = []
    labels: list[list[str]] = []
    dashed: list[bool] = []
    loops: dict[int, tuple[list[str], bool]] = {}
    for edge in thread["edges"]:
        source, target, events = edge["from"], edge["to"], list(edge["events"])
        requested = set(thread["states"][source].get("request", ()))
        waits = not any(event in requested for event in events)
        if source == target:
            loops[source] = (events, waits)
        else:
            edges.append((source, target))
            labels.append(_event_lines(events))
            dashed.append(waits)
    first = [number for number, state in enumerate(states) if state.initial]
    label_boxes = [_label_box(lines) for lines in labels]
    down, across = (
        layout(
            [state.bounds(number in loops, _loop_text(loops.get(number)), turn) for number, state in enumerate(states)],
            edges,
            first,
            label_boxes,
            across=turn,
        )
        for turn in (False, True)
    )
    drawing = svg.better(down, across)
    content = []
    for route, waits in zip(drawing.routes, dashed):
        content.append(svg.arrow(route, drawing.across, "ip-waits" if waits else ""))
    for number, (events, waits) in loops.items():
        content.append(_loop(states[number], drawing, number, events, waits))
    for lines, label, place in zip(labels, label_boxes, drawing.labels):
        if place is not None:
            content.append(_label(lines, label, place))
    for state, (x, y) in zip(states, drawing.nodes):
        content.append(state.draw(x, y, drawing.across))
    label_text = f"states of thread {thread['name']}"
    return svg.picture(drawing.width, drawing.height, content, label_text)


class _State:
    """A state as a box with its name, and what it blocks."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self.initial = bool(state.get("initial"))
        self.final = bool(state.get("final"))
        self.kind = "ip-bad" if state.get("bad") else "ip-hot" if state.get("hot") else ""
        self.name = svg.clip(state["name"], _NAME)
        lines = []
        if state.get("bad"):
            lines.append("bad")
        if state.get("hot"):
            lines.append("hot")
        block = list(state.get("block", ()))
        if block:
            lines.append(svg.clip("⊘ " + ", ".join(map(str, block)), _NAME))
        self.lines = lines
        self.title = "\n".join(
            [str(state["name"])]
            + [
                f"{what}: {', '.join(map(str, state[what]))}"
                for what in ("request", "wait", "block")
                if state.get(what)
            ]
        )
        texts = [svg.width(self.name)] + [svg.width(line) * 11 / 12 for line in lines]
        self.half = max(22.0, max(texts) / 2 + 9)
        self.tall = (_HEIGHT + _LINE * len(lines)) / 2

    def bounds(self, loop: bool, text: str, across: bool) -> Box:
        """The room of the box, of a loop beside it, and of the arrow of an initial state."""
        inside = box(2 * self.half, 2 * self.tall)
        start = 20.0 if self.initial else 0.0
        if across:
            inside = inside._replace(left=inside.left + start)
        else:
            inside = inside._replace(up=inside.up + start)
        if not loop:
            return inside
        room = svg.width(text) + 6
        if across:
            wide = max(self.half, room / 2)
            return inside._replace(up=inside.up + _LOOP + 14, left=max(inside.left, wide), right=wide)
        return inside._replace(right=inside.right + _LOOP + room + 3)

    def draw(self, x: float, y: float, across: bool) -> str:
        """The box, around its anchor."""
        parts = []
        if self.initial:
            if across:
                route = [(x - self.half - 20, y), (x - self.half, y)]
            else:
                route = [(x, y - self.tall - 20), (x, y - self.tall)]
            parts.append(svg.arrow(route, across))
        size = {"width": 2 * self.half, "height": 2 * self.tall}
        corner = {"x": x - self.half, "y": y - self.tall, "rx": 7}
        parts.append(svg.tag("rect", **corner, **size, class_=f"ip-box {self.kind}".strip()))
        if self.final:
            size = {"width": 2 * self.half - 6, "height": 2 * self.tall - 6}
            corner = {"x": x - self.half + 3, "y": y - self.tall + 3, "rx": 5}
            parts.append(svg.tag("rect", **corner, **size, class_="ip-ring"))
        base = y - self.tall + 17
        parts.append(svg.words(x, base, self.name, "ip-middle"))
        for number, line in enumerate(self.lines, 1):
            parts.append(svg.words(x, base + number * _LINE, line, "ip-middle ip-small"))
        return svg.tag("g", svg.tag("title", svg.escape(self.title)), *parts)


def _event_lines(events: Sequence[Any]) -> list[str]:
    """The events of an edge, some of them in a line each."""
    if len(events) > _EVENTS:
        rest = len(events) - _EVENTS + 1
        return [svg.clip(each, _NAME) for each in events[: _EVENTS - 1]] + [f"… {rest} more"]
    return [svg.clip(each, _NAME) for each in events]


def _label_box(lines: Sequence[str]) -> Box:
    return box(max(map(svg.width, lines), default=0) + 10, 15.0 * max(1, len(lines)) + 2)


def _label(lines: Sequence[str], label: Box, place: tuple[float, float]) -> str:
    x, y = place
    height = 15.0 * len(lines)
    parts = [
        svg.tag(
            "rect",
            x=x - label.left + 2,
            y=y - height / 2,
            width=label.left + label.right - 4,
            height=height,
            class_="ip-under",
        )
    ]
    for number, line in enumerate(lines):
        parts.append(svg.words(x, y - height / 2 + 11.5 + 15 * number, line, "ip-middle"))
    return "".join(parts)


def _loop_text(loop: tuple[list[str], bool] | None) -> str:
    if loop is None:
        return ""
    events = loop[0]
    return svg.clip(", ".join(map(str, events[:_EVENTS])), _NAME) + (
        f" … {len(events) - _EVENTS} more" if len(events) > _EVENTS else ""
    )


def _loop(state: _State, drawing: Drawing, number: int, events: Sequence[str], waits: bool) -> str:
    """An edge from a state to itself, beside the state or above it."""
    x, y = drawing.nodes[number]
    kind = "ip-edge ip-waits" if waits else "ip-edge"
    text = _loop_text((list(events), waits))
    tip = svg.tag("title", svg.escape(", ".join(map(str, events))))
    if drawing.across:
        top = y - state.tall
        path = f"M{x - 9:.1f} {top:.1f}C{x - 16:.1f} {top - 24:.1f} {x + 16:.1f} {top - 24:.1f} "
        path += f"{x + 9:.1f} {top:.1f}"
        head = f"{x + 9:.1f},{top:.1f} {x + 7.5:.1f},{top - 8.5:.1f} {x + 14.5:.1f},{top - 6.5:.1f}"
        label = svg.words(x, top - 21, text, "ip-middle")
    else:
        side = x + state.half
        path = f"M{side:.1f} {y - 8:.1f}C{side + 24:.1f} {y - 14:.1f} {side + 24:.1f} {y + 14:.1f} "
        path += f"{side:.1f} {y + 8:.1f}"
        head = f"{side:.1f},{y + 8:.1f} {side + 8.5:.1f},{y + 6.5:.1f} "
        head += f"{side + 6.5:.1f},{y + 13.5:.1f}"
        label = svg.words(side + _LOOP + 6, y + 4, text)
    polygon = svg.tag("polygon", points=head, class_="ip-head")
    return svg.tag("g", tip, svg.tag("path", d=path, class_=kind), polygon, label)
