"""Soundness of workflow nets: conditions, each with a verdict and how it was proved.

The definitions are those of W. van der Aalst and others, "Soundness of workflow nets:
classification, decidability, and analysis" (2011), and of F. Puhlmann and M. Weske, "Investigations
on soundness regarding lazy activities" (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from ..errors import UsageError
from ._ask import Reply, can_fire, exactly, reach, strictly_covers
from ._complete import BY_IMPASSE, always_completes
from ._net import Deadline, Marking, NetRun, PTNet, Space

NOTIONS = ("classical", "relaxed", "easy", "lazy", "weak")


@dataclass(frozen=True)
class Condition:
    """A part of soundness."""

    name: str
    """For example ``option to complete``."""
    verdict: str
    """``holds``, ``fails``, ``unknown``, or ``skipped`` if another condition fails already."""
    how: str = ""
    """How it was proved: ``checked by Impasse``, or ``by enumeration of .. in Python``."""
    reason: str = ""
    """Why it fails, or why it is unknown."""
    run: Optional[NetRun] = None
    """A run that shows why it fails."""

    def __str__(self) -> str:
        notes = "; ".join(note for note in (self.reason, self.how) if note)
        return f"{self.name}: {self.verdict}" + (f" ({notes})" if notes else "")


@dataclass(frozen=True)
class SoundnessResult:
    """Is a net sound? Each condition has its own verdict."""

    notion: str
    verdict: str
    """``sound``, ``unsound`` or ``unknown``."""
    conditions: list[Condition]
    dead_transitions: list[str]
    """The transitions that can never fire (for ``relaxed``: in no run to the final marking)."""
    nodes: dict[str, Any]
    """The place or transition of each name, for example that of pm4py."""

    @property
    def reason(self) -> Optional[str]:
        """Why the net is unsound, or why the verdict is unknown. None if it is sound."""
        wanted = {"sound": "", "unsound": "fails", "unknown": "unknown"}[self.verdict]
        reasons = [f"{c.name}: {c.reason}" for c in self.conditions if c.verdict == wanted]
        return "; ".join(reasons) or None

    @property
    def run(self) -> Optional[NetRun]:
        """The first run that shows why the net is unsound. None if no run does."""
        return next((c.run for c in self.conditions if c.verdict == "fails" and c.run), None)

    def __getitem__(self, name: str) -> Condition:
        for condition in self.conditions:
            if condition.name == name:
                return condition
        raise KeyError(name)

    def __bool__(self) -> bool:
        raise TypeError("a verdict may be unknown: compare `.verdict` with 'sound'")

    def __str__(self) -> str:
        lines = [f"{self.verdict} ({self.notion})", *(f"  {c}" for c in self.conditions)]
        return "\n".join(lines)


class _Check:
    def __init__(self, net: PTNet, limit: int, deadline: Deadline) -> None:
        if net.final is None:
            raise UsageError("soundness needs a final marking")
        self.net, self.limit, self.deadline = net, limit, deadline
        self.final: Marking = net.final
        self._space: Optional[Space] = None
        self.dead: list[str] = []

    @property
    def space(self) -> Space:
        """The reachable markings, enumerated when they are first needed."""
        if self._space is None:
            self._space = Space(self.net, self.limit, self.deadline)
        return self._space

    def _enumerated(self) -> str:
        return f"by enumeration of {len(self.space.markings)} markings in Python"

    def never(self, name: str, formula: str, test: Any, reason: str) -> Condition:
        """The condition that no reachable marking satisfies the formula. ``test`` is the same."""
        (reply,) = reach(self.net, [formula], self.deadline, share=0.5)
        if reply.reachable is None:
            bad = next((n for n, m in enumerate(self.space.markings) if test(m)), None)
            if bad is not None:
                return Condition(name, "fails", self._enumerated(), reason, self.net.run(self.space.path(bad)))
            if self.space.complete:
                return Condition(name, "holds", self._enumerated())
            return Condition(name, "unknown", reason=reply.reason)
        if reply.reachable is False:
            return Condition(name, "holds", BY_IMPASSE)
        return Condition(name, "fails", BY_IMPASSE, reason, self._run(reply))

    def _run(self, reply: Reply) -> Optional[NetRun]:
        return None if reply.firings is None else self.net.run(reply.firings)

    def proper(self) -> Condition:
        return self.never(
            "proper completion",
            strictly_covers(self.final),
            lambda m: m != self.final and all(a >= b for a, b in zip(m, self.final)),
            "after the run, the final marking is covered, but tokens are left elsewhere",
        )

    def completes(self, *, cover: bool, proper: bool, skip: bool) -> Condition:
        name = "option to complete"
        if skip:
            return Condition(name, "skipped")
        found = always_completes(self.net, cover=cover, proper=proper, limit=self.limit, deadline=self.deadline)
        verdict = {True: "holds", False: "fails", None: "unknown"}[found.holds]
        run = None if found.firings is None else self.net.run(found.firings)
        return Condition(name, verdict, found.how, found.reason, run)

    def no_dead(self) -> Condition:
        name = "no dead transitions"
        count = len(self.net.transitions)
        replies = reach(self.net, [can_fire(t) for t in range(count)], self.deadline, share=0.5)
        dead = {t for t in range(count) if replies[t].reachable is False}
        unknown = [t for t in range(count) if replies[t].reachable is None]
        how = BY_IMPASSE
        if unknown:
            alive = {t for t in unknown if any(self.net.enabled(m, t) for m in self.space.markings)}
            unknown = [t for t in unknown if t not in alive]
            how += f" and {self._enumerated()}"
            if self.space.complete:
                dead |= set(unknown)
                unknown = []
        self.dead = [self.net.transitions[t] for t in sorted(dead)]
        if dead:
            return Condition(name, "fails", how, f"never fire: {', '.join(self.dead)}")
        if unknown:
            names = ", ".join(self.net.transitions[t] for t in unknown)
            return Condition(name, "unknown", reason=f"unknown whether they can fire: {names}")
        return Condition(name, "holds", how)

    def workflow(self) -> Condition:
        name = "workflow net"
        problem = workflow_problem(self.net)
        how = "by the form of the net"
        return Condition(name, "fails" if problem else "holds", how, problem or "")

    def easy(self) -> Condition:
        name = "final marking reachable"
        (reply,) = reach(self.net, [exactly(self.final)], self.deadline, share=0.5)
        if reply.reachable is not None:
            return Condition(
                name,
                "holds" if reply.reachable else "fails",
                BY_IMPASSE,
                "" if reply.reachable else "no run reaches the final marking",
                self._run(reply),
            )
        number = self.space.number.get(self.final)
        if number is not None:
            return Condition(name, "holds", self._enumerated(), run=self.net.run(self.space.path(number)))
        if self.space.complete:
            return Condition(name, "fails", self._enumerated(), "no run reaches the final marking")
        return Condition(name, "unknown", reason=reply.reason)

    def relaxed(self) -> Condition:
        """Each transition fires in some run to the final marking.

        For each transition ``t``, Impasse is asked about a net with two more places, ``open`` with
        a token and ``seen``, and one more transition, which does what ``t`` does and moves the
        token. ``t`` is on such a run if and only if ``f`` can be reached with the token on
        ``seen``. A run that is found shows the same for all of its other transitions.
        """
        name = "every transition on a run to the final marking"
        left: set[int] = set(range(len(self.net.transitions)))
        bad: list[int] = []
        unknown: list[int] = []
        while left:
            t = min(left)
            left.discard(t)
            (reply,) = reach(
                _with_flag(self.net, t),
                [exactly((*self.final, 0, 1))],
                self.deadline,
                share=max(0.1, 1 / (len(left) + 1)),
            )
            if reply.reachable is False:
                bad.append(t)
            elif reply.reachable is None:
                unknown.append(t)
            elif reply.firings is not None:
                left -= {min(f, len(self.net.transitions)) for f in reply.firings}
        self.dead = [self.net.transitions[t] for t in bad]
        if bad:
            return Condition(name, "fails", BY_IMPASSE, f"in no run to the final marking: {', '.join(self.dead)}")
        if unknown:
            names = ", ".join(self.net.transitions[t] for t in unknown)
            return Condition(name, "unknown", reason=f"unknown for {names}")
        return Condition(name, "holds", BY_IMPASSE)


def _with_flag(net: PTNet, transition: int) -> PTNet:
    places = len(net.places)
    pre = [dict(arcs) for arcs in net.pre] + [{**dict(net.pre[transition]), places: 1}]
    post = [dict(arcs) for arcs in net.post] + [{**dict(net.post[transition]), places + 1: 1}]
    return PTNet(
        [*net.places, "open", "seen"],
        [*net.transitions, "flagged"],
        [*net.labels, net.labels[transition]],
        pre,
        post,
        (*net.initial, 1, 0),
        None,
    )


def workflow_problem(net: PTNet) -> Optional[str]:
    """Why the net with its markings is no workflow net. None if it is one."""
    ends = []
    for side, what in ((net.post, "source"), (net.pre, "sink")):
        used = {p for arcs in side for p, _ in arcs}
        free = [p for p in range(len(net.places)) if p not in used]
        if len(free) != 1:
            names = ", ".join(net.places[p] for p in free) or "none"
            return f"a workflow net has one {what} place, but here there are {len(free)}: {names}"
        ends.append(free[0])
    for marking, place, what in ((net.initial, ends[0], "initial"), (net.final, ends[1], "final")):
        if marking != tuple(int(p == place) for p in range(len(net.places))):
            return f"the {what} marking is not one token on {net.places[place]} alone"
    before: list[set[int]] = [set() for _ in net.places]  # the transitions that put on a place
    after: list[set[int]] = [set() for _ in net.places]
    for t in range(len(net.transitions)):
        for p, _ in net.pre[t]:
            after[p].add(t)
        for p, _ in net.post[t]:
            before[p].add(t)
    for start, steps, further, what in (
        (ends[0], after, net.post, "from the source"),
        (ends[1], before, net.pre, "to the sink"),
    ):
        places, stack = {start}, [start]
        transitions: set[int] = set()
        while stack:
            for t in steps[stack.pop()] - transitions:
                transitions.add(t)
                new = {p for p, _ in further[t]} - places
                places |= new
                stack += new
        lost = [net.places[p] for p in range(len(net.places)) if p not in places]
        lost += [name for t, name in enumerate(net.transitions) if t not in transitions]
        if lost:
            return (
                f"no path leads {what} to {lost[0]}"
                if what == "from the source"
                else (f"no path leads from {lost[0]} {what}")
            )
    return None


def check_soundness(
    net: Any,
    initial_marking: Any = None,
    final_marking: Any = None,
    *,
    notion: str = "classical",
    timeout: Optional[float] = 60.0,
    limit: int = 100_000,
    all_conditions: bool = False,
) -> SoundnessResult:
    """Is a net sound? ``sound``, ``unsound`` or ``unknown``, with conditions and reasons.

    ``f`` is the final marking.

    ========= ===================================================================================
    notion    conditions
    ========= ===================================================================================
    classical workflow net (one source, one sink, all nodes on a path between them, one token on
              the source at first and on the sink at the end); option to complete (``f`` can be
              reached from every reachable marking); proper completion (no reachable marking has
              the tokens of ``f`` and more); no dead transitions
    weak      option to complete, proper completion
    relaxed   each transition is on a run from the initial marking to ``f``
    easy      ``f`` can be reached
    lazy      from every reachable marking, a marking can be reached that has the tokens of ``f``;
              no reachable marking has more tokens on a place of ``f`` than ``f``
    ========= ===================================================================================

    Only the classical notion looks at the form of the net. All conditions but the option to
    complete are questions about reachable markings, which Impasse answers, for unbounded nets too.
    The option to complete is none; the module ``_complete`` says what it is reduced to. Each
    condition says how it was proved.

    Args:
        net: A net of pm4py, or an `impasse.Net` with a final marking.
        initial_marking: The initial marking of a net of pm4py.
        final_marking: The final marking of a net of pm4py.
        notion: ``classical``, ``weak``, ``relaxed``, ``easy`` or ``lazy``.
        timeout: The time limit in seconds, for all conditions together. Those that are open then
            are unknown.
        limit: The most markings that are enumerated in Python.
        all_conditions: True to check the option to complete even if another condition fails.

    Raises:
        UsageError: The notion is unknown, there is no final marking, or the net is not supported.

    >>> import impasse_mc as impasse
    >>> net = impasse.Net()
    >>> _ = [net.place(place) for place in ("left", "right", "end")], net.place("start", 1)
    >>> _ = net.transition("split", {"start": 1}, {"left": 1, "right": 1})
    >>> _ = net.transition("leave", {"left": 1}, {"end": 1})
    >>> _ = net.transition("join", {"left": 1, "right": 1}, {"end": 1})
    >>> net.final = {"end": 1}
    >>> result = check_soundness(net)
    >>> result.verdict
    'unsound'
    >>> result.run.transitions
    ['split', 'leave']
    >>> result.run.final
    {'right': 1, 'end': 1}
    """
    if notion not in NOTIONS:
        raise UsageError(f"the notion {notion!r} is none of {', '.join(NOTIONS)}")
    read = PTNet.read(net, initial_marking, final_marking)
    check = _Check(read, limit, Deadline(timeout))
    conditions: list[Condition] = []
    if notion == "easy":
        conditions.append(check.easy())
    elif notion == "relaxed":
        conditions.append(check.relaxed())
    elif notion == "lazy":
        at_most = check.never(
            "no token too many in the end",
            " OR ".join(f"p{p} > {n}" for p, n in enumerate(check.final) if n) or "FALSE",
            lambda m: any(n and m[p] > n for p, n in enumerate(check.final)),
            "after the run, a place of the final marking has more tokens than in it",
        )
        conditions.append(at_most)
        conditions.append(
            check.completes(cover=True, proper=False, skip=not all_conditions and at_most.verdict == "fails")
        )
    else:
        if notion == "classical":
            conditions.append(check.workflow())
        if not conditions or conditions[0].verdict == "holds":
            proper = check.proper()
            conditions.append(proper)
            if notion == "classical":
                conditions.append(check.no_dead())
            conditions.append(
                check.completes(
                    cover=False,
                    proper=proper.verdict == "holds",
                    skip=not all_conditions and any(c.verdict == "fails" for c in conditions),
                )
            )
    verdicts = {c.verdict for c in conditions}
    verdict = "unsound" if "fails" in verdicts else "unknown" if "unknown" in verdicts else "sound"
    return SoundnessResult(notion, verdict, conditions, check.dead, read.nodes)
