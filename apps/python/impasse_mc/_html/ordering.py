"""The order of nodes within layers, with few crossings of edges between neighbouring layers."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

_SWEEPS = 16


def order(
    layer: Sequence[int],
    above: list[list[int]],
    below: list[list[int]],
    first: Sequence[int],
) -> list[list[int]]:
    """The nodes of each layer in order, for the layer of each node and edges between layers."""
    return _Ordering(layer, above, below, first).best()


class _Ordering:
    """Sweeps by barycenters, and exchanges of neighbours; the best order is kept."""

    def __init__(
        self,
        layer: Sequence[int],
        above: list[list[int]],
        below: list[list[int]],
        first: Sequence[int],
    ) -> None:
        self.above, self.below = above, below
        self.layers: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
        for node in self._visited([*first, *range(len(layer))]):
            self.layers[layer[node]].append(node)

    def best(self) -> list[list[int]]:
        """The order with the fewest crossings that was seen."""
        best = [list(each) for each in self.layers]
        fewest = self._crossings()
        for sweep in range(_SWEEPS):
            if fewest == 0:
                break
            down = sweep % 2 == 0
            self._sweep(down)
            self._exchange()
            number = self._crossings()
            if number < fewest:
                fewest, best = number, [list(each) for each in self.layers]
        return best

    def _visited(self, begins: Sequence[int]) -> list[int]:
        """All nodes, depth first, so that what belongs together begins together."""
        seen: dict[int, None] = {}
        for begin in begins:
            stack = [begin]
            while stack:
                node = stack.pop()
                if node not in seen:
                    seen[node] = None
                    stack.extend(reversed(self.below[node]))
                    stack.extend(reversed(self.above[node]))
        return list(seen)

    def _sweep(self, down: bool) -> None:
        layers = self.layers if down else self.layers[::-1]
        near = self.above if down else self.below
        for fixed, free in zip(layers, layers[1:]):
            place = {node: number for number, node in enumerate(fixed)}
            keys = {
                node: sum(place[each] for each in near[node]) / len(near[node]) if near[node] else float(number)
                for number, node in enumerate(free)
            }
            free.sort(key=keys.__getitem__)

    def _exchange(self) -> None:
        """Exchanges neighbours in a layer as long as that removes crossings."""
        for number, layer in enumerate(self.layers):
            around = [
                ({node: at for at, node in enumerate(self.layers[other])}, near)
                for other, near in ((number - 1, self.above), (number + 1, self.below))
                if 0 <= other < len(self.layers)
            ]
            for at in range(len(layer) - 1):
                left, right = layer[at], layer[at + 1]
                gain = 0
                for place, near in around:
                    ls, rs = [place[n] for n in near[left]], [place[n] for n in near[right]]
                    gain += sum((a > b) - (a < b) for a in ls for b in rs)
                if gain > 0:
                    layer[at], layer[at + 1] = right, left

    def _crossings(self) -> int:
        total = 0
        for upper, lower in zip(self.layers, self.layers[1:]):
            place = {node: number for number, node in enumerate(lower)}
            passed: list[int] = []
            for node in upper:
                ends = sorted(place[each] for each in self.below[node])
                for end in ends:
                    total += len(passed) - bisect_right(passed, end)
                for end in ends:
                    insort(passed, end)
        return total
