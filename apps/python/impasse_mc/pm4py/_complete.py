"""Can the goal always be reached? ``AG EF goal`` is no question of reachability.

The goal is the final marking ``f``, or to cover it. The answer comes from one of these, in order:

1. Impasse finds a marking that enables nothing and is not the goal: no.
2. Weights of the places show that every run ends (:func:`._reduce.ranking`). Then the goal can
   always be reached if and only if no run ends elsewhere, which is question 1.
3. The net is made smaller by rules that keep the answer (:mod:`._reduce`), and the reachable
   markings of the small net are enumerated in Python, up to a limit. If one of them cannot reach
   the goal, Impasse is asked whether it can, as a second opinion.
4. Let ``B`` be a set of markings, from each of which ``f`` can be covered. Impasse is asked for a
   reachable marking ``m`` that covers no member of ``B``. If there is none, ``f`` can always be
   covered. If there is one, Impasse is asked whether ``f`` can be covered from ``m``. If not, the
   answer is no. If so, the weakest conditions for the transitions of that run are new members of
   ``B``. This ends if Impasse answers: upward-closed sets cannot grow for ever (Dickson's lemma).
   For the goal ``f`` itself, this needs proper completion: if no reachable marking strictly covers
   ``f``, to reach ``f`` and to cover it are the same.

The idea of 4 is that of the backward algorithm for coverability (P. Abdulla, K. Cerans, B. Jonsson,
Y.-K. Tsay, "General decidability theorems for infinite-state systems", 1996), driven by
counterexamples.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ..errors import InternalError
from ._ask import conj, covers, exactly, reach
from ._net import Deadline, Marking, PTNet, Space
from ._reduce import Reduced, ranking

BY_IMPASSE = "checked by Impasse"


class Completion(NamedTuple):
    """The answer to ``AG EF goal``: None if unknown. ``firings`` leads to a marking without."""

    holds: Optional[bool]
    how: str
    reason: str
    firings: Optional[list[int]] = None


def always_completes(net: PTNet, *, cover: bool, proper: bool, limit: int, deadline: Deadline) -> Completion:
    """The answer for a net with a final marking. ``proper``: is proper completion proved?"""
    assert net.final is not None
    goal = covers(net.final) if cover else exactly(net.final)
    name = "a marking that covers the final one" if cover else "the final marking"
    (stuck,) = reach(net, [f"DEADLOCK AND NOT ({goal})"], deadline, share=0.3)
    if stuck.reachable:
        return Completion(False, BY_IMPASSE, f"the run ends, but not in {name}", stuck.firings)
    if ranking(net) is not None and stuck.reachable is False:
        return Completion(
            True,
            BY_IMPASSE + " (every run ends, because the net has no cycle, and no run ends elsewhere)",
            f"every run ends in {name}",
        )
    reduced = Reduced(net, cover=cover)
    space = Space(reduced.net, limit, deadline)
    if space.complete:
        return _by_space(net, reduced, space, goal, name, deadline)
    many = f"more than {len(space.markings)} markings, even of a reduced net"
    if cover or proper:
        found = _by_basis(net, reduced, space, name, deadline)
        return (
            found
            if found.holds is not None
            else found._replace(reason=f"{many}, and the questions about completion gave up: {found.reason}")
        )
    return Completion(None, "", many)


def _is_goal(net: PTNet, marking: Marking, cover: bool) -> bool:
    assert net.final is not None
    return _at_least(marking, net.final) if cover else marking == net.final


def _at_least(marking: Marking, least: Marking) -> bool:
    return all(a >= b for a, b in zip(marking, least))


def _by_space(net: PTNet, reduced: Reduced, space: Space, goal: str, name: str, deadline: Deadline) -> Completion:
    goals: Iterator[int] = (n for n, m in enumerate(space.markings) if _is_goal(reduced.net, m, reduced.cover))
    bad = space.cannot_reach(goals)
    smaller = (
        ""
        if len(reduced.kept) == len(net.places)
        else (f" of a net that rules reduced from {len(net.places)} to {len(reduced.kept)} places")
    )
    how = f"by enumeration of {len(space.markings)} markings{smaller} in Python"
    if bad is None:
        return Completion(True, how, f"{name} can be reached from all of them")
    firings = reduced.lift(space.path(bad))
    there = net.run(firings)
    (again,) = reach(net, [goal], deadline, initial=net.at(there.final))
    if again.reachable:
        raise InternalError("the enumeration and Impasse contradict each other")
    if again.reachable is False:
        how = BY_IMPASSE + f" (the run was found {how})"
    return Completion(False, how, f"after the run, {name} cannot be reached any more", firings)


def _before(net: PTNet, transition: int, after: Marking) -> Marking:
    """The least marking that enables the transition and leads to at least ``after``."""
    least = list(after)
    for place, change in net.delta[transition]:
        least[place] -= change
    for place, weight in net.pre[transition]:
        least[place] = max(least[place], weight)
    return tuple(max(0, n) for n in least)


def _add(basis: list[Marking], marking: Marking) -> None:
    if not any(_at_least(marking, member) for member in basis):
        basis[:] = [member for member in basis if not _at_least(member, marking)] + [marking]


def _by_basis(net: PTNet, reduced: Reduced, space: Space, name: str, deadline: Deadline) -> Completion:
    small = reduced.net
    assert small.final is not None
    basis = _seeds(space, small.final)
    rounds = 0
    while len(basis) <= 2000:
        rounds += 1
        outside = conj(f"NOT ({covers(member)})" for member in basis)
        (found,) = reach(small, [outside], deadline)
        if found.reachable is False:
            how = BY_IMPASSE + (
                f" ({rounds} rounds: every reachable marking covers one of {len(basis)} markings, "
                f"from which it can go on to {name})"
            )
            return Completion(True, how, f"{name} can always be reached")
        if found.firings is None:
            return Completion(None, "", found.reason or "a run is too long to be listed")
        there = small.at(small.run(found.firings).final)
        (on,) = reach(small, [covers(small.final)], deadline, initial=there)
        if on.reachable is False:
            reason = f"after the run, {name} cannot be reached any more"
            return Completion(False, BY_IMPASSE, reason, reduced.lift(found.firings))
        if on.firings is None:
            return Completion(None, "", on.reason or "a run is too long to be listed")
        least = small.final
        for transition in reversed(on.firings):
            least = _before(small, transition, least)
            _add(basis, least)
    return Completion(None, "", f"more than {len(basis)} conditions for completion")


def _seeds(space: Space, final: Marking, most: int = 200) -> list[Marking]:
    """Conditions for completion that the explored markings suggest."""
    basis = [final]
    starts = [n for n, m in enumerate(space.markings) if _at_least(m, final)]
    least = {n: final for n in starts}
    queue = deque(starts)
    while queue and len(basis) < most:
        here = queue.popleft()
        for before in space.edges[here]:
            if before in least:
                continue
            # Some transition leads from one to the other: the first that does is as good as any.
            transition = next(
                t
                for t in range(len(space.net.transitions))
                if space.net.enabled(space.markings[before], t)
                and space.net.fire(space.markings[before], t) == space.markings[here]
            )
            least[before] = _before(space.net, transition, least[here])
            _add(basis, least[before])
            queue.append(before)
    return basis
