"""A smaller net with the same answer to: can the final marking always be reached?

The question is ``AG EF goal``, where the goal is either exactly the final marking ``f``, or any
marking that covers ``f``. It is no question of reachability. Each rule below keeps its answer.

* **Never.** A transition that takes tokens from a place that can never hold enough is left out.
* **Idle.** A transition that changes nothing is left out. So is a transition that has the effect of
  another one and needs as much or more.
* **Twin places.** Of two places with the same tokens, the same arcs, and the same tokens in ``f``,
  one is left out: they always hold the same.
* **Constant places.** A place that no transition changes is left out if ``f`` fits to it; then
  transitions that need more are left out by the first rule.
* **Post-agglomeration** of an empty place ``p`` with no tokens in ``f``. All consumers take one
  token, from ``p`` alone, and all producers put one. Each pair of a producer and a consumer becomes
  one transition. Nothing can stop a consumer, so a token on ``p`` may be moved on at once. So a
  marking with tokens on ``p`` leads to one without, and a run between two markings without tokens
  on ``p`` can be reordered so that a consumer fires right after its producer.
* **Pre-agglomeration** of an empty place ``p`` with no tokens in ``f``. All producers put one
  token, on ``p`` alone; the places that they take from have no other consumer and no tokens in
  ``f``; all consumers take one token from ``p``. Each pair becomes one transition. Nothing takes a
  producer's tokens away, so it may wait until just before its consumer. A marking with tokens on
  ``p`` is reached from one in which their producers still wait. A run from there to the goal fires
  them (or may, if the goal is to cover ``f``), and they can as well fire at first.
* **Useless places.** If the goal is to cover ``f``: a place without consumers and without tokens in
  ``f`` is left out.

The two agglomerations are those of G. Berthelot, "Transformations and decompositions of nets"
(1987), and the rules for twins are those of T. Murata, "Petri nets: properties, analysis and
applications" (1989). The arguments above are for ``AG EF``.
"""

from __future__ import annotations

from typing import Optional

from ._net import PTNet


class _Move:
    """A transition of the smaller net, and the transitions of the net that it stands for."""

    __slots__ = ("firings", "post", "pre")

    def __init__(self, pre: dict[int, int], post: dict[int, int], firings: tuple[int, ...]) -> None:
        self.pre, self.post, self.firings = pre, post, firings

    def effect(self) -> tuple[tuple[int, int], ...]:
        change = {p: self.post.get(p, 0) - self.pre.get(p, 0) for p in {*self.pre, *self.post}}
        return tuple(sorted((p, d) for p, d in change.items() if d))


class Reduced:
    """The smaller net ``net``. Its transition ``t`` stands for the transitions ``firings[t]``."""

    def __init__(self, net: PTNet, *, cover: bool, growth: int = 0) -> None:
        assert net.final is not None
        self.cover = cover
        self._initial = net.initial
        self._final = net.final
        self._growth = growth
        self._places = list(range(len(net.places)))
        self._moves = [_Move(dict(net.pre[t]), dict(net.post[t]), (t,)) for t in range(len(net.transitions))]
        while self._step():
            pass
        self.kept = self._places
        """The places of the net that are left."""
        self.firings = [move.firings for move in self._moves]
        number = {place: i for i, place in enumerate(self._places)}
        self.net = PTNet(
            [net.places[p] for p in self._places],
            ["+".join(net.transitions[t] for t in move.firings) for move in self._moves],
            [None] * len(self._moves),
            [{number[p]: n for p, n in move.pre.items()} for move in self._moves],
            [{number[p]: n for p, n in move.post.items()} for move in self._moves],
            tuple(net.initial[p] for p in self._places),
            tuple(net.final[p] for p in self._places),
        )

    def lift(self, firings: list[int]) -> list[int]:
        """A run of the smaller net as a run of the net."""
        return [t for move in firings for t in self.firings[move]]

    def _step(self) -> bool:
        """The first rule that fits, everywhere. False if none does."""
        return (
            self._never()
            or self._idle()
            or self._places_left_out()
            or self._agglomerate(post=True)
            or self._agglomerate(post=False)
        )

    def _never(self) -> bool:
        markable = {p for p in self._places if self._initial[p]}
        growing = {p for m in self._moves for p, d in m.effect() if d > 0}
        possible: list[_Move] = []
        waiting = list(self._moves)
        changed = True
        while changed:
            changed = False
            later = []
            for move in waiting:
                if all(p in markable and (p in growing or self._initial[p] >= n) for p, n in move.pre.items()):
                    possible.append(move)
                    markable.update(move.post)
                    changed = True
                else:
                    later.append(move)
            waiting = later
        self._moves = possible
        return bool(waiting)

    def _idle(self) -> bool:
        best: dict[tuple[tuple[int, int], ...], list[_Move]] = {}
        for move in self._moves:
            effect = move.effect()
            if not effect:
                continue
            others = best.setdefault(effect, [])
            if any(_needs_at_most(other, move) for other in others):
                continue
            others[:] = [other for other in others if not _needs_at_most(move, other)] + [move]
        kept = {id(move) for moves in best.values() for move in moves}
        found = len(kept) < len(self._moves)
        self._moves = [move for move in self._moves if id(move) in kept]
        return found

    def _places_left_out(self) -> bool:
        columns: dict[int, list[tuple[int, int, int]]] = {p: [] for p in self._places}
        for number, move in enumerate(self._moves):
            for p in {*move.pre, *move.post}:
                columns[p].append((number, move.pre.get(p, 0), move.post.get(p, 0)))
        seen: dict[tuple[object, ...], int] = {}
        drop = []
        for p in self._places:
            tokens, wanted, arcs = self._initial[p], self._final[p], columns[p]
            key = (tokens, wanted, tuple(arcs))
            fits = wanted <= tokens if self.cover else wanted == tokens
            constant = all(a == b <= tokens for _, a, b in arcs)
            useless = self.cover and not wanted and not any(a for _, a, _ in arcs)
            if key in seen or useless or (constant and fits):
                drop.append(p)
            else:
                seen[key] = p
        for p in drop:
            self._places.remove(p)
            for move in self._moves:
                move.pre.pop(p, None)
                move.post.pop(p, None)
        return bool(drop)

    def _agglomerate(self, *, post: bool) -> bool:
        found = False
        for p in list(self._places):
            if self._initial[p] or self._final[p]:
                continue
            before = [m for m in self._moves if p in m.post]
            after = [m for m in self._moves if p in m.pre]
            if not before or not after or any(p in m.pre for m in before):
                continue
            if any(m.post[p] != 1 for m in before) or any(m.pre[p] != 1 for m in after):
                continue
            if len(before) * len(after) > len(before) + len(after) + self._growth:
                continue
            if post:
                if any(len(m.pre) != 1 for m in after):
                    continue
            elif not all(self._waits(m, p) for m in before):
                continue
            new = [_joined(first, second, p) for first in before for second in after]
            gone = {id(m) for m in [*before, *after]}
            self._moves = [m for m in self._moves if id(m) not in gone] + new
            self._places.remove(p)
            found = True
        return found

    def _waits(self, move: _Move, p: int) -> bool:
        """May this producer of ``p`` wait as long as it likes?"""
        if set(move.post) != {p} or not move.pre:
            return False
        return all(
            not self._final[q] and all(q not in other.pre for other in self._moves if other is not move)
            for q in move.pre
        )


def _needs_at_most(one: _Move, other: _Move) -> bool:
    return all(n <= other.pre.get(p, 0) for p, n in one.pre.items())


def _joined(first: _Move, second: _Move, p: int) -> _Move:
    """First one, then the other, with the token on ``p`` in between."""
    pre, post = dict(first.pre), dict(second.post)
    for q, n in second.pre.items():
        if q != p:
            pre[q] = pre.get(q, 0) + n
    for q, n in first.post.items():
        if q != p:
            post[q] = post.get(q, 0) + n
    return _Move(pre, post, first.firings + second.firings)


def ranking(net: PTNet) -> Optional[list[int]]:
    """Weights of places whose sum decreases with each firing, or None.

    With such weights, every run ends. They are found if the net is a graph without cycles in which
    each transition takes tokens: then a place weighs more than all that a consumer puts.
    """
    weights: list[Optional[int]] = [None] * len(net.places)
    consumers: list[list[int]] = [[] for _ in net.places]
    for t, arcs in enumerate(net.pre):
        if not arcs:
            return None
        for p, _ in arcs:
            consumers[p].append(t)
    for root in range(len(net.places)):
        stack = [(root, False)]
        open_places = set()
        while stack:
            p, done = stack.pop()
            if done:
                open_places.discard(p)
                sums = [sum(n * (weights[q] or 0) for q, n in net.post[t]) for t in consumers[p]]
                weights[p] = 1 + max(sums, default=0)
            elif weights[p] is None:
                if p in open_places:
                    return None
                open_places.add(p)
                stack.append((p, True))
                for t in consumers[p]:
                    for q, _ in net.post[t]:
                        if q in open_places:
                            return None
                        stack.append((q, False))
    found = [w or 0 for w in weights]
    for t in range(len(net.transitions)):
        if sum(change * found[p] for p, change in net.delta[t]) >= 0:
            return None
    return found
