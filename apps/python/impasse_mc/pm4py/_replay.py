"""Replay of a trace on a net, without alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ..errors import UsageError
from ._ask import conj, exactly, reach
from ._net import Deadline, NetRun, PTNet


@dataclass(frozen=True)
class Replay:
    """Is a trace the visible part of a run?"""

    verdict: str
    """``fits``, ``does not fit``, or ``unknown``."""
    position: Optional[int]
    """If it does not fit: the number of labels that can be replayed, which is the index of the
    first one that cannot. It is the length of the trace if only the final marking is not reached.
    None if it fits, or if it is unknown."""
    label: Optional[str]
    """The first label that cannot be replayed. None if there is none."""
    reason: Optional[str]
    """Why it does not fit, or why it is unknown."""
    run: Optional[NetRun]
    """A run with the trace as its visible part. If the trace does not fit: a run of the part that
    can be replayed."""

    def __bool__(self) -> bool:
        raise TypeError("a verdict may be unknown: compare `.verdict` with 'fits'")


def replay_trace(
    net: Any,
    initial_marking: Any,
    final_marking: Any,
    trace: Sequence[str],
    *,
    timeout: Optional[float] = 60.0,
) -> Replay:
    """Is there a run to the final marking with these visible labels? Silent transitions are free.

    Impasse is asked about a net that is the product with the trace: it has a place for each
    position in the trace, with a token on the first one. For each label of the trace there is a
    copy of the transitions with this label, which also moves this token on. So the run exists if
    and only if the final marking is reached with the token at the end. Without a final marking,
    any marking will do. If there is no such run, the first label that fails is found by questions
    for shorter parts of the trace, in a binary search.

    Args:
        net: A net of pm4py, or an `impasse.Net`.
        initial_marking: The initial marking of a net of pm4py, else None.
        final_marking: The final marking of a net of pm4py, or None.
        trace: The labels.
        timeout: The time limit in seconds, for all questions together.

    Raises:
        UsageError: The net is not supported, or a label is no text.

    >>> import impasse_mc as impasse
    >>> net = impasse.Net()
    >>> _ = net.place("start", 1), net.place("end")
    >>> _ = net.transition("t1", {"start": 1}, {"end": 1}, label="pay")
    >>> net.final = {"end": 1}
    >>> replay_trace(net, None, None, ["pay"]).verdict
    'fits'
    >>> replay_trace(net, None, None, ["pay", "pay"]).reason
    "'pay' (index 1) cannot be replayed"
    """
    read = PTNet.read(net, initial_marking, final_marking)
    labels = list(trace)
    for label in labels:
        if not isinstance(label, str):
            raise UsageError(f"a trace is a sequence of labels, but {label!r} is no text")
    known = set(read.labels)
    # No part of the trace that has an unknown label can be replayed.
    most = next((i for i, label in enumerate(labels) if label not in known), len(labels))
    deadline = Deadline(timeout)
    product, originals = _product(read, labels[:most])
    if most == len(labels):
        last = f"p{len(read.places) + len(labels)} = 1"
        goal = conj([last] if read.final is None else [exactly(read.final), last])
        (whole,) = reach(product, [goal], deadline, share=0.6)
        if whole.reachable:
            return Replay("fits", None, None, None, _run(read, originals, whole.firings))
        if whole.reachable is None:
            return Replay("unknown", None, None, whole.reason, None)
    low, high = 0, most
    firings: Optional[list[int]] = []
    while low < high:
        middle = (low + high + 1) // 2
        (reply,) = reach(product, [f"p{len(read.places) + middle} = 1"], deadline, share=0.5)
        if reply.reachable is None:
            return Replay("does not fit", None, None, f"the first label that fails is unknown: {reply.reason}", None)
        if reply.reachable:
            low, firings = middle, reply.firings
        else:
            high = middle - 1
    run = _run(read, originals, firings)
    if low == len(labels):
        reason = "the whole trace can be replayed, but not to the final marking"
        return Replay("does not fit", low, None, reason, run)
    reason = f"{labels[low]!r} (index {low}) cannot be replayed"
    return Replay("does not fit", low, labels[low], reason, run)


def _run(net: PTNet, originals: list[int], firings: Optional[list[int]]) -> Optional[NetRun]:
    return None if firings is None else net.run([originals[t] for t in firings])


def _product(net: PTNet, trace: list[str]) -> tuple[PTNet, list[int]]:
    """The product with a trace, and for each of its transitions that of the net."""
    first = len(net.places)
    places = [*net.places, *(f"position {i}" for i in range(len(trace) + 1))]
    originals, pre, post = [], [], []
    for t, label in enumerate(net.labels):
        if label is None:
            originals.append(t)
            pre.append(dict(net.pre[t]))
            post.append(dict(net.post[t]))
    for i, wanted in enumerate(trace):
        for t, label in enumerate(net.labels):
            if label == wanted:
                originals.append(t)
                pre.append({**dict(net.pre[t]), first + i: 1})
                post.append({**dict(net.post[t]), first + i + 1: 1})
    initial = (*net.initial, 1, *([0] * len(trace)))
    return PTNet(
        places, [net.transitions[t] for t in originals], [net.labels[t] for t in originals], pre, post, initial, None
    ), originals
