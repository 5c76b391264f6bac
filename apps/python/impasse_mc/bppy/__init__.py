"""bppy programs as they are: `check` decides them, `extract` translates them.

    import bppy, impasse_mc.bppy

    @bppy.thread
    def counts():
        for _ in range(3):
            yield bppy.sync(request=bppy.BEvent("tick"))

    def make_program():
        return bppy.BProgram(bthreads=[counts()],
                             event_selection_strategy=bppy.SimpleEventSelectionStrategy())

    outcome = impasse_mc.bppy.check(make_program, ends="none")
    print(outcome["deadlock"].verdict, outcome["deadlock"].run)    # unsafe tick, tick, tick

Meaning
    A thread is run by itself, with the events that some thread requests, and becomes a finite
    graph. Two of its states are equal if its position, its statement, and all values that it can
    reach are equal: local variables, closures, the iterators of its loops, and which of them are
    one object. A generator cannot be copied, so a state is reached again by sending the same events
    to a thread of a new program: make_program() is called often, and must return a new program each
    time. If the same events lead to another state, that is an error.

    bppy's own strategies say what a statement requests, blocks and waits for: the simple one, that
    with priorities, and the two that solve Z3 formulas. All events that can be selected are tried,
    and all outcomes of a `choice` with a positive weight.

    Bad states: a thread fails by an exception. As in bppy, a KeyError only ends the thread (see
    `Extracted.notes`). Hot states: a sync has `mustFinish=True` or `hot=True`. Ends: if no thread
    requests anything, the program may end; with `ends="none"` it may not.

    Events of the queue of the program, and those named in `external`, come from outside: one of
    them is selected only if no requested event can be, and blocking does not concern it. With
    `external`, events from outside never cease, so there is no deadlock.

    With Z3 formulas, an event is a valuation of all constants, of the sorts Int, Bool and
    enumerations. A thread may read values by `m.eval(term, model_completion=True)` before its next
    sync, numbers only if its sync bounds them. bppy itself takes one valuation that its solver
    finds.

    If a thread has too many states by itself, all threads are explored together.

Errors
    What cannot be translated exactly is a BppyError, which names the thread, the line and the
    variable:

    * NotComparable: values such as open files, comparisons by `is`, events that are changed after
      their use, one-way iterators in statements.
    * SharedState: a thread changes a global variable, an attribute of a class, or an object that
      another thread or the next copy of the program can see. To read such things is allowed.
    * Nondeterminism: random numbers, time, input; or the same events led to different states.
    * LimitExceeded: too many states or events, or a step without end. Nothing is known then.

What is not noticed
    Code is searched for names of modules such as `random` and `time` by its bytecode, also in
    functions that it calls by name. What C code or libraries of others do out of sight is not seen
    (a file that is read, the time inside of a library): repeated steps reveal it only if results
    differ. bppy adds `locals` to a sync that a thread keeps in a variable; threads that read this
    are not supported. The order of a set is that of this process. A thread that waits for ever
    inside of one call of C code is not stopped.
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
