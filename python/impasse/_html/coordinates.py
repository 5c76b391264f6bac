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
_ROUNDS = 60


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
            for node in layer:
                self.x[node] = at + self.boxes[node].left
                at = self.x[node] + self.boxes[node].right + _NODE_GAP
        both = [up + down for up, down in zip(self.above, self.below)]
        for near in [self.above, self.below] * 4:
            for layer in self.layers if near is self.above else self.layers[::-1]:
                self._settle(layer, near)
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

    def _settle(
        self, layer: list[int], near: list[list[int]], still: Collection[int] = ()
    ) -> None:
        """The best positions of one layer in their order, for fixed neighbours."""
        shift = 0.0
        blocks: list[list[float]] = []  # [weight, weighted sum, nodes]
        shifts = []
        for number, node in enumerate(layer):
            if number:
                shift += self._distance(layer[number - 1], node)
            shifts.append(shift)
            wish, weight = self.x[node], 0.01
            if node in still:
                weight = 1e6
            elif near[node]:
                # Long edges are to be straight, more than short ones.
                pulls = [
                    4.0 if node >= self.dummy_from and each >= self.dummy_from else 1.0
                    for each in near[node]
                ]
                weight = sum(pulls)
                wish = sum(self.x[n] * pull for n, pull in zip(near[node], pulls)) / weight
            blocks.append([weight, weight * (wish - shift), 1])
            while len(blocks) > 1 and blocks[-2][1] * blocks[-1][0] > blocks[-1][1] * blocks[-2][0]:
                last = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], last)]
        at = 0
        for weight, total, size in blocks:
            for _ in range(int(size)):
                self.x[layer[at]] = total / weight + shifts[at]
                at += 1
