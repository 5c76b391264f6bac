"""One program by bppy's own `SymbolicBProgramVerifier`: run by `compare_bppy.py` in a Python that has PyNuSMV.

    python3.6 bppy_symbolic.py FILE < EVENTS

Wheels of PyNuSMV exist for Python 3.6 only, so this file is written for it. bppy needs `math.prod`, which 3.6 lacks.
The verifier knows events without data and no assertions. So each event gets a name of its own, and a failed assertion
becomes a request of the event `BAD` that blocks all others; the question is whether `BAD` ever happens. EVENTS is a
JSON list of pairs of name and data.
"""

import importlib.util
import json
import math
import sys
import time


def product(factors):
    result = 1
    for factor in factors:
        result *= factor
    return result


math.prod = getattr(math, "prod", product)

from bppy import BEvent, BProgram, EventSet, SimpleEventSelectionStrategy, sync  # noqa: E402
from bppy.analysis.symbolic_bprogram_verifier import SymbolicBProgramVerifier  # noqa: E402

BAD = BEvent("BAD")


def main():
    spec = importlib.util.spec_from_file_location("program", sys.argv[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    events = [BEvent(name, data) for name, data in json.load(sys.stdin)]
    plain = {event: BEvent(f"E{i}_{event.name}") for i, event in enumerate(events)}
    back = {made: event for event, made in plain.items()}

    def among(events_or_set):
        """The new events of a set of the program. A list may be empty."""
        if isinstance(events_or_set, BEvent):
            return plain[events_or_set]
        return [plain[event] for event in events if event in events_or_set]

    def adapted(thread):
        event = None
        try:
            while True:
                statement = thread.send(event)
                if statement is None:
                    yield None
                    return
                parts = {part: among(statement[part]) for part in ("request", "waitFor", "block") if part in statement}
                made = sync(**parts)
                made["locals"] = statement["locals"]
                event = back[(yield made)]
        except AssertionError:
            while True:
                yield sync(request=BAD, block=EventSet(lambda e: e.name != "BAD"))

    def make_program():
        threads = [adapted(thread) for thread in module.make_program().bthreads]
        return BProgram(bthreads=threads, event_selection_strategy=SimpleEventSelectionStrategy())

    began = time.process_time()
    verifier = SymbolicBProgramVerifier(make_program, [*plain.values(), BAD])
    holds, _ = verifier.verify("G !(event = BAD)", type="BDD")
    print(json.dumps({"said": "safe" if holds else "unsafe", "seconds": time.process_time() - began}))


if __name__ == "__main__":
    main()
