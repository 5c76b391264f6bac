"""Positions of nodes within their layers.

Each layer takes the least-squares positions near the neighbours above and below, under the least
distances: isotonic regression, which pooling adjacent violators solves exactly. Then paths without
branches become straight lines as far as there is room.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

_NODE_GAP = 22.0
_DUMMY_GAP = 12.0
_ROUNDS = 30


class _Sides(Protocol):
    """How far a node extends from its anchor."""

    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...


class Coordinates:
    """The graph of nodes and dummies, in layers; nodes from `dummy_from` on are dummies."""

    def __init__(
        self,
        boxes: Sequence[_Sides],
        layers: list[list[int]],
        above: list[list[int]],
        below: list[list[int]],
        dummy_from: int,
    ) -> None:
        self.boxes, self.layers = boxes, layers
        self.above, self.below, self.dummy_from = above, below, dummy_from
        self.x = [0.0] * len(boxes)
        # The least distance from the first node of the layer, and the number in the layer.
        self.offset = [0.0] * len(boxes)
        self.place = [0] * len(boxes)
        self.layer = [0] * len(boxes)
        for number, layer in enumerate(layers):
            for node in layer:
                self.layer[node] = number

    def best(self) -> list[float]:
        """Positions near to those of neighbours, with long paths straight."""
        for layer in self.layers:
            at = 0.0
            for number, node in enumerate(layer):
                self.place[node] = number
                if number:
                    at += self._distance(layer[number - 1], node)
                self.x[node] = self.offset[node] = at
        up, down = self._pulls(self.above), self._pulls(self.below)
        both = [one + other for one, other in zip(up, down)]
        for _ in range(4):
            for layer in self.layers:
                self._settle(layer, up)
            for layer in self.layers[::-1]:
                self._settle(layer, down)
        for _ in range(_ROUNDS):
            before = list(self.x)
            for layer in (*self.layers, *self.layers[::-1]):
                self._settle(layer, both)
            if all(abs(a - b) < 0.5 for a, b in zip(before, self.x)):
                break
        runs = self._runs()
        straight = {node for run in runs for node in run if len(run) > 1}
        for _ in range(3):
            for run in runs:
                self._straighten(run)
            for layer in self.layers:
                self._settle(layer, both, straight)
        return self.x

    def _runs(self) -> list[list[int]]:
        """Paths on which each node has one neighbour above and below, long edges first."""
        runs = []
        for node in range(len(self.boxes)):
            before = self.above[node]
            if len(before) == 1 and len(self.below[before[0]]) == 1:
                continue
            run = [node]
            while len(self.below[run[-1]]) == 1 and len(self.above[self.below[run[-1]][0]]) == 1:
                run.append(self.below[run[-1]][0])
            runs.append(run)
        return sorted(runs, key=len, reverse=True)

    def _straighten(self, run: list[int]) -> None:
        """Moves pieces of a path, as long as possible, to one position each."""
        at = 0
        while at < len(run):
            low, high = self._room(run[at])
            end = at + 1
            while end < len(run):
                left, right = self._room(run[end])
                if max(low, left) > min(high, right):
                    break
                low, high = max(low, left), min(high, right)
                end += 1
            mean = sum(self.x[node] for node in run[at:end]) / (end - at)
            for node in run[at:end]:
                self.x[node] = min(max(mean, low), high)
            at = end

    def _room(self, node: int) -> tuple[float, float]:
        """The positions that a node can have between its neighbours in the layer."""
        layer, at = self.layers[self.layer[node]], self.place[node]
        low, high = float("-inf"), float("inf")
        if at > 0:
            low = self.x[layer[at - 1]] + self._distance(layer[at - 1], node)
        if at + 1 < len(layer):
            high = self.x[layer[at + 1]] - self._distance(node, layer[at + 1])
        # Rounding may have put neighbours a little too close.
        return min(low, self.x[node]), max(high, self.x[node])

    def _distance(self, left: int, right: int) -> float:
        """The least distance between the anchors of two neighbours in a layer."""
        dummies = left >= self.dummy_from or right >= self.dummy_from
        gap = _DUMMY_GAP if dummies else _NODE_GAP
        return self.boxes[left].right + self.boxes[right].left + gap

    def _pulls(self, near: list[list[int]]) -> list[list[int]]:
        """The neighbours of each node, repeated as often as they count.

        Long edges are to be straight, more than short ones.
        """
        return [
            [each for each in nodes for _ in range(4 if min(node, each) >= self.dummy_from else 1)]
            for node, nodes in enumerate(near)
        ]

    def _settle(self, layer: list[int], pulls: list[list[int]], still: Collection[int] = ()) -> None:
        """The best positions of one layer in their order, for fixed neighbours."""
        x, offset = self.x, self.offset
        # Nodes that touch each other: [weight, weighted sum of positions without offset, number].
        blocks: list[list[float]] = []
        for node in layer:
            weight, total, size = 0.01, 0.01 * (x[node] - offset[node]), 1.0
            if node in still:
                weight, total = 1e6, 1e6 * (x[node] - offset[node])
            elif pulls[node]:
                weight = len(pulls[node])
                total = sum([x[each] for each in pulls[node]]) - weight * offset[node]
            while blocks and blocks[-1][1] * weight > total * blocks[-1][0]:
                more, further, other = blocks.pop()
                weight, total, size = weight + more, total + further, size + other
            blocks.append([weight, total, size])
        at = 0
        for weight, total, size in blocks:
            for node in layer[at : at + int(size)]:
                x[node] = total / weight + offset[node]
            at += int(size)
