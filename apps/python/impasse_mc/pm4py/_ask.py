"""Questions to Impasse about a net of numbers. Only :func:`_outcome` knows how it is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ..checking import check
from ..errors import InternalError
from ..nets import Net
from ._net import Deadline, Marking, PTNet


@dataclass(frozen=True)
class Reply:
    """The answer to ``EF formula``."""

    reachable: Optional[bool]
    """None if it is unknown."""
    firings: Optional[list[int]]
    """The run if it is reachable: it was replayed on the net. None if it was not listed."""
    reason: str
    """Why it is unknown, or what proves it."""


def exactly(marking: Marking) -> str:
    """The formula of a marking."""
    return conj(f"p{p} = {n}" for p, n in enumerate(marking))


def covers(marking: Marking) -> str:
    """The formula of all markings with at least these tokens."""
    return conj(f"p{p} >= {n}" for p, n in enumerate(marking) if n)


def strictly_covers(marking: Marking) -> str:
    """The formula of all markings with more tokens than these, and nowhere fewer."""
    if not marking:
        return "FALSE"
    tokens = " + ".join(f"p{p}" for p in range(len(marking)))
    return f"({covers(marking)}) AND {tokens} > {sum(marking)}"


def conj(parts: Any) -> str:
    """All of the parts."""
    return " AND ".join(f"({part})" for part in parts) or "TRUE"


def disj(parts: Any) -> str:
    """Some of the parts."""
    return " OR ".join(f"({part})" for part in parts) or "FALSE"


def can_fire(transition: int) -> str:
    """The formula of the markings that enable a transition."""
    return f"FIREABLE(t{transition})"


def reach(
    net: PTNet,
    formulas: Sequence[str],
    deadline: Deadline,
    *,
    initial: Optional[Marking] = None,
    share: float = 1.0,
) -> list[Reply]:
    """Impasse's answers to ``EF formula`` for each formula, within a share of the time left."""
    if not formulas:
        return []
    if deadline.over:
        return [Reply(None, None, "timeout")] * len(formulas)
    start = net.initial if initial is None else initial
    left = None if deadline.left is None else max(0.05, deadline.left * share)
    replies = []
    for answer in _outcome(net, start, [f"EF {formula}" for formula in formulas], left):
        kind = answer["answer"]
        if kind not in ("reachable", "unreachable", "unknown"):
            raise InternalError(f"an EF question was answered by {kind}")
        firings = _replayed(net, start, answer["events"]) if kind == "reachable" else None
        said = answer["detail"] if kind == "unreachable" else answer["reason"]
        replies.append(Reply({"reachable": True, "unreachable": False}.get(kind), firings, str(said or "")))
    return replies


def _replayed(net: PTNet, start: Marking, events: Optional[list[str]]) -> Optional[list[int]]:
    if events is None:
        return None
    firings = [int(event[1:]) for event in events]
    net.run(firings, start)  # a run that does not fit is an error, not an answer
    return firings


def _outcome(net: PTNet, start: Marking, questions: list[str], timeout: Optional[float]) -> list[dict[str, Any]]:
    """For each question its ``answer``, ``reason``, ``detail``, and ``events`` of the run."""
    model = Net("net")
    for place, tokens in enumerate(start):
        model.place(f"p{place}", tokens)
    for t in range(len(net.transitions)):
        takes, puts = ({f"p{p}": n for p, n in side[t]} for side in (net.pre, net.post))
        model.transition(f"t{t}", takes, puts)
    result = []
    for answer in check(model, questions, timeout=timeout):
        run = answer.run
        result.append(
            {
                "answer": answer.answer,
                "reason": answer.reason,
                "detail": answer.detail,
                "events": run.events if run is not None and run.is_complete else None,
            }
        )
    return result
