"""Nets as pictures: places as circles with tokens, transitions as boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import svg
from .layout import Box, Drawing, layout

MOST_NODES = 60
# Arcs for each node: with more, the picture is hard to read.
_DENSITY = 2.5
_FEW_ARCS = 40
_RADIUS = 17.0
_NAME = 22
# Where up to five tokens are, from the middle of their place.
SPOTS: list[list[tuple[float, float]]] = [
    [],
    [(0, 0)],
    [(-5, 0), (5, 0)],
    [(0, -5), (-5, 4), (5, 4)],
    [(-5, -5), (5, -5), (-5, 5), (5, 5)],
]


def fits(structure: Mapping[str, Any]) -> bool:
    """Whether the net is small enough to be drawn."""
    nodes = len(structure["places"]) + len(structure["transitions"])
    arcs = len(_Arcs(structure).edges) if nodes <= MOST_NODES else 0
    return 0 < nodes <= MOST_NODES and arcs <= max(_FEW_ARCS, _DENSITY * nodes)


class _Arcs:
    """The arcs of a net; a place that a transition takes from and gives to has one for both."""

    def __init__(self, structure: Mapping[str, Any]) -> None:
        names = [place["name"] for place in structure["places"]]
        number = {name: index for index, name in enumerate(names)}
        self.edges: list[tuple[int, int]] = []
        self.both: list[bool] = []
        self.labels: list[str] = []
        for index, transition in enumerate(structure["transitions"], len(names)):
            inputs, outputs = transition["inputs"], transition["outputs"]
            # Transitions with other conditions and effects than arcs may have weights below 1.
            for place, tokens in inputs.items():
                back = outputs.get(place)
                if tokens > 0:
                    self._add(number[place], index, _weight(tokens, back), back is not None)
            for place, tokens in outputs.items():
                if tokens > 0 and inputs.get(place, 0) <= 0:
                    self._add(index, number[place], _weight(tokens, None), False)

    def _add(self, source: int, target: int, label: str, both: bool) -> None:
        self.edges.append((source, target))
        self.both.append(both)
        self.labels.append(label)


def _weight(tokens: int, back: int | None) -> str:
    if back is None or back == tokens:
        return "" if tokens == 1 else str(tokens)
    return f"−{tokens} +{back}"


def net_svg(structure: Mapping[str, Any], marking: Sequence[Any]) -> str:
    """The net with a number of tokens on each place; None stands for any number."""
    places, transitions = structure["places"], structure["transitions"]
    arcs = _Arcs(structure)
    marked = [number for number, tokens in enumerate(marking) if tokens != 0]
    texts = [_lines(each) for each in transitions]
    drawing = svg.better(
        *(
            layout(
                [_place_box(place["name"], turn) for place in places] + [_bar(t) for t in texts],
                arcs.edges,
                marked,
                across=turn,
            )
            for turn in (False, True)
        )
    )
    content = []
    for route, both, label in zip(drawing.routes, arcs.both, arcs.labels):
        points = _onto_circle(route, drawing, len(places))
        content.append(svg.arrow(points, drawing.across, both=both))
        if label:
            content.append(_arc_label(route, label))
    for number, place in enumerate(places):
        content.append(_place(number, place, marking[number], drawing))
    for number, transition in enumerate(transitions):
        x, y = drawing.nodes[len(places) + number]
        content.append(_transition(number, transition, texts[number], x, y))
    note = ""
    if not all(map(is_plain, transitions)):
        text = "∗: the transition has conditions or effects that arcs do not show."
        note = svg.tag("p", text, class_="ip-note")
    image = svg.picture(drawing.width, drawing.height, content, "the net with its tokens", "group")
    return image + note


def _place_box(name: str, across: bool) -> Box:
    room = svg.width(svg.clip(name, _NAME)) * 11 / 12
    if across:
        half = max(_RADIUS, room / 2)
        return Box(half, half, _RADIUS, _RADIUS + 16, _RADIUS, _RADIUS)
    return Box(_RADIUS, _RADIUS + 5 + room, _RADIUS, _RADIUS, _RADIUS, _RADIUS)


def _bar(lines: Sequence[str]) -> Box:
    half = max(16.0, max(map(svg.width, lines)) / 2 + 8)
    tall = 6.0 + 7 * len(lines)
    return Box(half, half, tall, tall, half, tall)


def is_plain(transition: Mapping[str, Any]) -> bool:
    """Whether the arcs say all about the transition."""
    return bool(transition.get("plain", True))


def _lines(transition: Mapping[str, Any]) -> list[str]:
    """The name of a transition, and its label if that differs."""
    name, label = str(transition["name"]), transition.get("label")
    lines = [svg.clip(name if is_plain(transition) else name + " ∗", _NAME)]
    if label not in (None, "", name):
        lines.append(svg.clip(label, _NAME))
    return lines


def _onto_circle(route: list[tuple[float, float]], drawing: Drawing, places: int) -> list[tuple[float, float]]:
    """The route with its ends on circles, where the layout put them onto a side of a box."""
    result = list(route)
    for end in (0, -1):
        x, y = result[end]
        for px, py in drawing.nodes[:places]:
            dx, dy = x - px, y - py
            if drawing.across and abs(abs(dx) - _RADIUS) < 0.3 and abs(dy) < _RADIUS:
                step = (_RADIUS**2 - dy**2) ** 0.5
                result[end] = (px + (step if dx > 0 else -step), y)
            elif not drawing.across and abs(abs(dy) - _RADIUS) < 0.3 and abs(dx) < _RADIUS:
                step = (_RADIUS**2 - dx**2) ** 0.5
                result[end] = (x, py + (step if dy > 0 else -step))
    return result


def _arc_label(route: list[tuple[float, float]], label: str) -> str:
    half = len(route) // 2
    (x0, y0), (x1, y1) = route[half - 1], route[half]
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    wide = svg.width(label) + 4
    under = svg.tag("rect", x=x - wide / 2, y=y - 8, width=wide, height=16, class_="ip-under")
    return under + svg.words(x, y + 4, label, "ip-middle ip-strong")


def _place(number: int, place: Mapping[str, Any], tokens: Any, drawing: Drawing) -> str:
    x, y = drawing.nodes[number]
    if drawing.across:
        name = svg.words(0, _RADIUS + 13, place["name"], "ip-middle ip-small", _NAME)
    else:
        name = svg.words(_RADIUS + 5, 4, place["name"], "ip-small", _NAME)
    return svg.tag(
        "g",
        svg.tag("title", svg.escape(place["name"])),
        svg.tag("circle", r=_RADIUS, class_="ip-place"),
        svg.tag("g", _tokens(tokens), class_="ip-tokens"),
        name,
        transform=f"translate({x:.1f} {y:.1f})",
        data_place=number,
    )


def _tokens(tokens: Any) -> str:
    if tokens is None:
        return svg.tag("text", "any", y=4, class_="ip-middle ip-small")
    if isinstance(tokens, int) and 0 <= tokens < len(SPOTS):
        return "".join(svg.tag("circle", cx=cx, cy=cy, r=3.6, class_="ip-token") for cx, cy in SPOTS[tokens])
    return svg.tag("text", svg.escape(svg.clip(tokens, 5)), y=4, class_="ip-middle ip-strong")


def _transition(number: int, transition: Mapping[str, Any], lines: Sequence[str], x: float, y: float) -> str:
    bar = _bar(lines)
    half, tall = bar.half_width, bar.half_height
    texts = [svg.words(0, 10 - 6.0 * len(lines), lines[0], "ip-middle")]
    texts += [svg.words(0, 12, line, "ip-middle ip-small") for line in lines[1:]]
    label = transition.get("label")
    title = str(transition["name"]) + ("" if label in (None, "") else f"\nlabel: {label}")
    return svg.tag(
        "g",
        svg.tag("title", svg.escape(title)),
        svg.tag("rect", x=-half, y=-tall, width=2 * half, height=2 * tall, rx=2, class_="ip-bar"),
        *texts,
        transform=f"translate({x:.1f} {y:.1f})",
        data_transition=number,
    )


def as_table(structure: Mapping[str, Any]) -> str:
    """What is shown of a net that is not drawn: its transitions, or only sizes."""
    places, transitions = structure["places"], structure["transitions"]
    nodes = len(places) + len(transitions)
    if not nodes:
        return svg.tag("p", "The net is empty.", class_="ip-note")
    if nodes > MOST_NODES:
        arcs = sum(len(each["inputs"]) + len(each["outputs"]) for each in transitions)
        note = f"The net is too large to be drawn here: it has {nodes:,} nodes and {arcs:,} arcs."
        return svg.tag("p", note, class_="ip-note")
    note = "The net has too many arcs to be drawn well. These are its transitions and its tokens:"
    rows = [(svg.code(" ".join(_lines(each))), _sum(each["inputs"]), _sum(each["outputs"])) for each in transitions]
    marked = {
        place["name"]: "any number" if place["initial"] is None else place["initial"]
        for place in places
        if place["initial"] != 0
    }
    begin = ", ".join(f"{name}: {tokens}" for name, tokens in marked.items()) or "none"
    return (
        svg.tag("p", note, class_="ip-note")
        + svg.table(("transition", "takes", "puts"), rows)
        + svg.tag("p", "at the begin: " + svg.code(begin, 2000))
    )


def _sum(arcs: Mapping[str, int]) -> str:
    parts = [f"{'' if tokens == 1 else f'{tokens} '}{name}" for name, tokens in arcs.items()]
    return ", ".join(svg.code(part) for part in parts)
