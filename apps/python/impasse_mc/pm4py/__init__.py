"""Soundness, boundedness, dead transitions and replay for nets of pm4py.

All functions take a net of pm4py with its markings, or an :class:`impasse.Net`, whose markings are in itself. For such
a net the markings are left out, and are ``None`` in :func:`replay_trace`.
"""

from __future__ import annotations

from ._bounds import Boundedness, DeadTransitions, check_boundedness, dead_transitions
from ._net import NetRun
from ._replay import Replay, replay_trace
from ._soundness import Condition, SoundnessResult, check_soundness

__all__ = [
    "Boundedness",
    "Condition",
    "DeadTransitions",
    "NetRun",
    "Replay",
    "SoundnessResult",
    "check_boundedness",
    "check_soundness",
    "dead_transitions",
    "replay_trace",
]
