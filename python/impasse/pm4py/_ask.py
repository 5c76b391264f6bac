"""Questions to Impasse about a net of numbers. Only :func:`_outcome` knows how it is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

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
            raise AssertionError(f"an EF question was answered by {kind}")
        firings = _replayed(net, start, answer["events"]) if kind == "reachable" else None
        said = answer["detail"] if kind == "unreachable" else answer["reason"]
        replies.append(Reply(
            {"reachable": True, "unreachable": False}.get(kind), firings, str(said or "")
        ))
    return replies


def _replayed(net: PTNet, start: Marking, events: Optional[list[str]]) -> Optional[list[int]]:
    if events is None:
        return None
    firings = [int(event[1:]) for event in events]
    net.run(firings, start)  # a run that does not fit is an error, not an answer
    return firings


def _pnml(net: PTNet, start: Marking) -> str:
    parts = ['<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" '
             'type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">']
    for place, tokens in enumerate(start):
        parts.append(f'<place id="p{place}"><initialMarking><text>{tokens}</text>'
                     "</initialMarking></place>")
    number = 0
    for t in range(len(net.transitions)):
        parts.append(f'<transition id="t{t}"/>')
        arcs = [(f"p{p}", f"t{t}", n) for p, n in net.pre[t]]
        arcs += [(f"t{t}", f"p{p}", n) for p, n in net.post[t]]
        for source, target, weight in arcs:
            number += 1
            parts.append(f'<arc id="a{number}" source="{source}" target="{target}">'
                         f"<inscription><text>{weight}</text></inscription></arc>")
    parts.append("</page></net></pnml>")
    return "".join(parts)


def _outcome(
    net: PTNet, start: Marking, questions: list[str], timeout: Optional[float]
) -> list[dict[str, Any]]:
    """For each question its ``answer``, ``reason``, ``detail``, and ``events`` of the run."""
    if any(len(question) > 100_000 for question in questions):
        reason = "the question is too long for a command line"
        return [{"answer": "unknown", "reason": reason, "detail": None, "events": None}
                for _ in questions]
    import json
    import os
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(prefix="impasse-") as folder:
        path = os.path.join(folder, "net.pnml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_pnml(net, start))
        command = [os.environ.get("IMPASSE_BINARY", "/work/w/impasse-dev"), "check", path,
                   "--format", "json", "--trace-in-json", "--progress", "never"]
        for question in questions:
            command += ["--ask", question]
        if timeout is not None:
            command += ["--timeout", f"{max(1, int(timeout * 1000))}ms"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(f"impasse failed: {done.stderr.strip()}")
    report = json.loads(done.stdout.splitlines()[0])
    if report["errors"] or len(report["properties"]) != len(questions):
        raise RuntimeError(f"impasse failed: {report['errors'] or done.stderr}")
    result = []
    for answer in report["properties"]:
        trace = answer.get("trace")
        events = None
        if trace is not None and trace["complete"]:
            events = [step["event"] for step in trace["steps"]]
        result.append({**answer, "events": events})
    return result
