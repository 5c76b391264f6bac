"""Layered drawings of directed graphs.

The steps are those of Sugiyama, Tagawa and Toda (1981): remove cycles, assign layers, order each
layer by barycenters, assign coordinates.

No wheel does this for all supported versions of Python under a permissive licence without
ending the process on graphs with two-cycles, hence this module. Layers are rows here; a drawing
from left to right is one with both axes exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .coordinates import Coordinates
from .ordering import order

Point = tuple[float, float]

_LAYER_GAP = 26.0


class Box(NamedTuple):
    """The room that a node takes around its anchor, and the half sizes of what edges touch."""

    left: float
    right: float
    up: float
    down: float
    half_width: float
    half_height: float

    def turned(self) -> Box:
        """With both axes exchanged."""
        return Box(self.up, self.down, self.left, self.right, self.half_height, self.half_width)


class Drawing(NamedTuple):
    """Where everything is: anchors of nodes, the points of each edge, anchors of edge labels."""

    width: float
    height: float
    nodes: list[Point]
    # From source to target: the points between which an edge bends; empty for loops.
    routes: list[list[Point]]
    labels: list[Point | None]
    across: bool


def box(width: float, height: float) -> Box:
    """A box around its middle."""
    return Box(width / 2, width / 2, height / 2, height / 2, width / 2, height / 2)


def layout(
    nodes: Sequence[Box],
    edges: Sequence[tuple[int, int]],
    first: Sequence[int] = (),
    labels: Sequence[Box | None] = (),
    *,
    across: bool = False,
) -> Drawing:
    """A drawing with the nodes `first` near the begin; `across` runs from left to right."""
    boxes = [each.turned() for each in nodes] if across else list(nodes)
    label_boxes = list(labels) or [None] * len(edges)
    if across:
        label_boxes = [each and each.turned() for each in label_boxes]
    graph = _Graph(boxes, edges, first, label_boxes)
    graph.assign_layers()
    graph.split_edges()
    graph.place_nodes(first)
    return graph.drawing(across)


class _Graph:
    """Nodes, then one node for each label, then one for each layer that a long edge crosses."""

    def __init__(
        self,
        boxes: list[Box],
        edges: Sequence[tuple[int, int]],
        first: Sequence[int],
        labels: list[Box | None],
    ) -> None:
        self.boxes = boxes
        self.real = len(boxes)
        self.edges = list(edges)
        self.reversed = _back_edges(len(boxes), edges, first)
        self.label_nodes: list[int | None] = []
        # The nodes that an edge passes, from top to bottom.
        self.chains: list[list[int]] = []
        for (source, target), label, back in zip(edges, labels, self.reversed):
            ends = [target, source] if back else [source, target]
            node: int | None = None
            if source == target:
                ends = []
            elif label is not None:
                node = len(self.boxes)
                self.boxes.append(label)
                ends.insert(1, node)
            self.label_nodes.append(node)
            self.chains.append(ends)

    def assign_layers(self) -> None:
        """Longest paths from the top; then nodes move towards the side with more edges."""
        arcs = [pair for chain in self.chains for pair in zip(chain, chain[1:])]
        above: list[list[int]] = [[] for _ in self.boxes]
        below: list[list[int]] = [[] for _ in self.boxes]
        for upper, lower in arcs:
            below[upper].append(lower)
            above[lower].append(upper)
        self.layer = [0] * len(self.boxes)
        missing = [len(each) for each in above]
        ready = [node for node, number in enumerate(missing) if number == 0]
        for node in ready:
            for lower in below[node]:
                self.layer[lower] = max(self.layer[lower], self.layer[node] + 1)
                missing[lower] -= 1
                if missing[lower] == 0:
                    ready.append(lower)
        for node in reversed(ready):
            if len(below[node]) > len(above[node]):
                self.layer[node] = min(self.layer[lower] for lower in below[node]) - 1

    def split_edges(self) -> None:
        """Each part of an edge then leads to the next layer."""
        self.dummy_from = len(self.boxes)
        dummy = box(0, 0)
        for number, chain in enumerate(self.chains):
            whole: list[int] = []
            for node in chain:
                if whole:
                    for layer in range(self.layer[whole[-1]] + 1, self.layer[node]):
                        whole.append(len(self.boxes))
                        self.boxes.append(dummy)
                        self.layer.append(layer)
                whole.append(node)
            self.chains[number] = whole
        self.above: list[list[int]] = [[] for _ in self.boxes]
        self.below: list[list[int]] = [[] for _ in self.boxes]
        for chain in self.chains:
            for upper, lower in zip(chain, chain[1:]):
                self.below[upper].append(lower)
                self.above[lower].append(upper)

    def place_nodes(self, first: Sequence[int]) -> None:
        """Positions along the layers, and layers below each other."""
        self.layers = order(self.layer, self.above, self.below, first)
        self.x = Coordinates(self.boxes, self.layers, self.above, self.below, self.dummy_from).best()
        self.y = [0.0] * len(self.boxes)
        self.bands: list[tuple[float, float]] = []
        top = 0.0
        for layer in self.layers:
            up = max(self.boxes[node].up for node in layer)
            down = max(self.boxes[node].down for node in layer)
            for node in layer:
                self.y[node] = top + up
            self.bands.append((top, top + up + down))
            top += up + down + _LAYER_GAP

    def drawing(self, across: bool) -> Drawing:
        """The result, moved to begin at 0, with axes as asked for."""
        ports = self._ports()
        routes = []
        for number, chain in enumerate(self.chains):
            points: list[Point] = []
            for place, node in enumerate(chain):
                middle, bounds = self.y[node], self.boxes[node]
                if place == 0:
                    points.append((ports[number, True], middle + bounds.half_height))
                elif place == len(chain) - 1:
                    points.append((ports[number, False], middle - bounds.half_height))
                else:
                    top, bottom = self.bands[self.layer[node]]
                    points += [(self.x[node], top), (self.x[node], bottom)]
            routes.append(points[::-1] if self.reversed[number] else points)
        left = min((self.x[n] - b.left for n, b in enumerate(self.boxes)), default=0.0)
        right = max((self.x[n] + b.right for n, b in enumerate(self.boxes)), default=0.0)
        bottom = self.bands[-1][1] if self.bands else 0.0

        def moved(point: Point) -> Point:
            x, y = round(point[0] - left, 1), round(point[1], 1)
            return (y, x) if across else (x, y)

        anchors = [moved((x, y)) for x, y in zip(self.x, self.y)]
        size = (bottom, right - left) if across else (right - left, bottom)
        return Drawing(
            *size,
            anchors[: self.real],
            [[moved(point) for point in route] for route in routes],
            [None if node is None else anchors[node] for node in self.label_nodes],
            across,
        )

    def _ports(self) -> dict[tuple[int, bool], float]:
        """Where edges begin and end at their nodes: side by side, in the order of the others."""
        sides: dict[tuple[int, bool], list[tuple[float, int]]] = {}
        for number, chain in enumerate(self.chains):
            if chain:
                sides.setdefault((chain[0], True), []).append((self.x[chain[1]], number))
                sides.setdefault((chain[-1], False), []).append((self.x[chain[-2]], number))
        ports = {}
        for (node, below), ends in sides.items():
            step = min(14.0, 1.3 * self.boxes[node].half_width / len(ends))
            for place, (_, number) in enumerate(sorted(ends)):
                ports[number, below] = self.x[node] + (place - (len(ends) - 1) / 2) * step
        return ports


def _back_edges(nodes: int, edges: Sequence[tuple[int, int]], first: Sequence[int]) -> list[bool]:
    """The edges to draw backwards, so that the others and these turned around have no cycle.

    Edges back to `first` are among them. Of the others, those that lead away from `first` come
    first, and only edges that close a cycle with earlier ones are turned around.
    """
    begins = set(first) if 2 * len(first) <= nodes else set()
    distance = _distances(nodes, edges, first)
    back = [source not in begins and target in begins for source, target in edges]
    after: list[set[int]] = [set() for _ in range(nodes)]

    def advance(number: int) -> int:
        source, target = edges[number]
        return distance[target] - distance[source]

    for number in sorted(range(len(edges)), key=advance, reverse=True):
        source, target = edges[number]
        if source == target or back[number]:
            continue
        # Edges that advance cannot close a cycle.
        if advance(number) <= 0 and _leads(after, target, source):
            back[number] = True
        else:
            after[source].add(target)
    return back


def _leads(after: list[set[int]], begin: int, end: int) -> bool:
    seen, stack = {begin}, [begin]
    while stack:
        node = stack.pop()
        if node == end:
            return True
        stack.extend(after[node] - seen)
        seen |= after[node]
    return False


def _distances(nodes: int, edges: Sequence[tuple[int, int]], first: Sequence[int]) -> list[int]:
    """How many edges each node is away from `first`; nodes that it does not lead to begin anew."""
    out: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in edges:
        out[source].append(target)
    distance = [-1] * nodes
    for begins in (list(first), *([node] for node in range(nodes))):
        ready = [node for node in dict.fromkeys(begins) if distance[node] < 0]
        for node in ready:
            distance[node] = 0
        for node in ready:
            for target in out[node]:
                if distance[target] < 0:
                    distance[target] = distance[node] + 1
                    ready.append(target)
    return distance
