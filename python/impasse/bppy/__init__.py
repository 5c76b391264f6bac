"""bppy programs as they are: `check` decides them, `extract` translates them.

Each b-thread is run by itself, with every event that some thread requests, and becomes a finite
graph. Two of its states are equal if its position and all values that it can reach are equal. What
cannot be compared exactly is an error that names the thread, the line and the variable.

    import bppy, impasse.bppy

    def make_program():
        return bppy.BProgram(bthreads=[hot(), cold()],
                             event_selection_strategy=bppy.SimpleEventSelectionStrategy())

    outcome = impasse.bppy.check(make_program)
    print(outcome.verdict, outcome["deadlock"].run)
"""

from __future__ import annotations

from ._api import Answer, Extracted, Outcome, check, extract
from ._errors import BppyError, LimitExceeded, Nondeterminism, NotComparable, SharedState
from ._runs import ReplayError, Run, replay, write_replay_script

__all__ = [
    "Answer",
    "BppyError",
    "Extracted",
    "LimitExceeded",
    "Nondeterminism",
    "NotComparable",
    "Outcome",
    "ReplayError",
    "Run",
    "SharedState",
    "check",
    "extract",
    "replay",
    "write_replay_script",
]
